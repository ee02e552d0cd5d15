// The thread of an import: it holds the transaction, and does what its starter (remote.ts) asks of it, in order.
import { parentPort } from "node:worker_threads";
import { collectGarbage } from "../garbage.ts";
import {
  type ImportTransaction,
  type Remains,
  StoreRefusal,
  StoreUnavailable,
  type WriteStore,
} from "../store.ts";
import { FACT_KINDS, type FactKind } from "../tables.ts";
import {
  type Ending,
  type FromThread,
  packedBytes,
  type SentError,
  type ThreadedTransaction,
  type ToThread,
  unpackRows,
} from "./messages.ts";

/** Rows between two calls of `collectGarbage`. */
const COLLECT_AFTER_ROWS = 2_500;

type Request = Exclude<ToThread, { type: "begin" }>;

/** Serves one import into the store that `open` opens at an address. */
export function serveImport(open: (address: string) => Promise<WriteStore>): void {
  const port = parentPort!; // only a thread serves
  const post = (message: FromThread) => port.postMessage(message);
  const requests = new Requests();
  port.on("message", (message: ToThread) => {
    if (message.type === "begin") void runImport(open, message, requests, post);
    else requests.add(message);
  });
}

async function runImport(
  open: (address: string) => Promise<WriteStore>,
  { address, companyId }: Extract<ToThread, { type: "begin" }>,
  requests: Requests,
  post: (message: FromThread) => void,
): Promise<void> {
  let store: WriteStore | null = null;
  let error: SentError | null = null;
  let remains: Remains | null = null;
  try {
    store = await open(address);
    await store.import(
      companyId,
      async (transaction) => {
        const side = await sidePlaceOf(transaction);
        post({ type: "begun", emptyKinds: await emptyKindsOf(transaction), side });
        return { result: null, ...(await new Server(transaction, requests, post).serve()) };
      },
      { onWait: () => post({ type: "waiting" }) },
    );
  } catch (caught) {
    error = caught instanceof GivenUp ? null : sentError(caught);
  }
  try {
    remains = store?.remains() ?? null;
    await store?.close();
  } catch (caught) {
    error ??= sentError(caught);
  }
  post({ type: "ended", error, remains });
}

type ServedTransaction = ImportTransaction & Partial<ThreadedTransaction>;

async function sidePlaceOf(transaction: ServedTransaction) {
  return (await transaction.makeSidePlace?.()) ?? null;
}

async function emptyKindsOf(transaction: ImportTransaction): Promise<FactKind[]> {
  const kinds: FactKind[] = [];
  for (const kind of FACT_KINDS) if (await transaction.isEmpty(kind)) kinds.push(kind);
  return kinds;
}

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: undefined };
  const { name, message, stack } = error;
  const isOfStore = error instanceof StoreRefusal || error instanceof StoreUnavailable;
  return { name, message, stack, ...(isOfStore && { problem: error.problem, advice: error.advice }) };
}

/** The starter gave the import up: it knows why. */
class GivenUp extends Error {
  override readonly name = "GivenUp";
}

/** What was asked for and is not done yet. */
class Requests {
  readonly #urgent: Request[] = [];
  readonly #others: Request[] = [];
  #wake = () => {};

  add(request: Request): void {
    const isUrgent = request.type === "call" && request.isUrgent;
    (isUrgent ? this.#urgent : this.#others).push(request);
    this.#wake();
  }

  async next(): Promise<Request> {
    // Urgent requests that have arrived meanwhile come first.
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      const request = this.#urgent.shift() ?? this.#others.shift();
      if (request !== undefined) return request;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

class Server {
  readonly #transaction: ServedTransaction;
  readonly #requests: Requests;
  readonly #post: (message: FromThread) => void;
  #rowsUncollected = 0;
  readonly #streams = new Map<number, AsyncIterator<unknown>>();

  constructor(transaction: ServedTransaction, requests: Requests, post: (message: FromThread) => void) {
    this.#transaction = transaction;
    this.#requests = requests;
    this.#post = post;
  }

  /** Until the import ends. Raises GivenUp, and what the transaction raised. */
  async serve(): Promise<Exclude<Ending, null>> {
    for (;;) {
      const request = await this.#requests.next();
      if (request.type === "end") {
        if (request.ending === null) throw new GivenUp();
        return request.ending;
      }
      try {
        await this.#answer(request);
      } catch (error) {
        this.#post({ type: "failed" });
        throw error;
      }
    }
  }

  async #answer(request: Exclude<Request, { type: "end" }>): Promise<void> {
    switch (request.type) {
      case "put": {
        const { kind, count } = request.packed;
        if ((await this.#transaction.putPacked?.(request.packed)) !== true) {
          const { rows, digests } = unpackRows(request.packed);
          await this.#transaction.put(kind, rows, digests);
        }
        this.#post({ type: "has put", kind, bytes: packedBytes(request.packed) });
        this.#collect(count);
        return;
      }
      case "call":
        this.#post({
          type: "reply",
          id: request.id,
          value: await this.#method(request.name)(...request.args),
        });
        return;
      case "do":
        await this.#method(request.name)(...request.args);
        this.#post({ type: "has put", kind: request.kind, bytes: 0 });
        return;
      case "stream": {
        const stream = this.#method(request.name)(...request.args) as AsyncIterable<unknown>; // the names of streams
        this.#streams.set(request.id, stream[Symbol.asyncIterator]());
        return;
      }
      case "next":
        await this.#next(request);
    }
  }

  #collect(rows: number): void {
    this.#rowsUncollected += rows;
    if (this.#rowsUncollected < COLLECT_AFTER_ROWS) return;
    this.#rowsUncollected = 0;
    collectGarbage();
  }

  async #next({ id, stream, isLast }: Extract<ToThread, { type: "next" }>): Promise<void> {
    const iterator = this.#streams.get(stream)!; // it was opened before
    const next = isLast ? await iterator.return?.() : await iterator.next();
    const done = next?.done ?? true;
    if (done) this.#streams.delete(stream);
    this.#post({ type: "reply", id, value: { done, value: done ? undefined : next!.value } });
  }

  #method(name: string): (...args: readonly unknown[]) => unknown {
    const [owner, method] = name.startsWith("digests.")
      ? [this.#transaction.digests, name.slice("digests.".length)]
      : [this.#transaction, name];
    const methods = owner as unknown as Record<string, (...args: readonly unknown[]) => unknown>; // the names say so
    return methods[method]!.bind(owner);
  }
}
