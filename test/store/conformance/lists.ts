// Property: for any page and filter, each list equals the plain model of it (model.ts): order, cursors, filters, `hasMore`,
// in both directions. Also the two retrievals.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LIST_KINDS, LISTS, type ListKind, type Rows } from "../../../src/resources/kinds.ts";
import type { Filter } from "../../../src/resources/resource.ts";
import { SCAN_ROWS } from "../../../src/store/plan.ts";
import type { CompanyReader, DocPage, PageQuery } from "../../../src/store/store.ts";
import { makeFacts, twinsOf } from "../../support/random-rows.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, createCompany, putFacts } from "../../support/stores.ts";
import { conditions, idOf, listed } from "../listed.ts";
import { type Engine, withFacts } from "./engine.ts";
import * as model from "./model.ts";

const FACTS = makeFacts(1, 60);
/** Of the companies before and after it in an index: one has the same ids. */
const NEIGHBOURS = { acm: twinsOf(FACTS), "acme-2": makeFacts(2, 60) };
const UNKNOWN = "zzz_nobody";

/** A list under a filter that was drawn at random, and what must be in it. */
interface List {
  read(company: CompanyReader, page: PageQuery): Promise<DocPage>;
  expected(page: PageQuery): model.TextPage;
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

type ListRow = Rows[ListKind] & Readonly<Record<string, unknown>>;
type Value = string | number;

/** Values of a filter: of the rows, and of none. */
function valuesOf(kind: ListKind, rows: readonly ListRow[], { column, parameter }: Filter) {
  const stored = [...new Set(rows.map((row) => row[column]))].filter((value) => value !== null) as Value[]; // what rows hold
  if (stored.length < 2)
    throw new Error(`makeFacts in test/support/random-rows.ts: ${kind} need several values of ${column}`);
  const value = fc.constantFrom(...stored, typeof stored[0] === "string" ? UNKNOWN : 0);
  return parameter.kind === "list" ? fc.array(value, { minLength: 1, maxLength: 9 }) : value;
}

/** The list of a kind, under at most two of its filters. */
function listOf(kind: ListKind): fc.Arbitrary<List> {
  const rows = FACTS[kind] as ListRow[];
  const filters = Object.entries<Filter>(LISTS[kind].api.filters);
  const values = Object.fromEntries(filters.map(([name, filter]) => [name, valuesOf(kind, rows, filter)]));
  return fc
    .subarray(Object.keys(values), { maxLength: Math.min(2, filters.length) })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, values[name]!]))))
    .map((filter) => ({
      read: (company, page) => listed(company, kind, page, filter),
      expected: (page) => model.pageOf(rows, page, (row) => model.matches(row, conditions(kind, filter))),
    }));
}

const anyList = fc.oneof(...LIST_KINDS.map(listOf));

const limit = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(25, 100));

