/** Facts and windows for fast-check: a few years around New Year and leap days, where the rules meet. */
import fc from "fast-check";
import type {
  AdjustmentFacts,
  BalanceFacts,
  HolidayFacts,
  PolicyFacts,
  PolicyRules,
  RequestFacts,
  ScheduleFacts,
} from "../../src/balances/facts.ts";
import { DEFAULT_RULES } from "../../src/resources/policies.ts";
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

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Resets rules to their defaults if other rules leave no choice. */
function reset(rules: Writable<PolicyRules>, ...names: (keyof PolicyRules)[]): void {
  Object.assign(rules, Object.fromEntries(names.map((name) => [name, DEFAULT_RULES[name]])));
}

/** Avoids combinations of rules that an import refuses. */
function withoutContradictions(rules: PolicyRules, schedule: PolicyFacts["schedule"]): PolicyRules {
  const fits: Writable<PolicyRules> = { ...rules };
  if (schedule !== "yearly") reset(fits, "instalments", "firstYearWholeAfterMonths");
  if (schedule !== "per_hour_worked") reset(fits, "payPeriods");
  else {
    reset(fits, "accrualTiming", "prorate", "prorateBy", "tierFrom", "scaleWith", "roundSumOn");
    if (fits.payPeriods === null) reset(fits, "roundGrantsToMinutes");
  }
  if (fits.instalments !== "weekly" && fits.instalments !== "biweekly") reset(fits, "instalmentsFrom");
  if (!["weekly", "biweekly", "fourWeekly"].includes(fits.payPeriods ?? "")) reset(fits, "payPeriodsFrom");
  if (fits.periodAnchor === "anniversary") reset(fits, "yearStartsOn");
  if (fits.instalments !== null || !fits.prorate) reset(fits, "prorateBy", "firstYearWholeAfterMonths");
  if (fits.tiers === null) reset(fits, "tierFrom");
  if (fits.tierFrom === "sameDay") reset(fits, "prorateBy", "firstYearWholeAfterMonths");
  if (fits.tierFrom === "sameYear" && (schedule !== "yearly" || fits.instalments !== null))
    reset(fits, "tierFrom");
  if (fits.roundGrantsToMinutes !== null) reset(fits, "roundSumToMinutes");
  else reset(fits, "roundGrants");
  if (fits.roundSumToMinutes === null) reset(fits, "roundSum", "roundSumOn");
  if (fits.grantsExpireAfterMonths !== null)
    reset(fits, "carryoverExpiresAfterMonths", "carryoverExpiresAfterDays", "revalue");
  if (fits.carryoverExpiresAfterMonths !== null) reset(fits, "carryoverExpiresAfterDays");
  const expires = fits.carryoverExpiresAfterMonths !== null || fits.carryoverExpiresAfterDays !== null;
  if (!expires) reset(fits, "carryoverKeepsMinutes");
  const hasLimit = fits.carryoverLimitMinutes !== null || fits.carryoverLimitTiers !== null;
  if (!expires && !hasLimit) reset(fits, "carryoverOn");
  if (fits.scaleWith === "none") reset(fits, "revalue");
  if (fits.revalue === "weeks")
    reset(fits, "tierFrom", "firstYearWholeAfterMonths", "roundSumToMinutes", "roundSum", "roundSumOn");
  if (fits.firstYearWholeAfterMonths === null || fits.accrualTiming !== "start")
    reset(fits, "firstYearGrants");
  if (schedule === "monthly" && fits.prorateBy === "serviceMonths") reset(fits, "prorateBy");
  return fits;
}

/** Mostly at its default, so that single rules are seen too. */
const rarely = <Value>(value: fc.Arbitrary<Value>, usual: Value, weight = 2) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });

const tier = fc.record({
  months: fc.oneof(fc.integer({ min: 1, max: 48 }), fc.constantFrom(12, 13, 24)),
  minutes: amount,
});

const tiers = fc.uniqueArray(tier, { selector: ({ months }) => months, minLength: 1, maxLength: 3 });
const multiple = fc.constantFrom(1, 0.5, 15, 60, 240, 480);
const monthDay = fc.constantFrom("04-01", "04-06", "08-31", "12-31", "02-28");

