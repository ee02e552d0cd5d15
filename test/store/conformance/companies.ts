// Companies and their keys: made, listed, kept apart, and removed without a trace.
import { describe, expect, test } from "bun:test";
import { daySpan, medianMinutes } from "../../../src/import/load/gate.ts";
import { replaceImports } from "../../../src/store/shared-reads.ts";
import { StoreRefusal } from "../../../src/store/store.ts";
import { KINDS, type Kind } from "../../../src/store/tables.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { change, createCompany, exported, makeKey, putFacts } from "../../support/stores.ts";
import { type Engine, withFacts, withStore } from "./engine.ts";

const FACTS = makeFacts(7, 20);
/** The same ids with other contents. */
const OTHER_FACTS = {
  ...FACTS,
  workers: FACTS.workers.map((row) => ({ ...row, doc: '{"of":"other"}' })),
  requests: FACTS.requests.map((row) => ({ ...row, doc: '{"of":"other"}', minutes: 1 })),
};

export function companies(engine: Engine): void {
  describe("companies", () => {
    test("are listed by id, and an id is taken once", () =>
      withStore(engine, async ({ reader, writer }) => {
        for (const id of ["b", "a-1", "a", "0"]) await createCompany(writer, id);
        expect(await writer.companies()).toEqual(
          ["0", "a", "a-1", "b"].map((id) => ({
            id,
            name: `Company ${id}`,
            createdAtMs: 1_772_000_000_123,
            timeZone: null,
            colors: null,
            dataAsOfMs: null,
            changedAtMs: null,
            history: null,
            retention: null,
          })),
        );
        await expect(createCompany(writer, "a")).rejects.toThrow(StoreRefusal);
        expect(await reader.version("a")).not.toEqual(await reader.version("b"));
        expect(await reader.version("unknown")).toBeNull();
      }));

    test("say when the last import ended, by id and no more of them than wanted", () =>
      withStore(engine, async ({ reader, writer }) => {
        for (const id of ["b", "a-1", "a", "0"]) await createCompany(writer, id);
        const startedAtMs = Date.now();
        await putFacts(writer, "a", FACTS);
        const [none, imported, ...others] = await reader.lastImports(3);
        const nothing = { lastImport: null, lastFailure: null };
        expect(none).toEqual({ id: "0", dataAsOfMs: null, ...nothing });
        expect(imported).toEqual({ id: "a", dataAsOfMs: expect.any(Number), ...nothing });
        expect(imported!.dataAsOfMs).toBeGreaterThanOrEqual(startedAtMs);
        expect(others).toEqual([{ id: "a-1", dataAsOfMs: null, ...nothing }]);
      }));

    test("remember imports and those that failed, a hundred of each, until they are replaced or the company goes", () =>
      withStore(engine, async ({ reader, writer }) => {
        for (const id of ["a", "b"]) await createCompany(writer, id);
        const done = (record?: string) =>
          writer.change("a", async () => ({
            result: 0,
            changed: false,
            commit: true,
            ...(record === undefined ? {} : { record }),
          }));
        const [made, failed] = [
          { hasFailed: false, record: '{"made":2}' },
          { hasFailed: true, record: '{"failed":1}' },
        ];
        expect(await writer.noteFailedImport("a", failed.record)).toBe(true);
        expect(await writer.noteFailedImport("unknown", "{}")).toBe(false);
        const version = await reader.version("a");
        await done(made.record);
        await done();
        expect(await writer.imports("a")).toEqual([failed, made]);
        expect(await writer.imports("unknown")).toEqual([]);
        const nothing = { lastImport: null, lastFailure: null };
        const last = { id: "a", lastImport: made.record, lastFailure: failed.record };
        expect(await reader.lastImports(9)).toMatchObject([last, { id: "b", ...nothing }]);
        expect(await reader.company("a").lastImports()).toMatchObject(last);
        expect(await reader.company("unknown").lastImports()).toBeNull();
        expect(await reader.version("a")).toBe(version);
        const ofOther = Array.from({ length: 150 }, (_, at) => ({ hasFailed: false, record: `other ${at}` }));
        await change(writer, "b", (transaction) => replaceImports(transaction, ofOther));
        for (let at = 0; at < 101; at++) await done(String(at));
        const all = await writer.imports("a");
        expect(all).toHaveLength(101);
        expect([all[0], all[1], all[100]].map((one) => one?.record)).toEqual([failed.record, "1", "100"]);
        await change(writer, "a", async (transaction) => {
          await replaceImports(transaction, [made, failed]);
        });
        expect(await writer.imports("a")).toEqual([made, failed]);
        await writer.deleteCompany("a");
        await createCompany(writer, "a");
        expect(await writer.imports("a")).toEqual([]);
      }));

    test("measure what they hold: rows from a day on, days, medians", () =>
      withFacts(engine, FACTS, async ({ writer }) => {
        await change(writer, "acme", async (transaction) => {
          const { requests } = FACTS;
          const day = requests[3]!.lastDay;
          const count = requests.filter((row) => row.lastDay >= day).length;
          expect(await transaction.count("requests", [{ column: "lastDay", day }])).toBe(count);
          expect(await transaction.count("requests")).toBe(requests.length);
          const open = FACTS.workers.filter((row) => row.endDay === null || row.endDay >= day).length;
          expect(await transaction.count("workers", [{ column: "endDay", day }])).toBe(open);
          expect(await daySpan(transaction, "requests", ["firstDay", "lastDay"])).toEqual({
            firstDay: Math.min(...requests.map((row) => row.firstDay)),
            lastDay: Math.max(...requests.map((row) => row.lastDay)),
          });
          const amounts = Map.groupBy(requests, (row) => row.policyId);
          const medians = [...amounts].map(([policyId, rows]) => {
            const sorted = rows.map(({ minutes }) => Math.abs(minutes)).sort((a, b) => a - b);
            const middle = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
            return { policyId, rows: rows.length, minutes: (middle[0]! + middle[1]!) / 2 };
          });
          const expected = medians.filter(({ rows }) => rows >= 2);
          expect(expected.length).toBeGreaterThan(0);
          const found = await medianMinutes(transaction, "requests", 2);
          expect(found.map(({ policyId }) => policyId)).toEqual(expected.map((one) => one.policyId).sort());
          for (const { policyId, rows, minutes } of expected) {
            const one = found.find((median) => median.policyId === policyId)!;
            expect(one.rows).toBe(rows);
            expect(one.minutes).toBeCloseTo(minutes, 6);
          }
        });
      }));

    test("do not wait for an import to remember that another one failed", () =>
      withStore(engine, async ({ writer }) => {
        await createCompany(writer, "a");
        await writer.change("a", async () => {
          expect(await writer.noteFailedImport("a", "{}")).toBe(false);
          return { result: 0, changed: false, commit: true };
        });
        expect(await writer.imports("a")).toEqual([]);
      }));

    test("tell how many rows they have, and how large their objects are", () =>
      withFacts(engine, FACTS, async ({ writer }) => {
        await createCompany(writer, "empty");
        const bytesOf = (kind: Kind) =>
          FACTS[kind].reduce((sum, row) => sum + ("doc" in row ? Buffer.byteLength(row.doc) : 0), 0);
        expect(await writer.sizes("acme")).toEqual(
          KINDS.map((kind) => ({ kind, rows: FACTS[kind].length, bytes: bytesOf(kind) })),
        );
        expect(await writer.sizes("empty")).toEqual(KINDS.map((kind) => ({ kind, rows: 0, bytes: 0 })));
      }));

    test("see nothing of each other, even with the same ids", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        await createCompany(writer, "other");
        const version = await reader.version("acme");
        await putFacts(writer, "other", OTHER_FACTS);
        expect(await reader.version("acme")).toEqual(version);
        expect(await exported(writer, "acme")).toEqual(FACTS);
        expect(await exported(writer, "other")).toEqual(OTHER_FACTS);
        const workerId = FACTS.workers[0]!.id;
        expect(await reader.company("acme").object("workers", workerId)).toBe(FACTS.workers[0]!.doc);
        expect(await reader.company("other").object("workers", workerId)).toBe('{"of":"other"}');
        await change(writer, "other", async (transaction) => {
          await transaction.remove(
            "workers",
            FACTS.workers.map((row) => [row.id]),
          );
          await transaction.remove(
            "requests",
            FACTS.requests.map((row) => [row.id]),
          );
        });
        expect(await exported(writer, "acme")).toEqual(FACTS);
        const facts = await reader.company("acme").balanceFacts({ limit: 100 });
        const counted = facts.assignments.flatMap((row) => row.requests).length;
        const pairs = new Set(facts.assignments.map((row) => `${row.workerId} ${row.policyId}`));
        const open = FACTS.requests.filter(
          (row) => row.status !== "denied" && pairs.has(`${row.workerId} ${row.policyId}`),
        );
        expect(counted).toBeGreaterThan(0);
        expect(counted).toBe(open.length);
      }));

    test("are deleted with their facts and keys, and with nothing of another", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        await createCompany(writer, "other");
        await putFacts(writer, "other", OTHER_FACTS);
        await writer.createSecret(makeKey("key1", "acme"));
        await writer.createSecret(makeKey("key2", "other"));
        expect(await writer.deleteCompany("acme")).not.toBeNull();
        expect(await writer.deleteCompany("acme")).toBeNull();
        expect(await reader.version("acme")).toBeNull();
        expect(await writer.keys()).toEqual([makeKey("key2", "other")]);
        expect(await exported(writer, "other")).toEqual(OTHER_FACTS);
        await createCompany(writer, "acme");
        for (const rows of Object.values(await exported(writer, "acme"))) expect(rows).toEqual([]);
      }));

    test("an unknown one cannot be exported", () =>
      withStore(engine, async ({ writer }) => {
        await expect(exported(writer, "nobody")).rejects.toThrow(StoreRefusal);
      }));

    test("an export is one snapshot, though an import ends meanwhile", () =>
      withFacts(engine, FACTS, async ({ writer, location }) => {
        const second = await location.openWriter();
        let kinds = 0;
        await writer.export("acme", async (kind, rows) => {
          if (kinds++ === 0) await putFacts(second, "acme", OTHER_FACTS);
          if (kind === "requests") expect(rows).toEqual(FACTS.requests as never);
        });
        expect(kinds).toBe(KINDS.length);
        await second.close();
      }));
  });
}
