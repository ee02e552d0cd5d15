// Property, the walk guarantee (docs/api.md, Lists): a walk in either direction, during any number of imports, returns every
// object that matched throughout exactly once, in order. Each page is exactly what the company contained at that moment.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addCompany, addKey } from "../../support/stores.ts";
import { listOf, startService } from "../service.ts";
import { filtersOf, queryOf } from "./filters.ts";
import { type Change, type Cursor, changed, importChanges, matching, pageOf, type State } from "./model.ts";
import { slotsOf, VARIANTS, WORLDS, type World } from "./worlds.ts";

const RUNS = Number(process.env.ROLLCALL_TEST_RUNS ?? 24);

const service = await startService();
let companies = 0;

function changesOf(world: World): fc.Arbitrary<Change[]> {
  const slot = fc.nat(slotsOf(world) - 1);
  return fc.array(fc.tuple(slot, fc.option(fc.nat(VARIANTS - 1), { nil: null, freq: 3 })), { maxLength: 8 });
}

describe.each(WORLDS)("$name", (world) => {
  const plan = fc.record({
    start: fc.array(fc.tuple(fc.nat(slotsOf(world) - 1), fc.nat(VARIANTS - 1)), { maxLength: 40 }),
    filter: filtersOf(world.name, world.filters),
    isForward: fc.boolean(),
    byLinks: fc.boolean(),
    limits: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
    imports: fc.array(changesOf(world), { maxLength: 6 }),
  });

  test("a walk during imports returns every object that matched throughout exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ start, filter, isForward, byLinks, limits, imports }) => {
        const companyId = `walk-${companies++}`;
        await addCompany(service.writer, companyId, world.parents);
        await importChanges(service.writer, companyId, world, start);
        const key = await addKey(service.writer, companyId);
        let state: State = new Map(start);
        let throughout = matching(world, state, filter);
        const visited: string[] = [];
        // A backward walk begins after everything, a forward walk at the first page.
        let cursor: Cursor | null = isForward ? null : { name: "beforeId", id: lastPosition(world) };
        let link: string | null = null;
        for (let page = 0; ; page++) {
          const limit = byLinks ? limits[0]! : limits[page % limits.length]!;
          const position: [string, string][] = cursor === null ? [] : [[cursor.name, cursor.id]];
          const query = queryOf([...filter.pairs, ["limit", String(limit)], ...position]);
          const response = await service.call(link ?? `${world.path}?${query}`, { key });
          const { data, count, hasMore } = listOf(response);
          const expected = pageOf(matching(world, state, filter), world, limit, cursor);
          expect(data.map(({ id }) => id)).toEqual(expected.docs.map(({ id }) => id));
          expect({ count, hasMore }).toEqual({ count: expected.docs.length, hasMore: expected.hasMore });
          for (const [index, doc] of expected.docs.entries()) expect(data[index]!).toMatchObject(doc);
          visited.splice(isForward ? visited.length : 0, 0, ...data.map(({ id }) => id));
          const edge = isForward ? data[data.length - 1] : data[0];
          if (!hasMore || edge === undefined) break;
          cursor = { name: isForward ? "afterId" : "beforeId", id: edge.id };
          link = byLinks ? linkOf(response.headers, isForward ? "next" : "prev") : null;
          const changes = imports[page] ?? [];
          if (changes.length === 0) continue;
          await importChanges(service.writer, companyId, world, changes);
          state = changed(state, changes);
          const now = new Set(matching(world, state, filter).map(({ id }) => id));
          throughout = throughout.filter(({ id }) => now.has(id));
        }
        expect(new Set(visited).size).toBe(visited.length);
        const isThroughout = new Set(throughout.map(({ id }) => id));
        expect(visited.filter((id) => isThroughout.has(id))).toEqual(throughout.map(({ id }) => id));
      }),
      { numRuns: RUNS },
    );
  }, 120_000);
});

/** An id that sorts after every other of the list. */
function lastPosition({ name }: World): string {
  const prefix = { workers: "wrk_", policies: "top_", balances: "wrk_" }[name] ?? "";
  return prefix + "z".repeat(64);
}

function linkOf(headers: Headers, relation: string): string {
  const target = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers.get("link") ?? "")?.[1];
  if (target === undefined) throw new Error(`no link "${relation}" on a page with hasMore`);
  return target;
}
