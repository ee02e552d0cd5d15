// What tells a wrong file from a right one: its age, the unit of its amounts, and figures beside those of the import before.

import { expect, test } from "bun:test";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type ImportOptions, importRecord } from "../../src/import/report.ts";
import {
  counted,
  type Files,
  findingsOf,
  folderOf,
  POLICIES_CSV,
  requestsCsv,
  SMALL,
  TestCompany,
  workersCsv,
} from "../support/import-files.ts";
import { mapFile } from "./convert/mapped.ts";

const HEAD = "legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId";

/** Requests with these minutes, on days of January 2025. */
function leave(minutes: readonly number[], prefix = "R"): string {
  const rows = minutes.map((amount, at) => {
    const day = `2025-01-${String((at % 28) + 1).padStart(2, "0")}`;
    return `${prefix}${at},2025-01-01T00:00:00Z,${day}T08:00:00Z,${day}T16:00:00Z,${amount},approved,PTO,E1`;
  });
  return [HEAD, ...rows].join("\n");
}

const repeated = (amount: number, times: number) => Array.from({ length: times }, () => amount);

/** A company that remembers its imports. */
async function opened() {
  const company = await TestCompany.open();
  const record: ImportOptions["record"] = (done) =>
    JSON.stringify(importRecord({ command: "", mapping: null, version: "" }, done, 0));
  const importFolder = (folder: string, options: Partial<ImportOptions> = {}, map?: string) =>
    company.importFolder(folder, { record, ...options }, map);
  const importing = (files: Files, options: Partial<ImportOptions> = {}) =>
    importFolder(folderOf(files), options);
  await importing(SMALL);
  return { company, importing, importFolder };
}

test("files that are older than the last imported ones are refused, kind by kind", async () => {
  const { importFolder } = await opened();
  const folder = folderOf(SMALL);
  const changed = (name: string, text: string) =>
    utimesSync(join(folder, name), new Date(text), new Date(text));
  for (const name of Object.keys(SMALL)) changed(name, "2100-01-02T00:00:00Z");
  await importFolder(folder);
  await importFolder(folder); // the same time is not older
  changed("requests.csv", "2100-01-01T23:59:59Z");
  const refusals = await findingsOf(importFolder(folder));
  expect(refusals).toEqual([
    "requests: the file was last changed at 2100-01-01T23:59:59.000Z, but the last imported file at 2100-01-02T00:00:00.000Z: is this an old export? If it is intended, say --allow-older",
  ]);
  expect((await importFolder(folder, { isDryRun: true })).refusals).toEqual(refusals);
  // An import of another kind alone does not make it forgotten.
  await importFolder(folderOf({}), {}).catch(() => {});
  expect(await findingsOf(importFolder(folder))).toEqual(refusals);
  const pulled = { beganAtMs: Date.UTC(2100, 0, 3), complete: {}, refused: [] };
  await importFolder(folder, { pulled });
  expect(await findingsOf(importFolder(folder))).toHaveLength(4); // the pull was later than the files
  expect((await importFolder(folder, { mayBeOlder: true })).files).toHaveLength(4);
  await importFolder(folder);
});

test("amounts in another unit are refused, in changed rows and in new rows", async () => {
  const { importing } = await opened();
  await importing({ "requests.csv": leave([...repeated(480, 30), ...repeated(960, 10)]) });
  const refused = (minutes: readonly number[], prefix?: string) =>
    findingsOf(importing({ "requests.csv": leave(minutes, prefix) }));
  const [mistake, ...more] = await refused(repeated(8, 40));
  expect(more).toEqual([]);
  expect(mistake).toBe(
    "the median amount of 40 rows is five times or more what it was, or a fifth or less (Annual leave: requests 480 → 8 minutes, …): does the file write amounts in another unit now? Correct the units of the mapping, or accept it [unit-changed]",
  );
  // 20 of 40 rows, as a window of a year has: the median of all rows alone would not tell.
  expect(await refused(repeated(8, 20))).toEqual([expect.stringContaining("480 → 8 minutes")]);
  // Rows with new ids.
  expect(await refused(repeated(8, 60), "S")).toEqual([expect.stringContaining("480 → 8 minutes")]);
  // Few rows, or no such change of the median, are nothing unusual.
  await importing({ "requests.csv": leave(repeated(8, 19)) });
  await importing({ "requests.csv": leave([...repeated(480, 18), ...repeated(2000, 22)]) });
  const report = await importing({ "requests.csv": leave(repeated(24_000, 40)) }, { isDryRun: true });
  expect(report.refusals).toEqual([expect.stringContaining("unit-changed")]);
  await importing({ "requests.csv": leave(repeated(24_000, 40)) }, { accepted: new Set(["unit-changed"]) });
});

