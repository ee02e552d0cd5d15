// Whose request it is: the key that it sends, or the person whom a trusted proxy has signed in. On the embedded store a key that was
// used lately is found without waiting, so nothing here is a promise then.
import type { ReadStore, StoredKey, StoredSecret } from "../store/store.ts";
import type { Admission } from "./middleware/admission.ts";
import type { Authenticator } from "./middleware/auth.ts";
import { type Access, keyOf, type ProxyAuth, type SignedIn, signedIn } from "./middleware/proxy-auth.ts";
import { addressShare } from "./middleware/rate-limit.ts";
import { HttpProblem, overloaded } from "./problems.ts";
import { type RequestContext, whenReady } from "./request-context.ts";

interface CallerParts {
  readonly store: ReadStore;
  readonly admission: Admission;
  readonly used: (secret: StoredSecret) => void;
  readonly proxyAuth: ProxyAuth | null;
}

/** Whose request it is. Somebody whom a proxy has signed in has no key; this one says what they may read. */
export interface Caller {
  readonly key: StoredKey;
  readonly person: SignedIn | null;
}

const withoutPerson = (key: StoredKey): Caller => ({ key, person: null });

/** Finds the key. A request without one is of the person whom a trusted proxy names, if there is one. */
export function identify(
  parts: CallerParts,
  keys: Authenticator,
  context: RequestContext,
): Caller | Promise<Caller> {
  const { headers } = context.request;
  const person =
    parts.proxyAuth !== null && !headers.has("x-api-key") && context.isFromProxy()
      ? signedIn(parts.proxyAuth, headers)
      : null;
  if (person !== null) {
    const key = keyOf(person);
    context.key = key;
    return { key, person };
  }
  return whenReady(findKey(parts, keys, context, headers.get("x-api-key")), withoutPerson);
}

/** The stored key. The look-up of one that was not valid lately is charged to the share of the caller's address. */
export function findKey(
  parts: CallerParts,
  keys: Authenticator,
  context: RequestContext,
  apiKey: string | null,
): StoredKey | Promise<StoredKey> {
  const digest = keys.digest(apiKey);
  if (!keys.isKnown(digest)) return findNewKey(parts, keys, context, digest);
  return whenReady(keys.key(digest, Date.now()), (key) => noted(parts, context, key));
}

async function findNewKey(
  parts: CallerParts,
  keys: Authenticator,
  context: RequestContext,
  digest: string,
): Promise<StoredKey> {
  const release = await parts.admission.acquire(addressShare(context.address()));
  try {
    if (release === null && !keys.isKnown(digest)) throw overloaded();
    return noted(parts, context, await keys.key(digest, Date.now()));
  } finally {
    release?.();
  }
}

function noted(parts: CallerParts, context: RequestContext, key: StoredKey): StoredKey {
  context.key = key;
  parts.used(key);
  return key;
}

/** What the person may see. No key opens the paths that are for people whom a proxy has signed in. */
export function requirePerson({ person }: Caller): Access {
  if (person !== null) return person.access;
  throw new HttpProblem("missing_scope", "This path is for people whom a proxy has signed in, not for keys.");
}
