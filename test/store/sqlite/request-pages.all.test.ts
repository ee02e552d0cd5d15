// Property: every request is in exactly the time buckets that it touches, and no statement of a page scans a table.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { RequestRow } from "../../../src/resources/requests.ts";
import { pageStatements } from "../../../src/store/sqlite/sql.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { bucketsOf } from "../../../src/store/time-buckets.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { conditions } from "../listed.ts";
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
      `select id, bucket, policy_id, status, start_at_ms, end_at_ms
      from request_buckets
      where company_id = ?
      order by id, bucket`,
    )
    .values(COMPANY);
  database.close();
  const expected = rows.flatMap(({ id, startAtMs, endAtMs, policyId, status }) =>
    bucketsOf(startAtMs, endAtMs).map((bucket) => [id, bucket, policyId, status, startAtMs, endAtMs]),
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
        COMPANY,
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
      "SEARCH request_buckets USING COVERING INDEX request_buckets_policy (company_id=? AND status=? AND policy_id=? AND bucket=? AND id<?)",
      "SEARCH request_buckets USING COVERING INDEX request_buckets_policy (company_id=? AND status=? AND policy_id=? AND bucket=? AND id>?)",
      "SEARCH request_buckets USING COVERING INDEX request_buckets_policy (company_id=? AND status=? AND policy_id=? AND bucket=?)",
      "SEARCH request_buckets USING COVERING INDEX request_buckets_policy (company_id=? AND status=? AND policy_id=? AND bucket>? AND bucket<?)",
      "SEARCH request_buckets USING COVERING INDEX request_buckets_policy (company_id=? AND status=?)",
      "SEARCH request_buckets USING PRIMARY KEY (company_id=? AND bucket=? AND id<?)",
      "SEARCH request_buckets USING PRIMARY KEY (company_id=? AND bucket=? AND id>?)",
      "SEARCH request_buckets USING PRIMARY KEY (company_id=? AND bucket=?)",
      "SEARCH request_buckets USING PRIMARY KEY (company_id=? AND bucket>? AND bucket<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id=?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id>? AND id<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id>?)",
      "SEARCH requests USING PRIMARY KEY (company_id=?)",
    ]
  `);
}, 120_000);

test("a page takes at most two statements", () => {
  let most = 0;
  fc.assert(
    fc.property(filters, pages, (filter, page) => {
      const statements = pageStatements("requests", COMPANY, page, conditions("requests", filter));
      most = Math.max(most, statements.length);
    }),
    { numRuns: 3000, seed: 1 },
  );
  expect(most).toBe(2);
});
