// Property: wherever a write of an import fails, the store is as it was, or as the whole import makes it; it is sound, and
// the next import works. Every write beyond a size of a file fails, for sizes from nothing to more than the largest file.
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { findings } from "../doctor/report.ts";
import { exportedText, rollcall, type StoreFolder, withStoreFolder } from "./store-folder.ts";

/** The sizes are spread evenly, so that the log, the store and its copy are hit at the beginning, in the midst and at the end. */
const SIZES = 10;

/** `ulimit -f` counts blocks of this size. */
const BLOCK_BYTES = 512;

const importing = (storeFolder: StoreFolder, shell = "") =>
  rollcall(
    ["import", storeFolder.big, "--company", "acme", "--prune", "--yes", "--db", storeFolder.db],
    shell,
  );

function copyOf(storeFolder: StoreFolder, name: string): StoreFolder {
  const folder = join(storeFolder.folder, name);
  mkdirSync(folder);
  for (const suffix of ["", "-keys"]) cpSync(storeFolder.db + suffix, join(folder, `copy.db${suffix}`));
  return { ...storeFolder, db: join(folder, "copy.db") };
}

test(
  "a failing write leaves the store as it was, or as imported",
  () =>
    withStoreFolder(async (storeFolder) => {
      const before = await exportedText(storeFolder);
      const whole = copyOf(storeFolder, "whole");
      expect(await importing(whole)).toMatchObject({ exitCode: 0 });
      const after = await exportedText(whole);
      const most = (2 * statSync(whole.db).size) / BLOCK_BYTES;
      const seen = new Set<number>();
      for (let number = 0; number < SIZES; number++) {
        const blocks = Math.round((most * number) / (SIZES - 1));
        const copy = copyOf(storeFolder, `after-${blocks}`);
        const ended = await importing(copy, `trap '' XFSZ; ulimit -f ${blocks};`);
        seen.add(ended.exitCode);
        expect([0, 1]).toContain(ended.exitCode);
        expect(await exportedText(copy)).toBe(ended.exitCode === 0 ? after : before);
        const found = await findings(copy.db);
        // The import was done, but its old rows could not be cleared: that is said.
        const isUncleared = found.some(({ check }) => check === "left-overs");
        if (isUncleared) expect(ended.stderr).toContain("could not be rewritten");
        expect(found.filter(({ check }) => check !== "left-overs")).toEqual([]);
        expect(await importing(copy)).toMatchObject({ exitCode: 0 });
        expect(await exportedText(copy)).toBe(after);
        expect(await findings(copy.db)).toEqual([]);
      }
      expect([...seen].toSorted()).toEqual([0, 1]);
    }),
  300_000,
);
