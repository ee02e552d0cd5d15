// Refusing early what could only be answered late, so that what is accepted stays fast.
//
// Requests that are ready at the same moment are handled in one turn of the event loop, so a turn's length is what a
// request waits. A burst may fill long turns. Once there has always been somebody waiting for a tenth of a second, it is no
// burst: then a turn answers little and refuses the rest at once, until nobody was refused for a second (decision 0007).

/** What a turn may take before the rest of it is shed. */
const BURST_BUDGET_MS = 100;
const STANDING_BUDGET_MS = 5;

/** So many requests of a turn are answered whatever they take: callers that ask one thing after the other are not refused. */
const ALWAYS_ANSWERED = 32;

/** Answers that may be waiting for the store at a time. */
const BURST_IN_FLIGHT = 1000;
const STANDING_IN_FLIGHT = 48;

/** A queue that has not been empty for so long is standing. */
const STANDING_AFTER_MS = 100;

/** The queue is empty when the loop has nothing to do before its next turn, and nobody was refused for some time. */
const IDLE_GAP_MS = 0.5;
const RECOVERED_AFTER_MS = 1000;

export interface Overload {
  /** Whether this request is to be refused; otherwise `left` must be called when it is answered. */
  sheds(): boolean;
  left(): void;
}

export interface OverloadParts {
  readonly nowMs: () => number;
  /** Calls back when the current turn of the event loop is over. */
  readonly afterTurn: (callback: () => void) => void;
}

const REAL: OverloadParts = { nowMs: () => performance.now(), afterTurn: setImmediate };

export function overloadGuard({ nowMs, afterTurn }: OverloadParts = REAL): Overload {
  let turnStartedAtMs: number | null = null;
  let lastTurnEndedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when somebody has always been waiting. */
  let waitedForSinceMs = 0;
  let answeredInTurn = 0;
  let lastShedAtMs = Number.NEGATIVE_INFINITY;
  let inFlight = 0;

  const startTurn = () => {
    const startedAtMs = nowMs();
    const wasIdle = startedAtMs - lastTurnEndedAtMs > IDLE_GAP_MS && inFlight < ALWAYS_ANSWERED;
    if (wasIdle && startedAtMs - lastShedAtMs > RECOVERED_AFTER_MS) waitedForSinceMs = startedAtMs;
    answeredInTurn = 0;
    turnStartedAtMs = startedAtMs;
    afterTurn(() => {
      turnStartedAtMs = null;
      lastTurnEndedAtMs = nowMs();
    });
    return startedAtMs;
  };

  return {
    sheds() {
      const startedAtMs = turnStartedAtMs ?? startTurn();
      const isStanding = startedAtMs - waitedForSinceMs > STANDING_AFTER_MS;
      const isTurnSpent =
        answeredInTurn >= ALWAYS_ANSWERED &&
        nowMs() - startedAtMs > (isStanding ? STANDING_BUDGET_MS : BURST_BUDGET_MS);
      if (isTurnSpent || inFlight >= (isStanding ? STANDING_IN_FLIGHT : BURST_IN_FLIGHT)) {
        lastShedAtMs = nowMs();
        return true;
      }
      answeredInTurn++;
      inFlight++;
      return false;
    },
    left() {
      inFlight--;
    },
  };
}
