// Keys and calendar feeds as both engines store them, and the SQL that they share. Each is found by the digest of its secret.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { SCOPES, type Scope } from "../resources/resource.ts";
import type { CalendarDefinition, SecretChange, StoredCalendar, StoredKey, StoredSecret } from "./store.ts";

/** The tables of what is opened by a secret. */
export const SECRET_TABLES = ["keys", "feeds"] as const;

export type SecretTable = (typeof SECRET_TABLES)[number];

export interface KeyRow extends StoredSecret {
  /** With spaces between them; among them may be `HIDE_REASONS`. */
  readonly scopes: string;
}

export interface CalendarRow extends StoredSecret {
  /** `CalendarDefinition` as JSON. */
  readonly definition: string;
}

/** Stands among a key's scopes if it hides reasons: a column of its own would be a migration of every store and backup. */
const HIDE_REASONS = "hide_reasons";

/** A key's scopes and restrictions, as they are stored. */
export function storedScopes({ scopes, hidesReasons }: StoredKey): readonly string[] {
  return hidesReasons ? [...scopes, HIDE_REASONS] : scopes;
}

/** A feed's definition as it is stored: the same text for the same definition. */
export function storedDefinition({ definition }: StoredCalendar): string {
  const { workers, types, policies, show, withPending } = definition;
  return JSON.stringify({ workers, types, policies, show, withPending });
}

function selection(table: SecretTable): Sql {
  const own = raw(table === "keys" ? `scopes as "scopes"` : `definition as "definition"`);
  return sql`select id as "id", company_id as "companyId", name as "name", digest as "digest", ${own}, created_at_ms as "createdAtMs", expires_at_ms as "expiresAtMs", revoked_at_ms as "revokedAtMs", last_used_at_ms as "lastUsedAtMs" from ${raw(table)}`;
}

/** The one with this digest. */
export function byDigest(table: SecretTable, digest: string): Sql {
  return sql`${selection(table)} where digest = ${digest}`;
}

/** Those with these digests, on PostgreSQL. */
export function byDigests(table: SecretTable, digests: readonly string[]): Sql {
  return sql`${selection(table)} where digest = any(${digests})`;
}

/** All, or those of one company, oldest first. */
export function listed(table: SecretTable, companyId?: string): Sql {
  const where = companyId === undefined ? empty : sql` where company_id = ${companyId}`;
  return sql`${selection(table)}${where} order by created_at_ms, id`;
}

export function insertKey(key: StoredKey): Sql {
  return insertion("keys", key, storedScopes(key).join(" "));
}

export function insertCalendar(feed: StoredCalendar): Sql {
  return insertion("feeds", feed, storedDefinition(feed));
}

function insertion(table: SecretTable, secret: StoredSecret, own: string): Sql {
  const { id, companyId, name, digest, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = secret;
  const values = [id, companyId, name, digest, own, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs];
  return sql`insert into ${raw(table)} (id, company_id, name, digest, ${raw(table === "keys" ? "scopes" : "definition")}, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms) values (${join(values)})`;
}

/** Sets expiry or revocation, and returns the id if there is one with it. */
export function updateSecret(table: SecretTable, id: string, change: SecretChange): Sql {
  const columns = { expiresAtMs: "expires_at_ms", revokedAtMs: "revoked_at_ms" } as const;
  const sets = Object.entries(change).map(
    ([field, value]) => sql`${raw(columns[field as keyof typeof columns])} = ${value}`, // the type of `change`
  );
  return sql`update ${raw(table)} set ${join(sets)} where id = ${id} returning id`;
}

export function toKey(row: KeyRow): StoredKey {
  const stored = row.scopes.split(" ");
  const scopes = stored.filter((scope): scope is Scope => SCOPES.some((known) => known === scope));
  return { ...row, scopes, hidesReasons: stored.includes(HIDE_REASONS) };
}

export function toCalendar(row: CalendarRow): StoredCalendar {
  return { ...row, definition: JSON.parse(row.definition) as CalendarDefinition }; // as `storedDefinition` writes it
}
