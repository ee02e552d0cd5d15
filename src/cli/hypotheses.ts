// Why another system reports another balance: what it may do otherwise, tried by computing again (`rollcall reconcile`).
import { approved, balance, balanceOn } from "../balances/balance.ts";
import type { BalanceFacts, PolicyRules } from "../balances/facts.ts";
import { lastYearBoundary } from "../balances/periods.ts";
import { toHundredths } from "../balances/rational.ts";
import { addMonths, type Day, firstOfMonth, formatDay } from "../time/day.ts";

/** A balance for which another system reports another figure. */
export interface ReportedOtherwise {
  readonly facts: BalanceFacts;
  readonly day: Day;
  /** What it reports, in hundredths of a minute. */
  readonly theirs: number;
}

/** What is accrued and unlocked less what is used, at the end of a day, in hundredths of a minute; null before the opening. */
export function balanceAt(facts: BalanceFacts, day: Day): number | null {
  if (facts.opening !== null && facts.opening.day > day) return null;
  const { accruedUnlocked, used } = balance(facts, { today: day, endDate: day });
  return Math.round(accruedUnlocked * 100) - Math.round(used * 100);
}

/** Amounts and limits that would give what is reported of single balances: those of the most balances. */
interface Proposed {
  readonly amounts: readonly number[];
  readonly limits: readonly number[];
}

/** How many balances are tried with every hypothesis. The others are tried only with those that explained one of these. */
const TRIED_FIRST = 300;
/** How many amounts, and how many limits, are tried with all balances. */
const PROPOSED = 3;

/** Which hypotheses explain each of these balances of one policy, to within a tolerance in hundredths of a minute. */
export function explanations(all: readonly ReportedOtherwise[], tolerance: number): (readonly string[])[] {
  const begun = all.slice(0, TRIED_FIRST);
  const proposed = { amounts: commonest(begun.map(amountFor)), limits: commonest(begun.map(limitFor)) };
  const first = begun.map((each) => explanationsOf(each, proposed, tolerance, null));
  const likely = new Set(first.flat());
  const rest = all.slice(TRIED_FIRST).map((each) => explanationsOf(each, proposed, tolerance, likely));
  return [...first, ...rest];
}

/** The values that come most often, and more than once. */
function commonest(values: readonly (number | null)[]): number[] {
  const counts = new Map<number, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const often = [...counts].filter(([, count]) => count > 1).toSorted(([, a], [, b]) => b - a);
  return often.slice(0, PROPOSED).map(([value]) => value);
}

function explanationsOf(
  reported: ReportedOtherwise,
  proposed: Proposed,
  tolerance: number,
  likely: ReadonlySet<string> | null,
): string[] {
  const causes: string[] = [];
  for (const [cause, facts, day = reported.day] of hypotheses(reported, proposed)) {
    if (likely !== null && !likely.has(cause)) continue;
    const figure = typeof facts === "number" ? facts : balanceAt(facts, day);
    if (figure !== null && Math.abs(figure - reported.theirs) <= tolerance) causes.push(cause);
  }
  return causes;
}

/** A figure in hundredths of a minute, or the facts that give it, on another day if there is one. */
type Hypothesis = readonly [cause: string, figure: number | BalanceFacts, day?: Day];

/** The simplest first. */
function* hypotheses(reported: ReportedOtherwise, proposed: Proposed): Generator<Hypothesis> {
  yield* otherUnits(reported);
  yield* otherFacts(reported);
  yield* otherYearEnds(reported, proposed);
  yield* otherGrants(reported, proposed);
  yield* withOther(reported.facts, EXPIRY_RULES);
  yield* otherDays(reported);
}

const UNITS = [
  ["hours", 60],
  ["days of 8 hours", 480],
] as const;

/** Units in which the reported number, which has two decimals, is our balance. */
function* otherUnits({ facts, day, theirs }: ReportedOtherwise): Generator<Hypothesis> {
  const ours = balanceAt(facts, day);
  for (const [unit, minutes] of UNITS)
    if (ours !== null && Math.abs(ours - theirs * minutes) <= minutes / 2)
      yield [`their figure is in ${unit}, not minutes?`, theirs];
}

function* otherFacts({ facts, day }: ReportedOtherwise): Generator<Hypothesis> {
  const { requests, adjustments, opening, worker, assignment } = facts;
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
  yield ["time that is still locked counts there?", toHundredths(balanceOn(facts, day))];
  if (opening !== null) yield ["without our opening?", { ...facts, opening: null }];
  for (const request of requests) {
    if (request.status !== "approved" || request.firstDay > day) continue;
    const others = requests.filter((other) => other !== request);
    yield [`without our leave of ${formatDay(request.firstDay)}?`, { ...facts, requests: others }];
    yield [
      `our leave of ${formatDay(request.firstDay)} is twice there?`,
      { ...facts, requests: [...requests, request] },
    ];
  }
  for (const adjustment of adjustments) {
    if (adjustment.day > day) continue;
    const others = adjustments.filter((other) => other !== adjustment);
    yield [`without our adjustment of ${formatDay(adjustment.day)}?`, { ...facts, adjustments: others }];
  }
  if (assignment.assignedOn > worker.startDate) {
    const assignedOn = worker.startDate;
    yield [
      "grants begin with the employment there?",
      { ...facts, assignment: { ...assignment, assignedOn } },
    ];
  }
  if (assignment.pauses.length > 0)
    yield ["without our pauses?", { ...facts, assignment: { ...assignment, pauses: [] } }];
  if (worker.endDate !== null)
    yield ["grants go on there after the last day?", { ...facts, worker: { ...worker, endDate: null } }];
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

/** Rules that another system may have: the question, rules of which one must differ from ours, and others that go with them. */
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
  ...[60, 240, 480].flatMap((minutes) => {
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

/** Other rules that differ from ours, now or after a change. */
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

/** The amount with which the balance would be what is reported, as far as it grows evenly with it. */
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

/** The carry-over limit at the last year boundary with which the balance would be what is reported. */
function limitFor({ facts, day, theirs }: ReportedOtherwise): number | null {
  const ours = balanceAt(facts, day);
  if (ours === null) return null;
  const before = toHundredths(balanceOn(facts, lastYearBoundary(facts, day) - 1));
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

function withAmount(facts: BalanceFacts, minutesPerPeriod: number): BalanceFacts {
  const { assignment, policy } = facts;
  if (assignment.minutesPerPeriod !== null)
    return { ...facts, assignment: { ...assignment, minutesPerPeriod } };
  return { ...facts, policy: { ...policy, minutesPerPeriod } };
}
