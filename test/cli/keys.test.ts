// A key's life, as a running server sees it.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import { inFolder, inFolderWithCompany, rollcall, rollcallHere, whileServing } from "./command.ts";

interface ListedKey {
  readonly id: string;
  readonly status: string;
  readonly expiresAt: string | null;
  readonly scopes: readonly string[];
}

async function listed(folder: string): Promise<ListedKey[]> {
  return JSON.parse((await rollcallHere(folder, ["keys", "list", "--json"])).stdout);
}

async function made(folder: string, ...more: string[]): Promise<string> {
  return (
    await rollcallHere(folder, ["keys", "create", "--company", "acme", "--quiet", ...more])
  ).stdout.trim();
}

async function status(address: string, key: string, path = "/v1/workers"): Promise<number> {
  return (await fetch(address + path, { headers: { "x-api-key": key } })).status;
}

test("a running server follows a key from creation to revocation", async () => {
  await inFolderWithCompany(async (folder) => {
    await whileServing(folder, ["serve", "--port", "0", "--log", "none"], async (address) => {
      const key = await made(folder);
      expect(key).toMatch(/^rk_[0-9A-Za-z]{38}$/);
      expect(await status(address, key)).toBe(200);

      const limited = await made(folder, "--scope", "time_off:read");
      expect(await status(address, limited)).toBe(403);
      expect(await status(address, limited, "/v1/time_off/policies")).toBe(200);

      const id = (await listed(folder))[0]!.id;
      const rotated = await rollcallHere(folder, ["keys", "rotate", id, "--overlap", "1s", "--quiet"]);
      expect(rotated.stdout).toMatch(/^rk_[0-9A-Za-z]{38}\n$/);
      expect(await status(address, rotated.stdout.trim())).toBe(200);
      expect(await status(address, key)).toBe(200);
      await Bun.sleep(1200);
      expect(await status(address, key)).toBe(401);
      expect((await listed(folder))[0]!.status).toBe("expired");

      const last = (await listed(folder)).at(-1)!.id;
      await rollcallHere(folder, ["keys", "revoke", last]);
      await Bun.sleep(200);
      expect(await status(address, rotated.stdout.trim())).toBe(401);

      const other = (await listed(folder)).find(({ status }) => status === "active")!;
      await rollcallHere(folder, ["keys", "rotate", other.id, "--overlap", "0"]);
      expect((await listed(folder)).find(({ id }) => id === other.id)!.status).toBe("revoked");
      await Bun.sleep(200);
      expect(await status(address, limited, "/v1/time_off/policies")).toBe(401);
    });
  });
});

const startedAtMs = Date.now();
const dayAfterToday = (days: number) => new Date(startedAtMs + days * 86_400_000).toISOString().slice(0, 10);

test("a new key says how long it works; a key that was rotated already needs --expires", async () => {
  await inFolder(async (folder) => {
    const keys = (...args: string[]) => rollcallHere(folder, ["keys", ...args]);
    await rollcallHere(folder, ["companies", "create", "acme"]);
    expect((await keys("create", "--company", "acme")).stdout).toContain("It works until it is revoked.");
    const year = await keys(
      "create",
      "--company",
      "acme",
      "--name",
      "payroll",
      "--expires",
      dayAfterToday(200),
    );
    expect(year.stdout).toContain(`It works until ${dayAfterToday(201)}T00:00:00.000Z.`);

    const [lasting, yearly] = (await listed(folder)).map(({ id }) => id);
    for (const id of [lasting!, yearly!]) {
      expect((await keys("rotate", id, "--overlap", "1h")).exitCode).toBe(0);
      const again = await keys("rotate", id, "--overlap", "1h");
      expect(again.exitCode).toBe(1);
      expect(again.stderr).toContain(`Key ${id} ends `);
      expect(again.stderr).toContain(
        "Otherwise pass --expires: a rotated key's original lifetime is unknown",
      );
    }
    expect(await listed(folder)).toHaveLength(4);
    const said = await keys("rotate", lasting!, "--expires", dayAfterToday(230));
    expect(said.stdout).toMatch(/\n\nKey key_\w+ works until \d{4}-.*Z\.\n$/);
    expect(said.stdout).toContain(`It works until ${dayAfterToday(231)}T00:00:00.000Z.`);
  });
});