const rules: fc.Arbitrary<PolicyRules> = fc.record({
  accrualTiming: fc.constantFrom("start" as const, "end" as const, "lastDay" as const),
  periodAnchor: fc.constantFrom("calendar" as const, "anniversary" as const),
  prorate: fc.boolean(),
  prorateBy: rarely(
    fc.constantFrom(
      ...(["monthsStarted", "halfMonths", "fullMonths"] as const),
      ...(["serviceMonths", "thirtieths", "startsBy:15", "startsBy:1"] as const),
    ),
    "days" as const,
  ),
  waitingPeriodDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
  instalments: rarely(
    fc.constantFrom(...(["daily", "weekly", "biweekly", "semimonthly", "quarterly", "halfYearly"] as const)),
    null,
  ),
  instalmentsFrom: anyDay,
  yearStartsOn: rarely(monthDay, "01-01"),
  tiers: rarely(tiers, null),
  tierFrom: fc.constantFrom("nextPeriod" as const, "sameDay" as const, "sameYear" as const),
  roundGrantsToMinutes: rarely(multiple, null),
  roundGrants: fc.constantFrom("nearest" as const, "up" as const, "down" as const),
  yearlyAccrualCapMinutes: rarely(amount, null),
  balanceCapMinutes: orNull(amount),
  balanceCapTiers: rarely(tiers, null),
  carryoverLimitMinutes: orNull(amount),
  carryoverLimitTiers: rarely(tiers, null),
  carryoverExpiresAfterMonths: rarely(
    fc.oneof(fc.integer({ min: 1, max: 11 }), fc.integer({ min: 12, max: 30 })),
    null,
  ),
  carryoverExpiresAfterDays: rarely(fc.integer({ min: 1, max: 500 }), null),
  carryoverKeepsMinutes: rarely(amount, null),
  carryoverOn: rarely(monthDay, null, 4),
  grantsExpireAfterMonths: rarely(fc.integer({ min: 1, max: 30 }), null, 5),
  useCapMinutes: rarely(amount, null, 5),
  roundSumToMinutes: rarely(multiple, null),
  roundSum: fc.constantFrom("nearest" as const, "up", "down", "halfUpKeep"),
  roundSumOn: fc.constantFrom("every" as const, "yearEnd" as const),
  firstYearWholeAfterMonths: rarely(fc.integer({ min: 1, max: 11 }), null, 4),
  firstYearGrants: fc.constantFrom("atOnce" as const, "monthly" as const),
  serviceCounts: rarely(fc.constant("assigned" as const), "employed" as const),
  payPeriods: rarely(
    fc.constantFrom("weekly" as const, "biweekly", "fourWeekly", "semimonthly", "monthly"),
    null,
  ),
  payPeriodsFrom: anyDay,
  scaleWith: rarely(fc.constant("share" as const), "none" as const),
  revalue: fc.constantFrom("none" as const, "remaining" as const, "weeks" as const),
  whenItEnds: rarely(fc.constant("forfeit" as const), "keep" as const),
});

const NO_NUMBERS = { minutesPerPeriod: null, minutesPerChunk: null, hoursWorkedPerChunk: null };

const periodPolicy = fc
  .record({
    schedule: fc.constantFrom("monthly" as const, "yearly" as const),
    minutesPerPeriod: amount,
    rules,
  })
  .map((policy) => ({ ...NO_NUMBERS, ...policy, isUnlimited: false, changes: [] }));

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
    changes: [],
  }));

const unlimitedPolicy = fc.constant(null).map(() => ({
  ...NO_NUMBERS,
  schedule: "unlimited" as const,
  isUnlimited: true,
  rules: DEFAULT_RULES,
  changes: [],
}));

const anyPolicy: fc.Arbitrary<PolicyFacts> = fc
  .oneof(
    { weight: 9, arbitrary: periodPolicy },
    { weight: 3, arbitrary: chunkPolicy },
    { weight: 1, arbitrary: unlimitedPolicy },
  )
  .map((policy) => ({ ...policy, rules: withoutContradictions(policy.rules, policy.schedule) }));

/** Rules that say when periods and years begin: they never change. */
const FIXED = [
  ...(["periodAnchor", "yearStartsOn", "instalments", "instalmentsFrom"] as const),
  ...(["payPeriods", "payPeriodsFrom"] as const),
];

