// Renders the plans of filtered pages (../plan.ts) for SQLite. SQLite has no statistics when it plans a statement and
// would scan the list, so each statement names its index. An equality range of an index is in list
// order, so the first rows of a few such ranges, merged, are a page.
import type { SQLQueryBindings } from "bun:sqlite";
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { type FactKind, LISTS, type ListKind } from "../../resources/kinds.ts";
import { columnName, type Index, type ListResource } from "../../resources/resource.ts";
import {
  type AccessPath,
  bucketsIn,
  type ColumnValues,
  choicesOf,
  idOf,
  LOOKED_MAX,
  type Looked,
  lookedThrough,
  type PageRow,
  type PolicyGroups,
  planOf,
  valuesOf,
} from "../plan.ts";
import { ASSIGNMENT_COLUMNS, padded } from "../queries.ts";
import type { BalanceQuery, Condition, PageQuery } from "../store.ts";
import { type BucketRange, startOfBucket } from "../time-buckets.ts";
import { isCompacted } from "./layout/documents.ts";
import { numberOf } from "./layout/numbers.ts";
import {
  ASSIGNMENT_PAIRS,
  hasNumber,
  hasPlace,
  IN_DOC,
  mintedRequestId,
  placeOfStatus,
  type StoredCompany,
} from "./layout/rows.ts";

/** A company whose pages are read. */
export interface PageCompany extends StoredCompany {
  /** The number of a policy; one that nothing has for an unknown policy. */
  readonly policyNumber: (id: string) => number;
}

export interface Statement {
  readonly text: string;
  readonly values: readonly SQLQueryBindings[];
  /**
   * Set for one of a page's time buckets: the page is the first rows of all of them. The last of its values is the last id that is
   * read: from the second bucket on, it may be the last that the page can still need.
   */
  readonly isOfBucket?: true;
}

/** The statements of a page, to be run in turn until one gives one row more than the page holds; all of its time buckets. */
export function pageStatements(
  kind: ListKind,
  company: PageCompany,
  page: PageQuery,
  conditions: readonly Condition[],
): Statement[] {
  const name = nameOfText(kind, page, conditions);
  const known = name === null ? undefined : texts.get(name);
  if (known !== undefined)
    return [{ text: known, values: pageValues(company, page).concat(conditions[0]?.values ?? []) }];
  const resource = LISTS[kind];
  const statements = planOf(resource, conditions).flatMap((path) =>
    new PageStatement(resource, company, page, conditions).rendered(path),
  );
  if (name !== null) texts.set(name, statements[0]!.text); // such a page has one statement
  return statements;
}

/** Of the most frequent pages, whose text does not depend on the values that are bound: whole lists, and what one worker has. */
const texts = new Map<string, string>();

/** Null for all other pages. */
function nameOfText(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): string | null {
  if (conditions.length > 0 && !isOfOneWorker(conditions)) return null;
  const side = page.before !== undefined ? " before" : page.after !== undefined ? " after" : "";
  return conditions.length > 0 ? `${kind} of a worker${side}` : kind + side;
}

function isOfOneWorker(conditions: readonly Condition[]): boolean {
  return (
    conditions.length === 1 && conditions[0]!.column === "workerId" && conditions[0]!.values.length === 1
  );
}

const pageValues = ({ number }: PageCompany, { limit, after, before }: PageQuery): SQLQueryBindings[] => [
  number,
  after ?? before ?? null,
  limit + 1,
];

/** Counts what was looked through for a page that ran so many of its statements; null if that is bounded. */
export function lookedStatement(
  kind: ListKind,
  company: PageCompany,
  conditions: readonly Condition[],
  page: PageQuery,
  { ran, found }: { readonly ran: number; readonly found: readonly PageRow[] },
): Statement | null {
  if (conditions.length === 0 || isOfOneWorker(conditions)) return null; // what a worker has is few
  const isFull = found.length > page.limit;
  const looked = lookedThrough(LISTS[kind], conditions, ran, isFull);
  if (looked === null) return null;
  const position = looked.isOfPage ? page : { limit: 0 };
  return new PageStatement(LISTS[kind], company, position, looked.conditions).counted(looked, found);
}

/**
 * What a page selects. The text goes to the response as it lies in the file, so it is not turned into a string. Objects that are stored
 * whole begin with their id; the others are stored without it, and those of requests without their policy's.
 */
