// The thread that runs queries, with limits of time and memory.
import { ImportRefused } from "../row-errors.ts";
import source from "./query-worker.js" with { type: "text" };

/** The limits of one query. A step is the work for the next thousand rows. */
export interface QueryLimits {
  /** For all its steps together. */
  readonly timeoutMs: number;
  /** How much memory a step may add to the process. */
  readonly memoryBytes: number;
}

const MB = 1024 * 1024;
export const DEFAULT_QUERY_LIMITS: QueryLimits = { timeoutMs: 10 * 60_000, memoryBytes: 100 * MB };

/** Short, because a query may fill a gigabyte in a second. */
const CHECK_EVERY_MS = 10;

type Action =
  | { action: "attach"; path: string; cacheKib: number }
  | { action: "open"; sql: string }
  | { action: "next" | "close" };

/** The values of a result row, in order. */
export type ResultRow = readonly unknown[];

/** A query failed. The message is SQLite's, or says what is wrong with a row. */
export class QueryFailed extends Error {
  override readonly name = "QueryFailed";
}

/** Runs one query at a time. */
export class QueryThread {
  readonly #worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  #label = "";
  #usedMs = 0;
  #isStuck = false;

  constructor(private readonly limits: QueryLimits) {}

  /** Attaches the file of the tables. It may be unlinked afterwards. */
  async attach(path: string, cacheKib: number): Promise<void> {
    await this.#ask({ action: "attach", path, cacheKib });
  }

  /** Begins a query; messages name it by `label`. Raises QueryFailed, and ImportRefused at a limit. */
  async open(sql: string, label: string): Promise<void> {
    this.#label = label;
    this.#usedMs = 0;
    await this.#ask({ action: "open", sql });
  }

  /** The next rows; none at the end. Raises like `open`. */
  async next(): Promise<readonly ResultRow[]> {
    return (await this.#ask({ action: "next" })) as readonly ResultRow[]; // as the thread sends them
  }

  /** Ends the query. A step that reached a limit cannot be stopped: it ends with the process, which exits because the import is refused. */
  async close(): Promise<void> {
    if (!this.#isStuck) await this.#ask({ action: "close" });
  }

  /** Ends the thread. */
  end(): void {
    this.#worker.terminate();
  }

  async #ask(action: Action): Promise<unknown> {
    const startedAt = performance.now();
    const bytesBefore = process.memoryUsage.rss();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { timeoutMs, memoryBytes } = this.limits;
    const check = () => {
      if (this.#usedMs + performance.now() - startedAt > timeoutMs)
        reject(this.#refuse(`ran for more than ${timeoutMs / 1000} s: correct it, or raise --query-timeout`));
      if (process.memoryUsage.rss() - bytesBefore > memoryBytes)
        reject(
          this.#refuse(
            `took more than ${memoryBytes / MB} MB of memory: correct it, or raise --query-memory`,
          ),
        );
    };
    this.#worker.onmessage = ({ data }) =>
      data.failure === undefined ? resolve(data.result) : reject(new QueryFailed(data.failure));
    this.#worker.onerror = ({ message }) => reject(new Error(message));
    // Attaching the tables is not part of a query.
    const timer = action.action === "attach" ? undefined : setInterval(check, CHECK_EVERY_MS);
    this.#worker.postMessage(action);
    try {
      return await promise;
    } finally {
      clearInterval(timer);
      this.#usedMs += performance.now() - startedAt;
    }
  }

  #refuse(what: string): ImportRefused {
    this.#isStuck = true;
    return new ImportRefused([`${this.#label}: the query ${what}`]);
  }
}
