// A worker's absences. Wishes are spread over the years, and granted in order while time is left. Days are local; absences never overlap.
import { type Day, dateOf } from "../time/day.ts";
import { isDayOff } from "./calendars.ts";
import type { LeaveKind, Policy } from "./policies.ts";
import type { Random } from "./random.ts";
import type { Worker } from "./workers.ts";

/** `hours` is leave of a few hours, which uses the vacation policy. */
export type AbsenceKind = LeaveKind | "hours";

export interface Absence {
  kind: AbsenceKind;
  policy: Policy;
  firstDay: Day;
  lastDay: Day;
  /** The start of part-day leave, in minutes after local midnight; null for whole days. */
  startMinute: number | null;
  requestedMinutes: number;
  status: "pending" | "approved" | "denied";
}

interface Wish {
  kind: AbsenceKind;
  day: Day;
}

export const DAY_MINUTES = 480;

const YEAR_DAYS = 365.25;
/** Leave is requested at most this many days ahead. */
const DAYS_AHEAD = 300;
/** The share of a year's vacation that is requested within these days. */
const SHARE_AHEAD = 0.3;

/** Shares of a year's requests. `remote` is on top of the others. */
const shares = { vacation: 0.47, hours: 0.2, sick: 0.33, remote: 0.2 };

/** How often vacation begins in each month, relative to the most popular month. */
const northern = [0.2, 0.25, 0.3, 0.4, 0.4, 0.4, 0.85, 1, 0.3, 0.3, 0.25, 0.7];
const southern = [0.9, 0.4, 0.3, 0.45, 0.25, 0.25, 0.35, 0.25, 0.35, 0.35, 0.3, 1];

/** The absences of a worker from `firstDay` on, about `perYear` a year. Those before `today` are past. */
export function absencesOf(
  worker: Worker,
  allowances: readonly Allowance[],
  firstDay: Day,
  today: Day,
  perYear: number,
  random: Random,
): Absence[] {
  const absences: Absence[] = [];
  const kinds = new Set(allowances.map(({ policy }) => policy.kind));
  let freeFrom = firstDay;
  for (const wish of wishesOf(worker, kinds, firstDay, today, perYear, random)) {
    const { kind } = wish;
    const start = workingDay(worker, Math.max(wish.day, freeFrom), 1);
    if (wish.day < today && start >= today) continue; // a wish of the past, such as sickness, stays in the past
    const allowance = allowances.find(
      ({ policy }) => policy.kind === (kind === "hours" ? "vacation" : kind),
    )!;
    const usableMinutes = allowance.usableMinutes(Math.min(start, today));
    const usableDays = Math.floor(usableMinutes / DAY_MINUTES);
    const isPartDay = kind === "hours";
    const days = isPartDay ? 1 : Math.min(usableDays, wantedDays(kind, start, usableDays, random));
    const requestedMinutes = isPartDay ? random.pick([120, 120, 180, 240, 240]) : days * DAY_MINUTES;
    if (days < 1 || requestedMinutes > usableMinutes) continue;
    const lastDay = workingDay(worker, start, days);
    if (worker.endDay !== null && lastDay > worker.endDay) continue;
    const startMinute = isPartDay ? random.pick([540, 600, 780, 840]) : null;
    const status = statusOf(kind, start, today, random);
    const { policy } = allowance;
    absences.push({ kind, policy, firstDay: start, lastDay, startMinute, requestedMinutes, status });
    freeFrom = lastDay + 1;
    if (status !== "denied") allowance.spend(requestedMinutes);
  }
  return absences;
}

