// The time from the start of the command to its first response, on the large store, compared with a bare Bun server.
import { join } from "node:path";
import type { BenchData } from "../data/build.ts";
import { dataPath } from "../data/shape.ts";
import { type Line, median } from "../report.ts";
import { start } from "../targets/process.ts";
import { startRollcall } from "../targets/rollcall.ts";

const RUNS = 5;
const PORTS = { rollcall: 4074, constant: 4083 };
/** The longest time, in multiples of the bare server's. */
const AT_MOST = 4;

export async function measureStartup({ storePath, apiKey }: BenchData): Promise<Line[]> {
  const [own, constant]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    const server = await startRollcall({ storePath, port: PORTS.rollcall, cacheMegabytes: 64, apiKey });
    own.push(server.startedInMs / 1000);
    await server.stop();
    const other = await start({
      command: [
        process.execPath,
        join(import.meta.dir, "..", "peers", "constant.ts"),
        dataPath("data.json"),
        String(PORTS.constant),
      ],
      address: `http://127.0.0.1:${PORTS.constant}`,
      readyPath: "/",
    });
    constant.push(other.startedInMs / 1000);
    await other.stop();
  }
  return [
    {
      id: "startup",
      label: "start to first response",
      value: median(own),
      unit: " s",
      against: {
        label: `constant bytes (${median(constant).toFixed(2)} s)`,
        clock: median(own.map((seconds, run) => seconds / constant[run]!)),
        clockAtMost: AT_MOST,
      },
    },
  ];
}
