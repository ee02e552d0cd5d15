// The thread that runs queries, and the limits of what they may take.
import { ImportRefused } from "../row-errors.ts";
import source from "./query-worker.js" with { type: "text" };

/** What one query may take. A step of it is the work for the next thousand rows. */
export interface QueryLimits {
  /** In all of its steps. */
  readonly timeoutMs: number;
  /** By how much a step may let the memory of the process grow. */
  readonly memoryBytes: number;
}

const MB = 1024 * 1024;
export const DEFAULT_QUERY_LIMITS: QueryLimits = { timeoutMs: 10 * 60_000, memoryBytes: 100 * MB };

/** A query may fill a gigabyte in a second. */
const CHECK_EVERY_MS = 10;

type Action =
  | { action: "attach"; path: string; cacheKib: number }
  | { action: "open"; sql: string }
  | { action: "next" | "close" };

/** A row of a result: its values in order. */
export type ResultRow = readonly unknown[];

/** SQLite's message, or what is wrong with a row. */
export class QueryFailed extends Error {
  override readonly name = "QueryFailed";
}

/** One query at a time. */
export class QueryThread {
  readonly #worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  readonly #limits: QueryLimits;
  #label = "";
  #usedMs = 0;
  #isStuck = false;

  constructor(limits: QueryLimits) {
    this.#limits = limits;
  }

  /** Opens the file of the tables, which may lose its name then. */
  async attach(path: string, cacheKib: number): Promise<void> {
    await this.#ask({ action: "attach", path, cacheKib });
  }

  /** Begins a query, which messages call by its label. Raises QueryFailed, and ImportRefused where it meets a limit. */
  async open(sql: string, label: string): Promise<void> {
    this.#label = label;
    this.#usedMs = 0;
    await this.#ask({ action: "open", sql });
  }

  /** The next rows; none at the end. Raises as `open` does. */
  async next(): Promise<readonly ResultRow[]> {
    return (await this.#ask({ action: "next" })) as readonly ResultRow[]; // as the thread sends them
  }

  /** Ends the query. A step that has met a limit goes on until the process ends, which it does soon: the import is refused. */
  async close(): Promise<void> {
    if (!this.#isStuck) await this.#ask({ action: "close" });
  }

  end(): void {
    this.#worker.terminate();
  }

  async #ask(action: Action): Promise<unknown> {
    const startedAt = performance.now();
    const bytesBefore = process.memoryUsage.rss();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { timeoutMs, memoryBytes } = this.#limits;
    const check = () => {
      if (this.#usedMs + performance.now() - startedAt > timeoutMs)
        reject(this.#refused(`ran for more than ${timeoutMs / 1000} s: mend it, or raise --query-timeout`));
      if (process.memoryUsage.rss() - bytesBefore > memoryBytes)
        reject(
          this.#refused(`took more than ${memoryBytes / MB} MB of memory: mend it, or raise --query-memory`),
        );
    };
    this.#worker.onmessage = ({ data }) =>
      data.failure === undefined ? resolve(data.result) : reject(new QueryFailed(data.failure));
    this.#worker.onerror = ({ message }) => reject(new Error(message));
    // To attach the tables is not a part of any query.
    const timer = action.action === "attach" ? undefined : setInterval(check, CHECK_EVERY_MS);
    this.#worker.postMessage(action);
    try {
      return await promise;
    } finally {
      clearInterval(timer);
      this.#usedMs += performance.now() - startedAt;
    }
  }

  #refused(what: string): ImportRefused {
    this.#isStuck = true;
    return new ImportRefused([`${this.#label}: the query ${what}`]);
  }
}
