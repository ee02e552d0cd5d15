// Balances that move from one policy to another (docs/balances.md, Moving to another policy): what is wrong with it once all
// assignments are there.
import type { BrokenMove } from "../store/store.ts";
import { formatDay } from "../time/day.ts";
import { shown } from "./row-errors.ts";

const EXAMPLES = 3;

/** One text for each kind of mistake, with a few examples. */
export function brokenMoveTexts(moves: readonly BrokenMove[]): string[] {
  return [...Map.groupBy(moves, problemOf)].map(([problem, found]) => {
    const examples = found.slice(0, EXAMPLES).map(textOf).join("; ");
    const more = found.length > EXAMPLES ? `, and ${found.length - EXAMPLES} more` : "";
    return `assignments with a move: ${problem} (${examples}${more})`;
  });
}

function textOf({ worker, oldPolicyId, assignedDay }: BrokenMove): string {
  return `worker ${shown(worker)} from ${shown(oldPolicyId)} on ${formatDay(assignedDay)}`;
}

function problemOf({ assignedDay, oldDay, oldEndsDay }: BrokenMove): string {
  if (oldDay === null)
    return "the worker has no assignment to the old policy: import it, with its true first day";
  if (oldDay >= assignedDay)
    return "the assignment to the old policy begins on the same day or later: a balance moves forward in time";
  if (oldEndsDay !== null && oldEndsDay !== assignedDay - 1)
    return "the assignment to the old policy ends on another day than the day before: leave its endsOn empty";
  return "two assignments move from the same policy: a balance moves once";
}
