// Property: see statement.ts. statement.all.test.ts has more people and nights, and both engines.
import { expect, test } from "bun:test";
import { sqlite } from "../../store/conformance/engines.ts";
import { compareStatements } from "./statement.ts";

test("movements after closes, and why figures differ, are those of a model of the documents", async () => {
  const { differences, movements } = await compareStatements(sqlite, { seed: 1, people: 6, nights: 4 });
  expect([differences > 10, movements > 100]).toEqual([true, true]);
});
