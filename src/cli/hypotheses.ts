// Why another system reports another balance (`rollcall reconcile`). Each hypothesis is a rule that it may have; we compute with that rule.
import { approved, balance, closingOf } from "../balances/balance.ts";
import type { BalanceFacts, PolicyRules } from "../balances/facts.ts";
import { lastYearBoundary } from "../balances/periods.ts";
import { addMonths, type Day, firstOfMonth, formatDay } from "../time/day.ts";

/** A balance, and the figure that another system reports for it. */
export interface ReportedOtherwise {
  readonly facts: BalanceFacts;
  readonly day: Day;
  /** The reported figure, in hundredths of a minute. */
  readonly theirs: number;
}

/** Unlocked accrued time less used time at the end of a day, in hundredths of a minute; null before the opening. */
export function balanceAt(facts: BalanceFacts, day: Day): number | null {
  if (facts.opening !== null && facts.opening.day > day) return null;
  const { accruedUnlocked, used } = balance(facts, { today: day, endDate: day });
  return Math.round(accruedUnlocked * 100) - Math.round(used * 100);
}

/** Values that would give the reported figures of the most balances: amounts and limits in minutes. */
interface Proposed {
  readonly amounts: readonly number[];
  readonly limits: readonly number[];
  /** Percentages of leave that the other system counts. */
  readonly percentages: readonly number[];
}

/** The hypotheses that give the reported figure of a balance, and those that give another one. */
export interface Tried {
  readonly explain: ReadonlySet<string>;
  readonly contradict: ReadonlySet<string>;
}

/** This many balances are tried with every hypothesis. The others are tried only with hypotheses that explained one of these. */
const TRIED_FIRST = 300;
/** At most this many values of each kind are tried. */
const PROPOSED = 3;

/**
 * Tries hypotheses on balances of one policy: on those that differ, and on some that agree. Figures within the tolerance, in hundredths of
 * a minute, count as equal.
 */
export function tryHypotheses(
  differing: readonly ReportedOtherwise[],
  agreeing: readonly ReportedOtherwise[],
  tolerance: number,
): { readonly differing: readonly Tried[]; readonly agreeing: readonly Tried[] } {
  const begun = differing.slice(0, TRIED_FIRST);
  const proposed = {
    amounts: commonest(begun.map(amountFor)),
    limits: commonest(begun.map(limitFor)),
    percentages: commonest(begun.map(percentageFor)),
  };
  const first = begun.map((each) => tryWith(each, proposed, tolerance, null));
  const likely = new Set(first.flatMap(({ explain }) => [...explain]));
  const tryLikely = (each: ReportedOtherwise) => tryWith(each, proposed, tolerance, likely);
  return {
    differing: [...first, ...differing.slice(TRIED_FIRST).map(tryLikely)],
    agreeing: agreeing.map(tryLikely),
  };
}

/** The most frequent values, each of which occurs at least twice. */
function commonest(values: readonly (number | null)[]): number[] {
  const counts = new Map<number, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const often = [...counts].filter(([, count]) => count > 1).toSorted(([, a], [, b]) => b - a);
  return often.slice(0, PROPOSED).map(([value]) => value);
}

function tryWith(
  reported: ReportedOtherwise,
  proposed: Proposed,
  tolerance: number,
  likely: ReadonlySet<string> | null,
): Tried {
  const explain = new Set<string>();
  const contradict = new Set<string>();
  for (const [named, facts, day = reported.day] of hypotheses(reported, proposed)) {
    const causes = [named].flat().filter((cause) => likely === null || likely.has(cause));
    if (causes.length === 0) continue;
    const figure = typeof facts === "number" ? facts : balanceAt(facts, day);
    const isSame = figure !== null && Math.abs(figure - reported.theirs) <= tolerance;
    for (const cause of causes) (isSame ? explain : contradict).add(cause);
  }
  return { explain, contradict: contradict.difference(explain) };
}

/** Possible causes of a figure. The figure is in hundredths of a minute, or computed from facts, at the end of `day` if given. */
type Hypothesis = readonly [causes: string | string[], figure: number | BalanceFacts, day?: Day];

/** The simplest hypotheses come first. */
function* hypotheses(reported: ReportedOtherwise, proposed: Proposed): Generator<Hypothesis> {
  yield* otherUnits(reported);
  yield* roundedFigures(reported);
  yield* otherFacts(reported, proposed);
  yield* otherYearEnds(reported, proposed);
  yield* otherGrants(reported, proposed);
  yield* withOther(reported.facts, EXPIRY_RULES);
  yield* otherDays(reported);
}

