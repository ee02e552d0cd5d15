// SQL as a source: tables named after the files, text columns, one select. What fails is told with what there is.
// Property: a query that selects all of a file gives what the file gives.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readMapping } from "../../../src/import/convert/mapping-file.ts";
import {
  type Files,
  findingsOf,
  folderOf,
  POLICIES_CSV,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../../support/import-files.ts";
import { workbook } from "../../support/workbook.ts";
import { imported, mapFile, refused } from "../convert/mapped.ts";

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
  test("joins, splits and unpivots the rows of the files", async () => {
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

  test("may be in a file beside a mapping in another folder, which this one extends", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "base"));
    writeFileSync(join(folder, "base/people.sql"), "\uFEFFselect Nr as legacyId from people");
    writeFileSync(join(folder, "people.sql"), "this is another query");
    const base = { workers: [{ query: { file: "people.sql" } }], requests: { query: { file: "none.sql" } } };
    writeFileSync(join(folder, "base/map.json"), JSON.stringify(base));
    const map = join(folder, "map.json");
    writeFileSync(map, JSON.stringify({ extends: "base/map.json", requests: null }));
    const { sources } = await readMapping(map, new Map());
    expect(sources.get("workers")!.map(({ mapping }) => mapping.query)).toEqual([
      { file: "people.sql", sql: "select Nr as legacyId from people" },
    ]);
    writeFileSync(map, JSON.stringify({ extends: "base/map.json" }));
    await expect(readMapping(map, new Map())).rejects.toThrow(
      `map.json: requests.query.file: there is no "none.sql" beside the mapping: looked for ${join(folder, "base/none.sql")}`,
    );
    rmSync(join(folder, "base/people.sql"));
    mkdirSync(join(folder, "base/people.sql"));
    await expect(readMapping(map, new Map())).rejects.toThrow('"people.sql" cannot be read (EISDIR)');
  });

  test("reports a bad row by the file and line that it selects, else by its number", async () => {
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

  describe("over a file with a bad record", () => {
    const files = {
      "people.csv": "id,name,mail\n7,Ana Lind,ana@example.com\n8,Bo Ek\n9,Cy Ost,nobody",
      "kinds.csv": "code,title,paid\nPTO,Holiday,yes\nSICK",
      "leave.csv": `
        legacyId,workerId,timeOffPolicyId,startAt,endAt,createdAt,requestedMinutes,status
        R1,7,PTO,2025-03-03,2025-03-03,2025-03-03,480,open
        R2,8,SICK,2025-03-03,2025-03-03,2025-03-03,480,approved
        R3,77,PTO,2025-03-03,2025-03-03,2025-03-03,480,approved
        R4,7,PTO,2025-03-03`,
    };
    const map = {
      workers: {
        query: "select id as legacyId, name as fullName, mail as email, _file, _line from people",
        values: { isBusiness: false, status: "active", type: "employee", startDate: "2024-01-01" },
      },
      policies: {
        query:
          "select code as legacyId, title as name, title as timeOffTypeName, paid, _file, _line from kinds",
        values: { unit: "day", schedule: "unlimited" },
      },
      assignments: {
        tables: { absences: "leave.csv" },
        query:
          "select distinct workerId, timeOffPolicyId as policyId, '2024-01-01' as startsOn from absences",
      },
      requests: { from: "leave.csv", endDay: "included" },
    };
    const all = [
      "people.csv:3: has 2 cells, but the header has 3: an empty cell needs its delimiter too",
      "kinds.csv:3: has 1 cell, but the header has 3: an empty cell needs its delimiter too",
      'people.csv:4: email: "nobody" is not an email address such as ana@example.com',
      'map.json: assignments.query:3: workerId: "77" is no worker: neither an id nor a legacyId, in these files or stored',
      expect.stringContaining('leave.csv:2: status: "open" is not one of pending, approved, denied'),
      'leave.csv:4: workerId: "77" is no worker: neither an id nor a legacyId, in these files or stored',
      "leave.csv:5: has 4 cells, but the header has 8: an empty cell needs its delimiter too",
    ];

    test("the other row errors of all files are reported with it, but not the rows that refer to it", async () => {
      expect(await refused(files, map)).toEqual(all);
      const stored = { ...files, "leave.csv": files["leave.csv"].replace(/R4.*/, "") };
      expect(await refused(stored, map)).toEqual(all.slice(0, -1));
    });

    test("nothing is quarantined, because the query may make wrong rows of the others", async () => {
      const company = await TestCompany.open();
      const quarantine = { limit: 50, write: () => expect.unreachable() };
      const findings = await findingsOf(company.importFolder(folderOf(files), { quarantine }, mapFile(map)));
      expect(findings.slice(0, 3)).toEqual(all.slice(0, 3));
      expect(findings.at(-1)).toBe(
        '3 records that queries read cannot go to quarantine, as what they make of the others may be wrong: mend them, or leave such records out with "skip" under tables',
      );
    });

    test("other errors are reported with it: failing queries, and unreadable files", async () => {
      expect(
        await refused(
          { ...files, "kinds.csv": '"code,title\nPTO,Holiday' },
          { ...map, workers: { query: "select nme from people" } },
        ),
      ).toEqual([
        "people.csv:3: has 2 cells, but the header has 3: an empty cell needs its delimiter too",
        "map.json: workers.query: no such column: nme. There are: kinds; leave; people (id, name, mail, _file, _line)",
        "kinds.csv:1: a quoted cell that begins here never ends: a closing quote is missing",
        "leave.csv:5: has 4 cells, but the header has 8: an empty cell needs its delimiter too",
      ]);
    });

    test("more than 1000 bad records stop the import at once", async () => {
      const short = Array.from({ length: 1001 }, (_, at) => `${at}`).join("\n");
      expect(await refused({ ...files, "people.csv": `id,name,mail\n${short}` }, map)).toEqual([
        "people.csv:2: has 1 cell, but the header has 3: an empty cell needs its delimiter too (1001 rows)",
        all[1],
        all.at(-1),
      ]);
    });

    test("a query that fails midway is reported with all other errors", async () => {
      const broken = {
        ...map,
        requests: {
          query: "select l.*, json_extract(workerId || '{', '$.a') as reason from leave l",
          endDay: "included",
        },
      };
      const findings = await refused(files, broken);
      expect(findings.slice(0, 5)).toEqual([...all.slice(0, 3), all.at(-1), all[3]]);
      expect(findings[5]).toStartWith("map.json: requests.query: malformed JSON. There are: ");
      expect(findings).toHaveLength(6);
    });
  });

  const TABLES =
    'There are: employee_list ("Emp ID", Name, Mail, Hired, Left, _file, _line); leave_2024_01; leave_2024_02';
  test.each([
    ["select Nme from employee_list", `no such column: Nme. ${TABLES}`],
    [
      "select * from empolyees",
      "no such table: empolyees. There are: employee_list; leave_2024_01; leave_2024_02",
    ],
    ["select * form employee_list", `near "form": syntax error. ${TABLES}`],
    [`${PEOPLE} where Name ->> 'x' = 1`, "malformed JSON. There are: employee_list ("],
    ["delete from employee_list", 'begins with "delete": a query is one select'],
    ["with x as (select 1) delete from employee_list returning *", `near "delete": syntax error. ${TABLES}`],
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

  test("a file whose name is only a part of a word of the query, and the mapping itself, are no tables", async () => {
    const files = { ...FILES, "ap.csv": '"unclosed', "map.json": "{}" };
    const query = PEOPLE.replace("from employee_list", "from employee_list as map");
    expect((await imported(files, { workers: { ...WORKERS, query } })).stored.workers).toHaveLength(2);
  });

  // Such as a file `urlaub.csv` and the kind of leave 'Urlaub'.
  test("a text of the query names no table, so a file of its name is not read", async () => {
    const files = { ...FILES, "staff.csv": '"unclosed' };
    const query = `select * from (${PEOPLE}) where 'Staff' <> 'it''s staff'`;
    expect((await imported(files, { workers: { ...WORKERS, query } })).stored.workers).toHaveLength(2);
  });

  test("a table whose file may be missing, and one with columns that its file lacks", async () => {
    const homes = { from: "homes.csv", optional: true, columns: ["who", "zone"] };
    const tables = { employee_list: { from: "Employee List.csv", columns: ["Nickname"] }, homes };
    const query = `select e."Emp ID" as legacyId, Name as fullName, Nickname as preferredName, Mail as email, Hired as startDate,
        "Left" as endDate, case when "Left" is null then 'active' else 'inactive' end as status, h.zone as timeZone
      from employee_list e left join homes h on h.who = "Emp ID"`;
    const mapping = { tables, workers: { ...WORKERS, query } };
    const zones = async (files: Files) =>
      (await imported(files, mapping)).stored.workers.map(({ doc }) => JSON.parse(doc).timeZone).sort();
    const people = { "Employee List.csv": FILES["Employee List.csv"] };
    expect(await zones(people)).toEqual([null, null]);
    const homesCsv = "who,zone\n7,Europe/Berlin\n8,Europe/Paris";
    expect(await zones({ ...people, "homes.csv": homesCsv })).toEqual(["Europe/Berlin", "Europe/Paris"]);
  });

  test("leaves no temporary database", async () => {
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
    .filter((line) => line.trim() !== "");
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
        const rows = people.map((person, at) => ({ Nr: `K${at}`, Mail: `k${at}@example.com`, ...person }));
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
      { numRuns: 12 },
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

test("ignoring case covers only A to Z in a query, as SQLite does, and all letters in translate", async () => {
  const { stored } = await imported(
    { "people.csv": "id,name,state\nE1,MÜLLER Ana,TÄTIG\nE2,müller bo,tätig" },
    {
      workers: {
        query:
          "select id as legacyId, lower(name) as firstName, iif(lower('MÜLLER') = 'müller', 'same', 'not the same') as lastName, state as status from people",
        values: { email: "a@x.invalid", type: "employee", isBusiness: false, startDate: "2020-01-01" },
        translate: { status: { tätig: "active" } },
      },
    },
  );
  const docs = stored.workers.map(({ doc }) => JSON.parse(doc));
  expect(docs.map(({ firstName, lastName, status }) => [firstName, lastName, status]).sort()).toEqual([
    ["mÜller ana", "not the same", "active"],
    ["müller bo", "not the same", "active"],
  ]);
});
