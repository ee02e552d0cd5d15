// The first rows of a company. They come in the order of their files, and their keys are hashes: written as they come, each
// would touch another page. So the rows of a kind are gathered in a temporary table, which SQLite puts on disk, and moved
// in the order of their keys. Where no other company has rows of the kind either, the indexes are made afterwards, in one pass each.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Kind } from "../tables.ts";
import { pragma, type Statements } from "./database.ts";
import { insertBuckets, keyColumns, writtenColumns } from "./rows.ts";

/** Page cache of the temporary table. */
const GATHER_CACHE_KIB = 4096;
/** Page cache while rows are sorted: SQLite sorts in as much memory again before it goes to disk. */
const SORT_CACHE_KIB = 16_384;

/** Indexes of the few rows that an import after the first changed: at the first one they are empty. */
const IS_OF_CHANGED = /where seq is not null$/;

export class FirstLoad {
  readonly kind: Kind;
  readonly #statements: Statements;
  readonly #insert: string;

  constructor(statements: Statements, kind: Kind) {
    this.kind = kind;
    this.#statements = statements;
    const columns = writtenColumns(kind);
    const { database } = statements;
    database.run(`pragma temp.cache_size = -${GATHER_CACHE_KIB}`);
    // Else each page is written to a journal before it is overwritten. SQLite has removed the file already: it goes with the connection.
    database.run("pragma temp.secure_delete = off");
    database.run(`create temp table gathered (${columns.join(", ")})`);
    this.#insert = `insert into temp.gathered values (${columns.map(() => "?").join(", ")})`;
  }

  /** Gathers a row: the values of `writtenColumns`. */
  put(values: readonly SQLQueryBindings[]): void {
    this.#statements.prepare(this.#insert).run(...values);
  }

  /** Moves what was gathered to its table. */
  end(): void {
    const { database } = this.#statements;
    this.#statements.finalize(); // a table cannot be dropped while a statement reads it
    const cacheBefore = pragma(database, "cache_size");
    database.run(`pragma cache_size = -${SORT_CACHE_KIB}`);
    try {
      this.#move(database);
    } finally {
      database.run(`pragma cache_size = ${cacheBefore}`);
    }
  }

  #move(database: Database): void {
    const columns = writtenColumns(this.kind).join(", ");
    const order = keyColumns(this.kind).join(", ");
    withoutIndexes(database, this.kind, () =>
      database.run(
        `insert into ${this.kind} (${columns}) select ${columns} from temp.gathered order by ${order}`,
      ),
    );
    if (this.kind === "requests")
      withoutIndexes(database, "request_buckets", () => database.run(insertBuckets("temp.gathered")));
    database.run("drop table temp.gathered");
  }
}

/** Runs `work`, and if the table has no rows yet, makes its indexes afterwards. */
function withoutIndexes(database: Database, table: string, work: () => void): void {
  const isEmpty = database.query(`select 1 from ${table} limit 1`).get() === null;
  const indexes = isEmpty ? dropIndexes(database, table) : [];
  work();
  for (const text of indexes) database.run(text);
}

/** Drops the indexes of a table, and gives the statements that make them again. */
export function dropIndexes(database: Database, table: string): string[] {
  const indexes = database
    .query<{ name: string; sql: string }, [string]>(
      "select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null order by name",
    )
    .all(table)
    .filter(({ sql }) => !IS_OF_CHANGED.test(sql));
  for (const { name } of indexes) database.run(`drop index ${name}`);
  return indexes.map(({ sql }) => sql);
}
