// Failover with the usual tools. Patroni changes the primary under load: as planned, after the primary was killed, and after it hung and
// came back. PgBouncer is killed, too. Every response is checked. `bun bench/failover.ts`; exit code 1 if any was wrong. Needs Debian's
// packages: see docs/postgresql.md, What was tested, and what was not.
import { parseArgs } from "node:util";
import { migratePostgres } from "../src/store/postgres/maintenance/role.ts";
import { openPostgresWriteStore } from "../src/store/postgres/write.ts";
import { StoreUnavailable, type WriteStore } from "../src/store/store.ts";
import { freePort } from "../test/support/postgres.ts";
import { policyRow, requestRow, workerRow } from "../test/support/rows.ts";
import { addKey, createCompany } from "../test/support/stores.ts";
import { type Cluster, type Node, READER_ROLE, startCluster } from "./failover/cluster.ts";

const { values: options } = parseArgs({
  options: {
    /** If set, commits do not wait for the standby, so finished imports may be lost. */
    asynchronous: { type: "boolean", default: false },
    ttl: { type: "string", default: "30" },
    callers: { type: "string", default: "6" },
    only: { type: "string", default: "" },
  },
});
const COMPANY = "acme";
const WORKERS = 200;
const POLICY = "top_days";
const AFTER_MS = 8000;
/** A revoked key may be served for this long (docs/security.md, What is protected, and from whom). */
const REVOKED_WITHIN_MS = 1000;

const id = (number: number) => `wrk_${String(number).padStart(6, "0")}`;

// What callers see ----------------------------------------------------------------------------------------------------

/** What the callers of one server saw since the last failure. */
class Sight {
  served = 0;
  unavailable = 0;
  /** Connections that were refused or reset. */
  dropped = 0;
  slowestMs = 0;
  wrong: string[] = [];
  /** Responses older than the last finished import, which asynchronous replication may lose. */
  older = 0;
  firstRefusedMs: number | null = null;
  lastRefusedMs: number | null = null;

  refused(nowMs: number): void {
    this.unavailable++;
    this.firstRefusedMs ??= nowMs;
    this.lastRefusedMs = nowMs;
  }
}

interface Served {
  readonly name: string;
  readonly address: string;
  readonly child: Bun.Subprocess;
  sight: Sight;
}

let isOver = false;
/** The round of the last finished import. */
let imported = 0;
let revoked: { readonly apiKey: string; readonly atMs: number } | null = null;

async function serve(name: string, args: readonly string[]): Promise<Served> {
  const port = await freePort();
  const main = new URL("../src/cli/main.ts", import.meta.url).pathname;
  const child = Bun.spawn(
    [process.execPath, main, "serve", ...args, "--port", String(port), "--rate-limit", "0", "--log", "none"],
    { stdout: "ignore", stderr: "inherit" },
  );
  const address = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await Bun.sleep(50);
  return { name, address, child, sight: new Sight() };
}

const PATHS = [
  {
    path: () => `/v1/workers?limit=50&afterId=${id(Math.floor(Math.random() * WORKERS))}`,
    field: "position",
  },
  { path: () => "/v1/workers?limit=25", field: "position" },
  {
    path: () => `/v1/time_off/requests?workerIds=${id(Math.floor(Math.random() * WORKERS))}`,
    field: "reason",
  },
] as const;

async function call(served: Served, apiKey: string): Promise<void> {
  while (!isOver) {
    const { path, field } = PATHS[Math.floor(Math.random() * PATHS.length)]!;
    const before = imported;
    const { sight } = served;
    const startedAtMs = Date.now();
    const response = await ask(served, path(), apiKey);
    sight.slowestMs = Math.max(sight.slowestMs, Date.now() - startedAtMs);
    if (response === null) sight.dropped++;
    else if (response.status === 503) sight.refused(startedAtMs);
    else if (response.status !== 200) sight.wrong.push(`${response.status} ${response.body}`);
    else {
      const { data } = JSON.parse(response.body) as { data: Record<string, string>[] }; // the contract's envelope
      const rounds = new Set(data.map((row) => Number(row[field])));
      sight.served++;
      if (rounds.size > 1) sight.wrong.push(`a page of the imports ${[...rounds].join(" and ")}`);
      for (const round of rounds) if (!(round >= before)) sight.older++;
    }
    await Bun.sleep(response?.status === 200 ? 5 : 50);
  }
}

