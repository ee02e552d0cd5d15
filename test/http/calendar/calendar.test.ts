// Property: whatever the names, zones and times are, the events are byte for byte what ical-generator writes, and no line is
// longer than 75 octets.
import { expect, test } from "bun:test";
import fc from "fast-check";
import ical, { ICalCalendarMethod, ICalEventStatus, ICalEventTransparency } from "ical-generator";
import { type CalendarParts, calendarText } from "../../../src/http/calendar/calendar.ts";

const ZONES = ["Europe/Lisbon", "Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "Pacific/Chatham", "UTC"];
const HOUR_MS = 3_600_000;

const awkward = fc.oneof(
  fc.constantFrom('Eve "\r\nX:1"', "O'Neil, Jr; \\ MD", "\u2028\u0085 tab\t", "🙂".repeat(40), "\\n", ""),
  fc.string({ unit: "binary", maxLength: 90 }),
  fc.string({ unit: "grapheme", maxLength: 90 }),
);

const leave = fc
  .record({
    number: fc.nat(1e6),
    name: awkward,
    policyId: fc.constantFrom("top_a", "top_b", "top_gone"),
    startMs: fc.oneof(
      fc.integer({ min: Date.UTC(2001, 0), max: Date.UTC(2060, 0) }),
      fc.integer({ min: 10_000, max: 25_000 }).map((day) => day * 24 * HOUR_MS),
    ),
    lastsMs: fc.oneof(fc.integer({ min: 1, max: 60 * HOUR_MS }), fc.constantFrom(24 * HOUR_MS, 48 * HOUR_MS)),
    zone: fc.constantFrom(...ZONES),
    isPending: fc.boolean(),
    changedAtMs: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2060, 0) }),
    sequence: fc.nat(),
  })
  .map(({ number, lastsMs, ...rest }) => ({
    ...rest,
    requestId: `tor_${number}`,
    workerId: "wrk_ana",
    endMs: rest.startMs + lastsMs,
  }));

const parts: fc.Arbitrary<CalendarParts> = fc.record({
  leave: fc.array(leave, { maxLength: 8 }),
  isCut: fc.boolean(),
  companyId: fc.constantFrom("acme", "other"),
  name: awkward,
  policyNames: fc.option(
    fc.tuple(awkward, awkward).map((two) => new Map(two.map((name, at) => [`top_${"ab"[at]}`, name]))),
  ),
});

/** The value of a property of one event, as its lines were before folding. */
const property = (event: string, name: string) =>
  new RegExp(`^${name}[^:\r\n]*:(.*)\r$`, "m").exec(event)?.[1];

/** Of `20260302` or `20260302T091500Z`. */
function instant(text: string): Date {
  const [year, month, day, hour, minute, second] = text.match(/^\d{4}|\d\d/g)!.map(Number);
  return new Date(Date.UTC(year!, month! - 1, day, hour ?? 0, minute ?? 0, second ?? 0));
}

/** The library writes each event again, from what is read of it. */
function byLibrary(text: string, leave: CalendarParts["leave"], names: readonly string[]): string[] {
  return text
    .split("BEGIN:VEVENT\r\n")
    .slice(1)
    .map((part, at) => {
      const event = part.replaceAll("\r\n ", "");
      const calendar = ical({ method: ICalCalendarMethod.PUBLISH });
      calendar.createEvent({
        id: property(event, "UID")!,
        allDay: event.includes("DTSTART;VALUE=DATE:"),
        start: instant(property(event, "DTSTART")!),
        end: instant(property(event, "DTEND")!),
        summary: names[at]!,
        status: event.includes("STATUS:TENTATIVE") ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
        transparency: ICalEventTransparency.TRANSPARENT,
        stamp: new Date(leave[at]!.changedAtMs),
        lastModified: new Date(leave[at]!.changedAtMs),
        sequence: leave[at]!.sequence,
      });
      return calendar.toString().split("BEGIN:VEVENT\r\n")[1]!;
    });
}

/** As `docs/calendars.md` says: on one line, without control characters. */
const oneLine = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();

test("events are what the library writes", () => {
  fc.assert(
    fc.property(parts, (asked) => {
      const text = calendarText(asked);
      const names = asked.leave.map((one) =>
        oneLine(`${one.name}: ${asked.policyNames?.get(one.policyId) ?? "away"}`),
      );
      const events = text.split("BEGIN:VEVENT\r\n").slice(1);
      expect(events.length).toBe(asked.leave.length);
      const expected = byLibrary(text, asked.leave, names);
      const written = (event: string) => event.split("END:VCALENDAR")[0]!.trimEnd();
      expect(events.map(written)).toEqual(expected.map(written));
      for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
      expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    }),
    { numRuns: 400 },
  );
});
