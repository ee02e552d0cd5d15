// A month of nightly imports, with the files that go wrong in one: each wrong file changes nothing, and no leave is ever lost.
import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { importRecord } from "../../src/import/report.ts";
import { DAY_MS, formatDay } from "../../src/time/day.ts";
import { findingsOf, folderOf, TestCompany } from "../support/import-files.ts";
import { mapFile } from "./convert/mapped.ts";

const PEOPLE = 60;
const FIRST_NIGHT = 20_454; // 2026-01-01
const MONTHS = 18;

/** What the HR system has on a night: leave of a year and a half, and a new request a day. */
class System {
  readonly workers = new Map(Array.from({ length: PEOPLE }, (_, at) => [`K${at + 100}`, "2024-02-01"]));
  readonly leave = new Map<string, { worker: string; day: number; days: number }>();

  constructor() {
    for (let at = 0; at < PEOPLE * 4; at++) this.take(FIRST_NIGHT - MONTHS * 30 + at * 2);
  }

  take(day: number): void {
    const number = this.leave.size + 1;
    const worker = [...this.workers.keys()][number % PEOPLE]!;
    this.leave.set(`L${number}`, { worker, day, days: 1 + (number % 5) });
  }

  people(): string {
    const rows = [...this.workers].map(
      ([id, since]) =>
        `${id},Ana,Lind ${id},${id.toLowerCase()}@x.com,${since},${id < "K130" ? "UTC" : "Europe/Berlin"}`,
    );
    return ["Number,First,Last,Mail,Hired,Zone", ...rows, "K999,Bo,Ek,bo@x.com,2023-05-02,UTC"].join("\n");
  }

  requests(isShown: (day: number) => boolean = () => true, hours = 8, column = "Hours"): string {
    const rows = [...this.leave].flatMap(([id, { worker, day, days }]) =>
      isShown(day) ? `${id},${worker},${formatDay(day)},${formatDay(day + days - 1)},${days * hours}` : [],
    );
    return [`Id,Number,From,To,${column}`, ...rows].join("\n");
  }
}

const MAPPING = {
  workers: {
    from: "people.csv",
    columns: {
      Number: "legacyId",
      First: "firstName",
      Last: "lastName",
      Mail: "email",
      Hired: "startDate",
      Zone: "timeZone",
    },
    values: { isBusiness: false, status: "active", type: "employee" },
    ignore: "*",
  },
  policies: {
    rows: [
      {
        legacyId: "PTO",
        name: "PTO",
        timeOffTypeName: "PTO",
        paid: true,
        unit: "day",
        schedule: "yearly",
        minutesPerPeriod: 9600,
      },
    ],
  },
  assignments: {
    query: "select Number as workerId, 'PTO' as policyId, '2024-02-01' as startsOn, _file, _line from people",
  },
  requests: {
    from: "leave.csv",
    columns: {
      Id: "legacyId",
      Number: "workerId",
      From: ["startAt", "createdAt"],
      To: "endAt",
      Hours: "requestedMinutes",
    },
    values: { timeOffPolicyId: "PTO", status: "approved" },
    endDay: "included",
    units: { requestedMinutes: "hours" },
    ignore: "*",
  },
};

