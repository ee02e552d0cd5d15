// Property: after any imports that put, change and remove rows of every kind, some of them several times in one import, a page of
// balances has the facts of the stored rows. Pages are made of rows of their own, which imports make anew for the workers they touch: one
// who was forgotten would have the balances of yesterday.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { Statements } from "../../../src/store/sqlite/database.ts";
import { type FactsOfWorker, factBytes, factsOfBytes } from "../../../src/store/sqlite/layout/fact-bytes.ts";
import { countWrongFacts } from "../../../src/store/sqlite/layout/worker-facts.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/schema.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { ImportTransaction, RowKey } from "../../../src/store/store.ts";
import { FACT_KINDS, type FactKind, type Rows } from "../../../src/store/tables.ts";
import { restoreContents } from "../../../src/store/transfer/copy.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { makeFacts } from "../../support/random-rows.ts";
import {
  adjustmentRow,
  assignmentRow,
  policyRow,
  requestRow,
  workerRow,
  workHoursRow,
} from "../../support/rows.ts";
import { type AllRows, createCompany, exported, putFacts } from "../../support/stores.ts";
import { balanceFactsOf } from "../conformance/model.ts";

const folder = mkdtempSync(join(fastFolder(), "rollcall-facts-"));
afterAll(() => rmSync(folder, { recursive: true }));

const anyDay = fc.nat(400);

/** One kind's act. Ids are few, so that rows meet. */
const anyStep = fc.record({
  act: fc.constantFrom("put", "put", "put", "put", "remove", "take back", "next import", "refused import"),
  kind: fc.constantFrom(...FACT_KINDS),
  /** Whether a request keeps its worker and policy. */
  stays: fc.boolean(),
  id: fc.nat(5),
  worker: fc.nat(3),
  policy: fc.nat(2),
  day: anyDay,
  minutes: fc.constantFrom(480, 0, -30, 433.33, 1 / 3, 2 ** 50, 1e300),
  status: fc.constantFrom("pending", "approved", "denied"),
  terms: fc.constantFrom(null, '{"text":"Ærø"}', '{"startsOn":20001}'),
});
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** Changes of requests alone, which rows of facts are changed for and not made anew. */
const anyChange: typeof anyStep = anyStep.map((step) => ({
  ...step,
  act: step.act.endsWith("import") ? step.act : "put",
  kind: "requests",
  stays: true,
}));

const workerOf = (number: number) => `wrk_${number}`;
const policyOf = (number: number) => `top_${number}`;

function rowOf({ kind, id, worker, policy, day, minutes, status, terms, stays }: Step): Rows[FactKind] {
  const [workerId, policyId] = [workerOf(worker), policyOf(policy)];
  const startAt = new Date((20_000 + day) * 86_400_000).toISOString();
  const lastDay = 20_000 + day + (minutes === 0 ? 100 : 1);
  switch (kind) {
    case "workers":
      return {
        ...workerRow(workerId, { legacyId: `E${worker}-${day}` }),
        startDay: 20_000 - day,
        endDay: day % 2 ? lastDay : null,
        terms,
      };
    case "policies":
      return policyRow(policyId, { schedule: day % 2 ? "per_hour_worked" : "monthly" });
    case "assignments":
      return {
        ...assignmentRow(`toa_${worker}${policy}`, workerId, policyId),
        assignedDay: 20_000 + day,
        endsDay: day % 2 ? lastDay : null,
        terms,
      };
    case "requests":
      return {
        ...requestRow(
          `tor_${id}`,
          stays ? workerOf(id % 3) : workerId, // as in `FIRST`
          stays ? policyOf(id % 2) : policyId,
          { status, startAt, requestedMinutes: minutes },
        ),
        firstDay: 20_000 + day,
        lastDay,
        minutes,
        terms,
      };
    case "adjustments":
      return { ...adjustmentRow(`adj_${id}`, workerId, policyId), day: 20_000 + day, minutes };
    case "work_hours":
      return { ...workHoursRow(workerId, 0, 0), day: 20_000 + (day % 3), minutes };
  }
}

