// Presets: each stores what is expected of what its system sends (expected.json in its folder), and gives balances with a mapping that
// extends it. `UPDATE_PRESETS=1 bun test` on this file writes what is expected anew: read the difference.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { presetNotes } from "../../src/cli/commands/store/doctor.ts";
import { createApp } from "../../src/http/app.ts";
import type { Preset } from "../../src/onboarding/preset.ts";
import { PRESETS } from "../../src/onboarding/presets/index.ts";
import { RULES } from "../../src/resources/policies.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { DAY_MS, parseDay } from "../../src/time/day.ts";
import { bareParts, CONNECTION } from "../http/bare-parts.ts";
import { mapFile } from "../import/convert/mapped.ts";
import { exampleOf } from "../pull/fakes/fake.ts";
import { findingsOf, folderOf, TestCompany } from "../support/import-files.ts";
import { addKey } from "../support/stores.ts";
import { storedLines } from "./draft-folders.ts";

/** Exports of these systems have what a policy grants: synced-presets.all.test.ts tells their balances. */
const KNOW_GRANTS: ReadonlySet<string> = new Set(["frappe", "gusto", "odoo", "warp"]);

/** What Ana has left by exports that say it. */
const LEFT: Readonly<Record<string, number>> = {
  bamboohr: 13.5 * 480,
  factorial: 15.5 * 480,
  gusto: 120 * 60,
  personio: 14.5 * 480,
};

const isUpdating = process.env.UPDATE_PRESETS === "1";
const FOLDERS = join(import.meta.dir, "../../src/onboarding/presets");
const folderOfPreset = (name: string) => join(FOLDERS, name);

