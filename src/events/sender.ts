// Sends noted events to the hooks that this process has claimed: to each hook one message after another, to all hooks at once. So each
// hook gets its messages in order, and a slow hook delays no other. Progress is stored some time after sending: after a crash, some
// messages come again with the same ids.
import { setTimeout as sleep } from "node:timers/promises";
import { readFacts } from "../balance-facts.ts";
import { balance } from "../balances/balance.ts";
import { loggedError } from "../http/problems.ts";
import { parsed } from "../http/read-all.ts";
import { withoutReasons } from "../http/visibility.ts";
import type { Observe } from "../observe.ts";
import { EVENTS_LOST, isNamedBy, namesCalendar, scopeOfEvent } from "../resources/events.ts";
import { type EventNote, type HookProgress, NOTES_KEPT_MS, type StoredHook } from "../store/hooks.ts";
import type { CompanyReader, ReadStore } from "../store/store.ts";
import { dayOfText } from "../time/day.ts";
import { formatInstant } from "../time/instant.ts";
import { type CalendarEvent, calendarEvents, ENDED, endMovedBack, type Span } from "./calendar.ts";
import { headersOf, messageOf } from "./message.ts";
import { post } from "./post.ts";

/** How often the store is asked for hooks and new notes. */
const LOOK_EVERY_MS = 1000;
/** How often progress is stored while messages are sent. */
const SAVE_EVERY_MS = 5000;
const FORGET_EVERY_MS = 60_000;
/** The shortest time between two messages, over all hooks, so that a backlog leaves time for API callers. */
const MESSAGE_EVERY_MS = 4;
/** How long a stop waits for running attempts. */
const STOP_MS = 2000;
/** The pause after the store was unavailable. */
const REST_MS = 10_000;
/** Local days begin at multiples of a quarter of an hour in UTC. */
const QUARTER_MS = 15 * 60_000;
/** How many notes are read at a time. */
const BATCH = 100;

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1000, 60_000, 3_600_000];

/** The pauses after each failure. After the last one, the hook is paused. */
const RETRIES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** Delays vary by up to a tenth, so that hooks of one receiver are not retried at once. */
const JITTER = 0.1;

const GONE = "410";

export interface SenderParts {
  readonly store: ReadStore;
  readonly observe: Observe;
  readonly nowMs: () => number;
  /** The clock of date-driven events. */
  readonly calendarNowMs: () => number;
  /** The day for which balances are computed. */
  readonly today: () => string;
}

