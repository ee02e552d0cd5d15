/** Builds facts for tests. Dates are text; whatever a test does not give has its default. */
import {
  type BalanceEntry,
  type BalanceSums,
  balance,
  balanceSums,
  explain,
} from "../../src/balances/balance.ts";
import type {
  AdjustmentFacts,
  BalanceFacts,
  BalanceWindow,
  DayMinutes,
  DayRange,
  HolidayFacts,
  OpeningFacts,
  PolicyFacts,
  PolicyRules,
  PolicyTerms,
  Rate,
  RequestFacts,
  ScheduleFacts,
} from "../../src/balances/facts.ts";
import { eachPosting } from "../../src/balances/postings.ts";
import type { Rational } from "../../src/balances/rational.ts";
import { detailText } from "../../src/resources/balance-details.ts";
import { DEFAULT_RULES } from "../../src/resources/policies.ts";
import { parseDay } from "../../src/time/day.ts";

export function day(text: string): number {
  const parsed = parseDay(text);
  if (parsed === null) throw new Error(`${text} is not a day`);
  return parsed;
}

/** `2024-03-11/2024-05-20`, both included. */
export function range(text: string): DayRange {
  const [first, last] = text.split("/");
  return { first: day(first!), last: day(last!) };
}

/** Bits of the days of the week, Monday first. */
export const MON_TO_FRI = 0b0011111;

interface Outline {
  readonly policy: PolicyFacts;
  readonly assigned: string;
  readonly assignmentEnds?: string;
  readonly ownAmount?: number;
  readonly serviceFrom?: string;
  readonly pauses?: readonly string[];
  readonly gaps?: readonly string[];
  readonly rates?: readonly Rate[];
  readonly grantsExpireAfterMonths?: number;
  readonly carryoverKeepsMinutes?: number;
  readonly workDays?: number;
  readonly schedules?: readonly ScheduleFacts[];
  /** Of the workplace. */
  readonly holidays?: readonly HolidayFacts[];
  readonly starts?: string;
  readonly ends?: string | null;
  readonly adjustments?: readonly AdjustmentFacts[];
  readonly workedHours?: readonly DayMinutes[];
  readonly requests?: readonly RequestFacts[];
  readonly opening?: OpeningFacts;
  readonly movesFrom?: BalanceFacts;
  readonly movesOn?: string;
}

/** The worker starts on 2000-01-01, so the coverage begins on the assignment day, and nothing ends. */
export function factsOf(outline: Outline): BalanceFacts {
  return {
    assignment: {
      assignedOn: day(outline.assigned),
      endsOn: outline.assignmentEnds ? day(outline.assignmentEnds) : null,
      minutesPerPeriod: outline.ownAmount ?? null,
      serviceFrom: outline.serviceFrom ? day(outline.serviceFrom) : null,
      pauses: (outline.pauses ?? []).map(range),
      gaps: (outline.gaps ?? []).map(range),
      rates: outline.rates ?? [],
      grantsExpireAfterMonths: outline.grantsExpireAfterMonths ?? null,
      carryoverKeepsMinutes: outline.carryoverKeepsMinutes ?? null,
    },
    policy: outline.policy,
    worker: {
      startDate: day(outline.starts ?? "2000-01-01"),
      endDate: outline.ends ? day(outline.ends) : null,
      workDays: outline.workDays ?? null,
      schedules: outline.schedules ?? [],
      holidays: outline.holidays ?? [],
    },
    adjustments: outline.adjustments ?? [],
    workedHours: outline.workedHours ?? [],
    requests: outline.requests ?? [],
    opening: outline.opening ?? null,
    movesFrom: outline.movesFrom ?? null,
    movesOn: outline.movesOn ? day(outline.movesOn) : null,
  };
}

const NO_NUMBERS = { minutesPerPeriod: null, minutesPerChunk: null, hoursWorkedPerChunk: null };

export function monthly(minutesPerPeriod: number, rules: Partial<PolicyRules> = {}): PolicyFacts {
  return {
    ...NO_NUMBERS,
    schedule: "monthly",
    minutesPerPeriod,
    isUnlimited: false,
    rules: { ...DEFAULT_RULES, ...rules },
    changes: [],
  };
}

export function yearly(minutesPerPeriod: number, rules: Partial<PolicyRules> = {}): PolicyFacts {
  return { ...monthly(minutesPerPeriod, rules), schedule: "yearly" };
}

