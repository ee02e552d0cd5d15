// Property: of one change after a close, every figure that differs names this change, by its cause and its row. Of two or three changes
// for one person, no other cause is named, and the causes add up to the difference. What is named follows docs/record.md, Why a figure
// differs.
import { afterAll, expect, setSystemTime, test } from "bun:test";
import { csvText } from "../../../src/csv-file.ts";
import { importCompany } from "../../../src/import/import-company.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import type { CloseDifference, DIFFERENCE_CAUSES } from "../../../src/resources/closes.ts";
import type { Movement } from "../../../src/resources/movements.ts";
import { DAY_MS, dayOfText, formatDay, utcDayOf } from "../../../src/time/day.ts";
import { folderOf } from "../../support/import-files.ts";
import { randomOf } from "../../support/random-rows.ts";
import { addKey, closePeriod, createCompany, exported } from "../../support/stores.ts";
import { startService } from "../service.ts";

type Row = Record<string, string | number>;
type Files = Record<string, Row[]>;
type Cause = (typeof DIFFERENCE_CAUSES)[number];

const CLOSED_MS = Date.parse("2026-11-02T06:00:00Z");
const PEOPLE = ["E1", "E2", "E3"];

/** What the company of a test is, besides people, leave, an adjustment, an opening, a schedule and holidays. */
const POLICIES: Readonly<Record<string, Row>> = {
  carried: { schedule: "yearly", minutesPerPeriod: 9600, carryoverLimitMinutes: 4800, prorate: "yes" },
  monthly: { schedule: "monthly", minutesPerPeriod: 800, accrualTiming: "end", scaleWith: "share" },
  "by hours": { schedule: "per_hour_worked", minutesPerChunk: 4, hoursWorkedPerChunk: 1 },
  /** The balance moved here in September. */
  moved: { schedule: "yearly", minutesPerPeriod: 9600 },
};

function filesOf(shape: string): Files {
  const isMoved = shape === "moved";
  const old = isMoved ? "O" : "P"; // the policy until August
  const policy = { paid: "yes", unit: "day", timeOffTypeName: "Vacation" };
  const request = { createdAt: "2026-01-01T00:00:00Z", status: "approved" };
  return {
    workplaces: [
      { legacyId: "W1", name: "Berlin", holidayCalendar: "DE" },
      { legacyId: "W2", name: "Madrid", holidayCalendar: "ES" },
    ],
    holidays: [
      { calendar: "DE", date: "2026-11-03", name: "A day off", minutes: "" },
      { calendar: "ES", date: "2026-10-29", name: "Another", minutes: 240 },
    ],
    workers: PEOPLE.map((legacyId, at) => ({
      ...{
        legacyId,
        firstName: legacyId,
        lastName: "Lind",
        email: `${legacyId}@x.example`,
        isBusiness: "no",
      },
      ...{ startDate: `202${3 + at}-02-1${at}`, endDate: "", status: "active", type: "employee" },
      ...{ timeZone: "Europe/Berlin", workplaceId: "W1", workDays: "Mon,Tue,Wed,Thu,Fri" },
    })),
    policies: [
      { legacyId: "P", name: "Vacation", ...policy, ...POLICIES[shape] },
      { legacyId: "Q", name: "Other", ...policy, schedule: "yearly", minutesPerPeriod: 4800 },
      ...(isMoved
        ? [{ legacyId: "O", name: "Old", ...policy, schedule: "yearly", minutesPerPeriod: 9000 }]
        : []),
    ],
    policy_changes: [],
    assignments: PEOPLE.flatMap((workerId, at) => {
      const terms = { endsOn: "", minutesPerPeriod: "", pauses: "", movesFrom: "" };
      const startsOn = `202${3 + at}-02-1${at}`;
      const own = { workerId, policyId: old, startsOn, ...terms };
      const moved = { workerId, policyId: "P", startsOn: "2026-09-01", ...terms, movesFrom: "O" };
      return [own, { ...own, policyId: "Q" }, ...(isMoved ? [moved] : [])];
    }),
    requests: PEOPLE.flatMap((workerId) => [
      {
        ...{ legacyId: `${workerId}-R1`, ...request, workerId, timeOffPolicyId: old },
        ...{ startAt: "2026-08-03T07:00:00Z", endAt: "2026-08-07T16:00:00Z", requestedMinutes: 2400 },
      },
      {
        ...{ legacyId: `${workerId}-R2`, ...request, workerId, timeOffPolicyId: "P" },
        ...{ startAt: "2026-10-26T23:00:00Z", endAt: "2026-11-06T17:00:00Z", requestedMinutes: 4800 },
      },
      {
        ...{ legacyId: `${workerId}-R3`, ...request, status: "denied", workerId, timeOffPolicyId: old },
        ...{ startAt: "2026-08-14T07:00:00Z", endAt: "2026-08-14T16:00:00Z", requestedMinutes: 480 },
      },
      {
        ...{ legacyId: `${workerId}-R4`, ...request, status: "pending", workerId, timeOffPolicyId: old },
        ...{ startAt: "2026-08-21T07:00:00Z", endAt: "2026-08-21T16:00:00Z", requestedMinutes: 480 },
      },
    ]),
    adjustments: PEOPLE.map((workerId) => ({
      ...{ legacyId: `${workerId}-A1`, workerId, policyId: old, date: "2026-06-01", minutes: 123 },
      expiresOn: "",
    })),
    schedules: PEOPLE.map((workerId) => ({
      ...{ workerId, startsOn: "2023-01-02", minutesPerWeekday: "480,480,480,480,480,0,0" },
      fullTimeMinutesPerWeek: 2400,
    })),
    openings: ["E1", "E2"].map((workerId) => ({
      ...{ workerId, policyId: old, date: "2025-12-31", minutes: 5000 },
    })),
    work_hours: PEOPLE.flatMap((workerId) =>
      [3, 4, 5].map((month) => ({ workerId, date: `2026-0${month}-10`, minutes: 9000 })),
    ),
  };
}

