// Local dates and times of foreign exports fall on the days that they say, wherever the worker is.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportCompany } from "../../../src/import/export.ts";
import { formatDay } from "../../../src/time/day.ts";
import { instantOf, localDays } from "../../../src/time/zone.ts";
import {
  counted,
  findingsOf,
  folderOf,
  POLICIES_CSV,
  TestCompany,
  temporaryFolder,
} from "../../support/import-files.ts";

const ZONES = {
  NY: "America/New_York",
  DE: "Europe/Berlin",
  JP: "Asia/Tokyo",
  KI: "Pacific/Kiritimati",
  HI: "Pacific/Honolulu",
  NONE: "",
};
const WORKERS = Object.keys(ZONES);

function workersIn(zones: Readonly<Record<string, string>>): string {
  const rows = Object.entries(zones).map(
    ([id, zone]) => `${id},A,B,${id.toLowerCase()}@b.co,no,2024-01-01,active,employee,${zone}`,
  );
  return ["legacyId,firstName,lastName,email,isBusiness,startDate,status,type,timeZone", ...rows].join("\n");
}

const MAPPING = {
  from: "leave.csv",
  columns: { No: "legacyId", Who: "workerId", From: ["startAt", "createdAt"], To: "endAt", Zone: "timeZone" },
  values: { timeOffPolicyId: "PTO", requestedMinutes: 480, status: "approved" },
  dates: "dd/MM/yyyy",
};

/** Leave, one row a worker, from and to as written. */
function leave(from: string, to: string, zone = ""): string {
  const rows = WORKERS.map((who, at) => `${at},${who},${from},${to},${zone}`);
  return ["No,Who,From,To,Zone", ...rows].join("\n");
}

function folderAndMap(csv: string, mapping: object): [string, string] {
  const map = join(temporaryFolder(), "map.json");
  writeFileSync(map, JSON.stringify({ requests: { ...MAPPING, ...mapping } }));
  return [folderOf({ "workers.csv": workersIn(ZONES), "policies.csv": POLICIES_CSV, "leave.csv": csv }), map];
}

async function imported(csv: string, mapping: object) {
  const company = await TestCompany.open();
  const [folder, map] = folderAndMap(csv, mapping);
  await company.importFolder(folder, {}, map);
  return { company, folder, map, requests: await requestsOf(company) };
}

/** By worker: the first and the last day, and the start and end of the leave. */
async function requestsOf(company: TestCompany): Promise<Record<string, string>> {
  const { requests } = await company.stored();
  return Object.fromEntries(
    requests.map(({ legacyId, firstDay, lastDay, doc }) => {
      const { startAt, endAt } = JSON.parse(doc) as { startAt: string; endAt: string };
      const short = (text: string) => text.replace(":00.000Z", "Z");
      return [
        WORKERS[Number(legacyId)]!,
        `${formatDay(firstDay)} ${formatDay(lastDay)} ${short(startAt)} ${short(endAt)}`,
      ];
    }),
  );
}

async function refused(csv: string, mapping: object) {
  const company = await TestCompany.open();
  const [folder, map] = folderAndMap(csv, mapping);
  return findingsOf(company.importFolder(folder, {}, map));
}

