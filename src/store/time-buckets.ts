// Time buckets: weeks, and longer periods, as numbers. They are how requests are found by time.
//
// A request is filed under every bucket that it touches. Short requests are filed by week, longer ones by buckets of 16
// and of 256 weeks. So no request has more than three entries, and nearly every request in a bucket touches any given
// week of the bucket.

const WEEK_MS = 604_800_000;

/** Before the first day that may be stored, in any time zone. */
const ORIGIN_MS = -2_240_524_800_000;

/** How much longer the buckets of a level are than those of the level before. */
const FACTOR = 16;

/** Each level has buckets of one length. A request that is too long for all levels is in one bucket without an end. */
const LEVELS = 3;

/** Numbers between two levels: more than the weeks of all years that may be stored. */
const LEVEL_STEP = 1_000_000;

const levels = Array.from({ length: LEVELS }, (_, level) => level);
const lengthMs = (level: number) => WEEK_MS * FACTOR ** level;

/** The longest requests of a level: they touch three buckets at most. */
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

/** Buckets from this one on are longer than a week. */
export const FIRST_LONG_BUCKET = LEVEL_STEP;

/** The buckets that a request is filed under: those that it touches, of the level that fits its length. */
export function bucketsOf(startAtMs: number, endAtMs: number): number[] {
  const level = levels.find((one) => endAtMs - startAtMs <= longestMs(one)) ?? LEVELS;
  const { first, last } = bucketsTouching(startAtMs, endAtMs)[level]!;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** How many buckets a request is filed under at most. */
export const BUCKETS_OF_ONE = 3;

/** The first and the last of those buckets in SQL. `whole` rounds down where an engine's division does not. */
export function bucketsSql(
  row = "",
  whole = (quotient: string) => quotient,
): { first: string; last: string } {
  const [start, end] = [`${row}start_at_ms`, `${row}end_at_ms`];
  const bucket = (instant: string) => {
    const cases = levels.map(
      (level) =>
        `when ${end} - ${start} <= ${longestMs(level)} then ${level * LEVEL_STEP} + ${whole(`(${instant} - ${ORIGIN_MS}) / ${lengthMs(level)}`)}`,
    );
    return `case ${cases.join(" ")} else ${LEVELS * LEVEL_STEP} end`;
  };
  return { first: bucket(start), last: bucket(end) };
}
