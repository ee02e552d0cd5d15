// Calendar feeds: found by digest as they are at that moment, and gone with their company. The sequence of a company.
import { describe, expect, test } from "bun:test";
import { StoreRefusal } from "../../../src/store/store.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { change, createCompany, makeFeed, makeKey } from "../../support/stores.ts";
import { type Engine, withFacts, withStore } from "./engine.ts";

export function calendarFeeds(engine: Engine): void {
  describe("calendar feeds", () => {
    test("are found by their digest, whole, and by nothing else", () =>
      withStore(engine, async ({ reader, writer }) => {
        expect(await reader.calendar("0".repeat(64))).toBeNull();
        await createCompany(writer, "acme");
        const plain = makeFeed("one", "acme");
        const full = makeFeed("two", "acme", {
          name: "büro 🙂 \\N",
          definition: {
            workers: ["wrk_1", "wrk_2"],
            types: ["employee"],
            policies: ["top_1"],
            show: "policy",
            withPending: true,
          },
          expiresAtMs: 4_102_444_800_001,
          revokedAtMs: 1_772_000_000_002,
          lastUsedAtMs: 1_772_000_000_003,
        });
        const key = makeKey("three", "acme");
        await writer.createKey(key);
        for (const feed of [full, plain]) await writer.createCalendar(feed);
        for (const feed of [plain, full]) expect(await reader.calendar(feed.digest)).toEqual(feed);
        for (const digest of [plain.id, key.digest]) expect(await reader.calendar(digest)).toBeNull();
        expect(await reader.key(plain.digest)).toBeNull();
        expect(await writer.feeds()).toEqual([plain, full]);
        expect(await writer.feeds("acme")).toEqual([plain, full]);
        expect(await writer.feeds("nobody")).toEqual([]);
      }));

    test("cannot be made for an unknown company", () =>
      withStore(engine, async ({ writer }) => {
        await expect(writer.createCalendar(makeFeed("one", "nobody"))).rejects.toThrow(StoreRefusal);
        expect(await writer.feeds()).toEqual([]);
      }));

    test("a revocation is seen at once, a use is noted and never moved back", () =>
      withStore(engine, async ({ reader, writer }) => {
        await createCompany(writer, "acme");
        const feed = makeFeed("one", "acme");
        await writer.createCalendar(feed);
        expect(await reader.calendar(feed.digest)).toEqual(feed);
        expect(await writer.updateCalendar("one", { expiresAtMs: 5, revokedAtMs: 6 })).toBe(true);
        expect(await writer.updateCalendar("nobody", { revokedAtMs: 6 })).toBe(false);
        expect(await reader.calendar(feed.digest)).toEqual({ ...feed, expiresAtMs: 5, revokedAtMs: 6 });
        for (const usedAtMs of [200, 100]) await reader.touchKeys(new Map([["one", usedAtMs]]));
        expect((await writer.feeds())[0]?.lastUsedAtMs).toBe(200);
      }));

    test("go with their company, and with no other", () =>
      withStore(engine, async ({ reader, writer }) => {
        for (const id of ["acme", "other"]) {
          await createCompany(writer, id);
          await writer.createCalendar(makeFeed(`of_${id}`, id));
        }
        await writer.deleteCompany("acme");
        expect((await writer.feeds()).map(({ id }) => id)).toEqual(["of_other"]);
        expect(await reader.calendar(makeFeed("of_acme", "acme").digest)).toBeNull();
      }));

    test("are made and found while an import holds the company", () =>
      withFacts(engine, makeFacts(8, 5), async ({ reader, writer }) => {
        await change(writer, "acme", async () => {
          const feed = makeFeed("one", "acme");
          await writer.createCalendar(feed);
          expect(await reader.calendar(feed.digest)).toEqual(feed);
        });
      }));
  });

  test("the sequence of a company grows with each change, also within a second, and with nothing else", () =>
    withStore(engine, async ({ reader, writer }) => {
      const sequence = () => reader.company("acme").calendarSequence();
      expect(await sequence()).toBeNull();
      const secondsSince2020 = Math.floor((Date.now() - Date.UTC(2020, 0)) / 1000);
      await createCompany(writer, "acme");
      const made = (await sequence())!;
      expect(made).toBeGreaterThanOrEqual(secondsSince2020);
      expect(made).toBeLessThan(2 ** 31);
      let last = made;
      for (let run = 0; run < 3; run++) {
        await change(writer, "acme", async () => {});
        const next = (await sequence())!;
        expect(next).toBeGreaterThan(last);
        last = next;
      }
      await writer.import("acme", async () => ({ result: null, changed: false, commit: true }));
      await writer.import("acme", async () => ({ result: null, changed: true, commit: false }));
      expect(await sequence()).toBe(last);
    }));
}
