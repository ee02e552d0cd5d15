// Copying between any two stores: the same rows and keys, and again without a change.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ReadStore, StoreRefusal, type WriteStore } from "../../../src/store/store.ts";
import { type CopiedCompany, copyCompany } from "../../../src/store/transfer/copy.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { rejection } from "../../support/rejection.ts";
import { change, createCompany, exported, makeFeed, makeKey, putFacts } from "../../support/stores.ts";
import { withStore } from "../conformance/engine.ts";
import { ENGINES } from "../conformance/engines.ts";

const FACTS = makeFacts(21, 40);
const OTHER = makeFacts(22, 15);
const LATER = makeFacts(23, 40);

setDefaultTimeout(120_000);

interface Side {
  readonly writer: WriteStore;
  readonly reader: ReadStore;
}

async function copyAll(from: Side, to: Side): Promise<CopiedCompany[]> {
  const copied: CopiedCompany[] = [];
  const target = { store: to.writer, touchKeys: to.reader.touchKeys.bind(to.reader) };
  for (const company of await from.writer.companies())
    copied.push(await copyCompany(from.writer, target, company));
  return copied;
}

for (const source of ENGINES) {
  for (const target of ENGINES) {
    const between = (work: (from: Side, to: Side) => Promise<void>) => () =>
      withStore(source, (from) =>
        withStore(target, async (to) => {
          await createCompany(from.writer, "acme");
          await createCompany(from.writer, "other");
          await putFacts(from.writer, "acme", FACTS);
          await putFacts(from.writer, "other", OTHER);
          await from.writer.createSecret(makeKey("one", "acme", { expiresAtMs: 5, lastUsedAtMs: 7 }));
          await from.writer.createSecret(
            makeKey("two", "other", { revokedAtMs: 6, scopes: ["time_off:read"] }),
          );
          await from.writer.createSecret(makeFeed("feed", "acme", { expiresAtMs: 5, lastUsedAtMs: 7 }));
          await work(from, to);
        }),
      );

    describe(`from ${source.name} to ${target.name}`, () => {
      test(
        "everything arrives, and a second run changes nothing",
        between(async (from, to) => {
          const first = await copyAll(from, to);
          expect(await to.writer.companies()).toEqual(await from.writer.companies());
          expect(await to.writer.keys()).toEqual(await from.writer.keys());
          expect(await to.writer.feeds()).toEqual(await from.writer.feeds());
          expect(await exported(to.writer, "acme")).toEqual(FACTS);
          expect(await exported(to.writer, "other")).toEqual(OTHER);
          const version = await to.reader.version("acme");
          expect(version).not.toEqual(await from.reader.version("acme"));
          const again = await copyAll(from, to);
          expect(first.map(({ isChanged }) => isChanged)).toEqual([true, true]);
          expect(again.map(({ isChanged }) => isChanged)).toEqual([false, false]);
          expect(again.map((one) => one.digest)).toEqual(first.map((one) => one.digest));
          expect(await to.reader.version("acme")).toEqual(version);
        }),
      );

      test(
        "run again after changes, the target follows, under a new version; what only it has stays",
        between(async (from, to) => {
          await copyAll(from, to);
          const version = await to.reader.version("acme");
          const untouched = await to.reader.version("other");
          await createCompany(to.writer, "local");
          await to.writer.createSecret(makeKey("local", "acme"));
          await to.writer.updateSecret("keys", "one", { revokedAtMs: 99 });
          await change(from.writer, "acme", async (transaction) => {
            await transaction.remove(
              "requests",
              FACTS.requests.map((row) => [row.id]),
            );
            await transaction.put("requests", LATER.requests);
            const named = FACTS.workers.filter((row) => row.legacyId !== null).slice(0, 2);
            await transaction.put(
              "workers",
              named.map((row) => ({ ...row, legacyId: null })),
            );
            await transaction.put("workers", [{ ...named[1]!, legacyId: named[0]!.legacyId }]);
            await transaction.put("workers", [{ ...named[0]!, legacyId: named[1]!.legacyId }]);
            await transaction.remove(
              "work_hours",
              FACTS.work_hours.map((row) => [row.workerId, row.day]),
            );
          });
          await from.writer.updateSecret("keys", "one", { expiresAtMs: 50 });
          await from.reader.touchKeys(new Map([["one", 60]]));
          const [acme, other] = await copyAll(from, to);
          expect(await exported(to.writer, "acme")).toEqual(await exported(from.writer, "acme"));
          expect(acme).toMatchObject({ isChanged: true, keys: 1, otherKeys: 1 });
          expect(other).toMatchObject({ isChanged: false });
          expect(await to.reader.version("acme")).not.toEqual(version);
          expect(await to.reader.version("other")).toEqual(untouched);
          const one = (await to.writer.keys("acme")).find((key) => key.id === "one");
          expect(one).toMatchObject({ expiresAtMs: 50, lastUsedAtMs: 60, revokedAtMs: 99 });
          expect((await to.writer.companies()).map(({ id }) => id)).toEqual(["acme", "local", "other"]);
        }),
      );
    });
  }
}

test("another company of the same id is refused", () =>
  withStore(ENGINES[0]!, (from) =>
    withStore(ENGINES[0]!, async (to) => {
      await createCompany(from.writer, "acme");
      await to.writer.createCompany({ id: "acme", name: "Another", createdAtMs: 1 });
      expect(await rejection(copyAll(from, to))).toThrow(StoreRefusal);
    }),
  ));

test("another key of the same id is refused, and stays as it is", () =>
  withStore(ENGINES[0]!, (from) =>
    withStore(ENGINES[0]!, async (to) => {
      for (const { writer } of [from, to]) await createCompany(writer, "acme");
      const there = makeKey("one", "acme", { digest: "of another secret" });
      await to.writer.createSecret(there);
      await from.writer.createSecret(makeKey("one", "acme", { revokedAtMs: 5 }));
      expect(await rejection(copyAll(from, to))).toThrow("Key one is a different one in the target");
      expect(await to.writer.keys()).toEqual([there]);
    }),
  ));
