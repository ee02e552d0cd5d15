// SQL for PostgreSQL's reads: the plans of filtered pages (../plan.ts), and the facts of balances. Lists of values go as
// arrays, so a few texts, each planned once, serve lists of any length; `lateral` looks into an index once for each value.
//
// A generic plan expects every company to have the average size. Where it could read a whole large company, the text leaves only the
// index, or begins with `PLANNED_EACH_TIME`.
import sql, { empty, join, raw, type Sql, Sql as SqlText } from "sql-template-tag";
import { LISTS, type ListKind } from "../../resources/kinds.ts";
import { columnName, type Index } from "../../resources/resource.ts";
import { asKnown, type KnownDialect, pastParts } from "../history.ts";
import {
  type AccessPath,
  bucketsIn,
  type ColumnValues,
  choicesOf,
  type PolicyGroups,
  planOf,
  valuesOf,
} from "../plan.ts";
import {
  ASSIGNMENT_COLUMNS,
  adjustmentFacts,
  BY_HOURS,
  balancePage,
  type FactsRows,
  holidayFacts,
  LEAVE_COLUMNS,
  openingFacts,
  pagePosition,
  policyFacts,
  requestFacts,
  toFactsPage,
  where,
  workedHoursFacts,
  workTimeFacts,
  workTimesOf,
} from "../queries.ts";
import type { BalanceQuery, Condition, FactsPage, PageQuery, WorkTimesOf } from "../store.ts";
import type { Execute } from "../tables.ts";
import { type BucketRange, FIRST_LONG_BUCKET, startOfBucket } from "../time-buckets.ts";
import { PLANNED_EACH_TIME } from "./connection/database.ts";
import { FIRST_BUCKET, LAST_BUCKET } from "./schema.ts";

/**
 * The limits that are written into texts; the lowest that suffices is used. If a limit is a bound value, the planner expects it to be a
 * tenth of the table. Then a generic plan never seems good enough, and it plans each time, which takes as long as the page.
 */
const ROWS = [26, 101];

const leastOf = (wanted: number) => ROWS.find((rows) => rows >= wanted) ?? wanted;
/**
 * The rows of `look` for each of these ids. `look` compares a column with `wanted.id`. With `= any(…)`, the planner may read all rows that
 * it expects a company to have. With `offset 0`, it cannot.
 */
function ofEach(ids: Sql, look: Sql): Sql {
  return sql`
    select row.*
    from unnest(${ids}) as wanted(id), lateral (${look} offset 0) as row`;
}

interface Start {
  /** The columns that order the rows, after those of `wanted`. */
  readonly order: readonly string[];
  readonly isBackward: boolean;
  /** Where to begin: values of the first of those columns. The caller removes the cursor's own row. */
  readonly from: readonly (string | null | undefined)[];
  readonly rows: number;
  readonly isPast: boolean;
}

/**
 * The first rows of a company, or those with the values in `wanted`, in the order of an index of these columns. Comparing and ordering by
 * whole keys leaves the planner no other index. Otherwise, if it expects few rows, it reads and sorts all of them.
 */
function firstOf(
  selected: string,
  table: ListKind,
  companyId: string,
  columns: readonly string[],
  { order, isBackward, from, rows, isPast }: Start,
): Sql {
  const values = from.filter((value) => value != null);
  const key = ["company_id", ...columns, ...order];
  const compared = key.slice(0, 1 + columns.length + values.length).join(", ");
  const own = columns.map((column) => `wanted.${column}, `).join("");
  const filled = columns.map((column) => ` and ${column} is not null`).join(""); // the condition of some indexes
  const isHere = columns.map((column) => ` and ${column} = wanted.${column}`).join("");
  const inOrder = key.map((column) => `${column}${isBackward ? " desc" : ""}`).join(", ");
  const operator = raw(isBackward ? "<=" : ">=");
  const near = (of: string) => sql`(
      select *
      from ${raw(of)}
      where (${raw(compared)}) ${operator} (${companyId}, ${raw(own)}${join(values)})${raw(filled)}
      order by ${raw(inOrder)}
      limit ${raw(String(leastOf(rows) + 1))}
    )`;
  return sql`
    select ${raw(selected)}
    from ${isPast ? bothParts(table, near) : near(table)} as near
    where company_id = ${companyId}${raw(isHere)}`;
}