/** A policy whose terms change once or twice, by taking some rules of another policy. */
const changedPolicy: fc.Arbitrary<PolicyFacts> = fc
  .tuple(
    anyPolicy,
    fc.uniqueArray(fc.tuple(anyDay, rules, amount, fc.boolean()), {
      selector: ([from]) => from,
      minLength: 1,
      maxLength: 2,
    }),
  )
  .map(([policy, changes]) => {
    if (policy.isUnlimited) return policy;
    const fixed = Object.fromEntries(FIXED.map((name) => [name, policy.rules[name]]));
    const dated = changes
      .sort(([a], [b]) => a - b)
      .map(([from, other, minutes, isOther]) => {
        const mixed = { ...(isOther ? other : policy.rules), ...fixed };
        const fits = withoutContradictions(mixed, policy.schedule);
        const changed = { ...fits, ...fixed };
        const byHour = policy.schedule === "per_hour_worked";
        return {
          from,
          rules: changed,
          minutesPerPeriod: byHour ? null : minutes,
          minutesPerChunk: byHour ? minutes : null,
          hoursWorkedPerChunk: policy.hoursWorkedPerChunk,
        };
      });
    // Grants that expire one by one are never revalued, under any version.
    const expire = [policy, ...dated].some((version) => version.rules.grantsExpireAfterMonths !== null);
    const plain = <T extends { readonly rules: PolicyRules }>(version: T): T =>
      expire ? { ...version, rules: { ...version.rules, revalue: "none" as const } } : version;
    return { ...plain(policy), changes: dated.map(plain) };
  });

let ids = 0;
/** With different ids, so that an explanation has only one order. */
const id = fc.constant(null).map(() => `id_${++ids}`);

export const anyAdjustment: fc.Arbitrary<AdjustmentFacts> = fc
  .record({ id, day: anyDay, minutes: signedAmount, lasts: rarely(fc.integer({ min: 1, max: 400 }), null) })
  .map(({ lasts, ...entry }) => ({
    ...entry,
    expiresOn: lasts === null || entry.minutes <= 0 ? null : entry.day + lasts,
  }));

/** Adjustments that never expire, for tests where the expiry would be lost: an opening does not have it. */
export const neverExpiring = (all: readonly AdjustmentFacts[]) =>
  all.map((entry) => ({ ...entry, expiresOn: null }));

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

/** Some requests have dayMinutes. A later change of time zone may have moved the request off those days. */
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

const rates = rarely(
  fc
    .uniqueArray(fc.record({ from: anyDay, percent: fc.constantFrom(0, 50, 80, 100, 33.3, 150) }), {
      selector: ({ from }) => from,
      minLength: 1,
      maxLength: 3,
    })
    .map((some) => some.sort((a, b) => a.from - b.from)),
  [],
  4,
);

const week = fc.constantFrom(
  [480, 480, 480, 480, 480, 0, 0],
  [240, 240, 240, 240, 240, 0, 0],
  [0, 480, 480, 0, 450.5, 120, 0],
  [0, 0, 0, 0, 0, 0, 0],
  [480, 480, 480, 480, 480, 480, 480],
);

const holidays: fc.Arbitrary<readonly HolidayFacts[]> = fc
  .uniqueArray(fc.record({ day: anyDay, minutes: rarely(fc.constantFrom(120, 240, 600), null) }), {
    selector: ({ day }) => day,
    maxLength: 12,
  })
  .map((some) => some.sort((a, b) => a.day - b.day));

const schedules: fc.Arbitrary<readonly ScheduleFacts[]> = rarely(
  fc
    .uniqueArray(
      fc.record({
        startsOn: fc.oneof(startDay, anyDay),
        weeks: fc.array(week, { minLength: 1, maxLength: 3 }),
        fullTimeMinutesPerWeek: rarely(fc.constant(null), 2400, 4),
        holidays,
      }),
      { selector: ({ startsOn }) => startsOn, minLength: 1, maxLength: 3 },
    )
    .map((some) => some.sort((a, b) => a.startsOn - b.startsOn)),
  [],
);

