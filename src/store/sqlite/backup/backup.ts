// A backup: one SQLite file, whatever engine the store is on. It holds every row in key order, without indexes, and one
// row that says what it is, with a digest of all the others.
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, realpathSync } from "node:fs";
import { COMPANY_COLUMNS, COMPANY_TYPES, companyValues } from "../../../resources/company.ts";
import { insertFeed, insertKey } from "../../secret-rows.ts";
import { type Contents, StoreRefusal, StoreUnavailable } from "../../store.ts";
import { columnName, FACT_KINDS, type FactKind, TABLES } from "../../tables.ts";
import { type ContentsSummary, readThrough, SORTED_COLUMNS } from "../../transfer/contents.ts";
import { contentsOf } from "../contents.ts";
import { BACKUP_ID, failure, Statements } from "../database.ts";
import {
  makeTemporaryFile,
  moveIntoPlace,
  removeDatabase,
  thenRemove,
  withFileErrors,
} from "./temporary-file.ts";

/**
 * The format that is written. Format 2 had no feeds, and format 1 was a copy of the embedded store's tables: see
 * format-1.ts.
 */
const FORMAT = 3;

export interface BackupDescription extends ContentsSummary {
  readonly madeAtMs: number;
}

const columnsOf = (kind: FactKind) => ["company_id", ...SORTED_COLUMNS[kind].map(columnName)];

/** Columns have no declared type, so that values come back exactly as they were. */
function tableSql(kind: FactKind): string {
  const columns = SORTED_COLUMNS[kind].map((column) => `, ${columnName(column)} any`).join("");
  const key = ["company_id", ...TABLES[kind].key.map(columnName)].join(", ");
  return `create table ${kind} (company_id text not null${columns}, primary key (${key})) strict, without rowid`;
}

const COMPANY_COLUMNS_SQL = COMPANY_COLUMNS.map((column) => {
  const { type, isOptional } = COMPANY_TYPES[column];
  const constraint = column === "id" ? " primary key" : isOptional ? "" : " not null";
  return `${columnName(column)} ${type === "text" ? "text" : "integer"}${constraint}`;
});

const TABLES_SQL = [
  "create table backup (made_at_ms integer not null, digest text not null, seal text not null) strict",
  `create table companies (${COMPANY_COLUMNS_SQL.join(", ")}) strict, without rowid`,
  "create table keys (id text primary key, company_id text not null, name text not null, digest text not null, scopes text not null, created_at_ms integer not null, expires_at_ms integer, revoked_at_ms integer, last_used_at_ms integer) strict, without rowid",
  ...FACT_KINDS.map(tableSql),
];

/** The tables that format 2 did not have. */
const FEEDS_SQL =
  "create table feeds (id text primary key, company_id text not null, name text not null, digest text not null, definition text not null, created_at_ms integer not null, expires_at_ms integer, revoked_at_ms integer, last_used_at_ms integer) strict, without rowid";

/** SHA-256 over everything in the `backup` table, so that an edit of it is noticed. */
function sealOf(format: number, madeAtMs: number, digest: string): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([format, madeAtMs, digest])).digest("hex");
}

// Writing ------------------------------------------------------------------------------------------------------------

/**
 * Writes a backup of `contents` to `outPath`, and reads it through to see that it holds what was read. A backup that is
 * there is replaced, nothing else is. Raises StoreRefusal or StoreUnavailable; then nothing is left. `onRows` gets
 * how many rows there are so far.
 */
export async function writeBackup(
  contents: Contents,
  outPath: string,
  nowMs: number,
  onRows: (rows: number) => void = () => {},
): Promise<BackupDescription> {
  refuseToReplace(outPath);
  const temporary = withFileErrors(outPath, () => makeTemporaryFile(outPath));
  try {
    return await thenRemove(
      () => removeDatabase(temporary),
      async () => {
        const { digest } = await fill(temporary, contents, nowMs, onRows);
        const written = await verifyBackup(temporary);
        if (written.digest !== digest) {
          throw new StoreUnavailable(
            "The backup does not hold what was read",
            "check the disk it is on, and try again",
          );
        }
        withFileErrors(outPath, () => moveIntoPlace(temporary, outPath));
        return written;
      },
    );
  } catch (error) {
    throw error instanceof SQLiteError ? failure(outPath, error) : error;
  }
}

function refuseToReplace(outPath: string): void {
  if (!existsSync(outPath) || isBackup(outPath)) return;
  throw new StoreRefusal(
    `${outPath} is there already and is not a backup`,
    "choose another name, it will not be overwritten",
  );
}

