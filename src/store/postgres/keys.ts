// Keys and calendar feeds on PostgreSQL: looked up by digest for servers, made and changed by the command line.
import type DataLoader from "dataloader";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import sql, { raw, type Sql } from "sql-template-tag";
import { byDigests, type KeyRow, SECRET_TABLES, storedScopes, toKey } from "../secret-rows.ts";
import { type StoredKey, type StoredSecret, unknownCompany } from "../store.ts";
import { type PostgresDatabase, run, sharedReads } from "./connection/database.ts";
import { isConflict } from "./connection/errors.ts";
import { isRecent, type Moment, type Primary } from "./connection/servers.ts";

/** How many keys a server caches. */
const CACHED_KEYS = 10_000;

/** How often a statement that lost against another one is tried. */
const TRIES = 5;

interface CachedKey {
  key: StoredKey;
  /** When it was read. As long as nobody commits, it is also the moment of later reads. */
  moment: Moment;
}

/**
 * Looks keys up for a server. A key that was found is used without asking again while its moment is recent. An unknown digest is asked
 * for each time: a new key works at once. A key is the same object until it changes: one that replaced an old object each time would
 * leave much garbage that is collected late.
 */
export class PostgresKeyReader {
  readonly #cached = new LRUCache<string, CachedKey>({ max: CACHED_KEYS });
  readonly #reads: DataLoader<string, StoredKey | null>;

  constructor(primary: Primary) {
    this.#reads = sharedReads(async (digests) => {
      const { rows, moment } = await primary.readMoment<KeyRow>(() => byDigests("keys", digests));
      const found = new Map(rows.map((row) => [row.digest, this.#noted(row, moment)] as const));
      for (const digest of digests) if (!found.has(digest)) this.#cached.delete(digest);
      return found;
    });
  }

  #noted(row: KeyRow, moment: Moment): StoredKey {
    const cached = this.#cached.get(row.digest);
    if (cached === undefined) {
      const key = toKey(row);
      this.#cached.set(row.digest, { key, moment });
      return key;
    }
    if (!isOf(cached.key, row)) cached.key = toKey(row);
    cached.moment = moment;
    return cached.key;
  }

  key(digest: string): StoredKey | Promise<StoredKey | null> {
    const cached = this.#cached.get(digest);
    return cached !== undefined && isRecent(cached.moment) ? cached.key : this.#reads.load(digest);
  }
}

/** Whether nothing of a key has changed but its last use, which a server does not need. */
function isOf(key: StoredKey, { scopes, lastUsedAtMs, ...row }: KeyRow): boolean {
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
