// Absences in local days become requests in instants: from local midnight to local midnight, or by the hour.

import type { CsvRow } from "../../csv-file.ts";
import { DAY_MS, type Day } from "../../time/day.ts";
import { instantOf } from "../../time/zone.ts";
import type { Worker } from "../people/workers.ts";
import type { Random } from "../random.ts";
import type { Absence } from "./absences.ts";
import type { LeaveKind } from "./policies.ts";

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
): CsvRow<typeof requestColumns> {
  const { policy, firstDay, lastDay, startMinute, requestedMinutes, status } = absence;
  // Who has no zone of their own asks in the zone of the site, or leaves it at UTC.
  const ownZone = worker.timeZone ?? "UTC";
  const zone = worker.timeZone ?? (random.chance(0.6) ? worker.site.timeZone : "UTC");
  const startAt = minutesAt(zone, firstDay, startMinute ?? 0);
  const endAt = startMinute === null ? minutesAt(zone, lastDay + 1, 0) : startAt + requestedMinutes;
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
    return Math.min(latest, minutesAt(zone, firstDay + (random.chance(0.2) ? 1 : 0), minuteOfDay));
  }
  const longestDays = startMinute !== null ? 10 : policy.kind === "parental" ? 180 : 110;
  const asked = Math.min(firstDay - random.whole(2, longestDays), today - random.whole(2, 30));
  // Who works here asks from the first day on; who has yet to begin has agreed on it before.
  const earliest = worker.startDay < today - 2 ? Math.min(worker.startDay, firstDay - 1) : asked;
  return Math.min(latest, minutesAt(zone, Math.max(asked, earliest), minuteOfDay));
}

/** When clocks in the zone show this minute of the day: in minutes since 1970, in UTC. */
function minutesAt(zone: string, day: Day, minuteOfDay: number): number {
  return instantOf(day * DAY_MS + minuteOfDay * 60_000, zone) / 60_000;
}

function instantText(epochMinutes: number, seconds = 0): string {
  return new Date(epochMinutes * 60_000 + seconds * 1000).toISOString();
}

// The reasons: commas, quotes and line breaks are there so that a reader of CSV has to cope with them.
const english: Record<LeaveKind, readonly string[]> = {
  vacation: [
    "Family holiday",
    "Summer trip",
    "Wedding, then a few days off",
    "Moving house",
    'Going to see "Hamlet", finally',
    "Road trip with the kids, back on Monday",
    "Visiting my parents.\nReachable by phone in the mornings.",
    'Handover: see the page "While I am away".\r\nBackup: my team lead, as discussed.',
  ],
  sick: ["Flu", "Doctor's orders", "Migraine", "Sick child, at home", "Food poisoning - sorry!"],
  unpaid: ["Sabbatical", "Family matters, as discussed"],
  parental: ["Parental leave", "It's a girl! 🎉"],
  remote: ["Waiting for a delivery", "Focus day", "Train strike"],
  study: ["Exam", 'Conference: "Payroll, Privacy & You"', "Certificate course, day 1 of 2"],
};

const partDays = [
  "Dentist",
  "School play",
  "Plumber, between 9 and 12",
  "Parent-teacher meeting",
  "Blood donation",
];

// By country; what is missing is written in English.
const local: Record<string, Partial<Record<LeaveKind, readonly string[]>>> = {
  DE: {
    vacation: ["Sommerurlaub", "Umzug, danach frei", "Brückentag", "Übergabe an „Team Süd“ ist erledigt"],
    sick: ["Erkältung"],
  },
  ES: {
    vacation: ["Vacaciones de verano", "Boda de mi hermana, en Cádiz", "¡Por fin, la playa!"],
    sick: ["Gripe"],
  },
  FR: {
    vacation: ["Congés d'été", "Déménagement, puis repos", "Noël en famille"],
    sick: ["Grippe", "Angine"],
  },
  BR: { vacation: ["Férias", "Viagem com a família, até o Réveillon"], sick: ["Gripe, atestado em anexo"] },
  GR: { vacation: ["Διακοπές στο νησί", "Πάσχα στο χωριό"], sick: ["Γρίπη"] },
  BG: { vacation: ["Отпуск", "Море с децата, до неделя"], sick: ["Грип"] },
  IL: { vacation: ["חופשה משפחתית", "חתונה, בחיפה"], sick: ["שפעת"] },
  EG: { vacation: ["إجازة عائلية", "السفر، ثم العودة يوم الأحد"], sick: ["إنفلونزا"] },
  ET: { vacation: ["የቤተሰብ ዕረፍት"] },
  IN: { vacation: ["परिवार के साथ छुट्टी", "Diwali, at home", "शादी"], sick: ["बुखार"] },
  TH: { vacation: ["สงกรานต์", "พาครอบครัวไปเที่ยว"] },
  VN: { vacation: ["Nghỉ Tết", "Về quê, thăm bố mẹ"] },
  CN: { vacation: ["回家过年", "家庭旅行"], sick: ["感冒"] },
  JP: { vacation: ["私用のため", "夏季休暇", "引っ越し"], sick: ["体調不良"] },
  KR: { vacation: ["가족 여행", "추석 연휴"], sick: ["감기"] },
};

/** What the request says, in the language of the place or in English; null for about half of them. */
function reasonFor(kind: LeaveKind, partDay: boolean, country: string, random: Random): string | null {
  const draw = random.fraction();
  if (draw < 0.5) return null;
  if (partDay) return random.pick(partDays);
  const own = local[country]?.[kind];
  return random.pick(own !== undefined && draw < 0.85 ? own : english[kind]);
}
