// Refusing early what could only be answered late, so that what is accepted stays fast.
//
// Requests that are ready at the same moment are handled in one turn of the event loop, so a turn's length is what a
// request waits. When turns have been too long for a while, the requests beyond a turn's budget are shed. One slow
// request alone never sheds others.

/** What a turn may take before the rest of it is shed. */
const TURN_BUDGET_MS = 10;

/** So many turns in a row must have been over budget first. */
const SUSTAINED_TURNS = 5;

/** Answers that may be waiting for the store at a time. */
const MAX_IN_FLIGHT = 1000;

export interface Overload {
  /** Whether this request is to be refused; otherwise `left` must be called when it is answered. */
  sheds(nowMs: number): boolean;
  left(): void;
}

export function overloadGuard(afterTurn: (callback: () => void) => void = setImmediate): Overload {
  let turnStartedAtMs: number | null = null;
  let longTurns = 0;
  let inFlight = 0;
  return {
    sheds(nowMs) {
      if (turnStartedAtMs === null) {
        turnStartedAtMs = nowMs;
        afterTurn(() => {
          longTurns = performance.now() - turnStartedAtMs! > TURN_BUDGET_MS ? longTurns + 1 : 0;
          turnStartedAtMs = null;
        });
      }
      const isOver = longTurns >= SUSTAINED_TURNS && nowMs - turnStartedAtMs > TURN_BUDGET_MS;
      if (isOver || inFlight >= MAX_IN_FLIGHT) return true;
      inFlight++;
      return false;
    },
    left() {
      inFlight--;
    },
  };
}