/** Changes a row of a kind, of a worker or with a legacy id. */
const set =
  (kind: string, id: string, values: Row) =>
  (files: Files, worker: string): void => {
    const row = files[kind]!.find(
      ({ legacyId, workerId }) => legacyId === `${worker}${id}` || (id === "" && workerId === worker),
    );
    Object.assign(row!, values); // each worker has one
  };
const drop =
  (kind: string, id: string) =>
  (files: Files, worker: string): void => {
    files[kind] = files[kind]!.filter(({ legacyId, workerId }) =>
      id === "" ? workerId !== worker : legacyId !== `${worker}${id}`,
    );
  };
const add =
  (kind: string, row: (worker: string) => Row) =>
  (files: Files, worker: string): void => {
    files[kind]!.push(row(worker));
  };
const late = (startAt: string) => (files: Files, workerId: string) => {
  const isEarly = startAt < "2026-09";
  files.requests!.push({
    ...{ legacyId: "NEW", createdAt: startAt, startAt, endAt: startAt, requestedMinutes: 480 },
    ...{
      status: "approved",
      timeOffPolicyId: isEarly ? files.requests![0]!.timeOffPolicyId! : "P",
      workerId,
    },
  });
};

/** A change, the causes that name it, and the end of the legacy id of its row, if it has one. */
type Injected = readonly [
  name: string,
  causes: readonly Cause[],
  source: string | null,
  inject: (files: Files, worker: string) => void,
];

