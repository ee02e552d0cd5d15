// Property: a large first import that is killed while its assignments are in a file of their own leaves the store without rows or whole,
// and beside it no file with a row. The file has lost its name before it has any. Needs Linux.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWriteStore } from "../../../src/cli/open.ts";
import { generateCompany } from "../../../src/generate/generate.ts";
import { temporaryFolder } from "../../support/import-files.ts";
import { createCompany } from "../../support/stores.ts";

const MAIN = join(import.meta.dir, "../../../src/cli/main.ts");
/** Their files have 2.6 MB: such an import has a thread that stores. */
const WORKERS = 1400;
const LATEST_MS = [0, 0, 5, 20, 60, 150];
/** What may lie beside a store. */
const STORE_FILE = /^store\.db(-keys)?(-wal|-shm)?$|^store\.db-erase$/;

/** Bytes of the import's file without a name; null while there is none. */
function sideBytes(pid: number): number | null {
  const folder = `/proc/${pid}/fd`;
  try {
    for (const name of readdirSync(folder))
      if (readlinkSync(join(folder, name)).endsWith("store.db-side (deleted)"))
        return statSync(join(folder, name)).size;
  } catch {
    // Closed meanwhile.
  }
  return null;
}

/** Starts an import, and kills it so long after its file without a name has rows. Returns the bytes that it had then; null if it ended before. */
async function killedImport(db: string, files: string, afterMs: number): Promise<number | null> {
  const child = Bun.spawn([process.execPath, MAIN, "import", files, "--company", "acme", "--db", db], {
    stdout: "ignore",
    stderr: "ignore",
  });
  let bytes: number | null = null;
  while (!bytes && child.exitCode === null) {
    bytes = sideBytes(child.pid);
    await Bun.sleep(1);
  }
  await Promise.race([child.exited, Bun.sleep(afterMs)]);
  const hasEnded = child.exitCode !== null;
  child.kill("SIGKILL");
  await child.exited;
  return hasEnded ? null : bytes;
}

function assignmentsIn(db: string): number {
  const database = new Database(db);
  expect(database.query("pragma integrity_check").values()).toEqual([["ok"]]);
  const count = Number(database.query("select count(*) from assignments").values()[0]![0]);
  database.close();
  return count;
}

test("a kill leaves no row beside the store", async () => {
  const folder = temporaryFolder();
  const files = join(folder, "files");
  await generateCompany({ outDir: files, workers: WORKERS, seed: 3, today: "2026-11-21" });
  const all = readFileSync(join(files, "assignments.csv"), "utf8").trimEnd().split("\n").length - 1;
  let killedWithRows = 0;
  for (const [round, afterMs] of LATEST_MS.entries()) {
    const own = join(folder, String(round));
    mkdirSync(own);
    const db = join(own, "store.db");
    const store = await openWriteStore(db, { create: true });
    await createCompany(store, "acme");
    await store.close();
    const bytes = await killedImport(db, files, afterMs);
    if (bytes !== null) killedWithRows++;
    expect(readdirSync(own).filter((name) => !STORE_FILE.test(name))).toEqual([]);
    expect(bytes === null ? [all] : [0, all]).toContain(assignmentsIn(db));
    if (round > 0) continue;
    writeFileSync(`${db}-side`, ""); // as a kill leaves it in the moment before the name goes
    expect(await killedImport(db, files, 60_000)).toBeNull();
    expect(assignmentsIn(db)).toBe(all);
    expect(readdirSync(own).filter((name) => !STORE_FILE.test(name))).toEqual([]);
  }
  // Elsewhere such a file cannot lose its name, and none is made.
  expect(killedWithRows > 0).toBe(process.platform === "linux");
}, 120_000);