test("another unit is told of among rows that changed otherwise, and not of amounts that were nothing", async () => {
  const { importing } = await opened();
  const accepted = new Set(["many-changed" as const]);
  await importing({ "requests.csv": leave(repeated(480, 60)) });
  const changed = leave([...repeated(8, 20), ...repeated(480, 40)]).replaceAll("approved", "pending");
  expect(await findingsOf(importing({ "requests.csv": changed }, { accepted }))).toEqual([
    expect.stringContaining("480 → 8 minutes"),
  ]);
  await importing({ "requests.csv": leave(repeated(0, 60)) }, { accepted });
  const { refusals } = await importing({ "requests.csv": leave(repeated(480, 60)) }, { accepted });
  expect(refusals).toEqual([]);
});

test("openings in another unit are refused", async () => {
  const { importing } = await opened();
  const accepted = new Set(["many-changed" as const]);
  const people = Array.from({ length: 20 }, (_, at) => `E${at + 1}`);
  const files = (minutes: number) => ({
    "workers.csv": workersCsv(...people),
    "policies.csv": POLICIES_CSV,
    "assignments.csv": `workerId,policyId,assignedAt\n${people.map((id) => `${id},PTO,2024-01-01T00:00:00Z`).join("\n")}`,
    "openings.csv": `workerId,policyId,date,minutes\n${people.map((id) => `${id},PTO,2024-12-31,${minutes}`).join("\n")}`,
  });
  await importing(files(960), { accepted });
  expect(await findingsOf(importing(files(120), { accepted }))).toEqual([
    expect.stringContaining("openings 960 → 120 minutes"),
  ]);
});

test("hours worked and reported balances may have any other amounts", async () => {
  const { importing } = await opened();
  const people = Array.from({ length: 20 }, (_, at) => `E${at + 1}`);
  const files = (minutes: number) => ({
    ...SMALL,
    "workers.csv": workersCsv(...people),
    "work_hours.csv": `workerId,date,minutes\n${people.map((id) => `${id},2025-01-07,${minutes}`).join("\n")}`,
    "reported.csv": `workerId,policyId,date,minutes\n${people.map((id) => `${id},PTO,2025-01-31,${minutes}`).join("\n")}`,
  });
  await importing(files(480));
  expect((await importing(files(60))).refusals).toEqual([]);
});

test("an import records its figures; those of an unchanged kind stay", async () => {
  const { importing } = await opened();
  await importing({ "requests.csv": leave(repeated(480, 20), "L") });
  const { gate, lastGate } = await importing(
    { "requests.csv": leave([...repeated(480, 19), 960], "L") },
    { isPruning: true },
  );
  const days = { absent: 0, from: "2025-01-01", to: "2025-01-20" };
  expect(gate.kinds).toEqual({ requests: { stored: 22, added: 0, changed: 1, removed: 2, ...days } });
  expect(gate.medians).toMatchObject([{ kind: "requests", policy: "Annual leave", rows: 20, minutes: 480 }]);
  expect(lastGate?.kinds.requests).toMatchObject({ stored: 2, added: 20, changed: 0, removed: 0 });
  const same = await importing({ "requests.csv": leave([...repeated(480, 19), 960], "L") });
  expect(same.gate.kinds.requests).toEqual({ stored: 20, added: 0, changed: 0, removed: 0, ...days });
  expect(same.gate.medians).toEqual(gate.medians);
});

