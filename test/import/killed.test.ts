// An import that is killed at any moment leaves the store as it was before, or as it is after. No position of its change feed
// ever stands for two contents.
// killed.trial.ts kills 100 of them.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { FEED_RESOURCES } from "../../src/resources/changes.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import { TestCompany, temporaryFolder } from "../support/import-files.ts";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");
const ROUNDS = Number(process.env.ROLLCALL_TEST_KILLS ?? 6);

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
async function digestOf(path: string): Promise<string> {
  const store = openSqliteWriteStore(path);
  const hasher = new Bun.CryptoHasher("sha256");
  await store.export("acme", async (kind, rows) => void hasher.update(kind + JSON.stringify(rows)));
  await store.close();
  return hasher.digest("hex");
}

/** After everything in the company's change feed. */
async function positionOf(path: string): Promise<string> {
  const store = openSqliteReadStore(path);
  const page = await store.company("acme").feed({ after: "now", resources: FEED_RESOURCES, limit: 1 });
  await store.close();
  return JSON.stringify(page);
}

function isSound(path: string): boolean {
  const database = new Database(path);
  const verdict = database.query("pragma integrity_check").values()[0]?.[0];
  database.close();
  return verdict === "ok";
}

async function importIn(path: string, folder: string, killAfterMs: number | null): Promise<number> {
  const child = Bun.spawn(
    [process.execPath, MAIN, "import", folder, "--company", "acme", "--db", path, "--prune", "--yes"],
    { stdout: "ignore", stderr: "pipe" },
  );
  const startedAt = performance.now();
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const exitCode = await child.exited;
  clearTimeout(timer);
  if (killAfterMs === null && exitCode !== 0) throw new Error(await new Response(child.stderr).text());
  return performance.now() - startedAt;
}

test(
  `killed at ${ROUNDS} random moments, the store is as before or as after`,
  async () => {
    const { before, after } = await twoStates();
    const company = await TestCompany.open();
    await company.importFolder(before);
    await company.store.close();
    const folder = temporaryFolder();
    const copy = (round: string) => {
      const path = join(folder, round, "store.db");
      mkdirSync(join(folder, round));
      cpSync(company.path, path);
      return path;
    };
    const whole = copy("whole");
    const durationMs = await importIn(whole, after, null);
    const states = { before: await digestOf(company.path), after: await digestOf(whole) };
    expect(states.after).not.toBe(states.before);
    const seen = { before: 0, after: 0 };
    const contents = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round++) {
      const path = copy(String(round));
      // The first part of the time is Bun's start.
      await importIn(path, after, (0.2 + Math.random() * 0.9) * durationMs);
      const digest = await digestOf(path);
      expect([states.before, states.after]).toContain(digest);
      expect(isSound(path)).toBe(true);
      const position = await positionOf(path);
      expect(contents.get(position) ?? digest).toBe(digest);
      contents.set(position, digest);
      seen[digest === states.before ? "before" : "after"]++;
      if (round > 0) continue;
      await importIn(path, after, null);
      expect(await digestOf(path)).toBe(states.after);
    }
    expect(seen.before + seen.after).toBe(ROUNDS);
  },
  30_000 + ROUNDS * 5_000,
);
