// Readers that go on: each page must be right, or refused as unavailable.

import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { type ReadStore, StoreUnavailable } from "../../../src/store/store.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { createCompany, putFacts } from "../../support/stores.ts";
import { listed } from "../listed.ts";

export const FACTS = makeFacts(11, 40);
/** Eight readers ask some hundred times a second: without a pause, they and the server take both cores to see nothing more. */
const PAUSE_MS = 20;
const EXPECTED = JSON.stringify(FACTS.workers.slice(0, 10).map(({ doc }) => doc));

/** Fills the store at `db` with what `readers` expect. */
export async function fill(db: string): Promise<void> {
  const writer = await openPostgresWriteStore(db, { create: true });
  await createCompany(writer, "acme");
  await putFacts(writer, "acme", FACTS);
  await writer.close();
}

export interface Load {
  served: number;
  unavailable: number;
  readonly wrong: unknown[];
  /** The longest that a reader waited for a page or a refusal. */
  slowestMs: number;
  /** Resolves with the time until a read that begins now, or later, returns. */
  servedAgain(): Promise<number>;
  /** Resolves once a read has been refused. */
  refused(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts `count` readers, each of which does what a request does: the version, then a page. */
export function startLoad(store: ReadStore, count = 8): Load {
  let stopped = false;
  const load: Load = {
    served: 0,
    unavailable: 0,
    wrong: [],
    slowestMs: 0,
    async servedAgain() {
      const startedAtMs = performance.now();
      const target = load.served + count + 1; // more than can have been under way
      while (load.served < target) await Bun.sleep(5);
      return performance.now() - startedAtMs;
    },
    async refused() {
      const before = load.unavailable;
      while (load.unavailable === before) await Bun.sleep(5);
    },
    async stop() {
      stopped = true;
      await Promise.all(readers);
    },
  };
  const readOnce = async () => {
    const startedAtMs = performance.now();
    try {
      const version = await store.version("acme");
      const page = await listed(store.company("acme", version ?? undefined), "workers", { limit: 10 }, {});
      if (version === null || JSON.stringify(page.docs) !== EXPECTED || !page.hasMore)
        load.wrong.push({ version, page });
      load.served++;
    } catch (error) {
      if (error instanceof StoreUnavailable) load.unavailable++;
      else load.wrong.push(error);
    }
    load.slowestMs = Math.max(load.slowestMs, performance.now() - startedAtMs);
    await Bun.sleep(PAUSE_MS);
  };
  const readers = Array.from({ length: count }, async () => {
    while (!stopped) await readOnce();
  });
  return load;
}
