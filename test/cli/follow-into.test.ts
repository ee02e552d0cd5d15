// Property: the copy that `rollcall follow --into` keeps has, after each run, what the lists of the server have, on SQLite and on
// PostgreSQL: after a first run, changes, removals, and a company that was deleted and made again.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { RelationalCopy } from "../../src/cli/commands/remote/copy.ts";
import { type Change, type ChangePage, Rollcall } from "../../src/client/index.ts";
import { LIST_KINDS } from "../../src/resources/kinds.ts";
import { serveStore } from "../http/process.ts";
import { sharedServer } from "../support/postgres.ts";
import { randomOf } from "../support/random-rows.ts";
import { requestRow, sampleFacts, workerRow } from "../support/rows.ts";
import { addCompany, addKey, change, importGenerated, putFacts } from "../support/stores.ts";
import { type Ended, inFolder, rollcallHere, start } from "./command.ts";

setDefaultTimeout(120_000);

const DAY = "2026-12-31";

const server = await serveStore();
await addCompany(server.writer, "acme");
await importGenerated(server.writer, "acme", { workers: 15, today: "2026-03-01" });
await putFacts(server.writer, "acme", sampleFacts());
let key = await addKey(server.writer, "acme");

const postgres = await sharedServer();
await postgres.run("create database follow_into");
afterAll(() => postgres.run("drop database follow_into with (force)"));

function follow(folder: string, ...args: string[]): Promise<Ended> {
  const environment = { ROLLCALL_URL: server.address, ROLLCALL_KEY: key };
  return rollcallHere(folder, ["follow", "--once", ...args], environment);
}

async function expectCopy(address: string): Promise<void> {
  const sql = new SQL(address, { max: 1 });
  const rollcall = new Rollcall({ baseUrl: server.address, apiKey: key });
  const ids = async (table: string) =>
    (await sql`select id from ${sql(table)} order by id`).map(({ id }: { id: string }) => id);
  for (const kind of LIST_KINDS) {
    const call = kind.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as "workers"; // or another list
    expect([kind, await ids(kind)]).toEqual([
      kind,
      (await rollcall[call].list().toArray()).map(({ id }) => id).sort(),
    ]);
  }
  const workers = await rollcall.workers.list().toArray();
  expect(
    Array.from(
      await sql`select id, display_name, cast(start_date as text) as starts, department_id, manager_id, is_business from workers order by id`,
    ),
  ).toEqual(
    workers
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map((worker) => ({
        id: worker.id,
        display_name: worker.displayName,
        starts: worker.startDate,
        department_id: worker.department?.id ?? null,
        manager_id: worker.managerId,
        is_business: address.startsWith("sqlite") ? Number(worker.isBusiness) : worker.isBusiness,
      })),
  );
  const balances = await rollcall.balances.list({ endDate: DAY }).toArray();
  const [sum] = await sql`select count(*) as count, sum(available) as minutes from balances`;
  expect(Number(sum.count)).toBe(balances.length);
  expect(sum.minutes).toBeCloseTo(balances.reduce((minutes, { available }) => minutes + available, 0));
  const [{ rules }] = await sql`select rules from policies order by id limit 1`;
  const [policy] = await rollcall.policies.list().toArray();
  expect(typeof rules === "string" ? JSON.parse(rules) : rules).toEqual(policy!.rules);
  await sql.close();
}