/** The state of a hook after an attempt with this outcome. */
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
  readonly #owner = crypto.randomUUID();
  /** `#stopping` stops new work; `#ending` also ends running attempts. */
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  readonly #running = new Map<string, Promise<unknown>>();
  /** The hooks that this process has claimed, as stored. */
  #claimed: ReadonlyMap<string, StoredHook> = new Map();
  #forgottenAtMs = 0;
  /** When the next message may begin, on the clock of `performance`. */
  #nextMs = 0;
  readonly #looking: Promise<void>;

  constructor(private readonly parts: SenderParts) {
    this.#looking = this.#lookUntilStopped();
  }

  /** Waits briefly for running attempts, and ends those that take longer: they are repeated later. Then releases the hooks. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#ending.abort(), STOP_MS);
    await this.#looking;
    await Promise.all(this.#running.values());
    clearTimeout(timer);
    if (this.#claimed.size > 0) await this.#attempt(() => this.parts.store.hooks.release(this.#owner));
    this.#claimed = new Map(); // a second stop has nothing to release
  }

  async #lookUntilStopped(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const isDone = await this.#attempt(() => this.#look());
      await sleep(isDone ? LOOK_EVERY_MS : REST_MS, undefined, { signal }).catch(() => {}); // a stop ends it
    }
  }

  /** Returns false, and reports the error, if the work failed. */
  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const logged = loggedError(error, null);
      this.parts.observe({ kind: "unavailable", requestId: null, traceId: null, error: logged });
      return false;
    }
  }

  async #look(): Promise<void> {
    const { hooks } = this.parts.store;
    const nowMs = this.parts.nowMs();
    const busy = new Set(this.#running.keys()); // their stored progress may be older than what they sent
    const claimed = await hooks.claim(this.#owner, nowMs);
    this.#claimed = new Map(claimed.map((hook) => [hook.id, hook]));
    if (claimed.length === 0) return;
    const newest = await hooks.newest([...new Set(claimed.map(({ companyId }) => companyId))]);
    for (const hook of claimed) {
      const { id, paused, nextAtMs, sentNumber, companyId } = hook;
      const isNew = sentNumber < (newest.get(companyId) ?? 0) || this.#calendarSpan(hook) !== null;
      if (!isNew || paused !== null || nextAtMs > nowMs || busy.has(id)) continue;
      const run = this.#attempt(() => this.#sendTo(hook)).finally(() => this.#running.delete(id));
      this.#running.set(id, run);
    }
    if (nowMs - this.#forgottenAtMs < FORGET_EVERY_MS) return;
    this.#forgottenAtMs = nowMs;
    await hooks.forget(nowMs);
  }

  /** The time for which a hook has not had its date-driven events; null if there is none. At most a week: longer ones are cut. */
  #calendarSpan({ calendarMs, calendarKey, createdAtMs, definition }: StoredHook): CutSpan | null {
    if (!namesCalendar(definition.events)) return null;
    const nowMs = this.parts.calendarNowMs();
    const toMs = Math.floor(nowMs / QUARTER_MS) * QUARTER_MS;
    const hasSome = calendarKey !== null; // some events of the last moment were sent
    if (calendarMs !== null && (hasSome ? calendarMs > toMs : calendarMs >= toMs)) return null;
    const fromMs = calendarMs === null ? Math.min(createdAtMs, toMs) : calendarMs - (hasSome ? 1 : 0);
    const earliestMs = toMs - NOTES_KEPT_MS;
    return { fromMs: Math.max(fromMs, earliestMs), toMs, isCut: fromMs < earliestMs };
  }

  /** The date-driven events since the hook's last one. */
  async #calendarOf({ companyId, definition, calendarMs, calendarKey }: StoredHook, span: Span | null) {
    if (span === null) return [];
    const due = await calendarEvents(this.parts.store.company(companyId), definition, span);
    // At the last moment, only the events after the last one that was sent.
    return due.filter(({ atMs, key }) => atMs !== calendarMs || calendarKey === null || key > calendarKey);
  }

  /** Sends until nothing is left, an attempt fails, or another process has the hook. */
  async #sendTo(hook: StoredHook): Promise<void> {
    const { store, nowMs } = this.parts;
    let progress: HookProgress = hook;
    let saved = progress;
    let savedAtMs = nowMs();
    const save = async () => {
      if (progress !== saved) await store.hooks.save(this.#owner, hook, progress);
      [saved, savedAtMs] = [progress, nowMs()];
    };
    try {
      for await (const { event, after } of this.#eventsFor(hook)) {
        if (event !== null) {
          const current = this.#claimed.get(hook.id);
          if (current === undefined || current.paused !== null || this.#stopping.signal.aborted) return;
          if (isWanted(current, event)) {
            progress = afterAttempt(progress, await this.#send(current, event), nowMs(), Math.random());
            if (progress.failures > 0) return;
          }
        }
        progress = { ...progress, ...after };
        if (nowMs() - savedAtMs > SAVE_EVERY_MS) await save();
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
    } finally {
      await save();
    }
  }

  /** A hook's events in order, each with the progress after it. Last comes the progress without an event. */
  async *#eventsFor(hook: StoredHook): AsyncGenerator<DueEvent> {
    const { store, nowMs } = this.parts;
    const span = this.#calendarSpan(hook);
    const days = await this.#calendarOf(hook, span);
    let sentNumber = hook.sentNumber;
    let notes: EventNote[] = [];
    /** The events that are too old: one message reports them. */
    let lost: { readonly untilMs: number; readonly after: Partial<HookProgress> } | null = null;
    if (span?.isCut) lost = { untilMs: span.fromMs, after: { calendarMs: span.fromMs, calendarKey: null } };
    for (;;) {
      if (notes.length === 0) notes = await store.hooks.notes(hook.companyId, sentNumber, BATCH);
      const [day, note] = [days[0], notes[0]];
      if (note !== undefined && note.atMs <= nowMs() - NOTES_KEPT_MS) {
        notes.shift();
        sentNumber = note.number;
        lost = { untilMs: Math.max(lost?.untilMs ?? 0, note.atMs), after: { ...lost?.after, sentNumber } };
      } else if (lost !== null) {
        const ids = { until: formatInstant(lost.untilMs) };
        yield { event: { type: EVENTS_LOST, key: EVENTS_LOST, ids, atMs: lost.untilMs }, after: lost.after };
        lost = null;
      } else if (day !== undefined && (note === undefined || day.atMs <= note.atMs)) {
        days.shift();
        yield { event: day, after: { calendarMs: day.atMs, calendarKey: day.key } };
      } else if (note !== undefined) {
        notes.shift();
        sentNumber = note.number;
        yield* this.#endBefore(note, hook, span);
        yield { event: note, after: { sentNumber } };
      } else break;
    }
    if (span !== null) yield { event: null, after: { calendarMs: span.toMs, calendarKey: null } };
  }

  /** The end of leave that lasted when date-driven events were last sent, if the noted import moved it before that moment. */
  async *#endBefore(note: EventNote, hook: StoredHook, span: Span | null): AsyncGenerator<DueEvent> {
    if (note.type !== "time_off.request.updated" || !isWanted(hook, { type: ENDED })) return;
    const { store } = this.parts;
    const { revision } = await store.knownAt(hook.companyId, note.atMs - 1);
    if (revision === null) return;
    const sentMs = span?.fromMs ?? hook.calendarMs ?? hook.createdAtMs;
    const now = store.company(hook.companyId);
    const known = [now.known(revision), now] as const;
    const event = await endMovedBack(known, String(note.ids.requestId), hook.definition, sentMs);
    if (event !== null) yield { event, after: {} };
  }

  /** Spreads messages over time, so that hooks take turns. */
  async #turn(): Promise<void> {
    const atMs = Math.max(this.#nextMs, performance.now());
    this.#nextMs = atMs + MESSAGE_EVERY_MS;
    await Bun.sleep(atMs - performance.now());
  }

  async #send({ companyId, definition, ...hook }: StoredHook, event: AnyEvent): Promise<string> {
    const { store, observe, nowMs, today } = this.parts;
    if (event.type === EVENTS_LOST)
      observe({ kind: "eventsLost", companyId, hookId: hook.id, until: String(event.ids.until) });
    await this.#turn();
    const stored = store.company(companyId);
    const company = definition.hidesReasons ? withoutReasons(stored) : stored;
    const identity = [companyId, "number" in event ? event.number : event.key, event.atMs];
    const data = definition.withObjects ? await dataOf(company, event, today()) : event.ids;
    const message = messageOf(event.type, identity, event.atMs, data);
    try {
      return await post(definition, headersOf(message, hook, nowMs()), message.body, this.#ending.signal);
    } catch (error) {
      if (this.#ending.signal.aborted) throw error;
      observe({ kind: "fault", requestId: null, traceId: null, error: loggedError(error, null) });
      return "a fault of this server: see its log";
    }
  }
}

type CutSpan = Span & { readonly isCut: boolean };

type LostEvent = Omit<CalendarEvent, "type"> & { readonly type: typeof EVENTS_LOST };

type AnyEvent = EventNote | CalendarEvent | LostEvent;

interface DueEvent {
  readonly event: AnyEvent | null;
  readonly after: Partial<HookProgress>;
}

function isWanted({ definition }: StoredHook, { type }: Pick<AnyEvent, "type">): boolean {
  if (type === EVENTS_LOST) return true;
  return (
    definition.events.some((pattern) => isNamedBy(pattern, type)) &&
    definition.scopes.includes(scopeOfEvent(type))
  );
}

/** An adjustment with the balance as it is now and as it would be without it; null amounts for an unlimited policy. */
async function adjustmentOf(
  company: CompanyReader,
  { adjustmentId, ...ids }: AnyEvent["ids"],
  today: string,
): Promise<unknown> {
  const { workerId, policyId } = ids as Readonly<Record<string, string>>; // ids are texts
  const query = { workerIds: [workerId!], policyIds: [policyId!], withIds: true, limit: 1 }; // an adjustment has both
  const [assignment] = (await readFacts(company, query)).assignments;
  const day = dayOfText(today);
  if (assignment === undefined || (assignment.opening !== null && assignment.opening.day > day)) return ids;
  const { facts } = assignment;
  const available = (adjustments: typeof facts.adjustments) =>
    facts.policy.isUnlimited ? null : balance({ ...facts, adjustments }, { today: day }).available;
  const newBalance = available(facts.adjustments);
  const added = assignment.adjustments.find(({ id }) => id !== undefined && id === adjustmentId);
  if (added === undefined) return { ...ids, newBalance };
  const previousBalance = available(assignment.adjustments.filter((adjustment) => adjustment !== added));
  return { ...ids, adjustmentMinutes: added.minutes, previousBalance, newBalance };
}

/** Events without an object: their ids are their data. */
const WITHOUT_OBJECT: ReadonlySet<string> = new Set([
  "time_off.balance.expiring",
  "time_off.close.differs",
  EVENTS_LOST,
]);

/** The current object of an event, or its ids if it is gone. */
async function dataOf(company: CompanyReader, { type, ids }: AnyEvent, today: string): Promise<unknown> {
  const { workerId, requestId } = ids as Readonly<Record<string, string>>; // ids are texts
  if (WITHOUT_OBJECT.has(type)) return ids;
  if (type === "time_off.balance.adjusted") return adjustmentOf(company, ids, today);
  const doc = await (requestId === undefined
    ? company.object("workers", workerId!) // each event has it
    : company.object("requests", requestId));
  return doc === null ? { id: requestId ?? workerId, ...ids } : parsed(doc);
}
