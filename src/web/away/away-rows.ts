// From responses to what is shown: who is away today and next, and the rows of the calendar.
import { useMemo } from "react";
import type { Holiday, Policy, TimeOffRequest, Worker } from "../../client/index.ts";
import { type Day, dayOfText } from "../../time/day.ts";
import {
  type Absence,
  type Away,
  absencesIn,
  awayFrom,
  type Count,
  countOf,
  countText,
  endOf,
  startOf,
} from "../data/absences.ts";
import { type DayRange, daysIn, isWeekend, weekOf } from "../data/days.ts";
import { directoryOf, filterPeople, type Group, grouped, NO_WORKERS, worksIn } from "../data/directory.ts";
import { facts, shortDay } from "../data/format.ts";
import {
  type HolidaysOf,
  holidayNames,
  isWholeHoliday,
  useCompany,
  useHolders,
  usePolicies,
  useRequestsFrom,
  useRequestsIn,
  useWorkers,
} from "../data/queries.ts";
import { t } from "../texts/texts.ts";
import { type AwaySettings, type Least, leastText } from "./settings.ts";

/** The "next" list covers this many days after today. */
export const NEXT_DAYS = 14;

export interface AwayRow {
  readonly worker: Worker;
  readonly absences: readonly Absence[];
}

/** Rows of a group. `of` counts its people who pass the filters, away or not. */
export interface AwayGroup extends Group<AwayRow>, Count {
  readonly of: number;
}

/** A person who is away, with the current absence first. */
export interface AwayPerson {
  readonly worker: Worker;
  readonly absence: Absence;
  readonly away: Away;
}

const NONE: readonly Absence[] = [];
const NO_REQUESTS: readonly TimeOffRequest[] = [];
const NO_KINDS: readonly string[] = [];

/** The people who pass the filters, and the queries behind them. */
export function useAwayPeople({ filter, policies: chosen, counted }: AwaySettings) {
  const company = useCompany();
  const workers = useWorkers(counted);
  const policies = usePolicies();
  const holders = useHolders(chosen);
  const directory = useMemo(() => directoryOf(workers.data ?? NO_WORKERS), [workers.data]);
  const people = useMemo(() => {
    const people = filterPeople(workers.data ?? NO_WORKERS, filter);
    if (chosen.length === 0) return people;
    const holding = new Set(holders.data?.map(({ workerId }) => workerId));
    return people.filter(({ id }) => holding.has(id));
  }, [workers.data, holders.data, filter, chosen]);
  // Until the response arrives, `holders` has the people of the policies chosen before.
  const isStale = chosen.length > 0 && (holders.data === undefined || holders.isPlaceholderData);
  return {
    company,
    companyZone: company.data?.timeZone ?? null,
    workers,
    policies,
    holders,
    directory,
    people,
    isStale,
  };
}

export type AwayPeople = ReturnType<typeof useAwayPeople>;

/** The requests that the settings show, by status and type. Types during which people work are left out, except those in `including`. */
function counted(
  requests: readonly TimeOffRequest[],
  policies: readonly Policy[],
  { without, requestStatuses }: AwaySettings,
  including: readonly string[],
): readonly TimeOffRequest[] {
  const hidden = new Set(
    policies
      .filter(
        ({ isAbsence, timeOffTypeId }) =>
          without.includes(timeOffTypeId) || !(isAbsence || including.includes(timeOffTypeId)),
      )
      .map(({ id }) => id),
  );
  return requests.filter(
    ({ status, timeOffPolicyId }) =>
      (requestStatuses.length === 0 || requestStatuses.includes(status)) && !hidden.has(timeOffPolicyId),
  );
}

/** This many days after the "next" list, nearly everybody on it is back. */
const FOLLOWING_DAYS = 21;

/**
 * The days that the lists need: this week, with which the calendar opens, the days of the "next" list, and days after it, because listed
 * leave may continue. The range is short enough for the server's index by weeks.
 */
function listedDays(today: Day): DayRange {
  return { first: weekOf(today).first, end: today + NEXT_DAYS + 1 + FOLLOWING_DAYS };
}

/** Absences in a range by worker id. Types during which people work are included if the settings show them. */
function useAbsences(
  range: DayRange,
  requests: readonly TimeOffRequest[] | undefined,
  settings: AwaySettings,
  { policies, directory, companyZone }: AwayPeople,
  including: readonly string[],
) {
  return useMemo(
    () =>
      absencesIn(
        range,
        counted(requests ?? NO_REQUESTS, policies.data ?? [], settings, including),
        directory.byId,
        companyZone,
      ),
    [
      range,
      requests,
      policies.data,
      settings.without,
      including,
      settings.requestStatuses,
      directory,
      companyZone,
    ],
  );
}

