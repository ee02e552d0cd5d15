// Searches the usual rules of policies for those that explain the balances that another system reported.
import type { BalanceFacts, PolicyFacts, PolicyRules } from "../balances/facts.ts";
import { countedLeave } from "../balances/leave.ts";
import { carryoverYears, periodOf, periodStart } from "../balances/periods.ts";
import { eachPosting } from "../balances/postings.ts";
import { toMillionths } from "../balances/rational.ts";
import { DEFAULT_RULES } from "../resources/policies.ts";
import type { Day } from "../time/day.ts";

/** The reported balances of one worker under one policy. Amounts are minutes. */
export interface ReportedBalance {
  readonly workerId: string;
  readonly facts: BalanceFacts;
  /** At least one, by day. */
  readonly points: readonly { readonly day: Day; readonly minutes: number }[];
}

export interface FoundRules {
  readonly policy: PolicyFacts;
  /** How many balances were reported, and how many of these the rules explain. */
  readonly reported: number;
  readonly agree: number;
  /** Workers whose reported balances the rules do not explain. */
  readonly differ: readonly string[];
  /** Other rules that explain as much, simplest first. */
  readonly alsoFits: readonly PolicyFacts[];
  /** How many days were kept out of the search, and on how many of them the rules hold. */
  readonly heldOut: { readonly days: number; readonly holds: number };
}

/** The last days are held out: one of this many. */
const HELD_OUT = 4;
/** Rules hold on a day if they explain this share of its balances. */
const HOLDS_SHARE = 0.9;
/** Candidates are tried on this many reported balances; the best is then checked on all. */
const TRIED = 400;
/** How many of the best candidates of a round the next round extends by another rule. */
const KEPT = 12;
const WAITS = [30, 60, 90, 180];
const TIER_MONTHS = [12, 24, 36, 48, 60, 84, 120];
const EXPIRY_MONTHS = [1, 2, 3, 4, 6, 9, 12];
const YEAR_STARTS = ["04-01", "06-01", "07-01", "10-01"];
/** Half and whole days of 8 hours; the last one as German law has it. */
const ROUNDINGS: readonly Partial<PolicyRules>[] = [
  ...[240, 480].flatMap((roundGrantsToMinutes) =>
    (["nearest", "up"] as const).map((roundGrants) => ({ roundGrantsToMinutes, roundGrants })),
  ),
  { roundSumToMinutes: 480, roundSum: "halfUpKeep" },
];
/** Amounts are probably multiples of these, likeliest first. */
const ROUND = [480, 240, 100, 60, 30, 12, 10, 5, 1, 0.1, 0.01];
/** The amount of a trial policy, in minutes. If somebody gets 500 of it, they get half of any amount. */
const UNIT = 1000;

interface Candidate {
  readonly policy: PolicyFacts;
  readonly agree: number;
}

/**
 * Finds the simplest rules that explain most reported balances, within a tolerance in minutes. Null if every worker has an amount of their
 * own. It searches on the first days, and then tries the rules on the last days. If they do not hold there, it searches on all days.
 */
export function findRules(balances: readonly ReportedBalance[], tolerance: number): FoundRules | null {
  const days = [...new Set(balances.flatMap(({ points }) => points.map(({ day }) => day)))].toSorted(
    (a, b) => a - b,
  );
  const held = days.slice(days.length - Math.floor(days.length / HELD_OUT));
  const first = balances.flatMap((balance) => {
    const points = balance.points.filter(({ day }) => !held.includes(day));
    return points.length === 0 ? [] : [{ ...balance, points }];
  });
  const ofFirst = held.length === 0 || first.length === 0 ? null : search(first, balances, tolerance, held);
  if (ofFirst !== null && ofFirst.heldOut.holds === held.length) return ofFirst;
  const ofAll = search(balances, balances, tolerance, []);
  return ofAll === null || (ofFirst !== null && ofFirst.agree >= ofAll.agree) ? ofFirst : ofAll;
}

