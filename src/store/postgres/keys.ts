// Keys and calendar feeds on PostgreSQL. Servers look them up by digest, the command line makes and changes them.
import type DataLoader from "dataloader";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import sql, { raw, type Sql } from "sql-template-tag";
import { Hooks } from "../hooks.ts";
import { type KeyRow, keysByDigests, toKey } from "../queries.ts";
import { SECRET_TABLES, type StoredKey, type StoredSecret, unknownCompany } from "../store.ts";
import type { Execute } from "../tables.ts";
import { commit, type PostgresDatabase, run, sharedReads } from "./connection/database.ts";
import { isConflict } from "./connection/errors.ts";
import type { Primary } from "./connection/servers.ts";

/** How many keys a server trusts at a time. */
const TRUSTED_KEYS = 10_000;

/** How long a key is used without reading it again: half of the time that a revocation may take. */
const TRUST_MS = 500;

/** How often a statement is tried that conflicts with another one. */
const TRIES = 5;

/** Looks up keys for a server. An unknown digest is looked up each time: a new key works at once. */
export class PostgresKeyReader {
  readonly #trusted = new LRUCache<string, StoredKey>({ max: TRUSTED_KEYS, ttl: TRUST_MS });
  readonly #reads: DataLoader<string, StoredKey | null>;

  constructor(primary: Primary) {
    this.#reads = sharedReads(async (digests) => {
      const start = performance.now();
      const keys = (await primary.read<KeyRow>(keysByDigests(digests))).map(toKey);
      for (const key of keys) this.#trusted.set(key.digest, key, { start });
      return new Map(keys.map((key) => [key.digest, key]));
    });
  }

  async key(digest: string): Promise<StoredKey | null> {
    return this.#trusted.get(digest) ?? this.#reads.load(digest);
  }
}

/** Notes the last use of keys and feeds. Servers that do so at the same time may conflict, and try again. */
export async function touchKeys(
  database: PostgresDatabase,
  usedAtMs: ReadonlyMap<string, number>,
): Promise<void> {
  if (usedAtMs.size === 0) return;
  const ids = [...usedAtMs.keys()].toSorted();
  const times = ids.map((id) => usedAtMs.get(id));
  for (const table of SECRET_TABLES) {
    const used = raw(table);
    const update = sql`
      update ${used}
      set last_used_at_ms = used.at_ms
      from unnest(${ids}::text[], ${times}::bigint[]) as used(id, at_ms)
      where ${used}.id = used.id and coalesce(${used}.last_used_at_ms, 0) < used.at_ms`;
    await withoutConflict(() => database.read(update));
  }
}

/** Runs a statement or a transaction, and runs it again after a conflict with another one. */
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

/** Hooks and notes, which are in one database. A server's role may update the progress of hooks, and remove notes. */
export function hooksOf(database: PostgresDatabase): Hooks {
  const run: Execute = (query) => database.read(query);
  return new Hooks({ readHooks: run, writeHooks: run, readNotes: run, removeNotes: run });
}

/** Adds a key, a feed or a hook. Raises StoreRefusal for an unknown company. Waits for a deletion, and nothing else. */
export function createSecret(
  database: PostgresDatabase,
  { companyId }: Pick<StoredSecret, "companyId">,
  insertion: Sql,
): Promise<void> {
  return database.hold(async (client: pg.PoolClient) => {
    const execute = (query: Sql) => run(client, database.serverName, query);
    await execute(sql`begin`);
    const company = await execute(sql`select id from companies where id = ${companyId} for key share`);
    if (company.length === 0) throw unknownCompany(companyId);
    await execute(insertion);
    await commit(client, database.serverName, "creation", "see whether there is a new one in the list");
  });
}
