// Property: for any page and filter, each list equals the plain model of it (model.ts): order, cursors, filters, `hasMore`,
// in both directions. Also the two retrievals.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { REQUEST_STATUSES } from "../../../src/resources/requests.ts";
import { WORKER_STATUSES, WORKER_TYPES } from "../../../src/resources/workers.ts";
import type { CompanyReader, DocPage, PageQuery } from "../../../src/store/store.ts";
import { makeFacts } from "../../support/random-rows.ts";
import type { AllRows } from "../../support/stores.ts";
import { idOf, listed } from "../listed.ts";
import { type Engine, withFacts } from "./engine.ts";
import * as model from "./model.ts";

const FACTS = makeFacts(1, 60);
const UNKNOWN = "zzz_nobody";

/** A list under a filter that was drawn at random, and what must be in it. */
interface List {
  read(company: CompanyReader, page: PageQuery): Promise<DocPage>;
  expected(page: PageQuery): model.TextPage;
  readonly ids: readonly string[];
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const rarely = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 1 });
const legacyIdsOf = (rows: readonly { readonly legacyId: string | null }[]) =>
  fc.array(fc.constantFrom(...rows.flatMap(({ legacyId }) => legacyId ?? []), UNKNOWN), {
    minLength: 1,
    maxLength: 9,
  });
const idsOf = (rows: AllRows["workers"] | AllRows["policies"]) => rows.map((row) => row.id);
const someOf = (ids: readonly string[]) =>
  maybe(fc.array(fc.constantFrom(...ids, UNKNOWN), { minLength: 1, maxLength: 9 }));
const instant = maybe(fc.constantFrom(...FACTS.requests.flatMap((row) => [row.startAtMs, row.endAtMs])));

const workers = fc
  .record({
    workEmail: maybe(fc.constantFrom("1é@example.com", "3é@example.com", "nobody@example.com")),
    statuses: maybe(fc.subarray([...WORKER_STATUSES], { minLength: 1 })),
    types: maybe(fc.subarray([...WORKER_TYPES], { minLength: 1 })),
    legacyIds: rarely(legacyIdsOf(FACTS.workers)),
    departmentIds: rarely(fc.subarray(["Sales, EU", "R&D", "Ærø", "Nobody's"], { minLength: 1 })),
    workplaceIds: rarely(fc.subarray(["Lisbon", "Zürich", "Nowhere"], { minLength: 1 })),
    managerIds: rarely(
      fc.array(fc.constantFrom(...idsOf(FACTS.workers), UNKNOWN), { minLength: 1, maxLength: 9 }),
    ),
  })
  .map(
    (filter): List => ({
      read: (company, page) => listed(company, "workers", page, filter),
      expected: (page) => model.pageOf(FACTS.workers, page, (row) => model.matchesWorker(row, filter)),
      ids: idsOf(FACTS.workers),
    }),
  );

const policies = fc.record({ legacyIds: maybe(legacyIdsOf(FACTS.policies)) }).map(
  (filter): List => ({
    read: (company, page) => listed(company, "policies", page, filter),
    expected: (page) =>
      model.pageOf(
        FACTS.policies,
        page,
        ({ legacyId }) => filter.legacyIds?.includes(legacyId ?? "") ?? true,
      ),
    ids: idsOf(FACTS.policies),
  }),
);

const ofAssignment = { workerIds: someOf(idsOf(FACTS.workers)), policyIds: someOf(idsOf(FACTS.policies)) };

const requests = fc
  .record({
    ...ofAssignment,
    statuses: maybe(fc.subarray([...REQUEST_STATUSES], { minLength: 1 })),
    legacyIds: rarely(legacyIdsOf(FACTS.requests)),
    startsBefore: instant,
    startsOnOrAfter: instant,
    endsBefore: instant,
    endsOnOrAfter: instant,
  })
  .map(
    (filter): List => ({
      read: (company, page) => listed(company, "requests", page, filter),
      expected: (page) => model.pageOf(FACTS.requests, page, (row) => model.matchesRequest(row, filter)),
      ids: FACTS.requests.map((row) => row.id),
    }),
  );

const assignments = fc.record(ofAssignment).map(
  (filter): List => ({
    read: (company, page) => listed(company, "assignments", page, filter),
    expected: (page) => model.pageOf(FACTS.assignments, page, (row) => model.matchesAssignment(row, filter)),
    ids: FACTS.assignments.map((row) => row.id),
  }),
);

