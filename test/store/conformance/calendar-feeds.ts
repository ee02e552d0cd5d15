// Calendar feeds: found by digest as they are at that moment, and gone with their company. The sequence of a company.
import { describe, expect, test } from "bun:test";
import { StoreRefusal } from "../../../src/store/store.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { workerRow } from "../../support/rows.ts";
import { change, createCompany, makeFeed, makeKey } from "../../support/stores.ts";
import { type Engine, withFacts, withStore } from "./engine.ts";

export function calendarFeeds(engine: Engine): void {
  describe("calendar feeds", () => {
    test("are found by their digest, whole, and by nothing else", () =>
      withStore(engine, async ({ reader, writer }) => {
        expect(await reader.calendar("0".repeat(64))).toBeNull();
        await createCompany(writer, "acme");
        const plain = makeFeed("feed_one", "acme");
        const full = makeFeed("feed_two", "acme", {
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
        await writer.createSecret(key);
        for (const feed of [full, plain]) await writer.createSecret(feed);
        for (const feed of [plain, full]) expect(await reader.calendar(feed.digest)).toEqual(feed);
        for (const digest of [plain.id, key.digest]) expect(await reader.calendar(digest)).toBeNull();
        expect(await reader.key(plain.digest)).toBeNull();
        expect(await writer.feeds()).toEqual([plain, full]);
        expect(await writer.feeds("acme")).toEqual([plain, full]);
        expect(await writer.feeds("nobody")).toEqual([]);
      }));

    test("cannot be made for an unknown company", () =>
      withStore(engine, async ({ writer }) => {
        await expect(writer.createSecret(makeFeed("one", "nobody"))).rejects.toThrow(StoreRefusal);
        expect(await writer.feeds()).toEqual([]);
      }));

    test("a server adds one; it does not outlive a company that is deleted meanwhile", () =>
      withStore(engine, async ({ reader, writer }) => {
        await createCompany(writer, "acme");
        const feed = makeFeed("one", "acme");
        await reader.createCalendar(feed);
        expect(await reader.calendar(feed.digest)).toEqual(feed);
        expect(await writer.feeds()).toEqual([feed]);
        await reader.createCalendar(makeFeed("late", "deleted"));
        await createCompany(writer, "deleted");
        expect(await writer.feeds()).toEqual([feed]);
      }));

    test("a revocation is seen at once, a use is noted and never moved back", () =>
      withStore(engine, async ({ reader, writer }) => {
        await createCompany(writer, "acme");
        const feed = makeFeed("one", "acme");
        await writer.createSecret(feed);
        expect(await reader.calendar(feed.digest)).toEqual(feed);
        expect(await writer.updateSecret("feeds", "one", { expiresAtMs: 5, revokedAtMs: 6 })).toBe(true);
        expect(await writer.updateSecret("feeds", "nobody", { revokedAtMs: 6 })).toBe(false);
        expect(await reader.calendar(feed.digest)).toEqual({ ...feed, expiresAtMs: 5, revokedAtMs: 6 });
        for (const usedAtMs of [200, 100]) await reader.touchKeys(new Map([["one", usedAtMs]]));
        expect((await writer.feeds())[0]?.lastUsedAtMs).toBe(200);
      }));

    test("go with their company, and with no other", () =>
      withStore(engine, async ({ reader, writer }) => {
        for (const id of ["acme", "other"]) {
          await createCompany(writer, id);
          await writer.createSecret(makeFeed(`of_${id}`, id));
        }
        await writer.deleteCompany("acme");
        expect((await writer.feeds()).map(({ id }) => id)).toEqual(["of_other"]);
        expect(await reader.calendar(makeFeed("of_acme", "acme").digest)).toBeNull();
      }));

    test("are made and found while an import holds the company", () =>
      withFacts(engine, makeFacts(8, 5), async ({ reader, writer }) => {
        await change(writer, "acme", async () => {
          const feed = makeFeed("one", "acme");
          await writer.createSecret(feed);
          expect(await reader.calendar(feed.digest)).toEqual(feed);
        });
      }));
  });

  test("the sequence of a company is of the time when it was made; objects have the import that last changed them", () =>
    withStore(engine, async ({ reader, writer }) => {
      const company = reader.company("acme");
      expect(await company.calendarSequence()).toBeNull();
      const secondsSince2020 = Math.floor((Date.now() - Date.UTC(2020, 0)) / 1000);
      await createCompany(writer, "acme");
      const made = (await company.calendarSequence())!;
      expect(made).toBeGreaterThanOrEqual(secondsSince2020);
      expect(made).toBeLessThan(2 ** 31);
      const put = (...rows: ReturnType<typeof workerRow>[]) =>
        change(writer, "acme", (transaction) => transaction.put("workers", rows));
      const ids = ["wrk_ana", "wrk_bo", "wrk_missing"];
      await put(workerRow("wrk_ana"), workerRow("wrk_bo"));
      expect(await company.lastChanges("workers", ids)).toEqual(new Map());
      await put(workerRow("wrk_ana"), workerRow("wrk_bo", { position: "Clerk" }));
      const second = await company.lastChanges("workers", ids);
      expect([...second].map(([id, { seq }]) => [id, seq])).toEqual([["wrk_bo", 2]]);
      expect(second.get("wrk_bo")!.endedAtMs).toBe((await company.about())!.changedAtMs!);
      await put(workerRow("wrk_ana", { position: "Clerk" }));
      expect(await company.lastChanges("workers", ["wrk_bo"])).toEqual(second);
      expect((await company.lastChanges("workers", ids)).get("wrk_ana")!.seq).toBe(3);
      expect(await company.calendarSequence()).toBe(made);
    }));
}
