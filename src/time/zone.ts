/**
 * Which local calendar days a span of time touches. The answer is asked for every imported request, so offsets are
 * remembered per zone and UTC day; the memory is bounded and changes no answer.
 */
import { type Day, utcDayOf } from "./day.ts";

const MS_PER_DAY = 86_400_000;
/** Ten years in 36 zones; a few megabytes. */
const MAX_OFFSETS = 131_072;
/** More than IANA has. */
const MAX_ZONES = 700;
const MAX_NAMES = 4_096;

interface Zone {
  readonly formatter: Intl.DateTimeFormat;
  /** Offset at 00:00 UTC of a day, in milliseconds east of UTC. */
  readonly offsets: Map<Day, number>;
}

const zones = new Map<string, Zone>();
const knownNames = new Map<string, boolean>();
let rememberedOffsets = 0;

/**
 * Whether `name` is a time zone of the IANA database that this runtime knows, spelt as IANA spells it. An offset
 * such as `+01:00` is not a zone. Never throws.
 */
export function isTimeZone(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const answer = isSpeltAsIntl(name);
  if (knownNames.size >= MAX_NAMES) knownNames.clear();
  knownNames.set(name, answer);
  return answer;
}

function isSpeltAsIntl(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions();
    // Intl ignores case, readers of the API may not. A resolved name may also be an alias's target: that is no misspelling.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/**
 * The first and last local day that `[startAtMs, endAtMs)` touches in a zone; instants are milliseconds since
 * 1970. A span of no length has the day of its start, and an end at local midnight does not touch that day
 * (docs/balances.md, Requests and days). Where clocks fall back over midnight, the day is not left again.
 * Throws `RangeError` when the zone is unknown to this runtime.
 */
export function localDays(
  startAtMs: number,
  endAtMs: number,
  timeZone: string,
): { firstDay: Day; lastDay: Day } {
  const zone = zoneNamed(timeZone);
  const firstDay = localDayOf(startAtMs, zone);
  if (endAtMs <= startAtMs) return { firstDay, lastDay: firstDay };
  return { firstDay, lastDay: Math.max(firstDay, localDayOf(endAtMs - 1, zone)) };
}

function localDayOf(instantMs: number, zone: Zone): Day {
  const day = utcDayOf(instantMs);
  const offset = offsetAtStartOf(day, zone);
  // No zone changes its offset and changes it back within one UTC day, so equal ends mean one offset throughout.
  const isSteady = offset === offsetAtStartOf(day + 1, zone);
  return utcDayOf(instantMs + (isSteady ? offset : offsetOn(zone.formatter, instantMs)));
}

function offsetAtStartOf(day: Day, zone: Zone): number {
  const known = zone.offsets.get(day);
  if (known !== undefined) return known;
  const offset = offsetOn(zone.formatter, day * MS_PER_DAY);
  if (rememberedOffsets >= MAX_OFFSETS) forgetOffsets();
  zone.offsets.set(day, offset);
  rememberedOffsets += 1;
  return offset;
}

function forgetOffsets(): void {
  for (const zone of zones.values()) zone.offsets.clear();
  rememberedOffsets = 0;
}

/** Formats instants as the zone's clock shows them, for `offsetOn`. Raises RangeError for an unknown zone. */
export function zoneClock(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

/** Milliseconds east of UTC at an instant; whole seconds, as local mean times before 1972 have them. */
export function offsetOn(clock: Intl.DateTimeFormat, instantMs: number): number {
  const secondMs = Math.floor(instantMs / 1000) * 1000;
  // "12/31/1999, 23:59:59": one pass over the text is faster than formatToParts.
  const [month, dayOfMonth, year, hour, minute, second] = clock.format(secondMs).match(/\d+/g)!;
  const localMs = Date.UTC(+year!, +month! - 1, +dayOfMonth!, +hour!, +minute!, +second!);
  return localMs - secondMs;
}

function zoneNamed(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known) return known;
  const formatter = zoneClock(timeZone);
  const zone: Zone = { formatter, offsets: new Map() };
  if (zones.size >= MAX_ZONES) {
    forgetOffsets();
    zones.clear();
  }
  zones.set(timeZone, zone);
  return zone;
}
