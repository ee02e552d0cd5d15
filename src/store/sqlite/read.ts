// Reads the embedded store. It is opened read-only, so that no bug can change a company's data.
import { statSync } from "node:fs";
import { LRUCache } from "lru-cache";
import { raw, type Sql } from "sql-template-tag";
import type { ListKind } from "../../resources/registry.ts";
import { readFeed } from "../feed.ts";
import { type PageRow, pageOf, trimPage } from "../plan.ts";
import * as queries from "../queries.ts";
import type {
  AdjustmentColumns,
  Company,
  CompanyReader,
  Condition,
  DocPage,
  FactsPage,
  FeedPage,
  FeedQuery,
  JoinedAssignment,
  LastImports,
  PageQuery,
  ReadStore,
  RequestColumns,
} from "../store.ts";
import { StoreUnavailable } from "../store.ts";
import { CommitWatch } from "./commit-watch.ts";
import { mapError, openReader, Statements } from "./database.ts";
import { SqliteKeyReader } from "./keys.ts";
import { MIGRATIONS } from "./schema.ts";
import { balanceSource, lookedStatement, pageStatements } from "./sql.ts";

/** How often the file is checked: a removed or replaced file is noticed within this time. */
const PRESENCE_CHECK_MS = 200;

/**
 * Page cache of a serving connection: the inner pages of the trees of millions of rows, so that finding a row reads its
 * own page alone.
 */
const READ_CACHE_KIB = 65_536;

/** How many companies' versions are cached. */
const CACHED_VERSIONS = 10_000;

/** Opens the embedded store at `path` for serving. Raises StoreRefusal where there is none, or not one of this version. */
export function openSqliteReadStore(path: string): ReadStore {
  return new SqliteReadStore(path);
}

class SqliteReadStore implements ReadStore {
  readonly #path: string;
  readonly #keys: SqliteKeyReader;
  readonly #versions = new LRUCache<string, string>({ max: CACHED_VERSIONS });
  #statements: Statements;
  #watch: CommitWatch;
  #identity: string;
  #checkedAtMs = 0;
  #dataVersion = -1;

  constructor(path: string) {
    this.#path = path;
    this.#statements = this.#open();
    this.#watch = new CommitWatch(path);
    this.#identity = fileIdentity(path);
    this.#keys = new SqliteKeyReader(path);
  }

