// When each key was last used: gathered here and written in batches, never a write per request.
import type { Observe } from "../../observe.ts";
import { type ReadStore, type StoredKey, StoreRefusal, StoreUnavailable } from "../../store/store.ts";

const FLUSH_EVERY_MS = 10_000;

export interface KeyUses {
  used(key: StoredKey): void;
  /** Writes what was gathered and stops gathering. */
  stop(): Promise<void>;
}

export function keyUses(store: ReadStore, observe: Observe): KeyUses {
  let gathered = new Map<string, number>();
  const flush = async () => {
    const batch = gathered;
    gathered = new Map();
    try {
      await store.touchKeys(batch);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) && !(error instanceof StoreRefusal)) throw error;
      observe({ kind: "unavailable", requestId: null, error });
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  return {
    used: (key) => gathered.set(key.id, Date.now()),
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