const PEOPLE = ["E1", "E2", "E3", "E4"];
const named = (policy: string): Files => ({
  "workers.csv": workersCsv(...PEOPLE),
  "policies.csv": `legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit\n${policy},${policy},yes,monthly,600,Vacation,hour`,
  "assignments.csv": [
    "workerId,policyId,assignedAt",
    ...PEOPLE.map((id) => `${id},${policy},2024-01-01T00:00:00Z`),
  ].join("\n"),
  "requests.csv": requestsCsv("R1 approved E1").replace("PTO", policy),
});

test("a policy under another name is refused with the line that keeps its id, and its history", async () => {
  const company = await TestCompany.open();
  await company.import(named("PTO"));
  const id = (await company.stored()).policies[0]!.id;
  const files = named("Annual leave");
  for (const isPruning of [false, true])
    expect(await findingsOf(company.import(files, { isPruning }))).toEqual([
      expect.stringContaining('("was": {"Annual leave": "PTO"}): was that policy renamed?'),
    ]);
  const folder = folderOf(files);
  const map = join(folderOf({}), "map.json");
  const was = { "Annual leave": "PTO" };
  writeFileSync(map, JSON.stringify({ policies: { from: "policies.csv", was } }));
  for (const changed of [1, 0]) {
    const report = await company.importFolder(folder, { isPruning: true }, map);
    expect(counted(report)["policies.csv"]).toBe(`0/${changed}/${1 - changed}/0`);
    expect(counted(report)["assignments.csv"]).toBe("0/0/4/0");
  }
  expect((await company.stored()).policies).toMatchObject([{ id, legacyId: "Annual leave" }]);
  // Another policy in its place is meant.
  const other = await company.import(named("PTO 2026"), {
    isPruning: true,
    accepted: new Set(["renamed-policy"]),
  });
  expect(counted(other)["policies.csv"]).toBe("1/0/0/1");
  writeFileSync(map, JSON.stringify({ assignments: { from: "assignments.csv", was } }));
  expect(await findingsOf(company.importFolder(folder, {}, map))).toEqual([
    "map.json: assignments.was: assignments have no legacyId",
  ]);
});

const inDepartment = (column: string, name: string) =>
  [
    `legacyId,firstName,lastName,email,startDate,endDate,status,type,isBusiness,${column}`,
    ...PEOPLE.map((id) => `${id},Ana,Lind,${id}@example.com,2024-01-01,,active,employee,no,${name}`),
  ].join("\n");

test("a department under another name is refused with the line that keeps its id", async () => {
  const company = await TestCompany.open();
  await company.import({ "workers.csv": inDepartment("department", "Payroll") });
  const { id } = (await company.stored()).departments[0]!;
  const files = { "workers.csv": inDepartment("department", "Pay") };
  const rows = [{ id, name: "Pay" }];
  for (const isPruning of [false, true])
    expect(await findingsOf(company.import(files, { isPruning }))).toEqual([
      expect.stringContaining(
        `("departments": {"rows": ${JSON.stringify(rows).replaceAll(/[:,]/g, "$& ")}}): was that department renamed?`,
      ),
    ]);
  const map = join(folderOf({}), "map.json");
  writeFileSync(map, JSON.stringify({ departments: { rows } }));
  for (const changed of [4, 0]) {
    const report = await company.importFolder(folderOf(files), { isPruning: true }, map);
    expect(report.files.find(({ kind }) => kind === "workers")).toMatchObject({ changed });
    expect((await company.stored()).departments).toMatchObject([{ id, name: "Pay" }]);
  }
  await company.import(files, { accepted: new Set(["renamed-department"]) });

  const other = await TestCompany.open();
  const own = (legacyId: string) => ({
    "departments.csv": `legacyId,name\n${legacyId},Payroll`,
    "workers.csv": inDepartment("departmentId", legacyId),
  });
  await other.import(own("D1"));
  expect(await findingsOf(other.import(own("X1"), { isPruning: true }))).toEqual([
    expect.stringContaining('("was": {"X1": "D1"} in departments)'),
  ]);
});

