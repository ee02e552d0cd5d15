// Reads everything that the embedded store holds at one moment.
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import sql, { type Sql } from "sql-template-tag";
import { StoredContents } from "../contents.ts";
import type { Contents } from "../store.ts";
import {
  failure,
  keysPath,
  mapError,
  openReader,
  requireCurrent,
  Statements,
  type StoreFile,
} from "./database.ts";
import { eraseAfterReading } from "./erasure.ts";
import { keysFile } from "./keys.ts";
import { STORE_SCHEMA } from "./schema.ts";

/** Calls `work` with a snapshot of the store at `path`, while others serve and import. */
export async function withSnapshot<T>(path: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const statements = openSnapshot({ path, schema: STORE_SCHEMA });
  try {
    return await work(contentsOf(path, statements));
  } finally {
    statements.close();
    eraseAfterReading(path); // the snapshot may have kept an import from emptying the log
  }
}

/** See `StoreInFile.vacuumInto`. */
export async function vacuumInto(path: string, target: string): Promise<void> {
  using reader = openReader({ path, schema: STORE_SCHEMA });
  try {
    reader.run("vacuum into ?", [target]);
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    const isOfTarget = /FULL|WRITE|FSYNC/.test(error.code ?? ""); // only the target is written
    throw failure(isOfTarget ? target : path, error);
  }
}

/** See `StoreInFile.mark`. */
export async function commitMark(path: string): Promise<string> {
  using statements = openSnapshot({ path, schema: STORE_SCHEMA });
  const contents = contentsOf(path, statements);
  const versions = mapError(path, () => statements.all(sql`select id, version from companies order by id`));
  const secrets = [...(await contents.keys()), ...(await contents.feeds())];
  return JSON.stringify([
    versions,
    await contents.companies(),
    secrets.map((secret) => ({ ...secret, lastUsedAtMs: null })),
  ]);
}

/** The contents of an open snapshot of the store at `path`. Keys and feeds are read from their own file. */
function contentsOf(path: string, statements: Statements): Contents {
  const read = async <R>(query: Sql) => mapError(path, () => statements.all<R>(query));
  return new StoredContents(read, async <R>(query: Sql) => readSecrets<R>(path, query));
}

/** Rows of keys or feeds, in one snapshot. */
function readSecrets<R>(path: string, query: Sql): R[] {
  if (!existsSync(keysPath(path))) return [];
  using statements = openSnapshot(keysFile(path));
  return statements.all<R>(query);
}

function openSnapshot(file: StoreFile): Statements {
  if (!existsSync(file.path)) openReader(file).close(); // throws an error that says what to do
  return mapError(file.path, () => {
    const database = new Database(file.path, { readonly: true });
    try {
      database.run("pragma busy_timeout = 5000");
      requireCurrent(database, file);
      database.run("begin");
      database.query("select 1 from sqlite_schema").get(); // begins the snapshot
      return new Statements(database);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}
