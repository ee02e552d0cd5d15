// Chooses how to find a filtered page without reading many other rows. The plan is data, which each engine's sql.ts renders. It
// depends on the filters alone, not on statistics, which an engine may lack.
//
// - A filter that an index of the resource can answer: that index.
// - A few weeks of a list with time buckets: the first fitting rows of each bucket (time-buckets.ts), merged in list order.
// - Other filters of such a list: its first `SCAN_ROWS` rows. If they do not fill a page, matches are rare: all rows that can match are
//   gathered and ordered.
import type { Filter, Index, ListResource } from "../resources/resource.ts";
import type { Condition, DocPage, PageQuery } from "./store.ts";
import { type BucketRange, bucketsTouching } from "./time-buckets.ts";

/** Rows of the list that are scanned before matches are gathered. */
export const SCAN_ROWS = 2000;

/** Fewer weeks than this are merged bucket by bucket. */
const FEW_WEEKS = 9;

/** Up to this many buckets are merged separately for each policy and status. */
const MERGED_BUCKETS = 128;

/** One value for each of some columns. */
export type ColumnValues = readonly { readonly column: string; readonly value: string | number }[];

/** One way to find the rows of a page. Conditions that the path does not cover are checked on each row. */
export type AccessPath =
  /** The list in its order. */
  | { readonly path: "list" }
  /** All rows with the values of an index, ordered. The rows of one value are already in the order of the index. */
  | { readonly path: "gather"; readonly index: Index }
  /** The first rows of each range of an index, merged. */
  | { readonly path: "merge"; readonly index: Index; readonly ranges: readonly ColumnValues[] }
  /** The list in its order, but at most `rows` of it. */
  | { readonly path: "bounded scan"; readonly rows: number }
  /** The first fitting rows of each time bucket, merged; with groups, of each bucket of each group. */
  | {
      readonly path: "merge buckets";
      readonly ranges: readonly BucketRange[];
      readonly groups: PolicyGroups | null;
    }
  /** All fitting rows that touch one of these time buckets, ordered. */
  | { readonly path: "gather buckets"; readonly ranges: readonly BucketRange[] };

export interface PolicyGroups {
  readonly policyIds: readonly string[];
  readonly statuses: readonly string[];
}

/** The given filters as comparisons of columns. A list is several values, anything else is one. */
export function conditionsOf(
  filters: Readonly<Record<string, Filter>>,
  values: Readonly<Record<string, unknown>>,
): Condition[] {
  const conditions: Condition[] = [];
  for (const name in filters) {
    const value = values[name] as string | number | readonly string[] | undefined; // as the schemas make them
    if (value === undefined) continue;
    const { column, is } = filters[name]!;
    conditions.push({ column, is, values: typeof value === "object" ? value : [value] });
  }
  return conditions;
}

/** The access paths of a page. Try them in turn until one finds one row more than the page holds. */
export function planOf(resource: ListResource, conditions: readonly Condition[]): AccessPath[] {
  if (conditions.length === 0) return [{ path: "list" }];
  for (const index of resource.indexes) {
    if (index.rows === "few" && valuesOf(conditions, index.columns[0]!) !== undefined)
      return [{ path: "gather", index }];
    if (index.rows === "many" && index.columns.some((column) => valuesOf(conditions, column)))
      return [{ path: "merge", index, ranges: rangesOf(resource, index, conditions) }];
  }
  if (!resource.hasTimeBuckets) return [{ path: "list" }];
  const ranges = touched(conditions);
  const [weeks] = ranges;
  if (weeks!.last - weeks!.first >= FEW_WEEKS) {
    return [
      { path: "bounded scan", rows: SCAN_ROWS },
      { path: "gather buckets", ranges },
    ];
  }
  return [{ path: "merge buckets", ranges, groups: groupsOf(resource, conditions, ranges) }];
}

/** The distinct values of a column that the filter lists; undefined if it lists none. */
export function valuesOf(conditions: readonly Condition[], column: string): Condition["values"] | undefined {
  const listed = conditions.find((condition) => condition.is === "in" && condition.column === column);
  return listed && [...new Set(listed.values)];
}