test("a month of nights: what each wrong file gives", async () => {
  const company = await TestCompany.open();
  const system = new System();
  const told: Record<string, readonly string[]> = {};
  let atMs = FIRST_NIGHT * DAY_MS;
  const importing = (leave: string, people = system.people(), mapping: unknown = MAPPING, fileMs = atMs) => {
    const folder = folderOf({ "people.csv": people, "leave.csv": leave });
    for (const name of ["people.csv", "leave.csv"])
      utimesSync(join(folder, name), fileMs / 1000, fileMs / 1000);
    const record = (done: Parameters<typeof importRecord>[1]) =>
      JSON.stringify(importRecord({ command: "", mapping: null, version: "" }, done, atMs));
    const options = { isPruning: true, isStrict: true, today: Math.floor(atMs / DAY_MS), record };
    return company.importFolder(folder, options, mapFile(mapping));
  };
  const isWhole = async () => {
    const { requests } = await company.stored();
    expect(requests.map(({ legacyId }) => legacyId).sort()).toEqual([...system.leave.keys()].sort());
    expect(
      requests.every(({ legacyId, minutes }) => minutes === system.leave.get(legacyId!)!.days * 480),
    ).toBe(true);
  };
  /** What is wrong on a night, before the right file comes. */
  const wrong: Record<number, () => Promise<unknown>> = {
    3: () => importing(system.requests().split("\n").slice(0, 160).join("\n")),
    7: () => importing(system.requests(), system.people(), MAPPING, atMs - 7 * DAY_MS),
    11: () => importing(system.requests(undefined, 1)),
    15: () => importing(system.requests((day) => day >= FIRST_NIGHT - 180)),
    19: () => importing(system.requests(undefined, 8, "Duration")),
    23: () => importing(system.requests(), `${system.people()}\nK101,Ana,Lind,k101@x.com,2026-01-20,UTC`),
    27: () => importing(system.requests(), system.people().split("\n").slice(0, 40).join("\n")),
  };
  const names = ["cut", "last week's", "unit", "window", "column", "rehire", "people cut"];
  for (let night = 0; night < 30; night++) {
    atMs += DAY_MS;
    const isWrong = wrong[night];
    if (isWrong !== undefined) {
      const before = await company.stored();
      told[names.shift()!] = await findingsOf(isWrong());
      expect(await company.stored()).toEqual(before);
    }
    system.take(FIRST_NIGHT + night);
    if (night === 16) {
      // A window that says what it has all of loses nothing, and what was taken back inside of it goes.
      const complete = { endsOnOrAfter: "{today-180d}" };
      const windowed = { ...MAPPING, requests: { ...MAPPING.requests, complete } };
      const lastDay = Math.max(...[...system.leave.values()].map(({ day }) => day));
      const [id] = [...system.leave].find(([, { day }]) => day === lastDay)!;
      await importing(
        system.requests((day) => day >= FIRST_NIGHT - 180),
        system.people(),
        windowed,
      );
      await isWhole();
      const { day } = system.leave.get(id)!;
      await importing(
        system.requests((leaveDay) => leaveDay >= FIRST_NIGHT - 180 && leaveDay !== day),
        system.people(),
        windowed,
      );
      expect((await company.stored()).requests).toHaveLength(
        [...system.leave.values()].filter((leave) => leave.day !== day || leave.day < FIRST_NIGHT - 180)
          .length,
      );
    }
    await importing(system.requests());
    await isWhole();
  }
  const starting = (...starts: readonly RegExp[]) => starts.map((start) => expect.stringMatching(start));
  expect(told).toEqual({
    cut: starting(/^leave\.csv: pruning would remove \d+ of \d+ stored requests \(3\d %\), such as "L/),
    "last week's": starting(
      /^workers: the file was/,
      /^assignments: the file was/,
      /^requests: the file was/,
    ),
    unit: starting(/PTO: requests 1440 \u2192 180 minutes.* \[unit-changed\]$/),
    window: starting(/^leave\.csv: pruning would remove \d+ of \d+ stored requests \(7\d %\)/),
    column: starting(/^leave\.csv:1: has no column "Hours", which map\.json speaks of/),
    rehire: starting(
      /^people\.csv:63: legacyId: "K101" is already on line 3: each row needs an id of its own/,
      /^people\.csv:63: workerId: "K101" with policyId "PTO" is already on line 3/,
    ),
    "people cut": starting(
      /pruning would remove 22 of 61 stored assignments/,
      /^people\.csv: pruning would remove 22 of 61 stored workers \(37 %\)/,
    ),
  });
}, 120_000);
