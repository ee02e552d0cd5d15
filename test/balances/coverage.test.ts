// The days on which time accrues (docs/balances.md, Coverage), as dates.
import { expect, test } from "bun:test";
import { type Coverage, coverageOf, employmentOf } from "../../src/balances/coverage.ts";
import { formatDay } from "../../src/time/day.ts";
import { day, factsOf, monthly } from "./builders.ts";

const written = ({ ranges }: Coverage) =>
  ranges.map(({ first, last }) => `${formatDay(first)}/${last === Infinity ? "" : formatDay(last)}`);

type Outline = Partial<Parameters<typeof factsOf>[0]>;
const policy = monthly(600);
const factsWith = (outline: Outline) => factsOf({ policy, assigned: "2024-01-01", ...outline });

test.each<[string, Outline, string[]]>([
  ["from the assignment", { starts: "2023-05-01" }, ["2024-01-01/"]],
  ["from the employment, if that begins later", { starts: "2024-03-01" }, ["2024-03-01/"]],
  [
    "to the end of the assignment",
    { assignmentEnds: "2024-06-30", ends: "2024-12-31" },
    ["2024-01-01/2024-06-30"],
  ],
  [
    "to the end of the employment",
    { assignmentEnds: "2024-12-31", ends: "2024-06-30" },
    ["2024-01-01/2024-06-30"],
  ],
  [
    "to the day before a move",
    { assignmentEnds: "2024-12-31", movesOn: "2024-04-01" },
    ["2024-01-01/2024-03-31"],
  ],
  ["without a pause", { pauses: ["2024-02-10/2024-02-20"] }, ["2024-01-01/2024-02-09", "2024-02-21/"]],
  [
    "without pauses in any order",
    { pauses: ["2024-05-01/2024-05-02", "2024-02-10/2024-02-10"] },
    ["2024-01-01/2024-02-09", "2024-02-11/2024-04-30", "2024-05-03/"],
  ],
  [
    "a day between two pauses",
    { pauses: ["2024-02-10/2024-02-20", "2024-02-22/2024-02-29"] },
    ["2024-01-01/2024-02-09", "2024-02-21/2024-02-21", "2024-03-01/"],
  ],
  [
    "adjacent pauses are one",
    { pauses: ["2024-02-10/2024-02-20", "2024-02-21/2024-02-29"] },
    ["2024-01-01/2024-02-09", "2024-03-01/"],
  ],
  [
    "a pause inside a longer one",
    { pauses: ["2024-02-10/2024-02-20", "2024-02-12/2024-02-14"] },
    ["2024-01-01/2024-02-09", "2024-02-21/"],
  ],
  [
    "a pause that overlaps a gap",
    { pauses: ["2024-02-10/2024-02-20"], gaps: ["2024-02-15/2024-03-01"] },
    ["2024-01-01/2024-02-09", "2024-03-02/"],
  ],
  ["a pause from the first day moves it", { pauses: ["2024-01-01/2024-01-31"] }, ["2024-02-01/"]],
  [
    "a pause from before moves it",
    { pauses: ["2023-12-01/2024-01-31", "2024-02-01/2024-02-02"] },
    ["2024-02-03/"],
  ],
  ["a pause that ended before moves nothing", { pauses: ["2023-11-01/2023-12-31"] }, ["2024-01-01/"]],
  [
    "a pause to the last day brings it forward",
    { ends: "2024-06-30", pauses: ["2024-06-01/2024-06-30"] },
    ["2024-01-01/2024-05-31"],
  ],
  [
    "so do a pause beyond it, and the one before it",
    { ends: "2024-06-30", pauses: ["2024-05-01/2024-05-31", "2024-06-01/2024-07-30"] },
    ["2024-01-01/2024-04-30"],
  ],
  [
    "a pause to the day before the last",
    { ends: "2024-06-30", pauses: ["2024-06-01/2024-06-29"] },
    ["2024-01-01/2024-05-31", "2024-06-30/2024-06-30"],
  ],
])("covers %s", (_name, outline, covered) => {
  expect(written(coverageOf(factsWith(outline)))).toEqual(covered);
});

test("pauses count as employment, gaps do not", () => {
  const facts = factsWith({ pauses: ["2024-02-10/2024-02-20"], gaps: ["2024-05-01/2024-05-31"] });
  expect(written(employmentOf(facts, coverageOf(facts)))).toEqual(["2024-01-01/2024-04-30", "2024-06-01/"]);
});

test("a pause over all days leaves none", () => {
  const { first, last } = coverageOf(factsWith({ ends: "2024-06-30", pauses: ["2024-01-01/2024-06-30"] }));
  expect(first).toBeGreaterThan(last);
  expect(first).toBe(day("2024-07-01"));
});
