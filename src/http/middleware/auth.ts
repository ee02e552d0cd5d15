// Authentication: the key, its company, what it may see, and when it was last used (docs/api.md, Authentication).
import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Observe } from "../../observe.ts";
import { isApiKey } from "../../resources/ids.ts";
import type { Scope } from "../../resources/resource.ts";
import {
  type CompanyReader,
  type Doc,
  type ReadStore,
  type StoredKey,
  type StoredSecret,
  StoreRefusal,
  StoreUnavailable,
} from "../../store/store.ts";
import { loggedError } from "../observation.ts";
import { HttpProblem } from "../problems.ts";
import { whenReady } from "../request-context.ts";

const CHALLENGE = { "www-authenticate": 'ApiKey realm="rollcall", header="x-api-key"' };

/** The SHA-256 digest that is stored instead of a key or of the secret of a calendar feed. */
export function secretDigest(secret: string): string {
  return Bun.CryptoHasher.hash("sha256", secret, "hex");
}

export interface Authenticator {
  /** What a caller shows. Raises a 401 if the key is missing, or if its checksum shows that nobody was given it. */
  shown(apiKey: string | null): ShownKey;
  /** Whether this key was valid lately. It says whose share a look-up is charged to, and nothing else. */
  isKnown(digest: string): boolean;
  /**
   * Finds the key; it is no promise where the store's is none. Raises a 401 that says whether it is unknown, revoked or
   * expired.
   */
  key(shown: ShownKey, nowMs: number): StoredKey | Promise<StoredKey>;
}

export interface ShownKey {
  readonly digest: string;
  /** The key with this digest, if it was valid lately. */
  readonly known: StoredKey | undefined;
}

const KNOWN_DIGESTS = 10_000;

export function authenticator(store: ReadStore): Authenticator {
  const known = new LRUCache<string, StoredKey>({ max: KNOWN_DIGESTS });
  const checked = (key: StoredKey | null, shown: ShownKey, nowMs: number): StoredKey => {
    const { digest } = shown;
    // The reader returns the same object until a key changes: one comparison is enough.
    const isKnown = key !== null && shown.known === key;
    if (key === null || (!isKnown && !sameDigest(key.digest, digest))) {
      known.delete(digest);
      throw unknownKey();
    }
    if (key.revokedAtMs !== null && key.revokedAtMs <= nowMs)
      throw refused("This API key was revoked: ask for a new one.");
    if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs)
      throw refused("This API key has expired: ask for a new one.");
    if (!isKnown) known.set(digest, key);
    return key;
  };
  return {
    shown(apiKey) {
      requirePresent(apiKey);
      const digest = secretDigest(apiKey);
      const valid = known.get(digest);
      if (valid === undefined) requireWellFormed(apiKey);
      return { digest, known: valid };
    },
    isKnown: (digest) => known.has(digest),
    key(shown, nowMs) {
      return whenReady(store.key(shown.digest), (key) => checked(key, shown, nowMs));
    },
  };
}

function requirePresent(apiKey: string | null): asserts apiKey is string {
  if (apiKey === null || apiKey === "") throw missingKey();
}

/** A 401 for a request without a key. `notElsewhere`: where the key must not be instead. */
export function missingKey(notElsewhere = ""): HttpProblem {
  return new HttpProblem("missing_api_key", `Send your API key in the x-api-key header${notElsewhere}.`, {
    headers: CHALLENGE,
  });
}

/** The checksum tells a mistyped or invented key without a look-up. */
function requireWellFormed(apiKey: string): void {
  if (isApiKey(apiKey)) return;
  if (/^bearer\b/i.test(apiKey))
    throw refused("This is not an API key alone: send it in x-api-key without the word Bearer.");
  throw refused("This is not an API key: a key begins with rk_ and has 41 characters. Check it for a typo.");
}

/** Raises a 403 if the key lacks the scope. `isPerson`: it stands for somebody whom a proxy has signed in. */
export function requireScope(key: StoredKey, scope: Scope | null, isPerson = false): void {
  if (scope === null || key.scopes.includes(scope)) return;
  const who = isPerson ? "You are signed in, but your group" : "This API key";
  throw new HttpProblem("missing_scope", `${who} lacks the scope ${scope}, which this path requires.`);
}

/** The company as a key with `hidesReasons` sees it: the reason of every request is null. */
export function withoutReasons(company: CompanyReader): CompanyReader {
  return {
    async list(kind, page, conditions) {
      const found = await company.list(kind, page, conditions);
      return kind === "requests" ? { ...found, docs: found.docs.map(withoutReason) } : found;
    },
    async object(kind, id) {
      const doc = await company.object(kind, id);
      return kind === "requests" && doc !== null ? withoutReason(doc) : doc;
    },
    balanceFacts: (query) => company.balanceFacts(query),
    about: () => company.about(),
    async feed(query) {
      const page = await company.feed(query);
      if (page === "gone") return page;
      const entries = page.entries.map((entry) =>
        entry.resource === "requests" && entry.doc !== null
          ? { ...entry, doc: withoutReason(entry.doc) }
          : entry,
      );
      return { ...page, entries };
    },
    calendarSequence: () => company.calendarSequence(),
  };
}

const decoder = new TextDecoder();

/** The order of keys stays as it is. */
function withoutReason(doc: Doc): string {
  const request: unknown = JSON.parse(typeof doc === "string" ? doc : decoder.decode(doc));
  return JSON.stringify({ ...(request as object), reason: null }); // a stored request is an object with a reason
}

export function unknownKey(): HttpProblem {
  return refused(
    "This server does not know this API key: check that it was made here, or ask for a new one.",
  );
}

/** A 401 that says why a caller is not known. */
export function refused(detail: string): HttpProblem {
  return new HttpProblem("invalid_api_key", detail, { headers: CHALLENGE });
}

const DIGEST_CHARACTERS = 64;
const encoder = new TextEncoder();
const compared = [new Uint8Array(DIGEST_CHARACTERS), new Uint8Array(DIGEST_CHARACTERS)] as const;

/** Compares in constant time. */
function sameDigest(a: string, b: string): boolean {
  if (a.length !== DIGEST_CHARACTERS || b.length !== DIGEST_CHARACTERS) return false;
  encoder.encodeInto(a, compared[0]);
  encoder.encodeInto(b, compared[1]);
  return timingSafeEqual(compared[0], compared[1]);
}

/** Each time, other readers of the embedded store look all keys up anew, because their file has changed. */
const FLUSH_EVERY_MS = 60_000;

/** When each key and calendar feed was last used: collected in memory and written in batches, never once per request. */
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
