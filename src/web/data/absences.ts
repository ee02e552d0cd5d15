// Requests in local days and times, and in words. The zone is the request's, else the worker's, else the company's, else UTC
// (docs/balances.md).
import type { TimeOffRequest, Worker } from "../../client/index.ts";
import { type Day, formatDay } from "../../time/day.ts";
import { t } from "../texts/texts.ts";
import { type DayRange, isDayOff, knownZone, viewerZone, wallTime } from "./days.ts";
import { clock, enumerated, longDay, plainClock, shortRange } from "./format.ts";

const DAY_MINUTES = 1440;

export type Absence = ReturnType<typeof absenceOf>;

export function absenceOf(
  request: TimeOffRequest,
  worker: Pick<Worker, "timeZone">,
  companyZone: string | null = null,
) {
  const zone = knownZone(request.timeZone, worker.timeZone, companyZone);
  const start = wallTime(request.startAt, zone);
  const end = wallTime(request.endAt, zone);
  const endsAtMidnight = end.minute === 0 && end.day > start.day;
  const endMinute = endsAtMidnight ? DAY_MINUTES : end.minute;
  return {
    request,
    zone,
    firstDay: start.day,
    lastDay: endsAtMidnight ? end.day - 1 : end.day,
    /** Minutes since local midnight, on the first day. */
    startMinute: start.minute,
    /** Minutes since local midnight, on the last day; 1440 for the whole day. */
    endMinute,
    /** Whether it lasts from midnight to midnight. */
    isWholeDays: start.minute === 0 && endMinute === DAY_MINUTES,
  };
}

/** Absences that touch these days, by worker id, ordered by start. */
export function absencesIn(
  range: DayRange,
  requests: readonly TimeOffRequest[],
  workerOf: ReadonlyMap<string, Worker>,
  companyZone: string | null,
): Map<string, Absence[]> {
  const absences = requests.flatMap((request) => {
    const worker = workerOf.get(request.workerId);
    if (worker === undefined) return []; // joined after the workers were loaded
    const absence = absenceOf(request, worker, companyZone);
    return absence.firstDay >= range.end || absence.lastDay < range.first ? [] : [absence];
  });
  absences.sort((a, b) => startOf(a) - startOf(b));
  return Map.groupBy(absences, ({ request }) => request.workerId);
}

/** The start in days since 1970-01-01; the time of day is a fraction. */
export const startOf = (absence: Absence) => absence.firstDay + absence.startMinute / DAY_MINUTES;
export const endOf = (absence: Absence) => absence.lastDay + absence.endMinute / DAY_MINUTES;

/** How long somebody is away without working in between, and when they are back. */
export interface Away {
  readonly lastDay: Day;
  /** The first day back at work, and the minute of it; 0 is the morning. */
  readonly backOn: Day;
  readonly backMinute: number;
}

/** Leave that lasts until this minute takes the rest of the working day. */
const EVENING = 17 * 60;

/** Extends an absence over weekends, and over absences that follow before the next working day. `own`: the person's absences. */
export function awayFrom(absence: Absence, own: readonly Absence[]): Away {
  let until = endOf(absence);
  let { lastDay } = absence;
  while (true) {
    const day = Math.floor(until);
    const minute = Math.round((until - day) * DAY_MINUTES);
    const following = own.find((other) => startOf(other) <= until && endOf(other) > until);
    if (following !== undefined) {
      until = endOf(following);
      lastDay = following.lastDay;
    } else if (minute >= EVENING || isDayOff(day, absence.zone)) until = day + 1;
    else return { lastDay, backOn: day, backMinute: minute };
  }
}

export type Lanes = ReturnType<typeof barsIn>;
export type Bar = Lanes["bars"][number];

/** The positions of absences in a row: shares of its width, and a lane for overlaps. */
export function barsIn({ first, end }: DayRange, absences: readonly Absence[]) {
  const days = end - first;
  const laneEnds: number[] = [];
  const bars = absences.map((absence) => {
    const [from, to] = [Math.max(first, startOf(absence)), Math.min(end, endOf(absence))];
    const free = laneEnds.findIndex((laneEnd) => laneEnd <= from);
    const lane = free === -1 ? laneEnds.length : free;
    laneEnds[lane] = Math.ceil(to); // a lane is free from the next day on, because the times of a short bar stand beside it
    return {
      absence,
      left: (from - first) / days,
      width: (to - from) / days,
      lane,
      startsBefore: startOf(absence) < first,
      endsAfter: endOf(absence) > end,
    };
  });
  return { bars, lanes: Math.max(1, laneEnds.length) };
}

export const requestStatusName = (status: TimeOffRequest["status"]) => t(`request.${status}`);

/** The status as a text. It differs for pending requests whose days are over. */
export const statusText = ({ request: { status }, lastDay }: Absence, today: Day) =>
  status === "pending" && lastDay < today ? t("request.past") : requestStatusName(status);

/**
 * The columns of a sheet with an absence's local days and times; whole days have no times. In UTC, leave east of Greenwich would begin a
 * day early.
 */
export const dayColumns = (): Readonly<Record<string, (absence: Absence) => string | null>> => ({
  [t("field.firstDay")]: ({ firstDay }) => formatDay(firstDay),
  [t("field.lastDay")]: ({ lastDay }) => formatDay(lastDay),
  [t("field.start")]: ({ isWholeDays, startMinute }) => (isWholeDays ? null : plainClock(startMinute)),
  [t("field.end")]: ({ isWholeDays, endMinute }) => (isWholeDays ? null : plainClock(endMinute)),
  [t("field.timeZone")]: ({ zone }) => zone,
});

/** `Mon, 16 Nov 2026, 09:00–11:00`, in the absence's own zone. */
export function whenText({ firstDay, lastDay, startMinute, endMinute, isWholeDays }: Absence): string {
  if (isWholeDays) return firstDay === lastDay ? longDay(firstDay) : shortRange(firstDay, lastDay);
  const [day, start, end] = [longDay(firstDay), clock(startMinute), clock(endMinute)];
  if (firstDay === lastDay) return t("when.partOfDay", { day, start, end });
  return t("when.partsOfDays", { day, start, last: longDay(lastDay), end });
}

/** The same on the viewer's clock; null if it is equal. */
export function viewerText(absence: Absence): string | null {
  const { request, isWholeDays } = absence;
  if (isWholeDays) return null;
  const here = whenText(absenceOf({ ...request, timeZone: viewerZone() }, { timeZone: null }));
  return here === whenText(absence) ? null : here;
}

/** How many people are away, and how many others have pending requests. */
export interface Count {
  readonly away: number;
  readonly asked: number;
}

/** `7 away, 2 pending`. */
export const countText = ({ away, asked }: Count): string => t("away.count", { away, asked });

/** Counts each person once: as away with an approved absence, else as pending. */
export function countOf(people: Iterable<readonly Absence[]>): Count {
  let [away, asked] = [0, 0];
  for (const absences of people) {
    if (absences.some(({ request }) => request.status === "approved")) away++;
    else if (absences.length > 0) asked++;
  }
  return { away, asked };
}

/** The label of a bar for screen readers. */
export function absenceTitle(absence: Absence, typeName: string): string {
  return enumerated([typeName, requestStatusName(absence.request.status), whenText(absence)]);
}
