// Digests of records spare an import work, and nothing else. Property: whatever is imported one after the other, a store with
// digests and one without hold the same, and each import tells the same.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { recomputeDefaultDays } from "../../src/import/load/kinds/requests.ts";
import type { ImportOptions } from "../../src/import/report.ts";
import { ImportRefused } from "../../src/import/row-errors.ts";
import {
  counted,
  type Files,
  folderOf,
  POLICIES_CSV,
  requestsCsv,
  SMALL,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../support/import-files.ts";

type Row = Readonly<Record<string, string>>;
type Kind = "workers" | "policies" | "assignments" | "requests" | "adjustments" | "work_hours" | "openings";
type State = Readonly<Record<Kind, readonly Row[]>>;

/** What each field may be: few values, so that rows meet; some are bad, or are reported. */
const FIELDS: Readonly<Record<Kind, Readonly<Record<string, readonly string[]>>>> = {
  workers: {
    id: ["", "", "", "", "", "wrk_1", "wrk_2"],
    legacyId: ["E1", "E2", "E3", "E1", "E2", "E3", "wrk_1", ""],
    firstName: ["Ana", "Bo"],
    lastName: ["Lind"],
    email: ["a@example.com", "b@example.com"],
    isBusiness: ["no"],
    startDate: ["2024-01-01", "2023-06-01"],
    status: ["active", "active", "inactive", "gone"],
    type: ["employee"],
    timeZone: ["Europe/Berlin", "Pacific/Auckland", "", ""],
    managerId: ["", "", "", "E1", "E9"],
  },
  policies: {
    id: ["", "", "", "", "top_1"],
    legacyId: ["PTO", "SICK", "PTO", "SICK", "top_1"],
    name: ["Leave", "Other leave"],
    paid: ["yes"],
    schedule: ["monthly", "yearly", "monthly", "unlimited"],
    timeOffTypeName: ["Vacation"],
    unit: ["hour"],
  },
  assignments: {
    id: ["", "", "", "toa_1"],
    workerId: ["E1", "E2", "E3", "wrk_1"],
    policyId: ["PTO", "SICK", "top_1"],
    assignedAt: [
      "2024-01-01T00:00:00Z",
      "2024-01-01T22:00:00Z",
      "2024-03-01T12:00:00Z",
      "1900-01-01T12:00:00Z",
    ],
    minutesPerPeriod: ["", "", "", "60"],
  },
  requests: {
    id: ["", "", "", "", "tor_1"],
    legacyId: ["R1", "R2", "R3", "R4", "R5", ""],
    createdAt: ["2025-01-01T00:00:00Z"],
    startAt: ["2025-03-03T08:00:00Z", "2025-03-03T22:30:00Z", "2025-03-01T00:00:00Z"],
    endAt: ["2025-03-03T23:00:00Z", "2025-03-05T16:00:00Z", "2026-05-05T16:00:00Z", "2031-01-01T00:00:00Z"],
    requestedMinutes: ["480", "960", "10", "", "many"],
    status: ["approved", "pending", "denied", "denied"],
    timeOffPolicyId: ["PTO", "SICK", "top_1"],
    workerId: ["E1", "E2", "E3", "wrk_1"],
    timeZone: ["", "", "UTC"],
  },
  adjustments: {
    legacyId: ["A1", "A2", "", ""],
    workerId: ["E1", "E2", "E3"],
    policyId: ["PTO", "SICK"],
    date: ["2025-01-01", "2025-02-01", "1910-01-01"],
    minutes: ["60", "-30"],
    note: ["", "x, y"],
  },
  work_hours: {
    workerId: ["E1", "E2", "E3", "wrk_1"],
    date: ["2025-01-01", "2025-01-02", "2026-01-02"],
    minutes: ["480", "300"],
  },
  // On some of these days no assignment has begun, and carried time expires under no policy: that is refused, or reported.
  openings: {
    workerId: ["E1", "E2", "E3"],
    policyId: ["PTO", "SICK"],
    date: ["2023-12-31", "2024-02-29", "2025-01-01"],
    minutes: ["600", "-30"],
    carriedMinutes: ["", "", "60"],
  },
};
const KINDS = Object.keys(FIELDS) as readonly Kind[]; // the kinds

/** What has an amount for each period. */
const withPeriods = (row: Row): Row =>
  row.schedule === undefined || row.schedule === "unlimited" ? row : { ...row, minutesPerPeriod: "600" };

const rowOf = (kind: Kind) =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(FIELDS[kind]).map(([field, values]) => [field, fc.constantFrom(...values)]),
      ),
    )
    .map(withPeriods);

