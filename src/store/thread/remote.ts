// An import whose transaction is in another thread: rows go there in batches, and are stored while the next are read.
import { Worker } from "node:worker_threads";
import type { CompanySettings } from "../../resources/company.ts";
import {
  type Company,
  type DigestKey,
  DuplicateRows,
  type ImportOutcome,
  type ImportTransaction,
  type NamedKind,
  type Remains,
  type RowDigest,
  type RowDigests,
  type RowKey,
  StoreRefusal,
  StoreUnavailable,
  type WorkerBefore,
} from "../store.ts";
import type { DigestedKind, FactKind, Rows } from "../tables.ts";
import {
  type CallName,
  type Ending,
  type FromThread,
  packedBytes,
  packRows,
  type SentError,
  type SidePlace,
  type StreamName,
  type ToThread,
} from "./messages.ts";

/** Rows that are sent together. */
const BATCH_ROWS = 500;
/** Of rows that wait for being put. */
const PENDING_BYTES = 16_000_000;

export interface ThreadedImport<T> {
  /** The module that calls `serveImport`. */
  readonly entry: URL;
  /** The store's, as the entry opens it. */
  readonly address: string;
  readonly companyId: string;
  readonly work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>;
  /** Opens the file that the thread has made for this one; null where it cannot be used. */
  readonly openSide: (place: SidePlace) => SideRows | null;
  readonly onWait?: (() => void) | undefined;
  /** Called at the end, however it ends; null where the thread does not know. */
  readonly onRemains: (remains: Remains | null) => void;
}

/** Rows of one kind that this thread stores: see `SidePlace`. */
export interface SideRows {
  readonly kind: FactKind;
  begin(): void;
  put(rows: readonly Rows[FactKind][], digests: readonly (RowDigest | null)[]): void;
  /** Ends and closes the file. Returns the number of its rows. Raises DuplicateRows. */
  end(): Promise<number>;
  close(): void;
}

/** As `WriteStore.import`. The thread ends with the import. */
export async function importInThread<T>({
  entry,
  address,
  companyId,
  work,
  openSide,
  onWait,
  onRemains,
}: ThreadedImport<T>): Promise<T> {
  const thread = new ImportThread(entry, onWait);
  let side: SideRows | null = null;
  try {
    const place = await thread.begin(address, companyId);
    let outcome: ImportOutcome<T>;
    try {
      side = place && openSide(place);
      outcome = await work(new RemoteTransaction(thread, side));
    } catch (error) {
      onRemains(await thread.end(null));
      throw error;
    }
    const { result, ...ending } = outcome;
    onRemains(await thread.end(ending));
    return result;
  } finally {
    try {
      side?.close();
    } finally {
      await thread.stop();
    }
  }
}

/** The import fails in its thread, which tells why when it has ended. */
class FailedInThread extends Error {
  override readonly name = "FailedInThread";
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

class ImportThread {
  readonly #worker: Worker;
  readonly #onWait: (() => void) | undefined;
  readonly #begun = Promise.withResolvers<SidePlace | null>();
  readonly #ended = Promise.withResolvers<Remains | null>();
  readonly #calls = new Map<number, Waiting>();
  readonly #emptyKinds = new Set<FactKind>();
  readonly #pendingBatches = new Map<FactKind, number>();
  #pendingBytes = 0;
  #room = Promise.withResolvers<void>();
  #failure: Error | null = null;
  #lastId = 0;

  constructor(entry: URL, onWait: (() => void) | undefined) {
    this.#worker = new Worker(entry);
    this.#onWait = onWait;
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread of the import ended")));
    for (const { promise } of [this.#begun, this.#ended]) promise.catch(() => {}); // raised where it is waited for
  }

  begin(address: string, companyId: string): Promise<SidePlace | null> {
    this.#post({ type: "begin", address, companyId });
    return this.#begun.promise;
  }

  /** Waits until the import has ended. Raises what the store raised. */
  end(ending: Ending): Promise<Remains | null> {
    this.#post({ type: "end", ending });
    return this.#ended.promise;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #receive(message: FromThread): void {
    switch (message.type) {
      case "waiting":
        this.#onWait?.();
        return;
      case "begun":
        for (const kind of message.emptyKinds) this.#emptyKinds.add(kind);
        this.#begun.resolve(message.side);
        return;
      case "has put":
        this.#pendingBatches.set(message.kind, this.#pendingBatches.get(message.kind)! - 1);
        this.#pendingBytes -= message.bytes;
        this.#room.resolve();
        return;
      case "reply":
        this.#calls.get(message.id)!.resolve(message.value as never); // the caller knows what it asked for
        this.#calls.delete(message.id);
        return;
      case "failed":
        this.#refuse(new FailedInThread());
        return;
      case "ended":
        if (message.error === null) this.#ended.resolve(message.remains);
        else this.#fail(revived(message.error));
    }
  }

  /** Nothing that is asked for is answered any more. */
  #refuse(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#calls.values()) reject(this.#failure);
    this.#calls.clear();
    this.#room.resolve();
  }

  #fail(error: Error): void {
    this.#refuse(error);
    this.#begun.reject(error);
    this.#ended.reject(error);
  }