test.each(["sqlite", "postgres"])("a copy on %s has what the lists have", async (engine) => {
  await inFolder(async (folder) => {
    const into = engine === "sqlite" ? "copy.db" : postgres.url("follow_into");
    const address = engine === "sqlite" ? `sqlite://${join(folder, "copy.db")}` : into;
    const args = ["--into", into, "--balances", DAY];
    expect(await follow(folder, ...args)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    await expectCopy(address);
    await putFacts(server.writer, "acme", {
      requests: [requestRow(`tor_${engine}`, "wrk_bo", "top_annual")],
    });
    const leaving = Array.from({ length: 60 }, (_, at) => `wrk_in${at}`);
    const rows = leaving.map((id) => workerRow(id, { displayName: `Ottilie Vergangen ${id}` }));
    await change(server.writer, "acme", (transaction) => transaction.put("workers", rows));
    await follow(folder, ...args);
    await change(server.writer, "acme", (transaction) =>
      transaction.remove(
        "workers",
        leaving.map((id) => [id] as const),
      ),
    );
    await follow(folder, ...args);
    await expectCopy(address);
    if (engine === "sqlite")
      for (const file of readdirSync(folder))
        expect([file, readFileSync(join(folder, file), "latin1").includes("Vergangen")]).toEqual([
          file,
          false,
        ]);
    await server.writer.deleteCompany("acme");
    await addCompany(server.writer, "acme", sampleFacts());
    key = await addKey(server.writer, "acme");
    expect(await follow(folder, ...args)).toMatchObject({ exitCode: 0, stderr: "" });
    await expectCopy(address);
  });
});

test("a file of SQLite has no byte of somebody who was removed, also where its rows were moved before, by updates of others", async () => {
  await inFolder(async (folder) => {
    const file = join(folder, "copy.db");
    const copy = await RelationalCopy.open(file, ["workers"]);
    let after: string | null = null;
    const random = randomOf(1);
    const [worker] = await new Rollcall({ baseUrl: server.address, apiKey: key }).workers.list().toArray();
    const idOf = (at: number) => `wrk_${String(at).padStart(4, "0")}`;
    const apply = async (data: readonly Change[]) => {
      await copy.apply(after, { data, count: data.length, hasMore: false, position: "p1_x", asOf: null });
      after = "p1_x";
    };
    const gone = new Set<string>();
    const inFile = () => [...gone].filter((id) => readFileSync(file, "latin1").includes(id)).length;
    for (let round = 0; round < 16; round++) {
      const ids = [...new Set(Array.from({ length: 300 }, () => idOf(random(1500))))];
      await apply(
        ids.map((id) => {
          if (round > 7 && random(4) === 0) gone.add(id);
          if (gone.has(id)) return { resource: "workers", id, removed: true, object: null };
          const object = { ...worker!, id, position: "p".repeat(random(3) === 0 ? random(240) : 3) };
          return { resource: "workers", id, removed: false, object };
        }),
      );
    }
    expect(inFile()).toBeGreaterThan(0);
    await copy.erase();
    expect(inFile()).toBe(0);
    await copy.close();
  });
});

/** A place for a copy on an engine: `into`, with its SQL. */
function withPlace(engine: string, work: (into: string, sql: SQL, folder: string) => Promise<void>) {
  return inFolder(async (folder) => {
    const isPostgres = engine === "postgres";
    if (isPostgres) await postgres.run("create database follow_place");
    const into = isPostgres ? postgres.url("follow_place") : join(folder, "copy.db");
    const sql = new SQL(isPostgres ? into : `sqlite://${into}`, { max: 1 });
    await work(into, sql, folder);
    await sql.close();
    if (isPostgres) await postgres.run("drop database follow_place with (force)");
  });
}

test.each(["sqlite", "postgres"])(
  "of two followers of a copy on %s, the one that comes late stops: its rows would replace newer ones",
  (engine) =>
    withPlace(engine, async (into, sql) => {
      const [copy, other] = [
        await RelationalCopy.open(into, ["workers"]),
        await RelationalCopy.open(into, ["workers"]),
      ];
      const [worker] = await new Rollcall({ baseUrl: server.address, apiKey: key }).workers.list().toArray();
      const page = (position: string, displayName: string) => {
        const change = {
          resource: "workers",
          id: worker!.id,
          removed: false,
          object: { ...worker!, displayName },
        };
        return { data: [change as Change], count: 1, hasMore: false, position, asOf: null };
      };
      await copy.apply(null, page("p1_a", "Ana Old"));
      await other.apply("p1_a", page("p1_b", "Ana New"));
      await expect(copy.apply("p1_a", page("p1_b", "Ana Old"))).rejects.toThrow(
        "another rollcall follow writes to this copy",
      );
      expect(await copy.position()).toBe("p1_b");
      await Promise.all([copy.close(), other.close()]);
      expect(Array.from(await sql`select display_name from workers`)).toEqual([{ display_name: "Ana New" }]);
    }),
);

test.each(["sqlite", "postgres"])(
  "tables on %s that are no copy stay as they are, such as those of a store",
  (engine) =>
    withPlace(engine, async (into, sql, folder) => {
      await sql`create table holidays (id text primary key)`;
      await sql`insert into holidays values ('mine')`;
      expect(await follow(folder, "--into", into, "--resources", "holidays")).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining("the table holidays there was not made by rollcall follow"),
      });
      expect(Array.from(await sql`select * from holidays`)).toEqual([{ id: "mine" }]);
      await expect(Promise.resolve(sql`select * from rollcall_copy`)).rejects.toThrow("rollcall_copy");
    }),
);

test("a copy waits for somebody who reads its file", async () => {
  await inFolder(async (folder) => {
    const file = join(folder, "copy.db");
    await follow(folder, "--into", "copy.db");
    const read = `
      const database = new (require("bun:sqlite").Database)(${JSON.stringify(file)});
      database.run("begin");
      console.log(database.query("select count(*) from workers").values());
      Bun.sleepSync(300);
      database.run("commit");`;
    const reader = Bun.spawn([process.execPath, "-e", read], { stdout: "pipe" });
    await reader.stdout.getReader().read(); // it reads
    await putFacts(server.writer, "acme", { workers: [workerRow("wrk_waits")] });
    expect(await follow(folder, "--into", "copy.db")).toMatchObject({ exitCode: 0, stderr: "" });
    await reader.exited;
  });
});

