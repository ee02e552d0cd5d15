// Reads PostgreSQL for a server: pages from a pool, versions and keys over connections that nothing slow can block.
import type DataLoader from "dataloader";
import sql, { type Sql } from "sql-template-tag";
import type { ListKind } from "../../resources/registry.ts";
import type { ReaderOptions } from "../engine.ts";
import { readFeed } from "../feed.ts";
import { pageOf } from "../plan.ts";
import * as queries from "../queries.ts";
import { byDigest, type FeedRow, toFeed } from "../secret-rows.ts";
import {
  type BalanceQuery,
  type Company,
  type CompanyReader,
  type Condition,
  type DocPage,
  type FactsPage,
  type FeedPage,
  type FeedQuery,
  type LastImports,
  type PageQuery,
  type ReadStore,
  StoreRefusal,
  StoreUnavailable,
} from "../store.ts";
import {
  PostgresDatabase,
  type PostgresStatement,
  parseAddress,
  SERVER_CONNECT_TIMEOUT_MS,
  sharedReads,
} from "./connection/database.ts";
import { Replicas } from "./connection/replicas.ts";
import { PostgresKeyReader, touchKeys } from "./keys.ts";
import { openSchema, SCHEMA_VERSION } from "./maintenance/migrate.ts";
import { MIGRATIONS } from "./schema.ts";
import { type FactsRow, factsStatement, lookedStatement, pageStatements, toFactsPage } from "./sql.ts";

/** How long a look-up of one small row may take before the server counts as gone. */
const QUICK_TIMEOUT_MS = 1500;

/** Versions, keys and their last use: one connection each would do. */
const QUICK_CONNECTIONS = 3;

/**
 * Opens the PostgreSQL store at `db` for serving. Raises StoreRefusal where there is none, or not one of this version,
 * and StoreUnavailable if the primary does not respond.
 */
