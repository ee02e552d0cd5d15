// Overload on routes that need work: the load that a server can carry, how long callers then wait, and how long they wait at three times
// that load. Exit code 1 if a response was wrong, a connection dropped, or p99 more than five times the normal one.
// `bun bench/overload.ts --rounds 3`, with `--engine postgres` for PostgreSQL; needs Linux, two cores and taskset.
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openWriteStore } from "../src/cli/open.ts";
import { generateCompany } from "../src/generate/generate.ts";
import { newKey } from "../src/http/new-key.ts";
import { newServer } from "../test/support/postgres.ts";
import type { LoadPlan, LoadResult } from "./load/open-loop.ts";
import { LOAD_CORE, SERVER_CORE } from "./load/wrk.ts";
import { median } from "./report.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "8" },
    workers: { type: "string", default: "2000" },
    engine: { type: "string", default: "sqlite" },
  },
});
const SECONDS = Number(options.seconds);
const TODAY = "2026-03-01";
const COMMAND = join(import.meta.dir, "../bin/rollcall");
const GENERATOR = join(import.meta.dir, "load/open-loop.ts");

/** The overload in multiples of the carried load, and the limit of p99 in multiples of the normal one. */
const TIMES = 3;
const AT_MOST = 5;

const ROUTES: Readonly<Record<string, string>> = {
  "100 balances": "/v1/time_off/balances?limit=100",
  "25 balances": "/v1/time_off/balances?limit=25",
  "page of 100 requests": "/v1/time_off/requests?limit=100",
};

/** Shares of the closed loop's throughput. The open loop tries one after the other until the server carries it. */
const SHARES = [0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5];

interface Target {
  readonly port: number;
  readonly apiKey: string;
  /** Cursors spread over the whole company. */
  readonly workerIds: readonly string[];
}

async function load(target: Target, path: string, rest: Partial<LoadPlan>): Promise<LoadResult> {
  const plan: LoadPlan = {
    port: target.port,
    apiKey: target.apiKey,
    paths: cursors(target, path).map((id) => `${path}&afterId=${id}`),
    seconds: SECONDS,
    warmUpSeconds: 1,
    connections: 100,
    perSecond: null,
    ...rest,
  };
  const command = [process.execPath, GENERATOR, JSON.stringify(plan)];
  const child = Bun.spawn(["taskset", "-c", String(LOAD_CORE), ...command], { stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the load generator failed");
  return JSON.parse(text) as LoadResult; // the generator printed it
}

function cursors({ workerIds }: Target, path: string): readonly string[] {
  return path.includes("balances") ? workerIds : workerIds.map((id) => id.replace("wrk_", "tor_"));
}

interface Round {
  readonly carriedPerSecond: number;
  readonly normal: LoadResult;
  readonly over: LoadResult;
  readonly ratio: number;
}

/** Null if the server refuses requests even at the lowest rate, because other programs keep the machine busy. */
async function measure(target: Target, path: string): Promise<Round | null> {
  const closed = await load(target, path, { connections: 32 });
  for (const share of SHARES) {
    const perSecond = closed.responsesPerSecond * share;
    const normal = await load(target, path, { perSecond });
    const isCarried = normal.asked === normal.statuses["200"] && normal.responsesPerSecond > perSecond * 0.97;
    if (!isCarried) continue;
    const over = await load(target, path, { perSecond: perSecond * TIMES });
    return { carriedPerSecond: perSecond, normal, over, ratio: over.accepted.p99 / normal.accepted.p99 };
  }
  return null;
}

async function withTarget(work: (target: Target) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-overload-"));
  const postgres = options.engine === "postgres" ? await newServer() : null;
  const db = postgres === null ? join(folder, "rollcall.db") : await postgres.createDatabase();
  try {
    await generateCompany({
      outDir: join(folder, "made"),
      workers: Number(options.workers),
      seed: 1,
      today: TODAY,
    });
    const store = await openWriteStore(db, { create: true });
    await store.createCompany({ id: "acme", name: "Acme", createdAtMs: 0 });
    const { apiKey, stored } = newKey({ companyId: "acme", name: "overload" }, 0);
    await store.createSecret(stored);
    await store.close();
    const imported = Bun.spawn([COMMAND, "import", join(folder, "made"), "--company", "acme", "--db", db], {
      stdout: "ignore",
    });
    if ((await imported.exited) !== 0) throw new Error("the import failed");
    const free = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const { port } = free;
    free.stop(true);
    const settings = ["--cache", "0", "--rate-limit", "0", "--log", "none", "--today", TODAY];
    const command = [COMMAND, "serve", "--db", db, "--port", String(port), ...settings];
    const server = Bun.spawn(["taskset", "-c", String(SERVER_CORE), ...command], { stderr: "inherit" });
    try {
      for await (const _ of server.stdout) break; // it prints its address
      const headers = { "x-api-key": apiKey };
      const list = await fetch(`http://127.0.0.1:${port}/v1/workers?limit=100`, { headers });
      const { data } = (await list.json()) as { data: { id: string }[] }; // the list's shape
      await work({ port, apiKey, workerIds: data.map(({ id }) => id).filter((_, at) => at % 3 === 0) });
    } finally {
      server.kill("SIGTERM");
      await server.exited;
    }
  } finally {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const failures: string[] = [];
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}`);
await withTarget(async (target) => {
  for (const [name, path] of Object.entries(ROUTES)) {
    const rounds: Round[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      const result = await measure(target, path);
      if (result === null) {
        failures.push(`${name}: no rate is carried without refusals. Try again on an idle machine`);
        continue;
      }
      rounds.push(result);
      const { carriedPerSecond, normal, over, ratio } = result;
      console.log(
        JSON.stringify({ name, carriedPerSecond: Math.round(carriedPerSecond), ratio, normal, over }),
      );
      for (const { wrong, dropped } of [normal, over]) {
        if (wrong.length > 0) failures.push(`${name}: ${wrong[0]}`);
        if (dropped > 0) failures.push(`${name}: ${dropped} dropped`);
      }
    }
    if (rounds.length === 0) continue;
    const ratio = median(rounds.map((round) => round.ratio));
    console.log(`${name}: p99 of the accepted is ${ratio.toFixed(1)} times the normal one`);
    if (ratio > AT_MOST) failures.push(`${name}: p99 ${ratio.toFixed(1)} times the normal one`);
  }
});
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
