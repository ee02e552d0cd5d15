/**
 * Cases that others have computed: the tests of other systems, and statutes. A row says what is imported and what there
 * must be on some days. Amounts are in the units of the case, days of 480 minutes unless it says another.
 */
import type { BalanceFacts, PolicyFacts, PolicyRules, Rate } from "../../../src/balances/facts.ts";
import { DEFAULT_RULES } from "../../../src/resources/policies.ts";
import { balanceOn, changing, day, factsOf, leave, on, opening, worksFrom } from "../builders.ts";

export const DAY = 480;
export const HOUR = 60;

/** First and last day, the amount, and whether somebody still has to approve it. */
export type Leave = readonly [first: string, last: string, amount: number, status?: "pending"];

/** Rules by name; as an import has them. */
type Rules = Readonly<Record<string, unknown>>;

interface Amounts {
  readonly [day: string]: number;
}

/** An assignment to a policy. */
export interface Terms {
  /** Exactly one of the three: what a month or a year grants, or an amount for so many hours worked. */
  readonly monthly?: number;
  readonly yearly?: number;
  readonly perHours?: readonly [amount: number, hours: number];
  readonly rules?: Rules;
  /** By the day from which they hold: other rules, and another amount. */
  readonly changes?: Readonly<Record<string, Rules & { readonly amount?: number }>>;
  readonly assigned: string;
  readonly assignmentEnds?: string;
  readonly ownAmount?: number;
  readonly serviceFrom?: string;
  readonly pauses?: readonly string[];
  readonly gaps?: readonly string[];
  /** `2026-03-01:80%; 2026-07-01:100%` */
  readonly rates?: string;
}

export interface Case extends Terms {
  /** The test, or the section of the law. */
  readonly source: string;
  readonly title?: string;
  readonly unit?: number;
  /** The worker's first and last day. */
  readonly starts?: string;
  readonly ends?: string;
  readonly workDays?: number;
  /** The day from which a week holds, its minutes from Monday to Sunday, and those of full time. */
  readonly schedules?: readonly (readonly [startsOn: string, minutesPerWeekday: string, fullTime: number])[];
  readonly opening?: readonly [day: string, amount: number];
  readonly adjustments?: Amounts;
  /** In hours. */
  readonly worked?: Amounts;
  readonly leave?: readonly Leave[];

  /** What has been granted by the end of a day, what is left of it, and what has been taken. */
  readonly granted?: Amounts;
  readonly left?: Amounts;
  readonly taken?: Amounts;
  /** What may be used on a day, with all leave that is booked or asked for. */
  readonly available?: Amounts;
  /** Decimals of the expected numbers. */
  readonly places?: number;
}

/** A case that the rules cannot say, and why. */
export interface Unsayable {
  readonly source: string;
  readonly why: string;
}

export interface Suite {
  readonly cases: readonly Case[];
  readonly unsayable: readonly Unsayable[];
}

function policyOf(terms: Terms, unit: number): PolicyFacts {
  const { monthly, yearly, perHours, rules, changes = {} } = terms;
  const perPeriod = monthly ?? yearly;
  const policy: PolicyFacts = {
    schedule: monthly !== undefined ? "monthly" : yearly !== undefined ? "yearly" : "per_hour_worked",
    minutesPerPeriod: perPeriod === undefined ? null : perPeriod * unit,
    minutesPerChunk: perHours === undefined ? null : perHours[0] * unit,
    hoursWorkedPerChunk: perHours === undefined ? null : perHours[1],
    isUnlimited: false,
    rules: { ...DEFAULT_RULES, ...(rules as Partial<PolicyRules>) }, // rows that need others wait
    changes: [],
  };
  const dated = Object.entries(changes).map(([from, { amount, ...other }]) => [
    from,
    { ...(other as Partial<PolicyRules>), ...(amount !== undefined && { amount: amount * unit }) },
  ]);
  return changing(policy, Object.fromEntries(dated));
}

/** `2026-03-01:80%` */
function rateOf(text: string): Rate {
  const [from, percent] = text.split(":");
  return { from: day(from!), percent: Number.parseFloat(percent!) };
}

export function factsOfCase(row: Case): BalanceFacts {
  const { unit = DAY, opening: opened, rates, schedules, ownAmount, changes: _, ...outline } = row;
  const entries = (amounts: Amounts = {}, minutes: number) =>
    Object.entries(amounts).map(([date, amount]) => on(date, amount * minutes));
  return factsOf({
    ...outline,
    ...(opened !== undefined && { opening: opening(opened[0], opened[1] * unit) }),
    rates: (rates ?? "").split("; ").filter(Boolean).map(rateOf),
    schedules: (schedules ?? []).map((one) => worksFrom(...one)),
    policy: policyOf(row, unit),
    ...(ownAmount !== undefined && { ownAmount: ownAmount * unit }),
    adjustments: entries(row.adjustments, unit),
    workedHours: entries(row.worked, HOUR),
    requests: (row.leave ?? []).map(([first, last, amount, status]) =>
      leave(status ?? "approved", amount * unit, first, last),
    ),
  });
}

/** What the row expects and what there is, by name and day. */
export function compareCase(row: Case): { readonly expected: unknown; readonly shown: unknown } {
  const facts = factsOfCase(row);
  const { unit = DAY, places = 2 } = row;
  const round = (minutes: number) => Math.round((minutes / unit) * 10 ** places) / 10 ** places;
  const { granted = {}, left = {}, taken = {}, available = {} } = row;
  const read = (amounts: Amounts, number: (date: string) => number) =>
    Object.fromEntries(Object.keys(amounts).map((date) => [date, round(number(date))]));
  const at = (endDate: string) => balanceOn(facts, { endDate });
  const accrued = (date: string) => at(date).accruedLocked + at(date).accruedUnlocked;
  return {
    expected: { granted, left, taken, available },
    shown: {
      granted: read(granted, accrued),
      left: read(left, (date) => accrued(date) - at(date).used),
      taken: read(taken, (date) => at(date).used),
      available: read(available, (today) => balanceOn(facts, { today }).available),
    },
  };
}
