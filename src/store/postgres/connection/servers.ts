// What a server asks whom, and what proves it: the primary says which keys and versions there are; replicas give rows of a version.
import sql, { raw, type Sql } from "sql-template-tag";
import { companyVersion } from "../../queries.ts";
import { StoreRefusal, StoreUnavailable } from "../../store.ts";
import { SCHEMA_VERSION } from "../maintenance/migrate.ts";
import { MIGRATIONS } from "../schema.ts";
import {
  type Address,
  PostgresDatabase,
  type PostgresStatement,
  parseAddress,
  SERVER_CONNECT_TIMEOUT_MS,
} from "./database.ts";

// The primary ------------------------------------------------------------------------------------------------------------

/** How long a look-up of one small row may take before the server counts as gone. */
const QUICK_TIMEOUT_MS = 1500;

export function quickTimeoutMs({ timeoutMs }: Address): number {
  return Math.min(QUICK_TIMEOUT_MS, timeoutMs);
}

/**
 * Which data a statement sees. A snapshot names the transactions that it does not see. So two with the same text see the same: nobody
 * has committed in between. That holds as long as no transaction is lost, as one may be if a server crashes or another takes its place.
 * So the mark says which start of which server it is of. One that recovers from the crash of a process has not started anew. It has
 * begun its statistics anew. All sessions end then, too, but a new one may get the number of an old one.
 */
const MARK =
  "concat_ws(' ', pg_backend_pid(), pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), pg_current_snapshot())";

/** How long a mark is compared with later ones: what it proves is not stretched further than a server that is in use needs. */
const MARK_MS = 30_000;

/** How old may be what is used without asking. It is half of what a revocation of a key may take. */
const TRUST_MS = 500;

/** A state of the primary's data, and when it was last known to be the present one, by `performance.now()`. */
export interface Moment {
  readonly mark: string;
  provenAtMs: number;
}

/** Whether what was read at that moment may be used without asking. */
export function isRecent({ provenAtMs }: Moment): boolean {
  return performance.now() - provenAtMs < TRUST_MS;
}

type ProvenRow<R> = R & {
  readonly isStandby: boolean;
  readonly schemaVersion: number | null;
  readonly mark: string;
  readonly isFound: true | null;
};

/** How many statements that are not of a moment run at one time: a calendar feed, and notes of uses. */
const OTHER_CONNECTIONS = 2;

/** Connections to the primary for what is asked of it alone. Nothing slow can block them. */
export class Primary {
  readonly serverName: string;
  /** One connection: each has marks of its own. */
  readonly #moments: PostgresDatabase;
  readonly #others: PostgresDatabase;
  #last: Moment = { mark: "", provenAtMs: Number.NEGATIVE_INFINITY };

  constructor(address: Address) {
    const options = { timeoutMs: quickTimeoutMs(address), connectTimeoutMs: SERVER_CONNECT_TIMEOUT_MS };
    this.#moments = new PostgresDatabase(address, { max: 1, ...options });
    this.#others = new PostgresDatabase(address, { max: OTHER_CONNECTIONS, ...options });
    this.serverName = this.#others.serverName;
  }

  /** For what is no read of a server. */
  get database(): PostgresDatabase {
    return this.#others;
  }

  /** Makes a connection of each kind, see `PostgresDatabase.connect`. */
  async connect(): Promise<void> {
    await Promise.all([this.#others.connect(), this.#moments.connect()]);
  }

  /**
   * The rows as the primary has them. A standby may be behind, and rows of another version's schema mean something else: either
   * raises StoreUnavailable, even with no rows.
   */
  async read<R>(query: Sql): Promise<R[]> {
    return (await this.#proven<R>(this.#others, query)).rows;
  }

  /**
   * The same, and of which moment the rows are. `query` gets the last moment, if that is recent enough to be known again; in it,
   * `proof.mark` is the mark that the statement sees. A moment that is found again is the same object, proven anew.
   */
  async readMoment<R>(query: (last: Moment | null) => Sql): Promise<{ rows: R[]; moment: Moment }> {
    const startedAtMs = performance.now();
    const last = startedAtMs - this.#last.provenAtMs < MARK_MS ? this.#last : null;
    const { rows, mark } = await this.#proven<R>(this.#moments, query(last));
    const moment = last?.mark === mark ? last : { mark, provenAtMs: startedAtMs };
    moment.provenAtMs = startedAtMs;
    this.#last = moment;
    return { rows, moment };
  }

  async #proven<R>(database: PostgresDatabase, query: Sql): Promise<{ rows: R[]; mark: string }> {
    const proof = sql`select pg_is_in_recovery() as "isStandby", (${SCHEMA_VERSION}) as "schemaVersion", ${raw(MARK)} as "mark"`;
    const proven = sql`select proof.*, found.* from (${proof}) as proof left join lateral (select true as "isFound", wanted.* from (${query}) as wanted) as found on true`;
    const rows = await database.read<ProvenRow<R>>(proven).catch((error) => {
      throw unavailable(error);
    });
    const { isStandby, schemaVersion, mark } = rows[0]!;
    if (isStandby)
      throw new StoreUnavailable(`${this.serverName} is a standby`, "name the primary with --db");
    if (schemaVersion !== MIGRATIONS.length) {
      throw new StoreUnavailable(
        `${this.serverName} was migrated by another version of Rollcall`,
        "restart this server with that version",
      );
    }
    return { rows: rows.filter(({ isFound }) => isFound).map(withoutProof), mark };
  }

  async close(): Promise<void> {
    await Promise.all([this.#moments.close(), this.#others.close()]);
  }
}

function withoutProof<R>({ isStandby, schemaVersion, mark, isFound, ...row }: ProvenRow<R>): R {
  return row as R; // what is left
}

/** For a running server, missing tables or grants are an outage like any other. */
export function unavailable(error: unknown): unknown {
  return error instanceof StoreRefusal
    ? new StoreUnavailable(error.problem, error.advice, { cause: error })
    : error;
}

// Replicas ---------------------------------------------------------------------------------------------------------------

/** How often a server that failed is tried. */
const PROBE_EVERY_MS = 500;

/** Whether a server is worth using. One that failed is not, until it responds again; that is tried in the background. */
class Health {
  readonly #database: PostgresDatabase;
  #up = true;
  #closed = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  get up(): boolean {
    return this.#up;
  }

  failed(): void {
    if (!this.#up) return;
    this.#up = false;
    void this.#probe();
  }

  async #probe(): Promise<void> {
    while (!this.#up && !this.#closed) {
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS).unref());
      this.#up = await this.#database.read(sql`select 1`).then(
        () => true,
        () => false,
      );
    }
  }

