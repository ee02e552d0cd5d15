// A command that is killed at any moment leaves the store as it was before, or as it is after. No position of its change feed
// ever stands for two contents, and doctor finds nothing. The next run completes the work; then nothing is left of who is erased.
// Each round kills the command on a copy of the same store.
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openReadStore, openWriteStore } from "../../../src/cli/open.ts";
import { generateCompany } from "../../../src/generate/generate.ts";
import { CHANGE_RESOURCES } from "../../../src/resources/changes.ts";
import type { Finding } from "../../../src/store/engine.ts";
import { StoreUnavailable } from "../../../src/store/store.ts";
import { verify } from "../../store/transfer/store-folder.ts";
import { temporaryFolder } from "../../support/import-files.ts";
import { newServer } from "../../support/postgres.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { createCompany } from "../../support/stores.ts";

/** An engine whose stores can be copied. */
export interface CopiedStores {
  /** The address of a new store. */
  create(): Promise<string>;
  /** The address of a copy of a store that nobody has open. */
  copy(address: string): Promise<string>;
  /** Resolves once nothing of a killed process is under way in the store. Raises if the store is damaged. */
  settled(address: string): Promise<void>;
  /** All bytes of the store, where a removal of people must leave none of theirs. */
  bytes?(address: string): Buffer;
}

export function sqliteCopies(): CopiedStores {
  const folder = temporaryFolder();
  let count = 0;
  const next = () => {
    const own = join(folder, String(count++));
    mkdirSync(own);
    return join(own, "store.db");
  };
  return {
    create: async () => next(),
    async copy(address) {
      const path = next();
      cpSync(address, path);
      return path;
    },
    async settled(address) {
      const database = new Database(address);
      const verdict = database.query("pragma integrity_check").values()[0]?.[0];
      database.close();
      expect(verdict).toBe("ok");
    },
    bytes: (address) =>
      Buffer.concat(readdirSync(dirname(address)).map((name) => readFileSync(join(dirname(address), name)))),
  };
}

export async function postgresCopies(): Promise<CopiedStores> {
  const server = await newServer();
  const nameOf = (address: string) => new URL(address).pathname.slice(1);
  const isBusy = "select 1 from pg_stat_activity where datname = $1";
  const settled = async (address: string) => {
    while ((await server.run(isBusy, [nameOf(address)])).length > 0) await Bun.sleep(20);
  };
  let count = 0;
  return {
    create: () => server.createDatabase(),
    async copy(address) {
      await settled(address);
      const name = `copy_${count++}`;
      await server.run(`create database ${name} template ${nameOf(address)}`);
      return server.url(name);
    },
    settled,
  };
}

/** The files of a generated company, and the same with other names, fewer workers' hours and more requests. */
async function twoStates(): Promise<{ before: string; after: string }> {
  const [before, after] = [join(temporaryFolder(), "before"), join(temporaryFolder(), "after")];
  const options = { workers: 150, seed: 7, today: "2026-11-21" };
  await generateCompany({ ...options, outDir: before, requestsPerWorker: 3 });
  await generateCompany({ ...options, outDir: after, requestsPerWorker: 6 });
  const workers = join(after, "workers.csv");
  writeFileSync(workers, readFileSync(workers, "utf8").replaceAll("example.com", "example.net"));
  return { before, after };
}

