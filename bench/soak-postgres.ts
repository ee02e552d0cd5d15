// A soak test on PostgreSQL: minutes of load on serving processes during imports. Checks every response, and watches memory and
// connections. `bun bench/soak-postgres.ts --minutes 10`; exit code 1 if anything was wrong.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openPostgresWriteStore } from "../src/store/postgres/write.ts";
import type { WriteStore } from "../src/store/store.ts";
import { freePort, newServer } from "../test/support/postgres.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../test/support/rows.ts";
import { addCompany, addKey } from "../test/support/stores.ts";

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    workers: { type: "string", default: "2000" },
    callers: { type: "string", default: "24" },
    processes: { type: "string", default: "2" },
  },
});
const WORKERS = Number(options.workers);
const DURATION_MS = Number(options.minutes) * 60_000;
const POOL = 10;
/** Each serving process has a pool for pages, and further connections for versions and keys. */
const CONNECTIONS_PER_PROCESS = POOL + 3;
const SAMPLE_EVERY_MS = 1000;
const POLICY = "top_hourly";

/** What callers saw: counts, and errors. */
const tally = { responses: 0, notModified: 0, imports: 0, wrong: [] as string[] };
let isOver = false;
/** The number of the last finished import. Later responses must show this import or a newer one. */
let imported = 0;

const id = (number: number) => `wrk_${String(number).padStart(6, "0")}`;

/** Every row contains the number of its import. So a page from two imports, or from an old one, is detected. */
function factsOf(round: number) {
  const numbers = Array.from({ length: WORKERS }, (_, number) => number);
  const hourly = {
    schedule: "per_hour_worked",
    minutesPerPeriod: null,
    minutesPerChunk: 60,
    hoursWorkedPerChunk: 40,
  } as const;
  return {
    workers: numbers.map((number) => workerRow(id(number), { position: String(round) })),
    policies: [policyRow(POLICY, hourly)],
    assignments: numbers.map((number) => assignmentRow(`toa_${number}`, id(number), POLICY)),
    requests: numbers.map((number) =>
      requestRow(`tor_${number}`, id(number), POLICY, { reason: String(round) }),
    ),
    // So the accrued minutes of a balance are the number of the import.
    adjustments: numbers.map((number) => ({
      id: `adj_${number}`,
      legacyId: null,
      workerId: id(number),
      policyId: POLICY,
      day: 20_454,
      minutes: round,
      expiresDay: null,
      note: null,
    })),
  };
}

async function importOn(writer: WriteStore): Promise<void> {
  while (!isOver) {
    const facts = factsOf(imported + 1);
    await writer.change("acme", async (transaction) => {
      for (let at = 0; at < WORKERS; at += 1000) {
        for (const kind of ["workers", "requests", "adjustments"] as const) {
          await transaction.put(kind, facts[kind].slice(at, at + 1000) as never[]); // rows of their own kind
        }
      }
      return { result: undefined, changed: true, commit: true };
    });
    imported++;
    tally.imports++;
    await Bun.sleep(300);
  }
}

interface PollQuery {
  readonly path: () => string;
  /** The number of the import that an object of the list shows. */
  readonly round: (row: Record<string, unknown>) => number;
}

const anyWorker = () => id(Math.floor(Math.random() * WORKERS));
const POLL_QUERIES: readonly PollQuery[] = [
  { path: () => `/v1/workers?limit=50&afterId=${anyWorker()}`, round: (row) => Number(row.position) },
  { path: () => "/v1/workers?limit=25", round: (row) => Number(row.position) },
  {
    path: () => `/v1/time_off/requests?workerIds=${anyWorker()},${anyWorker()}`,
    round: (row) => Number(row.reason),
  },
  { path: () => `/v1/time_off/balances?afterId=${anyWorker()}`, round: (row) => Number(row.accruedUnlocked) },
];

