// Renders the plans of filtered pages (../plan.ts) for SQLite. SQLite has no statistics when it plans a statement and
// would scan the list, so each statement names its index. The rows with one value of an index are in list
// order, so the first rows of a few such values, merged, are a page.
import type { SQLQueryBindings } from "bun:sqlite";
import { LISTS, type ListKind } from "../../resources/kinds.ts";
import type { REQUEST_STATUSES } from "../../resources/requests.ts";
import { columnName, type Index, type ListResource } from "../../resources/resource.ts";
import {
  type AccessPath,
  bucketsIn,
  type ColumnValues,
  choicesOf,
  type PolicyGroups,
  planOf,
  valuesOf,
} from "../plan.ts";
import { padded } from "../queries.ts";
import type { Condition, PageQuery } from "../store.ts";
import type { BucketRange } from "../time-buckets.ts";

export interface BoundSql {
  readonly text: string;
  readonly values: readonly SQLQueryBindings[];
}

/** The statements of a page. Run them in turn until one returns one row more than the page holds. */
export function pageStatements(
  kind: ListKind,
  companyId: string,
  page: PageQuery,
  conditions: readonly Condition[],
  columns = "doc",
): BoundSql[] {
  const resource = LISTS[kind];
  return planOf(resource, conditions).map((path) =>
    new PageStatement(resource, companyId, page, conditions, columns).rendered(path),
  );
}

/** The table of a list, in the order of its ids. */
function listSource(kind: string): string {
  return kind === "assignments" ? "assignments indexed by assignments_id" : kind;
}

/** More values than these are bound as one, because every range of a page repeats them. */
const MANY_VALUES = 32;

/** The status of nine in ten requests. */
const MOST = "approved" satisfies (typeof REQUEST_STATUSES)[number];

const BUCKETS_BY_TIME = "request_buckets not indexed";
const BUCKETS_BY_POLICY = "request_buckets indexed by request_buckets_policy";

/** One statement in the making: `?1` is the company, `?2` the position, `?3` one more than the page holds. */
class PageStatement {
  readonly #values: SQLQueryBindings[];
  readonly #isBackward: boolean;
  readonly #hasCursor: boolean;
  /** The condition that a row lies after the cursor; empty without a cursor. */
  readonly #position: string;
  /** List order, or its reverse. */
  readonly #order: string;

  constructor(
    private readonly resource: ListResource,
    companyId: string,
    { limit, after, before }: PageQuery,
    private readonly conditions: readonly Condition[],
    private readonly columns: string,
  ) {
    this.#values = [companyId, after ?? before ?? null, limit + 1];
    this.#isBackward = before !== undefined;
    this.#hasCursor = after !== undefined || before !== undefined;
    this.#position = this.#positionOf("id");
    this.#order = `order by id${this.#isBackward ? " desc" : ""}`;
  }