// What was known ---------------------------------------------------------------------------------------------------------

/** The rows of both parts of a list as it was, each read in order. From one selection of both, the planner would read and sort all rows. */
function bothParts(kind: ListKind, rowsOf: (table: string) => Sql): Sql {
  const { unchanged, changed } = pastParts(kind);
  return sql`(${rowsOf(unchanged)} union all ${rowsOf(changed)})`;
}

const KNOWN: KnownDialect = {
  stored: "", // a table of `with` is not known in its own selection
  bucketColumns: [
    ...["company_id", "bucket", "is_first", "id", "policy_id", "status", "start_at_ms", "end_at_ms", "doc"],
  ],
  firstBucket: FIRST_BUCKET,
  lastBucket: LAST_BUCKET,
  hasStatistics: true,
};

/** See `asKnown`. It is planned each time, because each company and revision has its own text. */
export function asKnownThen({ strings, values }: Sql, companyId: string, revision: number): Sql {
  const query = strings.reduce((text, part, at) => `${text}${VALUE}${at - 1}${VALUE}${part}`);
  const text = asKnown(query, companyId, revision, KNOWN);
  const parts = text.split(new RegExp(`${VALUE}\\d+${VALUE}`));
  return new SqlText([`${PLANNED_EACH_TIME.text}${parts[0]}`, ...parts.slice(1)], values);
}

/** Stands for a value within a text. */
const VALUE = "\u0001";

// Pages ----------------------------------------------------------------------------------------------------------------

/** The statements of a page. Run them in turn until one returns one row more than the page holds. */
export function pageStatements(
  kind: ListKind,
  companyId: string,
  page: PageQuery,
  conditions: readonly Condition[],
  isPast = false,
): Sql[] {
  const statement = new PageStatement(kind, companyId, page, conditions, isPast);
  const paths = planOf(LISTS[kind], conditions);
  // The list as it was is read in order to its end, so nothing needs to be gathered.
  if (isPast && paths[0]!.path === "bounded scan") return [statement.rendered({ path: "list" })];
  return paths.map((path) => statement.rendered(path));
}

/** The most looks into buckets in one statement. Planning and starting more costs more than gathering all rows. */
const LOOKS_MAX = 24;

class PageStatement {
  /** The condition that a row is of this company and after the cursor. */
  readonly #here: Sql;
  readonly #order: Sql;
  readonly #limit: Sql;

  constructor(
    private readonly kind: ListKind,
    private readonly companyId: string,
    private readonly page: PageQuery,
    private readonly conditions: readonly Condition[],
    private readonly isPast: boolean,
  ) {
    this.#here = sql`company_id = ${companyId}${pagePosition(page)}`;
    this.#order = raw(page.before === undefined ? "order by id" : "order by id desc");
    this.#limit = sql`limit ${page.limit + 1}`;
  }

  rendered(path: AccessPath): Sql {
    switch (path.path) {
      case "list":
        return this.#inOrder();
      case "gather":
        return this.#gather(path.index);
      case "merge":
        return this.#merge(path.ranges);
      case "bounded scan":
        return this.#boundedScan(path.rows);
      case "merge buckets":
        return this.#mergeBuckets(path.ranges, path.groups);
      case "gather buckets":
        return this.#gatherBuckets(path.ranges);
    }
  }