async function fill(
  path: string,
  contents: Contents,
  madeAtMs: number,
  onRows: (rows: number) => void,
): Promise<ContentsSummary> {
  const statements = new Statements(new Database(path, { readwrite: true }));
  const { database } = statements;
  try {
    // No other process knows this file, and it is deleted after a failure, so it needs no journal.
    for (const setting of [
      "journal_mode = off",
      "synchronous = off",
      `application_id = ${BACKUP_ID}`,
      `user_version = ${FORMAT}`,
    ])
      database.run(`pragma ${setting}`);
    database.run("begin");
    for (const text of [...TABLES_SQL, FEEDS_SQL]) database.run(text);
    let count = 0;
    const summary = await readThrough(contents, {
      company: (company) =>
        void statements
          .prepare(`insert into companies values (?${", ?".repeat(COMPANY_COLUMNS.length - 1)})`)
          .run(...companyValues(company)),
      key: (key) => void statements.all(insertKey(key)),
      feed: (feed) => void statements.all(insertFeed(feed)),
      rows(companyId, kind, rows) {
        const columns = SORTED_COLUMNS[kind];
        const insert = statements.prepare(
          `insert into ${kind} (${columnsOf(kind).join(", ")}) values (?${", ?".repeat(columns.length)})`,
        );
        for (const row of rows) {
          insert.run(companyId, ...columns.map((column) => row[column] as string | number | null)); // what rows hold
        }
        count += rows.length;
        onRows(count);
      },
    });
    const seal = sealOf(FORMAT, madeAtMs, summary.digest);
    statements.prepare("insert into backup values (?, ?, ?)").run(madeAtMs, summary.digest, seal);
    statements.finalize();
    database.run("commit");
    return summary;
  } finally {
    statements.close();
  }
}

// Reading ------------------------------------------------------------------------------------------------------------

/** Whether the file at `path` is marked as a backup. */
function isBackup(path: string): boolean {
  try {
    const database = new Database(realpathSync(path), { readonly: true });
    try {
      return mark(database, "application_id") === BACKUP_ID;
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

function mark(database: Database, name: "application_id" | "user_version"): number {
  return Number(database.query(`pragma ${name}`).values()[0]?.[0]);
}

/** Reads a backup through. Raises StoreRefusal for a file that is not one, or not whole, or not as it was written. */
export async function verifyBackup(path: string): Promise<BackupDescription> {
  if (!existsSync(path)) throw new StoreRefusal(`There is no backup at ${path}`, "check the path");
  try {
    return await withStatements(path, (statements) => verified(statements, path));
  } catch (error) {
    if (error instanceof StoreRefusal) throw error;
    throw new StoreRefusal(
      `${path} is not a whole backup: it is damaged, cut short, or another kind of file. Nothing was changed`,
      "take another backup",
      { cause: error },
    );
  }
}

/** Gives `work` what the backup at `path` holds, which `verifyBackup` has read. */
export async function withBackup<T>(path: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const unreadable = (cause: SQLiteError) =>
    new StoreRefusal(`${path} can no longer be read`, "check the disk that it is on", { cause });
  return withStatements(path, (statements) => work(contentsOf(statements, { failure: unreadable })));
}

async function withStatements<T>(path: string, work: (statements: Statements) => Promise<T>): Promise<T> {
  const statements = new Statements(new Database(path, { readonly: true }));
  try {
    statements.database.run("pragma trusted_schema = off");
    statements.database.run("begin");
    return await work(statements);
  } finally {
    statements.close();
  }
}

async function verified(statements: Statements, path: string): Promise<BackupDescription> {
  const { database } = statements;
  if (mark(database, "application_id") !== BACKUP_ID) {
    throw new StoreRefusal(`${path} is not a backup made by rollcall backup. Nothing was changed`);
  }
  const format = mark(database, "user_version");
  if (format > FORMAT) throw newer(path);
  const description = await verifyTables(statements, format);
  if (description !== "edited") return description;
  throw new StoreRefusal(
    `${path} is not as it was written: its digest does not fit its rows. Nothing was changed`,
    "take another backup",
  );
}

function newer(path: string): StoreRefusal {
  return new StoreRefusal(
    `${path} was made by a newer Rollcall. Nothing was changed`,
    "upgrade Rollcall first",
  );
}

async function verifyTables(statements: Statements, format: number): Promise<BackupDescription | "edited"> {
  // A backup has our tables and nothing else: no trigger, no view.
  const defined = statements.database.query("select sql from sqlite_schema where sql is not null").values();
  const tables = format === FORMAT ? [...TABLES_SQL, FEEDS_SQL] : TABLES_SQL;
  if (
    defined.flat().toSorted().join() !== tables.toSorted().join().replaceAll("create table", "CREATE TABLE")
  )
    return "edited";
  const about = statements.database
    .query<{ madeAtMs: number; digest: string; seal: string }, []>(
      `select made_at_ms as "madeAtMs", digest, seal from backup`,
    )
    .all();
  const [description] = about;
  if (description === undefined || about.length > 1) return "edited";
  const { madeAtMs, digest, seal } = description;
  const found = await readThrough(contentsOf(statements, { failure: (error) => error }));
  if (found.digest !== digest || seal !== sealOf(format, madeAtMs, digest)) return "edited";
  return { madeAtMs, ...found };
}
