// The work of computing a response. Reads go through `inTurns`: no route can forget to let others run, or to stop in time.
import type { CompanyReader } from "../store/store.ts";
import { HttpProblem } from "./problems.ts";

/** The time limit of a response. Proxies wait for 60 s. */
export const LONGEST_MS = 50_000;

/** After this long, other requests get a turn. */
const TURN_MS = 5;

export class Computation {
  /** The signals of the callers who wait for the result. Each is aborted once its caller is gone. */
  readonly #callers: AbortSignal[] = [];
  #isOver = false;
  #turnEndsMs = 0;

  /** `endsMs`: the time limit, on the clock of `performance`. */
  constructor(readonly endsMs: number) {
    this.beginTurn();
  }

  /** Starts a new turn, after other requests had theirs. */
  beginTurn(): void {
    this.#turnEndsMs = performance.now() + TURN_MS;
  }

  join(signal: AbortSignal): void {
    this.#callers.push(signal);
  }

  get isLeft(): boolean {
    return this.#isOver || this.#callers.every(({ aborted }) => aborted);
  }

  /** Stops the work, even if somebody waits for it. */
  end(): void {
    this.#isOver = true;
  }

  /** Lets other requests run if the turn is over; await the result then. Raises a 503 if the work must stop. */
  turn(): Promise<void> | undefined {
    this.#requireTime();
    return performance.now() < this.#turnEndsMs ? undefined : this.#nextTurn();
  }

  async #nextTurn(): Promise<void> {
    await new Promise(setImmediate);
    this.#requireTime();
    this.beginTurn();
  }

  #requireTime(): void {
    if (this.isLeft) throw tooLong("its caller has gone");
    if (performance.now() > this.endsMs) throw tooLong("it took too long to compute");
  }
}

/** A computation without a limit or a caller, for commands and background work. */
export function endless(): Computation {
  const computation = new Computation(Number.POSITIVE_INFINITY);
  computation.join(new AbortController().signal);
  return computation;
}

function tooLong(why: string): HttpProblem {
  return new HttpProblem(
    "timed_out",
    `The response was not finished: ${why}. Ask for fewer days or workers, or for a list as a stream (Accept: text/csv).`,
    { headers: { "retry-after": "30" } },
  );
}

/** A company reader that takes a turn before each read. */
export function inTurns(company: CompanyReader, computation: Computation): CompanyReader {
  const afterTurn =
    <Given extends unknown[], R>(read: (...given: Given) => Promise<R>) =>
    async (...given: Given): Promise<R> => {
      const turn = computation.turn();
      if (turn !== undefined) await turn;
      return read.apply(company, given);
    };
  return {
    list: afterTurn(company.list),
    object: afterTurn(company.object),
    balanceFacts: afterTurn(company.balanceFacts),
    workTimes: afterTurn(company.workTimes),
    rowsOf: afterTurn(company.rowsOf),
    reported: afterTurn(company.reported),
    leave: afterTurn(company.leave),
    about: afterTurn(company.about),
    knownSince: afterTurn(company.knownSince),
    lastImports: afterTurn(company.lastImports),
    changes: afterTurn(company.changes),
    closes: afterTurn(company.closes),
    calendarSequence: afterTurn(company.calendarSequence),
    lastChanges: afterTurn(company.lastChanges),
    // Each read of the reader that they give takes a turn, not the call itself.
    atOneVersion: (work) => company.atOneVersion((reader) => work(inTurns(reader, computation))),
    known: (revision) => inTurns(company.known(revision), computation),
  };
}
