// An import that is killed at any moment leaves the store as it was before, or as it is after.
// ROLLCALL_TEST_KILLS=100 makes a soak of it.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import { TestCompany, temporaryFolder } from "./company.ts";

const ROUNDS = Number(process.env["ROLLCALL_TEST_KILLS"] ?? 20);

/** The files of a generated company, and the same with other names, fewer workers' hours and more requests. */
async function twoStates(): Promise<{ before: string; after: string }> {
  const [before, after] = [join(temporaryFolder(), "before"), join(temporaryFolder(), "after")];
  const options = { workers: 300, seed: 7, today: "2026-11-21" };
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

function isSound(path: string): boolean {
  const database = new Database(path);
  const answer = database.query("pragma integrity_check").values()[0]?.[0];
  database.close();
  return answer === "ok";
}

async function importIn(path: string, folder: string, killAfterMs: number | null): Promise<number> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "import-process.ts"), path, "acme", folder],
    { stdout: "pipe", stderr: "inherit" },
  );
  // The clock starts when the import does, not while the runtime starts.
  await child.stdout.getReader().read();
  const startedAt = performance.now();
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  await child.exited;
  clearTimeout(timer);
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
    for (let round = 0; round < ROUNDS; round++) {
      const path = copy(String(round));
      await importIn(path, after, Math.random() * durationMs * 1.1);
      const digest = await digestOf(path);
      expect([states.before, states.after]).toContain(digest);
      expect(isSound(path)).toBe(true);
      seen[digest === states.before ? "before" : "after"]++;
      await importIn(path, after, null);
      expect(await digestOf(path)).toBe(states.after);
    }
    expect(seen.before + seen.after).toBe(ROUNDS);
  },
  30_000 + ROUNDS * 5_000,
);
