// Time buckets: numbers of weeks and longer periods, by which requests are found.
//
// A request is filed under every bucket that it touches: short requests by week, longer ones by buckets of 16
// or of 256 weeks. So no request has more than three entries, and nearly every request in a bucket touches any given
// week of the bucket.

const WEEK_MS = 604_800_000;

/** Before the first day that may be stored, in any time zone. */
const ORIGIN_MS = -2_240_524_800_000;

/** How many times longer the buckets of a level are than those of the level before. */
const FACTOR = 16;

/** Each level has buckets of one length. Requests that are too long for all levels are in one endless bucket. */
const LEVELS = 3;

/** The distance between the numbers of two levels: more than the weeks of all years that may be stored. */
const LEVEL_STEP = 1_000_000;

const levels = Array.from({ length: LEVELS }, (_, level) => level);
const lengthMs = (level: number) => WEEK_MS * FACTOR ** level;

/** The length of the longest requests of a level, in milliseconds: they touch three buckets at most. */
const longestMs = (level: number) => 2 * lengthMs(level);

/** Buckets of one level, from `first` to `last`, both included. */
export interface BucketRange {
  readonly first: number;
  readonly last: number;
}

/** The buckets of each level that touch the time between two instants, both included; either may be infinite. */
export function bucketsTouching(fromMs: number, toMs: number): BucketRange[] {
  const ranges = levels.map((level) => {
    const bucket = (instantMs: number) => Math.floor((instantMs - ORIGIN_MS) / lengthMs(level));
    const base = level * LEVEL_STEP;
    const first = base + Math.max(0, bucket(fromMs));
    const last = base + Math.min(LEVEL_STEP - 1, bucket(toMs));
    return { first, last };
  });
  const endless = LEVELS * LEVEL_STEP;
  return [...ranges, { first: endless, last: endless }];
}

/** When a bucket begins. */
export function startOfBucket(bucket: number): number {
  const level = Math.floor(bucket / LEVEL_STEP);
  return ORIGIN_MS + (bucket - level * LEVEL_STEP) * lengthMs(level);
}

/** This bucket and later ones are longer than a week. */
export const FIRST_LONG_BUCKET = LEVEL_STEP;

/** The buckets of a request: at the level of its length, those that it touches. */
export function bucketsOf(startAtMs: number, endAtMs: number): number[] {
  const level = levels.find((level) => endAtMs - startAtMs <= longestMs(level)) ?? LEVELS;
  const { first, last } = bucketsTouching(startAtMs, endAtMs)[level]!;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The most buckets that one request is filed under. */
export const BUCKETS_OF_ONE = 3;

/** The first and the last of those buckets in SQL. `whole` rounds a quotient down, for an engine whose division does not. */
export function bucketsSql(
  row = "",
  whole = (quotient: string) => quotient,
): { first: string; last: string } {
  const [start, end] = [`${row}start_at_ms`, `${row}end_at_ms`];
  const bucket = (instant: string) => {
    const cases = levels.map((level) => {
      const isShort = `${end} - ${start} <= ${longestMs(level)}`;
      const bucketOfLevel = whole(`(${instant} - ${ORIGIN_MS}) / ${lengthMs(level)}`);
      return `when ${isShort} then ${level * LEVEL_STEP} + ${bucketOfLevel}`;
    });
    return `case ${cases.join(" ")} else ${LEVELS * LEVEL_STEP} end`;
  };
  return { first: bucket(start), last: bucket(end) };
}
