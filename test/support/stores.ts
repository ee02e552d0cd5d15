// Stores for tests, and the companies and keys in them, made through the write interface.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { generateCompany } from "../../src/generate/generate.ts";
import { type KeyOptions, newKey } from "../../src/http/new-key.ts";
import { closed } from "../../src/http/routes/closes.ts";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { SCOPES } from "../../src/resources/resource.ts";
import type { HookDefinition, StoredHook } from "../../src/store/hooks.ts";
import { openPostgresReadStore } from "../../src/store/postgres/read.ts";
import { TABLE_NAMES } from "../../src/store/postgres/schema.ts";
import { openPostgresWriteStore } from "../../src/store/postgres/write.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import {
  FULL_ACCESS,
  type ImportTransaction,
  NOTHING_ERASED,
  type ReadStore,
  type StoredCalendar,
  type StoredClose,
  type StoredKey,
  type StoredSecret,
  type WriteStore,
} from "../../src/store/store.ts";
import { KINDS, type Kind, type Rows } from "../../src/store/tables.ts";
import { fastFolder } from "./fast-folder.ts";
import { sharedServer, type Template } from "./postgres.ts";
import type { Facts } from "./rows.ts";

export interface TestStore {
  readonly path: string;
  readonly writer: WriteStore;
  readonly reader: ReadStore;
  /** Closes both and removes the files. */
  dispose(): Promise<void>;
}

/** A store of the engine that `ROLLCALL_TEST_ENGINE` names: the embedded one unless it is `postgres`. */
export function openTestStore(): Promise<TestStore> {
  const engine = process.env.ROLLCALL_TEST_ENGINE ?? "sqlite";
  if (engine === "postgres") return openPostgresTestStore();
  if (engine === "sqlite") return openSqliteTestStore();
  throw new Error(`ROLLCALL_TEST_ENGINE: "${engine}" is not one of sqlite, postgres`);
}

/** A PostgreSQL store without companies. To make its tables takes ten times as long as to copy them. */
export const EMPTY_STORE: Template = {
  name: "empty_store",
  async fill(address) {
    await (await openPostgresWriteStore(address, { create: true })).close();
  },
};

/** An open store of PostgreSQL; `dispose` hands it on, empty, to the next test that asks for one. */
export interface PostgresTestStore extends TestStore {
  /** Instead of `dispose`, where the test has broken it. */
  remove(): Promise<void>;
}

const IDLE = Symbol.for("rollcall.test.postgres.idle");
const shared = globalThis as { [IDLE]?: PostgresTestStore[] };
shared[IDLE] ??= [];
const idle = shared[IDLE];

/** The sessions of a new store cost PostgreSQL ten times what it costs to empty one. */
export async function openPostgresTestStore(): Promise<PostgresTestStore> {
  return idle.pop() ?? (await newPostgresTestStore());
}

async function newPostgresTestStore(): Promise<PostgresTestStore> {
  const server = await sharedServer();
  const path = await server.createDatabase(EMPTY_STORE);
  const client = new pg.Client({ connectionString: path, lock_timeout: 10_000 });
  client.on("error", () => {}); // a test may end the sessions of its store
  await client.connect();
  const writer = await openPostgresWriteStore(path);
  const reader = await openPostgresReadStore(path);
  const store: PostgresTestStore = {
    path,
    writer,
    reader,
    async dispose() {
      // The methods are the class's: what an object has itself, the test put in their place.
      for (const one of [writer, reader])
        for (const name of Object.keys(one)) Reflect.deleteProperty(one, name);
      await client.query(EMPTY);
      await reader.ping();
      idle.push(store);
    },
    async remove() {
      await Promise.all([client.end(), reader.close(), writer.close()]);
      await server.dropDatabase(path);
    },
  };
  return store;
}

const EMPTY = TABLE_NAMES.filter((table) => table !== "rollcall_schema")
  .map((table) => `delete from ${table};`)
  .join("");

