// Calendars as holidays: what an event is read as, and what is left out with its name. The sources are named at each case.
import { describe, expect, test } from "bun:test";
import { openCalendar } from "../../../src/import/read/calendar.ts";
import { DEFAULT_OPTIONS } from "../../../src/import/read/records.ts";
import { dayOfText } from "../../../src/time/day.ts";
import { folderOf, TestCompany } from "../../support/import-files.ts";

const TODAY = dayOfText("2026-06-01");

const event = (...lines: readonly string[]) =>
  ["BEGIN:VEVENT", `UID:${lines.join()}`, "SUMMARY:Day", ...lines, "END:VEVENT"].join("\n");

/** The days of a calendar, with their minutes where they have some, and what was noted. */
async function read(events: string, head = "", program = "x") {
  const text = `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:${program}\nX-WR-CALNAME:H\n${head}${events}\nEND:VCALENDAR\n`;
  const path = `${folderOf({ "h.ics": text })}/h.ics`;
  const reader = await openCalendar(path, { ...DEFAULT_OPTIONS, today: TODAY });
  const days: string[] = [];
  for await (const records of reader.records())
    for (const { cells } of records) days.push([cells[1], cells[3]].filter(Boolean).join(" "));
  // That a rule is no yearly one is told, but tried once below.
  const doubts = (reader.doubts ?? []).filter(({ part }) => !/"Day" recurs \w+ly$/.test(part));
  return { days: days.sort(), left: doubts.map(({ code, part }) => `${code} ${part}`) };
}