function pageColumns(kind: string, id = "id"): string {
  const policy = kind === "requests" ? ", policy_id" : "";
  return isCompacted(kind) ? `cast(doc as blob), ${id}${policy}` : "cast(doc as blob)";
}

/** Selects of one row what a page selects. */
export const OBJECT_BY_ID = Object.fromEntries(
  Object.keys(LISTS).map((kind) => [
    kind,
    `select ${pageColumns(kind)} from ${kind} where company_id = ? and id = ?`,
  ]),
) as Readonly<Record<ListKind, string>>; // the keys of LISTS are the kinds

/** Values that the ranges of a page may name in all, each for itself. */
const MANY_NAMED = 500;

/** Up to this many entries of a status are gathered by status; more are gathered by time. */
const FEW_ENTRIES = 20_000;

/** No id comes after it. */
const LAST_ID = "\u{10ffff}";

/** Weeks in the order of how much of each lies between the instants that are asked for. */
function mostAskedFor(weeks: number[], conditions: readonly Condition[]): number[] {
  const bounds = (wanted: Condition["is"]) =>
    conditions.flatMap(({ is, values }) => (is === wanted ? [Number(values[0])] : []));
  const fromMs = Math.max(...bounds(">="));
  const toMs = Math.min(...bounds("<"));
  const shareMs = (week: number) =>
    Math.min(toMs, startOfBucket(week + 1)) - Math.max(fromMs, startOfBucket(week));
  return weeks.sort((a, b) => shareMs(b) - shareMs(a));
}

/** Before the start of every request. */
const LONG_AGO_MS = Number.MIN_SAFE_INTEGER;

/** The object of an entry of a time bucket. Weeks after its first have not a request's object: its row is read for that. */
const objectOf = (id: string) =>
  `coalesce(doc, (select doc from requests where company_id = ?1 and id = ${id}))`;

const BUCKETS_BY_POLICY = "request_spans indexed by request_spans_policy";

/** One statement in the making: `?1` is the company's number, `?2` the position, `?3` one more than the page holds. */
class PageStatement {
  readonly #resource: ListResource;
  readonly #company: PageCompany;
  readonly #conditions: readonly Condition[];
  readonly #values: SQLQueryBindings[];
  readonly #isBackward: boolean;
  /** That a row lies after the cursor; empty without one. */
  readonly #position: string;
  /** The same, written so that SQLite does not look for an index that begins with the id. */
  readonly #plainPosition: string;
  /** List order, or its reverse. */
  readonly #order: string;

  constructor(
    resource: ListResource,
    company: PageCompany,
    page: PageQuery,
    conditions: readonly Condition[],
  ) {
    const { after, before } = page;
    this.#resource = resource;
    this.#conditions = conditions;
    this.#company = company;
    this.#values = pageValues(company, page);
    this.#isBackward = before !== undefined;
    const hasCursor = after !== undefined || before !== undefined;
    const isPast = `id ${this.#isBackward ? "<" : ">"} ?2`;
    this.#position = hasCursor ? ` and ${isPast}` : "";
    this.#plainPosition = hasCursor ? ` and +${isPast}` : "";
    this.#order = `order by id${this.#isBackward ? " desc" : ""}`;
  }

