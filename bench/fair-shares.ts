// Whether one caller can starve another: one sends as much as it can on 64 connections (500 without a valid key), the other sends 20
// requests a second for five seconds. `bun bench/fair-shares.ts [--db store] [--rate-limit 100]`; without --db, it first makes a company
// of 20,000 workers and 208,000 requests. Exit code 1 if less than 99 % of the second caller's requests succeed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollcall, whileServing } from "../test/cli/command.ts";

const { values: options } = parseArgs({
  options: {
    db: { type: "string" },
    workers: { type: "string", default: "20000" },
    "rate-limit": { type: "string", default: "0" },
  },
});
const SECONDS = 5;
const VICTIM_EVERY_MS = 50;

const folder = mkdtempSync(join(tmpdir(), "rollcall-fair-"));
const db = options.db ?? join(folder, "rollcall.db");

async function run(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await rollcall(folder, args);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

if (options.db === undefined) {
  await run("generate", "--out", "files", "--workers", options.workers, "--seed", "1");
  await run("companies", "create", "acme", "--db", db);
  await run("import", "files", "--company", "acme", "--db", db);
}
const key = () => run("keys", "create", "--company", "acme", "--quiet", "--db", db);
const [flood, victim] = [await key(), await key()];

const rare =
  "/v1/time_off/requests?startsOnOrAfter=1990-01-01T00:00:00Z&endsBefore=2100-01-01T00:00:00Z&limit=100";
const parameters = Array.from({ length: 1900 }, (_, number) => `p${number}`).join("&");
let position = 0;
const FLOODS: readonly (readonly [string, () => string, string | null, number])[] = [
  // No request matches, so the server reads all of the company's.
  ["rare filters over all requests", () => `${rare.replace("2100", "1991")}&statuses=denied`, flood, 64],
  [
    "rare filters from the end of the list on",
    () => `${rare}&statuses=denied&afterId=tor_z${position++}`,
    flood,
    64,
  ],
  ["1,900 unknown parameters", () => `/v1/workers?${parameters}`, flood, 64],
  ["100 balances at a time", () => "/v1/time_off/balances?limit=100", flood, 64],
  ["requests without a key", () => "/v1/workers", null, 500],
  ["requests with a mistyped key", () => "/v1/workers", "rk_nonsense", 500],
];

let isRight = true;
const args = [
  "serve",
  "--port",
  "0",
  "--db",
  db,
  "--cache",
  "0",
  "--rate-limit",
  options["rate-limit"],
  "--log",
  "none",
];
await whileServing(folder, args, async (address) => {
  for (const [name, path, apiKey, connections] of FLOODS) {
    const counts: Record<number, number> = {};
    let isOver = false;
    const headers: Record<string, string> = apiKey === null ? {} : { "x-api-key": apiKey };
    const senders = Array.from({ length: connections }, async () => {
      while (!isOver) {
        const response = await fetch(address + path(), { headers }).catch(() => null);
        await response?.arrayBuffer();
        const status = response?.status ?? 0;
        counts[status] = (counts[status] ?? 0) + 1;
      }
    });
    const times: number[] = [];
    let answered = 0;
    const asked = (SECONDS * 1000) / VICTIM_EVERY_MS;
    const requests = Array.from({ length: asked }, async (_, number) => {
      await Bun.sleep(500 + number * VICTIM_EVERY_MS);
      const startedAtMs = performance.now();
      const response = await fetch(`${address}/v1/workers?limit=25`, { headers: { "x-api-key": victim } });
      await response.arrayBuffer();
      times.push(performance.now() - startedAtMs);
      if (response.status === 200) answered++;
    });
    await Promise.all(requests);
    isOver = true;
    await Promise.all(senders);
    const sorted = times.toSorted((a, b) => a - b);
    const [median, p99] = [0.5, 0.99].map((share) => Math.round(sorted[Math.floor(sorted.length * share)]!));
    console.log(JSON.stringify({ flood: name, counts, asked, answered, median, p99 }));
    if (answered < asked * 0.99) isRight = false;
  }
});
rmSync(folder, { recursive: true });
process.exitCode = isRight ? 0 : 1;
