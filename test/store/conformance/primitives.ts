// The steps that an import is built from.
import { describe, expect, test } from "bun:test";
import { doubtfulRows } from "../../../src/import/load/doubtful-rows.ts";
import { requestsInWorkersZone } from "../../../src/import/load/kinds/requests.ts";
import { referenced } from "../../../src/import/load/references.ts";
import type { ImportTransaction, RowKey } from "../../../src/store/store.ts";
import { KINDS, type Kind, type Rows, TABLES } from "../../../src/store/tables.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { type AllRows, change, createCompany, exported, putFacts } from "../../support/stores.ts";
import { type Engine, withFacts } from "./engine.ts";

const FACTS = makeFacts(3, 30);
const OTHER = makeFacts(4, 30);

/** The stored row of each key, or null, in the order of `keys`. */
export async function stored<K extends Kind>(
  transaction: ImportTransaction,
  kind: K,
  keys: readonly RowKey[],
): Promise<(Rows[K] | null)[]> {
  const rows = new Map((await scanned(transaction, kind)).map((row) => [keyOf(kind, row).join(" "), row]));
  return keys.map((key) => rows.get(key.join(" ")) ?? null);
}

/** The row's key, as `TABLES` names it. */
export function keyOf<K extends Kind>(kind: K, row: Rows[K]): RowKey {
  return TABLES[kind].key.map((field) => row[field] as string | number); // keys are texts and days
}

function within(engine: Engine, work: (transaction: ImportTransaction) => Promise<void>): Promise<void> {
  return withFacts(engine, FACTS, async ({ writer }) => {
    await createCompany(writer, "other");
    await putFacts(writer, "other", OTHER);
    await change(writer, "acme", work);
    expect(await exported(writer, "other")).toEqual(OTHER);
  });
}

async function scanned<K extends Kind>(transaction: ImportTransaction, kind: K): Promise<Rows[K][]> {
  const rows: Rows[K][] = [];
  for await (const batch of transaction.scan(kind)) rows.push(...batch);
  return rows;
}

