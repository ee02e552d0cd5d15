// A key as both engines store it, and the SQL that they share.
import sql, { join, type Sql } from "sql-template-tag";
import { SCOPES, type Scope } from "../resources/resource.ts";
import type { StoredKey } from "./store.ts";

export interface KeyRow extends Omit<StoredKey, "scopes" | "hidesReasons"> {
  /** With spaces between them; among them may be `HIDE_REASONS`. */
  readonly scopes: string;
}

/** Stands among a key's scopes if it hides reasons: a column of its own would be a migration of every store and backup. */
const HIDE_REASONS = "hide_reasons";

/** A key's scopes and restrictions, as they are stored. */
export function storedScopes({ scopes, hidesReasons }: StoredKey): readonly string[] {
  return hidesReasons ? [...scopes, HIDE_REASONS] : scopes;
}

/** Every column of a key; conditions and order are the caller's. */
export const SELECT_KEYS = sql`select id as "id", company_id as "companyId", name as "name", digest as "digest", scopes as "scopes", created_at_ms as "createdAtMs", expires_at_ms as "expiresAtMs", revoked_at_ms as "revokedAtMs", last_used_at_ms as "lastUsedAtMs" from keys`;

/** The statement that adds a key. */
export function insertion(key: StoredKey): Sql {
  return sql`insert into keys (id, company_id, name, digest, scopes, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms) values (${join([key.id, key.companyId, key.name, key.digest, storedScopes(key).join(" "), key.createdAtMs, key.expiresAtMs, key.revokedAtMs, key.lastUsedAtMs])})`;
}

export function toKey(row: KeyRow): StoredKey {
  const stored = row.scopes.split(" ");
  const scopes = stored.filter((scope): scope is Scope => SCOPES.some((known) => known === scope));
  return { ...row, scopes, hidesReasons: stored.includes(HIDE_REASONS) };
}
