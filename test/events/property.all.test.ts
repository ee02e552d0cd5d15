// Whatever is imported, and however often a sender ends, is killed or is refused: what a hook was sent, applied in order, is what the
// lists have; and one event has one id.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { EventSender } from "../../src/events/sender.ts";
import type { Hooks } from "../../src/store/hooks.ts";
import { type ReadStore, StoreUnavailable } from "../../src/store/store.ts";
import { withStore } from "../store/conformance/engine.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { listed } from "../store/listed.ts";
import { randomOf } from "../support/random-rows.ts";
import { policyRow, requestRow, workerRow } from "../support/rows.ts";
import { change, createCompany, makeHook, putFacts } from "../support/stores.ts";
import { receiver } from "./receiver.ts";

setDefaultTimeout(120_000);

const STEPS = 6;
const OBJECTS = 12;
const MINUTE_MS = 60_000;

/** The store for a sender that can be killed: from then on nothing of what it does is stored. */
function killable(store: ReadStore) {
  const state = { isDead: false };
  const hooks = new Proxy(store.hooks, {
    get: (target, name: keyof Hooks) => (state.isDead ? unavailable : target[name].bind(target)),
  });
  const mortal = new Proxy(store, {
    get: (target, name: keyof ReadStore) => (name === "hooks" ? hooks : bound(target, name)),
  });
  const kill = () => {
    state.isDead = true;
  };
  return { store: mortal, kill };
}

const unavailable = async () => {
  throw new StoreUnavailable("it was killed");
};

function bound(target: ReadStore, name: keyof ReadStore): unknown {
  const value: unknown = target[name];
  return typeof value === "function" ? value.bind(target) : value;
}

for (const engine of ENGINES)
  describe(engine.name, () => {
    test.each([1, 2, 3])("what was sent, applied in order, is what the lists have (seed %d)", (seed) =>
      withStore(engine, async ({ reader, writer }) => {
        const random = randomOf(seed);
        await createCompany(writer, "acme");
        const workers = Array.from({ length: OBJECTS / 2 }, (_, at) => workerRow(`wrk_${at}`));
        await putFacts(writer, "acme", { workers, policies: [policyRow("top_a")] });
        const copy = new Map(workers.map(({ id, doc }) => [id, JSON.parse(doc) as unknown]));
        const target = receiver(() => new Response(null, { status: random(12) === 0 ? 500 : 200 }));
        await writer.createHook(makeHook("hook_1", "acme", { url: target.url, withObjects: true }));
        const paused = makeHook("hook_2", "acme"); // for it, all notes are kept
        await writer.createHook(paused);
        await writer.hooks.update(paused, { paused: "by hand" });
        const clock = { aheadMs: 0 };
        const start = () => {
          const mortal = killable(reader);
          const sender = new EventSender({
            store: mortal.store,
            observe: () => {},
            nowMs: () => Date.now() + clock.aheadMs,
            calendarNowMs: () => 0,
            today: () => "2026-06-01",
          });
          return { sender, kill: mortal.kill };
        };
        let running = start();
        for (let step = 0; step < STEPS; step++) {
          await change(writer, "acme", async (transaction) => {
            for (let count = random(15); count > 0; count--) {
              const [id, at] = [`wrk_${random(OBJECTS)}`, random(1000)];
              if (random(4) === 0) await transaction.remove("workers", [[id]]);
              else
                await transaction.put("workers", [
                  workerRow(id, { position: `${at}`, status: random(3) === 0 ? "inactive" : "active" }),
                ]);
              const request = `tor_${random(OBJECTS)}`;
              if (random(4) === 0) await transaction.remove("requests", [[request]]);
              else
                await transaction.put("requests", [
                  requestRow(request, id, "top_a", {
                    reason: `${at}`,
                    status: random(2) === 0 ? "pending" : "approved",
                  }),
                ]);
            }
          });
          await Bun.sleep(random(1500));
          const ending = random(3);
          if (ending === 0) continue;
          if (ending === 1) running.kill();
          await running.sender.stop();
          clock.aheadMs += 6 * MINUTE_MS; // leases are over, and failed messages due
          running = start();
        }
        const [newest = 0] = [...(await reader.hooks.newest()).values()];
        target.answer(() => new Response("fine"));
        for (let tries = 0; tries < 60 && (await reader.hooks.list())[0]!.sentNumber < newest; tries++) {
          clock.aheadMs += 6 * MINUTE_MS;
          await Bun.sleep(500);
        }
        await running.sender.stop();
        target.stop();

        const idOf = new Map<string, string>();
        for (const { message } of target.received) {
          const { id, type, data } = message;
          const { workerId, requestId } = data;
          const object = String(data.id ?? requestId ?? workerId);
          // Whatever comes again has the same id; two events of one object differ in their moment.
          const event = `${type} ${object} ${message.timestamp}`;
          expect(idOf.get(event) ?? id).toBe(id);
          idOf.set(event, id);
          if (type.endsWith(".deleted")) copy.delete(object);
          else if (data.id !== undefined) copy.set(object, data);
        }
        const notes = await reader.hooks.notes("acme", 0, 1000);
        expect(new Set(idOf.values()).size).toBe(notes.length);
        const company = reader.company("acme");
        const docs: string[] = [];
        for (const kind of ["workers", "requests"] as const)
          docs.push(...(await listed(company, kind, { limit: 100 }, {})).docs.map(String));
        const stored = new Map(
          docs.map((doc) => JSON.parse(doc) as { id: string }).map((object) => [object.id, object]),
        );
        const gone = [...copy.keys()].filter((id) => !stored.has(id));
        expect(gone).toEqual([]);
        for (const [id, object] of stored) expect(copy.get(id)).toEqual(object);
        expect((await reader.hooks.list())[0]).toMatchObject({
          paused: null,
          failures: 0,
          sentNumber: newest,
        });
      }),
    );
  });