test("a rehire that overwrites the first day is a finding, until it is accepted", async () => {
  const company = await TestCompany.open();
  const employed = (days: string, status: string) => ({
    "workers.csv": `legacyId,firstName,lastName,email,startDate,endDate,status,type,isBusiness\nE1,Ana,Lind,a@example.com,${days},${status},employee,no`,
  });
  await company.import(employed("2021-01-01,2023-06-30", "inactive"));
  const again = employed("2025-02-01,", "active");
  expect(await findingsOf(company.import(again, { isStrict: true }))).toEqual([
    expect.stringMatching(
      /^1 worker now starts after .* \(E1: 2021-01-01 to 2023-06-30, then from 2025-02-01\)/,
    ),
  ]);
  const right = await company.import(employed("2021-01-01,", "active"), { isStrict: true });
  expect(right.isChanged).toBe(true);
  await company.import(employed("2021-01-01,2023-06-30", "inactive"));
  await company.import(again, { isStrict: true, accepted: new Set(["rehire"]) });
  await company.import(again, { isStrict: true });
});

// A mapping names one day for all balances ("date": "2025-02-28"). Next month's have leave of March off already, and the files have it, too.
test("openings of the same day with other amounts are a finding: leave since then would be taken off twice", async () => {
  const company = await TestCompany.open();
  const balances = (day: string, minutes: number) => ({
    ...SMALL,
    "openings.csv": `workerId,policyId,date,minutes\nE1,PTO,${day},${minutes}`,
  });
  const strict = { isStrict: true, accepted: new Set(["unused-policy"] as const) };
  await company.import(balances("2025-02-28", 4800), strict);
  await company.import(balances("2025-02-28", 4800), strict);
  expect(await findingsOf(company.import(balances("2025-02-28", 4320), strict))).toEqual([
    expect.stringMatching(
      /^1 opening has another amount than before, of the same day \(openings.csv:2 \(2025-02-28: 4320 minutes, before 4800\)\): .* \[opening-same-day\]$/,
    ),
  ]);
  await company.import(balances("2025-03-31", 4320), strict);
  // The day of the import is no day of an earlier export.
  await company.import(balances("2025-06-01", 4320), strict);
  await company.import(balances("2025-06-01", 3840), strict);
});

test("an id that is used again for somebody else is a finding, until it is accepted; a new name is none", async () => {
  const company = await TestCompany.open();
  const person = (names: string, email: string) => ({
    "workers.csv": `legacyId,firstName,lastName,email,startDate,type,isBusiness\nE1,${names},${email},2021-01-01,employee,no`,
  });
  await company.import(person("Ana,Lind", "a@example.com"));
  const other = person("Bo,Ek", "b@example.com");
  expect(await findingsOf(company.import(other, { isStrict: true }))).toEqual([
    expect.stringMatching(/^1 worker has another name, and another email or first day, .* \(E1\)/),
  ]);
  const married = person("ANA,Ek", "ana.ek@example.com");
  const swapped = person("Ek,Ana", "ana@example.com");
  for (const same of [married, swapped, person("Åsa,Berg", "ana@example.com")])
    expect((await company.import(same, { isStrict: true })).isChanged).toBe(true);
  await company.import(other, { isStrict: true, accepted: new Set(["other-person"]) });
  await company.import(other, { isStrict: true });
});

/** Workers whose key is their address: `email,firstName,lastName,startDate,position`. */
const byEmail = (...people: readonly string[]) => ({
  "workers.csv": [
    "legacyId,email,firstName,lastName,startDate,position,type,isBusiness",
    ...people.map((person) => `${person.split(",")[0]},${person},employee,no`),
  ].join("\n"),
});

test("people who swap the addresses that are their keys are a finding, also with one name or one first day", async () => {
  const company = await TestCompany.open();
  const before = ["Ana,Lind,2021-01-01,Cook", "Bo,Lind,2022-02-02,Cook", "Cy,Ek,2022-02-02,Cook"];
  const people = (order: readonly number[]) =>
    byEmail(...order.map((at, place) => `${"abc"[place]}@example.com,${before[at]}`));
  await company.import(people([0, 1, 2]));
  for (const [order, keys] of [
    [[1, 0, 2], "a@example.com, b@example.com"],
    [[0, 2, 1], "b@example.com, c@example.com"],
    [[1, 2, 0], "a@example.com, b@example.com, c@example.com"],
  ] as const)
    expect(await findingsOf(company.import(people(order), { isStrict: true }))).toEqual([
      expect.stringMatching(new RegExp(`\\(${keys}\\).*\\[other-person\\]`)),
    ]);
  // Somebody who starts takes the address of one who left.
  const hired = byEmail(
    "a@example.com,Di,Berg,2025-05-05,Cook",
    ...[1, 2].map((at) => `${"abc"[at]}@example.com,${before[at]}`),
  );
  expect(await findingsOf(company.import(hired, { isStrict: true }))).toEqual([
    expect.stringContaining("(a@example.com)"),
  ]);
});

