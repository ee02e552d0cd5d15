// What a server sends to hooks: signed, in order, again after failures, and to each hook without regard to the others.
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { createHmac } from "node:crypto";
import { afterAttempt, EventSender } from "../../src/events/sender.ts";
import type { Observation } from "../../src/observe.ts";
import { type HookProgress, NOTES_KEPT_MS } from "../../src/store/hooks.ts";
import type { ReadStore, WriteStore } from "../../src/store/store.ts";
import { dayOfText, formatDay, utcDayOf } from "../../src/time/day.ts";
import { type StoreLocation, withStore } from "../store/conformance/engine.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { adjustmentRow, assignmentRow, policyRow, requestRow, workerRow } from "../support/rows.ts";
import { change, createCompany, makeHook, putFacts } from "../support/stores.ts";
import { receiver } from "./receiver.ts";

setDefaultTimeout(120_000);

const MINUTE_MS = 60_000;

/** The clock of what days make: it stands. */
const calendar = { nowMs: Date.parse("2026-06-01T12:00:00Z") };

const good = receiver();
const other = receiver();
afterAll(() => {
  for (const one of [good, other]) one.stop();
});

/** Resumes the company's first hook. */
async function resume(writer: WriteStore): Promise<void> {
  const [hook] = await writer.hooks.list();
  await writer.hooks.update(hook!, { paused: null, failures: 0, nextAtMs: 0 });
}

interface Open {
  readonly location: StoreLocation;
  readonly writer: WriteStore;
  readonly reader: ReadStore;
  /** Starts a sender whose clock is ahead by `aheadMs`. */
  readonly start: (clock?: { aheadMs: number }, store?: ReadStore) => EventSender;
  readonly observed: Observation[];
}

