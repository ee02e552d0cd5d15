// Companies whose rules are known: what another system would report of them.
import type { BalanceFacts, PolicyFacts } from "../../src/balances/facts.ts";
import { balanceAt } from "../../src/cli/hypotheses.ts";
import { findRules, type ReportedBalance } from "../../src/onboarding/find-rules.ts";
import { firstOfMonth } from "../../src/time/day.ts";
import { day, factsOf, monthly, worksFrom, yearly } from "../balances/builders.ts";
import { randomOf } from "../support/random-rows.ts";

/** The ends of the months from January 2024 on. */
export const monthEnds = (count: number): number[] =>
  Array.from(
    { length: count },
    (_, at) => firstOfMonth(day("2024-01-01") + Math.round((at + 1) * 30.44) + 10) - 1,
  );

/** What is stored before the rules are known. */
const STORED = yearly(480);

const HALF_TIME = worksFrom("2015-01-05", "240,240,240,240,240,0,0", 2400);

/** Balances of workers with random first days and leave, on each of the days; `roundTo` minutes, as they are shown. Every third works half the time. */
export function reportedOf(
  policy: PolicyFacts,
  {
    workers,
    days,
    seed,
    roundTo = 0.01,
  }: { workers: number; days: readonly number[]; seed: number; roundTo?: number },
): ReportedBalance[] {
  const random = randomOf(seed);
  return Array.from({ length: workers }, (_, at) => {
    const schedules = at % 3 === 0 ? [HALF_TIME] : [];
    const hired = random(3) === 0 ? day("2024-01-01") + random(300) : day("2018-01-01") + random(2190);
    const requests = Array.from({ length: 8 }, () => {
      const firstDay = Math.max(hired + 90, day("2023-10-01")) + random(700);
      return { status: "approved" as const, firstDay, lastDay: firstDay, minutes: 480 * (1 + random(4)) };
    });
    const facts: BalanceFacts = {
      ...factsOf({ policy, assigned: "2020-01-01", requests }),
      assignment: { ...factsOf({ policy, assigned: "2020-01-01" }).assignment, assignedOn: hired },
      worker: { startDate: hired, endDate: null, workDays: null, schedules, holidays: [] },
    };
    const points = days
      .filter((on) => on >= hired)
      .map((on) => ({ day: on, minutes: Math.round(balanceAt(facts, on)! / 100 / roundTo) * roundTo }));
    return { workerId: `wrk_${at}`, facts: { ...facts, policy: STORED }, points };
  }).filter(({ points }) => points.length > 0);
}

/** How many of the reported balances rules do not give. */
function misses(found: PolicyFacts, reported: readonly ReportedBalance[], tolerance: number): number {
  return reported
    .flatMap(({ facts, points }) =>
      points.map(({ day: on, minutes }) =>
        Math.abs(balanceAt({ ...facts, policy: found }, on)! / 100 - minutes),
      ),
    )
    .filter((by) => by > tolerance + 0.005).length;
}

const [year] = monthEnds(12).slice(-1) as [number];

/** What was reported in the first year, and what the rules that it tells do not give of two. */
export function foundIn(policy: PolicyFacts, seed: number, roundTo: number, workers: number) {
  const all = reportedOf(policy, { workers, days: monthEnds(24), seed, roundTo });
  const known = all.map((one) => ({ ...one, points: one.points.filter(({ day }) => day <= year) }));
  const tolerance = roundTo / 2 + 0.5;
  const rules = findRules(
    known.filter(({ points }) => points.length > 0),
    tolerance,
  )!; // nobody has an own amount
  return { rules, missed: misses(rules.policy, all, tolerance) };
}

/** Rules as companies have them. */
export const HIDDEN: readonly PolicyFacts[] = [
  monthly(833.33),
  monthly(800, { accrualTiming: "end" }),
  monthly(800, { carryoverLimitMinutes: 2400 }),
  monthly(1000, { accrualTiming: "lastDay", balanceCapMinutes: 15000 }),
  monthly(600, { periodAnchor: "anniversary" }),
  monthly(600, { prorate: false, accrualTiming: "end", carryoverLimitMinutes: 0 }),
  yearly(9600),
  yearly(9600, { carryoverLimitMinutes: 2400 }),
  yearly(12000, { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 3 }),
  yearly(10800, { periodAnchor: "anniversary", prorate: false }),
  yearly(12480, { prorateBy: "monthsStarted" }),
  yearly(14400, { prorateBy: "fullMonths", carryoverLimitMinutes: 4800 }),
  yearly(9600, { yearStartsOn: "04-01", carryoverLimitMinutes: 2400 }),
  yearly(9600, { instalments: "semimonthly", accrualTiming: "end" }),
  yearly(9600, { instalments: "quarterly" }),
  monthly(800, { waitingPeriodDays: 90 }),
  monthly(800, { tiers: [{ months: 60, minutes: 1000 }] }),
  yearly(9600, { tiers: [{ months: 60, minutes: 12000 }], carryoverLimitMinutes: 2400 }),
  yearly(9600, { carryoverExpiresAfterMonths: 6 }),
  monthly(800, { carryoverLimitMinutes: 3000, carryoverOn: "07-01" }),
  yearly(12480, { prorateBy: "fullMonths", roundGrantsToMinutes: 240, roundGrants: "up" }),
  yearly(12000, { firstYearWholeAfterMonths: 6 }),
  yearly(14400, { prorateBy: "fullMonths", roundSumToMinutes: 480, roundSum: "halfUpKeep" }),
  yearly(9600, { yearStartsOn: "06-01", carryoverLimitMinutes: 4800 }),
  yearly(12000, { scaleWith: "share", carryoverLimitMinutes: 2400 }),
  monthly(800, { scaleWith: "share", accrualTiming: "end" }),
];