/** Every value that a column can have. */
export function choicesOf({ kind, fields }: ListResource, column: string): readonly string[] {
  const field = Object.values(fields).find((candidate) => candidate.column?.key === column);
  const choices = field?.cell?.choices;
  if (choices === undefined) throw new Error(`the values of ${kind}.${column} cannot be listed`);
  return choices;
}

/** Every combination of the values of an index's columns. */
function rangesOf(
  resource: ListResource,
  index: Index,
  conditions: readonly Condition[],
): readonly ColumnValues[] {
  return index.columns.reduce<readonly ColumnValues[]>(
    (ranges, column) => {
      const values = valuesOf(conditions, column) ?? choicesOf(resource, column);
      return ranges.flatMap((range) => values.map((value) => [...range, { column, value }]));
    },
    [[]],
  );
}

export function bucketsIn({ first, last }: BucketRange): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function groupsOf(
  resource: ListResource,
  conditions: readonly Condition[],
  ranges: readonly BucketRange[],
): PolicyGroups | null {
  const policyIds = valuesOf(conditions, "policyId") as readonly string[] | undefined; // ids are texts
  if (policyIds === undefined) return null;
  const statuses = (valuesOf(conditions, "status") ?? choicesOf(resource, "status")) as readonly string[]; // likewise
  const buckets = policyIds.length * statuses.length * ranges.flatMap(bucketsIn).length;
  return buckets <= MERGED_BUCKETS ? { policyIds, statuses } : null;
}

/** Later than every instant that may be stored. */
const EVER_MS = 1e15;

/** Time buckets by level: every request that fits touches at least one of them. */
function touched(conditions: readonly Condition[]): BucketRange[] {
  const bound = (column: string, is: "<" | ">=") =>
    conditions.find((condition) => condition.column === column && condition.is === is)?.values[0] as
      | number
      | undefined; // instants are numbers
  const startsFrom = bound("startAtMs", ">=") ?? -EVER_MS;
  const startsTo = (bound("startAtMs", "<") ?? EVER_MS) - 1;
  const endsFrom = bound("endAtMs", ">=") ?? -EVER_MS;
  const endsTo = (bound("endAtMs", "<") ?? EVER_MS) - 1;
  const windows: [fromMs: number, toMs: number][] = [
    [startsFrom, startsTo],
    [endsFrom, endsTo],
    // A request touches all time between its start and its end.
    [startsFrom, endsTo],
    [endsFrom, Math.max(startsTo, endsFrom)],
  ];
  const lengthOf = ([fromMs, toMs]: [number, number]) => toMs - fromMs;
  const narrowest = windows.reduce((best, next) => (lengthOf(next) < lengthOf(best) ? next : best));
  return bucketsTouching(...narrowest);
}

/** The page in list order, without the row that was read to learn `hasMore`. */
export function trimPage<R>(rows: R[], limit: number, isBackward: boolean): { rows: R[]; hasMore: boolean } {
  const hasMore = rows.length > limit;
  if (hasMore) rows.pop();
  if (isBackward) rows.reverse();
  return { rows, hasMore };
}

/** Where an object's id begins: it is the first key, and needs no escapes in JSON. */
const ID_AT = '{"id":"'.length;

/** The id of an object as JSON. */
export function idOf(doc: string): string {
  return doc.slice(ID_AT, doc.indexOf('"', ID_AT));
}

/** Makes a page of these objects, which may be one more than `limit`. */
export function pageOf(objects: string[], { limit, before }: PageQuery): DocPage {
  const { rows: docs, hasMore } = trimPage(objects, limit, before !== undefined);
  return { docs, ends: endsOf(docs), hasMore };
}

/** The ids of the first and the last object; null if there is none. */
export function endsOf(docs: readonly string[]): DocPage["ends"] {
  return docs.length === 0 ? null : { first: idOf(docs[0]!), last: idOf(docs.at(-1)!) };
}