export function perHourWorked(
  minutesPerChunk: number,
  hoursWorkedPerChunk: number,
  rules: Partial<PolicyRules> = {},
): PolicyFacts {
  return {
    ...NO_NUMBERS,
    schedule: "per_hour_worked",
    minutesPerChunk,
    hoursWorkedPerChunk,
    isUnlimited: false,
    rules: { ...DEFAULT_RULES, ...rules },
    changes: [],
  };
}

export function unlimited(): PolicyFacts {
  return { ...NO_NUMBERS, schedule: "unlimited", isUnlimited: true, rules: DEFAULT_RULES, changes: [] };
}

/** The policy with dated changes of amounts and rules. */
export function changing(
  policy: PolicyFacts,
  changes: Readonly<Record<string, Partial<PolicyRules> & { readonly amount?: number }>>,
): PolicyFacts {
  let last: PolicyTerms = policy;
  const dated = Object.entries(changes).map(([date, { amount, ...rules }]) => {
    const { minutesPerChunk, hoursWorkedPerChunk } = last;
    const minutesPerPeriod = amount ?? last.minutesPerPeriod;
    last = { minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, rules: { ...last.rules, ...rules } };
    return { from: day(date), ...last };
  });
  return { ...policy, changes: dated };
}

export interface Posting {
  readonly postedOn: number;
  readonly minutes: Rational;
  readonly kind: BalanceEntry["kind"];
  readonly unlocksOn: number;
  readonly detail: string;
}

/** All postings up to and including `until`, in order. */
export function postings(facts: BalanceFacts, until: number): Posting[] {
  const list: Posting[] = [];
  eachPosting(facts, until, (postedOn, minutes, kind, unlocksOn, detail) => {
    const shown = kind === "carryoverExpiry" || kind === "grantExpiry" ? "expiry" : kind;
    list.push({ postedOn, minutes, kind: shown, unlocksOn, detail: detailText(detail()) });
  });
  return list;
}

export function on(date: string, minutes: number): DayMinutes {
  return { day: day(date), minutes };
}

/** What was left at the end of a day. */
export function opening(date: string, minutes: number, more: Partial<OpeningFacts> = {}): OpeningFacts {
  return { day: day(date), minutes, carriedMinutes: 0, accruedMinutes: null, ...more };
}

/** A schedule from a day on: the minutes of Monday to Sunday, of one week or several. */
export function worksFrom(
  startsOn: string,
  minutesPerWeekday: string,
  fullTimeMinutesPerWeek: number | null = null,
  holidays: readonly HolidayFacts[] = [],
): ScheduleFacts {
  const weeks = minutesPerWeekday.split(";").map((week) => week.split(",").map(Number));
  return { startsOn: day(startsOn), weeks, fullTimeMinutesPerWeek, holidays };
}

export function leave(
  status: RequestFacts["status"],
  minutes: number,
  firstDay: string,
  lastDay = firstDay,
): RequestFacts {
  return { status, minutes, firstDay: day(firstDay), lastDay: day(lastDay) };
}

/** Leave with minutes of single days: `12-23:480; 12-24:240`. */
export function writtenLeave(
  firstDay: string,
  lastDay: string,
  written: Record<string, number>,
): RequestFacts {
  const dayMinutes = Object.entries(written).map(([date, minutes]) => on(date, minutes));
  const minutes = dayMinutes.reduce((sum, entry) => sum + entry.minutes, 0);
  return { ...leave("approved", minutes, firstDay, lastDay), dayMinutes };
}

/** The entries of an explanation, with their English texts. */
export function entriesOf(facts: BalanceFacts, window: BalanceWindow) {
  return explain(facts, window).map((entry) => ({ ...entry, detail: detailText(entry.detailParts) }));
}

/** The exact sums behind `balance`. */
export function sumsIn(facts: BalanceFacts, window: BalanceWindow): BalanceSums {
  return balanceSums(facts, [window])[0]!; // one for each window
}

/** `balance` with dates as text; `today` lies after every window unless it is given. */
export function balanceOn(
  facts: BalanceFacts,
  window: { today?: string; startDate?: string; endDate?: string },
): ReturnType<typeof balance> {
  return balance(facts, {
    today: day(window.today ?? window.endDate ?? "2030-01-01"),
    startDate: window.startDate === undefined ? undefined : day(window.startDate),
    endDate: window.endDate === undefined ? undefined : day(window.endDate),
  });
}
