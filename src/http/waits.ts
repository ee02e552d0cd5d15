// Requests that wait until their company changes (docs/api.md, Changes). A waiting request holds only a place here: no admission and no
// connection to the store. One poll asks for the versions of all their companies, so it works across processes and engines, and its cost
// does not depend on how many requests wait for a company.
import type { ReadStore } from "../store/store.ts";
import { admitted } from "./middleware/admission.ts";
import { identify } from "./middleware/auth.ts";
import { cachedOrRead, type MatchedRoute, type ReadingParts } from "./middleware/cache.ts";
import { conditionalResponse } from "./middleware/negotiation.ts";
import { endPhase, type RequestContext } from "./request-context.ts";
import { type Route, validated } from "./routes/route.ts";
import type { Caller } from "./sign-in.ts";

/** How often versions are read. From commit to response it must stay well below 500 ms. */
const POLL_MS = 350;

/** Requests that may wait at once: in a process, and of one key. */
const WAITING = 1000;
const WAITING_OF_KEY = 8;

interface Waiting {
  readonly companyId: string;
  /** The version that the request has seen. */
  readonly version: string;
  readonly resolve: (isChanged: boolean) => void;
  readonly end: () => void;
}

/** How long a request with `wait` may wait, in milliseconds. Raises a 400 for a bad query. */
export function waitOf(route: Route, context: RequestContext, today: string): number {
  const query = new URLSearchParams(context.query);
  if (!query.has("wait")) return 0;
  return Number(validated(route, query, today, context).wait) * 1000;
}

export class Waits {
  readonly #ofKey = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  /** Companies whose version could not be read the last time. */
  readonly #failed = new Set<string>();
  #places = 0;
  #isPolling = false;
  #isStopped = false;

  constructor(readonly store: Pick<ReadStore, "version">) {}

  /** Takes a place and returns the function that frees it; null if all are taken: then the request gets its response at once. */
  enter(keyId: string): (() => void) | null {
    const waiting = this.#ofKey.get(keyId) ?? 0;
    if (this.#isStopped || this.#places >= WAITING || waiting >= WAITING_OF_KEY) return null;
    this.#places++;
    this.#ofKey.set(keyId, waiting + 1);
    return () => {
      this.#places--;
      const left = this.#ofKey.get(keyId)! - 1; // it is at least 1
      if (left > 0) this.#ofKey.set(keyId, left);
      else this.#ofKey.delete(keyId);
    };
  }

  /** Responds once there is something to send, at the latest after `waitMs`. Then it checks the key again. Adds to `context.waitedMs`. */
  async respond(
    parts: ReadingParts,
    context: RequestContext,
    matched: MatchedRoute,
    caller: Caller,
    waitMs: number,
  ): Promise<Response> {
    const { signal } = context.request;
    const { id, companyId } = caller.key;
    const untilMs = performance.now() + waitMs;
    const leave = this.enter(id);
    try {
      for (let known: Caller | null = caller; ; known = null) {
        const response = await this.#read(parts, context, matched, known);
        if (response.content.isIdle !== true) return conditionalResponse(context, response.content);
        const sinceMs = performance.now();
        const mayWait = leave !== null && sinceMs < untilMs;
        const isChanged =
          mayWait && (await this.changed(companyId, response.version, untilMs - sinceMs, signal));
        context.waitedMs += performance.now() - sinceMs;
        endPhase(context, "wait");
        if (isChanged) continue;
        if (mayWait) await identify(parts, context);
        return conditionalResponse(context, response.content);
      }
    } finally {
      leave?.();
    }
  }

  /** A cached page needs no admission. After the first try `known` is null, and the key is checked again. Begun work is not refused. */
  async #read(parts: ReadingParts, context: RequestContext, matched: MatchedRoute, known: Caller | null) {
    const caller = known ?? (await identify(parts, context));
    return cachedOrRead(parts, context, matched, caller, (read) => {
      const work = () => {
        endPhase(context, "admission");
        return read();
      };
      return admitted(parts.admission, caller.key.id, work, known === null);
    });
  }

  /**
   * Resolves with true when the company has another version; with false after `ms`, at a stop, or when the caller is gone. If the store
   * could not be read at the end, a change is possible, so it resolves with true.
   */
  async changed(companyId: string, version: string, ms: number, gone: AbortSignal): Promise<boolean> {
    if (this.#isStopped || gone.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const end = () => resolve(this.#failed.has(companyId));
    const waiting = { companyId, version, resolve, end };
    this.#waiting.add(waiting);
    const timer = setTimeout(end, ms);
    gone.addEventListener("abort", end);
    void this.#poll();
    const isChanged = await promise;
    clearTimeout(timer);
    gone.removeEventListener("abort", end);
    this.#waiting.delete(waiting);
    return isChanged;
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    let isReading = false;
    while (this.#waiting.size > 0) {
      await Bun.sleep(POLL_MS);
      if (isReading) continue;
      isReading = true;
      void this.#wakeChanged().then(() => {
        isReading = false;
      });
    }
    this.#failed.clear();
    this.#isPolling = false;
  }

  async #wakeChanged(): Promise<void> {
    const companies = Map.groupBy(this.#waiting, ({ companyId }) => companyId);
    const reads = [...companies].map(async ([companyId, waiting]) => {
      try {
        const current = await this.store.version(companyId);
        this.#failed.delete(companyId);
        for (const { version, resolve } of waiting) if (version !== current) resolve(true);
      } catch {
        this.#failed.add(companyId); // each request reports it when its time is over
      }
    });
    await Promise.all(reads);
  }

  /** Ends all waits, for a stop. */
  stop(): void {
    this.#isStopped = true;
    for (const { end } of this.#waiting) end();
  }
}