test("a rotation prolongs no key, and gives none for a key that has ended", async () => {
  await inFolderWithCompany(async (folder) => {
    const keys = (...args: string[]) => rollcallHere(folder, ["keys", ...args]);
    await made(folder, "--expires", "1h");
    const [before] = await listed(folder);
    expect((await keys("rotate", before!.id, "--overlap", "24h")).exitCode).toBe(0);
    expect((await listed(folder)).find(({ id }) => id === before!.id)).toEqual(before!);
    await keys("revoke", before!.id);
    await made(folder, "--expires", "1ms");
    await Bun.sleep(2);
    const all = await listed(folder);
    const ended = all.filter(({ status }) => status !== "active");
    expect(ended.map(({ status }) => status).toSorted()).toEqual(["expired", "revoked"]);
    for (const { id, status } of ended) {
      const refused = await keys("rotate", id);
      expect([refused.exitCode, refused.stdout]).toEqual([1, ""]);
      expect(refused.stderr).toContain(`Key ${id} is ${status}: create a new one`);
    }
    expect(await listed(folder)).toEqual(all);
  });
});

test("what is revoked again was revoked when it was", async () => {
  await inFolderWithCompany(async (folder) => {
    for (const what of ["keys", "feeds"]) {
      const run = async (...args: string[]) => (await rollcallHere(folder, [what, ...args, "--json"])).stdout;
      const { id } = JSON.parse(await run("create", "--company", "acme"));
      const first = await run("revoke", id);
      expect(JSON.parse(first)).toMatchObject({ id, status: "revoked" });
      await Bun.sleep(2);
      expect(await run("revoke", id)).toBe(first);
    }
  });
});

test("a key names at most 200 workers", async () => {
  await inFolderWithCompany(async (folder) => {
    const workers = Array.from({ length: 201 }, (_, at) => `wrk_${at}`).join(",");
    for (const what of ["keys", "feeds"]) {
      const args = [what, "create", "--company", "acme", "--workers", workers];
      const { exitCode, stderr } = await rollcallHere(folder, args);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("201 ids are more than 200")]);
    }
  });
});

test("keys are made, listed and revoked while an import holds the store", async () => {
  await inFolderWithCompany(async (folder) => {
    const store = openSqliteWriteStore(join(folder, "rollcall.db"));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const importing = store.change("acme", async () => {
      await held;
      return { result: null, changed: false, commit: true };
    });
    try {
      // As processes of their own: the import is this one's.
      const keys = async (...args: string[]) => (await rollcall(folder, ["keys", ...args])).stdout;
      const list = async () => JSON.parse(await keys("list", "--json")) as ListedKey[]; // its own form
      expect(await keys("create", "--company", "acme", "--quiet")).toStartWith("rk_");
      const [key] = await list();
      await keys("revoke", key!.id);
      expect((await list())[0]!.status).toBe("revoked");
    } finally {
      release();
      await importing;
      await store.close();
    }
  });
});

test("a key is shown once and stored nowhere", async () => {
  await inFolderWithCompany(async (folder) => {
    const key = await made(folder);
    for (const name of ["rollcall.db", "rollcall.db-keys"]) {
      expect(readFileSync(join(folder, name)).includes(key.slice(3))).toBe(false);
    }
    expect(JSON.stringify(await listed(folder))).not.toContain(key);
  });
});