  #inOrder(): Sql {
    if (this.isPast) return this.#pastInOrder();
    const rows = this.#ordered(this.kind);
    if (this.conditions.length > 0) return sql`${PLANNED_EACH_TIME}${rows} ${this.#limit}`;
    const first = raw(String(leastOf(this.page.limit + 1)));
    return sql`select * from (${rows} limit ${first}) as first ${this.#order} ${this.#limit}`;
  }

  #ordered(table: string): Sql {
    return sql`
      select doc, id
      from ${raw(table)}
      where ${this.#here}${where(this.conditions)}
      ${this.#order}`;
  }

  #pastInOrder(): Sql {
    const rows = bothParts(this.kind, (table) => sql`(${this.#ordered(table)} ${this.#limit})`);
    return sql`select doc, id from ${rows} as page ${this.#order} ${this.#limit}`;
  }

  #first(columns: readonly string[]): Sql {
    const { after, before, limit } = this.page;
    const first = firstOf("doc, id", this.kind, this.companyId, columns, {
      order: ["id"],
      isBackward: before !== undefined,
      from: [after ?? before ?? ""],
      rows: limit + 1,
      isPast: this.isPast,
    });
    return sql`${first}${pagePosition(this.page)}`;
  }

  /** All rows with one of the values. */
  #gather({ columns: [column] }: Index): Sql {
    const wanted = array(valuesOf(this.conditions, column!)!, "text"); // this path needs some
    const others = this.conditions.filter(
      (condition) => condition.column !== column || condition.is !== "in",
    );
    const look = sql`
      select doc, id
      from ${raw(this.kind)}
      where ${this.#here} and ${raw(columnName(column!))} = wanted.id${where(others)}`;
    return sql`${ofEach(wanted, look)} ${this.#order} ${this.#limit}`;
  }

  /** The first rows of each range. With other conditions, another index may have far fewer rows, so PostgreSQL chooses for these values. */
  #merge(ranges: readonly ColumnValues[]): Sql {
    const columns = ranges[0]!.map(({ column }) => columnName(column)); // each condition has values
    const isCovered = ({ column, is }: Condition) => is === "in" && columns.includes(columnName(column));
    if (!this.conditions.every(isCovered)) return this.#inOrder();
    const values = columns.map((_, at) =>
      array(
        ranges.map((range) => range[at]!.value),
        "text",
      ),
    );
    return sql`
      select row.doc, row.id
      from unnest(${join(values)}) as wanted(${raw(columns.join(", "))}),
        lateral (${this.#first(columns)}) as row
      ${this.#order}
      ${this.#limit}`;
  }

  #boundedScan(rows: number): Sql {
    return sql`${PLANNED_EACH_TIME}
      select doc, id
      from (select * from requests where ${this.#here} ${this.#order} limit ${rows}) as scanned
      where true${where(this.conditions)}
      ${this.#order}
      ${this.#limit}`;
  }

  /** The first rows of each bucket, or of each group in it, merged. A request in several buckets is selected once. */
  #mergeBuckets(ranges: readonly BucketRange[], groups: PolicyGroups | null): Sql {
    const ofGroups = groups?.policyIds.flatMap((policyId) =>
      groups.statuses.map((status) => sql` and policy_id = ${policyId} and status = ${status}`),
    ) ?? [empty];
    const buckets = ranges.flatMap(bucketsIn);
    if (buckets.length * ofGroups.length > LOOKS_MAX) return this.#gatherBuckets(ranges);
    const others = this.conditions.filter(({ is }) => groups === null || is !== "in");
    const wanted = this.page.limit + 1;
    const looks = ofGroups.flatMap((ofGroup) =>
      buckets.map(
        (bucket) =>
          sql`(
            select doc, id
            from request_buckets
            where ${this.#here}${ofGroup} and bucket = ${bucket}${where(comparedIn(bucket, others))}
            ${this.#order}
            limit ${raw(String(leastOf(wanted)))})`,
      ),
    );
    return sql`
      select distinct on (id) doc, id
      from (${join(looks, " union all ")}) as looks
      ${this.#order}
      limit ${wanted}`;
  }

  /**
   * All requests that fit and touch one of the ranges, in order. Each begins within the range, or is in the range's first bucket. With
   * policies or statuses, each status of each policy is looked up in the index by policy.
   */
  #gatherBuckets(ranges: readonly BucketRange[]): Sql {
    const policyIds = valuesOf(this.conditions, "policyId");
    const statuses = valuesOf(this.conditions, "status");
    const isByPolicy = policyIds !== undefined || statuses !== undefined;
    const others = this.conditions.filter(({ is }) => !isByPolicy || is !== "in");
    const policies =
      policyIds === undefined
        ? sql`(select id from policies where company_id = ${this.companyId})`
        : sql`unnest(${array(policyIds, "text")})`;
    const wanted = array(statuses ?? choicesOf(LISTS[this.kind], "status"), "text");
    const groups = sql`${policies} as policy(id), unnest(${wanted}) as wanted(status), `;
    const ofGroup = sql` and policy_id = policy.id and status = wanted.status`;
    const columns = (["first", "last"] as const).map((end) =>
      array(
        ranges.map((range) => range[end]),
        "integer",
      ),
    );
    // With `offset 0`, each range is looked up by itself: joined, the planner may read the whole table.
    const ids = sql`
      select looked.id
      from ${isByPolicy ? groups : empty}unnest(${join(columns)}) as range(first, last),
        lateral (
          select id
          from request_buckets
          where ${this.#here}${isByPolicy ? ofGroup : empty}
            and bucket between range.first and range.last
            and (is_first or bucket = range.first)${where(others)}
          offset 0
        ) as looked
      ${this.#order}
      ${this.#limit}`;
    const rows = sql`
      select doc, id
      from requests
      where company_id = ${this.companyId} and id = wanted.id`;
    return sql`${ofEach(sql`array(${ids})`, rows)} ${this.#order}`;
  }
}

