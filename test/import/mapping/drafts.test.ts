// Drafts of mappings: what is told by the names of columns and by values, and that what is told can be imported.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rollcall } from "../../cli/command.ts";
import { folderOf } from "../../support/import-files.ts";

const PEOPLE = `Personalnummer;Vorname;Nachname;E-Mail;Eintritt;Austritt;Status;Abteilung
7;J\u00f6rg;Lind;j@example.com;01.03.2020;;Aktiv;IT
8;Bo;Ek;b@example.com;15.06.2021;30.04.2025;Ausgeschieden;HR
`;
const LEAVE = `Abwesenheiten 2025

Personalnummer;Abwesenheitsart;Von;Bis;Tage;Status
7;Urlaub;03.03.2025;05.03.2025;3,0;Genehmigt
8;Urlaub;13.03.2025;14.03.2025;1,5;Offen
7;Krank;20.05.2025;20.05.2025;1;Storniert
`;
const FILES = { "mitarbeiter.csv": Buffer.from(PEOPLE, "latin1"), "abwesenheiten.csv": LEAVE };

describe("rollcall map", () => {
  test("init drafts a mapping that check runs, once what cannot be told is added", async () => {
    const folder = folderOf(FILES);
    const out = join(folder, "map.json");
    expect((await rollcall(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    for (const line of [
      '"encoding": "windows-1252"',
      '"delimiter": ";"',
      '"skipLines": 2',
      '"decimal": ","',
      '"units": { "requestedMinutes": "days" }',
      '"endDay": "included"',
      '"translate": { "status": { "Genehmigt": "approved", "Offen": "pending" } }',
      '// status: what is "Storniert": one of pending, approved, denied, or rows to "skip"?',
      "// not used: Abteilung",
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
    const refused = await rollcall(folder, check);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(
      'abwesenheiten.csv:6: status: "Storniert" is not one of pending, approved, denied',
    );
    writeFileSync(
      out,
      draft.replace(
        '"from": "abwesenheiten.csv"',
        '"from": "abwesenheiten.csv", "skip": {"Status": "Storniert"}',
      ),
    );
    const { stdout, exitCode } = await rollcall(folder, [...check, "--json"]);
    expect(exitCode).toBe(0);
    const { files, examples } = JSON.parse(stdout);
    expect(files.map((file: { kind: string; added: number }) => [file.kind, file.added])).toEqual([
      ["workers", 2],
      ["policies", 2],
      ["assignments", 3],
      ["requests", 2],
    ]);
    expect(examples.workers).toMatchObject({ startDate: expect.stringMatching(/^202[01]-/) });
    expect((await rollcall(folder, ["map", "init", folder, "--out", out])).stderr).toContain(
      "is there already",
    );
  });

  test("init reads names with prefixes, and takes the file that fits a kind best", async () => {
    const folder = folderOf({
      "contracts.csv":
        "contract_id,employee_id,start_date,end_date,pay_rate\nc1,E1,2024-01-02,2024-12-31,20\n",
      "employee_details.csv":
        "employee_id,employee_first_name,employee_last_name,employee_location,hire_date,manager_id\nE1,Ana,Lind,Bern,2024-01-02,\nE2,Bo,Ek,Bern,2024-01-02,E1\n",
      "employee_leave.csv":
        "leave_id,employee_id,leave_type,leave_start_date,leave_end_date,leave_hours\nl1,E1,Annual,2024-03-04,2024-03-04,8\n",
      "roster.csv": "",
    });
    const out = join(folder, "map.json");
    expect((await rollcall(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    expect(draft).toContain("// roster.csv is empty");
    expect(draft).toContain("// contracts.csv: more requests?");
    expect(draft).toContain('"employee_location": "location"');
    expect(draft).toContain('"manager_id": "managerId"');
    const files = ["employee_details.csv", "employee_leave.csv"].map((name) => join(folder, name));
    const { stdout } = await rollcall(folder, ["map", "check", ...files, "--map", out, "--json"]);
    const { files: read } = JSON.parse(stdout);
    expect(read.map((file: { kind: string; added: number }) => [file.kind, file.added])).toEqual([
      ["workers", 2],
      ["policies", 1],
      ["assignments", 1],
      ["requests", 1],
    ]);
  });

  test("init assigns people by their balances, too, and asks for the day of these", async () => {
    const folder = folderOf({
      "balances.csv": "emp_id,leave_type,balance\n1,Annual,12\n2,Sick,7\n",
      "leave.csv": "emp_id,leave_type,from,to,days\n1,Annual,2024-03-04,2024-03-05,2\n",
      "people.csv": "emp_id,first_name,last_name,hire_date\n1,Ana,Lind,2024-01-02\n2,Bo,Ek,2024-01-02\n",
    });
    const out = join(folder, "map.txt");
    expect((await rollcall(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    expect(draft).toContain("// date is missing: on which day were these the amounts?");
    writeFileSync(out, draft.replace('"from": "balances.csv"', '"values": { "date": "2024-02-01" }, $&'));
    const files = ["balances.csv", "leave.csv", "people.csv"].map((name) => join(folder, name));
    const { stdout, stderr } = await rollcall(folder, ["map", "check", ...files, "--map", out, "--json"]);
    expect(stderr).not.toContain("never-assigned");
    const { files: read } = JSON.parse(stdout);
    expect(read.map((file: { kind: string; added: number }) => [file.kind, file.added])).toEqual([
      ["workers", 2],
      ["policies", 2],
      ["assignments", 2],
      ["requests", 1],
      ["adjustments", 2],
    ]);
  });

  test("init takes formats that read days that exist, and managers only from ids of the same file", async () => {
    const folder = folderOf({
      "people.csv":
        'EmpID,Employee_Name,DateofHire,DateofTermination,ManagerID\n1,"Lind, Ana, Dr., PhD, MBA",09/26/2011,,77\n2,"Ek, Bo",01/02/2012,12-31-2015,77\n',
    });
    const out = join(folder, "map.json");
    expect((await rollcall(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    expect(draft).toContain('"dates": { "startDate": "MM/dd/yyyy", "endDate": "MM-dd-yyyy" }');
    expect(draft).toContain('"DateofHire" would also fit M/d/yyyy\n');
    expect(draft).toContain("// not used: ManagerID\n");
    expect(draft).not.toContain("skipLines");
  });

  test("init finds the array of a JSON document and names nested columns by their path", async () => {
    const rows = [
      {
        id: 1,
        name: { first_name: "Ana", last_name: "Lind" },
        email: "a@example.com",
        hire_date: "2024-01-01",
      },
    ];
    const folder = folderOf({ "people.json": JSON.stringify({ fields: [1], data: rows }) });
    const { stdout } = await rollcall(folder, ["map", "init", join(folder, "people.json")]);
    for (const line of ['"at": "data"', '"name.first_name": "firstName"', '"hire_date": "startDate"'])
      expect(stdout).toContain(line);
  });

  test("schema is a JSON Schema that names the fields of each kind, presets a list", async () => {
    const folder = folderOf({});
    const schema = JSON.parse((await rollcall(folder, ["map", "schema"])).stdout);
    expect(Object.keys(schema.$defs)).toEqual([
      "workers",
      "policies",
      "assignments",
      "requests",
      "adjustments",
      "work_hours",
    ]);
    expect(schema.$defs.requests.properties.translate.properties.status).toMatchObject({
      additionalProperties: { enum: ["pending", "approved", "denied", null] },
    });
    expect(schema.$defs.workers.properties.columns.additionalProperties.oneOf[0].enum).toContain("fullName");
    const presets = JSON.parse((await rollcall(folder, ["map", "presets", "--json"])).stdout);
    expect(presets.map(({ name }: { name: string }) => name)).toContain("personio");
  });
});
