// Property: wherever a write of an import fails, the store is as it was, or as the whole import makes it; it is sound, and
// the next import works. Every write beyond a size of a file fails: at the beginning, in the midst and at the end of the log,
// the store and its copy. failing-writes.trial.ts lets each write fail.
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { copyOf, importWithFault, statesOf } from "./failing-writes.ts";
import { withStoreFolder } from "./store-folder.ts";

/** `ulimit -f` counts blocks of this size. */
const BLOCK_BYTES = 512;

test("a failing write leaves the store as it was, or as imported", () =>
  withStoreFolder(
    async (storeFolder) => {
      const { whole, ...states } = await statesOf(storeFolder);
      const seen = new Set<number | null>();
      for (const share of [0.02, 0.6, 0.9, 1.9]) {
        const blocks = Math.round((share * statSync(whole.db).size) / BLOCK_BYTES);
        const copy = copyOf(storeFolder, `after-${blocks}`);
        // The limit's signal is ignored, so that a write fails as on a broken disk instead of ending the process.
        seen.add(await importWithFault(copy, states, `trap '' XFSZ; ulimit -f ${blocks};`));
      }
      expect(seen).toEqual(new Set([1, 0]));
    },
    { small: 20, big: 60 },
  ));