const UNITS = [
  ["hours", 60],
  ["days of 8 hours", 480],
] as const;

/** Units other than minutes. The reported number has two decimals, so ours may differ by half of the last one. */
function* otherUnits({ facts, day, theirs }: ReportedOtherwise): Generator<Hypothesis> {
  const ours = balanceAt(facts, day);
  if (ours === null) return;
  for (const [unit, minutes] of UNITS) {
    const isOurs = Math.abs(ours - theirs * minutes) <= minutes / 2;
    yield [`their figure is in ${unit}, not minutes?`, isOurs ? theirs : Infinity]; // an exact match, since the tolerance is in minutes
  }
}

const ROUNDED_TO = [30, 60, 240, 480];

function* roundedFigures({ facts, day }: ReportedOtherwise): Generator<Hypothesis> {
  const ours = balanceAt(facts, day);
  if (ours === null) return;
  for (const minutes of ROUNDED_TO) {
    const unit = minutes * 100;
    const multiple = `multiple of ${minutes} minutes?`;
    yield [`their figure is rounded to the nearest ${multiple}`, Math.round(ours / unit) * unit];
    yield [`their figure is rounded up to a ${multiple}`, Math.ceil(ours / unit) * unit];
    yield [`their figure is rounded down to a ${multiple}`, Math.floor(ours / unit) * unit];
  }
}

function* otherFacts({ facts, day }: ReportedOtherwise, { percentages }: Proposed): Generator<Hypothesis> {
  const { requests, adjustments, worker, assignment } = facts;
  const pending = requests.filter(({ status, firstDay }) => status === "pending" && firstDay <= day);
  if (pending.length > 0)
    yield ["pending leave is taken off there?", { ...facts, requests: requests.map(approved) }];
  const booked = balance(facts, { today: day });
  const lessBooked = Math.round(booked.accruedUnlocked * 100) - Math.round(booked.used * 100);
  yield ["leave of later days is taken off there?", lessBooked];
  yield [
    "leave of later days and pending leave are taken off there?",
    lessBooked - Math.round(booked.holds * 100),
  ];
  yield ["time that is still locked counts there?", closingOf(facts, day)];
  yield* otherOpenings(facts);
  if (facts.movesFrom !== null)
    yield ["nothing moves from another policy there?", { ...facts, movesFrom: null }];
  for (const percentage of percentages)
    yield [`leave counts ${percentage}% there?`, withLeave(facts, percentage / 100)];
  for (const request of requests) {
    if (request.status !== "approved" || request.firstDay > day) continue;
    const others = requests.filter((other) => other !== request);
    const on = formatDay(request.firstDay);
    yield [[`without our leave of ${on}?`, "without some leave of ours?"], { ...facts, requests: others }];
    yield [
      [`our leave of ${on} is twice there?`, "some leave of ours is twice there?"],
      { ...facts, requests: [...requests, request] },
    ];
  }
  for (const adjustment of adjustments) {
    if (adjustment.day > day) continue;
    const others = adjustments.filter((other) => other !== adjustment);
    yield [`without our adjustment of ${formatDay(adjustment.day)}?`, { ...facts, adjustments: others }];
  }
  if (adjustments.some((adjustment) => adjustment.day <= day))
    yield ["without our adjustments?", { ...facts, adjustments: [] }];
  if (assignment.assignedOn > worker.startDate) {
    const assignedOn = worker.startDate;
    yield [
      "grants begin with the employment there?",
      { ...facts, assignment: { ...assignment, assignedOn } },
    ];
  }
  if (assignment.pauses.length > 0)
    yield ["without our pauses?", { ...facts, assignment: { ...assignment, pauses: [] } }];
  if (worker.endDate !== null || assignment.endsOn !== null)
    yield [
      "grants go on there after the last day?",
      { ...facts, worker: { ...worker, endDate: null }, assignment: { ...assignment, endsOn: null } },
    ];
}

function* otherOpenings(facts: BalanceFacts): Generator<Hypothesis> {
  const { opening } = facts;
  if (opening === null) return;
  yield ["without our opening?", { ...facts, opening: null }];
  const month = firstOfMonth(opening.day);
  const days = [
    ["the day before", opening.day - 1],
    ["the day after", opening.day + 1],
    ["the end of the month before", month - 1],
    ["the end of its month", addMonths(month, 1) - 1],
  ] as const;
  for (const [name, day] of days)
    yield [`our opening is of ${name} there?`, { ...facts, opening: { ...opening, day } }];
}

