// What a sender does in time: it waits with a failing hook, pauses between messages, stores its progress, forgets notes, and ends. The
// store is a few objects in memory; what real ones do is in `sender.all.test.ts`.
import { expect, setDefaultTimeout, test } from "bun:test";
import { EventSender } from "../../src/events/sender.ts";
import type { Observation } from "../../src/observe.ts";
import type { EventNote, HookProgress, StoredHook } from "../../src/store/hooks.ts";
import type { CompanyReader, ReadStore } from "../../src/store/store.ts";
import { makeHook } from "../support/stores.ts";
import { type Respond, receiver } from "./receiver.ts";

setDefaultTimeout(120_000);

const MINUTE_MS = 60_000;

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isSo(); tries++) await Bun.sleep(20);
  expect(isSo()).toBe(true);
}

const notesOf = (count: number): EventNote[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ number: at + 1, type: "worker.updated", ids: { workerId: "wrk_ana" }, atMs: Date.now() },
  }));

interface Given {
  readonly notes: readonly EventNote[];
  readonly respond?: Respond;
  readonly object?: CompanyReader["object"];
}

/** Runs a sender for these hooks. They share a receiver, and each has a path of its own. */
async function sending(
  hooks: (url: string) => StoredHook[],
  { notes, respond, object }: Given,
  work: (running: {
    readonly sender: EventSender;
    readonly clock: { aheadMs: number };
    readonly target: ReturnType<typeof receiver>;
    /** How often the sender has looked for hooks. */
    readonly looks: () => number;
    readonly saved: readonly HookProgress[];
    readonly forgotten: readonly number[];
    readonly observed: readonly Observation[];
    readonly stored: readonly { -readonly [K in keyof StoredHook]: StoredHook[K] }[];
  }) => Promise<void>,
): Promise<void> {
  const target = receiver(respond);
  const stored = hooks(target.url);
  const clock = { aheadMs: 0 };
  let looks = 0;
  const saved: HookProgress[] = [];
  const forgotten: number[] = [];
  const observed: Observation[] = [];
  const ofHooks: Partial<ReadStore["hooks"]> = {
    claim: async () => {
      looks++;
      return stored.map((hook) => ({ ...hook }));
    },
    newest: async () => new Map([["acme", notes.at(-1)?.number ?? 0]]),
    notes: async (_, after, limit) => notes.filter(({ number }) => number > after).slice(0, limit),
    save: async (_, { id }, progress) => {
      saved.push(progress);
      const hook = stored.find((one) => one.id === id)!;
      Object.assign(hook, { ...progress, paused: hook.paused ?? progress.paused });
    },
    forget: async (nowMs) => void forgotten.push(nowMs),
    release: async () => {},
  };
  const store = { hooks: ofHooks, company: () => ({ object }) } as unknown as ReadStore; // what a sender reads
  const sender = new EventSender({
    store,
    observe: (observation) => void observed.push(observation),
    nowMs: () => Date.now() + clock.aheadMs,
    calendarNowMs: Date.now,
    today: () => "2026-06-01",
  });
  try {
    await work({ sender, clock, target, looks: () => looks, saved, forgotten, observed, stored });
  } finally {
    await sender.stop();
    target.stop();
  }
}

test("nothing is sent to a hook before its next attempt, nor to a paused one, and others get theirs meanwhile", () =>
  sending(
    (url) => [
      {
        ...makeHook("failed", "acme", { url: `${url}/failed`, events: ["worker.updated"] }),
        failures: 1,
        nextAtMs: Date.now() + MINUTE_MS,
      },
      { ...makeHook("good", "acme", { url: `${url}/good`, events: ["worker.updated"] }) },
      {
        ...makeHook("paused", "acme", { url: `${url}/paused`, events: ["worker.updated"] }),
        paused: "by hand",
      },
    ],
    { notes: notesOf(1) },
    async ({ target, looks, clock }) => {
      const paths = () => target.received.map(({ path }) => path);
      await until(() => looks() > 2);
      expect(paths()).toEqual(["/good"]);
      clock.aheadMs = MINUTE_MS;
      await target.until(2);
      expect(paths()).toEqual(["/good", "/failed"]);
    },
  ));