const limit = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(25, 100));

export function lists(engine: Engine): void {
  describe("lists", () => {
    test("a page anywhere, under any filter, is what the model says", () =>
      withFacts(engine, FACTS, async ({ reader }) => {
        const company = reader.company("acme");
        const drawn = fc.oneof(workers, policies, requests, requests, assignments).chain((list) => {
          const cursor = maybe(
            fc.oneof(fc.constantFrom(...list.ids), fc.constantFrom("tor_", "a", "~", "wrk_M")),
          );
          const at = fc.tuple(cursor, fc.boolean());
          return fc.tuple(fc.constant(list), limit, at);
        });
        await fc.assert(
          fc.asyncProperty(drawn, async ([list, size, [cursor, backward]]) => {
            const page = { limit: size, ...(cursor && { [backward ? "before" : "after"]: cursor }) };
            expect(asText(await list.read(company, page))).toEqual(list.expected(page));
          }),
          { numRuns: 150 },
        );
      }));

    test("a walk forward and a walk backward see every row once, in order", () =>
      withFacts(engine, FACTS, async ({ reader }) => {
        const company = reader.company("acme");
        await fc.assert(
          fc.asyncProperty(fc.oneof(workers, requests, assignments), limit, async (list, size) => {
            const all = list.expected({ limit: 100_000 }).docs;
            expect(await walk((page) => list.read(company, page), size, "after")).toEqual([...all]);
            expect(await walk((page) => list.read(company, page), size, "before")).toEqual([...all]);
          }),
          { numRuns: 30 },
        );
      }));

    test("an id filter of 200 values, most of them unknown", () =>
      withFacts(engine, FACTS, async ({ reader }) => {
        const workerIds = [
          ...idsOf(FACTS.workers),
          ...Array.from({ length: 140 }, (_, number) => `wrk_none${number}`),
        ];
        const filter = { workerIds, policyIds: ["top_B"] };
        const page = { limit: 100 };
        expect(asText(await listed(reader.company("acme"), "requests", page, filter))).toEqual(
          model.pageOf(FACTS.requests, page, (row) => model.matchesRequest(row, filter)),
        );
      }));

    test("a worker and a policy by id, byte for byte; null where there is none", () =>
      withFacts(engine, FACTS, async ({ reader }) => {
        const company = reader.company("acme");
        for (const row of FACTS.workers) expect(await company.object("workers", row.id)).toBe(row.doc);
        for (const row of FACTS.policies) expect(await company.object("policies", row.id)).toBe(row.doc);
        expect(await company.object("workers", "wrk_nobody")).toBeNull();
        expect(await company.object("workers", "TOP_B")).toBeNull();
        expect(await company.object("policies", FACTS.workers[0]!.id)).toBeNull();
      }));

    test("a company without rows, and one that does not exist, have empty pages", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        await writer.createCompany({ id: "empty", name: "", createdAtMs: 0 });
        for (const id of ["empty", "unknown"]) {
          expect(await listed(reader.company(id), "workers", { limit: 5 }, {})).toEqual({
            docs: [],
            ends: null,
            hasMore: false,
          });
          expect(await listed(reader.company(id), "requests", { limit: 5, before: "x" }, {})).toEqual({
            docs: [],
            ends: null,
            hasMore: false,
          });
        }
      }));
  });
}

export function asText({ docs, hasMore }: Omit<DocPage, "ends">): model.TextPage {
  return { docs: [...docs], hasMore };
}

/** All objects of a list, by following its pages from one end to the other. */
export async function walk(
  read: (page: PageQuery) => Promise<DocPage>,
  size: number,
  direction: "after" | "before",
): Promise<string[]> {
  const docs: string[] = [];
  // The highest possible position, from which a backward walk begins.
  let page: PageQuery = direction === "after" ? { limit: size } : { limit: size, before: "~" };
  for (;;) {
    const answered = await read(page);
    const { ends } = answered;
    const { docs: found, hasMore } = asText(answered);
    if (direction === "after") docs.push(...found);
    else docs.unshift(...found);
    if (!hasMore) return docs;
    expect(ends).toEqual({ first: idOf(found[0]!), last: idOf(found.at(-1)!) });
    page = { limit: size, [direction]: direction === "after" ? ends!.last : ends!.first };
  }
}
