// What a stream of computed rows costs, in statements: no balance is read for each page anew.
import { afterEach, expect, test } from "bun:test";
import { createApp } from "../../src/http/app.ts";
import { bareParts, CONNECTION } from "../http/bare-parts.ts";
import { recordStatements, statementsDuring } from "../http/statements.ts";
import { assignmentRow, policyRow, workerRow } from "../support/rows.ts";
import { addCompany, addKey, openTestStore, type TestStore } from "../support/stores.ts";

const BALANCES = 500;
/** The statement that reads the terms of balances is run once for each so many of them. */
const AT_ONCE = 100;

let store: TestStore;
const stopRecording = recordStatements();

afterEach(async () => {
  stopRecording();
  await store.dispose();
});

test("a stream of movements reads each balance once, by worker and by department", async () => {
  store = await openTestStore();
  const ids = Array.from({ length: BALANCES }, (_, at) => `${at}`.padStart(4, "0"));
  await addCompany(store.writer, "acme", {
    // 250 departments are more than a page of a stream has.
    workers: ids.map((id, at) => workerRow(`wrk_${id}`, { department: `Department ${at % 250}` })),
    policies: [policyRow("top_1")],
    assignments: ids.map((id) => assignmentRow(`toa_${id}`, `wrk_${id}`, "top_1")),
  });
  const key = await addKey(store.writer, "acme");
  const app = createApp(bareParts(store.reader, { today: () => "2026-11-21" }));
  for (const [groupBy, rows] of [
    ["worker,policy", BALANCES],
    ["department,policy", 250],
  ] as const) {
    const url = `http://rollcall.test/v1/time_off/movements?groupBy=${groupBy}`;
    const headers = { "x-api-key": key, accept: "application/x-ndjson" };
    const statements = await statementsDuring(async () => {
      const response = await app(new Request(url, { headers }), CONNECTION);
      expect((await response.text()).trim().split("\n").length).toBe(rows);
    });
    const reads = statements.filter(({ text }) => text.includes("workerStartDay"));
    expect([groupBy, reads.length <= BALANCES / AT_ONCE]).toEqual([groupBy, true]);
  }
});
