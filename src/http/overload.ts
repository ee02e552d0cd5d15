// Refusing early what could only be answered late, so that what is accepted stays fast.
//
// Requests that are ready at the same moment are handled in one turn of the event loop, so a turn's length is what a
// request waits. What is beyond a turn's budget is shed. One slow request alone never sheds others.

/** What a turn may take before the rest of it is shed. */
const TURN_BUDGET_MS = 200;

/** So many requests of a turn are answered whatever they take. */
const ALWAYS_ANSWERED = 64;

/** Answers that may be waiting for the store at a time. */
const MAX_IN_FLIGHT = 1000;

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
  let answeredInTurn = 0;
  let inFlight = 0;
  const isTurnSpent = () => {
    if (turnStartedAtMs === null) {
      turnStartedAtMs = nowMs();
      answeredInTurn = 0;
      afterTurn(() => {
        turnStartedAtMs = null;
      });
    }
    return answeredInTurn >= ALWAYS_ANSWERED && nowMs() - turnStartedAtMs > TURN_BUDGET_MS;
  };
  return {
    sheds() {
      if (isTurnSpent() || inFlight >= MAX_IN_FLIGHT) return true;
      answeredInTurn++;
      inFlight++;
      return false;
    },
    left() {
      inFlight--;
    },
  };
}