test("somebody who comes under another key while the old one goes is a finding that says how to keep the id", async () => {
  const company = await TestCompany.open();
  const others = ["x@example.com,Bo,Ek,2021-01-01,Cook", "y@example.com,Cy,Berg,2022-02-02,Cook"];
  await company.import(byEmail("ana.lind@example.com,Ana,Lind,2021-01-01,Cook", ...others));
  const told = async (...people: readonly string[]) =>
    findingsOf(company.import(byEmail(...people, ...others), { isStrict: true, isPruning: true }));
  const finding = [
    expect.stringContaining(
      '("was": {"ana.ek@example.com": "ana.lind@example.com"}): has somebody another key now',
    ),
  ];
  expect(await told("ana.ek@example.com,Ana,Ek,2021-01-01,Cook")).toEqual(finding); // she married
  expect(await told("ana.ek@example.com,Ana,Lind,2021-01-01,Chef")).toEqual(finding);
  // Somebody else comes as she goes: of one name, of one day, or with her alone in common.
  for (const other of ["Ana,Lind,2025-01-01,Cook", "Di,Dahl,2021-01-01,Cook", "Ana,Ek,2021-01-01,Chef"]) {
    const files = byEmail(`ana.ek@example.com,${other}`, ...others);
    await company.import(files, { isStrict: true, isPruning: true, isDryRun: true });
  }
  // A twin with the same first day comes, and nobody goes.
  const twins = [
    "ana.lind@example.com,Ana,Lind,2021-01-01,Cook",
    "eva.lind@example.com,Eva,Lind,2021-01-01,Cook",
  ];
  await company.import(byEmail(...twins, ...others), { isStrict: true });
  const stored = async () =>
    (await company.stored()).workers.find(({ legacyId }) => legacyId?.startsWith("ana"))!.id;
  const id = await stored();
  const folder = folderOf({
    ...byEmail("ana.ek@example.com,Ana,Ek,2021-01-01,Cook", ...twins.slice(1), ...others),
    "map.json": '{"workers": {"from": "workers.csv", "was": {"ana.ek@example.com": "ana.lind@example.com"}}}',
  });
  await company.importFolder(folder, { isStrict: true, isPruning: true }, join(folder, "map.json"));
  expect(await stored()).toBe(id);
});

test("a department that had only a name keeps its id when a file of departments comes", async () => {
  const company = await TestCompany.open();
  await company.import({ "workers.csv": inDepartment("department", "Payroll") });
  const { id } = (await company.stored()).departments[0]!;
  const files = {
    "departments.csv": "legacyId,name\nX1,Pay\nX2,Sales",
    "workers.csv": inDepartment("departmentId", "X1"),
  };
  expect(await findingsOf(company.import(files))).toEqual([
    expect.stringContaining(`("was": {"X1": "${id}"} in departments)`),
  ]);
  const map = join(folderOf({}), "map.json");
  writeFileSync(map, JSON.stringify({ departments: { from: "departments.csv", was: { X1: id } } }));
  for (const isChanged of [true, false]) {
    const report = await company.importFolder(folderOf(files), { isPruning: true }, map);
    expect(report.isChanged).toBe(isChanged);
    expect((await company.stored()).departments).toContainEqual(
      expect.objectContaining({ id, name: "Pay", legacyId: "X1" }),
    );
  }
});

