// Hooks: claimed by one process at a time, and told of what imports change, by ids alone, until all have it.
import { describe, expect, test } from "bun:test";
import { NOTES_KEPT_MS, type StoredHook } from "../../../src/store/hooks.ts";
import { StoreRefusal, type WriteStore } from "../../../src/store/store.ts";
import { adjustmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, change, createCompany, makeHook, putFacts } from "../../support/stores.ts";
import { type Engine, withStore } from "./engine.ts";

const WORKER = workerRow("wrk_ana", {});
const POLICY = policyRow("top_a");
const REQUEST = requestRow("tor_1", "wrk_ana", "top_a");

/** A company with a first import. */
async function withFirstImport(writer: WriteStore): Promise<void> {
  await createCompany(writer, "acme");
  await putFacts(writer, "acme", { workers: [WORKER], policies: [POLICY], requests: [REQUEST] });
}

/** All notes but the first ones. */
async function noted(writer: WriteStore, first = 0) {
  const notes = await writer.hooks.notes("acme", 0, 1000);
  return notes.slice(first).map(({ type, ids }) => [type, ids]);
}

export function hooks(engine: Engine): void {
  describe("hooks", () => {
    test("are listed as they were made, changed, deleted, and go with their company", () =>
      withStore(engine, async ({ reader, writer }) => {
        await createCompany(writer, "acme");
        await expect(writer.createHook(makeHook("hook_1", "nobody"))).rejects.toThrow(StoreRefusal);
        const hook = makeHook("hook_1", "acme", { events: ["worker.*"], withObjects: true });
        await writer.createHook(hook);
        await writer.createHook(makeHook("hook_2", "acme"));
        expect((await reader.hooks.list("acme"))[0]).toEqual(hook);
        expect(await reader.hooks.list("nobody")).toEqual([]);
        const rotated = { secret: "bmV3", formerSecret: hook.secret, formerUntilMs: 5 };
        await writer.hooks.update(hook, { ...rotated, paused: "by hand" });
        expect((await reader.hooks.list())[0]).toEqual({ ...hook, ...rotated, paused: "by hand" });
        await writer.hooks.delete("hook_1");
        expect((await reader.hooks.list()).map(({ id }) => id)).toEqual(["hook_2"]);
        await writer.deleteCompany("acme");
        expect(await reader.hooks.list()).toEqual([]);
      }));

    test("an import notes one event an object, by ids; a first one, a quiet one and one without hooks nothing", () =>
      withStore(engine, async ({ writer }) => {
        await createCompany(writer, "acme");
        await writer.createHook(makeHook("hook_1", "acme"));
        await putFacts(writer, "acme", { workers: [WORKER], policies: [POLICY], requests: [REQUEST] });
        expect(await noted(writer)).toEqual([]);
        const adjustment = {
          expiresDay: null,
          id: "adj_1",
          legacyId: null,
          workerId: "wrk_ana",
          policyId: "top_a",
          day: 20_454,
        };
        await change(writer, "acme", async (transaction) => {
          await transaction.put("workers", [workerRow("wrk_ana", { status: "inactive", lastName: "Sun" })]);
          await transaction.put("workers", [workerRow("wrk_bob"), workerRow("wrk_eve")]);
          await transaction.put("workers", [workerRow("wrk_bob", { managerId: "wrk_ana" })]);
          await transaction.remove("workers", [["wrk_eve"]]);
          await transaction.put("requests", [requestRow("tor_1", "wrk_ana", "top_a", { status: "denied" })]);
          await transaction.put("adjustments", [{ ...adjustment, minutes: 60, note: "gift" }]);
        });
        const ofRequest = { requestId: "tor_1", workerId: "wrk_ana", policyId: "top_a" };
        const adjusted = {
          ...{ workerId: "wrk_ana", policyId: "top_a", effectiveDate: "2026-01-01" },
          adjustmentId: "adj_1",
        };
        expect(await noted(writer)).toEqual([
          ["worker.offboarded", { workerId: "wrk_ana" }],
          ["worker.created", { workerId: "wrk_bob" }],
          ["time_off.request.reviewed", ofRequest],
          ["time_off.balance.adjusted", adjusted],
        ]);
        await change(writer, "acme", async (transaction) => {
          await transaction.put("workers", [workerRow("wrk_ana")]);
          await transaction.put("workers", [workerRow("wrk_bob", { lastName: "Ray" })]);
          await transaction.put("adjustments", [{ ...adjustment, minutes: 60, note: "a gift" }]);
          await transaction.put("requests", [
            requestRow("tor_1", "wrk_ana", "top_a", { status: "denied", reason: "rest" }),
            requestRow("tor_2", "wrk_ana", "top_a"),
          ]);
        });
        await change(writer, "acme", async (transaction) => {
          await transaction.remove("requests", [["tor_1"]]);
          await transaction.remove("workers", [["wrk_bob"]]);
        });
        expect(await noted(writer, 4)).toEqual([
          ["worker.reactivated", { workerId: "wrk_ana" }],
          ["worker.updated", { workerId: "wrk_bob" }],
          ["time_off.request.updated", ofRequest],
          ["time_off.request.created", { ...ofRequest, requestId: "tor_2" }],
          ["time_off.request.deleted", ofRequest],
          ["worker.deleted", { workerId: "wrk_bob" }],
        ]);
        const statuses = [
          "invited",
          "onboarding",
          "active",
          "offboarding",
          "active",
          "inactive",
          "offboarding",
        ] as const;
        for (const status of statuses)
          await change(writer, "acme", (transaction) =>
            transaction.put("workers", [workerRow("wrk_sue", { status, lastName: status })]),
          );
        const types = (await noted(writer, 10)).map(([type]) => type);
        expect(types.join(" ")).toBe(
          "worker.created worker.updated worker.onboarding_completed worker.offboarding_started worker.updated worker.offboarded worker.reactivated",
        );
        const quiet = async () => ({ result: null, changed: true, commit: true });
        await writer.change(
          "acme",
          async (transaction) => {
            await transaction.put("workers", [workerRow("wrk_new")]);
            return quiet();
          },
          { isQuiet: true },
        );
        await writer.hooks.delete("hook_1");
        await putFacts(writer, "acme", { workers: [workerRow("wrk_newer")] });
        expect(await noted(writer, 17)).toEqual([]);
      }));

    test("each change of an adjustment that changes balances is an event of each of them; its note is none", () =>
      withStore(engine, async ({ writer }) => {
        await withFirstImport(writer);
        await writer.createHook(makeHook("hook_1", "acme"));
        const day = 20_454;
        const adjustment = adjustmentRow("adj_1", "wrk_ana", "top_a", { day });
        const changes = [
          adjustment,
          { ...adjustment, note: "gift" },
          { ...adjustment, expiresDay: day + 90 },
          { ...adjustment, minutes: 90 },
          { ...adjustment, workerId: "wrk_bob" },
        ];
        for (const row of changes)
          await change(writer, "acme", (transaction) => transaction.put("adjustments", [row]));
        const balance = { workerId: "wrk_ana", policyId: "top_a", effectiveDate: "2026-01-01" };
        const added = { ...balance, adjustmentId: "adj_1" };
        const moved = [balance, { ...balance, workerId: "wrk_bob" }];
        expect(await noted(writer)).toEqual(
          [added, balance, balance, ...moved].map((ids) => ["time_off.balance.adjusted", ids]),
        );
      }));

    test("an import that is not committed notes nothing", () =>
      withStore(engine, async ({ writer }) => {
        await withFirstImport(writer);
        await writer.createHook(makeHook("hook_1", "acme"));
        await writer.change("acme", async (transaction) => {
          await transaction.put("workers", [workerRow("wrk_new")]);
          return { result: null, changed: true, commit: false };
        });
        expect(await noted(writer)).toEqual([]);
      }));

    test("one process has a hook until it lets go, or its lease of 20 s is over", () =>
      withStore(engine, async ({ location, reader, writer }) => {
        await createCompany(writer, "acme");
        for (const id of ["hook_1", "hook_2"]) await writer.createHook(makeHook(id, "acme"));
        const other = await location.openReader();
        const ids = async (store: typeof reader, owner: string, nowMs: number) =>
          (await store.hooks.claim(owner, nowMs)).map(({ id }) => id);
        expect(await ids(reader, "one", 1000)).toEqual(["hook_1", "hook_2"]);
        expect(await ids(other, "two", 2000)).toEqual([]);
        expect(await ids(reader, "one", 12_000)).toEqual(["hook_1", "hook_2"]); // and again for 20 s
        expect(await ids(other, "two", 22_000)).toEqual([]);
        expect(await ids(other, "two", 33_000)).toEqual(["hook_1", "hook_2"]);
        expect(await ids(reader, "one", 34_000)).toEqual([]);
        const [hook] = await writer.hooks.list();
        await reader.hooks.save("one", hook!, { ...hook!, sentNumber: 7 }); // it is not its own any more
        expect((await writer.hooks.list())[0]?.sentNumber).toBe(0);
        await writer.hooks.update(hook!, { paused: "by hand" });
        await other.hooks.save("two", hook!, {
          ...hook!,
          sentNumber: 7,
          failures: 2,
          nextAtMs: 9,
          paused: "gone",
        });
        expect((await writer.hooks.list())[0]).toMatchObject({
          sentNumber: 7,
          failures: 2,
          paused: "by hand",
        });
        await other.hooks.release("two");
        expect(await ids(reader, "one", 3_634_000)).toEqual(["hook_1", "hook_2"]);
        expect(await ids(other, "two", 34_000)).toEqual(["hook_1", "hook_2"]); // the clock was set back an hour
        await other.close();
      }));

    test("a note waits for the hooks of its own company alone", () =>
      withStore(engine, async ({ reader, writer }) => {
        await withFirstImport(writer);
        await addCompany(writer, "other", { workers: [WORKER] });
        await writer.createHook(makeHook("hook_1", "acme"));
        await writer.createHook(makeHook("hook_2", "other"));
        for (const id of ["acme", "other"]) await putFacts(writer, id, { workers: [workerRow("wrk_1")] });
        const [hook] = await reader.hooks.claim("me", 1);
        const sentNumber = (await reader.hooks.newest()).get("acme")!;
        await reader.hooks.save("me", hook!, { ...hook!, sentNumber });
        await reader.hooks.forget(Date.now());
        expect(await noted(writer)).toEqual([]);
        expect(await writer.hooks.notes("other", 0, 1000)).toHaveLength(1);
      }));

    test("a note goes when all hooks have it, or after 7 days unless it is the newest; a later one has a higher number still", () =>
      withStore(engine, async ({ reader, writer }) => {
        await withFirstImport(writer);
        for (const id of ["hook_1", "hook_2"])
          await writer.createHook(makeHook(id, "acme", { events: ["worker.created"] }));
        const add = (id: string) => putFacts(writer, "acme", { workers: [workerRow(id)] });
        for (const id of ["wrk_1", "wrk_2", "wrk_3"]) await add(id);
        const [number1, , number3] = (await writer.hooks.notes("acme", 0, 3)).map(({ number }) => number);
        const [first, second] = await reader.hooks.claim("me", 1);
        await reader.hooks.save("me", first!, { ...first!, sentNumber: number3! });
        await reader.hooks.save("me", second!, { ...second!, sentNumber: number1! });
        await reader.hooks.forget(Date.now());
        expect((await noted(writer)).length).toBe(2);
        const nowMs = Date.now() + NOTES_KEPT_MS + 1;
        const lostUntil = async (hook: StoredHook) => reader.hooks.lostUntil(hook, nowMs);
        const [, behind] = await reader.hooks.list();
        const lostMs = await lostUntil(behind!);
        expect(lostMs).toBeLessThanOrEqual(Date.now());
        expect(await reader.hooks.lostUntil(behind!, Date.now())).toBeNull();
        await reader.hooks.forget(nowMs);
        expect(await noted(writer)).toEqual([["worker.created", { workerId: "wrk_3" }]]);
        expect([await lostUntil(behind!), await lostUntil(first!)]).toEqual([lostMs, lostMs]);
        const sent = { ...first!, sentNumber: number3! };
        expect(await lostUntil(sent)).toBeNull();
        const dated = { ...sent, definition: { ...sent.definition, events: ["worker.leaving"] } };
        expect(await lostUntil({ ...dated, calendarMs: 1 })).toBe(nowMs - NOTES_KEPT_MS);
        expect(await lostUntil({ ...dated, calendarMs: nowMs })).toBeNull();
        const unchecked = { ...dated, calendarMs: null }; // no server has run since it was made
        expect(await lostUntil({ ...unchecked, createdAtMs: 1 })).toBe(nowMs - NOTES_KEPT_MS);
        expect(await lostUntil({ ...unchecked, createdAtMs: nowMs })).toBeNull();
        await add("wrk_4");
        const number4 = (await reader.hooks.newest()).get("acme")!;
        expect(number4).toBeGreaterThan(number3!);
        await writer.createHook(makeHook("hook_3", "acme"));
        expect((await writer.hooks.list()).map(({ sentNumber }) => sentNumber)).toEqual([
          number3!,
          number1!,
          number4,
        ]);
        for (const id of ["hook_1", "hook_2", "hook_3"]) await writer.hooks.delete(id);
        await reader.hooks.forget(Date.now());
        expect(await noted(writer)).toEqual([]);
        await writer.createHook(makeHook("hook_4", "acme"));
        await add("wrk_5");
        expect((await reader.hooks.newest()).get("acme")).toBeGreaterThan(number4);
      }));
  });
}
