// Reads the embedded store. It is opened read-only, so that no bug can change a company's data.
import { statSync } from "node:fs";
import { LRUCache } from "lru-cache";
import sql, { raw, type Sql } from "sql-template-tag";
import type { ListKind } from "../../resources/kinds.ts";
import { readFeed } from "../feed.ts";
import { STEPS } from "../feed-notes.ts";
import { pageOf } from "../plan.ts";
import * as queries from "../queries.ts";
import {
  type BalanceQuery,
  type Company,
  type CompanyReader,
  type Condition,
  type Doc,
  type DocPage,
  type FactsPage,
  type FeedPage,
  type FeedQuery,
  type LastImports,
  type PageQuery,
  type ReadStore,
  type StoredKey,
  StoreUnavailable,
} from "../store.ts";
import { CommitWatch, mapError, openReader, Statements } from "./database.ts";
import { SqliteKeyReader } from "./keys.ts";
import { expanded, expandRows, type SelectedRow, type StoredDoc } from "./layout/documents.ts";
import { type FactsCache, factsCache, readBalanceFacts } from "./layout/facts.ts";
import { companyNumber, numberIn, numberOf, PolicyTexts, idOf as policyIdOf } from "./layout/numbers.ts";
import { MIGRATIONS } from "./schema.ts";
import { lookedStatement, OBJECT_BY_ID, pageStatements, type Statement } from "./sql.ts";

/** How often the file is checked: a removed or replaced file is noticed within this time. */
const PRESENCE_CHECK_MS = 200;

/**
 * Page cache of a serving connection: the upper pages of the trees of millions of rows. With more, finding a row reads one page of the
 * file less, and takes as long: a page that SQLite has is not in the processor's caches either.
 */
export const READ_CACHE_KIB = 12_288;

/** How many companies' versions are cached. */
const CACHED_VERSIONS = 10_000;

/** Neither a company nor a policy has this number. */
const NO_NUMBER = -1;

/** A company's version, and the number by which its rows name it. */
interface KnownCompany {
  readonly version: string;
  readonly number: number;
  /** The numbers of policies that were asked for. Only a change of the version changes them. */
  readonly policyNumbers: Map<string, number>;
}

function knownCompany(id: string): Sql {
  return sql`select version as "version", ${raw(numberOf("0", "companies.id"))} as "number" from companies where id = ${id}`;
}

/** Opens the embedded store at `path` for serving. Raises StoreRefusal where there is none, or not one of this version. */
export function openSqliteReadStore(path: string): ReadStore {
  return new SqliteReadStore(path);
}