  close(): void {
    this.#closed = true;
  }
}

/** How long a replica that was behind is not used: about the time it takes to replay a small change. */
const BEHIND_REST_MS = 100;

type Proven<R> = R & { readonly provenVersion: string; readonly isWanted: true | null };

/**
 * Selects the rows of a query, each with the company's version of the same snapshot; one row of nulls if there are none. No row if a
 * migration made another schema.
 * A join on nothing is a nested loop over one version, so the rows stay in the query's order.
 */
function proven(companyId: string, { text, values }: PostgresStatement): PostgresStatement {
  const version = companyVersion(companyId);
  const shifted = version.text.replace("$1", `$${values.length + 1}`);
  return {
    text: `select proof.version as "provenVersion", wanted.* from (${shifted} and exists (select 1 from rollcall_schema where version = ${MIGRATIONS.length})) as proof left join (select true as "isWanted", found.* from (${text}) as found) as wanted on true`,
    values: [...values, ...version.values],
  };
}

class Replica {
  readonly database: PostgresDatabase;
  readonly health: Health;
  /** Used for probes only, so that a slow page cannot make the server look dead. */
  readonly #probe: PostgresDatabase;
  #restUntilMs = 0;

  constructor(db: string, quickTimeoutMs: number) {
    const address = parseAddress(db);
    const connectTimeoutMs = SERVER_CONNECT_TIMEOUT_MS;
    this.database = new PostgresDatabase(address, {
      max: address.pool,
      timeoutMs: address.timeoutMs,
      connectTimeoutMs,
    });
    this.#probe = new PostgresDatabase(address, { max: 1, timeoutMs: quickTimeoutMs, connectTimeoutMs });
    this.health = new Health(this.#probe);
  }

  get ready(): boolean {
    return this.health.up && performance.now() >= this.#restUntilMs;
  }

  /** The rows, if the replica has this version: both come from one snapshot. Null if it is behind or down. */
  async at<R>(companyId: string, version: string, query: PostgresStatement): Promise<R[] | null> {
    let rows: Proven<R>[];
    try {
      rows = await this.database.read(proven(companyId, query));
    } catch (error) {
      this.health.failed();
      if (error instanceof StoreUnavailable || error instanceof StoreRefusal) return null;
      throw error;
    }
    if (rows[0]?.provenVersion !== version) {
      this.#restUntilMs = performance.now() + BEHIND_REST_MS;
      return null;
    }
    return rows.filter((row) => row.isWanted).map(({ provenVersion, isWanted, ...row }) => row as R); // what is left
  }

  async close(): Promise<void> {
    this.health.close();
    await Promise.all([this.database.close(), this.#probe.close()]);
  }
}

export class Replicas {
  readonly #replicas: readonly Replica[];
  #turn = 0;

  constructor(dbs: readonly string[], quickTimeoutMs: number) {
    this.#replicas = dbs.map((db) => new Replica(db, quickTimeoutMs));
  }

  /** The replicas worth using, starting with a different one each time. */
  #ready(): Replica[] {
    const ready = this.#replicas.filter((replica) => replica.ready);
    this.#turn++;
    return ready.map((_, index) => ready[(this.#turn + index) % ready.length]!);
  }

  /** The rows from a replica that has this version of the company; null if none has. */
  async at<R>(companyId: string, version: string, query: PostgresStatement): Promise<R[] | null> {
    for (const replica of this.#ready()) {
      const rows = await replica.at<R>(companyId, version, query);
      if (rows !== null) return rows;
    }
    return null;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }
}
