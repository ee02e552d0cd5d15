// Converts instants to local days and times, and back. `Intl` is slow, so offsets are cached per zone and UTC day. Runs in browsers too.
import { DAY_MS, type Day, utcDayOf } from "./day.ts";

/** Ten years in 36 zones; a few megabytes. */
const MAX_OFFSETS = 131_072;
const MAX_NAMES = 4_096;

interface Zone {
  readonly clock: Intl.DateTimeFormat;
  /** Offset at 00:00 UTC of a day, in milliseconds east of UTC. */
  readonly offsets: Map<Day, number>;
}

const zones = new Map<string, Zone>();
const knownNames = new Map<string, boolean>();
let cachedOffsets = 0;

/** Whether `name` is a time zone of the IANA database, spelled as there. An offset such as `+01:00` is not. */
export function isTimeZone(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isKnown = isSpeltAsIntl(name);
  if (knownNames.size >= MAX_NAMES) knownNames.clear();
  knownNames.set(name, isKnown);
  return isKnown;
}

function isSpeltAsIntl(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions();
    // Intl ignores case, but readers of the API may not. Intl may resolve an alias to another name, so accept aliases.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/**
 * The first and last local day that `[startAtMs, endAtMs)` touches in a zone (docs/balances.md, Requests and days). An end at local
 * midnight does not touch the day that begins. An empty period touches the day of its start. If clocks fall back over midnight, `lastDay`
 * is still not before `firstDay`. Throws `RangeError` for a zone that this platform does not know.
 */
export function localDays(
  startAtMs: number,
  endAtMs: number,
  timeZone: string,
): { firstDay: Day; lastDay: Day } {
  const zone = zoneNamed(timeZone);
  const firstDay = utcDayOf(startAtMs + offsetAt(startAtMs, zone));
  if (endAtMs <= startAtMs) return { firstDay, lastDay: firstDay };
  const lastMs = endAtMs - 1;
  return { firstDay, lastDay: Math.max(firstDay, utcDayOf(lastMs + offsetAt(lastMs, zone))) };
}

/** The zone's local time as milliseconds, as if it were UTC. Throws `RangeError` for an unknown zone. */
export function localMsOf(instantMs: number, timeZone: string): number {
  return instantMs + offsetAt(instantMs, zoneNamed(timeZone));
}

/**
 * The first instant at which clocks in the zone show this local time or a later one; the inverse of `localMsOf`. A time that occurs twice
 * gives the first instant, and a skipped time the moment of the skip. So a local midnight gives the first instant of its day. Throws
 * `RangeError` for an unknown zone.
 */
export function instantOf(localMs: number, timeZone: string): number {
  if (timeZone === "UTC") return localMs;
  const zone = zoneNamed(timeZone);
  // No offset exceeds 15 hours, so the instant lies between these two UTC midnights.
  const from = utcDayOf(localMs) - 1;
  const to = from + 3;
  const before = offsetAtStartOf(from, zone);
  const after = offsetAtStartOf(to, zone);
  if (before === after) return localMs - before;
  const changeMs = changeBetween(from, to, before, zone);
  const asBefore = localMs - before;
  return asBefore < changeMs ? asBefore : Math.max(changeMs, localMs - after);
}

/** The second at which the zone leaves the offset that it has on `from`. From 1890 to 2060, no zone changes twice in three days. */
function changeBetween(from: Day, to: Day, before: number, zone: Zone): number {
  let [same, changed] = [(from * DAY_MS) / 1000, (to * DAY_MS) / 1000];
  while (same + 1 < changed) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetByIntl(zone.clock, middle * 1000) === before) same = middle;
    else changed = middle;
  }
  return changed * 1000;
}

/** Milliseconds east of UTC at an instant. */
function offsetAt(instantMs: number, zone: Zone): number {
  const day = utcDayOf(instantMs);
  const offset = offsetAtStartOf(day, zone);
  // No zone changes its offset and changes it back within one UTC day, so equal ends mean one offset throughout.
  return offset === offsetAtStartOf(day + 1, zone) ? offset : offsetByIntl(zone.clock, instantMs);
}

function offsetAtStartOf(day: Day, zone: Zone): number {
  const known = zone.offsets.get(day);
  if (known !== undefined) return known;
  const offset = offsetByIntl(zone.clock, day * DAY_MS);
  if (cachedOffsets >= MAX_OFFSETS) {
    for (const zone of zones.values()) zone.offsets.clear();
    cachedOffsets = 0;
  }
  zone.offsets.set(day, offset);
  cachedOffsets += 1;
  return offset;
}

/** Asks `Intl`; whole seconds, because local mean times before 1972 have seconds. */
function offsetByIntl(clock: Intl.DateTimeFormat, instantMs: number): number {
  const secondMs = Math.floor(instantMs / 1000) * 1000;
  // "12/31/1999, 23:59:59": one pass over the text is faster than formatToParts.
  const [month, dayOfMonth, year, hour, minute, second] = clock.format(secondMs).match(/\d+/g)!;
  const localMs = Date.UTC(+year!, +month! - 1, +dayOfMonth!, +hour!, +minute!, +second!);
  return localMs - secondMs;
}

function zoneNamed(timeZone: string): Zone {
  return zones.get(timeZone) ?? newZone(timeZone);
}

function newZone(timeZone: string): Zone {
  const clock = new Intl.DateTimeFormat("en-US", {
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
  const zone: Zone = { clock, offsets: new Map() };
  zones.set(timeZone, zone);
  return zone;
}
