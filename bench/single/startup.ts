// From the start of the command to its first response, on the large store.

import type { BenchData } from "../data/build.ts";
import { type Line, median } from "../report.ts";
import { startRollcall } from "../targets/rollcall.ts";

const RUNS = 5;
const AT_MOST_SECONDS = 0.4;

export async function measureStartup({ storePath, apiKey }: BenchData): Promise<Line[]> {
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const server = await startRollcall({ storePath, port: 4074, cacheMegabytes: 64, apiKey });
    seconds.push(server.startedInMs / 1000);
    await server.stop();
  }
  return [
    {
      id: "startup",
      label: "start to first response",
      value: median(seconds),
      unit: " s",
      atMost: AT_MOST_SECONDS,
    },
  ];
}
