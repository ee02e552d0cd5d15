// The formats that a source can have: each gives the same rows, and a file that is not what its name says is told.
// Property: the elements of a JSON array are those that JSON.parse gives, in whatever pieces its text comes.
import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { ArraySplitter } from "../../../src/import/read/json.ts";
import { archive, workbook } from "../../support/workbook.ts";
import { imported, refused } from "../convert/mapped.ts";

const PEOPLE = [
  { Nr: "K1", Vorname: "Ana", Nachname: "Lind", Mail: "ana@example.com", Eintritt: "2024-01-01" },
  { Nr: "K2", Vorname: "Bo, Jr.", Nachname: "Ek", Mail: "bo@example.com", Eintritt: "2023-05-31" },
];
const COLUMNS = {
  Nr: "legacyId",
  Vorname: "firstName",
  Nachname: "lastName",
  Mail: "email",
  Eintritt: "startDate",
};
const VALUES = { isBusiness: false, status: "active", type: "employee" };
const HEADER = Object.keys(COLUMNS);
const rows = PEOPLE.map((person) => Object.values(person));
const delimited = (delimiter: string) =>
  [HEADER, ...rows].map((row) => row.map((cell) => `"${cell}"`).join(delimiter)).join("\n");

/** Names of groups above those of columns; where a column is in no group, its name is above. */
const TWO_ROWS = [
  ["Nr", "Person", "", "", "Eintritt"],
  ["", "Vorname", "Nachname", "Mail", ""],
];

const FORMATS: Record<string, { content: string | Uint8Array; keys?: object }> = {
  "people.csv": { content: delimited(",") },
  "title.csv": {
    content: `Report of people\n\n${delimited(",")}`,
    keys: { skipLines: 2 },
  },
  "excel.csv": { content: `sep=;\r\n${delimited(";")}` },
  "two-rows.csv": {
    content: `Report\n${[...TWO_ROWS, ...rows].map((row) => row.map((cell) => `"${cell}"`).join(",")).join("\n")}`,
    keys: { skipLines: 1, headerRows: 2 },
  },
  "two-rows.xlsx": {
    content: workbook({
      Data: [["Report"], ...TWO_ROWS.map((row) => row.map((cell) => cell || null)), ...rows],
    }),
    keys: { skipLines: 1, headerRows: 2 },
  },
  "people.tsv": { content: delimited("\t") },
  "people.jsonl": { content: PEOPLE.map((person) => JSON.stringify(person)).join("\n") },
  "people.json": { content: JSON.stringify(PEOPLE, null, 2) },
  "response.json": {
    content: JSON.stringify({ meta: { pages: [1, 2] }, data: { items: PEOPLE }, ok: true }),
    keys: { at: "data.items" },
  },
  "people.xlsx": {
    content: workbook({ About: [["About"]], People: [HEADER, ...rows] }),
    keys: { sheet: "people" },
  },
  "title.xlsx": {
    content: workbook({ Data: [["Report"], [null], HEADER, ...rows] }),
    keys: { skipLines: 2 },
  },
};

describe("a file gives the same rows as", () => {
  const cases = Object.entries(FORMATS).flatMap(
    ([name, { content, keys }]): [string, string | Uint8Array, object][] => [
      [name, content, keys ?? {}],
      [`${name}.gz`, gzipSync(content), keys ?? {}],
    ],
  );
  test.each(cases)("%s", async (name, content, keys) => {
    const { stored } = await imported(
      { [name]: content },
      { workers: { from: name, ...keys, columns: COLUMNS, values: VALUES } },
    );
    const rows = stored.workers.map(({ legacyId, doc }) => {
      const { firstName, lastName, email, startDate } = JSON.parse(doc);
      return { Nr: legacyId, Vorname: firstName, Nachname: lastName, Mail: email, Eintritt: startDate };
    });
    expect(rows.toSorted((a, b) => (a.Nr! < b.Nr! ? -1 : 1))).toEqual(PEOPLE);
  });
});