  rendered(path: AccessPath): Statement[] {
    if (path.path === "merge buckets" && path.groups === null) return this.#bucketByBucket(path.ranges);
    return [{ text: this.#text(path), values: this.#values }];
  }

  /** How many rows there are, up to `LOOKED_MAX`. Few entries of a status are not counted: see `#gatherBuckets`. */
  counted({ index, ranges, isOfPage }: Looked, found: readonly PageRow[]): Statement {
    const isOfPolicies = valuesOf(this.#conditions, "policyId") !== undefined;
    const statuses = valuesOf(this.#conditions, "status");
    let rows: string;
    if (ranges === null) {
      const { kind } = this.#resource;
      const last = isOfPage
        ? ` and id ${this.#isBackward ? ">=" : "<="} ${this.#bind(idOf(found.at(-1)!))}`
        : "";
      const source = index === null ? kind : sourceOf(kind, index);
      rows = `select 1 from ${source} where company_id = ?1${this.#where()}${isOfPage ? this.#position : ""}${last}`;
    } else if (isOfPolicies) {
      const anyStatus =
        statuses === undefined ? this.#anyOf("status", choicesOf(this.#resource, "status")) : "";
      rows = this.#inBuckets(BUCKETS_BY_POLICY, ranges, this.#where() + anyStatus);
    } else {
      const isMany = statuses === undefined ? "" : ` and not ${this.#isFew(this.#ofStatus(statuses))}`;
      rows = this.#inBuckets("request_spans not indexed", ranges, isMany);
    }
    const text = `select count(*), ?2, ?3 from (${rows} limit ${LOOKED_MAX})`; // every value must be used
    return { text, values: this.#values };
  }

  #inBuckets(source: string, ranges: readonly BucketRange[], where: string): string {
    return ranges
      .map(({ first, last }) => {
        const [from, to] = [this.#bind(first), this.#bind(last)];
        return `select 1 from ${source} where company_id = ?1 and span between ${from} and ${to}${where}`;
      })
      .join(" union all ");
  }

  #text(path: AccessPath): string {
    switch (path.path) {
      case "list":
        return this.#pageFrom(this.#resource.kind, this.#where());
      case "gather":
        return this.#gather(path.index);
      case "merge":
        return this.#merge(path.index, path.ranges);
      case "bounded scan":
        return this.#boundedScan(path.rows);
      case "merge buckets":
        return this.#mergeGroups(path.ranges, path.groups!); // the others are read bucket by bucket
      case "gather buckets":
        return this.#gatherBuckets(path.ranges);
    }
  }

  #gather(index: Index): string {
    const { kind } = this.#resource;
    if (kind === "requests" && index.columns[0] === "legacyId") return this.#gatherLegacyIds(index);
    const source = sourceOf(kind, index);
    const held = [...index.columns, ...index.covers];
    const isHeld = ({ column, is }: Condition) => is === "in" && held.includes(column);
    const ofIndex = this.#where(isHeld);
    const others = this.#where((condition) => !isHeld(condition));
    // What the index holds of one value is in list order already.
    const isOrdered = index.name !== null && valuesOf(this.#conditions, index.columns[0]!)?.length === 1;
    if (isOrdered) return this.#pageFrom(source, ofIndex + others);
    const position = index.name === null ? this.#plainPosition : this.#position;
    return this.#pageOf([`select id from ${source} where company_id = ?1${ofIndex}${position}`], others);
  }

  /** The index has only requests whose ids are not minted from their legacy ids: the others are found by their ids. */
  #gatherLegacyIds(index: Index): string {
    const legacyIds = valuesOf(this.#conditions, "legacyId")!; // they chose the index
    const others = this.#where(({ column }) => column !== "legacyId");
    const own = this.#anyOf("legacyId", legacyIds);
    const minted = this.#anyOf(
      "id",
      legacyIds.map((legacyId) => mintedRequestId(this.#company.id, String(legacyId))),
    );
    return this.#pageOf(
      [
        `select id from ${sourceOf("requests", index)} where company_id = ?1 and legacy_id > ''${own}${this.#position}`,
        `select id from requests where company_id = ?1${minted} and legacy_id = '${IN_DOC}'${this.#plainPosition}`,
      ],
      others,
    );
  }

  #merge(index: Index, ranges: readonly ColumnValues[]): string {
    const source = sourceOf(this.#resource.kind, index);
    const others = this.#conditions
      .filter(({ column }) => !index.columns.includes(column))
      .map((condition) => this.#ofEachRange(condition, ranges.length))
      .join("");
    return this.#pageOfMerged(
      ranges.map((range) => {
        const values = range.map(({ column, value }) => ` and ${columnName(column)} = ${this.#bind(value)}`);
        return this.#rangeOf(source, values.join("") + others);
      }),
    );
  }

  /**
   * A condition as each of so many ranges repeats it. SQLite takes 100 ms to read a text of 200 ranges that each name 200 values:
   * many values are given as one.
   */
  #ofEachRange(condition: Condition, ranges: number): string {
    const { column, is, values } = condition;
    const { kind } = this.#resource as { kind: FactKind }; // a listed one
    const isStoredAsItIs = !hasPlace(kind, column) && !hasNumber(kind, column);
    if (is !== "in" || !isStoredAsItIs || ranges * values.length < MANY_NAMED)
      return this.#where((one) => one === condition);
    return ` and ${columnName(column)} in (select value from json_each(${this.#bind(JSON.stringify(values))}))`;
  }

  #boundedScan(rows: number): string {
    const { kind } = this.#resource;
    const [operator, end] = this.#isBackward ? [">=", "''"] : ["<=", "char(1114111)"];
    const last = `select id from ${kind} where company_id = ?1${this.#position} ${this.#order} limit 1 offset ${rows}`;
    const bound = ` and id ${operator} coalesce((${last}), ${end})`;
    return this.#pageFrom(`${kind} not indexed`, bound + this.#where());
  }

  /**
   * The first rows of each time bucket, one statement after the other. Longer buckets come first: they have fewer rows. Then come the
   * weeks of which most is asked for. Of a week that hardly fits, so no more is read than up to the last row that the page can need.
   */
  #bucketByBucket(ranges: readonly BucketRange[]): Statement[] {
    const fits = this.#where() + this.#position;
    const values = [...this.#values];
    const [bucket, start, end] = [this.#bind(null), this.#bind(null), this.#bind(null)];
    const until = ` and id ${this.#isBackward ? ">=" : "<="} ${end}`;
    const text = `select ${objectOf("request_spans.id")}, id, policy_id from request_spans where company_id = ?1 and span = ${bucket} and start_at_ms >= ${start}${fits}${until} ${this.#order} limit ?3`;
    const [weeks, ...longer] = ranges as [BucketRange, ...BucketRange[]]; // by level
    const inOrder = [...longer.flatMap(bucketsIn), ...mostAskedFor(bucketsIn(weeks), this.#conditions)];
    const last = this.#isBackward ? "" : LAST_ID;
    return inOrder.map((number) => {
      const fromMs = ranges.some(({ first }) => first === number) ? LONG_AGO_MS : startOfBucket(number);
      return { text, values: [...values, number, fromMs, last], isOfBucket: true };
    });
  }

  /** The first rows of each time bucket of each group, which SQLite merges. Nothing else is in such a range. */
  #mergeGroups(ranges: readonly BucketRange[], { policyIds, statuses }: PolicyGroups): string {
    const ofGroups = policyIds.flatMap((policyId) =>
      statuses.map(
        (status) =>
          ` and status = ${this.#bindOf("status", status)} and policy_id = ${this.#bindOf("policyId", policyId)}`,
      ),
    );
    const others = this.#where(({ is }) => is !== "in");
    const entries = ranges.flatMap((range) =>
      bucketsIn(range).flatMap((bucket) => {
        const number = this.#bind(bucket);
        const isNew =
          bucket === range.first ? "" : ` and start_at_ms >= ${this.#bind(startOfBucket(bucket))}`;
        return ofGroups.map(
          (ofGroup) =>
            `select id, policy_id, doc from ${BUCKETS_BY_POLICY} where company_id = ?1${ofGroup} and span = ${number}${others}${isNew}${this.#position}`,
        );
      }),
    );
    return `select ${objectOf("found.id")}, id, policy_id from (${entries.join(" union all ")} ${this.#order} limit ?3) as found ${this.#order}`;
  }

  /** Found by policy, by status where those are few, or by time. */
  #gatherBuckets(ranges: readonly BucketRange[]): string {
    const fits = this.#position + this.#where();
    const ofTime = (source: string, guard: string) =>
      ranges.map(
        ({ first, last }) =>
          `select id from ${source} where company_id = ?1 and span between ${this.#bind(first)} and ${this.#bind(last)}${fits}${guard}`,
      );
    const statuses = valuesOf(this.#conditions, "status");
    if (valuesOf(this.#conditions, "policyId") !== undefined) {
      const anyStatus =
        statuses === undefined ? this.#anyOf("status", choicesOf(this.#resource, "status")) : "";
      return this.#pageOf(ofTime(BUCKETS_BY_POLICY, anyStatus));
    }
    const byTime = "request_spans not indexed";
    if (statuses === undefined) return this.#pageOf(ofTime(byTime, ""));
    const ofStatus = this.#ofStatus(statuses);
    const isFew = this.#isFew(ofStatus);
    return this.#pageOf([
      `select id ${ofStatus}${fits} and ${isFew}`,
      ...ofTime(byTime, ` and not ${isFew}`),
    ]);
  }

  #ofStatus(statuses: Condition["values"]): string {
    return `from ${BUCKETS_BY_POLICY} where company_id = ?1${this.#anyOf("status", statuses)}`;
  }

  #isFew(entries: string): string {
    return `(select count(*) from (select 1 ${entries} limit ${FEW_ENTRIES + 1})) <= ${FEW_ENTRIES}`;
  }

  /** The conditions that are wanted: all of them, unless told otherwise. */
  #where(isWanted: (condition: Condition) => boolean = () => true): string {
    return this.#conditions
      .filter(isWanted)
      .map(({ column, is, values }) =>
        is === "in"
          ? this.#anyOf(column, values)
          : ` and ${columnName(column)} ${is} ${this.#bind(values[0]!)}`,
      )
      .join("");
  }

