// Holidays of a calendar file (.ics, RFC 5545) as records: one a day.
import { parse as parsePath } from "node:path";
import { DAY_MS, type Day, formatDay, utcDayOf } from "../../time/day.ts";
import { localMsOf } from "../../time/zone.ts";
import { type ReadOptions, type RecordReader, type SourceRecord, UnreadableFile } from "./records.ts";
import { textOf } from "./text.ts";

const YEAR_DAYS = 365.25;
/** So far recurring events are expanded, before and after the day of the import. */
const EXPANDED_DAYS = Math.round(10 * YEAR_DAYS);
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** So many fill the calendars of a thousand places. */
const MAX_DAYS = 100_000;
/** An event of more days is no holiday. */
const MAX_EVENT_DAYS = 366;

/** Opens a calendar. Raises UnreadableFile where the file is none. */
export async function openCalendar(
  path: string,
  options: ReadOptions,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const { today } = options;
  if (today === undefined)
    throw new UnreadableFile(null, "is a calendar, which is read as holidays alone: not in a query");
  let text = "";
  for await (const piece of textOf(path, options, onBytes)) {
    text += piece;
    if (text.length > MAX_CHARACTERS)
      throw new UnreadableFile(null, "is larger than 4 MB: export the holidays alone");
  }
  if (!/^BEGIN:VCALENDAR/i.test(text.trimStart()))
    throw new UnreadableFile(null, "is no calendar: it does not begin with BEGIN:VCALENDAR");
  const name = parsePath(path.replace(/\.gz$/i, "")).name;
  const records = await recordsOf(text, name, today).catch((error: unknown) => {
    // The library raises errors of its own for rules and dates that are none.
    throw error instanceof UnreadableFile
      ? error
      : new UnreadableFile(null, `has an event that cannot be read: ${(error as Error).message}`);
  });
  return {
    header: ["calendar", "date", "name"],
    headerLine: 1,
    isHeaderFixed: true,
    async *records() {
      yield records;
    },
    close: async () => {},
  };
}

async function recordsOf(text: string, fileName: string, today: Day): Promise<SourceRecord[]> {
  const ical = (await import("node-ical")).default; // with its time zones, for calendars alone
  const parts = Object.values(ical.sync.parseICS(text));
  const calendar = parts.flatMap((part) =>
    part?.type === "VCALENDAR" && "WR-CALNAME" in part ? [String(part["WR-CALNAME"])] : [],
  );
  const [from, to] = [today - EXPANDED_DAYS, today + EXPANDED_DAYS];
  const seen = new Set<string>();
  const records: SourceRecord[] = [];
  let item = 0;
  for (const event of parts) {
    if (event?.type !== "VEVENT") continue;
    item++;
    if (event.status === "CANCELLED") continue;
    const isRecurring = event.rrule !== undefined;
    const first = isRecurring ? from : -Infinity;
    const last = isRecurring ? to : Infinity;
    const found = isRecurring
      ? ical.expandRecurringEvent(event, { from: new Date(from * DAY_MS), to: new Date(to * DAY_MS) })
      : [
          {
            start: event.start,
            end: event.end,
            summary: event.summary,
            isFullDay: event.datetype === "date",
          },
        ];
    for (const { start, end, summary, isFullDay } of found) {
      const firstDay = dayOf(start, isFullDay);
      // The end is not included.
      const lastDay = Math.max(firstDay, end === undefined ? firstDay : lastDayBefore(end, isFullDay));
      if (lastDay - firstDay >= MAX_EVENT_DAYS)
        throw new UnreadableFile(null, `has an event of more than a year, from ${formatDay(firstDay)}`);
      for (let day = Math.max(firstDay, first); day <= Math.min(lastDay, last); day++) {
        const cells = [calendar[0] ?? fileName, formatDay(day), textValue(summary)];
        const key = cells.join("\0");
        if (!seen.has(key)) records.push({ line: 1, item, cells });
        seen.add(key);
        if (seen.size > MAX_DAYS)
          throw new UnreadableFile(null, "has more than 100,000 days: export the holidays alone");
      }
    }
  }
  return records;
}

/** A day is at midnight of this machine's zone, a time is an instant with a zone. */
function dayOf(date: Date & { tz?: string | undefined }, isFullDay: boolean): Day {
  if (isFullDay) return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
  return utcDayOf(localMsOf(date.getTime(), date.tz ?? "UTC"));
}

function lastDayBefore(end: Date & { tz?: string | undefined }, isFullDay: boolean): Day {
  if (isFullDay) return dayOf(end, true) - 1;
  return dayOf(Object.assign(new Date(end.getTime() - 1), { tz: end.tz }), false);
}

/** A text may come with parameters. */
function textValue(value: string | { readonly val?: unknown } | undefined): string {
  return typeof value === "object" ? String(value.val ?? "") : (value ?? "");
}
