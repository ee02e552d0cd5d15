// What is allowed but probably wrong: each finding on files that have it, told once, and none on files that have not.
import { describe, expect, test } from "bun:test";
import { FINDING_CODES } from "../../src/import/load/findings.ts";
import { dayOfText } from "../../src/time/day.ts";
import { rollcallHere } from "../cli/command.ts";
import {
  ASSIGNMENTS_CSV,
  type Files,
  findingsOf,
  folderOf,
  POLICIES_CSV,
  REQUEST_HEADER,
  SMALL,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../support/import-files.ts";
import { mapFile } from "./convert/mapped.ts";

const leave = (...rows: readonly string[]) =>
  [REQUEST_HEADER, ...rows.map((row, at) => `R${at},2025-01-01T00:00:00Z,${row},approved,PTO,E1`)].join("\n");
const workers = (replace: (line: string) => string) =>
  workersCsv("E1", "E2", "E3")
    .split("\n")
    .map((line, at) => (at === 0 ? line : replace(line)))
    .join("\n");
const distinct = workers((line) =>
  line
    .replace("2024-01-01", `202${line[1]}-01-01`)
    .replace("Berlin", line.startsWith("E1") ? "Paris" : "Berlin"),
);
const BASE = {
  ...SMALL,
  "workers.csv": distinct,
  "policies.csv": POLICIES_CSV.split("\n").slice(0, 3).join("\n"),
};

const HOME_HEADER = "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit,isAbsence";
const FIVE = ["E1", "E2", "E3", "E4", "E5"];

/** By code, the count and the examples of the findings of an import. */
async function findingsIn(files: Files) {
  const company = await TestCompany.open();
  const { findings } = await company.import(files);
  return Object.fromEntries(findings.map(({ code, count, examples }) => [code, [count, ...examples]]));
}

test("a whole and a half day of one date overlap, two halves do not", async () => {
  // frappe/hrms #3269 and #4788
  const of = (day: string, ...minutes: readonly number[]) =>
    minutes.map(
      (amount) => `2025-03-${day}T00:00:00+01:00,2025-03-${Number(day) + 1}T00:00:00+01:00,${amount}`,
    );
  const rows = [
    ...of("10", 240, 240),
    ...of("12", 480, 240),
    ...of("14", 400, 80),
    ...of("17", 360, 360),
    ...of("19", 420, 420),
  ];
  expect(await findingsIn({ ...BASE, "requests.csv": leave(...rows) })).toMatchObject({
    "overlapping-leave": [2, "R8", "R2"],
  });
});

// A system that lists what is left may leave out balances of 0. All that the policy granted since the first day counted then.
test("who has no opening, unlike most others with the policy, is told; newcomers and leavers are not", async () => {
  const people = ["E1", "E2", "E3", "E4", "E5", "E6"];
  const assigned = people.map((id) => `${id},PTO,2024-0${id === "E5" ? 3 : 1}-01`);
  const files = (openings: readonly string[], gone = "") => ({
    "workers.csv": workersCsv(...people)
      .replace("timeZone", "timeZone,endDate")
      .replaceAll("Europe/Berlin", `Europe/Berlin,`)
      .replace(/(E6.*),$/m, `$1,${gone}`),
    "policies.csv": POLICIES_CSV.split("\n").slice(0, 3).join("\n"),
    "assignments.csv": ["workerId,policyId,startsOn", ...assigned].join("\n"),
    "openings.csv": [
      "workerId,policyId,date,minutes",
      ...openings.map((id) => `${id},PTO,2024-02-29,480`),
    ].join("\n"),
  });
  expect((await findingsIn(files(["E1", "E2", "E3", "E4"])))["missing-opening"]).toEqual([1, "E6"]);
  const told = async (...given: Parameters<typeof files>) =>
    "missing-opening" in (await findingsIn(files(...given)));
  expect(await told(["E1", "E2", "E3", "E6"])).toBe(true);
  expect(await told(["E1", "E2", "E3", "E4"], "2024-02-15")).toBe(false);
  expect(await told(["E1", "E2", "E3"])).toBe(false);
  // A mapping may assign everybody on one early day, and a system may name no last days.
  const others = (change: (line: string) => string) => {
    const given = files(["E1", "E2", "E3", "E4", "E5"]);
    return findingsIn({ ...given, "workers.csv": given["workers.csv"].replace(/^E6.*$/m, change) });
  };
  expect(await others((line) => line)).toHaveProperty("missing-opening");
  const hired = await others((line) => line.replace("2024-01-01", "2024-03-01"));
  const gone = await others((line) => line.replace(",active", ",inactive"));
  expect(hired).not.toHaveProperty("missing-opening");
  expect(gone).not.toHaveProperty("missing-opening");
  expect(gone).toHaveProperty("left-without-end");
});

test("leave of the same hours overlaps, and so do three halves of a day", async () => {
  const at = (day: string, from: string, to: string, minutes: number) =>
    `2025-03-${day}T${from}:00+01:00,2025-03-${day}T${to}:00+01:00,${minutes}`;
  const half = "2025-03-14T00:00:00+01:00,2025-03-15T00:00:00+01:00,240";
  const rows = [
    ...[at("10", "09:00", "13:00", 240), at("10", "09:00", "13:00", 240)], // R0, R1
    ...[at("11", "08:00", "12:00", 240), at("11", "12:00", "16:00", 240)],
    ...[at("12", "09:00", "12:00", 180), at("12", "11:00", "13:00", 120)], // R4, R5
    ...[at("13", "09:00", "18:00", 240), at("13", "09:00", "18:00", 240)], // halves in a system that writes the whole day's hours
    ...[half, half, half], // R8 to R10
  ];
  expect(await findingsIn({ ...BASE, "requests.csv": leave(...rows) })).toMatchObject({
    "overlapping-leave": [3, "R5", "R8", "R1"],
  });
});

test("leave overlaps if a day has more of it than its schedule", async () => {
  const of = (from: string, to: string, minutes: number) =>
    `2025-03-${from}T00:00:00+01:00,2025-03-${to}T00:00:00+01:00,${minutes}`;
  const files = (...rows: readonly string[]) => ({ ...BASE, "requests.csv": leave(...rows) });
  const schedule = (minutes: string) => ({
    "schedules.csv": `workerId,startsOn,minutesPerWeekday,holidayCalendar\nE1,2024-01-01,"${minutes}",H`,
    "holidays.csv": "calendar,date,name,minutes\nH,2025-03-05,Half,240\nH,2025-03-06,Whole,",
  });
  const halves = files(of("03", "04", 240), of("03", "04", 240));
  expect(await findingsIn(halves)).not.toHaveProperty("overlapping-leave");
  const partTime = { ...halves, ...schedule("240,240,240,240,240,0,0") };
  expect(await findingsIn(partTime)).toMatchObject({ "overlapping-leave": [1, "R1"] });
  const longDays = {
    ...files(of("03", "04", 480), of("03", "04", 120)),
    ...schedule("600,600,600,600,0,0,0"),
  };
  expect(await findingsIn(longDays)).not.toHaveProperty("overlapping-leave");
  // Half days all week, twice; a third of a day; halves of a half holiday, of a holiday and of a Saturday; one from the first day of another.
  const week = (second: number, ...rows: readonly string[]) => ({
    ...files(of("10", "15", 1200), of("10", "15", second), ...rows),
    ...schedule("480,480,480,480,480,0,0"),
  });
  expect(await findingsIn(week(1200))).not.toHaveProperty("overlapping-leave");
  expect(await findingsIn(week(1201))).toMatchObject({ "overlapping-leave": [1, "R1"] });
  expect(await findingsIn(week(1200, of("12", "13", 60)))).toMatchObject({ "overlapping-leave": [1, "R2"] });
  const free = ["05", "06", "08"].flatMap((day) => {
    const next = `0${Number(day) + 1}`;
    return [of(day, next, 240), of(day, next, 240)];
  });
  expect(await findingsIn(week(1200, ...free))).toMatchObject({ "overlapping-leave": [1, "R2"] });
  const within = week(480, of("11", "12", 60), of("24", "29", 2400), of("25", "26", 1), of("27", "28", 1));
  expect(await findingsIn(within)).toMatchObject({ "overlapping-leave": [2, "R5", "R4"] });
});

test("leave divided between leave years by weekends, where nothing says which days are worked", async () => {
  const files = (...days: readonly (readonly [from: string, to: string])[]) => ({
    ...BASE,
    "requests.csv": leave(
      ...days.map(([from, to]) => `${from}T00:00:00+01:00,${to}T00:00:00+01:00,${480 * 5}`),
    ),
  });
  const newYear = files(
    ["2024-12-27", "2025-01-04"],
    ["2025-12-31", "2026-01-03"],
    ["2025-02-20", "2025-03-08"],
  );
  expect(await findingsIn(newYear)).toMatchObject({ "spread-leave": [1, "R0"] });
  // Tuesday to Friday over New Year, of which the first day is a holiday.
  const week = (minutes: number) => ({
    ...files(),
    "requests.csv": leave(`2024-12-31T00:00:00+01:00,2025-01-04T00:00:00+01:00,${minutes}`),
  });
  expect(await findingsIn(week(1440))).toMatchObject({ "spread-leave": [1, "R0"] });
  expect(await findingsIn(week(1920))).not.toHaveProperty("spread-leave");
  const withHoliday = {
    ...week(1440),
    "workplaces.csv": "legacyId,name,holidayCalendar\nO,Office,H",
    "holidays.csv": "calendar,date,name\nH,2025-01-01,New Year",
    "workers.csv": distinct
      .replace("timeZone", "timeZone,workplaceId")
      .replaceAll(/(?<=Paris|Berlin)$/gm, ",O"),
  };
  expect(await findingsIn(withHoliday)).not.toHaveProperty("spread-leave");
  const known: Files[] = [
    {
      "workers.csv": distinct
        .replace("timeZone", "timeZone,workDays")
        .replaceAll(/(?<=Paris|Berlin)$/gm, ",Mon-Fri"),
    },
    { "schedules.csv": 'workerId,startsOn,minutesPerWeekday\nE1,2024-01-01,"480,480,480,480,480,0,0"' },
    { "requests.csv": newYear["requests.csv"].replaceAll("approved", "denied") },
    {
      "requests.csv": `${REQUEST_HEADER},dayMinutes\nR0,2025-01-01T00:00:00Z,2024-12-27T00:00:00+01:00,2025-01-04T00:00:00+01:00,480,approved,PTO,E1,2024-12-27:480`,
    },
  ];
  for (const more of known)
    expect(await findingsIn({ ...newYear, ...more })).not.toHaveProperty("spread-leave");
});

test.each([
  ["an instant in the Americas", "2024-03-01T03:00:00Z", "America/Los_Angeles", 0],
  [
    "a midnight of UTC in the Americas, which means that day",
    "2024-03-01T00:00:00Z",
    "America/Los_Angeles",
    0,
  ],
  ["a midnight of the worker's, of another day in UTC", "2024-02-29T15:00:00Z", "Asia/Tokyo", 1],
])("an assignment at %s", async (_, at, zone, count) => {
  const files = {
    ...BASE,
    "workers.csv": distinct.replace(/Europe\/\w+/g, zone),
    "assignments.csv": `workerId,policyId,assignedAt\nE1,PTO,${at}\nE2,PTO,2024-01-01T08:00:00Z`,
  };
  expect((await findingsIn(files))["assignment-day"]?.[0] ?? 0).toBe(count);
});

const calendarOf = (...events: readonly string[]) =>
  `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n${events.map((event) => `BEGIN:VEVENT\n${event}\nEND:VEVENT\n`).join("")}END:VCALENDAR`;

const OFFICE_WITH_H = { "workplaces.csv": "legacyId,name,holidayCalendar\nO,Oslo,h" };

test("dates of recurring events ten years ahead are no finding; in a table they are", async () => {
  const series = "UID:1\nSUMMARY:Labour Day\nDTSTART;VALUE=DATE:20200501\nRRULE:FREQ=YEARLY";
  expect(await findingsIn({ ...BASE, ...OFFICE_WITH_H, "h.ics": calendarOf(series) })).toEqual({});
  const table = "calendar,date,name\nOslo,2034-05-01,Labour Day";
  expect(await findingsIn({ ...BASE, "holidays.csv": table })).toMatchObject({
    "odd-date": [1, "holidays.csv:2 (2034-05-01)"],
  });
});

test("events of a calendar that are not holidays are findings", async () => {
  const meeting = "UID:1\nSUMMARY:All-hands\nDTSTART:20251111T100000\nDTEND:20251111T110000";
  const monthless =
    "UID:2\nSUMMARY:Eve\nDTSTART;VALUE=DATE:20251224\nRRULE:FREQ=YEARLY;BYMONTHDAY=24;COUNT=1";
  expect(await findingsIn({ ...BASE, ...OFFICE_WITH_H, "h.ics": calendarOf(meeting, monthless) })).toEqual({
    "left-out-event": [1, 'h.ics: "All-hands" neither begins nor ends at midnight'],
    "yearly-rule": [1, 'h.ics: "Eve"'],
  });
});

// People repeat a day of this year yearly. RFC 5545 has no rule for Easter; for Thanksgiving, BYDAY=4TH.
test.each([
  ["Easter Monday", "FREQ=YEARLY", true],
  ["Karfreitag", "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=18", true],
  ["Diwali", "FREQ=YEARLY;COUNT=1", false],
  ["Tết", "FREQ=YEARLY", true],
  ["Tết Dương lịch", "FREQ=YEARLY", false], // 1 January
  ["Midsummer Eve", "FREQ=YEARLY", true],
  ["Midsummer Day", "FREQ=YEARLY", false], // 24 June in Estonia and Latvia
  ["Húsvéthétfő", "FREQ=YEARLY", true],
  ["Midsommarafton", "FREQ=YEARLY", true],
  ["Пасха", "FREQ=YEARLY", true],
  ["עיד פסח", "FREQ=YEARLY", true],
  ["成人の日", "FREQ=YEARLY", true],
  ["Company holiday", "FREQ=YEARLY", false],
  ["Thanksgiving", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", false],
  ["Mariä Himmelfahrt", "FREQ=YEARLY", false],
  ["Labour Day", "FREQ=YEARLY", false],
])("a day such as %s does not recur on one date, as by %s: %p", async (name, rule, isDoubtful) => {
  const event = `UID:1\nSUMMARY:${name}\nDTSTART;VALUE=DATE:20250418\nRRULE:${rule}`;
  const found = await findingsIn({ ...BASE, ...OFFICE_WITH_H, "h.ics": calendarOf(event) });
  const example = `h.ics: ${JSON.stringify(name)} recurs on one date, and its day has another each year`;
  expect(found["doubtful-holiday"]).toEqual(isDoubtful ? [1, example] : undefined);
});

test("an event of a category of leave is a finding, one of holidays is none", async () => {
  const of = (category: string) =>
    findingsIn({
      ...BASE,
      ...OFFICE_WITH_H,
      "h.ics": calendarOf(`UID:1\nSUMMARY:Zed\nCATEGORIES:${category}\nDTSTART;VALUE=DATE:20251120`),
    });
  expect(await of("Vacation")).toEqual({
    "doubtful-holiday": [1, 'h.ics: "Zed" is of the category "Vacation"'],
  });
  for (const category of ["Holidays", "Feiertage", "Jours fériés"]) expect(await of(category)).toEqual({});
});

test("sound files have no findings", async () => expect(await findingsIn(BASE)).toEqual({}));

describe("finding", () => {
  test.each<[string, Files, Record<string, (string | number)[]>]>([
    [
      "leave of several days with an hour or less for each of Monday to Friday",
      {
        "requests.csv": leave(
          "2025-03-03T00:00:00Z,2025-03-05T20:00:00Z,3",
          "2025-03-03T08:00:00Z,2025-03-03T09:00:00Z,30",
          "2024-06-03T00:00:00Z,2024-12-04T20:00:00Z,960", // a wrong month
          "2025-04-01T00:00:00Z,2025-04-14T20:00:00Z,601", // ten of them
          "2025-05-05T00:00:00Z,2025-05-06T20:00:00Z,120", // two days of eight hours, in units of 60 minutes
          "2025-03-08T00:00:00Z,2025-03-09T20:00:00Z,61", // a weekend
          "2025-03-15T00:00:00Z,2025-03-16T20:00:00Z,0", // another, that takes nothing
          "2025-06-03T08:00:00Z,2025-06-03T16:00:00Z,8", // eight hours, in units of minutes
          "2025-06-04T08:00:00Z,2025-06-04T08:15:00Z,15",
        ),
      },
      {
        "short-leave": [
          4,
          "requests.csv:2 (3 minutes)",
          "requests.csv:4 (960 minutes)",
          "requests.csv:6 (120 minutes)",
        ],
        "overlapping-leave": [1, "R1"],
      },
    ],
    [
      "openings and adjustments that are all less than an hour, as days taken for minutes are",
      {
        "policies.csv": POLICIES_CSV,
        "assignments.csv": `${ASSIGNMENTS_CSV}\nE2,SICK,2024-01-01T00:00:00Z\nE3,PTO,2024-01-01T00:00:00Z`,
        "openings.csv":
          "workerId,policyId,date,minutes\nE1,PTO,2024-12-31,12.5\nE2,PTO,2024-12-31,0\nE3,PTO,2024-12-31,59\nE2,SICK,2025-02-28,-3",
        "adjustments.csv":
          "legacyId,workerId,policyId,date,minutes\nA1,E1,PTO,2025-02-01,30\nA2,E2,PTO,2025-02-01,-45\nA3,E3,PTO,2025-02-01,60",
      },
      { "small-amount": [3, "opening of E1", "opening of E3", "opening of E2"] },
    ],
    [
      "leave that totals more than twelve hours a day, such as 1.234,5 days, or two days that end with the first",
      {
        "requests.csv": leave(
          "2025-03-03T00:00:00Z,2025-03-05T20:00:00Z,4320.01",
          "2025-03-03T00:00:00Z,2025-03-05T20:00:00Z,4320",
          "2025-04-03T00:00:00Z,2025-04-05T20:00:00Z,2160",
          "2025-05-05T00:00:00+02:00,2025-05-06T00:00:00+02:00,960",
          "2025-06-02T00:00:00+02:00,2025-06-06T00:00:00+02:00,2400", // five days, of which the last one is lost
          "2025-06-09T00:00:00+02:00,2025-06-13T00:00:00+02:00,1920",
          "2025-06-16T08:00:00+02:00,2025-06-16T18:30:00+02:00,600",
        ),
      },
      {
        "long-leave": [
          3,
          "requests.csv:2 (4320.01 minutes)",
          "requests.csv:3 (4320 minutes)",
          "requests.csv:5 (960 minutes)",
        ],
        "lost-day": [1, "requests.csv:6 (2400 minutes)"],
        "overlapping-leave": [1, "R1"],
      },
    ],
    [
      // An opening is what was left at the end of its day (docs/balances.md, Opening balances).
      "openings of the day of a grant that is not in them, and of days to come",
      {
        "policies.csv": POLICIES_CSV,
        "assignments.csv": `${ASSIGNMENTS_CSV}\nE1,SICK,2024-01-01T00:00:00Z\nE2,SICK,2024-01-01T00:00:00Z\nE3,PTO,2024-01-01T00:00:00Z`,
        "openings.csv": [
          "workerId,policyId,date,minutes",
          "E1,SICK,2025-01-01,960",
          "E2,SICK,2025-01-01,4800", // the grant may be in it
          "E1,PTO,2024-12-31,0",
          "E2,PTO,2025-03-02,-240", // no grant comes on this day
          "E3,PTO,2026-12-31,0",
        ].join("\n"),
      },
      {
        "opening-grant": [1, "openings.csv:2 (2025-01-01 grants 4800 minutes)"],
        "future-opening": [1, "openings.csv:6 (2026-12-31)"],
      },
    ],
    [
      "amounts of policies that are days or hours",
      {
        "policies.csv": POLICIES_CSV.replace(",600,", ",20,").replace(",4800,", ",28,"),
        "assignments.csv": `${ASSIGNMENTS_CSV}\nE1,SICK,2024-01-01T00:00:00Z`,
      },
      { "small-grant": [2, "policies.csv:2 (20 minutes)", "policies.csv:3 (28 minutes)"] },
    ],
    [
      "limits, caps, tiers and amounts of single people that are days or hours",
      {
        "policies.csv": [
          "legacyId,name,paid,unit,schedule,minutesPerPeriod,minutesPerChunk,hoursWorkedPerChunk,timeOffTypeName,carryoverLimitMinutes,balanceCapMinutes,tiers",
          "PTO,PTO,yes,day,yearly,9600,,,PTO,5,,",
          "SICK,Sick,yes,day,monthly,800,,,Sick,0,30,",
          "LONG,Long,yes,day,yearly,0,,,Long,,,60:2400; 120:6",
          "HOUR,Hours,yes,hour,per_hour_worked,,2.31,1,Hours,,,60:3.46", // minutes of an hour are few
        ].join("\n"),
        "policy_changes.csv":
          "policyId,from,minutesPerPeriod,useCapMinutes\nPTO,2026-01-01,25,\nPTO,2027-01-01,,none\nSICK,2026-01-01,,20",
        "assignments.csv": [
          "workerId,policyId,startsOn,minutesPerPeriod",
          ...["E1,PTO,2024-01-01,25", "E2,PTO,2024-01-01,", "E1,SICK,2024-01-01,", "E1,LONG,2024-01-01,"],
          "E1,HOUR,2024-01-01,",
        ].join("\n"),
      },
      {
        "small-grant": [
          6,
          ...[
            "policies.csv:2 (carryoverLimitMinutes: 5 minutes)",
            "policies.csv:3 (balanceCapMinutes: 30 minutes)",
          ],
          "policies.csv:4 (tiers: 6 minutes)",
        ],
      },
    ],
    [
      "carried minutes of openings that are days, because only the unit of the others was named",
      {
        "assignments.csv": `${ASSIGNMENTS_CSV}\nE3,PTO,2024-01-01T00:00:00Z`,
        "openings.csv": [
          "workerId,policyId,date,minutes,carriedMinutes",
          ...["E1,PTO,2024-12-31,7200,5", "E2,PTO,2024-12-31,4800,0.5", "E3,PTO,2024-12-31,4800,2"],
        ].join("\n"),
      },
      {
        "opening-expiry": [
          ...[3, "openings.csv:2 (5 minutes)", "openings.csv:3 (0.5 minutes)", "openings.csv:4 (2 minutes)"],
        ],
        "small-amount": [3, "carriedMinutes of E1", "carriedMinutes of E3", "carriedMinutes of E2"], // by id
      },
    ],
    [
      "schedules and hours worked in hours",
      {
        "schedules.csv": [
          "workerId,startsOn,minutesPerWeekday,fullTimeMinutesPerWeek",
          'E1,2025-01-01,"8,8,8,8,8,0,0",40',
          'E1,2025-02-01,"480,480,480,480,480,0,0",40',
          'E1,2025-03-01,"0,0,0,0,0,0,0",2400', // unpaid leave
        ].join("\n"),
        "work_hours.csv": "workerId,date,minutes\nE1,2025-01-06,8\nE1,2025-01-07,8\nE1,2025-01-08,7.5",
      },
      {
        "small-schedule": [2, "schedules.csv:2", "schedules.csv:3"],
        "small-amount": [3, "hours worked by E1", "hours worked by E1", "hours worked by E1"],
      },
    ],
    [
      "calendars without holidays",
      {
        "workplaces.csv": "legacyId,name,holidayCalendar\nM,Madrid,Spain\nB,Bilbao,España",
        "holidays.csv": "calendar,date,name\nEspaña,2026-12-25,Navidad",
        "schedules.csv":
          'workerId,startsOn,minutesPerWeekday,holidayCalendar\nE1,2025-01-01,"480,480,480,480,480,0,0",none',
      },
      { "empty-calendar": [1, "Spain"] },
    ],
    [
      "calendars that no workplace or schedule names",
      {
        "workplaces.csv": "legacyId,name,holidayCalendar\nB,Bilbao,España\nP,Porto,",
        "holidays.csv": "calendar,date,name\nEspaña,2026-12-25,Navidad\nPortugal,2026-12-25,Natal",
      },
      { "unused-calendar": [1, "Portugal"] },
    ],
    [
      "leave and adjustments under a policy that was never assigned",
      {
        "assignments.csv": ASSIGNMENTS_CSV.split("\n")
          .filter((line) => !line.includes("E1"))
          .join("\n"),
        "adjustments.csv": "legacyId,workerId,policyId,date,minutes\nA1,E1,PTO,2025-01-01,60",
      },
      { "never-assigned": [2, "request R1", "adjustment A1"] },
    ],
    [
      "adjustments that no balance counts, because the policy is unlimited",
      {
        "policies.csv":
          "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit\nPTO,PTO,yes,unlimited,,PTO,hour",
        "adjustments.csv":
          "legacyId,workerId,policyId,date,minutes\nA1,E1,PTO,2025-01-01,60\nA2,E1,PTO,2025-01-02,60",
      },
      { "unlimited-adjustment": [2, "A1", "A2"] },
    ],
    [
      "midnights that are another day where the worker is",
      {
        "requests.csv": leave(
          "2025-07-01T00:00:00-05:00,2025-07-02T00:00:00-05:00,480",
          "2025-07-01T00:00:00+02:00,2025-07-02T00:00:00+02:00,480",
        ),
      },
      { "shifted-midnight": [1, "requests.csv:2 (2025-07-01)"], "overlapping-leave": [1, "R0"] },
    ],
    [
      "nothing of leave by the hour that ends at a midnight of UTC",
      { "requests.csv": leave("2025-07-01T20:00:00Z,2025-07-02T00:00:00Z,240") },
      {},
    ],
    [
      "assignments that begin on another day in UTC",
      {
        "assignments.csv":
          "workerId,policyId,assignedAt\nE1,PTO,2024-03-01T00:00:00+01:00\nE2,PTO,2024-03-01T00:00:00Z",
      },
      { "assignment-day": [1, "assignments.csv:2 (2024-02-29 in UTC)"] },
    ],
    [
      "one email address, start date and time zone for everybody",
      { "workers.csv": workers((line) => line.replace(/,\w+@/, ",all@")) },
      {
        "same-email": [3, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
        "same-start-date": [3, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
        "same-time-zone": [3, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
      },
    ],
    [
      "people who have left but have no endDate",
      { "workers.csv": distinct.replace(/(E2.*),active/, "$1,inactive") },
      { "left-without-end": [1, "workers.csv:3"] },
    ],
    [
      // tzdata: EST, MST and Etc/GMT+1 have no summer time, and POSIX counts west of Greenwich.
      "time zones that are offsets",
      {
        "workers.csv": distinct
          .replace(/(E1.*)Europe\/\w+/, "$1EST")
          .replace(/(E2.*)Europe\/\w+/, "$1Etc/GMT+1"),
      },
      { "fixed-zone": [2, "workers.csv:2 (EST)", "workers.csv:3 (Etc/GMT+1)"] },
    ],
    [
      "names in the wrong encoding, but not those that only look so",
      {
        "workers.csv": distinct
          .replace(/(E1.*)Ana/, "$1J\u00c3\u00b6rg")
          .replace(/(E2.*)Ana/, "$1J\ufffdrg")
          .replace(/(E3.*)Ana,Lind/, "$1JO\u00c3O,GRO\u1e9e\u2013\u00c5berg"),
      },
      { "garbled-name": [2, "workers.csv:2", "workers.csv:3"] },
    ],
    [
      // é is 0x82 in code page 850 and 0x8E in Mac OS Roman, which are \u201a and Ž in Windows-1252 (unicode.org, Public/MAPPINGS).
      "names of DOS and of old Macs as Windows-1252, but not those that only look so",
      {
        "workers.csv": distinct
          .replace(/(E1.*)Ana/, "$1Ar\u201avalo")
          .replace(/(E2.*)Ana/, "$1Ren\u017de")
          .replace(/(E3.*)Ana,Lind/, "$1Anna\u2014Lena,O\u2019Neil\u2013d\u2019\u017darn"),
      },
      { "garbled-name": [2, "workers.csv:2", "workers.csv:3"] },
    ],
    [
      // BambooHR's API and programs that make HTML write & as &amp;; those that only know ASCII write ? for each other letter.
      "names with what HTML writes for a letter, or with ? in place of one",
      {
        "workers.csv": distinct
          .replace(/(E1.*)Ana,Lind/, "$1Ana,O&#39;Brien")
          .replace(/(E2.*)Ana/, "$1J?rg")
          .replace(/(E3.*)Ana/, "$1R&D"),
      },
      { "garbled-name": [2, "workers.csv:2", "workers.csv:3"] },
    ],
    [
      "people who are active after their last day",
      {
        "workers.csv": distinct
          .replace("status,type", "status,endDate,type")
          .replace(/active,employee/g, (both) => both.replace(",", ",2024-12-31,")),
      },
      {
        "active-leaver": [3, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
        "uncovered-leave": [2, "R2", "R1"],
      },
    ],
    [
      "people who are inactive before their last day, and on it",
      {
        "workers.csv": distinct
          .replace("status,type", "status,endDate,type")
          .replace(/active,employee/g, "inactive,2025-06-01,employee")
          .replace(/(E3.*)2025-06-01/, "$12025-05-31"),
      },
      { "early-leaver": [2, "workers.csv:2", "workers.csv:3"] },
    ],
    [
      "leave before the first day, before and after the assignment, but not of an opening",
      {
        "assignments.csv":
          "workerId,policyId,startsOn,endsOn\nE1,PTO,2025-01-01,2025-02-28\nE2,PTO,2025-01-01,",
        "requests.csv": leave(
          ...["2024-12-30", "2025-02-28", "2025-03-01"].map((day) => `${day}T08:00:00Z,${day}T12:00:00Z,240`),
        ).replace(
          /$/,
          "\nX,2025-01-01T00:00:00Z,2024-12-31T08:00:00Z,2024-12-31T12:00:00Z,240,approved,PTO,E2",
        ),
        "openings.csv": "workerId,policyId,date,minutes\nE2,PTO,2024-12-31,600",
      },
      { "uncovered-leave": [2, "R0", "R2"], "opening-leave": [1, "X"] },
    ],
    [
      "approved leave that overlaps, but not halves of a day, nor work from home",
      {
        "policies.csv": `${HOME_HEADER}\nPTO,Annual leave,yes,monthly,600,Vacation,hour,yes\nHOME,Home,yes,unlimited,,Home,hour,no`,
        "assignments.csv": `${ASSIGNMENTS_CSV}\nE1,HOME,2024-01-01T00:00:00Z`,
        "requests.csv": leave(
          "2025-03-03T00:00:00+01:00,2025-03-04T00:00:00+01:00,240",
          "2025-03-03T00:00:00+01:00,2025-03-04T00:00:00+01:00,240",
          "2025-04-01T00:00:00+02:00,2025-04-02T00:00:00+02:00,480",
          "2025-04-01T00:00:00+02:00,2025-04-02T00:00:00+02:00,480",
          "2025-05-05T00:00:00+02:00,2025-05-10T00:00:00+02:00,2400",
          "2025-05-07T00:00:00+02:00,2025-05-08T00:00:00+02:00,480",
          "2025-05-10T00:00:00+02:00,2025-05-11T00:00:00+02:00,480",
        ).replace(
          /$/,
          "\nH,2025-01-01T00:00:00Z,2025-05-05T00:00:00+02:00,2025-05-10T00:00:00+02:00,2400,approved,HOME,E1",
        ),
      },
      { "overlapping-leave": [2, "R5", "R2"] },
    ],
    [
      "balances as adjustments, with the leave before them, but not a bonus for all",
      {
        "workers.csv": workersCsv("E1", "E2", "E3", "E4", "E5"),
        "assignments.csv": ["workerId,policyId,startsOn", ...FIVE.map((id) => `${id},PTO,2024-01-01`)].join(
          "\n",
        ),
        "adjustments.csv": [
          "legacyId,workerId,policyId,date,minutes",
          ...FIVE.map((id, at) => `S${id},${id},PTO,2025-06-30,${600 + at}`),
          ...FIVE.map((id) => `B${id},${id},PTO,2025-07-31,60`),
        ].join("\n"),
        "requests.csv": leave(
          "2025-03-03T08:00:00Z,2025-03-03T16:00:00Z,480",
          "2025-07-03T08:00:00Z,2025-07-03T16:00:00Z,480",
        ),
      },
      {
        "snapshot-leave": [1, "R0"],
        "same-start-date": [5, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
        "same-time-zone": [5, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
      },
    ],
    [
      "leave before the first of several adjustments of a day, once, but not leave after what was granted earlier, or of that day",
      {
        "workers.csv": workersCsv("E1", "E2", "E3", "E4", "E5"),
        "assignments.csv": ["workerId,policyId,startsOn", ...FIVE.map((id) => `${id},PTO,2024-01-01`)].join(
          "\n",
        ),
        "adjustments.csv": [
          "legacyId,workerId,policyId,date,minutes",
          ...FIVE.map((id, at) => `F${id},${id},PTO,2024-06-01,${9600 + at}`),
          ...FIVE.map((id, at) => `G${id},${id},PTO,2025-01-01,${9000 + at}`),
          ...FIVE.map((id, at) => `H${id},${id},PTO,2025-01-01,${900 + at}`),
          ...FIVE.map((id) => `L${id},${id},PTO,2025-01-01,-60`),
        ].join("\n"),
        "requests.csv": leave(
          "2024-03-04T08:00:00Z,2024-03-04T16:00:00Z,480",
          "2024-09-02T08:00:00Z,2024-09-02T16:00:00Z,480",
          "2024-06-01T08:00:00Z,2024-06-01T16:00:00Z,480",
        ),
      },
      {
        "snapshot-leave": [1, "R0"],
        "same-start-date": [5, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
        "same-time-zone": [5, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
      },
    ],
    [
      "an expiry that misses the last grant, and percent taken for minutes",
      {
        "policies.csv":
          "legacyId,name,paid,schedule,minutesPerPeriod,minutesPerChunk,hoursWorkedPerChunk,timeOffTypeName,unit,accrualTiming,carryoverExpiresAfterMonths\nPTO,PTO,yes,monthly,600,,,PTO,hour,end,3\nUK,UK,yes,per_hour_worked,,12.07,100,PTO,hour,,\nUS,US,yes,per_hour_worked,,60,30,PTO,hour,,",
      },
      {
        "expiry-timing": [1, "policies.csv:2"],
        "percent-chunk": [1, "policies.csv:3 (12.07 minutes)"],
        "unused-policy": [2, "policy UK", "policy US"],
      },
    ],
    [
      "nothing of policies that grant eight hours a year, an hour a month, half a minute an hour, or nothing",
      {
        "policies.csv":
          "legacyId,name,paid,schedule,minutesPerPeriod,minutesPerChunk,hoursWorkedPerChunk,timeOffTypeName,unit\nPTO,PTO,yes,monthly,60,,,PTO,hour\nY,Y,yes,yearly,480,,,PTO,hour\nH,H,yes,per_hour_worked,,30,60,PTO,hour\nN,N,yes,per_hour_worked,,0,60,PTO,hour\nM,M,yes,monthly,0,,,PTO,hour",
        "assignments.csv": `${ASSIGNMENTS_CSV}\n${["Y", "H", "N", "M"].map((id) => `E1,${id},2024-01-01T00:00:00Z`).join("\n")}`,
      },
      {},
    ],
    [
      "workers whose ids a program or a person spelled in two ways",
      {
        "workers.csv": [
          distinct,
          ...["e1", "E 2", "007", "7"].map(
            (id) => `${id},Cy,Ek,cy${id.length}@example.com,no,2019-01-01,active,employee,UTC`,
          ),
        ].join("\n"),
      },
      { "two-spellings": [6, "E1", "007", "e1"] },
    ],
    [
      "the spaces of ids with capitals and small letters, and not their case: ids of Salesforce with 15 characters differ in it alone",
      {
        "workers.csv": [
          distinct,
          ...["0035g00000AbCdE", "0035g00000AbCde", "Emp 7", "Emp7", "Ana@b.co", "ana@b.co"].map(
            (id, at) => `${id},Cy,Ek,cy${at}@example.com,no,2019-01-01,active,employee,UTC`,
          ),
        ].join("\n"),
      },
      { "two-spellings": [4, "Emp7", "Ana@b.co", "Emp 7"] },
    ],
    ["policies that nobody has", { "policies.csv": POLICIES_CSV }, { "unused-policy": [1, "policy SICK"] }],
    [
      "dates long ago or far ahead",
      {
        "workers.csv": distinct
          .replace("2021-01-01", "1949-12-31")
          .replace("status,type", "status,endDate,type")
          .replace(/active,employee/g, "active,,employee")
          .replace(/(E2.*active,)/, "$12150-12-31"),
        "assignments.csv":
          "workerId,policyId,startsOn,endsOn\nE1,PTO,2024-01-01,2150-12-31\nE2,PTO,2044-01-01,",
      },
      {
        "odd-date": [
          ...[4, "workers.csv:2 (1949-12-31)", "workers.csv:3 (2150-12-31)"],
          "assignments.csv:2 (2150-12-31)",
        ],
        "uncovered-leave": [1, "R2"],
      },
    ],
    [
      "adjustments and schedules long ago",
      {
        "adjustments.csv": "legacyId,workerId,policyId,date,minutes\nA1,E1,PTO,1949-12-31,60",
        "schedules.csv": 'workerId,startsOn,minutesPerWeekday\nE1,1949-12-31,"480,480,480,480,480,0,0"',
      },
      { "odd-date": [2, "adjustments.csv:2 (1949-12-31)", "schedules.csv:2 (1949-12-31)"] },
    ],
  ])("%s", async (_, files, expected) => expect(await findingsIn({ ...BASE, ...files })).toEqual(expected));
});

test("the next import of the same files tells the same findings, although no row changed", async () => {
  const company = await TestCompany.open();
  const files = {
    ...BASE,
    "workers.csv": distinct.replace(/(E2.*),active/, "$1,inactive"),
    "policies.csv": POLICIES_CSV.replace(",600,", ",20,"),
    "assignments.csv": "workerId,policyId,startsOn\nE1,PTO,2044-01-01",
    "adjustments.csv": "legacyId,workerId,policyId,date,minutes\nA1,E1,PTO,1949-12-31,60",
    "requests.csv": leave("2025-03-03T00:00:00Z,2025-03-05T20:00:00Z,4320"),
  };
  const { findings } = await company.import(files);
  expect(findings.map(({ code }) => code).toSorted()).toEqual([
    ...["left-without-end", "long-leave", "odd-date", "small-grant", "uncovered-leave", "unused-policy"],
  ] as never);
  expect((await company.import(files)).findings).toEqual(findings);
});

// The rows of a night are a few of all: three corrections of minutes beside years of days are no wrong unit.
test("small amounts are told again while all are small, and not beside larger ones of an earlier import", async () => {
  const company = await TestCompany.open();
  const codes = async (...minutes: readonly number[]) => {
    const rows = minutes.map((amount, at) => `A${at},E1,PTO,2025-02-0${at + 1},${amount}`);
    const adjustments = ["legacyId,workerId,policyId,date,minutes", ...rows].join("\n");
    const files = { ...BASE, "assignments.csv": ASSIGNMENTS_CSV, "adjustments.csv": adjustments };
    return (await company.import(files)).findings.map(({ code }) => String(code));
  };
  for (const _ of ["first night", "next night"]) expect(await codes(15, -30, 45)).toContain("small-amount");
  for (const more of [[], [20, 30, 40]])
    expect(await codes(480, -30, 45, ...more)).not.toContain("small-amount");
});

// Days of 8.5, 10 and 12 hours are ordinary: four-day weeks, shifts of nurses.
test("leave of long days, from midnight to midnight, is no finding beside leave of one such day", async () => {
  const nights = [
    ["2025-06-02T00:00:00+02:00,2025-06-06T00:00:00+02:00,2400"],
    ["2025-06-10T00:00:00+02:00,2025-06-11T00:00:00+02:00,600"],
    ["2025-06-12T00:00:00+02:00,2025-06-13T00:00:00+02:00,720"],
    ["2025-06-16T00:00:00+02:00,2025-06-18T00:00:00+02:00,1440"],
  ].map((_, at, all) => leave(...all.slice(0, at + 1).flat()));
  const company = await TestCompany.open();
  const told: unknown[] = [];
  for (const requests of nights)
    told.push((await company.import({ ...BASE, "requests.csv": requests })).findings.map(({ code }) => code));
  expect(told).toEqual([["lost-day"], [], [], []]);
});

// 12.5 days read as hours, and 100 hours read as days. Nobody can have been granted 100 days in two years of 20 days.
test.each<[string, readonly number[], string, string | null]>([
  ["days as hours", [12.5, 7, 20.5, 18, 25].map((days) => days * 60), "day", "small-opening"],
  [
    "days as hours, where people count in hours",
    [12.5, 7, 20.5, 18, 25].map((days) => days * 60),
    "hour",
    null,
  ],
  ["hours, of which little is left", [4, 8, 12, 16, 7.5].map((hours) => hours * 60), "day", null],
  ["days of four people", [12.5, 7, 20.5, 18].map((days) => days * 60), "day", null],
  ["days of 7.5 hours, of which little is left", [1, 2, 3, 1.5, 4].map((days) => days * 450), "day", null],
  ["days of seven hours, of which little is left", [1, 2, 3, 1.5, 4].map((days) => days * 420), "day", null],
  ["what one month granted of 15 days a year", [600, 600, 600, 600, 600], "day", null],
  ["less than nothing", [-60, -120, -90, -30, -150], "day", null],
  ["days", [12.5, 7, 20.5, 18, 25].map((days) => days * 480), "day", null],
  ["hours as days", [100, 56, 164, 144, 200].map((hours) => hours * 480), "day", "large-opening"],
  ["two banks of earlier employers", [100, 56, 20, 20, 100].map((days) => days * 480), "day", null],
])("openings: %s", async (_, openings, unit, code) => {
  const ids = openings.map((_, at) => `E${at}`);
  const files = {
    "workers.csv": workersCsv(...ids),
    "policies.csv": `legacyId,name,paid,unit,schedule,timeOffTypeName,minutesPerPeriod\nPTO,PTO,yes,${unit},monthly,PTO,800`,
    "assignments.csv": `workerId,policyId,startsOn\n${ids.map((id) => `${id},PTO,2024-01-01`).join("\n")}`,
    "openings.csv": `workerId,policyId,date,minutes\n${ids.map((id, at) => `${id},PTO,2025-05-15,${openings[at]}`).join("\n")}`,
  };
  const { findings } = await (await TestCompany.open()).import(files);
  const odd = findings.filter(({ code }) => code === "small-opening" || code === "large-opening");
  expect(odd.map(({ code }) => String(code))).toEqual(code === null ? [] : [code]);
});

test("openings of people whose rate is above 100% are no large ones", async () => {
  const ids = ["E0", "E1", "E2"];
  const files = {
    "workers.csv": workersCsv(...ids),
    "policies.csv":
      "legacyId,name,paid,unit,schedule,timeOffTypeName,minutesPerPeriod\nPTO,PTO,yes,day,yearly,PTO,4800",
    "assignments.csv": `workerId,policyId,startsOn,rates\n${ids.map((id) => `${id},PTO,2024-01-01,2024-01-01:400%`).join("\n")}`,
    "openings.csv": `workerId,policyId,date,minutes\n${ids.map((id) => `${id},PTO,2025-05-15,19200`).join("\n")}`,
  };
  const { findings } = await (await TestCompany.open()).import(files);
  expect(findings.map(({ code }) => code)).not.toContain("large-opening");
});

// 12.5 days of leave that is left became 12.5 hours.
test.each<[string, unknown, string | null]>([
  ["Days left", "hours", 'openings.csv: minutes: "Days left" as hours'],
  ["totalHours", { days: 7.5 }, 'openings.csv: minutes: "totalHours" as days'],
  ["Resturlaub (Tage)", "minutes", 'openings.csv: minutes: "Resturlaub (Tage)" as minutes'],
  ["Days left", { days: 7.5 }, null],
  ["Days/Hours", "hours", null],
  ["Days (h)", "hours", null],
  ["Urlaubs-Tage (Std.)", "hours", null],
  ["Min. balance", "hours", null],
  ["Days left", { column: "Unit" }, null],
])("%s in the unit %j", async (column, unit, example) => {
  const company = await TestCompany.open();
  const openings = {
    ...{ from: "openings.csv", columns: { Who: "workerId", [column]: "minutes" }, units: { minutes: unit } },
    values: { policyId: "PTO", date: "2024-12-31" },
  };
  const files = {
    ...BASE,
    "assignments.csv": ASSIGNMENTS_CSV,
    "openings.csv": `Who,${column},Unit\nE1,12.5,days`,
  };
  const map = mapFile({ openings: { ...openings, ignore: "*" } });
  const { findings } = await company.importFolder(folderOf(files), {}, map);
  const told = findings.find(({ code }) => code === "other-unit");
  expect(told?.examples ?? []).toEqual(example === null ? [] : [example]);
});

test("a last day that passes without a change of the file is a finding then", async () => {
  const company = await TestCompany.open();
  const leaving = distinct
    .replace("status,type", "status,endDate,type")
    .replace(/active,employee/g, "active,2025-06-10,employee");
  const findings = async (today: string) =>
    (await company.import({ "workers.csv": leaving }, { today: dayOfText(today) })).findings.map(
      ({ code, count }) => [code, count],
    );
  expect(await findings("2025-06-10")).toEqual([]);
  expect(await findings("2025-06-11")).toEqual([["active-leaver", 3]]);
});

test("a strict import is refused for its findings, but not for those that are accepted", async () => {
  const company = await TestCompany.open();
  const files = { ...BASE, "policies.csv": POLICIES_CSV };
  expect(await findingsOf(company.import(files, { isStrict: true }))).toEqual([
    "1 policy is assigned to nobody (policy SICK): import assignments, or leave the policy out [unused-policy]",
  ]);
  expect((await company.stored()).workers).toEqual([]);
  const report = await company.import(files, { isStrict: true, accepted: new Set(["unused-policy"]) });
  expect([report.findings, report.isChanged]).toEqual([[], true]);
});

test("the command lists them: on stderr with their codes, with --json as objects", async () => {
  const home = temporaryFolder();
  await rollcallHere(home, ["companies", "create", "acme"]);
  const args = ["import", folderOf({ ...BASE, "policies.csv": POLICIES_CSV }), "--company", "acme"];
  const strict = await rollcallHere(home, [...args, "--strict", "--json"]);
  expect(strict.exitCode).toBe(1);
  expect(JSON.parse(strict.stdout)).toMatchObject({
    imported: false,
    findings: [{ code: "unused-policy", count: 1 }],
  });
  expect(strict.stderr).toContain("--accept CODE");
  const loose = await rollcallHere(home, args);
  expect(loose.stderr).toContain("rollcall: warning: 1 policy is assigned to nobody");
  const { findings, warnings } = JSON.parse((await rollcallHere(home, [...args, "--json"])).stdout);
  expect(findings).toMatchObject([{ code: "unused-policy", examples: ["policy SICK"] }]);
  expect(warnings).toHaveLength(1);
  const unknown = await rollcallHere(home, [...args, "--accept", "unused-polcy"]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    expect.stringContaining("did you mean unused-policy?"),
  ]);
});

// A policy of BambooHR, HiBob, Gusto or a plain file has a name alone.
test.each([
  ["Home office", true],
  ["Remote", true],
  ["Working from home", true],
  ["Business trip", true],
  ["Telearbeit", true],
  ["Mobiles Arbeiten", true],
  ["Dienstreise", true],
  ["Training", true],
  ["Fortbildung", true],
  ["Télétravail", true],
  ["在宅勤務", true],
  ["Training leave", false],
  ["Bildungsurlaub", false],
  ["Annual leave", false],
  ["Congé de formation", false],
])("the policy %s is named like work: %p", async (name, isWork) => {
  const policies = (isAbsence: string) => `${HOME_HEADER}\nPTO,${name},yes,unlimited,,Leave,day,${isAbsence}`;
  const found = (isAbsence: string) => findingsIn({ ...SMALL, "policies.csv": policies(isAbsence) });
  const expected = isWork ? [1, `policies.csv:2 (${name})`] : undefined;
  expect((await found(""))["work-policy"]).toEqual(expected);
  expect(await found("no")).not.toHaveProperty("work-policy");
  expect(await found("yes")).not.toHaveProperty("work-policy");
});

// Calendars that Personio, Timetastic, Outlook and BrightHR export have an event for each leave of a person, those of HR birthdays and paydays.
// Production calendars of China and Belarus have days of work that are moved to a weekend.
test.each([
  ["Ana Lind – Urlaub", true],
  ["Ana (Annual Leave)", true],
  ["Ana out of office", true],
  ["Lind, Ana", true],
  ["Ana Lind - Holiday", true],
  ["Busy", true],
  ["Beschäftigt", true],
  ["Congé payé (A. Lind)", true],
  ["Föräldraledig", true],
  ["Working elsewhere", true],
  ["Good Friday", false],
  ["Ana Day (substitute day)", false],
  ["Ana's birthday", true],
  ["Geburtstag von Ana", true],
  ["King's Birthday", false],
  ["Payday", true],
  ["Sprint 12 planning", true],
  ["All-hands meeting", true],
  ["Sicherheitsschulung", true],
  ["Christmas party", true],
  ["Weihnachtsfeier", true],
  ["Betriebsfeiertag", false],
  ["Labor Day", false],
  ["Make-up workday", true],
  ["Special Non-Working Day", false],
  ["Día no laborable", false],
  ["国庆节调休上班", true],
  ["Рабочий день — перенос с 20 апреля", true],
  ["Нерабочий день", false],
])("the event %s is perhaps no holiday: %p", async (name, isLeave) => {
  const people = workersCsv("E1", "E2", "E3").replaceAll(/^(E\d),[^,]*,[^,]*/gm, "$1,Ana,Lind");
  const event = `BEGIN:VEVENT\nUID:1\nDTSTART;VALUE=DATE:20250610\nDTEND;VALUE=DATE:20250613\nSUMMARY:${name}\nEND:VEVENT`;
  const found = await findingsIn({
    ...SMALL,
    "workers.csv": people,
    "abwesend.ics": `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n${event}\nEND:VCALENDAR`,
  });
  const example = `${JSON.stringify(name)} names leave, work, pay or a worker`;
  expect(found["doubtful-holiday"]).toEqual(isLeave ? [1, example] : undefined);
});

// Calendars of holidays for everybody, such as those of calendarlabs.com, have observances among days off, without a mark.
test.each([
  ["Valentine's Day", true],
  ["Halloween", true],
  ["Daylight Saving Time starts", true],
  ["Nikolaus", true],
  ["Saint-Valentin", true],
  ["節分", true],
  ["Columbus Day", false],
  ["Ascension Day", false],
  ["Summer Bank Holiday", false],
  ["Reformationstag", false],
])("the holiday %s is perhaps an observance: %p", async (name, isObservance) => {
  const found = await findingsIn({ ...SMALL, "holidays.csv": `calendar,date,name\nUS,2025-06-10,${name}` });
  const example = `${JSON.stringify(name)} names an observance, which nobody has off`;
  expect(found["doubtful-holiday"]).toEqual(isObservance ? [1, example] : undefined);
});

// OrangeHRM lists "Half Day" holidays beside whole ones, with their hours in a column of its own.
test.each([
  ["Father's Day - Half Day", "", true],
  ["Father's Day - Half Day", "240", false],
  ["Silvester ab 12 Uhr", "", true],
  ["Pfingstferien", "", true],
  ["Betriebsferien", "", false],
  ["Christmas Eve (from 2pm)", "", true],
  ["Christmas Eve (PM)", "", true],
  ["Early close: Christmas Eve", "", true],
  ["Juleaften 1/2", "", true],
  ["Halvdag före Alla helgons dag", "", true],
  ["Carnaval (Ponto Facultativo)", "", true],
  ["Campus Day", "", false],
  ["New Year's Day (observed 1/2/2023)", "", false],
  ["Holi (Restricted Holiday)", "", true],
  ["Holi", "", false],
])("the holiday %s of %s minutes is perhaps none for the whole day: %p", async (name, minutes, isPart) => {
  const holidays = `calendar,date,name,minutes\nUS,2025-06-10,${name},${minutes}`;
  const found = await findingsIn({ ...SMALL, "holidays.csv": holidays });
  const example = `${JSON.stringify(name)} names a half day, or a day off for some`;
  expect(found["doubtful-holiday"]).toEqual(isPart ? [1, example] : undefined);
});

test("more than 30 days off from Monday to Friday in a year are told", async () => {
  const days = Array.from(
    { length: 45 },
    (_, at) => `gb #1,${new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 10)},Day`,
  );
  const found = (count: number) =>
    findingsIn({ ...SMALL, "holidays.csv": ["calendar,date,name", ...days.slice(0, count)].join("\n") });
  expect((await found(45))["doubtful-holiday"]).toEqual([
    1,
    '"gb #1" has 33 days off from Monday to Friday in 2025',
  ]);
  expect(await found(42)).not.toHaveProperty("doubtful-holiday");
});

test.each([
  ["4", true],
  ["0.5", true],
  ["0", true],
  ["1500", true],
  ["60", false],
  ["1440", false],
])("a holiday of %s minutes is doubtful: %p", async (minutes, isDoubtful) => {
  const holidays = `calendar,date,name,minutes\nUS,2025-12-24,Eve,${minutes}`;
  const found = await findingsIn({ ...SMALL, "holidays.csv": holidays });
  const example = `"Eve" has ${minutes} minutes: were hours or days taken for minutes?`;
  expect(found["doubtful-holiday"]).toEqual(isDoubtful ? [1, example] : undefined);
});

test("a calendar of which nothing is to come is told, from rows and from a file of events", async () => {
  const workplaces = "legacyId,name,holidayCalendar\nW1,Berlin,DE\n";
  const found = async (files: Record<string, string>) =>
    (await findingsIn({ ...SMALL, "workplaces.csv": workplaces, ...files }))["past-calendar"];
  const rows = (calendar: string, ...days: readonly string[]) => ({
    "holidays.csv": ["calendar,date,name", ...days.map((day) => `${calendar},${day},Day`)].join("\n"),
  });
  expect(await found(rows("DE", "2020-12-25"))).toEqual([1, "DE"]);
  expect(await found(rows("DE", "2199-12-25"))).toBeUndefined();
  expect(await found(rows("Old", "2020-12-25"))).toBeUndefined(); // nobody has it: unused-calendar
  const event = "BEGIN:VEVENT\nUID:1\nDTSTART;VALUE=DATE:20201225\nSUMMARY:Christmas\nEND:VEVENT";
  const events = `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n${event}\nEND:VCALENDAR`;
  expect(await found({ "DE.ics": events })).toEqual([1, "DE"]);
});

test("a calendar without a year in which somebody with it is on leave is told", async () => {
  const found = async (leave: readonly string[], more: Record<string, string> = {}) => {
    const rows = leave.map(
      (days, at) => `${days.replace("/", ",")},960,R${at},2025-01-01T00:00:00Z,approved,PTO,E1`,
    );
    const files = {
      ...SMALL,
      "workplaces.csv": "legacyId,name,holidayCalendar\nW1,Berlin,DE",
      "workers.csv": `legacyId,firstName,lastName,email,startDate,type,isBusiness,workplaceId\nE1,Ana,Lind,a@example.com,2020-01-01,employee,no,W1\nE2,Bo,Ek,b@example.com,2020-01-01,employee,no,`,
      "holidays.csv":
        "calendar,date,name\nDE,2025-01-01,Day\nDE,2026-05-01,Day\nFR,2025-01-01,Day\nFR,2027-01-01,Day",
      "requests.csv": [
        "startAt,endAt,requestedMinutes,legacyId,createdAt,status,timeOffPolicyId,workerId",
        ...rows,
      ].join("\n"),
      ...more,
    };
    return (await findingsIn(files))["past-calendar"];
  };
  const turn = (year: number) => `${year}-12-30T08:00:00Z/${year + 1}-01-04T16:00:00Z`;
  expect(await found([turn(2026), turn(2026), turn(2025)])).toEqual([
    1,
    "DE ends in 2026, with 2 requests after",
  ]);
  expect(await found([turn(2024)])).toEqual([1, "DE begins in 2025, with 1 request before"]);
  // Leave of years long ago is history, and another calendar has the year.
  expect(await found([turn(2022), turn(2025)])).toBeUndefined();
  const schedule = (calendar: string) => ({
    "schedules.csv": `workerId,startsOn,minutesPerWeekday,holidayCalendar\nE1,2020-01-01,"480,480,480,480,480,0,0",${calendar}`,
  });
  for (const calendar of ["FR", "none"])
    expect(await found([turn(2026)], schedule(calendar))).toBeUndefined();
  expect(await found([turn(2026)], schedule(""))).toEqual([1, "DE ends in 2026, with 1 request after"]);
});

test("a calendar that lacks a year is told", async () => {
  const found = async (...years: readonly number[]) => {
    const days = years.map((year) => `US,${year}-12-25,Christmas`);
    return (await findingsIn({ ...SMALL, "holidays.csv": ["calendar,date,name", ...days].join("\n") }))[
      "doubtful-holiday"
    ];
  };
  expect(await found(2023, 2025)).toEqual([1, '"US" has no days off in 2024, and some before']);
  expect(await found(2023, 2024, 2025)).toBeUndefined();
});

test("every code is in the documentation", async () => {
  const text = await Bun.file(`${import.meta.dir}/../../docs/importing.md`).text();
  expect(FINDING_CODES.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
});

test("a circle of managers is a finding that names everybody in it", async () => {
  const header = "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,managerId";
  const managed = (...managers: readonly string[]) =>
    [
      header,
      ...managers.map(
        (manager, at) => `E${at + 1},A,B,e${at}@example.com,no,202${at}-01-01,active,employee,${manager}`,
      ),
    ].join("\n");
  // E1 and E2 lead each other, E3 is below them, E4 leads themselves, E5 has nobody above.
  const company = await TestCompany.open();
  const { findings } = await company.import({ "workers.csv": managed("E2", "E1", "E2", "E4", "") });
  const circles = findings.find(({ code }) => code === "circle-of-managers");
  expect(circles).toMatchObject({ count: 2, message: "2 circles of managers, who report to themselves" });
  const around = circles!.examples.map((text) => [...new Set(text.split(" → "))].sort().join(" "));
  expect(around.sort()).toEqual(["E1 E2", "E4"]);
  const mended = await company.import({ "workers.csv": managed("", "E1", "E2", "E1", "") });
  expect(mended.findings.filter(({ code }) => code === "circle-of-managers")).toEqual([]);
});
