// rollcall follow, as a script uses it: a real server, and a process of its own where it waits, is ended or its reader leaves.
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIST_KINDS } from "../../src/resources/kinds.ts";
import { serveStore } from "../http/process.ts";
import { ROLLCALL } from "../support/rollcall-path.ts";
import { requestRow, sampleFacts, workerRow } from "../support/rows.ts";
import { addCompany, addKey, change, putFacts } from "../support/stores.ts";
import { inFolder, rollcallHere, start } from "./command.ts";

setDefaultTimeout(120_000);

const server = await serveStore();
await addCompany(server.writer, "acme", sampleFacts());
const ROLLCALL_KEY = await addKey(server.writer, "acme");
const ENV = { ROLLCALL_URL: server.address, ROLLCALL_KEY };
const COUNTED = Object.values({ ...sampleFacts(), adjustments: [], work_hours: [] }).flat().length;

interface Line {
  readonly resource: string;
  readonly id: string;
  readonly removed: boolean;
  readonly object: object | null;
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

const addRequest = (id: string) =>
  putFacts(server.writer, "acme", { requests: [requestRow(id, "wrk_bo", "top_annual")] });

test("--once prints everything, and with a position file the next run prints what changed since", () =>
  inFolder(async (folder) => {
    const args = ["follow", "--once", "--position-file", "position"];
    const first = await rollcallHere(folder, args, ENV);
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    expect(linesOf(first.stdout)).toHaveLength(COUNTED);
    await addRequest("tor_once");
    await change(server.writer, "acme", (transaction) => transaction.put("workers", [workerRow("wrk_once")]));
    await change(server.writer, "acme", (transaction) => transaction.remove("workers", [["wrk_once"]]));
    const second = await rollcallHere(folder, args, ENV);
    expect(linesOf(second.stdout).map(({ resource, id, removed }) => [resource, id, removed])).toEqual([
      ["requests", "tor_once", false],
      ["balances", "wrk_bo", false],
      ["balances", "wrk_once", false],
      ["workers", "wrk_once", true],
    ]);
    expect((await rollcallHere(folder, args, ENV)).stdout).toBe("");
  }));

test("a running follower prints changes as they happen, and a signal ends it with 0", () =>
  inFolder(async (folder) => {
    const args = ["follow", "--resources", "requests,workers", "--position-file", "position"];
    await rollcallHere(folder, [...args, "--once"], ENV);
    const child = start(folder, args, ENV);
    await addRequest("tor_live");
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += new TextDecoder().decode(chunk);
      if (printed.includes("\n")) break;
    }
    expect(linesOf(printed).map(({ id }) => id)).toEqual(["tor_live"]);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  }));

test("--exec gets the lines, and its position is stored only where it ended with 0", () =>
  inFolder(async (folder) => {
    const args = (exec: string) => ["follow", "--once", "--position-file", "position", "--exec", exec];
    const failed = await rollcallHere(folder, args("cat > lost; exit 3"), ENV);
    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toContain("--exec ended with 3: the position was not stored");
    expect(existsSync(join(folder, "position"))).toBeFalse();
    expect((await rollcallHere(folder, args("cat >> kept"), ENV)).exitCode).toBe(0);
    expect(readFileSync(join(folder, "kept"), "utf8")).toBe(readFileSync(join(folder, "lost"), "utf8"));
    expect(readFileSync(join(folder, "position"), "utf8")).toMatch(/^p1_[\w-]+\n$/);
  }));

test.each([
  ["a few lines", 0],
  ["more lines than a pipe holds", 2000],
])("a reader of stdout that leaves ends it quietly, after %s", (_what, count) =>
  inFolder(async (folder) => {
    const company = `left-${count}`;
    const workers = Array.from({ length: count }, (_, at) => workerRow(`wrk_${at}`));
    await addCompany(server.writer, company, {
      ...sampleFacts(),
      workers: [...(sampleFacts().workers ?? []), ...workers],
    });
    const key = await addKey(server.writer, company);
    const piped = Bun.spawn(["sh", "-c", `"${ROLLCALL}" follow --once | head -n 1`], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...ENV, ROLLCALL_KEY: key },
      stderr: "pipe",
    });
    expect(linesOf(await new Response(piped.stdout).text())).toHaveLength(1);
    expect(await new Response(piped.stderr).text()).toBe("");
  }),
);