test("an expiring key says until when", async () => {
  await inFolderWithCompany(async (folder) => {
    await made(folder, "--expires", "90d");
    await made(folder, "--expires", "2099-12-31");
    const [forDuration, day] = await listed(folder);
    const days = (Date.parse(forDuration!.expiresAt!) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThan(90.1);
    expect(day!.expiresAt).toBe("2100-01-01T00:00:00.000Z");
  });
});

test("the list of a company that does not exist is an error, so that a mistyped one is not taken for one without keys", async () => {
  await inFolderWithCompany(async (folder) => {
    for (const what of ["keys", "feeds"])
      for (const format of [[], ["--json"]]) {
        const own = await rollcallHere(folder, [what, "list", "--company", "acme", ...format]);
        expect(own.exitCode).toBe(0);
        const other = await rollcallHere(folder, [what, "list", "--company", "acne", ...format]);
        expect(other).toMatchObject({ exitCode: 1, stdout: "" });
        expect(other.stderr).toContain('There is no company "acne"');
      }
  });
});

test("a key's access is the same after a rotation and a backup, and the list says it", async () => {
  await inFolderWithCompany(async (folder) => {
    const head = "id,firstName,lastName,email,startDate,status,type,isBusiness,department\n";
    const rows = "wrk_mia,Mia,Sol,a@b.example,2024-01-01,active,employee,no,Ops\n";
    writeFileSync(join(folder, "workers.csv"), head + rows);
    expect(await rollcallHere(folder, ["import", "workers.csv", "--company", "acme"])).toMatchObject({
      exitCode: 0,
    });
    await made(folder, "--access", "no-reasons", "--managers", "wrk_mia", "--workers", "wrk_mia");
    for (const [wrong, exitCode, why] of [
      [["--managers", "wrk_nobody"], 1, "Company acme has no workers with these ids: wrk_nobody"],
      [["--departments", "Ops"], 2, '"Ops" is not the id of a department'],
      [["--departments", "dpt_none"], 1, "has no departments with these ids: dpt_none"],
      [["--access", "some"], 2, '"some" is not one of everything, no-reasons, away'],
      [["--access", "away", "--scope", "workers:read"], 2, "--access away has no scopes"],
    ] as const) {
      const refused = await rollcallHere(folder, ["keys", "create", "--company", "acme", ...wrong]);
      expect([wrong, refused.exitCode]).toEqual([wrong, exitCode]);
      expect(refused.stderr).toContain(why);
    }
    const [first] = JSON.parse((await rollcallHere(folder, ["keys", "list", "--json"])).stdout);
    expect(first).toMatchObject({
      access: { level: "no-reasons", workers: ["wrk_mia"], departments: [], managers: ["wrk_mia"] },
      scopes: ["workers:read", "time_off:read"],
    });
    expect((await rollcallHere(folder, ["keys", "rotate", first.id, "--quiet"])).exitCode).toBe(0);
    expect((await rollcallHere(folder, ["backup", "--out", "b.backup"])).exitCode).toBe(0);
    expect((await rollcallHere(folder, ["restore", "b.backup", "--db", "other.db"])).exitCode).toBe(0);
    const list = await rollcallHere(folder, ["keys", "list", "--db", "other.db"]);
    expect(list.stdout.match(/no-reasons of workers wrk_mia managers wrk_mia/g)?.length).toBe(2);
  });
});

test("a limit that is given and empty is refused: a key, a feed or a hook would be for everybody", () =>
  inFolderWithCompany(async (folder) => {
    const limits = {
      keys: ["--workers", "--departments", "--managers", "--scope"],
      feeds: ["--workers", "--types", "--policies"],
      hooks: ["--scope", "--events"],
    };
    for (const [command, options] of Object.entries(limits))
      for (const option of options)
        for (const value of ["", " ", ","]) {
          const url = command === "hooks" ? ["--url", "https://example.com/hook"] : [];
          const args = [command, "create", "--company", "acme", ...url, option, value];
          const { exitCode, stderr, stdout } = await rollcallHere(folder, args);
          expect([args.join(" "), exitCode, stdout]).toEqual([args.join(" "), 2, ""]);
          expect(stderr).toContain(`${option}: `);
        }
    for (const command of Object.keys(limits))
      expect(JSON.parse((await rollcallHere(folder, [command, "list", "--json"])).stdout)).toEqual([]);
  }));