test("our own files may have any format, and a pattern reads all matching files or the last by name", async () => {
  const line = (id: string) =>
    `legacyId\tname\tpaid\tschedule\tminutesPerPeriod\ttimeOffTypeName\tunit\n${id}\t${id}\tyes\tmonthly\t600\tLeave\tday\n`;
  const { stored } = await imported(
    {
      "policies.tsv.gz": gzipSync(line("P")),
      "h_2024-01.csv": "who",
      "h_2024-02.csv": "who",
      "workers.json": "[]",
    },
    {
      work_hours: {
        from: "h_*.csv",
        take: "last",
        columns: { who: "workerId" },
        values: { date: "2024-01-01", minutes: 1 },
      },
    },
  );
  expect(stored.policies.map(({ legacyId }) => legacyId)).toEqual(["P"]);
});

test("dates, times and booleans of a workbook keep their values, whatever their format", async () => {
  const sheet = [
    ["Worker", "Policy", "From", "To", "Hours", "OK", "Asked"],
    [
      "K1",
      "PTO",
      { serial: 45_658, as: "date" },
      { serial: 45_659, as: "date" },
      { serial: 1.5, as: "time" },
      true,
      { serial: 45_600.5, as: "dateTime" },
    ],
  ] as const;
  const { stored } = await imported(
    {
      "people.csv": delimited(","),
      "leave.xlsx": workbook({ Leave: sheet }),
    },
    {
      workers: { from: "people.csv", columns: COLUMNS, values: { ...VALUES, timeZone: "America/New_York" } },
      policies: {
        rows: [
          {
            legacyId: "PTO",
            name: "PTO",
            paid: true,
            schedule: "yearly",
            minutesPerPeriod: 9600,
            timeOffTypeName: "PTO",
            unit: "day",
          },
        ],
      },
      requests: {
        from: "leave.xlsx",
        columns: {
          Worker: "workerId",
          Policy: "timeOffPolicyId",
          From: "startAt",
          To: "endAt",
          Hours: "requestedMinutes",
          OK: "status",
          Asked: "createdAt",
        },
        values: { legacyId: "{Worker}-{From}" },
        translate: { status: { true: "approved", false: "denied" } },
        endDay: "included",
        units: { requestedMinutes: "HH:mm" },
      },
    },
  );
  expect(
    stored.requests.map(({ legacyId, doc, minutes }) => ({ legacyId, minutes, ...JSON.parse(doc) })),
  ).toMatchObject([
    {
      legacyId: "K1-2025-01-01",
      minutes: 36 * 60,
      startAt: "2025-01-01T05:00:00.000Z",
      endAt: "2025-01-03T05:00:00.000Z",
      createdAt: "2024-11-04T17:00:00.000Z",
      status: "approved",
    },
  ]);
});

