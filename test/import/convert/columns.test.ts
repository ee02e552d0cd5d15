// Foreign exports through a mapping.
import { describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { readMapping } from "../../../src/import/convert/mapping-file.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import {
  counted,
  findingsOf,
  folderOf,
  POLICIES_CSV,
  requestsCsv,
  TestCompany,
  workersCsv,
} from "../../support/import-files.ts";
import { imported, mapFile, refused } from "./mapped.ts";

const ROOT = resolve(import.meta.dir, "../../..");

/** The header and the form of AdventureWorks' export, with people of our own. */
const ADVENTURE_WORKS = [
  "\uFEFFBusinessEntityID,FirstName,LastName,JobTitle,PhoneNumber,PhoneNumberType,EmailAddress,AddressLine1,City,StateProvinceName,PostalCode,CountryRegionName",
  "2,François,Dubois,Buyer,555-0101,Work,françois1@adventure-works.com,1 Quay Rd.,Lyon,Rhône,69001,France",
  '10,Áine,O\'Shea,"Clerk, second shift",555-0102,Cell,áine0@adventure-works.com,"Flat 2, 9 Mill St.",Cork,Munster,T12,Ireland',
  "1,José,D'Angelo,Production Supervisor - WC40,555-0103,Work,josé0@adventure-works.com,4 Hill Ct.,Évora,Alentejo,7000,Portugal",
  "",
].join("\r\n");

test("an export in AdventureWorks' form loads through its example mapping, with every accent and apostrophe", async () => {
  const company = await TestCompany.open();
  const folder = folderOf({ "Employee.csv": ADVENTURE_WORKS });
  const report = await company.importFolder(folder, {}, join(ROOT, "examples/adventureworks.map.json"));
  expect(counted(report)).toEqual({ "Employee.csv": "3/0/0/0" });
  const workers = (await company.stored()).workers.map(({ doc }) => JSON.parse(doc));
  expect(workers).toHaveLength(3);
  for (const [firstName, lastName, email, position] of [
    ["François", "Dubois", "françois1@adventure-works.com", "Buyer"],
    ["Áine", "O'Shea", "áine0@adventure-works.com", "Clerk, second shift"],
    ["José", "D'Angelo", "josé0@adventure-works.com", "Production Supervisor - WC40"],
  ]) {
    expect(workers.find((worker) => worker.firstName === firstName)).toMatchObject({
      lastName,
      email,
      workEmail: email,
      position,
      isBusiness: false,
      startDate: "2014-06-30",
      status: "active",
      type: "employee",
    });
  }
});

test("columns, fixed values, translations, date formats, units, delimiter, encoding, skipped rows, ignored columns", async () => {
  const people = [
    "Nr;Vorname;Nachname;Mail;Eintritt;Status;Ort",
    "7;Jürgen;Groß;j@example.de;03.04.2021;A;Köln",
    "8;Ana;Lind;a@example.de;1.4.2021;X;Bonn",
  ].join("\r\n");
  const leave = [
    "Nr;Person;Von;Bis;Stunden;Stand",
    "1;7;01.08.2025 09:00;01.08.2025 17:30;7.7;genehmigt",
    "2;7;02.08.2025 09:00;02.08.2025 17:30;8;storniert",
  ].join("\n");
  const { stored, report } = await imported(
    {
      "people.csv": Buffer.from(people, "latin1"),
      "Leave 2025.csv": Buffer.from(leave),
      "policies.csv": POLICIES_CSV,
    },
    {
      workers: {
        from: "people.csv",
        delimiter: ";",
        encoding: "windows-1252",
        columns: {
          Nr: "legacyId",
          Vorname: "firstName",
          Nachname: "lastName",
          Mail: ["email", "workEmail"],
          Eintritt: "startDate",
          Status: "status",
        },
        values: { isBusiness: false, type: "employee" },
        translate: { status: { A: "active" } },
        dates: "d.M.yyyy",
        skip: { Status: ["X", "Y"] },
        ignore: ["Ort"],
      },
      requests: {
        from: ["Leave 2025.csv"],
        delimiter: ";",
        columns: {
          Nr: "legacyId",
          Person: "workerId",
          Von: ["startAt", "createdAt"],
          Bis: "endAt",
          Stunden: "requestedMinutes",
          Stand: "status",
        },
        values: { timeOffPolicyId: "PTO", timeZone: "Europe/Berlin" },
        translate: { status: { genehmigt: "approved" } },
        dates: { startAt: "dd.MM.yyyy HH:mm", createdAt: "dd.MM.yyyy HH:mm", endAt: "dd.MM.yyyy HH:mm" },
        units: { requestedMinutes: "hours" },
        skip: { stand: "storniert" },
      },
    },
  );
  expect(counted(report)).toEqual({
    "people.csv": "1/0/0/0",
    "policies.csv": "2/0/0/0",
    "Leave 2025.csv": "1/0/0/0",
  });
  expect(JSON.parse(stored.workers[0]!.doc)).toMatchObject({
    firstName: "Jürgen",
    lastName: "Groß",
    startDate: "2021-04-03",
    status: "active",
  });
  expect(JSON.parse(stored.requests[0]!.doc)).toMatchObject({
    startAt: "2025-08-01T07:00:00.000Z",
    requestedMinutes: 462,
  });
});

