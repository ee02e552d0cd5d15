// Leave as an iCalendar file (RFC 5545; docs/calendars.md).
import ical, { ICalCalendarMethod, ICalEventStatus, ICalEventTransparency } from "ical-generator";
import { DAY_MS } from "../../time/day.ts";
import { instantOf, localDays } from "../../time/zone.ts";
import { type FeedLeave, type Leave, MOST_EVENTS } from "./leave.ts";

/** How often a calendar program should ask again. */
const REFRESH_SECONDS = 3600;

export interface CalendarParts extends FeedLeave {
  readonly companyId: string;
  readonly name: string;
  /** When the company last changed. */
  readonly changedAtMs: number;
  readonly sequence: number;
  /** The names to show, by the policies' ids; null to show only that somebody is away. */
  readonly policyNames: ReadonlyMap<string, string> | null;
}

/** The same parts make the same text. No line is longer than 75 octets, and no name can end a line. */
export function calendarText(parts: CalendarParts): string {
  const changed = new Date(parts.changedAtMs);
  const calendar = ical({
    prodId: "//Rollcall//Calendar feed//EN",
    method: ICalCalendarMethod.PUBLISH,
    name: escaped(parts.name),
    ttl: REFRESH_SECONDS,
  });
  if (parts.isCut)
    calendar.description(
      escaped(`Only the earliest ${MOST_EVENTS} absences are shown. Make feeds for fewer people.`),
    );
  for (const leave of parts.leave) {
    calendar.createEvent({
      id: uidOf(parts.companyId, leave.requestId),
      ...timesOf(leave),
      summary: oneLine(`${leave.name}: ${parts.policyNames?.get(leave.policyId) ?? "away"}`),
      status: leave.isPending ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
      transparency: ICalEventTransparency.TRANSPARENT,
      stamp: changed,
      lastModified: changed,
      sequence: parts.sequence,
    });
  }
  return `${calendar.toString()}\r\n`; // the last line, too, ends as RFC 5545, 3.1 says
}

/** The same as long as the request lives, and nothing that tells its id. */
function uidOf(companyId: string, requestId: string): string {
  return Bun.CryptoHasher.hash("sha256", `${companyId}\n${requestId}`, "hex").slice(0, 40);
}

/** Whole local days are dates, with an exclusive end. Anything else is in UTC, in whole seconds around it. */
function timesOf({ startMs, endMs, zone }: Leave) {
  const { firstDay, lastDay } = localDays(startMs, endMs, zone);
  const isWholeDays =
    instantOf(firstDay * DAY_MS, zone) === startMs && instantOf((lastDay + 1) * DAY_MS, zone) === endMs;
  return isWholeDays
    ? { allDay: true, start: new Date(firstDay * DAY_MS), end: new Date((lastDay + 1) * DAY_MS) }
    : { allDay: false, start: new Date(startMs), end: new Date(Math.ceil(endMs / 1000) * 1000) };
}

/** Control characters and line separators, in runs. */
const NOT_PRINTED = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** A text on one line and of whole characters. The library escapes what else has a meaning in an event. */
function oneLine(text: string): string {
  return text.toWellFormed().replace(NOT_PRINTED, " ").trim();
}

/** The same for the calendar's own properties, which the library writes as they are. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\;,]/g, (character) => `\\${character}`);
}
