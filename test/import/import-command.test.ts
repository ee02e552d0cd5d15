// The import as it is run: what it says of a mapping that is not there, and of what the files lack.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import type { ChangePosition } from "../../src/store/store.ts";
import { rollcallHere } from "../cli/command.ts";
import { folderOf, requestsCsv, SMALL, temporaryFolder, workersCsv } from "../support/import-files.ts";
import { mapFile } from "./convert/mapped.ts";

test("a missing mapping is an error that says so", async () => {
  const folder = folderOf(SMALL);
  const { exitCode, stderr } = await rollcallHere(folder, [
    "import",
    ".",
    "--company",
    "acme",
    "--map",
    "nope.json",
  ]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("there is no mapping at nope.json: check the path");
});

test("stored rows that the files lack are counted, in words and in JSON", async () => {
  const folder = folderOf(SMALL);
  await rollcallHere(folder, ["companies", "create", "acme"]);
  await rollcallHere(folder, ["import", ".", "--company", "acme"]);
  const fewer = folderOf({ "workers.csv": workersCsv("E1") });
  const { stdout } = await rollcallHere(folder, ["import", fewer, "--company", "acme"]);
  expect(stdout).toContain("Stored, but not in the files: 1 of workers; --prune removes them.");
  const json = await rollcallHere(folder, ["import", fewer, "--company", "acme", "--json"]);
  expect(JSON.parse(json.stdout).notInFiles).toEqual({ workers: 1 });
});

test("a dry run of an import that would be refused shows its counts and has the same exit code", async () => {
  const ids = Array.from({ length: 20 }, (_, at) => `R${at} approved E1`);
  const folder = folderOf({ ...SMALL, "requests.csv": requestsCsv(...ids) });
  await rollcallHere(folder, ["companies", "create", "acme"]);
  await rollcallHere(folder, ["import", ".", "--company", "acme"]);
  const fewer = folderOf({ "requests.csv": requestsCsv(...ids.slice(12)) });
  const dryRun = ["import", fewer, "--company", "acme", "--prune", "--dry-run"];
  const { exitCode, stdout, stderr } = await rollcallHere(folder, dryRun);
  expect(stdout).toMatch(/requests.csv +0 +0 +8 +12\n/);
  expect(stdout).toMatch(/requests +20 +0 +0 +12 \(60 %\) +2025-03-03 to 2025-03-03 +20 added, 0 changed/);
  expect(stdout).toContain("the counts are what an accepted import would do");
  expect(stderr).toContain(
    "the import itself would be refused:\nrequests.csv: pruning would remove 12 of 20 stored requests",
  );
  expect(exitCode).toBe(1);
  const json = await rollcallHere(folder, [...dryRun, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ files: [{ removed: 12 }], refusals: [expect.any(String)] });
  expect((await rollcallHere(folder, [...dryRun, "--allow-removals", "60%"])).exitCode).toBe(0);
  expect((await rollcallHere(folder, [...dryRun, "--allow-removals", "lots"])).exitCode).toBe(2);
});

test("imports are listed with counts, findings and failures; each command can be typed again", async () => {
  const folder = folderOf({
    "workers.csv": workersCsv("E1", "E2", "E3"),
    "it's new/workers.csv": workersCsv("E9").replace("2024-01-01", "soon"),
  });
  await rollcallHere(folder, ["companies", "create", "acme"]);
  const list = (...more: string[]) => rollcallHere(folder, ["imports", "list", "--company", "acme", ...more]);
  expect((await list()).stdout).toBe("There were no imports yet.\n");
  const command = ["import", "workers.csv", "--company", "acme", "--accept", "same-time-zone"];
  const keep = ["--quarantine", "bad rows.jsonl", "--quarantine-limit", "7", "--keep-removals", "30d"];
  await rollcallHere(folder, [...command, "--prune", ...keep]);
  await rollcallHere(folder, ["import", "it's new/workers.csv", "--company", "acme"]);
  const lines = (await list()).stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^ended +outcome +added +changed +unchanged +removed +findings +pulled$/);
  expect(lines[1]).toMatch(/^20\d\d-\S+Z +imported +3 +0 +0 +0 +3 same-start-date +-$/);
  expect(lines[2]).toMatch(/^20\d\d-\S+Z +refused for 1 reason +-/);
  const [made, refused] = JSON.parse((await list("--json")).stdout);
  expect(made).toMatchObject({
    outcome: "imported",
    command:
      "rollcall import workers.csv --company acme --prune --accept same-time-zone --quarantine 'bad rows.jsonl' --quarantine-limit 7 --keep-removals 30d",
    findings: [{ code: "same-start-date", count: 3 }],
    gate: { kinds: { workers: { stored: 0, added: 3, from: "2024-01-01", to: "2024-01-01" } } },
    filesChangedAt: { workers: expect.stringMatching(/^20.*Z$/) },
  });
  expect(refused).toMatchObject({
    outcome: "refused",
    command: "rollcall import 'it'\\''s new/workers.csv' --company acme",
  });
  const { stdout: notes, exitCode } = await rollcallHere(folder, ["doctor"]);
  expect(exitCode).toBe(0);
  expect(notes).toContain("note: company acme: the last import failed, at 20");
  expect(notes).toContain(
    "note: company acme: the last import reported findings: same-start-date (3)\n  do: correct the data",
  );
  expect(await rollcallHere(folder, ["imports", "list", "--company", "nobody"])).toMatchObject({
    exitCode: 1,
  });
});

