// The digests that rows keep of the records that they were made from: they go with their rows, and nobody else sees them.
import { describe, expect, test } from "bun:test";
import type { ImportTransaction, RowDigest, RowKey } from "../../../src/store/store.ts";
import {
  DIGESTED_KINDS,
  type DigestedKind,
  isDigested,
  KINDS,
  type Rows,
} from "../../../src/store/tables.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { change, exported } from "../../support/stores.ts";
import { type Engine, withFacts } from "./engine.ts";
import { keyOf } from "./primitives.ts";

const FACTS = makeFacts(7, 30);

/** As large and as small as they come, and 0. */
const EDGES: readonly RowDigest[] = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0xffff_ffffn];

function digestAt(at: number): RowDigest {
  return EDGES[at] ?? BigInt(at) * -1_234_567_890_123_457n;
}

async function all(transaction: ImportTransaction, kind: DigestedKind): Promise<RowDigest[]> {
  const found = (await withKeys(transaction, kind)).flatMap(([, digest]) => digest ?? []);
  return found.sort((a, b) => (a < b ? -1 : 1));
}

async function withKeys(
  transaction: ImportTransaction,
  kind: DigestedKind,
): Promise<[RowKey, RowDigest | null][]> {
  const found: [RowKey, RowDigest | null][] = [];
  for await (const batch of transaction.digests.keys(kind))
    for (const [key, digest] of batch) found.push([key, digest]);
  return found;
}

function keysOf<K extends DigestedKind>(kind: K): RowKey[] {
  return FACTS[kind].map((row) => keyOf(kind, row as Rows[K])); // rows of the kind
}

export function digests(engine: Engine): void {
  describe("digests", () => {
    const within = (work: (transaction: ImportTransaction) => Promise<void>) =>
      withFacts(engine, FACTS, async ({ writer }) => {
        await change(writer, "acme", work);
        expect(await exported(writer, "acme")).toEqual(FACTS);
      });

    test("are read as they were set, and nothing else of a row changes", () =>
      within(async (transaction) => {
        for (const kind of DIGESTED_KINDS) {
          const keys = keysOf(kind);
          expect(await transaction.digests.of(kind, keys)).toEqual(keys.map(() => null));
          expect(await all(transaction, kind)).toEqual([]);
          const set = keys.slice(1).map((key, at) => [key, digestAt(at)] as const);
          await transaction.digests.set(kind, set);
          expect(await transaction.digests.of(kind, keys)).toEqual([
            null,
            ...set.map(([, digest]) => digest),
          ]);
          const sorted = set.map(([, digest]) => digest).sort((a, b) => (a < b ? -1 : 1));
          expect(await all(transaction, kind)).toEqual(sorted);
          expect(await withKeys(transaction, kind)).toEqual([
            [keys[0]!, null],
            ...set.map(([key, digest]) => [key, digest] as [RowKey, RowDigest]),
          ]);
        }
      }));

    test("are all read where there are thousands", () =>
      within(async (transaction) => {
        const [first] = FACTS.work_hours;
        const rows = Array.from({ length: 2001 }, (_, at) => ({ ...first!, day: first!.day + 10_000 + at }));
        await transaction.put(
          "work_hours",
          rows,
          rows.map((_, at) => (at === 1 ? null : BigInt(at))),
        );
        const digests = rows.flatMap((_, at) => (at === 1 ? [] : [BigInt(at)]));
        expect(await all(transaction, "work_hours")).toEqual(digests);
        const keys = rows.map((row) => keyOf("work_hours", row));
        await transaction.remove("work_hours", keys.slice(0, 1));
        expect(await all(transaction, "work_hours")).toEqual(digests.slice(1));
        await transaction.remove("work_hours", keys);
      }));

    test("go with their rows: a row that is put without one has none", () =>
      within(async (transaction) => {
        for (const kind of DIGESTED_KINDS) {
          const [first, second, ...rest] = FACTS[kind] as readonly Rows[typeof kind][]; // rows of the kind
          const keys = [first!, second!].map((row) => keyOf(kind, row));
          await transaction.put(kind, [first!, second!], [1n, 2n]);
          expect(await transaction.digests.of(kind, keys)).toEqual([1n, 2n]);
          await transaction.put(kind, [first!]);
          expect(await transaction.digests.of(kind, keys)).toEqual([null, 2n]);
          await transaction.remove(kind, keys);
          expect(await all(transaction, kind)).toEqual([]);
          await transaction.put(kind, [first!, second!], [-(2n ** 63n), null]);
          expect(await transaction.digests.of(kind, keys)).toEqual([-(2n ** 63n), null]);
          expect((await withKeys(transaction, kind)).length).toBe(rest.length + 2);
        }
      }));

    test("are forgotten of the rows that refer to some workers", () =>
      within(async (transaction) => {
        const gone = FACTS.workers.slice(0, 9).map(({ id }) => id);
        for (const kind of DIGESTED_KINDS)
          await transaction.digests.set(
            kind,
            keysOf(kind).map((key, at) => [key, digestAt(at)] as const),
          );
        await transaction.digests.forget(gone);
        await transaction.digests.forget([]);
        for (const kind of DIGESTED_KINDS) {
          const expected = FACTS[kind].map(({ workerId }, at) =>
            gone.includes(workerId) ? null : digestAt(at),
          );
          expect(await transaction.digests.of(kind, keysOf(kind))).toEqual(expected);
          expect(expected).toContain(null);
        }
      }));

    test("are loaded with the first rows of a kind", () =>
      withFacts(
        engine,
        Object.fromEntries(KINDS.filter((kind) => !isDigested(kind)).map((kind) => [kind, FACTS[kind]])),
        async ({ writer }) => {
          await change(writer, "acme", async (transaction) => {
            for (const kind of DIGESTED_KINDS) {
              await transaction.beginFirstLoad(kind);
              const rows = FACTS[kind] as readonly Rows[typeof kind][]; // rows of the kind
              await transaction.put(
                kind,
                rows,
                rows.map((_, at) => (at === 0 ? null : digestAt(at))),
              );
              await transaction.endFirstLoad();
            }
          });
          await change(writer, "acme", async (transaction) => {
            for (const kind of DIGESTED_KINDS)
              expect(await transaction.digests.of(kind, keysOf(kind))).toEqual(
                FACTS[kind].map((_, at) => (at === 0 ? null : digestAt(at))),
              );
          });
          expect(await exported(writer, "acme")).toEqual(FACTS);
        },
      ));

    test("have a key of the company and the build, which another build, settings of the company and forgetting replace", () =>
      within(async (transaction) => {
        const keys: string[] = [];
        const expectNew = async (program: string) => {
          const { key, isNew } = await transaction.digests.key(program);
          expect(isNew).toBe(true);
          expect(keys).not.toContain(key);
          expect(await transaction.digests.key(program)).toEqual({ key, isNew: false });
          keys.push(key);
        };
        await expectNew("1.0 a");
        expect(keys[0]).toMatch(/^[0-9a-f]{32} 1\.0 a$/);
        await expectNew("a");
        await expectNew("1.0 a");
        await transaction.digests.forgetAll();
        await expectNew("1.0 a");
        await transaction.updateCompany({ timeZone: "Europe/Berlin" });
        await expectNew("1.0 a");
      }));
  });
}
