// What making a close costs, in statements.
import { afterEach, expect, test } from "bun:test";
import { closed } from "../../src/http/routes/closes.ts";
import { recordStatements, statementsDuring } from "../http/statements.ts";
import { assignmentRow, policyRow, workerRow } from "../support/rows.ts";
import { addCompany, openTestStore, type TestStore } from "../support/stores.ts";

const BALANCES = 1500;
const PERIOD = { firstDay: 20_000, lastDay: 20_030, atMs: 0 };

let store: TestStore;
const stopRecording = recordStatements();

afterEach(async () => {
  stopRecording();
  await store.dispose();
});

test("a close reads balances 1,000 at a time and movements 128 at a time, and no history", async () => {
  store = await openTestStore();
  const ids = Array.from({ length: BALANCES }, (_, at) => `${at}`.padStart(4, "0"));
  await addCompany(store.writer, "acme", {
    workers: ids.map((id) => workerRow(`wrk_${id}`)),
    policies: [policyRow("top_1")],
    assignments: ids.map((id) => assignmentRow(`toa_${id}`, `wrk_${id}`, "top_1")),
  });
  const company = store.reader.company("acme");
  const statements = await statementsDuring(() => closed(company, PERIOD));
  const pages = statements.filter(({ text }) => text.includes("workerStartDay"));
  expect(pages.length).toBeWithin(2 + 12, 2 + 14);
  expect(pages.filter(({ text }) => text.includes("_history"))).toEqual([]);
});