test("skipped rows are counted by file, and skip values that match no row are reported", async () => {
  const folder = folderOf({
    ...SMALL,
    "leave.csv": requestsCsv("R1 approved E1", "R2 cancelled E1", "R3 withdrawn E2"),
    "more.csv": requestsCsv("R4 approved E1", "R5 cancelled E2"),
    "none.csv": requestsCsv(),
  });
  const map = mapFile({
    requests: {
      from: ["leave.csv", "more.csv", "none.csv"],
      skip: { Status: ["cancelled", "withdrawn"], "Worker Id": ["E7", 8] },
    },
  });
  const notes = [
    "leave.csv: skipped 2 rows of requests (mapping rule)",
    'leave.csv: no row has "E7" or "8" in Worker Id, so requests.skip.Worker Id of map.json skips nothing',
    "more.csv: skipped 1 row of requests (mapping rule)",
    'more.csv: no row has "E7" or "8" in Worker Id, so requests.skip.Worker Id of map.json skips nothing',
  ];
  const home = temporaryFolder();
  await rollcallHere(home, ["companies", "create", "acme"]);
  const { stdout, stderr } = await rollcallHere(home, [
    ...["import", folder, "--company", "acme", "--map", map, "--json"],
    ...["--accept", "unused-policy,overlapping-leave,unread-file"],
  ]);
  const left = "requests.csv is not imported: the mapping takes requests from leave.csv, more.csv, none.csv";
  expect(stderr).toBe([left, ...notes].map((note) => `rollcall: note: ${note}\n`).join(""));
  const report = JSON.parse(stdout);
  expect(report.notes).toEqual([left, ...notes]);
  expect(report.files.map(({ file, skipped }: { file: string; skipped: number }) => [file, skipped])).toEqual(
    [
      ["workers.csv", 0],
      ["policies.csv", 0],
      ["assignments.csv", 0],
      ["leave.csv", 2],
      ["more.csv", 1],
      ["none.csv", 0],
    ],
  );
});

test("a refused dry run, and a mistyped path or mapping, are no failed imports", async () => {
  const folder = folderOf({ "workers.csv": workersCsv("E1").replace("2024-01-01", "soon") });
  await rollcallHere(folder, ["companies", "create", "acme"]);
  for (const args of [["workers.csv", "--dry-run"], ["workrs.csv"], ["workers.csv", "--map", "personi"]])
    expect((await rollcallHere(folder, ["import", ...args, "--company", "acme"])).exitCode).toBe(1);
  const { stdout } = await rollcallHere(folder, ["imports", "list", "--company", "acme"]);
  expect(stdout).toBe("There were no imports yet.\n");
});

test("an unknown company is an error that says how to list companies", async () => {
  const folder = folderOf({ ...SMALL, "adjustments.csv": "nonsense\n1" });
  await rollcallHere(folder, ["companies", "create", "kestrel"]);
  // Also before what is wrong in the files.
  for (const file of ["workers.csv", "adjustments.csv"]) {
    const { exitCode, stderr } = await rollcallHere(folder, ["import", file, "--company", "kestrl"]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'rollcall: There is no company "kestrl": see rollcall companies list, or create it with rollcall companies create kestrl\n',
    );
  }
});

