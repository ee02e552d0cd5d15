// SQL as a source: tables named after the files, text columns, one select. What fails is told with what there is.
// Property: a query that selects all of a file gives what the file gives.
import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import {
  folderOf,
  POLICIES_CSV,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../../support/import-files.ts";
import { workbook } from "../../support/workbook.ts";
import { imported, mapFile, refused } from "../mapping/mapped.ts";

const FILES = {
  "Employee List.csv":
    "Emp ID,Name,Mail,Hired,Left\n7,Ana Lind,ana@example.com,2024-01-01,\n8,Bo Ek,bo@example.com,2023-05-31,2024-06-30",
  "leave_2024-01.json": JSON.stringify([
    {
      id: 1,
      employee: { id: 7, tags: ["x"] },
      type: "PTO",
      days: { "2024-03-04": 8, "2024-03-05": "4" },
      ok: true,
    },
  ]),
  "leave_2024-02.json": JSON.stringify([
    { id: 2, employee: { id: 8 }, type: "PTO", days: {}, ok: false, note: "n" },
  ]),
};
const PEOPLE = `select "Emp ID" as legacyId, Name as fullName, Mail as email, Hired as startDate, "Left" as endDate,
    case when "Left" is null then 'active' else 'inactive' end as status from employee_list`;
const WORKERS = { query: PEOPLE, values: { isBusiness: false, type: "employee" } };

describe("a query", () => {
  test("joins, splits and unpivots what the files have", async () => {
    const { stored, report } = await imported(
      { ...FILES, "policies.csv": POLICIES_CSV },
      {
        tables: { leave: "leave_*.json" },
        workers: WORKERS,
        requests: {
          query: `select l.id || '-' || d.key as legacyId, l.employee ->> '$.id' as workerId, l.type as timeOffPolicyId,
                    d.key as startAt, d.key as endAt, d.key as createdAt, d.value as requestedMinutes, 'approved' as status,
                    e._file, e._line
                  from leave l join employee_list e on e."Emp ID" = l.employee ->> 'id', json_each(l.days) d`,
          dates: "yyyy-MM-dd",
          endDay: "included",
          units: { requestedMinutes: "hours" },
        },
      },
    );
    expect(stored.workers.map(({ legacyId, status, endDay }) => [legacyId, status, endDay !== null])).toEqual(
      expect.arrayContaining([
        ["7", "active", false],
        ["8", "inactive", true],
      ]),
    );
    expect(stored.requests.map(({ legacyId, minutes }) => [legacyId, minutes]).sort()).toEqual([
      ["1-2024-03-04", 480],
      ["1-2024-03-05", 240],
    ]);
    expect(report.files.map(({ file }) => file)).toEqual([
      "map.json: workers.query",
      "policies.csv",
      "map.json: requests.query",
    ]);
  });

  test("may be in a file beside the mapping, over a sheet of a workbook, with the options of its table", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "people.sql"), "-- people\nselect Nr as legacyId, * from people;\n");
    const map = join(folder, "map.json");
    const table = { from: "hr.xlsx", sheet: "People", skipLines: 1 };
    writeFileSync(
      map,
      JSON.stringify({
        workers: {
          query: { file: "people.sql" },
          tables: { people: table },
          columns: {
            legacyId: "legacyId",
            First: "firstName",
            Last: "lastName",
            Mail: "email",
            Start: "startDate",
          },
          values: { isBusiness: false, status: "active", type: "employee" },
          ignore: ["Nr"],
        },
      }),
    );
    const sheet = [
      ["Our people"],
      ["Nr", "First", "Last", "Mail", "Start"],
      [7, "Ana", "Lind", "a@example.com", { serial: 45_292, as: "date" }],
    ] as const;
    const company = await TestCompany.open();
    await company.importFolder(folderOf({ "hr.xlsx": workbook({ Other: [], People: sheet }) }), {}, map);
    expect((await company.stored()).workers.map(({ legacyId, startDay }) => [legacyId, startDay])).toEqual([
      ["7", 19_723],
    ]);
  });

  test("tells a bad row by the file and line that it selects, else by its number", async () => {
    const wrong = (sql: string) => refused(FILES, { workers: { ...WORKERS, query: sql } });
    const broken = PEOPLE.replace("Mail as", "Name as");
    expect(await wrong(`${broken} where Name = 'Bo Ek'`)).toEqual([
      'map.json: workers.query:1: email: "Bo Ek" is not an email address such as ana@example.com',
    ]);
    const located = broken.replace("select ", "select _file, _line, ");
    expect(await wrong(`${located} where Name = 'Bo Ek'`)).toEqual([
      'Employee List.csv:3: email: "Bo Ek" is not an email address such as ana@example.com',
    ]);
  });

  const TABLES =
    'There are: employee_list ("Emp ID", Name, Mail, Hired, Left, _file, _line); leave_2024_01 (id, employee, type, days, ok, _file, _line); leave_2024_02 (id, employee, type, days, ok, note, _file, _line)';
  test.each([
    ["select Nme from employee_list", `no such column: Nme. ${TABLES}`],
    ["select * from empolyees", `no such table: empolyees. ${TABLES}`],
    ["select * form employee_list", `near "form": syntax error. ${TABLES}`],
    [`${PEOPLE} where Name ->> 'x' = 1`, "malformed JSON. There are: employee_list ("],
    ["delete from employee_list", 'begins with "delete": a query is one select'],
    ["with x as (select 1) delete from employee_list returning *", "changes a table: a query is one select"],
    ["select 1; select 2", "has more than one statement: a query is one select"],
    ["-- nothing", "is empty: a query is one select"],
    ["attach 'x.db' as x", 'begins with "attach": a query is one select'],
  ])("%s: %s", async (query, expected) => {
    expect((await refused(FILES, { workers: { ...WORKERS, query } }))[0]).toStartWith(
      `map.json: workers.query: ${expected}`,
    );
  });

  test("a table without its file, a query file that is not there, and two files of one name", async () => {
    expect(
      await refused(FILES, { tables: { leave: "absence_*.csv" }, workers: { query: "select * from leave" } }),
    ).toEqual([
      "map.json: tables.leave: there is no absence_*.csv among the given files: Employee List.csv, leave_2024-01.json, leave_2024-02.json",
    ]);
    const [missing] = await refused(FILES, { workers: { query: { file: "nope.sql" } } });
    expect(missing).toStartWith('map.json: workers.query.file: there is no "nope.sql" beside the mapping');
    expect(
      await refused({ "a b.csv": "x", "A-B.csv": "x" }, { workers: { query: "select * from a_b" } }),
    ).toEqual([
      "map.json: workers.query: A-B.csv and a b.csv would both be the table a_b: name them under tables",
    ]);
  });

  test("leaves no database behind", async () => {
    // A folder of its own: other tests make and remove folders of theirs meanwhile.
    const [folder, temporary] = [temporaryFolder(), process.env.TMPDIR];
    process.env.TMPDIR = folder;
    try {
      expect(tmpdir()).toBe(folder);
      await imported(FILES, { workers: WORKERS });
      expect(readdirSync(folder).filter((name) => !name.startsWith("rollcall-import"))).toEqual([]);
    } finally {
      if (temporary === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = temporary;
    }
  });
});

