// SQL for PostgreSQL's reads: the plans of filtered pages (../plan.ts), and the facts of balances. Lists of values go as
// arrays, so a few texts, each planned once, serve all of them; `lateral` looks at an index once for each value.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { LISTS, type ListKind } from "../../resources/kinds.ts";
import { columnName } from "../../resources/resource.ts";
import {
  type AccessPath,
  bucketsIn,
  choicesOf,
  comparedIn,
  type PolicyGroups,
  planOf,
  trimPage,
  valuesOf,
} from "../plan.ts";
import {
  adjustmentFacts,
  BY_HOURS,
  balancePage,
  type PolicyColumns,
  pagePosition,
  policyFacts,
  requestFacts,
  where,
  workedHoursFacts,
} from "../queries.ts";
import type {
  AdjustmentColumns,
  BalanceQuery,
  Condition,
  FactsPage,
  HoursColumns,
  JoinedAssignment,
  PageQuery,
  RequestColumns,
} from "../store.ts";
import type { BucketRange } from "../time-buckets.ts";
import type { PostgresStatement } from "./connection/database.ts";

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
): PostgresStatement[] {
  const statement = new PageStatement(kind, companyId, page, conditions);
  return planOf(LISTS[kind], conditions).map((path) => statement.rendered(path));
}

/** Time buckets that are looked at together; the edge is the first of a range. */
interface Asked extends BucketRange {
  readonly edge: number | null;
}

const ASKED_FIELDS = ["first", "last", "edge"] as const;

interface Groups extends Omit<PolicyGroups, "policyIds"> {
  /** Null for every policy of the company. */
  readonly policyIds: readonly string[] | null;
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

