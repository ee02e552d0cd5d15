/** Which version of the rules holds on a day (docs/balances.md, Rules with a date). */
import { addMonths, type Day, formatDay } from "../time/day.ts";
import { type DetailPart, part } from "./detail.ts";
import type { BalanceFacts, PolicyRules } from "./facts.ts";
import { carryoverYears, periodOf, periodStart } from "./periods.ts";

/** The facts of a balance, with the policy's terms from a day on. */
export interface Version {
  /** -Infinity for the first version. */
  readonly from: Day;
  readonly facts: BalanceFacts;
  /** With the assignment's overrides. */
  readonly rules: PolicyRules;
}

/** The version before all changes, then one for each change, sorted by day. */
export function versionsOf(facts: BalanceFacts): readonly Version[] {
  const first = { from: -Infinity, facts, rules: rulesOf(facts) };
  if (facts.policy.changes.length === 0) return [first];
  const later = facts.policy.changes.map(({ from, ...terms }) => {
    const dated = { ...facts, policy: { ...facts.policy, ...terms } };
    return { from, facts: dated, rules: rulesOf(dated) };
  });
  return [first, ...later];
}

/** The rules of an assignment: the policy's, with the assignment's overrides. */
function rulesOf({ policy, assignment }: BalanceFacts): PolicyRules {
  const { grantsExpireAfterMonths, carryoverKeepsMinutes } = assignment;
  if (grantsExpireAfterMonths === null && carryoverKeepsMinutes === null) return policy.rules;
  return {
    ...policy.rules,
    grantsExpireAfterMonths: grantsExpireAfterMonths ?? policy.rules.grantsExpireAfterMonths,
    carryoverKeepsMinutes: carryoverKeepsMinutes ?? policy.rules.carryoverKeepsMinutes,
  };
}

export function versionOn<V extends Version>(versions: readonly V[], day: Day): V {
  if (versions.length === 1) return versions[0]!; // the only one
  return versions.findLast(({ from }) => from <= day)!; // the first is from the beginning
}

/** For an explanation; empty for the first version. */
export function versionDetail({ from }: Version): readonly DetailPart[] {
  return from === -Infinity ? [] : [part("rulesFrom", { from: formatDay(from) })];
}

/** The first day after a day on which time is carried over or forfeited, by the rules of that day. */
export function boundaryAfter(versions: readonly Version[], day: Day): Day {
  const at = versions.findLastIndex(({ from }) => from <= day + 1);
  const { rules, facts } = versions[at]!; // the first is from the beginning
  const years = carryoverYears(rules, facts.assignment.assignedOn);
  const boundary = periodStart(years, periodOf(years, day) + 1);
  const end = versions[at + 1]?.from ?? Infinity;
  return boundary < end ? boundary : boundaryAfter(versions, end - 1);
}

/** The last such day up to and including a day. */
export function boundaryUpTo(versions: readonly Version[], day: Day): Day {
  const { rules, facts, from } = versionOn(versions, day);
  const years = carryoverYears(rules, facts.assignment.assignedOn);
  const boundary = periodStart(years, periodOf(years, day));
  return boundary >= from ? boundary : boundaryUpTo(versions, from - 1);
}

/** The day on which time carried over at a boundary expires; null: never. */
export function expiryDay(rules: PolicyRules, boundary: Day): Day | null {
  const { carryoverExpiresAfterMonths: months, carryoverExpiresAfterDays: days } = rules;
  if (months !== null) return addMonths(boundary, months);
  return days === null ? null : boundary + days;
}

/** The last boundary up to the opening's day, and when time carried over there expires. Null if it expired by the opening, or never does. */
export function carriedExpiry(facts: BalanceFacts) {
  if (facts.opening === null) return null;
  const { day } = facts.opening;
  const versions = versionsOf(facts);
  const on = boundaryUpTo(versions, day);
  const { rules } = versionOn(versions, on);
  const expiresOn = expiryDay(rules, on);
  if (expiresOn === null || expiresOn <= day) return null;
  return { on, expiresOn, keptMinutes: rules.carryoverKeepsMinutes ?? 0 };
}
