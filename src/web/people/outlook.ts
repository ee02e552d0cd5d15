// What can be taken from a day on without bringing a later day below zero, given all booked and requested leave. Taken leave is not lost
// later, so it reduces forfeits and expiries.
import type { BalanceEntry } from "../../client/index.ts";
import { type Day, dayOfText } from "../../time/day.ts";
import type { DayRange } from "../data/days.ts";

/** Minutes gained or lost on a day. */
export interface Change {
  readonly day: Day;
  readonly minutes: number;
}

export interface OutlookParts {
  /** This leave year. */
  readonly range: DayRange;
  /** Minutes at its beginning, and how many of them are locked and until when. */
  readonly opening: number;
  readonly locked: Change;
  /** Entries of this leave year and the next. */
  readonly entries: readonly BalanceEntry[];
  /** Grants that a cap on the balance cuts; leave taken earlier leaves room for them. Positive minutes. */
  readonly cuts: readonly Change[];
  /** The most that can be used in a leave year; null for no limit. */
  readonly useCap: number | null;
  readonly today: Day;
}

export interface Outlook {
  /** Minutes that can be taken on a day of these two years, at least 0. */
  readonly canTake: (day: Day) => number;
  /** What can still be taken in this leave year before it is lost. */
  readonly inYear: number;
  /** What is lost until the first day of the next leave year. Positive minutes, summed by day. */
  readonly losses: readonly Change[];
  /** Minutes booked and requested in the next leave year. Positive. */
  readonly bookedNext: number;
  /** How much of this leave year's balance the next year's leave needs. */
  readonly neededNext: number;
}

const LOSSES: readonly BalanceEntry["kind"][] = ["forfeit", "expiry"];
const LEAVE: readonly BalanceEntry["kind"][] = ["used", "hold"];

export function outlook({ range, opening, locked, entries, cuts, useCap, today }: OutlookParts): Outlook {
  const isIn = (day: Day, { first, end }: DayRange) => day >= first && day < end;
  const changes = withPending(entries).map(({ date, kind, minutes, unlocksOn }) => {
    const day = dayOfText(date);
    return { day: unlocksOn === null ? day : Math.max(day, dayOfText(unlocksOn)), minutes, kind };
  });
  if (locked.minutes !== 0)
    changes.push(
      { day: range.first, minutes: -locked.minutes, kind: "opening" },
      { ...locked, kind: "opening" },
    );
  changes.sort((a, b) => a.day - b.day);
  const leaveIn = (year: DayRange) =>
    -sum(changes.filter(({ day, kind }) => LEAVE.includes(kind) && isIn(day, year)));
  const next: DayRange = { first: range.end, end: Number.POSITIVE_INFINITY };

  const capOf = (day: Day) =>
    useCap === null ? Number.POSITIVE_INFINITY : useCap - leaveIn(day < range.end ? range : next);

  const isLoss = ({ kind }: (typeof changes)[number]) => LOSSES.includes(kind);
  const lost = [...changes.filter(isLoss).map(({ day, minutes }) => ({ day, minutes: -minutes })), ...cuts];
  const days = new Set([...changes, ...cuts].map(({ day }) => day));
  const steps = [...days]
    .sort((a, b) => a - b)
    .map((day) => ({
      day,
      minutes: sum(changes.filter((change) => change.day === day)),
      lost: sum(lost.filter((loss) => loss.day === day)),
    }));
  const canTake = (day: Day) => {
    let [usable, saved] = [opening, 0];
    let most: number | null = null;
    for (const step of steps) {
      if (step.day > day) {
        most ??= usable; // on the day itself
        saved += step.lost;
      }
      usable += step.minutes;
      if (most !== null) most = Math.min(most, usable + saved);
    }
    return Math.max(0, Math.min(most ?? usable, capOf(day)));
  };

  const ahead = lost.filter(({ day }) => day > today && day <= range.end);
  const losses = [...Map.groupBy(ahead, ({ day }) => day)].map(([day, own]) => ({ day, minutes: sum(own) }));
  const atEnd = canTake(range.end - 1);
  const left = opening + sum(changes.filter(({ day }) => day < range.end));
  const before = sum(losses.filter(({ day }) => day < range.end));
  return {
    canTake,
    inYear: Math.max(0, Math.min(before + atEnd, capOf(range.end - 1))),
    losses,
    bookedNext: leaveIn(next),
    neededNext: Math.max(0, Math.min(left, capOf(range.end - 1)) - atEnd),
  };
}

/** The entries as if pending leave were approved: minutes that it uses are not lost later. Ordered by day. */
export function withPending(entries: readonly BalanceEntry[]): BalanceEntry[] {
  let pending = 0;
  return entries.map((entry) => {
    if (entry.kind === "hold") pending -= entry.minutes;
    if (!LOSSES.includes(entry.kind)) return entry;
    const saved = Math.min(pending, -entry.minutes);
    pending -= saved;
    return { ...entry, minutes: entry.minutes + saved };
  });
}

const sum = (changes: readonly Change[]) => changes.reduce((total, { minutes }) => total + minutes, 0);
