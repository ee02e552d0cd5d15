// The temporary tables of an import. SQLite's temporary file has no name, so nothing of it stays, however the process ends.
import { SQLiteError, type SQLQueryBindings } from "bun:sqlite";
import type { Sql } from "sql-template-tag";
import { ImportReads } from "../shared-reads.ts";
import type { ImportSession, StagedColumns, StagedValue } from "../store.ts";
import { columnName } from "../tables.ts";
import { failure, fullOfTemporaryFiles, type Statements } from "./database.ts";

const CACHE_KIB = 16_384;
/** Rows per batch. More rows would outlive collections of young garbage, so that memory grows. */
const BATCH_ROWS = 100;

export class SqliteStaging extends ImportReads implements ImportSession {
  readonly #inserts = new Map<string, string>();
  /** How many queries are being read in batches. */
  #reading = 0;

  constructor(
    private readonly path: string,
    private readonly statements: Statements,
    readonly companyId: string,
    readonly hold: ImportSession["hold"],
    readonly requireUnchanged: ImportSession["requireUnchanged"],
  ) {
    super();
    const { database } = statements;
    database.run("pragma temp_store = file");
    database.run(`pragma temp.cache_size = -${CACHE_KIB}`);
    // Otherwise SQLite writes each page to a journal before it overwrites the page.
    database.run("pragma temp.secure_delete = off");
  }

  async run<R>(query: Sql): Promise<R[]> {
    return this.#named(() => this.statements.all<R>(query));
  }

  async makeTable(name: string, columns: StagedColumns): Promise<void> {
    // SQLite then fails a query that is still read, as soon as it opens one more table (SQLITE_ABORT_ROLLBACK).
    if (this.#reading > 0) throw new Error(`${name} is made while rows are read: make it before`);
    const list = Object.entries(columns).map(
      ([column, type]) => `${columnName(column)} ${type === "row number" ? "integer primary key" : type}`,
    );
    this.#named(() => this.statements.database.run(`create temp table ${name} (${list.join(", ")})`));
    this.#inserts.set(name, `insert into temp.${name} values (${list.map(() => "?").join(", ")})`);
  }

  async fill(table: string, rows: readonly (readonly StagedValue[])[]): Promise<void> {
    const { database } = this.statements;
    const insert = this.statements.prepare(this.#inserts.get(table)!);
    const isAlone = !database.inTransaction;
    this.#named(() => {
      if (isAlone) database.run("begin");
      try {
        for (const row of rows) insert.run(...(row as SQLQueryBindings[])); // texts, numbers and null
        if (isAlone) database.run("commit");
      } catch (error) {
        if (isAlone && database.inTransaction) database.run("rollback");
        throw error;
      }
    });
  }

  async *batches<R>(query: Sql): AsyncGenerator<R[]> {
    const select = this.statements.prepare(query.sql);
    const rows = select.iterate(...(query.values as SQLQueryBindings[])) as Iterator<R>; // the selection
    this.#reading += 1;
    try {
      for (;;) {
        const batch: R[] = [];
        this.#named(() => {
          while (batch.length < BATCH_ROWS) {
            const next = rows.next();
            if (next.done) return;
            batch.push(next.value);
          }
        });
        await new Promise(setImmediate); // lets signals through, and frees what the batch before held
        if (batch.length > 0) yield batch;
        if (batch.length < BATCH_ROWS) return;
      }
    } finally {
      this.#reading -= 1;
    }
  }

  drop(): void {
    const { database } = this.statements;
    this.statements.finalize(); // a table cannot be dropped while a statement reads it
    for (const name of this.#inserts.keys()) database.run(`drop table if exists temp.${name}`);
    this.#inserts.clear();
  }

  /** Maps SQLite's errors. Before the writing transaction, only the temporary file grows, so a full disk is that of temporary files. */
  #named<T>(work: () => T): T {
    const isOutside = !this.statements.database.inTransaction;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error;
      if (isOutside && error.code?.startsWith("SQLITE_FULL")) throw fullOfTemporaryFiles(error);
      throw failure(this.path, error);
    }
  }
}