const INJECTED: readonly Injected[] = [
  ["late leave", ["leaveAdded"], "NEW", late("2026-10-08T07:00:00Z")],
  ["late leave of May", ["leaveAdded"], "NEW", late("2026-05-08T07:00:00Z")],
  ["other days", ["leaveChanged"], "-R2", set("requests", "-R2", { startAt: "2026-10-19T07:00:00Z" })],
  ["fewer minutes", ["leaveChanged"], "-R1", set("requests", "-R1", { requestedMinutes: 1920 })],
  ["denied", ["leaveDenied"], "-R1", set("requests", "-R1", { status: "denied" })],
  ["removed", ["leaveRemoved"], "-R1", drop("requests", "-R1")],
  ["approved after all", ["leaveAdded"], "-R3", set("requests", "-R3", { status: "approved" })],
  ["approved late", ["leaveChanged"], "-R4", set("requests", "-R4", { status: "approved" })],
  ["pending again", ["leaveChanged"], "-R1", set("requests", "-R1", { status: "pending" })],
  [
    "under another policy",
    ["leaveRemoved", "leaveAdded"],
    "-R1",
    set("requests", "-R1", { timeOffPolicyId: "Q" }),
  ],
  ["of another worker", ["leaveRemoved", "leaveAdded"], "-R1", set("requests", "-R1", { workerId: "E3" })],
  ["another zone", ["leaveChanged"], "-R2", set("workers", "", { timeZone: "Pacific/Honolulu" })],
  [
    "adjustment added",
    ["adjustmentAdded"],
    "NEW",
    add("adjustments", (workerId) => ({
      ...{ legacyId: "NEW", workerId, policyId: "P", date: "2026-10-10", minutes: 77, expiresOn: "" },
    })),
  ],
  ["adjustment changed", ["adjustmentChanged"], "-A1", set("adjustments", "-A1", { minutes: 99 })],
  ["its day", ["adjustmentChanged"], "-A1", set("adjustments", "-A1", { date: "2026-11-02" })],
  ["its expiry", ["adjustmentChanged"], "-A1", set("adjustments", "-A1", { expiresOn: "2026-07-01" })],
  ["adjustment removed", ["adjustmentRemoved"], "-A1", drop("adjustments", "-A1")],
  ["opening changed", ["opening"], null, set("openings", "", { minutes: 4800 })],
  ["opening removed", ["opening"], null, drop("openings", "")],
  [
    "schedule changed",
    ["schedule"],
    null,
    set("schedules", "", { minutesPerWeekday: "480,480,480,0,0,0,0" }),
  ],
  [
    "schedule added",
    ["schedule"],
    null,
    add("schedules", (workerId) => ({
      ...{ workerId, startsOn: "2026-07-01", minutesPerWeekday: "480,480,0,0,0,0,0" },
      fullTimeMinutesPerWeek: 2400,
    })),
  ],
  ["full time", ["schedule"], null, set("schedules", "", { fullTimeMinutesPerWeek: 4800 })],
  [
    "holiday added",
    ["holiday"],
    null,
    add("holidays", () => ({ calendar: "DE", date: "2026-10-28", name: "A new one", minutes: 240 })),
  ],
  ["holiday removed", ["holiday"], null, (files) => void files.holidays!.shift()],
  ["another workplace", ["holiday"], null, set("workers", "", { workplaceId: "W2" })],
  [
    "assignment's own amount",
    ["assignment"],
    null,
    (files, worker) => {
      if (files.policies![0]!.minutesPerPeriod !== undefined)
        set("assignments", "", { minutesPerPeriod: 7777 })(files, worker);
    },
  ],
  [
    "pause",
    ["assignment"],
    null,
    set("assignments", "", { pauses: "2026-02-01/2026-02-28; 2026-04-05/2026-06-30" }),
  ],
  ["hired later", ["worker"], null, set("workers", "", { startDate: "2026-03-20" })],
  ["left earlier", ["worker"], null, set("workers", "", { endDate: "2026-09-12" })],
  [
    "amount",
    ["rule"],
    null,
    (files) => {
      for (const policy of files.policies!)
        Object.assign(policy, policy.minutesPerChunk ? { minutesPerChunk: 3 } : { minutesPerPeriod: 700 });
    },
  ],
  [
    "amount of the policy before",
    ["rule"],
    null,
    (files) => void Object.assign(files.policies!.at(-1)!, { minutesPerPeriod: 7777 }),
  ],
  [
    "amount from a day on",
    ["rule"],
    null,
    (files) => {
      const [policy] = files.policies!;
      const amount = policy!.minutesPerChunk ? { minutesPerChunk: 5 } : { minutesPerPeriod: 5 };
      files.policy_changes!.push({ policyId: "P", from: "2026-04-01", ...amount });
    },
  ],
  ["hours changed", ["workedHours"], null, set("work_hours", "", { minutes: 60 })],
  ["hours removed", ["workedHours"], null, drop("work_hours", "")],
  ["another position", [], null, set("workers", "", { position: "Somewhere else" })],
];

const service = await startService({ today: () => formatDay(utcDayOf(Date.now())) });
afterAll(() => void setSystemTime());
let companies = 0;

