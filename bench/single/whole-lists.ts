// Whole lists of the big company: as JSON lines in one stream, read by curl, and page by page. For comparison, `sqlite3` writes the same
// rows to a file. The server and `sqlite3` use core 0 in turn.
import { Database } from "bun:sqlite";
import { openSync, rmSync, writeSync } from "node:fs";
import type { BenchData } from "../data/build.ts";
import { BIG, dataPath } from "../data/shape.ts";
import { LOAD_CORE, SERVER_CORE } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import { cpuSeconds, peakResidentBytes, type Running } from "../targets/process.ts";
import { startRollcall } from "../targets/rollcall.ts";

const ROUNDS = 3;
/** In multiples of the CPU time of `sqlite3`: 2 is half of its speed. */
const BALANCES_CPU_AT_MOST = 2;
const MEMORY_MB = 250;

interface WholeList {
  readonly path: string;
  readonly file: string;
  /** The statement that `sqlite3` runs for a company. */
  dump(company: string): string;
}

const WORKERS: WholeList = {
  path: "/v1/workers",
  file: "stream-workers.jsonl",
  dump: (company) => `select doc from workers where company_id = '${company}' order by id`,
};

/** Balances, compared with a dump of their facts. */
const BALANCES: WholeList = {
  path: "/v1/time_off/balances",
  file: "stream-balances.jsonl",
  dump: (company) =>
    [
      `select id, terms from policies where company_id = '${company}'`,
      `select worker_id, policy_id, assigned_day, ends_day, terms from assignments where company_id = '${company}' order by 1, 2`,
      `select id, legacy_id, start_day, end_day, terms from workers where company_id = '${company}' order by id`,
      `select worker_id, policy_id, status, first_day, last_day, minutes from requests where company_id = '${company}' order by worker_id`,
      `select worker_id, policy_id, day, minutes from adjustments where company_id = '${company}' order by worker_id`,
      `select worker_id, day, minutes from work_hours where company_id = '${company}' order by 1, 2`,
    ].join("; "),
};

interface Run {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export async function measureWholeLists(
  { storePath, apiKey }: BenchData,
  log: (line: string) => void,
): Promise<Line[]> {
  const database = new Database(storePath, { readonly: true });
  const company = BIG.id;
  const served = { storePath, cacheMegabytes: 64, apiKey };
  const server = await startRollcall({ ...served, port: 4074 });
  // A small cache, because cached pages would hide the memory of streams.
  const pages = await startRollcall({ ...served, port: 4075 });
  const runs = { workers: [], workersDump: [], balances: [], balancesDump: [], paged: [] } as Record<
    "workers" | "workersDump" | "balances" | "balancesDump" | "paged",
    Run[]
  >;
  const peaks: number[] = [];
  const dumpOf = (list: WholeList) => dump(storePath, list.dump(company), `${list.file}.dump`);
  let balances = 0;
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const taken = {
        workers: await stream(server, WORKERS, apiKey),
        workersDump: dumpOf(WORKERS),
        balances: await stream(server, BALANCES, apiKey),
        balancesDump: dumpOf(BALANCES),
        paged: await readPages(pages, apiKey),
      };
      if (round === 0) {
        await requireSame(WORKERS.file);
        balances = await requireAllBalances(database, company);
        continue; // the first round warms up
      }
      peaks.push(peakResidentBytes(server.pid) / 1e6);
      for (const name of Object.keys(runs) as (keyof typeof runs)[]) {
        runs[name].push(taken[name]);
        log(
          `  ${name}: ${taken[name].seconds.toFixed(2)} s, ${taken[name].cpuSeconds.toFixed(2)} s of CPU time`,
        );
      }
    }
  } finally {
    database.close();
    await server.stop();
    await pages.stop();
  }
  const seconds = (name: keyof typeof runs) => median(runs[name].map((run) => run.seconds));
  const ratio = (name: keyof typeof runs, other: keyof typeof runs, of: keyof Run) =>
    median(runs[name].map((run, round) => run[of] / runs[other][round]![of]));
  const against = (name: keyof typeof runs, other: keyof typeof runs, what: string) => ({
    label: `sqlite3 ${what} into a file (${seconds(other).toFixed(2)} s)`,
    clock: ratio(name, other, "seconds"),
    cpu: ratio(name, other, "cpuSeconds"),
  });
  const each = (name: keyof typeof runs, count: number) =>
    (median(runs[name].map((run) => run.cpuSeconds)) / count) * 1e6;
  const count = balances.toLocaleString("en");
  return [
    {
      id: "wholeList",
      label: "200,000 workers as JSON lines, one stream",
      value: seconds("workers"),
      unit: " s",
      cpuUs: each("workers", BIG.workers),
      against: against("workers", "workersDump", "'select doc …'"),
    },
    {
      id: "scan",
      label: "200,000 workers page by page, limit=100",
      value: seconds("paged"),
      unit: " s",
      cpuUs: each("paged", BIG.workers),
      against: against("paged", "workersDump", "'select doc …'"),
    },
    {
      id: "everybody",
      label: `everybody's balances as JSON lines (${count}), one stream`,
      value: seconds("balances"),
      unit: " s",
      cpuUs: each("balances", balances),
      against: {
        ...against("balances", "balancesDump", "writing the same facts"),
        cpuAtMost: BALANCES_CPU_AT_MOST,
      },
    },
    {
      id: "everybodyMemory",
      label: "most resident memory of the server of these streams",
      value: peaks.at(-1)!,
      unit: " MB",
      atMost: MEMORY_MB,
      against: { label: `after two of each (${peaks[0]!.toFixed(0)} MB)`, clock: peaks.at(-1)! / peaks[0]! },
    },
  ];
}

