// Property: the imports of a company among others do, say and remember what they would without them, and change nothing of theirs. One
// neighbour has rows with the same ids and names and other values; both have more rows, with names that the company's files mention.
import { expect, setDefaultTimeout, setSystemTime, test } from "bun:test";
import { join } from "node:path";
import sql, { raw } from "sql-template-tag";
import { readMapping } from "../../src/import/convert/mapping-file.ts";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import type { ImportOptions } from "../../src/import/report.ts";
import { ImportRefused } from "../../src/import/row-errors.ts";
import { mintedId } from "../../src/import/staging.ts";
import type { WriteStore } from "../../src/store/store.ts";
import { DIGESTED_KINDS } from "../../src/store/tables.ts";
import { DAY_MS, dayOfText, formatDay, utcDayOf } from "../../src/time/day.ts";
import { type OpenStore, withStore } from "../store/conformance/engine.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { recordsOf } from "../store/conformance/known.ts";
import { type Files, folderOf } from "../support/import-files.ts";
import { change, closePeriod, createCompany, exported } from "../support/stores.ts";

setDefaultTimeout(600_000);

type Row = Readonly<Record<string, unknown>>;
type Tables = Readonly<Record<string, readonly Row[]>>;

const START_MS = Date.parse("2026-01-31T10:00:00Z");

const worker = (number: number, firstName: string, more: Row = {}): Row => ({
  ...{ id: `wrk_${number}`, legacyId: `E${number}`, firstName, lastName: "Lind", position: "Clerk" },
  ...{ email: `e${number}@acme.example`, isBusiness: false, startDate: "2020-01-01", status: "active" },
  ...{ type: "employee", timeZone: null, managerId: null, departmentId: null, department: null },
  ...{ workplaceId: null, workplace: null, endDate: null, ...more },
});

const policy = (number: number, name: string, more: Row = {}): Row => ({
  ...{ id: `top_${number}`, legacyId: `P${number}`, name, paid: true, unit: "day", timeOffTypeName: name },
  ...{ schedule: "yearly", minutesPerPeriod: 9600, ...more },
});

const request = (
  number: number,
  workerId: string,
  timeOffPolicyId: string,
  day: string,
  more: Row = {},
): Row => ({
  ...{ id: `tor_${number}`, legacyId: `R${number}`, workerId, timeOffPolicyId, status: "approved" },
  ...{ createdAt: "2019-01-01T00:00:00Z", startAt: `${day}T08:00:00Z`, endAt: `${day}T16:00:00Z` },
  ...{ requestedMinutes: 480, reason: `reason ${number}`, ...more },
});

