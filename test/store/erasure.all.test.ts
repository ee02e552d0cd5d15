// Who is removed is gone: from the store, its free pages, its log, the keys and the scratch of the import.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepared, rollcall, rollcallHere, whileServing } from "../cli/command.ts";

/** Of the person who is removed, and of nobody else. */
const MARKS = ["Quetzalcoatlus", "quetzal.northropi@example.com", "Ornithocheirus", "azhdarchid surgery"];

const WORKER_FIELDS = "legacyId,email,workEmail,firstName,lastName,isBusiness,startDate,status,type";
const REQUEST_FIELDS =
  "legacyId,createdAt,startAt,endAt,requestedMinutes,status,reason,workerId,timeOffPolicyId";
const POLICIES =
  "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit\nP,Leave,true,monthly,600,Leave,day\n";

/** Import files of 200 people, each with requests; with the one to remove among them, or not. */
function writeFiles(folder: string, withPerson: boolean): void {
  mkdirSync(folder, { recursive: true });
  const workers: string[] = [];
  const requests: string[] = [];
  for (let number = 0; number < 200; number++) {
    const isThePerson = number === 117;
    if (isThePerson && !withPerson) continue;
    const [first, last, email, reason] = isThePerson
      ? [MARKS[0], MARKS[2], MARKS[1], MARKS[3]]
      : [`First${number}`, `Last${number}`, `p${number}@example.com`, "holiday by the sea"];
    workers.push(`W${number},${email},${email},${first},${last},false,2024-01-01,active,employee`);
    for (let count = 0; count < 5; count++) {
      const at = `2026-0${count + 1}-02T00:00:00Z`;
      requests.push(
        `R${number}-${count},${at},${at},2026-0${count + 1}-03T00:00:00Z,480,approved,${reason},W${number},P`,
      );
    }
  }
  writeFileSync(join(folder, "workers.csv"), `${WORKER_FIELDS}\n${workers.join("\n")}\n`);
  writeFileSync(join(folder, "requests.csv"), `${REQUEST_FIELDS}\n${requests.join("\n")}\n`);
  writeFileSync(join(folder, "policies.csv"), POLICIES);
}

interface StoreFolder {
  readonly folder: string;
  run(...args: string[]): Promise<string>;
  /** The files of the store, and of the import's scratch, that hold a mark. */
  marked(): string[];
  /** The same files that hold a text. */
  holding(text: string): string[];
}

const inFilledFolder = prepared(async (folder) => {
  writeFiles(join(folder, "with"), true);
  writeFiles(join(folder, "without"), false);
  const { run } = openStoreFolder(folder);
  await run("companies", "create", "acme");
  await run("companies", "create", "other");
  await run("keys", "create", "--company", "acme", "--name", MARKS[0]!);
  await run("import", "with", "--company", "acme", "--allow-older");
  await run("import", "without", "--company", "other");
});

function withStoreFolder(work: (storeFolder: StoreFolder) => Promise<void>): Promise<void> {
  return inFilledFolder(async (folder) => {
    const storeFolder = openStoreFolder(folder);
    expect(storeFolder.marked()).toEqual(["rollcall.db", "rollcall.db-keys"]);
    await work(storeFolder);
  });
}

function openStoreFolder(folder: string): StoreFolder {
  const scratch = join(folder, "tmp");
  mkdirSync(scratch, { recursive: true });
  const allFiles = () => {
    const files = readdirSync(folder).filter((name) => name.startsWith("rollcall.db"));
    const left = readdirSync(scratch, { recursive: true }).map((name) => join("tmp", String(name)));
    return [...files, ...left].toSorted();
  };
  return {
    folder,
    async run(...args) {
      const { exitCode, stdout, stderr } = await rollcallHere(folder, args, { TMPDIR: scratch });
      if (exitCode !== 0) throw new Error(stderr);
      return stdout;
    },
    marked: () => allFiles().filter((name) => holdsAny(join(folder, name), MARKS)),
    holding: (text) => allFiles().filter((name) => holdsAny(join(folder, name), [text])),
  };
}

/** In any case of letters. In a process of its own: to close a file here would drop the locks of those who read it. */
function holdsAny(path: string, texts: readonly string[]): boolean {
  const patterns = texts.flatMap((text) => ["-e", text]);
  return Bun.spawnSync(["grep", "-qiaF", ...patterns, path]).exitCode === 0;
}

/** They hold a key's name, which is not the person's; the log does once the server wrote down a key's last use. */
const isOfKeys = (name: string) => name === "rollcall.db-keys" || name === "rollcall.db-keys-wal";

