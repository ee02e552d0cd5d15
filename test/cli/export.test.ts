// What `rollcall export` says and leaves: whole texts, and no folder beside the one that it was told.
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "../../src/store/tables.ts";
import { folderOf, SMALL, workersCsv } from "../support/import-files.ts";
import { done, rollcallHere, start } from "./command.ts";

async function withCompany(): Promise<string> {
  const folder = folderOf(SMALL);
  await done(folder, "companies", "create", "acme");
  await done(folder, "import", ".", "--company", "acme", "--accept", "same-start-date,unused-policy");
  return folder;
}

const exporting = (folder: string, ...more: string[]) =>
  rollcallHere(folder, ["export", "--company", "acme", ...more]);

test("the files and their rows are listed, in words and as JSON; a slash at the end of the folder makes no difference", async () => {
  const folder = await withCompany();
  const rows: Record<string, number> = { workers: 2, policies: 2, assignments: 2, requests: 2 };
  const words = await exporting(folder, "--out", "made/out/");
  expect([words.exitCode, words.stderr]).toEqual([0, ""]);
  const lines = words.stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.trim().split(/\s+/))).toEqual([
    ["file", "rows"],
    ...KINDS.map((kind) => [`${kind}.csv`, String(rows[kind] ?? 0)]),
    ["Exported", "acme", "to", "made/out."],
  ]);
  const json = await exporting(folder, "--out", "other//", "--json");
  expect(JSON.parse(json.stdout)).toEqual({
    out: "other",
    files: KINDS.map((kind) => ({ file: `${kind}.csv`, rows: rows[kind] ?? 0 })),
  });
  expect(readdirSync(join(folder, "made"))).toEqual(["out"]);
  expect(readdirSync(join(folder, "made/out")).toSorted()).toEqual(
    KINDS.map((kind) => `${kind}.csv`).toSorted(),
  );
});

test("a folder that a killed export left is named, since it has people's data; others' folders are not", async () => {
  const folder = await withCompany();
  const child = start(folder, ["export", "--company", "acme", "--out", "out"]);
  const isBegun = () => readdirSync(folder).some((name) => name.startsWith("out.partial-"));
  while (child.exitCode === null && !isBegun()) await Bun.sleep(1);
  child.kill("SIGKILL");
  await child.exited;
  mkdirSync(join(folder, "out.former-a1B2c3"));
  mkdirSync(join(folder, "out.partial-notes"));
  const left = readdirSync(folder).filter((name) => /^out\.\w+-\w{6}$/.test(name));
  const { exitCode, stderr } = await exporting(folder, "--out", "out", "--overwrite");
  expect(exitCode).toBe(0);
  expect(stderr.trimEnd().split("\n").toSorted()).toEqual(
    left
      .map(
        (name) =>
          `rollcall: note: ${join(realpathSync(folder), name)} has people's data of an export that was killed: remove it, unless that export still runs`,
      )
      .toSorted(),
  );
});

test("a folder that holds something is refused; an export is replaced as a whole with --overwrite", async () => {
  const folder = await withCompany();
  await exporting(folder, "--out", "out");
  const workers = () => readFileSync(join(folder, "out/workers.csv"), "utf8");
  const before = workers();
  await done(
    folder,
    "import",
    folderOf({ "workers.csv": workersCsv("E1", "E2", "E3") }),
    "--company",
    "acme",
  );
  expect(await exporting(folder, "--out", "out")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      "out holds an export already: name another folder, or replace it with --overwrite",
    ),
  });
  expect(workers()).toBe(before);
  expect((await exporting(folder, "--out", "out", "--overwrite")).exitCode).toBe(0);
  expect(workers().trimEnd().split("\r\n")).toHaveLength(4);
  writeFileSync(join(folder, "out/diary.txt"), "mine");
  for (const more of [[], ["--overwrite"]])
    expect(await exporting(folder, "--out", "out", ...more)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(
        "out holds other files (diary.txt): name a folder that is not there yet, or an empty one",
      ),
    });
  expect(readdirSync(folder).filter((name) => name.startsWith("out"))).toEqual(["out"]);
});

// docs/importing.md: importing an export gives the same company.
test("the longest names are imported again, and doctor finds nothing wrong with them", async () => {
  const workers = workersCsv("E1").replace("Ana,Lind", `${"𝒜".repeat(200)},${"x".repeat(200)}`);
  const folder = folderOf({ "workers.csv": workers });
  for (const company of ["acme", "again"]) await done(folder, "companies", "create", company);
  await done(folder, "import", "workers.csv", "--company", "acme");
  expect((await exporting(folder, "--out", "out")).exitCode).toBe(0);
  expect(readFileSync(join(folder, "out/workers.csv"), "utf8")).toContain("𝒜 x");
  await done(folder, "import", "out", "--company", "again");
  await done(folder, "doctor");
});

test("an unknown company, and a folder that cannot be made, leave nothing", async () => {
  const folder = await withCompany();
  const unknown = await rollcallHere(folder, ["export", "--company", "acne", "--out", "out"]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining("acne")]);
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "sub/file"), "");
  expect(await exporting(folder, "--out", "sub/file/out")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /sub\/file\/out cannot be written \(\w+\): check the folder, its permissions and the free space on the disk/,
    ),
  });
  expect(readdirSync(folder).filter((name) => name.startsWith("out"))).toEqual([]);
  expect(readdirSync(join(folder, "sub"))).toEqual(["file"]);
});