test("each folder is a preset, and uses each of its queries", () => {
  const folders = readdirSync(FOLDERS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(PRESETS.map(({ name }) => name).sort());
  for (const { name, mapping } of PRESETS) {
    const files = readdirSync(folderOfPreset(name)).filter((file) => file.endsWith(".sql"));
    const texts = files.map((file) => readFileSync(join(folderOfPreset(name), file), "utf8"));
    const queries = Object.values(mapping).flatMap((source) => (source as { query?: string }).query ?? []);
    for (const text of texts) expect(queries.some((query) => query.includes(text))).toBe(true);
    const own = texts.filter((text) => queries.some((query) => query.endsWith(text)));
    expect(own.length).toBe(queries.length);
  }
});

test.each(PRESETS.map((preset) => [preset.name, preset] as const))(
  "%s says of itself when it was checked, and against what",
  (_, { checkedOn, version }) => {
    expect(parseDay(checkedOn)).not.toBeNull();
    expect(version).not.toBe("");
  },
);

test("doctor names the preset of a company that nobody has compared with its system for a year", () => {
  const [{ name, checkedOn, system }] = PRESETS as [Preset];
  const checkedMs = Date.parse(checkedOn);
  expect(presetNotes("acme", name, checkedMs + 365 * DAY_MS)).toEqual([]);
  expect(presetNotes("acme", "./own.map.json", checkedMs + 900 * DAY_MS)).toEqual([]);
  expect(presetNotes("acme", name, checkedMs + 366 * DAY_MS)[0]!.problem).toBe(
    `company acme: the preset ${name} was last compared with ${system} on ${checkedOn}`,
  );
});

test.each(PRESETS.map((preset) => [preset.name, preset] as const))(
  "%s writes no field that no query reads",
  (_, { pull, mapping }) => {
    const queries = Object.values(mapping).map((source) => (source as { query?: string }).query ?? "");
    const files = Object.values((pull?.files ?? {}) as Record<string, { keep: string[] }>);
    const words = new Set(queries.join(" ").match(/\w+/g));
    const unread = files
      .flatMap(({ keep }) => keep)
      .filter((path) => path.split(".").some((key) => !words.has(key)));
    expect(unread).toEqual([]);
  },
);

const DOCS = readFileSync(join(import.meta.dir, "../../docs/presets.md"), "utf8");

test.each(PRESETS.map((preset) => [preset.name, preset] as const))(
  "docs/presets.md says of %s each field that is written, and what was not tried",
  (name, { pull, untried }) => {
    const section = DOCS.split(`\n## ${name}\n`)[1]!.split("\n## ")[0]!;
    const files = Object.values((pull?.files ?? {}) as Record<string, { keep: string[] }>);
    const missing = files.flatMap(({ keep }) => keep).filter((path) => !section.includes(`\`${path}\``));
    expect(missing).toEqual([]);
    if (untried !== null) expect(section).toContain(`**Untried:** ${untried}`);
  },
);

test("warp reads every rule of a policy, so that a copy of another Rollcall counts as it does", () => {
  const query = readFileSync(join(folderOfPreset("warp"), "policies.sql"), "utf8");
  expect(RULES.filter((rule) => !query.includes(`rules ->> '${rule}' as ${rule},`))).toEqual([]);
});

/** What an import of a preset's example says with another text in a file: how it was refused, or its findings. */
async function saidOf(preset: string, file: string, text: string, other: string): Promise<string> {
  const folder = exampleOf(preset);
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
  const changed = files.map(([name, content]) => [
    name,
    name === file ? content.replace(text, other) : content,
  ]);
  expect(changed).not.toEqual(files);
  const company = await TestCompany.open();
  return await company.importFolder(folderOf(Object.fromEntries(changed)), {}, preset).then(
    ({ findings }) => findings.map(({ code }) => code).join(),
    (error: Error) => error.message,
  );
}

// Values that no document of these systems has, or that may be missing by them: Gusto's TimeOffPolicyEmployees has no balance in its example.
const NO_BALANCE = "minutes: is missing";
test.each([
  ["bamboohr", "balances.json", '"13.50"', "null", NO_BALANCE],
  ["factorial", "allowance_stats.json", '"15.5"', "null", NO_BALANCE],
  ["factorial", "allowance_stats.json", '"3.0"', '{"s": "3.0"}', NO_BALANCE],
  ["factorial", "allowance_stats.json", '"15.5"', '"15,5"', NO_BALANCE],
  ["gusto", "time_off_policies.json", '"balance"', '"other"', NO_BALANCE],
  [
    "personio",
    "balances.json",
    '0,\n      "employee_id": "102"',
    'null,\n      "employee_id": "102"',
    NO_BALANCE,
  ],
  ["bamboohr", "balances.json", '"units": "days"', '"units": null', 'has the unit ""'],
  ["gusto", "time_off_policies.json", '"160.0"', '"1,600.0"', 'minutesPerPeriod: "1,600.0" is not a number'],
  ["gusto", "time_off_policies.json", '"40.0"', '"all"', 'carryoverLimitMinutes: "all" is not a number'],
  ["gusto", "time_off_requests.json", '"8.000"', "null", "requestedMinutes: is missing"],
  ["gusto", "time_off_requests.json", '"8.000"', '"8 h"', "requestedMinutes: is missing"],
  ["sage-hr", "terminated_employees.json", '"2025-04-30"', "null", "left-without-end"],
  ["gusto", "time_off_policies.json", "per_calendar_year", "fixed", "minutesPerPeriod: is missing"],
  ["factorial", "leaves.json", "true", '"waiting"', 'status: "waiting" is not one of'],
  ["factorial", "leaves.json", "beggining_of_day", "all_day_long", "assumed-days"],
  ["personio-v2", "absence-breakdowns.json", '"DAY"', '"MINUTE"', "assumed-days"],
  ["personio-v2", "absence-breakdowns.json", '"value": 1', '"value": null', "assumed-days"],
  // Rows that lost what they belong to, or the moment that orders them.
  ["bamboohr", "balances.json", '"employeeId": "101"', '"employeeId": null', "workerId: is missing"],
  ["factorial", "allowance_stats.json", '"employee_id": 101', '"employee_id": null', "workerId: is missing"],
  ["personio", "balances.json", '"employee_id": "101"', '"employee_id": null', "workerId: is missing"],
  ["gusto", "time_off_policies.json", '"uuid": "4b3f930f-0001"', '"uuid": null', "workerId: is missing"],
  [
    "gusto",
    "time_off_policies.json",
    '"employees": [',
    '"employees": null, "other": [',
    "workerId: is missing",
  ],
  ["gusto", "time_off_requests.json", '"8.000"', '""', "requestedMinutes: is missing"],
  ["warp", "time_off_balances.json", '"policyId": "top_pto"', '"policyId": null', "policyId: is missing"],
  [
    "personio-v2",
    "absence-breakdowns.json",
    '"period_id": "',
    '"other": "',
    "absence-breakdowns.json:3: status: is missing",
  ],
  ["frappe", "leave_ledger.json", '"employee": "HR-EMP-00101"', '"employee": null', "workerId: is missing"],
  [
    "frappe",
    "leave_ledger.json",
    '"transaction_type": "Leave Application"',
    '"transaction_type": null',
    "date: is missing",
  ],
  ["frappe", "leave_ledger.json", '"leaves": -3.0', '"leaves": null', "minutes: is missing"],
  ["frappe", "leave_ledger.json", '"leaves": -3.0', '"leaves": "three"', 'minutes: "three" is not a number'],
  ["odoo", "leaves.json", '"number_of_days": 3.0', '"number_of_days": null', "minutes: is missing"],
  [
    "odoo",
    "leaves.json",
    '"number_of_days": 3.0',
    '"number_of_days": false',
    'minutes: "false" is not a number',
  ],
  [
    "hibob",
    "timeoff_changes.json",
    '"createdOn": "2025-01-09T10:00:00"',
    '"createdOn": null',
    "createdAt: is missing",
  ],
  ["hibob", "timeoff_changes.json", '"changeType": "Updated"', '"changeType": null', "status: is missing"],
  ["personio-v2", "absence-breakdowns.json", '"date": "2025-03-04"', '"date": null', "assumed-days"],
  [
    "odoo",
    "leave_types.json",
    '"requires_allocation": true',
    '"requires_allocation": null',
    "schedule: is missing",
  ],
  ["odoo", "leave_types.json", '"request_unit": "day"', '"request_unit": null', "unit: is missing"],
  [
    "factorial",
    "leaves.json",
    '"hours_amount_in_cents": null',
    '"hours_amount_in_cents": "two"',
    "is not a number",
  ],
])("%s: in %s, %s as %s is not guessed", async (preset, file, text, other, said) => {
  expect(await saidOf(preset, file, text, other)).toContain(said);
});

// What is left of sums of fractions, as JSON writes it.
test("factorial: an amount that is nearly nothing is a number", async () => {
  const units = '"used_units_until_reference_date": ';
  expect(await saidOf("factorial", "allowance_stats.json", `${units}"3.0"`, `${units}4.4e-16`)).toBe(
    "opening-leave",
  );
});

test("factorial: balances of two days are refused, and not added", async () => {
  const folder = exampleOf("factorial");
  const names = readdirSync(folder);
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const company = await TestCompany.open();
  const imported = (more: Record<string, string>) =>
    company.importFolder(folderOf({ ...files, ...more }), {}, "factorial");
  expect(await findingsOf(imported({ "allowance_stats_2.json": files["allowance_stats.json"]! }))).toEqual([
    expect.stringContaining("is already on line"),
  ]);
  await imported({ "allowances_2.json": files["allowances.json"]! });
  expect((await company.stored()).openings.map(({ minutes }) => minutes)).toEqual([0, LEFT.factorial!]);
});

test.each([
  [`{"2025-03-03": 7, "2025-03-04": null, "2025-03-05": 7}`],
  [`{"2025-03-03": 7, "2025-03-04": "", "2025-03-05": 7}`],
])(
  "factorial: of a type in hours, days without a number are not computed by the contract: %s",
  async (hours) => {
    const folder = exampleOf("factorial");
    const files = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
    );
    const days = '{"2025-03-03": 1, "2025-03-04": 1, "2025-03-05": 1}';
    const told = `"days_taken": 3, "duration_by_day_attributes": {"used_units_by_day": {"days": ${days}, "hours": ${hours}}}`;
    const company = await TestCompany.open();
    const { findings } = await company.importFolder(
      folderOf({
        ...files,
        "allowances.json": files["allowances.json"]!.replace(
          '"allowance_type": "days"',
          '"allowance_type": "hours"',
        ),
        "leaves.json": files["leaves.json"]!.replace(
          '"hours_amount_in_cents": null',
          `"hours_amount_in_cents": null, ${told}`,
        ),
      }),
      {},
      "factorial",
    );
    expect(findings.map(({ code }) => code)).toContain("assumed-days");
  },
);

