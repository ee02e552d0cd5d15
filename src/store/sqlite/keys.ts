// API keys of the embedded store, in their own file: creating or revoking a key, or recording its use, never waits for an import.
import { type Database, SQLiteError } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { LRUCache } from "lru-cache";
import sql, { empty, join, raw } from "sql-template-tag";
import { insertion, type KeyRow, SELECT_KEYS, toKey } from "../key-rows.ts";
import { type Remains, type StoredKey, StoreRefusal, StoreUnavailable } from "../store.ts";
import {
  BUSY_TIMEOUT_MS,
  emptyLog,
  keysPath,
  mapError,
  openReader,
  openWriter,
  Statements,
  type StoreFile,
} from "./database.ts";
import { KEYS_MIGRATIONS } from "./schema.ts";

/** How long a cached key is used without asking the file. A revocation takes effect within this time. */
const KEY_TRUST_MS = 100;

/** How many keys a server caches. */
const CACHED_KEYS = 10_000;

function keysFile(storePath: string): StoreFile {
  return { path: keysPath(storePath), migrations: KEYS_MIGRATIONS };
}

/** All keys, or those of one company, oldest first. */
export function keysOf(statements: Statements, companyId?: string): StoredKey[] {
  const where = companyId === undefined ? empty : sql` where company_id = ${companyId}`;
  return statements.all<KeyRow>(sql`${SELECT_KEYS}${where} order by created_at_ms, id`).map(toKey);
}

/** Looks keys up for a server, and notes their last use. */
export class SqliteKeyReader {
  readonly #file: StoreFile;
  readonly #found = new LRUCache<string, StoredKey>({ max: CACHED_KEYS });
  #statements: Statements | null = null;
  #identity = 0;
  #checkedAtMs = 0;
  #dataVersion = -1;

  constructor(storePath: string) {
    this.#file = keysFile(storePath);
  }

  async key(digest: string): Promise<StoredKey | null> {
    return mapError(this.#file.path, () => {
      const nowMs = performance.now();
      const trusted = nowMs - this.#checkedAtMs < KEY_TRUST_MS ? this.#found.get(digest) : undefined;
      if (trusted !== undefined) return trusted;
      const statements = this.#current(nowMs);
      if (statements === null) return null;
      let key = this.#found.get(digest);
      if (key === undefined) {
        const row = statements.all<KeyRow>(sql`${SELECT_KEYS} where digest = ${digest}`)[0];
        if (row === undefined) return null;
        key = toKey(row);
        this.#found.set(digest, key);
      }
      return key;
    });
  }

  /** The open file, with stale keys evicted. Null if no key was ever made. Raises StoreUnavailable if the file is gone. */
  #current(nowMs: number): Statements | null {
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
    const dataVersion = Number(this.#statements.prepare("pragma data_version").values()[0]?.[0]);
    if (dataVersion !== this.#dataVersion) {
      this.#found.clear();
      this.#dataVersion = dataVersion;
    }
    this.#checkedAtMs = nowMs;
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

  async touch(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    if (lastUsedAtMs.size === 0 || !existsSync(this.#file.path)) return;
    mapError(this.#file.path, () => {
      const database = openWriter(this.#file, {});
      try {
        const update = database.prepare(
          "update keys set last_used_at_ms = ?2 where id = ?1 and coalesce(last_used_at_ms, 0) < ?2",
        );
        database
          .transaction(() => {
            for (const [id, usedAtMs] of lastUsedAtMs) update.run(id, usedAtMs);
          })
          .immediate();
        update.finalize();
      } finally {
        database.close();
      }
    });
  }

  ping(): void {
    this.#current(performance.now());
  }

  close(): void {
    this.#statements?.close();
    this.#statements = null;
    this.#found.clear();
    this.#dataVersion = -1;
  }
}

/** Makes and changes keys, for the command line. Opens its file on first use. */
export class SqliteKeyWriter {
  readonly #file: StoreFile;
  #statements: Statements | null = null;

  constructor(storePath: string) {
    this.#file = keysFile(storePath);
  }

  #open(): Statements {
    this.#statements ??= new Statements(openWriter(this.#file, { create: true, migrate: true }));
    return this.#statements;
  }

  get database(): Database {
    return this.#open().database;
  }

  create(key: StoredKey): void {
    mapError(this.#file.path, () => this.#open().all(insertion(key)));
  }

  list(companyId?: string): StoredKey[] {
    return mapError(this.#file.path, () => keysOf(this.#open(), companyId));
  }

  update(id: string, change: { expiresAtMs?: number | null; revokedAtMs?: number | null }): boolean {
    const columns = { expiresAtMs: "expires_at_ms", revokedAtMs: "revoked_at_ms" } as const;
    const sets = Object.entries(change).map(
      ([field, value]) => sql`${raw(columns[field as keyof typeof columns])} = ${value}`, // the type of `change`
    );
    return mapError(
      this.#file.path,
      () => this.#open().all(sql`update keys set ${join(sets)} where id = ${id} returning id`).length > 0,
    );
  }

  /** Removes the company's keys, and rewrites the file, which is small: see `SqliteWriteStore.#erase`. */
  removeCompany(companyId: string): Remains {
    return mapError(this.#file.path, () => {
      const statements = this.#open();
      statements.all(sql`delete from keys where company_id = ${companyId}`);
      return this.#erase(statements);
    });
  }

  #erase(statements: Statements): Remains {
    statements.finalize();
    try {
      statements.database.run("vacuum");
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error;
      return { isErased: false, until: "rewritten" };
    }
    const isEmptied = emptyLog(statements.database, BUSY_TIMEOUT_MS);
    return isEmptied ? { isErased: true } : { isErased: false, until: "readersEnd" };
  }

  /** Removes the keys of these companies, and adds those of `keys` whose ids are not there. */
  replaceCompanies(gone: readonly string[], keys: readonly StoredKey[]): void {
    mapError(this.#file.path, () => {
      const statements = this.#open();
      statements.database
        .transaction(() => {
          for (const id of gone) statements.all(sql`delete from keys where company_id = ${id}`);
          for (const key of keys) statements.all(sql`${insertion(key)} on conflict do nothing`);
        })
        .immediate();
      this.#erase(statements);
    });
  }

  close(): void {
    this.#statements?.close();
    this.#statements = null;
  }
}
