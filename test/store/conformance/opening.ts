// Opening: what is refused, what is unavailable, and that the stored columns are those of `TABLES`.

import { describe, expect, test } from "bun:test";
import { LISTS } from "../../../src/resources/kinds.ts";
import { type ReadStore, StoreRefusal, StoreUnavailable } from "../../../src/store/store.ts";
import { columnName, isDigested, KINDS, TABLES } from "../../../src/store/tables.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { listed } from "../listed.ts";
import { type Engine, type StoreLocation, withFacts, withStore } from "./engine.ts";

async function at(engine: Engine, work: (location: StoreLocation) => Promise<void>): Promise<void> {
  const location = await engine.newLocation();
  try {
    await work(location);
  } finally {
    await location.dispose();
  }
}

/** That opening is refused, with words that help. */
async function refused(opening: () => Promise<unknown>, words: string): Promise<void> {
  const error = await opening().then(
    () => null,
    (raised) => raised,
  );
  expect(error).toBeInstanceOf(StoreRefusal);
  expect(String(error)).toContain(words);
}

/** How soon a store that went away must be noticed. */
const NOTICE_MS = 1000;

export function opening(engine: Engine): void {
  describe("opening", () => {
    test("where there is no store, it says how to make one", () =>
      at(engine, async (location) => {
        await refused(() => location.openReader(), "make one with rollcall ");
        await refused(() => location.openWriter(), "make one with rollcall ");
      }));

    test("a store that was made opens again, with what was in it", () =>
      withStore(engine, async ({ location, writer }) => {
        await writer.createCompany({ id: "acme", name: "Acme", createdAtMs: 1 });
        for (const options of [{}, { create: true }]) {
          const again = await location.openWriter(options);
          expect((await again.companies()).length).toBe(1);
          await again.close();
        }
      }));

    test("another program's database is refused and left alone", () =>
      at(engine, async (location) => {
        await location.becomeForeign();
        const before = await location.columns("workers");
        await refused(() => location.openReader(), "name an");
        for (const options of [{}, { create: true }]) {
          await refused(() => location.openWriter(options), "name an");
        }
        expect(await location.columns("workers")).toEqual(before);
        for (const table of ["rollcall_schema", "companies"])
          expect(await location.columns(table)).toEqual([]);
      }));

    test("a store of a newer version is refused", () =>
      withStore(engine, async ({ location }) => {
        await location.becomeNewer();
        await refused(() => location.openReader(), "upgrade Rollcall");
        await refused(() => location.openWriter({ create: true }), "upgrade Rollcall");
      }));

    test("a store that goes away is unavailable for every read", () =>
      withFacts(engine, makeFacts(9, 3), async ({ location, reader }) => {
        await reader.ping();
        await location.vanish();
        await Bun.sleep(NOTICE_MS);
        const company = reader.company("acme");
        const reads: ((store: ReadStore) => Promise<unknown>)[] = [
          (store) => store.ping(),
          async (store) => store.version("acme"),
          () => listed(company, "workers", { limit: 5 }, {}),
          async () => company.object("workers", "wrk_x"),
          () => listed(company, "requests", { limit: 5 }, {}),
          async () => company.balanceFacts({ limit: 5 }),
        ];
        for (const read of reads) await expect(read(reader)).rejects.toThrow(StoreUnavailable);
      }));

    test("every table has the company, the columns of TABLES, for a listed kind the number of its import, and a digest", () =>
      withStore(engine, async ({ location }) => {
        for (const kind of KINDS) {
          const [first, ...columns] = await location.columns(kind);
          expect(first).toBe("company_id");
          const others = [...(kind in LISTS ? ["seq"] : []), ...(isDigested(kind) ? ["digest"] : [])];
          expect(columns.toSorted()).toEqual([...TABLES[kind].columns.map(columnName), ...others].toSorted());
        }
      }));
  });
}
