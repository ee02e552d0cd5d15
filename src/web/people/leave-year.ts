// A leave year of one balance in numbers that add up, computed from the API's explanation (docs/balances.md).
import { useQuery } from "@tanstack/react-query";
import type { Balance, BalanceEntry, BalanceExplanation, LeavePreview, Policy } from "../../client/index.ts";
import { type Day, dayOfText } from "../../time/day.ts";
import type { DayRange } from "../data/days.ts";
import { leaveYearOf, yearStartOf } from "../data/leave-years.ts";
import { balancesOf, explanationOf, previewOf, useServer, useToday } from "../data/queries.ts";

/** One number of a leave year, with its entries. Minutes are signed: all parts add up to the balance. */
export interface Part {
  readonly kind:
    | "entitlement"
    | "carried"
    | "adjusted"
    | "lost"
    | "used"
    | "booked"
    | "requested"
    | "left"
    | "canTake";
  readonly minutes: number;
  readonly entries: readonly BalanceEntry[];
}

export interface LeaveYear {
  readonly range: DayRange;
  /** In the order of docs/page.md, A person's balances; the last one is what is left. */
  readonly parts: readonly Part[];
}

interface LeaveYearParts {
  readonly range: DayRange;
  /** The balance at the end of the day before. */
  readonly opening: number;
  /** The entries of the whole year. */
  readonly entries: readonly BalanceEntry[];
  /** Leave until today, and leave after it. */
  readonly taken: readonly BalanceEntry[];
  readonly coming: readonly BalanceEntry[];
}

const sum = (entries: readonly BalanceEntry[]) => entries.reduce((total, { minutes }) => total + minutes, 0);
const of = (entries: readonly BalanceEntry[], ...kinds: readonly BalanceEntry["kind"][]) =>
  entries.filter(({ kind }) => kinds.includes(kind));

/** The other parts are left out if they have no entries. */
const ALWAYS_SHOWN: readonly Part["kind"][] = ["entitlement", "carried", "used"];

export function leaveYear({ range, opening, entries, taken, coming }: LeaveYearParts): LeaveYear {
  const isAtStart = ({ date }: BalanceEntry) => dayOfText(date) === range.first;
  const forfeits = of(entries, "forfeit");
  const carriedEntries = forfeits.filter(isAtStart);
  const lost = [...forfeits.filter((entry) => !isAtStart(entry)), ...of(entries, "expiry")];
  const part = (kind: Part["kind"], own: readonly BalanceEntry[]): Part => ({
    kind,
    minutes: sum(own),
    entries: own,
  });
  const parts = [
    part("entitlement", of(entries, "accrual")),
    { ...part("carried", carriedEntries), minutes: opening + sum(carriedEntries) },
    part("adjusted", of(entries, "opening", "moved", "revalued", "adjustment")),
    part("lost", lost),
    part("used", of(taken, "used")),
    part("booked", of(coming, "used")),
    part("requested", of(entries, "hold")),
  ].filter(({ kind, entries: own }) => own.length > 0 || ALWAYS_SHOWN.includes(kind));
  const left = parts.reduce((total, { minutes }) => total + minutes, 0);
  return {
    range,
    parts: [...parts, { kind: "left", minutes: left, entries }],
  };
}

/** What can still be taken, in minutes, as previews say (docs/balances.md, A preview). */
export interface Outlook {
  /** In this leave year, before it is lost. */
  readonly inYear: number;
  /** What is booked and pending in the next leave year. */
  readonly bookedNext: number;
  /** How much of this leave year's balance the next year's leave needs: at most what is booked and pending there. */
  readonly neededNext: number;
  /** What is lost in the next twelve months if all pending leave is approved. */
  readonly lost: LeavePreview["lost"];
}

interface OutlookParts {
  /** Previews of the first day on which leave can be taken, and of the last one of the leave year. */
  readonly now: LeavePreview;
  readonly atEnd: LeavePreview;
  readonly first: Day;
  readonly last: Day;
  /** Entries of this leave year and the next. */
  readonly year: readonly BalanceEntry[];
  readonly next: readonly BalanceEntry[];
  /** The most that can be used in a leave year; null for no limit. */
  readonly useCap: number | null;
}

export function outlook({ now, atEnd, first, last, year, next, useCap }: OutlookParts): Outlook {
  const leave = (entries: readonly BalanceEntry[]) => -sum(of(entries, "used", "hold"));
  const most = ({ mostMinutes }: LeavePreview) => mostMinutes ?? 0; // null for unlimited policies, which have no outlook
  const lost = now.lost.filter(({ date }) => dayOfText(date) > first);
  const lostBefore = lost.filter(({ date }) => dayOfText(date) <= last);
  const lostBeforeMinutes = lostBefore.reduce((total, { minutes }) => total + minutes, 0);
  const locked = sum(year.filter(({ unlocksOn }) => unlocksOn !== null && dayOfText(unlocksOn) > last));
  const capRest = useCap === null ? Number.POSITIVE_INFINITY : useCap - leave(year);
  return {
    inYear: Math.max(most(now), Math.min(lostBeforeMinutes + most(atEnd), capRest)),
    bookedNext: leave(next),
    neededNext:
      useCap === null
        ? Math.max(0, Math.min(leave(next), (atEnd.balanceBefore ?? 0) - most(atEnd) - locked))
        : 0,
    lost,
  };
}

