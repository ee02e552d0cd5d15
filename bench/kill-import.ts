// The soak of power cuts: `rollcall import`, `backup` and `restore` are killed with SIGKILL at random moments, while a
// server answers from the same store. `bun bench/kill-import.ts --rounds 100`; exit code 1 where anything was wrong.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Finding } from "../src/cli/doctor/finding.ts";
import { verifyBackup } from "../src/store/sqlite/backup-file.ts";
import { openSqliteWriteStore } from "../src/store/sqlite/write.ts";
import { type Place, type Served, spawnRollcall, withPlace, withServer } from "../test/faults/place.ts";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "100" } } });
const ROUNDS = Number(options.rounds);
const KINDS = ["import", "backup", "restore"] as const;
type Kind = (typeof KINDS)[number];

const tally = { rounds: 0, killed: 0, asBefore: 0, asAfter: 0, pagesRead: 0, wrong: [] as string[] };

/** Everything that the store holds of the company, its version left out, as one digest. */
async function digestOf(db: string): Promise<string> {
  const store = openSqliteWriteStore(db);
  const hasher = new Bun.CryptoHasher("sha256");
  await store.export("acme", async (kind, rows) => void hasher.update(kind + JSON.stringify(rows)));
  await store.close();
  return hasher.digest("hex");
}

/** Runs a command; kills it after so many milliseconds, or lets it end. Gives how long it ran. */
async function run(
  args: readonly string[],
  killAfterMs: number | null,
): Promise<{ ms: number; wasKilled: boolean }> {
  const startedAtMs = performance.now();
  const child = spawnRollcall(args);
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  await child.exited;
  clearTimeout(timer);
  const wasKilled = child.signalCode === "SIGKILL";
  if (!wasKilled && child.exitCode !== 0)
    wrong(`${args[0]} ended with ${child.exitCode}: ${await new Response(child.stderr).text()}`);
  return { ms: performance.now() - startedAtMs, wasKilled };
}

function wrong(what: string): void {
  tally.wrong.push(what);
  console.error(`wrong: ${what}`);
}

async function doctor(place: Place): Promise<void> {
  const child = spawnRollcall(["doctor", "--full", "--json", "--db", place.db]);
  const { findings } = JSON.parse(await new Response(child.stdout).text()) as { findings: Finding[] }; // its own form
  // What a killed restore leaves beside the store is told, and removed by the next one.
  for (const { check, problem } of findings) if (check !== "left-overs") wrong(`doctor: ${problem}`);
}

/** Reads pages until told to stop: each of them is of one state or the other, whole. */
async function keepReading(server: Served, pages: ReadonlySet<string>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { status, body } = await server.get(PAGE);
    if (status === 200 && pages.has(JSON.stringify(body))) tally.pagesRead++;
    else wrong(`a page that is of neither state: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  }
}

const PAGE = "/v1/workers?limit=100";

async function soak(place: Place, server: Served): Promise<void> {
  const onStore = ["--db", place.db];
  const backup = join(place.folder, "soak.backup");
  const load = (folder: string) => ["import", folder, "--company", "acme", "--prune", "--yes", ...onStore];
  const back = ["backup", "--out", backup, ...onStore];
  const page = async () => JSON.stringify((await server.get(PAGE)).body);

  const small = { folder: place.small, digest: await digestOf(place.db), page: await page() };
  await run(back, null);
  const first = await run(load(place.big), null);
  const big = { folder: place.big, digest: await digestOf(place.db), page: await page() };
  if (small.digest === big.digest) throw new Error("the two states are the same");
  const durations: Record<Kind, number> = {
    import: first.ms,
    backup: (await run(back, null)).ms,
    restore: 0,
  };
  durations.restore = (await run(["restore", backup, "--yes", ...onStore], null)).ms;

  let isOver = false;
  const readers = [1, 2].map(() => keepReading(server, new Set([small.page, big.page]), () => isOver));
  let now = big;
  let kept = big; // what the backup holds
  for (let round = 0; round < ROUNDS; round++) {
    const kind = KINDS[round % KINDS.length]!;
    const target = kind === "import" ? (now === small ? big : small) : kind === "restore" ? kept : now;
    const args = {
      import: load(target.folder),
      backup: back,
      restore: ["restore", backup, "--yes", ...onStore],
    };
    const { ms, wasKilled } = await run(args[kind], Math.random() * durations[kind] * 1.1);
    if (!wasKilled) durations[kind] = (durations[kind] + ms) / 2;
    const digest = await digestOf(place.db);
    if (digest !== now.digest && digest !== target.digest)
      wrong(`round ${round}: ${kind} left something half`);
    const made = existsSync(backup) ? verifyBackup(backup).rows.workers : 0;
    if (kind === "backup" && made === (now === big ? 500 : 60)) kept = now;
    tally.rounds++;
    if (wasKilled) tally.killed++;
    if (target !== now) tally[digest === target.digest ? "asAfter" : "asBefore"]++;
    now = digest === target.digest ? target : now;
    await doctor(place);
    if ((await page()) !== now.page)
      wrong(`round ${round}: the server shows another state than the store holds`);
    console.error(`round ${round + 1} of ${ROUNDS}: ${kind} ${wasKilled ? "killed" : "ended"}`);
  }
  isOver = true;
  await Promise.all(readers);
}

await withPlace((place) => withServer(place, (server) => soak(place, server)));
console.log(JSON.stringify({ ...tally, wrong: tally.wrong.length }));
process.exitCode = tally.wrong.length === 0 ? 0 : 1;
