// Local dates and times of foreign exports, to instants. The zone is known only once references are resolved, so
// they stay local until then (docs/importing.md, Local dates and times). When a zone changes later, days follow.
import type { ImportTransaction } from "../../store/store.ts";
import { localDays, offsetOn, zoneClock } from "../../time/zone.ts";
import type { Scratch } from "../scratch.ts";
import type { References } from "./references.ts";

const DAY_MS = 86_400_000;
/** Ten years in 36 zones; a few megabytes. */
const MAX_OFFSETS = 131_072;
/** Workers whose requests are recomputed together. */
const BATCH_WORKERS = 100;

/** What a clock on the wall shows, somewhere. */
export class LocalTime {
  constructor(
    /** As if the clock were in UTC. */
    readonly localMs: number,
    /** The zone that the mapping names; null: the request's own, else the worker's, else UTC. */
    readonly zone: string | null,
    /** The cell, as messages show it. */
    readonly written: string,
  ) {}
}

/**
 * The first instant, in UTC milliseconds, at which clocks in the zone show this time or a later one. So a time that
 * comes twice is the first of the two, and one that is skipped is the moment of the skip: a local midnight is always
 * the first instant of its day.
 */
export function instantOf(localMs: number, timeZone: string): number {
  // The instant lies within 15 hours of `localMs`; whole days around it let offsets be remembered by day.
  const from = (Math.floor(localMs / DAY_MS) - 1) * DAY_MS;
  const to = from + 3 * DAY_MS;
  const before = rememberedOffset(from, timeZone);
  const after = rememberedOffset(to, timeZone);
  if (before === after) return localMs - before;
  const changeMs = changeBetween(from, to, before, timeZone);
  const asBefore = localMs - before;
  return asBefore < changeMs ? asBefore : Math.max(changeMs, localMs - after);
}

/** The second at which the zone leaves the offset that it has at `from`. Zones change at most once in three days. */
function changeBetween(from: number, to: number, before: number, timeZone: string): number {
  let [same, changed] = [from / 1000, to / 1000];
  while (same + 1 < changed) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetOn(zoneNamed(timeZone).clock, middle * 1000) === before) same = middle;
    else changed = middle;
  }
  return changed * 1000;
}

interface Zone {
  readonly clock: Intl.DateTimeFormat;
  /** Offset at 00:00 UTC, by the instant. */
  readonly offsets: Map<number, number>;
}

const zones = new Map<string, Zone>();
let rememberedOffsets = 0;

function rememberedOffset(instantMs: number, timeZone: string): number {
  const { offsets } = zoneNamed(timeZone);
  const known = offsets.get(instantMs);
  if (known !== undefined) return known;
  if (rememberedOffsets >= MAX_OFFSETS) {
    for (const zone of zones.values()) zone.offsets.clear();
    rememberedOffsets = 0;
  }
  const offset = offsetOn(zoneNamed(timeZone).clock, instantMs);
  offsets.set(instantMs, offset);
  rememberedOffsets++;
  return offset;
}

function zoneNamed(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    zone = { clock: zoneClock(timeZone), offsets: new Map() };
    zones.set(timeZone, zone);
  }
  return zone;
}

/**
 * Recomputes the days of stored requests whose worker has another time zone since this import, where they have none of
 * their own; tells whether any changed.
 */
export async function recomputeMovedDays(
  transaction: ImportTransaction,
  scratch: Scratch,
  references: References,
): Promise<boolean> {
  let isAnyChanged = false;
  for (const workerIds of scratch.movedWorkers(BATCH_WORKERS)) {
    const zones = await references.timeZones(workerIds);
    const zoneOf = new Map(workerIds.map((id, at) => [id, zones[at] ?? "UTC"]));
    const requests = await transaction.requestsWithoutTimeZone(workerIds);
    const changed = requests.flatMap((request) => {
      const days = localDays(request.startAtMs, request.endAtMs, zoneOf.get(request.workerId) ?? "UTC");
      const isSame = days.firstDay === request.firstDay && days.lastDay === request.lastDay;
      return isSame ? [] : [{ ...request, ...days }];
    });
    if (changed.length > 0) await transaction.put("requests", changed);
    isAnyChanged ||= changed.length > 0;
  }
  return isAnyChanged;
}
