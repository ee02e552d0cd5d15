// Property: every request is in exactly the time buckets that it touches, and no statement of a page scans a table.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { RequestRow } from "../../../src/resources/requests.ts";
import { placeOfStatus } from "../../../src/store/sqlite/layout/rows.ts";
import { pageStatements } from "../../../src/store/sqlite/sql.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { PageQuery } from "../../../src/store/store.ts";
import { bucketsOf } from "../../../src/store/time-buckets.ts";
import { recordStatements, statementsDuring } from "../../http/statements.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, openTestStore } from "../../support/stores.ts";
import { conditions, listed } from "../listed.ts";
import { COMPANY, fill, filters, pages } from "../request-cases.ts";

const folder = mkdtempSync(join(fastFolder(), "rollcall-request-pages-"));
const path = join(folder, "store.db");
let rows: RequestRow[];

beforeAll(async () => {
  const writer = openSqliteWriteStore(path, { create: true });
  rows = await fill(writer);
  await writer.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every request is filed once under each time bucket that it touches, and nothing else is", () => {
  const database = new Database(path, { readonly: true });
  const filed = database
    .query(
      "select s.id, span, n.id, status from request_spans s join numbers n on number = policy_id order by s.id, span",
    )
    .values();
  database.close();
  const expected = rows.flatMap(({ id, startAtMs, endAtMs, policyId, status }) =>
    bucketsOf(startAtMs, endAtMs).map((span) => [id, span, policyId, placeOfStatus(status)]),
  );
  expect(filed).toEqual(expected);
  expect(filed.length).toBeLessThan(rows.length * 2);
});

test("no statement reads a table through, and none sorts what it has read", () => {
  const database = new Database(path, { readonly: true });
  const plans = new Set<string>();
  fc.assert(
    fc.property(filters, pages, (filter, page) => {
      for (const { text, values } of pageStatements(
        "requests",
        { id: COMPANY, number: 1, policyNumber: () => 2 },
        page,
        conditions("requests", filter),
      )) {
        const steps = database.prepare(`explain query plan ${text}`).all(...values) as { detail: string }[]; // as SQLite says
        for (const { detail } of steps) {
          plans.add(detail.replace(/\d+/g, "n"));
          expect(detail).not.toMatch(/^SCAN request|TEMP B-TREE|AUTOMATIC/);
        }
      }
    }),
    { numRuns: 3000, seed: 1 },
  );
  database.close();
  expect([...plans].filter((plan) => plan.startsWith("SEARCH")).sort()).toMatchInlineSnapshot(`
    [
      "SEARCH request_spans USING COVERING INDEX request_spans_policy (company_id=? AND status=? AND policy_id=? AND span=? AND id<?)",
      "SEARCH request_spans USING COVERING INDEX request_spans_policy (company_id=? AND status=? AND policy_id=? AND span=? AND id>?)",
      "SEARCH request_spans USING COVERING INDEX request_spans_policy (company_id=? AND status=? AND policy_id=? AND span=?)",
      "SEARCH request_spans USING COVERING INDEX request_spans_policy (company_id=? AND status=? AND policy_id=? AND span>? AND span<?)",
      "SEARCH request_spans USING COVERING INDEX request_spans_policy (company_id=? AND status=?)",
      "SEARCH request_spans USING PRIMARY KEY (company_id=? AND span=? AND id<?)",
      "SEARCH request_spans USING PRIMARY KEY (company_id=? AND span=? AND id>? AND id<?)",
      "SEARCH request_spans USING PRIMARY KEY (company_id=? AND span>? AND span<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id=?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id>? AND id<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id>?)",
      "SEARCH requests USING PRIMARY KEY (company_id=?)",
    ]
  `);
}, 120_000);

test("a page takes at most two statements, or one for each time bucket of a few weeks", () => {
  const most = { "one after the other": 0, "of buckets": 0 };
  fc.assert(
    fc.property(filters, pages, (filter, page) => {
      const statements = pageStatements(
        "requests",
        { id: COMPANY, number: 1, policyNumber: () => 2 },
        page,
        conditions("requests", filter),
      );
      const way = statements[0]!.isOfBucket ? "of buckets" : "one after the other";
      most[way] = Math.max(most[way], statements.length);
      expect(new Set(statements.map(({ text }) => text)).size).toBe(
        way === "of buckets" ? 1 : statements.length,
      );
    }),
    { numRuns: 3000, seed: 1 },
  );
  expect(most["one after the other"]).toBe(2);
  expect(most["of buckets"]).toBeWithin(4, 15); // nine weeks, and of the longer buckets two, two and one
});

test("no row of a week is read that comes after the last row that the page can need", async () => {
  const store = await openTestStore();
  const stop = recordStatements();
  const ids = (prefix: string) => Array.from({ length: 40 }, (_, at) => `tor_${prefix}${at + 10}`);
  await addCompany(store.writer, "acme", {
    workers: [workerRow("wrk_1")],
    policies: [policyRow("top_1")],
    requests: [
      ...ids("a").map((id) =>
        requestRow(id, "wrk_1", "top_1", {
          startAt: "2026-02-01T00:00:00.000Z",
          endAt: "2026-04-01T00:00:00.000Z",
        }),
      ),
      ...ids("b").map((id) => requestRow(id, "wrk_1", "top_1")), // a day in March
    ],
  });
  const { reader } = store;
  const company = reader.company("acme", (await reader.version("acme"))!);
  const week = { startsBefore: Date.parse("2026-03-06"), endsOnOrAfter: Date.parse("2026-02-27") };
  const rowsOf = async (page: PageQuery) => {
    const ran = await statementsDuring(() => listed(company, "requests", page, week));
    return ran.filter(({ text, rows }) => rows > 0 && /request_spans/.test(text)).map(({ rows }) => rows);
  };
  expect(await rowsOf({ limit: 25 })).toEqual([26]);
  expect(await rowsOf({ limit: 25, after: "tor_a39" })).toEqual([10, 26]);
  expect(await rowsOf({ limit: 25, before: "tor_c" })).toEqual([26, 26]);
  stop();
  await store.dispose();
});
