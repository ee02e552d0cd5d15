// Keys: found by digest, changed at any time, touched by servers, and never waiting for an import.
import { describe, expect, test } from "bun:test";
import { StoreRefusal } from "../../../src/store/store.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { change, createCompany, makeKey } from "../../support/stores.ts";
import { type Engine, withFacts, withStore } from "./engine.ts";

/** How old what a reader knows of a key may be, and a little for the clock. */
const KEY_AGE_MS = 1050;

export function keys(engine: Engine): void {
  describe("keys", () => {
    test("are found by their digest, whole, and by nothing else", () =>
      withStore(engine, async ({ reader, writer }) => {
        expect(await reader.key("0".repeat(64))).toBeNull();
        await createCompany(writer, "acme");
        const plain = makeKey("one", "acme");
        const full = makeKey("two", "acme", {
          name: "päyroll 🙂 \\N",
          scopes: ["time_off:read"],
          expiresAtMs: 4_102_444_800_001,
          revokedAtMs: 1_772_000_000_002,
          lastUsedAtMs: 1_772_000_000_003,
        });
        for (const key of [plain, full]) await writer.createSecret(key);
        for (const key of [plain, full]) expect(await reader.key(key.digest)).toEqual(key);
        expect(await reader.key("0".repeat(64))).toBeNull();
        expect(await reader.key(plain.id)).toBeNull();
      }));

    test("are listed in the order they were made, for one company or for all", () =>
      withStore(engine, async ({ writer }) => {
        for (const id of ["acme", "other"]) await createCompany(writer, id);
        const first = makeKey("z", "acme", { createdAtMs: 1 });
        const second = makeKey("a", "other", { createdAtMs: 2 });
        const third = makeKey("b", "acme", { createdAtMs: 2 });
        for (const key of [third, first, second]) await writer.createSecret(key);
        expect(await writer.keys()).toEqual([first, second, third]);
        expect(await writer.keys("acme")).toEqual([first, third]);
        expect(await writer.keys("nobody")).toEqual([]);
      }));

    test("cannot be made for an unknown company", () =>
      withStore(engine, async ({ writer }) => {
        await expect(writer.createSecret(makeKey("one", "nobody"))).rejects.toThrow(StoreRefusal);
        expect(await writer.keys()).toEqual([]);
      }));

    test("expiry and revocation are seen within a second by every reader", () =>
      withStore(engine, async ({ location, reader, writer }) => {
        await createCompany(writer, "acme");
        const key = makeKey("one", "acme");
        await writer.createSecret(key);
        const second = await location.openReader();
        for (const one of [reader, second]) expect(await one.key(key.digest)).toEqual(key);
        expect(await writer.updateSecret("keys", "one", { expiresAtMs: 5 })).toBe(true);
        expect(await writer.updateSecret("keys", "one", { revokedAtMs: 6 })).toBe(true);
        expect(await writer.updateSecret("keys", "nobody", { revokedAtMs: 6 })).toBe(false);
        await Bun.sleep(KEY_AGE_MS);
        for (const one of [reader, second]) {
          expect(await one.key(key.digest)).toEqual({ ...key, expiresAtMs: 5, revokedAtMs: 6 });
        }
        expect(await writer.updateSecret("keys", "one", { expiresAtMs: null })).toBe(true);
        expect((await writer.keys("acme"))[0]).toEqual({ ...key, revokedAtMs: 6 });
        await second.close();
      }));

    test("a use is noted and never moved back", () =>
      withStore(engine, async ({ reader, writer }) => {
        await createCompany(writer, "acme");
        for (const id of ["one", "two", "three"]) await writer.createSecret(makeKey(id, "acme"));
        await reader.touchKeys(new Map());
        await reader.touchKeys(
          new Map([
            ["one", 200],
            ["two", 300],
            ["nobody", 1],
          ]),
        );
        await reader.touchKeys(
          new Map([
            ["one", 100],
            ["two", 400],
          ]),
        );
        const used = (await writer.keys()).map((key) => [key.id, key.lastUsedAtMs]);
        expect(Object.fromEntries(used)).toEqual({ one: 200, two: 400, three: null });
      }));

    test("are made, changed, touched and found while an import holds the company", () =>
      withFacts(engine, makeFacts(8, 5), async ({ location, reader, writer }) => {
        const second = await location.openWriter();
        await change(writer, "acme", async (transaction) => {
          await transaction.put("work_hours", [{ workerId: "wrk_x", day: 1, minutes: 1 }]);
          // The import waits for all of this, so nothing here may wait for the import.
          for (const [number, store] of [writer, second].entries()) {
            const key = makeKey(`key${number}`, "acme");
            await store.createSecret(key);
            await store.updateSecret("keys", key.id, { expiresAtMs: 9 });
            await reader.touchKeys(new Map([[key.id, 7]]));
            expect(await reader.key(key.digest)).toEqual({ ...key, expiresAtMs: 9, lastUsedAtMs: 7 });
            expect((await store.keys("acme")).length).toBe(number + 1);
          }
        });
        await second.close();
      }));
  });
}