for (const engine of ENGINES) {
  const withCompany = (work: (open: Open) => Promise<void>) =>
    withStore(engine, async ({ location, writer, reader }) => {
      for (const one of [good, other]) {
        one.received.length = 0;
        one.answer(() => new Response("fine"));
      }
      await createCompany(writer, "acme");
      await putFacts(writer, "acme", { workers: [workerRow("wrk_ana")], policies: [policyRow("top_a")] });
      const senders: EventSender[] = [];
      const observed: Observation[] = [];
      const start: Open["start"] = (clock = { aheadMs: 0 }, store = reader) => {
        const sender = new EventSender({
          store,
          observe: (one) => void observed.push(one),
          nowMs: () => Date.now() + clock.aheadMs,
          calendarNowMs: () => calendar.nowMs,
          today: () => "2026-06-01",
        });
        senders.push(sender);
        return sender;
      };
      await work({ location, writer, reader, start, observed }).finally(() =>
        Promise.all(senders.map((sender) => sender.stop())),
      );
      expect(observed).toEqual([]);
    });
  const rename = (writer: WriteStore, lastName: string) =>
    putFacts(writer, "acme", { workers: [workerRow("wrk_ana", { lastName })] });
  const states = async (reader: ReadStore) =>
    (await reader.hooks.list()).map(({ paused, failures, lastOutcome }) => [paused, failures, lastOutcome]);
  const until = async (isSo: () => Promise<boolean>) => {
    for (let tries = 0; tries < 400 && !(await isSo()); tries++) await Bun.sleep(50);
    expect(await isSo()).toBe(true);
  };

  describe(`${engine.name}: events are sent`, () => {
    test("signed, with ids alone, each to the hooks that want it and may have it", () =>
      withCompany(async ({ writer, reader, start }) => {
        const hook = makeHook("hook_1", "acme", { url: good.url });
        await writer.createHook(hook);
        await writer.createHook(makeHook("hook_2", "acme", { url: other.url, events: ["time_off.*"] }));
        await writer.createHook(
          makeHook("hook_3", "acme", { url: `${other.url}/3`, scopes: ["time_off:read"], withObjects: true }),
        );
        start();
        await rename(writer, "Sun");
        await putFacts(writer, "acme", {
          requests: [requestRow("tor_1", "wrk_ana", "top_a", { reason: "rest" })],
        });
        await Promise.all([good.until(2), other.until(2)]);
        expect(good.types()).toEqual(["worker.updated", "time_off.request.created"]);
        expect(other.received.map(({ path, message }) => [path, message.type]).toSorted()).toEqual([
          ["/", "time_off.request.created"],
          ["/3", "time_off.request.created"],
        ]);
        const object = other.received.find(({ path }) => path === "/3")?.message.data;
        expect(object).toMatchObject({ id: "tor_1", reason: "rest", requestedMinutes: 480 });
        const { headers, body, message } = good.received[0]!;
        expect(message).toEqual({
          id: headers.get("webhook-id")!,
          type: "worker.updated",
          timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          data: { workerId: "wrk_ana" },
        });
        const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
        const signature = createHmac("sha256", Buffer.from(hook.secret, "base64"))
          .update(signed)
          .digest("base64");
        expect(headers.get("webhook-signature")).toBe(`v1,${signature}`);
        await until(async () => (await states(reader)).every(([, , outcome]) => outcome === "200"));
      }));

    test("objects are those of the moment of sending: without reasons if the hook hides them, ids if they are gone", () =>
      withCompany(async ({ writer, start }) => {
        await writer.createHook(
          makeHook("hook_1", "acme", { url: good.url, withObjects: true, hidesReasons: true }),
        );
        await putFacts(writer, "acme", {
          assignments: [assignmentRow("asg_1", "wrk_ana", "top_a")],
          requests: ["tor_1", "tor_2"].map((id) => requestRow(id, "wrk_ana", "top_a", { reason: "rest" })),
        });
        await change(writer, "acme", (transaction) => transaction.remove("requests", [["tor_2"]]));
        await putFacts(writer, "acme", {
          adjustments: [
            {
              id: "adj_1",
              legacyId: null,
              workerId: "wrk_ana",
              policyId: "top_a",
              day: 20_454,
              minutes: 60,
              expiresDay: null,
              note: null,
            },
          ],
        });
        start();
        await good.until(4);
        const ids = { id: "tor_2", requestId: "tor_2", workerId: "wrk_ana", policyId: "top_a" };
        expect(good.received.map(({ message }) => [message.type, message.data])).toEqual([
          ["time_off.request.created", expect.objectContaining({ id: "tor_1", reason: null })],
          ["time_off.request.created", ids],
          ["time_off.request.deleted", ids],
          [
            "time_off.balance.adjusted",
            {
              ...{ workerId: "wrk_ana", policyId: "top_a", effectiveDate: "2026-01-01" },
              ...{
                adjustmentMinutes: 60,
                previousBalance: expect.any(Number),
                newBalance: expect.any(Number),
              },
            },
          ],
        ]);
        const { previousBalance, newBalance } = good.received[3]!.message.data;
        expect(Number(newBalance) - Number(previousBalance)).toBeCloseTo(60, 5);
      }));

    test("the balance before an adjustment is the balance without it, whether or not it counts today", () =>
      withCompany(async ({ writer, start }) => {
        const today = dayOfText("2026-06-01");
        await putFacts(writer, "acme", {
          assignments: [assignmentRow("asg_1", "wrk_ana", "top_a")],
          openings: [
            {
              ...{ workerId: "wrk_ana", policyId: "top_a", day: today - 10, minutes: 600 },
              ...{ carriedMinutes: null, accruedMinutes: null },
            },
          ],
        });
        await writer.createHook(makeHook("hook_1", "acme", { url: good.url, withObjects: true }));
        const adjustment = (id: string, day: number, expiresDay: number | null = null) =>
          adjustmentRow(id, "wrk_ana", "top_a", { minutes: 60, day, expiresDay });
        for (const added of [
          adjustment("adj_1", today - 20), // the opening contains it
          adjustment("adj_2", today - 5, today - 1), // what is left of it has expired
          adjustment("adj_3", today),
          adjustment("adj_4", today + 1),
        ])
          await putFacts(writer, "acme", { adjustments: [added] });
        start();
        await good.until(4);
        const balances = good.received.map(({ message }) => {
          const { effectiveDate, previousBalance, newBalance } = message.data;
          return [effectiveDate, Number(newBalance) - Number(previousBalance)];
        });
        expect(balances).toEqual([
          ["2026-05-12", 0],
          ["2026-05-27", 0],
          ["2026-06-01", 60],
          ["2026-06-02", 0],
        ]);
      }));

    test("an adjustment that is changed or removed has no amount: nobody knows what it was", () =>
      withCompany(async ({ writer, start }) => {
        const adjustment = (minutes: number) => ({
          ...{ id: "adj_1", legacyId: null, workerId: "wrk_ana", policyId: "top_a" },
          ...{ day: 20_454, minutes, expiresDay: null, note: null },
        });
        await putFacts(writer, "acme", {
          assignments: [assignmentRow("asg_1", "wrk_ana", "top_a")],
          adjustments: [adjustment(60)],
        });
        await writer.createHook(makeHook("hook_1", "acme", { url: good.url, withObjects: true }));
        await writer.createHook(makeHook("hook_2", "acme", { url: other.url }));
        start();
        await putFacts(writer, "acme", { adjustments: [adjustment(90)] });
        await change(writer, "acme", (transaction) => transaction.remove("adjustments", [["adj_1"]]));
        await Promise.all([good.until(2), other.until(2)]);
        const ids = { workerId: "wrk_ana", policyId: "top_a", effectiveDate: "2026-01-01" };
        for (const { message } of good.received)
          expect(message.data).toEqual({ ...ids, newBalance: expect.any(Number) });
        for (const { message } of other.received) expect(message.data).toEqual(ids);
      }));

    test("an adjustment without a balance has its ids: of a policy without assignment, or before an opening to come", () =>
      withCompany(async ({ writer, start }) => {
        const opening = {
          day: dayOfText("2026-06-02"),
          minutes: 600,
          carriedMinutes: null,
          accruedMinutes: null,
        };
        await putFacts(writer, "acme", {
          policies: [policyRow("top_b")],
          assignments: [assignmentRow("asg_1", "wrk_ana", "top_a")],
          openings: [{ workerId: "wrk_ana", policyId: "top_a", ...opening }],
        });
        await writer.createHook(makeHook("hook_1", "acme", { url: good.url, withObjects: true }));
        const day = dayOfText("2026-06-01");
        for (const policyId of ["top_a", "top_b"])
          await putFacts(writer, "acme", {
            adjustments: [adjustmentRow(`adj_${policyId}`, "wrk_ana", policyId, { day })],
          });
        start();
        await good.until(2);
        expect(good.received.map(({ message }) => message.data)).toEqual(
          ["top_a", "top_b"].map((policyId) => ({
            workerId: "wrk_ana",
            policyId,
            effectiveDate: "2026-06-01",
          })),
        );
      }));

    test("a message that fails comes again with the same id, before those after it, and holds up no other hook", () =>
      withCompany(async ({ writer, reader, start }) => {
        good.answer(() => new Response("no", { status: 500 }));
        await writer.createHook(makeHook("hook_1", "acme", { url: good.url }));
        await writer.createHook(makeHook("hook_2", "acme", { url: other.url }));
        for (const name of ["Sun", "Ray", "Dew"]) await rename(writer, name);
        const clock = { aheadMs: 0 };
        start(clock);
        await Promise.all([good.until(1), other.until(3)]);
        await until(async () => (await states(reader))[0]?.[1] === 1);
        good.answer(() => new Response("fine"));
        clock.aheadMs = 6000;
        await good.until(4);
        const ids = good.received.map(({ message }) => message.id);
        expect(ids).toEqual([ids[0]!, ...other.received.map(({ message }) => message.id)]);
        expect(new Set(ids).size).toBe(3);
        await until(async () => (await states(reader))[0]?.[1] === 0);
      }));

    test("410 pauses at once; what waits follows in order at resume", () =>
      withCompany(async ({ writer, reader, start }) => {
        good.answer(() => new Response(null, { status: 410 }));
        await writer.createHook(makeHook("hook_1", "acme", { url: good.url }));
        start();
        for (const name of ["Sun", "Ray"]) await rename(writer, name);
        await until(async () => (await states(reader))[0]?.[0] === "gone");
        expect(good.received.length).toBe(1);
        good.answer(() => new Response("fine"));
        await resume(writer);
        await good.until(3);
        const [refused, first, second] = good.received.map(({ message }) => message.id);
        expect(first).toBe(refused!);
        expect(second).not.toBe(first!);
        await until(async () => (await states(reader))[0]?.[2] === "200");
      }));

    test("events that waited for more than 7 days are given up: the hook and the log are told, and the rest follows", () =>
      withCompany(async ({ writer, reader, start, observed }) => {
        good.answer(() => new Response("no", { status: 500 }));
        await writer.createHook(
          makeHook("hook_1", "acme", { url: good.url, events: ["time_off.*", "worker.updated"] }),
        );
        await writer.createHook(makeHook("hook_2", "acme", { url: other.url }));
        for (const name of ["Sun", "Ray"]) await rename(writer, name);
        const clock = { aheadMs: 0 };
        const first = start(clock);
        await Promise.all([good.until(1), other.until(2)]);
        await until(async () => (await states(reader))[0]?.[1] === 1);
        await first.stop();
        clock.aheadMs = NOTES_KEPT_MS + MINUTE_MS;
        const second = start(clock);
        await good.until(2);
        await until(async () => (await states(reader))[0]?.[1] === 2);
        good.answer(() => new Response("fine"));
        await resume(writer);
        await good.until(3);
        await until(async () => (await states(reader))[0]?.[1] === 0);
        await second.stop();
        start();
        await rename(writer, "Dew");
        await Promise.all([good.until(4), other.until(3)]);
        const { timestamp } = other.received[1]!.message;
        expect(good.types()).toEqual([
          "worker.updated",
          "hook.events_lost",
          "hook.events_lost",
          "worker.updated",
        ]);
        expect(good.received[2]!.message).toEqual({
          ...good.received[1]!.message,
          data: { until: timestamp },
        });
        expect(good.received[3]!.message).toEqual(other.received[2]!.message);
        expect(other.types()).toEqual(["worker.updated", "worker.updated", "worker.updated"]);
        const told = { kind: "eventsLost", companyId: "acme", hookId: "hook_1", until: timestamp };
        expect(observed.splice(0)).toEqual([told, told] as Observation[]);
      }));

    test("that other data was restored is told to every hook, whatever it names", () =>
      withCompany(async ({ writer, start, observed }) => {
        await writer.createHook(
          makeHook("hook_1", "acme", { url: good.url, events: ["time_off.*"], withObjects: true }),
        );
        const until = "2026-06-01T12:00:00.000Z";
        await change(writer, "acme", async (one) => one.noteEvent("hook.events_lost", { until }));
        start({ aheadMs: 0 });
        await good.until(1);
        expect(good.received[0]!.message).toMatchObject({ type: "hook.events_lost", data: { until } });
        expect(observed.splice(0)).toEqual([
          { kind: "eventsLost", companyId: "acme", hookId: "hook_1", until },
        ] as Observation[]);
      }));

    test("of two processes one sends; when it is gone without a word, the other takes over within 30 s, and nothing is lost", () =>
      withCompany(async ({ location, writer, reader, start }) => {
        await writer.createHook(makeHook("hook_1", "acme", { url: good.url }));
        await reader.hooks.claim("killed", Date.now()); // it never lets go
        const clock = { aheadMs: 0 };
        const second = await location.openReader();
        const sender = start(clock, second);
        await rename(writer, "Sun");
        await Bun.sleep(1500);
        expect(good.received.length).toBe(0);
        clock.aheadMs = 28_000;
        await good.until(1);
        await sender.stop();
        start();
        await rename(writer, "Ray");
        await good.until(2);
        expect(good.types()).toEqual(["worker.updated", "worker.updated"]);
        await second.close();
      }));

    test("the operator's pause holds within a second or two, and the former secret signs for a day", () =>
      withCompany(async ({ writer, start }) => {
        const hook = makeHook("hook_1", "acme", { url: good.url });
        await writer.createHook(hook);
        const formerUntilMs = Date.now() + 24 * 60 * MINUTE_MS;
        await writer.hooks.update((await writer.hooks.list())[0]!, {
          secret: "bmV3",
          formerSecret: hook.secret,
          formerUntilMs,
        });
        const clock = { aheadMs: 0 };
        start(clock);
        await rename(writer, "Sun");
        await good.until(1);
        expect(good.received[0]?.headers.get("webhook-signature")?.split(" ").length).toBe(2);
        await writer.hooks.update((await writer.hooks.list())[0]!, { paused: "by hand" });
        await Bun.sleep(1500);
        await rename(writer, "Ray");
        await Bun.sleep(1500);
        expect(good.received.length).toBe(1);
        clock.aheadMs = 25 * 60 * MINUTE_MS;
        await writer.hooks.update((await writer.hooks.list())[0]!, { paused: null });
        await good.until(2);
        expect(good.received[1]?.headers.get("webhook-signature")?.split(" ").length).toBe(1);
      }));

    test("a hook that is deleted gets nothing more within a second or two, whatever waits for it", () =>
      withCompany(async ({ writer, reader, start }) => {
        good.answer(async () => {
          await Bun.sleep(300);
          return new Response("fine");
        });
        await writer.createHook(makeHook("hook_1", "acme", { url: good.url }));
        for (let count = 0; count < 30; count++) await rename(writer, `Sun ${count}`);
        start();
        await good.until(1);
        await writer.hooks.delete("hook_1");
        await Bun.sleep(1500);
        const count = good.received.length;
        expect(count).toBeLessThan(10);
        await Bun.sleep(1000);
        expect(good.received.length).toBe(count);
        expect(await reader.hooks.list()).toEqual([]);
      }));

    test("date-driven events are those of each hook's own definition", () =>
      withCompany(async ({ writer, start }) => {
        await putFacts(writer, "acme", {
          policies: [policyRow("top_home", { isAbsence: false })],
          requests: [
            requestRow("tor_home", "wrk_ana", "top_home", {
              startAt: "2026-06-01T00:00:00.000Z",
              endAt: "2026-06-02T00:00:00.000Z",
            }),
          ],
        });
        const createdAtMs = Date.parse("2026-05-31T12:00:00Z");
        const ofLeave = (id: string, url: string, allLeave: boolean) => ({
          ...makeHook(id, "acme", { url, allLeave, events: ["time_off.leave.*"] }),
          createdAtMs,
        });
        await writer.createHook(ofLeave("hook_1", other.url, false));
        await writer.createHook(ofLeave("hook_2", good.url, true));
        start();
        await good.until(1);
        await Bun.sleep(300);
        expect([good.types(), other.types()]).toEqual([["time_off.leave.started"], []]);
      }));

    test("of lost events, those of imports and those of days, the hook is told the later end", () =>
      withCompany(async ({ writer, start, observed }) => {
        const events = ["worker.updated", "worker.starting"];
        await writer.createHook(makeHook("hook_1", "acme", { url: good.url, events }));
        await rename(writer, "Sun");
        calendar.nowMs = Date.parse("2099-01-15T00:00:00Z");
        start({ aheadMs: NOTES_KEPT_MS + MINUTE_MS });
        await good.until(1);
        expect(good.received[0]!.message).toMatchObject({
          type: "hook.events_lost",
          data: { until: "2099-01-08T00:00:00.000Z" },
        });
        calendar.nowMs = Date.parse("2026-06-01T12:00:00Z");
        expect(observed.splice(0).map(({ kind }) => kind)).toEqual(["eventsLost"]);
      }));

    test("what days make comes in its order with what imports change, once, also after a week without a server", () =>
      withCompany(async ({ writer, reader, start, observed }) => {
        const leave = (id: string, from: string, to: string) =>
          requestRow(id, "wrk_ana", "top_a", {
            startAt: `${from}T00:00:00.000Z`,
            endAt: `${to}T00:00:00.000Z`,
          });
        await putFacts(writer, "acme", {
          requests: [
            leave("tor_old", "2026-06-01", "2026-06-02"),
            leave("tor_1", "2026-06-08", "2026-06-10"),
            leave("tor_2", "2026-06-09", "2026-06-10"),
          ],
        });
        const createdAtMs = Date.parse("2026-06-01T12:00:00Z");
        await writer.createHook({
          ...makeHook("hook_1", "acme", { url: good.url, events: ["time_off.leave.*"] }),
          createdAtMs,
        });
        await writer.createHook({
          ...makeHook("hook_2", "acme", { url: other.url, events: ["worker.*"] }),
          createdAtMs,
        });
        calendar.nowMs = Date.parse("2026-06-01T12:00:00Z");
        const first = start();
        await until(async () => (await reader.hooks.list())[0]?.calendarMs === calendar.nowMs);
        await first.stop();
        calendar.nowMs = Date.parse("2026-06-10T00:05:00Z"); // what is older than a week is not made up for
        good.answer(
          ({ message }) => new Response(null, { status: message.data.requestId === "tor_2" ? 500 : 200 }),
        );
        const second = start();
        await good.until(2);
        await until(async () => (await states(reader))[0]?.[1] === 1);
        good.answer(() => new Response("fine"));
        await second.stop();
        start({ aheadMs: 6000 });
        await good.until(6);
        await until(async () => (await reader.hooks.list())[0]?.calendarKey === null);
        const [lost, ...received] = good.received;
        expect(lost!.message).toMatchObject({
          type: "hook.events_lost",
          data: { until: "2026-06-03T00:00:00.000Z" },
        });
        expect(
          received.map(({ message }) => [message.type, message.data.requestId, message.data.date]),
        ).toEqual([
          ["time_off.leave.started", "tor_1", "2026-06-08"],
          ["time_off.leave.started", "tor_2", "2026-06-09"],
          ["time_off.leave.started", "tor_2", "2026-06-09"],
          ["time_off.leave.ended", "tor_1", "2026-06-10"],
          ["time_off.leave.ended", "tor_2", "2026-06-10"],
        ]);
        const ids = received.map(({ message }) => message.id);
        expect([new Set(ids).size, ids[2]]).toEqual([4, ids[1]!]);
        expect(other.types()).toEqual(["hook.events_lost"]);
        expect(observed.splice(0).map(({ kind }) => kind)).toEqual(["eventsLost", "eventsLost"]);
        calendar.nowMs = Date.parse("2026-06-01T12:00:00Z");
      }));

    test("what days made before an import comes before it, what they make after it comes after it, and each once", () =>
      withCompany(async ({ writer, reader, start }) => {
        const nowMs = Date.now();
        const dayFromNow = (days: number) => formatDay(utcDayOf(nowMs) + days);
        await putFacts(writer, "acme", {
          requests: [-1, 2].map((days) =>
            requestRow(`tor_${days}`, "wrk_ana", "top_a", {
              startAt: `${dayFromNow(days)}T00:00:00.000Z`,
              endAt: `${dayFromNow(days + 9)}T00:00:00.000Z`,
            }),
          ),
        });
        const events = ["worker.updated", "time_off.leave.started"];
        await writer.createHook({
          ...makeHook("hook_1", "acme", { url: good.url, events }),
          createdAtMs: nowMs - 3 * 86_400_000,
        });
        await rename(writer, "Sun");
        calendar.nowMs = Date.parse(`${dayFromNow(2)}T00:00:00Z`);
        start();
        await good.until(3);
        const expected = [`started ${dayFromNow(-1)}`, "updated undefined", `started ${dayFromNow(2)}`];
        const sent = () =>
          good.received.map(({ message: { type, data } }) => `${type.split(".").at(-1)} ${data.date}`);
        expect(sent()).toEqual(expected);
        // The leave began at the moment until which days were looked at: it does not begin again.
        await until(async () => (await reader.hooks.list())[0]?.calendarMs === calendar.nowMs);
        calendar.nowMs += 15 * MINUTE_MS;
        await until(async () => (await reader.hooks.list())[0]?.calendarMs === calendar.nowMs);
        expect(sent()).toEqual(expected);
        calendar.nowMs = Date.parse("2026-06-01T12:00:00Z");
      }));

    test("leave that lasts ends when an import moves its last day into the past, once; leave that had ended does not end again", () =>
      withCompany(async ({ writer, reader, start }) => {
        const today = utcDayOf(Date.now());
        const leave = (id: string, from: number, to: number, change = {}) =>
          requestRow(id, "wrk_ana", "top_a", {
            startAt: `${formatDay(today + from)}T00:00:00.000Z`,
            endAt: `${formatDay(today + to)}T00:00:00.000Z`,
            ...change,
          });
        const put = (...requests: ReturnType<typeof leave>[]) => putFacts(writer, "acme", { requests });
        await put(
          leave("tor_short", -9, 9),
          leave("tor_over", -9, -4),
          leave("tor_ahead", 5, 9),
          leave("tor_lasts", -9, 9),
          leave("tor_denied", -9, 9),
        );
        const events = ["time_off.leave.*", "time_off.request.*"];
        const createdAtMs = today * 86_400_000 - 3 * 86_400_000;
        await writer.createHook({ ...makeHook("hook_1", "acme", { url: good.url, events }), createdAtMs });
        calendar.nowMs = Date.now();
        const first = start();
        await until(async () => (await reader.hooks.list())[0]?.calendarMs !== null);
        await first.stop();
        expect(good.types()).toEqual([]);
        await put(
          leave("tor_short", -9, -2),
          leave("tor_over", -9, -5),
          leave("tor_ahead", -8, -5),
          leave("tor_lasts", -9, 2),
          leave("tor_denied", -9, -2, { status: "denied" }),
        );
        await put(leave("tor_short", -9, -3)); // before the first change was sent
        good.answer(() => new Response(null, { status: good.received.length === 2 ? 500 : 200 }));
        const second = start();
        await until(async () => (await states(reader))[0]?.[1] === 1);
        await second.stop();
        start({ aheadMs: 6000 });
        await good.until(9);
        const sent = good.received.map(({ message }) => message);
        const ended = sent.filter(({ type }) => type === "time_off.leave.ended");
        expect(ended.map(({ data }) => [data.requestId, data.date])).toEqual([
          ["tor_short", formatDay(today - 3)],
          ["tor_short", formatDay(today - 3)], // the message after it failed
        ]);
        expect(new Set(ended.map(({ id }) => id)).size).toBe(1);
        calendar.nowMs = Date.parse("2026-06-01T12:00:00Z");
      }));

    test("of the events of one moment, those after a failure follow, and those before it do not come again", () =>
      withCompany(async ({ writer, reader, start }) => {
        await putFacts(writer, "acme", {
          requests: ["tor_1", "tor_2", "tor_3"].map((id) =>
            requestRow(id, "wrk_ana", "top_a", {
              startAt: "2026-06-08T00:00:00.000Z",
              endAt: "2026-06-30T00:00:00.000Z",
            }),
          ),
        });
        await writer.createHook({
          ...makeHook("hook_1", "acme", { url: good.url, events: ["time_off.leave.*"] }),
          createdAtMs: Date.parse("2026-06-07T12:00:00Z"),
        });
        calendar.nowMs = Date.parse("2026-06-08T00:05:00Z");
        good.answer(
          ({ message }) => new Response(null, { status: message.data.requestId === "tor_2" ? 500 : 200 }),
        );
        const first = start();
        await good.until(2);
        await until(async () => (await states(reader))[0]?.[1] === 1);
        good.answer(() => new Response("fine"));
        await first.stop();
        start({ aheadMs: 6000 });
        await good.until(4);
        await until(async () => (await reader.hooks.list())[0]?.calendarKey === null);
        const sent = good.received.map(({ message }) => message.data.requestId);
        expect(sent).toEqual(["tor_1", "tor_2", "tor_2", "tor_3"]);
        calendar.nowMs = Date.parse("2026-06-01T12:00:00Z");
      }));
  });
}