describe("an event is", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      // kimai/kimai #116, horilla-hr #1039: half holidays
      "the minutes of its day, where it begins or ends at midnight",
      ["DTSTART;TZID=Europe/Berlin:20261224T120000", "DTEND;TZID=Europe/Berlin:20261225T000000"],
      ["2026-12-24 720"],
    ],
    ["a morning", ["DTSTART:20261224T000000", "DURATION:PT4H30M"], ["2026-12-24 270"]],
    [
      "part of its first day, and the days after that",
      ["DTSTART:20261224T120000", "DTEND:20261227T000000"],
      ["2026-12-24 720", "2026-12-25", "2026-12-26"],
    ],
    // Some programs write the last minute or second of a day as its end.
    ["a day until 23:59", ["DTSTART:20261228T000000", "DTEND:20261228T235900"], ["2026-12-28"]],
    ["an afternoon until 23:59:59", ["DTSTART:20261224T120000", "DTEND:20261224T235959"], ["2026-12-24 720"]],
    ["a whole day by its times", ["DTSTART:20261228T000000", "DTEND:20261229T000000"], ["2026-12-28"]],
    ["a day in UTC", ["DTSTART:20261229T000000Z", "DTEND:20261230T000000Z"], ["2026-12-29"]],
    ["a day alone, without an end", ["DTSTART;VALUE=DATE:20260501"], ["2026-05-01"]],
    [
      "a day that ends when it begins",
      ["DTSTART;VALUE=DATE:20260501", "DTEND;VALUE=DATE:20260501"],
      ["2026-05-01"],
    ],
    ["days", ["DTSTART;VALUE=DATE:20260501", "DURATION:P2D"], ["2026-05-01", "2026-05-02"]],
    [
      "a day whose length is given twice",
      ["DTSTART;VALUE=DATE:20260501", "DTEND;VALUE=DATE:20260502", "DURATION:P1D"],
      ["2026-05-01"],
    ],
    [
      "a time in a zone that is none, which its clock still shows",
      ["DTSTART;TZID=../../x:20260101T000000", "DTEND;TZID=../../x:20260102T000000"],
      ["2026-01-01"],
    ],
    [
      "a series with exceptions and dates of its own",
      [
        "DTSTART;VALUE=DATE:20260105",
        "RRULE:FREQ=WEEKLY;COUNT=3",
        "EXDATE;VALUE=DATE:20260112",
        "RDATE;VALUE=DATE:20260107",
      ],
      ["2026-01-05", "2026-01-07", "2026-01-19"],
    ],
    [
      "a series until a time in UTC, by the clock of its zone",
      [
        "DTSTART;TZID=Europe/Berlin:20260105T000000",
        "DTEND;TZID=Europe/Berlin:20260106T000000",
        "RRULE:FREQ=DAILY;UNTIL=20260106T230000Z",
        "EXDATE:20260105T230000Z",
      ],
      ["2026-01-05", "2026-01-07"],
    ],
    [
      "the last Monday of May",
      ["DTSTART;VALUE=DATE:20250526", "RRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;COUNT=3"],
      ["2025-05-26", "2026-05-25", "2027-05-31"],
    ],
    [
      "a leap day, in leap years alone",
      ["DTSTART;VALUE=DATE:20160229", "RRULE:FREQ=YEARLY;COUNT=4"],
      ["2020-02-29", "2024-02-29", "2028-02-29"],
    ],
    [
      "the last day of months",
      ["DTSTART;VALUE=DATE:20260131", "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3"],
      ["2026-01-31", "2026-02-28", "2026-03-31"],
    ],
    ["nothing, where it is cancelled", ["DTSTART;VALUE=DATE:20260501", "STATUS:CANCELLED"], []],
  ])("%s", async (_, lines, days) =>
    expect(await read(event(...lines))).toEqual({ days: [...days], left: [] }),
  );

  test("shown in the zone of its calendar if its times are in UTC", async () => {
    const { days } = await read(
      event("DTSTART:20261224T230000Z", "DTEND:20261225T230000Z"),
      "X-WR-TIMEZONE:Europe/Berlin\n",
    );
    expect(days).toEqual(["2026-12-25"]);
  });

  // Outlook names zones as Windows does (windowsZones of the Unicode CLDR).
  test.each([
    ["W. Europe Standard Time", "DTSTART:20261223T230000Z", "DTEND:20261224T110000Z", "2026-12-24 720"],
    ["Eastern Standard Time", "DTSTART:20261224T170000Z", "DTEND:20261225T050000Z", "2026-12-24 720"],
    ["Tokyo Standard Time", "DTSTART:20261223T150000Z", "DTEND:20261224T150000Z", "2026-12-24"],
  ])("shown in the zone of its calendar, %s", async (zone, start, end, day) =>
    expect(await read(event(start, end), `X-WR-TIMEZONE:${zone}\n`)).toEqual({ days: [day], left: [] }),
  );

  test("in a series until a time in UTC, if Windows names its zone", async () => {
    const zone = 'TZID="W. Europe Standard Time"';
    const days = [`DTSTART;${zone}:20260306T000000`, `DTEND;${zone}:20260307T000000`];
    const rule = "RRULE:FREQ=WEEKLY;UNTIL=20260319T230000Z;BYDAY=FR";
    expect((await read(event(...days, rule, `EXDATE;${zone}:20260313T000000`))).days).toEqual([
      "2026-03-06",
      "2026-03-20",
    ]);
  });

  test("on another day if this occurrence was moved", async () => {
    const series =
      "BEGIN:VEVENT\nUID:1\nSUMMARY:Day\nDTSTART;VALUE=DATE:20260105\nRRULE:FREQ=WEEKLY;COUNT=3\nEND:VEVENT\n";
    const moved =
      "BEGIN:VEVENT\nUID:1\nSUMMARY:Day\nRECURRENCE-ID;VALUE=DATE:20260112\nDTSTART;VALUE=DATE:20260113\nEND:VEVENT";
    expect((await read(series + moved)).days).toEqual(["2026-01-05", "2026-01-13", "2026-01-19"]);
    const cancelled = moved.replace("SUMMARY:Day", "SUMMARY:Day\nSTATUS:CANCELLED");
    expect((await read(series + cancelled)).days).toEqual(["2026-01-05", "2026-01-19"]);
  });
});

describe("an event is skipped and named", () => {
  const timed = (more: string) => ["DTSTART:20260101T000000Z", "DTEND:20260102T000000Z", more];
  test.each<[string, readonly string[], string]>([
    [
      "a meeting",
      ["DTSTART;TZID=Europe/Berlin:20261111T100000", "DTEND;TZID=Europe/Berlin:20261111T110000"],
      "neither begins nor ends at midnight",
    ],
    // RFC 5545, 3.6.1: an event has one of them.
    [
      "a day with two ends",
      ["DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261225", "DURATION:P3D"],
      "has a DTEND and another DURATION",
    ],
    ["a moment", ["DTSTART:20260101T000000Z"], "neither begins nor ends at midnight"],
    // sabre-io/vobject #220, ical4j #849
    ["every second", timed("RRULE:FREQ=SECONDLY"), "recurs within a day"],
    // jens-maus/node-ical #542
    [
      "every second of a year",
      timed("RRULE:FREQ=YEARLY;COUNT=1;BYHOUR=0,1;BYSECOND=0,1"),
      "recurs within a day",
    ],
    ["other rules that exclude", timed("RRULE:FREQ=DAILY\nEXRULE:FREQ=WEEKLY"), "has an EXRULE"],
    [
      "a day from zone to zone",
      ["DTSTART;TZID=Europe/Berlin:20260101T000000", "DTEND;TZID=Asia/Tokyo:20260102T000000"],
      "begins and ends in different time zones",
    ],
    [
      "a series whose zone is not known, until a time in UTC",
      ["DTSTART;TZID=Somewhere:20260101T000000", "DURATION:P1D", "RRULE:FREQ=DAILY;UNTIL=20260105T000000Z"],
      "has times of several zones",
    ],
  ])("%s", async (_, lines, why) =>
    expect(await read(event(...lines))).toEqual({ days: [], left: [`left-out-event "Day" ${why}`] }),
  );
});

