// Drafts of mappings: what is told by the names of columns and by values, and that what is told can be imported.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "../../src/resources/kinds.ts";
import { rollcallHere } from "../cli/command.ts";
import { refused } from "../import/convert/mapped.ts";
import { folderOf } from "../support/import-files.ts";
import { asPaidLeave, draftText } from "./draft-folders.ts";

const PEOPLE = `Personalnummer;Vorname;Nachname;E-Mail;Eintritt;Austritt;Status;Kostenstelle
7;J\u00f6rg;Lind;j@example.com;01.03.2020;;Aktiv;IT
8;Bo;Ek;b@example.com;15.06.2021;30.04.2025;Ausgeschieden;HR
`;
const LEAVE = `Abwesenheiten 2025

Personalnummer;Abwesenheitsart;Von;Bis;Tage;Status
7;Urlaub;03.03.2025;05.03.2025;3,0;Genehmigt
8;Urlaub;13.03.2025;14.03.2025;1,5;Offen
7;Krank;20.05.2025;20.05.2025;1;Ruhend
`;
const FILES = { "mitarbeiter.csv": Buffer.from(PEOPLE, "latin1"), "abwesenheiten.csv": LEAVE };

describe("rollcall map", () => {
  test("init drafts a mapping that check runs, once what cannot be told is added", async () => {
    const folder = folderOf(FILES);
    const out = join(folder, "map.json");
    const init = await rollcallHere(folder, ["map", "init", folder, "--out", out]);
    expect(init.exitCode).toBe(0);
    expect(init.stderr).toContain(`wrote ${out}: read it, answer each "?", then run rollcall map check`);
    const draft = readFileSync(out, "utf8");
    for (const line of [
      '"encoding": "windows-1252"',
      '"delimiter": ";"',
      '"skipLines": 2',
      '"decimal": ","',
      '"units": { "requestedMinutes": "days" }',
      '"endDay": "included"',
      '"translate": { "status": { "Genehmigt": "approved", "Offen": "pending", "Ruhend": "?" } }',
      '// ? translate: status: what is "Ruhend": one of pending, approved, denied, or rows to "skip"?',
      '// ? paid: is each of these kinds of leave paid: "Krank" (1 row)?',
      "// not used: Kostenstelle",
    ])
      expect(draft).toContain(line);
    const check = [
      "map",
      "check",
      join(folder, "mitarbeiter.csv"),
      join(folder, "abwesenheiten.csv"),
      "--map",
      out,
    ];
    const refused = await rollcallHere(folder, check);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(
      'map.json: requests.translate.status.Ruhend: "?" is not one of pending, approved, denied',
    );
    writeFileSync(
      out,
      asPaidLeave(draft)
        .replace(', "Ruhend": "?"', "")
        .replace('"from": "abwesenheiten.csv"', '$&, "skip": {"Status": "Ruhend"}'),
    );
    const { stdout, exitCode } = await rollcallHere(folder, [...check, "--json"]);
    expect(exitCode).toBe(0);
    const { files, examples } = JSON.parse(stdout);
    expect(files.map((file: { kind: string; added: number }) => [file.kind, file.added])).toEqual([
      ["workers", 2],
      ["policies", 2],
      ["assignments", 4],
      ["requests", 2],
    ]);
    // Ids are minted from the company, which the check does not know: an import would give others.
    expect(JSON.stringify(examples)).not.toMatch(/"(?:wrk|top|toa|tor)_/);
    expect(examples.requests).toMatchObject({ workerId: expect.stringMatching(/^[78]$/) });
    expect(examples.workers).toMatchObject({ startDate: expect.stringMatching(/^202[01]-/) });
    expect((await rollcallHere(folder, ["map", "init", folder, "--out", out])).stderr).toContain(
      "exists already",
    );
  });

  test.each([
    [
      "amounts below 0",
      "Employee ID,Date,Leave Type,Amount\nE1,2025-03-03,Holiday,-8\nE1,2025-03-04,Holiday,4\n",
    ],
    ["one date", "Employee ID,Date,Leave Type,Amount\nE1,2025-01-01,Holiday,8\nE2,2025-01-01,Holiday,4\n"],
    ["balances", "Employee ID,Date,Leave Type,Balance\nE1,2025-01-01,Holiday,8\nE2,2025-01-02,Holiday,4\n"],
  ])("init takes rows with %s for adjustments or openings, not for days of leave", async (name, text) => {
    const folder = folderOf({ "export.csv": text });
    const { stdout } = await rollcallHere(folder, ["map", "init", folder]);
    expect(stdout).toContain(name === "balances" ? '"openings": {' : '"adjustments": {');
    expect(stdout).not.toContain('"requests": {');
  });

  test("check says as JSON, too, what is wrong; init says why it cannot draft", async () => {
    const folder = folderOf({ "workers.csv": "legacyId,startDate\nE1,x" });
    const { exitCode, stdout } = await rollcallHere(folder, ["map", "check", folder, "--json"]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      right: false,
      findings: expect.arrayContaining([expect.stringContaining("column email is missing")]),
      moreBadRows: 0,
    });
    const init = await rollcallHere(folder, ["map", "init", "none"]);
    expect(init).toMatchObject({ exitCode: 1, stdout: "" });
    expect(init.stderr).toStartWith(
      "rollcall: no mapping can be drafted:\nThere is no file or folder at none",
    );
  });

  test("init says what to do with a spreadsheet that is not read, alone or beside other files", async () => {
    const folder = folderOf({ "Leave.xls": "not read" });
    const advice = "Leave.xls: it is a spreadsheet in another format: open it and save it as Leave.xlsx";
    const alone = await rollcallHere(folder, ["map", "init", folder]);
    expect(alone).toMatchObject({ exitCode: 1, stdout: "" });
    expect(alone.stderr).toContain(`\n${advice}`);
    writeFileSync(join(folder, "people.csv"), "ID,First name,Last name,Hire date\n1,Ana,Lind,2020-01-01\n");
    const beside = await rollcallHere(folder, ["map", "init", folder]);
    expect(beside.exitCode).toBe(0);
    expect(beside.stderr).toContain(`rollcall: note: left out: ${advice}`);
  });

  test("schema is a JSON Schema that names the fields of each kind, presets a list", async () => {
    const folder = folderOf({});
    const schema = JSON.parse((await rollcallHere(folder, ["map", "schema"])).stdout);
    expect(Object.keys(schema.$defs)).toEqual([...KINDS]);
    expect(schema.$defs.requests.properties.translate.properties.status).toMatchObject({
      additionalProperties: { enum: ["pending", "approved", "denied", null] },
    });
    expect(schema.$defs.workers.properties.columns.additionalProperties.oneOf[0].enum).toContain("fullName");
    const presets = JSON.parse((await rollcallHere(folder, ["map", "presets", "--json"])).stdout);
    expect(presets.map(({ name }: { name: string }) => name)).toContain("personio");
  });
});

