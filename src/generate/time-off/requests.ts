// Absences in local days become requests in instants: from local midnight to local midnight, or by the hour.

import type { Row } from "../csv-out.ts";
import { type Day, instantText } from "../days.ts";
import type { Worker } from "../people/workers.ts";
import type { Random } from "../random.ts";
import { localToUtc } from "../zones.ts";
import type { Absence } from "./absences.ts";
import { reasonFor } from "./reasons.ts";

export const requestColumns = [
  "legacyId",
  "workerId",
  "timeOffPolicyId",
  "startAt",
  "endAt",
  "requestedMinutes",
  "status",
  "reason",
  "timeZone",
  "createdAt",
] as const;

/** `number` counts the requests of the worker, from 1. Nothing is created after `today` began. */
export function requestRow(
  worker: Worker,
  absence: Absence,
  number: number,
  today: Day,
  random: Random,
): Row<typeof requestColumns> {
  const { policy, firstDay, lastDay, startMinute, requestedMinutes, status } = absence;
  // Who has no zone of their own asks in the zone of the site, or leaves it at UTC.
  const ownZone = worker.timeZone ?? "UTC";
  const zone = worker.timeZone ?? (random.chance(0.6) ? worker.site.timeZone : "UTC");
  const startAt = localToUtc(zone, firstDay, startMinute ?? 0);
  const endAt = startMinute === null ? localToUtc(zone, lastDay + 1, 0) : startAt + requestedMinutes;
  return {
    legacyId: `R${worker.legacyId.slice(1)}-${number < 10 ? `0${number}` : number}`,
    workerId: worker.legacyId,
    timeOffPolicyId: policy.legacyId,
    startAt: instantText(startAt),
    endAt: instantText(endAt),
    requestedMinutes,
    status,
    reason: reasonFor(policy.kind, startMinute !== null, worker.site.country, random),
    timeZone: zone === ownZone && random.chance(0.12) ? null : zone,
    createdAt: instantText(createdAt(worker, absence, zone, today, random), random.whole(0, 59)),
  };
}

/** In minutes since 1970. Sickness is reported that morning or the next, everything else ahead of time. */
function createdAt(worker: Worker, absence: Absence, zone: string, today: Day, random: Random): number {
  const { policy, firstDay, startMinute } = absence;
  const minuteOfDay = random.whole(390, 1020);
  const latest = today * 1440 - 1;
  if (policy.kind === "sick") {
    return Math.min(latest, localToUtc(zone, firstDay + (random.chance(0.2) ? 1 : 0), minuteOfDay));
  }
  const longestDays = startMinute !== null ? 10 : policy.kind === "parental" ? 180 : 110;
  const asked = Math.min(firstDay - random.whole(2, longestDays), today - random.whole(2, 30));
  // Who works here asks from the first day on; who has yet to begin has agreed on it before.
  const earliest = worker.startDay < today - 2 ? Math.min(worker.startDay, firstDay - 1) : asked;
  return Math.min(latest, localToUtc(zone, Math.max(asked, earliest), minuteOfDay));
}
