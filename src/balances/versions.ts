/** Which version of the rules holds on a day (docs/balances.md, Rules with a date). */
import { type Day, formatDay } from "../time/day.ts";
import { type DetailPart, part } from "./detail.ts";
import { type BalanceFacts, type PolicyRules, rulesOf } from "./facts.ts";
import { carryoverYears, type Periods, periodOf, periodStart } from "./periods.ts";

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

export function versionOn<V extends Version>(versions: readonly V[], day: Day): V {
  if (versions.length === 1) return versions[0]!; // the only one
  return versions.findLast(({ from }) => from <= day)!; // the first is from the beginning
}

/** For an explanation; empty for the first version. */
export function versionDetail({ from }: Version): readonly DetailPart[] {
  return from === -Infinity ? [] : [part("rulesFrom", { from: formatDay(from) })];
}

/** The days on which time is carried over or forfeited, each by the rules of that day. */
export class Boundaries {
  readonly #spans: readonly { readonly from: Day; readonly years: Periods }[];

  constructor(versions: readonly Version[]) {
    this.#spans = versions.map(({ from, rules, facts }) => ({
      from,
      years: carryoverYears(rules, facts.assignment.assignedOn),
    }));
  }

  /** The first boundary after a day. */
  after(day: Day): Day {
    for (let at = 0; at < this.#spans.length; at++) {
      const { from, years } = this.#spans[at]!;
      const end = this.#spans[at + 1]?.from ?? Infinity;
      if (end <= day + 1) continue;
      const boundary = periodStart(years, periodOf(years, Math.max(day, from - 1)) + 1);
      if (boundary < end) return boundary;
    }
    return Infinity; // not reached: the last version has no end
  }

  /** The last boundary up to and including a day. */
  upTo(day: Day): Day {
    for (let at = this.#spans.length - 1; at >= 0; at--) {
      const { from, years } = this.#spans[at]!;
      if (from > day) continue;
      const last = Math.min(day, (this.#spans[at + 1]?.from ?? Infinity) - 1);
      const boundary = periodStart(years, periodOf(years, last));
      if (boundary >= from) return boundary;
    }
    return -Infinity; // not reached: the first version has no beginning
  }
}