export function lists(engine: Engine): void {
  describe("lists", () => {
    test("a page anywhere, under any filter, is what the model says", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        for (const [id, facts] of Object.entries(NEIGHBOURS)) await addCompany(writer, id, facts);
        const company = reader.company("acme");
        for (const kind of LIST_KINDS) {
          const ids = FACTS[kind].map(({ id }) => id);
          const cursor = maybe(fc.oneof(fc.constantFrom(...ids), fc.constantFrom("tor_", "a", "~", "wrk_M")));
          const isPage = async (list: List, size: number, at: string | undefined, isBackward: boolean) => {
            const page = { limit: size, ...(at && { [isBackward ? "before" : "after"]: at }) };
            expect(asText(await list.read(company, page))).toEqual(list.expected(page));
          };
          const property = fc.asyncProperty(listOf(kind), limit, cursor, fc.boolean(), isPage);
          await fc.assert(property, { numRuns: 60 });
        }
      }));

    test("where all rows of some companies have one value, each list ends with its company's own", () =>
      withFacts(engine, {}, async ({ reader, writer }) => {
        const companies = ["acm", "acme", "acme-2"];
        const rowsOf = (id: string) => {
          const names = ["1", "2", "3"].map((number) => `${id}${number}`);
          return {
            policies: [policyRow("top_a")],
            workers: names.map((name) => workerRow(`wrk_${name}`)),
            assignments: names.map((name) => assignmentRow(`toa_${name}`, `wrk_${name}`, "top_a")),
            requests: names.map((name) => requestRow(`tor_${name}`, `wrk_${name}`, "top_a")),
          };
        };
        for (const id of companies) {
          if (id !== "acme") await createCompany(writer, id);
          await putFacts(writer, id, rowsOf(id));
        }
        for (const id of companies) {
          const company = reader.company(id);
          const { workers, assignments, requests } = rowsOf(id);
          for (const at of [{}, { after: "a" }, { before: "z" }]) {
            const page = { limit: 10, ...at };
            const ofPolicy = { policyIds: ["top_a"] };
            const lists = [
              await listed(company, "workers", page, { statuses: ["active"] }),
              await listed(company, "assignments", page, ofPolicy),
              await listed(company, "requests", page, ofPolicy),
              await listed(company, "requests", page, { statuses: ["approved"] }),
            ];
            expect(lists.map(({ docs }) => asText({ docs, hasMore: false }).docs)).toEqual(
              [workers, assignments, requests, requests].map((rows) => rows.map(({ doc }) => doc)),
            );
          }
          const ids = ["", "~"].map((workerId) => ({ workerId, policyId: "~" }));
          for (const at of [{}, { after: ids[0]! }, { before: ids[1]! }])
            for (const query of [{}, { policyIds: ["top_a"] }]) {
              const facts = await company.balanceFacts({ limit: 10, ...at, ...query });
              expect(facts.assignments.map(({ workerId }) => workerId)).toEqual(workers.map((row) => row.id));
            }
        }
      }));

    test("a walk forward and a walk backward see every row once, in order", () =>
      withFacts(engine, FACTS, async ({ reader }) => {
        const company = reader.company("acme");
        await fc.assert(
          fc.asyncProperty(anyList, limit, async (list, size) => {
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
          ...FACTS.workers.map(({ id }) => id),
          ...Array.from({ length: 140 }, (_, number) => `wrk_none${number}`),
        ];
        const filter = { workerIds, policyIds: ["top_B"] };
        const page = { limit: 100 };
        expect(asText(await listed(reader.company("acme"), "requests", page, filter))).toEqual(
          model.pageOf(FACTS.requests, page, (row) => model.matches(row, conditions("requests", filter))),
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

    test("a page that the first rows of a list fill to the last one says whether more follow", () =>
      withFacts(engine, {}, async ({ reader, writer }) => {
        const request = (id: string, year: number) =>
          requestRow(id, "wrk_ana", "top_a", {
            startAt: `${year}-06-01T00:00:00.000Z`,
            endAt: `${year}-06-02T00:00:00.000Z`,
          });
        const others = Array.from({ length: SCAN_ROWS }, (_, at) => request(`tor_b${at}`, 2020));
        await putFacts(writer, "acme", {
          workers: [workerRow("wrk_ana")],
          policies: [policyRow("top_a")],
          requests: [request("tor_a1", 2026), request("tor_a2", 2026), ...others, request("tor_c", 2026)],
        });
        const of2026 = {
          startsBefore: Date.parse("2027-01-01T00:00:00Z"),
          endsOnOrAfter: Date.parse("2026-01-01T00:00:00Z"),
        };
        const page = async (at: PageQuery) => {
          const { docs, hasMore } = await listed(reader.company("acme"), "requests", at, of2026);
          return [docs.map(idOf), hasMore];
        };
        expect(await page({ limit: 2 })).toEqual([["tor_a1", "tor_a2"], true]);
        expect(await page({ limit: 2, after: "tor_a2" })).toEqual([["tor_c"], false]);
        expect(await page({ limit: 1, before: "tor_d" })).toEqual([["tor_c"], true]);
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
