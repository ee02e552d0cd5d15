// From a `--db` value to a store.
import { Option } from "commander";
import { SETTINGS, type Setting, type SettingName } from "../settings.ts";
import { openPostgresReadStore } from "../store/postgres/read.ts";
import { openPostgresWriteStore } from "../store/postgres/write.ts";
import { openSqliteReadStore } from "../store/sqlite/read.ts";
import { openSqliteWriteStore } from "../store/sqlite/write.ts";
import type { ReadStore, WriteStore } from "../store/store.ts";
import { UsageError } from "./failure.ts";

/** The commander option of a setting, with its environment variable and default. */
export function option(name: SettingName): Option {
  const setting: Setting = SETTINGS[name];
  const made = new Option(setting.flags, setting.help).env(setting.env);
  return setting.default === undefined ? made : made.default(setting.default);
}

export function dbOption(): Option {
  return option("db");
}

export function isPostgres(db: string): boolean {
  return /^postgres(ql)?:\/\//.test(db);
}

/** A store's address as anybody may see it: without the password. */
export function shownDb(db: string): string {
  if (!isPostgres(db)) return db;
  const url = URL.parse(db);
  if (url === null) return "postgres://…";
  url.password = "";
  url.search = "";
  return url.href;
}

function requireNamed(db: string): void {
  if (db === "") throw new UsageError("--db (ROLLCALL_DB) is empty: name a file, or a postgres:// address");
}

/** Opens a store for writing. With `create`, a missing one is made; with `migrate`, an older one is brought up to date. */
export async function openWriteStore(
  db: string,
  options: { create?: boolean; migrate?: boolean } = {},
): Promise<WriteStore> {
  requireNamed(db);
  return isPostgres(db) ? openPostgresWriteStore(db, options) : openSqliteWriteStore(db, options);
}

/** Opens a store for serving. Replicas are PostgreSQL's. */
export async function openReadStore(
  db: string,
  options: { replicas?: readonly string[] } = {},
): Promise<ReadStore> {
  requireNamed(db);
  if (isPostgres(db)) return openPostgresReadStore(db, options);
  if (options.replicas?.length) throw new UsageError("--replica is for a postgres:// store: leave it out");
  return openSqliteReadStore(db);
}