test("a mapping beside its files is not reported as left out", async () => {
  const folder = folderOf({ ...SMALL, "map.json": '{"workers": {"from": "workers.csv"}}', "notes.txt": "" });
  await rollcallHere(folder, ["companies", "create", "beside"]);
  const { exitCode, stderr } = await rollcallHere(folder, [
    ...["import", ".", "--company", "beside", "--map", "map.json", "--dry-run"],
  ]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain("notes.txt is not imported: the mapping does not name it");
  expect(stderr).not.toContain("map.json");
});

test("--accept takes codes one by one or as a list, and says which there are; what is accepted is allowed by --strict", async () => {
  const names = Array.from({ length: 12 }, (_, at) => `E${at + 1}`);
  const folder = folderOf({ ...SMALL, "workers.csv": workersCsv(...names) });
  await rollcallHere(folder, ["companies", "create", "acme"]);
  const codes = async (...more: string[]) => {
    const run = await rollcallHere(folder, [
      "import",
      ".",
      "--company",
      "acme",
      "--dry-run",
      "--json",
      ...more,
    ]);
    return (JSON.parse(run.stdout) as { findings: { code: string }[] }).findings.map(({ code }) => code);
  };
  expect(await codes()).toEqual(["same-start-date", "same-time-zone", "unused-policy"]);
  expect(await codes("--accept", "unused-policy")).toEqual(["same-start-date", "same-time-zone"]);
  expect(await codes("--accept", "unused-policy,same-time-zone")).toEqual(["same-start-date"]);
  expect(await codes("--accept", "unused-policy", "--accept", "same-start-date,")).toEqual([
    "same-time-zone",
  ]);
  expect(await codes("--accept", "")).toHaveLength(3);
  const unknown = await rollcallHere(folder, ["import", ".", "--company", "acme", "--accept", "unused"]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/--accept.*unused.*unused-policy/s),
  ]);
  const strict = ["import", ".", "--company", "acme", "--strict"];
  expect((await rollcallHere(folder, strict)).exitCode).toBe(1);
  const accepted = [...strict, "--accept", "same-start-date,unused-policy"]; // a time zone is expected
  expect((await rollcallHere(folder, accepted)).exitCode).toBe(0);
});

test("--keep-removals says how long the feed has removals, also earlier ones; --quiet tells no hook", async () => {
  const folder = folderOf({});
  await rollcallHere(folder, ["companies", "create", "acme"]);
  const importing = (workers: readonly string[], ...more: string[]) =>
    rollcallHere(folder, [
      ...["import", folderOf({ "workers.csv": workersCsv(...workers) }), "--company", "acme", "--prune"],
      ...more,
    ]);
  await importing(["E1", "E2", "E3", "E4"]);
  const store = openSqliteReadStore(join(folder, "rollcall.db"));
  try {
    const company = store.company("acme");
    const changes = (after: ChangePosition | "now") =>
      company.changes({ after, resources: ["workers"], limit: 100 });
    const first = await changes("now");
    if (first === "gone") throw new Error("there is no position");
    const removed = async () => {
      const page = await changes(first.position);
      return page === "gone" ? page : page.entries.filter((entry) => entry.removed).length;
    };
    expect((await importing(["E1", "E2", "E3"])).exitCode).toBe(0);
    expect(await removed()).toBe(1);
    expect((await importing(["E1", "E2"], "--keep-removals", "1d")).exitCode).toBe(0);
    expect(await removed()).toBe(2);
    expect((await importing(["E1"], "--keep-removals", "0")).exitCode).toBe(0);
    expect(await removed()).toBe("gone");
    for (const wrong of ["soon", "-1d", ""])
      expect(await importing(["E1"], "--keep-removals", wrong)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("or 0 to keep none"),
      });
    await rollcallHere(folder, [
      "hooks",
      "create",
      "--company",
      "acme",
      "--url",
      "http://localhost:9/",
      "--json",
    ]);
    await importing(["E1", "E5"], "--quiet");
    expect(await store.hooks.notes("acme", 0, 10)).toEqual([]);
    await importing(["E1", "E5", "E6"]);
    expect((await store.hooks.notes("acme", 0, 10)).map(({ type }) => type)).toEqual(["worker.created"]);
  } finally {
    await store.close();
  }
});