test("a new column that the mapping ignores is reported once", async () => {
  const { importFolder } = await opened();
  const map = join(folderOf({}), "map.json");
  writeFileSync(map, JSON.stringify({ requests: { from: "requests.csv", ignore: "*" } }));
  const importing = async (...columns: readonly string[]) => {
    const lines = leave([480]).split("\n");
    const csv = lines.map((line, at) => [line, ...columns.map((name) => (at === 0 ? name : "x"))].join(","));
    return (await importFolder(folderOf({ "requests.csv": csv.join("\n") }), {}, map)).findings;
  };
  expect(await importing("Notes")).toEqual([]);
  expect(await importing("Notes")).toEqual([]);
  expect(await importing("Notes", "Half day", "Approver")).toMatchObject([
    { code: "new-column", count: 2, examples: ['"Half day" in requests.csv', '"Approver" in requests.csv'] },
  ]);
  expect(await importing("Notes", "Half day")).toEqual([]);
  expect(await importing("Half day", "Approver")).toEqual([]);
});

test("a new column is reported where none was ignored before, and in a file of another name", async () => {
  const { importFolder } = await opened();
  const map = join(folderOf({}), "map.json");
  writeFileSync(map, JSON.stringify({ requests: { from: "leave_*.csv", ignore: "*" } }));
  const importing = async (name: string, column: string) => {
    const csv = leave([480])
      .split("\n")
      .map((line, at) => (column === "" ? line : `${line},${at === 0 ? column : "x"}`));
    return (await importFolder(folderOf({ [name]: csv.join("\n") }), {}, map)).findings;
  };
  expect(await importing("leave_2026-01.csv", "")).toEqual([]);
  expect(await importing("leave_2026-02.csv", "Cancelled")).toMatchObject([
    { code: "new-column", count: 1, examples: ['"Cancelled" in leave_2026-02.csv'] },
  ]);
  expect(await importing("leave_2026-03.csv", "Cancelled")).toEqual([]);
});

test("many people that a truncated file lacks are one message", async () => {
  const company = await TestCompany.open();
  const all = Array.from({ length: 24 }, (_, at) => `E${at}`);
  const requests = requestsCsv(...all.map((id, at) => `R${at} approved ${id}`));
  await company.import({ ...SMALL, "workers.csv": workersCsv(...all), "requests.csv": requests });
  const mistakes = await company.refused(
    { "workers.csv": workersCsv("E1", "E2") },
    { isPruning: true, allowedRemovals: 1 },
  );
  expect(mistakes).toEqual([
    expect.stringMatching(
      /^workers\.csv: wrk_\w+ \(legacyId E\d+\) \(1 row\), .* and 17 more values: not in the file but cannot be removed: stored requests refer to it\. Keep it/,
    ),
  ]);
});

/** Imports so many requests, of which the first have these minutes and the others 480. Returns which shares are unusual. */
async function nights(options: Partial<ImportOptions> = { isPruning: true, allowedRemovals: 1 }) {
  const { importing } = await opened();
  return async (minutes: number, changed = 50, rows = 50) => {
    const amounts = [...repeated(minutes, changed), ...repeated(480, rows - changed)];
    const { findings } = await importing({ ...SMALL, "requests.csv": leave(amounts) }, options);
    return findings.flatMap(({ code, examples }) => (code === "many-changed" ? examples : []));
  };
}

test("a larger share of changed rows than usual is a finding", async () => {
  // Each of 600 requests a day longer passed.
  const night = await nights();
  expect(await night(480)).toEqual([]);
  expect(await night(470, 10)).toEqual([]);
  expect(await night(460, 15)).toEqual([]);
  expect(await night(450, 28)).toEqual(["requests: 28 changed and 0 removed of 50, usually at most 30 %"]);
  expect(await night(440, 35)).toEqual([]);
  expect(await night(440, 35)).toEqual([]);
  expect(await night(430)).toEqual(["requests: 50 changed and 0 removed of 50, usually at most 70 %"]);
});

test("up to ten changed rows, and any of fewer than twenty, are nothing unusual", async () => {
  for (const [changed, rows, unusual] of [
    [10, 20, []],
    [11, 20, ["requests: 11 changed and 0 removed of 20, usually at most 0 %"]],
    [19, 19, []],
  ] as const) {
    const night = await nights();
    expect(await night(480, rows, rows)).toEqual([]);
    expect(await night(470, changed, rows)).toEqual([...unusual]);
  }
});