// Leave over the turn of two windows comes with both. Two saves of one window do not tell which of them is today's.
test.each([
  ["bamboohr", "time_off_requests.json", '"approved"', '"canceled"'],
  ["sage-hr", "leave_requests.json", '"Approved"', '"Declined"'],
])("%s: requests that were saved on two days are refused", async (preset, file, status, other) => {
  const folder = exampleOf(preset);
  const files = Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
  const changed = files[file]!.replaceAll(status, other);
  expect(changed).not.toBe(files[file]!);
  const later = { [file.replace(".json", "_2.json")]: changed };
  const company = await TestCompany.open();
  const refused = await findingsOf(company.importFolder(folderOf({ ...files, ...later }), {}, preset));
  expect(refused.join("\n")).toContain("is already");
});

test.each([
  ["bamboohr", "time_off_requests.json", '"approved"', '"canceled"'],
  ["sage-hr", "leave_requests.json", '"Approved"', '"Canceled"'],
])(
  "%s: leave that one file has as approved, and another as cancelled, is refused",
  async (preset, file, status, other) => {
    const folder = exampleOf(preset);
    const files = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
    );
    const leave = JSON.parse(files[file]!);
    const [first] = leave.data ?? leave;
    const approved = JSON.stringify(leave.data === undefined ? [first] : { data: [first] });
    const cancelled = approved.replace(status, other);
    expect(cancelled).not.toBe(approved);
    for (const [earlier, later] of [
      [approved, cancelled],
      [cancelled, approved],
    ] as const) {
      const company = await TestCompany.open();
      const saved = { ...files, [file]: earlier, [file.replace(".json", "_2.json")]: later };
      const refused = await findingsOf(company.importFolder(folderOf(saved), {}, preset));
      expect(refused.join("\n")).toContain("is already on line");
    }
  },
);

