// Reads everything that the embedded store holds at one moment.
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import sql from "sql-template-tag";
import { readRecords, states } from "../history.ts";
import * as queries from "../queries.ts";
import {
  type Company,
  type Contents,
  type StoredImport,
  type StoredSecret,
  unknownCompany,
} from "../store.ts";
import { KINDS } from "../tables.ts";
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
import { calendarsOf, keysFile, keysOf } from "./keys.ts";
import { scanRows } from "./rows.ts";
import { STORE_SCHEMA } from "./schema.ts";

/** Runs work on a database, and maps SQLite's errors. */
type Attempt = <T>(work: () => T) => T;

/** Every row of a company, as in `WriteStore.export`. The caller has begun a transaction, so that all are of one moment. */
export async function exportRows(
  attempt: Attempt,
  statements: Statements,
  companyId: string,
  visit: Parameters<Contents["export"]>[1],
): Promise<void> {
  const company = attempt(() => statements.all(sql`select id from companies where id = ${companyId}`));
  if (company.length === 0) throw unknownCompany(companyId);
  for (const kind of KINDS) {
    const batches = scanRows(statements, companyId, kind);
    for (let next = attempt(() => batches.next()); !next.done; ) {
      await visit(kind, next.value);
      await new Promise(setImmediate); // lets signals through
      next = attempt(() => batches.next());
    }
  }
}

export function importsOf(statements: Statements, companyId: string): StoredImport[] {
  return queries.importsOf(statements.all(queries.imports(companyId)));
}

/** What a database with the tables of a store holds. `secrets` reads from the tables of its keys. */
export function contentsOf(
  attempt: Attempt,
  statements: Statements,
  secrets: <S>(read: (tables: Statements) => S[]) => S[],
): Contents {
  return {
    companies: async () => attempt(() => statements.all<Company>(queries.companies())),
    imports: async (companyId) => attempt(() => importsOf(statements, companyId)),
    keys: async (companyId) => secrets((tables) => keysOf(tables, companyId)),
    feeds: async (companyId) => secrets((tables) => calendarsOf(tables, companyId)),
    export: (companyId, visit) => exportRows(attempt, statements, companyId, visit),
    states: async (companyId) => attempt(() => statements.all(states(companyId))),
    records: (companyId, visit) =>
      readRecords(async (query) => attempt(() => statements.all(query)), companyId, visit),
  };
}

/** Gives `work` all that the store at `path` holds at one moment, while others serve and import. */
export async function withSnapshot<T>(path: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const statements = openSnapshot({ path, schema: STORE_SCHEMA });
  try {
    const attempt: Attempt = (read) => mapError(path, read);
    return await work(contentsOf(attempt, statements, (read) => readSecrets(path, read)));
  } finally {
    statements.close();
    eraseAfterReading(path); // the snapshot may have kept an import from emptying the log
  }
}

/** See `StoreInFile.vacuumInto`. */
export async function vacuumInto(path: string, target: string): Promise<void> {
  const reader = openReader({ path, schema: STORE_SCHEMA });
  try {
    reader.run("vacuum into ?", [target]);
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    const isOfTarget = /FULL|WRITE|FSYNC/.test(error.code ?? ""); // nothing else is written
    throw failure(isOfTarget ? target : path, error);
  } finally {
    reader.close();
  }
}

/** See `StoreInFile.mark`. */
export async function commitMark(path: string): Promise<string> {
  const statements = openSnapshot({ path, schema: STORE_SCHEMA });
  try {
    return mapError(path, () => {
      const secrets = [
        ...readSecrets<StoredSecret>(path, keysOf),
        ...readSecrets<StoredSecret>(path, calendarsOf),
      ];
      return JSON.stringify([
        statements.all(sql`select id, version from companies order by id`),
        statements.all<Company>(queries.companies()),
        secrets.map((secret) => ({ ...secret, lastUsedAtMs: null })),
      ]);
    });
  } finally {
    statements.close();
  }
}

/** The keys or feeds of the store at `path`, in one snapshot. */
function readSecrets<S>(path: string, read: (statements: Statements) => S[]): S[] {
  if (!existsSync(keysPath(path))) return [];
  const statements = openSnapshot(keysFile(path));
  try {
    return read(statements);
  } finally {
    statements.close();
  }
}

function openSnapshot(file: StoreFile): Statements {
  if (!existsSync(file.path)) openReader(file).close(); // refuses with what to do
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