const COMPANY = {
  departments: [
    { id: "dpt_1", legacyId: "D1", name: "Sales", parentId: null },
    { id: "dpt_2", legacyId: "D2", name: "Sales EU", parentId: "D1" },
    { id: "dpt_3", legacyId: "D3", name: "Sales DE", parentId: "D2" },
  ],
  workplaces: [
    {
      id: "wkp_1",
      legacyId: "W1",
      name: "Berlin",
      type: "office",
      timeZone: "Europe/Berlin",
      holidayCalendar: "DE",
    },
    {
      id: "wkp_2",
      legacyId: "W2",
      name: "Lisbon",
      type: "office",
      timeZone: null,
      holidayCalendar: "none yet",
    },
  ],
  holidays: [
    { id: "hol_1", legacyId: "H1", calendar: "DE", date: "2025-12-25", name: "Christmas" },
    { id: "hol_2", legacyId: "H2", calendar: "DE", date: "2025-12-24", name: "Eve", minutes: 240 },
  ],
  workers: [
    worker(1, "Ana", { departmentId: "D1", workplaceId: "W1" }),
    worker(2, "Bo", { managerId: "E1", departmentId: "D2", timeZone: "Europe/Berlin" }),
    worker(3, "Cleo", { managerId: "E2", department: "Support", workplace: "Home", workplaceType: "remote" }),
    worker(4, "Dag", { managerId: "E1", status: "inactive", endDate: "2021-05-31" }),
    worker(5, "Eva", { departmentId: "D3" }),
    worker(6, "Finn", { departmentId: "D3" }),
    worker(7, "Gro", { departmentId: "D3", workDays: "Mon,Tue,Wed" }),
    // The legacy id of one is the id of the other: such names mean nothing.
    worker(50, "Nia", { legacyId: "wrk_51", timeZone: "Europe/Rome" }),
    worker(51, "Ole"),
    worker(52, "Per"),
    worker(53, "Rut", { workplaceId: "W1" }),
  ],
  policies: [
    policy(1, "Vacation", { carryoverLimitMinutes: 2400 }),
    policy(2, "Care", { schedule: "monthly", minutesPerPeriod: 600 }),
    policy(3, "Sick", { schedule: "unlimited", minutesPerPeriod: null }),
    policy(4, "Nobody's", { minutesPerPeriod: 4800 }),
    policy(6, "At home", { isAbsence: false }),
  ],
  policy_changes: [{ policyId: "P2", from: "2025-01-01", minutesPerPeriod: 660 }],
  assignments: [1, 2, 3, 4, 5, 6, 7, 52, 53].flatMap((number) =>
    ["P1", "P2", "P3"].map((policyId, at) => ({
      ...{ id: `toa_${number}${at}`, workerId: `E${number}`, policyId, startsOn: "2020-01-01" },
      endsOn: number === 4 ? "2021-05-31" : null,
    })),
  ),
  requests: [
    request(1, "E1", "P1", "2025-03-03"),
    request(2, "E2", "P1", "2025-03-04", { status: "pending" }),
    request(3, "E3", "P3", "2020-03-03"),
    request(4, "E4", "P1", "2020-03-03"),
    request(5, "E2", "P2", "2024-12-30", { endAt: "2025-01-03T16:00:00Z", requestedMinutes: 2400 }),
    request(6, "E5", "P1", "2020-07-07", { status: "denied" }),
    request(7, "E6", "P2", "2020-07-07"),
    request(8, "E7", "P1", "2025-07-07"),
    request(9, "E1", "P6", "2025-10-06"),
    request(10, "E1", "P6", "2025-10-06"),
    // Across the turn of a year: with a weekend, and with fewer minutes than five working days have.
    request(50, "E53", "P1", "2023-12-28", {
      ...{ endAt: "2024-01-02T16:00:00Z", requestedMinutes: 1440, reason: null },
    }),
    request(51, "E53", "P1", "2024-12-30", { endAt: "2025-01-03T16:00:00Z", requestedMinutes: 1800 }),
    request(52, "E53", "P1", "2023-06-05"),
    ...[11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22].map((day) =>
      request(100 + day, "E7", "P2", `2023-08-${day}`, { requestedMinutes: day, status: "pending" }),
    ),
  ],
  adjustments: [
    { legacyId: "A1", workerId: "E1", policyId: "P1", date: "2024-02-01", minutes: 60, note: "a gift" },
    { legacyId: null, workerId: "E2", policyId: "P2", date: "2024-02-01", minutes: 90, note: null },
  ],
  work_hours: [{ workerId: "E1", date: "2025-01-07", minutes: 480 }],
  openings: [{ workerId: "E6", policyId: "P2", date: "2020-12-31", minutes: 1000 }],
  schedules: [
    {
      workerId: "E1",
      startsOn: "2024-01-01",
      minutesPerWeekday: "480,480,480,480,480,0,0",
      holidayCalendar: "DE",
    },
    {
      workerId: "E5",
      startsOn: "2024-01-01",
      minutesPerWeekday: "400,400,400,400,400,0,0",
      holidayCalendar: null,
    },
  ],
  reported: [{ workerId: "E1", policyId: "P1", date: "2025-01-31", minutes: 5000 }],
} satisfies Tables;

/** Adjustments of one day, with many different amounts. */
const remainders = (date: string, names: string): Row[] =>
  ["E2", "E3", "E5", "E6", "E7"].map((workerId, at) => ({
    ...{ legacyId: `${names}${at}`, workerId, policyId: "P2", date, minutes: 100 + at, note: null },
  }));