test("JSON lines: a missing key is an empty cell, also before the first row that has the key", async () => {
  const worker = (id: string, more: object) =>
    JSON.stringify({
      ...{ id, first: "Ana", last: "Lind", mail: "a@b.co", hired: "1.4.2024" },
      ...more,
    });
  // More than is read at once, so that what comes later in the file is not known yet.
  const long = "x".repeat(70_000);
  const lines = [
    worker("E1", { gone: "" }),
    worker("E2", { about: long }),
    worker("E3", { state: "A", zone: "UTC", gone: "no" }),
    worker("E4", { gone: "no", about: long }),
    worker("E5", { gone: "no", state: "L", left: "no" }),
  ];
  const mapping = {
    workers: {
      from: "hr.jsonl",
      columns: {
        ...{ id: "legacyId", first: "firstName", last: "lastName", mail: "email", hired: "startDate" },
        ...{ state: "status", zone: "timeZone" },
      },
      values: { isBusiness: false, type: "employee" },
      translate: { status: { "": "active", A: "active", L: "inactive" }, timeZone: { "": "Europe/Berlin" } },
      dates: "d.M.yyyy",
      skip: { gone: "" },
      ignore: ["left", "about"],
    },
  };
  const told = async (rows: readonly string[]) => {
    const { stored } = await imported({ "hr.jsonl": rows.join("\n") }, mapping);
    return stored.workers.map(({ legacyId, status, timeZone }) => `${legacyId} ${status} ${timeZone}`).sort();
  };
  const expected = ["E3 active UTC", "E4 active Europe/Berlin", "E5 inactive Europe/Berlin"];
  expect(await told(lines)).toEqual(expected);
  expect(await told(lines.toReversed())).toEqual(expected);
});

test("JSON lines: an unmapped key is reported, even if its row is skipped", async () => {
  const lines = [{ id: "E1" }, { id: "E2", state: "X", nick: "y" }].map((line) => JSON.stringify(line));
  const mistakes = await refused(
    { "hr.jsonl": lines.join("\n") },
    { workers: { from: "hr.jsonl", columns: { id: "legacyId" }, skip: { state: "X" } } },
  );
  expect(mistakes).toContain(
    'hr.jsonl:2: column "nick" is not mapped: add it to columns or to ignore in map.json',
  );
});

test("one foreign file can feed several kinds, and a mapping without columns uses the names of fields", async () => {
  const csv = "employee|first|last|mail|hired|plan\nE1|Ana|Lind|a@b.co|2024-01-01|PTO";
  const { report } = await imported(
    {
      "hr.txt": csv,
      "policies.csv": Buffer.from(POLICIES_CSV.replace(/^\n/, "").replace(/^ +/gm, "").replaceAll(",", ";")),
    },
    {
      workers: {
        from: "HR.txt",
        delimiter: "|",
        columns: {
          employee: "legacyId",
          first: "firstName",
          last: "lastName",
          mail: "email",
          hired: "startDate",
        },
        values: { isBusiness: "no", type: "employee", status: "active" },
        ignore: "*",
      },
      policies: { from: "policies.csv", delimiter: ";" },
      assignments: {
        from: "hr.txt",
        delimiter: "|",
        columns: { employee: "workerId", plan: "policyId", hired: "assignedAt" },
        dates: { assignedAt: "yyyy-MM-dd" },
        ignore: "*",
      },
    },
  );
  expect(report.files.map(({ kind, added }) => [kind, added])).toEqual([
    ["workers", 1],
    ["policies", 2],
    ["assignments", 1],
  ]);
});