/**
 * A path without a file, so that every program makes new pages in the page cache. In an older file, `sqlite3` would reuse pages, because
 * Bun does not empty a file that a process writes to. `curl` empties it, and would wait for the disk when it closes the file.
 */
function newPath(file: string): string {
  rmSync(dataPath(file), { force: true });
  return dataPath(file);
}

async function stream(server: Running, { path, file }: WholeList, apiKey: string): Promise<Run> {
  const before = cpuSeconds(server.pid);
  const startedAt = performance.now();
  const curl = Bun.spawn(
    [
      ...["taskset", "-c", String(LOAD_CORE), "curl", "-sS", "--fail", "-o", newPath(file)],
      ...["-H", `x-api-key: ${apiKey}`, "-H", "accept: application/x-ndjson", server.address + path],
    ],
    { stderr: "inherit" },
  );
  if ((await curl.exited) !== 0) throw new Error(`curl of ${path} failed`);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, cpuSeconds: cpuSeconds(server.pid) - before };
}

async function readPages(server: Running, apiKey: string): Promise<Run> {
  const before = cpuSeconds(server.pid);
  const startedAt = performance.now();
  const file = openSync(newPath("scan.json"), "w");
  let count = 0;
  for (let path: string | null = "/v1/workers?limit=100"; path !== null; ) {
    const response: Response = await fetch(server.address + path, { headers: { "x-api-key": apiKey } });
    const body = await response.bytes();
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
    writeSync(file, body);
    count += 100;
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
  }
  if (count !== BIG.workers) throw new Error(`The pages had ${count} workers of ${BIG.workers}`);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, cpuSeconds: cpuSeconds(server.pid) - before };
}

function dump(storePath: string, statements: string, file: string): Run {
  const startedAt = performance.now();
  const run = Bun.spawnSync(
    ["taskset", "-c", String(SERVER_CORE), "sqlite3", "-readonly", storePath, statements],
    { stdout: Bun.file(newPath(file)) },
  );
  if (run.exitCode !== 0) throw new Error(`sqlite3 failed: ${run.stderr}`);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, cpuSeconds: Number(run.resourceUsage.cpuTime.total) / 1e6 };
}

/** Checks that the stream equals the file that `sqlite3` wrote. */
async function requireSame(file: string): Promise<void> {
  const [stream, dumped] = await Promise.all([digest(file), digest(`${file}.dump`)]);
  if (stream !== dumped) throw new Error(`${file} is not what the store holds`);
}

async function digest(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(dataPath(file)).stream()) hasher.update(chunk);
  return hasher.digest("hex");
}

/** Checks that the stream has the balance of every assignment, in order. Returns the number of balances. */
async function requireAllBalances(database: Database, company: string): Promise<number> {
  const expected = database
    .query("select worker_id, policy_id from assignments not indexed where company_id = ? order by 1, 2")
    .values(company);
  const lines = (await Bun.file(dataPath(BALANCES.file)).text()).trimEnd().split("\n");
  const isRight = (line: string | undefined, [workerId, policyId]: readonly unknown[]) =>
    line?.includes(`"policyId":"${policyId}"`) === true && line.includes(`"workerId":"${workerId}"`);
  if (lines.length !== expected.length || !expected.every((ids, at) => isRight(lines[at], ids)))
    throw new Error(`the stream has ${lines.length} balances, not the ${expected.length} of the store`);
  return lines.length;
}