test("what a full disk does not take is no success: no position is stored, and it comes again", () =>
  inFolder(async (folder) => {
    const follow = `"${ROLLCALL}" follow --once --position-file position > /dev/full`;
    const full = Bun.spawn(["sh", "-c", follow], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...ENV },
      stderr: "pipe",
    });
    expect(await full.exited).toBe(1);
    expect(await new Response(full.stderr).text()).toContain("(ENOSPC): part of what was printed is missing");
    expect(existsSync(join(folder, "position"))).toBe(false);
  }));

test("a position of a company that was made again says what to do", () =>
  inFolder(async (folder) => {
    await addCompany(server.writer, "again", sampleFacts());
    const env = { ...ENV, ROLLCALL_KEY: await addKey(server.writer, "again") };
    const args = ["follow", "--once", "--position-file", "position"];
    expect((await rollcallHere(folder, args, env)).exitCode).toBe(0);
    await server.writer.deleteCompany("again");
    await addCompany(server.writer, "again", sampleFacts());
    env.ROLLCALL_KEY = await addKey(server.writer, "again");
    const gone = await rollcallHere(folder, args, env);
    expect(gone).toMatchObject({ exitCode: 1, stdout: "" });
    expect(gone.stderr).toContain("remove position and start again, and delete from your copy");
  }));

test.each([
  [["--once"], { ROLLCALL_KEY }, 2, "--url or ROLLCALL_URL is missing"],
  [["--once"], { ROLLCALL_URL: server.address }, 2, "ROLLCALL_KEY is missing"],
  [
    ["--once", "--url", "localhost:1"],
    { ROLLCALL_KEY },
    2,
    '--url must begin with http:// or https://: write "http://localhost:1"',
  ],
  [
    ["--once", "--resources", "people"],
    ENV,
    2,
    `--resources: "people" is not one of ${LIST_KINDS.join(", ")}, balances`,
  ],
  [["--once", "--after", "p1_x"], ENV, 1, "invalid_parameter"],
  [["--once"], { ...ENV, ROLLCALL_KEY: "rk_wrong" }, 1, "invalid_api_key"],
  [
    ["--once"],
    { ROLLCALL_URL: "http://127.0.0.1:9", ROLLCALL_KEY },
    1,
    "network_error: no connection to http://127.0.0.1:9: ECONNREFUSED",
  ],
] as const)("follow %p is told what is wrong", (args, env, exitCode, message) =>
  inFolder(async (folder) => {
    const ended = await rollcallHere(folder, ["follow", ...args], { ...env });
    expect(ended).toMatchObject({ exitCode, stdout: "" });
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).not.toContain(ROLLCALL_KEY);
  }),
);

test("a position file and --after together, or a file with something else, are refused", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "position"), "p1_abc\n");
    const both = await rollcallHere(folder, ["follow", "--after", "now", "--position-file", "position"], ENV);
    expect(both).toMatchObject({ exitCode: 2 });
    expect(both.stderr).toContain("position has a position already");
    writeFileSync(join(folder, "position"), "hello\n");
    const other = await rollcallHere(folder, ["follow", "--position-file", "position"], ENV);
    expect(other).toMatchObject({ exitCode: 1 });
    expect(other.stderr).toContain("position has no position: remove it to start from the beginning");
  }));

test.each([
  ["in a folder that is not there", "nowhere/position", "ENOENT"],
  ["that is a folder", "folder", "EISDIR"],
])("a position file %s is refused before anything is read", (_what, positionFile, code) =>
  inFolder(async (folder) => {
    mkdirSync(join(folder, "folder"));
    const ended = await rollcallHere(folder, ["follow", "--once", "--position-file", positionFile], ENV);
    expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
    expect(ended.stderr).toBe(
      `rollcall: --position-file: ${positionFile} cannot be used (${code}): check its folder, its permissions and the free space on the disk\n`,
    );
    expect(readdirSync(folder)).toEqual(["folder"]);
  }),
);
