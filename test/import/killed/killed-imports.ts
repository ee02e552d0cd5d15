// An import that is killed at any moment leaves the store as it was before, or as it is after. No position of its change feed
// ever stands for two contents. Each round kills an import into a copy of the same store.
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openReadStore, openWriteStore } from "../../../src/cli/open.ts";
import { generateCompany } from "../../../src/generate/generate.ts";
import { CHANGE_RESOURCES } from "../../../src/resources/changes.ts";
import { StoreUnavailable } from "../../../src/store/store.ts";
import { temporaryFolder } from "../../support/import-files.ts";
import { newServer } from "../../support/postgres.ts";
import { createCompany } from "../../support/stores.ts";

const MAIN = join(import.meta.dir, "../../../src/cli/main.ts");

/** An engine whose stores can be copied. */
export interface CopiedStores {
  /** The address of a new store. */
  create(): Promise<string>;
  /** The address of a copy of a store that nobody has open. */
  copy(address: string): Promise<string>;
  /** Resolves once nothing of a killed process is under way in the store. Raises if the store is damaged. */
  settled(address: string): Promise<void>;
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

/** Everything that the store holds of the company, its version left out, as one digest. */
async function digestOf(address: string): Promise<string> {
  const store = await openWriteStore(address);
  const hasher = new Bun.CryptoHasher("sha256");
  await store.export("acme", async (kind, rows) => void hasher.update(kind + JSON.stringify(rows)));
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

async function importIn(address: string, folder: string, killAfterMs: number | null): Promise<number> {
  const child = Bun.spawn(
    [
      process.execPath,
      MAIN,
      "import",
      folder,
      "--company",
      "acme",
      "--prune",
      "--allow-removals",
      "100%",
      "--allow-older",
      "--accept",
      "unit-changed,renamed-policy",
    ],
    { env: { ...process.env, ROLLCALL_DB: address }, stdout: "ignore", stderr: "pipe" },
  );
  const startedAt = performance.now();
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const exitCode = await child.exited;
  clearTimeout(timer);
  if (killAfterMs === null && exitCode !== 0) throw new Error(await new Response(child.stderr).text());
  return performance.now() - startedAt;
}

/** Kills imports at so many random moments. Says how many of them left the store as before, and as after. */
export async function killImports(stores: CopiedStores, rounds: number) {
  const { before, after } = await twoStates();
  const origin = await stores.create();
  const writer = await openWriteStore(origin, { create: true });
  await createCompany(writer, "acme");
  await writer.close();
  await importIn(origin, before, null);
  const whole = await stores.copy(origin);
  let latestMs = await importIn(whole, after, null);
  const states = { before: await digestOf(origin), after: await digestOf(whole) };
  expect(states.after).not.toBe(states.before);
  const seen = { before: 0, after: 0 };
  const contents = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const address = await stores.copy(origin);
    // The first part of the time is Bun's start.
    await importIn(address, after, (0.2 + Math.random() * 0.9) * latestMs);
    await stores.settled(address);
    const digest = await patiently(() => digestOf(address));
    expect([states.before, states.after]).toContain(digest);
    const position = await patiently(() => positionOf(address));
    expect(contents.get(position) ?? digest).toBe(digest);
    contents.set(position, digest);
    seen[digest === states.before ? "before" : "after"]++;
    latestMs *= digest === states.before ? 1.05 : 0.9; // however busy the machine is, most are killed before the end
    if (round > 0) continue;
    await importIn(address, after, null);
    expect(await digestOf(address)).toBe(states.after);
  }
  return seen;
}
