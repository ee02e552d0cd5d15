// How a page of requests is found without reading much that does not belong to it, on every engine. What is asked for
// decides, never figures about the data, which an engine may lack or not look at.
//
// - Of some workers: their requests, by the index that leads with the worker.
// - Of a few weeks: from each stretch of time (spans.ts) the first ones that fit, merged in list order.
// - All else: the list itself for so many rows. Where that does not fill a page, what is asked for is rare: those that
//   can fit are gathered and put in order.
import { REQUEST_STATUSES } from "../resources/requests.ts";
import type { RequestFilter } from "./store.ts";
import { type BucketRange, bucketsTouching } from "./time-buckets.ts";

/** Rows of the list that are looked at before others are gathered. */
export const WALK_ROWS = 2000;

/** So many weeks are few. */
const FEW_WEEKS = 9;

/** Ranges that are merged at most for policies and statuses of their own. */
const MERGED_RANGES = 128;

/** What an engine makes of each way: one statement. */
export interface RequestWays<S> {
  list(): S;
  ofWorkers(workerIds: readonly string[]): S;
  /** The first that fit of each stretch; where `groups` are given, of each stretch of each policy and status. */
  merged(ranges: readonly BucketRange[], groups: PolicyGroups | null): S;
  /** The list in order, but for no more than `WALK_ROWS` of it. */
  walk(): S;
  /** All that fit and touch one of these stretches. */
  gathered(ranges: readonly BucketRange[]): S;
}

export interface PolicyGroups {
  readonly policyIds: readonly string[];
  readonly statuses: readonly string[];
}

/** To be run in turn until one gives one row more than the page holds; the rows of the last one that ran are the answer. */
export function requestStatements<S>(filter: RequestFilter, ways: () => RequestWays<S>): S[] {
  if (filter.workerIds !== undefined) return [ways().ofWorkers(filter.workerIds)];
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  if (!hasFilter) return [ways().list()];
  const ranges = touched(filter);
  const [weeks] = ranges;
  if (weeks!.last - weeks!.first >= FEW_WEEKS) return [ways().walk(), ways().gathered(ranges)];
  return [ways().merged(ranges, groupsOf(filter, ranges.flatMap(bucketsIn).length))];
}

/** Every stretch of a range. */
export function bucketsIn({ first, last }: BucketRange): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function groupsOf(filter: RequestFilter, spans: number): PolicyGroups | null {
  const policyIds = [...new Set(filter.policyIds)];
  const statuses = [...new Set(filter.statuses ?? REQUEST_STATUSES)];
  const ranges = policyIds.length * statuses.length * spans;
  return policyIds.length > 0 && ranges <= MERGED_RANGES ? { policyIds, statuses } : null;
}

/** Beyond every instant that may be stored. */
const EVER_MS = 1e15;

/** Stretches of which every request that fits touches at least one, by level. */
function touched(filter: RequestFilter): BucketRange[] {
  const startsFrom = filter.startsOnOrAfter ?? -EVER_MS;
  const startsTo = (filter.startsBefore ?? EVER_MS) - 1;
  const endsFrom = filter.endsOnOrAfter ?? -EVER_MS;
  const endsTo = (filter.endsBefore ?? EVER_MS) - 1;
  const windows: [fromMs: number, toMs: number][] = [
    [startsFrom, startsTo],
    [endsFrom, endsTo],
    // A request lies between its start and its end, and touches all that is between them.
    [startsFrom, endsTo],
    [endsFrom, Math.max(startsTo, endsFrom)],
  ];
  const narrowest = windows.reduce((best, one) => (one[1] - one[0] < best[1] - best[0] ? one : best));
  return bucketsTouching(...narrowest);
}
