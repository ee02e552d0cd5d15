// When a worker is away: planned month by month in local days, with an eye on the allowance, never overlapping.

import { addMonths, type Day, dateOf, dayOf, firstOfMonth, formatDay, weekdayOf } from "../../time/day.ts";
import type { Worker } from "../people/workers.ts";
import type { Random } from "../random.ts";
import { dayMinutes, type LeaveKind, type Policy } from "./policies.ts";

export interface Absence {
  policy: Policy;
  firstDay: Day;
  lastDay: Day;
  /** Minutes after local midnight at which a part of a day begins; null for whole days. */
  startMinute: number | null;
  requestedMinutes: number;
  status: "pending" | "approved" | "denied";
}

interface PlannedAbsence {
  kind: LeaveKind;
  partDay: boolean;
  day: Day;
}

// How much of a year's leave starts in each month.
const northern = [0.5, 0.6, 0.8, 1, 1, 1, 2.1, 2.5, 0.8, 0.8, 0.6, 1.8].map((weight) => weight / 13.5);
const southern = [2.3, 1, 0.8, 1.1, 0.6, 0.6, 0.9, 0.6, 0.9, 0.9, 0.8, 2.5].map((weight) => weight / 13);
const monthsAhead = 10;

/** Of what is asked for in a year: leave of days, leave of hours, days of sickness; and days of work from home besides. */
const shares = { days: 0.47, hours: 0.2, sickness: 0.33, remote: 0.2 };

export class LeavePlan {
  readonly absences: Absence[] = [];
  readonly #worker: Worker;
  readonly #allowances: readonly Allowance[];
  readonly #today: Day;
  readonly #random: Random;
  readonly #lastDay: Day;
  #freeFrom: Day;

  /** Leave lies between `firstDay` and the worker's last day; what starts before `today` is past. */
  constructor(worker: Worker, allowances: readonly Allowance[], firstDay: Day, today: Day, random: Random) {
    this.#worker = worker;
    this.#allowances = allowances;
    this.#today = today;
    this.#random = random;
    this.#freeFrom = firstDay;
    this.#lastDay = worker.endDay ?? Number.POSITIVE_INFINITY;
  }

