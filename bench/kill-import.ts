// Power cuts: kills `rollcall import`, `backup` and `restore` with SIGKILL at random moments while a server serves the same store.
// `bun bench/kill-import.ts --rounds 100`; exit code 1 if anything was wrong.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Finding } from "../src/store/engine.ts";
import { withBackup } from "../src/store/sqlite/backup.ts";
import { openSqliteWriteStore } from "../src/store/sqlite/write.ts";
import {
  type Served,
  type StoreFolder,
  spawnRollcall,
  undated,
  withServer,
  withStoreFolder,
} from "../test/cli/faults/store-folder.ts";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "100" } } });
const ROUNDS = Number(options.rounds);
const KINDS = ["import", "backup", "restore"] as const;

const tally = { rounds: 0, killed: 0, asBefore: 0, asAfter: 0, pagesRead: 0, wrong: [] as string[] };

/** A digest of all rows of the company, without the times of imports, which departments and workplaces contain. */
async function digestOf(db: string): Promise<string> {
  const store = openSqliteWriteStore(db);
  const hasher = new Bun.CryptoHasher("sha256");
  await store.export("acme", async (kind, rows) => {
    hasher.update(kind + JSON.stringify(rows).replaceAll(/(updated|created)At\\":\\"[^"]*/g, ""));
  });
  await store.close();
  return hasher.digest("hex");
}

/** Runs a command, and kills it after `killAfterMs`; null lets it end. Returns how long it ran. */
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

async function doctor(storeFolder: StoreFolder): Promise<void> {
  const child = spawnRollcall(["doctor", "--json", "--db", storeFolder.db]);
  const { findings } = JSON.parse(await new Response(child.stdout).text()) as { findings: Finding[] }; // the output of doctor
  // A killed restore may leave files beside the store. Doctor reports them, and the next restore removes them.
  for (const { check, problem } of findings) if (check !== "left-overs") wrong(`doctor: ${problem}`);
}

/** Reads pages until `isOver`. Each page must be one of the two states' pages. */
async function keepReading(server: Served, pages: ReadonlySet<string>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { status, body } = await server.get(PAGE);
    if (status === 200 && pages.has(JSON.stringify(undated(body)))) tally.pagesRead++;
    else wrong(`a page that is of neither state: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  }
}

const PAGE = "/v1/workers?limit=100";

/** A state of the store, and the files that lead to it. */
interface State {
  readonly folder: string;
  readonly backup: string;
  readonly digest: string;
  readonly page: string;
}

async function soak(storeFolder: StoreFolder, server: Served): Promise<void> {
  const onStore = ["--db", storeFolder.db];
  const load = (folder: string) => [
    ...["import", folder, "--company", "acme", "--prune", "--allow-removals", "100%", "--allow-older"],
    ...["--accept", "unit-changed,renamed-policy", ...onStore],
  ];
  const page = async () => JSON.stringify(undated((await server.get(PAGE)).body));
  const durationMs = { import: 0, backup: 0, restore: 0 };
  const made = async (folder: string): Promise<State> => {
    const backup = `${folder}.backup`;
    durationMs.import = (await run(load(folder), null)).ms;
    durationMs.backup = (await run(["backup", "--overwrite", "--out", backup, ...onStore], null)).ms;
    durationMs.restore = (await run(["restore", backup, "--yes", ...onStore], null)).ms;
    return { folder, backup, digest: await digestOf(storeFolder.db), page: await page() };
  };
  const states = [await made(storeFolder.small), await made(storeFolder.big)] as const;
  if (states[0].digest === states[1].digest) throw new Error("the two states are the same");

  let isOver = false;
  const pages = new Set(states.map((state) => state.page));
  const readers = [1, 2].map(() => keepReading(server, pages, () => isOver));
  const scratch = join(storeFolder.folder, "soak.backup");
  let now = 1;
  for (let round = 0; round < ROUNDS; round++) {
    const kind = KINDS[round % KINDS.length]!;
    const other = states[1 - now]!;
    const commands = {
      import: load(other.folder),
      backup: ["backup", "--overwrite", "--out", scratch, ...onStore],
      restore: ["restore", other.backup, "--yes", ...onStore],
    };
    const { ms, wasKilled } = await run(commands[kind], Math.random() * durationMs[kind] * 1.3);
    // The duration is estimated longer than a killed run, so that kills still reach the end of the command.
    durationMs[kind] = wasKilled ? Math.max(durationMs[kind], ms * 1.15) : ms;
    if (existsSync(scratch)) await withBackup(scratch, async () => {}); // the file is absent, or a complete backup
    tally.rounds++;
    if (wasKilled) tally.killed++;
    const digest = await digestOf(storeFolder.db);
    const isOther = digest === other.digest;
    if (!isOther && digest !== states[now]!.digest) wrong(`round ${round}: ${kind} left something half`);
    if (isOther) now = 1 - now;
    if (kind !== "backup") tally[isOther ? "asAfter" : "asBefore"]++;
    await doctor(storeFolder);
    if ((await page()) !== states[now]!.page)
      wrong(`round ${round}: the server shows another state than the store holds`);
    // The next command must work after any kill. In half of the rounds, it brings the other state.
    if (Math.random() < 0.5) {
      await run(load(states[1 - now]!.folder), null);
      now = 1 - now;
    }
    console.error(
      `round ${round + 1} of ${ROUNDS}: ${kind} ${wasKilled ? "killed" : "ended"}, as ${isOther ? "after" : "before"}`,
    );
  }
  isOver = true;
  await Promise.all(readers);
}

await withStoreFolder((storeFolder) => withServer(storeFolder, (server) => soak(storeFolder, server)));
console.log(JSON.stringify({ ...tally, wrong: tally.wrong.length }));
process.exitCode = tally.wrong.length === 0 ? 0 : 1;
