// SQL for PostgreSQL: the plans of filtered pages (../plan.ts), and the statements that move rows of any kind, a batch at
// a time. Lists of values go as arrays, so a few texts, each planned once, serve all of them; `lateral` looks at an index
// once for each value.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { LISTS, type ListKind } from "../../resources/registry.ts";
import { type AccessPath, bucketsIn, choicesOf, planOf, trimPage, valuesOf } from "../plan.ts";
import {
  adjustmentFacts,
  balancePage,
  byWorker,
  pagePosition,
  requestFacts,
  where,
  workedHoursFacts,
} from "../queries.ts";
import type {
  AdjustmentFacts,
  AssignmentFacts,
  BalanceFacts,
  BalanceQuery,
  Condition,
  PageQuery,
  RequestFacts,
  RowKey,
} from "../store.ts";
import { columnName, type FactKind, type Rows, TABLES } from "../tables.ts";
import type { BucketRange } from "../time-buckets.ts";
import { BUCKETS } from "./schema.ts";

// Pages ----------------------------------------------------------------------------------------------------------------

/** The statements of a page, to be run in turn until one gives one row more than the page holds. */
export function pageStatements(
  kind: ListKind,
  companyId: string,
  page: PageQuery,
  conditions: readonly Condition[],
): Sql[] {
  const statement = new PageStatement(kind, companyId, page, conditions);
  return planOf(LISTS[kind], conditions).map((path) => statement.rendered(path));
}

/** Time buckets that are looked at together; the edge is the first of a range. */
interface Asked extends BucketRange {
  readonly edge: number | null;
}

const ASKED_FIELDS = ["first", "last", "edge"] as const;

interface Groups {
  /** Null for every policy of the company. */
  readonly policyIds: readonly string[] | null;
  readonly statuses: readonly string[];
}

class PageStatement {
  readonly #kind: ListKind;
  readonly #companyId: string;
  readonly #page: PageQuery;
  readonly #conditions: readonly Condition[];
  /** Of this company, and after the cursor. */
  readonly #here: Sql;
  readonly #order: Sql;
  readonly #limit: Sql;

  constructor(kind: ListKind, companyId: string, page: PageQuery, conditions: readonly Condition[]) {
    this.#kind = kind;
    this.#companyId = companyId;
    this.#page = page;
    this.#conditions = conditions;
    this.#here = sql`company_id = ${companyId}${pagePosition(page)}`;
    this.#order = raw(page.before === undefined ? "order by id" : "order by id desc");
    this.#limit = sql`limit ${page.limit + 1}`;
  }

  rendered(path: AccessPath): Sql {
    switch (path.path) {
      case "list":
      // PostgreSQL has statistics: between the list and one of its indexes, it chooses itself.
      case "gather":
      case "merge":
        return sql`select id, doc from ${raw(this.#kind)} where ${this.#here}${where(this.#conditions)} ${this.#order} ${this.#limit}`;
      case "bounded scan":
        return this.#boundedScan(path.rows);
      case "merge buckets": {
        const asked = path.ranges.flatMap((range) =>
          bucketsIn(range).map((bucket) => ({
            first: bucket,
            last: bucket,
            edge: bucket === range.first ? bucket : null,
          })),
        );
        return this.#pageOf(asked, path.groups, sql`= asked.first`, sql` ${this.#order} ${this.#limit}`);
      }
      case "gather buckets":
        return this.#gatherBuckets(path.ranges);
    }
  }

