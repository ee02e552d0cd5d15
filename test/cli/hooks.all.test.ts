// A hook's life on the command line, and what a running server sends to it.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { receiver } from "../events/receiver.ts";
import { freePort } from "../support/postgres.ts";
import { done, inFolderWithCompany, rollcallHere, start, whileServing } from "./command.ts";

const HEAD = "id,firstName,lastName,email,startDate,status,type,isBusiness\n";
const worker = (id: string, status = "active") =>
  `${id},Ana,Sol,ana@example.com,2024-01-01,${status},employee,no\n`;

async function load(folder: string, rows: string, ...args: string[]): Promise<void> {
  writeFileSync(join(folder, "workers.csv"), HEAD + rows);
  await done(folder, "import", "workers.csv", "--company", "acme", "--allow-older", ...args);
}

const list = async (folder: string) =>
  JSON.parse(await done(folder, "hooks", "list", "--json")) as {
    id: string;
    status: string;
    lastOutcome: string;
  }[];

async function create(folder: string, url: string, ...args: string[]) {
  const where = ["--company", "acme", "--url", url];
  return JSON.parse(await done(folder, "hooks", "create", ...where, ...args, "--json"));
}

test(
  "a hook is created, tested, sent to by a server, paused, resumed, rotated and deleted",
  () =>
    inFolderWithCompany(async (folder) => {
      const target = receiver();
      expect(await done(folder, "hooks", "list")).toContain("There are no hooks yet");
      const made = await create(folder, target.url, "--events", "worker.*", "--ids-only");
      expect(made.secret).toMatch(/^whsec_[\w+/=]{32}$/);
      expect(made).toMatchObject({ status: "active", events: ["worker.*"], withObjects: false });
      expect(await done(folder, "hooks", "list")).not.toContain(made.secret.slice(6));
      expect(await done(folder, "hooks", "show", made.id)).toContain(target.url);
      expect(statSync(join(folder, "rollcall.db-keys")).mode & 0o077).toBe(0);
      expect(await done(folder, "hooks", "test", made.id)).toBe(`${target.url}/: 204`);
      expect(target.types()).toEqual(["hook.test"]);

      await load(folder, worker("wrk_ana")); // the first import tells nobody
      await load(folder, worker("wrk_ana") + worker("wrk_quiet"), "--quiet");
      await whileServing(
        folder,
        ["serve", "--port", "0", "--log", "none"],
        async (_address, _printed, server) => {
          await load(folder, worker("wrk_ana", "inactive") + worker("wrk_bob"));
          await target.until(3);
          expect(target.received.slice(1).map(({ message }) => [message.type, message.data])).toEqual([
            ["worker.offboarded", { workerId: "wrk_ana" }],
            ["worker.created", { workerId: "wrk_bob" }],
          ]);
          await done(folder, "hooks", "pause", made.id);
          await load(folder, worker("wrk_bob"), "--prune", "--allow-removals", "100%");
          expect((await list(folder))[0]?.status).toBe("paused (by hand)");
          await done(folder, "hooks", "resume", made.id);
          await target.until(5);
          expect(target.types().slice(3).toSorted()).toEqual(["worker.deleted", "worker.deleted"]);
          const rotated = JSON.parse(await done(folder, "hooks", "rotate", made.id, "--json"));
          expect(rotated.secret).not.toBe(made.secret);
          await load(folder, worker("wrk_bob", "onboarding"));
          await target.until(6);
          expect(target.received[5]?.headers.get("webhook-signature")?.split(" ").length).toBe(2);
          server.kill("SIGTERM");
          await server.exited;
        },
      );
      expect((await list(folder))[0]).toMatchObject({ status: "active", lastOutcome: "204" });
      target.stop();
      const refused = await rollcallHere(folder, ["hooks", "delete", made.id]);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("--yes")]);
      await done(folder, "hooks", "delete", made.id, "--yes");
      expect(await list(folder)).toEqual([]);
    }),
  120_000,
);

