// When a worker's time zone changes, the days of those requests that have no zone of their own change with it.

import type { ImportTransaction } from "../store/store.ts";
import { localDays } from "../time/zone.ts";
import type { References } from "./resolve/references.ts";
import type { Scratch } from "./scratch.ts";

const BATCH_WORKERS = 100;

/** Recomputes the days of the stored requests of workers that this import moved; tells whether any changed. */
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
