// The recipes of docs/recipes with their tools, on the company of the README's tour: each `console` block gives what is shown, with
// Debian's pandas and DuckDB; Microsoft's parser takes the query; dlt, which the npm registry lacks, has a stand-in. Needs curl, Debian's
// python3-pandas and sqlite3, and the npm registry.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { done } from "../cli/command.ts";
import { serveStore } from "../http/process.ts";
import { consoleSteps } from "../support/console-blocks.ts";
import { importAcme } from "../support/known-records.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../support/rows.ts";
import { addCompany, addKey, change, putFacts } from "../support/stores.ts";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "../..");
const TOOLS = { "@duckdb/node-api": "1.5.6-r.1", "@microsoft/powerquery-parser": "2.0.0" };

/** `duckdb -csv`: DuckDB is on npm, but its command is not. */
const DUCKDB = `#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
const connection = await (await DuckDBInstance.create()).connect();
const query = readFileSync(0, "utf8").replaceAll(/^--.*$/gm, "");
await connection.run(\`create temp table result as \${query}\`);
await connection.run("copy result to 'result.csv' (format csv, header)");
process.stdout.write(readFileSync("result.csv"));
`;

/** Ends with 1 and the place of the fault if the file is not Power Query. */
const PARSER = `import { readFileSync } from "node:fs";
import { DefaultSettings, TaskUtils } from "@microsoft/powerquery-parser";
const task = await TaskUtils.tryLexParse(DefaultSettings, readFileSync(process.argv[2], "utf8"));
if (!TaskUtils.isParseStageOk(task)) throw task.error;
`;