/** Before the steps, everybody but the last worker has an assignment to each policy but the last, and a request under it. */
const FIRST: AllRows = {
  workers: [0, 1, 2, 3].map((number) => workerRow(workerOf(number))),
  policies: [0, 1, 2].map((number) =>
    policyRow(policyOf(number), { schedule: number === 0 ? "per_hour_worked" : "monthly" }),
  ),
  assignments: [0, 1, 2].flatMap((worker) =>
    [0, 1].map((policy) => assignmentRow(`toa_${worker}${policy}`, workerOf(worker), policyOf(policy))),
  ),
  requests: [0, 1, 2, 3, 4, 5].map((id) => requestRow(`tor_${id}`, workerOf(id % 3), policyOf(id % 2))),
  adjustments: [0, 1, 2].map((id) => adjustmentRow(`adj_${id}`, workerOf(id), policyOf(1))),
  work_hours: [0, 1, 2].map((worker) => workHoursRow(workerOf(worker), 20_000, 480)),
};

function keyOf({ kind, id, worker, policy, day }: Step): RowKey {
  const keys: Readonly<Record<FactKind, RowKey>> = {
    workers: [workerOf(worker)],
    policies: [policyOf(policy)],
    assignments: [workerOf(worker), policyOf(policy)],
    requests: [`tor_${id}`],
    adjustments: [`adj_${id}`],
    work_hours: [workerOf(worker), 20_000 + (day % 3)],
  };
  return keys[kind];
}

async function take(transaction: ImportTransaction, step: Step): Promise<void> {
  if (step.act === "put") await transaction.put(step.kind, [rowOf(step)] as never); // its kind's
  if (step.act === "remove") await transaction.remove(step.kind, [keyOf(step)]);
  if (step.act !== "take back") return;
  const id = workerOf(step.worker);
  const [before] = await transaction.workersBefore([id]);
  await transaction.put("workers", [workerRow(id, { legacyId: "new" })]);
  await transaction.takeBackWorker(id, before!);
}

/** The facts of every balance, with the lists in an order of their own. */
function settled({ assignments }: ReturnType<typeof balanceFactsOf>) {
  const sorted = (rows: readonly object[], fields: string[]) =>
    rows.map((row) => JSON.stringify(row, fields)).toSorted();
  return assignments.map(({ requests, adjustments, workedHours, ...rest }) => ({
    ...rest,
    requests: sorted(requests, ["status", "firstDay", "lastDay", "minutes", "terms"]),
    adjustments: sorted(adjustments, ["day", "minutes"]),
    workedHours: sorted(workedHours, ["day", "minutes"]),
  }));
}

test.each([
  { name: "anything", any: anyStep, isGathered: false },
  { name: "anything after a first load", any: anyStep, isGathered: true },
  { name: "requests", any: anyChange, isGathered: true },
])("pages have the facts of the stored rows after imports of $name", async ({ name, any, isGathered }) => {
  const path = join(folder, `${name}.db`);
  const writer = openSqliteWriteStore(path, { create: true });
  const reader = openSqliteReadStore(path);
  const statements = new Statements(new Database(path, { readonly: true }));
  let companies = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 30, size: "max" }), async (steps) => {
      const company = `company-${++companies}`;
      await createCompany(writer, company);
      await writer.import(company, async (transaction) => {
        for (const kind of FACT_KINDS) {
          if (isGathered) await transaction.beginFirstLoad(kind);
          await transaction.put(kind, FIRST[kind] as never); // its kind's
          if (isGathered) await transaction.endFirstLoad();
        }
        return { result: null, changed: true, commit: true };
      });
      for (let left = [...steps]; left.length > 0; ) {
        const at = left.findIndex(({ act }) => act.endsWith("import"));
        const some = left.splice(0, at === -1 ? left.length : at + 1);
        const commit = some.at(-1)!.act !== "refused import";
        await writer.import(company, async (transaction) => {
          for (const step of some) await take(transaction, step);
          return { result: null, changed: true, commit };
        });
      }
      const facts = await exported(writer, company);
      const [workers, policies] = [
        new Set(facts.workers.map(({ id }) => id)),
        new Set(facts.policies.map(({ id }) => id)),
      ];
      // The importer never leaves an assignment without its worker or policy. If it is there, it has no balance.
      const assignments = facts.assignments.filter(
        (row) => workers.has(row.workerId) && policies.has(row.policyId),
      );
      const model = balanceFactsOf({ ...facts, assignments }, { limit: 100 });
      expect(settled(await reader.company(company).balanceFacts({ limit: 100 }))).toEqual(settled(model));
    }),
    { numRuns: 40 },
  );
  expect(countWrongFacts(statements)).toBe(0);
  await writer.close();
  await reader.close();
  statements.close();
});

const FACTS = makeFacts(3, 300); // more than a batch

/** What doctor finds. */
async function problemsOf(path: string): Promise<string[]> {
  return (await sqliteStore(path).examine(true, async () => [])).findings.map(({ problem }) => problem);
}

