// Absences in local days become requests in instants: from local midnight to local midnight, or by the hour.
import type { CsvRow } from "../csv-file.ts";
import { DAY_MS, type Day } from "../time/day.ts";
import { instantOf } from "../time/zone.ts";
import type { Absence, AbsenceKind } from "./absences.ts";
import data from "./data/reasons.json";
import type { Random } from "./random.ts";
import type { Worker } from "./workers.ts";

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

/** By country, else in English. Commas, quotes and line breaks are there so that a reader of CSV has to cope with them. */
const reasons: Record<string, Partial<Record<AbsenceKind, readonly string[]>>> = data;

/** `number` counts the requests of the worker, from 1. Nothing is created after `today` began. */
export function requestRow(
  worker: Worker,
  absence: Absence,
  number: number,
  today: Day,
  random: Random,
): CsvRow<typeof requestColumns> {
  const { kind, policy, firstDay, lastDay, startMinute, requestedMinutes, status } = absence;
  // Who has no zone of their own asks in the zone of the site.
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

/** In minutes since 1970. Sickness is reported that morning or the next, everything else ahead of time. */
function createdAt(worker: Worker, { kind, firstDay }: Absence, zone: string, today: Day, random: Random) {
  const minuteOfDay = random.whole(390, 1020);
  if (kind === "sick") {
    const day = firstDay + (random.chance(0.2) ? 1 : 0);
    return Math.min(today * 1440 - 1, minutesAt(zone, day, minuteOfDay));
  }
  const latest = Math.min(firstDay, today) - 2; // in no zone is that today
  const mostDays = kind === "hours" ? 10 : kind === "parental" ? 180 : 110;
  const asked = Math.min(latest, firstDay - random.whole(2, mostDays));
  // Nobody asks before they have come, unless they begin with it.
  return minutesAt(zone, Math.max(asked, Math.min(worker.startDay, latest)), minuteOfDay);
}

/** When clocks in the zone show this minute of the day: in minutes since 1970, in UTC. */
function minutesAt(zone: string, day: Day, minuteOfDay: number): number {
  return instantOf(day * DAY_MS + minuteOfDay * 60_000, zone) / 60_000;
}

function instantText(epochMinutes: number, seconds = 0): string {
  return new Date(epochMinutes * 60_000 + seconds * 1000).toISOString();
}

/** What the request says, in the language of the place or in English; null for about half of them. */
function reasonFor(kind: AbsenceKind, country: string, random: Random): string | null {
  const draw = random.fraction();
  if (draw < 0.5) return null;
  const local = reasons[country]?.[kind];
  return random.pick(local !== undefined && draw < 0.85 ? local : reasons.english![kind]!);
}
