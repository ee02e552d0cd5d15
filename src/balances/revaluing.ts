/** Revaluing a balance when the share of full time changes (docs/balances.md, Shares and rates). */
import type { Day } from "../time/day.ts";
import { type Coverage, coveredFrom, coveredThrough } from "./coverage.ts";
import { type Detail, part } from "./detail.ts";
import { divide, isEqual, type Rational, sign } from "./rational.ts";
import { type Version, versionOn } from "./versions.ts";
import { factorSteps } from "./working-time.ts";

export interface Revaluation {
  readonly on: Day;
  /** The new share divided by the old one. */
  readonly ratio: Rational;
  readonly detail: Detail;
}

/** The covered days whose share differs from the covered day before, sorted. */
export function revaluations(versions: readonly Version[], coverage: Coverage): readonly Revaluation[] {
  const revaluing = versions.find(({ rules }) => rules.revalue !== "none");
  const steps = revaluing === undefined ? null : factorSteps(revaluing.facts);
  if (steps === null) return [];
  const shareOn = (day: Day) => steps.findLast(({ from }) => from <= day)!.share; // the first is from the beginning
  const revalued: Revaluation[] = [];
  for (const { from } of steps) {
    if (from <= coverage.first || from > coverage.last) continue;
    const on = coveredFrom(coverage, from);
    if (revalued.at(-1)?.on === on || versionOn(versions, on).rules.revalue === "none") continue;
    const [before, now] = [shareOn(coveredThrough(coverage, on - 1)), shareOn(on)];
    if (sign(before) === 0 || isEqual(before, now)) continue;
    const detail = () => [part("revalued", { share: now, shareBefore: before })];
    revalued.push({ on, ratio: divide(now, before), detail });
  }
  return revalued;
}