test("one accepted night of many changes makes only the next usual; two make all later ones usual", async () => {
  const night = await nights();
  expect(await night(480)).toEqual([]);
  expect(await night(470)).toHaveLength(1);
  expect(await night(470)).toEqual([]);
  expect(await night(460)).toHaveLength(1);
  expect(await night(450)).toEqual([]);
  expect(await night(450)).toEqual([]);
  expect(await night(440)).toEqual([]);
});

test("removed rows count in the share, too", async () => {
  const night = await nights();
  expect(await night(480, 60, 60)).toEqual([]);
  expect(await night(480, 50, 50)).toEqual([]);
  expect(await night(480, 20, 20)).toEqual([
    "requests: 0 changed and 30 removed of 50, usually at most 17 %",
  ]);
});

test("rows that a file lacks count in the share without pruning, too; a file that always lacks them is usual", async () => {
  const night = await nights({});
  expect(await night(480, 60, 60)).toEqual([]);
  expect(await night(480, 55, 55)).toEqual([]); // a few leave each night
  expect(await night(480, 20, 20)).toEqual([
    "requests: 0 changed and 0 removed, and 40 not in the files, of 60, usually at most 8 %",
  ]);
  expect(await night(480, 20, 20)).toEqual([]);
});

test("a text file without the line end that the one before had is a finding, until it is accepted", async () => {
  const { importing } = await opened();
  const rows = (end: string) => ({ "requests.csv": Buffer.from(`${leave([480, 240])}${end}`) });
  await importing(rows("\n"));
  const message =
    /^1 file does not end with a line end, as the one before did \(requests\.csv\): was it cut\? .* \[cut-file\]$/;
  expect(await findingsOf(importing(rows(""), { isStrict: true }))).toEqual([expect.stringMatching(message)]);
  await importing(rows("\r\n"), { isStrict: true });
  await importing({ "workers.csv": workersCsv("E1", "E2") });
  expect(await findingsOf(importing(rows(""), { isStrict: true }))).toHaveLength(1);
  await importing(rows(""), { isStrict: true, accepted: new Set(["cut-file"]) });
  await importing(rows(""), { isStrict: true }); // a program that never writes it
});

test("a file that a query reads is compared with its own line end, not with that of a file which another query reads", async () => {
  const { importFolder } = await opened();
  const mapping = {
    workers: { query: "select * from workers" },
    policies: { query: "select * from policies" },
  };
  const night = async (end: string) => {
    const files = {
      "workers.csv": Buffer.from(workersCsv("E1").trimEnd()),
      "policies.csv": Buffer.from(`${POLICIES_CSV.trimEnd()}${end}`),
    };
    const { findings } = await importFolder(folderOf(files), {}, mapFile(mapping));
    return findings.filter(({ code }) => code === "cut-file").map(({ examples }) => examples);
  };
  expect(await night("\n")).toEqual([["workers.csv"]]); // those of before had one
  expect(await night("")).toEqual([["policies.csv"]]);
});

test("a file without its line end is told, too, if another source begins to read it", async () => {
  const { importFolder } = await opened();
  const hours = { from: "days.csv", columns: { worker: "workerId", day: "date", minutes: "minutes" } };
  const adjustments = { ...hours, values: { policyId: "PTO" } };
  const importing = (csv: string, mapping: object) =>
    importFolder(folderOf({ "days.csv": Buffer.from(csv) }), {}, mapFile(mapping));
  const csv = "worker,day,minutes\nE1,2026-03-02,480";
  await importing(`${csv}\n`, { work_hours: hours });
  const { findings } = await importing(csv, { adjustments, work_hours: hours });
  expect(findings.filter(({ code }) => code === "cut-file")).toMatchObject([
    { count: 1, examples: ["days.csv"] },
  ]);
});