/** Everything that the store holds of the company as one digest, without its version and when imports changed what. */
async function digestOf(address: string): Promise<string> {
  const store = await openWriteStore(address);
  const hasher = new Bun.CryptoHasher("sha256");
  await store.export("acme", async (kind, rows) => {
    hasher.update(kind + JSON.stringify(rows).replaceAll(/(?:updated|created)At\\":\\"[^"]*/g, ""));
  });
  await store.close();
  return hasher.digest("hex");
}

/** After everything in the company's change feed. */
async function positionOf(address: string): Promise<string> {
  const store = await openReadStore(address);
  const page = await store.company("acme").changes({ after: "now", resources: CHANGE_RESOURCES, limit: 1 });
  await store.close();
  return JSON.stringify(page);
}

/** On a busy machine a server may not be reached in time. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || tries === 10) throw error;
    }
  }
}

const importOf = (folder: string) => [
  ...["import", folder, "--company", "acme", "--prune", "--allow-removals", "100%"],
  ...["--allow-older", "--accept", "unit-changed,renamed-policy"],
];

/** Runs a command, or kills it. Returns how long it took, in milliseconds. */
async function run(address: string, args: readonly string[], killAfterMs: number | null): Promise<number> {
  const child = Bun.spawn([ROLLCALL, ...args], {
    env: { ...process.env, ROLLCALL_DB: address },
    stdout: "ignore",
    stderr: "pipe",
  });
  const startedAt = performance.now();
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const exitCode = await child.exited;
  clearTimeout(timer);
  if (killAfterMs === null && exitCode !== 0) throw new Error(await new Response(child.stderr).text());
  return performance.now() - startedAt;
}

/** What changes a store that holds the files of `before` into one state. `gone`: a word about each person who is erased by it. */
export type Change = (files: { before: string; after: string }) => Promise<{
  readonly args: readonly string[];
  readonly gone?: readonly string[];
}>;

/** Other names, and more requests. */
export const importing: Change = async ({ after }) => ({ args: importOf(after) });

/** Everybody whom nobody reports to is erased: no file has a line with their id any more. */
export const erasing: Change = async ({ before }) => {
  const folder = join(temporaryFolder(), "fewer");
  cpSync(before, folder, { recursive: true });
  const workers = readFileSync(join(before, "workers.csv"), "utf8");
  const gone = new Set<string>();
  for (const [id] of workers.matchAll(/\bE\d{5}\b/g)) if (workers.split(id).length === 2) gone.add(id);
  for (const file of readdirSync(folder)) {
    // A line break in quotes is followed by an odd number of quotes.
    const records = readFileSync(join(folder, file), "utf8").split(/\n(?=(?:[^"]*"[^"]*")*[^"]*$)/);
    const kept = records.filter((line) => !gone.has(/\bE\d{5}\b/.exec(line)?.[0] ?? ""));
    writeFileSync(join(folder, file), kept.join("\n"));
  }
  return { args: importOf(folder), gone: [...gone] };
};

/** A backup of the files of `after` is restored. */
export const restoring: Change = async ({ after }) => {
  const address = join(temporaryFolder(), "other.db");
  const backup = join(temporaryFolder(), "other.backup");
  await createIn(address);
  await run(address, importOf(after), null);
  await run(address, ["backup", "--out", backup], null);
  return { args: ["restore", backup, "--yes"] };
};

/** What doctor checks of the machine of the tests. */
const OF_MACHINE = ["settings", "grants"];

/** Raises if doctor finds something wrong with the store, or with its close. */
async function examine(address: string): Promise<void> {
  const env = { ...process.env, ROLLCALL_DB: address };
  const child = Bun.spawn([ROLLCALL, "doctor", "--json"], { env, stdout: "pipe", stderr: "pipe" });
  const { findings, notes } = JSON.parse(await new Response(child.stdout).text()); // as doctor prints it
  const ofStore = findings.filter(({ check }: Finding) => !OF_MACHINE.includes(check));
  const ofClose = notes.filter(({ check }: Finding) => check === "closes");
  expect([...ofStore, ...ofClose]).toEqual([]);
}

async function createIn(address: string): Promise<void> {
  const writer = await openWriteStore(address, { create: true });
  await createCompany(writer, "acme");
  await writer.close();
}

/** Kills a command at so many random moments. Returns how many of them left the store as before, and as after. */
export async function killChanges(stores: CopiedStores, rounds: number, change: Change) {
  const files = await twoStates();
  const origin = await stores.create();
  await createIn(origin);
  await run(origin, importOf(files.before), null);
  await run(origin, ["closes", "create", "2026-10", "--company", "acme", "--through", "2026-10-31"], null);
  const { args, gone = [] } = await change(files);
  const whole = await stores.copy(origin);
  let latestMs = await run(whole, args, null);
  const states = { before: await digestOf(origin), after: await digestOf(whole) };
  expect(states.after).not.toBe(states.before);
  const seen = { before: 0, after: 0 };
  const contents = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const address = await stores.copy(origin);
    // The first part of the time is the command's start.
    await run(address, args, (0.2 + Math.random() * 0.9) * latestMs);
    await stores.settled(address);
    const digest = await patiently(() => digestOf(address));
    expect([states.before, states.after]).toContain(digest);
    const position = await patiently(() => positionOf(address));
    expect(contents.get(position) ?? digest).toBe(digest);
    contents.set(position, digest);
    seen[digest === states.before ? "before" : "after"]++;
    latestMs *= digest === states.before ? 1.05 : 0.9; // however busy the machine is, most are killed before the end
    await examine(address);
    await run(address, args, null);
    expect(await digestOf(address)).toBe(states.after);
    const bytes = stores.bytes?.(address) ?? Buffer.of();
    expect(gone.filter((word) => bytes.includes(word))).toEqual([]);
  }
  return seen;
}

/**
 * Kills `rollcall backup` at so many random moments. A file that is there is whole, the store is as it was, and the next backup works.
 * Returns how many left a file.
 */
export async function killBackups(
  stores: CopiedStores,
  rounds: number,
): Promise<{ none: number; whole: number }> {
  const files = await twoStates();
  const address = await stores.create();
  await createIn(address);
  await run(address, importOf(files.before), null);
  const state = await digestOf(address);
  const folder = temporaryFolder();
  const args = (name: string) => ["backup", "--out", join(folder, name)];
  let latestMs = await run(address, args("first"), null);
  const seen = { none: 0, whole: 0 };
  for (let round = 0; round < rounds; round++) {
    await run(address, args(String(round)), (0.2 + Math.random() * 0.9) * latestMs);
    await stores.settled(address);
    const isThere = existsSync(join(folder, String(round)));
    if (isThere) await verify(join(folder, String(round)));
    seen[isThere ? "whole" : "none"]++;
    latestMs *= isThere ? 0.9 : 1.05;
  }
  expect(await patiently(() => digestOf(address))).toBe(state);
  await run(address, args("last"), null);
  const other = await stores.create();
  await run(other, ["restore", join(folder, "last"), "--yes"], null);
  expect(await digestOf(other)).toBe(state);
  return seen;
}