export function primitives(engine: Engine): void {
  describe("import primitives", () => {
    test("count", () =>
      within(engine, async (transaction) => {
        for (const kind of KINDS) {
          expect(await transaction.count(kind)).toBe(FACTS[kind].length);
          await transaction.remove(
            kind,
            FACTS[kind].map((row) => keyOf(kind, row)),
          );
          expect(await transaction.count(kind)).toBe(0);
        }
      }));

    test("stored rows come back exactly, in the order that was asked for", () =>
      within(engine, async (transaction) => {
        for (const kind of KINDS) await storedExactly(transaction, kind);
      }));

    test("put adds new rows and replaces those with the same key", () =>
      within(engine, async (transaction) => {
        const [first, second, ...rest] = FACTS.workers;
        const replaced = {
          ...first!,
          legacyId: "new \\N\t",
          doc: '{"new":"ß"}',
          endDay: null,
          timeZone: null,
        };
        const added = { ...second!, id: "wrk_zzzz", legacyId: null };
        await transaction.put("workers", [added, replaced]);
        expect(await scanned(transaction, "workers")).toEqual([replaced, second!, ...rest, added]);
        await transaction.put("workers", []);
      }));

    test("requests that were just changed are seen by whatever is asked next", () =>
      withFacts(engine, FACTS, async ({ writer }) => {
        const newcomer = { ...FACTS.workers[0]!, id: "wrk_newcomer", legacyId: null };
        let requests: readonly Rows["requests"][] = FACTS.requests;
        await change(writer, "acme", async (transaction) => {
          await transaction.put("workers", [newcomer]);
          let round = 0;
          const changing = async (fields: Partial<Rows["requests"]>, rows = requests) => {
            const changed = rows.map((row, at) => ({ ...row, ...fields, minutes: ++round + at }));
            const byId = new Map(changed.map((row) => [row.id, row]));
            requests = requests.map((row) => byId.get(row.id) ?? row);
            await transaction.put("requests", changed);
          };
          const keys = requests.map((row) => keyOf("requests", row));
          await changing({ status: "denied" });
          expect(await stored(transaction, "requests", keys)).toEqual([...requests]);
          await changing({ status: "pending", startAtMs: 0, endAtMs: 1e11, firstDay: 0, lastDay: 1157 });
          await changing({ status: "approved" });
          expect(await scanned(transaction, "requests")).toEqual([...requests]);
          await changing({ status: "pending" });
          const isAssigned = (row: Rows["requests"]) =>
            FACTS.assignments.some(
              ({ workerId, policyId }) => workerId === row.workerId && policyId === row.policyId,
            );
          const third = requests.find(isAssigned)!; // some are
          const [first, second, ...others] = requests.filter((row) => row !== third);
          await changing({ workerId: newcomer.id }, [first!]);
          expect(await referenced(transaction, "workers", [newcomer.id])).toEqual(
            new Map<string, Kind>([[newcomer.id, "requests"]]),
          );
          await changing({ workerId: newcomer.id, timeZone: null }, [second!]);
          const followers = await requestsInWorkersZone(transaction, [newcomer.id]);
          expect(followers.map(({ id }) => id)).toContain(second!.id);
          const { count } = await doubtfulRows(transaction, "unassigned-requests");
          await changing({ workerId: newcomer.id }, [third]);
          expect((await doubtfulRows(transaction, "unassigned-requests")).count).toBe(count + 1);
          await changing({ legacyId: "another name" }, [others[0]!]);
          await changing({ status: "denied" });
        });
        expect((await exported(writer, "acme")).requests).toEqual([...requests]);
      }));

    test("a first load gives the rows that putting them gives, whoever else has rows", () =>
      withFacts(engine, OTHER, async ({ writer }) => {
        for (const id of ["first", "second"]) {
          await createCompany(writer, id);
          await change(writer, id, async (transaction) => {
            for (const kind of KINDS) {
              await transaction.beginFirstLoad(kind);
              for (const row of FACTS[kind].toReversed()) await transaction.put(kind, [row] as never);
              await transaction.endFirstLoad();
              const last = FACTS[kind].at(-1)!;
              expect(await stored(transaction, kind, [keyOf(kind, last as never)])).toEqual([last] as never);
            }
          });
          expect(await exported(writer, id)).toEqual(FACTS);
        }
        expect(await exported(writer, "acme")).toEqual(OTHER);
      }));

    test("a row that was missing, put, removed and put again is there once", () =>
      within(engine, async (transaction) => {
        const row = { ...FACTS.requests[0]!, id: "tor_again", legacyId: null };
        expect(await stored(transaction, "requests", [["tor_again"]])).toEqual([null]);
        await transaction.put("requests", [row]);
        await transaction.put("requests", [{ ...row, minutes: 1 }]);
        await transaction.remove("requests", [["tor_again"]]);
        expect(await stored(transaction, "requests", [["tor_again"]])).toEqual([null]);
        await transaction.put("requests", [{ ...row, minutes: 2 }]);
        expect(await stored(transaction, "requests", [["tor_again"]])).toEqual([{ ...row, minutes: 2 }]);
        expect(await transaction.count("requests")).toBe(FACTS.requests.length + 1);
      }));

    test("scan gives every row in key order, and rows of batches already seen may be written meanwhile", () =>
      within(engine, async (transaction) => {
        for (const kind of KINDS) expect(await scanned(transaction, kind)).toEqual(FACTS[kind] as never[]);
        const many: AllRows["work_hours"] = Array.from({ length: 2500 }, (_, day) => ({
          workerId: "wrk_0",
          day,
          minutes: 1,
        }));
        await transaction.put("work_hours", many);
        let seen = 0;
        for await (const rows of transaction.scan("work_hours")) {
          expect(rows.length).toBeLessThanOrEqual(1000);
          await transaction.put(
            "work_hours",
            rows.map((row) => ({ ...row, minutes: 2 })),
          );
          seen += rows.length;
        }
        expect(seen).toBe(many.length + FACTS.work_hours.length);
        const [row] = await stored(transaction, "work_hours", [["wrk_0", 2499]]);
        expect(row?.minutes).toBe(2);
      }));

    test("requests without a time zone of their own", () =>
      within(engine, async (transaction) => {
        const workerIds = FACTS.workers.slice(0, 9).map((row) => row.id);
        const found = await requestsInWorkersZone(transaction, [...workerIds, "wrk_nobody"]);
        expect(found.toSorted((left, right) => (left.id < right.id ? -1 : 1))).toEqual(
          FACTS.requests.filter((row) => workerIds.includes(row.workerId) && row.timeZone === null),
        );
        expect(await requestsInWorkersZone(transaction, [])).toEqual([]);
      }));

    test("what is still referred to, and by which kind", () =>
      within(engine, async (transaction) => {
        const orphaned = { ...FACTS.workers[0]!, id: "wrk_lonely", legacyId: null };
        const hourly = { ...orphaned, id: "wrk_hourly" };
        await transaction.put("workers", [orphaned, hourly]);
        await transaction.put("work_hours", [{ workerId: "wrk_hourly", day: 1, minutes: 1 }]);
        const assigned = FACTS.assignments[0]!.workerId;
        const found = await referenced(transaction, "workers", ["wrk_lonely", "wrk_hourly", assigned]);
        expect(found).toEqual(
          new Map<string, Kind>([
            ["wrk_hourly", "work_hours"],
            [assigned, "assignments"],
          ]),
        );
        await transaction.remove(
          "assignments",
          FACTS.assignments.map((row) => keyOf("assignments", row)),
        );
        await transaction.remove(
          "requests",
          FACTS.requests.map((row) => keyOf("requests", row)),
        );
        await transaction.remove(
          "policy_changes",
          FACTS.policy_changes.map((row) => keyOf("policy_changes", row)),
        );
        const policyId = FACTS.adjustments[0]!.policyId;
        expect(await referenced(transaction, "policies", [policyId, "top_none"])).toEqual(
          new Map<string, Kind>([[policyId, "adjustments"]]),
        );
        expect(await referenced(transaction, "policies", [])).toEqual(new Map());
      }));

    test("what nobody was assigned for", () =>
      within(engine, async (transaction) => {
        const assigned = new Set(FACTS.assignments.map((row) => `${row.workerId} ${row.policyId}`));
        const policies = new Set(FACTS.assignments.map((row) => row.policyId));
        const found = <R extends { id: string; legacyId: string | null }>(rows: readonly R[]) => ({
          count: rows.length,
          names: rows
            .toSorted((a, b) => (a.id < b.id ? -1 : 1))
            .slice(0, 3)
            .map((row) => row.legacyId ?? row.id),
        });
        for (const kind of ["requests", "adjustments"] as const) {
          const rows = FACTS[kind].filter((row) => !assigned.has(`${row.workerId} ${row.policyId}`));
          expect(await doubtfulRows(transaction, `unassigned-${kind}`)).toEqual(
            found<(typeof rows)[number]>(rows),
          );
        }
        const unused = FACTS.policies.filter((row) => !policies.has(row.id));
        expect(await doubtfulRows(transaction, "unused-policy")).toEqual(found(unused));
        await transaction.remove(
          "assignments",
          FACTS.assignments.map((row) => keyOf("assignments", row)),
        );
        expect(await doubtfulRows(transaction, "unassigned-adjustments")).toEqual(found(FACTS.adjustments));
        expect(await doubtfulRows(transaction, "unused-policy")).toEqual(found(FACTS.policies));
      }));

    test("numbers come back as they went in", () =>
      within(engine, async (transaction) => {
        const minutes = [0.1 + 0.2, -1 / 3, 1e-7, 123_456_789.012_345, Number.MAX_SAFE_INTEGER, 0];
        const rows = minutes.map((amount, day) => ({
          workerId: "wrk_n",
          day: day - 25_567,
          minutes: amount,
        }));
        await transaction.put("work_hours", rows);
        expect(
          await stored(
            transaction,
            "work_hours",
            rows.map((row) => keyOf("work_hours", row)),
          ),
        ).toEqual(rows);
        const instants = { startAtMs: -2_208_988_800_000, endAtMs: 7_289_654_399_999 };
        const request = { ...FACTS.requests[0]!, ...instants, minutes: 1e21 };
        await transaction.put("requests", [request]);
        expect(await stored(transaction, "requests", [[request.id]])).toEqual([request]);
      }));
  });
}

async function storedExactly<K extends Kind>(transaction: ImportTransaction, kind: K): Promise<void> {
  const rows = FACTS[kind].toReversed() as Rows[K][]; // FACTS[kind] are rows of this kind
  const nobody: RowKey = TABLES[kind].key.map((field) => (field === "day" ? -1 : "nobody"));
  const keys = [nobody, ...rows.map((row) => keyOf(kind, row)), nobody];
  expect(await stored(transaction, kind, keys)).toEqual([null, ...rows, null]);
  expect(await stored(transaction, kind, [])).toEqual([]);
}
