// Schedules and their holidays, from files to balances and days of leave.
import { expect, test } from "bun:test";
import { Rollcall } from "../../../src/client/index.ts";
import type { BalanceExplanation } from "../../../src/resources/balances.ts";
import type { WorkSchedule } from "../../../src/resources/schedules.ts";
import { startService } from "../service.ts";
import { csv, importedCompany, LEAVE, POLICY, WORKER } from "./company.ts";

const service = await startService();

const ASSIGNMENT = { workerId: "E1", policyId: "PTO", startsOn: "2026-01-01" };
const FULL = {
  ...{ workerId: "E1", startsOn: "2026-01-01", minutesPerWeekday: "480,480,480,480,480,0,0" },
  ...{ fullTimeMinutesPerWeek: "2400", holidayCalendar: "Berlin" },
};
const HALF = { ...FULL, startsOn: "2026-07-01", minutesPerWeekday: "480,480,240,0,0,0,0" };
const files = (policy: Record<string, string>, ...schedules: Record<string, string>[]) => ({
  "workers.csv": csv(WORKER),
  "policies.csv": csv({ ...POLICY, ...policy }),
  "assignments.csv": csv(ASSIGNMENT),
  "schedules.csv": csv(...schedules),
});

type Company = Awaited<ReturnType<typeof importedCompany>>;

async function balanceOn({ get }: Company, day: string): Promise<number> {
  const { data } = await get<{ data: BalanceExplanation[] }>(`/v1/time_off/balances?endDate=${day}`);
  return Math.round((data[0]!.available + data[0]!.accruedLocked) * 100) / 100;
}

test("9600 minutes a year at full time, then half from July: 7180.27; with what is left revalued, 4800", async () => {
  const company = await importedCompany(service);
  await company.load(files({ scaleWith: "share" }, FULL, HALF));
  expect(await balanceOn(company, "2026-12-31")).toBe(7180.27);
  await company.load({ "policies.csv": csv({ ...POLICY, scaleWith: "share", revalue: "remaining" }) });
  expect(await balanceOn(company, "2026-12-31")).toBe(4800);
});

test("leave is spread by the minutes that its days are worked, without holidays, and the feed tells of new ones", async () => {
  const company = await importedCompany(service);
  const leave = { startAt: "2026-07-06T00:00:00Z", endAt: "2026-07-09T00:00:00Z" };
  await company.load({ ...files({}, FULL, HALF), "requests.csv": csv({ ...LEAVE, ...leave }) });
  const days = async () => {
    const { data } = await company.get<{ data: { date: string; minutes: number }[] }>(
      "/v1/time_off/days?from=2026-07-06&to=2026-07-10",
    );
    return data.map(({ date, minutes }) => [date.slice(-2), minutes]);
  };
  // 480, 480 and 240 are worked.
  expect(await days()).toEqual([
    ["06", 384],
    ["07", 384],
    ["08", 192],
  ]);
  const feed = (after: string) =>
    company.get<{ data: { resource: string }[]; position: string }>(`/v1/changes?after=${after}`);
  const { position } = await feed("now");
  const before = await balanceOn(company, "2026-07-06");
  await company.load({
    "holidays.csv": csv({ calendar: "Berlin", date: "2026-07-07", name: "A day", minutes: "" }),
  });
  expect(await days()).toEqual([
    ["06", 640],
    ["08", 320],
  ]);
  expect((await feed(position)).data.map(({ resource }) => resource)).toEqual(["holidays", "balances"]);
  expect((await balanceOn(company, "2026-07-06")) - before).toBeCloseTo(-256, 6);
});

// Midnights of the days around 25 October 2026 in Berlin, which has 25 hours, and 4 October in Lord Howe, which has 23.5.
test.each([
  ["Europe/Berlin", "2026-10-25", "2026-10-23T22:00:00Z", "2026-10-26T23:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-04", "2026-10-02T13:30:00Z", "2026-10-05T13:00:00Z"],
])(
  "leave over a day on which clocks and the schedule change, in %s",
  async (timeZone, changesOn, startAt, endAt) => {
    const company = await importedCompany(service);
    const everyDay = {
      workerId: "E1",
      startsOn: "2026-01-01",
      minutesPerWeekday: "480,480,480,480,480,480,480",
    };
    const shorter = { ...everyDay, startsOn: changesOn, minutesPerWeekday: "240,240,240,240,240,240,240" };
    await company.load({
      ...files({}, everyDay, shorter),
      "workers.csv": csv({ ...WORKER, timeZone }),
      "requests.csv": csv({ ...LEAVE, timeZone, startAt, endAt, requestedMinutes: "960" }),
    });
    const { data } = await company.get<{ data: { date: string; minutes: number }[] }>(
      "/v1/time_off/days?from=2026-10-01&to=2026-10-31",
    );
    const day = Number(changesOn.slice(-2));
    expect(data.map(({ date, minutes }) => [Number(date.slice(-2)), minutes])).toEqual([
      [day - 1, 480],
      [day, 240],
      [day + 1, 240],
    ]);
  },
);

