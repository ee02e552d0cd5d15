// The form of a backup: one SQLite file with every table of the store and of its keys, in key order and without
// indexes, and one row that says what it is, with a digest of all the others.
import { constants, Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { StoreRefusal } from "../../store.ts";
import { mapError } from "../database.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "../schema.ts";

/** Marks a file as a backup ("ROLB"), so that it is neither served as a store nor taken for another program's. */
export const BACKUP_APPLICATION_ID = 0x524f4c42;

/** The form that this file describes; another one gets another number. */
export const BACKUP_FORMAT = 1;

const DESCRIPTION_TABLE =
  "create table backup (made_at_ms integer not null, store_version integer not null, keys_version integer not null, digest text not null) strict";

export interface SchemaVersions {
  readonly storeVersion: number;
  readonly keysVersion: number;
}

export interface BackupDescription extends SchemaVersions {
  readonly madeAtMs: number;
  /** SHA-256 over every row, in hexadecimal. */
  readonly digest: string;
  /** How many rows each table holds. */
  readonly rows: Readonly<Record<string, number>>;
}

/** A connection that may name read-only files in `attach`: see `attachReadOnly`. */
export function openAttaching(path: string): Database {
  return new Database(
    path,
    constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE | constants.SQLITE_OPEN_URI,
  );
}

/** Adds another file to a connection from `openAttaching`, under a name of its own; nothing can be written to it. */
export function attachReadOnly(database: Database, path: string, name: string): void {
  database.run(`attach ? as ${name}`, [`${pathToFileURL(path).href}?mode=ro`]);
}

/** Makes a backup's tables in an empty database. */
export function makeBackupTables(database: Database, versions: SchemaVersions): void {
  const migrations = [
    ...MIGRATIONS.slice(0, versions.storeVersion),
    ...KEYS_MIGRATIONS.slice(0, versions.keysVersion),
  ];
  for (const migration of migrations) database.run(migration);
  for (const { type, name } of derived(database)) database.run(`drop ${type} ${name}`);
  database.run(DESCRIPTION_TABLE);
}

interface Derived {
  readonly type: "index" | "trigger";
  readonly name: string;
  readonly sql: string;
}

/** What a database keeps up beside its tables' rows, but for what is part of a table's own definition. */
export function derived(database: Database): Derived[] {
  return database
    .query<Derived, []>(
      "select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null order by name",
    )
    .all();
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
}

/** Every table that holds rows of people or keys. */
export function tablesOf(database: Database): TableShape[] {
  return database
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not in ('backup') and name not like 'sqlite_%' order by name",
    )
    .all()
    .map(({ name }) => {
      const columns = database
        .query<{ name: string; pk: number }, [string]>(
          "select name, pk from pragma_table_info(?) order by cid",
        )
        .all(name);
      const key = columns.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk);
      return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
    });
}

/** The digest over all rows in key order, and how many there are; flat in memory. */
export function digestOf(
  database: Database,
  about: SchemaVersions & { readonly madeAtMs: number },
): Pick<BackupDescription, "digest" | "rows"> {
  const hasher = new Bun.CryptoHasher("sha256");
  const rows: Record<string, number> = {};
  const line = (value: unknown) => hasher.update(`${JSON.stringify(value)}\n`);
  line([BACKUP_FORMAT, about.madeAtMs, about.storeVersion, about.keysVersion]);
  for (const table of tablesOf(database)) {
    let count = 0;
    line([table.name, table.columns]);
    const select = database.prepare(
      `select ${table.columns.join(", ")} from ${table.name} order by ${table.key.join(", ")}`,
    );
    for (const row of select.iterate()) {
      line(Object.values(row as object)); // the columns, in the order of the selection
      count++;
    }
    select.finalize();
    rows[table.name] = count;
  }
  return { digest: hasher.digest("hex"), rows };
}

/** Whether there is a backup at `path`, to judge by its mark. */
export function isBackup(path: string): boolean {
  try {
    return withBackup(path, (database) => mark(database, "application_id") === BACKUP_APPLICATION_ID);
  } catch {
    return false;
  }
}

/** Reads a backup through. Raises StoreRefusal for a file that is not one, or not whole, or not as it was written. */
export function verifyBackup(path: string): BackupDescription {
  if (!existsSync(path)) throw new StoreRefusal(`There is no backup at ${path}`, "check the path");
  try {
    return withBackup(path, (database) => verified(database, path));
  } catch (error) {
    if (error instanceof StoreRefusal) throw error;
    throw new StoreRefusal(
      `${path} is not a whole backup: it is damaged, cut short, or another kind of file. Nothing was changed`,
      "take another backup",
      { cause: error },
    );
  }
}

function withBackup<T>(path: string, work: (database: Database) => T): T {
  const database = new Database(path, { readonly: true });
  try {
    database.run("pragma trusted_schema = off");
    return work(database);
  } finally {
    database.close();
  }
}

function mark(database: Database, name: "application_id" | "user_version"): number {
  return Number(database.query(`pragma ${name}`).values()[0]?.[0]);
}

function verified(database: Database, path: string): BackupDescription {
  if (mark(database, "application_id") !== BACKUP_APPLICATION_ID) {
    throw new StoreRefusal(`${path} is not a backup made by rollcall backup. Nothing was changed`);
  }
  const format = mark(database, "user_version");
  const about = database
    .query<{ madeAtMs: number; storeVersion: number; keysVersion: number; digest: string }, []>(
      `select made_at_ms as "madeAtMs", store_version as "storeVersion", keys_version as "keysVersion", digest from backup`,
    )
    .all();
  const description = about[0];
  if (description === undefined || about.length > 1) throw edited(path);
  if (
    format > BACKUP_FORMAT ||
    description.storeVersion > MIGRATIONS.length ||
    description.keysVersion > KEYS_MIGRATIONS.length
  ) {
    throw new StoreRefusal(
      `${path} was made by a newer Rollcall. Nothing was changed`,
      "upgrade Rollcall first",
    );
  }
  if (schemaText(database) !== expectedSchemaText(description)) throw edited(path);
  const { digest, rows } = digestOf(database, description);
  if (digest !== description.digest) throw edited(path);
  return { ...description, rows };
}

function edited(path: string): StoreRefusal {
  return new StoreRefusal(
    `${path} is not as it was written: its digest does not fit its rows. Nothing was changed`,
    "take another backup",
  );
}

/** Everything that the file defines: a backup holds our tables and nothing else, neither a trigger nor a view. */
function schemaText(database: Database): string {
  const query = "select type, name, tbl_name, sql from sqlite_schema order by type, name";
  return JSON.stringify(database.query(query).values());
}

function expectedSchemaText(versions: SchemaVersions): string {
  const database = new Database(":memory:");
  try {
    mapError(":memory:", () => makeBackupTables(database, versions));
    return schemaText(database);
  } finally {
    database.close();
  }
}