test("without --balances the table of balances is empty: those of an earlier run are old", async () => {
  await inFolder(async (folder) => {
    const rows = async () => {
      const sql = new SQL(`sqlite://${join(folder, "copy.db")}`);
      const [{ count }] = await sql`select count(*) as count from balances`;
      await sql.close();
      return Number(count);
    };
    await follow(folder, "--into", "copy.db", "--balances", DAY);
    expect(await rows()).toBeGreaterThan(0);
    await follow(folder, "--into", "copy.db");
    expect(await rows()).toBe(0);
  });
});

test("a follower goes on with its copy after the balances could not be read for a while", () =>
  inFolder(async (folder) => {
    let refused = 0;
    const busy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (pathname.endsWith("/balances") && refused++ === 0)
          return Response.json({ code: "timed_out", detail: "later" }, { status: 503 });
        return fetch(server.address + pathname + search, { headers: request.headers, decompress: false });
      },
    });
    const environment = { ROLLCALL_URL: String(busy.url).replace(/\/$/, ""), ROLLCALL_KEY: key };
    const child = start(folder, ["follow", "--into", "copy.db", "--balances", DAY], environment);
    const count = async () => {
      const sql = new SQL(`sqlite://${join(folder, "copy.db")}`, { readonly: true });
      const [row] = await sql`select count(*) as count from balances`.catch(() => [{ count: 0 }]);
      await sql.close();
      return Number(row.count);
    };
    while (child.exitCode === null && (await count()) === 0) await Bun.sleep(200);
    child.kill("SIGTERM");
    expect(await new Response(child.stderr).text()).not.toContain("another rollcall follow");
    expect([await child.exited, refused > 1, (await count()) > 0]).toEqual([0, true, true]);
    await busy.stop(true);
  }));

test("what cannot go with --into is refused, and so is a database that does not answer", async () => {
  await inFolder(async (folder) => {
    expect((await follow(folder, "--into", "copy.db", "--exec", "cat")).stderr).toContain(
      "leave --after, --position-file and --exec out",
    );
    expect((await follow(folder, "--balances", DAY)).stderr).toContain("--balances needs --into");
    const ofWorkers = ["--into", "copy.db", "--balances", DAY, "--resources", "workers"];
    expect((await follow(folder, ...ofWorkers)).stderr).toContain(
      "--balances needs balances among --resources",
    );
    const refused = await follow(folder, "--into", "missing/copy.db");
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toMatch(
      /--into: the database refused \(.*\)\. What was copied before stays: see to missing\/copy\.db and the free space/,
    );
  });
});

test("the example of docs/syncing.md applies a request that comes before its worker to tables with foreign keys", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/syncing.md")).text();
  const example = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].at(-1)![1]!;
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor; // which has no name of its own
  const run = new AsyncFunction("sql", "rollcall", "position", "apply", example);
  const rollcall = new Rollcall({ baseUrl: server.address, apiKey: key });
  const start = (await rollcall.changes.page({ after: "now" })).position;
  await change(server.writer, "acme", (transaction) => transaction.put("workers", [workerRow("wrk_fk")]));
  await putFacts(server.writer, "acme", { requests: [requestRow("tor_fk", "wrk_fk", "top_annual")] });
  const later = workerRow("wrk_fk", { position: "Clerk" });
  await change(server.writer, "acme", (transaction) => transaction.put("workers", [later]));
  const sql = new SQL(postgres.url("follow_into"), { max: 1 });
  await sql`create schema fk`;
  await sql`create table fk.workers (id text primary key)`;
  await sql`create table fk.requests (id text primary key, worker_id text references fk.workers deferrable initially immediate)`;
  const order: string[] = [];
  await run(
    sql,
    rollcall,
    () => start,
    async (transaction: SQL, { data }: ChangePage) => {
      for (const { resource, object } of data) {
        order.push(resource);
        if (resource === "workers" && object !== null)
          await transaction`insert into fk.workers values (${object.id})`;
        if (resource === "requests" && object !== null)
          await transaction`insert into fk.requests values (${object.id}, ${object.workerId})`;
      }
    },
  );
  expect(order.indexOf("requests")).toBeLessThan(order.indexOf("workers"));
  expect(Array.from(await sql`select worker_id from fk.requests`)).toEqual([{ worker_id: "wrk_fk" }]);
  await sql.close();
});
