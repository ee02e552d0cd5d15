// Reading from replicas: only what is proven to be as fresh as the primary, unless the primary is lost.
import sql, { type Sql } from "sql-template-tag";
import { companyVersion } from "../../queries.ts";
import { StoreRefusal, StoreUnavailable } from "../../store.ts";
import { parseAddress } from "./address.ts";
import { PostgresDatabase } from "./database.ts";

/** How often a server that failed is tried. */
const PROBE_EVERY_MS = 500;

/** Whether a server is worth asking. One that failed is not, until it answers again: that is tried in the background. */
export class Health {
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

/** How long a replica that was behind is left alone: about what it takes to follow a small change. */
const BEHIND_REST_MS = 100;

type Proven<R> = R & { readonly provenVersion: string; readonly isWanted: true | null };

/**
 * The rows of a query, each beside the company's version in the same snapshot; one row of nulls where there are none.
 * A join on nothing is a nested loop over one version, so the rows keep the query's order.
 */
function proven(companyId: string, query: Sql): Sql {
  return sql`select proof.version as "provenVersion", wanted.* from (${companyVersion(companyId)}) as proof left join (select true as "isWanted", found.* from (${query}) as found) as wanted on true`;
}

class Replica {
  readonly database: PostgresDatabase;
  readonly health: Health;
  /** Asked for nothing else, so that a slow page cannot make the server look dead. */
  readonly #probe: PostgresDatabase;
  #restUntilMs = 0;

  constructor(db: string, quickTimeoutMs: number) {
    const address = parseAddress(db);
    this.database = new PostgresDatabase(address, { max: address.pool, timeoutMs: address.timeoutMs });
    this.#probe = new PostgresDatabase(address, { max: 1, timeoutMs: quickTimeoutMs });
    this.health = new Health(this.#probe);
  }

  get ready(): boolean {
    return this.health.up && performance.now() >= this.#restUntilMs;
  }

  /** The rows, as they are on the replica. */
  async any<R>(query: Sql): Promise<R[]> {
    try {
      return await this.database.read<R>(query);
    } catch (error) {
      this.health.failed();
      throw error;
    }
  }

  /** The rows, if they are of this version: both come from one snapshot. Null where the replica is behind or down. */
  async at<R>(companyId: string, version: string, query: Sql): Promise<R[] | null> {
    let rows: Proven<R>[];
    try {
      rows = await this.any(proven(companyId, query));
    } catch (error) {
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

  get exist(): boolean {
    return this.#replicas.length > 0;
  }

  /** Those worth asking, beginning with another one each time. */
  #ready(): Replica[] {
    const ready = this.#replicas.filter((replica) => replica.ready);
    this.#turn++;
    return ready.map((_, index) => ready[(this.#turn + index) % ready.length]!);
  }

  /** The rows from a replica that has this version of the company; null where none has. */
  async at<R>(companyId: string, version: string, query: Sql): Promise<R[] | null> {
    for (const replica of this.#ready()) {
      const rows = await replica.at<R>(companyId, version, query);
      if (rows !== null) return rows;
    }
    return null;
  }

  /** The rows from any replica that answers, whatever it knows of. Raises StoreUnavailable where none does. */
  async any<R>(query: Sql): Promise<R[]> {
    let last: unknown = new StoreUnavailable("Neither the primary nor a replica can be reached");
    for (const replica of this.#replicas.filter((one) => one.health.up)) {
      try {
        return await replica.any<R>(query);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }
}
