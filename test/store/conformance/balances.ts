// Property: for any page and filter, the facts of balances are those of the page's assignments and their workers, and of
// nobody else, in one snapshot.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { BalanceQuery, FactsPage } from "../../../src/store/store.ts";
import type { Rows } from "../../../src/store/tables.ts";
import { makeFacts, twinsOf } from "../../support/random-rows.ts";
import { assignmentRow, workerRow } from "../../support/rows.ts";
import { addCompany, change } from "../../support/stores.ts";
import { type Engine, withFacts } from "./engine.ts";
import { balanceFactsOf } from "./model.ts";

const FACTS = makeFacts(2, 40);
/** Of the companies before and after it in an index: one has the same ids. */
const NEIGHBOURS = { acm: twinsOf(FACTS), "acme-2": makeFacts(3, 40) };
const WORKER_IDS = FACTS.workers.map((row) => row.id);
const POLICY_IDS = FACTS.policies.map((row) => row.id);

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

const position = fc.record({
  workerId: fc.constantFrom(...WORKER_IDS, "wrk_M", "wrk_"),
  policyId: fc.option(fc.constantFrom(...POLICY_IDS, "top_M"), { nil: null }),
});

const query: fc.Arbitrary<BalanceQuery> = fc
  .record({
    limit: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(25, 100)),
    at: maybe(position),
    backward: fc.boolean(),
    withIds: maybe(fc.boolean()),
    workerIds: maybe(fc.array(fc.constantFrom(...WORKER_IDS, "wrk_nobody"), { minLength: 1, maxLength: 5 })),
    policyIds: maybe(fc.subarray(POLICY_IDS, { minLength: 1 })),
  })
  .map(({ at, backward, ...rest }) => ({ ...rest, ...(at && { [backward ? "before" : "after"]: at }) }));

/** The facts in a form that does not depend on the order within a list, with nothing else that an engine may give. */
function settled({ assignments, hasMore }: FactsPage) {
  const texts = (list: readonly object[], fields: readonly string[]) =>
    list
      .map((row) => JSON.stringify(fields.map((field) => (row as Record<string, unknown>)[field])))
      .toSorted(); // by name
  return {
    hasMore,
    assignments: assignments.map(({ requests, adjustments, workedHours, opening, ...rest }) => ({
      ...rest,
      requests: texts(requests, ["id", "status", "firstDay", "lastDay", "minutes", "terms"]),
      adjustments: texts(adjustments, ["id", "day", "minutes", "expiresOn"]),
      workedHours: texts(workedHours, ["day", "minutes"]),
      opening: opening && texts([opening], ["day", "minutes", "carriedMinutes", "accruedMinutes"]),
    })),
  };
}

const sorted = (row: object) =>
  Object.fromEntries(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));

