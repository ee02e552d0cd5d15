// Leave as an iCalendar file (RFC 5545; docs/calendars.md).
import ical, {
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventStatus,
  ICalEventTransparency,
} from "ical-generator";
import { DAY_MS } from "../../time/day.ts";
import { instantOf, localDays } from "../../time/zone.ts";
import { type CalendarLeave, type Event, MOST_EVENTS } from "./leave.ts";

/** How often a calendar program should ask again. */
const REFRESH_SECONDS = 3600;

export interface CalendarParts extends Pick<CalendarLeave, "isCut"> {
  readonly leave: readonly Event[];
  readonly companyId: string;
  readonly name: string;
  /** The names of policies by id; null to show only that somebody is away. */
  readonly policyNames: ReadonlyMap<string, string> | null;
}

/** The calendar's text. The same parts give the same text. No line is longer than 75 octets, and a name cannot begin a new line. */
export function calendarText(parts: CalendarParts): string {
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
  for (const event of parts.leave) calendar.createEvent(eventOf(event, parts));
  return `${calendar.toString()}\r\n`; // every line ends so, the last one too (RFC 5545, 3.1)
}

function eventOf(event: Event, { companyId, policyNames }: CalendarParts): ICalEventData {
  const changedAt = new Date(event.changedAtMs);
  return {
    ...timesOf(event),
    id: uidOf(companyId, event.requestId),
    sequence: event.sequence,
    stamp: changedAt,
    lastModified: changedAt,
    summary: oneLine(`${event.name}: ${policyNames?.get(event.policyId) ?? "away"}`),
    transparency: ICalEventTransparency.TRANSPARENT,
    status: event.isPending ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
  };
}

/** The event's id, which stays the same as long as the request exists. It does not reveal the request's id. */
function uidOf(companyId: string, requestId: string): string {
  return Bun.CryptoHasher.hash("sha256", `${companyId}\n${requestId}`, "hex").slice(0, 40);
}

/** Whole local days are dates with an exclusive end. Other times are in UTC, rounded outwards to seconds. */
function timesOf({ startMs, endMs, zone }: Event) {
  const { firstDay, lastDay } = localDays(startMs, endMs, zone);
  const allDay =
    instantOf(firstDay * DAY_MS, zone) === startMs && instantOf((lastDay + 1) * DAY_MS, zone) === endMs;
  const [start, end] = allDay ? [firstDay * DAY_MS, (lastDay + 1) * DAY_MS] : [startMs, endMs + 999];
  return { allDay, start: new Date(start), end: new Date(end) };
}

/** Control characters and line separators, in runs. */
const NOT_PRINTED = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** A text on one line and of whole characters. */
function oneLine(text: string): string {
  return text.toWellFormed().replace(NOT_PRINTED, " ").trim();
}

/** A text on one line, escaped: the library does not escape the calendar's own properties. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\;,]/g, (character) => `\\${character}`);
}
