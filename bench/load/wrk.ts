// One run of wrk, pinned to its own core.
import { join } from "node:path";

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;
const CONNECTIONS = 32;

export interface Load {
  /** Scheme, host and port. */
  readonly address: string;
  /** A file with a path on each line. */
  readonly pathsFile: string;
  readonly apiKey?: string;
  readonly seconds: number;
  readonly connections?: number;
  /** The cores of wrk, by default `LOAD_CORE`. `threads` is by default one. */
  readonly cores?: string;
  readonly threads?: number;
  /** The pause between a response and the next request on its connection. */
  readonly pauseMs?: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly bytesPerResponse: number;
  readonly requests: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
}

interface Report {
  readonly requests: number;
  readonly bytes: number;
  readonly durationUs: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
}

/** Drives a server for some seconds. Raises an Error if any request failed. */
async function drive(load: Load): Promise<LoadResult> {
  const script = [load.pathsFile, load.apiKey ?? "-", String(load.pauseMs ?? 0)];
  const connections = String(load.connections ?? CONNECTIONS);
  const wrk = Bun.spawn(
    [
      "taskset",
      "-c",
      load.cores ?? String(LOAD_CORE),
      "wrk",
      `-t${load.threads ?? 1}`,
      `-c${connections}`,
      `-d${load.seconds}s`,
      "--timeout",
      "30s",
    ].concat(["-s", join(import.meta.dir, "addresses.lua"), load.address, "--", ...script]),
    { stdout: "pipe", stderr: "pipe" },
  );
  const [output, problems] = await Promise.all([
    new Response(wrk.stdout).text(),
    new Response(wrk.stderr).text(),
  ]);
  const line = /^RESULT (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`wrk gave no result: ${output}${problems}`);
  const report = JSON.parse(line) as Report; // addresses.lua wrote it
  if (Object.values(report.failures).some((count) => count > 0)) {
    throw new Error(
      `of ${report.requests} requests of ${load.pathsFile} some failed: ${JSON.stringify(report.failures)}`,
    );
  }
  return {
    requestsPerSecond: report.requests / (report.durationUs / 1e6),
    bytesPerResponse: report.bytes / report.requests,
    requests: report.requests,
    p50Us: report.p50Us,
    p99Us: report.p99Us,
    maxUs: report.maxUs,
  };
}

const TRIES = 12;
const PAUSE_MS = 3000;

/** Like `drive`, but repeats a run in which the server shed load because other programs used its core. */
export async function driveAgain(load: Load, log: (line: string) => void): Promise<LoadResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await drive(load);
    } catch (error) {
      if (tries === TRIES) throw error;
      log(`  again: ${error}`);
      await Bun.sleep(PAUSE_MS);
    }
  }
}
