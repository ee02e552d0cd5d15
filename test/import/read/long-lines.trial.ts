// Files made to break an import: lines of a gigabyte, and names and paths that are tricks. Each is refused in words, soon, and
// in as little memory as any other.
import { afterAll, describe, expect, test } from "bun:test";
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderOf, SMALL, temporaryFolder, workersCsv } from "../../support/import-files.ts";
import { residentBytes } from "../../support/processes.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";

const MB = 1024 * 1024;
const GIGABYTE = 1024 * MB;

/** What an import of a few rows takes is about 70 MB. */
const MEMORY_AT_MOST = 160 * MB;

/** A file of a gigabyte need not be in memory. */
const folder = temporaryFolder(tmpdir());

async function rollcall(...args: string[]) {
  const child = Bun.spawn([ROLLCALL, ...args], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, peakBytes] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    peakOf(child),
  ]);
  await child.exited;
  return { exitCode: child.exitCode, stdout, stderr, peakBytes };
}

/**
 * The most memory that a process was seen to hold. What the kernel says of it when it has ended is of no use: that counts what the
 * process that started it held.
 */
async function peakOf(child: Bun.Subprocess): Promise<number> {
  let peakBytes = 0;
  while (child.exitCode === null) {
    peakBytes = Math.max(peakBytes, residentBytes(child.pid).most);
    await Bun.sleep(5);
  }
  return peakBytes;
}

await rollcall("companies", "create", "acme");

/** One file for all, as a gigabyte takes its time: each test writes its own beginning into it. */
let giant = join(folder, "giant");
{
  const file = openSync(giant, "w");
  const piece = Buffer.alloc(MB, "x");
  for (let at = 0; at < GIGABYTE; at += MB) writeSync(file, piece);
  closeSync(file);
}
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function giantNamed(name: string, beginning: string): string {
  const path = join(folder, name);
  renameSync(giant, path);
  giant = path;
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4 * MB, "x"), 0, 4 * MB, 0); // what another test wrote
  writeSync(file, beginning, 0);
  closeSync(file);
  return path;
}

const WORKERS = workersCsv("E1", "E2");
const TOO_LONG = "the record here is longer than 1 MB: a closing quote may be missing";

describe("a line of a gigabyte", () => {
  test.each([
    ["as the header", "workers.csv", "id,", `workers.csv:1: ${TOO_LONG}`],
    ["as a cell", "workers.csv", `${WORKERS}\nE3,`, `workers.csv:4: ${TOO_LONG}`],
    ["in quotes", "workers.csv", `${WORKERS}\nE3,"`, `workers.csv:4: ${TOO_LONG}`],
    ["as JSON", "workers.jsonl", '{"id":"', "workers.jsonl:1: is longer than 1 MB: write one object a line"],
    [
      "after lines of JSON",
      "workers.ndjson",
      '{"id":"wrk_1"}\n{"id":"',
      "workers.ndjson:2: is longer than 1 MB: write one object a line",
    ],
    [
      "as a mapping",
      "hr.json",
      '{"workers":{"from":"',
      "hr.json: is larger than 1 MB: such a file is a page of JSON. Is it the data?",
    ],
  ])("%s", async (_, name, beginning, message) => {
    const path = giantNamed(name, beginning);
    const given = name === "hr.json" ? [folderOf(SMALL), "--map", path] : [path];
    const { exitCode, stdout, stderr, peakBytes } = await rollcall("import", ...given, "--company", "acme");
    expect(stderr).toContain(message);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr.length).toBeLessThan(1000);
    expect(peakBytes).toBeWithin(1, MEMORY_AT_MOST);
    expect((await rollcall("companies", "list", "--json")).stdout).toContain('"acme"');
  });
});

describe("paths and names", () => {
  const imported = (...paths: string[]) => rollcall("import", ...paths, "--company", "acme");

  test("what is no file is not opened: a pipe would be waited for, a device never ends", async () => {
    const pipe = join(temporaryFolder(), "workers.csv");
    expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
    const device = join(temporaryFolder(), "workers.csv");
    symlinkSync("/dev/zero", device);
    for (const path of [pipe, device]) {
      for (const given of [path, join(path, "..")]) {
        const { exitCode, stderr } = await imported(given);
        expect(stderr).toContain("workers.csv is not a file");
        expect(exitCode).toBe(1);
      }
      const { stderr } = await rollcall("import", folderOf(SMALL), "--map", path, "--company", "acme");
      expect(stderr).toContain("is not a file");
    }
  });

  test("a folder under the name of a file, and links that lead round in a circle or nowhere", async () => {
    const tricks = temporaryFolder();
    mkdirSync(join(tricks, "workers.csv"));
    expect((await imported(tricks)).stderr).toContain("workers.csv is not a file");
    const links = temporaryFolder();
    symlinkSync("policies.csv", join(links, "workers.csv"));
    symlinkSync("workers.csv", join(links, "policies.csv"));
    expect((await imported(links)).stderr).toMatch(/cannot be read \(ELOOP\)/);
    const dangling = temporaryFolder();
    symlinkSync("nowhere.csv", join(dangling, "workers.csv"));
    expect((await imported(dangling)).stderr).toContain("There is no file or folder at");
  });

  test("a name with control characters cannot speak to the terminal", async () => {
    const tricks = folderOf(SMALL);
    writeFileSync(join(tricks, "a\u001b]0;owned\u0007\nrollcall: all is well\u009b31m.txt"), "");
    writeFileSync(join(tricks, "b\u001b[2J.csv"), "");
    for (const path of [tricks, join(tricks, "b\u001b[2J.csv")]) {
      const { exitCode, stderr } = await imported(path);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("b\\u001b[2J.csv is not an import file");
      expect([...stderr].filter((character) => /[^\n -~\u00a0-\uffff]/.test(character))).toEqual([]);
    }
    rmSync(join(tricks, "b\u001b[2J.csv"));
    const { exitCode, stderr } = await imported(tricks);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      "a\\u001b]0;owned\\u0007\\u000arollcall: all is well\\u009b31m.txt is not imported",
    );
    expect([...stderr].filter((character) => /[^\n -~\u00a0-\uffff]/.test(character))).toEqual([]);
  });
});