/**
 * The conditions to compare within a bucket. All requests in a week start before it ends, and end after it begins. So a week within the
 * filtered time needs no comparison, and its first and last week need one. Longer buckets have few requests: they compare
 * all conditions, so that statements have few texts.
 */
function comparedIn(bucket: number, conditions: readonly Condition[]): readonly Condition[] {
  if (bucket >= FIRST_LONG_BUCKET) return conditions;
  const [firstMs, endMs] = [startOfBucket(bucket), startOfBucket(bucket + 1)];
  return conditions.filter(({ column, is, values: [instant] }) => {
    if (column === "startAtMs" && is === "<") return Number(instant) < endMs;
    if (column === "endAtMs" && is === ">=") return Number(instant) > firstMs;
    return true;
  });
}

/** The requests of a page, as leave. `page`: a statement of `pageStatements`. */
export function leaveOfPage(companyId: string, { before }: PageQuery, page: Sql): Sql {
  const order = raw(before === undefined ? "order by id" : "order by id desc");
  const rows = sql`
    select ${raw(LEAVE_COLUMNS)}
    from requests
    where company_id = ${companyId} and id = wanted.id`;
  return sql`${ofEach(sql`array(select id from (${page}) as page)`, rows)} ${order}`;
}

/** An array in a selection, so that the planner cannot see its length, and makes one plan for all lengths. */
function array(values: readonly unknown[], type: string): Sql {
  return sql`(select ${values}::${raw(type)}[])`;
}

// Balances -------------------------------------------------------------------------------------------------------------

/** The rows of a statement as one JSON list; null if there are none. */
const listOf = (facts: Sql) => sql`(select json_agg(row) from (${facts}) as row)`;

/** The one row of `factsStatement`. A list without rows is null. */
export type FactsRow = { readonly [K in keyof FactsRows]: FactsRows[K] | null };

export function factsPageOf(row: FactsRow, query: BalanceQuery): FactsPage {
  const lists = Object.entries(row).map(([name, list]) => [name, list ?? []]);
  return toFactsPage(Object.fromEntries(lists), query);
}

