// What an independent parser of iCalendar reads from a feed.
import ICAL from "ical.js";

export interface ReadEvent {
  readonly uid: string;
  readonly summary: string;
  /** A day (`2026-03-02`) where it is a date, else an instant. The end is exclusive. */
  readonly start: string;
  readonly end: string;
  readonly status: string;
}

const byUid = (left: ReadEvent, right: ReadEvent) => (left.uid < right.uid ? -1 : 1);

/** The events of a feed, as ical.js reads them, in the order of their UIDs. */
export function eventsOf(text: string): ReadEvent[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const time = (value: ICAL.Time) => (value.isDate ? value.toString() : value.toJSDate().toISOString());
  const events = calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    const status = String(component.getFirstPropertyValue("status"));
    const { uid, summary } = event;
    return { uid, summary, start: time(event.startDate), end: time(event.endDate), status };
  });
  return events.sort(byUid);
}
