// Stores of the previous version: migrating one, or reading it for a backup, gives the rows that an import would store today.
// So the next unchanged import changes nothing.
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { CONVERSIONS, MIGRATIONS as SQLITE } from "../../src/store/sqlite/schema.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import type { Contents, WriteStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/import-files.ts";
import { policyRow, requestRow, workerRow } from "../support/rows.ts";
import { createCompany, exported, putFacts } from "../support/stores.ts";

setDefaultTimeout(60_000);

/** Everything that JSON escapes, and some that it does not. */
const LEGACY_IDS = [
  null,
  "E1",
  'quote " back \\ slash',
  "tab\tline\nreturn\rbell\u0007\b\f",
  "Ærø 渋谷 🙂\u2028",
  "\u007f</",
];

const WORKERS = LEGACY_IDS.map((legacyId, at) => workerRow(`wrk_${at}`, { legacyId }));
const POLICIES = LEGACY_IDS.map((legacyId, at) => policyRow(`top_${at}`, { legacyId }));
const REQUESTS = LEGACY_IDS.map((legacyId, at) => requestRow(`tor_${at}`, "wrk_1", "top_1", { legacyId }));
/** More than are converted at a time. */
const MANY_REQUESTS = [
  ...REQUESTS,
  ...Array.from({ length: 2100 }, (_, at) =>
    requestRow(`tor_many_${String(at).padStart(4, "0")}`, "wrk_1", "top_1", { legacyId: `R${at}` }),
  ),
];

/** The schema's version before objects of requests were bytes. */
const TEXTS = SQLITE.findIndex((text) => text.includes("doc blob"));

/** The schema's version before time buckets had objects, and when objects of requests had their policy's id. */
const BARE_BUCKETS = SQLITE.findLastIndex((text) => text.includes("drop table request_spans"));

/** The wire object as version 2 wrote it. */
function oldDoc(doc: string): string {
  const { legacyId, department, location, managerId, ...rest } = JSON.parse(doc);
  return JSON.stringify(rest);
}

const OLD_COLUMNS = {
  workers: "company_id, id, legacy_id, status, type, start_day, doc",
  policies: "company_id, id, legacy_id, terms, doc",
  requests:
    "company_id, id, legacy_id, worker_id, policy_id, status, start_at_ms, end_at_ms, first_day, last_day, minutes, doc",
};

function oldRows(
  requests = REQUESTS,
): [table: keyof typeof OLD_COLUMNS, values: (string | number | null)[]][] {
  return [
    ...WORKERS.map(
      ({ id, legacyId, status, type, startDay, doc }) =>
        ["workers", ["acme", id, legacyId, status, type, startDay, oldDoc(doc)]] as const,
    ),
    ...POLICIES.map(
      ({ id, legacyId, terms, doc }) => ["policies", ["acme", id, legacyId, terms, oldDoc(doc)]] as const,
    ),
    ...requests.map(
      (row) =>
        [
          "requests",
          [
            "acme",
            row.id,
            row.legacyId,
            row.workerId,
            row.policyId,
            row.status,
            row.startAtMs,
            row.endAtMs,
            row.firstDay,
            row.lastDay,
            row.minutes,
            oldDoc(row.doc),
          ],
        ] as const,
    ),
  ].map(([table, values]) => [table, [...values]]);
}

const expected = { workers: WORKERS, policies: POLICIES, requests: REQUESTS };

async function rowsOf(contents: Contents) {
  const { workers, policies, requests } = await exported(contents as WriteStore, "acme"); // it exports
  return { workers, policies, requests };
}

test.each([2, TEXTS, BARE_BUCKETS])("SQLite, version %i", async (version) => {
  const path = join(temporaryFolder(), "old.db");
  const database = new Database(path, { create: true });
  database.run("pragma journal_mode = wal");
  for (const text of SQLITE.slice(0, 2)) database.run(text);
  database.run(`pragma application_id = ${0x524f4c4c}`);
  database.run("insert into companies values ('acme', 'Acme', 'v', 0)");
  for (const [table, values] of oldRows(MANY_REQUESTS)) {
    const marks = values.map(() => "?").join(", ");
    database.run(`insert into ${table} (${OLD_COLUMNS[table]}) values (${marks})`, values);
  }
  for (const [at, text] of SQLITE.slice(0, version).entries()) {
    if (at < 2) continue;
    database.run(text);
    CONVERSIONS.get(at + 1)?.(database);
  }
  database.run(`pragma user_version = ${version}`);
  database.close();
  expect(await sqliteStore(path).snapshot(rowsOf)).toEqual({ ...expected, requests: MANY_REQUESTS });
  expect(await sqliteStore(path).migrate({ name: "unused" })).toEqual({ schema: "updated", role: null });
  expect(await sqliteStore(path).migrate({ name: "unused" })).toEqual({ schema: "none", role: null });
  const migrated = new Database(path, { readonly: true });
  const forms = "select typeof(doc), hex(substr(doc, 1, 1)), count(*) from requests group by 1, 2";
  expect(migrated.query(forms).values()).toEqual([["blob", "04", MANY_REQUESTS.length]]);
  const inBuckets =
    "select count(distinct id) from request_spans s join requests r using (company_id, id, doc)";
  expect(migrated.query(inBuckets).values()).toEqual([[MANY_REQUESTS.length]]);
  expect(migrated.query("pragma integrity_check").values()).toEqual([["ok"]]);
  migrated.close();
  const store = await sqliteStore(path).openWriter({});
  expect(await rowsOf(store)).toEqual({ ...expected, requests: MANY_REQUESTS });
  await store.close();
});

test("who had opened a store before a later version migrated it neither reads nor writes it any more", async () => {
  const path = join(temporaryFolder(), "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  await putFacts(writer, "acme", { workers: WORKERS });
  const reader = openSqliteReadStore(path);
  const version = await reader.version("acme");
  const company = reader.company("acme", version!);
  const list = async () => company.list("workers", { limit: 3 }, []);
  expect((await list()).docs).toHaveLength(3);
  const end = reader.together!(); // what follows is handled together
  expect(reader.version("acme")).toBe(version);

  // An import waits until the migration ends.
  const later = new Database(path);
  later.run("begin immediate");
  const newer = "was written by a newer Rollcall";
  const waiting = putFacts(writer, "acme", { policies: POLICIES }).then(() => "stored", String);
  later.run(`pragma user_version = ${SQLITE.length + 1}`);
  later.run("commit");

  // The version was asked for before.
  const another = "was migrated by another version of Rollcall";
  await expect(list()).rejects.toThrow(another);
  end();
  await expect(list()).rejects.toThrow(another);
  await expect((async () => reader.version("acme"))()).rejects.toThrow(another);
  await expect(reader.ping()).rejects.toThrow(another);
  expect(await waiting).toContain(newer);
  await expect(createCompany(writer, "other")).rejects.toThrow(newer);
  expect(later.query("select count(*) from policies").values()).toEqual([[0]]);
  later.close();
  await reader.close();
  await writer.close();
});
