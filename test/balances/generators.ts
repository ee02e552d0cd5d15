/** Facts and windows for fast-check: a few years around New Year and leap days, where the rules meet. */
import fc from "fast-check";
import type { BalanceFacts, DayMinutes, PolicyFacts, RequestFacts } from "../../src/balances/facts.ts";
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

const rules = fc.record({
  accrualTiming: fc.constantFrom("start" as const, "end" as const),
  periodAnchor: fc.constantFrom("calendar" as const, "anniversary" as const),
  prorate: fc.boolean(),
  waitingPeriodDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
  carryoverLimitMinutes: orNull(amount),
  balanceCapMinutes: orNull(amount),
});

const periodPolicy = fc.record({
  schedule: fc.constantFrom("monthly" as const, "yearly" as const),
  minutesPerPeriod: amount,
  minutesPerChunk: fc.constant(null),
  hoursWorkedPerChunk: fc.constant(null),
  isUnlimited: fc.constant(false),
  rules,
});

const chunkPolicy = fc.record({
  schedule: fc.constant("per_hour_worked" as const),
  minutesPerPeriod: fc.constant(null),
  minutesPerChunk: amount,
  hoursWorkedPerChunk: fc.constantFrom(1, 7.5, 17, 30, 40, 173.33),
  isUnlimited: fc.constant(false),
  rules,
});

const unlimitedPolicy = fc.record({
  schedule: fc.constant("unlimited" as const),
  minutesPerPeriod: fc.constant(null),
  minutesPerChunk: fc.constant(null),
  hoursWorkedPerChunk: fc.constant(null),
  isUnlimited: fc.constant(true),
  rules,
});

const anyPolicy: fc.Arbitrary<PolicyFacts> = fc.oneof(
  { weight: 8, arbitrary: periodPolicy },
  { weight: 4, arbitrary: chunkPolicy },
  { weight: 1, arbitrary: unlimitedPolicy },
);

export const anyAdjustment: fc.Arbitrary<DayMinutes> = fc.record({ day: anyDay, minutes: signedAmount });

export const anyRequest: fc.Arbitrary<RequestFacts> = fc
  .record({
    status: fc.constantFrom("pending" as const, "approved" as const, "denied" as const),
    firstDay: anyDay,
    extraDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
    minutes: amount,
  })
  .map(({ status, firstDay, extraDays, minutes }) => {
    return { status, firstDay, lastDay: firstDay + extraDays, minutes };
  });

export const anyFacts: fc.Arbitrary<BalanceFacts> = fc.record({
  assignment: fc.record({ assignedOn: startDay, endsOn: endDay }),
  policy: anyPolicy,
  worker: fc.record({ startDate: startDay, endDate: endDay }),
  adjustments: fc.array(anyAdjustment, { maxLength: 5 }),
  workedHours: fc.array(fc.record({ day: anyDay, minutes: signedAmount }), { maxLength: 8 }),
  requests: fc.array(anyRequest, { maxLength: 6 }),
});