  #positionOf(id: string): string {
    return this.#hasCursor ? ` and ${id} ${this.#isBackward ? "<" : ">"} ?2` : "";
  }

  rendered(path: AccessPath): BoundSql {
    return { text: this.#text(path), values: this.#values };
  }

  #text(path: AccessPath): string {
    switch (path.path) {
      case "list":
        return this.#pageFrom(listSource(this.resource.kind), this.#where());
      case "gather":
        return this.#gather(path.index);
      case "merge":
        return this.#merge(path.index, path.ranges);
      case "bounded scan":
        return this.#boundedScan(path.rows);
      case "merge buckets":
        return this.#mergeBuckets(path.ranges, path.groups);
      case "gather buckets":
        return this.#gatherBuckets(path.ranges);
    }
  }

  #gather(index: Index): string {
    const source = sourceOf(this.resource.kind, index);
    // The rows with one value of an index are in list order already.
    const isOrdered = index.name !== null && valuesOf(this.conditions, index.columns[0]!)?.length === 1;
    if (isOrdered) return this.#pageFrom(source, this.#where());
    const held = [...index.columns, ...index.covers];
    const isHeld = ({ column, is }: Condition) => is === "in" && held.includes(column);
    // With the plus, SQLite does not look for an index that begins with the id.
    const position = this.#positionOf(index.name === null ? "+id" : "id");
    const ids = `select id from ${source} where company_id = ?1${this.#where(isHeld)}${position}`;
    return this.#pageOf(
      [ids],
      this.#where((condition) => !isHeld(condition)),
    );
  }

  #merge(index: Index, ranges: readonly ColumnValues[]): string {
    const source = sourceOf(this.resource.kind, index);
    const others = this.#where(({ column }) => !index.columns.includes(column));
    return this.#merged(
      ranges.map((range) => {
        const values = range.map(({ column, value }) => ` and ${columnName(column)} = ${this.#bind(value)}`);
        return `select id from ${source} where company_id = ?1${values.join("")}${others}${this.#position}`;
      }),
    );
  }

  #boundedScan(rows: number): string {
    const { kind } = this.resource;
    const [operator, end] = this.#isBackward ? [">=", "''"] : ["<=", "char(1114111)"];
    const last = `
      select id
      from ${kind}
      where company_id = ?1${this.#position}
      ${this.#order}
      limit 1
      offset ${rows}`;
    const bound = ` and id ${operator} coalesce((${last}), ${end})`;
    return this.#pageFrom(`${kind} not indexed`, bound + this.#where());
  }

  /** The first requests of each time bucket, or of each status of each policy in it. */
  #mergeBuckets(ranges: readonly BucketRange[], groups: PolicyGroups | null): string {
    const source = groups === null ? BUCKETS_BY_TIME : BUCKETS_BY_POLICY;
    const others = this.#where(({ is }) => groups === null || is !== "in");
    const ofGroups = groups?.policyIds.flatMap((policyId) =>
      groups.statuses.map(
        (status) => ` and status = ${this.#bind(status)} and policy_id = ${this.#bind(policyId)}`,
      ),
    ) ?? [""];
    return this.#merged(
      ranges.flatMap(bucketsIn).flatMap((bucket) => {
        const number = this.#bind(bucket);
        return ofGroups.map(
          (ofGroup) =>
            `select id from ${source}
              where company_id = ?1${ofGroup} and bucket = ${number}${others}${this.#position}`,
        );
      }),
    );
  }

  /** Requests are found by policy if policies are named; by status if statuses without "approved" are; else by time. */
  #gatherBuckets(ranges: readonly BucketRange[]): string {
    const fits = this.#where() + this.#position;
    const ofTime = (source: string, others = "") =>
      ranges.map(({ first, last }) => {
        const isInRange = `bucket between ${this.#bind(first)} and ${this.#bind(last)}`;
        return `select id from ${source} where company_id = ?1 and ${isInRange}${fits}${others}`;
      });
    const statuses = valuesOf(this.conditions, "status");
    if (valuesOf(this.conditions, "policyId") !== undefined) {
      const anyStatus =
        statuses === undefined ? this.#anyOf("status", choicesOf(this.resource, "status")) : "";
      return this.#pageOf(ofTime(BUCKETS_BY_POLICY, anyStatus));
    }
    return this.#pageOf(
      statuses === undefined || statuses.includes(MOST)
        ? ofTime(BUCKETS_BY_TIME)
        : [`select id from ${BUCKETS_BY_POLICY} where company_id = ?1${fits}`],
    );
  }

  /** These conditions; all of them by default. */
  #where(isWanted: (condition: Condition) => boolean = () => true): string {
    return this.conditions
      .filter(isWanted)
      .map(({ column, is, values }) =>
        is === "in"
          ? this.#anyOf(column, values)
          : ` and ${columnName(column)} ${is} ${this.#bind(values[0]!)}`,
      )
      .join("");
  }

  #anyOf(column: string, values: Condition["values"]): string {
    const list =
      values.length > MANY_VALUES
        ? `select value from json_each(${this.#bind(JSON.stringify(values))})`
        : padded(values.map((value) => this.#bind(value))).join(", ");
    return ` and ${columnName(column)} in (${list})`;
  }

  #bind(value: SQLQueryBindings): string {
    this.#values.push(value);
    return `?${this.#values.length}`;
  }

  #pageFrom(source: string, where: string): string {
    return `
      select ${this.columns}
      from ${source}
      where company_id = ?1${this.#position}${where}
      ${this.#order}
      limit ?3`;
  }

  /** The page of some ranges, each in list order. SQLite merges them, and reads no more of each than the page needs. */
  #merged(ranges: readonly string[]): string {
    const { kind } = this.resource;
    const ids = `${ranges.join(" union ")} ${this.#order} limit ?3`;
    const direction = this.#isBackward ? " desc" : "";
    return `
      select ${this.columns}
      from (${ids}) as merged
      cross join ${listSource(kind)} on ${kind}.company_id = ?1 and ${kind}.id = merged.id
      order by merged.id${direction}`;
  }

  /** The page among the rows whose ids these selections return. */
  #pageOf(selections: readonly string[], where = ""): string {
    const ids = selections.join(" union all ");
    return `
      select ${this.columns}
      from ${listSource(this.resource.kind)}
      where company_id = ?1 and id in (${ids})${where}
      ${this.#order}
      limit ?3`;
  }
}

function sourceOf(table: string, { name }: Index): string {
  return name === null ? `${table} not indexed` : `${table} indexed by ${name}`;
}
