// Property: whatever transactions begin, commit and end otherwise, a server's next look at versions finds those that the database has.
// And while nobody commits, what is asked of the database does not depend on how many companies and keys there are.
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import pg from "pg";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { ReadStore, WriteStore } from "../../../src/store/store.ts";
import { allStatementsDuring, recordStatements } from "../../http/statements.ts";
import { newServer, type Server } from "../../support/postgres.ts";
import { addCompany, createCompany, makeKey } from "../../support/stores.ts";

setDefaultTimeout(120_000);

const COMPANIES = Array.from({ length: 30 }, (_, index) => `company-${index}`);

/** Longer than what was read is used without asking. */
const UNTRUSTED_MS = 600;

let server: Server;
let db: string;
let writer: WriteStore;
let reader: ReadStore;
let administrator: pg.Client;
let stopRecording: () => void;

// A server of its own: nobody else commits.
beforeAll(async () => {
  stopRecording = recordStatements();
  server = await newServer(["autovacuum=off", "max_prepared_transactions=5"]);
  db = await server.createDatabase();
  administrator = new pg.Client({ connectionString: db });
  await administrator.connect();
  writer = await openPostgresWriteStore(db, { create: true });
  for (const company of COMPANIES) {
    await addCompany(writer, company);
    await writer.createKey(keyOf(company));
  }
});

afterAll(async () => {
  await writer.close();
  await administrator.end();
  await server.stop();
  stopRecording();
});

beforeEach(async () => {
  reader = await openPostgresReadStore(db);
});

afterEach(() => reader.close());

const keyOf = (company: string) => makeKey(`key-${company}`, company);
const version = async (company: string) => reader.version(company);
const versions = () => Promise.all(COMPANIES.map(version));
const keys = () => Promise.all(COMPANIES.map((company) => reader.key(keyOf(company).digest)));

async function storedVersions(): Promise<string[]> {
  const stored = await run<{ id: string; version: string }>("select id, version from companies");
  return COMPANIES.map((company) => stored.find(({ id }) => id === company)!.version);
}

async function run<R>(text: string): Promise<R[]> {
  return (await administrator.query(text)).rows as R[]; // the caller's own text
}

/** How many rows of companies and keys the server read. Each statement has one row at least, which proves whose it is. */
const rowsOf = (statements: readonly { readonly rows: number }[]) =>
  statements.reduce((sum, { rows }) => sum + Math.max(rows, 1) - 1, 0);

test("while nobody commits, a look at all versions is one statement without a row of any company", async () => {
  expect(await versions()).toEqual(await storedVersions());
  for (const asked of [versions, () => version(COMPANIES[0]!)]) {
    const statements = await allStatementsDuring(asked);
    expect(statements.map(({ rows }) => rows)).toEqual([1]);
  }
  await Bun.sleep(UNTRUSTED_MS);
  expect((await allStatementsDuring(versions)).map(({ rows }) => rows)).toEqual([1]);
});

test("a company that nobody asked for yet is looked up alone, one that is not there each time", async () => {
  const [first, second] = COMPANIES as [string, string];
  const stored = await storedVersions();
  await reader.version(first);
  const statements = await allStatementsDuring(async () => {
    expect(await Promise.all([first, second].map(version))).toEqual(stored.slice(0, 2));
  });
  expect(statements.map(({ rows }) => rows)).toEqual([1]);
  expect(await reader.version("later")).toBeNull();
  await createCompany(writer, "later");
  expect(await reader.version("later")).toBeString();
  await writer.deleteCompany("later");
  expect(await reader.version("later")).toBeNull();
});

test("while nobody commits, a look at a version proves all keys", async () => {
  const found = await keys();
  expect(found).toEqual(COMPANIES.map(keyOf));
  await Bun.sleep(UNTRUSTED_MS);
  await reader.version(COMPANIES[0]!);
  const statements = await allStatementsDuring(async () => {
    for (const [index, key] of (await keys()).entries()) expect(key).toBe(found[index]!);
  });
  expect(statements).toEqual([]);
});

test("once somebody has committed, keys are looked up again, though versions are looked at all the time", async () => {
  await keys();
  const [revoked, other] = COMPANIES.slice(-2) as [string, string];
  const revokedAtMs = Date.now();
  await writer.updateKey(keyOf(revoked).id, { revokedAtMs });
  const untilMs = performance.now() + UNTRUSTED_MS;
  while (performance.now() < untilMs) await reader.version(other);
  const statements = await allStatementsDuring(async () => {
    expect(await reader.key(keyOf(revoked).digest)).toEqual({ ...keyOf(revoked), revokedAtMs });
    expect(await reader.key(keyOf(other).digest)).toEqual(keyOf(other));
  });
  expect(statements).toHaveLength(2);
  await writer.updateKey(keyOf(revoked).id, { revokedAtMs: null });
});

