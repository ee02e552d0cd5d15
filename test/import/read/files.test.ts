// Files as people make them: what is tolerated, and one clear message for what is not.
import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Papa from "papaparse";
import { KINDS } from "../../../src/resources/kinds.ts";
import {
  counted,
  findingsOf,
  folderOf,
  requestsCsv,
  SMALL,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../../support/import-files.ts";
import { archive, workbook } from "../../support/workbook.ts";
import { mapFile } from "../convert/mapped.ts";

async function refused(files: Record<string, string | Uint8Array>) {
  return (await TestCompany.open()).refused(files);
}

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

describe("tolerated", () => {
  test("a byte-order mark, LF, CRLF, blank lines, header names in any style, spaces around values", async () => {
    const company = await TestCompany.open();
    const csv = [
      "\uFEFFLegacy ID,FIRST_NAME,last-name,E-mail,Is Business,start date,Status,TYPE",
      "",
      "E1,Ana, Lind ,ana@example.com ,No, 2024-01-01,active ,employee",
      "",
    ].join("\r\n");
    expect(counted(await company.import({ "WORKERS.CSV": csv }))).toEqual({ "WORKERS.CSV": "1/0/0/0" });
    const [worker] = (await company.stored()).workers;
    expect(JSON.parse(worker!.doc)).toMatchObject({ lastName: " Lind ", email: "ana@example.com" });
  });

  // Two files that were joined (`cat`), each with a byte-order mark, and a report with a header on each page.
  test("a header that is repeated between rows", async () => {
    const [header, ...rows] = workersCsv("E1", "E2").split("\n");
    const company = await TestCompany.open();
    const csv = `\uFEFF${header}\n${rows[0]}\n\uFEFF${header}\n${rows[1]}\n`;
    expect(counted(await company.import({ "workers.csv": csv }))).toEqual({ "workers.csv": "2/0/0/0" });
    const sheet = [header!, rows[0]!, header!, rows[1]!].map((line) => line.split(","));
    const report = await company.import({ "workers.xlsx": workbook({ Workers: sheet }) });
    expect(counted(report)).toEqual({ "workers.xlsx": "0/0/2/0" });
  });

  test("spaces around a department or location; only spaces count as none", async () => {
    const company = await TestCompany.open();
    const csv =
      "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,department,location\n" +
      "E1,Ana,Lind,ana@example.com,no,2024-01-01,active,employee,Production       ,  \n";
    await company.import({ "workers.csv": csv });
    const [worker] = (await company.stored()).workers;
    expect(JSON.parse(worker!.doc)).toMatchObject({
      department: { name: "Production" },
      primaryWorkplace: null,
    });
  });

  test("cells that look like formulas, quotes, line breaks and delimiters survive unchanged", async () => {
    const company = await TestCompany.open();
    const reason = '=HYPERLINK("http://x","y"),\n+1\r\n@a';
    const csv = requestsCsv("R1 approved E1")
      .replace("legacyId,", "reason,legacyId,")
      .replace("\nR1", `\n"${reason.replaceAll('"', '""')}",R1`);
    await company.import({ ...SMALL, "requests.csv": Buffer.from(csv) });
    const [request] = (await company.stored()).requests;
    expect(JSON.parse(request!.doc).reason).toBe(reason);
  });

  test("JSON lines: numbers and booleans as JSON, null and empty text, blank lines", async () => {
    const company = await TestCompany.open();
    const worker = {
      legacyId: 42,
      firstName: "Ana",
      lastName: "Lind",
      email: "a@b.co",
      isBusiness: false,
      startDate: "2024-01-01",
      status: "active",
      type: "employee",
      workEmail: "",
      preferredName: null,
    };
    const request = {
      legacyId: "R1",
      created_at: "2025-01-01T00:00:00Z",
      startAt: "2025-03-03T08:00:00Z",
      endAt: "2025-03-03T16:00:00Z",
      requestedMinutes: 1e2,
      status: "approved",
      timeOffPolicyId: "PTO",
      workerId: 42,
    };
    const report = await company.import({
      "policies.csv": SMALL["policies.csv"]!,
      "workers.jsonl": `\n${JSON.stringify(worker)}\n`,
      "requests.ndjson": JSON.stringify(request),
    });
    expect(counted(report)).toEqual({
      "policies.csv": "2/0/0/0",
      "requests.ndjson": "1/0/0/0",
      "workers.jsonl": "1/0/0/0",
    });
    const stored = await company.stored();
    expect(stored.workers[0]).toMatchObject({ legacyId: "42", workEmailFolded: null });
    expect(stored.requests[0]).toMatchObject({ minutes: 100 });
  });

  test("a header without rows", async () => {
    const company = await TestCompany.open();
    const report = await company.import({ "adjustments.csv": "legacyId,workerId,policyId,date,minutes" });
    expect(counted(report)).toEqual({ "adjustments.csv": "0/0/0/0" });
    expect(report.isChanged).toBe(false);
  });
});

describe("not text", () => {
  test.each([
    ["an Excel workbook under the name of a CSV file", [0x50, 0x4b, 3, 4, 20, 0], "is an Excel workbook"],
    ["an old Excel workbook", [0xd0, 0xcf, 0x11, 0xe0], "is an Excel 97–2003 workbook"],
    ["UTF-16", [0xff, 0xfe, 0x69, 0], /is UTF-16 text.*"utf-16le"/],
    ["UTF-16, the other way round", [0xfe, 0xff, 0, 0x69], /is UTF-16 text.*"utf-16be"/],
    ["gzip", [0x1f, 0x8b, 8], "is compressed"],
    ["NUL characters", [0x69, 0x64, 0, 0x0a], "contains NUL characters"],
  ])("%s", async (_, content, message) => {
    for (const name of ["workers.csv", "workers.jsonl"]) {
      const mistakes = await refused({ [name]: bytes(content) });
      expect(mistakes).toHaveLength(1);
      expect(mistakes[0]).toStartWith(`${name}: `);
      expect(mistakes[0]).toMatch(message);
    }
  });

  test("a NUL character in a row, naming the line", async () => {
    const lines = workersCsv(...Array.from({ length: 5000 }, (_, at) => `E${at}`)).split("\n");
    for (const line of [2, 1500, 5001]) {
      const mistakes = await refused({
        "workers.csv": lines.map((text, at) => (at === line - 1 ? `${text}\0` : text)).join("\n"),
      });
      expect(mistakes).toEqual([expect.stringContaining(`workers.csv:${line}: contains NUL characters`)]);
    }
  });

  test("bytes that are not UTF-8, naming the line", async () => {
    const lines = workersCsv(...Array.from({ length: 5000 }, (_, at) => `E${at}`)).split("\n");
    for (const line of [2, 1500, 5001]) {
      const content = bytes(
        lines.slice(0, line - 1).join("\n"),
        "\nX,Fran",
        [0xe7],
        "oise,,,,,,,\n",
        lines.slice(line).join("\n"),
      );
      const mistakes = await refused({ "workers.csv": content });
      expect(mistakes).toEqual([expect.stringContaining(`workers.csv:${line}: is not UTF-8 text here`)]);
    }
  });

  test("a character that is cut off by the end of the file", async () => {
    const mistakes = await refused({ "workers.csv": bytes(workersCsv("E1"), "\nE2", [0xc3]) });
    expect(mistakes).toEqual([expect.stringContaining("workers.csv:3: is not UTF-8 text here")]);
  });
});

describe("headers and shapes", () => {
  test.each<[string, string, string[]]>([
    ["an empty file", "", ["workers.csv: is empty: it needs a header row"]],
    [
      "a missing column is told once",
      workersCsv("E1", "E2")
        .replaceAll(/,[^,\n]*$/gm, "")
        .replace("email,", "workEmail,"),
      ["workers.csv:1: column email is missing: every row needs it"],
    ],
    [
      "an unknown column",
      workersCsv("E1").replace("timeZone", "timeZoen"),
      [
        'workers.csv:1: column "timeZoen" is not a field of workers (did you mean timeZone?): rename or remove it, or load the file through a mapping (--map)',
      ],
    ],
    [
      "a column with two letters swapped",
      workersCsv("E1").replace("email", "emial"),
      [
        'workers.csv:1: column "emial" is not a field of workers (did you mean email?): rename or remove it, or load the file through a mapping (--map)',
        "workers.csv:1: column email is missing: every row needs it",
      ],
    ],
    [
      "a column twice",
      workersCsv("E1").replace("timeZone", "First Name"),
      [
        'workers.csv:1: column "First Name" is there twice (as "firstName" too: case, spaces, _ and - do not count)',
      ],
    ],
    [
      "a column without a name",
      workersCsv("E1").replace("timeZone", ""),
      ["workers.csv:1: a column has no name in the header: name or remove it"],
    ],
    [
      "too many cells",
      `${workersCsv("E1")},x`,
      ["workers.csv:2: has 10 cells, but the header has 9: put a cell that contains a comma in quotes"],
    ],
    [
      "too few cells",
      `${workersCsv("E1")}\nE2,Bo`,
      ["workers.csv:3: has 2 cells, but the header has 9: an empty cell needs its delimiter too"],
    ],
    [
      "a quote that never ends",
      `${workersCsv("E1")}\n"E2,Bo`,
      ["workers.csv:3: a quoted cell that begins here never ends: a closing quote is missing"],
    ],
    [
      "a quote inside a cell",
      `${workersCsv("E1")}\nE2,B"o,,,,,,,`,
      [
        'workers.csv:3: a quote stands where RFC 4180 allows none: put the whole cell in quotes and double those inside it ("5"" pipe")',
      ],
    ],
    [
      "line ends of old Macintosh files",
      workersCsv("E1").replaceAll("\n", "\r"),
      [
        "workers.csv:1: has lines that end in CR alone, as old Macintosh files do: save it with LF or CRLF line ends",
      ],
    ],
    [
      "line ends of old Macintosh files, after a header that ends with an empty cell",
      workersCsv("E1").replace("\n", ",\n").replaceAll("\n", "\r"),
      [
        "workers.csv:1: has lines that end in CR alone, as old Macintosh files do: save it with LF or CRLF line ends",
      ],
    ],
  ])("%s", async (_, content, findings) => {
    expect(await refused({ "workers.csv": Buffer.from(content) })).toEqual(findings);
  });

  test.each([
    [";", '";"'],
    ["\t", '"\\t"'],
    ["|", '"|"'],
  ])("columns that are separated by %j are one finding, in quotes or not", async (delimiter, key) => {
    const message = `workers.csv:1: the header seems to be another: load it through a mapping (--map) such as {"workers": {"from": "workers.csv", "delimiter": ${key}}}`;
    const plain = workersCsv("E1", "E2").replaceAll(",", delimiter);
    const quoted = plain.replaceAll(/[^\n|;\t]+/g, '"$&"');
    expect(await refused({ "workers.csv": plain })).toEqual([message]);
    expect(await refused({ "workers.csv": quoted })).toEqual([message]);
  });

  test("the line number of a record counts the line breaks within cells", async () => {
    const csv = `${workersCsv("E1").replace(",Ana,", ',"A\nn\na",')}\n${workersCsv("E2").split("\n")[1]!.replace("active", "x")}`;
    const [mistake] = await refused({ "workers.csv": Buffer.from(csv) });
    expect(mistake).toStartWith('workers.csv:5: status: "x"');
  });

  test.each([
    ['{"legacyId":', 'is not valid JSON: "{\\"legacyId\\":"'],
    ["[{", "is one JSON array, not JSON lines"],
    ["7", 'is "7", not a JSON object in { }'],
    [
      '{"legacyId":{"a":1}}',
      "legacyId: {…} is an object, not text: name a value inside of it by its path in a mapping",
    ],
    [
      '{"legacyId":["a"]}',
      "legacyId: […] is a list, not text: name a value inside of it by its path in a mapping",
    ],
    ['{"legacyId":"a\\u0000"}', 'legacyId: "a\\u0000" contains characters that are not text'],
    ['{"legacyId":"\\ud800"}', 'legacyId: "\\ud800" contains characters that are not text'],
    ['{"legacyIdd":"a"}', 'column "legacyIdd" is not a field of workers (did you mean legacyId?)'],
  ])("JSON lines: %s", async (line, message) => {
    const mistakes = await refused({ "workers.jsonl": line });
    expect(mistakes[0]).toStartWith(`workers.jsonl:1: ${message}`);
  });

  test("JSON lines: an unknown key is reported once, with its first line", async () => {
    const lines = [
      { legacyId: "E1" },
      {},
      { legacyId: "E2", nick: "x" },
      { nick: "y", "E Mail": "a@b.co", eMail: "" },
    ];
    const mistakes = await refused({ "workers.jsonl": lines.map((line) => JSON.stringify(line)).join("\n") });
    expect(mistakes.filter((mistake) => mistake.includes(": column "))).toEqual([
      expect.stringMatching(/^workers.jsonl:3: column "nick" is not a field of workers/),
      expect.stringMatching(/^workers.jsonl:4: column "eMail" is there twice \(as "E Mail" too/),
    ]);
  });

  test("JSON that is nested deeper than any stack", async () => {
    const mistakes = await refused({
      "workers.jsonl": `{"legacyId":${"[".repeat(400_000)}${"]".repeat(400_000)}}`,
    });
    expect(mistakes).toEqual(["workers.jsonl:1: has more than 10000 lists and objects: a record is one row"]);
  });

  test("a record or line longer than 1 MB", async () => {
    const long = "x".repeat(1_200_000);
    expect(await refused({ "workers.csv": `${workersCsv("E1")}\n"${long}` })).toEqual([
      "workers.csv:3: the record here is longer than 1 MB: a closing quote may be missing",
    ]);
    expect(await refused({ "workers.csv": `${workersCsv("E1")}\n${long}` })).toHaveLength(1);
    expect(await refused({ "workers.jsonl": `{"legacyId":"${long}"}` })).toEqual([
      "workers.jsonl:1: is longer than 1 MB: write one object a line",
    ]);
  });
});

describe("folders and names", () => {
  const at = async (...paths: string[]) => {
    const { findSources } = await import("../../../src/import/read/sources.ts");
    return findingsOf(findSources(paths, null));
  };

  test("a path that is not there", async () => {
    expect(await at("/nowhere/at/all")).toEqual([
      expect.stringContaining("There is no file or folder at /nowhere/at/all"),
    ]);
  });

  test("a folder without import files: the error names the wanted and the present files", async () => {
    const [mistake] = await at(folderOf({ "notes.txt": "x", "photo.png": "y" }));
    expect(mistake).toContain(
      `looked for ${KINDS.join(", ")} as .csv, .tsv, .json, .jsonl, .ndjson or .xlsx (each also .gz); found notes.txt, photo.png`,
    );
  });

  test("a nearly right name: the error suggests the right one", async () => {
    expect(await at(folderOf({ "worker.csv": "x" }))).toEqual([
      expect.stringContaining("worker.csv is not an import file (did you mean workers.csv?)"),
    ]);
  });

  test("a data file of another name: the error suggests a mapping", async () => {
    expect(await at(folderOf({ ...SMALL, "Employee.csv": "x" }))).toEqual([
      expect.stringContaining("load it through a mapping (--map)"),
    ]);
  });

  test.each(["requests.csv.zst", "requests.csv.bz2", "requests.csv.crdownload", "requests.2026.txt"])(
    "%s, where no other file has requests",
    async (name) => {
      expect(await at(folderOf({ "workers.csv": "x", [name]: "y" }))).toEqual([
        expect.stringContaining(`${name} is not an import file: rename it`),
      ]);
    },
  );

  test("a copy that was put aside is a note alone", async () => {
    const { findSources } = await import("../../../src/import/read/sources.ts");
    const { notes } = await findSources([folderOf({ "workers.csv": "x", "requests.csv.bak": "y" })], null);
    expect(notes).toEqual(["requests.csv.bak is not imported: it is not an import file"]);
  });

  test("an old spreadsheet: the error says in which format to save it, in a folder, alone in it, and by name", async () => {
    const { findSources } = await import("../../../src/import/read/sources.ts");
    const advice =
      "it is a spreadsheet in another format: open it and save it as workers.xlsx, or as “CSV UTF-8” (workers.csv)";
    const files = await findSources([folderOf({ "workers.csv": "x", "workers.xls": "y" })], null);
    expect(files.notes).toEqual([`workers.xls is not imported: ${advice}`]);
    const beside = folderOf({ "policies.csv": "x", "workers.xls": "y" });
    expect(await at(beside)).toEqual([`workers.xls cannot be imported: ${advice}`]);
    const alone = folderOf({ "workers.xls": "y" });
    expect(await at(alone)).toEqual([`workers.xls cannot be imported: ${advice}`]);
    expect(await at(join(alone, "workers.xls"))).toEqual([`workers.xls cannot be imported: ${advice}`]);
  });

  test("a link within a folder is followed inside the folder, and refused if it leads outside", async () => {
    const { findSources } = await import("../../../src/import/read/sources.ts");
    const secret = join(folderOf({ "secret.txt": "password=s3cret\n" }), "secret.txt");
    const folder = folderOf({});
    mkdirSync(join(folder, "..data"));
    writeFileSync(join(folder, "..data", "workers.csv"), workersCsv("E1"));
    symlinkSync("..data/workers.csv", join(folder, "workers.csv")); // as Kubernetes mounts files
    expect((await findSources([folder], null)).sources).toHaveLength(1);
    const upload = folderOf({ "workers.csv": workersCsv("E1") });
    symlinkSync(secret, join(upload, "requests.csv"));
    const refusal = await findSources([upload], null).then(String, String);
    expect(refusal).toContain("requests.csv is a link to a file outside its folder: copy the file");
    expect(refusal).not.toContain("s3cret");
  });

  // An export in two parts, and the leave of the next year, were left out with a note alone.
  test("a file that nothing reads, with the columns of one that is read, is a finding", async () => {
    const leave = (id: string) => requestsCsv(`${id} approved E1`);
    const map = mapFile({ requests: { from: "leave.csv" } });
    const unread = async (others: Record<string, string | Uint8Array>, beside: string[] = []) => {
      const { "requests.csv": _, ...small } = SMALL;
      const folder = folderOf({ ...small, "leave.csv": leave("L1"), ...others });
      const { findings } = await (await TestCompany.open()).importFolder([folder, ...beside], {}, map);
      return findings.flatMap(({ code, examples }) => (code === "unread-file" ? examples : []));
    };
    expect(await unread({ "leave 2.csv": leave("L2"), "leave 3.csv": leave("L3") })).toEqual([
      "leave 2.csv",
      "leave 3.csv",
    ]);
    const titled = `Leave 2027\n\n${leave("L2").replaceAll(",", ";")}`;
    expect(await unread({ "2027.csv": titled })).toEqual(["2027.csv"]);
    expect(
      await unread({ "notes.csv": "Note,Day\nx,2026-01-01\n", "empty.csv": leave("L2").split("\n")[0]! }),
    ).toEqual([]);
    const lines = Papa.parse<string[]>(leave("L2")).data;
    expect(await unread({ "leave 2.xlsx": workbook({ Leave: lines }) })).toEqual(["leave 2.xlsx"]);
    expect(await unread({ "leave.xlsx": workbook({ Leave: lines }) })).toEqual([]); // the original of leave.csv
    const nextYear = folderOf({ "leave.xlsx": workbook({ Leave: lines }) });
    expect(await unread({}, [nextYear])).toEqual(["leave.xlsx"]);
    // What cannot be read may have such rows; an archive whose files are all read has no others.
    const zip = (name: string) => archive({ [name]: leave("L2") });
    expect(
      await unread({ "leave 2025.xls": "x", "leave.ods": "x", "march.zip": zip("leave 3.csv") }),
    ).toEqual(["leave 2025.xls", "march.zip"]);
    expect(await unread({ "march.zip": zip("leave.csv") })).toEqual([]);
    // macOS adds a file to each, and photos are no rows.
    const others = ["march/leave.csv", "__MACOSX/march/._leave.csv", "march/.DS_Store", "march/readme.txt"];
    for (const names of [others, ["ana.jpg", "cy.png"]])
      expect(
        await unread({ "march.zip": archive(Object.fromEntries(names.map((name) => [name, "x"]))) }),
      ).toEqual([]);
    expect(await unread({ "march.zip": archive({ "photos.zip": "x", "leave.csv": "x" }) })).toEqual([
      "march.zip",
    ]);
    expect(await unread({ "broken.csv": bytes([0xff, 0, 1]), "notes.txt": "Note,Day\n" })).toEqual([]);
    // A mapping reads text with any ending as CSV, as spreadsheets write .txt with tabs.
    const tabs = leave("L2").replaceAll(",", "\t");
    expect(await unread({ "leave 2.txt": tabs, "3.dat": leave("L3"), "leave.txt": tabs })).toEqual([
      "3.dat",
      "leave 2.txt",
    ]);
    for (const packed of ["1.tar.gz", "2.csv.bz2", "3.csv.xz", "4.csv.zst", "5.csv.gpg"])
      expect(await unread({ [packed]: bytes([1, 2]), "leave.csv.zst": bytes([1]) })).toEqual([packed]);
    // A year after a point is no ending.
    expect(await unread({ "leave.2025.xls": "x", "leave.2025": leave("L2") })).toEqual([
      "leave.2025.xls",
      "leave.2025",
    ]);
    expect(
      await unread({ "leave.csv.zip": "x", "leave.csv.bak": leave("L2"), "leave.csv~": leave("L3") }),
    ).toEqual([]);
  });

  // macOS, LibreOffice and Excel leave such files beside others.
  test("other files are skipped with a note, hidden ones without; a file given twice is read once", async () => {
    const { findSources } = await import("../../../src/import/read/sources.ts");
    const folder = folderOf({
      ...{ "Work Hours.csv": "x", "README.md": "y", "._workers.csv": "Mac OS X", ".~lock.workers.csv#": "z" },
      "~$workers.xlsx": "w",
    });
    symlinkSync(join(folder, "Work Hours.csv"), join(temporaryFolder(), "work_hours.csv"));
    const files = await findSources([folder, join(folder, "Work Hours.csv")], null);
    expect(files.sources.map(({ kind, label }) => [kind, label])).toEqual([["work_hours", "Work Hours.csv"]]);
    expect(files.notes).toEqual(["README.md is not imported: it is not an import file"]);
  });
});

describe("the last file by name", () => {
  const importing = async (names: readonly string[], times: readonly string[]) => {
    const folder = folderOf(Object.fromEntries(names.map((name, at) => [name, workersCsv(`E${at}`)])));
    for (const [at, time] of times.entries())
      utimesSync(join(folder, names[at]!), new Date(time), new Date(time));
    const company = await TestCompany.open();
    const columns = Object.fromEntries(
      workersCsv()
        .split(",")
        .map((name) => [name, name]),
    );
    const map = mapFile({ workers: { from: "people*.csv", take: "last", columns } });
    await company.importFolder(folder, {}, map);
    return (await company.stored()).workers.map(({ legacyId }) => legacyId);
  };
  const [early, late] = ["2026-09-30T08:00:00Z", "2026-10-31T08:00:00Z"];

  test.each([
    ["the higher number", "people 10.csv", "people 9.csv"],
    ["the later date, year first", "people-2026-10-31.csv", "people-2026-09-30 (saved again).csv"],
  ])("is that with %s, whatever the times of the files are", async (_, last, first) => {
    expect(await importing([last, first], [early, late])).toEqual(["E0"]);
    expect(await importing([first, last], [late, late])).toEqual(["E1"]);
  });

  test.each([
    ["people 01.10.2026.csv", "people 30.09.2026.csv"],
    ["people Oct.csv", "people Sep.csv"],
    ["people-2026-10 (1).csv", "people-2026-10.csv"],
  ])("is refused where names do not sort by day, and another one may be newer: %s", async (newer, older) => {
    const problem = `"take": "last" would take ${older} by its name, but ${newer} may be newer`;
    for (const times of [
      [late, early],
      [late, late],
    ])
      expect(await findingsOf(importing([newer, older], times))).toEqual([expect.stringContaining(problem)]);
    expect(await importing([newer, older], [early, late])).toEqual(["E1"]);
  });
});