describe("a file that is not what its name says", () => {
  const mapping = (name: string, keys = {}) => ({
    workers: { from: name, ...keys, columns: COLUMNS, values: VALUES },
  });
  const json = JSON.stringify(PEOPLE);
  const OLE = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0]);
  test.each<[string, string | Uint8Array, string, object?]>([
    [
      "a.csv",
      json,
      "a.csv: is JSON by its content, but is read as CSV: rename it to .json (one array) or .jsonl (one object a line)",
    ],
    [
      "a.csv",
      "<!DOCTYPE html><table>",
      "a.csv: is HTML by its content, but is read as CSV: a web page or report was saved in its place; export it as CSV",
    ],
    [
      "a.csv",
      workbook({ A: [] }),
      "a.csv: is an Excel workbook (or another zip archive) by its content: rename it to .xlsx",
    ],
    ["a.csv", gzipSync("x"), "a.csv: is compressed (gzip) by its content: add .gz to its name"],
    ["a.csv.gz", "x,y", "a.csv.gz: is not compressed (gzip), although its name ends in .gz: rename it"],
    [
      "a.csv.gz",
      gzipSync(delimited(",")).subarray(0, 60),
      "a.csv.gz: is compressed (gzip), but ends too early: it was not copied whole",
    ],
    [
      "a.xlsx",
      delimited(","),
      "a.xlsx: is no .xlsx workbook, or has a password: save it as .xlsx without a password; rename a text file to .csv or its real format",
    ],
    ["a.xlsx", OLE, "a.xlsx: is no .xlsx workbook, or has a password: save it as .xlsx without a password"],
    [
      "a.xlsx",
      archive({ "a.txt": "x" }),
      "a.xlsx: is a zip archive by its content, but not an Excel workbook",
    ],
    [
      "a.xlsx",
      workbook({ A: [["x"]] }).subarray(0, 300),
      "a.xlsx: is a damaged workbook, or a zip archive of something else",
    ],
    [
      "a.xlsx",
      workbook({ A: [HEADER], B: [HEADER] }),
      'a.xlsx: has no sheet "C": there are "A", "B"',
      { sheet: "C" },
    ],
    [
      "a.json",
      PEOPLE.map((person) => JSON.stringify(person)).join("\n"),
      "a.json: is JSON lines by its content, one object a line: rename it to .jsonl",
    ],
    ["a.jsonl", json, "a.jsonl:1: is one JSON array, not JSON lines: rename it to .json"],
    ["a.json", delimited(","), "a.json:1: is not JSON: it begins with"],
    ["a.json", json.slice(0, -3), "a.json:1: ends before its last bracket: it was not copied whole"],
    [
      "a.json",
      `{"data":{"people":${json}},"n":1}`,
      'a.json: is not an array: it is an object with the keys "data", "n"',
    ],
    [
      "a.json",
      `{"meta":1,"people":${json}}`,
      'a.json: is not an array: name the path of the array in a mapping: "at": "people"',
    ],
    [
      "a.json",
      `{"data":{"people":${json}}}`,
      'a.json: has no array at "data": name the path of the array in a mapping: "at": "data.people"',
      { at: "data" },
    ],
    ["a.json", json, 'a.json:1: is an array itself: leave out "at"', { at: "data" }],
    [
      "a.csv",
      delimited(","),
      "a.csv: is CSV, but the mapping has at, which is for .json files",
      { at: "data" },
    ],
    ["a.csv", "x", "a.csv: has only 1 lines, but skipLines is 3", { skipLines: 3 }],
    ["a.csv", "x", "a.csv: is empty: it needs a header row", { headerRows: 2 }],
    [
      "a.json",
      json,
      "a.json: is JSON, but the mapping has headerRows, which is for CSV, TSV and workbooks",
      { headerRows: 2 },
    ],
    [
      "a.csv",
      `Title\n${delimited(";")}`,
      'a.csv:1: the header seems to be another: say "delimiter": ";", "skipLines": 1 for workers in map.json',
    ],
    [
      "a.csv",
      "1,Ana,ana@example.com,2024-01-31\n2,Bo,bo@example.com,2024-02-01",
      'a.csv:1: the first row looks like data ("1", "ana@example.com", "2024-01-31"), not like names of columns: is there no header row? Add one to the file',
    ],
    [
      "a.json",
      JSON.stringify([PEOPLE[0], { ...PEOPLE[1], Mail: "?" }]),
      'a.json:1 (element 2): email: "?" is not an email address',
    ],
  ])("%s: %p", async (name, content, expected, keys = {}) => {
    expect((await refused({ [name]: content }, mapping(name, keys)))[0]).toStartWith(expected);
  });
});

test("a time in milliseconds since 1970 is refused; the error says how to convert it", async () => {
  const mapping = { workers: { from: "a.jsonl", columns: COLUMNS, values: VALUES } };
  const of = async (begin: string | number) =>
    (await refused({ "a.jsonl": JSON.stringify({ ...PEOPLE[0], Eintritt: begin }) }, mapping)).join();
  expect(await of("/Date(1740960000000)/")).toContain("date(substr(startDate, 7) / 1000.0, 'unixepoch')");
  expect(await of("1740960000")).toContain("seconds since 1970? Make a date of them in a query");
  expect(await of(1740960000000)).toContain("date(startDate / 1000, 'unixepoch')");
});

