/** Facts and windows for fast-check: a few years around New Year and leap days, where the rules meet. */
import fc from "fast-check";
import {
  type AdjustmentFacts,
  type BalanceFacts,
  DEFAULT_RULES,
  type PolicyFacts,
  type PolicyRules,
  type RequestFacts,
} from "../../src/balances/facts.ts";
import { day } from "./builders.ts";

const FIRST = day("2019-06-01");
const LAST = day("2023-06-30");

/** Days cluster around the ends of months and years, so that facts meet on them. */
export const anyDay: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: FIRST, max: LAST }),
  fc
    .tuple(
      fc.constantFrom("2019-12-31", "2020-01-31", "2020-02-29", "2020-12-31", "2021-01-31", "2021-12-31"),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([date, offset]) => day(date) + offset),
);

const amount = fc.oneof(
  fc.integer({ min: 0, max: 3000 }),
  fc.integer({ min: 0, max: 300_000 }).map((hundredths) => hundredths / 100),
  fc.constantFrom(83.33333333333333, 433.33, 0.1, 0.005, 1e-7, 2.3076923),
);

const signedAmount = fc.oneof(
  amount,
  amount.map((minutes) => 0 - minutes),
);

const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2, nil: null });

/** Mostly early, so that most covers have years to run. */
const startDay = fc.oneof({ weight: 3, arbitrary: anyDay.map((at) => FIRST + ((at - FIRST) >> 2)) }, anyDay);
/** Mostly late. */
export const lateDay = fc.oneof(
  { weight: 3, arbitrary: anyDay.map((at) => LAST - ((LAST - at) >> 2)) },
  anyDay,
);
const endDay = orNull(lateDay);

/** What remains beside a rule that leaves no other choice: a combination that the import refuses never occurs. */
function withoutContradictions(rules: PolicyRules, schedule: PolicyFacts["schedule"]): PolicyRules {
  const fits = { ...rules } as { -readonly [Rule in keyof PolicyRules]: PolicyRules[Rule] }; // a copy to write to
  if (schedule !== "yearly") fits.instalments = null;
  if (schedule === "per_hour_worked") {
    const { accrualTiming, prorate, prorateBy, tiers, tierFrom, roundGrantsToMinutes, roundGrants } =
      DEFAULT_RULES;
    Object.assign(fits, {
      accrualTiming,
      prorate,
      prorateBy,
      tiers,
      tierFrom,
      roundGrantsToMinutes,
      roundGrants,
    });
  }
  if (fits.instalments !== "weekly" && fits.instalments !== "biweekly") fits.instalmentsFrom = null;
  if (fits.periodAnchor === "anniversary") fits.yearStartsOn = "01-01";
  if (fits.instalments !== null || !fits.prorate) fits.prorateBy = "days";
  if (fits.tiers === null) fits.tierFrom = "nextPeriod";
  if (fits.tierFrom === "sameDay") fits.prorateBy = "days";
  if (fits.roundGrantsToMinutes === null) fits.roundGrants = "nearest";
  if (fits.carryoverExpiresAfterMonths !== null) fits.carryoverExpiresAfterDays = null;
  return fits;
}

/** Mostly at its default, so that single rules are seen too. */
const rarely = <Value>(value: fc.Arbitrary<Value>, usual: Value) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });

const tier = fc.record({
  months: fc.oneof(fc.integer({ min: 1, max: 48 }), fc.constantFrom(12, 13, 24)),
  minutes: amount,
});

/** Rules that the model does not know are at their defaults. */
function constants<T extends object>(values: T): { readonly [K in keyof T]: fc.Arbitrary<T[K]> } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fc.constant(value)])) as {
    readonly [K in keyof T]: fc.Arbitrary<T[K]>;
  }; // the same keys
}

const rules: fc.Arbitrary<PolicyRules> = fc.record({
  ...constants(DEFAULT_RULES),
  accrualTiming: fc.constantFrom("start" as const, "end" as const, "lastDay" as const),
  periodAnchor: fc.constantFrom("calendar" as const, "anniversary" as const),
  prorate: fc.boolean(),
  prorateBy: rarely(fc.constantFrom("monthsStarted" as const, "fullMonths" as const), "days" as const),
  waitingPeriodDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
  instalments: rarely(
    fc.constantFrom(...(["weekly", "biweekly", "semimonthly", "quarterly", "halfYearly"] as const)),
    null,
  ),
  instalmentsFrom: anyDay,
  yearStartsOn: rarely(fc.constantFrom("04-01", "04-06", "08-31", "12-31", "02-28"), "01-01"),
  tiers: rarely(fc.uniqueArray(tier, { selector: ({ months }) => months, minLength: 1, maxLength: 3 }), null),
  tierFrom: fc.constantFrom("nextPeriod" as const, "sameDay" as const),
  roundGrantsToMinutes: rarely(fc.constantFrom(1, 0.5, 15, 60, 240, 480), null),
  roundGrants: fc.constantFrom("nearest" as const, "up" as const, "down" as const),
  yearlyAccrualCapMinutes: rarely(amount, null),
  balanceCapMinutes: orNull(amount),
  carryoverLimitMinutes: orNull(amount),
  carryoverExpiresAfterMonths: rarely(fc.integer({ min: 1, max: 11 }), null),
  carryoverExpiresAfterDays: rarely(fc.integer({ min: 1, max: 364 }), null),
});