/** Who is away today, and who is away next, in the order of the settings. */
export function useAwayLists(settings: AwaySettings, away: AwayPeople) {
  const { people, directory, companyZone } = away;
  const { today, grouping, order } = settings;
  const range = useMemo(() => listedDays(today), [today]);
  const requests = useRequestsIn(range);
  const absences = useAbsences(range, requests.data, settings, away, NO_KINDS);
  const listed = useMemo(() => listPeople(people, today, absences, NO_ABSENCES), [people, today, absences]);
  // More leave may follow leave that ends beyond the range. So ask for all later requests of these few people.
  const lasting = useMemo(
    () => [...listed.now, ...listed.next].filter(({ away }) => away.backOn >= range.end - 2).map(idOf),
    [listed, range],
  );
  const later = useRequestsFrom(lasting, range.end);
  const lists = useMemo(() => {
    const following = absencesIn(
      { first: range.first, end: Number.POSITIVE_INFINITY },
      counted(later.data ?? NO_REQUESTS, away.policies.data ?? [], settings, NO_KINDS),
      directory.byId,
      companyZone,
    );
    const { now, next } = following.size === 0 ? listed : listPeople(people, today, absences, following);
    const inOrder = (all: AwayPerson[], of: (person: AwayPerson) => number) =>
      order === "name" ? all : all.toSorted((a, b) => of(a) - of(b));
    const groups = (all: readonly AwayPerson[]): Group<AwayPerson>[] =>
      grouped(all, grouping, ({ worker }) => worker, directory);
    return {
      now: groups(inOrder(now, backOf)),
      next: groups(inOrder(next, ({ absence }) => startOf(absence))),
    };
  }, [
    listed,
    later.data,
    absences,
    people,
    today,
    range,
    order,
    grouping,
    directory,
    companyZone,
    away.policies.data,
    settings.without,
    settings.requestStatuses,
  ]);
  return { requests, later, ...lists };
}

type AbsencesById = ReadonlyMap<string, readonly Absence[]>;

const NO_ABSENCES: AbsencesById = new Map();
const idOf = ({ worker }: AwayPerson) => worker.id;

/** Who is away today, and who is away next, in the order of `people`. `following` are later absences. */
function listPeople(
  people: readonly Worker[],
  today: Day,
  absences: AbsencesById,
  following: AbsencesById,
): { now: AwayPerson[]; next: AwayPerson[] } {
  const now: AwayPerson[] = [];
  const next: AwayPerson[] = [];
  for (const worker of people) {
    const own = absences.get(worker.id) ?? NONE;
    const approved = [...own, ...(following.get(worker.id) ?? NONE)].filter(isApproved);
    let back = 0;
    const current = own
      .filter(({ firstDay, lastDay }) => firstDay <= today && lastDay >= today)
      .sort(approvedAndLongestFirst)[0];
    if (current !== undefined) {
      const away = awayFrom(current, approved);
      now.push({ worker, absence: current, away });
      back = away.backOn;
    }
    const coming = own.find((absence) => absence.firstDay > today && absence.firstDay >= back);
    if (coming !== undefined && coming.firstDay <= today + NEXT_DAYS)
      next.push({ worker, absence: coming, away: awayFrom(coming, approved) });
  }
  return { now, next };
}

const isApproved = ({ request }: Absence) => request.status === "approved";
const backOf = ({ away }: AwayPerson) => away.backOn + away.backMinute / 1440;

function approvedAndLongestFirst(a: Absence, b: Absence): number {
  return Number(isApproved(b)) - Number(isApproved(a)) || endOf(b) - endOf(a);
}

/** The rows of the calendar in groups, and how many people are away on each day. */
export function useAwayRows(settings: AwaySettings, away: AwayPeople, holidaysOf: HolidaysOf) {
  const { people, directory, policies } = away;
  const { range, counted: days, everyone, order, grouping, today } = settings;
  const listed = listedDays(today);
  const isListed = days.first >= listed.first && days.end <= listed.end; // if so, one request serves the lists and the calendar
  const requests = useRequestsIn(isListed ? listed : days);
  const absences = useAbsences(days, requests.data, settings, away, settings.including);
  const made = useMemo(() => {
    const isAway = awayBy(policies.data ?? []);
    const ofDays = people.map((worker) => ({ worker, absences: absences.get(worker.id) ?? NONE }));
    const all = ofDays.map(({ worker, absences: own }) => ({
      worker,
      absences: days.end > range.end ? own.filter(({ firstDay }) => firstDay < range.end) : own,
    }));
    const there = all.filter((row) => row.absences.length > 0 || worksIn(range, row.worker));
    const shown = there.filter((row) => everyone || row.absences.length > 0);
    const from = today > range.first && today < range.end ? today : range.first;
    const key = new Map(shown.map((row) => [row, nextAwayFrom(from, row)]));
    const rows = order === "name" ? shown : shown.sort((a, b) => key.get(a)! - key.get(b)!); // the sort is stable: ties stay by name
    const inGroups = (some: readonly AwayRow[]) => grouped(some, grouping, ({ worker }) => worker, directory);
    const sizes = new Map(inGroups(there).map(({ name, items }) => [name, items.length]));
    const count = (some: readonly AwayRow[]) => countOf(some.map(({ absences: own }) => own.filter(isAway)));
    return {
      rows,
      groups: inGroups(rows).map(
        (group): AwayGroup => ({ ...group, ...count(group.items), of: sizes.get(group.name)! }),
      ),
      total: count(rows),
      days: countDays(days, ofDays, isAway, holidaysOf),
    };
  }, [people, absences, policies.data, directory, everyone, range, days, order, grouping, today, holidaysOf]);
  return { requests, ...made };
}