test("a yearly rule without a month takes the month of its first date, with a note", async () => {
  // As one calendar program writes it; RFC 5545 reads each month.
  const { days, left } = await read(
    event("DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY;BYMONTHDAY=25;COUNT=2"),
  );
  expect(days).toEqual(["2025-12-25", "2026-12-25"]);
  expect(left).toEqual(['yearly-rule "Day"']);
});

// The days are those of python-dateutil 2.9, which other programs are compared with; ical.js 2.2 gave others.
test.each<[string, string, readonly string[]]>([
  ["20250519", "FREQ=YEARLY;BYDAY=20MO;COUNT=3", ["2025-05-19", "2026-05-18", "2027-05-17"]],
  ["20250106", "FREQ=YEARLY;BYDAY=MO;BYSETPOS=1,-1;COUNT=3", ["2025-01-06", "2025-12-29", "2026-01-05"]],
  ["20250512", "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3", ["2025-05-12", "2026-05-11", "2027-05-17"]],
  ["20251229", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;COUNT=3", ["2025-12-29", "2027-01-04", "2028-01-03"]],
  ["20260226", "FREQ=YEARLY;BYMONTH=2,10;BYDAY=4TH;BYSETPOS=1;COUNT=2", ["2026-02-26", "2027-02-25"]],
  ["20250823", "FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=6,29,23;BYSETPOS=2;COUNT=2", ["2025-08-23", "2026-08-23"]],
  ["20270929", "FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=-2;BYDAY=SU,WE;COUNT=2", ["2027-09-29", "2030-09-29"]],
  [
    "20241004",
    "FREQ=YEARLY;BYMONTHDAY=-1,4,28;BYDAY=FR,TH;COUNT=3",
    ["2024-10-04", "2024-10-31", "2024-11-28"],
  ],
  [
    "20260924",
    "FREQ=MONTHLY;BYMONTH=7,9;BYMONTHDAY=-7,15,17;BYDAY=SA,TH;BYSETPOS=2;COUNT=2",
    ["2026-09-24", "2027-07-17"],
  ],
  ["20260823", "FREQ=MONTHLY;BYMONTH=8,9;BYDAY=5TH,4SU;COUNT=3", ["2026-08-23", "2026-09-27", "2027-08-22"]],
  ["20181111", "FREQ=MONTHLY;INTERVAL=3;BYMONTH=11,12;BYDAY=1SU,2SU;COUNT=2", ["2018-11-11", "2019-11-03"]],
  ["20250717", "FREQ=WEEKLY;INTERVAL=4;BYMONTH=7;BYDAY=TH;COUNT=2", ["2025-07-17", "2026-07-16"]],
  ["20241231", "FREQ=YEARLY;BYYEARDAY=-1;COUNT=2", ["2024-12-31", "2025-12-31"]],
  [
    "20250105",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU;COUNT=4",
    ["2025-01-05", "2025-01-06", "2025-01-19", "2025-01-20"],
  ],
])("the rule of %s, %s", async (start, rule, days) => {
  expect(await read(event(`DTSTART;VALUE=DATE:${start}`, `RRULE:${rule}`))).toEqual({
    days: [...days],
    left: [],
  });
});

test.each<[string, readonly string[], string]>([
  [
    "gives none of its first day",
    ["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"],
    "begins on a day that its rule does not give",
  ],
  [
    "ends before it begins",
    ["RRULE:FREQ=YEARLY;UNTIL=20250101"],
    "begins on a day that its rule does not give",
  ],
  ["numbers days of weeks", ["RRULE:FREQ=WEEKLY;BYDAY=2TH"], "numbers the days of its weeks"],
  [
    "numbers weeks without days",
    ["RRULE:FREQ=YEARLY;BYWEEKNO=1"],
    "numbers weeks, but is not yearly with days of the week alone",
  ],
  ["ends at a time of a day", ["RRULE:FREQ=YEARLY;UNTIL=20280101T100000Z"], "has days beside times"],
  ["excludes a time", ["RRULE:FREQ=YEARLY", "EXDATE:20270101T100000Z"], "has days beside times"],
  ["ends on the day before", ["DTEND;VALUE=DATE:20251231"], "ends before it begins"],
])("an event that %s is skipped and named", async (_, lines, why) => {
  expect(await read(event("DTSTART;VALUE=DATE:20260101", ...lines))).toEqual({
    days: [],
    left: [`left-out-event "Day" ${why}`],
  });
});

test.each(["BYEASTER=0", "RSCALE=CHINESE", "INTERVAL=0", "INTERVAL=-1"])(
  "a rule with %s is refused",
  (part) => {
    const text = event("DTSTART;VALUE=DATE:20260101", `RRULE:FREQ=YEARLY;${part}`);
    expect(read(text)).rejects.toThrow(
      `has an event that cannot be read: a rule has "${part}", which is not read`,
    );
  },
);

test("a value that cannot be read is refused with the name of its event", () => {
  const text = event("DTSTART;VALUE=DATE:20260101", "RDATE;VALUE=PERIOD:20261202T000000Z/P1D");
  expect(read(text)).rejects.toThrow('"Day": 2026-12-02T00:00:00Z/P1D is no date');
});

test.each(["20260230", "20261301", "20260100"])("%s is no date, and becomes no other one", (date) => {
  expect(read(event(`DTSTART;VALUE=DATE:${date}`))).rejects.toThrow(`${date} is no date`);
  expect(read(event("DTSTART;VALUE=DATE:20260101", `RDATE;VALUE=DATE:20260501,${date}`))).rejects.toThrow(
    `${date} is no date`,
  );
});

// As Exchange and Google write them: a moved day by a time in UTC, or by its day.
test.each(["RECURRENCE-ID:20261223T230000Z", "RECURRENCE-ID;VALUE=DATE:20261224"])(
  "a day that %s moves is not there twice",
  async (moves) => {
    const zone = "TZID=Europe/Berlin";
    const series = `BEGIN:VEVENT\nUID:1\nSUMMARY:Day\nDTSTART;${zone}:20251224T000000\nDTEND;${zone}:20251225T000000\nRRULE:FREQ=YEARLY;COUNT=3\nEND:VEVENT\n`;
    const moved = `BEGIN:VEVENT\nUID:1\nSUMMARY:Day\n${moves}\nDTSTART;VALUE=DATE:20261223\nEND:VEVENT`;
    expect((await read(series + moved)).days).toEqual(["2025-12-24", "2026-12-23", "2027-12-24"]);
  },
);

test("of two versions of an event the newest counts; a calendar that cancels has none", async () => {
  const version = (sequence: number, day: string) =>
    `BEGIN:VEVENT\nUID:1\nSUMMARY:Day\nSEQUENCE:${sequence}\nDTSTART;VALUE=DATE:${day}\nEND:VEVENT\n`;
  expect((await read(version(0, "20260110") + version(1, "20260112"))).days).toEqual(["2026-01-12"]);
  expect((await read(version(0, "20260110"), "METHOD:CANCEL\n")).days).toEqual([]);
  // Two exports in one file, of a program that writes no SEQUENCE.
  const both = await read(version(0, "20260110") + version(0, "20260112"));
  expect(both.days).toEqual(["2026-01-10", "2026-01-12"]);
  expect(both.left).toEqual(['doubtful-holiday "Day" comes twice in a year with one UID, on two days']);
  expect((await read(version(0, "20260110") + version(0, "20260110"))).left).toEqual([]);
  expect((await read(version(0, "20260110") + version(0, "20270109"))).left).toEqual([]);
});

test("a file of one's own may write ends that are included, and one UID or none: nothing is lost in silence", async () => {
  const version = (sequence: number, day: string, name: string, uid = "UID:1\n") =>
    `BEGIN:VEVENT\n${uid}SUMMARY:${name}\nSEQUENCE:${sequence}\nDTSTART;VALUE=DATE:${day}\nEND:VEVENT\n`;
  const nameless = await read(version(1, "20260110", "A", "") + version(0, "20260310", "B", ""));
  expect(nameless).toMatchObject({ days: ["2026-01-10", "2026-03-10"], left: [] });
  const old = 'doubtful-holiday "B" is left out, as an older version of an event with another name or year';
  const others = await read(version(1, "20260110", "A") + version(0, "20260310", "B"));
  expect(others).toMatchObject({ days: ["2026-01-10"], left: [old] });
  const years = await read(version(1, "20260310", "B") + version(0, "20270310", "B"));
  expect(years).toMatchObject({ days: ["2026-03-10"], left: [old] });
  const cancelled = version(1, "20260310", "Cancelled: B").replace("SEQUENCE", "STATUS:CANCELLED\nSEQUENCE");
  expect(await read(cancelled + version(0, "20260310", "B"))).toMatchObject({ days: [], left: [] });

  const days = event("DTSTART;VALUE=DATE:20261225", "DTEND;VALUE=DATE:20261226");
  const day = event("DTSTART;VALUE=DATE:20270101", "DTEND;VALUE=DATE:20270101");
  expect((await read(`${days}\n${day}`)).left).toEqual([
    'doubtful-holiday "Day" may last a day longer: another event ends on the day on which it begins',
  ]);
  expect((await read(days)).left).toEqual([]);
  expect((await read(day)).left).toEqual([]);
});

test("a last day without a time counts whole; a day need not say that it is one", async () => {
  const half = ["DTSTART;TZID=Europe/Berlin:20241224T120000", "DTEND;TZID=Europe/Berlin:20241225T000000"];
  const { days } = await read(event(...half, "RRULE:FREQ=YEARLY;UNTIL=20251224"));
  expect(days).toEqual(["2024-12-24 720", "2025-12-24 720"]);
  expect((await read(event("DTSTART:20260121", "DTEND:20260122"))).days).toEqual(["2026-01-21"]);
  const inZone = event("DTSTART;TZID=Europe/Berlin:20260122", "DTEND;TZID=Europe/Berlin:20260123");
  expect((await read(inZone)).days).toEqual(["2026-01-22"]);
  const series = ["DTSTART:20260105", "RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE:20260112,20260119"];
  expect((await read(event(...series))).days).toEqual(["2026-01-05", "2026-01-26"]);
});

test("rules of thousands of years end within bounds, alone and together", async () => {
  const days = async (rule: string) => (await read(event("DTSTART;VALUE=DATE:00010101", rule))).days.length;
  expect(await days("RRULE:FREQ=YEARLY;BYMONTH=1")).toBe(20);
  expect(await days("RRULE:FREQ=DAILY;INTERVAL=2000000000")).toBe(0);
  const old = event("DTSTART;VALUE=DATE:00010101", "RRULE:FREQ=DAILY;BYMONTH=1;COUNT=1000000");
  expect(read(Array(20).fill(old).join("\n"))).rejects.toThrow("rules that take too long");
});

// Google's feed of the holidays of the United States has Valentine's Day, and days of single states.
test("days that a feed calls observances are left out, and holidays of regions are told", async () => {
  const day = (at: number, name: string, about: string) =>
    event(`DTSTART;VALUE=DATE:2026050${at}`, `DESCRIPTION:${about}`).replace(
      "SUMMARY:Day",
      `SUMMARY:${name}`,
    );
  const hide = "\\nTo hide observances\\, go to Google Calendar Settings > Holidays in United States";
  const { days, left } = await read(
    [
      day(1, "All", "Public holiday"),
      day(2, "Valentine", `Observance${hide}`),
      day(3, "State", "Public holiday in Mississippi"),
      day(4, "Land", "Feiertag in Bayern\\, Hessen"),
      day(5, "Mother (Not a Public Holiday)", ""),
      day(6, "Epiphany (Regional Holiday)", ""),
      day(7, "Carnival", "Carnival is an observance in Brazil"),
    ].join("\n"),
    "",
    "-//Google Inc//Google Calendar 70.9054//EN",
  );
  expect(days).toEqual(["2026-05-01", "2026-05-03", "2026-05-04", "2026-05-06"]);
  expect(left).toEqual([
    'left-out-event "Valentine" is an observance, by what it says',
    'regional-holiday "State"',
    'regional-holiday "Land"',
    'left-out-event "Mother (Not a Public Holiday)" is an observance, by what it says',
    'regional-holiday "Epiphany (Regional Holiday)"',
    'left-out-event "Carnival" is an observance, by what it says',
  ]);
  const ofNobody = event("DTSTART;VALUE=DATE:20260508", "CATEGORIES:Observance");
  expect((await read(ofNobody)).left).toEqual(['left-out-event "Day" is an observance, by what it says']);
});

// Calendars of the United Kingdom and Outlook's of Germany name regions so. Other names in brackets are of the day itself.
test("a holiday that names its regions in brackets is told", async () => {
  const told = async (name: string) =>
    (await read(event("DTSTART;VALUE=DATE:20260508").replace("SUMMARY:Day", `SUMMARY:${name}`))).left;
  for (const name of [
    "Battle of the Boyne (Northern Ireland)",
    "St. Patrick's Day (N. Ireland)",
    "2nd January (Scotland)",
    "Founders Day (NI only)",
    "Reformationstag (BB\\, MV)",
    "Heilige Drei Könige (Bayern\\, Baden-Württemberg)",
  ])
    expect(await told(name)).toEqual([`regional-holiday "${name.replace("\\,", ",")}"`]);
  for (const name of ["Christmas Day (observed)", "Pfingstmontag (Whit Monday)", "Labor Day (Mon\\, 4 May)"])
    expect(await told(name)).toEqual([]);
});

// NAME is of RFC 7986, 5.1. RFC 5545, 3.3.11: a comma in a text is written as `\\,`, and a workplace names the calendar without it.
test.each(["X-WR-CALNAME", "NAME"])(
  "the name of a calendar, %s, is read as other texts are",
  async (property) => {
    const head = `${property}:Feiertage\\, Berlin\n`;
    const text = `BEGIN:VCALENDAR\nVERSION:2.0\n${head}${event("DTSTART;VALUE=DATE:20260501")}\nEND:VCALENDAR\n`;
    const company = await TestCompany.open();
    await company.import({ "h.ics": text });
    expect((await company.stored()).holidays.map(({ calendar }) => calendar)).toEqual(["Feiertage, Berlin"]);
  },
);

test("a holiday of another place than most is told", async () => {
  const at = (day: number, place: string) =>
    event(
      `DTSTART;VALUE=DATE:202605${10 + day}`,
      `UID:${day}`,
      ...(place === "" ? [] : [`LOCATION:${place}`]),
    );
  const told = async (...places: readonly string[]) =>
    (await read(places.map((place, day) => at(day, place)).join("\n"))).left;
  expect(await told("Germany", "Germany", "Bayern", "", "Germany")).toEqual(['regional-holiday "Day"']);
  expect(await told("", "", "Bayern")).toEqual(['regional-holiday "Day"']);
  expect(await told("Germany", "Germany", "")).toEqual([]);
  expect(await told("Office", "Park", "Hall")).toEqual([]);
});

// RFC 5545, 3.3.5: a time in UTC is the same moment everywhere, and only X-WR-TIMEZONE says which clock shows it.
test("part of a day in UTC is told if the calendar names no zone", async () => {
  const half = event("DTSTART:20261231T120000Z", "DTEND:20270101T000000Z");
  expect(await read(half)).toEqual({
    days: ["2026-12-31 720"],
    left: ['doubtful-holiday "Day" has times in UTC, and the calendar has no X-WR-TIMEZONE'],
  });
  expect((await read(half, "X-WR-TIMEZONE:Europe/London\n")).left).toEqual([]);
  expect((await read(event("DTSTART:20261231T000000Z", "DTEND:20270101T000000Z"))).left).toEqual([]);
});

// https://calendars.icloud.com/holidays/cn_zh.ics marks days off with WORK-HOLIDAY, and weekends on which people work instead with
// ALTERNATE-WORKDAY; its festivals have no mark.
test("days on which Apple's calendar says that people work are none, nor are its festivals", async () => {
  const day = (at: number, mark: string) =>
    event(`DTSTART;VALUE=DATE:2026100${at}`, ...(mark === "" ? [] : [`X-APPLE-SPECIAL-DAY:${mark}`]));
  const { days, left } = await read(
    [day(1, "WORK-HOLIDAY"), day(4, ""), day(7, "ALTERNATE-WORKDAY")].join("\n"),
  );
  expect(days).toEqual(["2026-10-01"]);
  expect(left).toHaveLength(2);
  expect((await read([day(3, "BIRTHDAY"), day(4, "")].join("\n"))).days).toEqual(["2026-10-04"]);
});

test("school holidays and leave are told by their length", async () => {
  const named = (name: string, ...lines: readonly string[]) =>
    event(...lines).replace("SUMMARY:Day", `SUMMARY:${name}`);
  const { days, left } = await read(
    [
      named("Osterferien", "DTSTART;VALUE=DATE:20260330", "DTEND;VALUE=DATE:20260412"),
      named("Company closed", "DTSTART;VALUE=DATE:20261226", "DTEND;VALUE=DATE:20261231"),
    ].join("\n"),
  );
  expect(days).toHaveLength(13 + 5);
  expect(left).toEqual(['doubtful-holiday "Osterferien" lasts 13 days']);
});

test("an event that recurs more often than yearly is told", async () => {
  const series = (rule: string) =>
    event("DTSTART;VALUE=DATE:20260605", `RRULE:${rule}`).replace("SUMMARY:Day", "SUMMARY:Bo is off");
  expect((await read(series("FREQ=WEEKLY;COUNT=2"))).left).toEqual([
    'doubtful-holiday "Bo is off" recurs weekly',
  ]);
  expect((await read(series("FREQ=YEARLY;COUNT=2"))).left).toEqual([]);
});

test("a zone that is not known refuses times in UTC alone", async () => {
  const head = "X-WR-TIMEZONE:Customized Time Zone\n";
  const inUtc = event("DTSTART:20260101T120000Z", "DTEND:20260102T000000Z");
  await expect(read(inUtc, head)).rejects.toThrow(
    'has times in UTC, and an X-WR-TIMEZONE that is not known: write a name such as Europe/Berlin for "Customized Time Zone"',
  );
  expect((await read(event("DTSTART;VALUE=DATE:20260101"), head)).days).toEqual(["2026-01-01"]);
});

test("an event that is not decided, or a day of work elsewhere, is told", async () => {
  const told = (line: string) => read(event("DTSTART;VALUE=DATE:20260501", line));
  for (const [line, why] of [
    ["STATUS:TENTATIVE", "TENTATIVE (STATUS)"],
    ["X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE", "TENTATIVE (X-MICROSOFT-CDO-BUSYSTATUS)"],
    ["X-MICROSOFT-CDO-BUSYSTATUS:WORKINGELSEWHERE", "WORKINGELSEWHERE (X-MICROSOFT-CDO-BUSYSTATUS)"],
  ] as const)
    expect(await told(line)).toEqual({ days: ["2026-05-01"], left: [`doubtful-holiday "Day" is ${why}`] });
  for (const line of [
    "STATUS:CONFIRMED",
    "X-MICROSOFT-CDO-BUSYSTATUS:OOF",
    "X-MICROSOFT-CDO-BUSYSTATUS:FREE",
  ])
    expect(await told(line)).toEqual({ days: ["2026-05-01"], left: [] });
});

// Each has three days, an afternoon, Fridays of which one is moved or cancelled, and a day that is cancelled.
test.each<[string, string, readonly string[]]>([
  [
    "Google",
    "DTSTART;VALUE=DATE:20260302 DTEND;VALUE=DATE:20260305 UID:1 STATUS:CONFIRMED SUMMARY:Ana TRANSP:OPAQUE; DTSTART:20260309T110000Z DTEND:20260309T150000Z UID:2 STATUS:CONFIRMED SUMMARY:Bo TRANSP:OPAQUE; DTSTART;VALUE=DATE:20260306 DTEND;VALUE=DATE:20260307 RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=FR UID:3 SUMMARY:Cy; DTSTART;VALUE=DATE:20260314 DTEND;VALUE=DATE:20260315 UID:3 RECURRENCE-ID;VALUE=DATE:20260313 SUMMARY:Cy; DTSTART;VALUE=DATE:20260401 UID:4 STATUS:CANCELLED SUMMARY:Di",
    ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-06", "2026-03-14", "2026-03-20"],
  ],
  [
    "Outlook",
    "CLASS:PUBLIC DTEND;VALUE=DATE:20260305 DTSTART;VALUE=DATE:20260302 SUMMARY;LANGUAGE=de:Ana UID:1 X-MICROSOFT-CDO-BUSYSTATUS:OOF; DTSTART;TZID=W.EuropeStandardTime:20260309T120000 DTEND;TZID=W.EuropeStandardTime:20260309T170000 SUMMARY:Bo UID:2 X-MICROSOFT-CDO-BUSYSTATUS:OOF; DTSTART;TZID=W.EuropeStandardTime:20260306T000000 DTEND;TZID=W.EuropeStandardTime:20260307T000000 RRULE:FREQ=WEEKLY;UNTIL=20260319T230000Z;BYDAY=FR EXDATE;TZID=W.EuropeStandardTime:20260313T000000 SUMMARY:Cy UID:3; DTSTART;VALUE=DATE:20260401 STATUS:CANCELLED SUMMARY:Di UID:4 X-MICROSOFT-CDO-BUSYSTATUS:FREE",
    ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-06", "2026-03-20"],
  ],
  [
    "Apple",
    "DTEND;VALUE=DATE:20260305 DTSTART;VALUE=DATE:20260302 SEQUENCE:1 SUMMARY:Ana TRANSP:TRANSPARENT UID:A1; DTSTART;TZID=Europe/Berlin:20260309T120000 DTEND;TZID=Europe/Berlin:20260309T170000 SUMMARY:Bo UID:A2; DTEND;VALUE=DATE:20260307 DTSTART;VALUE=DATE:20260306 RRULE:FREQ=WEEKLY;INTERVAL=1;COUNT=3 EXDATE;VALUE=DATE:20260313 SUMMARY:Cy UID:A3; DTSTART;VALUE=DATE:20260401 STATUS:CANCELLED SUMMARY:Di UID:A4",
    ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-06", "2026-03-20"],
  ],
])(
  "a calendar of leave, as %s writes it, has the right days, and what is no day is named",
  async (_, text, days) => {
    const events = text
      .replaceAll("W.EuropeStandardTime", '"W. Europe Standard Time"')
      .split("; ")
      .map((lines) => `BEGIN:VEVENT\n${lines.split(/ (?=[A-Z-]+[:;])/).join("\n")}\nEND:VEVENT`);
    const { days: found, left } = await read(events.join("\n"), "X-WR-TIMEZONE:Europe/Berlin\n");
    expect(found).toEqual([...days]);
    expect(left).toContain('left-out-event "Bo" neither begins nor ends at midnight');
    expect(left).toContain('doubtful-holiday "Cy" recurs weekly');
  },
);

test("an event that keeps people busy, unlike most others, is told", async () => {
  const told = async (...all: readonly string[]) => {
    const events = all.map((transparency, at) =>
      event(`DTSTART;VALUE=DATE:2026010${at + 1}`, `TRANSP:${transparency}`),
    );
    return (await read(events.join("\n"))).left;
  };
  expect(await told("TRANSPARENT", "TRANSPARENT", "OPAQUE")).toEqual([
    'doubtful-holiday "Day" is OPAQUE, unlike most others (TRANSP)',
  ]);
  expect(await told("OPAQUE", "TRANSPARENT")).toEqual([
    'doubtful-holiday "Day" is TRANSPARENT, unlike most others (TRANSP)',
  ]);
  expect(await told("TRANSPARENT", "TRANSPARENT")).toEqual([]);
  expect(await told("OPAQUE", "OPAQUE")).toEqual([]);
});

test("an event with attendees is told", async () => {
  const { days, left } = await read(event("DTSTART;VALUE=DATE:20261226", "ATTENDEE:mailto:ana@example.com"));
  expect(days).toEqual(["2026-12-26"]);
  expect(left).toEqual(['doubtful-holiday "Day" has attendees']);
});

// RFC 5545, 3.1: simple programs fold lines in the middle of a character of UTF-8.
test("a line that is folded inside of a character is read, and bytes that are no UTF-8 are named by their line", async () => {
  const bytesOf = (name: Buffer) =>
    Buffer.concat(
      [
        Buffer.from(
          `BEGIN:VCALENDAR\r\n${event("DTSTART;VALUE=DATE:20260606").replace(/SUMMARY:.*/, "SUMMARY:@")}`,
        ),
        Buffer.from("\r\nEND:VCALENDAR\r\n"),
      ]
        .map((part) => part.toString("latin1").replace("@", name.toString("latin1")))
        .map((part) => Buffer.from(part, "latin1")),
    );
  const opened = async (name: Buffer) => {
    const path = `${folderOf({ "h.ics": bytesOf(name) })}/h.ics`;
    const reader = await openCalendar(path, { ...DEFAULT_OPTIONS, today: TODAY });
    return (await Array.fromAsync(reader.records())).flat().map(({ cells }) => cells[2]);
  };
  const whole = Buffer.from("Mariä Himmelfahrt 圣诞节");
  for (let at = 1; at < whole.length; at++) {
    const folded = [whole.subarray(0, at), Buffer.from("\r\n "), whole.subarray(at)];
    expect(await opened(Buffer.concat(folded))).toEqual([whole.toString()]);
  }
  const wrong = Buffer.from("Mari\xe4 Himmelfahrt", "latin1");
  const line = bytesOf(wrong).toString("latin1").split("\xe4")[0]!.split("\n").length;
  await expect(opened(wrong)).rejects.toThrow("is not UTF-8 text here");
  expect(await opened(wrong).catch(({ line }) => line)).toBe(line);
});

test("a calendar without events is refused", async () => {
  const task = "BEGIN:VTODO\nUID:1\nSUMMARY:Easter\nDTSTART;VALUE=DATE:20260405\nEND:VTODO";
  await expect(read(task)).rejects.toThrow("has no events");
});

// vCalendar 1.0 writes such texts, and rules of its own; RFC 5545 has neither.
test("a calendar of version 1.0 is refused", async () => {
  const old = event("DTSTART;VALUE=DATE:20260501").replace(
    "SUMMARY:Day",
    "SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Fr=C3=BChling",
  );
  await expect(read(old)).rejects.toThrow("export it as iCalendar, version 2.0");
});