class SqliteReadStore implements ReadStore {
  readonly #path: string;
  readonly #keys: SqliteKeyReader;
  readonly #versions = new LRUCache<string, KnownCompany>({ max: CACHED_VERSIONS });
  #facts = factsCache();
  #policyTexts = new PolicyTexts();
  #statements: Statements;
  #watch: CommitWatch;
  #identity: string;
  #checkedAtMs = 0;
  #dataVersion = -1;
  /** Whether requests are handled together, and in which way the versions that are cached are known to be right. */
  #moment: "none" | "begun" | "checked" = "none";
  /** The key that was found last, while requests are handled together: a key sends many of them. */
  #momentKey: StoredKey | null = null;
  /** Whether the file has this version's schema: `rollcall migrate` of a later one changes that. */
  #isCurrent = true;

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
    this.#facts = factsCache();
    this.#policyTexts = new PolicyTexts();
    this.#dataVersion = -1;
    this.#isCurrent = true;
  }

  version(companyId: string): string | null {
    // Others of the requests that are handled together have asked.
    const known = this.#moment === "checked" ? this.#versions.get(companyId) : undefined;
    if (known !== undefined) return known.version;
    return mapError(this.#path, () => {
      const statements = this.#present();
      if (this.#moment !== "checked") {
        this.#notice(statements);
        if (this.#moment === "begun") this.#moment = "checked";
      }
      const cached = this.#versions.get(companyId);
      if (cached !== undefined) return cached.version;
      const [row] = statements.all<Omit<KnownCompany, "policyNumbers">>(knownCompany(companyId));
      if (row === undefined) return null;
      this.#versions.set(companyId, { ...row, policyNumbers: new Map() });
      return row.version;
    });
  }

  /** Whether anybody has committed is looked up once, and one transaction reads for all: both take calls of the system. */
  readonly together = () => {
    this.#moment = "begun";
    this.#momentKey = null;
    return () => {
      if (this.#moment === "none") return; // it was closed
      this.#moment = "none";
      endTransaction(this.#statements);
    };
  };

  /** Notices what was committed since the last call. Raises StoreUnavailable once the rows are not what this version reads. */
  #notice(statements: Statements): void {
    if (!this.#watch.isQuiet()) this.#forgetIfChanged(statements);
    if (!this.#isCurrent) throw migrated(this.#path);
  }

  /** Begins the transaction that reads for all, unless a migration has ended since the version was asked for. */
  #begin(statements: Statements): void {
    statements.prepare("begin").run();
    this.#isCurrent = isCurrent(statements);
    if (this.#isCurrent) return;
    endTransaction(statements);
    throw migrated(this.#path);
  }

  #forgetIfChanged(statements: Statements): void {
    endTransaction(statements); // it would not see the change
    // Changes whenever another connection, of this process or another, has committed.
    const dataVersion = Number(statements.prepare("pragma data_version").values()[0]?.[0]);
    if (dataVersion === this.#dataVersion) return;
    this.#versions.clear();
    this.#dataVersion = dataVersion;
    this.#isCurrent = isCurrent(statements);
  }

  company(companyId: string, version?: string): CompanyReader {
    const read: Read = (work) => {
      const statements = this.#present();
      if (this.#moment !== "none" && !statements.database.inTransaction) this.#begin(statements);
      const known = this.#versions.peek(companyId);
      // A number is never another company's, and while this is the version it is this one's.
      if (known !== undefined && known.version === version)
        return work(statements, known.number, {
          facts: this.#facts,
          policyTexts: this.#policyTexts,
          numbers: known.policyNumbers,
        });
      const number = companyNumber(statements, companyId) ?? NO_NUMBER;
      return work(statements, number, {
        facts: this.#facts,
        policyTexts: this.#policyTexts,
        numbers: new Map(),
      });
    };
    return new SqliteCompanyReader(companyId, (work) =>
      mapError(this.#path, () => {
        const found = read(work);
        // A migration may have ended since the version was asked for.
        if (this.#moment === "none") this.#notice(this.#statements);
        return found;
      }),
    );
  }

  key(digest: string): StoredKey | null {
    if (this.#moment === "none") return this.#keys.key(digest);
    if (this.#momentKey?.digest !== digest) this.#momentKey = this.#keys.key(digest);
    return this.#momentKey;
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
      const statements = this.#present();
      statements.prepare("select id from companies limit 1").values();
      this.#notice(statements);
      this.#keys.ping();
    });
  }

  async close(): Promise<void> {
    this.#moment = "none";
    this.#statements.close();
    this.#keys.close();
  }
}

/** Nothing is written, so nothing can be lost. A commit fails if a page that was read is damaged: that read has failed, too. */
function endTransaction(statements: Statements): void {
  if (!statements.database.inTransaction) return;
  try {
    statements.prepare("commit").run();
  } catch {
    if (statements.database.inTransaction) statements.database.run("rollback");
  }
}

function isCurrent(statements: Statements): boolean {
  return statements.prepare("pragma user_version").values()[0]?.[0] === MIGRATIONS.length;
}

function migrated(path: string): StoreUnavailable {
  return new StoreUnavailable(
    `${path} was migrated by another version of Rollcall`,
    "restart this server with that version",
  );
}

/** Which file is at this path; another one after a restore. Raises StoreUnavailable when there is none. */
function fileIdentity(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new StoreUnavailable(`${path} is gone`, "put it back, or restore a backup");
  return `${stat.dev}:${stat.ino}`;
}

/** What is cached of a company. */
interface CachedOfCompany {
  readonly facts: FactsCache;
  readonly policyTexts: PolicyTexts;
  readonly numbers: Map<string, number>;
}

/** `company` is the company's number. */
type Read = <T>(work: (statements: Statements, company: number, policies: CachedOfCompany) => T) => T;

class SqliteCompanyReader implements CompanyReader {
  constructor(
    readonly companyId: string,
    readonly read: Read,
  ) {}

  list(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): DocPage {
    const { found, looked } = this.read((statements, number, { policyTexts, numbers }) => {
      const policyNumber = (id: string) => {
        let known = numbers.get(id);
        if (known === undefined) {
          known = numberIn(statements, number, id) ?? NO_NUMBER;
          if (known !== NO_NUMBER) numbers.set(id, known);
        }
        return known;
      };
      const company = { id: this.companyId, number, policyNumber };
      const { selected, ran } = selectPage(statements, pageStatements(kind, company, page, conditions), page);
      const rows = expandRows(kind, selected, policyTexts.through(statements));
      const counting = lookedStatement(kind, company, conditions, page, { ran, found: rows });
      if (counting === null) return { found: rows };
      const [counted] = statements.prepare(counting.text).values(...counting.values);
      return { found: rows, looked: Number(counted?.[0]) };
    });
    return pageOf(found, page, looked);
  }

  object(kind: ListKind, id: string): Doc | null {
    return this.read((statements, company, { policyTexts }) => {
      const rows = statements.prepare(OBJECT_BY_ID[kind]).values(company, id) as unknown as SelectedRow[]; // what the text selects
      return expandRows(kind, rows, policyTexts.through(statements))[0]?.[0] ?? null;
    });
  }

  async about(): Promise<Company | null> {
    return this.read((statements) => statements.all<Company>(queries.companies(this.companyId)))[0] ?? null;
  }

  async feed(query: FeedQuery): Promise<FeedPage | "gone"> {
    const key = this.read((_, number) => number);
    const company = { id: this.companyId, key, policyOf: policyIdOf("policy_id") };
    return readFeed(company, query, async <R>(one: Sql) => {
      const rows = this.read((statements) => statements.all<R>(one));
      for (const row of rows) makeWhole(row as Partial<FeedRow>); // what a feed selects
      return rows;
    });
  }

  async calendarSequence(): Promise<number | null> {
    const query = queries.calendarSequence(this.companyId);
    return this.read((statements) => statements.all<{ sequence: number }>(query))[0]?.sequence ?? null;
  }

  balanceFacts(query: BalanceQuery): FactsPage {
    return this.read((statements, number, { facts }) =>
      inTransaction(statements, () =>
        readBalanceFacts(statements, { id: this.companyId, number }, facts, query),
      ),
    );
  }
}

/** Several statements see one moment. */
function inTransaction<T>(statements: Statements, work: () => T): T {
  const isTogether = statements.database.inTransaction;
  if (!isTogether) statements.prepare("begin").run();
  try {
    return work();
  } finally {
    if (!isTogether) endTransaction(statements);
  }
}

/** The rows of a page, and in how many ways they were looked for. */
function selectPage(
  statements: Statements,
  toRun: readonly Statement[],
  page: PageQuery,
): { selected: SelectedRow[]; ran: number } {
  if (toRun[0]!.isOfBucket) return { selected: selectOfBuckets(statements, toRun, page), ran: 1 };
  let selected: SelectedRow[] = [];
  let ran = 0;
  for (const { text, values } of toRun) {
    selected = statements.prepare(text).values(...values) as unknown as SelectedRow[]; // what the text selects
    ran++;
    if (selected.length > page.limit) break;
  }
  return { selected, ran };
}

/** The first rows of some time buckets. Of each, rows are read up to the last that the page can still need. */
function selectOfBuckets(
  statements: Statements,
  toRun: readonly Statement[],
  { limit, before }: PageQuery,
): SelectedRow[] {
  return inTransaction(statements, () => {
    let selected: SelectedRow[] = [];
    for (const { text, values } of toRun) {
      const last = selected[limit]?.[1] ?? values.at(-1)!;
      const found = statements.prepare(text).values(...values.slice(0, -1), last) as unknown as SelectedRow[]; // what the text selects
      selected = merged(selected, found, limit + 1, before !== undefined);
    }
    return selected;
  });
}

/** The first rows of two lists without a common id, both in the order of their ids or in its reverse. */
function merged(
  some: SelectedRow[],
  others: SelectedRow[],
  atMost: number,
  isBackward: boolean,
): SelectedRow[] {
  if (some.length === 0) return others;
  if (others.length === 0) return some;
  const rows: SelectedRow[] = [];
  const length = Math.min(atMost, some.length + others.length);
  for (let a = 0, b = 0; rows.length < length; ) {
    const [one, other] = [some[a], others[b]];
    const isOne = other === undefined || (one !== undefined && one[1]! > other[1]! === isBackward);
    rows.push(isOne ? one! : other);
    if (isOne) a++;
    else b++;
  }
  return rows;
}

/** A row of a feed's statement that has an object. */
interface FeedRow {
  readonly rank: number;
  readonly id: string;
  doc: StoredDoc;
  /** Of a request. */
  readonly policyId: string | null;
}

/** Changes the row's object to what the wire has. */
function makeWhole(row: Partial<FeedRow>): void {
  const { rank, id, doc, policyId } = row;
  if (typeof rank !== "number" || id === undefined || !doc) return; // a removal, balances, or no entry at all
  const { resource } = STEPS[rank]!; // each rank has one
  if (resource !== "balances") row.doc = expanded(resource, id, doc, policyId);
}