  #boundedScan(rows: number): Sql {
    const scanned = sql`select * from requests where ${this.#here} ${this.#order} limit ${rows}`;
    return sql`select id, doc from (${scanned}) as scanned where true${where(this.#conditions)} ${this.#order} ${this.#limit}`;
  }

  #gatherBuckets(ranges: readonly BucketRange[]): Sql {
    const policyIds = texts(valuesOf(this.#conditions, "policyId")) ?? null;
    const statuses = texts(valuesOf(this.#conditions, "status"));
    const isByTime = policyIds === null && statuses === undefined;
    const groups = isByTime
      ? null
      : { policyIds, statuses: statuses ?? choicesOf(LISTS[this.#kind], "status") };
    const asked = ranges.map((range) => ({ ...range, edge: range.first }));
    return this.#pageOf(asked, groups, sql`between asked.first and asked.last`, empty);
  }

  /**
   * The page among the requests that touch the buckets that are asked for; with groups, among those of each status of
   * each policy. One that touches a range begins within it, or comes from before: then the range's edge is its second
   * bucket or its third. `bound` may limit what is taken of each.
   */
  #pageOf(asked: readonly Asked[], groups: Groups | null, isAsked: Sql, bound: Sql): Sql {
    const own = this.#conditions.filter(({ is }) => groups === null || is !== "in");
    const ofGroup = groups === null ? empty : sql` and status = asked.status and policy_id = policy.id`;
    const fits = sql`${this.#here}${ofGroup}${where(own)}`;
    const takes = BUCKETS.map(({ bucket, condition }, step) => {
      const touches = sql`${raw(bucket)} ${step === 0 ? isAsked : sql`= asked.edge`}${raw(condition)}`;
      return sql`(select id from requests where ${touches} and ${fits}${bound})`;
    });
    const ids = sql`select found.id from ${this.#rowsOf(asked, groups)}, lateral (${join(takes, " union all ")}) as found ${this.#order} ${this.#limit}`;
    return sql`select row.id, row.doc from (${ids}) as wanted join requests as row on row.company_id = ${this.#companyId} and row.id = wanted.id ${raw(this.#page.before === undefined ? "order by row.id" : "order by row.id desc")}`;
  }

  #rowsOf(asked: readonly Asked[], groups: Groups | null): Sql {
    const statuses = groups === null ? [null] : [...new Set(groups.statuses)];
    const rows = statuses.flatMap((status) => asked.map((one) => ({ status, ...one })));
    const column = (field: keyof (typeof rows)[number], type: string) =>
      array(
        rows.map((row) => row[field]),
        type,
      );
    const columns = [column("status", "text"), ...ASKED_FIELDS.map((field) => column(field, "bigint"))];
    const looks = sql`unnest(${join(columns)}) as asked(status, ${raw(ASKED_FIELDS.join(", "))})`;
    if (groups === null) return looks;
    const policies =
      groups.policyIds === null
        ? sql`(select id from policies where company_id = ${this.#companyId})`
        : sql`unnest(${array(groups.policyIds, "text")})`;
    return sql`${policies} as policy(id), ${looks}`;
  }
}

function texts(values: Condition["values"] | undefined): string[] | undefined {
  return values?.map(String);
}

/** Selected, so that the planner cannot see how long it is, and finds one plan for all. */
function array(values: readonly unknown[], type: string): Sql {
  return sql`(select ${values}::${raw(type)}[])`;
}

// Balances -------------------------------------------------------------------------------------------------------------

interface OfWorker {
  readonly workerId: string;
}

/** The one row of the statement; a list without rows is null. */
export interface FactsRow {
  readonly assignments: AssignmentFacts[] | null;
  readonly requests: (RequestFacts & OfWorker)[] | null;
  readonly adjustments: (AdjustmentFacts & OfWorker)[] | null;
  readonly workedHours: ({ readonly day: number; readonly minutes: number } & OfWorker)[] | null;
}

/** The facts of a page of balances in one statement, so that one snapshot and one round trip are enough. */
export function factsStatement(companyId: string, query: BalanceQuery): Sql {
  // As an array, the workers are known before the facts are looked up, so their indexes are always used.
  const ofWorkers = sql`worker_id = any(array(select distinct "workerId" from (select "workerId" from page limit ${query.limit}) as listed))`;
  const all = (facts: Sql) => sql`(select json_agg(row) from (${facts}) as row)`;
  return sql`with page as materialized (${balancePage(companyId, query)}) select (select json_agg(row) from page as row) as "assignments", ${all(requestFacts(companyId, ofWorkers))} as "requests", ${all(adjustmentFacts(companyId, ofWorkers))} as "adjustments", ${all(workedHoursFacts(companyId, ofWorkers))} as "workedHours"`;
}

export function toBalanceFacts(row: FactsRow, query: BalanceQuery): BalanceFacts {
  const { rows, hasMore } = trimPage(row.assignments ?? [], query.limit, query.before !== undefined);
  return {
    assignments: rows,
    hasMore,
    requests: byWorker(row.requests ?? []),
    adjustments: byWorker(row.adjustments ?? []),
    workedHours: byWorker(row.workedHours ?? []),
  };
}

// Rows -----------------------------------------------------------------------------------------------------------------

const names = (fields: readonly string[], prefix = "") =>
  fields.map((field) => prefix + columnName(field)).join(", ");

/** The row's columns under the names of its fields. */
export function selection(kind: FactKind, prefix = ""): string {
  return TABLES[kind].columns.map((column) => `${prefix}${columnName(column)} as "${column}"`).join(", ");
}

/** `unnest($1::text[], …) as name(column, …)`, with one array for each field. */
function arrays(
  kind: FactKind,
  name: string,
  fields: readonly string[],
  values: readonly (readonly unknown[])[],
): Sql {
  const { types } = TABLES[kind];
  const lists = fields.map((field, index) => sql`${values[index]}::${raw(types.get(field)!)}[]`);
  return sql`unnest(${join(lists)}) as ${raw(name)}(${raw(names(fields))})`;
}

function keyArrays(kind: FactKind, keys: readonly RowKey[]): Sql {
  const { key } = TABLES[kind];
  return arrays(
    kind,
    "wanted",
    key,
    key.map((_, index) => keys.map((values) => values[index])),
  );
}

/**
 * The rows with the keys, each found as the first one at or after the key. That leaves the planner no way but the
 * primary key: the rows of an import that is not committed are in no statistics, so with a plain `=` it takes the
 * wrong index, or a scan for each batch, and the import becomes quadratic.
 */
function rowsByKeys(selected: string, kind: FactKind, companyId: string, keys: readonly RowKey[]): Sql {
  const { key } = TABLES[kind];
  const [stored, wanted, row] = ["stored.", "wanted.", "row."].map((prefix) => raw(names(key, prefix)));
  return sql`select ${raw(selected)} from ${keyArrays(kind, keys)}, lateral (select * from ${raw(kind)} as stored where stored.company_id = ${companyId} and (${stored}) >= (${wanted}) order by ${stored} limit 1) as row where (${row}) = (${wanted})`;
}

export function selectByKeys(kind: FactKind, companyId: string, keys: readonly RowKey[]): Sql {
  return rowsByKeys(selection(kind, "row."), kind, companyId, keys);
}

/** Only the keys of those rows that are stored. */
export function selectKeys(kind: FactKind, companyId: string, keys: readonly RowKey[]): Sql {
  const fields = TABLES[kind].key.map((field) => `row.${columnName(field)} as "${field}"`);
  return rowsByKeys(fields.join(", "), kind, companyId, keys);
}

/** The rows in which a column has one of the values, found by an index that begins with company and column. */
export function rowsByColumn(
  kind: FactKind,
  column: string,
  companyId: string,
  values: readonly string[],
  and = "",
): Sql {
  return sql`select ${raw(selection(kind, "row."))} from unnest(${values}::text[]) as wanted(value), lateral (select * from ${raw(kind)} as stored where stored.company_id = ${companyId} and stored.${raw(columnName(column))} = wanted.value${raw(and)} offset 0) as row`;
}

export function deleteByKeys(kind: FactKind, companyId: string, keys: readonly RowKey[]): Sql {
  const { key } = TABLES[kind];
  const isWanted =
    key.length === 1
      ? sql`${raw(columnName(key[0]!))} = any(${keys.map((values) => values[0])})`
      : sql`(${raw(names(key))}) in (select ${raw(names(key))} from ${keyArrays(kind, keys)})`;
  return sql`delete from ${raw(kind)} where company_id = ${companyId} and ${isWanted}`;
}

export function upsert<K extends FactKind>(kind: K, companyId: string, rows: readonly Rows[K][]): Sql {
  const { key, columns } = TABLES[kind];
  const values = columns.map((column) => rows.map((row) => row[column]));
  const updates = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${columnName(column)} = excluded.${columnName(column)}`);
  return sql`insert into ${raw(kind)} (company_id, ${raw(names(columns))}) select ${companyId}, ${raw(names(columns, "given."))} from ${arrays(kind, "given", columns, values)} on conflict (company_id, ${raw(names(key))}) do update set ${raw(updates.join(", "))}`;
}

/** The beginning of a COPY that takes the rows of `copyText`. */
export function copyStatement(kind: FactKind): string {
  return `copy ${kind} (company_id, ${names(TABLES[kind].columns)}) from stdin`;
}

/** The next rows in key order, after the row `last`. */
export function scanPage<K extends FactKind>(
  kind: K,
  companyId: string,
  last: Rows[K] | null,
  limit: number,
): Sql {
  const { key } = TABLES[kind];
  const after =
    last === null
      ? sql``
      : sql` and (${raw(names(key))}) > (${join(key.map((field) => last[field] as string | number))})`; // keys are texts and days
  return sql`select ${raw(selection(kind))} from ${raw(kind)} where company_id = ${companyId}${after} order by ${raw(names(key))} limit ${limit}`;
}

/** One text for a key, to find its row again. */
export function keyText(key: readonly unknown[]): string {
  return key.length === 1 ? String(key[0]) : JSON.stringify(key);
}
