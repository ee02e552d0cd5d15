// Reads everything that the embedded store holds at one moment.
import { Database } from "bun:sqlite";
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
import { keysPath, mapError, openReader, requireCurrent, Statements, type StoreFile } from "./database.ts";
import { eraseAfterReading } from "./erasure.ts";
import { calendarsOf, keysFile, keysOf } from "./keys.ts";
import { scanRows } from "./rows.ts";
import { STORE_SCHEMA } from "./schema.ts";

/** Every row of a company, as in `WriteStore.export`. The caller has begun a transaction, so that all are of one moment. */
export async function exportRows(
  path: string,
  statements: Statements,
  companyId: string,
  visit: Parameters<Contents["export"]>[1],
): Promise<void> {
  const company = mapError(path, () => statements.all(sql`select id from companies where id = ${companyId}`));
  if (company.length === 0) throw unknownCompany(companyId);
  for (const kind of KINDS) {
    const batches = scanRows(statements, companyId, kind);
    for (let next = mapError(path, () => batches.next()); !next.done; ) {
      await visit(kind, next.value);
      await new Promise(setImmediate); // lets signals through
      next = mapError(path, () => batches.next());
    }
  }
}

export function importsOf(statements: Statements, companyId: string): StoredImport[] {
  return queries.importsOf(statements.all(queries.imports(companyId)));
}

/** Gives `work` all that the store at `path` holds at one moment, while others serve and import. */
export async function withSnapshot<T>(
  path: string,
  work: (contents: Contents, versions: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const statements = openSnapshot({ path, schema: STORE_SCHEMA });
  try {
    const contents: Contents = {
      companies: async () => mapError(path, () => statements.all<Company>(queries.companies())),
      imports: async (companyId) => mapError(path, () => importsOf(statements, companyId)),
      keys: async (companyId) => readSecrets(path, (secrets) => keysOf(secrets, companyId)),
      feeds: async (companyId) => readSecrets(path, (secrets) => calendarsOf(secrets, companyId)),
      export: (companyId, visit) => exportRows(path, statements, companyId, visit),
      states: async (companyId) => mapError(path, () => statements.all(states(companyId))),
      records: (companyId, visit) =>
        readRecords(async (query) => mapError(path, () => statements.all(query)), companyId, visit),
    };
    return await work(
      contents,
      mapError(path, () => versionsOf(statements)),
    );
  } finally {
    statements.close();
    eraseAfterReading(path); // the snapshot may have kept an import from emptying the log
  }
}

/** The version of each company. A migration may change facts without it, so the format's version is part of it. */
function versionsOf(statements: Statements): Map<string, string> {
  const rows = statements.all<{ id: string; version: string }>(
    sql`
      select id, user_version || ' ' || version as version
      from companies, pragma_user_version
      order by id`,
  );
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** See `Commits.mark`. */
export async function commitMark(path: string): Promise<string> {
  const statements = openSnapshot({ path, schema: STORE_SCHEMA });
  try {
    return mapError(path, () => {
      const secrets = [
        ...readSecrets<StoredSecret>(path, keysOf),
        ...readSecrets<StoredSecret>(path, calendarsOf),
      ];
      return JSON.stringify([
        ...versionsOf(statements),
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