test("planners are told which day is worked for how long, and which is a holiday", async () => {
  const company = await importedCompany(service);
  const holiday = (date: string, name: string, minutes: string) => ({
    calendar: "Berlin",
    date,
    name,
    minutes,
  });
  await company.load({
    ...files({}, FULL, HALF),
    "holidays.csv": csv(
      holiday("2026-07-01", "Day of the half", "200.25"),
      holiday("2026-07-03", "Free", ""),
    ),
  });
  const { data } = await company.get<{ data: { id: string }[] }>("/v1/workers");
  const path = `/v1/workers/${data[0]!.id}/schedule`;
  const asked = async (query: string) => (await company.get<WorkSchedule>(`${path}?${query}`)).days;
  expect(await asked("from=2026-06-30&to=2026-07-04")).toEqual([
    { date: "2026-06-30", minutes: 480, holiday: null },
    { date: "2026-07-01", minutes: 39.75, holiday: "Day of the half" },
    { date: "2026-07-02", minutes: 0, holiday: null },
    { date: "2026-07-03", minutes: 0, holiday: "Free" },
    { date: "2026-07-04", minutes: 0, holiday: null },
  ]);
  expect(await asked("from=2025-12-31&to=2026-01-01")).toEqual([
    { date: "2025-12-31", minutes: null, holiday: null },
    { date: "2026-01-01", minutes: 480, holiday: null },
  ]);
  expect((await asked("")).map(({ date }) => date)).toHaveLength(7);
  const { key } = company;
  for (const query of ["from=2026-07-02&to=2026-07-01", "from=2026-01-01&to=2027-01-03", "limit=1"])
    expect((await service.call(`${path}?${query}`, { key })).status).toBe(400);
  const client = new Rollcall({
    ...{ baseUrl: "http://localhost", apiKey: key },
    fetch: async (url) =>
      service
        .call(String(url).slice("http://localhost".length), { key })
        .then(
          ({ text, status }) =>
            new Response(text, { status, headers: { "content-type": "application/json" } }),
        ),
  });
  expect(
    await client.workers.schedule(data[0]!.id, { from: new Date("2026-07-01"), to: "2026-07-01" }),
  ).toEqual({
    workerId: data[0]!.id,
    days: [{ date: "2026-07-01", minutes: 39.75, holiday: "Day of the half" }],
  });
});

test("where a schedule names no calendar, that of the workplace holds, and the feed tells of another", async () => {
  const company = await importedCompany(service);
  const lisbon = (holidayCalendar: string) => csv({ legacyId: "L", name: "Lisbon", holidayCalendar });
  await company.load({
    ...files({}, { ...FULL, holidayCalendar: "" }),
    "workers.csv": csv({ ...WORKER, workplaceId: "L" }),
    "workplaces.csv": lisbon("Berlin"),
    "holidays.csv": csv({ calendar: "Berlin", date: "2026-05-01", name: "Labour Day", minutes: "" }),
  });
  const { data } = await company.get<{ data: { id: string }[] }>("/v1/workers");
  const onMayDay = async () => {
    const path = `/v1/workers/${data[0]!.id}/schedule?from=2026-05-01&to=2026-05-01`;
    return (await company.get<WorkSchedule>(path)).days[0]!.minutes;
  };
  const { position } = await company.get<{ position: string }>("/v1/changes?after=now");
  expect(await onMayDay()).toBe(0);
  await company.load({ "workplaces.csv": lisbon("") });
  expect(await onMayDay()).toBe(480);
  const changes = await company.get<{ data: { resource: string; id: string }[] }>(
    `/v1/changes?after=${position}`,
  );
  expect(changes.data).toContainEqual(expect.objectContaining({ resource: "balances", id: data[0]!.id }));
  await company.load({
    "workplaces.csv": lisbon("Berlin"),
    ...files({}, { ...FULL, holidayCalendar: "none" }),
  });
  expect(await onMayDay()).toBe(480);
});

test("wrong schedules are refused, and a valid one is returned unchanged", async () => {
  const { load } = await importedCompany(service);
  const wrong = { ...FULL, minutesPerWeekday: "480,480" };
  expect(load(files({}, wrong))).rejects.toThrow('"480,480" has 2 days');
  expect(load(files({}, { ...FULL, minutesPerWeekday: "1441,0,0,0,0,0,0" }))).rejects.toThrow("24 hours");
  expect(load(files({}, { ...FULL, fullTimeMinutesPerWeek: "0" }))).rejects.toThrow("is 0");
  const fortnight = { ...FULL, minutesPerWeekday: "480,480,480,480,480,0,0; 480,480,480,480,0,0,0" };
  await load(files({}, fortnight));
  expect((await load(files({}, fortnight))).isChanged).toBe(false);
});
