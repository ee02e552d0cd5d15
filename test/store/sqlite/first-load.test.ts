// Property: after a first load, what nobody was assigned for is what a plain comparison of all pairs says: whatever the order of the
// kinds and of their rows, whether a kind was there before, and whatever is written or removed afterwards. What the load
// remembers of pairs must not say otherwise.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ImportTransaction } from "../../../src/store/store.ts";
import type { Rows } from "../../../src/store/tables.ts";
import { adjustmentRow, assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { createCompany, openTestStore } from "../../support/stores.ts";

const WORKERS = ["wrk_a", "wrk_b", "wrk_c"];
const POLICIES = ["top_a", "top_b"];
const PAIRS = WORKERS.flatMap((worker) => POLICIES.map((policy) => [worker, policy] as const));

type Kind = "requests" | "adjustments" | "assignments";
type Pair = (typeof PAIRS)[number];

const rowsOf = {
  requests: (pairs) => pairs.map(([worker, policy], at) => requestRow(`tor_${at}`, worker, policy)),
  adjustments: (pairs) => pairs.map(([worker, policy], at) => adjustmentRow(`adj_${at}`, worker, policy)),
  assignments: (pairs) => pairs.map(([worker, policy], at) => assignmentRow(`toa_${at}`, worker, policy)),
} satisfies { [K in Kind]: (pairs: readonly Pair[]) => Rows[K][] };

const keyText = ([worker, policy]: Pair) => `${worker} ${policy}`;

const some = fc.array(fc.constantFrom(...PAIRS), { maxLength: 8 });
const loads = fc.record({
  requests: some,
  adjustments: some,
  assignments: fc.subarray(PAIRS, { minLength: 0 }).map((pairs) => [...pairs]),
  order: fc.constantFrom<Kind[]>(
    ["requests", "assignments", "adjustments"],
    ["assignments", "requests", "adjustments"],
    ["adjustments", "requests", "assignments"],
  ),
  /** Kinds that are put row by row. */
  plain: fc.subarray<Kind>(["requests", "adjustments", "assignments"]),
  removed: fc.option(fc.nat(5), { nil: null }),
});

async function put(transaction: ImportTransaction, kind: Kind, pairs: readonly Pair[], isFirstLoad: boolean) {
  if (isFirstLoad) await transaction.beginFirstLoad(kind);
  await transaction.put(kind, rowsOf[kind](pairs));
  if (isFirstLoad) await transaction.endFirstLoad();
}

test("what nobody was assigned for is known after a first load", async () => {
  await fc.assert(
    fc.asyncProperty(loads, async ({ order, plain, removed, ...pairs }) => {
      const store = await openTestStore();
      try {
        await createCompany(store.writer, "acme");
        await store.writer.import("acme", async (transaction) => {
          await transaction.put(
            "workers",
            WORKERS.map((id) => workerRow(id)),
          );
          await transaction.put(
            "policies",
            POLICIES.map((id) => policyRow(id)),
          );
          for (const kind of order) await put(transaction, kind, pairs[kind], !plain.includes(kind));
          let assigned = pairs.assignments;
          const gone = removed === null ? undefined : assigned[removed];
          if (gone !== undefined) {
            await transaction.remove("assignments", [gone]);
            assigned = assigned.filter((pair) => pair !== gone);
          }
          const has = new Set(assigned.map(keyText));
          for (const kind of ["requests", "adjustments"] as const) {
            const { count } = await transaction.withoutAssignment(kind);
            expect(count).toBe(pairs[kind].filter((pair) => !has.has(keyText(pair))).length);
          }
          return { result: null, changed: true, commit: true };
        });
      } finally {
        await store.dispose();
      }
    }),
    { numRuns: 40 },
  );
});