describe("nested JSON", () => {
  const person = (id: number, boss: object | null) => ({
    id: { label: "Nr", value: id },
    name: { value: { first: "Ana", last: "Lind" } },
    mails: [{ address: `p${id}@example.com` }],
    boss,
  });
  const mapping = {
    workers: {
      from: "people.json",
      columns: {
        "id.value": "legacyId",
        "name.value.first": "firstName",
        "name.value.last": "lastName",
        "mails.0.address": "email",
        "boss.name": "position",
      },
      values: { ...VALUES, startDate: "2024-01-01" },
      ignore: "*",
    },
  };

  test("is named by its path, with numbers for elements of lists", async () => {
    const people = [person(1, null), person(2, { name: "Chief" })];
    const { stored } = await imported({ "people.json": JSON.stringify(people) }, mapping);
    expect(
      stored.workers.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc).email, JSON.parse(doc).position]),
    ).toEqual(
      expect.arrayContaining([
        ["1", "p1@example.com", ""],
        ["2", "p2@example.com", "Chief"],
      ]),
    );
  });

  test("with a path that no record has is refused; a path that ends at a null is allowed", async () => {
    const files = { "people.json": JSON.stringify([person(1, null)]) };
    await imported(files, mapping);
    const wrong = structuredClone(mapping);
    Object.assign(wrong.workers.columns, { "id.valu": "position", "boss.name": "note" });
    expect(
      await refused(files, {
        workers: {
          ...mapping.workers,
          columns: { ...mapping.workers.columns, "boss.name": [], "id.valu": "position" },
        },
      }),
    ).toHaveLength(1);
    const { "boss.name": _, ...columns } = mapping.workers.columns;
    expect(
      await refused(files, {
        workers: { ...mapping.workers, columns: { ...columns, "id.valu": "position" } },
      }),
    ).toContain(
      'people.json: has no column "id.valu" (did you mean id.value?), which map.json names (workers.columns)',
    );
  });

  test("a column that no line of JSON lines has is refused", async () => {
    const line = JSON.stringify({ ...PEOPLE[0] });
    expect(
      await refused(
        { "p.jsonl": line },
        { workers: { from: "p.jsonl", columns: { ...COLUMNS, Ort: "position" }, values: VALUES } },
      ),
    ).toEqual(['p.jsonl: has no column "Ort", which map.json names (workers.columns)']);
  });
});

// Property: the elements that are cut out of a document, in whatever pieces it comes, are those that JSON.parse gives.
test("the elements of an array are the same however its text is split into chunks", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue()),
      fc.constantFrom(null, "data", "a.b"),
      fc.jsonValue(),
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.constantFrom(undefined, 1, 2),
      (elements, at, other, cuts, indent) => {
        const document =
          at === null
            ? elements
            : at === "data"
              ? { x: other, data: elements, y: other }
              : { x: other, a: { q: other, b: elements }, z: other };
        const text = JSON.stringify(document, null, indent);
        const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
        const splitter = new ArraySplitter(at);
        let from = 0;
        const pieces = [...places, text.length].flatMap((to) => {
          const pieces = splitter.split(text.slice(from, to), false);
          from = to;
          return pieces;
        });
        pieces.push(...splitter.split("", true));
        expect(pieces.map((piece) => JSON.parse(piece.text))).toEqual(JSON.parse(JSON.stringify(elements)));
        const lines = text.split("\n");
        for (const piece of pieces)
          expect(lines.slice(piece.line - 1).join("\n")).toContain(piece.text.split("\n")[0]!);
      },
    ),
    { numRuns: 500 },
  );
});
