// The ways in which requests are found: all of them give what the plain definition gives, and none reads a table through.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { REQUEST_STATUSES } from "../../../src/contract/requests.ts";
import { compareIds } from "../../../src/store/conformance/facts.ts";
import { asText } from "../../../src/store/conformance/lists.ts";
import { matchesRequest, pageOf } from "../../../src/store/conformance/model.ts";
import { spansOf } from "../../../src/store/spans.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { requestStatements } from "../../../src/store/sqlite/request-pages.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { PageQuery, ReadStore, RequestFilter, WriteStore } from "../../../src/store/store.ts";
import type { RequestRow } from "../../../src/store/tables.ts";
import { fastFolder } from "../../fast-folder.ts";

const DAY_MS = 86_400_000;
const COMPANY = "acme";
/** More than a walk looks at, so that what is rare has to be gathered. */
const ROWS = 6000;

const folder = mkdtempSync(join(fastFolder(), "rollcall-request-pages-"));
const path = join(folder, "store.db");
let writer: WriteStore;
let reader: ReadStore;
let rows: RequestRow[];

let seed = 1;
const random = (below: number) => {
  seed = (Math.imul(seed, 48_271) >>> 0) % 0x7fff_ffff;
  return seed % below;
};

/** From no time at all to thirty years; some lie on the edges of weeks. */
function randomRequest(index: number): RequestRow {
  const days = [0, 1, 3, 7, 13, 14, 15, 40, 200, 224, 230, 2000, 3584, 4000, 11_000][
    Math.min(14, random(60))
  ]!;
  const startAtMs = (18_000 + random(900)) * DAY_MS + (random(3) === 0 ? 0 : random(DAY_MS));
  const id = `tor_${String((index * 7919) % ROWS).padStart(5, "0")}`;
  return {
    id,
    legacyId: null,
    doc: `{"id":"${id}"}`,
    workerId: `wrk_${random(300)}`,
    policyId: index === 17 ? "top_rare" : `top_${random(6)}`,
    status: index % 1500 === 3 ? "pending" : random(2) === 0 ? "approved" : "denied",
    startAtMs,
    endAtMs: startAtMs + days * DAY_MS,
    firstDay: 1,
    lastDay: 1,
    minutes: 1,
    timeZone: null,
  };
}

async function put(changed: readonly RequestRow[], removed: readonly string[] = []): Promise<void> {
  await writer.import(COMPANY, async (transaction) => {
    await transaction.put("requests", changed);
    await transaction.remove(
      "requests",
      removed.map((id) => [id]),
    );
    return { result: null, changed: true, commit: true };
  });
}

beforeAll(async () => {
  writer = openSqliteWriteStore(path, { create: true });
  await writer.createCompany({ id: COMPANY, name: COMPANY, createdAtMs: 0 });
  await writer.createCompany({ id: "other", name: "other", createdAtMs: 0 });
  rows = Array.from({ length: ROWS }, (_, index) => randomRequest(index));
  await put(rows);
  // What was filed anew, or removed, must be found as it is now.
  const moved = rows
    .filter((_, index) => index % 7 === 0)
    .map((row, at) => ({ ...randomRequest(at), id: row.id }));
  const gone = new Set(rows.filter((_, index) => index % 11 === 5).map((row) => row.id));
  await put(moved, [...gone]);
  const byId = new Map([...rows, ...moved].map((row) => [row.id, row]));
  rows = [...byId.values()].filter((row) => !gone.has(row.id)).sort((a, b) => compareIds(a.id, b.id));
  reader = openSqliteReadStore(path);
});

afterAll(async () => {
  await reader.close();
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const instant = maybe(
  fc.oneof(
    fc.integer({ min: 17_900, max: 19_200 }).map((day) => day * DAY_MS),
    fc.constantFrom(-3000 * DAY_MS, 40_000 * DAY_MS, 18_004 * DAY_MS - 1, 18_004 * DAY_MS + 1),
  ),
);
const filters: fc.Arbitrary<RequestFilter> = fc.record({
  workerIds: fc.option(
    fc.array(
      fc.integer({ min: 0, max: 310 }).map((one) => `wrk_${one}`),
      { minLength: 1, maxLength: 9 },
    ),
    { nil: undefined, freq: 1 },
  ),
  policyIds: maybe(fc.subarray(["top_0", "top_3", "top_5", "top_rare", "top_none"], { minLength: 1 })),
  statuses: maybe(fc.subarray([...REQUEST_STATUSES], { minLength: 1 })),
  startsBefore: instant,
  startsOnOrAfter: instant,
  endsBefore: instant,
  endsOnOrAfter: instant,
});
const cursor = fc.integer({ min: 0, max: ROWS }).map((one) => `tor_${String(one).padStart(5, "0")}`);
const pages: fc.Arbitrary<PageQuery> = fc.oneof(
  fc.record({ limit: fc.constantFrom(1, 25, 100) }),
  fc.record({ limit: fc.constantFrom(1, 25), after: cursor }),
  fc.record({ limit: fc.constantFrom(1, 25), before: cursor }),
);

test("every filter gives what its definition gives", async () => {
  await fc.assert(
    fc.asyncProperty(filters, pages, async (filter, page) => {
      const expected = pageOf(rows, page, (row) => matchesRequest(row, filter));
      expect(asText(await reader.company(COMPANY).requests(page, filter))).toEqual(expected);
    }),
    { numRuns: 1500 },
  );
}, 60_000);

test("every request is filed once under each stretch that it touches, and nothing else is", () => {
  const database = new Database(path, { readonly: true });
  const filed = database
    .query("select id, span, policy_id, status from request_spans order by id, span")
    .values();
  database.close();
  const expected = rows.flatMap(({ id, startAtMs, endAtMs, policyId, status }) =>
    spansOf(startAtMs, endAtMs).map((span) => [id, span, policyId, status]),
  );
  expect(filed).toEqual(expected);
  expect(filed.length).toBeLessThan(rows.length * 2);
});

test("who is away, week by week", async () => {
  for (let day = 17_950; day < 19_150; day += 3) {
    const filter = { startsBefore: (day + 7) * DAY_MS, endsOnOrAfter: day * DAY_MS };
    const expected = pageOf(rows, { limit: 25 }, (row) => matchesRequest(row, filter));
    expect(asText(await reader.company(COMPANY).requests({ limit: 25 }, filter))).toEqual(expected);
  }
});

test("no statement reads a table through, and none sorts what it has read", () => {
  const database = new Database(path, { readonly: true });
  const plans = new Set<string>();
  fc.assert(
    fc.property(filters, pages, (filter, page) => {
      for (const { text, values } of requestStatements(COMPANY, page, filter)) {
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
      "SEARCH request_spans USING PRIMARY KEY (company_id=? AND span=? AND id>?)",
      "SEARCH request_spans USING PRIMARY KEY (company_id=? AND span=?)",
      "SEARCH request_spans USING PRIMARY KEY (company_id=? AND span>? AND span<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id=?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id>? AND id<?)",
      "SEARCH requests USING PRIMARY KEY (company_id=? AND id>?)",
      "SEARCH requests USING PRIMARY KEY (company_id=?)",
    ]
  `);
}, 60_000);

test("at most two statements answer a request for a page", () => {
  fc.assert(
    fc.property(filters, pages, (filter, page) => {
      expect(requestStatements(COMPANY, page, filter).length).toBeLessThanOrEqual(2);
    }),
  );
});
