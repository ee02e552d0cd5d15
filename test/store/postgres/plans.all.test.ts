// No plan depends on luck: whatever PostgreSQL expects of a company's size or of a filter's values, a page reads about what it shows. Each
// statement is planned for its values and for all values, on the oldest and the newest version; what its plan reads is counted.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import type { Sql } from "sql-template-tag";
import {
  type DoubtfulCode,
  doubtfulRows,
  overlappingLeave,
  spreadLeave,
} from "../../../src/import/load/doubtful-rows.ts";
import type { ListKind } from "../../../src/resources/kinds.ts";
import { PLANNED_EACH_TIME } from "../../../src/store/postgres/connection/database.ts";
import { ANALYZE } from "../../../src/store/postgres/maintenance/vacuum.ts";
import {
  asKnownThen,
  factsStatement,
  leaveOfPage,
  pageStatements,
  workTimesStatement,
} from "../../../src/store/postgres/sql.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { BalanceQuery, Condition, PageQuery } from "../../../src/store/store.ts";
import { factColumns } from "../../../src/store/tables.ts";
import { DAY_MS } from "../../../src/time/day.ts";
import { newServer, type Server } from "../../support/postgres.ts";
import { EMPTY_STORE } from "../../support/stores.ts";
import { addUnequal, LARGE, POLICIES, smallCompanies } from "./unequal.ts";

setDefaultTimeout(120_000);

const WORKERS = 3000;
const SMALL = smallCompanies(150, 20);
const VERSIONS = [15, 18] as const;
const DOUBTFUL = [
  ...["unassigned-requests", "unassigned-adjustments", "unused-policy", "two-spellings"],
  ...["opening-leave", "moved-leave", "uncovered-leave", "snapshot-leave"],
] as DoubtfulCode[]; // some of them
/** These have rows that changed after the revision that is asked for. */
const PAST_KINDS = ["workers", "assignments", "requests"] as const;
const MODES = ["force_generic_plan", "force_custom_plan"] as const;

const servers = new Map<number, { server: Server; db: string; client: pg.Client; workerIds: string[] }>();

beforeAll(async () => {
  await Promise.all(
    VERSIONS.map(async (version) => {
      const server = await newServer(["autovacuum=off"], version);
      const db = await server.createDatabase(EMPTY_STORE);
      const client = new pg.Client({ connectionString: db });
      await client.connect();
      await addUnequal(client, new Map([[LARGE, WORKERS], ...SMALL]));
      for (const kind of PAST_KINDS) {
        const columns = factColumns(kind).join(", ");
        await client.query(
          `insert into ${kind}_history (${columns}, since, until, is_there)
          select ${columns}, 0, 2, 1 from ${kind} where company_id = '${LARGE}' and substr(id, 6) < 'b'`,
        );
      }
      await client.query(ANALYZE); // all that an import does
      const { rows } = await client.query<{ id: string }>(
        `select id from workers where company_id = '${LARGE}' order by id limit 50`,
      );
      servers.set(version, { server, db, client, workerIds: rows.map(({ id }) => id) });
    }),
  );
});

afterAll(async () => {
  for (const { server, client } of servers.values()) {
    await client.end();
    await server.stop();
  }
});