export function balances(engine: Engine): void {
  describe("balance facts", () => {
    test("a page anywhere, under any filter, is what the model says", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        for (const [id, facts] of Object.entries(NEIGHBOURS)) await addCompany(writer, id, facts);
        const company = reader.company("acme");
        await fc.assert(
          fc.asyncProperty(query, async (asked) => {
            const facts = await company.balanceFacts(asked);
            expect(settled(facts)).toEqual(settled(balanceFactsOf(FACTS, asked)));
          }),
          { numRuns: 100 },
        );
      }));

    test("an import sees the same", () =>
      withFacts(engine, FACTS, async ({ writer }) => {
        await change(writer, "acme", async (transaction) => {
          await fc.assert(
            fc.asyncProperty(query, async (asked) => {
              const facts = await transaction.balanceFacts(asked);
              expect(settled(facts)).toEqual(settled(balanceFactsOf(FACTS, asked)));
            }),
            { numRuns: 50 },
          );
        });
      }));

    test("the rows of a worker are theirs alone, of every kind", () =>
      withFacts(engine, FACTS, async ({ reader }) => {
        for (const workerId of [...WORKER_IDS, "wrk_nobody"]) {
          const rows = await reader.company("acme").rowsOf(workerId);
          for (const [kind, found] of Object.entries(rows)) {
            const all = FACTS[kind as keyof typeof rows] as readonly { id?: string; workerId?: string }[];
            const own = all.filter((row) => (kind === "workers" ? row.id : row.workerId) === workerId);
            const inOrder = (list: readonly object[]) =>
              list.map((row) => JSON.stringify(sorted(row))).toSorted();
            expect(inOrder(found)).toEqual(inOrder(own));
          }
          expect(Object.values(await reader.company("nobody").rowsOf(workerId)).flat()).toEqual([]);
        }
      }));

    test("what another system reported is of one company, by worker, policy and day", () =>
      withFacts(engine, FACTS, async ({ reader }) => {
        const key = ({ workerId, policyId, day }: Rows["reported"]) => `${workerId} ${policyId} ${day}`;
        const model = FACTS.reported.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
        expect(model.length).toBeGreaterThan(1);
        expect(await reader.company("acme").reported()).toEqual(model);
        expect(await reader.company("nobody").reported()).toEqual([]);
      }));

    test("one snapshot: facts that change together are never seen apart", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        // Of a policy that counts worked hours.
        const byHours = FACTS.policies.filter(
          ({ terms }) => JSON.parse(terms).schedule === "per_hour_worked",
        );
        const { workerId, policyId } = FACTS.assignments.find((row) =>
          byHours.some(({ id }) => id === row.policyId),
        )!;
        const adjustment = {
          id: "adj_one",
          legacyId: null,
          workerId,
          policyId,
          expiresDay: null,
          note: null,
        };
        const request = {
          ...FACTS.requests[0]!,
          id: "tor_one",
          legacyId: null,
          workerId,
          policyId,
          status: "approved" as const,
        };
        let done = false;
        const writing = (async () => {
          for (let round = 1; round <= 40; round++) {
            await change(writer, "acme", async (transaction) => {
              await transaction.put("adjustments", [{ ...adjustment, day: 77_777, minutes: round }]);
              await transaction.put("work_hours", [{ workerId, day: 77_777, minutes: round }]);
              await transaction.put("requests", [{ ...request, firstDay: 77_777, minutes: round }]);
            });
          }
          done = true;
        })();
        while (!done) {
          const asked = { limit: 3, workerIds: [workerId], policyIds: [policyId] };
          const [one] = (await reader.company("acme").balanceFacts(asked)).assignments;
          const minutes = [
            one!.adjustments.find(({ day }) => day === 77_777)?.minutes,
            one!.workedHours.find(({ day }) => day === 77_777)?.minutes,
            one!.requests.find(({ firstDay }) => firstDay === 77_777)?.minutes,
          ];
          expect(new Set(minutes).size).toBe(1);
          await Bun.sleep(0);
        }
        await writing;
      }));

    test("workers between those of a page who have no assignment are none of it, however many they are", () =>
      withFacts(engine, SPARSE, async ({ reader }) => {
        const company = reader.company("acme");
        const policyIds = [policyId];
        for (const position of [{ after: at("00") }, { after: at("30") }, { before: at("45") }]) {
          const facts = await company.balanceFacts({ limit: 4, ...position });
          expect(facts.assignments.length).toBe(4);
          expect(facts).toEqual(await company.balanceFacts({ limit: 4, ...position, policyIds }));
        }
      }));
  });
}

const policyId = FACTS.policies[0]!.id;
const at = (number: string) => ({ workerId: `wrk_${number}`, policyId: "~" });

/** At first every tenth worker has an assignment, later every second. */
const SPARSE = {
  ...FACTS,
  workers: Array.from({ length: 60 }, (_, number) => workerRow(`wrk_${String(number).padStart(2, "0")}`)),
  assignments: Array.from({ length: 60 }, (_, number) => number)
    .filter((number) => number % (number < 45 ? 10 : 2) === 0)
    .map((number) => String(number).padStart(2, "0"))
    .map((number) => assignmentRow(`toa_${number}`, `wrk_${number}`, policyId)),
  requests: FACTS.requests.map((row, number) => ({ ...row, workerId: `wrk_${10 + (number % 50)}` })),
  adjustments: [],
  work_hours: [],
};
