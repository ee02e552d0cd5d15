// From a `--db` value to a store.
import { type Command, Option } from "commander";
import { SETTINGS, type Setting, type SettingName } from "../settings.ts";
import { addressUrl } from "../store/postgres/connection/address.ts";
import { openPostgresReadStore } from "../store/postgres/read.ts";
import { openPostgresWriteStore } from "../store/postgres/write.ts";
import { openSqliteReadStore } from "../store/sqlite/read.ts";
import { openSqliteWriteStore } from "../store/sqlite/write.ts";
import type { ReadStore, WriteStore } from "../store/store.ts";
import { UsageError } from "./failure.ts";
import { parseCompanyId } from "./parse.ts";

/** The commander option of a setting, with its environment variable and default. */
export function option(name: SettingName): Option {
  const setting: Setting = SETTINGS[name];
  const made = new Option(setting.flags, setting.help).env(setting.env);
  return setting.default === undefined ? made : made.default(setting.default);
}

export function dbOption(): Option {
  return option("db");
}

/** What could be no company's id is told as that: a look-up would find none, and advise to make it. */
export function companyOption(): Option {
  return option("company").argParser((text) => parseCompanyId(text, "--company"));
}

export function isPostgres(db: string): boolean {
  return /^postgres(ql)?:\/\//i.test(db);
}

/** A scheme and a slash, or a colon and later an `@` in what is neither `./…` nor `/…` nor on a Windows drive. */
const MEANT_AS_ADDRESS = /^[a-z][a-z\d+.-]+:\/|^(?![a-z]:[\\/])[^./\\].*:.*@/is;

/** An address from its `//` on: there is an `@` in its first part, or a colon there and an `@` later. */
const WITHOUT_SCHEME = /^\/\/[^/]*(?:@|:.*@)/s;

/** Raises UsageError for a mistyped address, before it is taken for a file and shown: it may hold a password. */
export function requireAddresses(command: Command): void {
  for (const { long } of command.options) {
    if (long !== "--db" && long !== "--from" && long !== "--to" && long !== "--replica") continue;
    const given: string | readonly string[] = command.getOptionValue(long.slice(2)) ?? []; // as commander has it
    const stores = [given].flat().flatMap((text) => (long === "--replica" ? text.split(/[\s,]+/) : [text]));
    if (stores.some((db) => WITHOUT_SCHEME.test(db))) {
      throw new UsageError(
        `${long} is not an address of PostgreSQL: its scheme is missing, write postgres: before the //; and a file's path begins with one slash`,
      );
    }
    if (stores.some((db) => !isPostgres(db) && MEANT_AS_ADDRESS.test(db))) {
      throw new UsageError(
        `${long} is not an address of PostgreSQL: it begins with postgres:// or postgresql://, and a file is named by its path alone`,
      );
    }
  }
}

/** A store's address as anybody may see it: without the password. */
export function shownDb(db: string): string {
  if (!isPostgres(db)) return db;
  const url = addressUrl(db);
  if (url === null) return "postgres://…";
  url.password = "";
  url.search = "";
  return url.href;
}

/** What to do after a command other than migrate made the tables of a PostgreSQL store. */
export const NEW_TABLES =
  "The tables are new: run rollcall migrate with this address, so that the role that servers connect with may read them.";

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
