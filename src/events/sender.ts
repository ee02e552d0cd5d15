// Sends what is noted to the hooks that this process has claimed: to each hook one message after another, to all hooks at once. So
// messages come in order, and a hook that is slow delays no other. What a hook has is stored a while after it was sent: after a crash,
// some messages come again, with the same ids.
import { withoutReasons } from "../http/middleware/auth.ts";
import { loggedError } from "../http/observation.ts";
import { parsed } from "../http/read-all.ts";
import { balancesList } from "../http/routes/balances.ts";
import type { Observe } from "../observe.ts";
import { isNamedBy, scopeOfEvent } from "../resources/events.ts";
import type { EventNote, HookProgress, StoredHook } from "../store/hooks.ts";
import type { CompanyReader, ReadStore } from "../store/store.ts";
import { headersOf, messageOf } from "./message.ts";
import { post } from "./post.ts";

/** How often it looks for hooks and for what is new. */
const LOOK_EVERY_MS = 1000;
/** How often what a hook has is stored while messages are sent. */
const SAVE_EVERY_MS = 5000;
const FORGET_EVERY_MS = 60_000;
/** How many notes are read at a time. */
const BATCH = 100;

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1000, 60_000, 3_600_000];

/** How long after each failure a message is tried again. After the last one, the hook is paused. */
const RETRIES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** A delay is up to a tenth shorter or longer, so that hooks of one receiver do not come at once. */
const JITTER = 0.1;

const GONE = "410";

export interface SenderParts {
  readonly store: ReadStore;
  readonly observe: Observe;
  readonly nowMs: () => number;
  /** The day that balances are computed for. */
  readonly today: () => string;
}

/** What a hook is after an attempt with this outcome. */
export function afterAttempt(
  before: HookProgress,
  outcome: string,
  nowMs: number,
  random: number,
): HookProgress {
  const now = { ...before, lastOutcome: outcome, lastAtMs: nowMs };
  if (/^2\d\d$/.test(outcome)) return { ...now, failures: 0, nextAtMs: 0 };
  const failures = before.failures + 1;
  if (outcome === GONE) return { ...now, failures, paused: "gone" };
  const delayMs = RETRIES_MS[failures - 1];
  if (delayMs === undefined) return { ...now, failures, paused: "failing" };
  return { ...now, failures, nextAtMs: Math.round(nowMs + delayMs * (1 + JITTER * (2 * random - 1))) };
}

export class EventSender {
  readonly #parts: SenderParts;
  readonly #owner = crypto.randomUUID();
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** The hooks that this process has claimed, as they are stored. */
  #claimed: ReadonlyMap<string, StoredHook> = new Map();
  #forgottenAtMs = 0;
  readonly #looking: Promise<void>;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#looking = this.#lookUntilStopped();
  }

  /** Ends what is being sent, which comes again, and lets other processes send. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await Promise.all(this.#running.values());
    if (this.#claimed.size > 0) await this.#attempt(() => this.#parts.store.hooks.release(this.#owner));
    this.#claimed = new Map();
  }

  async #lookUntilStopped(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#attempt(() => this.#look());
      const stopped = Promise.withResolvers<void>();
      const timer = setTimeout(stopped.resolve, LOOK_EVERY_MS);
      signal.addEventListener("abort", () => stopped.resolve(), { once: true });
      await stopped.promise;
      clearTimeout(timer);
    }
  }

  /** A store that cannot be reached is asked again later. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    await work().catch((error) => {
      this.#parts.observe({
        kind: "unavailable",
        requestId: null,
        traceId: null,
        error: loggedError(error, null),
      });
    });
  }

  async #look(): Promise<void> {
    const { hooks } = this.#parts.store;
    const nowMs = this.#parts.nowMs();
    const busy = new Set(this.#running.keys()); // what is read of these may be older than what they have sent
    const claimed = await hooks.claim(this.#owner, nowMs);
    this.#claimed = new Map(claimed.map((hook) => [hook.id, hook]));
    if (claimed.length === 0) return;
    const newest = await hooks.newest();
    for (const hook of claimed) {
      const { id, paused, nextAtMs, sentNumber, companyId } = hook;
      const isDue = paused === null && nextAtMs <= nowMs && sentNumber < (newest.get(companyId) ?? 0);
      if (!isDue || busy.has(id) || this.#running.has(id)) continue;
      const run = this.#attempt(() => this.#sendTo(hook)).finally(() => this.#running.delete(id));
      this.#running.set(id, run);
    }
    if (nowMs - this.#forgottenAtMs < FORGET_EVERY_MS) return;
    this.#forgottenAtMs = nowMs;
    await hooks.forget(nowMs);
  }

  /** Sends until nothing is left, an attempt fails, or the hook is not this process's to send to. */
  async #sendTo(hook: StoredHook): Promise<void> {
    const { store, nowMs } = this.#parts;
    let progress: HookProgress = hook;
    let saved = progress;
    let savedAtMs = nowMs();
    const save = async () => {
      if (progress !== saved) await store.hooks.save(this.#owner, hook, progress);
      [saved, savedAtMs] = [progress, nowMs()];
    };
    try {
      for (;;) {
        const notes = await store.hooks.notes(hook.companyId, progress.sentNumber, nowMs(), BATCH);
        if (notes.length === 0) return;
        for (const note of notes) {
          const current = this.#claimed.get(hook.id);
          if (current === undefined || current.paused !== null || this.#stopping.signal.aborted) return;
          if (isWanted(current, note)) {
            const outcome = await this.#send(current, note);
            progress = afterAttempt(progress, outcome, nowMs(), Math.random());
            if (progress.failures > 0) return;
          }
          progress = { ...progress, sentNumber: note.number };
          if (nowMs() - savedAtMs > SAVE_EVERY_MS) await save();
        }
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    } finally {
      await save();
    }
  }

  async #send({ companyId, definition, ...hook }: StoredHook, note: EventNote): Promise<string> {
    const { store, nowMs, today } = this.#parts;
    const stored = store.company(companyId);
    const company = definition.hidesReasons ? withoutReasons(stored) : stored;
    const object = definition.withObjects ? await objectOf(company, note, today()) : null;
    const message = messageOf(note.type, [companyId, note.number, note.atMs], note.atMs, object ?? note.ids);
    return post(definition, headersOf(message, hook, nowMs()), message.body, this.#stopping.signal);
  }
}

function isWanted({ definition }: StoredHook, { type }: EventNote): boolean {
  return (
    definition.events.some((pattern) => isNamedBy(pattern, type)) &&
    definition.scopes.includes(scopeOfEvent(type))
  );
}

/** The wire object of an event as it is now; null where it is gone. */
async function objectOf(company: CompanyReader, { type, ids }: EventNote, today: string): Promise<unknown> {
  const { workerId = "", requestId, policyId = "" } = ids;
  if (type === "time_off.balance.adjusted") {
    const values = { workerIds: [workerId], policyIds: [policyId] } as never; // of the list's own schemas
    const input = { company, values, scopes: [scopeOfEvent(type)], today };
    const { docs } = await balancesList.list!.page(input, { limit: 1 }); // it is a list
    return docs[0] === undefined ? null : parsed(docs[0]);
  }
  const isOfWorker = requestId === undefined;
  const doc = await company.object(isOfWorker ? "workers" : "requests", requestId ?? workerId);
  return doc === null ? null : parsed(doc);
}
