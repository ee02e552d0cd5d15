// Connections to PostgreSQL: a bounded pool, a time limit on every wait, and errors classified by SQLSTATE.
import { once } from "node:events";
import { connect } from "node:net";
import DataLoader from "dataloader";
import pg from "pg";
import { raw, type Sql } from "sql-template-tag";
import { addressUrl, whenInterrupted } from "../../engine.ts";
import { StoreRefusal, StoreUnavailable } from "../../store.ts";
import { isConnectionLost, isIdleTimeout, isStatementMixUp, mapError, sqlState } from "./errors.ts";

/** How long a server waits for a connection, because a caller waits for its response. */
export const SERVER_CONNECT_TIMEOUT_MS = 2000;

/** How long a command or a starting server waits: on a busy machine a session takes seconds to begin. */
const COMMAND_CONNECT_TIMEOUT_MS = 15_000;

/** How much longer than the server's own time limit we wait for its error. */
const GRACE_MS = 500;

/** How often a statement is tried if its connection is lost. All idle connections may be lost at once. */
const TRIES = 3;

/** How many statements are prepared by name. The server stores each for every connection. */
const PREPARED_TEXTS = 200;

/** Marks a statement whose best plan depends on its values. It gets no name, so the server plans it each time. */
export const PLANNED_EACH_TIME = raw("/* planned for its values */ ");

/** Independent of the server's and the role's defaults. A first import has statements of minutes; a hanging command must not hold a company. */
const COMMAND_SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_isolation: "read committed", // a standby refuses to read as serializable
  statement_timeout: "0",
  lock_timeout: "10min",
  idle_in_transaction_session_timeout: "90s",
  idle_session_timeout: "0", // the pool ends idle sessions itself
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "60s",
};

/** How soon the server ends the statement of a client that is gone. On a system that cannot detect it, the server refuses the setting. */
const CLIENT_CHECK = "set client_connection_check_interval = '5s'";

/** From PostgreSQL 17 on, a transaction may have a time limit. Older servers do not know the setting. */
const NO_TRANSACTION_TIMEOUT =
  "select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'";

async function beginCommandSession(client: pg.ClientBase): Promise<void> {
  const settings = Object.entries(COMMAND_SETTINGS);
  await client.query(settings.map(([name, value]) => `set ${name} = '${value}'`).join("; "));
  await client.query(NO_TRANSACTION_TIMEOUT);
  await client.query(CLIENT_CHECK).catch(() => {});
}

export interface PoolOptions {
  readonly max: number;
  /** The time limit of every statement, on the server and, a little later, here. Commands have none: they have their own settings. */
  readonly timeoutMs?: number;
  /** How long to wait for a connection; as long as a command by default. */
  readonly connectTimeoutMs?: number;
}

/** A server with its pool. Every failure except a bug of ours is a StoreUnavailable or a StoreRefusal. */
export class PostgresDatabase {
  readonly serverName: string;
  readonly #config: pg.PoolConfig;
  readonly #pool: pg.Pool;
  readonly #names = new Map<string, string>();
  readonly #timeoutMs: number | undefined;
  #prepares: boolean;

