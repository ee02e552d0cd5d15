// Property: instants are written as `Date` writes them, and read back from that and from any other offset.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatInstant, parseDateTime } from "../../src/time/instant.ts";

const instant = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 11, 31) });

test("writes an instant in UTC with milliseconds", () => {
  fc.assert(
    fc.property(instant, (ms) => {
      expect(formatInstant(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 2000 },
  );
});

test("reads what it writes, in every form", () => {
  fc.assert(
    fc.property(instant, (ms) => {
      const text = formatInstant(ms);
      expect(parseDateTime(text)).toBe(ms);
      expect(parseDateTime(text.replace("Z", "+00:00"))).toBe(ms);
      expect(parseDateTime(text.replace("T", "t").replace("Z", "z"))).toBe(ms);
    }),
  );
});

test.each([
  "2026-02-29T00:00:00.000Z",
  "2026-03-01T24:00:00.000Z",
  "2026-03-01T23:60:00.000Z",
  "2026-03-01T23:59:60.000Z",
  "2026-03-01T23:59:5x.000Z",
  "2026-03-01T23:59:59,000Z",
  "2026-03-01 23:59:59.000Z",
  "2026-03-01T23:59:59.000+",
])("%s is no date-time", (text) => {
  expect(parseDateTime(text)).toBeNull();
});