/** The facts of one assignment by itself. */
const plainFacts: fc.Arbitrary<BalanceFacts> = fc
  .record({
    gapsAt: fc.integer({ min: 0, max: 3 }),
    assignment: fc.record({
      assignedOn: startDay,
      endsOn: endDay,
      minutesPerPeriod: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, amount),
      serviceFrom: rarely(anyDay, null),
      pauses,
      rates,
      grantsExpireAfterMonths: rarely(fc.integer({ min: 1, max: 30 }), null, 5),
      carryoverKeepsMinutes: rarely(amount, null),
    }),
    policy: fc.oneof({ weight: 2, arbitrary: anyPolicy }, { weight: 1, arbitrary: changedPolicy }),
    worker: fc.record({
      startDate: startDay,
      endDate: endDay,
      workDays: fc.oneof(fc.constant(null), fc.constant(0b0011111), fc.integer({ min: 1, max: 127 })),
      schedules,
      holidays: rarely(holidays, [], 2),
    }),
    adjustments: fc.array(anyAdjustment, { maxLength: 5 }),
    workedHours: fc.array(fc.record({ day: anyDay, minutes: signedAmount }), { maxLength: 8 }),
    requests: fc.array(anyRequest, { maxLength: 6 }),
    opening: fc.constant(null),
    movesFrom: fc.constant(null),
    movesOn: fc.constant(null),
  })
  .map(({ gapsAt, ...facts }) => {
    // An own amount needs a policy that has the rule.
    const { grantsExpireAfterMonths, carryoverExpiresAfterMonths, carryoverExpiresAfterDays } =
      facts.policy.rules;
    const expires = carryoverExpiresAfterMonths !== null || carryoverExpiresAfterDays !== null;
    const isGap = (at: number) => ((gapsAt >> (at % 2)) & 1) === 1;
    const assignment = {
      ...facts.assignment,
      pauses: facts.assignment.pauses.filter((_, at) => !isGap(at)),
      gaps: facts.assignment.pauses.filter((_, at) => isGap(at)),
    };
    if (grantsExpireAfterMonths === null) assignment.grantsExpireAfterMonths = null;
    if (!expires) assignment.carryoverKeepsMinutes = null;
    return { ...facts, assignment };
  });

const opening = fc.record({
  day: anyDay,
  minutes: fc.oneof({ weight: 3, arbitrary: amount }, signedAmount),
  carriedShare: rarely(fc.constantFrom(0.25, 0.5, 1), 0),
  accruedMinutes: rarely(amount, null),
});

/** Some have an opening, on the day before the assignment or later. */
const openedFacts: fc.Arbitrary<BalanceFacts> = fc
  .tuple(plainFacts, rarely(opening, null))
  .map(([facts, opened]) => {
    if (opened === null || facts.policy.isUnlimited) return facts;
    const { carriedShare, ...rest } = opened;
    const day = Math.max(opened.day, facts.assignment.assignedOn - 1);
    // Hundredths, as in files; never more than the opening has.
    const carriedMinutes = Math.floor(Math.max(0, opened.minutes) * carriedShare * 100) / 100;
    return { ...facts, opening: { ...rest, day, carriedMinutes } };
  });

/** The facts of a policy whose balance moves to another one on a day. */
function movesAway(facts: BalanceFacts, to: BalanceFacts): BalanceFacts {
  const movesOn = to.assignment.assignedOn;
  const assignedOn = Math.min(facts.assignment.assignedOn, movesOn - 1);
  const isOpened = facts.opening !== null && facts.opening.day < movesOn;
  return {
    ...facts,
    assignment: { ...facts.assignment, assignedOn, endsOn: movesOn - 1 },
    worker: to.worker,
    opening: isOpened ? facts.opening : null,
    movesOn,
  };
}

/** All rules, openings and moves, some of them along several policies. */
export const allFacts: fc.Arbitrary<BalanceFacts> = fc
  .tuple(openedFacts, rarely(fc.array(openedFacts, { minLength: 1, maxLength: 3 }), []))
  .map(([facts, others]) =>
    [facts, ...others].some(({ policy }) => policy.isUnlimited) ? facts : movingFrom(others, facts),
  );

/** The facts of a policy to which the balance of the first of others moves, to which that of the next does, and so on. */
function movingFrom([next, ...others]: readonly BalanceFacts[], facts: BalanceFacts): BalanceFacts {
  return next === undefined ? facts : { ...facts, movesFrom: movingFrom(others, movesAway(next, facts)) };
}

/** The nearest of some days; the day itself if all are far away. */
function nearest(days: readonly number[], day: number): number {
  const distance = (other: number) => Math.abs(other - day);
  const [other] = days.toSorted((a, b) => distance(a) - distance(b));
  return other !== undefined && distance(other) < 120 ? other : day;
}

