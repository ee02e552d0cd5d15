// Connections to PostgreSQL: a bounded pool, a time limit on every wait, and its errors told apart by SQLSTATE.
import DataLoader from "dataloader";
import pg from "pg";
import type { Sql } from "sql-template-tag";
import { StoreUnavailable } from "../../store.ts";
import { type Address, parseAddress } from "./address.ts";
import { isConnectionLost, isStatementMixUp, mapError } from "./errors.ts";

/** How long a server waits for a connection, because a caller waits for its response. */
export const SERVER_CONNECT_TIMEOUT_MS = 2000;

/** How long a command waits: on a busy machine a session takes seconds to begin. */
const COMMAND_CONNECT_TIMEOUT_MS = 15_000;

/** How much longer than the server's own time limit we wait for its error. */
const GRACE_MS = 500;

/** How often a read is tried if its connection is lost. All idle connections may be lost at once. */
const TRIES = 3;

/** How many statements are prepared by name. The server stores each of them for every connection. */
const PREPARED_TEXTS = 200;

/** One statement: its text, with parameters by number, and their values. */
export type PostgresStatement = Pick<Sql, "text" | "values">;

export interface PoolOptions {
  readonly max: number;
  /** The time limit of every statement, on the server and, a little later, here; no limit if left out. */
  readonly timeoutMs?: number;
  /** How long to wait for a connection; that of a command if left out. */
  readonly connectTimeoutMs?: number;
}

/** A server with its pool. Every failure is a StoreUnavailable or a StoreRefusal, except our own bugs. */
export class PostgresDatabase {
  readonly serverName: string;
  readonly #pool: pg.Pool;
  readonly #names = new Map<string, string>();
  readonly #timeoutMs: number | undefined;
  #prepares: boolean;

  constructor(db: string | Address, options: PoolOptions) {
    const address = typeof db === "string" ? parseAddress(db) : db;
    this.serverName = address.serverName;
    this.#timeoutMs = options.timeoutMs;
    this.#prepares = address.session;
    this.#pool = new pg.Pool({
      application_name: "rollcall",
      ...address.connection,
      ...(address.session && options.timeoutMs !== undefined && { statement_timeout: options.timeoutMs }),
      max: options.max,
      connectionTimeoutMillis: options.connectTimeoutMs ?? COMMAND_CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    });
    // A connection that breaks is dropped; the statement on it, or the next, says so. Without someone who listens,
    // the event would end the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
  }

  /** The rows of one read; `R` names what its text selects. One that lost its connection is tried again on others. */
  async read<R>(query: PostgresStatement): Promise<R[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once<R>(query);
      } catch (error) {
        if (isStatementMixUp(error)) this.#prepares = false;
        else if (error instanceof StoreUnavailable || !isConnectionLost(error) || tries === TRIES) {
          throw mapError(error, this.serverName);
        }
      }
    }
  }

  /** One statement that must not be run twice. */
  async execute<R>(query: PostgresStatement): Promise<R[]> {
    return this.#once<R>(query).catch((error) => {
      throw mapError(error, this.serverName);
    });
  }

  async #once<R>(query: PostgresStatement): Promise<R[]> {
    const client = await this.#connect();
    let broken = true;
    try {
      const name = this.#prepares ? this.#nameOf(query.text) : undefined;
      const text = { text: query.text, values: query.values, ...(name !== undefined && { name }) };
      const result = await this.#inTime(client.query(text));
      broken = false;
      return result.rows as R[]; // the query's own selection
    } catch (error) {
      broken = error instanceof StoreUnavailable || isConnectionLost(error) || isStatementMixUp(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Runs `work` on one connection, for as long as it takes. A failure ends the connection, and what it began with it. */
  async hold<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = true;
    try {
      const result = await work(client);
      broken = false;
      return result;
    } finally {
      client.release(broken);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw mapError(error, this.serverName);
    }
  }

  /** A frozen connection never responds: the wait ends here. */
  async #inTime<T>(result: Promise<T>): Promise<T> {
    if (this.#timeoutMs === undefined) return result;
    const limitMs = this.#timeoutMs + GRACE_MS;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new StoreUnavailable(`${this.serverName} did not respond within ${limitMs} ms`)),
      limitMs,
    );
    try {
      return await Promise.race([result, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The same name always means the same text, in every process, because poolers share sessions between processes. */
  #nameOf(text: string): string | undefined {
    let name = this.#names.get(text);
    if (name === undefined && this.#names.size < PREPARED_TEXTS) {
      name = `rollcall_${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32)}`;
      this.#names.set(text, name);
    }
    return name;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Runs one statement of ours on a held connection, outside any pool. */
export async function run<R>(
  client: pg.ClientBase,
  serverName: string,
  query: PostgresStatement,
): Promise<R[]> {
  try {
    return (await client.query({ text: query.text, values: query.values })).rows as R[]; // the query's own selection
  } catch (error) {
    throw mapError(error, serverName);
  }
}

/**
 * Many requests want the same small fact at the same moment: one read asks for all of them. Whoever asks while a read is
 * under way waits for the next one, so the result always comes from a read that began after it was asked for: that is what
 * makes a version proof of freshness. Null for a key that the read did not find.
 */
export function sharedReads<V>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): DataLoader<string, V | null> {
  let underWay: Promise<unknown> = Promise.resolve();
  return new DataLoader<string, V | null>(
    async (asked) => {
      const reading = readAll([...new Set(asked)]);
      underWay = reading.catch(() => {});
      const found = await reading;
      return asked.map((key) => found.get(key) ?? null);
    },
    {
      cache: false,
      maxBatchSize: Number.POSITIVE_INFINITY,
      batchScheduleFn: (dispatch) => void underWay.then(dispatch),
    },
  );
}
