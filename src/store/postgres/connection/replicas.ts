// Reads from replicas: only rows that are proven to be of the version that the primary has.
import sql from "sql-template-tag";
import { companyVersion } from "../../queries.ts";
import { StoreRefusal, StoreUnavailable } from "../../store.ts";
import { MIGRATIONS } from "../schema.ts";
import {
  PostgresDatabase,
  type PostgresStatement,
  parseAddress,
  SERVER_CONNECT_TIMEOUT_MS,
} from "./database.ts";

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
