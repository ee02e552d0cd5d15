// Who is asking: the key, its company, and what it may read (docs/api.md, Authentication).
import { timingSafeEqual } from "node:crypto";
import { isApiKey } from "../../resources/keys.ts";
import type { Scope } from "../../resources/lists.ts";
import type { ReadStore, StoredKey } from "../../store/store.ts";
import { HttpProblem } from "../problems.ts";

const CHALLENGE = { "www-authenticate": 'ApiKey realm="rollcall", header="x-api-key"' };

/** What is stored of a key instead of the key. */
export function keyDigest(apiKey: string): string {
  return Bun.CryptoHasher.hash("sha256", apiKey, "hex");
}

/** The key of a request. Raises a 401 that says whether it is missing, mistyped, unknown, revoked or expired. */
export async function authenticate(
  store: ReadStore,
  apiKey: string | null,
  nowMs: number,
): Promise<StoredKey> {
  if (apiKey === null || apiKey === "") {
    throw new HttpProblem("missing_api_key", "Send your API key in the x-api-key header.", {
      headers: CHALLENGE,
    });
  }
  if (!isApiKey(apiKey)) {
    throw refused("This is not an API key: one begins with rk_ and has 41 characters. Check it for a typo.");
  }
  const digest = keyDigest(apiKey);
  const key = await store.key(digest);
  if (key === null || !sameDigest(key.digest, digest)) throw unknownKey();
  if (key.revokedAtMs !== null && key.revokedAtMs <= nowMs)
    throw refused("This API key was revoked: ask for a new one.");
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs)
    throw refused("This API key has expired: ask for a new one.");
  return key;
}

/** Raises a 403 where the key may not read what the scope covers. */
export function requireScope(key: StoredKey, scope: Scope): void {
  if (key.scopes.includes(scope)) return;
  throw new HttpProblem("missing_scope", `This API key lacks the scope ${scope}, which this path needs.`);
}

export function unknownKey(): HttpProblem {
  return refused("This API key is not known here: check that it is of this server, or ask for a new one.");
}

function refused(detail: string): HttpProblem {
  return new HttpProblem("invalid_api_key", detail, { headers: CHALLENGE });
}

const DIGEST_CHARACTERS = 64;
const encoder = new TextEncoder();
const compared = [new Uint8Array(DIGEST_CHARACTERS), new Uint8Array(DIGEST_CHARACTERS)] as const;

/** In constant time. */
function sameDigest(a: string, b: string): boolean {
  if (a.length !== DIGEST_CHARACTERS || b.length !== DIGEST_CHARACTERS) return false;
  encoder.encodeInto(a, compared[0]);
  encoder.encodeInto(b, compared[1]);
  return timingSafeEqual(compared[0], compared[1]);
}
