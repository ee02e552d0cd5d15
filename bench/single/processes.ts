// One process against two on one port, both free to use both cores, which the load generator shares: what a second
// process brings on a machine of this size, not what it could bring.

import type { BenchData } from "../data/build.ts";
import { dataPath } from "../data/shape.ts";
import { driveAgain } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import type { RoundPlan } from "../rounds.ts";
import { cpuSeconds } from "../targets/process.ts";
import { startRollcall } from "../targets/rollcall.ts";

export async function measureProcesses(
  data: BenchData,
  plan: RoundPlan,
  log: (line: string) => void,
): Promise<Line[]> {
  const rates: Record<number, number[]> = { 1: [], 2: [] };
  for (let round = 0; round < Math.min(3, plan.rounds); round++) {
    for (const processes of [1, 2]) {
      const server = await startRollcall({
        storePath: data.storePath,
        port: 4074,
        cacheMegabytes: 1,
        apiKey: data.keys.big,
        processes,
        cores: "0,1",
      });
      try {
        const load = { address: server.address, pathsFile: dataPath("cold.paths"), apiKey: data.keys.big };
        const result = await driveAgain({ ...load, seconds: plan.seconds }, log);
        rates[processes]!.push(result.requestsPerSecond);
        log(`  ${processes}: ${Math.round(result.requestsPerSecond)}/s, ${cpuSeconds(server.pid)} s`);
      } finally {
        await server.stop();
      }
    }
  }
  const [one, two] = [median(rates[1]!), median(rates[2]!)];
  const label = "cold page, 2 processes on 2 cores that the load shares";
  return [
    {
      id: "processes",
      label,
      value: two,
      unit: "/s",
      against: { label: `1 process (${Math.round(one)}/s)`, ratio: two / one },
    },
  ];
}
