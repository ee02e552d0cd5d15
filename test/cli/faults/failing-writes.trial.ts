// Property: whichever write, truncation or sync of an import goes wrong, and however, the store is as it was, or as the whole
// import makes it; it is sound, and the next import works. Each step of the import goes wrong once in each way: see
// failing-writes.c; TRIAL_EVERY=25 tries one step in 25. Needs Linux, and a C compiler as `cc`.
import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyOf, importWithFault, statesOf } from "./failing-writes.ts";
import { type StoreFolder, withStoreFolder } from "./store-folder.ts";

const EVERY = Number(process.env.TRIAL_EVERY ?? 1);

function compiled(storeFolder: StoreFolder): string {
  const library = join(storeFolder.folder, "failing-writes.so");
  const source = join(import.meta.dir, "failing-writes.c");
  const { exitCode, stderr } = Bun.spawnSync([
    "cc",
    "-shared",
    "-fPIC",
    "-Wall",
    "-o",
    library,
    source,
    "-ldl",
  ]);
  if (exitCode !== 0) throw new Error(`cc: ${stderr}`);
  return library;
}

test.each(["fails", "once", "short", "kill", "torn"])(
  "each step of an import: %s",
  (kind) =>
    withStoreFolder(
      async (storeFolder) => {
        const library = compiled(storeFolder);
        const faults = (path: string, variables: string) =>
          `FAULT_PATH=${path}; LD_PRELOAD=${library}; ${variables}; export FAULT_PATH FAULT_KIND FAULT_AT FAULT_COUNT LD_PRELOAD;`;
        const count = join(storeFolder.folder, "count");
        const path = join(storeFolder.folder, "whole", "copy.db");
        const states = await statesOf(storeFolder, faults(path, `FAULT_COUNT=${count}`));
        const steps = Number(readFileSync(count, "utf8"));
        expect(steps).toBeGreaterThan(100);
        const ends = new Map<number | null, number>();
        for (let step = EVERY; step <= steps; step += EVERY) {
          const copy = copyOf(storeFolder, "copy");
          const ended = await importWithFault(
            copy,
            states,
            faults(copy.db, `FAULT_KIND=${kind}; FAULT_AT=${step}`),
          );
          ends.set(ended, (ends.get(ended) ?? 0) + 1);
          rmSync(dirname(copy.db), { recursive: true });
        }
        console.log(
          `${kind}: ${steps} steps, one in ${EVERY} tried; failed ${ends.get(1) ?? 0}, imported ${ends.get(0) ?? 0}, killed ${ends.get(null) ?? 0}`,
        );
      },
      { small: 4, big: 12 },
    ),
  3_600_000,
);
