// Runs every measure once in each round, so that disturbances of the machine affect all measures alike.
import { writeFileSync } from "node:fs";
import { check } from "./check.ts";
import type { BenchData } from "./data/build.ts";
import { PATHS } from "./data/paths.ts";
import { BIG, dataPath } from "./data/shape.ts";
import { driveAgain, type Load, type LoadResult } from "./load/wrk.ts";
import type { Measure } from "./measures.ts";
import { cpuSeconds, peakResidentBytes, type Running } from "./targets/process.ts";
import { startRollcall } from "./targets/rollcall.ts";

export interface RoundPlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

export interface RoundResult extends LoadResult {
  /** Responses per second of the server's CPU time. Other programs affect this little. */
  readonly requestsPerCpuSecond: number;
}

/** The results of each measure by its id, one per round. */
export type RoundResults = ReadonlyMap<string, readonly RoundResult[]>;

export interface Rounds {
  readonly results: RoundResults;
  /** The peak memory of either server, in bytes. */
  readonly peakResidentBytes: number;
}

const PORTS = { cached: 4072, uncached: 4073 };

/** How many responses are compared with the store. `few` is for lists of requests: among two million, a statement takes half a second. */
const CHECKED = { few: 8, many: 200 };

export async function runRounds(
  data: BenchData,
  measures: readonly Measure[],
  plan: RoundPlan,
  log: (line: string) => void,
): Promise<Rounds> {
  const servers = await startServers(data);
  const results = new Map<string, RoundResult[]>(measures.map(({ id }) => [id, []]));
  try {
    const loads = new Map<Measure, Load>();
    for (const measure of measures) loads.set(measure, await prepare(data, measure, servers, plan));
    for (let round = 0; round <= plan.rounds; round++) {
      log(round === 0 ? "warming up …" : `round ${round} of ${plan.rounds} …`);
      await readThrough(data.storePath);
      for (const [{ id, server }, load] of loads) {
        const before = cpuSeconds(servers[server].pid);
        const result = await driveAgain(round === 0 ? { ...load, seconds: plan.warmUpSeconds } : load, log);
        if (round === 0) continue;
        const used = cpuSeconds(servers[server].pid) - before;
        const requestsPerCpuSecond = result.requests / used;
        requireSize(id, result, expectedBytes.get(id)!);
        results.get(id)!.push({ ...result, requestsPerCpuSecond });
        log(
          `  ${id}: ${Math.round(result.requestsPerSecond)}/s, ${(1e6 / requestsPerCpuSecond).toFixed(1)} µs each`,
        );
      }
    }
    const peaks = [servers.cached, servers.uncached].map(({ pid }) => peakResidentBytes(pid));
    return { results, peakResidentBytes: Math.max(...peaks) };
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

/** Reads a file into the page cache, so that rounds measure the server and not the disk. */
async function readThrough(path: string): Promise<void> {
  for await (const _chunk of Bun.file(path).stream());
}

type Servers = Readonly<Record<Measure["server"], Running>>;

async function startServers(data: BenchData): Promise<Servers> {
  const { storePath, apiKey } = data;
  const cached = await startRollcall({ storePath, port: PORTS.cached, cacheMegabytes: 64, apiKey });
  const uncached = await startRollcall({ storePath, port: PORTS.uncached, cacheMegabytes: 1, apiKey });
  return { cached, uncached };
}

const expectedBytes = new Map<string, number>();

/** Checks a sample of responses and writes the addresses to a file. */
async function prepare(data: BenchData, measure: Measure, servers: Servers, plan: RoundPlan): Promise<Load> {
  const { address } = servers[measure.server];
  const pathsFile = dataPath(`${measure.id}.paths`);
  const { apiKey, storePath } = data;
  const target = { address, apiKey, companyId: BIG.id, storePath };
  const paths = PATHS[measure.paths]();
  const isSlowToCheck = /^(away|policy|requests)/.test(measure.paths);
  const sample = paths.slice(0, isSlowToCheck ? CHECKED.few : CHECKED.many);
  expectedBytes.set(measure.id, await check(target, sample));
  writeFileSync(pathsFile, `${paths.join("\n")}\n`);
  return { address, pathsFile, apiKey, seconds: plan.seconds };
}

/** Checks that responses under load have the size of the checked ones. */
function requireSize(id: string, { bytesPerResponse }: LoadResult, expected: number): void {
  if (Math.abs(bytesPerResponse / expected - 1) >= 0.25)
    throw new Error(`${id}: ${bytesPerResponse} bytes a response, but ${expected} were checked`);
}
