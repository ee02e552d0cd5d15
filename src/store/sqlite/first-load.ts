// The first rows of a kind come in key order. If no other company has rows of the kind, its indexes and time buckets are made
// afterwards, in one pass each. In a company's first import, no trigger looks at each row: the history begins after it.
import type { Database } from "bun:sqlite";
import type { Kind } from "../tables.ts";
import type { Statements } from "./database.ts";
import { insertBuckets } from "./rows.ts";

/** Indexes of the rows that later imports changed: empty during the first one. */
const IS_OF_CHANGED = /where seq is not null$/;

export class FirstLoad {
  /** The statements that make the dropped indexes and triggers again. */
  readonly #dropped: readonly string[];

  constructor(
    private readonly statements: Statements,
    private readonly companyId: string,
    readonly kind: Kind,
  ) {
    const { database } = statements;
    const hasRevision =
      database.query("select 1 from companies where id = ? and revision > 0").get(companyId) !== null;
    this.#dropped = [
      ...indexesOfEmpty(database, kind),
      ...(hasRevision ? [] : dropInsertTrigger(database, kind)),
    ];
  }

  end(): void {
    const { database } = this.statements;
    this.statements.finalize(); // SQLite makes no index of a table that a statement writes
    for (const text of this.#dropped) database.run(text);
    if (this.kind !== "requests") return;
    const indexes = indexesOfEmpty(database, "request_buckets");
    database.run(insertBuckets(`(select * from requests where company_id = ?)`), [this.companyId]);
    for (const text of indexes) database.run(text);
  }
}

/** Drops the indexes of an empty table, and returns the statements that make them again; none for a table with rows. */
function indexesOfEmpty(database: Database, table: string): string[] {
  const isEmpty = database.query(`select 1 from ${table} limit 1`).get() === null;
  return isEmpty ? dropIndexes(database, table) : [];
}

/** Drops the indexes of a table, and returns the statements that make them again. */
export function dropIndexes(database: Database, table: string): string[] {
  const indexes = database
    .query<{ name: string; sql: string }, [string]>(
      `select name, sql
      from sqlite_schema
      where type = 'index' and tbl_name = ? and sql is not null
      order by name`,
    )
    .all(table)
    .filter(({ sql }) => !IS_OF_CHANGED.test(sql));
  for (const { name } of indexes) database.run(`drop index ${name}`);
  return indexes.map(({ sql }) => sql);
}

/** Drops the trigger that notes added rows in the history, and returns the statement that makes it again. */
export function dropInsertTrigger(database: Database, kind: Kind): string[] {
  const name = `${kind}_insert`;
  const triggers = database
    .query<{ sql: string }, [string]>("select sql from sqlite_schema where type = 'trigger' and name = ?")
    .all(name);
  database.run(`drop trigger ${name}`);
  return triggers.map(({ sql }) => sql);
}