/** Ids that names of the company get when they come. */
const LATER = {
  worker: mintedId("acme", "workers", "E60"),
  department: mintedId("acme", "departments", "", "Nowhere"),
};
/** Weekdays, and more of them than a calendar may have in a year. */
const MANY_DAYS = Array.from({ length: 90 }, (_, at) => formatDay(dayOfText("2024-01-01") + at));

/** What a neighbour has at first: one worker has another id. */
const BEFORE = {
  ...COMPANY,
  requests: [
    ...COMPANY.requests.map((row: Row) => ({
      ...row,
      requestedMinutes: 66,
      reason: `${row.legacyId} of the twin`,
    })),
    request(40, "E1", "P3", "2020-05-05"),
    request(41, "E1", "P3", "2025-03-06"),
  ],
  workers: COMPANY.workers.map((row) => (row.legacyId === "E7" ? { ...row, id: "wrk_seven" } : row)),
};

const OTHER_NAMES: Readonly<Record<string, string>> = { wrk_50: "E50", wrk_52: "X52" };

/** Mostly the same ids and names, with other values, and more rows, some of which the company has later. */
const TWIN: Tables = {
  departments: [
    ...COMPANY.departments.map((row) => ({
      ...row,
      legacyId: row.id === "dpt_3" ? "X3" : row.legacyId,
      name: `${row.name} of the twin`,
    })),
    { id: "dpt_9", legacyId: "X9", name: "Nine", parentId: null },
    { id: "dpt_91", legacyId: "D91", name: "Ninety-one", parentId: null },
    { id: LATER.department, legacyId: null, name: "Nowhere", parentId: null },
  ],
  workplaces: [
    ...COMPANY.workplaces.map((row) => ({ ...row, name: `${row.name} of the twin`, type: "remote" })),
    { id: "wkp_9", legacyId: "W9", name: "Nine", type: "office", timeZone: null, holidayCalendar: "IS" },
  ],
  holidays: [
    ...COMPANY.holidays.map((row) => ({ ...row, name: `${row.name} of the twin` })),
    { id: "hol_9", legacyId: "H9", calendar: "none yet", date: "2025-12-26", name: "Half day with Ana Lind" },
    { id: null, legacyId: null, calendar: "DE", date: "2025-01-01", name: "New Year" },
    { id: null, legacyId: null, calendar: "DE", date: "2025-01-02", name: "Short", minutes: 4 },
    ...MANY_DAYS.map((date) => ({ id: null, legacyId: null, calendar: "DE", date, name: `Of ${date}` })),
  ],
  workers: [
    ...BEFORE.workers.map((row) => ({
      ...row,
      ...{ lastName: "Twin", timeZone: "Asia/Tokyo", position: "Twin" },
      departmentId: row.departmentId === "D3" ? "X3" : row.departmentId,
      legacyId: OTHER_NAMES[row.id as string] ?? row.legacyId,
      managerId: row.legacyId === "E1" ? "E5" : row.managerId,
      ...(row.legacyId === "E6" && { workDays: "Mon,Tue" }),
    })),
    worker(61, "Pia", { id: LATER.worker }),
    worker(40, "Mia"),
    worker(41, "Noa", { managerId: "E40" }),
    worker(91, "Ida", { managerId: "E1" }),
    worker(92, "Jon", { departmentId: "D1", managerId: "E5", workplaceId: "W1" }),
  ],
  policies: [
    ...COMPANY.policies.map((row) => ({
      ...{ ...row, timeOffTypeId: "tot_twin", isAbsence: true },
      ...(row.legacyId === "P1" && {
        schedule: "unlimited",
        minutesPerPeriod: null,
        carryoverLimitMinutes: null,
      }),
    })),
    policy(8, "Sickness", { schedule: "unlimited", minutesPerPeriod: null }),
    policy(91, "Twin's", { timeOffTypeId: "tot_91" }),
  ],
  assignments: [
    ...without(COMPANY.assignments, "E52").map((row) => ({ ...row, startsOn: "2019-01-01", endsOn: null })),
    ...COMPANY.workers.slice(0, 7).map(({ legacyId }) => ({
      ...{ id: `toa_of_${legacyId}`, workerId: legacyId, policyId: "P8", startsOn: "2019-01-01" },
    })),
    { id: "toa_91", workerId: "E91", policyId: "P4", startsOn: "2020-01-01" },
    { id: "toa_14", workerId: "E1", policyId: "P4", startsOn: "2020-01-01" },
  ],
  requests: [
    ...BEFORE.requests.map((row: Row) => ({
      ...{ ...row, requestedMinutes: 77, reason: "twin", status: "approved" },
      workerId: ["R3", "R8"].includes(String(row.legacyId)) ? "E4" : row.workerId,
      ...(row.legacyId === "R1" && { startAt: "2020-03-03T08:00:00Z", endAt: "2020-03-03T16:00:00Z" }),
      ...(row.legacyId === "R41" && { startAt: "2020-05-06T08:00:00Z", endAt: "2020-05-06T16:00:00Z" }),
      ...(row.legacyId === "R40" && { startAt: "2025-03-03T08:00:00Z", endAt: "2025-03-03T16:00:00Z" }),
    })),
    request(91, "E1", "P4", "2020-03-05"),
    request(92, "E5", "P3", "2020-03-05"),
    request(93, "E91", "P1", "2020-03-05"),
    request(94, "E91", "P1", "2020-03-05"),
    request(95, "E92", "P4", "2024-12-30", { endAt: "2025-01-03T16:00:00Z", requestedMinutes: 1440 }),
    request(96, "E91", "P4", "2023-12-28", { endAt: "2024-01-02T16:00:00Z", requestedMinutes: 1440 }),
  ],
  adjustments: [
    ...COMPANY.adjustments.map((row) => ({ ...row, minutes: 33, note: "twin" })),
    ...remainders("2024-07-01", "A2"),
  ],
  work_hours: COMPANY.work_hours.map((row) => ({ ...row, minutes: 33 })),
  openings: [
    ...COMPANY.openings.map((row) => ({ ...row, minutes: 33 })),
    { workerId: "E5", policyId: "P2", date: "2020-12-31", minutes: 500 },
  ],
  schedules: [...COMPANY.workers.slice(0, 7), ...COMPANY.workers.slice(-1)].map(({ legacyId }) => ({
    ...{ workerId: legacyId, startsOn: "2019-01-01", minutesPerWeekday: "60,60,60,60,60,60,0" },
    holidayCalendar: "twin",
  })),
  reported: COMPANY.reported.map((row) => ({ ...row, minutes: 33 })),
};