const removePerson = (storeFolder: StoreFolder) =>
  storeFolder.run("import", "without", "--company", "acme", "--prune", "--allow-older");

test("a person removed by an import", async () => {
  await withStoreFolder(async (storeFolder) => {
    await removePerson(storeFolder);
    expect(storeFolder.marked()).toEqual(["rollcall.db-keys"]); // the name of a key, which is not the person's
    await storeFolder.run("companies", "delete", "acme", "--yes");
    expect(storeFolder.marked()).toEqual([]);
  });
}, 120_000);

test("a person removed while a server reads the store all the time", async () => {
  await withStoreFolder(async (storeFolder) => {
    const apiKey = (await storeFolder.run("keys", "create", "--company", "acme", "--quiet")).trim();
    await whileServing(
      storeFolder.folder,
      ["serve", "--port", "0", "--log", "none", "--cache", "0", "--rate-limit", "0"],
      async (address) => {
        const read = () => fetch(`${address}/v1/workers?limit=100`, { headers: { "x-api-key": apiKey } });
        expect((await read()).status).toBe(200);
        let isRemoved = false;
        const readers = Array.from({ length: 8 }, async () => {
          while (!isRemoved) await (await read()).bytes();
        });
        try {
          await removePerson(storeFolder);
          expect(storeFolder.marked().filter((name) => !isOfKeys(name))).toEqual([]);
        } finally {
          isRemoved = true;
          await Promise.all(readers);
        }
        expect((await read()).status).toBe(200);
        await storeFolder.run("companies", "delete", "acme", "--yes");
        expect((await read()).status).toBe(401);
        expect(storeFolder.marked()).toEqual([]);
      },
    );
  });
}, 120_000);