test("a note of a key's last use leaves its object as it is", async () => {
  const found = await keys();
  await reader.touchKeys(new Map(COMPANIES.map((company) => [keyOf(company).id, 7])));
  await Bun.sleep(UNTRUSTED_MS);
  const statements = await allStatementsDuring(async () => {
    for (const [index, key] of (await keys()).entries()) expect(key).toBe(found[index]!);
  });
  expect(rowsOf(statements)).toBe(COMPANIES.length - 1); // the first row proves, too
});

test("a new session knows nothing of what the one before has read", async () => {
  await versions();
  await keys();
  await run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rollcall'");
  const statements = await allStatementsDuring(versions);
  expect(statements.map(({ rows }) => rows)).toEqual([COMPANIES.length]);
  await Bun.sleep(UNTRUSTED_MS);
  expect(rowsOf(await allStatementsDuring(keys))).toBe(COMPANIES.length - 1);
});

test("a server that lost a commit when a process crashed counts on from the same number: nothing of before is known", async () => {
  const own = await newServer(["autovacuum=off"]);
  const address = await own.createDatabase();
  const name = new URL(address).pathname.slice(1);
  const store = await openPostgresWriteStore(address, { create: true });
  await addCompany(store, "acme");
  await store.close();
  const one = async <R>(text: string) => (await own.run<R>(text, [], name))[0]!;
  // All sessions have one number, as if that of the old one came again.
  await one("create function public.pg_backend_pid() returns integer language sql as 'select 1'");
  await one(`alter database ${name} set search_path = public, pg_catalog`);
  await one(`alter database ${name} set synchronous_commit = off`);
  const state = () =>
    one("select pg_current_snapshot()::text, pg_postmaster_start_time()::text, pg_backend_pid()");
  const stored = async () => (await one<{ version: string }>("select version from companies")).version;

  const { pid } = await one<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'walwriter'",
  );
  process.kill(pid, "SIGSTOP"); // what is committed now is in memory only
  await one("update companies set version = 'lost'");
  const reads = await openPostgresReadStore(address);
  expect(await reads.version("acme")).toBe("lost");
  const before = await state();

  process.kill(pid, "SIGKILL");
  while ((await stored().catch(() => "lost")) === "lost") await Bun.sleep(20);
  await one("update companies set version = 'found'");
  expect(await state()).toEqual(before);
  expect(await reads.version("acme")).toBe("found");
  await reads.close();
  await own.stop();
});

// Each session changes companies of its own, so none waits for another.
const SESSIONS = 3;

const ACTS = {
  change: "change",
  save: "savepoint here",
  rollBackToSaved: "rollback to here",
  commit: "commit",
  rollBack: "rollback",
  prepare: "prepare transaction",
} as const;

interface Step {
  readonly session: number;
  readonly act: keyof typeof ACTS;
  readonly company: number;
  /** How many companies' versions are asked for after it. */
  readonly asked: number;
}

test("versions are those that the database has, whatever transactions begin and end", async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record<Step>({
          session: fc.nat(SESSIONS - 1),
          act: fc.constantFrom("change", "change", ...(Object.keys(ACTS) as (keyof typeof ACTS)[])),
          company: fc.nat(COMPANIES.length / SESSIONS - 1),
          asked: fc.constantFrom(0, 1, COMPANIES.length, COMPANIES.length, COMPANIES.length),
        }),
        { minLength: 20, maxLength: 40 },
      ),
      async (steps) => {
        const sessions = Array.from({ length: SESSIONS }, () => ({
          client: new pg.Client({ connectionString: db }),
          isOpen: false,
          isSaved: false,
        }));
        for (const { client } of sessions) await client.connect();
        try {
          for (const { session, act, company, asked } of steps) {
            const own = sessions[session]!;
            if (act === "change") {
              if (!own.isOpen) await own.client.query("begin");
              own.isOpen = true;
              const id = COMPANIES[company * SESSIONS + session];
              await own.client.query("update companies set version = $1 where id = $2", [
                `made-${made++}`,
                id,
              ]);
            } else if (own.isOpen && (act !== "rollBackToSaved" || own.isSaved)) {
              const name = act === "prepare" ? `'prepared-${session}'` : "";
              await own.client.query(`${ACTS[act]} ${name}`);
              if (act === "prepare") await own.client.query(`commit prepared ${name}`);
              own.isSaved = act === "save" || act === "rollBackToSaved";
              own.isOpen = own.isSaved;
            }
            const stored = await storedVersions();
            const read = await Promise.all(COMPANIES.slice(0, asked).map(version));
            expect(read).toEqual(stored.slice(0, asked));
          }
        } finally {
          for (const { client } of sessions) await client.end();
        }
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
});