/** Other ids for the same names. */
const withoutIds = (tables: Tables): Tables =>
  Object.fromEntries(
    Object.entries(tables).map(([kind, rows]) => [
      kind,
      rows.map(({ id, ...row }) => (row.legacyId === null && typeof id === "string" ? { id, ...row } : row)),
    ]),
  );

const NEIGHBOURS: Readonly<Record<string, Tables>> = { acm: TWIN, "acme-2": TWIN };

const filesOf = (tables: Tables): Files =>
  Object.fromEntries(Object.entries(tables).map(([kind, rows]) => [`${kind}.json`, JSON.stringify(rows)]));

/** Imports tables, and returns all that the import says. */
async function imported(
  writer: WriteStore,
  id: string,
  tables: Tables,
  { options, map }: Pick<Night, "options" | "map"> = {},
): Promise<unknown> {
  const folder = folderOf(map === undefined ? {} : { "map.json": JSON.stringify(map) });
  const mapping = map === undefined ? null : await readMapping(join(folder, "map.json"), new Map());
  const { sources } = await findSources([folderOf(filesOf(tables))], mapping);
  const quarantined: unknown[] = [];
  try {
    const {
      heldMs: _,
      changedAtMs: __,
      ...report
    } = await importCompany(writer, id, sources, {
      ...{ today: utcDayOf(Date.now()), nowMs: Date.now(), program: "tests", mayBeOlder: true },
      record: ({ gate, ignored }) => JSON.stringify({ gate, ignored, changedAtMs: {} }),
      ...options,
      ...(options?.quarantine !== undefined && {
        quarantine: { ...options.quarantine, write: (rows) => void quarantined.push(...rows) },
      }),
    });
    return { report, quarantined };
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return { refused: error.mistakes };
  }
}