test("hibob: an item of a list whose name is not sent is no position, department or workplace", async () => {
  const folder = exampleOf("hibob");
  const files = Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
  const people = JSON.parse(files["people.json"]!);
  Object.assign(people.employees[0], { humanReadable: null });
  Object.assign(people.employees[0].work, { title: "268224789", department: "268224790", site: "268224791" });
  const company = await TestCompany.open();
  await company.importFolder(folderOf({ ...files, "people.json": JSON.stringify(people) }), {}, "hibob");
  expect(JSON.stringify(await company.stored())).not.toMatch(/26822479|268224789/);
});

const WORKDAY_PEOPLE = `
  Employee ID,Legal First Name,Legal Last Name,Preferred Name,Email - Work,Business Title,Hire Date,Termination Date,Worker Status,Worker Type
  101,Ana,Lind,,ana@example.com,Engineer,2023-03-01,,Active,Employee
`;
const workdayLeave = (...rows: readonly string[]) =>
  ["Employee ID,Time Off Type,Time Off Date,Quantity,Unit,Status,Request Date,Comment", ...rows].join("\n");

// Reports write dates as the locale of whoever exports them does.
test.each([
  [
    "101,Vacation,03/04/2026,8,Hours,Approved,2026-01-05,",
    '"03/04/2026" does not have the form yyyy-MM-dd: correct it, or add its form to the mapping\'s "dates"',
  ],
  ["101,Vacation,2026-03-04,-8,Hours,Approved,2026-01-05,", '"-8" is below 0'],
  ["101,Vacation,2026-03-04,8,Hours,,2026-01-05,", "status: is missing"],
  // A report with a row for each of several values of another field has copies.
  [
    "101,Vacation,2026-03-04,4,Hours,Approved,,\n101,Vacation,2026-03-04,4,Hours,Approved,,",
    "is already on line 2",
  ],
  [
    "101,Vacation,2026-03-04,4,Hours,Approved,,\n101,Vacation,2026-03-04,0.5,Days,Approved,,",
    "is already on line",
  ],
  [
    "101,Vacation,2026-03-04,,Hours,Approved,,\n101,Vacation,2026-03-04,8,Hours,Approved,,",
    "requestedMinutes: is missing",
  ],
  [
    "101,Vacation,2026-03-04,4,,Approved,,\n101,Vacation,2026-03-04,4,Hours,Approved,,",
    '"4" has the unit ""',
  ],
  ["101,Vacation,2026-03-04,8,Hours,Draft,2026-01-05,", '"Draft" is not one of'],
])("workday: %s is refused", async (row, said) => {
  const company = await TestCompany.open();
  const folder = folderOf({ "Workers.csv": WORKDAY_PEOPLE, "Time_Off.csv": workdayLeave(row) });
  expect((await findingsOf(company.importFolder(folder, {}, "workday"))).join("\n")).toContain(said);
  const contractor = folderOf({
    "Workers.csv": WORKDAY_PEOPLE.replace(",Employee\n", ",Consultant\n"),
    "Time_Off.csv": workdayLeave("101,Vacation,2026-03-04,8,Hours,Approved,2026-01-05,"),
  });
  expect((await findingsOf(company.importFolder(contractor, {}, "workday"))).join()).toContain(
    'type: "Consultant"',
  );
});