describe("a draft of files that name people", () => {
  const leaveOf = (...names: readonly string[]) =>
    [
      "Name,Time Off Type,From,To,Hours,Status",
      ...names.map((name) => `"${name}",PTO,03/14/2025,03/14/2025,8,Approved`),
    ].join("\n");

  test("in two columns finds them too, and a name that nobody has is named with its line", async () => {
    const files = {
      "employees.csv": `Employee #,First name,Last name,Hire Date
        1,Ana,Lind,03/21/2020
        2,Bo,Ek,03/21/2020
        3,Cy,Yu,03/21/2020
        4,Di,Ho,03/21/2020`,
      "leave.csv": leaveOf("Lind, Ana", "Ek, Bo", "Yu, Cy", "Ho, Di", "Ho, Dy"),
    };
    expect(await refused(files, await draftText(files))).toEqual([
      expect.stringMatching(/^leave\.csv:6: workerId: "Ho, Dy" is no worker/),
    ]);
  });

  test("asks for ids where two people have one name", async () => {
    const people = `Employee #,Name,Hire Date
      0001,"Lind, Ana",03/21/2020
      0002,"Ek, Bo",03/21/2020
      0003,"Lind, Ana",03/21/2020`;
    const draft = await draftText({ "employees.csv": people, "leave.csv": leaveOf("Ana Lind", "Bo Ek") });
    expect(draft).toContain('"Name": "workerId"');
  });
});

test("people without ids and addresses get no addresses that are made of names", async () => {
  const draft = await draftText({ "Employees.csv": 'Payroll Name,Hire Date\n"Lind, Ana M",03/21/2020\n' });
  expect(draft).toContain("// email is missing: every row needs it; add it to columns or values");
  expect(draft).not.toContain("no-email.invalid");
});
