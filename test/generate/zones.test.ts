import { expect, test } from "bun:test";
import { dayText, parseDay } from "../../src/generate/days.ts";
import { siteSlots } from "../../src/generate/people/sites.ts";
import { localToUtc } from "../../src/generate/zones.ts";
import { localText } from "./read-csv.ts";

const utc = (zone: string, day: string, minute: number) =>
  new Date(localToUtc(zone, parseDay(day), minute) * 60_000).toISOString();

test.each([
  ["Europe/Berlin", "2026-03-29", 0, "2026-03-28T23:00:00.000Z"],
  ["Europe/Berlin", "2026-03-30", 0, "2026-03-29T22:00:00.000Z"],
  ["Europe/Berlin", "2026-10-25", 0, "2026-10-24T22:00:00.000Z"],
  ["Asia/Kolkata", "2026-01-01", 540, "2026-01-01T03:30:00.000Z"],
  ["Pacific/Apia", "2026-01-01", 0, "2025-12-31T11:00:00.000Z"],
  ["Pacific/Honolulu", "2026-01-01", 0, "2026-01-01T10:00:00.000Z"],
  ["UTC", "2026-01-01", 90, "2026-01-01T01:30:00.000Z"],
])("%s, %s and %i minutes is %s", (zone, day, minute, expected) => {
  expect(utc(zone, day, minute)).toBe(expected);
});

test("a midnight that clocks skip is the instant of the skip", () => {
  expect(utc("Africa/Cairo", "2025-04-25", 0)).toBe("2025-04-24T22:00:00.000Z");
});

test("a midnight that clocks come back to is the one that begins the day", () => {
  expect(utc("Africa/Cairo", "2025-10-31", 0)).toBe("2025-10-30T22:00:00.000Z");
});

test("every site's midnights of three years are the first minutes of their days", () => {
  for (const zone of new Set(siteSlots.map(({ timeZone }) => timeZone))) {
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
    for (let day = parseDay("2024-01-01"); day < parseDay("2027-01-01"); day++) {
      const midnight = localToUtc(zone, day, 0) * 60_000;
      expect(format.format(midnight)).toBe(dayText(day));
      expect(format.format(midnight - 1)).toBe(dayText(day - 1));
    }
  }
  expect(localText("2026-01-01T00:00:00.000Z", "Asia/Kolkata")).toBe("2026-01-01 05:30");
});
