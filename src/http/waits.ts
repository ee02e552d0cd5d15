// Requests that wait until their company changes (docs/api.md, Changes). A waiting request holds nothing but a place here: no
// admission, no connection to the store. One poll asks for the versions of all their companies, so it works across processes
// and engines, and its cost does not depend on how many requests wait for a company.
import type { ReadStore, StoredKey } from "../store/store.ts";
import { endPhase, type RequestContext } from "./request-context.ts";

/** How often versions are read. From commit to response it must stay well below 500 ms. */
const POLL_MS = 200;

/** Requests that may wait at once: in a process, and of one key. */
const WAITING = 1000;
const WAITING_OF_KEY = 8;

interface Waiting {
  readonly companyId: string;
  readonly version: string;
  readonly resolve: (isChanged: boolean) => void;
  readonly end: () => void;
}

/** What a try found where there is nothing to send: of which version, and how to say so. */
export interface Idle {
  readonly version: string;
  readonly respond: () => Response;
}

export class Waits {
  readonly #store: Pick<ReadStore, "version">;
  readonly #ofKey = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  /** Companies whose version could not be read the last time. */
  readonly #failed = new Set<string>();
  #places = 0;
  #isPolling = false;
  #isStopped = false;

  constructor(store: Pick<ReadStore, "version">) {
    this.#store = store;
  }

  /** Takes a place. Returns what gives it back, or null if there is none: then the request gets its response at once. */
  enter(keyId: string): (() => void) | null {
    const own = this.#ofKey.get(keyId) ?? 0;
    if (this.#isStopped || this.#places >= WAITING || own >= WAITING_OF_KEY) return null;
    this.#places++;
    this.#ofKey.set(keyId, own + 1);
    return () => {
      this.#places--;
      const left = this.#ofKey.get(keyId)! - 1; // this place is counted
      if (left > 0) this.#ofKey.set(keyId, left);
      else this.#ofKey.delete(keyId);
    };
  }

  /**
   * Responds as soon as a try finds something to send, at the latest after `waitMs`. Between tries, the request waits until its
   * company changes. At its end nothing is read again, only `check` is made. Adds to `context.waitedMs` how long it waited.
   */
  async respond(
    context: RequestContext,
    { id, companyId }: Pick<StoredKey, "id" | "companyId">,
    waitMs: number,
    attempt: (isFirst: boolean) => Promise<Response | Idle>,
    check: () => Promise<void>,
  ): Promise<Response> {
    const { signal } = context.request;
    const untilMs = performance.now() + waitMs;
    const leave = this.enter(id);
    try {
      for (let isFirst = true; ; isFirst = false) {
        const found = await attempt(isFirst);
        if (found instanceof Response) return found;
        const sinceMs = performance.now();
        const mayWait = leave !== null && sinceMs < untilMs;
        const isChanged =
          mayWait && (await this.changed(companyId, found.version, untilMs - sinceMs, signal));
        context.waitedMs += performance.now() - sinceMs;
        endPhase(context, "wait");
        if (isChanged) continue;
        if (mayWait) await check();
        return found.respond();
      }
    } finally {
      leave?.();
    }
  }

  /**
   * Resolves when the company has another version; and, with false, after `ms`, at a stop, and when the caller is gone. If the
   * store could not be read at the end, whether there is another version is not known: then it is true.
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
    gone.removeEventListener("abort", end);
    clearTimeout(timer);
    this.#waiting.delete(waiting);
    return isChanged;
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await Bun.sleep(POLL_MS);
      await this.#wakeChanged();
    }
    this.#failed.clear();
    this.#isPolling = false;
  }

  async #wakeChanged(): Promise<void> {
    const byCompany = Map.groupBy(this.#waiting, ({ companyId }) => companyId);
    const reads = [...byCompany].map(async ([companyId, waiting]) => {
      try {
        const version = await this.#store.version(companyId);
        this.#failed.delete(companyId);
        for (const one of waiting) if (one.version !== version) one.resolve(true);
      } catch {
        this.#failed.add(companyId); // each request says so when its time is over
      }
    });
    await Promise.all(reads);
  }

  /** Gives every waiting request its response now. */
  stop(): void {
    this.#isStopped = true;
    for (const { end } of this.#waiting) end();
  }
}