test("without columns, an ignored column is skipped although it has the name of a field", async () => {
  const csv = workersCsv("E1").replace("timeZone", "position").replace("Europe/Berlin", "Chief");
  const mapping = { workers: { from: "people.csv", ignore: ["Position"] } };
  const { stored } = await imported({ "people.csv": csv }, mapping);
  expect(JSON.parse(stored.workers[0]!.doc)).toMatchObject({ position: "" });
});

test("a translation must fit its field like a cell: in the file's date format and number form", async () => {
  const { stored } = await imported(
    { "people.csv": workersCsv("E1").replaceAll("2024-01-01", "first day") },
    {
      workers: {
        from: "people.csv",
        dates: "dd/MM/yyyy",
        translate: { startDate: { "first day": "31/12/2023" }, timeZone: { "Europe/Berlin": null } },
      },
    },
  );
  expect(JSON.parse(stored.workers[0]!.doc)).toMatchObject({ startDate: "2023-12-31", timeZone: null });
});

describe("a value outside a list: the error says how to mend it in the mapping", () => {
  const remedy = (field: string) =>
    `: translate it in ${field.replace(".", ".translate.")} of map.json, or leave such rows out with ${field.split(".")[0]}.skip`;

  test("in CSV, with or without columns, after the suggested value", async () => {
    const files = {
      "people.csv": workersCsv("E1").replace("no,", "perhaps,").replace("status", "Stand"),
      "leave.csv": requestsCsv("R1 cancelled E1", "R2 aproved E1", "R3  E1"),
      "policies.csv": POLICIES_CSV.replace("hour", "week"),
    };
    const columns = Object.fromEntries(
      ["legacyId", "firstName", "lastName", "email", "isBusiness", "startDate", "type", "timeZone"].map(
        (field) => [field, field],
      ),
    );
    const mistakes = await refused(files, {
      workers: { from: "people.csv", columns: { ...columns, Stand: "status" } },
      requests: { from: "leave.csv" },
    });
    const choices = "is not one of pending, approved, denied";
    expect(mistakes).toEqual([
      `people.csv:2: isBusiness: "perhaps" is not one of true, false, yes, no, 1, 0${remedy("workers.isBusiness")}`,
      // A file without a mapping
      'policies.csv:2: unit: "week" is not one of hour, day',
      `leave.csv:2: status: "cancelled" ${choices}${remedy("requests.status")}`,
      `leave.csv:3: status: "aproved" ${choices} (did you mean approved?)${remedy("requests.status")}`,
      "leave.csv:4: status: is missing",
    ]);
  });

  test("in JSON lines also for a number, but not for a value that cannot be translated; the advice works", async () => {
    const [header, row] = workersCsv("E1")
      .split("\n")
      .map((line) => line.split(","));
    const worker = (id: string, status: unknown) =>
      JSON.stringify({
        ...Object.fromEntries(header!.map((name, at) => [name, row![at]])),
        legacyId: id,
        status,
      });
    const lines = [worker("E1", 7), worker("E2", "gone")];
    const people = (...more: string[]) => ({ "people.jsonl": [...lines, ...more].join("\n") });
    const from = "people.jsonl";
    const choices = "one of draft, invited, onboarding, active, offboarding, inactive";
    expect(await refused(people(worker("E3", [1])), { workers: { from } })).toEqual([
      `people.jsonl:1: status: 7 is not ${choices}${remedy("workers.status")}`,
      `people.jsonl:2: status: "gone" is not ${choices}${remedy("workers.status")}`,
      `people.jsonl:3: status: […] is a list, not ${choices}`,
    ]);
    const mended = { from, translate: { status: { 7: "active" } }, skip: { status: "gone" } };
    expect((await imported(people(), { workers: mended })).stored.workers).toHaveLength(1);
  });
});