describe("a day alone", () => {
  test("with its end included is one whole day of each worker", async () => {
    const { requests } = await imported(leave("01/01/2026", "01/01/2026"), { endDay: "included" });
    const day = "2026-01-01 2026-01-01";
    expect(requests).toEqual({
      NY: `${day} 2026-01-01T05:00Z 2026-01-02T05:00Z`,
      DE: `${day} 2025-12-31T23:00Z 2026-01-01T23:00Z`,
      JP: `${day} 2025-12-31T15:00Z 2026-01-01T15:00Z`,
      KI: `${day} 2025-12-31T10:00Z 2026-01-01T10:00Z`,
      HI: `${day} 2026-01-01T10:00Z 2026-01-02T10:00Z`,
      NONE: `${day} 2026-01-01T00:00Z 2026-01-02T00:00Z`,
    });
  });

  test("with its end excluded is the first day back at work", async () => {
    const { requests } = await imported(leave("27/03/2026", "30/03/2026"), { endDay: "excluded" });
    for (const text of Object.values(requests)) expect(text).toStartWith("2026-03-27 2026-03-29 ");
    // Clocks in Berlin went forward on the 29th.
    expect(requests.DE).toEndWith("2026-03-26T23:00Z 2026-03-29T22:00Z");
  });

  test("is in the request's own zone first", async () => {
    const { requests } = await imported(leave("01/07/2026", "02/07/2026", "Asia/Tokyo"), {
      endDay: "included",
    });
    for (const text of Object.values(requests))
      expect(text).toBe("2026-07-01 2026-07-02 2026-06-30T15:00Z 2026-07-02T15:00Z");
  });

  test("is the same day for everybody, whatever zone the mapping names for times", async () => {
    const zone = { dates: ["dd/MM/yyyy", "dd/MM/yyyy HH:mm"], endDay: "included", zone: "America/New_York" };
    const { requests } = await imported(leave("01/07/2026", "02/07/2026"), zone);
    for (const text of Object.values(requests)) expect(text).toStartWith("2026-07-01 2026-07-02 ");
    const timed = await imported(leave("01/07/2026 09:00", "01/07/2026 17:00"), zone);
    for (const text of Object.values(timed.requests))
      expect(text).toEndWith("2026-07-01T13:00Z 2026-07-01T21:00Z");
  });

  test("needs no format if days are written year first", async () => {
    const { requests } = await imported(leave("2026-07-01", "2026-07-01", "Asia/Tokyo"), {
      endDay: "included",
      dates: { createdAt: "yyyy-MM-dd" },
    });
    expect(requests.NY).toBe("2026-07-01 2026-07-01 2026-06-30T15:00Z 2026-07-01T15:00Z");
    const day = { endDay: "included", dates: { createdAt: "dd/MM/yyyy" } };
    const [mistake] = await refused(leave("01/07/2026", "01/07/2026"), day);
    expect(mistake).toContain('endAt: "01/07/2026" (6 rows): not a date-time: write it with an offset');
  });

  test("without endDay is a mistake that names the key", async () => {
    expect(await refused(leave("01/01/2026", "01/01/2026"), {})).toEqual([
      'map.json: requests.endDay: is missing, but endAt is a day alone (dd/MM/yyyy): say "included" if leave lasts through that day, "excluded" if it ends when that day begins',
    ]);
  });

  test("that ends before it starts is shown as it was written", async () => {
    const mistakes = await refused(leave("03/01/2026", "01/01/2026"), { endDay: "included" });
    expect(mistakes).toEqual([`leave.csv:2: endAt: "01/01/2026" (${WORKERS.length} rows): before startAt`]);
  });

  test("beyond the last storable instant, in the worker's zone, is refused", async () => {
    const mistakes = await refused(leave("31/12/2200", "31/12/2200"), { endDay: "included" });
    const outside = 'endAt: "31/12/2200" is not between 1900-01-01 and 2200-12-31';
    expect(mistakes).toEqual([
      `leave.csv:2: ${outside}`,
      `leave.csv:6: ${outside}`,
      `leave.csv:7: ${outside}`,
    ]);
  });
});

test("a local time is in the same zones, and one with an offset is not local", async () => {
  const format = { dates: "dd.MM.yyyy HH:mm" };
  const { requests } = await imported(leave("01.07.2026 22:00", "01.07.2026 23:30"), format);
  for (const text of Object.values(requests)) expect(text).toStartWith("2026-07-01 2026-07-01 ");
  expect(requests.HI).toEndWith("2026-07-02T08:00Z 2026-07-02T09:30Z");
  const withOffset = { dates: "dd.MM.yyyy HH:mmXXX", zone: "Asia/Tokyo" };
  const fixed = await imported(leave("01.07.2026 12:00+02:00", "01.07.2026 13:00+02:00"), withOffset);
  for (const text of Object.values(fixed.requests))
    expect(text).toEndWith("2026-07-01T10:00Z 2026-07-01T11:00Z");
});

test("a meaningless time can be quoted in the format, with the end day included", async () => {
  const { requests } = await imported(leave("01/07/2026 00:00", "01/07/2026 00:00"), {
    dates: "dd/MM/yyyy '00:00'",
    endDay: "included",
  });
  expect(requests.NY).toBe("2026-07-01 2026-07-01 2026-07-01T04:00Z 2026-07-02T04:00Z");
});

test("imported again nothing changes; exported and imported elsewhere it is the same", async () => {
  const { company, folder, map } = await imported(leave("28/03/2026", "30/03/2026"), { endDay: "included" });
  expect((await company.importFolder(folder, {}, map)).isChanged).toBe(false);
  const out = join(temporaryFolder(), "export");
  await exportCompany(company.store, "acme", out, false);
  const elsewhere = await TestCompany.open();
  await elsewhere.importFolder(out);
  expect(await elsewhere.stored()).toEqual(await company.stored());
});

test("a worker who moves keeps the days of the leave that comes along", async () => {
  const { company, folder, map } = await imported(leave("01/07/2026", "01/07/2026"), { endDay: "included" });
  writeFileSync(join(folder, "workers.csv"), workersIn({ ...ZONES, NY: "Asia/Tokyo" }));
  const report = await company.importFolder(folder, {}, map);
  expect(counted(report)).toMatchObject({ "leave.csv": "0/1/5/0" });
  expect((await requestsOf(company)).NY).toBe("2026-07-01 2026-07-01 2026-06-30T15:00Z 2026-07-01T15:00Z");
});

