// Small files, and queries, that were made to fill a machine's memory or to hold it up. Each ends soon, in little memory, and the
// message names the place, the limit and what to do.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { JsonRecords } from "../../../src/import/read/json-record.ts";
import { SharedTexts } from "../../../src/import/read/xlsx-cells.ts";
import { temporaryFolder, workersCsv } from "../../support/import-files.ts";
import { residentBytes } from "../../support/processes.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { archive, packedText } from "../../support/workbook.ts";

const MB = 1024 * 1024;
/** An import of a few rows takes about 70 MB. */
const MEMORY_AT_MOST = 300 * MB;

const folder = temporaryFolder();

function start(args: readonly string[]) {
  const env = { ...process.env, TMPDIR: join(folder, "tmp") };
  return Bun.spawn([ROLLCALL, ...args], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
}

async function rollcall(...args: string[]) {
  const child = start(args);
  const [stdout, stderr, peakBytes] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    peakOf(child),
  ]);
  return { exitCode: await child.exited, stdout, stderr, peakBytes };
}

async function peakOf(child: Bun.Subprocess): Promise<number> {
  let peakBytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peakBytes = Math.max(peakBytes, residentBytes(child.pid).most);
    await Bun.sleep(5);
  }
  return peakBytes;
}

mkdirSync(join(folder, "tmp"));
await rollcall("companies", "create", "acme");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function* times(count: number, ...pieces: readonly string[]) {
  for (const piece of pieces) {
    const block = piece.repeat(10_000);
    for (let at = 0; at < count; at += 10_000) yield block;
  }
}

