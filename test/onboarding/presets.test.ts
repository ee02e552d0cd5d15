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
