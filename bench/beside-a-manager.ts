// How long a key waits alone, and how long beside a signed-in chief executive of 9,000 people, who sends requests on 60 connections
// without a pause. Exit code 1 if the median ratio of p95 is above three.
// `bun bench/beside-a-manager.ts [--rounds 5] [--workers 9000] [--rate-limit 100]`; needs Linux, two cores, taskset and wrk.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollcall } from "../test/cli/command.ts";
import { freePort } from "../test/support/postgres.ts";
import { LOAD_CORE, SERVER_CORE } from "./load/wrk.ts";
import { median } from "./report.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    workers: { type: "string", default: "9000" },
    "rate-limit": { type: "string", default: "100" },
  },
});
const SECONDS = 8;
const CONNECTIONS = 60;
const EVERY_MS = 25;
const AT_MOST = 3;
const COMMAND = join(import.meta.dir, "../bin/rollcall");

const folder = mkdtempSync(join(tmpdir(), "rollcall-manager-"));

async function run(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await rollcall(folder, args);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

await run("generate", "--out", "files", "--workers", options.workers, "--seed", "1");
await run("companies", "create", "acme");
await run("import", "files", "--company", "acme");
const apiKey = await run("keys", "create", "--company", "acme", "--quiet");

const port = await freePort();
const address = `http://127.0.0.1:${port}`;
const serve = ["serve", "--port", String(port), "--rate-limit", options["rate-limit"], "--log", "none"];
const access = [
  "--trust-proxy",
  "127.0.0.1",
  "--auth-proxy",
  "X-Forwarded-Email",
  "--auth-group",
  "*=acme:reports+away",
];
const server = Bun.spawn(["taskset", "-c", String(SERVER_CORE), COMMAND, ...serve, ...access], {
  cwd: folder,
  stdout: "ignore",
});
while (!(await fetch(`${address}/readyz`).catch(() => null))?.ok) await Bun.sleep(50);

/** The chief executive, who is the first worker of a generated company. */
async function emailOfTheChief(): Promise<string> {
  const [head, first] = (await Bun.file(join(folder, "files/workers.csv")).text()).split("\n");
  return first!.split(",")[head!.split(",").indexOf("workEmail")]!;
}

const script = join(folder, "chief.lua");
writeFileSync(
  script,
  `local paths, at = {"/v1/workers?limit=25", "/v1/time_off/requests?limit=50", "/v1/time_off/balances?limit=25", "/v1/workers?limit=0"}, 0
local headers = {["x-forwarded-email"] = "${await emailOfTheChief()}"}
function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at], headers)
end
`,
);

/** p95 of the key's waiting times, in milliseconds. */
async function p95(): Promise<number> {
  const times: number[] = [];
  const asked = Array.from({ length: (SECONDS * 1000) / EVERY_MS }, async (_, number) => {
    await Bun.sleep(number * EVERY_MS);
    const startedAtMs = performance.now();
    const response = await fetch(`${address}/v1/workers?limit=25`, { headers: { "x-api-key": apiKey } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`the key got ${response.status}`);
    times.push(performance.now() - startedAtMs);
  });
  await Promise.all(asked);
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
}

const ratios: number[] = [];
for (let round = 0; round < Number(options.rounds); round++) {
  const aloneMs = await p95();
  const load = Bun.spawn(
    [
      "taskset",
      "-c",
      String(LOAD_CORE),
      "wrk",
      "-t1",
      `-c${CONNECTIONS}`,
      `-d${SECONDS + 2}s`,
      "-s",
      script,
      address,
    ],
    { stdout: "pipe" },
  );
  await Bun.sleep(1000);
  const besideMs = await p95();
  const sent = /(\d+) requests in/.exec(await new Response(load.stdout).text())?.[1];
  ratios.push(besideMs / aloneMs);
  console.log(
    JSON.stringify({
      aloneMs: aloneMs.toFixed(2),
      besideMs: besideMs.toFixed(2),
      ratio: (besideMs / aloneMs).toFixed(2),
      sent,
    }),
  );
}
server.kill();
rmSync(folder, { recursive: true });
console.log(`median ratio of p95: ${median(ratios).toFixed(2)}`);
process.exitCode = median(ratios) <= AT_MOST ? 0 : 1;