async function ask({ address }: Served, path: string, apiKey: string) {
  try {
    const response = await fetch(address + path, { headers: { "x-api-key": apiKey } });
    return { status: response.status, body: await response.text() };
  } catch {
    return null;
  }
}

/** Calls with a key that was revoked before the failure: it must never work again. */
async function callRevoked(served: Served): Promise<void> {
  while (!isOver) {
    const key = revoked;
    const startedAtMs = Date.now();
    if (key !== null && startedAtMs > key.atMs + REVOKED_WITHIN_MS) {
      const response = await ask(served, "/v1/workers?limit=1", key.apiKey);
      if (response?.status === 200) served.sight.wrong.push("a revoked key was served");
    }
    await Bun.sleep(50);
  }
}

// Imports --------------------------------------------------------------------------------------------------------------

const tally = { imports: 0, retries: 0, longestMs: 0 };

async function importRound(db: string, round: number): Promise<void> {
  const writer = await openPostgresWriteStore(db);
  try {
    await writer.change(COMPANY, async (transaction) => {
      const numbers = Array.from({ length: WORKERS }, (_, number) => number);
      await transaction.put("policies", [policyRow(POLICY, {})]);
      await transaction.put(
        "workers",
        numbers.map((number) => workerRow(id(number), { position: String(round) })),
      );
      await transaction.put(
        "requests",
        numbers.map((number) => requestRow(`tor_${number}`, id(number), POLICY, { reason: String(round) })),
      );
      return { result: undefined, changed: true, commit: true };
    });
  } finally {
    await writer.close();
  }
}

/** Repeats a failed import until it succeeds, as an operator's job does. */
async function importOn(db: string): Promise<void> {
  while (!isOver) {
    const round = imported + 1;
    const startedAtMs = Date.now();
    while (!isOver) {
      try {
        await importRound(db, round);
        imported = round;
        tally.imports++;
        tally.longestMs = Math.max(tally.longestMs, Date.now() - startedAtMs);
        break;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        tally.retries++;
        await Bun.sleep(500);
      }
    }
    await Bun.sleep(200);
  }
}

async function written<T>(db: string, work: (writer: WriteStore) => Promise<T>): Promise<T> {
  const writer = await openPostgresWriteStore(db);
  return work(writer).finally(() => writer.close());
}

// Blows ----------------------------------------------------------------------------------------------------------------

interface Blow {
  readonly name: string;
  strike(cluster: Cluster, primary: Node, standby: Node): Promise<void>;
  /** Brings the cluster back to two nodes, after the callers were watched. */
  mend?(cluster: Cluster, primary: Node): Promise<void>;
}

const newPrimary = async (cluster: Cluster, old: Node) => {
  for (;;) {
    const leader = await cluster.leader();
    if (leader !== null && leader !== old) return;
    await Bun.sleep(50);
  }
};

const BLOWS: readonly Blow[] = [
  {
    name: "planned switchover",
    async strike(cluster, primary, standby) {
      await cluster.switchOver(primary, standby);
      await newPrimary(cluster, primary);
    },
  },
  {
    name: "primary killed",
    async strike(cluster, primary) {
      await cluster.strike(primary, "SIGKILL");
      await newPrimary(cluster, primary);
    },
    mend: async (cluster, primary) => cluster.revive(primary),
  },
  {
    name: "primary hung",
    async strike(cluster, primary) {
      await cluster.strike(primary, "SIGSTOP");
      await newPrimary(cluster, primary);
    },
    // When it wakes up, it believes that it is the primary, until it hears of the other.
    mend: (cluster, primary) => cluster.strike(primary, "SIGCONT"),
  },
  { name: "PgBouncer killed", strike: (cluster) => cluster.restartPooler() },
];