function* otherDays({ facts, day }: ReportedOtherwise): Generator<Hypothesis> {
  const month = firstOfMonth(day);
  yield ["their figure is of the end of the month before?", facts, month - 1];
  yield ["their figure is of the end of the month?", facts, addMonths(month, 1) - 1];
  yield ["their figure is of the day before?", facts, day - 1];
  yield ["their figure is of the day after?", facts, day + 1];
  yield [
    "their figure is of the end of the leave year?",
    facts,
    addMonths(lastYearBoundary(facts, day), 12) - 1,
  ];
}

/** Rules that another system may have: the question, rules of which at least one must differ from ours, and rules that go with them. */
type OtherRules = readonly [cause: string, other: Partial<PolicyRules>, also?: Partial<PolicyRules>];

const rule = (...rules: OtherRules) => rules;

const PARTS = ["days", "thirtieths", "monthsStarted", "halfMonths", "fullMonths", "serviceMonths"] as const;
const UNROUNDED = { roundGrantsToMinutes: null, roundSumToMinutes: null };
const UNEXPIRING = { carryoverExpiresAfterMonths: null, carryoverExpiresAfterDays: null };
const MONTHS = Array.from({ length: 12 }, (_, at) => at + 1);

const GRANT_RULES: readonly OtherRules[] = [
  ["grants come at the start of a period there?", { accrualTiming: "start" }],
  ["grants come after the end of a period there?", { accrualTiming: "end" }],
  ["grants come on the last day of a period there?", { accrualTiming: "lastDay" }],
  ["a part of a period is granted whole there?", { prorate: false }],
  ...PARTS.map((prorateBy) =>
    rule(
      `"prorateBy": "${prorateBy}" there?`,
      { prorate: true, prorateBy },
      { firstYearWholeAfterMonths: null },
    ),
  ),
  ...[3, 6].map((months) =>
    rule(`a first year that is whole after ${months} months there?`, { firstYearWholeAfterMonths: months }),
  ),
  ["no first year there?", { firstYearWholeAfterMonths: null }],
  ["grants are not rounded there?", UNROUNDED],
  ...ROUNDED_TO.flatMap((minutes) => {
    const rounded = { ...UNROUNDED, roundGrantsToMinutes: minutes };
    const multiple = `multiple of ${minutes} minutes there?`;
    return [
      rule(`grants are rounded to the nearest ${multiple}`, { ...rounded, roundGrants: "nearest" }),
      rule(`grants are rounded up to a ${multiple}`, { ...rounded, roundGrants: "up" }),
      rule(`grants are rounded down to a ${multiple}`, { ...rounded, roundGrants: "down" }),
    ];
  }),
  ["no waiting period there?", { waitingPeriodDays: 0 }],
  ...[30, 90, 180].map((days) =>
    rule(`a waiting period of ${days} days there?`, { waitingPeriodDays: days }),
  ),
  ["no tiers there?", { tiers: null }],
  ['"scaleWith": "none" there?', { scaleWith: "none" }],
  ['"scaleWith": "share" there?', { scaleWith: "share" }],
  ["no balance cap there?", { balanceCapMinutes: null, balanceCapTiers: null }],
];

const EXPIRY_RULES: readonly OtherRules[] = [
  ["grants never expire there?", { grantsExpireAfterMonths: null }],
  ...[12, 18, 24, 36].map((months) =>
    rule(`grants expire after ${months} months there?`, { grantsExpireAfterMonths: months }, UNEXPIRING),
  ),
];

const YEAR_END_RULES: readonly OtherRules[] = [
  ["what is carried over never expires there?", UNEXPIRING],
  ...MONTHS.map((months) =>
    rule(
      `what is carried over expires after ${months} ${months === 1 ? "month" : "months"} there?`,
      { carryoverExpiresAfterMonths: months },
      { carryoverExpiresAfterDays: null },
    ),
  ),
  ['"periodAnchor": "anniversary" there?', { periodAnchor: "anniversary" }],
  ['"periodAnchor": "calendar" there?', { periodAnchor: "calendar" }],
  ...MONTHS.map((month) => {
    const first = `${String(month).padStart(2, "0")}-01`;
    return rule(`the leave year begins on ${first} there?`, {
      yearStartsOn: first,
      periodAnchor: "calendar",
    });
  }),
];

/** Hypotheses of rules that differ from ours, either now or after a change of ours. */
function* withOther(facts: BalanceFacts, all: readonly OtherRules[]): Generator<Hypothesis> {
  const ours = [facts.policy.rules, ...facts.policy.changes.map(({ rules }) => rules)];
  for (const [cause, other, also] of all) {
    const names = Object.keys(other) as (keyof PolicyRules)[];
    if (ours.some((rules) => names.some((name) => rules[name] !== other[name])))
      yield [cause, withRules(facts, { ...other, ...also })];
  }
}