const NO_NUMBERS = { minutesPerPeriod: null, minutesPerChunk: null, hoursWorkedPerChunk: null };

const periodPolicy = fc
  .record({
    schedule: fc.constantFrom("monthly" as const, "yearly" as const),
    minutesPerPeriod: amount,
    rules,
  })
  .map((policy) => ({ ...NO_NUMBERS, ...policy, isUnlimited: false }));

const chunkPolicy = fc
  .record({
    minutesPerChunk: amount,
    hoursWorkedPerChunk: fc.constantFrom(1, 7.5, 17, 30, 40, 173.33),
    rules,
  })
  .map((policy) => ({
    ...NO_NUMBERS,
    ...policy,
    schedule: "per_hour_worked" as const,
    isUnlimited: false,
  }));

const unlimitedPolicy = fc
  .constant(null)
  .map(() => ({ ...NO_NUMBERS, schedule: "unlimited" as const, isUnlimited: true, rules: DEFAULT_RULES }));

export const anyPolicy: fc.Arbitrary<PolicyFacts> = fc
  .oneof(
    { weight: 9, arbitrary: periodPolicy },
    { weight: 3, arbitrary: chunkPolicy },
    { weight: 1, arbitrary: unlimitedPolicy },
  )
  .map((policy) => ({ ...policy, rules: withoutContradictions(policy.rules, policy.schedule) }));

let ids = 0;
/** Ids differ, so that an explanation has one order. */
const id = fc.constant(null).map(() => `id_${++ids}`);

export const anyAdjustment: fc.Arbitrary<AdjustmentFacts> = fc.record({
  id,
  day: anyDay,
  minutes: signedAmount,
});

const spreadRequest: fc.Arbitrary<RequestFacts> = fc
  .record({
    id,
    status: fc.constantFrom("pending" as const, "approved" as const, "denied" as const),
    firstDay: anyDay,
    extraDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
    minutes: amount,
  })
  .map(({ extraDays, ...request }) => ({
    ...request,
    lastDay: request.firstDay + extraDays,
  }));

/** Some of the days have minutes written; a later change of the time zone may have moved the request off them. */
const writtenRequest: fc.Arbitrary<RequestFacts> = fc
  .tuple(
    spreadRequest,
    fc.uniqueArray(
      fc.record({ offset: fc.integer({ min: 0, max: 40 }), minutes: fc.integer({ min: 0, max: 960 }) }),
      {
        selector: ({ offset }) => offset,
        minLength: 1,
        maxLength: 6,
      },
    ),
    fc.constantFrom(0, 0, 0, 1, -1),
  )
  .map(([request, written, moved]) => ({
    ...request,
    lastDay: request.firstDay + 40,
    minutes: written.reduce((sum, { minutes }) => sum + minutes, 0),
    dayMinutes: written
      .map(({ offset, minutes }) => ({ day: request.firstDay + offset + moved, minutes }))
      .sort((a, b) => a.day - b.day),
  }));

export const anyRequest = fc.oneof(
  { weight: 3, arbitrary: spreadRequest },
  { weight: 1, arbitrary: writtenRequest },
);

/** Pauses that do not overlap; some touch, some lie outside of the coverage. */
const pauses = rarely(
  fc
    .tuple(
      anyDay,
      fc.array(fc.record({ gap: fc.integer({ min: 0, max: 200 }), days: fc.integer({ min: 1, max: 200 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    .map(([start, lengths]) => {
      let next = start;
      return lengths.map(({ gap, days }) => {
        const first = next + gap;
        next = first + days;
        return { first, last: next - 1 };
      });
    }),
  [],
);

export const anyFacts: fc.Arbitrary<BalanceFacts> = fc.record({
  assignment: fc.record({
    assignedOn: startDay,
    endsOn: endDay,
    minutesPerPeriod: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, amount),
    serviceFrom: rarely(anyDay, null),
    pauses,
    rates: fc.constant([]),
    grantsExpireAfterMonths: fc.constant(null),
    carryoverKeepsMinutes: fc.constant(null),
  }),
  policy: anyPolicy,
  worker: fc.record({
    startDate: startDay,
    endDate: endDay,
    workDays: fc.oneof(fc.constant(null), fc.constant(0b0011111), fc.integer({ min: 1, max: 127 })),
    schedules: fc.constant([]),
  }),
  adjustments: fc.array(anyAdjustment, { maxLength: 5 }),
  workedHours: fc.array(fc.record({ day: anyDay, minutes: signedAmount }), { maxLength: 8 }),
  requests: fc.array(anyRequest, { maxLength: 6 }),
  opening: fc.constant(null),
  movesFrom: fc.constant(null),
  movesOn: fc.constant(null),
});
