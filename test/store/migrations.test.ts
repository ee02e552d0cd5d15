// Stores of the previous version: migrating one, or reading it for a backup, gives the rows that an import would store today.
// So the next unchanged import changes nothing.
import { expect, setDefaultTimeout, test } from "bun:test";
import { MIGRATIONS as POSTGRES } from "../../src/store/postgres/schema.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import type { Contents, WriteStore } from "../../src/store/store.ts";
import { sharedServer } from "../support/postgres.ts";
import { policyRow, requestRow, workerRow } from "../support/rows.ts";
import { exported } from "../support/stores.ts";

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

test("PostgreSQL", async () => {
  const server = await sharedServer();
  const db = await server.createDatabase();
  const name = new URL(db).pathname.slice(1);
  for (const text of POSTGRES.slice(0, 2).flat()) await server.run(text, [], name);
  await server.run("create table rollcall_schema (id integer primary key, version integer)", [], name);
  await server.run("insert into rollcall_schema values (1, 2)", [], name);
  await server.run("insert into companies values ('acme', 'Acme', 'v', 0)", [], name);
  for (const [table, values] of oldRows()) {
    const marks = values.map((_, at) => `$${at + 1}`).join(", ");
    await server.run(`insert into ${table} (${OLD_COLUMNS[table]}) values (${marks})`, values, name);
  }
  expect(await postgresStore(db).snapshot(rowsOf)).toEqual(expected);
  const store = await postgresStore(db).openWriter({ migrate: true });
  expect(await rowsOf(store)).toEqual(expected);
  await store.close();
});
