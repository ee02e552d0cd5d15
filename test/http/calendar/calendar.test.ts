// Property: whatever the names, zones and times are, each leave is one event with its name on one line, and no line is longer than
// 75 octets.
import { expect, test } from "bun:test";
import fc from "fast-check";
import ICAL from "ical.js";
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

/** As `docs/calendars.md` says: on one line, without control characters. */
const oneLine = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();

test("each leave is one event", () => {
  fc.assert(
    fc.property(parts, (asked) => {
      const text = calendarText(asked);
      const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents("vevent");
      const read: unknown[] = events.map((event) => ({
        summary: event.getFirstPropertyValue("summary"),
        status: event.getFirstPropertyValue("status"),
        sequence: event.getFirstPropertyValue("sequence"),
      }));
      const expected = asked.leave.map((one) => ({
        summary: oneLine(`${one.name}: ${asked.policyNames?.get(one.policyId) ?? "away"}`),
        status: one.isPending ? "TENTATIVE" : "CONFIRMED",
        sequence: one.sequence,
      }));
      expect(read).toEqual(expected);
      for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
      expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    }),
    { numRuns: 400 },
  );
});