test("a person whom the change feed has sent: it tells the id for as long as --keep-removals says, and nothing else", async () => {
  await withStoreFolder(async (storeFolder) => {
    const apiKey = (await storeFolder.run("keys", "create", "--company", "acme", "--quiet")).trim();
    const serve = ["serve", "--port", "0", "--log", "none", "--rate-limit", "0"];
    await whileServing(storeFolder.folder, serve, async (address) => {
      const read = async (query: string) => {
        const response = await fetch(`${address}/v1/changes?${query}`, { headers: { "x-api-key": apiKey } });
        const body = (await response.json()) as {
          data: { id: string; object: unknown }[];
          position: string;
        }; // a page
        return { status: response.status, ...body };
      };
      const sent = await read("resources=workers&limit=1000");
      const { id } = sent.data.find(({ object }) => JSON.stringify(object).includes(MARKS[0]!))!;
      const after = `resources=workers&after=${sent.position}`;
      await removePerson(storeFolder);
      const told = { resource: "workers", id, removed: true, object: null };
      expect((await read(after)).data).toEqual([told]);
      expect(storeFolder.marked().filter((name) => !isOfKeys(name))).toEqual([]);
      expect(storeFolder.holding(id)).toEqual(["rollcall.db"]);
      await storeFolder.run("import", "with", "--company", "acme", "--allow-older");
      await storeFolder.run(
        "import",
        "without",
        "--company",
        "acme",
        "--prune",
        "--keep-removals",
        "0",
        "--allow-older",
      );
      expect((await read(after)).status).toBe(410);
      expect(storeFolder.marked().filter((name) => !isOfKeys(name))).toEqual([]);
      expect(storeFolder.holding(id)).toEqual([]);
    });
    const { exitCode, stderr } = await rollcall(storeFolder.folder, [
      ...["import", "with", "--company", "acme", "--keep-removals", "soon"],
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("or 0 to keep none");
  });
}, 120_000);

test("a person removed while something reads for long is gone once an export, a backup or an import ends after it", async () => {
  await withStoreFolder(async (storeFolder) => {
    const ends = [
      ["export", "--company", "other", "--out", "export"],
      ["backup", "--out", "rollcall.backup"],
      ["import", "with", "--company", "other", "--allow-older"],
    ];
    for (const end of ends) {
      await storeFolder.run("import", "with", "--company", "acme", "--allow-older");
      const reader = new Database(join(storeFolder.folder, "rollcall.db"), { readonly: true });
      reader.run("begin");
      reader.query("select count(*) from workers").all();
      await removePerson(storeFolder);
      expect(storeFolder.marked()).not.toEqual(["rollcall.db-keys"]);
      reader.close();
      await storeFolder.run(...end);
      expect(storeFolder.marked()).toEqual(
        end[0] === "import" ? ["rollcall.db", "rollcall.db-keys"] : ["rollcall.db-keys"],
      );
    }
  });
}, 120_000);

test("what a refused import read leaves no trace", async () => {
  await withStoreFolder(async (storeFolder) => {
    await removePerson(storeFolder);
    writeFiles(join(storeFolder.folder, "bad"), true);
    const workers = join(storeFolder.folder, "bad", "workers.csv");
    writeFileSync(
      workers,
      `${readFileSync(workers, "utf8")}W999,not an address,,A,B,false,2024-01-01,active,employee\n`,
    );
    expect(storeFolder.run("import", "bad", "--company", "acme")).rejects.toThrow("nothing was imported");
    expect(storeFolder.marked()).toEqual(["rollcall.db-keys"]);
  });
}, 120_000);

test("a company deleted while something reads for long: it is said that the log keeps it until later", async () => {
  await withStoreFolder(async (storeFolder) => {
    const reader = new Database(join(storeFolder.folder, "rollcall.db"), { readonly: true });
    reader.run("begin");
    reader.query("select count(*) from workers").all();
    expect(await storeFolder.run("companies", "delete", "acme", "--yes")).toContain(
      "Some of it stays in the store's log",
    );
    reader.close();
    await storeFolder.run("export", "--company", "other", "--out", "export");
    expect(storeFolder.marked()).toEqual([]);
    expect(await storeFolder.run("companies", "delete", "other", "--yes")).toContain(
      "nothing of it is left in the store",
    );
  });
}, 120_000);

test("what a company keeps for a time only: told before, erased by the next import, and not brought back by the one after", async () => {
  await withStoreFolder(async (storeFolder) => {
    const left = join(storeFolder.folder, "left");
    writeFiles(left, true);
    const workers = readFileSync(join(left, "workers.csv"), "utf8");
    writeFileSync(
      join(left, "workers.csv"),
      workers.replaceAll(
        /^(.*?)(active|status)(.*)$/gm,
        (line, before: string, status: string, after: string) =>
          status === "status"
            ? `${line},endDate`
            : line.includes(MARKS[0]!)
              ? `${before}inactive${after},2024-02-01`
              : `${line},`,
      ),
    );
    const [reason] = [MARKS[3]!];
    const company = ["--company", "acme"];
    const accept = ["--accept", "never-assigned,same-start-date,unused-policy"];
    await storeFolder.run("import", "left", ...company, "--allow-older");
    await storeFolder.run("closes", "create", "2026-01", "--through", "2026-01-31", ...company);
    const set = (...args: string[]) => storeFolder.run("companies", "set", "acme", "--retention", ...args);
    const nightly = () =>
      storeFolder.run("import", "left", ...company, "--json", "--allow-removals", "100%", ...accept);

    expect(await set("reasons=1mo", "--dry-run")).toMatch(/requests whose reasons go +1000 /);
    expect(JSON.parse(await storeFolder.run("companies", "show", "acme", "--json")).retention).toBeNull();
    await set("reasons=1mo");
    expect(storeFolder.holding(reason)).toEqual(["rollcall.db"]);
    const dry = JSON.parse(
      await storeFolder.run("import", "left", ...company, "--dry-run", "--json", ...accept),
    );
    expect(dry.findings).toMatchObject([{ code: "erased-reasons", count: 1000 }]);
    await nightly();
    expect(storeFolder.holding(reason)).toEqual([]);

    await set("requests=1mo");
    expect(storeFolder.holding("R117-4")).toEqual(["rollcall.db"]);
    await nightly();
    expect(storeFolder.holding("R117-4")).toEqual([]);

    const told = await set("leavers=1y", "--dry-run", "--json");
    const { id } = JSON.parse(await storeFolder.run("workers", "list", ...company, "--json")).find(
      ({ lastName }: { lastName: string }) => lastName === MARKS[2],
    );
    expect(JSON.parse(told).leavers).toEqual([id]);
    await set("leavers=1y");
    expect(storeFolder.marked()).toEqual(["rollcall.db", "rollcall.db-keys"]);
    for (const findings of [[{ code: "erased-workers", count: 1, examples: [id] }], []]) {
      expect(JSON.parse(await nightly()).findings).toMatchObject(findings);
      expect(storeFolder.marked()).toEqual(["rollcall.db-keys"]);
    }
    const [close] = JSON.parse(await storeFolder.run("closes", "list", ...company, "--json"));
    // Nobody has an assignment, so nobody had a figure.
    expect(close).toMatchObject({ id: "2026-01", balances: 0, erasedWorkers: 0, erasedRequests: 1000 });
  });
}, 120_000);
