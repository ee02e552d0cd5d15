// Turns absences in local days into requests with instants: from local midnight to local midnight, or by the hour.
import { DAY_MS, type Day } from "../time/day.ts";
import { instantOf } from "../time/zone.ts";
import type { Absence, AbsenceKind } from "./absences.ts";
import data from "./data/reasons.json";
import type { Random } from "./random.ts";
import type { Worker } from "./workers.ts";

/** Reasons by country, and in English. Some have commas, quotes or line breaks, as tests of CSV readers. */
const reasons: Record<string, Partial<Record<AbsenceKind, readonly string[]>>> = data;

/** `number` is the request's number among the worker's, from 1. `createdAt` is always before `today` in UTC. */
export function requestRow(worker: Worker, absence: Absence, number: number, today: Day, random: Random) {
  const { kind, policy, firstDay, lastDay, startMinute, requestedMinutes, status } = absence;
  // Workers without a zone use the site's.
  const zone = worker.timeZone ?? worker.site.timeZone;
  const startAt = minutesAt(zone, firstDay, startMinute ?? 0);
  const endAt = startMinute === null ? minutesAt(zone, lastDay + 1, 0) : startAt + requestedMinutes;
  return {
    legacyId: `R${worker.legacyId.slice(1)}-${String(number).padStart(2, "0")}`,
    workerId: worker.legacyId,
    timeOffPolicyId: policy.legacyId,
    startAt: instantText(startAt),
    endAt: instantText(endAt),
    requestedMinutes,
    status,
    reason: reasonFor(kind, worker.site.country, random),
    timeZone: zone === worker.timeZone && random.chance(0.12) ? null : zone,
    createdAt: instantText(createdAt(worker, absence, zone, today, random), random.whole(0, 59)),
  };
}

/** In minutes since 1970. Sickness is reported on its first day or the next. Other leave is requested ahead. */
function createdAt(worker: Worker, { kind, firstDay }: Absence, zone: string, today: Day, random: Random) {
  const minuteOfDay = random.whole(390, 1020);
  if (kind === "sick") {
    const day = firstDay + (random.chance(0.2) ? 1 : 0);
    return Math.min(today * 1440 - 1, minutesAt(zone, day, minuteOfDay));
  }
  const latest = Math.min(firstDay, today) - 2; // before today in every zone
  const mostDays = kind === "hours" ? 10 : kind === "parental" ? 180 : 110;
  const asked = Math.min(latest, firstDay - random.whole(2, mostDays));
  // Nobody requests leave before their first day, unless the leave begins right after it.
  return minutesAt(zone, Math.max(asked, Math.min(worker.startDay, latest)), minuteOfDay);
}

/** The instant of a local day and minute of the day in the zone, in minutes since 1970. */
function minutesAt(zone: string, day: Day, minuteOfDay: number): number {
  return instantOf(day * DAY_MS + minuteOfDay * 60_000, zone) / 60_000;
}

function instantText(epochMinutes: number, seconds = 0): string {
  return new Date(epochMinutes * 60_000 + seconds * 1000).toISOString();
}

/** The request's reason, in the local language or English; null for about half of them. */
function reasonFor(kind: AbsenceKind, country: string, random: Random): string | null {
  const draw = random.fraction();
  if (draw < 0.5) return null;
  const local = reasons[country]?.[kind];
  return random.pick(local !== undefined && draw < 0.85 ? local : reasons.english![kind]!);
}