function* otherGrants({ facts }: ReportedOtherwise, { amounts }: Proposed): Generator<Hypothesis> {
  const { policy, assignment } = facts;
  if (policy.changes.length > 0)
    yield ["the amounts and rules do not change there?", { ...facts, policy: { ...policy, changes: [] } }];
  yield* withOther(facts, GRANT_RULES);
  const amount = assignment.minutesPerPeriod ?? policy.minutesPerPeriod;
  if (amount === null) return;
  for (const other of amounts)
    if (other !== amount) yield [`an amount of ${other} minutes there?`, withAmount(facts, other)];
  const aYear = amount * (policy.schedule === "monthly" ? 12 : 1);
  const caps = [aYear, 1.5 * aYear, 2 * aYear].map((cap) =>
    rule(`a balance cap of ${cap} minutes there?`, { balanceCapMinutes: cap }),
  );
  yield* withOther(facts, caps);
}

/** The percentage of leave that gives the reported balance, if the balance falls linearly with it; null if there is none. */
function percentageFor({ facts, day, theirs }: ReportedOtherwise): number | null {
  const ours = balanceAt(facts, day);
  const half = balanceAt(withLeave(facts, 0.5), day);
  if (ours === null || half === null || half === ours) return null;
  const percentage = Math.round(10_000 - ((theirs - ours) / (half - ours)) * 5000) / 100;
  return percentage >= 0 ? percentage : null;
}

/** The amount in minutes that gives the reported balance, if the balance grows linearly with it; null if there is none. */
function amountFor({ facts, day, theirs }: ReportedOtherwise): number | null {
  const amount = facts.assignment.minutesPerPeriod ?? facts.policy.minutesPerPeriod;
  const ours = balanceAt(facts, day);
  if (amount === null || ours === null) return null;
  const more = balanceAt(withAmount(facts, amount + 60), day);
  if (more === null || more === ours) return null;
  const other = Math.round(amount + ((theirs - ours) / (more - ours)) * 60);
  return other > 0 ? other : null;
}

function* otherYearEnds({ facts }: ReportedOtherwise, { limits }: Proposed): Generator<Hypothesis> {
  const unlimited = { carryoverLimitMinutes: null, carryoverLimitTiers: null };
  const others = [...new Set([0, ...limits])].map((limit) =>
    rule(
      `a carry-over limit of ${limit} there?`,
      { carryoverLimitMinutes: limit },
      { carryoverLimitTiers: null },
    ),
  );
  yield* withOther(facts, [["no carry-over limit there?", unlimited], ...others, ...YEAR_END_RULES]);
}

/** The carry-over limit in minutes at the last year boundary that gives the reported balance; null if there is none. */
function limitFor({ facts, day, theirs }: ReportedOtherwise): number | null {
  const ours = balanceAt(facts, day);
  if (ours === null) return null;
  const before = closingOf(facts, lastYearBoundary(facts, day) - 1);
  const { carryoverLimitMinutes } = facts.policy.rules;
  const carried = carryoverLimitMinutes === null ? before : Math.min(before, carryoverLimitMinutes * 100);
  const limit = Math.round((carried + theirs - ours) / 100);
  return limit >= 0 ? limit : null;
}

function withRules(facts: BalanceFacts, other: Partial<PolicyRules>): BalanceFacts {
  const { policy } = facts;
  const rules = { ...policy.rules, ...other };
  const changes = policy.changes.map((change) => ({ ...change, rules: { ...change.rules, ...other } }));
  return { ...facts, policy: { ...policy, rules, changes } };
}

function withLeave(facts: BalanceFacts, factor: number): BalanceFacts {
  const requests = facts.requests.map((request) => ({
    ...request,
    minutes: request.minutes * factor,
    ...(request.dayMinutes && {
      dayMinutes: request.dayMinutes.map(({ day, minutes }) => ({ day, minutes: minutes * factor })),
    }),
  }));
  return { ...facts, requests };
}

function withAmount(facts: BalanceFacts, minutesPerPeriod: number): BalanceFacts {
  const { assignment, policy } = facts;
  if (assignment.minutesPerPeriod !== null)
    return { ...facts, assignment: { ...assignment, minutesPerPeriod } };
  return { ...facts, policy: { ...policy, minutesPerPeriod } };
}
