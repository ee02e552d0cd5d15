// Backups that are made while imports run and a server responds.
import { expect } from "bun:test";
import { join } from "node:path";
import {
  factsDigest,
  rollcall,
  type StoreFolder,
  type StoreFolderSizes,
  undated,
  withServer,
  withStoreFolder,
} from "../../cli/faults/store-folder.ts";

const importing = (storeFolder: StoreFolder, folder: string) =>
  rollcall([
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
  ]);

/** Each backup is of one state, whole. Restored over the store in use, a running server shows it. */
export async function backUpDuringImports(sizes: StoreFolderSizes, backups: number): Promise<void> {
  await withStoreFolder(async (storeFolder) => {
    const states = [await factsDigest(storeFolder)];
    await importing(storeFolder, storeFolder.big);
    states.push(await factsDigest(storeFolder));
    const backUp = async (name: string) => {
      const out = join(storeFolder.folder, name);
      expect(await rollcall(["backup", "--out", out, "--db", storeFolder.db])).toMatchObject({ exitCode: 0 });
      return out;
    };
    await withServer(storeFolder, async ({ get }) => {
      const before = undated(await get("/v1/workers"));
      const made: string[] = [];
      let isDone = false;
      const imports = (async () => {
        do {
          await importing(storeFolder, storeFolder.small);
          await importing(storeFolder, storeFolder.big);
        } while (!isDone);
      })();
      while (made.length < backups) made.push(await backUp(`${made.length}.backup`));
      isDone = true;
      await imports;
      for (const backup of made) {
        const other = { ...storeFolder, db: `${backup}.db` };
        expect(await rollcall(["restore", backup, "--db", other.db])).toMatchObject({ exitCode: 0 });
        expect(states).toContain(await factsDigest(other));
      }
      const last = await backUp("last.backup");
      await importing(storeFolder, storeFolder.small);
      expect(undated(await get("/v1/workers"))).not.toEqual(before);
      await rollcall(["restore", last, "--yes", "--db", storeFolder.db]);
      expect(undated(await get("/v1/workers"))).toEqual(before);
    });
  }, sizes);
}
