// The servers of a store: the primary gives keys and versions, replicas give the rows of a version. Each statement also selects, in the
// same snapshot, the proof that the server is the primary or has that version.
import sql, { raw, type Sql } from "sql-template-tag";
import { companyVersion } from "../../queries.ts";
import { StoreRefusal, StoreUnavailable } from "../../store.ts";
import { requireFaithful, STORED_VERSION } from "../maintenance/migrate.ts";
import { SCHEMA_VERSION } from "../schema.ts";
import { type Address, PostgresDatabase, parseAddress, SERVER_CONNECT_TIMEOUT_MS } from "./database.ts";
import { sqlState } from "./errors.ts";

// The primary ------------------------------------------------------------------------------------------------------------

/** How long a look-up of one small row may take before the server counts as unreachable. */
const QUICK_TIMEOUT_MS = 1500;

export function quickTimeoutMs({ timeoutMs }: Address): number {
  return Math.min(QUICK_TIMEOUT_MS, timeoutMs);
}

type ProvenRow<R> = R & {
  readonly isStandby: boolean;
  readonly schemaVersion: number | null;
  readonly isFound: true | null;
};

/** One for versions, one for keys, and one for calendar feeds and the last uses of keys. */
const PRIMARY_CONNECTIONS = 3;

/** Connections to the primary for what only the primary knows. Nothing slow can block them. */
export class Primary {
  readonly database: PostgresDatabase;

  constructor(address: Address) {
    this.database = new PostgresDatabase(address, {
      max: PRIMARY_CONNECTIONS,
      timeoutMs: quickTimeoutMs(address),
      connectTimeoutMs: SERVER_CONNECT_TIMEOUT_MS,
    });
  }

  /** The rows as the primary has them. A standby that is behind, or of another schema, raises StoreUnavailable. */
  async read<R>(query: Sql): Promise<R[]> {
    const { serverName } = this.database;
    const proof = sql`select pg_is_in_recovery() as "isStandby", (${STORED_VERSION}) as "schemaVersion"`;
    const proven = sql`
      select proof.*, looked.*
      from (${proof}) as proof
      left join lateral (select true as "isFound", wanted.* from (${query}) as wanted) as looked on true`;
    const rows = await this.database.read<ProvenRow<R>>(proven).catch((error) => {
      throw unavailable(error);
    });
    const { isStandby, schemaVersion } = rows[0]!; // it has one
    if (isStandby) throw new StoreUnavailable(`${serverName} is a standby`, "name the primary with --db");
    if (schemaVersion !== SCHEMA_VERSION) {
      throw new StoreUnavailable(
        `${serverName} was migrated by another version of Rollcall`,
        "restart this server with that version",
      );
    }
    return rows.filter((row) => row.isFound).map(({ isStandby, schemaVersion, isFound, ...row }) => row as R); // what is left
  }
}

/** For a running server, missing tables or grants count as an outage. */
export function unavailable(error: unknown): unknown {
  return error instanceof StoreRefusal
    ? new StoreUnavailable(error.problem, error.advice, { cause: error })
    : error;
}

// Replicas ---------------------------------------------------------------------------------------------------------------

/** How often a replica that failed is tried. */
const PROBE_EVERY_MS = 500;

/** How long a replica that was behind is not used: about as long as it takes to replay a small change. */
const BEHIND_REST_MS = 100;

type ProvenVersionRow<R> = R & { readonly provenVersion: string; readonly isWanted: true | null };

/**
 * Selects the rows of a query, each with the company's version in the same snapshot; one row of nulls if there are none; no row if a
 * migration made another schema.
 * The join has no condition and one version, so it is a nested loop, and the rows stay in the query's order.
 */
function withVersion(companyId: string, query: Sql): Sql {
  const version = sql`${companyVersion(companyId)} and (${STORED_VERSION}) = ${raw(String(SCHEMA_VERSION))}`;
  return sql`
    select proof.version as "provenVersion", wanted.*
    from (${version}) as proof
    left join (select true as "isWanted", selected.* from (${query}) as selected) as wanted on true`;
}

class Replica {
  readonly #database: PostgresDatabase;
  /** Used for probes only, so that a slow page cannot make the server look dead. */
  readonly #probes: PostgresDatabase;
  #isUp = true;
  #isClosed = false;
  #restUntilMs = 0;

  constructor(
    db: string,
    quickTimeoutMs: number,
    private readonly onDown: (error: unknown) => void,
  ) {
    const address = parseAddress(db);
    const { pool: max, timeoutMs } = address;
    const connectTimeoutMs = SERVER_CONNECT_TIMEOUT_MS;
    this.#database = new PostgresDatabase(address, { max, timeoutMs, connectTimeoutMs });
    this.#probes = new PostgresDatabase(address, { max: 1, timeoutMs: quickTimeoutMs, connectTimeoutMs });
  }

  get isReady(): boolean {
    return this.#isUp && performance.now() >= this.#restUntilMs;
  }

  /** The rows, if the replica has this version in the same snapshot. Null if it is behind or down. */
  async at<R>(companyId: string, version: string, query: Sql): Promise<R[] | null> {
    let rows: ProvenVersionRow<R>[];
    try {
      rows = await this.#database.read(withVersion(companyId, query));
    } catch (error) {
      this.#rest(error);
      // If the statement itself is wrong, the primary says so.
      if (error instanceof StoreUnavailable || error instanceof StoreRefusal || sqlState(error) !== null)
        return null;
      throw error;
    }
    if (rows[0]?.provenVersion !== version) {
      this.#restUntilMs = performance.now() + BEHIND_REST_MS;
      return null;
    }
    return rows.filter((row) => row.isWanted).map(({ provenVersion, isWanted, ...row }) => row as R); // what is left
  }

  /** Checks that the replica can be read, so that a wrong address, password or setting is noticed at the start. */
  async check(): Promise<void> {
    await this.#look().catch((error) => this.#rest(error));
  }

  async #look(): Promise<void> {
    await this.#probes.read(STORED_VERSION);
    await requireFaithful(this.#probes);
  }

  /** Does not use the replica until it responds again. */
  #rest(error: unknown): void {
    if (!this.#isUp || this.#isClosed) return;
    this.onDown(error);
    void this.#probe();
  }

  /** Waits until the replica responds again. It is not used meanwhile. */
  async #probe(): Promise<void> {
    this.#isUp = false;
    while (!this.#isUp && !this.#isClosed) {
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS).unref());
      this.#isUp = await this.#look().then(
        () => true,
        () => false,
      );
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#database.close(), this.#probes.close()]);
  }
}

export class Replicas {
  readonly #replicas: readonly Replica[];
  #turn = 0;

  constructor(dbs: readonly string[], quickTimeoutMs: number, onDown: (error: unknown) => void) {
    this.#replicas = dbs.map((db) => new Replica(db, quickTimeoutMs, onDown));
  }

  async check(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.check()));
  }

  /** The rows from a replica that has this version of the company; null if none has. Replicas take turns. */
  async at<R>(companyId: string, version: string, query: Sql): Promise<R[] | null> {
    const ready = this.#replicas.filter((replica) => replica.isReady);
    this.#turn++;
    for (const index of ready.keys()) {
      const rows = await ready[(this.#turn + index) % ready.length]!.at<R>(companyId, version, query);
      if (rows !== null) return rows;
    }
    return null;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }
}
