// Property: whichever write, truncation or sync of an import goes wrong, and however, the store is as it was, or as the whole
// import makes it; it is sound, and the next import works. Each step of the import goes wrong once in each way: see
// failing-writes.c; TRIAL_EVERY=25 tries one step in 25, from TRIAL_FROM on. Needs Linux, and a C compiler as `cc`.
import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundle } from "../../../delivery/bundle.ts";
import { copyOf, importWithFault, type States, statesOf } from "./failing-writes.ts";
import { type StoreFolder, withStoreFolder } from "./store-folder.ts";

const EVERY = Number(process.env.TRIAL_EVERY ?? 1);
const FROM = Number(process.env.TRIAL_FROM ?? EVERY);
const KINDS = ["fails", "once", "short", "kill", "torn"];
/** Steps that are tried at once, each on a store of its own. */
const AT_ONCE = 3;

function compiled({ folder }: StoreFolder): string {
  const library = join(folder, "failing-writes.so");
  const source = join(import.meta.dir, "failing-writes.c");
  const command = ["cc", "-shared", "-fPIC", "-Wall", "-o", library, source, "-ldl"];
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`cc: ${stderr}`);
  return library;
}

/** The executable starts in a fifth of the time that the sources need. */
async function built({ folder }: StoreFolder): Promise<string> {
  const executable = join(folder, "rollcall");
  const target = process.arch === "arm64" ? "bun-linux-arm64" : "bun-linux-x64";
  await bundle({ form: "trial", to: { executable, runtime: process.execPath, target } });
  return executable;
}

test(
  "each step of an import",
  () =>
    withStoreFolder(
      async (storeFolder) => {
        const library = compiled(storeFolder);
        const program = await built(storeFolder);
        const faults = (path: string, variables: string) =>
          `FAULT_PATH=${path}; LD_PRELOAD=${library}; ${variables}; export FAULT_PATH FAULT_KIND FAULT_AT FAULT_COUNT LD_PRELOAD;`;
        const count = join(storeFolder.folder, "count");
        const path = join(storeFolder.folder, "whole", "copy.db");
        const states: States = await statesOf(storeFolder, faults(path, `FAULT_COUNT=${count}`), program);
        const steps = Number(readFileSync(count, "utf8"));
        expect(steps).toBeGreaterThan(100);

        for (const kind of KINDS) {
          const ends = new Map<number | null, number>();
          let next = FROM;
          const tryNext = async (name: string) => {
            for (let step = next; step <= steps; step = next) {
              next += EVERY;
              const copy = copyOf(storeFolder, name);
              const shell = faults(copy.db, `FAULT_KIND=${kind}; FAULT_AT=${step}`);
              const ended = await importWithFault(copy, states, shell, program).catch((cause) => {
                throw new Error(`${kind}, step ${step}`, { cause });
              });
              ends.set(ended, (ends.get(ended) ?? 0) + 1);
              rmSync(dirname(copy.db), { recursive: true });
            }
          };
          await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => tryNext(`copy-${at}`)));
          const [failed, imported, killed] = [1, 0, null].map((end) => ends.get(end) ?? 0);
          console.log(
            `${kind}: ${steps} steps, one in ${EVERY} tried from ${FROM} on; failed ${failed}, imported ${imported}, killed ${killed}`,
          );
        }
      },
      { small: 4, big: 12 },
    ),
  3_600_000,
);