  #open(): Statements {
    const database = openReader({ path: this.#path, migrations: MIGRATIONS });
    database.run(`pragma cache_size = -${READ_CACHE_KIB}`);
    return new Statements(database);
  }

  /** The open store, after checking that its file is still the one that was opened. */
  #present(): Statements {
    const nowMs = performance.now();
    if (nowMs - this.#checkedAtMs > PRESENCE_CHECK_MS) {
      const identity = fileIdentity(this.#path);
      if (identity !== this.#identity) this.#reopen(identity);
      this.#checkedAtMs = nowMs;
    }
    return this.#statements;
  }

  #reopen(identity: string): void {
    let opened: Statements;
    try {
      opened = this.#open();
    } catch (error) {
      throw new StoreUnavailable(error instanceof Error ? error.message : String(error), null, {
        cause: error,
      });
    }
    this.#statements.close();
    this.#statements = opened;
    this.#watch = new CommitWatch(this.#path);
    this.#identity = identity;
    this.#versions.clear();
    this.#dataVersion = -1;
  }

  async version(companyId: string): Promise<string | null> {
    return mapError(this.#path, () => {
      const statements = this.#present();
      if (!this.#watch.isQuiet()) this.#forgetIfChanged(statements);
      const cached = this.#versions.get(companyId);
      if (cached !== undefined) return cached;
      const [row] = statements.all<{ version: string }>(queries.companyVersion(companyId));
      if (row === undefined) return null;
      this.#versions.set(companyId, row.version);
      return row.version;
    });
  }

  #forgetIfChanged(statements: Statements): void {
    // Changes whenever another connection, of this process or another, has committed.
    const dataVersion = Number(statements.prepare("pragma data_version").values()[0]?.[0]);
    if (dataVersion === this.#dataVersion) return;
    this.#versions.clear();
    this.#dataVersion = dataVersion;
  }

  company(companyId: string): CompanyReader {
    return new SqliteCompanyReader(companyId, (work) => mapError(this.#path, () => work(this.#present())));
  }

  key(digest: string) {
    return this.#keys.key(digest);
  }

  calendarFeed(digest: string) {
    return this.#keys.feed(digest);
  }

  touchKeys(lastUsedAtMs: ReadonlyMap<string, number>) {
    return this.#keys.touch(lastUsedAtMs);
  }

  async lastImports(limit: number): Promise<LastImports[]> {
    return mapError(this.#path, () => this.#present().all<LastImports>(queries.lastImports(limit)));
  }

  async ping(): Promise<void> {
    mapError(this.#path, () => {
      this.#checkedAtMs = 0;
      this.#present().prepare("select id from companies limit 1").values();
      this.#keys.ping();
    });
  }

  async close(): Promise<void> {
    this.#statements.close();
    this.#keys.close();
  }
}

/** Which file is at this path; another one after a restore. Raises StoreUnavailable when there is none. */
function fileIdentity(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new StoreUnavailable(`${path} is gone`, "put it back, or restore a backup");
  return `${stat.dev}:${stat.ino}`;
}

type Read = <T>(work: (statements: Statements) => T) => T;

class SqliteCompanyReader implements CompanyReader {
  constructor(
    readonly companyId: string,
    readonly read: Read,
  ) {}

  async list(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): Promise<DocPage> {
    const { found, looked } = this.read((statements) => {
      let rows: PageRow[] = [];
      let ran = 0;
      for (const { text, values } of pageStatements(kind, this.companyId, page, conditions)) {
        rows = statements.prepare(text).values(...values) as unknown as PageRow[]; // what the text selects
        ran++;
        if (rows.length > page.limit) break;
      }
      const counting = lookedStatement(kind, this.companyId, conditions, page, { ran, found: rows });
      if (counting === null) return { found: rows };
      const [counted] = statements.prepare(counting.text).values(...counting.values);
      return { found: rows, looked: Number(counted?.[0]) };
    });
    return pageOf(found, page, looked);
  }

  async object(kind: ListKind, id: string): Promise<string | null> {
    const query = queries.docById(kind, this.companyId, id);
    return this.read((statements) => statements.all<{ doc: string }>(query))[0]?.doc ?? null;
  }

  async about(): Promise<Company | null> {
    return this.read((statements) => statements.all<Company>(queries.companies(this.companyId)))[0] ?? null;
  }

  feed(query: FeedQuery): Promise<FeedPage | "gone"> {
    return readFeed(this.companyId, query, async <R>(one: Sql) =>
      this.read((statements) => statements.all<R>(one)),
    );
  }

  async calendarSequence(): Promise<number | null> {
    const query = queries.calendarSequence(this.companyId);
    return this.read((statements) => statements.all<{ sequence: number }>(query))[0]?.sequence ?? null;
  }

  async balanceFacts(query: Parameters<CompanyReader["balanceFacts"]>[0]): Promise<FactsPage> {
    return this.read((statements) => {
      statements.prepare("begin").run();
      try {
        return this.#balanceFacts(statements, query);
      } finally {
        statements.prepare("commit").run();
      }
    });
  }

  #balanceFacts(statements: Statements, query: Parameters<CompanyReader["balanceFacts"]>[0]): FactsPage {
    const page = statements.all<JoinedAssignment>(
      queries.balancePage(this.companyId, query, balanceSource(this.companyId, query)),
    );
    const { rows, hasMore } = trimPage(page, query.limit, query.before !== undefined);
    if (rows.length === 0) {
      return {
        assignments: [],
        hasMore,
        policies: new Map(),
        requests: new Map(),
        adjustments: new Map(),
        workedHours: new Map(),
      };
    }
    const ofWorkers = anyWorkerOf(rows);
    const ofPage = queries.anyOf("id", [...new Set(rows.map((row) => row.policyId))]);
    const policies = new Map<string, string>();
    const byHours = new Set<string>();
    for (const { id, terms } of statements.all<queries.PolicyColumns>(
      queries.policyFacts(this.companyId, ofPage),
    )) {
      policies.set(id, terms);
      if (terms.includes(queries.BY_HOURS)) byHours.add(id);
    }
    const withHours = byHours.size === 0 ? [] : rows.filter((row) => byHours.has(row.policyId));
    return {
      assignments: rows,
      hasMore,
      policies,
      requests: queries.byWorker(
        statements.all<RequestColumns & OfWorker>(
          queries.requestFacts(this.companyId, ofWorkers, query.withIds, REQUESTS_WITH_TERMS),
        ),
      ),
      adjustments: queries.byWorker(
        statements.all<AdjustmentColumns & OfWorker>(
          queries.adjustmentFacts(this.companyId, ofWorkers, query.withIds),
        ),
      ),
      workedHours: queries.byWorker(
        withHours.length === 0
          ? []
          : statements.all<{ day: number; minutes: number } & OfWorker>(
              queries.workedHoursFacts(this.companyId, anyWorkerOf(withHours)),
            ),
      ),
    };
  }
}

/** SQLite has no statistics: it would scan all requests of the company. */
const REQUESTS_WITH_TERMS = raw("requests indexed by requests_terms");

interface OfWorker {
  readonly workerId: string;
}

function anyWorkerOf(rows: readonly OfWorker[]): Sql {
  return queries.anyOf("worker_id", [...new Set(rows.map(({ workerId }) => workerId))]);
}