/** Closes October of a company, imports its files with changes, and returns what differs from the close. */
async function differences(shape: string, worker: string, injected: readonly Injected[]) {
  const id = `company-${++companies}`;
  await createCompany(service.writer, id);
  const key = await addKey(service.writer, id);
  const legacyIds = new Map<string, string>();
  const importing = async (files: Files) => {
    const named = Object.entries(files).filter(([, rows]) => rows.length > 0);
    const texts = named.map(([kind, rows]) => {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const cells = rows.map((row) => columns.map((column) => row[column] ?? ""));
      return [`${kind}.csv`, new TextEncoder().encode(csvText([columns, ...cells]))] as const;
    });
    const { sources } = await findSources([folderOf(Object.fromEntries(texts))], null);
    await importCompany(service.writer, id, sources, {
      ...{ isDryRun: false, isPruning: true, allowedRemovals: 1, accepted: new Set(["changes-the-past"]) },
      ...{ today: utcDayOf(Date.now()), nowMs: Date.now() },
    });
    const { requests, adjustments } = await exported(service.writer, id);
    for (const row of [...requests, ...adjustments]) legacyIds.set(row.id, row.legacyId!); // all have one
  };
  setSystemTime(CLOSED_MS);
  const files = filesOf(shape);
  await importing(files);
  const period = { firstDay: dayOfText("2026-10-01"), lastDay: dayOfText("2026-10-31") };
  await closePeriod(service, id, "2026-10", period);
  setSystemTime(CLOSED_MS + 9 * DAY_MS);
  for (const [, , , inject] of injected) inject(files, worker);
  await importing(files);
  const list = async <T>(path: string) => {
    const { status, text } = await service.call(path, { key });
    expect([path, status]).toEqual([path, 200]);
    return (JSON.parse(text) as { readonly data: readonly T[] }).data; // as the schema says
  };
  const found = await list<CloseDifference>("/v1/time_off/closes/2026-10/differences");
  const after = await list<Movement>(
    "/v1/time_off/movements?groupBy=worker,policy&after=2026-10&to=2026-11-11&limit=100",
  );
  // Another way to the same differences.
  const restated = after.filter((row) => row.restated !== 0).map((row) => Math.round(row.restated * 100));
  expect(found.map((row) => Math.round(row.difference * 100)).toSorted()).toEqual(restated.toSorted());
  return found.map(({ difference, causes }) => ({
    by: Math.round(difference * 100),
    causes: causes.map(({ cause, sourceId, minutes }) => ({
      ...{ cause, by: Math.round(minutes * 100) },
      source: sourceId === null ? null : legacyIds.get(sourceId)!,
    })),
  }));
}

const isNamedBy = ({ cause, source }: { cause: Cause; source: string | null }, [, causes, end]: Injected) =>
  causes.includes(cause) && (end === null ? source === null : (source?.endsWith(end) ?? false));

test.each(Object.keys(POLICIES))(
  "one change is the cause that is named: %s",
  async (shape) => {
    let named = 0;
    for (const injected of INJECTED) {
      const found = await differences(shape, "E2", [injected]);
      for (const { by, causes } of found) {
        const isRight = causes.length === 1 && causes[0]!.by === by && isNamedBy(causes[0]!, injected);
        if (!isRight) throw new Error(`${injected[0]}: ${by}, ${JSON.stringify(causes)}`);
      }
      if (found.length > 0) named++;
    }
    expect(named).toBeGreaterThan(20);
  },
  600_000,
);

test.each(Object.keys(POLICIES))(
  "two or three changes are the causes that are named: %s",
  async (shape) => {
    const random = randomOf(5);
    for (let round = 0; round < 12; round++) {
      const first = random(INJECTED.length);
      const some = [0, 7, 16].slice(0, 2 + (round % 2));
      const injected = some.map((step) => INJECTED[(first + step) % INJECTED.length]!);
      const names = injected.map(([name]) => name).join(", ");
      for (const { by, causes } of await differences(shape, "E2", injected)) {
        expect([names, causes.reduce((sum, cause) => sum + cause.by, 0)]).toEqual([names, by]);
        for (const cause of causes)
          if (!injected.some((each) => isNamedBy(cause, each)))
            throw new Error(`${names}: ${JSON.stringify(causes)}`);
      }
    }
  },
  600_000,
);
