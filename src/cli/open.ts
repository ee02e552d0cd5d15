// From a `--db` value to a store.
import { Option } from "commander";
import { SETTINGS, type Setting, type SettingName } from "../settings.ts";
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

/** Opens a store for writing. With `create`, a missing one is made; with `migrate`, an older one is brought up to date. */
export async function openWriteStore(
  db: string,
  options: { create?: boolean; migrate?: boolean } = {},
): Promise<WriteStore> {
  if (isPostgres(db)) throw noPostgres();
  return openSqliteWriteStore(db, options);
}

/** Opens a store for serving. */
export async function openReadStore(db: string): Promise<ReadStore> {
  if (isPostgres(db)) throw noPostgres();
  return openSqliteReadStore(db);
}

function noPostgres(): UsageError {
  return new UsageError("This version has no PostgreSQL engine yet: give --db a file path");
}