/** A workbook of one sheet, whose text this is. */
async function sheetOf(pieces: Iterable<string>): Promise<Uint8Array> {
  return archive({
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="People" sheetId="1" r:id="s"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="s" Type="t/worksheet" Target="sheet.xml"/></Relationships>`,
    "xl/sheet.xml": await packedText(pieces),
  });
}

function* worksheet(rows: Iterable<string>) {
  const [header = "", row = ""] = workersCsv("E1").split("\n");
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rowOf = (line: string) => `<row>${line.split(",").map(cell).join("")}</row>`;
  yield `<worksheet><sheetData>${rowOf(header)}${rowOf(row)}`;
  yield* rows;
  yield "</sheetData></worksheet>";
}

function* farRows(rows: number) {
  for (let at = 3; at < rows; at++) yield `<row r="${at}"><c r="XFD${at}"><v>1</v></c></row>`;
}

describe("a workbook", () => {
  const attacks: readonly [string, () => Iterable<string>, string][] = [
    ["of nested elements", () => times(100_000, "<a>", "</a>"), "nested elements"],
    ["of a far cell in each row", () => worksheet(farRows(5_000)), "has 16384 columns"],
    ["of one long attribute", () => ["<worksheet a='", ...times(2_000_000, " "), "'/>"], "between two tags"],
    ["of one long comment", () => worksheet(["<!--", ...times(1_000_000, "-< "), "-->"]), "between two tags"],
    ["of spaces", () => worksheet(times(2_000_000, " ")), "between two tags"],
    ["of empty cells", () => worksheet(times(20_000_000, "<c/>")), "more than 200 times its size"],
  ];
  for (const [name, pieces, message] of attacks)
    test(name, async () => {
      writeFileSync(join(folder, "workers.xlsx"), await sheetOf(pieces()));
      const { exitCode, stderr, peakBytes } = await rollcall("import", "workers.xlsx", "--company", "acme");
      expect(stderr).toContain("workers.xlsx");
      expect(stderr).toContain(message);
      expect(exitCode).toBe(1);
      expect(peakBytes).toBeLessThan(MEMORY_AT_MOST);
    });
});

test("texts of a workbook count as much as they take in memory: letters outside Latin-1 take twice as much", () => {
  const held = (text: string) => {
    const texts = new SharedTexts();
    for (let count = 0; ; count++)
      try {
        texts.add(text);
      } catch (error) {
        expect((error as Error).message).toContain("more than 48 MB of memory");
        return count;
      }
  };
  const [latin, japanese] = ["é", "休"].map((letter) => held(letter.repeat(MB)));
  expect([latin, japanese]).toEqual([47, 23]);
  expect(held("休")).toBeLessThan(520_000);
});

test.each(["[".repeat(20_000) + "]".repeat(20_000), `[${"{},".repeat(20_000)}1]`])(
  "a record of JSON that is more brackets than text is refused before it is parsed",
  (value) => {
    const { problem } = new JsonRecords([]).record(1, `{"id":"E1","x":${value}}`);
    expect(problem).toBe("has more than 10000 lists and objects: a record is one row");
  },
);

test("a compressed file of mostly zeros is refused", async () => {
  writeFileSync(join(folder, "workers.csv.gz"), gzipSync(Buffer.alloc(80 * MB, ",")));
  const { stderr, peakBytes } = await rollcall("import", "workers.csv.gz", "--company", "acme");
  expect(stderr).toMatch(/longer than 1 MB|unpacks to more than 200 times its size/);
  expect(peakBytes).toBeLessThan(MEMORY_AT_MOST);
});

test("a table of 100,000 columns is refused", async () => {
  const path = join(folder, "wide.csv");
  writeFileSync(path, `${Array.from({ length: 100_000 }, (_, at) => `c${at}`).join(",")}\n`);
  for (const command of [
    ["import", path, "--company", "acme", "--map", mapping({ from: "wide.csv" })],
    ["map", "init", path],
  ]) {
    const { stdout, stderr } = await rollcall(...command);
    expect(stdout + stderr).toContain("has 100000 columns, and at most 1998 are read");
  }
});

const mapping = (workers: object) => {
  const path = join(folder, "map.json");
  writeFileSync(path, JSON.stringify({ tables: { people: "people.csv" }, workers }));
  return path;
};

describe("a query", () => {
  const columns = "firstName, lastName, email, isBusiness, startDate, status, type";
  const query = (legacyId: string) =>
    mapping({ query: `select ${legacyId} as legacyId, ${columns} from people` });
  const ENDLESS = "(with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n)";
  const run = (map: string, ...more: string[]) =>
    rollcall("import", "people.csv", "--company", "acme", "--map", map, ...more);
  writeFileSync(join(folder, "people.csv"), workersCsv("E1"));

  test("that never ends is stopped by its time limit", async () => {
    const { exitCode, stderr } = await run(query(ENDLESS), "--query-timeout", "1s");
    expect(stderr).toContain(
      "map.json: workers.query: the query ran for more than 1 s: correct it, or raise --query-timeout",
    );
    expect(exitCode).toBe(1);
    const shown = await rollcall("companies", "show", "acme");
    expect(shown.exitCode).toBe(0); // the store is as it was
  });

  test("that takes a gigabyte is stopped by its memory limit", async () => {
    const { exitCode, stderr, peakBytes } = await run(query("hex(zeroblob(400000000))"));
    expect(stderr).toContain(
      "the query took more than 100 MB of memory: correct it, or raise --query-memory",
    );
    expect(exitCode).toBe(1);
    // Its memory is looked at every 10 ms. On a busy machine, it takes some more before it is noticed.
    expect(peakBytes).toBeLessThan(500_000_000);
  });

  test("that gives a text of more than a megabyte is refused", async () => {
    const { stderr } = await run(query("hex(zeroblob(600000))"));
    expect(stderr).toContain("map.json: workers.query: a text of the result is longer than 1 MB");
  });

  for (const [signal, exitCode] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGKILL", 137],
  ] as const)
    test(`of map check that never ends ends at ${signal}, and nothing stays of its tables and its store`, async () => {
      const child = start(["map", "check", "people.csv", "--map", query(ENDLESS)]);
      await Bun.sleep(700); // most often it is in the query by now; nothing may stay at any moment
      child.kill(signal);
      expect(await child.exited).toBe(exitCode);
      expect(filesIn(join(folder, "tmp"))).toEqual([]);
    });
});

/** Files that have somebody's address in them. */
function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(root, name);
    return statSync(path).isFile() && readFileSync(path).includes("@example.com");
  });
}
