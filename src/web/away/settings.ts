// The settings of the calendar's view, from its address.
import { useMemo } from "react";
import { useLocation } from "wouter";
import type { RequestStatus, Worker } from "../../client/index.ts";
import { addMonths, type Day, formatDay } from "../../time/day.ts";
import { type DayRange, isWeekend, monthOf, storedDay, weekOf, yearOf } from "../data/days.ts";
import { departmentOf, GROUPINGS } from "../data/directory.ts";
import { peopleCount, percent } from "../data/format.ts";
import { useToday } from "../data/queries.ts";
import { inAddress, useListed, usePeopleFilter, useSettings } from "../data/settings.ts";
import { type Access, seesAway, visibleWorkers } from "../session.ts";

export type Scale = "week" | "month" | "year";

const RANGES = { week: weekOf, month: monthOf, year: yearOf } as const;

const ORDERS = ["next", "name", ...GROUPINGS] as const;
/** `next` sorts by the next absence, `name` by name. The others are groupings. */
export type Order = (typeof ORDERS)[number];

const REQUEST_STATUSES: readonly RequestStatus[] = ["approved", "pending"];

export interface Least {
  readonly value: number;
  /** Whether `value` is a share of the people who work on the day, 0 to 1. Otherwise it is a number of people. */
  readonly isShare: boolean;
}

/** `5 people`, `75%`. */
export const leastText = ({ value, isShare }: Least) => (isShare ? percent(value) : peopleCount(value));

/** The default: warn if more than a third is away. */
const DEFAULT_LEAST: Least = { value: 0.66, isShare: true };

/** `5` people, or `75%` of them. */
export const LEAST = /^(\d{1,5}) ?(%?)$/;

/** Parses the address, which may have any text. */
function leastOf(text: string | null): Least {
  const [, digits, sign] = LEAST.exec(text ?? "") ?? [];
  if (digits === undefined) return DEFAULT_LEAST;
  return sign === "%"
    ? { value: Number(digits) / 100, isShare: true }
    : { value: Number(digits), isShare: false };
}

/** How far ahead people plan leave. */
const MONTHS_AHEAD = 12;

/** The days to count: the shown days, and in the current year also the days until twelve months from now. */
function countedDays(scale: Scale, range: DayRange, today: Day): DayRange {
  const isThisYear = scale === "year" && range.first <= today && today < range.end;
  return isThisYear
    ? { first: range.first, end: Math.max(range.end, addMonths(today, MONTHS_AHEAD)) }
    : range;
}

export type AwaySettings = ReturnType<typeof useAwaySettings>["settings"];

export function useAwaySettings() {
  const { search, change } = useSettings();
  const today = useToday();
  const view = search.get("view");
  const scale: Scale = view === "month" || view === "year" ? view : "week";
  const rangeOf = RANGES[scale];
  const least = search.get("least");
  const [path] = useLocation();
  // At a weekend, the next week matters.
  const current = scale === "week" && isWeekend(today) ? today + 2 : today;
  const named = storedDay(search.get("day"));
  const day = named ?? current;
  const range = useMemo(() => rangeOf(day), [rangeOf, day]);
  const order = ORDERS.find((each) => each === search.get("order")) ?? "next";
  const counted = useMemo(() => countedDays(scale, range, today), [scale, range, today]);
  const settings = {
    today,
    scale,
    /** The days to count, see `countedDays`. */
    counted,
    /** The day in the address; else today. */
    day: named ?? today,
    range,
    filter: usePeopleFilter(search),
    policies: useListed(search.get("policy")),
    /** Ids of hidden types of time off, such as working from home. */
    without: useListed(search.get("without")),
    /** Ids of types to show although people work during them. */
    including: useListed(search.get("with")),
    /** Statuses of shown requests; if empty, all but denied. */
    requestStatuses: useListed(search.get("request"), REQUEST_STATUSES),
    /** The number or share of people who are needed. Days with fewer are marked. */
    least: useMemo(() => leastOf(least), [least]),
    /** The path of the view. */
    path,
    order,
    grouping: order === "next" || order === "name" ? null : order,
    /** Whether people who are there are shown, too. */
    everyone: search.get("who") === "everyone",
    /** Whether the lists of who is away today and next are unfolded. */
    areListsOpen: search.get("lists") === "open",
  };
  const goTo = (next: Day) =>
    change({ day: rangeOf(next).first === rangeOf(current).first ? null : formatDay(next) }, true);
  return {
    settings,
    change,
    showScale: (next: Scale) => change({ view: next === "week" ? null : next }, true),
    back: () => goTo(range.first - 1),
    forward: () => goTo(range.end),
    goToday: () => goTo(current),
    goTo,
  };
}

/** The address of the calendar of a worker's team, with the week or the month of a day; null for viewers who have none. */
export function teamCalendar(
  access: Access,
  worker: Worker,
  day: Day | null = null,
  view: "month" | null = null,
): string | null {
  const reach = visibleWorkers(access);
  if (reach !== "reports" && !seesAway(access)) return null;
  // A team is the people with the same manager, and the worker's reports. Without a manager, it is the department.
  const team =
    worker.managerId === null
      ? { department: [departmentOf(worker) ?? ""] }
      : { manager: [worker.id, worker.managerId] };
  const settings = inAddress({
    ...(reach !== "reports" && { ...team, who: "everyone" }),
    day: day === null ? null : formatDay(day),
    view,
  });
  return `${reach === "company" ? "/" : reach === "reports" ? "/team" : "/away"}?${settings}`;
}