const FIRST: State = {
  workers: ["E1", "E2", "E3"].map((legacyId, at) => ({
    ...worker(legacyId),
    email: `${at}@example.com`,
    startDate: `2024-01-0${at + 1}`,
    timeZone: ["Europe/Berlin", "", "Pacific/Auckland"][at]!,
  })),
  policies: ["PTO", "SICK"].map((legacyId) =>
    withPeriods({
      id: "",
      legacyId,
      name: legacyId,
      paid: "yes",
      schedule: "monthly",
      timeOffTypeName: "Vacation",
      unit: "hour",
    }),
  ),
  assignments: ["E1", "E2", "E3"].map((workerId) => ({
    id: "",
    workerId,
    policyId: "PTO",
    assignedAt: "2024-03-01T12:00:00Z",
    minutesPerPeriod: "",
  })),
  requests: ["R1", "R2", "R3", "R4"].map((legacyId, at) => ({
    id: "",
    legacyId,
    createdAt: "2025-01-01T00:00:00Z",
    startAt: "2025-03-03T08:00:00Z",
    endAt: "2025-03-03T23:00:00Z",
    requestedMinutes: "480",
    status: "approved",
    timeOffPolicyId: "PTO",
    workerId: ["E1", "E2", "E3", "E1"][at]!,
    timeZone: "",
  })),
  adjustments: ["A1", ""].map((legacyId) => ({
    legacyId,
    workerId: "E1",
    policyId: "PTO",
    date: "2025-01-01",
    minutes: "60",
    note: "",
  })),
  work_hours: ["E1", "E2"].map((workerId) => ({ workerId, date: "2025-01-01", minutes: "480" })),
  openings: ["E1", "E2"].map((workerId) => ({
    workerId,
    policyId: "PTO",
    date: "2024-02-29",
    minutes: "600",
    carriedMinutes: "60",
  })),
};

function worker(legacyId: string): Row {
  return {
    id: "",
    legacyId,
    firstName: "Ana",
    lastName: "Lind",
    email: "",
    isBusiness: "no",
    startDate: "",
    status: "active",
    type: "employee",
    timeZone: "",
    managerId: "",
  };
}

const edit = fc.constantFrom(...KINDS).chain((kind) =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom(...Object.keys(FIELDS[kind])).chain((field) =>
        fc.record({
          what: fc.constant("set" as const),
          kind: fc.constant(kind),
          at: fc.nat(5),
          field: fc.constant(field),
          value: fc.constantFrom(...FIELDS[kind][field]!),
        }),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.record({ what: fc.constant("add" as const), kind: fc.constant(kind), row: rowOf(kind) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        what: fc.constantFrom("remove" as const, "twice" as const, "last" as const),
        kind: fc.constant(kind),
        at: fc.nat(5),
      }),
    },
  ),
);
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

function edited(state: State, change: Edit): State {
  const rows = state[change.kind];
  const index = "at" in change ? change.at % Math.max(1, rows.length) : 0;
  const changed = () => {
    const row = rows[index];
    switch (change.what) {
      case "add":
        return [...rows, change.row];
      case "set":
        return rows.map((row, at) =>
          at === index ? withPeriods({ ...row, [change.field]: change.value }) : row,
        );
      case "remove":
        return rows.filter((_, at) => at !== index);
      case "twice":
        return row === undefined ? rows : [...rows, row];
      case "last":
        return row === undefined ? rows : [...rows.filter((_, at) => at !== index), row];
    }
  };
  return { ...state, [change.kind]: changed() };
}

const MAPPINGS = {
  none: null,
  plain: {},
  local: { dates: "yyyy-MM-dd'T'HH:mm:ss'Z'" },
  skipping: { skip: { status: "denied" } },
  withHours: { hoursPerDay: 8 },
} as const;

const nightly = fc.record({
  edits: fc.array(edit, { maxLength: 3 }),
  /** Files that are not there. */
  absent: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...KINDS), { maxLength: 5 }) },
  ),
  mapping: fc.oneof(
    { weight: 4, arbitrary: fc.constant("none" as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "plain" as const,
        "local" as const,
        "skipping" as const,
        "withHours" as const,
      ),
    },
  ),
  /** After an update, and sometimes back. */
  program: fc.oneof(
    { weight: 3, arbitrary: fc.constant("tests") },
    { weight: 1, arbitrary: fc.constant("updated tests") },
  ),
  isDryRun: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  isPruning: fc.boolean(),
  limit: fc.constantFrom(null, 3, 50),
  today: fc.constantFrom(20_240, 20_241, 20_200, 20_700),
  /** The company's time zone from now on; undefined: as before. */
  zone: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom("Asia/Tokyo", "America/New_York") },
  ),
  form: fc.constantFrom("csv" as const, "csv" as const, "csv" as const, "jsonl" as const),
});
type Nightly = typeof nightly extends fc.Arbitrary<infer N> ? N : never;