  #anyOf(column: string, values: Condition["values"]): string {
    const bound = padded(values.map((value) => this.#bindOf(column, value)));
    return ` and ${columnName(column)} in (${bound.join(", ")})`;
  }

  /** A value as the column has it: the number of an id, or the place of a status. */
  #bindOf(column: string, value: string | number): string {
    const { kind } = this.#resource as { kind: FactKind }; // a listed one
    if (hasPlace(kind, column)) return this.#bind(placeOfStatus(value));
    // Of a policy there is a condition for each time bucket.
    if (column === "policyId" && hasNumber(kind, column))
      return this.#bind(this.#company.policyNumber(String(value)));
    return hasNumber(kind, column) ? numberOf("?1", this.#bind(value)) : this.#bind(value);
  }

  #bind(value: SQLQueryBindings): string {
    this.#values.push(value);
    return `?${this.#values.length}`;
  }

  #pageFrom(source: string, where: string): string {
    return `select ${pageColumns(this.#resource.kind)} from ${source} where company_id = ?1${this.#position}${where} ${this.#order} limit ?3`;
  }

  /** The ids of one range of an index, which has them in list order. */
  #rangeOf(source: string, where: string): string {
    return `select id from ${source} where company_id = ?1${where}${this.#position}`;
  }

  /** The page of some ranges. SQLite merges them, and reads of each no more than the page needs. */
  #pageOfMerged(ranges: readonly string[]): string {
    const { kind } = this.#resource;
    const ids = `${ranges.join(" union ")} ${this.#order} limit ?3`;
    return `select ${pageColumns(kind, `${kind}.id`)} from (${ids}) as found cross join ${kind} on ${kind}.company_id = ?1 and ${kind}.id = found.id ${this.#order.replace("id", "found.id")}`;
  }

  /** The page among the rows with the ids that these selections give. */
  #pageOf(selections: readonly string[], where = ""): string {
    const ids = selections.join(" union all ");
    const { kind } = this.#resource;
    return `select ${pageColumns(kind)} from ${kind} where company_id = ?1 and id in (${ids})${where} ${this.#order} limit ?3`;
  }
}

