// Admission: how many requests run at once, and which is next (decision 0007). Other requests wait in a queue of their key, and the keys
// take turns. So the requests of one key delay another by one request, not by all of them.
//
// On the embedded store a request runs to its end without waiting, so none runs beside another. There the turn of the event loop counts:
// while several keys use the server, a turn runs requests for a few milliseconds and then reads new ones. A single key never waits for
// that, because Bun closes a connection on which a second request arrives while one waits.
import { overloaded } from "../problems.ts";

/** Requests that run at once. On PostgreSQL they wait for the database. */
const RUNNING = 48;

/** How long a turn of the event loop runs requests while several keys use the server, and how long a key counts as using it. */
const TURN_MS = 5;
const SHARED_FOR_MS = 1000;

/** The limit of a key's waiting requests; above it, and after this wait, requests are refused. */
const WAITING_OF_KEY = 1000;
const LONGEST_WAIT_MS = 3000;

export interface Admission {
  /** Admits a request of a key, at once or when it is the key's turn. Null if the server is overloaded. */
  acquire(keyId: string): Promise<Release | null>;
}

/** Call it exactly once, when the response is done. */
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
  /** Waiting requests by key. The next key comes first. */
  const waiting = new Map<string, Waiting[]>();
  let isDispatching = false;

  /** Whether this turn of the event loop may run one more request. */
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

  /** Starts waiting requests while there is room, one in each turn of the event loop. */
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

/** Runs `work` once it is admitted. Under overload it raises a 503; work that `hasBegun` waits instead. */
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
