// Admission: how many requests run at once, and whose is next (decision 0007). Requests beyond the cap of the process wait in a
// queue of their key, and the keys take turns: so what one key sends holds up another by one request, not by all.
//
// On the embedded store a request runs to its end without waiting for anything, so none runs beside another. What then counts is the
// turn of the event loop: while several keys use the server, requests wait once those of a turn have taken a few milliseconds, so that
// new ones are read in between. A key alone never waits for that: Bun closes a connection that sends a request while one waits.
import { overloaded } from "../problems.ts";

/** Requests that run at once. On PostgreSQL they wait for it. */
const RUNNING = 48;

/** How long a turn of the event loop runs requests while several keys use the server: for so long after the last change of keys. */
const TURN_MS = 5;
const SHARED_FOR_MS = 1000;

/** A key that has more than this waiting is refused the next, and so is a request that has waited for so long. */
const WAITING_OF_KEY = 1000;
const LONGEST_WAIT_MS = 3000;

export interface Admission {
  /** Admits a request of a key: at once, or when it is the key's turn. Null if the server has too much to do. */
  acquire(keyId: string): Promise<Release | null>;
}

/** Must be called once, when the request has its response. */
export type Release = () => void;

interface Waiting {
  readonly sinceMs: number;
  readonly resolve: (release: Release | null) => void;
}

export function fairAdmission(): Admission {
  let running = 0;
  let turnBeganAtMs: number | null = null;
  let lastKeyId: string | null = null;
  let sharedUntilMs = 0;
  /** The requests that wait, by key. The key whose turn it is comes first. */
  const waiting = new Map<string, Waiting[]>();
  let isDispatching = false;

  /** Whether this turn of the event loop has time for one more. */
  const hasTime = (keyId: string): boolean => {
    const now = performance.now();
    if (lastKeyId !== null && lastKeyId !== keyId) sharedUntilMs = now + SHARED_FOR_MS;
    lastKeyId = keyId;
    if (turnBeganAtMs === null) {
      turnBeganAtMs = now;
      setImmediate(() => {
        turnBeganAtMs = null;
      });
    }
    return now > sharedUntilMs || now - turnBeganAtMs < TURN_MS;
  };

  const start = (): Release => {
    running++;
    return () => {
      running--;
      void dispatch();
    };
  };

  const wait = (keyId: string): Promise<Release | null> => {
    const queue = waiting.get(keyId) ?? [];
    if (queue.length >= WAITING_OF_KEY) return Promise.resolve(null);
    waiting.set(keyId, queue);
    return new Promise((resolve) => {
      queue.push({ sinceMs: performance.now(), resolve });
      void dispatch();
    });
  };

  /** Starts those that wait, one in each turn of the event loop, as long as there is room. */
  const dispatch = async (): Promise<void> => {
    if (isDispatching || waiting.size === 0) return;
    isDispatching = true;
    for (;;) {
      await new Promise(setImmediate);
      const [first] = waiting;
      if (first === undefined || running >= RUNNING) break;
      const [keyId, queue] = first;
      const { sinceMs, resolve } = queue.shift()!; // no queue is empty
      waiting.delete(keyId);
      if (queue.length > 0) waiting.set(keyId, queue); // behind the other keys
      resolve(performance.now() - sinceMs > LONGEST_WAIT_MS ? null : start());
    }
    isDispatching = false;
  };

  return {
    async acquire(keyId) {
      const isFree = hasTime(keyId) && waiting.size === 0 && running < RUNNING;
      return isFree ? start() : wait(keyId);
    },
  };
}

const SHED_WAIT_MS = 50;

/** Does the work once it is admitted. Raises a 503 where load is shed; what `hasBegun` waits instead. */
export async function admitted<T>(
  admission: Admission,
  keyId: string,
  work: () => Promise<T>,
  hasBegun = false,
): Promise<T> {
  let release = await admission.acquire(keyId);
  while (release === null) {
    if (!hasBegun) throw overloaded();
    await Bun.sleep(SHED_WAIT_MS);
    release = await admission.acquire(keyId);
  }
  try {
    return await work();
  } finally {
    release();
  }
}