test("notes are forgotten once a minute, and nothing is stored of a hook that has got everything", () =>
  sending(
    (url) => [{ ...makeHook("hook", "acme", { url }), calendarMs: Number.MAX_SAFE_INTEGER }],
    { notes: notesOf(1) },
    async ({ looks, clock, forgotten, saved }) => {
      await until(() => looks() > 2);
      expect(forgotten).toHaveLength(1);
      expect(saved).toHaveLength(1);
      clock.aheadMs = MINUTE_MS;
      await until(() => forgotten.length === 2);
      expect(forgotten[1]! - forgotten[0]!).toBeGreaterThanOrEqual(MINUTE_MS);
    },
  ));

test("a hook that is paused while a message is under way gets no further one", () => {
  const first = Promise.withResolvers<Response>();
  return sending(
    (url) => [makeHook("hook", "acme", { url, events: ["worker.updated"] })],
    { notes: notesOf(3), respond: () => first.promise },
    async ({ looks, target, stored, saved }) => {
      await target.until(1);
      stored[0]!.paused = "by hand";
      const before = looks();
      await until(() => looks() > before + 1); // the sender knows
      first.resolve(new Response("fine"));
      await until(() => saved.length > 0);
      expect(saved.map(({ sentNumber }) => sentNumber)).toEqual([1]);
      expect(target.received).toHaveLength(1);
    },
  );
});

test("progress is stored every few seconds while messages are sent", async () => {
  const last = Promise.withResolvers<Response>();
  let advance = () => {};
  let count = 0;
  await sending(
    (url) => [makeHook("hook", "acme", { url, events: ["worker.updated"] })],
    {
      notes: notesOf(3),
      respond: () => {
        advance();
        return ++count < 3 ? new Response("fine") : last.promise;
      },
    },
    async ({ clock, target, saved }) => {
      advance = () => {
        clock.aheadMs += 6000;
      };
      await target.until(3);
      expect(saved.map(({ sentNumber }) => sentNumber)).toEqual([1, 2]);
      last.resolve(new Response("fine"));
      await until(() => saved.at(-1)?.sentNumber === 3);
    },
  );
});

test("messages to all hooks together are 4 ms apart, so that a backlog leaves time for others", async () => {
  const cameMs: number[] = [];
  const respond = () => {
    cameMs.push(performance.now());
    return new Response("fine");
  };
  await sending(
    (url) => ["one", "two"].map((id) => makeHook(id, "acme", { url, events: ["worker.updated"] })),
    { notes: notesOf(30), respond },
    async ({ target }) => {
      await target.until(60);
      expect(cameMs.at(-1)! - cameMs[0]!).toBeGreaterThan(58 * 4 - 20); // timers may be a little early
    },
  );
});

test("an event that is about no object has its ids alone, also for a hook that gets objects", () => {
  const about = (number: number, type: EventNote["type"], ids: EventNote["ids"]): EventNote => ({
    ...{ number, type, ids, atMs: Date.now() },
  });
  const expiring = {
    workerId: "wrk_ana",
    policyId: "top_a",
    date: "2026-07-01",
    minutes: 60,
    cause: "grant",
  };
  const notes = [
    about(1, "time_off.balance.expiring", expiring),
    about(2, "time_off.close.differs", { closeId: "2026-05", balances: 2 }),
    about(3, "worker.deleted", { workerId: "wrk_bo" }),
    about(4, "worker.updated", { workerId: "wrk_ana" }),
  ];
  return sending(
    (url) => [
      {
        ...makeHook("hook", "acme", { url, withObjects: true }),
        calendarMs: Number.MAX_SAFE_INTEGER, // what days make was sent
      },
    ],
    { notes, object: async (_, id) => (id === "wrk_ana" ? '{"id":"wrk_ana","firstName":"Ana"}' : null) },
    async ({ target }) => {
      await target.until(4);
      expect(target.received.map(({ message }) => message.data)).toEqual([
        expiring,
        { closeId: "2026-05", balances: 2 },
        { id: "wrk_bo", workerId: "wrk_bo" },
        { id: "wrk_ana", firstName: "Ana" },
      ]);
    },
  );
});

test("a stop ends an attempt that gets no response after a moment, and does not count it as a failure", () =>
  sending(
    (url) => [makeHook("hook", "acme", { url, events: ["worker.updated"] })],
    { notes: notesOf(1), respond: () => new Promise<Response>(() => {}) },
    async ({ sender, target, saved, observed }) => {
      await target.until(1);
      await sender.stop();
      expect(saved.filter(({ failures, sentNumber }) => failures > 0 || sentNumber > 0)).toEqual([]);
      expect(observed).toEqual([]);
    },
  ));
