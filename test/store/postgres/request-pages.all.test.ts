// Property: for any filter, PostgreSQL finds requests through an index, with one cached plan for all values.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import pg from "pg";
import type { Sql } from "sql-template-tag";
import { pageStatements } from "../../../src/store/postgres/sql.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { sharedServer } from "../../support/postgres.ts";
import { conditions } from "../listed.ts";
import { COMPANY, DAY_MS, fill, filters, pages } from "../request-cases.ts";

setDefaultTimeout(120_000);

let client: pg.Client;

beforeAll(async () => {
  const db = await (await sharedServer()).createDatabase();
  const writer = await openPostgresWriteStore(db, { create: true });
  await fill(writer);
  await writer.close();
  client = new pg.Client({ connectionString: db });
  await client.connect();
  // Of a table that is small because its rows are, reading all of it would be right.
  await client.query(
    `insert into request_buckets select 'other', n % 5000, true, 'tor_' || n, 'top_1', 'approved', n, n, '{}' from generate_series(1, 20000) as n`,
  );
  await client.query("vacuum analyze");
  await client.query("set plan_cache_mode = force_generic_plan");
});

afterAll(() => client.end());

const prepared = new Map<string, string>();

/** The steps of the plan that serves all values. */
async function steps({ text, values }: Sql): Promise<string[]> {
  let name = prepared.get(text);
  if (name === undefined) {
    name = `plan_${prepared.size}`;
    prepared.set(text, name);
    await client.query(`prepare ${name} as ${text}`);
  }
  const nulls = values.map(() => "null").join(", ");
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    `explain (costs off) execute ${name}(${nulls})`,
  );
  return rows.map((row) => row["QUERY PLAN"].trim());
}

test("no statement reads a table through", async () => {
  const indexes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(filters, pages, async (filter, page) => {
      for (const statement of pageStatements("requests", COMPANY, page, conditions("requests", filter))) {
        for (const step of await steps(statement)) {
          expect(step, statement.text).not.toMatch(/Seq Scan on request/);
          const index = /(?:Index Only Scan|Index Scan)(?: Backward)? using (request(?:s|_buckets)_\w+)/.exec(
            step,
          )?.[1];
          if (index !== undefined) indexes.add(index);
        }
      }
    }),
    { numRuns: 150, seed: 1 },
  );
  for (const by of ["time", "policy"]) expect(indexes).toContain(`request_buckets_${by}`);
});

const WEEK = { startsBefore: 18_007 * DAY_MS, endsOnOrAfter: 18_000 * DAY_MS };

const MIDWEEK = { startsBefore: 18_010 * DAY_MS, endsOnOrAfter: 18_003 * DAY_MS };
const OF_POLICY = { policyIds: ["top_1"], statuses: ["approved" as const] };

/** A week that is a bucket has nothing that does not fit. Otherwise the first bucket has requests that ended before, the second others. */
const COMPARED_OF_WEEKS = new Map([
  [WEEK, [[]]],
  [MIDWEEK, [["end"], ["start"]]],
]);

test("of who is away, and of a policy's month, only rows of time buckets are read, and none that does not fit", async () => {
  for (const [week, ofWeeks] of COMPARED_OF_WEEKS) {
    for (const [by, filter] of Object.entries({ time: week, policy: { ...week, ...OF_POLICY } })) {
      const page = { limit: 25 };
      const [statement, ...more] = pageStatements("requests", COMPANY, page, conditions("requests", filter));
      expect(more).toEqual([]);
      const all = await steps(statement!);
      const scans = all.filter((step) => step.includes(" on request"));
      const kinds = new Set(scans.map((step) => step.replace(/ on request.*/, "").replace(/^-> +/, "")));
      expect([...kinds]).toEqual([`Index Scan using request_buckets_${by}`]);
      const compared = all
        .filter((step) => step.startsWith("Index Cond"))
        .map((step) => [...step.matchAll(/(start|end)_at_ms (?:<|>=) /g)].map(([, column]) => column));
      const longer = scans.slice(ofWeeks.length).map(() => ["start", "end"]);
      expect(compared).toEqual([...ofWeeks, ...longer]);
      expect(all.filter((step) => step.startsWith("Filter"))).toEqual([]);
    }
  }
});

test("of who is away, the looks at the buckets are merged in list order: nothing is sorted", async () => {
  for (const page of [{ limit: 25 }, { limit: 100, after: "tor_5" }, { limit: 25, before: "tor_5" }]) {
    const [statement] = pageStatements("requests", COMPANY, page, conditions("requests", WEEK));
    const all = await steps(statement!);
    expect(all.some((step) => step.includes("Merge Append"))).toBe(true);
    expect(all.filter((step) => /Sort\b(?! Key)/.test(step))).toEqual([]);
  }
});

test("a few texts serve all weeks, policies and statuses", () => {
  const texts = new Set<string>();
  for (let day = 17_900; day < 18_900; day++) {
    const week = { startsBefore: (day + 7) * DAY_MS, endsOnOrAfter: day * DAY_MS };
    for (const filter of [week, { ...week, policyIds: [`top_${day % 7}`, "top_x"].slice(day % 2) }]) {
      for (const { text } of pageStatements(
        "requests",
        COMPANY,
        { limit: 25 },
        conditions("requests", filter),
      ))
        texts.add(text);
    }
  }
  // Seven days touch one week or two, one or two buckets of each of two lengths, and the one without an end.
  expect(texts.size).toBeLessThanOrEqual(2 * 3 + 2 * 3 * 2);
});
