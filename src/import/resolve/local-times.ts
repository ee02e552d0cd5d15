// Local dates and times of foreign exports, to instants. The zone is known only once references are resolved, so
// they stay local until then (docs/importing.md, Local dates and times). When a zone changes later, days follow.
import type { ImportTransaction } from "../../store/store.ts";
import { localDays } from "../../time/zone.ts";
import type { Scratch } from "../scratch.ts";
import type { References } from "./references.ts";

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