async function blow(cluster: Cluster, servers: readonly Served[], { name, strike, mend }: Blow) {
  const primary = await cluster.settled();
  const standby = cluster.nodes.find((node) => node !== primary)!;
  revoked = await written(cluster.owner, async (writer) => {
    const apiKey = await addKey(writer, COMPANY);
    // On a busy machine, a new key may get 503 at first.
    for (const served of servers) {
      for (let status = 503; status !== 200; await Bun.sleep(100)) {
        status = (await ask(served, "/v1/workers?limit=1", apiKey))?.status ?? 0;
        if (status !== 200 && status !== 503) throw new Error(`a new key got a ${status} ${served.name}`);
      }
    }
    const { id: keyId } = (await writer.keys(COMPANY)).at(-1)!;
    await writer.updateSecret("keys", keyId, { revokedAtMs: Date.now() });
    return { apiKey, atMs: Date.now() };
  });
  for (const served of servers) served.sight = new Sight();
  Object.assign(tally, { imports: 0, retries: 0, longestMs: 0 });
  const startedAtMs = Date.now();
  await strike(cluster, primary, standby);
  const promotedMs = Date.now() - startedAtMs;
  await Bun.sleep(AFTER_MS);
  await mend?.(cluster, primary);
  await cluster.settled();
  await Bun.sleep(AFTER_MS);
  const seconds = (ms: number | null) => (ms === null ? null : Math.round(ms / 100) / 10);
  return {
    blow: name,
    newPrimaryAfterSeconds: name.includes("PgBouncer") ? null : seconds(promotedMs),
    imports: { ...tally, longestMs: undefined, longestSeconds: seconds(tally.longestMs) },
    callers: Object.fromEntries(
      servers.map(({ name: server, sight }) => [
        server,
        {
          served: sight.served,
          unavailable: sight.unavailable,
          unavailableFromToSeconds:
            sight.firstRefusedMs === null
              ? null
              : [seconds(sight.firstRefusedMs - startedAtMs), seconds(sight.lastRefusedMs! - startedAtMs)],
          dropped: sight.dropped,
          slowestSeconds: seconds(sight.slowestMs),
          older: sight.older,
          wrong: sight.wrong.length,
          examples: sight.wrong.slice(0, 3),
        },
      ]),
    ),
    isRight: servers.every(
      ({ sight }) =>
        sight.wrong.length === 0 && sight.dropped === 0 && (options.asynchronous || sight.older === 0),
    ),
  };
}

const cluster = await startCluster({
  isSynchronous: !options.asynchronous,
  ttlSeconds: Number(options.ttl),
});
const servers: Served[] = [];
try {
  await migratePostgres(cluster.owner, READER_ROLE);
  const apiKey = await written(cluster.owner, async (writer) => {
    await createCompany(writer, COMPANY);
    return addKey(writer, COMPANY);
  });
  await importRound(cluster.owner, 1);
  imported = 1;
  const replicas = cluster.nodes.flatMap((node) => ["--replica", cluster.at(node)]);
  servers.push(await serve("through PgBouncer", ["--db", cluster.pooled]));
  servers.push(await serve("with replicas", ["--db", cluster.direct, ...replicas]));
  const running = [importOn(cluster.owner)];
  for (const served of servers) {
    for (let caller = 0; caller < Number(options.callers); caller++) running.push(call(served, apiKey));
    running.push(callRevoked(served));
  }
  const reports = [];
  for (const kind of BLOWS.filter(({ name }) => name.includes(options.only))) {
    const report = await blow(cluster, servers, kind);
    console.log(JSON.stringify(report, null, 2));
    reports.push(report);
  }
  isOver = true;
  await Promise.all(running);
  process.exitCode = reports.every(({ isRight }) => isRight) ? 0 : 1;
} finally {
  isOver = true;
  for (const { child } of servers) child.kill();
  await cluster.stop();
}