/** The rules that explain `balances`, and how many balances of `all` they explain. */
function search(
  balances: readonly ReportedBalance[],
  all: readonly ReportedBalance[],
  tolerance: number,
  held: readonly Day[],
): FoundRules | null {
  const every = Math.ceil(balances.reduce((sum, { points }) => sum + points.length, 0) / TRIED);
  const tried = balances.filter((_, at) => at % every === 0).map(withWanted);
  const isNear = (minutes: number) => Math.abs(minutes) <= tolerance + 0.005;
  const around = (minutes: number, parts = 1): Range => [
    (minutes - tolerance) / parts,
    (minutes + tolerance) / parts,
  ];
  const fits = (account: Account, policy: PolicyFacts) =>
    sums(account, policy).filter(({ granted, other, wanted }) => isNear(granted + other - wanted)).length;
  const agreeing = (policy: PolicyFacts): Candidate => ({
    policy,
    agree: tried.reduce((sum, account) => sum + fits(account, policy), 0),
  });

  /** Candidates of one shape, with the amounts that most balances suggest. */
  const withAmounts = (shape: PolicyFacts): Candidate[] => {
    const known = tried.map((account) => ({
      isOwn: account.facts.assignment.minutesPerPeriod !== null,
      points: sums(account, shape),
    }));
    const ranges = known.flatMap(({ isOwn, points }) =>
      points.flatMap(({ granted, other, wanted }, at) => {
        const before = points[at - 1] ?? { granted: 0, other: 0, wanted: 0 };
        const since = wanted - before.wanted - other + before.other; // independent of losses and roundings in earlier years
        const grantedSince = granted - before.granted;
        return [
          ...(granted > 0 && !isOwn ? [around(wanted - other, granted / UNIT)] : []),
          ...(grantedSince > 0 && !isOwn ? [around(since, grantedSince / UNIT)] : []),
        ];
      }),
    );
    return mostCommon(ranges, 5).map((range) => {
      const amount = roundIn(range, partsOf(shape));
      const near = known.flatMap(({ isOwn, points }) =>
        points.filter(({ granted, other, wanted }) =>
          isNear((granted * (isOwn ? UNIT : amount)) / UNIT + other - wanted),
        ),
      );
      return { policy: { ...shape, minutesPerPeriod: amount }, agree: near.length };
    });
  };

  /** How many minutes too many a policy gives. */
  const over = ({ granted, other, wanted }: Sums) => granted + other - wanted;

  /** The policy's tiers with each possible next one. */
  const nextTiers = (
    policy: PolicyFacts,
    known: readonly { readonly account: Account; readonly points: readonly Sums[] }[],
  ): Partial<PolicyRules>[] => {
    const { rules } = policy;
    const tiers = rules.tiers ?? [];
    const before = tiers.at(-1)?.minutes ?? policy.minutesPerPeriod!;
    const later = TIER_MONTHS.filter((month) => month > (tiers.at(-1)?.months ?? 0));
    return later.flatMap((months) => {
      const unit = [{ months, minutes: UNIT }];
      const ofTier = { ...policy, minutesPerPeriod: 0, rules: { ...rules, tiers: unit } };
      const ranges = known.flatMap(({ account, points }) =>
        sums(account, ofTier).flatMap(({ granted }, at) => {
          const by = over(points[at]!); // on the same day
          return granted > 0 && by < -tolerance ? [around(-by, granted / UNIT)] : [];
        }),
      );
      return mostCommon(ranges, 2).map(([from, to]) => {
        const minutes = roundIn([before + from, before + to], partsOf(policy));
        return { tiers: [...tiers, { months, minutes }] };
      });
    });
  };

  /** The policy with each possible next rule. */
  const extended = (policy: PolicyFacts): PolicyFacts[] => {
    const { rules } = policy;
    const known = tried.map((account) => ({ account, points: sums(account, policy) }));
    const limitsCarriedOver = (carryoverOn: PolicyRules["carryoverOn"]): Partial<PolicyRules>[] => {
      const limits = known.flatMap(({ account: { facts }, points }) => {
        const first = points.find((point) => over(point) > tolerance);
        if (first === undefined) return [];
        const years = carryoverYears({ ...rules, carryoverOn }, facts.assignment.assignedOn);
        const before = periodStart(years, periodOf(years, first.day)) - 1;
        return [around(leftOn({ ...facts, policy }, before) - over(first))];
      });
      return mostCommon(limits, 2).map((range) => ({
        carryoverOn,
        carryoverLimitMinutes: Math.max(0, roundIn(range)),
      }));
    };
    const more: Partial<PolicyRules>[] = [];
    if (rules.carryoverLimitMinutes === null) {
      const days = rules.carryoverOn === null ? [null, ...YEAR_STARTS] : [rules.carryoverOn];
      more.push(...days.flatMap(limitsCarriedOver));
    }
    if (rules.carryoverExpiresAfterMonths === null)
      more.push(...EXPIRY_MONTHS.map((months) => ({ carryoverExpiresAfterMonths: months })));
    if (rules.balanceCapMinutes === null) {
      const left = known.flatMap(({ points }) => points.filter((point) => over(point) > tolerance));
      const caps = mostCommon(
        left.map(({ minutes }) => around(minutes)),
        3,
      ); // many balances that have reached a cap are equal to it
      // If figures are rounded, the true cap may be just outside of the most common range.
      const wider = caps.map(([from, to]): Range => [from - tolerance / 2, to + tolerance / 2]);
      const amounts = new Set([...caps, ...wider].map((range) => Math.max(0, roundIn(range))));
      more.push(...[...amounts].map((balanceCapMinutes) => ({ balanceCapMinutes })));
    }
    if (rules.roundGrantsToMinutes === null && rules.roundSumToMinutes === null) more.push(...ROUNDINGS);
    if (policy.schedule === "yearly" && rules.instalments === null && rules.prorate)
      more.push({ firstYearWholeAfterMonths: 6 });
    if (rules.waitingPeriodDays === 0) more.push(...WAITS.map((days) => ({ waitingPeriodDays: days })));
    more.push(...nextTiers(policy, known));
    return more.map((rule) => ({ ...policy, rules: { ...rules, ...rule } }));
  };

  const stored = balances[0]!.facts.policy;
  const asStored = stored.minutesPerPeriod === null ? [] : [agreeing(stored)];
  const hasSchedules = tried.some(({ facts }) => facts.worker.schedules.length > 0);
  let candidates = [...asStored, ...shapes(hasSchedules).flatMap(withAmounts)]
    .toSorted(better)
    .slice(0, KEPT);
  const most = tried.reduce((sum, account) => sum + account.points.length, 0);
  let before = -1;
  while (candidates[0] !== undefined && candidates[0].agree > before && candidates[0].agree < most) {
    before = candidates[0].agree;
    const more = candidates.flatMap(({ policy }) => extended(policy));
    const others = new Map(more.map((policy) => [JSON.stringify(policy), policy])); // without duplicates
    candidates = [...candidates, ...[...others.values()].map(agreeing)].toSorted(better).slice(0, KEPT);
  }
  if (candidates.length === 0) return null;
  const best = withoutNeedless(candidates[0]!, withAmounts, agreeing);
  const points = all.flatMap(({ workerId, ...point }) =>
    sums(withWanted({ workerId, ...point }), best.policy).map(({ day, granted, other, wanted }) => {
      return { workerId, day, agrees: isNear(granted + other - wanted) };
    }),
  );
  const holdsOn = (day: Day) => {
    const ofDay = points.filter((point) => point.day === day);
    return ofDay.filter(({ agrees }) => agrees).length >= HOLDS_SHARE * ofDay.length;
  };
  return {
    policy: best.policy,
    reported: points.length,
    agree: points.filter(({ agrees }) => agrees).length,
    differ: [...new Set(points.flatMap(({ workerId, agrees }) => (agrees ? [] : [workerId])))],
    alsoFits: candidates.flatMap(({ policy, agree }) =>
      agree === best.agree && JSON.stringify(policy) !== JSON.stringify(best.policy) ? [policy] : [],
    ),
    heldOut: { days: held.length, holds: held.filter(holdsOn).length },
  };
}