test(
  "a server with --no-events sends nothing; a killed one loses nothing",
  () =>
    inFolderWithCompany(async (folder) => {
      const target = receiver();
      await load(folder, worker("wrk_ana"));
      await done(folder, "hooks", "create", "--company", "acme", "--url", target.url);
      const serving = ["serve", "--port", "0", "--log", "none"];
      await whileServing(folder, [...serving, "--no-events"], async () => {
        await load(folder, worker("wrk_ana") + worker("wrk_bob"));
        await Bun.sleep(2500);
      });
      const quiet = start(folder, serving, { ROLLCALL_NO_EVENTS: "1" });
      await Bun.sleep(2500);
      quiet.kill("SIGKILL");
      await quiet.exited;
      expect(target.received).toEqual([]);
      target.answer(() => new Promise<Response>(() => {}));
      await whileServing(folder, serving, () => target.until(1)); // killed while it sends
      target.answer(() => new Response("fine"));
      await whileServing(folder, serving, () => target.until(2)); // once the lease of 20 s is over
      const [first, second] = target.received.map(({ message }) => message);
      expect(second).toEqual(first!);
      target.stop();
    }),
  120_000,
);

test(
  "metrics and doctor tell which hooks fail or are paused",
  () =>
    inFolderWithCompany(async (folder) => {
      const target = receiver(() => new Response(null, { status: 410 }));
      await load(folder, worker("wrk_ana"));
      const create = (url: string) =>
        done(folder, "hooks", "create", "--company", "acme", "--url", url, "--json");
      const gone: string = JSON.parse(await create(target.url)).id;
      const away: string = JSON.parse(await create("http://127.0.0.1:9/x")).id;
      const metricsPort = await freePort();
      const serving = ["serve", "--port", "0", "--log", "none", "--metrics-port", String(metricsPort)];
      await whileServing(folder, serving, async () => {
        await load(folder, worker("wrk_ana") + worker("wrk_bob"));
        await target.until(1);
        const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        const lines = [
          `rollcall_hook_failures{company="acme",hook="${gone}",paused="gone"} 1`,
          `rollcall_hook_failures{company="acme",hook="${away}",paused="no"} 1`,
        ];
        for (let tries = 0; tries < 100; tries++) {
          const text = await scrape();
          if (lines.every((line) => text.includes(line))) break;
          await Bun.sleep(50);
        }
        const text = await scrape();
        for (const line of lines) expect(text).toContain(line);
      });
      target.stop();
      const doctor = await rollcallHere(folder, ["doctor"]);
      expect(doctor.exitCode).toBe(0);
      expect(doctor.stdout).toContain(`company acme: hook ${gone} is paused (gone); the last outcome: 410`);
      expect(doctor.stdout).toContain(
        `company acme: hook ${away} has failed 1 times; the last outcome: no connection`,
      );
      expect(doctor.stdout).toContain(`rollcall hooks resume ${gone}`);
      const database = new Database(join(folder, "rollcall.db"));
      database.run(`update events set at_ms = ${Date.parse("2026-01-02T03:04:05Z")}`);
      database.close();
      const until = "until 2026-01-02T03:04:05.000Z are older than 7 days, and lost";
      expect(await done(folder, "doctor")).toContain(`; its events ${until}`);
      // Both begin again, with all their attempts.
      for (const id of [gone, away])
        expect(await done(folder, "hooks", "resume", id)).toContain(`Those ${until}: the hook is told.`);
      expect((await list(folder)).map(({ status }) => status)).toEqual(["active", "active"]);
      expect(await done(folder, "doctor")).toContain(
        `hook ${gone} waits for a server; the last outcome: 410`,
      );
    }),
  120_000,
);

