// What callers ask for most is planned once: PostgreSQL plans again each time where no plan for all values seems as good.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import type { Sql } from "sql-template-tag";
import { factsStatement, pageStatements } from "../../../src/store/postgres/sql.ts";
import { sharedServer } from "../../support/postgres.ts";
import { EMPTY_STORE } from "../../support/stores.ts";

setDefaultTimeout(120_000);

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: await (await sharedServer()).createDatabase(EMPTY_STORE) });
  await client.connect();
  await client.query(
    `insert into workers (company_id, id, status, type, start_day, doc) select 'acme', 'wrk_' || n, 'active', 'employee', 0, repeat('x', 300) from generate_series(1, 5000) as n`,
  );
  await client.query(
    `insert into assignments (company_id, worker_id, policy_id, id, assigned_day, doc) select 'acme', 'wrk_' || n, 'top_1', 'toa_' || n, 0, repeat('x', 100) from generate_series(1, 5000) as n`,
  );
  await client.query("vacuum analyze");
});

afterAll(() => client.end());

let asked = 0;

/** How often a statement was planned, of so many times that it ran. */
async function timesPlanned({ text, values }: Sql, runs: number): Promise<number> {
  const name = `asked_${asked++}`;
  for (let run = 0; run < runs; run++) await client.query({ text, values: [...values], name });
  const { rows } = await client.query<{ planned: number }>(
    "select custom_plans::int as planned from pg_prepared_statements where name = $1",
    [name],
  );
  return rows[0]!.planned;
}

/** PostgreSQL makes so many plans before it thinks of one for all. */
const AT_FIRST = 5;

for (const limit of [25, 100, 7]) {
  test(`a page of ${limit} workers`, async () => {
    for (const position of [{}, { after: "wrk_2" }, { before: "wrk_3" }]) {
      const [statement] = pageStatements("workers", "acme", { limit, ...position }, []);
      expect(await timesPlanned(statement!, 12)).toBe(AT_FIRST);
    }
  });

  test(`${limit} balances`, async () => {
    const after = { workerId: "wrk_2", policyId: "~" };
    expect(await timesPlanned(factsStatement("acme", { limit, after }), 12)).toBe(AT_FIRST);
  });
}