/** Drops each rule without which the same amount, or another, explains as much. */
function withoutNeedless(
  candidate: Candidate,
  withAmounts: (shape: PolicyFacts) => Candidate[],
  agreeing: (policy: PolicyFacts) => Candidate,
): Candidate {
  const { schedule, minutesPerPeriod, ...said } = rulesIn(candidate.policy);
  for (const rule of Object.keys(said) as (keyof PolicyRules)[]) {
    const rules = { ...candidate.policy.rules, [rule]: DEFAULT_RULES[rule] };
    const same = { ...candidate.policy, rules };
    const others = [same, ...withAmounts({ ...same, minutesPerPeriod: UNIT }).map(({ policy }) => policy)];
    const simpler = others.map(agreeing).toSorted(better)[0]!; // there is at least one rule
    if (simpler.agree >= candidate.agree) return withoutNeedless(simpler, withAmounts, agreeing);
  }
  return candidate;
}

/** The rules of a policy that differ from the defaults. */
export function rulesIn({
  schedule,
  minutesPerPeriod,
  rules,
}: PolicyFacts): Partial<PolicyFacts & PolicyRules> {
  const names = Object.keys(rules) as (keyof PolicyRules)[]; // the keys of rules
  const said = names.filter((name) => rules[name] !== DEFAULT_RULES[name]);
  return { schedule, minutesPerPeriod, ...Object.fromEntries(said.map((name) => [name, rules[name]])) };
}

function better(a: Candidate, b: Candidate): number {
  const rules = ({ policy }: Candidate) => Object.keys(rulesIn(policy)).length;
  return b.agree - a.agree || rules(a) - rules(b);
}

/**
 * The policies to begin with. They differ in when they grant, and which part of a period; with schedules, also in whether grants follow the
 * share of full time. The amount of each is `UNIT`.
 */