  rendered(path: AccessPath): PostgresStatement {
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

  #mergeBuckets(ranges: readonly BucketRange[], groups: PolicyGroups | null): PostgresStatement {
    const ofGroups =
      groups?.policyIds.flatMap((policyId) => groups.statuses.map((status) => ({ policyId, status }))) ??
      null;
    const buckets = ranges.flatMap(bucketsIn);
    const looks = (ofGroups ?? [null]).flatMap((group) => buckets.map((bucket) => ({ bucket, group })));
    const rows = leastOf(this.#page.limit + 1);
    if (looks.length <= LOOKS_MAX) {
      const conditions = this.#besides(groups);
      return mergedBuckets({ companyId: this.#companyId, page: this.#page, conditions, looks, rows });
    }
    const asked = ranges.flatMap((range) =>
      bucketsIn(range).map((bucket) => ({
        first: bucket,
        last: bucket,
        edge: bucket === range.first ? bucket : null,
      })),
    );
    return this.#pageOf(asked, groups, sql`= asked.first`, sql` ${this.#order} limit ${inText(rows)}`);
  }

  #gatherBuckets(ranges: readonly BucketRange[]): Sql {
    const policyIds = texts(valuesOf(this.#conditions, "policyId")) ?? null;
    const statuses = texts(valuesOf(this.#conditions, "status"));
    const isByTime = policyIds === null && statuses === undefined;
    const groups = isByTime
      ? null
      : { policyIds, statuses: statuses ?? choicesOf(LISTS[this.#kind], "status") };
    const asked = ranges.map((range) => ({ ...range, edge: range.first }));
    // With an offset, each range is a look of its own: joined, the planner may read the whole table instead.
    return this.#pageOf(asked, groups, sql`between asked.first and asked.last`, raw(" offset 0"));
  }

  /**
   * The page among the requests that touch the buckets that are asked for; with groups, among those of each status of
   * each policy. One that touches a range begins within it, or comes from before: then it is found at the range's edge.
   * `bound` may limit what is taken of each.
   */
  #pageOf(asked: readonly Asked[], groups: Groups | null, isAsked: Sql, bound: Sql): Sql {
    const ofGroup = groups === null ? empty : sql` and status = asked.status and policy_id = policy.id`;
    const look = sql`select id from request_buckets where ${this.#here}${ofGroup} and bucket ${isAsked} and (is_first or bucket = asked.edge)${where(this.#besides(groups))}${bound}`;
    const ids = sql`select found.id from ${this.#rowsOf(asked, groups)}, lateral (${look}) as found ${this.#order} ${this.#limit}`;
    return sql`select doc, id from requests where company_id = ${this.#companyId} and id = any(array(${ids})) ${this.#order}`;
  }

  /** The conditions that groups do not cover. */
  #besides(groups: Groups | null): Condition[] {
    return this.#conditions.filter(({ is }) => groups === null || is !== "in");
  }

  #rowsOf(asked: readonly Asked[], groups: Groups | null): Sql {
    const statuses = groups === null ? [null] : [...new Set(groups.statuses)];
    const rows = statuses.flatMap((status) => asked.map((one) => ({ status, ...one })));
    const column = (field: keyof (typeof rows)[number], type: string) =>
      array(
        rows.map((row) => row[field]),
        type,
      );
    const columns = [column("status", "text"), ...ASKED_FIELDS.map((field) => column(field, "integer"))];
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

interface OfPolicy extends OfWorker {
  readonly policyId: string;
}

/** The one row of the statement; a list without rows is null. */
export interface FactsRow {
  readonly assignments: JoinedAssignment[] | null;
  readonly policies: PolicyColumns[] | null;
  readonly requests: (RequestColumns & OfPolicy)[] | null;
  readonly adjustments: (AdjustmentColumns & OfPolicy)[] | null;
  readonly workedHours: (HoursColumns & OfWorker)[] | null;
}

function balancesOf(companyId: string, query: BalanceQuery): Sql {
  if (query.workerIds !== undefined || query.policyIds !== undefined) return balancePage(companyId, query);
  const direction = query.before === undefined ? "" : " desc";
  const order = raw(`order by "workerId"${direction}, "policyId"${direction}`);
  const wanted = query.limit + 1;
  return firstOf(balancePage(companyId, query, inText(leastOf(wanted))), wanted, order);
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
  const all = (facts: Sql) => sql`(select json_agg(row) from (${facts}) as row)`;
  return sql`with page as materialized (${page}), terms as materialized (${policyFacts(companyId, ofPage)}) select (select json_agg(row) from page as row) as "assignments", (select json_agg(row) from terms as row) as "policies", ${all(requestFacts(companyId, ofWorkers, query.withIds))} as "requests", ${all(adjustmentFacts(companyId, ofWorkers, query.withIds))} as "adjustments", ${all(workedHoursFacts(companyId, withHours))} as "workedHours"`;
}

export function toFactsPage(row: FactsRow, query: BalanceQuery): FactsPage {
  const { rows, hasMore } = trimPage(row.assignments ?? [], query.limit, query.before !== undefined);
  const policies = new Map(row.policies?.map(({ id, terms }) => [id, terms]));
  const requests = byPair(row.requests ?? []);
  const adjustments = byPair(row.adjustments ?? []);
  const workedHours = Map.groupBy(row.workedHours ?? [], ({ workerId }) => workerId);
  const assignments = rows.map((assignment) => {
    const { workerId, policyId } = assignment;
    const policyTerms = policies.get(policyId)!; // each assignment has a policy
    return {
      ...assignment,
      policyTerms,
      requests: requests.get(pairOf(assignment)) ?? [],
      adjustments: adjustments.get(pairOf(assignment)) ?? [],
      workedHours: policyTerms.includes(BY_HOURS) ? (workedHours.get(workerId) ?? []) : [],
    };
  });
  return { assignments, hasMore };
}

function byPair<R extends OfPolicy>(rows: readonly R[]): Map<string, R[]> {
  return Map.groupBy(rows, pairOf);
}

/** No id has a space in it. */
function pairOf({ workerId, policyId }: OfPolicy): string {
  return `${workerId} ${policyId}`;
}

// The first requests of a few time buckets, such as those of a week: each look at one is a part of the text. A loop over values
// costs more than the looks themselves. The text depends on how many looks there are and what each compares.

/** With more of them, planning and starting them costs as much as the loop. */
const LOOKS_MAX = 24;

/** A bucket, or the requests in it of one status of one policy. */
export interface Look {
  readonly bucket: number;
  readonly group: { readonly policyId: string; readonly status: string } | null;
}

export interface MergedBuckets {
  readonly companyId: string;
  readonly page: PageQuery;
  /** What is compared of every request, besides the group of its look. */
  readonly conditions: readonly Condition[];
  readonly looks: readonly Look[];
  /** How many rows are taken: as many as the page wants, or a few more. */
  readonly rows: number;
}

/** The first requests that any of the looks finds. One that several find is selected once. */
function mergedBuckets({ companyId, page, conditions, looks, rows }: MergedBuckets): PostgresStatement {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const bound = new Map<unknown, string>();
  const bindOnce = (value: unknown) => {
    const known = bound.get(value) ?? bind(value);
    bound.set(value, known);
    return known;
  };
  const order = `order by id${page.before === undefined ? "" : " desc"}`;
  const company = `company_id = ${bind(companyId)}`;
  const cursor = page.after ?? page.before;
  const position =
    cursor === undefined ? "" : ` and id ${page.after === undefined ? "<" : ">"} ${bind(cursor)}`;
  const texts = new Map<Condition, string>();
  const textOf = (condition: Condition) => {
    const { column, is, values: compared } = condition;
    const text =
      texts.get(condition) ??
      ` and ${columnName(column)} ${is === "in" ? `= any(${bind(compared)})` : `${is} ${bind(compared[0])}`}`;
    texts.set(condition, text);
    return text;
  };
  const found = looks.map(({ bucket, group }) => {
    const ofGroup =
      group === null
        ? ""
        : ` and policy_id = ${bindOnce(group.policyId)} and status = ${bindOnce(group.status)}`;
    const fits = comparedIn(bucket, conditions).map(textOf).join("");
    return `(select doc, id from request_buckets where ${company}${ofGroup} and bucket = ${bind(bucket)}${position}${fits} ${order} limit ${rows})`;
  });
  // In list order: no more is read of a look than the page needs.
  const first = `select distinct on (id) doc, id from (${found.join(" union all ")}) as found ${order} limit ${rows}`;
  const wanted = page.limit + 1;
  const text =
    wanted === rows ? first : `select doc, id from (${first}) as first ${order} limit ${bind(wanted)}`;
  return { text, values };
}
