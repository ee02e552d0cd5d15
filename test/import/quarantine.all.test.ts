// Quarantine: bad rows, and rows that refer to them, are put aside with what is wrong; the others are loaded.
// Property: the rows that are loaded and those in quarantine are together all rows of the files, none of them twice.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { QuarantinedRow } from "../../src/import/report.ts";
import { rollcallHere } from "../cli/command.ts";
import {
  counted,
  type Files,
  findingsOf,
  folderOf,
  POLICIES_CSV,
  requestsCsv,
  SMALL,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../support/import-files.ts";
import { workbook } from "../support/workbook.ts";

async function quarantined(company: TestCompany, files: Files, options = {}) {
  let rows: readonly QuarantinedRow[] = [];
  const write = (written: readonly QuarantinedRow[]) => {
    rows = written;
  };
  const quarantine = { limit: 50, write };
  const report = await company.import(files, { ...options, quarantine });
  return { rows, report, stored: await company.stored() };
}

const places = (rows: readonly QuarantinedRow[]) => rows.map(({ file, line }) => `${file}:${line}`);

describe("in quarantine", () => {
  test("are bad rows and rows that refer to them; their stored rows stay, also when pruning", async () => {
    const company = await TestCompany.open();
    await company.import(SMALL);
    const before = await company.stored();
    const { rows, report, stored } = await quarantined(
      company,
      {
        ...SMALL,
        "workers.csv": `${workersCsv("E1", "E2", "E3")}`.replace("e2@example.com", "nobody"),
        "requests.csv": requestsCsv("R1 approved E1", "R2 approved E2", "R3 open E3"),
      },
      { isPruning: true, allowedRemovals: 1 },
    );
    expect(places(rows)).toEqual(["workers.csv:3", "assignments.csv:3", "requests.csv:3", "requests.csv:4"]);
    expect(rows.map(({ findings }) => findings)).toEqual([
      ['email: "nobody" is not an email address such as ana@example.com'],
      ['workerId: "E2" is a worker whose row is refused, too'],
      ['workerId: "E2" is a worker whose row is refused, too'],
      ['status: "open" is not one of pending, approved, denied'],
    ]);
    expect(rows[0]).toMatchObject({ kind: "workers", row: { legacyId: "E2", email: "nobody" } });
    expect(counted(report)).toEqual({
      "workers.csv": "1/0/1/0",
      "policies.csv": "0/0/2/0",
      "assignments.csv": "0/0/1/0",
      "requests.csv": "0/0/1/0",
    });
    expect(report.files.map(({ quarantined: count }) => count)).toEqual([1, 0, 1, 2]);
    for (const kind of ["assignments", "requests", "policies"] as const)
      expect(stored[kind]).toEqual(before[kind]);
    expect(stored.workers).toEqual(expect.arrayContaining(before.workers));
  });

  test("is a row without an id, so nothing of its kind is pruned", async () => {
    const company = await TestCompany.open();
    await company.import(SMALL);
    const files = { "requests.csv": requestsCsv(" approved E1") };
    const { rows, report, stored } = await quarantined(company, files, {
      isPruning: true,
      allowedRemovals: 1,
    });
    expect(places(rows)).toEqual(["requests.csv:2"]);
    expect(stored.requests).toHaveLength(2);
    expect(report.notes).toEqual([
      "no requests are pruned: a row in quarantine has no id, so it cannot be told which stored one it is",
    ]);
  });

  test("is the second of two rows with one id", async () => {
    const company = await TestCompany.open();
    const { rows, stored } = await quarantined(company, {
      ...SMALL,
      "workers.csv": workersCsv("E1", "E2", "E1"),
    });
    expect(places(rows)).toEqual(["workers.csv:4"]);
    expect([stored.workers.length, stored.requests.length]).toEqual([2, 2]);
  });

  test("is a worker of a workbook without a manager, with dates and decimals as they are shown", async () => {
    const company = await TestCompany.open();
    const day = { serial: 45_292, as: "date" } as const;
    const header = "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,department,managerId";
    const row = ["E1", "Ana", "Lind", "a@example.com", "no", day, "active", "employee", 1.5, "E9"];
    const { rows } = await quarantined(company, {
      "workers.xlsx": workbook({ workers: [header.split(","), row] }),
    });
    expect(rows.map(({ row }) => row)).toMatchObject([{ startDate: "2024-01-01", department: "1.5" }]);
  });

  test("are at most as many rows as the limit; more are refused with every mistake", async () => {
    const company = await TestCompany.open();
    const files = {
      ...SMALL,
      "requests.csv": requestsCsv("R1 open E1", "R2 open E1", "R3 open E1", "R4 approved E9"),
    };
    const quarantine = { limit: 3, write: () => {} };
    expect(await findingsOf(company.import(files, { quarantine }))).toEqual([
      'requests.csv:2: status: "open" is not one of pending, approved, denied',
      'requests.csv:3: status: "open" is not one of pending, approved, denied',
      'requests.csv:4: status: "open" is not one of pending, approved, denied',
      'requests.csv:5: workerId: "E9" is no worker: neither an id nor a legacyId, in these files or stored',
      "4 rows would go to quarantine, but at most 3 may: mend them, or raise --quarantine-limit",
    ]);
    expect((await company.stored()).workers).toEqual([]);
  });

  test("has no unreadable files and no unknown columns: those are refused", async () => {
    const company = await TestCompany.open();
    const quarantine = { limit: 50, write: () => {} };
    for (const [name, content] of [
      ["workers.csv", `${workersCsv("E1")}\n"`],
      ["workers.jsonl", '{"legacyId":"E1","nick":"x"}'],
    ] as const)
      expect((await findingsOf(company.import({ [name]: content }, { quarantine }))).length).toBeGreaterThan(
        0,
      );
  });
});

test("nothing is, if a file cannot be read: its mistake is told, and not each row that refers to it", async () => {
  const company = await TestCompany.open();
  const files = { ...SMALL, "requests.csv": requestsCsv("R1 approved E1", "R2 approved E2") };
  const wrong = { ...files, "workers.csv": workersCsv("E1", "E2").replace("email", "emial") };
  await expect(quarantined(company, wrong)).rejects.toMatchObject({
    mistakes: [
      expect.stringContaining('workers.csv:1: column "emial"'),
      expect.stringContaining("workers.csv:1: column email is missing"),
    ],
  });
});

test("everybody below a bad row in a long chain of managers is quarantined", async () => {
  const company = await TestCompany.open();
  const chain = (ends: string) =>
    ["E0 Zero", ...Array.from({ length: 60 }, (_, at) => `E${at + 1} Worker`)].map((row, at) => {
      const [id, name] = row.split(" ");
      const manager = at === 0 ? "" : `E${at - 1}`;
      return `${id},${name},Lind,a@example.com,no,2024-01-01,${at === 2 ? ends : "active"},employee,${manager}`;
    });
  const header = "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,managerId";
  const file = (rows: readonly string[]) => ({ "workers.csv": [header, ...rows].join("\n") });
  await company.import(file([chain("active")[30]!.replace("E29", "")]));
  const { rows, stored } = await quarantined(company, file(chain("nonsense").toReversed()), {});
  // E2 is bad. E30 was stored before, and is as it was: so who reports to it stays.
  expect(rows.map(({ row }) => row.legacyId).sort()).toEqual(
    Array.from({ length: 29 }, (_, at) => `E${at + 2}`).sort(),
  );
  expect(stored.workers).toHaveLength(2 + 31);
});

// Property: the rows that are loaded and those in quarantine are together all rows of the files, none of them twice; and
// what is loaded is what would be loaded of the files without the rows in quarantine.
test("the quarantine and the stored rows are all rows of the files", async () => {
  const worker = fc.constantFrom("good", "bad", "nameless");
  const request = fc.record({ worker: fc.nat({ max: 5 }), isGood: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(worker, { minLength: 1, maxLength: 5 }),
      fc.array(request, { maxLength: 8 }),
      async (workers, requests) => {
        const lines = workersCsv(...workers.map((_, at) => `E${at}`)).split("\n");
        const people = lines.map((line, at) => {
          const kind = workers[at - 1];
          return kind === "bad"
            ? line.replace("@", "")
            : kind === "nameless"
              ? line.replace(/^E\d+/, "")
              : line;
        });
        const leave = requestsCsv(
          ...requests.map(({ isGood, worker }, at) => `R${at} ${isGood ? "approved" : "open"} E${worker}`),
        ).split("\n");
        const company = await TestCompany.open();
        const files = (isLeft: (file: string, line: number) => boolean) => ({
          "policies.csv": POLICIES_CSV,
          "workers.csv": people.filter((_, at) => at === 0 || isLeft("workers.csv", at + 1)).join("\n"),
          "requests.csv": leave.filter((_, at) => at === 0 || isLeft("requests.csv", at + 1)).join("\n"),
        });
        const { rows, stored } = await quarantined(
          company,
          files(() => true),
        );
        const aside = new Set(places(rows));
        expect(aside.size).toBe(rows.length);
        expect(stored.workers.length + stored.requests.length + rows.length).toBe(
          workers.length + requests.length,
        );
        const other = await TestCompany.open();
        await other.import(files((file, line) => !aside.has(`${file}:${line}`)));
        expect(await other.stored()).toEqual(stored);
      },
    ),
    { numRuns: 40 },
  );
});

test("the command writes JSON lines that only the owner may read, and ends with exit code 3", async () => {
  const home = temporaryFolder();
  await rollcallHere(home, ["companies", "create", "acme"]);
  const folder = folderOf({ ...SMALL, "requests.csv": requestsCsv("R1 open E1", "R2 approved E2") });
  const file = join(home, "bad.jsonl");
  writeFileSync(file, "from yesterday\n");
  const args = ["import", folder, "--company", "acme", "--quarantine", file];
  const first = await rollcallHere(home, args);
  expect(first.exitCode).toBe(3);
  expect(first.stderr).toContain(
    `rollcall: warning: 1 row is not imported but written to ${file}:\nrequests.csv:2: status: "open"`,
  );
  const written = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(written).toMatchObject([
    { file: "requests.csv", line: 2, kind: "requests", row: { legacyId: "R1" } },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await rollcallHere(home, [...args, "--json"])).exitCode).toBe(3);
  expect((await rollcallHere(home, [...args, "--quarantine-limit", "0"])).exitCode).toBe(2);
  const good = folderOf(SMALL);
  expect(
    (await rollcallHere(home, ["import", good, "--company", "acme", "--quarantine", file])).exitCode,
  ).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("");
  expect(existsSync(`${file}.partial`)).toBe(false);
});

describe("the file of the quarantine", () => {
  const acme = async () => {
    const home = temporaryFolder();
    await rollcallHere(home, ["companies", "create", "acme"]);
    const folder = folderOf({ ...SMALL, "requests.csv": requestsCsv("R1 open E1", "R2 approved E2") });
    const importing = (file: string) =>
      rollcallHere(home, ["import", folder, "--company", "acme", "--quarantine", file]);
    return { home, importing };
  };

  test("is the target of a link, and the link stays", async () => {
    const { home, importing } = await acme();
    const [file, link] = [join(home, "bad.jsonl"), join(home, "latest.jsonl")];
    writeFileSync(file, "");
    symlinkSync(file, link);
    expect((await importing(link)).exitCode).toBe(3);
    expect(readlinkSync(link)).toBe(file);
    expect(readFileSync(file, "utf8")).toContain('"line":2');
  });

  test("may be a pipe, which is written into: root would replace a device by a file", async () => {
    const { home, importing } = await acme();
    const pipe = join(home, "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    const [read, imported] = await Promise.all([
      new Response(Bun.spawn(["cat", pipe]).stdout).text(),
      importing(pipe),
    ]);
    expect(imported.exitCode).toBe(3);
    expect(read).toContain('"line":2');
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  test("stops the import if it cannot be written", async () => {
    const { home, importing } = await acme();
    const file = join(home, "missing", "bad.jsonl");
    expect(await importing(file)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(
        `--quarantine: ${file} cannot be written (ENOENT). Nothing was imported`,
      ),
    });
    const { stdout } = await rollcallHere(home, ["companies", "show", "acme"]);
    expect(stdout).toMatch(/never/);
  });
});