test("a migrated store, a restored one and one filled by imports have the same facts", async () => {
  const path = join(folder, "migrated.db");
  const writer = openSqliteWriteStore(path, { create: true });
  for (const company of ["acme", "other"]) {
    await createCompany(writer, company);
    await putFacts(writer, company, FACTS);
  }
  await writer.close();
  const database = new Database(path);
  const facts = () => database.query("select * from worker_facts order by company_id, worker_id").values();
  const imported = facts();
  expect(imported.length).toBeGreaterThan(400);
  database.run("drop table worker_facts");
  database.run(`pragma user_version = ${MIGRATIONS.length - 1}`);
  await sqliteStore(path).migrate({ name: "unused" });
  expect(facts()).toEqual(imported);
  database.close();

  const restored = join(folder, "restored.db");
  for (const isThere of [false, true]) {
    await sqliteStore(path).snapshot((contents) =>
      sqliteStore(restored).replace(
        (transaction) => restoreContents(transaction, contents, () => {}),
        () => {},
      ),
    );
    const reader = openSqliteReadStore(restored);
    const model = settled(balanceFactsOf(FACTS, { limit: 2000 }));
    expect(model.length).toBeGreaterThan(200);
    for (const company of ["acme", "other"])
      expect(settled(await reader.company(company).balanceFacts({ limit: 2000 }))).toEqual(model);
    await reader.close();
    expect(await problemsOf(restored), `the store is there: ${isThere}`).toEqual([]);
  }
});

test("doctor finds rows that are wrong, missing, or too many", async () => {
  const path = join(folder, "wrong.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  await putFacts(writer, "acme", FACTS);
  await writer.close();
  const database = new Database(path);
  const problems = () => problemsOf(path);
  expect(await problems()).toEqual([]);
  const [first] = FACTS.assignments.map(({ workerId }) => workerId);
  database.run("update worker_facts set legacy_id = 'x' where worker_id = ?", [first!]);
  database.run("delete from worker_facts where worker_id = ?", [FACTS.assignments.at(-1)!.workerId]);
  database.run(
    "insert into worker_facts select company_id, 'wrk_nobody', null, facts from worker_facts limit 1",
  );
  expect(await problems()).toEqual([expect.stringContaining("(of 3 workers)")]);
  database.close();
});

const anyMinutes = fc
  .oneof(fc.nat(5000), fc.maxSafeInteger(), fc.double({ noNaN: true }))
  .map((one) => one + 0);
const anyText = fc.option(fc.string({ unit: "grapheme" }), { nil: null });
const anyEntries = fc.array(fc.record({ day: anyDay, minutes: anyMinutes }));

const anyFacts: fc.Arbitrary<FactsOfWorker> = fc.record({
  startDay: fc.integer(),
  endDay: fc.option(fc.integer(), { nil: null }),
  terms: anyText,
  assignments: fc.array(
    fc.record({
      policy: fc.nat(),
      assignedDay: fc.integer(),
      endsDay: fc.option(fc.integer(), { nil: null }),
      terms: anyText,
      requests: fc.array(
        fc.record({
          status: fc.constantFrom("pending", "approved"),
          firstDay: fc.integer(),
          lastDay: fc.integer(),
          minutes: anyMinutes,
          terms: anyText,
        }),
      ),
      adjustments: anyEntries,
    }),
    { maxLength: 4 },
  ),
  workedHours: anyEntries,
});

/** Lists without their order. */
const withoutOrder = (facts: FactsOfWorker) =>
  JSON.stringify(facts, (_, value) =>
    Array.isArray(value) && !(value[0] && "policy" in value[0])
      ? value.map((one) => JSON.stringify(one)).toSorted()
      : value,
  );

test("bytes have the facts that they were made of, and do not depend on the order of a list", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const bytes = factBytes(facts);
      expect(withoutOrder(factsOfBytes(bytes))).toBe(withoutOrder(facts));
      const reversed = {
        ...facts,
        workedHours: facts.workedHours.toReversed(),
        assignments: facts.assignments.map((one) => ({
          ...one,
          requests: one.requests.toReversed(),
          adjustments: one.adjustments.toReversed(),
        })),
      };
      expect(factBytes(reversed)).toEqual(bytes);
    }),
  );
});

test("bytes that end too early are an error, never a loop", () => {
  fc.assert(
    fc.property(anyFacts, fc.nat(), (facts, at) => {
      const bytes = factBytes(facts);
      expect(() => factsOfBytes(bytes.slice(0, at % bytes.length))).toThrow();
    }),
  );
});
