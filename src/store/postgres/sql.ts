// SQL for PostgreSQL's reads: the plans of filtered pages (../plan.ts), and the facts of balances. Lists of values go as
// arrays, so a few texts, each planned once, serve all of them; `lateral` looks at an index once for each value.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { LISTS, type ListKind } from "../../resources/kinds.ts";
import { type AccessPath, bucketsIn, choicesOf, type PolicyGroups, planOf, valuesOf } from "../plan.ts";
import {
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
  SCHEDULE_CALENDAR,
  scheduleFacts,
  where,
  workedHoursFacts,
} from "../queries.ts";
import type { BalanceQuery, Condition, PageQuery } from "../store.ts";
import type { BucketRange } from "../time-buckets.ts";
import { FIRST_LONG_BUCKET, startOfBucket } from "../time-buckets.ts";

/**
 * Numbers of rows that a text says are wanted: the least that is enough. Of a number among the values, the planner expects a tenth
 * of the table. Then no plan for all values is as good as one for these, so it plans each time: that takes as long as the page.
 */
const ROWS = [26, 101];

const leastOf = (wanted: number) => ROWS.find((rows) => rows >= wanted) ?? wanted;
const inText = (rows: number) => raw(String(rows));

/** The first rows of a selection that has an order. */
function firstOf(selection: Sql, wanted: number, order: Sql): Sql {
  return sql`select * from (${selection} limit ${inText(leastOf(wanted))}) as first ${order} limit ${wanted}`;
}

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

/** A look at a bucket is a part of the text. With more looks than these, planning and starting them costs more than to gather. */
const LOOKS_MAX = 24;

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
      case "gather":
      case "merge":
        return this.#inOrder();
      case "bounded scan":
        return this.#boundedScan(path.rows);
      case "merge buckets":
        return this.#mergeBuckets(path.ranges, path.groups);
      case "gather buckets":
        return this.#gatherBuckets(path.ranges);
    }
  }

  /** PostgreSQL has statistics: between the list and one of its indexes, it chooses itself, for the values of a filter. */
  #inOrder(): Sql {
    const rows = sql`select doc, id from ${raw(this.#kind)} where ${this.#here}${where(this.#conditions)} ${this.#order}`;
    return this.#conditions.length > 0
      ? sql`${rows} ${this.#limit}`
      : firstOf(rows, this.#page.limit + 1, this.#order);
  }

  #boundedScan(rows: number): Sql {
    const scanned = sql`select * from requests where ${this.#here} ${this.#order} limit ${rows}`;
    return sql`select doc, id from (${scanned}) as scanned where true${where(this.#conditions)} ${this.#order} ${this.#limit}`;
  }

  /** The first rows of each bucket, or of each group in it, merged. One that several buckets have is selected once. */
  #mergeBuckets(ranges: readonly BucketRange[], groups: PolicyGroups | null): Sql {
    const ofGroups = groups === null ? [empty] : groupConditions(groups);
    const buckets = ranges.flatMap(bucketsIn);
    if (buckets.length * ofGroups.length > LOOKS_MAX) return this.#gatherBuckets(ranges);
    const besides = this.#conditions.filter(({ is }) => groups === null || is !== "in");
    const wanted = this.#page.limit + 1;
    const looks = ofGroups.flatMap((ofGroup) =>
      buckets.map(
        (bucket) =>
          sql`(select doc, id from request_buckets where ${this.#here}${ofGroup} and bucket = ${bucket}${where(comparedIn(bucket, besides))} ${this.#order} limit ${inText(leastOf(wanted))})`,
      ),
    );
    const merged = sql`select distinct on (id) doc, id from (${join(looks, " union all ")}) as found ${this.#order}`;
    return firstOf(merged, wanted, this.#order);
  }

  /**
   * All that fit and touch one of the ranges, put in order. One that touches a range begins within it, or comes from before: then it is
   * found in the first bucket of the range. With policies or statuses, each status of each policy is looked up in the index by policy.
   */
  #gatherBuckets(ranges: readonly BucketRange[]): Sql {
    const policyIds = valuesOf(this.#conditions, "policyId");
    const statuses = valuesOf(this.#conditions, "status");
    const isByPolicy = policyIds !== undefined || statuses !== undefined;
    const besides = this.#conditions.filter(({ is }) => !isByPolicy || is !== "in");
    const policies =
      policyIds === undefined
        ? sql`(select id from policies where company_id = ${this.#companyId})`
        : sql`unnest(${array(policyIds, "text")})`;
    const groups = sql`${policies} as policy(id), unnest(${array(statuses ?? choicesOf(LISTS[this.#kind], "status"), "text")}) as wanted(status), `;
    const ofGroup = sql` and policy_id = policy.id and status = wanted.status`;
    const columns = (["first", "last"] as const).map((end) =>
      array(
        ranges.map((range) => range[end]),
        "integer",
      ),
    );
    // With an offset, each range is a look of its own: joined, the planner may read the whole table instead.
    const look = sql`select id from request_buckets where ${this.#here}${isByPolicy ? ofGroup : empty} and bucket between range.first and range.last and (is_first or bucket = range.first)${where(besides)} offset 0`;
    const ids = sql`select found.id from ${isByPolicy ? groups : empty}unnest(${join(columns)}) as range(first, last), lateral (${look}) as found ${this.#order} ${this.#limit}`;
    return sql`select doc, id from requests where company_id = ${this.#companyId} and id = any(array(${ids})) ${this.#order}`;
  }
}

