// Roughly what a worker has to spend, so that generated leave looks like what people take. The exact numbers are
// computed by the balances; this only has to be near, and rather too low than too high.

import { type Day, firstOfMonth, yearOf } from "../days.ts";
import type { Policy } from "./policies.ts";

const yearDays = 365.25;
/** Minutes that per_hour_worked contractors are taken to work per calendar day. */
const workedPerDay = (480 * 5 * 0.9) / 7;

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

  /** `firstDay` to `lastDay` is the cover; `openingMinutes` are there from the first day. */
  constructor(policy: Policy, firstDay: Day, lastDay: Day, openingMinutes: number, usedShare: number) {
    this.policy = policy;
    this.#firstDay = firstDay;
    this.#lastDay = lastDay;
    this.#usedShare = usedShare;
    this.#openingMinutes = openingMinutes;
    this.#balance = openingMinutes;
  }

  /** Minutes that nobody would be surprised to see this worker take on `day`. Days may only go forward. */
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
    const { carryoverLimitMinutes } = this.policy;
    const year = this.#yearIndex(day);
    if (year > this.#year) {
      this.#year = year;
      this.#post(this.#boundary(day, 0) - 1);
      if (carryoverLimitMinutes !== null) this.#balance = Math.min(this.#balance, carryoverLimitMinutes);
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
    if (this.policy.periodAnchor === "calendar") return yearOf(day) - yearOf(this.#firstDay);
    return Math.floor((day - this.#firstDay) / yearDays);
  }

  #grantedBy(day: Day): number {
    const { schedule, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, accrualTiming } = this.policy;
    const days = day - this.#firstDay + 1;
    if (schedule === "per_hour_worked") {
      return (Math.max(0, days - 14) * workedPerDay * minutesPerChunk!) / (hoursWorkedPerChunk! * 60);
    }
    if (schedule === "monthly") {
      return (minutesPerPeriod! * 12 * Math.max(0, days - (accrualTiming === "end" ? 31 : 0))) / yearDays;
    }
    const boundary = this.#boundary(day, accrualTiming === "start" ? 1 : 0);
    const covered = Math.min(boundary, this.#lastDay + 1) - this.#firstDay;
    return (minutesPerPeriod! * Math.max(0, covered)) / yearDays;
  }

  /** The first day of the period that `day` lies in, or of the one after it. */
  #boundary(day: Day, periodsAhead: 0 | 1): Day {
    if (this.policy.periodAnchor === "calendar") return firstOfMonth(yearOf(day) + periodsAhead, 0);
    return this.#firstDay + Math.floor((this.#yearIndex(day) + periodsAhead) * yearDays);
  }
}
