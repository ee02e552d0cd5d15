// Writing PostgreSQL, for the command line: imports of one company wait for each other, those of others do not.
import type pg from "pg";
import sql, { join, raw, type Sql } from "sql-template-tag";
import {
  type Company,
  type ImportOutcome,
  type ImportTransaction,
  type StoredKey,
  StoreUnavailable,
  takenCompany,
  unknownCompany,
  type WriteStore,
} from "../store.ts";
import { FACT_KINDS, type FactKind, type Rows } from "../tables.ts";
import { parseAddress } from "./address.ts";
import { PostgresDatabase, run } from "./database.ts";
import { LOCK_NOT_AVAILABLE, sqlState, translated } from "./errors.ts";
import { createKey, listKeys, updateKey } from "./keys.ts";
import { type MigrateOptions, openSchema } from "./migrate.ts";
import { PostgresImportTransaction, scanRows } from "./transaction.ts";

/** An import that put this many rows has the tables' statistics renewed, which would otherwise happen within minutes. */
const ANALYZE_FROM_ROWS = 10_000;

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

  constructor(database: PostgresDatabase) {
    this.#database = database;
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
    return this.#database.read(
      sql`select id as "id", name as "name", created_at_ms as "createdAtMs" from companies order by id`,
    );
  }

  deleteCompany(id: string): Promise<boolean> {
    return this.#database.hold(async (client) => {
      await this.#run(client, sql`begin`);
      const known = await this.#run(client, sql`select id from companies where id = ${id} for update`);
      for (const table of [...FACT_KINDS, "keys"]) {
        await this.#run(client, sql`delete from ${raw(table)} where company_id = ${id}`);
      }
      await this.#run(client, sql`delete from companies where id = ${id}`);
      await this.#run(client, sql`commit`);
      return known.length > 0;
    });
  }

  createKey(key: StoredKey): Promise<void> {
    return createKey(this.#database, key);
  }

  keys(companyId?: string): Promise<StoredKey[]> {
    return listKeys(this.#database, companyId);
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
      await this.#lock(client, companyId, onWait);
      const transaction = new PostgresImportTransaction(client, this.#database.place, companyId);
      const outcome = await work(transaction);
      if (outcome.commit && outcome.changed) {
        await this.#run(client, sql`update companies set version = ${newVersion()} where id = ${companyId}`);
      }
      await (outcome.commit ? this.#commit(client) : this.#run(client, sql`rollback`));
      if (outcome.commit && transaction.rowsPut >= ANALYZE_FROM_ROWS) await this.#analyze(client);
      return outcome.result;
    });
  }

  async #commit(client: pg.PoolClient): Promise<void> {
    try {
      await this.#run(client, sql`commit`);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      const message = `${error.message}. Whether the import was done is not known: run it again, which changes nothing twice`;
      throw new StoreUnavailable(message, { cause: error });
    }
  }

  /** Begins a transaction that holds the company against other imports and deletion, and against nothing else. */
  async #lock(client: pg.PoolClient, companyId: string, onWait?: () => void): Promise<void> {
    const lock = sql`select id from companies where id = ${companyId} for no key update`;
    await this.#run(client, sql`begin`);
    let rows: unknown[];
    try {
      rows = (await client.query(`${lock.text} nowait`, lock.values)).rows;
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw translated(error, this.#database.place);
      onWait?.();
      await this.#run(client, sql`rollback`);
      await this.#run(client, sql`begin`);
      rows = await this.#run(client, lock);
    }
    if (rows.length === 0) throw unknownCompany(companyId);
  }

  /** The import is committed by now: where statistics cannot be renewed, the server does so in its own time. */
  async #analyze(client: pg.PoolClient): Promise<void> {
    try {
      await client.query(`analyze ${FACT_KINDS.join(", ")}`);
    } catch {}
  }

  async export(
    companyId: string,
    visit: <K extends FactKind>(kind: K, rows: readonly Rows[K][]) => Promise<void>,
  ): Promise<void> {
    await this.#database.hold(async (client) => {
      const execute = <R>(query: Sql) => this.#run<R>(client, query);
      await execute(sql`begin isolation level repeatable read read only`);
      const company = await execute(sql`select id from companies where id = ${companyId}`);
      if (company.length === 0) throw unknownCompany(companyId);
      for (const kind of FACT_KINDS) {
        for await (const rows of scanRows(execute, companyId, kind)) await visit(kind, rows);
      }
      await execute(sql`commit`);
    });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

function newVersion(): string {
  return crypto.randomUUID();
}
