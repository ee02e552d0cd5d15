// Writing PostgreSQL, for the command line: imports of one company wait for each other, those of others do not.
import type pg from "pg";
import sql, { join, type Sql } from "sql-template-tag";
import {
  type Company,
  type Contents,
  type ImportOutcome,
  type ImportTransaction,
  type Remains,
  type StoredKey,
  takenCompany,
  unknownCompany,
  type WriteStore,
} from "../store.ts";
import type { FactKind, Rows } from "../tables.ts";
import { COMPANY_TABLES, newVersion, removeCompany } from "./companies.ts";
import { parseAddress } from "./connection/address.ts";
import { PostgresDatabase, run } from "./connection/database.ts";
import { BEGIN_SNAPSHOT, contentsOf, type Execute } from "./contents.ts";
import { createKey, updateKey } from "./keys.ts";
import { beginLocking, commit } from "./lock.ts";
import { type MigrateOptions, openSchema } from "./maintenance/migrate.ts";
import { tidy, vacuum } from "./maintenance/vacuum.ts";
import { PostgresImportTransaction } from "./transaction.ts";

/** Opens the PostgreSQL store at `db` for writing. Raises StoreRefusal where it is missing or not of this version. */
export async function openPostgresWriteStore(db: string, options: MigrateOptions = {}): Promise<WriteStore> {
  const address = parseAddress(db);
  const database = new PostgresDatabase(address, { max: address.pool });
  try {
    await openSchema(database, options);
    return new PostgresWriteStore(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

class PostgresWriteStore implements WriteStore {
  readonly #database: PostgresDatabase;
  readonly #contents: Contents;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#contents = contentsOf((query) => database.read(query));
  }

  #run<R>(client: pg.PoolClient, query: Sql): Promise<R[]> {
    return run<R>(client, this.#database.place, query);
  }

  async createCompany(company: Company): Promise<void> {
    const made = await this.#database.execute(
      sql`insert into companies (id, name, version, created_at_ms) values (${join([company.id, company.name, newVersion(), company.createdAtMs])}) on conflict (id) do nothing returning id`,
    );
    if (made.length === 0) throw takenCompany(company.id);
  }

  companies(): Promise<Company[]> {
    return this.#contents.companies();
  }

  deleteCompany(id: string): Promise<Remains | null> {
    return this.#database.hold(async (client) => {
      const execute: Execute = (query) => this.#run(client, query);
      await execute(sql`begin`);
      const isKnown = await removeCompany(execute, id);
      await execute(sql`commit`);
      if (!isKnown) return null;
      const isVacuumed = await vacuum(client, COMPANY_TABLES);
      return { isErased: false, until: isVacuumed ? "overwritten" : "vacuumed" };
    });
  }

  createKey(key: StoredKey): Promise<void> {
    return createKey(this.#database, key);
  }

  keys(companyId?: string): Promise<StoredKey[]> {
    return this.#contents.keys(companyId);
  }

  updateKey(id: string, change: Partial<Pick<StoredKey, "expiresAtMs" | "revokedAtMs">>): Promise<boolean> {
    return updateKey(this.#database, id, change);
  }

  async import<T>(
    companyId: string,
    work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>,
    onWait?: () => void,
  ): Promise<T> {
    return this.#database.hold(async (client) => {
      const lock = sql`select id from companies where id = ${companyId} for no key update`;
      const rows = await beginLocking(client, this.#database.place, lock, onWait);
      if (rows.length === 0) throw unknownCompany(companyId);
      const transaction = new PostgresImportTransaction(client, this.#database.place, companyId);
      const outcome = await work(transaction);
      if (outcome.commit && outcome.changed) {
        await this.#run(client, sql`update companies set version = ${newVersion()} where id = ${companyId}`);
      }
      if (outcome.commit) {
        await commit(client, this.#database.place, "import");
        await tidy(client, transaction);
      } else {
        await this.#run(client, sql`rollback`);
      }
      return outcome.result;
    });
  }

  async export(
    companyId: string,
    visit: <K extends FactKind>(kind: K, rows: readonly Rows[K][]) => Promise<void>,
  ): Promise<void> {
    await this.#database.hold(async (client) => {
      const execute: Execute = (query) => this.#run(client, query);
      await execute(BEGIN_SNAPSHOT);
      await contentsOf(execute).export(companyId, visit);
      await execute(sql`commit`);
    });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}
