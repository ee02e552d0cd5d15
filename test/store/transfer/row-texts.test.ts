// A row's text, over which copies are compared, does not depend on the order of its columns.
import { expect, test } from "bun:test";
import { rowText } from "../../../src/store/transfer/row-texts.ts";
import { workerRow } from "../../support/rows.ts";

test("the text of a row has its columns by name, without those that are null", () => {
  const hours = { workerId: "wrk_1", minutes: 0.5, day: 0 };
  expect(rowText("work_hours", hours)).toBe('{"day":0,"minutes":0.5,"workerId":"wrk_1"}');
  const worker = workerRow("wrk_1", { legacyId: "Ærø\n\u2028" });
  expect(Object.values(JSON.parse(rowText("workers", worker)))).not.toContain(null);
  expect(JSON.parse(rowText("workers", worker))).toMatchObject({ legacyId: "Ærø\n\u2028" });
});