function shapes(hasSchedules: boolean): PolicyFacts[] {
  const shape = (schedule: "monthly" | "yearly", rules: Partial<PolicyRules>): PolicyFacts => ({
    schedule,
    minutesPerPeriod: UNIT,
    minutesPerChunk: null,
    hoursWorkedPerChunk: null,
    isUnlimited: false,
    rules: { ...DEFAULT_RULES, ...rules },
    changes: [],
  });
  const parts: Partial<PolicyRules>[] = [{}, { prorate: false }];
  const months = (["monthsStarted", "halfMonths", "fullMonths"] as const).map((prorateBy) => ({ prorateBy }));
  const years = [
    {},
    { periodAnchor: "anniversary" as const },
    ...YEAR_STARTS.map((day) => ({ yearStartsOn: day })),
  ];
  const instalments = ["semimonthly", "quarterly", "halfYearly"] as const;
  const all = (["start", "end", "lastDay"] as const).flatMap((accrualTiming) => [
    ...[...parts, ...months].flatMap((part) => [
      ...years.slice(0, 2).map((year) => shape("monthly", { accrualTiming, ...year, ...part })),
      ...years.map((year) => shape("yearly", { accrualTiming, ...year, ...part })),
    ]),
    ...instalments.flatMap((each) =>
      parts.map((part) => shape("yearly", { accrualTiming, instalments: each, ...part })),
    ),
  ]);
  if (!hasSchedules) return all;
  return all.flatMap((shape) => [
    shape,
    { ...shape, rules: { ...shape.rules, scaleWith: "share" as const } },
  ]);
}

/** The reported balances of a worker. `wanted`: what must have been granted by that day and not lost, in minutes. */
interface Account {
  readonly facts: BalanceFacts;
  readonly points: readonly { readonly day: Day; readonly minutes: number; readonly wanted: number }[];
}

type Sums = Account["points"][number] & { readonly granted: number; readonly other: number };

function withWanted({ facts, points }: ReportedBalance): Account {
  const wanted = ({ day, minutes }: { readonly day: Day; readonly minutes: number }) =>
    minutes + used(facts, day);
  return { facts, points: points.map((point) => ({ ...point, wanted: wanted(point) })) };
}

/** What a policy gives by each reported day, in minutes, without leave. `granted`: what accrued. `other`: everything else. */
function sums({ facts, points }: Account, policy: PolicyFacts): Sums[] {
  const all = points.map((point) => ({ ...point, granted: 0, other: 0 }));
  eachPosting({ ...facts, policy }, points.at(-1)!.day, (_day, minutes, kind, unlocksOn) => {
    const name = kind === "accrual" ? "granted" : "other";
    for (let at = all.length - 1; at >= 0 && all[at]!.day >= unlocksOn; at--)
      all[at]![name] += toMillionths(minutes);
  });
  return all;
}

/** The balance on a day, in minutes. */
function leftOn(facts: BalanceFacts, day: Day): number {
  let left = -used(facts, day);
  eachPosting(facts, day, (_day, minutes) => {
    left += toMillionths(minutes);
  });
  return left;
}

/** The minutes of approved leave up to and including a day. */
function used(facts: BalanceFacts, day: Day): number {
  return toMillionths(countedLeave(facts, -Infinity, day).approved);
}

/** In how many parts a year's amount is granted. */
const partsOf = ({ schedule }: PolicyFacts) => (schedule === "monthly" ? 12 : 1);

/** Both ends are included. */
type Range = readonly [from: number, to: number];

/** The overlap of the most ranges, then that of the most of the remaining ranges, and so on; at most `limit` of them. */
function mostCommon(ranges: readonly Range[], limit: number): Range[] {
  const overlaps: Range[] = [];
  for (let rest = ranges; rest.length > 0 && overlaps.length < limit; ) {
    const starts = rest.map(([from]) => from).toSorted((a, b) => a - b);
    const ends = rest.map(([, to]) => to).toSorted((a, b) => a - b);
    let [most, bestStart, ended] = [0, 0, 0];
    for (const [at, start] of starts.entries()) {
      while (ends[ended]! < start) ended++;
      const open = at + 1 - ended; // ranges that have begun and not ended
      if (open > most) [most, bestStart] = [open, start];
    }
    const isOpen = ([from, to]: Range) => from <= bestStart && to >= bestStart;
    overlaps.push([bestStart, Math.min(...rest.filter(isOpen).map(([, to]) => to))]);
    rest = rest.filter((range) => !isOpen(range));
  }
  return overlaps;
}

/** The roundest number in a range. With `parts`, the range is of a part of a year's amount, and the whole amount is round. */
function roundIn([from, to]: Range, parts = 1): number {
  const round = ROUND.map((step) => Math.ceil((from * parts) / step - 1e-9) * step).find(
    (amount) => amount <= to * parts + 1e-9,
  );
  const whole = round ?? ((from + to) / 2) * parts;
  return Math.round((whole / parts) * 100) / 100;
}