test("workday: a day's approved entries add up, so that a correction takes back what it says", async () => {
  const company = await TestCompany.open();
  const rows = [
    ...["02,8,Hours,Approved", "02,-8,Hours,Approved"], // taken back
    ...["03,8,Hours,Approved", "03,-4,Hours,Approved"], // half of it
    ...["04,8,Hours,Approved", "04,-8,Hours,Submitted"], // not yet
    ...["05,8,Hours,Denied", "05,8,Hours,Approved"], // asked again
    ...["06,0.25,Days,Approved", "06,0.75,Days,Approved"], // two parts
  ];
  const folder = folderOf({
    "Workers.csv": WORKDAY_PEOPLE,
    "Time_Off.csv": workdayLeave(...rows.map((row) => `101,Vacation,2026-03-${row},2026-01-05,`)),
  });
  await company.importFolder(folder, {}, "workday");
  const stored = (await company.stored()).requests.map(({ doc }) => JSON.parse(doc));
  expect(
    stored
      .map(({ startAt, requestedMinutes, status }) => [startAt.slice(8, 10), requestedMinutes, status])
      .sort(),
  ).toEqual([
    ["03", 240, "approved"],
    ["04", 480, "approved"],
    ["05", 480, "approved"],
    ["06", 480, "approved"],
  ]);
});

// Reports that overlap have one entry twice, or as it was before somebody took it back.
test.each([["4,Hours,Approved"], ["8,Hours,Approved\n-8,Hours,Approved"], ["8,Hours,Canceled"]])(
  "workday: entries of one day in two files are refused: 8,Hours,Approved and %p",
  async (later) => {
    const company = await TestCompany.open();
    const leave = (entries: string) =>
      workdayLeave(...entries.split("\n").map((entry) => `101,Vacation,2026-03-04,${entry},2026-01-05,`));
    const files = {
      "Workers.csv": WORKDAY_PEOPLE,
      "Time_Off_1.csv": leave("8,Hours,Approved"),
      "Time_Off_2.csv": leave(later),
    };
    expect((await findingsOf(company.importFolder(folderOf(files), {}, "workday"))).join()).toContain(
      '"entries of two files" is not a number',
    );
  },
);

test.each(["Active", "ACTIVE"])("workday: who begins on a later day is onboarding: %s", async (status) => {
  const company = await TestCompany.open();
  const later = WORKDAY_PEOPLE.replace("2023-03-01", "2199-03-01").replace(",Active,", `,${status},`);
  const leave = workdayLeave("101,Vacation,2199-03-04,8,Hours,Approved,2026-01-05,");
  await company.importFolder(folderOf({ "Workers.csv": later, "Time_Off.csv": leave }), {}, "workday");
  expect((await company.stored()).workers.map(({ doc }) => JSON.parse(doc).status)).toEqual(["onboarding"]);
});

test("bamboohr: the balances of 8,000 people are read in a second or two", () => {
  const database = new Database(":memory:");
  database.run("create table employees (id, hireDate, _file)");
  database.run("create table requests (employeeId, type)");
  database.run(
    "create table balances (employeeId, timeOffType, name, balance, units, end, policyType, _file, _line)",
  );
  const person = database.prepare("insert into employees values (?, '2020-01-01', '')");
  const balance = database.prepare(
    "insert into balances values (?, ?, '', '1.5', 'days', '2025-06-01', null, '', '')",
  );
  for (let id = 1; id <= 8000; id++) {
    person.run(id);
    for (const type of [78, 79, 80]) balance.run(id, type);
  }
  const [staff, pairs, openings] = ["staff.sql", "pairs.sql", "openings.sql"].map((name) =>
    readFileSync(join(folderOfPreset("bamboohr"), name), "utf8"),
  );
  expect(database.query(`select count(*) as rows from (${staff} ${pairs} ${openings})`).get()).toEqual({
    rows: 24_000,
  });
  database.close();
});