async function openSqliteTestStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-test-"));
  const path = join(folder, "rollcall.db");
  const writer = openSqliteWriteStore(path, { create: true });
  const reader = openSqliteReadStore(path);
  return {
    path,
    writer,
    reader,
    async dispose() {
      await reader.close();
      await writer.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function addCompany(writer: WriteStore, id: string, facts: Facts = {}): Promise<void> {
  await createCompany(writer, id);
  await putFacts(writer, id, facts);
}

export function createCompany(writer: WriteStore, id: string): Promise<void> {
  return writer.createCompany({ id, name: `Company ${id}`, createdAtMs: 1_772_000_000_123 });
}

/** Imports these rows, in one transaction. */
export function putFacts(writer: WriteStore, companyId: string, facts: Facts): Promise<void> {
  return change(writer, companyId, async (transaction) => {
    for (const kind of KINDS) await transaction.put(kind, facts[kind] ?? []);
  });
}

/** Closes a period with what is known now. */
export async function closePeriod(
  { reader, writer }: Pick<TestStore, "reader" | "writer">,
  companyId: string,
  name: string,
  days: Pick<StoredClose, "firstDay" | "lastDay">,
): Promise<StoredClose> {
  const { revision, atMs } = await reader.knownAt(companyId, Date.now());
  const period = { ...days, revision: revision!, atMs: atMs! }; // there were imports
  const figures = await closed(reader.company(companyId), period);
  const close = { name, ...period, ...figures, ...NOTHING_ERASED };
  await change(writer, companyId, (transaction) => transaction.putClose(close));
  return close;
}

/** An import that changes something and is committed. */
export function change<T>(
  writer: WriteStore,
  companyId: string,
  work: (transaction: ImportTransaction) => Promise<T>,
): Promise<T> {
  return writer.change(companyId, async (transaction) => ({
    result: await work(transaction),
    changed: true,
    commit: true,
  }));
}

/** All rows of a company. */
export type AllRows = { [K in Kind]: Rows[K][] };

export const noRows = () => Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as AllRows; // one entry per kind

/** Every row of a company, kind by kind, as `export` gives them. */
export async function exported(writer: WriteStore, companyId: string): Promise<AllRows> {
  const facts = noRows();
  await writer.export(companyId, async (kind, rows) => {
    (facts[kind] as unknown[]).push(...rows); // the kind's own rows, as `export` promises
  });
  return facts;
}

function makeSecret(id: string, companyId: string, name: string): StoredSecret {
  const digest = new Bun.CryptoHasher("sha256").update(id).digest("hex");
  const times = { createdAtMs: 1_772_000_000_000, expiresAtMs: null, revokedAtMs: null, lastUsedAtMs: null };
  return { id, companyId, name, digest, ...times };
}

/** A key as it is stored, with both scopes and no end. */
export function makeKey(id: string, companyId: string, change: Partial<StoredKey> = {}): StoredKey {
  return {
    ...makeSecret(id, companyId, `key ${id}`),
    scopes: ["workers:read", "time_off:read"],
    access: FULL_ACCESS,
    ...change,
  };
}

/** A calendar feed as it is stored, of everybody's approved leave and without an end. */
export function makeFeed(
  id: string,
  companyId: string,
  change: Partial<StoredCalendar> = {},
): StoredCalendar {
  return {
    ...makeSecret(id, companyId, `feed ${id}`),
    definition: { workers: [], types: [], policies: [], show: "busy", withPending: false },
    ...change,
  };
}

/** A hook as it is stored, that is told of everything, by ids. */
export function makeHook(
  id: string,
  companyId: string,
  definition: Partial<HookDefinition> = {},
): StoredHook {
  return {
    id,
    companyId,
    definition: {
      url: "http://127.0.0.1:9/hook",
      events: ["*"],
      withObjects: false,
      allowPrivate: false,
      scopes: SCOPES,
      hidesReasons: false,
      daysBefore: 7,
      allLeave: false,
      ...definition,
    },
    secret: Buffer.from(id.padEnd(24, "x")).toString("base64"),
    formerSecret: null,
    formerUntilMs: 0,
    createdAtMs: Date.parse("2026-06-01T12:00:00Z"),
    paused: null,
    sentNumber: 0,
    calendarMs: null,
    calendarKey: null,
    failures: 0,
    nextAtMs: 0,
    lastOutcome: null,
    lastAtMs: null,
  };
}

/** Makes a key and gives it in clear; `change` is what happened to it since. */
export async function addKey(
  writer: WriteStore,
  companyId: string,
  options: Partial<KeyOptions> & { readonly change?: Partial<StoredKey> } = {},
): Promise<string> {
  const { change, ...rest } = options;
  const { apiKey, stored } = newKey({ companyId, name: "test", ...rest }, Date.now());
  await writer.createSecret({ ...stored, ...change });
  return apiKey;
}

/** Makes up a company of so many workers and imports it into one that exists. The same seed gives the same company. */
export async function importGenerated(
  store: WriteStore,
  companyId: string,
  made: { readonly workers: number; readonly today: string; readonly seed?: number },
): Promise<void> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-made-"));
  try {
    await generateCompany({ outDir: folder, seed: 1, ...made });
    const { sources } = await findSources([folder], null);
    await importCompany(store, companyId, sources, {
      isDryRun: false,
      isPruning: false,
      today: 20_240,
      nowMs: 1_748_779_200_000,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