  constructor(db: string | Address, options: PoolOptions) {
    const address = typeof db === "string" ? parseAddress(db) : db;
    this.serverName = address.serverName;
    this.#timeoutMs = options.timeoutMs;
    this.#prepares = address.session;
    this.#config = {
      application_name: "rollcall",
      ...address.connection,
      ...(address.session &&
        (options.timeoutMs === undefined
          ? { onConnect: beginCommandSession }
          : { statement_timeout: options.timeoutMs })),
      max: options.max,
      connectionTimeoutMillis: options.connectTimeoutMs ?? COMMAND_CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    };
    this.#pool = new pg.Pool(this.#config);
    // A broken connection is dropped, and a statement fails. Without a listener, the event would end the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => {
      client.on("error", (error) => {
        if (!ENDS.has(client)) ENDS.set(client, error);
      });
    });
  }

  /** Makes a connection before the first read. It waits as long as a command, because no caller waits yet. */
  async connect(): Promise<void> {
    const { options } = this.#pool;
    const { connectionTimeoutMillis } = options;
    options.connectionTimeoutMillis = COMMAND_CONNECT_TIMEOUT_MS;
    const connecting = this.#connect();
    options.connectionTimeoutMillis = connectionTimeoutMillis; // the open connection keeps the longer one
    (await connecting).release();
  }

  /** The rows of one read. `R` is the type of its selection. A read that lost its connection is tried again on others. */
  async read<R>(query: Sql): Promise<R[]> {
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

  /** Runs one statement that must not run twice. It did not run if its connection had been idle for too long. */
  async execute<R>(query: Sql): Promise<R[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once<R>(query);
      } catch (error) {
        if (!isIdleTimeout(error) || tries === TRIES) throw mapError(error, this.serverName);
      }
    }
  }

  async #once<R>(query: Sql): Promise<R[]> {
    const client = await this.#connect();
    let broken = true;
    try {
      const isPrepared = this.#prepares && !query.text.includes(PLANNED_EACH_TIME.text);
      const name = isPrepared ? this.#nameOf(query.text) : undefined;
      const text = { text: query.text, values: query.values, ...(name !== undefined && { name }) };
      const result = await this.#inTime(client.query(text));
      broken = false;
      return result.rows as R[]; // the query's own selection
    } finally {
      client.release(broken); // a failure is rare, and ends the connection
    }
  }

  /** Runs `work` on one connection, without a time limit. A failure ends the connection, and its transaction. */
  async hold<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const stop = () => cancel(client);
    whenInterrupted.add(stop);
    let broken = true;
    try {
      const result = await work(client);
      broken = false;
      return result;
    } finally {
      whenInterrupted.delete(stop);
      client.release(broken);
    }
  }

  /** Runs a statement on its own connection, to learn about another one that waits. */
  async aside<R>(query: Sql): Promise<R[]> {
    const client = new pg.Client(this.#config);
    client.on("error", () => {});
    try {
      await client.connect();
      return await run<R>(client, this.serverName, query);
    } finally {
      await client.end();
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw mapError(error, this.serverName);
    }
  }

  /** Ends the wait for a frozen connection, which never responds. */
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

  /** The name of a prepared text. It is the same in every process, because poolers share sessions between processes. */
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A connection of the driver, with the server's identifiers for it. */
interface Session {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_REQUEST = 80_877_102;

/**
 * Ends the statement of a connection (PostgreSQL's manual, Message Formats, CancelRequest). Needs no session. Works behind a pooler, which
 * alone knows the process that runs the statement, and passes the request on to it.
 */
export async function cancel(client: pg.ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client as pg.ClientBase & Session;
  const request = Buffer.alloc(16);
  for (const [at, field] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(field, 4 * at);
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.write(request);
  await once(socket, "close");
}

/** Why connections ended while no statement ran on them: the next statement says only that the connection is gone. */
const ENDS = new WeakMap<pg.ClientBase, Error>();

/** As `mapError`, for an error of a held connection. The error has ended the connection's transaction. */
export function mapClientError(client: pg.ClientBase, error: unknown, serverName: string): unknown {
  const mapped = mapError(sqlState(error) === null ? (ENDS.get(client) ?? error) : error, serverName);
  if (!(mapped instanceof StoreUnavailable)) return mapped;
  return new StoreUnavailable(`${mapped.problem}. Nothing was changed`, mapped.advice, { cause: error });
}

/** Commits a transaction. For the error of a connection lost meanwhile: `what` names the work, `advice` says how to see if it was done. */
export async function commit(
  client: pg.ClientBase,
  serverName: string,
  what: string,
  advice = "run it again, which changes nothing twice",
): Promise<void> {
  try {
    await client.query("commit");
  } catch (error) {
    if (!isConnectionLost(error)) throw mapClientError(client, error, serverName);
    throw new StoreUnavailable(
      `${serverName} ended the connection. Whether the ${what} was done is not known`,
      advice,
      { cause: error },
    );
  }
}

/** Runs one statement of ours on a held connection, outside any pool. */
export async function run<R>(client: pg.ClientBase, serverName: string, query: Sql): Promise<R[]> {
  try {
    return (await client.query({ text: query.text, values: query.values })).rows as R[]; // the query's own selection
  } catch (error) {
    throw mapClientError(client, error, serverName);
  }
}

/**
 * Fetches a small fact for many requests with one read. A request during a read waits for the next read, so its result always comes from
 * a read that began after the request: a version that was read so is current. Null for a key that has no value.
 */
export function sharedReads<V>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): DataLoader<string, V | null> {
  let underWay: Promise<unknown> = Promise.resolve();
  return new DataLoader<string, V | null>(
    async (keys) => {
      const reading = readAll([...new Set(keys)]);
      underWay = reading.catch(() => {});
      const values = await reading;
      return keys.map((key) => values.get(key) ?? null);
    },
    {
      cache: false,
      maxBatchSize: Number.POSITIVE_INFINITY,
      batchScheduleFn: (dispatch) => void underWay.then(dispatch),
    },
  );
}

// Reads a `postgres://` address into the settings of its connections (docs/postgresql.md, The address).

const POOL_DEFAULT = 10;
const TIMEOUT_DEFAULT_MS = 4000;

export interface Address {
  /** The server's name in messages, without a password. */
  readonly serverName: string;
  readonly connection: pg.ClientConfig;
  /** The most connections that one process opens for reading. */
  readonly pool: number;
  /** How long one read may take on the server. */
  readonly timeoutMs: number;
  /** False behind a transaction pooler that cannot keep prepared statements or session settings. */
  readonly session: boolean;
}

/** The driver's parameters that an address may have. The driver ignores a misspelt one: with `sslmod=verify-full`, it would send all in clear text. */
const DRIVER_PARAMETERS = [
  ...[
    "application_name",
    "fallback_application_name",
    "host",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
  ],
  ...["sslmode", "sslnegotiation", "sslrootcert", "uselibpqcompat", "user"],
];

const SSL_MODES = ["disable", "no-verify", "prefer", "require", "verify-ca", "verify-full"];

/** Raises StoreRefusal for a malformed address. The message shows nothing of it. */
export function parseAddress(db: string): Address {
  const url = addressUrl(db);
  if (url === null) {
    if (/@[^/?]*,/.test(db)) throw severalHosts();
    throw malformed();
  }
  if (url.host.includes(",") || url.searchParams.has("target_session_attrs")) throw severalHosts();
  const take = (name: string): string | null => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  };
  const pool = wholeNumber("pool", take("pool"), POOL_DEFAULT);
  const timeoutMs = wholeNumber("timeout", take("timeout"), TIMEOUT_DEFAULT_MS);
  const pooler = take("pooler");
  if (pooler !== null && pooler !== "transaction") {
    throw new StoreRefusal(`pooler=${pooler} in the address of the store`, `only "transaction" is known`);
  }
  for (const [name, value] of url.searchParams) {
    if (DRIVER_PARAMETERS.includes(name) && (name !== "sslmode" || SSL_MODES.includes(value))) continue;
    if (value.includes("@")) throw malformed(); // it may be a part of a password
    throw name === "sslmode"
      ? new StoreRefusal(
          `sslmode=${value} in the address of the store`,
          `write one of ${SSL_MODES.join(", ")}`,
        )
      : new StoreRefusal(
          `The address of the store has an unknown parameter: ${name}`,
          `known are pool, timeout, pooler, ${DRIVER_PARAMETERS.join(", ")}`,
        );
  }
  const { searchParams } = url;
  const host = url.hostname === "" ? (searchParams.get("host") ?? "localhost") : url.hostname;
  const serverName = `PostgreSQL at ${host}:${searchParams.get("port") ?? (url.port || 5432)}${url.pathname}`;
  const connection = { connectionString: url.href, keepAlive: true, types: { getTypeParser } };
  return { serverName, connection, pool, timeoutMs, session: pooler === null };
}

function malformed(): StoreRefusal {
  return new StoreRefusal(
    "The address of the store is malformed",
    "write postgres://user:password@host:5432/database, with every # / ? @ : % of the password percent-encoded (%23 %2F %3F %40 %3A %25), or without the password and give it by PGPASSWORD",
  );
}

/** The error for several hosts: the driver would connect to the first one, or to any address of a name, even if it is a standby. */
function severalHosts(): StoreRefusal {
  return new StoreRefusal(
    "The address of the store names several hosts, or asks for one by target_session_attrs, which is not supported",
    "name one address that leads to the primary, and standbys with --replica",
  );
}

function wholeNumber(name: string, text: string | null, otherwise: number): number {
  if (text === null) return otherwise;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new StoreRefusal(`${name}=${text} in the address of the store`, "write a whole number above 0");
}

/** Counts and instants are below 2^53, so `bigint` columns come as numbers. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === pg.types.builtins.INT8 && format !== "binary"
    ? Number
    : pg.types.getTypeParser(oid, format as "text"); // the format is passed on as it came
