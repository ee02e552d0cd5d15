/** Where two sets of facts give different balances, and why. Pure functions. */
import type { Day } from "../time/day.ts";
import { type BalanceAmounts, balance, figureOf } from "./balance.ts";
import type { AdjustmentFacts, BalanceFacts, OpeningFacts, RequestFacts, ScheduleFacts } from "./facts.ts";

/** What changed a balance since it was closed (docs/record.md, Why a figure differs). */
export type DifferenceCause =
  | ("rule" | "worker" | "assignment" | "schedule" | "holiday" | "moved" | "opening" | "workedHours")
  | ("adjustmentAdded" | "adjustmentChanged" | "adjustmentRemoved")
  | ("leaveAdded" | "leaveChanged" | "leaveDenied" | "leaveRemoved");

/** An entry that has changed: as it was and as it is, null if absent. */
interface Change<E = RequestFacts | AdjustmentFacts | OpeningFacts> {
  /** The id of the request or adjustment. */
  readonly sourceId: string | null;
  readonly was: E | null;
  readonly is: E | null;
}

/** `by`: in hundredths of a minute. */
export type Cause = Change & { readonly cause: DifferenceCause; readonly by: number };

export interface PastDifference {
  readonly day: Day;
  /** The new balance less the old one, with at most 2 decimals. If both are equal, the difference of `available`. */
  readonly minutes: number;
}

/** The days on which the balance or `available` differs between two sets of facts (docs/balances.md, Changes to the past). */
export function pastDifferences(
  before: BalanceFacts,
  after: BalanceFacts,
  days: readonly Day[],
): PastDifference[] {
  return days.flatMap((day) => {
    const window = { today: day, endDate: day };
    const [was, is] = [balance(before, window), balance(after, window)];
    const total = ({ accruedUnlocked, accruedLocked, used }: BalanceAmounts) =>
      accruedUnlocked + accruedLocked - used;
    const byTotal = Math.round((total(is) - total(was)) * 100);
    const minutes = (byTotal === 0 ? Math.round((is.available - was.available) * 100) : byTotal) / 100;
    return minutes === 0 ? [] : [{ day, minutes }];
  });
}

/**
 * The causes of a difference. Replaces the facts `before` by those of `now`, one by one in a fixed order, and computes the balance after
 * each step. So the causes add up to the difference exactly. Facts of a balance that moved here are replaced in the same steps. Facts
 * are null if there is no assignment. An assignment that came or went is the only cause, because its leave may be stored before and after.
 * `isDenied`: whether a request that is missing in `now` was denied.
 */
export function causesOf(
  before: BalanceFacts | null,
  now: BalanceFacts | null,
  day: Day,
  isDenied: (requestId: string) => boolean,
): Cause[] {
  const causes: Cause[] = [];
  let figure = figureOf(before, day);
  if (before === null || now === null) {
    const by = figureOf(now, day) - figure;
    return by === 0 ? [] : [{ cause: "assignment", ...NO_ENTRY, by }];
  }
  let facts: BalanceFacts = before;
  const step = (cause: DifferenceCause, part: Part, { sourceId, was, is }: Change = NO_ENTRY) => {
    facts = replaced(facts, now, part);
    const then = figureOf(facts, day);
    if (then !== figure) causes.push({ cause, sourceId, was, is, by: then - figure });
    figure = then;
  };
  step("rule", ({ policy, workedHours }, is) => ({
    policy: is.policy,
    // Hours are facts only of a policy that counts them: they come and go with its schedule.
    workedHours: policy.schedule === is.policy.schedule ? workedHours : is.workedHours,
  }));
  step("worker", ({ worker }, is) => {
    const { startDate, endDate, workDays } = is.worker;
    return { worker: { ...worker, startDate, endDate, workDays } };
  });
  step("assignment", (_, { assignment, movesOn }) => ({ assignment, movesOn }));
  step("schedule", ({ worker }, is) => {
    const schedules = withHolidaysOf(is.worker.schedules, worker.schedules);
    return { worker: { ...worker, schedules } };
  });
  step("holiday", (_, { worker }) => ({ worker }));
  step("moved", (was, is) => (isFromSamePolicy(was, is) ? {} : { movesFrom: is.movesFrom }));
  step("opening", (_, { opening }) => ({ opening }), changedOpening(facts, now));
  step("workedHours", (_, { workedHours }) => ({ workedHours }));
  for (const list of ["adjustments", "requests"] as const) {
    for (const change of changesOf(facts, now, list)) {
      const noun = list === "requests" ? "leave" : "adjustment";
      const wasDenied = noun === "leave" && change.is === null && isDenied(change.sourceId);
      const part: Part = (old, is) => ({ [list]: withEntryOf(old[list], is[list], change.sourceId) });
      step(wasDenied ? "leaveDenied" : `${noun}${changeWord(change)}`, part, change);
    }
  }
  return causes;
}