// Property: a query that selects all of a file gives what the file gives, in whatever format and whatever it holds.
describe("a query that selects a file equals the file", () => {
  const text = fc
    .string({
      unit: fc.constantFrom("a", "Ü", " ", ",", '"', "'", ";", "{", "|", "é"),
      minLength: 1,
      maxLength: 8,
    })
    .filter((one) => one.trim() !== "");
  const person = fc.record({
    "First name": text,
    last: text,
    position: fc.option(text),
    preferredName: fc.option(text),
    nested: fc.record({ "start.date": fc.constantFrom("2024-01-01", "1999-12-31"), list: fc.array(text) }),
  });
  const columns = {
    Nr: "legacyId",
    "First name": "firstName",
    last: "lastName",
    Mail: "email",
    position: "position",
    preferredName: "preferredName",
  };
  const values = { isBusiness: false, status: "active", type: "employee", startDate: "2024-01-01" };

  test.each(["csv", "jsonl", "json"])("as %s", async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(person, { minLength: 1, maxLength: 5 }), async (people) => {
        const rows = people.map((one, at) => ({ Nr: `K${at}`, Mail: `k${at}@example.com`, ...one }));
        const quoted = (cell: unknown) => `"${String(cell ?? "").replaceAll('"', '""')}"`;
        const header = [...Object.keys(columns), "nested"];
        const content =
          format === "csv"
            ? [
                header,
                ...rows.map((row) =>
                  header.map((key) => (key === "nested" ? "" : (row as Record<string, unknown>)[key])),
                ),
              ]
                .map((row) => row.map(quoted).join(","))
                .join("\n")
            : format === "jsonl"
              ? rows.map((row) => JSON.stringify(row)).join("\n")
              : JSON.stringify(rows);
        const file = `people.${format}`;
        const nested = format === "csv" ? {} : { "nested.start.date": "startDate" };
        const fixed = format === "csv" ? values : { ...values, startDate: undefined };
        const rest = { columns: { ...columns, ...nested }, values: fixed, ignore: "*" };
        const files = { [file]: Buffer.from(content) };
        const ofFile = await imported(files, { workers: { from: file, ...rest } });
        const ofQuery = await imported(files, { workers: { query: "select * from people", ...rest } });
        expect(ofQuery.stored).toEqual(ofFile.stored);
        expect(ofFile.stored.workers).toHaveLength(people.length);
      }),
      { numRuns: 25 },
    );
  });
});

test("the same query over unchanged files changes nothing", async () => {
  const company = await TestCompany.open();
  const map = mapFile({ workers: { query: "select * from people" } });
  const folder = folderOf({ "people.csv": workersCsv("E1", "E2") });
  expect((await company.importFolder(folder, {}, map)).isChanged).toBe(true);
  expect((await company.importFolder(folder, {}, map)).isChanged).toBe(false);
});
