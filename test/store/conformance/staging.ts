// What an import stages before it holds its company, and the digests that rows keep of the records that they were made from.
import { describe, expect, test } from "bun:test";
import sql, { raw } from "sql-template-tag";
import {
  CompanyChanged,
  type ImportSession,
  StoreRefusal,
  type WriteStore,
} from "../../../src/store/store.ts";
import { DIGESTED_KINDS, type DigestedKind, type Rows } from "../../../src/store/tables.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { addCompany, change, exported } from "../../support/stores.ts";
import { type Engine, withFacts } from "./engine.ts";

const FACTS = makeFacts(7, 30);

/** As large and as small as they come, and 0. */
const EDGES: readonly bigint[] = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0xffff_ffffn];

const digestAt = (at: number) => EDGES[at] ?? BigInt(at) * -1_234_567_890_123_457n;

/** Each way in which a text could be read as something else on its way. */
const TEXTS = ["", " ", "\\N", "\\.", "a\tb", "a\nb", "a\r\nb", "\\t", "ß😀", "'", '"', "null"];

async function all<R>(session: ImportSession, query: ReturnType<typeof sql>): Promise<R[]> {
  const rows: R[] = [];
  for await (const batch of session.batches<R>(query)) rows.push(...batch);
  return rows;
}

/** The digests of a kind by worker, in no order. */
function digestsOf(
  session: ImportSession,
  kind: DigestedKind,
): Promise<{ worker: string; digest: string | null }[]> {
  return session.run(sql`
    select worker_id as "worker", cast(digest as text) as "digest"
    from ${raw(kind)}
    where company_id = 'acme'`);
}

const renamed = (row: Rows["workers"]) => ({ ...row, doc: '{"other":1}' });

