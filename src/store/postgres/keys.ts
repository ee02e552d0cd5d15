// Keys and calendar feeds on PostgreSQL: looked up by digest for servers, made and changed by the command line.
import type DataLoader from "dataloader";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import sql, { raw, type Sql } from "sql-template-tag";
import { byDigests, type KeyRow, SECRET_TABLES, storedScopes, toKey } from "../secret-rows.ts";
import { type StoredKey, type StoredSecret, unknownCompany } from "../store.ts";
import { type PostgresDatabase, run, sharedReads } from "./connection/database.ts";
import { isConflict } from "./connection/errors.ts";

/** How long a key that was found is trusted without asking again: half of what a revocation may take. */
const KEY_TRUST_MS = 500;

/** How many keys a server caches. */
const CACHED_KEYS = 10_000;

/** How often a statement that lost against another one is tried. */
const TRIES = 5;

/**
 * Looks keys up for a server. An unknown digest is asked for each time: a new key works at once. A key is the same object until it
 * changes: one that replaced an old object each time would leave much garbage that is collected late.
 */
export class PostgresKeyReader {
  readonly #cached = new LRUCache<string, StoredKey>({
    max: CACHED_KEYS,
    ttl: KEY_TRUST_MS,
    noDeleteOnStaleGet: true,
  });
  readonly #reads: DataLoader<string, StoredKey | null>;

  /** `read` reads from the server that may be used. */
  constructor(read: (query: Sql) => Promise<unknown[]>) {
    this.#reads = sharedReads(async (digests) => {
      const start = performance.now();
      const rows = (await read(byDigests("keys", digests))) as KeyRow[]; // the selection above
      const found = new Map(rows.map((row) => [row.digest, this.#keyOf(row)] as const));
      for (const digest of digests) {
        const key = found.get(digest);
        if (key === undefined) this.#cached.delete(digest);
        else this.#cached.set(digest, key, { start }); // its age counts from before it was read
      }
      return found;
    });
  }

  #keyOf(row: KeyRow): StoredKey {
    const before = this.#cached.peek(row.digest, { allowStale: true });
    return before !== undefined && isOf(before, row) ? before : toKey(row);
  }

  async key(digest: string): Promise<StoredKey | null> {
    return this.#cached.get(digest) ?? this.#reads.load(digest);
  }
}

/** Whether nothing of a key has changed. */
function isOf(key: StoredKey, { scopes, ...row }: KeyRow): boolean {
  const columns = Object.keys(row) as (keyof typeof row)[]; // those that the row has
  return columns.every((column) => key[column] === row[column]) && storedScopes(key).join(" ") === scopes;
}

/** Notes the last use of keys and feeds; servers that do so at the same time may get into each other's way, and try again. */
export async function touchKeys(
  database: PostgresDatabase,
  usedAtMs: ReadonlyMap<string, number>,
): Promise<void> {
  if (usedAtMs.size === 0) return;
  const ids = [...usedAtMs.keys()].toSorted();
  const times = ids.map((id) => usedAtMs.get(id));
  for (const table of SECRET_TABLES) {
    const used = raw(table);
    const update = sql`update ${used} set last_used_at_ms = used.at_ms from unnest(${ids}::text[], ${times}::bigint[]) as used(id, at_ms) where ${used}.id = used.id and coalesce(${used}.last_used_at_ms, 0) < used.at_ms`;
    await withoutConflict(() => database.read(update));
  }
}

/** Runs a statement or a transaction, again where it lost against another one. */
export async function withoutConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const lost = error instanceof Error && isConflict(error.cause);
      if (!lost || tries === TRIES) throw error;
    }
  }
}

/**
 * Runs the statement that adds a key or a feed. Raises StoreRefusal for an unknown company. An import that goes on does not
 * stand in the way, a deletion does.
 */
export function createSecret(
  database: PostgresDatabase,
  { companyId }: StoredSecret,
  insertion: Sql,
): Promise<void> {
  return database.hold(async (client: pg.PoolClient) => {
    const execute = (query: Sql) => run(client, database.serverName, query);
    await execute(sql`begin`);
    const company = await execute(sql`select id from companies where id = ${companyId} for key share`);
    if (company.length === 0) throw unknownCompany(companyId);
    await execute(insertion);
    await execute(sql`commit`);
  });
}