/** A table with other rows in place of those with their ids or names. */
function withRows(rows: readonly Row[], ...others: readonly Row[]): readonly Row[] {
  const nameOf = ({ legacyId, id }: Row) => id ?? legacyId;
  const names = new Set(others.map(nameOf));
  return [...rows.filter((row) => !names.has(nameOf(row))), ...others];
}
function without(rows: readonly Row[], ...names: readonly string[]): readonly Row[] {
  return rows.filter(
    ({ legacyId, workerId }) => !names.includes(String(legacyId)) && !names.includes(String(workerId)),
  );
}

const { workers, departments, workplaces, holidays, policies, assignments, requests } = COMPANY;
/** The row with a name, with some other values. */
const changed = (rows: readonly Row[], name: string, more: Row): Row => ({
  ...rows.find(({ legacyId }) => legacyId === name)!,
  ...more,
});

interface Night {
  readonly what: string;
  readonly tables: Tables;
  readonly options?: Partial<ImportOptions>;
  /** By kind, what a mapping says. */
  readonly map?: Row;
  /** Something before the import. */
  readonly first?: (open: OpenStore) => Promise<unknown>;
}

const prune = { isPruning: true };
const keep =
  (retention: string | null) =>
  ({ writer }: OpenStore) =>
    change(writer, "acme", (transaction) => transaction.updateCompany({ retention }));

const RENAMED = {
  departments: [...departments.slice(0, 2), { id: "dpt_9", legacyId: "D9", name: "Germany", parentId: "D2" }],
  workers: workers.map((row) => (row.departmentId === "D3" ? { ...row, departmentId: "D9" } : row)),
  policies: withRows(
    without(policies, "P3"),
    policy(8, "Sickness", { schedule: "unlimited", minutesPerPeriod: null }),
  ),
  assignments: assignments.map((row) =>
    row.policyId === "P3" ? { ...row, id: `${row.id}8`, policyId: "P8" } : row,
  ),
  requests: requests.map((row) => (row.timeOffPolicyId === "P3" ? { ...row, timeOffPolicyId: "P8" } : row)),
};
const RENAMES = new Set(["renamed-department", "renamed-policy"] as const);