describe("mistakes", () => {
  test.each<[string, object, string]>([
    ["a zone", { endDay: "included", zone: "CET+1" }, 'requests.zone: "CET+1" is not a time zone'],
    ["an end day", { endDay: "yes" }, 'requests.endDay: "yes" is neither "included" nor "excluded"'],
    [
      "an end day with times",
      { endDay: "included", dates: "dd/MM/yyyy HH:mm" },
      "requests.endDay: is for an endAt that is a day alone: name such a format in dates",
    ],
    [
      "an end day without a format",
      { endDay: "included", dates: { startAt: "dd/MM/yyyy" } },
      "requests.endDay: is for an endAt that is a day alone",
    ],
  ])("%s", async (_, mapping, finding) => {
    const [mistake] = await refused(leave("01/01/2026", "01/01/2026"), mapping);
    expect(mistake).toStartWith(`map.json: ${finding}`);
  });

  test("keys of requests in another kind", async () => {
    const company = await TestCompany.open();
    const map = join(temporaryFolder(), "map.json");
    writeFileSync(map, JSON.stringify({ workers: { from: "workers.csv", zone: "UTC", endDay: "included" } }));
    const folder = folderOf({ "workers.csv": workersIn(ZONES) });
    expect(await findingsOf(company.importFolder(folder, {}, map))).toEqual([
      "map.json: workers.endDay: is only for requests",
      "map.json: workers.zone: is only for requests",
    ]);
  });

  test("a time that does not exist is refused", async () => {
    const mistakes = await refused(leave("01/01/2026 25:00", "01/01/2026 23:60"), {
      dates: "dd/MM/yyyy HH:mm",
    });
    const rows = `(${WORKERS.length} rows): a time that does not exist (read as dd/MM/yyyy HH:mm)`;
    expect(mistakes).toContain(`leave.csv:2: endAt: "01/01/2026 23:60" ${rows}`);
    expect(mistakes).toContain(`leave.csv:2: startAt: "01/01/2026 25:00" ${rows}`);
  });
});

describe("the instant of a local time", () => {
  const at = (local: string, zone: string) =>
    new Date(instantOf(Date.parse(`${local}Z`), zone)).toISOString().replace(".000", "");

  test.each([
    // Midnight is skipped: the day begins at one.
    ["2024-09-08T00:00:00", "America/Santiago", "2024-09-08T04:00:00Z"],
    ["2018-11-04T00:00:00", "America/Sao_Paulo", "2018-11-04T03:00:00Z"],
    // Midnight comes twice: the first.
    ["2024-11-03T00:00:00", "America/Havana", "2024-11-03T04:00:00Z"],
    // Clocks fall back from midnight to 23:00: midnight comes once, an hour later.
    ["2018-02-18T00:00:00", "America/Sao_Paulo", "2018-02-18T03:00:00Z"],
    // Half past two: skipped, then twice.
    ["2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T01:00:00Z"],
    ["2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00Z"],
    // A whole day is skipped.
    ["2011-12-30T00:00:00", "Pacific/Apia", "2011-12-30T10:00:00Z"],
    ["1911-03-10T12:00:00", "Europe/Paris", "1911-03-10T11:50:39Z"],
    ["2026-07-01T00:00:00", "Asia/Kathmandu", "2026-06-30T18:15:00Z"],
  ])("%s in %s", (local, zone, expected) => {
    expect(at(local, zone)).toBe(expected);
  });

  test("midnight is the first instant of its day, on every day of fifty years, in zones with odd changes", () => {
    const zones = [...Object.values(ZONES).filter(Boolean), "America/Havana", "America/Sao_Paulo"];
    for (const zone of [
      ...zones,
      "Asia/Tehran",
      "Africa/Casablanca",
      "Australia/Lord_Howe",
      "Africa/Cairo",
    ]) {
      for (let day = 5844; day < 5844 + 50 * 365; day++) {
        const [from, to] = [instantOf(day * 86_400_000, zone), instantOf((day + 1) * 86_400_000, zone)];
        // A day that the zone skipped (Kiritimati, 31 December 1994) has no length.
        if (from === to) continue;
        const days = localDays(from, to, zone);
        if (days.firstDay !== day || days.lastDay !== day) {
          expect(`${zone} ${formatDay(day)}: ${formatDay(days.firstDay)} ${formatDay(days.lastDay)}`).toBe(
            "",
          );
        }
      }
    }
  });
});
