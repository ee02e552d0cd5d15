// Makes a key: random, shown once, stored as a digest.
import { randomInt } from "node:crypto";
import { keyDigest } from "../http/middleware/auth.ts";
import { apiKeyOf } from "../resources/ids.ts";
import { SCOPES, type Scope } from "../resources/resource.ts";
import type { StoredKey } from "../store/store.ts";

export interface NewKey {
  /** The key itself. It is not stored anywhere. */
  readonly apiKey: string;
  readonly stored: StoredKey;
}

export interface KeyOptions {
  readonly companyId: string;
  readonly name: string;
  readonly scopes?: readonly Scope[];
  readonly hidesReasons?: boolean;
  readonly expiresAtMs?: number | null;
}

export function newKey(options: KeyOptions, nowMs: number): NewKey {
  const apiKey = apiKeyOf(Array.from({ length: 32 }, () => randomInt(62)));
  const id = `key_${Array.from({ length: 12 }, () => randomInt(36).toString(36)).join("")}`;
  return {
    apiKey,
    stored: {
      id,
      companyId: options.companyId,
      name: options.name,
      digest: keyDigest(apiKey),
      scopes: options.scopes ?? SCOPES,
      hidesReasons: options.hidesReasons ?? false,
      createdAtMs: nowMs,
      expiresAtMs: options.expiresAtMs ?? null,
      revokedAtMs: null,
      lastUsedAtMs: null,
    },
  };
}