/** What is imported, night after night. */
const NIGHTS: readonly Night[] = [
  { what: "the first import", tables: COMPANY },
  {
    what: "old reasons that come and change in the revision in which those of others change",
    tables: {
      requests: withRows(
        requests,
        changed(requests, "R50", { reason: "another" }),
        changed(requests, "R52", { reason: "another" }),
      ),
    },
  },
  { what: "the same again", tables: COMPANY, options: prune },
  { what: "names without ids", tables: withoutIds(COMPANY), options: prune },
  {
    what: "names of what only others have",
    tables: {
      workers: [
        worker(8, "Hal", { managerId: "E91", departmentId: "D1" }),
        worker(9, "Ine", { managerId: "E 92" }),
        worker(11, "Kim", { managerId: "wrk_91" }),
      ],
      requests: [request(9, "E92", "P1", "2025-03-03"), request(10, "E1", "P91", "2025-03-03")],
    },
  },
  {
    what: "what only others have was renamed",
    tables: { workers: [{ ...worker(10, "Jo"), id: null }], departments: [{ legacyId: "D10", name: "Ten" }] },
    map: {
      workers: { from: "workers.json", was: { E10: "E91" } },
      departments: { from: "departments.json" },
    },
  },
  {
    what: "managers, departments and zones that change",
    tables: {
      departments: withRows(departments, changed(departments, "D3", { name: "Germany" })),
      workplaces: withRows(workplaces, changed(workplaces, "W1", { timeZone: "America/New_York" })),
      workers: [
        changed(workers, "E1", { lastName: "Berg", managerId: null, timeZone: "Pacific/Apia" }),
        changed(workers, "E6", { managerId: "E2", department: "Sales", departmentId: null }),
      ],
    },
  },
  {
    what: "a few changes of everything",
    tables: {
      policies: withRows(policies, changed(policies, "P4", { legacyId: "P5", minutesPerPeriod: 4900 })),
      assignments: withRows(assignments, { ...assignments[0]!, startsOn: "2019-12-01" }),
      requests: withRows(
        requests,
        changed(requests, "R1", { requestedMinutes: 240 }),
        request(40, "E1", "P3", "2020-05-05"),
        request(41, "E1", "P3", "2020-05-06"),
      ),
      adjustments: COMPANY.adjustments.map((row) => ({ ...row, minutes: row.minutes + 1 })),
      work_hours: [{ workerId: "E1", date: "2025-01-07", minutes: 400 }],
      openings: [{ workerId: "E6", policyId: "P2", date: "2020-12-31", minutes: 900 }],
      schedules: COMPANY.schedules.map((row) => ({ ...row, holidayCalendar: "FR" })),
      holidays: withRows(holidays, changed(holidays, "H1", { name: "Ida Lind" })),
    },
  },
  {
    what: "adjustments that look like remaining balances, of more than half of those with the policy",
    tables: { adjustments: remainders("2024-06-01", "A1") },
  },
  {
    what: "an adjustment on a day on which only others have such adjustments",
    tables: { adjustments: remainders("2024-07-01", "A1").slice(-1) },
  },
  {
    what: "a calendar that begins in a year into which leave goes",
    tables: {
      holidays: [...holidays, { legacyId: "H3", calendar: "DE", date: "2026-12-25", name: "Christmas" }],
    },
  },
  {
    what: "names that become ids, types and departments that others have",
    tables: {
      workers: [
        { ...worker(60, "Qi"), id: null },
        { ...worker(0, "Ria"), id: null, legacyId: "wrk_91" },
      ],
      departments: [
        { legacyId: "D91", name: "Support" },
        { legacyId: "D92", name: "Nowhere" },
        { id: "dpt_1", legacyId: "D1", name: "Sales", parentId: "D2" },
        { id: "dpt_2", legacyId: "D2", name: "Sales EU", parentId: null },
      ],
      policies: [policy(9, "Nine", { timeOffTypeName: "Twin's" })],
    },
  },
  {
    what: "a department that moves below another",
    tables: { departments: [{ id: "dpt_2", legacyId: "D2", name: "Sales EU", parentId: "D1" }] },
  },
  { what: "all once more", tables: COMPANY, options: { accepted: new Set(["changes-the-past"] as const) } },
  { what: "all, read by another program", tables: COMPANY, options: { program: "other tests" } },
  { what: "all, read by no program that keeps digests", tables: COMPANY, options: { program: undefined } },
  {
    what: "openings of stored assignments, and of what only others are assigned to",
    tables: {
      openings: [
        { workerId: "E5", policyId: "P1", date: "2019-06-01", minutes: 900 },
        { workerId: "E1", policyId: "P4", date: "2025-06-01", minutes: 900 },
        { workerId: "E4", policyId: "P1", date: "2022-06-01", minutes: 900 },
      ],
    },
  },
  {
    what: "openings that are right",
    tables: {
      openings: [
        { workerId: "E1", policyId: "P4", date: "2025-06-01", minutes: 900 },
        { workerId: "E4", policyId: "P1", date: "2022-06-01", minutes: 900 },
      ],
    },
  },
  {
    what: "ids that belong to others, in this company or in another",
    tables: {
      workers: [
        worker(1, "Ana", { legacyId: "E2" }),
        worker(91, "Ida"),
        worker(92, "Jon", { legacyId: "E94" }),
      ],
      assignments: [
        { id: "toa_10", workerId: "E1", policyId: "P2", startsOn: "2020-01-01" },
        { id: "toa_91", workerId: "E1", policyId: "P4", startsOn: "2020-01-01" },
        { id: "toa_20", workerId: "E3", policyId: "P4", startsOn: "2020-01-01" },
      ],
    },
  },
  {
    what: "an id that only others have given",
    tables: {
      workers: [worker(92, "Jon", { legacyId: "E94" })],
      assignments: [{ id: "toa_91", workerId: "E1", policyId: "P4", startsOn: "2020-01-01" }],
    },
  },
  {
    what: "a circle of managers, and one of departments",
    tables: {
      workers: [changed(workers, "E1", { managerId: "E3" }), changed(workers, "E5", { managerId: "E92" })],
      departments: [{ ...departments[0]!, parentId: "D3" }],
    },
  },
  {
    what: "a circle of managers, and one of workers whom nobody manages elsewhere",
    tables: {
      workers: [
        changed(workers, "E1", { managerId: "E3" }),
        changed(workers, "E5", { managerId: "E6" }),
        changed(workers, "E6", { managerId: "E5" }),
      ],
    },
    options: { isStrict: true },
  },
  {
    what: "bad rows in quarantine",
    tables: {
      workers: withRows(
        workers,
        changed(workers, "E2", { startDate: "soon" }),
        changed(workers, "E1", { managerId: "E91" }),
        worker(93, "Kai", { startDate: "soon" }),
        worker(94, "Lea", { managerId: "E93" }),
        worker(91, "Ida", { managerId: "E999" }),
        worker(95, "Lou", { managerId: "E91" }),
      ),
      requests: withRows(
        requests,
        changed(requests, "R1", { status: "perhaps" }),
        { ...request(91, "E2", "P1", "2025-03-03"), status: "perhaps" },
        request(95, "E93", "P1", "2025-03-03"),
      ),
      adjustments: [
        { legacyId: null, workerId: "E2", policyId: "P2", date: "2024-02-01", minutes: "many" },
        { legacyId: null, workerId: "E91", policyId: "P2", date: "2024-02-01", minutes: "many" },
      ],
      work_hours: [{ workerId: "E1", date: "2025-01-07", minutes: "many" }],
    },
    options: { ...prune, quarantine: { limit: 20, write: () => {} } },
  },
  {
    what: "a bad row in quarantine whose name others have, for an id of this company",
    tables: {
      workers: [
        ...without(workers, "E52"),
        worker(96, "Max", { id: null, legacyId: "X52", startDate: "soon" }),
      ],
      assignments: without(assignments, "E52"),
      requests: without(requests, "E52"),
    },
    options: { ...prune, quarantine: { limit: 20, write: () => {} } },
  },
  { what: "all after it", tables: COMPANY, options: prune },
  {
    what: "rows that cannot be removed",
    tables: { workers: without(workers, "E1", "E5", "E52"), policies: without(policies, "P1") },
    options: prune,
  },
  {
    what: "rows that can be removed",
    tables: {
      departments: departments.slice(0, 1),
      workers: without(workers, "E5", "E6", "E7").map((row) => ({ ...row, departmentId: null })),
      assignments: without(assignments, "E5", "E6", "E7"),
      requests: without(requests, "E5", "E6", "E7"),
      adjustments: COMPANY.adjustments.slice(0, 1),
      work_hours: [],
      openings: [],
      schedules: without(COMPANY.schedules, "E5"),
      holidays: holidays.slice(1),
    },
    options: { ...prune, allowedRemovals: 1 },
  },
  { what: "all again", tables: COMPANY, options: prune },
  {
    what: "too many rows that are gone",
    tables: { requests: requests.slice(0, 1), assignments: assignments.slice(0, 1) },
    options: { ...prune, allowedRemovals: 0 },
  },
  { what: "a policy and a department that have other names", tables: RENAMED },
  {
    what: "a new policy that some have",
    tables: {
      ...RENAMED,
      departments,
      workers,
      assignments: RENAMED.assignments.filter(
        ({ policyId, workerId }) => policyId !== "P8" || ["E1", "E2", "E3"].includes(workerId),
      ),
    },
    options: { isDryRun: true },
  },
  { what: "the same, which is accepted", tables: RENAMED, options: { ...prune, accepted: RENAMES } },
  { what: "names as before", tables: COMPANY, options: { ...prune, accepted: RENAMES } },
  {
    what: "rules that change after a close",
    first: (open) =>
      closePeriod(open, "acme", "2025-12", {
        firstDay: dayOfText("2025-12-01"),
        lastDay: dayOfText("2025-12-31"),
      }),
    tables: {
      policies: withRows(policies, changed(policies, "P1", { minutesPerPeriod: 10_000 })),
      requests: [request(12, "E1", "P1", "2025-12-03")],
    },
    options: { rulesFrom: dayOfText("2026-01-01") },
  },
  {
    what: "amounts by hours a day",
    tables: {
      requests: [
        { ...request(20, "E7", "P1", "2025-09-01"), endAt: "2025-09-05T18:00:00Z", requestedMinutes: null },
        { ...request(21, "E6", "P2", "2025-09-01"), endAt: "2025-09-05T18:00:00Z", requestedMinutes: null },
      ],
    },
    map: { requests: { from: "requests.json", hoursPerDay: 8 } },
  },
  {
    what: "what is older than the company keeps it, in a dry run",
    first: keep("leavers=2y, requests=3y, reasons=2y"),
    tables: { requests: [request(30, "E1", "P1", "2020-03-03"), request(31, "E1", "P4", "2020-03-03")] },
    options: { isDryRun: true },
  },
  {
    what: "what is older than the company keeps it",
    tables: {
      workers: [...workers, worker(40, "Mia", { status: "inactive", endDate: "2020-01-01" })],
      requests: [request(30, "E1", "P1", "2020-03-03"), request(31, "E1", "P4", "2020-03-03")],
    },
  },
  {
    what: "the rest",
    tables: COMPANY,
    options: { ...prune, accepted: new Set(["changes-the-past"] as const) },
  },
];

