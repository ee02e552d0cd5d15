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
  readonly version: string | null;
  readonly wake: () => void;
}

/** One try to respond. */
export interface Try {
  readonly isFirst: boolean;
  /** Whether the request must get its response now, with or without content. */
  readonly isLast: () => boolean;
}

export class Waits {
  readonly #store: Pick<ReadStore, "version">;
  readonly #ofKey = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
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
   * Responds as soon as a try does, at the latest after `waitMs`. Between tries, the request waits until its company changes.
   * It counts in `context.waitedMs` how long that was.
   */
  async respond(
    context: RequestContext,
    { id, companyId }: Pick<StoredKey, "id" | "companyId">,
    waitMs: number,
    attempt: (one: Try) => Promise<Response | null>,
  ): Promise<Response> {
    const { signal } = context.request;
    const untilMs = performance.now() + waitMs;
    const leave = this.enter(id);
    try {
      for (let isFirst = true; ; isFirst = false) {
        const isLast = () =>
          leave === null || this.#isStopped || signal.aborted || performance.now() >= untilMs;
        const version = await this.#store.version(companyId);
        const response = await attempt({ isFirst, isLast });
        if (response !== null) return response;
        const sinceMs = performance.now();
        await this.changed(companyId, version, untilMs - sinceMs, signal);
        context.waitedMs += performance.now() - sinceMs;
        endPhase(context, "wait");
      }
    } finally {
      leave?.();
    }
  }

  /** Resolves when the company has another version, after `ms`, at a stop, and when the caller is gone. */
  async changed(companyId: string, version: string | null, ms: number, gone: AbortSignal): Promise<void> {
    if (this.#isStopped || gone.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const waiting = { companyId, version, wake };
    this.#waiting.add(waiting);
    const timer = setTimeout(wake, ms);
    gone.addEventListener("abort", wake);
    void this.#poll();
    await promise;
    gone.removeEventListener("abort", wake);
    clearTimeout(timer);
    this.#waiting.delete(waiting);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await Bun.sleep(POLL_MS);
      await this.#wakeChanged();
    }
    this.#isPolling = false;
  }

  async #wakeChanged(): Promise<void> {
    const byCompany = Map.groupBy(this.#waiting, ({ companyId }) => companyId);
    const reads = [...byCompany].map(async ([companyId, waiting]) => {
      const version = await this.#store.version(companyId);
      for (const one of waiting) if (one.version !== version) one.wake();
    });
    // While the store cannot be read, nobody learns of a change. Each request says so when its time is over.
    await Promise.allSettled(reads);
  }

  /** Gives every waiting request its response now. */
  stop(): void {
    this.#isStopped = true;
    for (const { wake } of this.#waiting) wake();
  }
}
