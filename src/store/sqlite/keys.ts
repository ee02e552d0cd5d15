// Keys and feeds of the embedded store, in a file of their own: writing them never waits for an import.
import type { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { LRUCache } from "lru-cache";
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { AddedSecrets } from "../engine.ts";
import type { HookAccess } from "../hooks.ts";
import {
  type CalendarRow,
  insertSecret,
  type KeyRow,
  secretByDigest,
  toCalendar,
  toKey,
  updateSecret,
} from "../queries.ts";
import {
  type Erasure,
  SECRET_TABLES,
  type SecretChange,
  type SecretTable,
  type StoredCalendar,
  type StoredKey,
  StoreRefusal,
  StoreUnavailable,
} from "../store.ts";
import {
  BUSY_TIMEOUT_MS,
  emptyLog,
  keysPath,
  mapError,
  openReader,
  openWriter,
  requireCurrent,
  Statements,
  type StoreFile,
  unlessBusy,
} from "./database.ts";
import { KEYS_SCHEMA } from "./schema.ts";

/** How long a key is used without reading the file again. After a revocation, requests are refused from then on. */
const TRUST_MS = 100;

/** How many keys a server trusts at a time. */
const TRUSTED_KEYS = 10_000;

export function keysFile(storePath: string): StoreFile {
  return { path: keysPath(storePath), schema: KEYS_SCHEMA };
}

/** Looks up keys and feeds for a server, and notes their last use. An unknown key is looked up each time: a new one works at once. */
export class SqliteKeyReader {
  readonly #file: StoreFile;
  readonly #trusted = new LRUCache<string, StoredKey>({ max: TRUSTED_KEYS, ttl: TRUST_MS });
  #statements: Statements | null = null;
  /** The connection that writes; null before the first write. */
  #noting: Statements | null = null;
  #identity = 0;

  constructor(storePath: string) {
    this.#file = keysFile(storePath);
  }

  key(digest: string): StoredKey | null {
    const trusted = this.#trusted.get(digest);
    if (trusted !== undefined) return trusted;
    const key = this.#read<KeyRow>(secretByDigest("keys", digest)).map(toKey)[0] ?? null;
    if (key !== null) this.#trusted.set(digest, key);
    return key;
  }

  feed(digest: string): StoredCalendar | null {
    return this.#read<CalendarRow>(secretByDigest("feeds", digest)).map(toCalendar)[0] ?? null;
  }

  /** The rows of a query; none if there is no file. */
  #read<R>(query: Sql): R[] {
    return mapError(this.#file.path, () => this.#current()?.all<R>(query) ?? []);
  }

  /** The present file, open. Null if no key was ever made. Raises StoreUnavailable if the file is gone. */
  #current(): Statements | null {
    const stat = statSync(this.#file.path, { throwIfNoEntry: false });
    if (stat === undefined) {
      this.close();
      if (this.#identity === 0) return null;
      throw new StoreUnavailable(`${this.#file.path} is gone`, "put it back, or restore a backup");
    }
    if (this.#statements === null || stat.ino !== this.#identity) {
      this.close();
      this.#statements = this.#open();
      this.#identity = stat.ino;
    }
    return this.#statements;
  }

  /** Another process may be making the file at this moment, so a server treats a refusal as temporary. */
  #open(): Statements {
    try {
      return new Statements(openReader(this.#file));
    } catch (error) {
      if (!(error instanceof StoreRefusal)) throw error;
      throw new StoreUnavailable(error.problem, error.advice, { cause: error });
    }
  }

  touch(lastUsedAtMs: ReadonlyMap<string, number>): void {
    if (lastUsedAtMs.size === 0 || !existsSync(this.#file.path)) return;
    this.#note((noting) => {
      for (const table of SECRET_TABLES) {
        const note = noting.prepare(
          `update ${table} set last_used_at_ms = ?2 where id = ?1 and coalesce(last_used_at_ms, 0) < ?2`,
        );
        for (const [id, usedAtMs] of lastUsedAtMs) note.run(id, usedAtMs);
      }
      return [];
    });
  }

  /** Runs a statement that writes. Does nothing if there is no file. */
  #note<R>(work: (noting: Statements) => R[]): R[] {
    return mapError(this.#file.path, () => {
      if (this.#current() === null) return [];
      this.#noting ??= new Statements(openWriter(this.#file, {}));
      const noting = this.#noting;
      requireCurrent(noting.database, this.#file);
      return noting.database.transaction(() => work(noting)).immediate();
    });
  }

  /** A server's access to the hooks of the present file. There are none if there is no file. */
  readonly hookAccess: Pick<HookAccess, "readHooks" | "writeHooks"> = {
    readHooks: async <R>(query: Sql) => this.#read<R>(query),
    writeHooks: async <R>(query: Sql) => this.#note((noting) => noting.all<R>(query)),
  };

  ping(): void {
    this.#current();
  }

  close(): void {
    this.#noting?.close();
    this.#noting = null;
    this.#statements?.close();
    this.#statements = null;
    this.#trusted.clear();
  }
}

/** Makes and changes keys and feeds, for the command line. Opens its file on first use. */
export class SqliteKeyWriter {
  readonly #file: StoreFile;
  #statements: Statements | null = null;

  constructor(storePath: string) {
    this.#file = keysFile(storePath);
  }

  /** `fillsEmpty`: also opens an empty file, whose making was interrupted. Otherwise it may have had keys, and is refused. */
  #open(fillsEmpty = false): Statements {
    const create = fillsEmpty || !existsSync(this.#file.path);
    this.#statements ??= new Statements(openWriter(this.#file, { create }));
    return this.#statements;
  }

  get database(): Database {
    return this.#open().database;
  }

  /** Raises StoreRefusal or StoreUnavailable if the file cannot be changed. Call it before anything else changes. */
  requireUsable(): void {
    mapError(this.#file.path, () => this.#open(true));
  }

  create(secret: StoredKey | StoredCalendar): void {
    this.requireUsable();
    this.run(insertSecret(secret));
  }

  /** The companies that keys, feeds or hooks name. */
  companyIds(): string[] {
    const tables = [...SECRET_TABLES, "hooks"].map(
      (table) => sql`select company_id as "id" from ${raw(table)}`,
    );
    return this.run<{ id: string }>(join(tables, " union ")).map(({ id }) => id);
  }

  update(table: SecretTable, id: string, change: SecretChange): boolean {
    return this.run(updateSecret(table, id, change)).length > 0;
  }

  run<R>(query: Sql): R[] {
    return mapError(this.#file.path, () => this.#open().all<R>(query));
  }

  readonly readHooks = async <R>(query: Sql): Promise<R[]> =>
    existsSync(this.#file.path) ? this.run<R>(query) : [];

  #removeOf(companyId: string): void {
    for (const table of [...SECRET_TABLES, "hooks"])
      this.#open().all(sql`delete from ${raw(table)} where company_id = ${companyId}`);
  }

  /** Removes the company's keys, feeds and hooks, and rewrites the file, which is small: see erasure.ts. */
  removeCompany(companyId: string): Erasure {
    return mapError(this.#file.path, () => {
      this.#removeOf(companyId);
      return this.#erase(this.#open());
    });
  }

  #erase(statements: Statements): Erasure {
    statements.finalize();
    const { database } = statements;
    return unlessBusy(database, BUSY_TIMEOUT_MS, () => {
      database.run("vacuum");
      return emptyLog(database);
    });
  }

  /** Removes the keys and feeds of these companies, and adds those of `keys` and `feeds` whose ids are new. */
  replaceCompanies(
    gone: readonly string[],
    keys: readonly StoredKey[],
    feeds: readonly StoredCalendar[],
  ): AddedSecrets {
    return mapError(this.#file.path, () => {
      const statements = this.#open();
      const add = (all: readonly Sql[]) =>
        all.flatMap((insertion) => statements.all(sql`${insertion} on conflict do nothing returning id`))
          .length;
      const added = statements.database
        .transaction(() => {
          for (const id of gone) this.#removeOf(id);
          return { keys: add(keys.map(insertSecret)), feeds: add(feeds.map(insertSecret)) };
        })
        .immediate();
      this.#erase(statements);
      return added;
    });
  }

  close(): void {
    this.#statements?.close();
    this.#statements = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Runs the second half of a restore. Its errors say that the first half is done. */
export function afterTheData<T>(changeKeys: () => T): T {
  try {
    return changeKeys();
  } catch (error) {
    if (!(error instanceof StoreRefusal || error instanceof StoreUnavailable)) throw error;
    throw new StoreUnavailable(
      "The data was restored, but not the keys and calendar feeds: their file could not be changed",
      "check the free space of the disk and the permissions of the file, and restore the backup again",
      { cause: error },
    );
  }
}