/** How many rows have a digest, by kind; of a neighbour, the digests themselves and their key. */
function digestsOf(writer: WriteStore, id: string): Promise<unknown> {
  return writer.stage(id, async (session) => {
    const [company] = await session.run<{ key: string | null }>(
      sql`select digest_key as "key" from companies where id = ${id}`,
    );
    const digests = [];
    for (const kind of DIGESTED_KINDS)
      digests.push(
        (
          await session.run<{ digest: string }>(
            sql`select cast(digest as text) as "digest" from ${raw(kind)} where company_id = ${id} and digest is not null order by 1`,
          )
        ).map(({ digest }) => digest),
      );
    if (id !== "acme") return { company, digests };
    const isNew = company!.key !== keyBefore;
    keyBefore = company!.key;
    return { isNew, counts: digests.map(({ length }) => length) };
  });
}
let keyBefore: string | null = null;

async function lifeOf(open: OpenStore, neighbours: readonly string[]): Promise<string[]> {
  const { reader, writer } = open;
  const given: string[] = [];
  keyBefore = null;
  const stored = async (id: string) => [
    await exported(writer, id),
    await recordsOf(writer, id),
    await reader.company(id).closes(),
    await reader.company(id).lastImports(),
    await digestsOf(writer, id),
  ];
  const ofOthers = async () => JSON.stringify(await Promise.all(neighbours.map(stored)));
  setSystemTime(START_MS);
  for (const id of ["acme", ...neighbours]) await createCompany(writer, id);
  for (const id of neighbours)
    for (const tables of [BEFORE, NEIGHBOURS[id]!]) {
      setSystemTime(Date.now() + 1000);
      expect(
        await imported(writer, id, tables, {
          options: { accepted: new Set([...RENAMES, "changes-the-past"] as const) },
        }),
      ).not.toHaveProperty("refused");
    }
  for (const id of neighbours)
    await closePeriod(open, id, "2025-12", {
      firstDay: dayOfText("2025-12-01"),
      lastDay: dayOfText("2025-12-31"),
    });
  const others = await ofOthers();
  setSystemTime(START_MS + DAY_MS);
  for (const { what, tables, first, ...night } of NIGHTS) {
    setSystemTime(Date.now() + DAY_MS);
    await first?.(open);
    given.push(`${what}, ${JSON.stringify(await imported(writer, "acme", tables, night))}`);
    given.push(`stored after ${what}, ${JSON.stringify(await stored("acme"))}`);
    if ((await ofOthers()) !== others) throw new Error(`${what} changes others`);
  }
  return given;
}

for (const engine of ENGINES)
  test(`a company among others imports as if it were alone, on ${engine.name}`, async () => {
    try {
      const lives: string[][] = [];
      for (const neighbours of [[], Object.keys(NEIGHBOURS)])
        await withStore(engine, async (open) => void lives.push(await lifeOf(open, neighbours)));
      const [alone, among] = lives;
      for (const [at, read] of among!.entries()) expect(read).toBe(alone![at]!);
    } finally {
      setSystemTime();
    }
  });
