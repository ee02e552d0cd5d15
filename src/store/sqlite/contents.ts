// Reads everything that the embedded store holds at one moment. Also reads backup files: their tables have the same columns.
import { Database, SQLiteError, type SQLQueryBindings } from "bun:sqlite";
import { existsSync } from "node:fs";
import sql from "sql-template-tag";
import * as queries from "../queries.ts";
import {
  type Company,
  type Contents,
  type StoredFeed,
  type StoredKey,
  type StoredSecret,
  unknownCompany,
} from "../store.ts";
import {
  columnName,
  currentRow,
  FACT_KINDS,
  type FactKind,
  isOlder,
  type Rows,
  type StoredColumns,
  selectionOf,
  TABLES,
} from "../tables.ts";
import {
  failure,
  keysPath,
  mapError,
  openReader,
  Statements,
  type StoreFile,
  schemaVersion,
} from "./database.ts";
import { clearStore } from "./erasure.ts";
import { feedsOf, keysOf } from "./keys.ts";
import { companyNumber } from "./layout/numbers.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "./schema.ts";
import { SCAN_BATCH_ROWS, scanRows } from "./transaction.ts";

export interface ContentsOptions {
  /** Where keys and feeds are read from, unless they are in the same file. */
  readonly secrets?: {
    readonly keys: (companyId?: string) => StoredKey[];
    readonly feeds: (companyId?: string) => StoredFeed[];
  };
  /** Makes the error that is raised if SQLite cannot read. */
  readonly failure: (error: SQLiteError) => Error;
}

/** What is read through `statements`. */
export function contentsOf(statements: Statements, options: ContentsOptions): Contents {
  const secrets = options.secrets ?? {
    keys: (companyId) => keysOf(statements, companyId),
    feeds: (companyId) => feedsOf(statements, companyId),
  };
  let stored: StoredColumns | undefined;
  const read = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw error instanceof SQLiteError ? options.failure(error) : error;
    }
  };
  return {
    companies: async () =>
      read(() => {
        stored ??= columnsOf(statements);
        return companiesOf(statements, stored);
      }),
    keys: async (companyId) => read(() => secrets.keys(companyId)),
    feeds: async (companyId) => read(() => secrets.feeds(companyId)),
    async export(companyId, visit) {
      const company = read(() => statements.all(sql`select id from companies where id = ${companyId}`));
      if (company.length === 0) throw unknownCompany(companyId);
      stored ??= read(() => columnsOf(statements));
      const columns = stored;
      const number =
        columns.get("numbers")!.size > 0 ? read(() => companyNumber(statements, companyId)) : null;
      for (const kind of FACT_KINDS) {
        const batches =
          number === null
            ? scanOlderRows(statements, companyId, kind, columns)
            : scanRows(statements, number, kind);
        for (let next = read(() => batches.next()); !next.done; next = read(() => batches.next())) {
          await visit(kind, next.value);
          await new Promise(setImmediate); // lets signals through
        }
      }
    },
  };
}

export function companiesOf(statements: Statements, stored?: StoredColumns): Company[] {
  return statements.all<Company>(queries.companies(undefined, stored));
}

/** Like `scanRows`, of a backup or of a store of an older version: their rows have ids instead of numbers, and whole objects. */
function* scanOlderRows<K extends FactKind>(
  statements: Statements,
  companyId: string,
  kind: K,
  stored: StoredColumns,
): Generator<Rows[K][], void, undefined> {
  const { key, columns: wanted } = TABLES[kind];
  const columns = key.map(columnName).join(", ");
  const select = `select ${selectionOf(kind, wanted, stored)} from ${kind} where company_id = ?`;
  const isOld = isOlder(kind, stored);
  const rest = `order by ${columns} limit ${SCAN_BATCH_ROWS}`;
  const first = statements.prepare(`${select} ${rest}`);
  const next = statements.prepare(`${select} and (${columns}) > (${key.map(() => "?").join(", ")}) ${rest}`);
  let rows = first.all(companyId) as Rows[K][]; // the selection is the row's columns
  while (rows.length > 0) {
    yield isOld ? rows.map((row) => currentRow(kind, row)) : rows;
    if (rows.length < SCAN_BATCH_ROWS) return;
    const last = rows[rows.length - 1]!;
    rows = next.all(companyId, ...key.map((field) => last[field] as SQLQueryBindings)) as Rows[K][]; // as above
  }
}

/** The columns of each table, which in a file of an older version are fewer. */
function columnsOf(statements: Statements): StoredColumns {
  return new Map(
    ["companies", "numbers", ...FACT_KINDS].map((table) => {
      const columns = statements.database.query("select name from pragma_table_info(?)").values(table);
      return [table, new Set(columns.map(([name]) => String(name)))];
    }),
  );
}

/**
 * Gives `work` all that the store at `path` holds at one moment, while others serve and import. Stores of older schema
 * versions will do: a backup is what should be made before `rollcall migrate`.
 */
export async function withSnapshot<T>(
  path: string,
  work: (contents: Contents, versions: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const statements = openSnapshot({ path, migrations: MIGRATIONS });
  try {
    return await work(
      contentsOf(statements, {
        secrets: {
          keys: (companyId) => readSecrets(path, (secrets) => keysOf(secrets, companyId)),
          feeds: (companyId) => readSecrets(path, (secrets) => feedsOf(secrets, companyId)),
        },
        failure: (error) => failure(path, error),
      }),
      mapError(path, () => versionsOf(statements)),
    );
  } finally {
    statements.close();
    clearAfter(path);
  }
}

/** The version of each company. A migration may change facts without it, so the schema's version is part of it. */
function versionsOf(statements: Statements): Map<string, string> {
  const rows = statements.all<{ id: string; version: string }>(
    sql`select id, user_version || ' ' || version as version from companies, pragma_user_version order by id`,
  );
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** See `Commits.mark`. */
export async function commitMark(path: string): Promise<string> {
  const statements = openSnapshot({ path, migrations: MIGRATIONS });
  try {
    return mapError(path, () => {
      const secrets = [
        ...readSecrets<StoredSecret>(path, keysOf),
        ...readSecrets<StoredSecret>(path, feedsOf),
      ];
      return JSON.stringify([
        ...versionsOf(statements),
        companiesOf(statements, columnsOf(statements)),
        secrets.map((secret) => ({ ...secret, lastUsedAtMs: null })),
      ]);
    });
  } finally {
    statements.close();
  }
}

/** The keys or feeds of the store at `path`, in a snapshot of their own. */
function readSecrets<S>(path: string, read: (statements: Statements) => S[]): S[] {
  if (!existsSync(keysPath(path))) return [];
  const statements = openSnapshot({ path: keysPath(path), migrations: KEYS_MIGRATIONS });
  try {
    return read(statements);
  } finally {
    statements.close();
  }
}

function openSnapshot(file: StoreFile): Statements {
  if (!existsSync(file.path)) openReader(file).close(); // refuses with what to do
  try {
    const database = new Database(file.path, { readonly: true });
    try {
      database.run("pragma busy_timeout = 5000");
      schemaVersion(database, file);
      database.run("begin");
      database.query("select 1 from sqlite_schema").get(); // from here on it sees one moment
      return new Statements(database);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof SQLiteError ? failure(file.path, error) : error;
  }
}

/** The snapshot may have kept an import from clearing the store of what it removed. */
export function clearAfter(path: string): void {
  try {
    clearStore(path, MIGRATIONS);
  } catch {
    // The store is read-only or of an older version: its next writer clears it.
  }
}
