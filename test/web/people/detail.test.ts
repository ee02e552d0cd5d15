// Every form of a detail that the API sends, in the policy's unit.
import { expect, test } from "bun:test";
import { dayOfText } from "../../../src/time/day.ts";
import { plainDay, shortRange } from "../../../src/web/data/format.ts";
import { detailIn } from "../../../src/web/people/detail.ts";

/** The expectations have their days as the API writes them. */
function asShown(text: string): string {
  return text.replace(/(\d{4}-\d\d-\d\d)(?: to (\d{4}-\d\d-\d\d))?/g, (_, first: string, last?: string) =>
    last === undefined ? plainDay(dayOfText(first)) : shortRange(dayOfText(first), dayOfText(last)),
  );
}

test("days are written as on the rest of the page", () => {
  const shown = detailIn("hour", "600 for 2025-12-01 to 2025-12-31").replaceAll(/\s/g, " ");
  expect(shown).toBe("10 h for 1 – 31 Dec 2025");
});

test.each([
  ["600 × 29/30 for 2024-09-02 to 2024-09-30", "10 h × 29/30 for 2024-09-02 to 2024-09-30"],
  ["600 for 2025-12-01 to 2025-12-31", "10 h for 2025-12-01 to 2025-12-31"],
  [
    "14400 ÷ 12 × 1/2 (full months) for 2025-01-01 to 2025-01-31; this worker's own amount",
    "240 h ÷ 12 × 1/2 (full months) for 2025-01-01 to 2025-01-31; this worker's own amount",
  ],
  [
    "0 of 600 for 2025-01-01 to 2025-01-31: only full months count",
    "0 h of 10 h for 2025-01-01 to 2025-01-31: only full months count",
  ],
  [
    "(800 − 600) × 17/31 for 2024-07-15 to 2024-07-31; the amount after 60 months of service",
    "(13.33 h − 10 h) × 17/31 for 2024-07-15 to 2024-07-31; the amount after 60 months of service",
  ],
  [
    "600 for 2025-01-01 to 2025-01-31; 590.322581 rounded up to a multiple of 240",
    "10 h for 2025-01-01 to 2025-01-31; 9.84 h rounded up to a multiple of 4 h",
  ],
  [
    "60 × 8/30 hours worked; 16 cut to 0 by the yearly cap of 2400",
    "1 h × 8/30 hours worked; 0.27 h cut to 0 h by the yearly cap of 40 h",
  ],
  [
    "the year ends with 3600, of which 2400 may be carried over; from time that is still locked",
    "the year ends with 60 h, of which 40 h may be carried over; from time that is still locked",
  ],
  [
    "2400 carried over on 2025-01-01, 960 taken before 2025-04-01",
    "40 h carried over on 2025-01-01, 16 h taken before 2025-04-01",
  ],
  ["approved leave, 2026-03-02 to 2026-03-06", "approved leave, 2026-03-02 to 2026-03-06"],
  [
    "approved leave, 2013-12-23 to 2013-12-31: 2400 × 7/9, by work days",
    "approved leave, 2013-12-23 to 2013-12-31: 40 h × 7/9, by work days",
  ],
  [
    "approved leave, 2026-03-02: 1866.666667 of 2400, as the source wrote for each day",
    "approved leave, 2026-03-02: 31.11 h of 40 h, as the source wrote for each day",
  ],
])("%s", (detail, expected) => {
  expect(detailIn("hour", detail)).toBe(asShown(expected));
});

test("a policy that counts in days has them in days", () => {
  expect(detailIn("day", "480 × 1/2 for 2026-01-01 to 2026-01-31")).toBe(
    asShown("1 day × 1/2 for 2026-01-01 to 2026-01-31"),
  );
});
