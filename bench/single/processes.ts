// The gain of a second process. The load generator needs a part of the two cores, so this is measured twice: with one generator beside the
// processes, which hides a part of the gain, and with a generator on the core of each process.

import type { BenchData } from "../data/build.ts";
import { dataPath } from "../data/shape.ts";
import { driveAgain, LOAD_CORE, SERVER_CORE } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import type { RoundPlan } from "../rounds.ts";
import { startRollcall } from "../targets/rollcall.ts";

const REACH = 1.8;
/** Connections for each core. Processes share connections unevenly, and a process sheds load at more than 32. */
const CONNECTIONS = 20;
const BOTH_CORES = `${SERVER_CORE},${LOAD_CORE}`;

interface Setting {
  readonly id: "one, beside the load" | "two, beside the load" | "one on a core" | "two on two cores";
  readonly processes: 1 | 2;
  readonly serverCores: string;
  /** The cores of the load generator, which has a thread and connections for each. */
  readonly loadCores: string;
}

const SETTINGS: readonly Setting[] = [
  { id: "one, beside the load", processes: 1, serverCores: BOTH_CORES, loadCores: String(LOAD_CORE) },
  { id: "two, beside the load", processes: 2, serverCores: BOTH_CORES, loadCores: String(LOAD_CORE) },
  { id: "one on a core", processes: 1, serverCores: String(SERVER_CORE), loadCores: String(SERVER_CORE) },
  { id: "two on two cores", processes: 2, serverCores: BOTH_CORES, loadCores: BOTH_CORES },
];

export async function measureProcesses(
  data: BenchData,
  plan: RoundPlan,
  log: (line: string) => void,
): Promise<Line[]> {
  const rates = new Map<Setting["id"], number[]>(SETTINGS.map(({ id }) => [id, []]));
  for (let round = 0; round < plan.rounds; round++) {
    for (const { id, processes, serverCores, loadCores } of SETTINGS) {
      const server = await startRollcall({
        storePath: data.storePath,
        port: 4074,
        cacheMegabytes: 1,
        apiKey: data.apiKey,
        processes,
        cores: serverCores,
      });
      try {
        const threads = loadCores.split(",").length;
        const load = {
          address: server.address,
          pathsFile: dataPath("cold.paths"),
          apiKey: data.apiKey,
          cores: loadCores,
          threads,
          connections: CONNECTIONS * threads,
        };
        await driveAgain({ ...load, seconds: plan.warmUpSeconds }, log);
        const { requestsPerSecond } = await driveAgain({ ...load, seconds: plan.seconds }, log);
        rates.get(id)!.push(requestsPerSecond);
        log(`  ${id}: ${Math.round(requestsPerSecond)}/s`);
      } finally {
        await server.stop();
      }
    }
  }
  const comparison = (two: Setting["id"], single: Setting["id"]) => ({
    value: median(rates.get(two)!),
    unit: "/s",
    ratio: median(rates.get(two)!.map((rate, round) => rate / rates.get(single)![round]!)),
    perSecond: Math.round(median(rates.get(single)!)),
  });
  const beside = comparison("two, beside the load", "one, beside the load");
  const each = comparison("two on two cores", "one on a core");
  return [
    {
      id: "processesBesideLoad",
      label: "cold page, 2 processes on 2 cores that the load shares",
      value: beside.value,
      unit: "/s",
      against: { label: `1 process (${beside.perSecond}/s)`, clock: beside.ratio },
    },
    {
      id: "processes",
      label: "cold page, 2 processes on 2 cores, with a load on each core",
      value: each.value,
      unit: "/s",
      against: {
        label: `1 process and its load on 1 core (${each.perSecond}/s)`,
        clock: each.ratio,
        clockAtLeast: REACH,
      },
    },
  ];
}
