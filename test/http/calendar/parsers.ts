// What independent parsers of iCalendar read from a feed, in one form.
import ICAL from "ical.js";
import nodeIcal, { type VEvent } from "node-ical";

export interface ReadEvent {
  readonly uid: string;
  readonly summary: string;
  /** A day (`2026-03-02`) where it is a date, else an instant. The end is exclusive. */
  readonly start: string;
  readonly end: string;
  readonly status: string;
}

const byUid = (left: ReadEvent, right: ReadEvent) => (left.uid < right.uid ? -1 : 1);

function readByIcalJs(text: string): ReadEvent[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const time = (value: ICAL.Time) => (value.isDate ? value.toString() : value.toJSDate().toISOString());
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    const status = String(component.getFirstPropertyValue("status"));
    const { uid, summary } = event;
    return { uid, summary, start: time(event.startDate), end: time(event.endDate), status };
  });
}

function readByNodeIcal(text: string): ReadEvent[] {
  const events = Object.values(nodeIcal.sync.parseICS(text)).filter((one) => one?.type === "VEVENT");
  return (events as VEvent[]).map(({ uid, summary, start, end, status }) => ({
    uid,
    summary: typeof summary === "string" ? summary : summary.val,
    // A date is midnight of the machine's zone to this parser.
    start: start.dateOnly ? localDay(start) : start.toISOString(),
    end: end!.dateOnly ? localDay(end!) : end!.toISOString(), // each event of a feed has one
    status: status!,
  }));
}

function localDay(date: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The events of a feed by each parser, in the order of their UIDs. */
export function parsedByAll(text: string): { readonly [parser: string]: ReadEvent[] } {
  return {
    "ical.js": readByIcalJs(text).sort(byUid),
    "node-ical": readByNodeIcal(text).sort(byUid),
  };
}

/** What all parsers agree on. Throws where two of them differ. */
export function eventsOf(text: string): ReadEvent[] {
  const [first, ...others] = Object.values(parsedByAll(text));
  for (const other of others)
    if (JSON.stringify(other) !== JSON.stringify(first))
      throw new Error(`parsers differ: ${JSON.stringify([first, other], null, 1).slice(0, 2000)}`);
  return first!; // there are two parsers
}
