// The change feed, long: a thousand random runs of the model on each engine; imports of two processes, the first held just
// before its commit; a consumer that starts from the beginning, and is killed, while another process imports.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CHANGE_RESOURCES } from "../../src/resources/changes.ts";
import type { ChangePosition, ChangesPage } from "../../src/store/store.ts";
import { makeFacts, randomOf } from "../support/random-rows.ts";
import { exported } from "../support/stores.ts";
import { runModels } from "./changes-model.ts";
import { withFacts } from "./conformance/engine.ts";
import { ENGINES } from "./conformance/engines.ts";

const RUNS = Number(process.env.ROLLCALL_TEST_RUNS ?? 1000);
const ROUNDS = Number(process.env.ROLLCALL_TEST_ROUNDS ?? 20);
const HOUR_MS = 3_600_000;

function importer(db: string, ...args: string[]) {
  return Bun.spawn([process.execPath, join(import.meta.dir, "importer.ts"), db, ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
}

describe.each([...ENGINES])("$name", (engine) => {
  test(
    `${RUNS} random runs of the model`,
    async () => {
      const seeds = Array.from({ length: RUNS }, (_, at) => at + 1);
      console.log(engine.name, await runModels(engine, seeds, 60));
    },
    4 * HOUR_MS,
  );

  test(
    "two processes import, the first is held before its commit: the second is never seen without it",
    async () => {
      await withFacts(engine, makeFacts(1, 4), async ({ location, reader }) => {
        for (let round = 0; round < ROUNDS; round++) {
          const ask = async (after: ChangePosition | "now") => {
            const found = await reader.company("acme").changes({ after, resources: ["workers"], limit: 10 });
            return found as ChangesPage; // nothing is forgotten
          };
          const { position } = await ask("now");
          const [one, two] = [`wrk_z${round}`, `wrk_a${round}`];
          const first = importer(location.address, "held", one);
          await first.stdout.getReader().read();
          const second = importer(location.address, "held", two);
          second.stdin.end();
          await Bun.sleep(300);
          expect((await ask(position)).entries).toEqual([]);
          first.stdin.end();
          for (let seen: string[] = []; seen.length < 2; ) {
            seen = (await ask(position)).entries.map(({ id }) => id);
            expect([[], [one], [one, two]]).toContainEqual(seen);
          }
          await Promise.all([first.exited, second.exited]);
        }
      });
    },
    HOUR_MS,
  );

  test(
    "from the beginning while another process imports, with pages that are read twice: the copy is complete",
    async () => {
      let pages = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const random = randomOf(round);
        await withFacts(engine, makeFacts(round, 40), async ({ location, reader, writer }) => {
          const child = importer(location.address, "loop", "60", String(round));
          let isRunning = true;
          void child.exited.then(() => {
            isRunning = false;
          });
          const copy = new Map<string, string>();
          let after: ChangePosition | null = null;
          for (;;) {
            await Bun.sleep(0); // on the embedded store a page takes no turn of the event loop
            const wasRunning = isRunning;
            const page: ChangesPage | "gone" = await reader
              .company("acme")
              .changes({ after, resources: CHANGE_RESOURCES, limit: 1 + random(40) });
            if (page === "gone") throw new Error("nothing was forgotten");
            pages++;
            if (after === null) copy.clear();
            for (const { resource, id, removed, doc } of page.entries) {
              if (removed) copy.delete(`${resource} ${id}`);
              else if (doc !== null) copy.set(`${resource} ${id}`, String(doc));
            }
            if (random(5) === 0) continue; // killed before the position was stored
            after = page.position;
            if (!wasRunning && !page.hasMore) break;
          }
          const { workers, policies, assignments, requests } = await exported(writer, "acme");
          const stored = Object.entries({ workers, policies, assignments, requests }).flatMap(
            ([kind, rows]) => rows.map((row) => [`${kind} ${row.id}`, row.doc]),
          );
          expect([...copy].sort()).toEqual(stored.sort() as [string, string][]); // pairs
        });
      }
      console.log(engine.name, { rounds: ROUNDS, pages });
    },
    HOUR_MS,
  );
});
