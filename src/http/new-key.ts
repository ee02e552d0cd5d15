// Makes keys and calendar feeds: their secrets are random, shown once, and stored as digests.
import { randomInt } from "node:crypto";
import { secretOf } from "../resources/ids.ts";
import { SCOPES, type Scope } from "../resources/resource.ts";
import {
  type CalendarDefinition,
  FULL_ACCESS,
  type KeyAccess,
  type StoredCalendar,
  type StoredKey,
  type StoredSecret,
} from "../store/store.ts";
import { secretDigest } from "./middleware/auth.ts";

export interface NewKey {
  /** The key itself. It is not stored anywhere. */
  readonly apiKey: string;
  readonly stored: StoredKey;
}

interface SecretOptions {
  readonly companyId: string;
  readonly name: string;
  readonly expiresAtMs?: number | null;
}

export interface KeyOptions extends SecretOptions {
  readonly scopes?: readonly Scope[];
  readonly access?: Partial<KeyAccess>;
}

export function newKey(options: KeyOptions, nowMs: number): NewKey {
  const apiKey = secretOf("rk_", randomDigits());
  const access = { ...FULL_ACCESS, ...options.access };
  // A key that sees only who is away has no scopes.
  const scopes = access.level === "away" ? [] : (options.scopes ?? SCOPES);
  return { apiKey, stored: { ...storedSecret("key_", apiKey, options, nowMs), scopes, access } };
}

export interface NewCalendar {
  /** The secret part of the address. It is not stored anywhere. */
  readonly secret: string;
  readonly stored: StoredCalendar;
}

export function newCalendar(
  options: SecretOptions & { readonly definition: CalendarDefinition },
  nowMs: number,
): NewCalendar {
  const secret = secretOf("rc_", randomDigits());
  const { definition } = options;
  return { secret, stored: { ...storedSecret("feed_", secret, options, nowMs), definition } };
}

function randomDigits(): number[] {
  return Array.from({ length: 32 }, () => randomInt(62));
}

function storedSecret(prefix: string, secret: string, options: SecretOptions, nowMs: number): StoredSecret {
  return {
    id: randomId(prefix),
    companyId: options.companyId,
    name: options.name,
    digest: secretDigest(secret),
    createdAtMs: nowMs,
    expiresAtMs: options.expiresAtMs ?? null,
    revokedAtMs: null,
    lastUsedAtMs: null,
  };
}

export function randomId(prefix: string): string {
  return prefix + Array.from({ length: 12 }, () => randomInt(36).toString(36)).join("");
}
