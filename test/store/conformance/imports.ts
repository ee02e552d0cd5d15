// Property: a list that is read page by page during imports, in either direction, returns every row that stayed exactly once,
// in order. Also: imports are all or nothing, visible to every reader at once, one at a time per company.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { StoreRefusal } from "../../../src/store/store.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { requestRow } from "../../support/rows.ts";
import { type AllRows, change, exported, putFacts } from "../../support/stores.ts";
import { idOf, listed } from "../listed.ts";
import { type Engine, withFacts, withStore } from "./engine.ts";
import { walk } from "./lists.ts";
import { keyOf, stored } from "./primitives.ts";

const FACTS = makeFacts(5, 25);
const LATER = makeFacts(6, 25);
/** Without the legacy ids, which rows of FACTS may have under other ids. */
const LATER_WORKERS = LATER.workers.map((row) => ({ ...row, legacyId: null }));

class Interrupted extends Error {}

export function imports(engine: Engine): void {
  describe("imports", () => {
    test("a committed change is what the next read sees, under a new version, on every reader", () =>
      withFacts(engine, FACTS, async ({ location, reader, writer }) => {
        const second = await location.openReader();
        const before = await reader.version("acme");
        expect(await second.version("acme")).toEqual(before);
        expect(before).not.toBeNull();
        for (let round = 0; round < 20; round++) {
          const worker = { ...FACTS.workers[0]!, doc: `{"round":${round}}` };
          const version = await second.version("acme");
          const result = await change(writer, "acme", (transaction) => transaction.put("workers", [worker]));
          expect(result).toBeUndefined();
          for (const one of [second, reader]) {
            expect(await one.version("acme")).not.toEqual(version);
            expect(await one.company("acme").object("workers", worker.id)).toBe(worker.doc);
          }
          expect(await second.version("acme")).toEqual(await reader.version("acme"));
        }
        await second.close();
      }));

    test("requests whose objects are written only when they are asked for, as those of files, are found by time", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const { id, workerId, policyId } = FACTS.requests[0]!;
        const times = { startAt: "2031-01-01T00:00:00.000Z", endAt: "2031-01-03T00:00:00.000Z" };
        const rows = [id, "tor_new"].map((one) => requestRow(one, workerId, policyId, times));
        const unwritten = rows.map(({ doc, ...columns }) => Object.assign(Object.create({ doc }), columns));
        await change(writer, "acme", (transaction) => transaction.put("requests", unwritten));
        const overlapping = [
          { column: "startAtMs", is: "<", values: [Date.parse("2031-01-03")] },
          { column: "endAtMs", is: ">=", values: [Date.parse("2031-01-02")] },
        ] as const;
        const page = await reader.company("acme").list("requests", { limit: 10 }, overlapping);
        const found = page.docs.map((doc) =>
          JSON.parse(typeof doc === "string" ? doc : Buffer.from(doc).toString()),
        );
        expect(found).toEqual(rows.map(({ doc }) => JSON.parse(doc)).sort((a, b) => (a.id < b.id ? -1 : 1)));
      }));

    test("an import that changed nothing keeps the version", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const before = await reader.version("acme");
        const outcome = { result: "same", changed: false, commit: true };
        expect(await writer.change("acme", async () => outcome)).toBe("same");
        expect(await reader.version("acme")).toEqual(before);
      }));

    test("a dry run leaves everything as it was", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const before = await reader.version("acme");
        const counted = await writer.change("acme", async (transaction) => {
          for (const kind of ["requests", "work_hours"] as const) {
            await transaction.remove(
              kind,
              FACTS[kind].map((row) => keyOf(kind, row)),
            );
          }
          await transaction.put("workers", LATER_WORKERS);
          return { result: await transaction.count("requests"), changed: true, commit: false };
        });
        expect(counted).toBe(0);
        expect(await exported(writer, "acme")).toEqual(FACTS);
        expect(await reader.version("acme")).toEqual(before);
      }));

    test("an import that fails half-way leaves everything as it was, and the next one works", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const before = await reader.version("acme");
        const failing = change(writer, "acme", async (transaction) => {
          await transaction.put("workers", LATER_WORKERS);
          await transaction.remove(
            "policies",
            FACTS.policies.map((row) => keyOf("policies", row)),
          );
          throw new Interrupted("half-way");
        });
        await expect(failing).rejects.toBeInstanceOf(Interrupted);
        expect(await exported(writer, "acme")).toEqual(FACTS);
        expect(await reader.version("acme")).toEqual(before);
        await putFacts(writer, "acme", { workers: [LATER_WORKERS[0]!] });
        expect(await reader.version("acme")).not.toEqual(before);
      }));

    test("a row that breaks a key of its own fails the whole import", () =>
      withFacts(engine, FACTS, async ({ writer }) => {
        const named = FACTS.workers.find((row) => row.legacyId !== null)!;
        const failing = change(writer, "acme", async (transaction) => {
          await transaction.put("workers", [{ ...FACTS.workers[0]!, id: "wrk_first", legacyId: null }]);
          await transaction.put("workers", [{ ...named, id: "wrk_other" }]);
        });
        await expect(failing).rejects.toBeInstanceOf(Error);
        expect(await exported(writer, "acme")).toEqual(FACTS);
      }));

    test("readers see nothing of an import that is under way, and do not wait for it", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const before = await reader.version("acme");
        const workerId = FACTS.workers[0]!.id;
        await change(writer, "acme", async (transaction) => {
          await transaction.put("workers", [{ ...FACTS.workers[0]!, doc: '{"new":true}' }]);
          expect(await reader.version("acme")).toEqual(before);
          expect(await reader.company("acme").object("workers", workerId)).toBe(FACTS.workers[0]!.doc);
        });
        expect(await reader.company("acme").object("workers", workerId)).toBe('{"new":true}');
      }));

    test("an unknown company is refused with the command that creates it", () =>
      withStore(engine, async ({ writer }) => {
        const failing = change(writer, "nobody", async () => {
          throw new Interrupted("must not begin");
        });
        await expect(failing).rejects.toThrow(StoreRefusal);
        await expect(failing).rejects.toThrow("rollcall companies create nobody");
      }));

    for (const from of ["one writer", "two writers"]) {
      test(`two imports of one company wait for each other (${from})`, () =>
        withFacts(engine, FACTS, async ({ location, writer }) => {
          const second = from === "one writer" ? writer : await location.openWriter();
          const row = { workerId: FACTS.workers[0]!.id, day: 99_999 };
          const waited: string[] = [];
          const add = (name: string, onto: typeof writer) =>
            onto.change(
              "acme",
              async (transaction) => {
                const [before] = await stored(transaction, "work_hours", [[row.workerId, row.day]]);
                while (waited.length < 2) await Bun.sleep(5); // the first one is there until the others wait
                await transaction.put("work_hours", [{ ...row, minutes: (before?.minutes ?? 0) + 1 }]);
                return { result: undefined, changed: true, commit: true };
              },
              { onWait: () => waited.push(name) },
            );
          await Promise.all([add("first", writer), add("second", second), add("third", second)]);
          const total = await change(writer, "acme", (transaction) =>
            stored(transaction, "work_hours", [[row.workerId, row.day]]),
          );
          expect(total[0]?.minutes).toBe(3);
          expect(waited).toHaveLength(2);
          expect(new Set(waited).size).toBe(2);
          if (second !== writer) await second.close();
        }));
    }

    test("a walk during imports sees every row that stayed exactly once, in order", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const staying = FACTS.requests.filter((_, index) => index % 3 !== 0);
        const moving = FACTS.requests.filter((_, index) => index % 3 === 0);
        const company = reader.company("acme");
        let done = false;
        const importing = importInTurns(() => done, writer, moving);
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 9 }),
            fc.constantFrom("after", "before"),
            async (size, direction) => {
              const seen = await walk((page) => listed(company, "requests", page, {}), size, direction);
              const ids = seen.map(idOf);
              expect(ids).toEqual([...new Set(ids)].toSorted());
              const known = new Set(moving.map((row) => row.id));
              expect(ids.filter((id) => !known.has(id))).toEqual(staying.map((row) => row.id));
            },
          ),
          { numRuns: 30 },
        );
        done = true;
        await importing;
      }));
  });
}

async function importInTurns(
  done: () => boolean,
  writer: Parameters<typeof change>[0],
  moving: AllRows["requests"],
): Promise<void> {
  for (let round = 0; !done(); round++) {
    await change(writer, "acme", async (transaction) => {
      const leaving = moving.filter((_, index) => (index + round) % 2 === 0);
      await transaction.remove(
        "requests",
        leaving.map((row) => [row.id]),
      );
      await transaction.put(
        "requests",
        moving.filter((row) => !leaving.includes(row)),
      );
    });
    await Bun.sleep(1);
  }
}
