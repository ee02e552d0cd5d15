// All workers of the big company, page by page, by one client; against the database's own command, which writes the same
// objects to a file.
import { openSync, writeSync } from "node:fs";
import type { BenchData } from "../data/build.ts";
import { BIG, dataPath } from "../data/shape.ts";
import type { Line } from "../report.ts";
import { startRollcall } from "../targets/rollcall.ts";

export async function measureScan({ storePath, keys }: BenchData): Promise<Line[]> {
  const server = await startRollcall({ storePath, port: 4074, cacheMegabytes: 64, apiKey: keys.big });
  const startedAt = performance.now();
  const file = openSync(dataPath("scan.json"), "w");
  let count = 0;
  try {
    for (let path: string | null = "/v1/workers?limit=100"; path !== null; ) {
      const response: Response = await fetch(server.address + path, { headers: { "x-api-key": keys.big } });
      const body = await response.bytes();
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
      writeSync(file, body);
      count += 100;
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
    }
  } finally {
    await server.stop();
  }
  if (count !== BIG.workers) throw new Error(`The scan saw ${count} workers of ${BIG.workers}`);
  const scanSeconds = (performance.now() - startedAt) / 1000;
  const dumpSeconds = dump(storePath);
  return [
    {
      id: "scan",
      label: "full scan of 200,000 workers, limit=100",
      value: scanSeconds,
      unit: " s",
      against: {
        label: `sqlite3 'select doc …' into a file (${dumpSeconds.toFixed(2)} s)`,
        ratio: dumpSeconds / scanSeconds,
      },
    },
  ];
}

function dump(storePath: string): number {
  const startedAt = performance.now();
  const query = `select doc from workers where company_id = (select number from numbers where company_id = 0 and id = '${BIG.id}') order by id`;
  const run = Bun.spawnSync(["sqlite3", "-readonly", storePath, query], {
    stdout: Bun.file(dataPath("dump.json")),
  });
  if (run.exitCode !== 0) throw new Error(`sqlite3 failed: ${run.stderr}`);
  return (performance.now() - startedAt) / 1000;
}
