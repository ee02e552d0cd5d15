// A key as both engines store it, and the SQL that they share.
import sql, { join, type Sql } from "sql-template-tag";
import { SCOPES, type Scope } from "../resources/lists.ts";
import type { StoredKey } from "./store.ts";

export interface KeyRow extends Omit<StoredKey, "scopes"> {
  /** With spaces between them. */
  readonly scopes: string;
}

/** Every column of a key; conditions and order are the caller's. */
export const SELECT_KEYS = sql`select id as "id", company_id as "companyId", name as "name", digest as "digest", scopes as "scopes", created_at_ms as "createdAtMs", expires_at_ms as "expiresAtMs", revoked_at_ms as "revokedAtMs", last_used_at_ms as "lastUsedAtMs" from keys`;

/** The statement that adds a key. */
export function insertion(key: StoredKey): Sql {
  return sql`insert into keys (id, company_id, name, digest, scopes, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms) values (${join([key.id, key.companyId, key.name, key.digest, key.scopes.join(" "), key.createdAtMs, key.expiresAtMs, key.revokedAtMs, key.lastUsedAtMs])})`;
}

export function toKey(row: KeyRow): StoredKey {
  const scopes = row.scopes
    .split(" ")
    .filter((scope): scope is Scope => SCOPES.some((known) => known === scope));
  return { ...row, scopes };
}
