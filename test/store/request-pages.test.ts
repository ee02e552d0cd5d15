// Property: for any filter, cursor and limit, every access path on every engine returns the page that filtering and sorting
// all requests in memory returns.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RequestRow } from "../../src/resources/requests.ts";
import type { PageQuery, ReadStore } from "../../src/store/store.ts";
import { bucketsOf, bucketsTouching } from "../../src/store/time-buckets.ts";
import { workerRow } from "../support/rows.ts";
import { change } from "../support/stores.ts";
import type { StoreLocation } from "./conformance/engine.ts";
import { ENGINES } from "./conformance/engines.ts";
import { asText } from "./conformance/lists.ts";
import { matchesRequest, pageOf } from "./conformance/model.ts";
import { listed, type RequestFilter, type WorkerFilter } from "./listed.ts";
import { COMPANY, DAY_MS, fill, filters, pages } from "./request-cases.ts";

/** `request-pages.trial.ts` looks longer. */
const RUNS = Number(process.env.ROLLCALL_TEST_PAGE_RUNS ?? 600);

for (const engine of ENGINES) {
  describe(`on ${engine.name}`, () => {
    let location: StoreLocation;
    let reader: ReadStore;
    let rows: RequestRow[];

    beforeAll(async () => {
      location = await engine.newLocation();
      const writer = await location.openWriter({ create: true });
      rows = await fill(writer);
      const workers = ["wrk_1", "wrk_2"].map((id) => ({ ...workerRow(id), department: "Care" }));
      const crew = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => ({
        ...workerRow(`wrk_c${number}`, { type: [3, 8, 9].includes(number) ? "contractor" : "employee" }),
        department: "Crew",
      }));
      await change(writer, COMPANY, (transaction) => transaction.put("workers", [...workers, ...crew]));
      await writer.close();
      reader = await location.openReader();
    }, 120_000);

    afterAll(async () => {
      await reader.close();
      await location.dispose();
    });

    async function isAsDefined(page: PageQuery, filter: RequestFilter): Promise<void> {
      const expected = pageOf(rows, page, (row) => matchesRequest(row, filter));
      expect(asText(await listed(reader.company(COMPANY), "requests", page, filter))).toEqual(expected);
    }

    test(
      "every filter gives what its definition gives",
      async () => {
        await fc.assert(fc.asyncProperty(pages, filters, isAsDefined), { numRuns: RUNS });
      },
      RUNS * 200,
    );

    test("rows that were looked through for few are counted", async () => {
      const looked = async (filter: RequestFilter) =>
        (await listed(reader.company(COMPANY), "requests", { limit: 25 }, filter)).looked;
      const [fromMs, toMs] = [17_930 * DAY_MS, 18_005 * DAY_MS]; // hardly anybody was away then
      const ranges = bucketsTouching(fromMs, toMs);
      const isIn = (bucket: number) => ranges.some(({ first, last }) => bucket >= first && bucket <= last);
      const filed = rows.map(({ startAtMs, endAtMs }) => bucketsOf(startAtMs, endAtMs));
      const within = { startsOnOrAfter: fromMs, endsBefore: toMs + 1 };
      // Entries of time buckets, or requests by the first of theirs.
      const [entries, requests] = [
        filed.flat().filter(isIn).length,
        filed.filter(([first]) => isIn(first!)).length,
      ];
      expect(requests).toBeGreaterThan(100);
      expect(await looked(within)).toBeWithin(requests, entries + 1);
      expect(await looked({ policyIds: ["top_rare"] })).toBeWithin(1, 4);
      expect(await looked({ ...within, policyIds: ["top_1"] })).toBeWithin(1, requests);
      // The first rows fill these pages, or the weeks bound them.
      for (const filter of [
        {},
        { policyIds: ["top_1"] },
        { startsOnOrAfter: fromMs, endsBefore: fromMs + 20 * DAY_MS },
      ])
        expect(await looked(filter)).toBeUndefined();
    });

    test("of workers, those of a department are counted, if few of them fit", async () => {
      const looked = async (filter: WorkerFilter) =>
        (await listed(reader.company(COMPANY), "workers", { limit: 25 }, filter)).looked;
      expect(await looked({ departments: ["Care"], statuses: ["active"] })).toBe(2);
      expect(await looked({ departments: ["Care"], statuses: ["terminated"] })).toBe(2);
      // A full page: those from its position on, up to its last row and the one that tells that there is more.
      const full = async (page: PageQuery, filter: WorkerFilter) =>
        (await listed(reader.company(COMPANY), "workers", page, filter)).looked;
      const contractors = { departments: ["Crew"], types: ["contractor"] };
      expect(await full({ limit: 1 }, contractors)).toBe(8);
      expect(await full({ limit: 1, after: "wrk_c3" }, contractors)).toBe(6);
      expect(await full({ limit: 1, before: "wrk_c9" }, contractors)).toBe(6);
      expect(await full({ limit: 1 }, { ...contractors, types: ["employee"] })).toBe(2);
      expect(await looked({ departments: ["Care"] })).toBeUndefined();
      expect(await looked({ legacyIds: ["none"] })).toBeUndefined();
    });

    test("who is away, week by week", async () => {
      for (let day = 17_950; day < 19_150; day += 3) {
        await isAsDefined({ limit: 25 }, { startsBefore: (day + 7) * DAY_MS, endsOnOrAfter: day * DAY_MS });
      }
    }, 120_000);
  });
}