test("what cannot work is refused before anything is stored", () =>
  inFolderWithCompany(async (folder) => {
    const create = async (...args: string[]) => {
      const { exitCode, stderr } = await rollcallHere(folder, [
        "hooks",
        "create",
        "--company",
        "acme",
        ...args,
      ]);
      return [exitCode, stderr];
    };
    const https = ["--url", "https://example.com/hook"];
    expect(await create("--url", "https://10.0.0.1/x")).toEqual([
      2,
      expect.stringContaining("--allow-private"),
    ]);
    expect(await create("--url", "http://example.com/x")).toEqual([2, expect.stringContaining("https://")]);
    expect(await create("--url", "nonsense")).toEqual([2, expect.stringContaining("is not an address")]);
    expect(await create(...https, "--events", "worker.crated")).toEqual([
      2,
      expect.stringContaining("worker.created?"),
    ]);
    expect(await create(...https, "--events", "worker.*", "--scope", "time_off:read")).toEqual([
      2,
      expect.stringContaining("needs workers:read"),
    ]);
    const server = { ROLLCALL_URL: "http://127.0.0.1:4010" };
    const without = await rollcallHere(folder, ["hooks", "create", "--company", "acme"], server);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining("--url")]);
    const unknown = await rollcallHere(folder, ["hooks", "create", "--company", "nobody", ...https]);
    expect(unknown.stderr).toContain('There is no company "nobody"');
    expect((await rollcallHere(folder, ["hooks", "test", "hook_x"])).stderr).toContain(
      'There is no hook "hook_x"',
    );
    expect(await list(folder)).toEqual([]);
    await done(
      folder,
      "hooks",
      "create",
      "--company",
      "acme",
      "--url",
      "https://10.0.0.1/x",
      "--allow-private",
    );
    const [made] = await list(folder);
    await done(folder, "hooks", "delete", made!.id, "--yes");
    await done(folder, "hooks", "create", "--company", "acme", "--url", "http://127.0.0.1:9/x");
    const failed = await rollcallHere(folder, ["hooks", "test", (await list(folder))[0]!.id]);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining("did not accept the test")]);
  }));

test("a new hook has every option that it was given, and else sends objects of all events", () =>
  inFolderWithCompany(async (folder) => {
    const url = "https://example.com/hook";
    const created = async (...args: string[]) => {
      const { id } = await create(folder, url, ...args);
      const { createdAt, ...shown } = JSON.parse(await done(folder, "hooks", "show", id, "--json"));
      expect(Date.parse(createdAt)).toBeGreaterThan(0);
      return { ...shown, id: "" };
    };
    const plain = {
      ...{ id: "", company: "acme", status: "active", url, events: ["*"], withObjects: true },
      ...{ allowPrivate: false, scopes: ["workers:read", "time_off:read"], hidesReasons: false },
      ...{ daysBefore: 7, allLeave: false, lastOutcome: null, lastAt: null },
    };
    expect(await created()).toEqual(plain);
    expect(
      await created(
        ...["--ids-only", "--hide-reasons", "--all-leave", "--allow-private", "--days-before", "14"],
        ...["--events", "worker.*, time_off.leave.started", "--scope", "time_off:read"],
      ),
    ).toEqual({
      ...plain,
      ...{ withObjects: false, hidesReasons: true, allLeave: true, allowPrivate: true, daysBefore: 14 },
      ...{ events: ["worker.*", "time_off.leave.started"], scopes: ["time_off:read"] },
    });
  }));

test("an address is stored as it is parsed, and no list shows a password or a query", () =>
  inFolderWithCompany(async (folder) => {
    const create = (url: string) =>
      rollcallHere(folder, ["hooks", "create", "--company", "acme", "--url", url, "--json"]);
    for (const url of ["https://user:s3cret@example.com/hook", "https://:s3cret@localhost/x", "x:s3cret@h"]) {
      const { exitCode, stderr, stdout } = await create(url);
      expect([url, exitCode]).toEqual([url, 2]);
      expect(stderr + stdout).not.toContain("s3cret");
    }
    const { stdout } = await create("HTTPS://EXAMPLE.com:443/a/../hook?token=s3cret#s3cret");
    expect(JSON.parse(stdout).url).toBe("https://example.com/hook?…");
    for (const args of [["list"], ["list", "--json"], ["show", JSON.parse(stdout).id]]) {
      const shown = await done(folder, "hooks", ...args);
      expect(shown).toContain("https://example.com/hook?…");
      expect(shown).not.toContain("s3cret");
    }
  }));
