// Load shedding: refuse at once what could only be answered late, so that accepted requests stay fast (decision 0007).
//
// Requests that are ready at the same moment are handled in one turn of the event loop. The length of a turn is therefore
// how long a request waits. A burst may fill long turns. A queue that stays non-empty for 100 ms is overload, not a burst:
// from then on a turn answers a few requests and sheds the rest, until nothing was shed for a second.

/** How long a turn may take before the rest of it is shed. */
const BURST_BUDGET_MS = 100;
const OVERLOAD_BUDGET_MS = 5;

/** A turn answers this many requests however long they take, so callers that wait for each response are not shed. */
const ALWAYS_ADMITTED = 32;

/** Requests that may wait for the store at one time. */
const BURST_IN_FLIGHT = 1000;
const OVERLOAD_IN_FLIGHT = 48;

/** A queue that stays non-empty for this long is overload. */
const OVERLOAD_AFTER_MS = 100;

/** The queue is empty if the loop was idle before this turn, and nothing was shed lately. */
const IDLE_GAP_MS = 0.5;
const RECOVERED_AFTER_MS = 1000;

export interface Overload {
  /** Whether to admit a request. If so, call `release` when its response is made. */
  tryAcquire(): boolean;
  release(): void;
}

export interface OverloadParts {
  readonly nowMs: () => number;
  /** Calls back when the current turn of the event loop has ended. */
  readonly afterTurn: (callback: () => void) => void;
}

const REAL: OverloadParts = { nowMs: () => performance.now(), afterTurn: setImmediate };

export function overloadGuard({ nowMs, afterTurn }: OverloadParts = REAL): Overload {
  let turnStartedAtMs: number | null = null;
  let lastTurnEndedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when the queue has not been empty. */
  let queuedSinceMs = 0;
  let admittedInTurn = 0;
  let lastShedAtMs = Number.NEGATIVE_INFINITY;
  let inFlight = 0;

  const startTurn = () => {
    const startedAtMs = nowMs();
    const wasIdle = startedAtMs - lastTurnEndedAtMs > IDLE_GAP_MS && inFlight < ALWAYS_ADMITTED;
    if (wasIdle && startedAtMs - lastShedAtMs > RECOVERED_AFTER_MS) queuedSinceMs = startedAtMs;
    admittedInTurn = 0;
    turnStartedAtMs = startedAtMs;
    afterTurn(() => {
      turnStartedAtMs = null;
      lastTurnEndedAtMs = nowMs();
    });
    return startedAtMs;
  };

  return {
    tryAcquire() {
      const startedAtMs = turnStartedAtMs ?? startTurn();
      const isOverload = startedAtMs - queuedSinceMs > OVERLOAD_AFTER_MS;
      const isTurnSpent =
        admittedInTurn >= ALWAYS_ADMITTED &&
        nowMs() - startedAtMs > (isOverload ? OVERLOAD_BUDGET_MS : BURST_BUDGET_MS);
      if (isTurnSpent || inFlight >= (isOverload ? OVERLOAD_IN_FLIGHT : BURST_IN_FLIGHT)) {
        lastShedAtMs = nowMs();
        return false;
      }
      admittedInTurn++;
      inFlight++;
      return true;
    },
    release() {
      inFlight--;
    },
  };
}
