// Property: for any instant and zone, local days equal those of an independent implementation (temporal-polyfill).
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { siteSlots } from "../../src/generate/workers.ts";
import { DAY_MS, dayOfText, formatDay } from "../../src/time/day.ts";
import { instantOf, isTimeZone, localDays, localMsOf } from "../../src/time/zone.ts";

function daysOf(startAt: string, endAt: string, timeZone: string): string[] {
  const { firstDay, lastDay } = localDays(Date.parse(startAt), Date.parse(endAt), timeZone);
  return [formatDay(firstDay), formatDay(lastDay)];
}

describe("local days", () => {
  test("an end at local midnight does not touch that day", () => {
    expect(daysOf("2024-05-01T22:00:00Z", "2024-05-02T22:00:00Z", "Europe/Berlin")).toEqual([
      "2024-05-02",
      "2024-05-02",
    ]);
    expect(daysOf("2024-05-01T22:00:00Z", "2024-05-02T22:00:00.001Z", "Europe/Berlin")).toEqual([
      "2024-05-02",
      "2024-05-03",
    ]);
  });

  test("a request of no length has the day of its start, at midnight too", () => {
    expect(daysOf("2024-05-01T22:00:00Z", "2024-05-01T22:00:00Z", "Europe/Berlin")).toEqual([
      "2024-05-02",
      "2024-05-02",
    ]);
  });

  test("a day in a zone 14 hours ahead or 11 behind is that zone's day", () => {
    expect(daysOf("2024-04-30T10:00:00Z", "2024-05-01T10:00:00Z", "Pacific/Kiritimati")).toEqual([
      "2024-05-01",
      "2024-05-01",
    ]);
    expect(daysOf("2024-05-01T11:00:00Z", "2024-05-02T11:00:00Z", "Pacific/Pago_Pago")).toEqual([
      "2024-05-01",
      "2024-05-01",
    ]);
  });

  test("days of 23 and 25 hours are one day each", () => {
    expect(daysOf("2024-03-30T23:00:00Z", "2024-03-31T22:00:00Z", "Europe/Berlin")).toEqual([
      "2024-03-31",
      "2024-03-31",
    ]);
    expect(daysOf("2024-10-26T22:00:00Z", "2024-10-27T23:00:00Z", "Europe/Berlin")).toEqual([
      "2024-10-27",
      "2024-10-27",
    ]);
  });

  test("zones with 45 and 30 minutes", () => {
    expect(daysOf("2024-05-01T18:14:59Z", "2024-05-01T18:15:01Z", "Asia/Kathmandu")).toEqual([
      "2024-05-01",
      "2024-05-02",
    ]);
    expect(daysOf("2024-05-01T13:30:00Z", "2024-05-02T13:30:00Z", "Australia/Lord_Howe")).toEqual([
      "2024-05-02",
      "2024-05-02",
    ]);
  });

  test("Samoa had no 30 December 2011", () => {
    expect(daysOf("2011-12-30T09:59:59Z", "2011-12-30T10:00:01Z", "Pacific/Apia")).toEqual([
      "2011-12-29",
      "2011-12-31",
    ]);
    expect(daysOf("2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z", "Pacific/Apia")).toEqual([
      "2011-12-31",
      "2011-12-31",
    ]);
  });

  test("where clocks fall back over midnight, a day begun is not left again", () => {
    // At 00:01 on 29 October 2006 it became 23:01 on the 28th in St John's.
    expect(daysOf("2006-10-29T02:30:00Z", "2006-10-29T03:00:00Z", "America/St_Johns")).toEqual([
      "2006-10-29",
      "2006-10-29",
    ]);
  });

  test("an unknown zone throws", () => {
    expect(() => localDays(0, 1, "Mars/Olympus")).toThrow(RangeError);
  });

  test("agrees with Temporal for any instant from 1900 to 2200, in any zone", () => {
    const instant = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 11, 31) });
    const zone = fc.constantFrom(
      ...Intl.supportedValuesOf("timeZone").filter((_, at) => at % 8 === 0),
      "Africa/Monrovia",
      "America/St_Johns",
      "Antarctica/Troll",
      "Australia/Lord_Howe",
      "Europe/Dublin",
      "Pacific/Apia",
      "Pacific/Kwajalein",
    );
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: 1, max: 40 * 86_400_000 }),
        zone,
        (startAt, length, timeZone) => {
          const local = (ms: number) =>
            Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDate().toString();
          const { firstDay, lastDay } = localDays(startAt, startAt + length, timeZone);
          expect(formatDay(firstDay)).toBe(local(startAt));
          expect(formatDay(lastDay)).toBe(local(startAt + length - 1));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("agrees with Temporal for days around each change of zones that change often, or seldom", () => {
    const zones = [
      "Africa/Casablanca",
      "Africa/Cairo",
      "Asia/Gaza",
      "Pacific/Apia",
      "Asia/Pyongyang",
      "Europe/Berlin",
    ];
    let changes = 0;
    for (const zone of zones) {
      let at = Temporal.ZonedDateTime.from(`2008-01-01[${zone}]`).getTimeZoneTransition("next");
      for (; at !== null && at.year < 2027; at = at.getTimeZoneTransition("next")) {
        changes++;
        for (let hours = -96; hours <= 96; hours += 8) {
          const there = at.add({ hours });
          const localMs = localMsOf(there.epochMilliseconds, zone);
          expect(localMs, there.toString()).toBe(there.epochMilliseconds + there.offsetNanoseconds / 1e6);
        }
      }
    }
    expect(changes).toBeGreaterThan(100);
  });
});

describe("time zone names", () => {
  test.each(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])(
    "%p is one",
    (name) => expect(isTimeZone(name)).toBe(true),
  );
  test.each([
    "",
    "+01:00",
    "-0500",
    "+01",
    "UTC+1",
    "GMT+5",
    "Z",
    "Mars/Olympus",
    "europe/berlin",
    "Europe/Berlin ",
  ])("%p is none", (name) => expect(isTimeZone(name)).toBe(false));
});

describe("the instant of a local time", () => {
  const utc = (zone: string, day: string, minute: number) =>
    new Date(instantOf(dayOfText(day) * DAY_MS + minute * 60_000, zone)).toISOString();

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

  test("in the zones of generated companies, midnights of three years are the first instants of their days", () => {
    for (const zone of new Set(siteSlots.map(({ timeZone }) => timeZone))) {
      const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
      for (let day = dayOfText("2024-01-01"); day < dayOfText("2027-01-01"); day++) {
        const midnight = instantOf(day * DAY_MS, zone);
        expect(format.format(midnight)).toBe(formatDay(day));
        expect(format.format(midnight - 1)).toBe(formatDay(day - 1));
      }
    }
  });

  test("is the inverse of the local time of an instant, and Temporal's for times that exist once", () => {
    const zone = fc.constantFrom("Europe/Dublin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia");
    const local = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 11, 31) });
    fc.assert(
      fc.property(local, zone, (localMs, timeZone) => {
        const instantMs = instantOf(localMs, timeZone);
        const { epochMilliseconds } = Temporal.PlainDateTime.from(
          new Date(localMs).toISOString().slice(0, -1),
        ).toZonedDateTime(timeZone, { disambiguation: "earlier" });
        if (localMsOf(epochMilliseconds, timeZone) === localMs) expect(instantMs).toBe(epochMilliseconds);
        // A skipped time gives the moment of the skip, at which clocks show a later time.
        expect(localMsOf(instantMs, timeZone)).toBeGreaterThanOrEqual(localMs);
      }),
      { numRuns: 3000 },
    );
  });
});
