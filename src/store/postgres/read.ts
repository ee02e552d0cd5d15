// Reading PostgreSQL for a server: pages from a pool, versions and keys over a connection that nothing slow can block.
import type DataLoader from "dataloader";
import sql, { type Sql } from "sql-template-tag";
import type { ListKind } from "../../resources/registry.ts";
import type { ReadOptions } from "../engine.ts";
import { pageOf } from "../plan.ts";
import * as queries from "../queries.ts";
import {
  type BalanceFacts,
  type BalanceQuery,
  type CompanyReader,
  type CompanyVersion,
  type Condition,
  type Page,
  type PageQuery,
  type ReadStore,
  StoreRefusal,
  StoreUnavailable,
} from "../store.ts";
import { parseAddress } from "./connection/address.ts";
import { PostgresDatabase, sharedReads } from "./connection/database.ts";
import { Health, Replicas } from "./connection/replicas.ts";
import { PostgresKeyReader, touchKeys } from "./keys.ts";
import { openSchema } from "./maintenance/migrate.ts";
import { type FactsRow, factsStatement, pageStatements, toBalanceFacts } from "./sql.ts";

/** How long a look-up of one small row may take before the server counts as gone. */
const QUICK_TIMEOUT_MS = 1500;

/** Versions, keys and their last use: one connection each would do. */
const QUICK_CONNECTIONS = 3;

/**
 * Opens the PostgreSQL store at `db` for serving. Raises StoreRefusal where there is none, or not one of this version,
 * and StoreUnavailable where neither the primary nor a replica can be reached.
 */
export async function openPostgresReadStore(db: string, options: ReadOptions = {}): Promise<ReadStore> {
  const store = new PostgresReadStore(db, options.replicas ?? []);
  try {
    await store.check();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

class PostgresReadStore implements ReadStore {
  readonly #pages: PostgresDatabase;
  readonly #quick: PostgresDatabase;
  readonly #replicas: Replicas;
  readonly #health: Health;
  readonly #versions: DataLoader<string, CompanyVersion | null>;
  readonly #keys: PostgresKeyReader;

  constructor(db: string, replicas: readonly string[]) {
    const address = parseAddress(db);
    const timeoutMs = Math.min(QUICK_TIMEOUT_MS, address.timeoutMs);
    this.#pages = new PostgresDatabase(address, { max: address.pool, timeoutMs: address.timeoutMs });
    this.#quick = new PostgresDatabase(address, { max: QUICK_CONNECTIONS, timeoutMs });
    this.#replicas = new Replicas(replicas, timeoutMs);
    this.#health = new Health(this.#quick);
    this.#keys = new PostgresKeyReader((query) =>
      this.#primaryFirst((database) => database.read(query), query),
    );
    this.#versions = sharedReads((ids) => this.#readVersions(ids));
  }

  async check(): Promise<void> {
    try {
      await openSchema(this.#quick, {});
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || !this.#replicas.exist) throw error;
      this.#health.failed();
      await this.#replicas.any(sql`select version from rollcall_schema`);
    }
  }

  /** Asks the primary; where that is lost and there are replicas, one of them. */
  async #primaryFirst<R>(ask: (primary: PostgresDatabase) => Promise<R[]>, otherwise: Sql): Promise<R[]> {
    if (this.#health.up || !this.#replicas.exist) {
      try {
        return await ask(this.#quick);
      } catch (error) {
        if (this.#replicas.exist && error instanceof StoreUnavailable) this.#health.failed();
        else throw unavailable(error);
      }
    }
    return this.#replicas.any<R>(otherwise);
  }

  async #readVersions(ids: readonly string[]): Promise<ReadonlyMap<string, CompanyVersion>> {
    type Row = { id: string; version: string };
    const query = sql`select id, version from companies where id = any(${ids})`;
    let isProven = false;
    const ask = async (primary: PostgresDatabase) => {
      const rows = await primary.read<Row>(query);
      isProven = true;
      return rows;
    };
    const rows = await this.#primaryFirst<Row>(ask, query);
    return new Map(rows.map(({ id, version }) => [id, { version, isProven }]));
  }

  version(companyId: string): Promise<CompanyVersion | null> {
    return this.#versions.load(companyId);
  }

  company(companyId: string, version?: CompanyVersion): CompanyReader {
    return new PostgresCompanyReader(companyId, async <R>(query: Sql): Promise<R[]> => {
      if (version !== undefined && this.#replicas.exist) {
        if (!version.isProven) return this.#replicas.any<R>(query);
        const rows = await this.#replicas.at<R>(companyId, version.version, query);
        if (rows !== null) return rows;
      }
      return this.#pages.read<R>(query).catch((error) => {
        throw unavailable(error);
      });
    });
  }

  key(digest: string) {
    return this.#keys.key(digest);
  }

  touchKeys(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    return touchKeys(this.#quick, lastUsedAtMs);
  }

  async ping(): Promise<void> {
    const query = sql`select id from companies limit 1`;
    await this.#primaryFirst((primary) => primary.read(query), query);
  }

  async close(): Promise<void> {
    this.#health.close();
    await Promise.all([this.#pages.close(), this.#quick.close(), this.#replicas.close()]);
  }
}

/** To a server that is running, tables or grants that are gone are an outage like any other. */
function unavailable(error: unknown): unknown {
  return error instanceof StoreRefusal
    ? new StoreUnavailable(error.problem, error.advice, { cause: error })
    : error;
}

/** Runs one statement on a server that may be asked. */
type Read = <R>(query: Sql) => Promise<R[]>;

/** The reads of one company: each is one statement, and so one snapshot. */
class PostgresCompanyReader implements CompanyReader {
  constructor(
    readonly companyId: string,
    readonly read: Read,
  ) {}

  async list(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): Promise<Page> {
    let found: { doc: string }[] = [];
    for (const statement of pageStatements(kind, this.companyId, page, conditions)) {
      found = await this.read(statement);
      if (found.length > page.limit) break;
    }
    return pageOf(
      found.map(({ doc }) => doc),
      page,
    );
  }

  async object(kind: ListKind, id: string): Promise<string | null> {
    const [row] = await this.read<{ doc: string }>(queries.docById(kind, this.companyId, id));
    return row?.doc ?? null;
  }

  async balanceFacts(query: BalanceQuery): Promise<BalanceFacts> {
    const [row] = await this.read<FactsRow>(factsStatement(this.companyId, query));
    return toBalanceFacts(row!, query);
  }
}