interface PlanNode {
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join()}}`);
  return value === null ? "null" : pg.escapeLiteral(String(value));
}

interface Cost {
  /** Rows that were taken from tables, also to be thrown away. */
  readonly rows: number;
  readonly pages: number;
}

/** What a statement reads if it is planned in one of the ways. */
async function costOf(client: pg.Client, { text, values }: Sql, mode: (typeof MODES)[number]): Promise<Cost> {
  await client.query(`set plan_cache_mode = ${mode}`);
  await client.query(`prepare asked as ${text}`);
  const given = values.length === 0 ? "" : `(${values.map(literal).join(", ")})`;
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    `explain (analyze, buffers, timing off, format json) execute asked${given}`,
  );
  await client.query("deallocate asked");
  const root = rows[0]!["QUERY PLAN"][0].Plan;
  const scanned = (node: PlanNode): number => {
    const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
    const isTable = /^(Seq|Index|Index Only|Bitmap Heap|Bitmap Index) Scan$/.test(node["Node Type"]);
    const own = isTable ? (node["Actual Rows"] + removed) * node["Actual Loops"] : 0;
    return own + (node.Plans ?? []).reduce((sum, plan) => sum + scanned(plan), 0);
  };
  return { rows: Math.round(scanned(root)), pages: root["Shared Hit Blocks"] + root["Shared Read Blocks"] };
}

const isOf = (column: string, ...values: string[]): Condition => ({ column, is: "in", values });

/** Requests that touch these days before the summer of 2026. */
function touching(days: number): Condition[] {
  const end = 20_600 * DAY_MS;
  return [
    { column: "startAtMs", is: "<", values: [end] },
    { column: "endAtMs", is: ">=", values: [end - days * DAY_MS] },
  ];
}

const pages = (kind: ListKind, page: PageQuery, conditions: Condition[]) =>
  pageStatements(kind, LARGE, page, conditions);

const leave = (conditions: Condition[]) =>
  pages("requests", { limit: 100 }, [isOf("status", "approved"), ...conditions]).map((statement) =>
    leaveOfPage(LARGE, { limit: 100 }, statement),
  );

/** The statements of a page are run until one fills it: of each case, those that are run. */
const LISTS: Readonly<Record<string, readonly Sql[]>> = {
  workers: pages("workers", { limit: 25 }, []),
  "workers, further on": pages("workers", { limit: 100, after: "wrk_8" }, []),
  "workers, backwards": pages("workers", { limit: 25, before: "wrk_8" }, []),
  "workers of a department": pages("workers", { limit: 25 }, [isOf("departmentId", "dpt_large_0")]),
  "workers of a small department": pages("workers", { limit: 25 }, [isOf("departmentId", "dpt_large_3")]),
  "workers of two departments": pages("workers", { limit: 25, before: "wrk_8" }, [
    isOf("departmentId", "dpt_large_0", "dpt_large_3"),
  ]),
  "workers of a department who left": pages("workers", { limit: 25 }, [
    isOf("departmentId", "dpt_large_0"),
    isOf("status", "terminated"),
  ]),
  "workers of no such type": pages("workers", { limit: 25 }, [isOf("type", "contractor")]),
  "a worker by email": pages("workers", { limit: 25 }, [isOf("workEmailFolded", "7@large.example")]),
  "assignments of a policy": pages("assignments", { limit: 25 }, [isOf("policyId", POLICIES.common)]),
  "assignments of a rare policy": pages("assignments", { limit: 25 }, [isOf("policyId", POLICIES.rare)]),
  "assignments of policies": pages("assignments", { limit: 25, after: "toa_8" }, [
    isOf("policyId", POLICIES.common, POLICIES.rare),
  ]),
  "requests of a policy": pages("requests", { limit: 25 }, [isOf("policyId", POLICIES.common)]).slice(0, 1),
  "leave of a day": leave(touching(1)),
  "leave of a day, of a policy": leave([isOf("policyId", POLICIES.common), ...touching(1)]),
  "leave of a day, of a rare policy": leave([isOf("policyId", POLICIES.rare), ...touching(1)]),
  "leave of two weeks, of a rare policy": leave([isOf("policyId", POLICIES.rare), ...touching(14)]),
};

/** Those that look through at most 2,000 rows of the list, and then gather what fits. */
const GATHERED: Readonly<Record<string, readonly Sql[]>> = {
  "requests of a rare policy": pages("requests", { limit: 25 }, [isOf("policyId", POLICIES.rare)]),
  "requests of a rare policy that wait": pages("requests", { limit: 25 }, [
    isOf("policyId", POLICIES.rare),
    isOf("status", "pending"),
  ]),
  "leave of a year, of a rare policy": leave([isOf("policyId", POLICIES.rare), ...touching(365)]),
};

const BALANCES: Readonly<Record<string, BalanceQuery>> = {
  balances: { limit: 25 },
  "balances, further on": { limit: 25, after: { workerId: "wrk_8", policyId: "~" } },
  "balances of a policy": { limit: 25, policyIds: [POLICIES.common] },
  "balances of policies, backwards": {
    limit: 25,
    policyIds: [POLICIES.common, POLICIES.rare],
    before: { workerId: "wrk_8", policyId: POLICIES.common },
  },
};

const PAST: Readonly<Record<string, readonly Sql[]>> = Object.fromEntries([
  ...PAST_KINDS.map((kind) => [kind, pageStatements(kind, LARGE, { limit: 25 }, [], true)] as const),
  ["workers, backwards", pageStatements("workers", LARGE, { limit: 25, before: "wrk_8" }, [], true)],
  ["approved requests", pageStatements("requests", LARGE, { limit: 25 }, [isOf("status", "approved")], true)],
]);

/** A page of 101 rows, each of which is looked up, with what is beside it. */
const PAGE_ROWS = 500;
const SCANNED_ROWS = 2000;
/** Rows that changed since, of the 27,000 requests. They may all be read. */
const CHANGED_ROWS = 2300;
/** Assignments that changed since. Those of a policy are found among them all. */
const CHANGED_ASSIGNMENTS = 4200;
/** 26 workers have some 15 facts each. */
const FACTS_ROWS = 1000;
/** Inner pages of the indexes come to that. */
const PAGES_PER_ROW = 5;

describe.each(VERSIONS)("PostgreSQL %i", (version) => {
  async function expectFew(statement: Sql, most: number): Promise<void> {
    const isPlannedEachTime = statement.text.includes(PLANNED_EACH_TIME.text);
    for (const mode of isPlannedEachTime ? (["force_custom_plan"] as const) : MODES) {
      const { rows, pages } = await costOf(servers.get(version)!.client, statement, mode);
      const isFew = rows <= most && pages <= PAGES_PER_ROW * most;
      expect({ mode, rows, pages, isFew }).toEqual({ mode, rows, pages, isFew: true });
    }
  }

  test.each(Object.keys(LISTS))("%s", async (name) => {
    for (const statement of LISTS[name]!) await expectFew(statement, PAGE_ROWS);
  });

  test.each(Object.keys(GATHERED))("%s", async (name) => {
    for (const statement of GATHERED[name]!) await expectFew(statement, SCANNED_ROWS + PAGE_ROWS);
  });

  test.each(Object.keys(BALANCES))("%s", async (name) => {
    await expectFew(factsStatement(LARGE, BALANCES[name]!), FACTS_ROWS);
  });

  test.each(Object.keys(BALANCES))("%s, as known in the past", async (name) => {
    const query = BALANCES[name]!;
    const changedRows = (query.policyIds?.length ?? 0) * CHANGED_ASSIGNMENTS;
    const statement = asKnownThen(factsStatement(LARGE, query, true), LARGE, 1);
    await expectFew(statement, changedRows + CHANGED_ROWS + FACTS_ROWS);
  });

  test.each(Object.keys(PAST))("%s, as known in the past", async (name) => {
    for (const statement of PAST[name]!)
      await expectFew(asKnownThen(statement, LARGE, 1), CHANGED_ROWS + PAGE_ROWS);
  });

  test("what is asked of workers by id", async () => {
    const { workerIds } = servers.get(version)!;
    const few = workerIds.slice(0, 10);
    await expectFew(factsStatement(LARGE, { limit: 25, workerIds: few }), FACTS_ROWS);
    await expectFew(workTimesStatement(LARGE, few), PAGE_ROWS);
    for (const kind of ["requests", "assignments"] as const)
      for (const statement of pages(kind, { limit: 25 }, [isOf("workerId", ...few)]))
        await expectFew(statement, PAGE_ROWS);
  });

  const READ_SO_FAR = `select (select sum(seq_tup_read)::int from pg_stat_user_tables) + (select sum(idx_tup_read)::int from pg_stat_user_indexes) as rows`;

  /** The first is a database without statistics, the second has those of before the large company was loaded. */
  const STATISTICS: Readonly<Record<string, () => Promise<string>>> = {
    "no statistics": async () => {
      const { client, db } = servers.get(version)!;
      await client.query(
        "delete from pg_statistic where starelid in (select relid from pg_stat_user_tables); update pg_class set reltuples = -1, relpages = 0 where oid in (select relid from pg_stat_user_tables)",
      );
      return db;
    },
    "statistics of other companies": async () => {
      const db = await servers.get(version)!.server.createDatabase(EMPTY_STORE);
      const client = new pg.Client({ connectionString: db });
      await client.connect();
      await addUnequal(client, new Map(SMALL.slice(0, 20)));
      await client.query("vacuum analyze");
      await addUnequal(client, new Map([[LARGE, WORKERS]]));
      await client.end();
      return db;
    },
  };

  /** As of rows that are not committed. A look-up for each request would be 27,000 times. */
  test.each(Object.keys(STATISTICS))(
    "with %s, checks of a company are a few passes over its tables",
    async (name) => {
      const db = await STATISTICS[name]!();
      const client = new pg.Client({ connectionString: db });
      await client.connect();
      const { rows: counted } = await client.query<{ rows: number }>(
        "select sum(n)::int as rows from (select count(*) as n from requests union all select count(*) from assignments union all select count(*) from adjustments union all select count(*) from openings union all select count(*) from workers) as counted",
      );
      await client.query("select pg_stat_force_next_flush()");
      const readSoFar = async () => (await client.query<{ rows: number }>(READ_SO_FAR)).rows[0]!.rows;
      const before = await readSoFar();
      const writer = await openPostgresWriteStore(db);
      const overlapping = await writer.stage(LARGE, (session) =>
        session.hold(async (transaction) => {
          const names = await transaction.check(async () => {
            for (const code of DOUBTFUL) await doubtfulRows(transaction, code);
            await spreadLeave(session, 3);
            return overlappingLeave(session, transaction);
          });
          return { result: names.length, changed: false, commit: false };
        }),
      );
      await writer.close(); // what its session has read is told at its end
      const others =
        "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'rollcall'";
      while ((await client.query(others)).rowCount !== 0) await Bun.sleep(20);
      const read = (await readSoFar()) - before;
      await client.end();
      expect(overlapping).toBeGreaterThan(100);
      expect(read).toBeLessThan(2 * DOUBTFUL.length * counted[0]!.rows);
    },
  );
});