function fileOf(
  kind: Kind,
  rows: readonly Row[],
  form: "csv" | "jsonl",
): readonly [name: string, text: string] {
  if (form === "jsonl") return [`${kind}.jsonl`, rows.map((row) => JSON.stringify(row)).join("\n")];
  const header = [...Object.keys(FIELDS[kind]), ...(kind === "policies" ? ["minutesPerPeriod"] : [])];
  const cell = (text: string) => (text.includes(",") ? `"${text}"` : text);
  return [
    `${kind}.csv`,
    [header, ...rows.map((row) => header.map((name) => cell(row[name] ?? "")))]
      .map((cells) => cells.join(","))
      .join("\n"),
  ];
}

async function setZone(company: TestCompany, timeZone: string): Promise<void> {
  await company.store.change(company.id, async (transaction) => {
    await transaction.updateCompany({ timeZone });
    return { result: await recomputeDefaultDays(transaction), changed: true, commit: true };
  });
}

/** What an import tells: its report, or why it was refused. */
async function told(
  company: TestCompany,
  state: State,
  night: Nightly,
  program: string | undefined,
): Promise<unknown> {
  const { absent, form, isDryRun, isPruning, limit, mapping, today } = night;
  if (night.zone !== undefined) await setZone(company, night.zone);
  const kinds = KINDS.filter((kind) => !(absent as readonly Kind[]).includes(kind)); // a list of kinds
  const files = Object.fromEntries(kinds.map((kind) => fileOf(kind, state[kind], form)));
  const rules = MAPPINGS[mapping];
  let mapPath: string | undefined;
  if (rules !== null) {
    mapPath = join(temporaryFolder(), "map.json");
    const sources = Object.fromEntries(
      kinds.map((kind) => [kind, { from: `${kind}.${form}`, ...(kind === "requests" && rules) }]),
    );
    writeFileSync(mapPath, JSON.stringify(sources));
  }
  const aside: unknown[] = [];
  const options: Partial<ImportOptions> = {
    isDryRun,
    isPruning,
    allowedRemovals: 1,
    today,
    program,
    quarantine: limit === null ? undefined : { limit, write: (rows) => void aside.push(...rows) },
  };
  try {
    const report = await company.importFolder(folderOf(files), options, mapPath);
    return { report: { ...report, changedAtMs: {}, heldMs: 0 }, aside }; // files are made anew, and time passes
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return { refused: error.message };
  }
}

/** Everything of a store that digests have no part in. */
async function contents(company: TestCompany): Promise<unknown> {
  const database = new Database(company.path, { readonly: true });
  const numbers = ["workers", "policies", "assignments", "requests"].map((kind) =>
    database.query(`select id, seq from ${kind} order by id`).values(),
  );
  const changes = database
    .query("select resource, id, seq, is_gone from changes order by resource, id")
    .values();
  const [number] = database.query("select seq, time_zone from companies").values();
  database.close();
  return { stored: await company.stored(), numbers, changes, number };
}

test("stores with and without digests have the same rows and reports after any imports", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(nightly, { minLength: 1, maxLength: 6 }), async (nights) => {
      const [using, plain] = [await TestCompany.open(), await TestCompany.open()];
      let state = FIRST;
      const first: Nightly = {
        edits: [],
        absent: [],
        mapping: "none",
        isDryRun: false,
        isPruning: false,
        limit: null,
        program: "tests",
        today: 20_240,
        zone: undefined,
        form: "csv",
      };
      for (const night of [first, ...nights]) {
        state = night.edits.reduce(edited, state);
        expect(await told(using, state, night, night.program)).toEqual(
          await told(plain, state, night, undefined),
        );
        expect(await contents(using)).toEqual(await contents(plain));
      }
      await using.store.close();
      await plain.store.close();
    }),
    { numRuns: RUNS },
  );
});

const RUNS = Number(process.env.ROLLCALL_TEST_DIGEST_RUNS ?? 6);

test("a record with a stored digest is not made into a row again, by the same program", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  // So that it shows: nobody else changes rows without their digests.
  const tamper = () => {
    const database = new Database(company.path);
    database.run("update requests set minutes = 1");
    database.close();
  };
  tamper();
  expect(counted(await company.import(SMALL))).toMatchObject({ "requests.csv": "0/0/2/0" });
  expect(counted(await company.import(SMALL, { program: "another" }))).toMatchObject({
    "requests.csv": "0/2/0/0",
  });
  tamper();
  expect(counted(await company.import(SMALL, { program: "another" }))).toMatchObject({
    "requests.csv": "0/0/2/0",
  });
});

