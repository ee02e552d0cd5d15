// Authentication: who the caller is, what they may see, and when a key was last used (docs/api.md, Authentication).
import type { Observe } from "../../observe.ts";
import { isSecret } from "../../resources/ids.ts";
import type { Scope } from "../../resources/resource.ts";
import {
  type ReadStore,
  type StoredKey,
  type StoredSecret,
  StoreRefusal,
  StoreUnavailable,
} from "../../store/store.ts";
import { CHALLENGE, HttpProblem, loggedError, refused } from "../problems.ts";
import type { ProviderSignIn } from "../provider-sign-in.ts";
import type { RequestContext } from "../request-context.ts";
import {
  type Caller,
  keyOf,
  type Opener,
  openerOf,
  type ProxyAuth,
  type SignedIn,
  signedIn,
} from "../sign-in.ts";

/** The stored SHA-256 digest of a secret. Nobody can choose a secret by its digest, so look-up times reveal nothing. */
export function secretDigest(secret: string): string {
  return Bun.CryptoHasher.hash("sha256", secret, "hex");
}

export interface AuthParts {
  readonly store: ReadStore;
  /** Called with each use of a key or a calendar feed. */
  readonly used: (secret: StoredSecret) => void;
  /** How a trusted proxy says who is signed in; null if none does. */
  readonly proxyAuth: ProxyAuth | null;
  /** How people sign in without a proxy; null if they cannot. */
  readonly signIn: ProviderSignIn | null;
}

/** Identifies the caller: by the key, or without one as the person who is signed in. Raises a 401 or a 403. */
export async function identify(parts: AuthParts, context: RequestContext): Promise<Caller> {
  const { headers } = context.request;
  const apiKey = headers.get("x-api-key");
  const person = apiKey === null ? await personOfRequest(parts, context) : null;
  if (person !== null) {
    const key = keyOf(person);
    context.key = key;
    return { key, person };
  }
  if (apiKey === null && headers.has("authorization")) throw missingKey(", not in Authorization");
  return { key: await findKey(parts, context, apiKey), person: null };
}

async function personOfRequest(
  { proxyAuth, signIn }: AuthParts,
  context: RequestContext,
): Promise<SignedIn | null> {
  if (signIn !== null) return signIn.person(context);
  if (proxyAuth === null || !context.connection.isFromProxy()) return null;
  return signedIn(proxyAuth, context.request.headers);
}

/** The stored key. Raises a 401 that says whether it is missing, mistyped, unknown, revoked or expired. */
export async function findKey(
  { store, used }: AuthParts,
  context: RequestContext,
  apiKey: string | null,
): Promise<StoredKey> {
  if (apiKey === null || apiKey === "") throw missingKey();
  requireWellFormed(apiKey);
  const key = await store.key(secretDigest(apiKey));
  if (key === null) throw unknownKey();
  // Checked without a clock: the clock of the machine that revoked it may be ahead.
  if (key.revokedAtMs !== null) throw refused("This API key was revoked: ask for a new one.");
  if (key.expiresAtMs !== null && key.expiresAtMs <= Date.now())
    throw refused("This API key has expired: ask for a new one.");
  context.key = key;
  used(key);
  return key;
}

/** A 401 for a request without a key. `notElsewhere` names where the key must not be. */
function missingKey(notElsewhere = ""): HttpProblem {
  return new HttpProblem("missing_api_key", `Send your API key in the x-api-key header${notElsewhere}.`, {
    headers: CHALLENGE,
  });
}

/** The checksum detects a mistyped or invented key without a look-up. */
function requireWellFormed(apiKey: string): void {
  if (isSecret("rk_", apiKey)) return;
  if (/^bearer\b/i.test(apiKey))
    throw refused("This is not an API key alone: send it in x-api-key without the word Bearer.");
  throw refused("This is not an API key: a key begins with rk_ and has 41 characters. Check it for a typo.");
}

/** Raises a 403 if the key lacks the scope. `isPerson`: whether the key stands for somebody who is signed in. */
export function requireScope(key: StoredKey, scope: Scope | null, isPerson: boolean): void {
  if (scope === null || key.scopes.includes(scope)) return;
  const who = isPerson ? "You are signed in, but your group" : "This API key";
  throw new HttpProblem("missing_scope", `${who} lacks the scope ${scope}, which this path requires.`);
}

/** Raises a 403 if the key lacks `workers:read`, which these parameters need. */
export function requireWorkersScope(scopes: readonly Scope[], parameters: readonly string[]): void {
  if (parameters.length === 0 || scopes.includes("workers:read")) return;
  const require = parameters.length > 1 ? "require" : "requires";
  throw new HttpProblem(
    "missing_scope",
    `This API key lacks the scope workers:read, which ${parameters.join(" and ")} ${require}.`,
  );
}

/** Raises a 403 if the caller may not use this path of the page. */
export function requireOpen(
  caller: Caller,
  { isOpenTo, scopes = [] }: { isOpenTo: (opener: Opener) => boolean; scopes?: readonly Scope[] },
): void {
  const { key, person } = caller;
  for (const scope of scopes) requireScope(key, scope, person !== null);
  if (isOpenTo(openerOf(caller))) return;
  const detail =
    person === null ? keyRefusal(isOpenTo) : "You are signed in, but your group may not see this.";
  throw new HttpProblem("missing_scope", detail);
}

function keyRefusal(isOpenTo: (opener: Opener) => boolean): string {
  if (isOpenTo("away key"))
    return "This path is for people who are signed in, and for keys with the access away: make one with rollcall keys create --access away.";
  if (isOpenTo("key"))
    return "This key's access is too little for this path: make a key of the whole company with rollcall keys create.";
  return "This path is for people who are signed in, not for keys.";
}

export function unknownKey(): HttpProblem {
  return refused(
    "This server does not know this API key: check that it was made here, or ask for a new one.",
  );
}

/** Each write makes other readers of the embedded store look all keys up again, because their file has changed. */
const FLUSH_EVERY_MS = 60_000;

/** The last use of each key and feed: collected in memory and written in batches, never once per request. */
export interface KeyUses {
  used(secret: StoredSecret): void;
  /** Writes the pending uses and stops the timer. */
  stop(): Promise<void>;
}

export function keyUses(store: ReadStore, observe: Observe): KeyUses {
  let pending = new Map<string, number>();
  const flush = async () => {
    const batch = pending;
    pending = new Map();
    try {
      await store.touchKeys(batch);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) && !(error instanceof StoreRefusal)) throw error;
      observe({ kind: "unavailable", requestId: null, traceId: null, error: loggedError(error, null) });
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  return {
    used: (secret) => pending.set(secret.id, Date.now()),
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