/** The last entry of each day, sorted. */
function oneADay<E>(entries: readonly E[], dayOf: (entry: E) => number): E[] {
  const byDay = new Map(entries.map((entry) => [dayOf(entry), entry]));
  return [...byDay].sort(([a], [b]) => a - b).map(([, entry]) => entry);
}

/** Facts whose days are moved to the nearest of a few, on one of which a year of service is over: there the rules meet. */
export const factsOnFewDays: fc.Arbitrary<{
  readonly facts: BalanceFacts;
  readonly days: readonly number[];
}> = fc.tuple(allFacts, fc.array(anyDay, { minLength: 2, maxLength: 7 })).map(([given, days]) => {
  const { assignment, policy, worker, opening } = given;
  const to = (day: number) => nearest(days, day);
  const before = (day: number | null) => day && to(day + 1) - 1;
  let free = -Infinity;
  const times = [...assignment.pauses, ...assignment.gaps].toSorted((a, b) => a.first - b.first);
  const moved = times.map(({ first, last }) => {
    const range = { first: Math.max(free, to(first)), last: to(last + 1) - 1 };
    free = Math.max(free, range.last + 1);
    return range;
  });
  const asBefore = (some: readonly object[]) =>
    moved.filter(({ first, last }, at) => first <= last && some.includes(times[at]!));
  const assignedOn = to(assignment.assignedOn);
  const facts = {
    ...given,
    movesFrom: null,
    assignment: {
      ...assignment,
      ...{ assignedOn, endsOn: before(assignment.endsOn), serviceFrom: days[0]! - 365 },
      ...{ pauses: asBefore(assignment.pauses), gaps: asBefore(assignment.gaps) },
      rates: oneADay(
        assignment.rates.map((rate) => ({ ...rate, from: to(rate.from) })),
        ({ from }) => from,
      ),
    },
    policy: {
      ...policy,
      changes: oneADay(
        policy.changes.map((change) => ({ ...change, from: to(change.from) })),
        ({ from }) => from,
      ),
    },
    worker: {
      ...worker,
      ...{ startDate: to(worker.startDate), endDate: before(worker.endDate) },
      schedules: oneADay(
        worker.schedules.map((schedule) => ({ ...schedule, startsOn: to(schedule.startsOn) })),
        ({ startsOn }) => startsOn,
      ),
    },
    adjustments: given.adjustments.map(({ expiresOn = null, ...entry }) => {
      const day = to(entry.day);
      return { ...entry, day, expiresOn: expiresOn && Math.max(to(expiresOn), day + 1) };
    }),
    workedHours: given.workedHours.map((entry) => ({ ...entry, day: to(entry.day) })),
    opening: opening && { ...opening, day: Math.max(to(opening.day), assignedOn - 1) },
  };
  return { facts, days };
});

/** Facts with only the older rules, for which properties are stated. */
export const anyFacts: fc.Arbitrary<BalanceFacts> = plainFacts.map((facts) => {
  const rules: Writable<PolicyRules> = { ...facts.policy.rules };
  reset(rules, "payPeriods", "scaleWith", "revalue", "roundSumToMinutes", "firstYearWholeAfterMonths");
  reset(rules, "grantsExpireAfterMonths", "carryoverKeepsMinutes", "carryoverOn", "useCapMinutes");
  reset(rules, "balanceCapTiers", "carryoverLimitTiers", "serviceCounts");
  if (rules.instalments === "daily") reset(rules, "instalments");
  if (!["days", "monthsStarted", "fullMonths"].includes(rules.prorateBy)) reset(rules, "prorateBy");
  reset(rules, "whenItEnds", "firstYearGrants");
  if (rules.tierFrom === "sameYear") reset(rules, "tierFrom");
  if ((rules.carryoverExpiresAfterMonths ?? 0) > 11) reset(rules, "carryoverExpiresAfterMonths");
  if ((rules.carryoverExpiresAfterDays ?? 0) > 364) reset(rules, "carryoverExpiresAfterDays");
  const none = { rates: [], grantsExpireAfterMonths: null, carryoverKeepsMinutes: null };
  return {
    ...facts,
    assignment: { ...facts.assignment, ...none },
    worker: { ...facts.worker, schedules: [] },
    policy: { ...facts.policy, rules: withoutContradictions(rules, facts.policy.schedule), changes: [] },
  };
});
