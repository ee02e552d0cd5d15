// Reads PostgreSQL for a server: pages from a pool, versions and keys over connections that nothing slow can block.
import type DataLoader from "dataloader";
import sql, { type Sql } from "sql-template-tag";
import type { ListKind } from "../../resources/kinds.ts";
import type { ReaderOptions } from "../engine.ts";
import { knownMoment } from "../history.ts";
import type { Hooks } from "../hooks.ts";
import { pageOf, trimPage } from "../plan.ts";
import * as queries from "../queries.ts";
import { CompanyReads } from "../shared-reads.ts";
import {
  type BalanceQuery,
  type CompanyReader,
  type Condition,
  type DocPage,
  type FactsPage,
  type KnownMoment,
  type LastImports,
  type LeavePage,
  type LeaveRow,
  type PageQuery,
  type ReadStore,
  type StoredCalendar,
  StoreUnavailable,
  type WorkTimesOf,
} from "../store.ts";
import {
  PostgresDatabase,
  parseAddress,
  SERVER_CONNECT_TIMEOUT_MS,
  sharedReads,
} from "./connection/database.ts";
import { lacksRight } from "./connection/errors.ts";
import { Primary, quickTimeoutMs, Replicas, unavailable } from "./connection/servers.ts";
import { hooksOf, PostgresKeyReader, touchKeys } from "./keys.ts";
import { openSchema } from "./maintenance/migrate.ts";
import {
  asKnownThen,
  type FactsRow,
  factsPageOf,
  factsStatement,
  leaveOfPage,
  pageStatements,
  readWorkTimes,
} from "./sql.ts";

/** Opens the store for serving. Raises StoreRefusal if there is none of this version, and StoreUnavailable for other failures. */
export async function openPostgresReadStore(db: string, options: ReaderOptions = {}): Promise<ReadStore> {
  const store = new PostgresReadStore(db, options);
  try {
    await store.check();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Keys and versions come from the primary only. A replica serves a page only if it has the primary's version. */
class PostgresReadStore implements ReadStore {
  readonly #pages: PostgresDatabase;
  readonly #primary: Primary;
  readonly #replicas: Replicas;
  /** For hooks: many statements at once, for which no caller waits. */
  readonly #events: PostgresDatabase;
  readonly #keys: PostgresKeyReader;
  readonly #versions: DataLoader<string, string | null>;

  constructor(db: string, { replicas = [], onReplicaDown = () => {} }: ReaderOptions) {
    const address = parseAddress(db);
    this.#pages = new PostgresDatabase(address, {
      max: address.pool,
      timeoutMs: address.timeoutMs,
      connectTimeoutMs: SERVER_CONNECT_TIMEOUT_MS,
    });
    this.#primary = new Primary(address);
    this.#events = new PostgresDatabase(address, { max: 1, timeoutMs: address.timeoutMs });
    this.#replicas = new Replicas(replicas, quickTimeoutMs(address), onReplicaDown);
    this.#keys = new PostgresKeyReader(this.#primary);
    this.#versions = sharedReads(async (ids) => {
      const rows = await this.#primary.read<{ id: string; version: string }>(
        sql`select id, version from companies where id = any(${ids})`,
      );
      return new Map(rows.map(({ id, version }) => [id, version]));
    });
  }

  async check(): Promise<void> {
    await Promise.all([this.#primary.database.connect(), this.#pages.connect()]); // one wait for a host that falls silent
    await openSchema(this.#primary.database, {});
    await this.ping();
    void this.#replicas.check();
  }

  version(companyId: string): Promise<string | null> {
    return this.#versions.load(companyId);
  }

  async knownAt(companyId: string, atMs: number): Promise<KnownMoment> {
    const [row] = await this.#primary.read<KnownMoment>(knownMoment(companyId, atMs));
    return row!; // one row
  }

  company(companyId: string, version?: string, revision: number | null = null): CompanyReader {
    return new PostgresCompanyReader(
      companyId,
      this,
      version,
      revision,
      async <R>(statement: Sql): Promise<R[]> => {
        const query = revision === null ? statement : asKnownThen(statement, companyId, revision);
        if (version !== undefined) {
          const rows = await this.#replicas.at<R>(companyId, version, query);
          if (rows !== null) return rows;
        }
        return this.#pages.read<R>(query).catch((error) => {
          throw unavailable(error);
        });
      },
    );
  }

  key(digest: string) {
    return this.#keys.key(digest);
  }

  async calendar(digest: string) {
    const [row] = await this.#primary.read<queries.CalendarRow>(queries.secretByDigest("feeds", digest));
    return row === undefined ? null : queries.toCalendar(row);
  }

  /** The role may not lock the company, so a simultaneous deletion can leave the feed: see `createCompany`. */
  async createCalendar(feed: StoredCalendar): Promise<void> {
    await this.#primary.database.execute(queries.insertSecret(feed)).catch((error) => {
      if (!lacksRight(error)) throw unavailable(error);
      throw new StoreUnavailable(
        "The role of this server may not add calendar feeds",
        "run rollcall migrate --allow-feeds as the owner of the tables",
        { cause: error },
      );
    });
  }

  touchKeys(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    return touchKeys(this.#primary.database, lastUsedAtMs);
  }

  get hooks(): Hooks {
    return hooksOf(this.#events);
  }

  lastImports(limit: number): Promise<LastImports[]> {
    return this.#primary.read<LastImports>(queries.lastImports(limit));
  }

  async ping(): Promise<void> {
    await this.#primary.read(sql`select id from companies limit 1`);
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#pages.close(),
      this.#primary.database.close(),
      this.#events.close(),
      this.#replicas.close(),
    ]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Runs one statement on the primary or on a replica. */
type Read = <R>(query: Sql) => Promise<R[]>;

/** The reads of one company: each is one statement, and so one snapshot. */
class PostgresCompanyReader extends CompanyReads implements CompanyReader {
  constructor(
    readonly companyId: string,
    readonly store: ReadStore,
    override readonly version: string | undefined,
    readonly revision: number | null,
    readonly run: Read,
  ) {
    super();
  }

  async list(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): Promise<DocPage> {
    const rows = await this.#firstFull<{ doc: string }>(
      pageStatements(kind, this.companyId, page, conditions, this.revision !== null),
      page,
    );
    return pageOf(
      rows.map(({ doc }) => doc),
      page,
    );
  }

  /** Runs the statements in turn until one fills the page. Returns the rows of the last one. */
  async #firstFull<R>(statements: readonly Sql[], { limit }: PageQuery): Promise<R[]> {
    let rows: R[] = [];
    for (const statement of statements) {
      rows = await this.run(statement);
      if (rows.length > limit) break;
    }
    return rows;
  }

  async leave(page: PageQuery, conditions: readonly Condition[]): Promise<LeavePage> {
    const isPast = this.revision !== null;
    const statements = pageStatements("requests", this.companyId, page, conditions, isPast).map((statement) =>
      leaveOfPage(this.companyId, page, statement),
    );
    const rows = await this.#firstFull<LeaveRow>(statements, page);
    return trimPage(rows, page.limit, page.before !== undefined);
  }

  workTimes(workerIds: readonly string[]): Promise<WorkTimesOf> {
    return readWorkTimes(this.run, this.companyId, workerIds);
  }

  async balanceFacts(query: BalanceQuery): Promise<FactsPage> {
    const [row] = await this.run<FactsRow>(factsStatement(this.companyId, query, this.revision !== null));
    return factsPageOf(row!, query);
  }
}