const NO_ENTRY: Change = { sourceId: null, was: null, is: null };

/** The facts that a step replaces, as they are now. */
type Part = (facts: BalanceFacts, now: BalanceFacts) => Partial<BalanceFacts>;

/** The facts with a part replaced, also in those of the balances that moved here, one after the other. */
function replaced(facts: BalanceFacts, now: BalanceFacts, part: Part): BalanceFacts {
  const next = { ...facts, ...part(facts, now) };
  if (!isFromSamePolicy(facts, now)) return next;
  return { ...next, movesFrom: replaced(facts.movesFrom!, now.movesFrom!, part) }; // both have moved
}

function isFromSamePolicy({ movesFrom: was }: BalanceFacts, { movesFrom: is }: BalanceFacts): boolean {
  return was !== null && is !== null && was.assignment.policyId === is.assignment.policyId;
}

/** The balance and those that moved to it, the last one first. */
export function withFormer(facts: BalanceFacts): readonly BalanceFacts[] {
  return facts.movesFrom === null ? [facts] : [facts, ...withFormer(facts.movesFrom)];
}

/** The opening that differs, of balances that moved along the same policies. */
function changedOpening(before: BalanceFacts, now: BalanceFacts): Change {
  const openings = withFormer(now).map(({ opening }) => opening);
  for (const [at, { opening: was }] of withFormer(before).entries()) {
    const is = openings[at] ?? null;
    if (JSON.stringify(was) !== JSON.stringify(is)) return { sourceId: null, was, is };
  }
  return NO_ENTRY;
}

function changeWord({ was, is }: Change): "Added" | "Removed" | "Changed" {
  return was === null ? "Added" : is === null ? "Removed" : "Changed";
}

/** The schedules with the holidays of `others` at the same time. */
function withHolidaysOf(
  schedules: readonly ScheduleFacts[],
  others: readonly ScheduleFacts[],
): readonly ScheduleFacts[] {
  return schedules.map((schedule) => {
    const other = others.findLast(({ startsOn }) => startsOn <= schedule.startsOn) ?? others[0];
    return other === undefined ? schedule : { ...schedule, holidays: other.holidays };
  });
}

type Listed = AdjustmentFacts | RequestFacts;

const dayOf = (entry: Listed) => ("day" in entry ? entry.day : entry.firstDay);

/** The entries that differ or are now of another balance, by day and id. They have ids. */
function changesOf(
  before: BalanceFacts,
  now: BalanceFacts,
  list: "adjustments" | "requests",
): readonly (Change<Listed> & { readonly sourceId: string })[] {
  const placed = (facts: BalanceFacts) =>
    new Map(
      withFormer(facts).flatMap((each, at) => each[list].map((entry) => [entry.id!, { entry, at }] as const)),
    );
  const [was, is] = [placed(before), placed(now)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((id) => JSON.stringify(was.get(id)) !== JSON.stringify(is.get(id)))
    .map((id) => ({ sourceId: id, was: was.get(id)?.entry ?? null, is: is.get(id)?.entry ?? null }))
    .toSorted(
      (a, b) => dayOf((a.was ?? a.is)!) - dayOf((b.was ?? b.is)!) || (a.sourceId < b.sourceId ? -1 : 1), // an entry has one or both
    );
}

/** The entries, with the one of this id as it is now, if it is there. */
function withEntryOf(entries: readonly Listed[], now: readonly Listed[], id: string): readonly Listed[] {
  return [...entries.filter((entry) => entry.id !== id), ...now.filter((entry) => entry.id === id)];
}
