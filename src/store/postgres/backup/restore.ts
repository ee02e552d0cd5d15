// Restoring a backup into a PostgreSQL store, keys and all in one transaction: readers see one state or the other.
import type pg from "pg";
import sql, { join } from "sql-template-tag";
import { insertion } from "../../key-rows.ts";
import { type Company, type Contents, StoreUnavailable } from "../../store.ts";
import type { FactKind } from "../../tables.ts";
import { type MatchedFacts, matchFacts } from "../../transfer/copy.ts";
import { COMPANY_TABLES, newVersion, removeCompany } from "../companies.ts";
import { PostgresDatabase, run } from "../connection/database.ts";
import type { Execute } from "../contents.ts";
import { beginLocking, commit } from "../lock.ts";
import { hasStore, openSchema } from "../maintenance/migrate.ts";
import { tidy, vacuum } from "../maintenance/vacuum.ts";
import { PostgresImportTransaction } from "../transaction.ts";

/** Whether there is a store at `db`, of any version, that restoring would replace. */
export async function postgresStoreExists(db: string): Promise<boolean> {
  const database = new PostgresDatabase(db, { max: 1 });
  try {
    return await hasStore(database);
  } finally {
    await database.close();
  }
}

/**
 * Makes the store hold these companies with their facts, each under a new version, and no others; tables are made
 * where there are none. Keys stay as they are now: those of companies that are gone go, those of companies that came
 * back come back. `onWait` is called once if an import must end first, `onRows` with the rows so far. Raises
 * StoreRefusal or StoreUnavailable; then the rows are as before.
 */
export async function restorePostgres(
  db: string,
  contents: Contents,
  onWait: () => void,
  onRows: (rows: number) => void = () => {},
): Promise<void> {
  const database = new PostgresDatabase(db, { max: 1 });
  try {
    await openSchema(database, { create: true });
    await database.hold((client) => restoreOn(client, database.place, contents, onWait, onRows));
  } finally {
    await database.close();
  }
}

async function restoreOn(
  client: pg.PoolClient,
  place: string,
  contents: Contents,
  onWait: () => void,
  onRows: (rows: number) => void,
): Promise<void> {
  const execute: Execute = (query) => run(client, place, query);
  const lock = sql`select id from companies order by id for no key update`;
  const before = await beginLocking<{ id: string }>(client, place, lock, onWait);
  const companies = await contents.companies();
  const leftBehind = new Set<FactKind>();
  let rows = 0;
  for (const company of companies) {
    await execute(upsertion(company));
    const transaction = new PostgresImportTransaction(client, place, company.id);
    rows += requireMatched(
      await matchFacts(transaction, contents, company.id, (n) => onRows(rows + n)),
      place,
    ).rows;
    for (const kind of transaction.leftBehind) leftBehind.add(kind);
  }
  const restored = new Set(companies.map(({ id }) => id));
  const gone = before.filter(({ id }) => !restored.has(id));
  for (const { id } of gone) await removeCompany(execute, id);
  for (const key of await contents.keys()) await execute(sql`${insertion(key)} on conflict do nothing`);
  await commit(client, place, "restore");
  if (gone.length > 0) await vacuum(client, COMPANY_TABLES);
  await tidy(client, { rowsPut: rows, leftBehind: gone.length > 0 ? new Set() : leftBehind });
}

/** The row stays where it is there: an import that waits for it goes on with it. */
function upsertion({ id, name, createdAtMs }: Company) {
  return sql`insert into companies (id, name, version, created_at_ms) values (${join([id, name, newVersion(), createdAtMs])}) on conflict (id) do update set name = excluded.name, version = excluded.version, created_at_ms = excluded.created_at_ms`;
}

function requireMatched(matched: MatchedFacts | null, place: string): MatchedFacts {
  if (matched !== null) return matched;
  throw new StoreUnavailable(
    `${place} does not give back what was restored: its digest is another one. Nothing was changed`,
    "try again",
  );
}