  /** Answered at once where it can be: the thread may be busy. */
  async isEmpty(kind: FactKind): Promise<boolean> {
    return this.#emptyKinds.has(kind) || (await this.call<boolean>("isEmpty", [kind], kind));
  }

  /** Returns when there is room for more. */
  async put<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[],
  ): Promise<void> {
    this.#emptyKinds.delete(kind);
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      if (this.#failure !== null) throw this.#failure;
      const end = at + BATCH_ROWS;
      const packed = packRows(kind, rows.slice(at, end), digests.slice(at, end));
      this.#pendingBatches.set(kind, (this.#pendingBatches.get(kind) ?? 0) + 1);
      this.#pendingBytes += packedBytes(packed);
      this.#post({ type: "put", packed }, [packed.numbers.buffer, packed.digests.buffer]);
      while (this.#pendingBytes > PENDING_BYTES && this.#failure === null) {
        this.#room = Promise.withResolvers();
        await this.#room.promise;
      }
    }
  }

  /** `readsOnly`: the kind whose rows it reads, if it is one and nothing is written. */
  call<T>(name: CallName, args: readonly unknown[], readsOnly?: FactKind): Promise<T> {
    const isUrgent = readsOnly !== undefined && (this.#pendingBatches.get(readsOnly) ?? 0) === 0;
    return this.#ask((id) => ({ type: "call", id, name, args, isUrgent }));
  }

  /** Without waiting for it. If it fails, the next call does. What reads rows of the kind comes after it. */
  do(name: CallName, kind: FactKind, args: readonly unknown[]): void {
    if (this.#failure !== null) throw this.#failure;
    this.#pendingBatches.set(kind, (this.#pendingBatches.get(kind) ?? 0) + 1);
    this.#post({ type: "do", name, args, kind });
  }

  /** Rows of a kind are stored elsewhere. */
  hasRows(kind: FactKind): void {
    this.#emptyKinds.delete(kind);
  }

  async *stream<T>(name: StreamName, args: readonly unknown[]): AsyncGenerator<T> {
    const stream = ++this.#lastId;
    this.#post({ type: "stream", id: stream, name, args });
    const next = (isLast: boolean) =>
      this.#ask<IteratorResult<T>>((id) => ({ type: "next", id, stream, isLast }));
    let isDone = false;
    try {
      for (;;) {
        const { done, value } = await next(false);
        isDone = done === true;
        if (isDone) return;
        yield value;
      }
    } finally {
      if (!isDone && this.#failure === null) await next(true);
    }
  }

  #ask<T>(message: (id: number) => ToThread): Promise<T> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#calls.set(id, { resolve, reject });
    this.#post(message(id));
    return promise;
  }
}

export function revived({ name, message, stack, problem, advice }: SentError): Error {
  if (problem !== undefined && name === "StoreRefusal") return new StoreRefusal(problem, advice);
  if (problem !== undefined) return new StoreUnavailable(problem, advice);
  const error = name === "DuplicateRows" ? new DuplicateRows(message) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

class RemoteTransaction implements ImportTransaction {
  readonly #thread: ImportThread;
  readonly #side: SideRows | null;
  /** The kind of the first load that was begun last. */
  #loaded: FactKind | null = null;
  readonly digests: RowDigests;

  constructor(thread: ImportThread, side: SideRows | null) {
    this.#thread = thread;
    this.#side = side;
    this.digests = new RemoteDigests(thread);
  }

  isEmpty(kind: FactKind): Promise<boolean> {
    return this.#thread.isEmpty(kind);
  }

  count(kind: FactKind): Promise<number> {
    return this.#thread.call("count", [kind], kind);
  }

  match(kind: NamedKind, names: readonly string[]): ReturnType<ImportTransaction["match"]> {
    return this.#thread.call("match", [kind, names], kind);
  }

  stored<K extends FactKind>(kind: K, keys: readonly RowKey[]): Promise<(Rows[K] | null)[]> {
    return this.#thread.call("stored", [kind, keys], kind);
  }

  assignmentsById(ids: readonly string[]): ReturnType<ImportTransaction["assignmentsById"]> {
    return this.#thread.call("assignmentsById", [ids], "assignments");
  }

  async beginFirstLoad(kind: FactKind): Promise<void> {
    this.#loaded = kind;
    if (kind === this.#side?.kind) this.#side.begin();
    else this.#thread.do("beginFirstLoad", kind, [kind]);
  }

  /** The next kind is read while rows are moved: DuplicateRows may be raised later. */
  async endFirstLoad(): Promise<void> {
    const kind = this.#loaded!; // it was begun
    this.#loaded = null;
    if (kind !== this.#side?.kind) this.#thread.do("endFirstLoad", kind, []);
    else this.#thread.do("copySideRows", kind, [await this.#side.end()]);
  }

  async put<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[] = [],
  ): Promise<void> {
    if (kind !== this.#loaded || kind !== this.#side?.kind) return this.#thread.put(kind, rows, digests);
    this.#side.put(rows, digests);
    this.#thread.hasRows(kind);
  }

  remove(kind: FactKind, keys: readonly RowKey[]): Promise<void> {
    return this.#thread.call("remove", [kind, keys]);
  }

  workersBefore(ids: readonly string[]): Promise<(WorkerBefore | null)[]> {
    return this.#thread.call("workersBefore", [ids], "workers");
  }

  takeBackWorker(id: string, before: WorkerBefore | null): Promise<void> {
    return this.#thread.call("takeBackWorker", [id, before]);
  }

  scan<K extends FactKind>(kind: K): AsyncIterable<readonly Rows[K][]> {
    return this.#thread.stream("scan", [kind]);
  }

  requestsInWorkersZone(workerIds: readonly string[]): Promise<Rows["requests"][]> {
    return this.#thread.call("requestsInWorkersZone", [workerIds]);
  }

  referenced(kind: "workers" | "policies", ids: readonly string[]): Promise<Map<string, FactKind>> {
    return this.#thread.call("referenced", [kind, ids]);
  }

  company(): Promise<Company> {
    return this.#thread.call("company", []);
  }

  updateCompany(change: Partial<CompanySettings>): Promise<void> {
    return this.#thread.call("updateCompany", [change]);
  }

  workersWithoutManager(limit: number): ReturnType<ImportTransaction["workersWithoutManager"]> {
    return this.#thread.call("workersWithoutManager", [limit]);
  }

  withoutAssignment(
    kind: "requests" | "adjustments" | "policies",
  ): ReturnType<ImportTransaction["withoutAssignment"]> {
    return this.#thread.call("withoutAssignment", [kind]);
  }
}

class RemoteDigests implements RowDigests {
  readonly #thread: ImportThread;

  constructor(thread: ImportThread) {
    this.#thread = thread;
  }

  key(program: string): Promise<DigestKey> {
    return this.#thread.call("digests.key", [program]);
  }

  all(kind: DigestedKind): AsyncIterable<Uint32Array> {
    return this.#thread.stream("digests.all", [kind]);
  }

  of(kind: DigestedKind, keys: readonly RowKey[]): Promise<(RowDigest | null)[]> {
    return this.#thread.call("digests.of", [kind, keys]);
  }

  set(
    kind: DigestedKind,
    rows: readonly (readonly [key: RowKey, digest: RowDigest | null])[],
  ): Promise<void> {
    return this.#thread.call("digests.set", [kind, rows]);
  }

  keys(kind: DigestedKind): ReturnType<RowDigests["keys"]> {
    return this.#thread.stream("digests.keys", [kind]);
  }

  forget(workerIds: readonly string[]): Promise<void> {
    return this.#thread.call("digests.forget", [workerIds]);
  }

  forgetAll(): Promise<void> {
    return this.#thread.call("digests.forgetAll", []);
  }
}