export type AwayRows = ReturnType<typeof useAwayRows>;

const NOT_AGAIN = Number.MAX_SAFE_INTEGER;

/** A sort key: the start of the next absence from `from` on, in days. People whose leave is over come later, those without leave last. */
function nextAwayFrom(from: Day, { absences }: AwayRow): number {
  if (absences.length === 0) return NOT_AGAIN;
  const coming = absences.filter((absence) => endOf(absence) > from);
  return Math.min(NOT_AGAIN - 1, ...coming.map((absence) => Math.max(from, startOf(absence))));
}

/** Returns a test whether people do not work during an absence. */
function awayBy(policies: readonly Policy[]): (absence: Absence) => boolean {
  const atWork = new Set(policies.flatMap(({ id, isAbsence }) => (isAbsence ? [] : [id])));
  return ({ request }) => !atWork.has(request.timeOffPolicyId);
}

/** Who is away on a day. `of` is how many people pass the filters and work on it. */
export interface DayCount extends Count {
  readonly of: number;
  /** People with a holiday on the day, who count as neither away nor there. */
  readonly off: number;
  /** All holidays that any of the people have on the day. */
  readonly holidays: ReadonlySet<Holiday>;
}

/** How many work on the day. */
export const thereOn = ({ of, away }: DayCount) => of - away;

/** Whether fewer people are there than needed. False at weekends, and if nobody works. */
export function isThin(day: Day, count: DayCount, { value, isShare }: Least): boolean {
  if (count.of === 0 || isWeekend(day)) return false;
  return thereOn(count) < (isShare ? value * count.of : value);
}

/** A day's counts in words, and whether the day is marked. */
export function dayText(day: Day, count: DayCount, least: Least): string {
  return t("day.count", {
    day: shortDay(day),
    counts: countText(count),
    of: count.of,
    off: count.off,
    names: facts(
      holidayNames(count.holidays),
      isThin(day, count, least) && t("forecast", { least: leastText(least) }),
    ),
  });
}

export type DayCounts = ReadonlyMap<Day, DayCount>;

const noCount = () => ({ away: 0, asked: 0, of: 0, off: 0, holidays: new Set<Holiday>() });

export function countDays(
  range: DayRange,
  rows: readonly AwayRow[],
  isAway: (absence: Absence) => boolean,
  holidaysOf: HolidaysOf,
): DayCounts {
  const counts = new Map(daysIn(range).map((day) => [day, noCount()]));
  // People with one calendar are counted together. Counting 20,000 people one by one for a year would take seconds.
  for (const [holidays, people] of Map.groupBy(rows, ({ worker }) => holidaysOf(worker))) {
    countEmployed(counts, employmentChanges(range, people), holidays);
    for (const { absences } of people)
      for (const [day, approved] of approvedOn(range, absences.filter(isAway)))
        if (!isWholeHoliday(holidays.get(day))) counts.get(day)![approved ? "away" : "asked"]++;
  }
  return counts;
}

/** Adds people who share these holidays to the counts. `changes` is of `employmentChanges`. */
function countEmployed(
  counts: ReadonlyMap<Day, ReturnType<typeof noCount>>,
  changes: ReadonlyMap<Day, number>,
  holidays: ReturnType<HolidaysOf>,
): void {
  let employed = 0;
  for (const [day, counted] of counts) {
    employed += changes.get(day) ?? 0;
    if (employed === 0) continue;
    const own = holidays.get(day);
    counted[isWholeHoliday(own) ? "off" : "of"] += employed;
    for (const holiday of own ?? []) counted.holidays.add(holiday);
  }
}

/** By day, the change of the number of employed people. */
function employmentChanges(range: DayRange, rows: readonly AwayRow[]): ReadonlyMap<Day, number> {
  const changes = new Map<Day, number>();
  const change = (day: Day, by: 1 | -1) => changes.set(day, (changes.get(day) ?? 0) + by);
  for (const { worker } of rows) {
    const first = Math.max(dayOfText(worker.startDate), range.first);
    const end = worker.endDate === null ? range.end : dayOfText(worker.endDate) + 1;
    if (first >= end) continue;
    change(first, 1);
    change(end, -1);
  }
  return changes;
}

/** The days of absences, each with whether any absence of the day is approved. */
function approvedOn(range: DayRange, absences: readonly Absence[]): ReadonlyMap<Day, boolean> {
  const approved = new Map<Day, boolean>();
  for (const absence of absences)
    for (const day of daysWithin(range, absence.firstDay, absence.lastDay))
      approved.set(day, approved.get(day) === true || isApproved(absence));
  return approved;
}

const daysWithin = (range: DayRange, first: Day, last: Day) =>
  daysIn({ first: Math.max(first, range.first), end: Math.min(last + 1, range.end) });
