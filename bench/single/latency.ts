// The p99 of waiting times at half of the highest rate, with and without an import at the same time.
import { rmSync } from "node:fs";
import type { BenchData } from "../data/build.ts";
import { dataPath } from "../data/shape.ts";
import { driveAgain, type Load } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import { ROLLCALL, startRollcall } from "../targets/rollcall.ts";
import { generatedCompany } from "./import.ts";

/** About 240,000 rows, so that the import outlasts the load. */
const WORKERS = 12_000;
const AT_MOST = 3;
const ROUNDS = 3;
const CONNECTIONS = 32;

export async function measureLatency(
  data: BenchData,
  hotPerSecond: number,
  log: (line: string) => void,
): Promise<Line[]> {
  const { storePath, apiKey } = data;
  const folder = dataPath("latency");
  const files = await generatedCompany(folder, WORKERS);
  const command = (...words: string[]) =>
    Bun.spawn([ROLLCALL, ...words, "--db", storePath], { stdout: "ignore", stderr: "ignore" });
  const server = await startRollcall({ storePath, port: 4074, cacheMegabytes: 64, apiKey });
  try {
    const load: Load = {
      address: server.address,
      pathsFile: dataPath("hot.paths"),
      apiKey,
      seconds: 5,
      pauseMs: (CONNECTIONS / (hotPerSecond / 2)) * 1000,
    };
    await driveAgain({ ...load, seconds: 1 }, log);
    const rounds: { aloneUs: number; meanwhileUs: number; perSecond: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await command("companies", "delete", "imported", "--yes").exited;
      await command("companies", "create", "imported").exited;
      const alone = await driveAgain(load, log);
      const importing = command("import", files.folder, "--company", "imported");
      const meanwhile = await driveAgain(load, log);
      if (importing.exitCode !== null) throw new Error("the import ended before the load: give it more rows");
      if ((await importing.exited) !== 0) throw new Error("the import failed");
      rounds.push({ aloneUs: alone.p99Us, meanwhileUs: meanwhile.p99Us, perSecond: alone.requestsPerSecond });
      log(`  p99 ${alone.p99Us} µs alone, ${meanwhile.p99Us} µs while an import runs`);
    }
    const perSecond = Math.round(median(rounds.map((round) => round.perSecond))).toLocaleString("en");
    const aloneMs = median(rounds.map(({ aloneUs }) => aloneUs)) / 1000;
    return [
      {
        id: "latency",
        label: `p99 at ${perSecond}/s while ${files.rows.toLocaleString("en")} rows are imported`,
        value: median(rounds.map(({ meanwhileUs }) => meanwhileUs)) / 1000,
        unit: " ms",
        against: {
          label: `p99 without it (${aloneMs.toFixed(2)} ms)`,
          clock: median(rounds.map(({ aloneUs, meanwhileUs }) => meanwhileUs / aloneUs)),
          clockAtMost: AT_MOST,
        },
      },
    ];
  } finally {
    await server.stop();
    await command("companies", "delete", "imported", "--yes").exited;
    rmSync(folder, { recursive: true });
  }
}
