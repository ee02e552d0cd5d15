// A continuous backup that is killed again and again while imports run.
import { expect } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { backupsIn } from "../../../src/store/sqlite/backup.ts";
import {
  factsDigest,
  rollcall,
  type StoreFolder,
  type StoreFolderSizes,
  spawnRollcall,
  withStoreFolder,
} from "../../cli/faults/store-folder.ts";
import { restore } from "./store-folder.ts";

const importing = async (storeFolder: StoreFolder, folder: string) =>
  expect(
    await rollcall([
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
      "--db",
      storeFolder.db,
    ]),
  ).toMatchObject({ exitCode: 0 });

/**
 * Kills it at random moments. Then every backup in the folder is whole and of one state, and the last is what the store is. Returns
 * how many there are.
 */
export async function killBackups(sizes: StoreFolderSizes, kills: number): Promise<number> {
  let made = 0;
  await withStoreFolder(async (storeFolder) => {
    const states = [await factsDigest(storeFolder)];
    await importing(storeFolder, storeFolder.big);
    states.push(await factsDigest(storeFolder));
    const path = join(storeFolder.folder, "kept");
    mkdirSync(path);
    const into = ["backup", "--into", path, "--db", storeFolder.db];
    let isDone = false;
    const imports = (async () => {
      do {
        await importing(storeFolder, storeFolder.small);
        await importing(storeFolder, storeFolder.big);
      } while (!isDone);
    })();
    for (let kill = 0; kill < kills; kill++) {
      const child = spawnRollcall([...into, "--continuous", "--every", "5ms"]);
      if (kill % 4 === 0) await child.stdout.getReader().read(); // at least one was made
      await Bun.sleep(Math.random() * 800);
      expect(child.exitCode).toBeNull();
      child.kill("SIGKILL");
      await child.exited;
    }
    isDone = true;
    await imports;
    expect(await rollcall(into)).toMatchObject({ exitCode: 0 });
    const backups = backupsIn(path);
    for (const backup of backups) {
      const restored = { ...storeFolder, db: join(storeFolder.folder, `${backup.madeAtMs}.db`) };
      await restore(backup.path, restored.db);
      expect(states).toContain(await factsDigest(restored));
    }
    expect(readdirSync(path).length).toBe(backups.length); // no half one
    const last = { ...storeFolder, db: join(storeFolder.folder, "last.db") };
    expect(await rollcall(["restore", path, "--db", last.db])).toMatchObject({ exitCode: 0 });
    expect(await factsDigest(last)).toBe(await factsDigest(storeFolder));
    made = backups.length;
  }, sizes);
  return made;
}