function sourceOf(table: string, { name }: Index): string {
  // Assignments lie by their ids here: the index of their workers is another one.
  if (name === null && table === "assignments") return `assignments indexed by ${ASSIGNMENT_PAIRS}`;
  return name === null ? `${table} not indexed` : `${table} indexed by ${name}`;
}

/** For balances of some policies, where they are looked for: the first assignments of each, from the position on. */
export function balanceSource(company: number, query: BalanceQuery): Sql | undefined {
  if (query.policyIds === undefined || query.workerIds !== undefined) return undefined;
  const workerId = query.after?.workerId ?? query.before?.workerId;
  const isBackward = query.before !== undefined;
  const from =
    workerId === undefined ? empty : sql` and worker_id ${raw(isBackward ? "<=" : ">=")} ${workerId}`;
  const order = raw(isBackward ? "worker_id desc" : "worker_id");
  // The position itself may be among them: one more row of each policy makes up for it.
  const firstOf = (policyId: string) =>
    sql`select * from (select ${raw(ASSIGNMENT_COLUMNS)} from assignments indexed by assignments_policy_worker where company_id = ${company} and policy_id = ${policyId}${from} order by ${order} limit ${query.limit + 2})`;
  return sql`(${join([...new Set(query.policyIds)].map(firstOf), " union all ")})`;
}
