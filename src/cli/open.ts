// From a `--db` value to a store.
import { join } from "node:path";
import { isPostgresAddress, type ReaderOptions, type Store, type WriterOptions } from "../store/engine.ts";
import { postgresStore } from "../store/postgres/store.ts";
import { sqliteStore } from "../store/sqlite/store.ts";
import type { ReadStore, WriteStore } from "../store/store.ts";
import { UsageError } from "./failure.ts";

/** Printed if a command other than migrate created tables. The servers' role cannot read them yet. */
export const NEW_TABLES =
  "The tables are new: run rollcall migrate with this address, so that the servers' role may read them.";

/** The store at an address, for either engine. It is not opened yet. */
export function storeAt(db: string): Store {
  return isPostgresAddress(db) ? postgresStore(db) : sqliteStore(db);
}

function namedStore(db: string): Store {
  if (db === "") throw new UsageError("--db (ROLLCALL_DB) is empty: name a file, or a postgres:// address");
  return storeAt(db);
}

export async function openWriteStore(db: string, options: WriterOptions = {}): Promise<WriteStore> {
  return namedStore(db).openWriter(options);
}

/** Opens a store, runs `work`, closes the store, and returns the result of `work`. */
export async function withWriteStore<T>(
  db: string,
  work: (store: WriteStore) => Promise<T>,
  options: WriterOptions = {},
): Promise<T> {
  await using store = await openWriteStore(db, options);
  return await work(store);
}

export async function openReadStore(db: string, options: ReaderOptions = {}): Promise<ReadStore> {
  const store = namedStore(db);
  if (options.replicas?.length && !store.isOnServer)
    throw new UsageError("--replica is for a postgres:// store: leave it out");
  return store.openReader(options);
}

/** The same with a store that is opened for reading only. */
export async function withReadStore<T>(db: string, work: (store: ReadStore) => Promise<T>): Promise<T> {
  await using store = await openReadStore(db);
  return await work(store);
}

/** The folder where `rollcall sync` keeps the last files of each company: beside a store file, else in the current folder. */
export function pulledFolders(db: string): string {
  return isPostgresAddress(db) ? join(process.cwd(), "rollcall-pulled") : `${db}-pulled`;
}
