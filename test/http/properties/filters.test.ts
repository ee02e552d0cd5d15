// Property: for any combination of filters, limit and cursor, a page contains exactly the objects that an independent
// filter over all objects finds, in list order, and `hasMore` is right.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addCompany, addKey } from "../../support/stores.ts";
import { LISTS } from "../endpoints.ts";
import { listOf, startService } from "../service.ts";
import { filtersOf, queryOf } from "./filters.ts";
import { type Cursor, importChanges, matching, pageOf } from "./model.ts";
import { RULES } from "./oracle.ts";
import { slotsOf, VARIANTS, WORLDS, type World } from "./worlds.ts";

/** Parameters of pages, and of times that other tests try: known-on.test.ts, and those of balances. */
const NO_FILTERS = new Set(["limit", "afterId", "beforeId", "knownOn", "startDate", "endDate"]);

const RUNS = Number(process.env.ROLLCALL_TEST_RUNS ?? 120);

const service = await startService();

function cursorOf(world: World): fc.Arbitrary<Cursor | null> {
  const slots = fc.nat(slotsOf(world) - 1).map((slot) => world.doc(slot, 0));
  const ids = slots.map((doc) => doc.id);
  const workers = slots.map((doc) => String(doc.workerId));
  const id = world.name === "balances" ? fc.oneof(ids, workers, fc.constant("wrk_M")) : ids;
  return fc.option(fc.record({ name: fc.constantFrom("afterId", "beforeId"), id }), { nil: null });
}

/** Differs from slot to slot in another rhythm than the slots, so that rows differ in what depends on the sum of both. */
const variantOf = (slot: number, round: number) => (Math.floor(slot / 2) + round) % VARIANTS;

describe.each(WORLDS)("$name", (world) => {
  test("every filter of the contract is tried", () => {
    const { parameters } = LISTS.find(({ path }) => path === world.path)!.contract; // a world is of a list
    const filters = Object.keys(parameters).filter((name) => !NO_FILTERS.has(name));
    const rules = RULES.find(({ path }) => path === world.path)!;
    const judged = [...Object.keys(rules.lists), ...(rules.texts ?? []), ...Object.keys(rules.singles)];
    const missing = (known: readonly string[]) => filters.filter((name) => !known.includes(name));
    expect(missing(world.filters), "missing in `filters` of WORLDS, test/http/properties/worlds.ts").toEqual(
      [],
    );
    expect(missing(judged), "missing in RULES, test/http/properties/oracle.ts").toEqual([]);
  });

  const slots = Array.from({ length: slotsOf(world) }, (_, slot) => slot);

  test.each(world.filters)(
    "%s finds some of the objects and not others, so that it is really tried",
    (name) => {
      const docs = slots.map((slot) => world.doc(slot, variantOf(slot, 0)));
      const draws = fc.sample(filtersOf(world.name, [name]), { seed: 1, numRuns: 100 });
      const found = draws.filter(({ pairs }) => pairs.length > 0).map(({ matches }) => docs.filter(matches));
      const isTried = found.some(({ length }) => length > 0 && length < docs.length);
      expect(
        isTried,
        `${name} finds none or all: let rows of test/http/properties/worlds.ts differ in it, and name their values in filters.ts`,
      ).toBe(true);
    },
  );

  test("any filters, limit and cursor return the page that the model computes", async () => {
    const asked = fc.record({
      filter: filtersOf(world.name, world.filters),
      limit: fc.option(fc.integer({ min: 1, max: 100 }), { nil: null }),
      cursor: cursorOf(world),
      order: fc.infiniteStream(fc.nat()),
    });
    for (let round = 0; round < 3; round++) {
      const companyId = `${world.name}-${round}`;
      const changes = slots.map((slot) => [slot, variantOf(slot, round)] as const);
      await addCompany(service.writer, companyId, world.parents);
      await importChanges(service.writer, companyId, world, changes);
      const key = await addKey(service.writer, companyId);
      const state = new Map(changes);
      await fc.assert(
        fc.asyncProperty(asked, async ({ filter, limit, cursor, order }) => {
          const pairs: (readonly [string, string])[] = [...filter.pairs];
          if (limit !== null) pairs.push(["limit", String(limit)]);
          if (cursor !== null) pairs.push([cursor.name, cursor.id]);
          // The order of parameters never matters.
          const shuffled = pairs
            .map((pair) => ({ pair, place: order.next().value }))
            .sort((a, b) => a.place - b.place);
          const response = await service.call(`${world.path}?${queryOf(shuffled.map(({ pair }) => pair))}`, {
            key,
          });
          const expected = pageOf(matching(world, state, filter), world, limit ?? 25, cursor);
          const { data, hasMore } = listOf(response);
          expect(data.map(({ id }) => id)).toEqual(expected.docs.map(({ id }) => id));
          expect(hasMore).toBe(expected.hasMore);
        }),
        { numRuns: Math.ceil(RUNS / 3) },
      );
    }
  }, 120_000);
});
