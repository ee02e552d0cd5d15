// A continuous backup that is killed again and again while imports run.

import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { verifyBackup, withBackup } from "../../../src/store/sqlite/backup/file.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { restoreContents } from "../../../src/store/transfer/copy.ts";
import {
  factsDigest,
  rollcall,
  type StoreFolder,
  type StoreFolderSizes,
  spawnRollcall,
  withStoreFolder,
} from "../../cli/faults/store-folder.ts";

export interface KilledBackups {
  readonly moments: number;
  readonly pieces: number;
}

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
 * Kills it at random moments. Then every moment in the file is whole and of one state, restored it has the digest of that
 * state, and the last is what the store is.
 */
export async function killBackups(sizes: StoreFolderSizes, kills: number): Promise<KilledBackups> {
  let result: KilledBackups = { moments: 0, pieces: 0 };
  await withStoreFolder(async (storeFolder) => {
    const states = [await factsDigest(storeFolder)];
    await importing(storeFolder, storeFolder.big);
    states.push(await factsDigest(storeFolder));
    const path = join(storeFolder.folder, "many.backup");
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
      if (kill % 4 === 0) await child.stdout.getReader().read(); // at least one moment was recorded
      await Bun.sleep(Math.random() * 800);
      expect(child.exitCode).toBeNull();
      child.kill("SIGKILL");
      await child.exited;
    }
    isDone = true;
    await imports;
    expect(await rollcall(into)).toMatchObject({ exitCode: 0 });
    const { moments } = await verifyBackup(path);
    const database = new Database(path, { readonly: true });
    const points = database.query("select made_at_ms from points").values().flat() as number[];
    const [[pieces] = []] = database.query("select count(*) from pieces").values();
    database.close();
    for (const moment of points) {
      const restored = { ...storeFolder, db: join(storeFolder.folder, `${moment}.db`) };
      await withBackup(
        path,
        (contents) =>
          sqliteStore(restored.db).replace(
            (transaction) => restoreContents(transaction, contents, () => {}),
            {},
          ),
        moment,
      );
      expect(states).toContain(await factsDigest(restored));
    }
    const last = { ...storeFolder, db: join(storeFolder.folder, "last.db") };
    expect(await rollcall(["restore", path, "--db", last.db])).toMatchObject({ exitCode: 0 });
    expect(await factsDigest(last)).toBe(await factsDigest(storeFolder));
    result = { moments, pieces: Number(pieces) };
  }, sizes);
  return result;
}
