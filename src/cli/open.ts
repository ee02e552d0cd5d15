// From a `--db` value to a store.
import { addressUrl } from "../store/postgres/connection/address.ts";
import { openPostgresReadStore } from "../store/postgres/read.ts";
import { openPostgresWriteStore } from "../store/postgres/write.ts";
import { openSqliteReadStore } from "../store/sqlite/read.ts";
import { openSqliteWriteStore } from "../store/sqlite/write.ts";
import type { ReadStore, WriteStore } from "../store/store.ts";
import { UsageError } from "./failure.ts";

export function isPostgres(db: string): boolean {
  return /^postgres(ql)?:\/\//i.test(db);
}

/** A store's address without its password, to show in messages. */
export function shownDb(db: string): string {
  if (!isPostgres(db)) return db;
  const url = addressUrl(db);
  if (url === null) return "postgres://…";
  url.password = "";
  url.search = "";
  return url.href;
}

/** Printed when a command other than migrate created the tables of a PostgreSQL store. */
export const NEW_TABLES =
  "The tables are new: run rollcall migrate with this address, so that the servers' role may read them.";

function requireNamed(db: string): void {
  if (db === "") throw new UsageError("--db (ROLLCALL_DB) is empty: name a file, or a postgres:// address");
}

/** Opens a store for writing. `create` makes a missing store; `migrate` updates an older one's schema. */
export async function openWriteStore(
  db: string,
  options: { create?: boolean; migrate?: boolean } = {},
): Promise<WriteStore> {
  requireNamed(db);
  return isPostgres(db) ? openPostgresWriteStore(db, options) : openSqliteWriteStore(db, options);
}

/** Opens a store for serving. Only PostgreSQL has replicas. */
export async function openReadStore(
  db: string,
  options: { replicas?: readonly string[] } = {},
): Promise<ReadStore> {
  requireNamed(db);
  if (isPostgres(db)) return openPostgresReadStore(db, options);
  if (options.replicas?.length) throw new UsageError("--replica is for a postgres:// store: leave it out");
  return openSqliteReadStore(db);
}
