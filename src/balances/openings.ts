/** The effects of an opening (docs/balances.md, Opening balances). */
import { addMonths, type Day } from "../time/day.ts";
import { grantedThrough } from "./accruals.ts";
import { coverageOf } from "./coverage.ts";
import type { BalanceFacts, PolicyRules } from "./facts.ts";
import { subtract, toHundredths } from "./rational.ts";
import { boundaryUpTo, versionOn, versionsOf } from "./versions.ts";

/** The day on which time carried over at a boundary expires; null: never. */
export function expiryDay(rules: PolicyRules, boundary: Day): Day | null {
  const { carryoverExpiresAfterMonths: months, carryoverExpiresAfterDays: days } = rules;
  if (months !== null) return addMonths(boundary, months);
  return days === null ? null : boundary + days;
}

/** The last boundary up to the opening's day, and when time carried over there expires. Null if it expired by the opening, or never does. */
export function carriedExpiry(
  facts: BalanceFacts,
): { readonly on: Day; readonly expiresOn: Day; readonly keptMinutes: number } | null {
  if (facts.opening === null) return null;
  const { day } = facts.opening;
  const versions = versionsOf(facts);
  const on = boundaryUpTo(versions, day);
  const { rules } = versionOn(versions, on);
  const expiresOn = expiryDay(rules, on);
  if (expiresOn === null || expiresOn <= day) return null;
  return { on, expiresOn, keptMinutes: rules.carryoverKeepsMinutes ?? 0 };
}

/** The carried minutes of an opening that do not expire after it. */
export function carriedForEver(facts: BalanceFacts): number {
  return carriedExpiry(facts) === null ? (facts.opening?.carriedMinutes ?? 0) : 0;
}

/** The minutes that the rules grant on the opening's own day, which the opening replaces. */
export function grantedOnOpening(facts: BalanceFacts): number {
  if (facts.opening === null) return 0;
  const { day } = facts.opening;
  return toHundredths(subtract(grantedThrough(facts, day), grantedThrough(facts, day - 1))) / 100;
}

/** The minutes that the previous system granted for days after coverage ends, because it did not know of the end. */
export function notShortened(facts: BalanceFacts): number {
  if (facts.opening === null) return 0;
  const { day } = facts.opening;
  const endless = {
    ...facts,
    assignment: { ...facts.assignment, endsOn: null },
    worker: { ...facts.worker, endDate: null },
  };
  // If coverage had ended by the opening, the previous system knew of the end.
  if (coverageOf(facts).last <= day) return 0;
  return toHundredths(subtract(grantedThrough(endless, day), grantedThrough(facts, day))) / 100;
}