  /** Plans the past and what is already booked ahead, at about `perYear` requests a year. */
  fill(perYear: number): Absence[] {
    const start = this.#freeFrom;
    const end = Math.min(this.#lastDay, addMonths(firstOfMonth(this.#today), monthsAhead));
    const parentalFrom =
      start < this.#today && this.#has("parental") && this.#random.chance(0.6)
        ? this.#random.whole(start, this.#today - 1)
        : null;
    for (let first = start; first <= end; ) {
      let next = addMonths(firstOfMonth(first), 1);
      if (first < this.#today) next = Math.min(next, this.#today); // past and future are planned apart
      this.#allowances[0]!.usable(Math.min(first, this.#today)); // it must see every year boundary
      const planned = this.#planned(first, Math.min(next, end + 1) - 1, perYear);
      if (parentalFrom !== null && parentalFrom >= first && parentalFrom < next) {
        planned.push({ kind: "parental", partDay: false, day: parentalFrom });
      }
      for (const plan of planned.sort((a, b) => a.day - b.day)) this.#place(plan);
      first = next;
    }
    return this.absences;
  }

  #planned(first: Day, last: Day, perYear: number): PlannedAbsence[] {
    const random = this.#random;
    const { month } = dateOf(first);
    const ahead = first >= this.#today;
    // The further ahead, the less is booked yet.
    const booked = ahead ? Math.max(0.1, 0.75 - (first - this.#today) / 240) : 1;
    const season = (this.#worker.site.southern ? southern : northern)[month - 1]!;
    const plain = ((last - first + 1) / 365) * perYear;
    const planned: PlannedAbsence[] = [];
    const plan = (count: number, kind: LeaveKind, partDay = false) => {
      for (; count > 0; count--) {
        // Many take the days around New Year.
        const from = month === 12 && kind === "vacation" && random.chance(0.8) ? first + 16 : first;
        planned.push({ kind, partDay, day: Math.min(last, random.whole(from, last)) });
      }
    };
    plan(random.count(plain * 12 * season * booked * shares.days), "vacation");
    if (this.#has("remote")) plan(random.count(plain * booked * shares.remote), "remote");
    if (ahead) return planned;
    plan(random.count(plain * shares.hours), "vacation", true);
    if (this.#has("sick")) plan(random.count(plain * shares.sickness), "sick");
    if (this.#has("study") && random.chance(0.1)) plan(1, "study");
    if (this.#has("unpaid") && random.chance(0.02)) plan(1, "unpaid");
    return planned;
  }

  #place({ kind, partDay, day }: PlannedAbsence): void {
    const random = this.#random;
    const allowance = this.#allowances.find(({ policy }) => policy.kind === kind)!;
    const firstDay = this.#workingDay(Math.max(day, this.#freeFrom));
    if (firstDay > this.#lastDay) return;
    if (firstDay >= this.#today && day < this.#today) return; // nobody plans to be ill
    const usable = allowance.usable(Math.min(firstDay, this.#today));
    const status = this.#status(firstDay, kind);
    if (partDay) {
      const requestedMinutes = random.pick([120, 120, 180, 240, 240]);
      if (requestedMinutes > usable) return;
      const startMinute = random.pick([540, 600, 780, 840]);
      this.#add(allowance, { firstDay, lastDay: firstDay, startMinute, requestedMinutes, status });
      return;
    }
    // A few are granted a day or two ahead of what they have.
    const affordable =
      Math.floor(usable / dayMinutes) || (kind === "vacation" && random.chance(0.015) ? 2 : 0);
    const workingDays = Math.min(affordable, this.#wanted(kind, firstDay, usable));
    if (workingDays < 1) return;
    let [lastDay, counted] = [firstDay, 1];
    for (let next = firstDay + 1; counted < workingDays && next <= this.#lastDay; next++) {
      if (this.#isWeekend(next)) continue;
      lastDay = next;
      counted++;
    }
    this.#add(allowance, {
      firstDay,
      lastDay,
      startMinute: null,
      requestedMinutes: counted * dayMinutes,
      status,
    });
  }

  #add(allowance: Allowance, absence: Omit<Absence, "policy">): void {
    this.absences.push({ policy: allowance.policy, ...absence });
    this.#freeFrom = absence.lastDay + 1;
    if (absence.status !== "denied") allowance.spend(absence.requestedMinutes);
  }

  /** Working days somebody would like; those with much left take more. */
  #wanted(kind: LeaveKind, firstDay: Day, usable: number): number {
    const random = this.#random;
    if (kind === "parental") return random.whole(25, 85);
    if (kind === "sick") return random.pick([1, 1, 1, 2, 2, 3]);
    if (kind === "study") return random.whole(1, 2);
    if (kind === "remote") return 1;
    if (kind === "unpaid") return random.whole(2, 15);
    const { month } = dateOf(firstDay);
    const long = month === 7 || month === 8 || (this.#worker.site.southern && month === 1);
    const nominal = long ? random.whole(5, 12) : month === 12 ? random.whole(3, 9) : random.whole(1, 6);
    const saved = Number.isFinite(usable) ? Math.round((usable / dayMinutes) * 0.6) : 0;
    return Math.min(15, Math.max(nominal, saved));
  }

  #status(firstDay: Day, kind: LeaveKind): Absence["status"] {
    const draw = this.#random.fraction();
    if (firstDay > this.#today) return draw < 0.55 ? "approved" : draw < 0.97 ? "pending" : "denied";
    if (kind === "sick") return draw < 0.98 || firstDay < this.#today - 21 ? "approved" : "pending";
    if (draw < 0.04) return "denied";
    return draw < 0.14 && firstDay > this.#today - 14 ? "pending" : "approved";
  }

  #has(kind: LeaveKind): boolean {
    return this.#allowances.some(({ policy }) => policy.kind === kind);
  }

  #isWeekend(day: Day): boolean {
    return isWeekend(this.#worker, day);
  }

  #workingDay(from: Day): Day {
    let day = from;
    while (this.#isWeekend(day)) day++;
    return day;
  }
}

/** Whether people at the worker's site have that day of the week off. */
export function isWeekend(worker: Worker, day: Day): boolean {
  const [first, second] = worker.site.weekend;
  const today = weekdayOf(day);
  return today === first || today === second;
}

const yearDays = 365.25;
/** Minutes that per_hour_worked contractors are taken to work per calendar day. */
const workedPerDay = (480 * 5 * 0.9) / 7;

/**
 * Roughly what a worker has to spend, so that generated leave looks like what people take. The balances compute the
 * exact numbers; this only has to be near, and rather too low than too high.
 */
export class Allowance {
  readonly policy: Policy;
  readonly #firstDay: Day;
  readonly #lastDay: Day;
  /** The share of what accrues that this worker uses. */
  readonly #usedShare: number;
  readonly #openingMinutes: number;
  #balance: number;
  #granted = 0;
  #spent = 0;
  #year = 0;

  /** `firstDay` to `lastDay` is covered; `openingMinutes` are there from the first day. */
  constructor(policy: Policy, firstDay: Day, lastDay: Day, openingMinutes: number, usedShare: number) {
    this.policy = policy;
    this.#firstDay = firstDay;
    this.#lastDay = lastDay;
    this.#usedShare = usedShare;
    this.#openingMinutes = openingMinutes;
    this.#balance = openingMinutes;
  }

  /** A plausible number of minutes for this worker to take on `day`. Days may only go forward. */
  usable(day: Day): number {
    if (this.policy.schedule === "unlimited") return Number.POSITIVE_INFINITY;
    this.#advance(day);
    if (day < this.#firstDay + this.policy.waitingPeriodDays) return 0;
    return Math.min(this.#balance, this.#usedShare * this.#granted + this.#openingMinutes - this.#spent);
  }

  /** Minutes left on `day`, for a pay-out. */
  left(day: Day): number {
    if (this.policy.schedule === "unlimited") return 0;
    this.#advance(day);
    return Math.max(0, this.#balance);
  }

  spend(minutes: number): void {
    this.#balance -= minutes;
    this.#spent += minutes;
  }

  #advance(until: Day): void {
    const day = Math.min(until, this.#lastDay);
    const { carryoverLimitMinutes, carryoverExpiresAfterMonths } = this.policy;
    const year = this.#yearIndex(day);
    if (year > this.#year) {
      this.#year = year;
      this.#post(this.#boundary(day, 0) - 1);
      if (carryoverLimitMinutes !== null) this.#balance = Math.min(this.#balance, carryoverLimitMinutes);
      // What expires within the year is not planned with at all.
      if (carryoverExpiresAfterMonths !== null) this.#balance = Math.min(this.#balance, 0);
    }
    this.#post(day);
  }

  #post(day: Day): void {
    const granted = Math.max(this.#granted, this.#grantedBy(day));
    this.#balance += granted - this.#granted;
    this.#granted = granted;
    const cap = this.policy.balanceCapMinutes;
    if (cap !== null) this.#balance = Math.min(this.#balance, cap);
  }

  /** Years ended since the first day, as the policy counts them. */
  #yearIndex(day: Day): number {
    if (this.policy.periodAnchor === "calendar")
      return this.#leaveYear(day) - this.#leaveYear(this.#firstDay);
    return Math.floor((day - this.#firstDay) / yearDays);
  }

  /** The calendar year in which the leave year of a day began. */
  #leaveYear(day: Day): number {
    const { year } = dateOf(day);
    return formatDay(day).slice(5) < this.policy.yearStartsOn ? year - 1 : year;
  }

  #grantedBy(day: Day): number {
    const { schedule, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, accrualTiming } = this.policy;
    const days = day - this.#firstDay + 1;
    if (schedule === "per_hour_worked") {
      return (Math.max(0, days - 14) * workedPerDay * minutesPerChunk!) / (hoursWorkedPerChunk! * 60);
    }
    if (schedule === "monthly" || this.policy.instalments !== null) {
      const perYear = schedule === "monthly" ? minutesPerPeriod! * 12 : minutesPerPeriod!;
      return (perYear * Math.max(0, days - (accrualTiming === "end" ? 31 : 0))) / yearDays;
    }
    const boundary = this.#boundary(day, accrualTiming === "start" ? 1 : 0);
    const covered = Math.min(boundary, this.#lastDay + 1) - this.#firstDay;
    return (minutesPerPeriod! * Math.max(0, covered)) / yearDays;
  }

  /** The first day of the period that `day` lies in, or of the one after it. */
  #boundary(day: Day, periodsAhead: 0 | 1): Day {
    if (this.policy.periodAnchor === "calendar") {
      const [month, dayOfMonth] = this.policy.yearStartsOn.split("-").map(Number);
      return dayOf(this.#leaveYear(day) + periodsAhead, month!, dayOfMonth!);
    }
    return this.#firstDay + Math.floor((this.#yearIndex(day) + periodsAhead) * yearDays);
  }
}