const folder = mkdtempSync(join(tmpdir(), "rollcall-recipes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const served = await serveStore("--today", "2026-11-21");
let key: string;

/** What a command prints in the folder. Fails if it does. */
function run(command: readonly string[], env: Record<string, string> = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    cwd: folder,
    env: { PATH: `${join(folder, "bin")}:/usr/bin:${process.env.PATH}`, LC_ALL: "C.UTF-8", ...env },
  });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stdout}${stderr}`);
  return stdout.toString();
}

beforeAll(async () => {
  await done(folder, "companies", "create", "acme", "--name", "Acme Ltd", "--db", served.path);
  await done(folder, ...importAcme(), "--db", served.path);
  key = await addKey(served.writer, "acme");
  symlinkSync(join(ROOT, "examples"), join(folder, "examples"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  run(
    ["npm", "install", "--silent", ...Object.entries(TOOLS).map((tool) => tool.join("@"))],
    process.env as Record<string, string>,
  );
  mkdirSync(join(folder, "bin"));
  symlinkSync(join(ROOT, "bin/rollcall"), join(folder, "bin/rollcall"));
  writeFileSync(join(folder, "bin/duckdb"), DUCKDB);
  chmodSync(join(folder, "bin/duckdb"), 0o755);
}, 300_000);

const PAGES = [...new Bun.Glob("*.md").scanSync(join(ROOT, "docs/recipes"))];
const stepsOf = (page: string) => consoleSteps(readFileSync(join(ROOT, "docs/recipes", page), "utf8"));

const RUN = ["dashboard.md", "duckdb.md", "pandas.md", "spreadsheet.md"];

test("these pages have steps that run, beside payroll.md, which record.all.test.ts runs", () => {
  const withSteps = PAGES.filter((page) => stepsOf(page).length > 0);
  expect(withSteps.toSorted()).toEqual([...RUN, "payroll.md"].toSorted());
});

test.each(RUN)("docs/recipes/%s: each command gives what is shown", (page) => {
  const mark = "=== next command ===";
  const steps = stepsOf(page);
  const script = steps.map(
    ({ command }) =>
      `${command.replace("http://127.0.0.1:4010", served.address).replace("npx rollcall", "rollcall")}\necho '${mark}'`,
  );
  const outputs = run(["bash", "-c", `exec 2>&1\n${script.join("\n")}`], {
    KEY: key,
    ROLLCALL_DB: served.path,
  }).split(`${mark}\n`);
  expect(steps.map(({ command }, place) => ({ command, output: outputs[place]!.trimEnd() }))).toEqual(steps);
});

test("pandas: two people of one name have a row each, and NA is a name", async () => {
  await addCompany(served.writer, "names", {
    workers: [
      workerRow("wrk_a", { displayName: "NA" }),
      workerRow("wrk_b", { displayName: "NA" }),
      workerRow("wrk_left", { displayName: "Gone", status: "inactive" }),
    ],
    policies: [policyRow("top_x", { name: "Leave" })],
    assignments: ["a", "b", "left"].map((id) => assignmentRow(`toa_${id}`, `wrk_${id}`, "top_x")),
  });
  const env = { ROLLCALL_URL: served.address, ROLLCALL_KEY: await addKey(served.writer, "names") };
  const [, ...rows] = run(["/usr/bin/python3", "examples/recipes/balances.py", "2026-03-01"], env)
    .trim()
    .split("\n");
  const names = rows.map((row) => row.split(",").slice(0, 2));
  expect(names).toEqual([
    ["NA", "wrk_a"],
    ["NA", "wrk_b"],
  ]);
});

test("pandas and DuckDB: a cap on use takes nothing from a balance, and an unlimited policy has 0", async () => {
  const policy = policyRow("top_sick", { name: "Sick", schedule: "yearly", minutesPerPeriod: 4800 });
  const terms = JSON.parse(policy.terms);
  const capped = JSON.stringify({ ...terms, rules: { ...terms.rules, useCapMinutes: 2400 } });
  await addCompany(served.writer, "capped", {
    workers: [workerRow("wrk_cy")],
    policies: [
      { ...policy, terms: capped },
      policyRow("top_unlimited", {
        name: "Unpaid",
        schedule: "unlimited",
        isUnlimited: true,
        minutesPerPeriod: null,
      }),
    ],
    assignments: [
      assignmentRow("toa_1", "wrk_cy", "top_sick", "2026-01-01T00:00:00.000Z"),
      assignmentRow("toa_2", "wrk_cy", "top_unlimited", "2026-01-01T00:00:00.000Z"),
    ],
    requests: [requestRow("tor_1", "wrk_cy", "top_unlimited")],
  });
  const env = { ROLLCALL_URL: served.address, ROLLCALL_KEY: await addKey(served.writer, "capped") };
  const [, inPandas] = run(["/usr/bin/python3", "examples/recipes/balances.py", "2026-12-31"], env).split(
    "\n",
  );
  const script = stepsOf("duckdb.md")
    .slice(1)
    .map(({ command }) => command)
    .join("\n"); // the first sets the variables
  const [, inDuckdb] = run(["bash", "-c", script], env).split("\n");
  // 4800 minutes are 10 days; available is 2400.
  expect(inPandas).toMatch(/,10\.0,0\.0$/);
  expect(inDuckdb).toMatch(/,10\.0,0\.0$/);
});

test("Power Query: Microsoft's parser reads the file, and refuses a broken one", () => {
  writeFileSync(join(folder, "parse.mjs"), PARSER);
  const file = join(ROOT, "examples/recipes/balances.pq");
  expect(run(["node", "parse.mjs", file])).toBe("");
  writeFileSync(
    join(folder, "broken.pq"),
    readFileSync(file, "utf8").replace("JoinKind.LeftOuter)", "JoinKind.LeftOuter"),
  );
  expect(() => run(["node", "parse.mjs", "broken.pq"])).toThrow("right parenthesis");
});

test("dlt: everything once, then what changed and was removed, and everything again", async () => {
  const workers = Array.from({ length: 1_200 }, (_, index) => workerRow(`wrk_${index}`));
  await addCompany(served.writer, "copied", {
    workers,
    policies: [policyRow("top_x")],
    assignments: workers.slice(0, 150).map(({ id }) => assignmentRow(id.replace("wrk", "toa"), id, "top_x")),
  });
  const copied = await addKey(served.writer, "copied");
  const file = join(folder, "copy.json");
  const load = (...options: string[]) => {
    run(["/usr/bin/python3", "examples/recipes/rollcall_dlt.py", ...options], {
      ROLLCALL_URL: served.address,
      ROLLCALL_KEY: copied,
      ROLLCALL_DESTINATION: file,
      PYTHONPATH: join(ROOT, "test/support/stand-in"),
      PYTHONDONTWRITEBYTECODE: "1",
    });
    return JSON.parse(readFileSync(file, "utf8"));
  };
  const first = load();
  const counts = (tables: Record<string, object>) =>
    Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, Object.keys(rows).length]));
  expect(counts(first.tables)).toEqual({ workers: 1_200, policies: 1, assignments: 150, balances: 150 });

  await putFacts(served.writer, "copied", { workers: [workerRow("wrk_7", { displayName: "Renamed" })] });
  await change(served.writer, "copied", (transaction) => transaction.remove("workers", [["wrk_1199"]]));
  const second = load();
  expect(second.state.position).not.toBe(first.state.position);
  expect(second.tables.workers.wrk_7.displayName).toBe("Renamed");
  expect(counts(second.tables)).toMatchObject({ workers: 1_199, assignments: 150, balances: 150 });

  writeFileSync(
    file,
    JSON.stringify({ tables: { workers: { wrk_stale: {} } }, state: { position: "p1_gone" } }),
  );
  expect(() => load()).toThrow("HTTP Error 400");
  expect(load("--full").tables).toEqual(second.tables);
});