test("sage-hr: 40,000 requests are read in a second or two", () => {
  const database = new Database(":memory:");
  database.run(
    "create table leave_requests (id, employee_id, policy_id, start_date, end_date, request_date, hours, status, status_code, details, first_part_of_day, second_part_of_day, _file, _line)",
  );
  const request = database.prepare(
    "insert into leave_requests (id, employee_id, start_date, end_date) values (?, 1, '2026-01-01', '2026-01-02')",
  );
  for (let id = 1; id <= 40_000; id++) request.run(id);
  const query = readFileSync(join(folderOfPreset("sage-hr"), "requests.sql"), "utf8");
  expect(database.query(`select count(*) as rows from (${query})`).get()).toEqual({ rows: 40_000 });
  database.close();
});

// Files that were saved before BambooHR told the type have none.
test("bamboohr: a balance without the type of its policy is a balance", async () => {
  expect(await saidOf("bamboohr", "balances.json", '"policyType"', '"other"')).toBe("opening-leave");
});

describe.each(PRESETS.map(({ name }) => name))("%s", (name) => {
  test("says what to do with another export of the system", async () => {
    const company = await TestCompany.open();
    const other = company.importFolder(folderOf({ "Absences.csv": "Employee,From,To\n1,a,b\n" }), {}, name);
    expect((await findingsOf(other)).join("\n")).toMatch(
      /among the given files: Absences.csv. The preset reads the files that rollcall map presets lists; for other exports/,
    );
  });

  test("stores what is expected of its example, twice", async () => {
    const company = await TestCompany.open();
    const example = join(folderOfPreset(name), "example");
    const report = await company.importFolder(example, {}, name);
    expect(report.findings.map(({ code }) => code)).toEqual(
      name in LEFT || name === "warp" ? ["opening-leave"] : [],
    );
    const stored = `${JSON.stringify(await storedLines(company), null, 2)}\n`;
    const expected = join(folderOfPreset(name), "expected.json");
    if (isUpdating) writeFileSync(expected, stored);
    expect(stored).toBe(readFileSync(expected, "utf8"));
    expect((await company.importFolder(example, {}, name)).isChanged).toBe(false);
  });
});

describe.each(PRESETS.map(({ name }) => name).filter((name) => !KNOW_GRANTS.has(name)))("%s", (name) => {
  test("gives balances with a mapping that extends it by the policy's rules", async () => {
    const company = await TestCompany.open();
    const plain = await TestCompany.open();
    await plain.importFolder(join(folderOfPreset(name), "example"), {}, name);
    const legacyId = (await plain.stored()).policies[0]!.legacyId;
    const rows = [
      {
        legacyId,
        name: "PTO",
        timeOffTypeName: "PTO",
        paid: true,
        unit: "day",
        schedule: "yearly",
        minutesPerPeriod: 9600,
      },
    ];
    await company.importFolder(
      join(folderOfPreset(name), "example"),
      {},
      mapFile({ extends: name, policies: { rows, values: null } }),
    );
    const key = await addKey(company.store, company.id);
    const reader = openSqliteReadStore(company.path);
    const app = createApp(bareParts(reader, { today: () => "2025-06-30" }));
    const ana = (await company.stored()).workers.find(({ doc }) => JSON.parse(doc).firstName === "Ana")!;
    const url = `http://rollcall.test/v1/time_off/balances?workerIds=${ana.id}&startDate=2025-01-01`;
    const response = await app(new Request(url, { headers: { "x-api-key": key } }), CONNECTION);
    const { data } = (await response.json()) as { data: unknown[] };
    const [accruedUnlocked, used] = name in LEFT ? [LEFT[name]!, 0] : [9600, 1440];
    expect(data).toMatchObject([
      { accruedUnlocked, used, holds: 240, available: accruedUnlocked - used - 240 },
    ]);
    await reader.close();
  });
});
