/** Explains why two sets of facts give different balances at the end of a day. Pure functions. */
import type { Day } from "../time/day.ts";
import { closingOn } from "./balance.ts";
import {
  type AdjustmentFacts,
  type BalanceFacts,
  countsFrom,
  type OpeningFacts,
  type RequestFacts,
  type ScheduleFacts,
} from "./facts.ts";
import { firstLeaveDay, lastLeaveDay, leaveBetween } from "./leave.ts";
import { toHundredths } from "./rational.ts";

/** What changed a balance since it was closed (docs/record.md, Why a figure differs). */
export type DifferenceCause =
  | ("rule" | "worker" | "assignment" | "schedule" | "holiday" | "moved" | "opening" | "workedHours")
  | ("adjustmentAdded" | "adjustmentChanged" | "adjustmentRemoved")
  | ("leaveAdded" | "leaveChanged" | "leaveDenied" | "leaveRemoved");

/** In hundredths of a minute. */
export interface Cause {
  readonly cause: DifferenceCause;
  /** The id of the request or adjustment. */
  readonly sourceId: string | null;
  /** The request, adjustment or opening balance before and after the step; null if there is none. */
  readonly was: DatedMinutes | null;
  readonly is: DatedMinutes | null;
  readonly by: number;
}

export interface DatedMinutes {
  readonly first: Day;
  readonly last: Day;
  readonly minutes: number;
  /** Null for others than requests. */
  readonly status: RequestFacts["status"] | null;
}

/** The closing balance of a day, in hundredths of a minute; 0 if there is no balance. */
export function closingOf(facts: BalanceFacts | null, day: Day): number {
  if (facts === null || (facts.opening !== null && facts.opening.day > day)) return 0;
  return closingOn(facts, day);
}

/**
 * What a close compares, in hundredths of a minute: the closing balance. An unlimited policy has no balance. There, it is the approved
 * leave through the day, as a negative number.
 */
export function figureOf(facts: BalanceFacts | null, day: Day): number {
  if (facts === null || !facts.policy.isUnlimited) return closingOf(facts, day);
  return 0 - toHundredths(leaveBetween(facts.requests, countsFrom(facts), day, facts.worker).approved);
}

/**
 * The causes of a difference. Replaces the facts `before` by those of `now`, one by one in a fixed order, and computes the balance after
 * each step. So the causes add up to the difference exactly. Facts are null if there is no assignment. If it came or went, it is the
 * only cause: its leave may be stored before and after. `isDenied`: whether a request that is missing in `now` was denied.
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
    return by === 0 ? [] : [{ cause: "assignment", ...changeOf(null, null), by }];
  }
  let facts: BalanceFacts = before;
  const step = (
    cause: DifferenceCause,
    next: BalanceFacts,
    was: Entry | null = null,
    is: Entry | null = null,
  ) => {
    facts = next;
    const then = figureOf(next, day);
    if (then !== figure) causes.push({ cause, ...changeOf(was, is), by: then - figure });
    figure = then;
  };
  // Hours are facts only of a policy that counts them: they come and go with its schedule.
  const { workedHours } = before.policy.schedule === now.policy.schedule ? before : now;
  step("rule", { ...facts, policy: now.policy, workedHours });
  const { startDate, endDate, workDays, schedules } = now.worker;
  step("worker", { ...facts, worker: { ...facts.worker, startDate, endDate, workDays } });
  step("assignment", { ...facts, assignment: now.assignment, movesOn: now.movesOn });
  step("schedule", {
    ...facts,
    worker: { ...facts.worker, schedules: withHolidaysOf(schedules, facts.worker.schedules) },
  });
  step("holiday", { ...facts, worker: now.worker });
  step("moved", { ...facts, movesFrom: now.movesFrom });
  step("opening", { ...facts, opening: now.opening }, facts.opening, now.opening);
  step("workedHours", { ...facts, workedHours: now.workedHours });
  for (const [id, was, is] of changesOf(facts.adjustments, now.adjustments)) {
    const cause = was === null ? "adjustmentAdded" : is === null ? "adjustmentRemoved" : "adjustmentChanged";
    step(cause, { ...facts, adjustments: replaced(facts.adjustments, id, is) }, was, is);
  }
  for (const [id, was, is] of changesOf(facts.requests, now.requests)) {
    step(
      leaveCause(was, is, isDenied(id)),
      { ...facts, requests: replaced(facts.requests, id, is) },
      was,
      is,
    );
  }
  return causes;
}

function leaveCause(was: RequestFacts | null, is: RequestFacts | null, isDenied: boolean): DifferenceCause {
  if (was === null) return "leaveAdded";
  if (is !== null) return "leaveChanged";
  return isDenied ? "leaveDenied" : "leaveRemoved";
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
type Entry = Listed | OpeningFacts;

function changeOf(was: Entry | null, is: Entry | null): Omit<Cause, "cause" | "by"> {
  const entry = is ?? was;
  const sourceId = entry !== null && "id" in entry ? (entry.id ?? null) : null;
  return { sourceId, was: was && datedMinutes(was), is: is && datedMinutes(is) };
}

function datedMinutes(entry: Entry): DatedMinutes {
  const [first, last] = "day" in entry ? [entry.day, entry.day] : [firstLeaveDay(entry), lastLeaveDay(entry)];
  return { first, last, minutes: entry.minutes, status: "status" in entry ? entry.status : null };
}

const dayOf = (entry: Listed) => ("day" in entry ? entry.day : entry.firstDay);

/** The entries that differ, by day and id: what each was and is; null if absent. */
function changesOf<E extends Listed>(
  before: readonly E[],
  now: readonly E[],
): readonly (readonly [id: string, was: E | null, is: E | null])[] {
  const [was, is] = [before, now].map((list) => new Map(list.map((entry) => [entry.id!, entry]))) as [
    Map<string, E>,
    Map<string, E>,
  ]; // both lists, with ids
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((id) => [id, was.get(id) ?? null, is.get(id) ?? null] as const)
    .filter(([, a, b]) => JSON.stringify(a) !== JSON.stringify(b))
    .toSorted((a, b) => dayOf((a[1] ?? a[2])!) - dayOf((b[1] ?? b[2])!) || (a[0] < b[0] ? -1 : 1)); // an entry has one or both
}

function replaced<E extends Listed>(entries: readonly E[], id: string, entry: E | null): readonly E[] {
  const others = entries.filter((other) => other.id !== id);
  return entry === null ? others : [...others, entry];
}
