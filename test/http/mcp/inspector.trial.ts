// The Inspector of MCP, as people use it: over HTTP with either header, over the bridge, and its check of the schemas.
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { serveStore } from "../process.ts";

const COMMAND = join(import.meta.dir, "../../../bin/rollcall");
const folder = mkdtempSync(join(tmpdir(), "rollcall-inspector-"));
afterAll(() => rmSync(folder, { recursive: true }));
cpSync(join(import.meta.dir, "inspector"), folder, { recursive: true });
const env = { ...process.env, HOME: folder };

/** Runs a program to its end in the folder. */
function run(command: readonly string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: folder, env });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

const installed = run(["npm", "ci", "--ignore-scripts"]);
if (installed.exitCode !== 0) throw new Error(installed.stderr);

const served = await serveStore();
await addCompany(served.writer, "acme", sampleFacts());
const key = await addKey(served.writer, "acme");
const inspect = (...args: string[]) => run(["node", "node_modules/.bin/mcp-inspector", "--cli", ...args]);
const address = `${served.address}/mcp`;

test("the schemas have no portability problem", () => {
  const listing = ["--header", `x-api-key: ${key}`, "--method", "tools/list", "--strict"];
  const { exitCode, stdout, stderr } = inspect(address, ...listing);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(stdout).tools.length).toBe(10);
});

test("every tool is called over HTTP and over the bridge, with the same result", () => {
  const calls = [
    ["find_people"],
    ["who_is_away", "from=2026-01-01", "to=2026-12-31"],
    ["time_off_balance", `people=["wrk_ana"]`],
    ["list_time_off", "person=wrk_ana"],
    ["list_policies"],
  ];
  for (const [tool, ...args] of calls) {
    const call = ["--method", "tools/call", "--tool-name", tool!];
    if (args.length > 0) call.push("--tool-arg", ...args);
    const bridge = ["-e", `ROLLCALL_URL=${served.address}`, "-e", `ROLLCALL_KEY=${key}`];
    const results = [
      inspect(address, "--header", `x-api-key: ${key}`, ...call),
      inspect(address, "--header", `Authorization: Bearer ${key}`, ...call),
      inspect(COMMAND, "mcp", ...call, ...bridge),
    ].map(({ stdout }) => JSON.parse(stdout));
    expect(results[0].content[0].text).toStartWith("In UTC, today is Sunday 2026-03-01.");
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  }
});

test("a key that is refused is an error", () => {
  const { exitCode } = inspect(address, "--header", "x-api-key: rk_x", "--method", "tools/list");
  expect(exitCode).not.toBe(0);
});