async function call(address: string, apiKey: string): Promise<void> {
  const tags = new Map<string, { etag: string; round: number }>();
  while (!isOver) {
    const { path, round } = POLL_QUERIES[Math.floor(Math.random() * POLL_QUERIES.length)]!;
    const asked = path();
    const known = tags.get(asked);
    const before = imported;
    const headers: Record<string, string> = { "x-api-key": apiKey };
    if (known !== undefined) headers["if-none-match"] = known.etag;
    const response = await fetch(address + asked, { headers });
    const body = await response.text();
    tally.responses++;
    if (response.status === 304 && known !== undefined && known.round >= before) {
      tally.notModified++;
      continue;
    }
    if (response.status !== 200) {
      tally.wrong.push(`${asked}: ${response.status} ${body}`);
      continue;
    }
    const { data } = JSON.parse(body) as { data: Record<string, unknown>[] }; // the contract's envelope
    const rounds = new Set(data.map(round));
    if (rounds.size > 1 || [...rounds].some((round) => !(round >= before))) {
      tally.wrong.push(`${asked}: rounds ${[...rounds].join(", ")} where ${before} was imported`);
    }
    if (tags.size > 100) tags.clear();
    const [shown] = rounds;
    if (shown !== undefined) tags.set(asked, { etag: response.headers.get("etag") ?? "", round: shown });
  }
}

async function serve(db: string) {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const main = new URL("../src/cli/main.ts", import.meta.url).pathname;
  const args = ["serve", "--db", db, "--port", String(port), "--rate-limit", "0", "--log", "none"];
  const child = Bun.spawn([process.execPath, main, ...args], { stdout: "ignore", stderr: "inherit" });
  const isReady = () =>
    fetch(`${address}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await isReady())) await Bun.sleep(50);
  return { address, child };
}

function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const server = await newServer();
const db = `${await server.createDatabase()}?pool=${POOL}`;
const writer = await openPostgresWriteStore(db, { create: true });
await addCompany(writer, "acme", factsOf(0));
const apiKey = await addKey(writer, "acme");
const processes = await Promise.all(Array.from({ length: Number(options.processes) }, () => serve(db)));

const memory: number[][] = [];
let mostConnections = 0;
const sampling = (async () => {
  while (!isOver) {
    memory.push(processes.map(({ child }) => residentMiB(child.pid)));
    const [row] = await server.run<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where application_name = 'rollcall'",
    );
    mostConnections = Math.max(mostConnections, row!.count);
    await Bun.sleep(SAMPLE_EVERY_MS);
  }
})();
setTimeout(() => {
  isOver = true;
}, DURATION_MS);
const startedAtMs = performance.now();
const callers = Array.from({ length: Number(options.callers) }, (_, number) =>
  call(processes[number % processes.length]!.address, apiKey),
);
await Promise.all([importOn(writer), sampling, ...callers]);
const seconds = (performance.now() - startedAtMs) / 1000;

// The first fifth is a warm-up. The time after it is compared with the end.
const settled = memory.slice(Math.floor(memory.length / 5)).map((sizes) => Math.max(...sizes));
const third = Math.ceil(settled.length / 3);
const [early, late] = [mean(settled.slice(0, third)), mean(settled.slice(-third))];
const allowed = processes.length * CONNECTIONS_PER_PROCESS + POOL;
const verdicts = {
  "every response right": tally.wrong.length === 0,
  "memory flat (within a tenth)": late <= early * 1.1,
  "connections bounded": mostConnections <= allowed,
};
console.log(
  JSON.stringify(
    {
      seconds: Math.round(seconds),
      responses: tally.responses,
      responsesPerSecond: Math.round(tally.responses / seconds),
      notModified: tally.notModified,
      imports: tally.imports,
      wrong: tally.wrong.length,
      examples: tally.wrong.slice(0, 5),
      residentMiB: {
        early: Math.round(early),
        late: Math.round(late),
        most: Math.round(Math.max(...settled)),
      },
      connections: { most: mostConnections, allowed },
      verdicts,
    },
    null,
    2,
  ),
);
for (const { child } of processes) child.kill();
await Promise.all(processes.map(({ child }) => child.exited));
await writer.close();
await server.stop();
process.exitCode = Object.values(verdicts).every(Boolean) ? 0 : 1;