describe("a mapping with missing files", () => {
  const mapping = {
    workers: { from: "people.csv" },
    policies: { from: "plans.csv" },
    requests: { from: ["leave-1.csv", "leave-2.csv"] },
  };
  const files = {
    "people.csv": workersCsv("E1", "E2"),
    "plans.csv": POLICIES_CSV,
    "leave-1.csv": requestsCsv("R1 approved E1"),
    "leave-2.csv": requestsCsv("R2 approved E2"),
  };
  const load = async (names: readonly (keyof typeof files)[], isPruning = false) => {
    const folder = folderOf(Object.fromEntries(names.map((name) => [name, files[name]])));
    const loaded = await readMapping(mapFile(mapping), new Map());
    return findSources([folder], loaded, isPruning);
  };

  test("imports the files that are there and notes the others", async () => {
    const { sources, notes } = await load(["people.csv", "leave-1.csv"]);
    expect(sources.map(({ label }) => label)).toEqual(["people.csv", "leave-1.csv"]);
    expect(notes).toEqual([
      "map.json: policies.from: there is no plans.csv: no policies are imported from it",
      "map.json: requests.from: there is no leave-2.csv: only the other files of requests are imported",
    ]);
  });

  test("prunes only kinds with all their files", async () => {
    const company = await TestCompany.open();
    const map = mapFile(mapping);
    await company.importFolder(folderOf(files), {}, map);
    const people = folderOf({ "people.csv": workersCsv("E1", "E2", "E3") });
    expect(counted(await company.importFolder(people, { isPruning: true }, map))).toEqual({
      "people.csv": "1/0/2/0",
    });
    expect((await company.stored()).requests).toHaveLength(2);
    expect(await findingsOf(load(["people.csv", "leave-1.csv"], true))).toEqual([
      "map.json: requests.from: there is no leave-2.csv, so --prune would remove its requests: give every file of requests, or import without --prune",
    ]);
  });

  test("is refused if a file seems to have another name; the error has that name and says what to do", async () => {
    const others = (more: Record<string, string>) =>
      refused({ "people.csv": files["people.csv"], ...more }, mapping);
    expect(await others({ "plan.csv": POLICIES_CSV, "Leave2.txt": "x", "leave_2.jsonl": "{}" })).toEqual([
      "map.json: policies.from: there is no plans.csv, but a plan.csv that the mapping does not name: rename it to plans.csv, name it in map.json, or, if it is something else, move it elsewhere",
      ...["leave-1.csv", "leave-2.csv"].map(
        (name) =>
          `map.json: requests.from: there is no ${name}, but a leave_2.jsonl that the mapping does not name: rename it to ${name}, name it in map.json, or, if it is something else, move it elsewhere`,
      ),
    ]);
    // The name of our own files, for a kind that the mapping takes from elsewhere.
    const taken = { workers: { from: "people.csv" }, requests: { from: "Request.csv" } };
    expect(await refused({ "people.csv": workersCsv("E1"), "requests.csv": requestsCsv() }, taken)).toEqual([
      "map.json: requests.from: there is no Request.csv, but a requests.csv that the mapping does not name: rename it to Request.csv, name it in map.json, or, if it is something else, move it elsewhere",
    ]);
  });

  test("is imported if the similar file is used elsewhere, less similar, or not data", async () => {
    const near = { workers: { from: "people.csv" }, requests: { from: ["policie.csv", "pto.csv"] } };
    const { report } = await imported(
      { "people.csv": workersCsv("E1"), "policies.csv": POLICIES_CSV, "pay.csv": "x", "pto.md": "y" },
      near,
    );
    expect(report.files.map(({ file }) => file)).toEqual(["people.csv", "policies.csv"]);
  });

  test("is imported if a query reads the similar file", async () => {
    const near = { workers: { query: "select * from people" }, requests: { from: "peoples.csv" } };
    const { report } = await imported({ "people.csv": workersCsv("E1") }, near);
    expect(report.files.map(({ kind }) => kind)).toEqual(["workers"]);
  });

  test("without any of its files is refused; the error names the present files", async () => {
    expect(await refused({ "notes.txt": "x" }, mapping)).toEqual(
      [
        "workers.from: there is no people.csv",
        "policies.from: there is no plans.csv",
        "requests.from: there is no leave-1.csv",
        "requests.from: there is no leave-2.csv",
      ].map((text) => `map.json: ${text} among the given files: notes.txt`),
    );
  });
});