/** The assignments of a page: all of each worker, the first of each policy, or the first of all. */
function assignmentsOf(
  companyId: string,
  { workerIds, policyIds, limit, ...at }: BalanceQuery,
  isPast: boolean,
): Sql {
  if (workerIds !== undefined) {
    const look = sql`
      select ${raw(ASSIGNMENT_COLUMNS)}
      from assignments
      where company_id = ${companyId} and ${OF_WORKER}`;
    return ofEach(array([...new Set(workerIds)], "text"), look);
  }
  const cursor = at.after ?? at.before;
  const from = [cursor?.workerId ?? "", cursor?.policyId];
  const start = { isBackward: at.before !== undefined, rows: limit + 1, isPast };
  const first = (columns: readonly string[], own: Pick<Start, "order" | "from">) =>
    firstOf(ASSIGNMENT_COLUMNS, "assignments", companyId, columns, { ...start, ...own });
  if (policyIds === undefined) return first([], { order: ["worker_id", "policy_id"], from });
  const look = first(["policy_id"], { order: ["worker_id"], from: from.slice(0, 1) });
  return sql`
    select row.*
    from unnest(${array([...new Set(policyIds)], "text")}) as wanted(policy_id), lateral (${look}) as row`;
}

/** The worker of each assignment, looked up by itself: joined, the planner may read all workers as they were. */
const WORKER = sql`
    cross join lateral (
      select *
      from workers
      where company_id = a.company_id and id = a.worker_id
      offset 0
    ) as w`;

/** The condition of a look in `ofEach` by worker. */
const OF_WORKER = raw("worker_id = wanted.id");

/** The work time of workers, and the holidays of their calendars. */
function workTimesWith(companyId: string, workers: Sql, withNames: boolean | undefined): Sql {
  const workTimes = ofEach(workers, workTimeFacts(companyId, OF_WORKER));
  const calendars = sql`select "calendar" from (${workTimes}) as known`;
  const holidays = holidayFacts(companyId, sql`calendar = any(array(${calendars}))`, withNames);
  return sql`
    ${listOf(workTimes)} as "workTimes",
    ${listOf(holidays)} as "holidays"`;
}

export function workTimesStatement(companyId: string, workerIds: readonly string[]): Sql {
  return sql`select ${workTimesWith(companyId, sql`${[...new Set(workerIds)]}::text[]`, true)}`;
}

export async function readWorkTimes(
  run: Execute,
  companyId: string,
  workerIds: readonly string[],
): Promise<WorkTimesOf> {
  if (workerIds.length === 0) return new Map();
  const [row] = await run<Pick<FactsRow, "workTimes" | "holidays">>(workTimesStatement(companyId, workerIds));
  return workTimesOf(row!.workTimes ?? [], row!.holidays ?? []); // one row
}

/** The facts of a page of balances in one statement, so that one snapshot and one round trip are enough. */
export function factsStatement(companyId: string, query: BalanceQuery, isPast = false): Sql {
  // An array makes PostgreSQL find the workers before it looks up their facts, so it always uses the indexes.
  const listed = sql`(select "workerId", "policyId" from page limit ${query.limit}) as listed`;
  const workers = sql`array(select distinct "workerId" from ${listed})`;
  const policies = sql`array(select distinct "policyId" from ${listed})`;
  const byHours = sql`select id from terms where terms like ${`%${BY_HOURS}%`}`;
  const withHours = sql`array(select distinct "workerId" from ${listed} where "policyId" in (${byHours}))`;
  const assigned = sql`(${assignmentsOf(companyId, query, isPast)}) as assigned`;
  const page = balancePage(companyId, query, assigned, WORKER);
  const facts = (of: Sql, look: Sql) => listOf(ofEach(of, look));
  const terms = ofEach(policies, policyFacts(companyId, raw("id = wanted.id")));
  const { withIds } = query;
  return sql`
    with page as materialized (${page}),
      terms as materialized (${terms})
    select
      (select json_agg(row) from page as row) as "assignments",
      (select json_agg(row) from terms as row) as "policies",
      ${facts(workers, requestFacts(companyId, OF_WORKER, withIds))} as "requests",
      ${facts(workers, adjustmentFacts(companyId, OF_WORKER, withIds))} as "adjustments",
      ${facts(withHours, workedHoursFacts(companyId, OF_WORKER))} as "workedHours",
      ${facts(workers, openingFacts(companyId, OF_WORKER))} as "openings",
      ${workTimesWith(companyId, workers, withIds)}`;
}