// ServiceNow, Elasticsearch and Jira export 10,000 rows at most, old spreadsheets 65,536 lines, and many lists 1,000.
test("a mapped file of exactly as many rows as programs export at most is a finding, in a query, too, but not of a pull", async () => {
  const people = (count: number) => workersCsv(...Array.from({ length: count }, (_, at) => `E${at}`));
  const codes = async (count: number, options: Partial<ImportOptions> = {}, mapping?: object) => {
    const company = await TestCompany.open();
    const folder = folderOf({ "workers.csv": people(count) });
    const report = await company.importFolder(folder, options, mapping && mapFile(mapping));
    return report.findings.filter(({ code }) => code === "round-rows").map(({ examples }) => examples);
  };
  const mapped = { workers: { from: "workers.csv" } };
  expect(await codes(999, {}, mapped)).toEqual([]);
  for (const mapping of [mapped, { workers: { query: "select * from workers" } }])
    expect(await codes(1000, {}, mapping)).toEqual([["workers.csv: 1000 rows"]]);
  expect(await codes(1000)).toEqual([]); // files in Rollcall's own form are written for it
  const pulled = { beganAtMs: 0, complete: {}, refused: [] };
  expect(await codes(1000, { pulled }, mapped)).toEqual([]);
  const rows = Array.from({ length: 1000 }, (_, at) => ({ legacyId: `D${at}`, name: `D${at}` }));
  expect(await codes(1, {}, { ...mapped, departments: { rows } })).toEqual([]);
});

test("a file whose columns become 1,000 rows has as many rows as it has lines", async () => {
  const company = await TestCompany.open();
  const ids = Array.from({ length: 500 }, (_, at) => `E${at}`);
  const files = {
    "workers.csv": workersCsv(...ids),
    "policies.csv":
      "legacyId,name,paid,unit,schedule,timeOffTypeName,minutesPerChunk,hoursWorkedPerChunk\nP,P,yes,hour,per_hour_worked,P,60,30",
    "hours.csv": `Person,2025-01-06,2025-01-07\n${ids.map((id) => `${id},480,480`).join("\n")}\n`,
  };
  const mapping = {
    workers: { from: "workers.csv" },
    policies: { from: "policies.csv" },
    work_hours: {
      from: "hours.csv",
      unpivot: { columns: "2025-*", as: "date" },
      columns: { Person: "workerId", date: "date", value: "minutes" },
    },
  };
  const { findings } = await company.importFolder(folderOf(files), {}, mapFile(mapping));
  expect(findings.map(({ code }) => code)).not.toContain("round-rows");
});

test("a compressed text file that was cut before it was compressed is the same finding", async () => {
  const { importing } = await opened();
  const rows = (end: string) => ({ "requests.csv.gz": gzipSync(`${leave([480, 240])}${end}`) });
  await importing(rows("\n"), { isStrict: true });
  const cut = await findingsOf(importing(rows(""), { isStrict: true }));
  expect(cut).toEqual([expect.stringContaining("(requests.csv.gz)")]);
  expect(cut.join()).toContain("[cut-file]");
  const broken = { "requests.csv.gz": gzipSync(`${leave(repeated(480, 3000))}\n`).subarray(0, -1000) };
  expect(await findingsOf(importing(broken))).toEqual([
    expect.stringContaining("requests.csv.gz: is compressed (gzip), but ends too early"),
  ]);
});

test("figures of the gate are those of what is stored after old requests were erased", async () => {
  const { company, importing } = await opened();
  await company.store.change(company.id, async (transaction) => {
    await transaction.updateCompany({ retention: "requests=1y" });
    return { result: null, changed: true, commit: true };
  });
  // 1 to 28 January 2025. Approved ones would be kept as long as a balance counts them.
  const files = { "requests.csv": leave(repeated(480, 28)).replaceAll("approved", "denied") };
  const spanOn = async (day: string) => {
    const nowMs = Date.parse(`${day}T00:00:00Z`);
    const options = { nowMs, today: nowMs / 86_400_000, allowedRemovals: 1 };
    const { from, to } = (await importing(files, options)).gate.kinds.requests!;
    return [from, to];
  };
  expect(await spanOn("2025-12-01")).toEqual(["2025-01-01", "2025-01-28"]);
  expect(await spanOn("2026-01-20")).toEqual(["2025-01-20", "2025-01-28"]);
});