export function staging(engine: Engine): void {
  describe("a staged import", () => {
    const within = (work: (session: ImportSession, writer: WriteStore) => Promise<void>) =>
      withFacts(engine, FACTS, ({ writer }) => writer.stage("acme", (session) => work(session, writer)));

    test("finds every value as it was staged, in batches and in order", () =>
      within(async (session) => {
        await session.makeTable("values_of", { n: "bigint", note: "text", amount: "double precision" });
        const rows = TEXTS.map((note, at) => [at, note, at / 3] as const);
        await session.fill("values_of", rows);
        await session.fill("values_of", [[EDGES[2]!, null, null]]);
        await session.fill("values_of", []);
        const found = await all(
          session,
          sql`
          select cast(n as text) as "n", note as "note", amount as "amount"
          from values_of
          order by values_of.n`,
        );
        expect(found).toEqual([
          ...rows.map(([n, note, amount]) => ({ n: String(n), note, amount })),
          { n: "9223372036854775807", note: null, amount: null },
        ]);
      }));

    test("reads thousands of rows, and asks for others between two batches", () =>
      within(async (session) => {
        await session.makeTable("numbers", { n: "integer" });
        await session.fill(
          "numbers",
          Array.from({ length: 5001 }, (_, at) => [5000 - at]),
        );
        const numbers: number[] = [];
        for await (const batch of session.batches<{ n: number }>(
          sql`select n as "n" from numbers order by n`,
        )) {
          numbers.push(...batch.map(({ n }) => n));
          expect(await session.count("workers")).toBe(FACTS.workers.length);
        }
        expect(numbers).toEqual(Array.from({ length: 5001 }, (_, at) => at));
      }));

    test("lets signals and timers through between two batches", () =>
      within(async (session) => {
        await session.makeTable("numbers", { n: "integer" });
        await session.fill(
          "numbers",
          Array.from({ length: 3001 }, (_, at) => [at]),
        );
        let turns = 0;
        let turn = setImmediate(function count() {
          turns += 1;
          turn = setImmediate(count);
        });
        let batches = 0;
        for await (const _ of session.batches(sql`select n as "n" from numbers`)) {
          batches += 1;
          expect(turns).toBeGreaterThanOrEqual(batches);
        }
        clearImmediate(turn);
        expect(batches).toBeGreaterThan(1);
      }));

    test("joins what is staged with what is stored, and writes what it finds", async () => {
      await withFacts(engine, FACTS, async ({ writer }) => {
        const [first] = FACTS.workers;
        const written = await writer.stage("acme", async (session) => {
          await session.makeTable("wanted", { id: "text" });
          await session.fill("wanted", [[first!.id], ["wrk_nobody"]]);
          const join = sql`
            select w.id as "id"
            from wanted
            join workers w on w.company_id = 'acme' and w.id = wanted.id`;
          expect(await session.run(join)).toEqual([{ id: first!.id }]);
          return session.hold(async (transaction) => {
            await transaction.put("workers", [renamed(first!)]);
            expect(await session.run(join)).toEqual([{ id: first!.id }]);
            const [row] = await session.run(sql`select doc as "doc" from workers where id = ${first!.id}`);
            return { result: row, changed: true, commit: true };
          });
        });
        expect(written).toEqual({ doc: '{"other":1}' });
        const { workers } = await exported(writer, "acme");
        expect(workers).toEqual(FACTS.workers.map((row) => (row === first ? renamed(row) : row)));
        // Its tables went with it.
        await writer.stage("acme", (session) => session.makeTable("wanted", { id: "text" }));
      });
    });

    test("leaves everything as it was if it holds nothing, is rolled back, or fails", () =>
      withFacts(engine, FACTS, async ({ writer }) => {
        const remove = (commit: boolean) =>
          writer.stage("acme", (session) =>
            session.hold(async (transaction) => {
              await transaction.remove("requests", [[FACTS.requests[0]!.id]]);
              if (!commit) return { result: null, changed: true, commit };
              throw new Error("half way");
            }),
          );
        await writer.stage("acme", async () => null);
        await remove(false);
        await expect(remove(true)).rejects.toThrow("half way");
        expect(await exported(writer, "acme")).toEqual(FACTS);
      }));

    test("begins again where somebody changed the company meanwhile, and nothing else is in its way", async () => {
      await withFacts(engine, FACTS, async ({ location, writer }) => {
        const other = await location.openWriter();
        try {
          const after = (meanwhile: () => Promise<unknown>) =>
            writer.stage("acme", async (session) => {
              await session.requireUnchanged();
              await meanwhile();
              return session.hold(async () => ({ result: "held", changed: false, commit: true }));
            });
          expect(await after(async () => {})).toBe("held");
          await expect(
            after(() =>
              change(other, "acme", (transaction) => transaction.updateCompany({ timeZone: "Asia/Tokyo" })),
            ),
          ).rejects.toBeInstanceOf(CompanyChanged);
          await expect(
            after(() => change(other, "acme", (transaction) => transaction.remove("workers", []))),
          ).rejects.toBeInstanceOf(CompanyChanged);
          await expect(
            writer.stage("acme", async (session) => {
              await change(other, "acme", (transaction) => transaction.updateCompany({ timeZone: "UTC" }));
              await session.requireUnchanged();
            }),
          ).rejects.toBeInstanceOf(CompanyChanged);
          const unchanged = () =>
            other.change("acme", async () => ({ result: null, changed: false, commit: true }));
          expect(await after(unchanged)).toBe("held");
          await addCompany(other, "acm", FACTS);
          expect(
            await after(() =>
              change(other, "acm", (transaction) => transaction.updateCompany({ timeZone: "Asia/Tokyo" })),
            ),
          ).toBe("held");
        } finally {
          await other.close();
        }
        const unknown = writer.stage("nobody", async () => null);
        await expect(unknown).rejects.toBeInstanceOf(StoreRefusal);
      });
    });

    test("digests are written with their rows and go with them: a row that is put without one has none", () =>
      withFacts(engine, FACTS, async ({ writer }) => {
        await writer.stage("acme", (session) =>
          session.hold(async (transaction) => {
            for (const kind of DIGESTED_KINDS) {
              const rows = FACTS[kind] as readonly Rows[typeof kind][]; // rows of the kind
              const digests = rows.map((_, at) => (at === 1 ? null : digestAt(at)));
              await transaction.put(
                kind,
                rows,
                rows.map((row, at) => ({ digest: digests[at] ?? null, stored: { ...row } })), // they are stored already
              );
              const texts = digests.map((digest) => digest?.toString() ?? null);
              const found = (await digestsOf(session, kind)).map(({ digest }) => digest);
              expect(found.toSorted()).toEqual(texts.toSorted());
              await transaction.put(kind, rows.slice(0, 1));
              const left = (await digestsOf(session, kind)).map(({ digest }) => digest);
              expect(left.filter((digest) => digest === null)).toHaveLength(2);
            }
            return { result: null, changed: true, commit: true };
          }),
        );
        expect(await exported(writer, "acme")).toEqual(FACTS);
      }));
  });
}
