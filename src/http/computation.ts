// The work on a response. Every read of the store goes through it (`inTurns`), so no route can forget that other requests have their
// turns, and that the work ends when nobody waits for it any more, or when it takes too long.
import type { CompanyReader } from "../store/store.ts";
import { HttpProblem } from "./problems.ts";

/** How long a response may be computed. Proxies wait for 60 s. */
export const LONGEST_MS = 50_000;

/** After so long other requests have their turn. */
const TURN_MS = 5;

export class Computation {
  #callers = 0;
  #isOver = false;
  #turnEndsMs = 0;

  /** `endsMs`: when it has taken too long, by the clock of `performance`. */
  constructor(readonly endsMs: number) {
    this.beginTurn();
  }

  /** Says that others had their turn just now. */
  beginTurn(): void {
    this.#turnEndsMs = performance.now() + TURN_MS;
  }

  /** Somebody waits for it, until the signal says that they are gone. */
  join(signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#callers++;
    signal.addEventListener("abort", () => this.#callers--, { once: true });
  }

  get isLeft(): boolean {
    return this.#isOver || this.#callers === 0;
  }

  /** Ends it, whoever waits. */
  end(): void {
    this.#isOver = true;
  }

  /** Lets other requests go on, where it is their turn: then it is to be awaited. Raises a 503 where the work has to end. */
  turn(): Promise<void> | undefined {
    const nowMs = performance.now();
    if (this.isLeft) throw tooLong("its caller has gone");
    if (nowMs > this.endsMs) throw tooLong("it took too long to compute");
    return nowMs < this.#turnEndsMs ? undefined : this.#nextTurn();
  }

  async #nextTurn(): Promise<void> {
    await new Promise(setImmediate);
    this.beginTurn();
    this.turn();
  }
}

/** One that nobody waits for and nothing ends: of a command, or of what a server does by itself. */
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

/** The company, each read of which is a step of a computation. */
export function inTurns(company: CompanyReader, computation: Computation): CompanyReader {
  return new TurnReader(company, computation);
}

class TurnReader implements CompanyReader {
  constructor(
    readonly company: CompanyReader,
    readonly computation: Computation,
  ) {}

  async #step<R>(read: (company: CompanyReader) => Promise<R>): Promise<R> {
    const turn = this.computation.turn();
    if (turn !== undefined) await turn;
    return read(this.company);
  }

  list(...given: Parameters<CompanyReader["list"]>) {
    return this.#step((company) => company.list(...given));
  }

  object(...given: Parameters<CompanyReader["object"]>) {
    return this.#step((company) => company.object(...given));
  }

  balanceFacts(...given: Parameters<CompanyReader["balanceFacts"]>) {
    return this.#step((company) => company.balanceFacts(...given));
  }

  schedules(...given: Parameters<CompanyReader["schedules"]>) {
    return this.#step((company) => company.schedules(...given));
  }

  rowsOf(...given: Parameters<CompanyReader["rowsOf"]>) {
    return this.#step((company) => company.rowsOf(...given));
  }

  reported() {
    return this.#step((company) => company.reported());
  }

  leave(...given: Parameters<CompanyReader["leave"]>) {
    return this.#step((company) => company.leave(...given));
  }

  atOneVersion<T>(work: (company: CompanyReader) => Promise<T>): Promise<T> {
    return this.company.atOneVersion((reader) => work(inTurns(reader, this.computation)));
  }

  about() {
    return this.#step((company) => company.about());
  }

  lastImports() {
    return this.#step((company) => company.lastImports());
  }

  changes(...given: Parameters<CompanyReader["changes"]>) {
    return this.#step((company) => company.changes(...given));
  }

  closes() {
    return this.#step((company) => company.closes());
  }

  known(revision: number) {
    return inTurns(this.company.known(revision), this.computation);
  }

  calendarSequence() {
    return this.#step((company) => company.calendarSequence());
  }

  lastChanges(...given: Parameters<CompanyReader["lastChanges"]>) {
    return this.#step((company) => company.lastChanges(...given));
  }
}