export async function openPostgresReadStore(db: string, options: ReaderOptions = {}): Promise<ReadStore> {
  const store = new PostgresReadStore(db, options.replicas ?? []);
  try {
    await store.check();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

type Proven<R> = R & {
  readonly isStandby: boolean;
  readonly schemaVersion: number | null;
  readonly isFound: true | null;
};

/** Only the primary says which keys and versions there are. A replica serves a page only with the version that the primary has. */
class PostgresReadStore implements ReadStore {
  readonly together = null;
  readonly #pages: PostgresDatabase;
  readonly #quick: PostgresDatabase;
  readonly #replicas: Replicas;
  readonly #versions: DataLoader<string, string | null>;
  readonly #keys: PostgresKeyReader;

  constructor(db: string, replicas: readonly string[]) {
    const address = parseAddress(db);
    const timeoutMs = Math.min(QUICK_TIMEOUT_MS, address.timeoutMs);
    const connectTimeoutMs = SERVER_CONNECT_TIMEOUT_MS;
    this.#pages = new PostgresDatabase(address, {
      max: address.pool,
      timeoutMs: address.timeoutMs,
      connectTimeoutMs,
    });
    this.#quick = new PostgresDatabase(address, { max: QUICK_CONNECTIONS, timeoutMs, connectTimeoutMs });
    this.#replicas = new Replicas(replicas, timeoutMs);
    this.#keys = new PostgresKeyReader((query) => this.#readPrimary(query));
    this.#versions = sharedReads((ids) => this.#readVersions(ids));
  }

  async check(): Promise<void> {
    await openSchema(this.#quick, {});
    await this.ping();
  }

  /**
   * The rows as the primary has them. A standby may be behind, and rows of another version's schema mean something else: either
   * raises StoreUnavailable, even with no rows.
   */
  async #readPrimary<R>(query: Sql): Promise<R[]> {
    const proven = sql`select pg_is_in_recovery() as "isStandby", (${SCHEMA_VERSION}) as "schemaVersion", found.* from (select 1) as proof left join (select true as "isFound", wanted.* from (${query}) as wanted) as found on true`;
    const rows = await this.#quick.read<Proven<R>>(proven).catch((error) => {
      throw unavailable(error);
    });
    const { isStandby, schemaVersion } = rows[0]!;
    const { serverName } = this.#quick;
    if (isStandby) throw new StoreUnavailable(`${serverName} is a standby`, "name the primary with --db");
    if (schemaVersion !== MIGRATIONS.length) {
      throw new StoreUnavailable(
        `${serverName} was migrated by another version of Rollcall`,
        "restart this server with that version",
      );
    }
    return rows.filter(({ isFound }) => isFound).map(withoutProof);
  }

  async #readVersions(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const query = sql`select id, version from companies where id = any(${ids})`;
    const rows = await this.#readPrimary<{ id: string; version: string }>(query);
    return new Map(rows.map(({ id, version }) => [id, version]));
  }

  version(companyId: string): Promise<string | null> {
    return this.#versions.load(companyId);
  }

  company(companyId: string, version?: string): CompanyReader {
    return new PostgresCompanyReader(companyId, async <R>(query: PostgresStatement): Promise<R[]> => {
      if (version !== undefined) {
        const rows = await this.#replicas.at<R>(companyId, version, query);
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

  async calendarFeed(digest: string) {
    const [row] = await this.#readPrimary<FeedRow>(byDigest("feeds", digest));
    return row === undefined ? null : toFeed(row);
  }

  touchKeys(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    return touchKeys(this.#quick, lastUsedAtMs);
  }

  lastImports(limit: number): Promise<LastImports[]> {
    return this.#readPrimary<LastImports>(queries.lastImports(limit));
  }

  async ping(): Promise<void> {
    await this.#readPrimary(sql`select id from companies limit 1`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pages.close(), this.#quick.close(), this.#replicas.close()]);
  }
}

function withoutProof<R>({ isStandby, schemaVersion, isFound, ...row }: Proven<R>): R {
  return row as R; // what is left
}

/** For a running server, missing tables or grants are an outage like any other. */
function unavailable(error: unknown): unknown {
  return error instanceof StoreRefusal
    ? new StoreUnavailable(error.problem, error.advice, { cause: error })
    : error;
}

/** Runs one statement on a server that may be asked. */
type Read = <R>(query: PostgresStatement) => Promise<R[]>;

/** The reads of one company: each is one statement, and so one snapshot. */
class PostgresCompanyReader implements CompanyReader {
  constructor(
    readonly companyId: string,
    readonly read: Read,
  ) {}

  async list(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): Promise<DocPage> {
    let found: { doc: string; id: string }[] = [];
    let ran = 0;
    for (const statement of pageStatements(kind, this.companyId, page, conditions)) {
      found = await this.read(statement);
      ran++;
      if (found.length > page.limit) break;
    }
    const counting = lookedStatement(kind, this.companyId, conditions, page, { ran, found });
    const counted = counting === null ? [] : await this.read<{ looked: string }>(counting);
    return pageOf(
      found.map(({ doc, id }) => [doc, id]),
      page,
      counted[0] && Number(counted[0].looked),
    );
  }

  async object(kind: ListKind, id: string): Promise<string | null> {
    const [row] = await this.read<{ doc: string }>(queries.docById(kind, this.companyId, id));
    return row?.doc ?? null;
  }

  async calendarSequence(): Promise<number | null> {
    const [row] = await this.read<{ sequence: number }>(queries.calendarSequence(this.companyId));
    return row?.sequence ?? null;
  }

  async about(): Promise<Company | null> {
    const [company] = await this.read<Company>(queries.companies(this.companyId));
    return company ?? null;
  }

  feed(query: FeedQuery): Promise<FeedPage | "gone"> {
    return readFeed({ id: this.companyId, key: this.companyId }, query, this.read);
  }

  async balanceFacts(query: BalanceQuery): Promise<FactsPage> {
    const [row] = await this.read<FactsRow>(factsStatement(this.companyId, query));
    return toFactsPage(row!, query);
  }
}