/** The leave that a worker would like, past and future, in order of days. */
function wishesOf(
  worker: Worker,
  kinds: ReadonlySet<LeaveKind>,
  firstDay: Day,
  today: Day,
  perYear: number,
  random: Random,
): Wish[] {
  const wishes: Wish[] = [];
  const pastTo = Math.min(worker.endDay ?? today, today - 1);
  const years = Math.max(0, pastTo - firstDay + 1) / YEAR_DAYS;
  const season = worker.site.isSouthern ? southern : northern;
  const wish = (kind: AbsenceKind, mean: number, from: Day, to: Day) => {
    for (let missing = random.count(mean); missing > 0; ) {
      const day = random.whole(from, to);
      if (kind === "vacation" && !random.chance(season[dateOf(day).month - 1]!)) continue;
      wishes.push({ kind, day });
      missing--;
    }
  };
  const past = (kind: AbsenceKind, mean: number) => wish(kind, mean, firstDay, pastTo);
  past("vacation", years * perYear * shares.vacation);
  past("hours", years * perYear * shares.hours);
  if (kinds.has("sick")) past("sick", years * perYear * shares.sick);
  if (kinds.has("remote")) past("remote", years * perYear * shares.remote);
  if (kinds.has("study")) past("study", years);
  if (kinds.has("unpaid")) past("unpaid", years * 0.25);
  if (kinds.has("parental") && years > 0) past("parental", 0.6);
  if (worker.status !== "inactive") {
    const from = Math.max(firstDay, today);
    wish("vacation", perYear * shares.vacation * SHARE_AHEAD, from, from + DAYS_AHEAD);
    if (kinds.has("remote")) wish("remote", 1, from, from + 30);
  }
  return wishes.sort((a, b) => a.day - b.day);
}

/** How many working days somebody would like; people with much leave left take more. */
function wantedDays(kind: LeaveKind, start: Day, usableDays: number, random: Random): number {
  if (kind === "parental") return random.whole(25, 85);
  if (kind === "sick") return random.pick([1, 1, 1, 2, 2, 3]);
  if (kind === "study") return random.whole(1, 2);
  if (kind === "remote") return 1;
  if (kind === "unpaid") return random.whole(2, 15);
  const isSummer = [7, 8].includes(dateOf(start).month);
  const usual = isSummer ? random.whole(5, 12) : random.whole(1, 6);
  const saved = Number.isFinite(usableDays) ? Math.round(usableDays * 0.35) : 0;
  return Math.min(15, Math.max(usual, saved));
}

function statusOf(kind: AbsenceKind, start: Day, today: Day, random: Random): Absence["status"] {
  const draw = random.fraction();
  if (start > today) return draw < 0.55 ? "approved" : draw < 0.97 ? "pending" : "denied";
  if (kind !== "sick" && draw < 0.04) return "denied";
  return draw < 0.14 && start > today - 14 ? "pending" : "approved";
}

/** The `count`-th working day from `from` on. */
function workingDay(worker: Worker, from: Day, count: number): Day {
  let day = from;
  for (let missing = count; ; day++) {
    if (!isDayOff(worker, day)) missing--;
    if (missing === 0) return day;
  }
}

/** Estimates the minutes that a worker can take, as if the yearly grant came day by day. `src/balances` computes exact numbers. */
export class Allowance {
  readonly policy: Policy;
  readonly #minutesPerYear: number;
  #balance: number;
  #accruedUntil: Day;

  /** `openingMinutes` are available on the first day. */
  constructor(policy: Policy, firstDay: Day, openingMinutes: number) {
    const { accrualTiming, instalments, waitingPeriodDays } = policy;
    this.policy = policy;
    this.#minutesPerYear = minutesPerYear(policy);
    this.#balance = openingMinutes;
    const isLate = policy.schedule === "yearly" && accrualTiming === "end" && instalments === null;
    this.#accruedUntil = firstDay + Math.max(waitingPeriodDays, isLate ? 366 : 31);
  }

  /** Minutes that can be taken on `day`. Call it with ascending days. At most half a year's grant is saved: more may be lost. */
  usableMinutes(day: Day): number {
    if (this.policy.schedule === "unlimited") return Number.POSITIVE_INFINITY;
    const days = Math.max(0, day - this.#accruedUntil);
    const accrued = (this.#minutesPerYear * days) / YEAR_DAYS;
    this.#balance = Math.min(this.#balance + accrued, Math.max(this.#balance, this.#minutesPerYear / 2));
    this.#accruedUntil += days;
    return this.#balance;
  }

  spend(minutes: number): void {
    this.#balance -= minutes;
  }
}

function minutesPerYear(policy: Policy): number {
  const { schedule, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk } = policy;
  if (schedule === "per_hour_worked") return (1800 / hoursWorkedPerChunk!) * minutesPerChunk!; // for 1,800 hours worked
  return (minutesPerPeriod ?? 0) * (schedule === "monthly" ? 12 : 1);
}
