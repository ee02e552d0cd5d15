// Reads everything that the embedded store holds at one moment.
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import sql from "sql-template-tag";
import * as queries from "../queries.ts";
import { type Company, type Contents, type StoredSecret, unknownCompany } from "../store.ts";
import { FACT_KINDS } from "../tables.ts";
import {
  failure,
  keysPath,
  mapError,
  openReader,
  requireCurrent,
  Statements,
  type StoreFile,
} from "./database.ts";
import { clearStore } from "./erasure.ts";
import { feedsOf, keysOf } from "./keys.ts";
import { companyNumber } from "./layout/numbers.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "./schema.ts";
import { scanRows } from "./transaction.ts";

/** What is read through `statements` of the store at `path`. */
function contentsOf(statements: Statements, path: string): Contents {
  const read = <T>(work: () => T): T => mapError(path, work);
  return {
    companies: async () => read(() => companiesOf(statements)),
    keys: async (companyId) => read(() => readSecrets(path, (secrets) => keysOf(secrets, companyId))),
    feeds: async (companyId) => read(() => readSecrets(path, (secrets) => feedsOf(secrets, companyId))),
    async export(companyId, visit) {
      const company = read(() => statements.all(sql`select id from companies where id = ${companyId}`));
      if (company.length === 0) throw unknownCompany(companyId);
      const number = read(() => companyNumber(statements, companyId));
      if (number === null) return; // it has no rows yet
      for (const kind of FACT_KINDS) {
        const batches = scanRows(statements, number, kind);
        for (let next = read(() => batches.next()); !next.done; next = read(() => batches.next())) {
          await visit(kind, next.value);
          await new Promise(setImmediate); // lets signals through
        }
      }
    },
  };
}

export function companiesOf(statements: Statements): Company[] {
  return statements.all<Company>(queries.companies());
}

/** Gives `work` all that the store at `path` holds at one moment, while others serve and import. */
export async function withSnapshot<T>(
  path: string,
  work: (contents: Contents, versions: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const statements = openSnapshot({ path, migrations: MIGRATIONS });
  try {
    return await work(
      contentsOf(statements, path),
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
        companiesOf(statements),
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
      requireCurrent(database, file);
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
