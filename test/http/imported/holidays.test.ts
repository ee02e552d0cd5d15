// Holidays, from files to the wire.
import { describe, expect, test } from "bun:test";
import type { Holiday } from "../../../src/resources/holidays.ts";
import { startService } from "../service.ts";
import { csv, importedCompany } from "./company.ts";

const service = await startService();

const BERLIN = [
  { calendar: "Berlin", date: "2026-01-01", name: "Neujahr", minutes: "" },
  { calendar: "Berlin", date: "2026-12-24", name: "Heiligabend", minutes: "240" },
];

const CALENDAR = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
X-WR-CALNAME:Fukuoka
BEGIN:VEVENT
UID:1
DTSTART;VALUE=DATE:20260501
DTEND;VALUE=DATE:20260504
SUMMARY:Golden Week\\, part 1
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTART;VALUE=DATE:20100101
RRULE:FREQ=YEARLY
EXDATE;VALUE=DATE:20270101
SUMMARY:New Year
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTART;VALUE=DATE:20260601
STATUS:CANCELLED
SUMMARY:Nothing
END:VEVENT
END:VCALENDAR
`;

describe("holidays", () => {
  test("keep their ids, and are found by calendar and day", async () => {
    const { load, get } = await importedCompany(service);
    const files = { "holidays.csv": csv(...BERLIN, { ...BERLIN[0]!, calendar: "Bern" }) };
    await load(files);
    const list = async (query = "") => (await get<{ data: Holiday[] }>(`/v1/holidays?${query}`)).data;
    const all = await list();
    expect(all.length).toBe(3);
    const eve = all.find(({ minutes }) => minutes === 240)!;
    expect(eve).toEqual({
      ...{ id: eve.id, calendarId: eve.calendarId, calendar: "Berlin", date: "2026-12-24" },
      ...{ name: "Heiligabend", minutes: 240, legacyId: null },
    });
    expect(eve.id).toStartWith("hol_");
    expect(await list("from=2026-12-24&to=2026-12-24")).toEqual([eve]);
    expect((await list("to=2026-12-23")).length).toBe(2);
    expect((await list(`calendarIds=${eve.calendarId}`)).map(({ calendar }) => calendar)).toEqual([
      "Berlin",
      "Berlin",
    ]);
    expect((await load(files)).isChanged).toBe(false);
    const half = { ...BERLIN[1]!, minutes: "480" };
    await load({ "holidays.csv": csv(BERLIN[0]!, half) });
    expect((await list(`from=2026-12-24`))[0]).toEqual({ ...eve, minutes: 480 });
  });

  test("of a calendar file give one row a day; recurring ones cover ten years back and ahead", async () => {
    const { load, get } = await importedCompany(service);
    await load({ "japan.ics": CALENDAR });
    const { data } = await get<{ data: Holiday[] }>("/v1/holidays?limit=100");
    const days = (name: string) =>
      data
        .filter((one) => one.name === name)
        .map(({ date }) => date)
        .sort();
    expect(days("Golden Week, part 1")).toEqual(["2026-05-01", "2026-05-02", "2026-05-03"]);
    const years = days("New Year");
    expect([years[0], years.at(-1), years.length]).toEqual(["2017-01-01", "2036-01-01", 19]);
    expect(years).not.toContain("2027-01-01");
    expect([...new Set(data.map(({ calendar }) => calendar))]).toEqual(["Fukuoka"]);
    expect(days("Nothing")).toEqual([]);
    await load({ "Oslo.ics": CALENDAR.replace("X-WR-CALNAME:Fukuoka\n", "") });
    const again = await get<{ data: Holiday[] }>("/v1/holidays?limit=100");
    expect(again.data.some(({ calendar }) => calendar === "Oslo")).toBe(true);
  });

  test("a file that is not a calendar is refused", async () => {
    const { load } = await importedCompany(service);
    expect(load({ "Oslo.ics": "hello" })).rejects.toThrow("does not begin with BEGIN:VCALENDAR");
  });

  const event = (start: string, more = "", name = "Day") =>
    `BEGIN:VEVENT\nUID:${name}\nDTSTART${start}\n${more}SUMMARY:${name}\nEND:VEVENT\n`;
  const many = (more: string) =>
    Array.from({ length: 500 }, (_, at) => event(";VALUE=DATE:20260101", more, `Day ${at}`)).join("");

  test.each([
    ["an interval of 0", event(";VALUE=DATE:20260101", "RRULE:FREQ=DAILY;INTERVAL=0\n"), "cannot be read"],
    ["a day that is none", event(";VALUE=DATE:99999999"), "cannot be read"],
    ["no start", "BEGIN:VEVENT\nEND:VEVENT\n", "cannot be read"],
    ["more days than all places have", many("RRULE:FREQ=DAILY\n"), "more than 100,000 days"],
    ["events of a year each", many("DTEND;VALUE=DATE:20261231\n"), "more than 100,000 days"],
  ])("a calendar that was made to break an import is refused in words: %s", async (_, events, said) => {
    const { load } = await importedCompany(service);
    const calendar = `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n${events}END:VCALENDAR\n`;
    expect(load({ "Oslo.ics": calendar })).rejects.toThrow(said);
  });
});