/**
 * The conditions that are to be compared of the requests in a bucket. All of those in a week start before it ends, and end after it
 * begins. So a week that lies within the time asked for needs neither comparison, and its first and last week one. In longer buckets
 * there are few requests: they compare all, so that statements have few texts.
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

/** The requests that a statement of a page finds, as leave. */
export function leaveOfPage(companyId: string, { before }: PageQuery, page: Sql): Sql {
  const order = raw(before === undefined ? "order by id" : "order by id desc");
  return sql`select ${raw(LEAVE_COLUMNS)} from requests where company_id = ${companyId} and id = any(array(select id from (${page}) as page)) ${order}`;
}

function groupConditions({ policyIds, statuses }: PolicyGroups): Sql[] {
  return policyIds.flatMap((policyId) =>
    statuses.map((status) => sql` and policy_id = ${policyId} and status = ${status}`),
  );
}

/** Selected, so that the planner cannot see how long it is, and finds one plan for all. */
function array(values: readonly unknown[], type: string): Sql {
  return sql`(select ${values}::${raw(type)}[])`;
}

// Balances -------------------------------------------------------------------------------------------------------------

/** The rows of a statement as one JSON list; null where there are none. */
const listOf = (facts: Sql) => sql`(select json_agg(row) from (${facts}) as row)`;

/** The one row of `factsStatement`. A list without rows is null. */
export type FactsRow = { readonly [K in keyof FactsRows]: FactsRows[K] | null };

function balancesOf(companyId: string, query: BalanceQuery): Sql {
  if (query.workerIds !== undefined || query.policyIds !== undefined) return balancePage(companyId, query);
  const direction = query.before === undefined ? "" : " desc";
  const order = raw(`order by "workerId"${direction}, "policyId"${direction}`);
  const wanted = query.limit + 1;
  return firstOf(balancePage(companyId, query, { rows: inText(leastOf(wanted)) }), wanted, order);
}

/** The schedules of workers, and the holidays of their calendars. */
function schedulesWith(companyId: string, ofWorkers: Sql): Sql {
  const calendars = sql`select ${SCHEDULE_CALENDAR} from schedules where company_id = ${companyId} and ${ofWorkers}`;
  return sql`${listOf(scheduleFacts(companyId, ofWorkers))} as "schedules", ${listOf(holidayFacts(companyId, sql`calendar = any(array(${calendars}))`))} as "holidays"`;
}

export function schedulesStatement(companyId: string, workerIds: readonly string[]): Sql {
  return sql`select ${schedulesWith(companyId, sql`worker_id = any(${workerIds})`)}`;
}

/** The facts of a page of balances in one statement, so that one snapshot and one round trip are enough. */
export function factsStatement(companyId: string, query: BalanceQuery): Sql {
  // As an array, the workers are known before the facts are looked up, so their indexes are always used.
  const listed = sql`(select "workerId", "policyId" from page limit ${query.limit}) as listed`;
  const ofWorkers = sql`worker_id = any(array(select distinct "workerId" from ${listed}))`;
  const ofPage = sql`id = any(array(select distinct "policyId" from ${listed}))`;
  const byHours = sql`select id from terms where terms like ${`%${BY_HOURS}%`}`;
  const withHours = sql`worker_id = any(array(select distinct "workerId" from ${listed} where "policyId" in (${byHours})))`;
  const page = balancesOf(companyId, query);
  return sql`with page as materialized (${page}), terms as materialized (${policyFacts(companyId, ofPage)}) select (select json_agg(row) from page as row) as "assignments", (select json_agg(row) from terms as row) as "policies", ${listOf(requestFacts(companyId, ofWorkers, query.withIds))} as "requests", ${listOf(adjustmentFacts(companyId, ofWorkers, query.withIds))} as "adjustments", ${listOf(workedHoursFacts(companyId, withHours))} as "workedHours", ${listOf(openingFacts(companyId, ofWorkers))} as "openings", ${schedulesWith(companyId, ofWorkers)}`;
}