test("after an update, also beyond a first batch of rows, leave with the minutes of its days is read", async () => {
  const company = await TestCompany.open();
  const [header, ...rows] = requestsCsv(
    ...Array.from({ length: 1200 }, (_, at) => `R${at} approved E1`),
  ).split("\n");
  const written = rows.map((row, at) => `${row},${at < 1100 ? "" : "2025-03-03:480"}`);
  const files = { ...SMALL, "requests.csv": [`${header},dayMinutes`, ...written].join("\n") };
  await company.import(files);
  const again = await company.import(files, { program: "another" });
  expect(counted(again)).toMatchObject({ "requests.csv": "0/0/1200/0" });
});

test("after an update stored digests are ignored, and unchanged rows get new ones", async () => {
  const company = await TestCompany.open();
  const files = {
    ...SMALL,
    "requests.csv": requestsCsv(...Array.from({ length: 2500 }, (_, at) => `R${at} approved E1`)),
    "work_hours.csv": "workerId,date,minutes\nE1,2025-01-02,60\nE2,2025-01-01,480\nE1,2025-01-01,480",
  };
  await company.import(files);
  const unchanged = { "requests.csv": "0/0/2500/0", "work_hours.csv": "0/0/3/0" };
  expect(counted(await company.import(files, { program: "another" }))).toMatchObject(unchanged);
  const spoil = () => {
    const database = new Database(company.path);
    database.run("update requests set doc = replace(doc, '480', '481') where legacy_id = 'R7'");
    database.close();
  };
  // What was written behind its back stays where records are known, and is mended where they are looked at.
  spoil();
  expect(counted(await company.import(files, { program: "another" }))).toMatchObject(unchanged);
  expect(counted(await company.import(files, { program: "a third" }))).toMatchObject({
    ...unchanged,
    "requests.csv": "0/1/2499/0",
  });
  spoil();
  expect(counted(await company.import(files, { program: "a third" }))).toMatchObject(unchanged);
});

test("an amount that follows from the worker's days follows them when they change", async () => {
  const company = await TestCompany.open();
  const [header, row] = workersCsv("E1").split("\n");
  const filesOf = (workDays: string) => ({
    "workers.csv": `${header},workDays\n${row},"${workDays}"`,
    "policies.csv": POLICIES_CSV,
    "leave.csv": "legacyId,workerId,startAt,endAt\n1,E1,2025-03-03,2025-03-09",
    "map.json": JSON.stringify({
      requests: {
        from: "leave.csv",
        values: { timeOffPolicyId: "PTO", status: "approved", createdAt: "2025-01-01T00:00:00Z" },
        ...{ endDay: "included", hoursPerDay: 8 },
      },
    }),
  });
  const minutes = async (workDays: string) => {
    const folder = folderOf(filesOf(workDays));
    await company.importFolder(folder, {}, join(folder, "map.json"));
    return (await company.stored()).requests.map((request) => request.minutes);
  };
  expect(await minutes("Mon-Fri")).toEqual([5 * 480]);
  expect(await minutes("Mon-Wed")).toEqual([3 * 480]);
  expect(await minutes("")).toEqual([5 * 480]);
});

test("an opening is looked at by each import: its findings, and the assignment on which it depends", async () => {
  const company = await TestCompany.open();
  const openings = (carried: string) =>
    `workerId,policyId,date,minutes,carriedMinutes\nE1,PTO,2025-01-31,600,${carried}`;
  const assigned = (startsOn: string) => `workerId,policyId,startsOn\nE1,PTO,${startsOn}`;
  const files = { ...SMALL, "assignments.csv": assigned("2025-01-01"), "openings.csv": openings("60") };
  const codes = async (files: Files) => (await company.import(files)).findings.map(({ code }) => code);
  expect(await codes(files)).toContain("opening-expiry");
  expect(await codes(files)).toContain("opening-expiry");
  const later = { ...files, "assignments.csv": assigned("2025-06-01") };
  expect(await company.refused(later)).toEqual([
    expect.stringMatching(/date: "2025-01-31" is more than a day before the assignment begins on 2025-06-01/),
  ]);
});

test("an import that another one meets while it reads begins again", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  const more = requestsCsv(...Array.from({ length: 30 }, (_, at) => `R${at} approved E1`));
  const folder = folderOf({ ...SMALL, "requests.csv": more });
  const other = () => {
    const command = ["import", folder, "--company", company.id, "--db", company.path];
    const cli = join(import.meta.dir, "../../src/cli/main.ts");
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, cli, ...command]);
    expect([exitCode, stderr.toString()]).toEqual([0, expect.any(String)]);
  };
  let isMet = false;
  const report = await company.import(SMALL, {
    onProgress: () => {
      if (isMet) return;
      isMet = true;
      other();
    },
  });
  expect(isMet).toBe(true);
  expect(counted(report)).toMatchObject({ "requests.csv": "0/1/1/0" }); // beside the other's thirty
  expect((await company.stored()).requests).toHaveLength(30);
});