test("after each failure the wait is longer; after ten the hook is paused", () => {
  let hook: HookProgress = makeHook("hook_1", "acme");
  const waitedMinutes: number[] = [];
  for (let count = 1; count <= 9; count++) {
    hook = afterAttempt(hook, "500", 1_000_000, 0.5);
    waitedMinutes.push((hook.nextAtMs - 1_000_000) / MINUTE_MS);
    expect(hook.paused).toBeNull();
  }
  expect(waitedMinutes).toEqual([5 / 60, 5, 30, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 60)]);
  expect(afterAttempt(hook, "no response in 10 s", 1, 0.5)).toMatchObject({
    paused: "failing",
    failures: 10,
  });
  expect(afterAttempt(hook, "204", 1, 0.5)).toMatchObject({ paused: null, failures: 0, nextAtMs: 0 });
  expect(afterAttempt(hook, "302", 1, 0.5)).toMatchObject({ failures: 10 });
  const [early, late] = [0, 1].map(
    (random) => afterAttempt(makeHook("hook_1", "acme"), "500", 0, random).nextAtMs,
  );
  expect([early, late]).toEqual([4500, 5500]);
});

test("looking for hooks, second after second, leaves no listeners behind", async () => {
  let rounds = 0;
  const claim = async () => {
    rounds++;
    return [];
  };
  const sender = new EventSender({
    store: { hooks: { claim } } as unknown as ReadStore, // nothing else is read while there are no hooks
    observe: () => expect.unreachable(),
    nowMs: Date.now,
    calendarNowMs: Date.now,
    today: () => "2026-06-01",
  });
  const added = spyOn(EventTarget.prototype, "addEventListener");
  const removed = spyOn(EventTarget.prototype, "removeEventListener");
  const isAbort = ([type]: readonly unknown[]) => type === "abort";
  try {
    while (rounds < 4) await Bun.sleep(100);
    const left = added.mock.calls.filter(isAbort).length - removed.mock.calls.filter(isAbort).length;
    expect(left).toBeLessThan(4); // the pause just now has one
  } finally {
    added.mockRestore();
    removed.mockRestore();
    await sender.stop();
  }
});