const NONE: readonly BalanceEntry[] = [];

/** The assignment day, and the last day on which leave can be taken. */
export interface AssignedDays {
  readonly since: Day;
  /** Infinity if no end is known. */
  readonly until: Day;
}

/**
 * The leave year of a balance, `offset` years from the current one. The current one also has an outlook. `hasPending`: whether any leave is
 * pending, in whichever year.
 */
export function useLeaveYear(
  balance: Balance,
  policy: Policy,
  { since, until }: AssignedDays,
  offset: number,
  hasPending: boolean,
) {
  const server = useServer();
  const today = useToday();
  const explain = (first: Day | null, last: Day, enabled = true) => ({
    ...explanationOf(server, balance.id, first, last),
    enabled,
  });
  const start = yearStartOf(policy, since);
  const range = leaveYearOf(today, start, offset);
  const last = range.end - 1;
  const isCurrent = offset === 0;
  const year = useQuery(explain(range.first, last));
  const taken = useQuery(explain(range.first, today, isCurrent));
  const coming = useQuery(explain(today + 1, last, isCurrent && today < last));
  // What pending leave takes from the balance of the last day may be less than its minutes (docs/balances.md, Pending leave).
  const holds = useQuery(explain(null, last, hasPending && !policy.isUnlimited));
  const following = leaveYearOf(range.end, start);
  const next = useQuery(explain(following.first, following.end - 1, isCurrent && !policy.isUnlimited));
  // Asked for before the assignment day, too: an opening, adjustments and leave may be earlier.
  const before = useQuery({
    ...balancesOf(server, balance.workerId, range.first - 1),
    enabled: !policy.isUnlimited,
  });
  const from = firstTakeable(balance, today);
  const isTakeable = isCurrent && !policy.isUnlimited && from <= until;
  const lastDay = Math.max(Math.min(last, until), from);
  const preview = (day: Day) => ({ ...previewOf(server, balance, day), enabled: isTakeable });
  const [now, atEnd] = [useQuery(preview(from)), useQuery(preview(lastDay))];
  const queries = [year, taken, coming, holds, next, before, now, atEnd];
  const dayBefore = before.data?.find(({ id }) => id === balance.id);
  const opening = dayBefore === undefined ? 0 : leftOf(dayBefore);
  const isComplete =
    queries.every(({ data, fetchStatus }) => data !== undefined || fetchStatus === "idle") &&
    year.data !== undefined;
  const entriesOf = (query: { data: BalanceExplanation | undefined }) => query.data?.entries ?? NONE;
  const inYear = entriesOf(year);
  // Leave that goes on today is two entries: used until today, and booked after it.
  const current = [entriesOf(taken), entriesOf(coming)] as const;
  const [past, ahead] = isCurrent ? current : offset < 0 ? [inYear, NONE] : [NONE, inYear];
  const parts: LeaveYearParts = {
    range,
    opening,
    entries:
      holds.data === undefined
        ? inYear
        : [...inYear.filter(({ kind }) => kind !== "hold"), ...of(entriesOf(holds), "hold")],
    taken: past,
    coming: ahead,
  };
  const { useCapMinutes } = policy.rules;
  const useCap = useCapMinutes === undefined ? null : Number(useCapMinutes);
  const entries = [...past, ...ahead, ...entriesOf(next)];
  const previews = isTakeable && isComplete && now.data && atEnd.data && { now: now.data, atEnd: atEnd.data };
  return {
    range,
    following,
    queries,
    year: isComplete ? leaveYear(parts) : null,
    outlook: previews
      ? outlook({ ...previews, first: from, last: lastDay, year: inYear, next: entriesOf(next), useCap })
      : null,
    /** Entries of the current leave year and the next. */
    entries,
    opening,
    /** The next accrual. */
    next: of(entries, "accrual").find(({ date, minutes }) => minutes > 0 && dayOfText(date) > today) ?? null,
  };
}

/** The first day on which leave can be taken: today, or the day after the balance was taken over. */
export function firstTakeable({ openedOn }: Balance, today: Day): Day {
  return openedOn === null ? today : Math.max(today, dayOfText(openedOn) + 1);
}

/** Everything posted and used through a day. Requested leave is not taken yet. */
function leftOf({ accruedUnlocked, accruedLocked, used }: Balance): number {
  return accruedUnlocked + accruedLocked - used;
}
