// Property: for any filter, cursor and limit, every access path on every engine returns the page that filtering and sorting
// all requests in memory returns.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RequestRow } from "../../src/resources/requests.ts";
import type { PageQuery, ReadStore } from "../../src/store/store.ts";
import { workerRow } from "../support/rows.ts";
import { change } from "../support/stores.ts";
import type { StoreLocation } from "./conformance/engine.ts";
import { ENGINES } from "./conformance/engines.ts";
import { asText } from "./conformance/lists.ts";
import { matches, pageOf } from "./conformance/model.ts";
import { conditions, type Filters, listed } from "./listed.ts";
import { COMPANY, DAY_MS, fill, filters, pages } from "./request-cases.ts";

/** `request-pages.trial.ts` looks longer. */
const RUNS = Number(process.env.ROLLCALL_TEST_PAGE_RUNS ?? 120);

for (const engine of ENGINES) {
  describe(`on ${engine.name}`, () => {
    let location: StoreLocation;
    let reader: ReadStore;
    let rows: RequestRow[];

    beforeAll(async () => {
      location = await engine.newLocation();
      const writer = await location.openWriter({ create: true });
      rows = await fill(writer);
      const workers = ["wrk_1", "wrk_2"].map((id) => ({ ...workerRow(id), departmentId: "Care" }));
      const crew = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => ({
        ...workerRow(`wrk_c${number}`, { type: [3, 8, 9].includes(number) ? "contractor" : "employee" }),
        departmentId: "Crew",
      }));
      await change(writer, COMPANY, (transaction) => transaction.put("workers", [...workers, ...crew]));
      await writer.close();
      reader = await location.openReader();
    }, 120_000);

    afterAll(async () => {
      await reader.close();
      await location.dispose();
    });

    async function isAsDefined(page: PageQuery, filter: Filters["requests"]): Promise<void> {
      const expected = pageOf(rows, page, (row) => matches(row, conditions("requests", filter)));
      expect(asText(await listed(reader.company(COMPANY), "requests", page, filter))).toEqual(expected);
    }

    test("every filter gives what its definition gives", async () => {
      await fc.assert(fc.asyncProperty(pages, filters, isAsDefined), { numRuns: RUNS });
    });

    test("who is away, week by week", async () => {
      for (let day = 17_950; day < 19_150; day += 3) {
        await isAsDefined({ limit: 25 }, { startsBefore: (day + 7) * DAY_MS, endsOnOrAfter: day * DAY_MS });
      }
    }, 120_000);
  });
}
