// What is probably wrong with leave is found on each engine, among the rows of one company alone.
import { expect, test } from "bun:test";
import { startService } from "../service.ts";
import { csv, importedCompany, LEAVE, POLICY, WORKER } from "./company.ts";

const service = await startService();

/** Files of people who all have the policy. */
const filesWithPolicy = (people: readonly string[]) => ({
  "workers.csv": csv(...people.map((legacyId) => ({ ...WORKER, legacyId, email: `${legacyId}@x.example` }))),
  "policies.csv": csv(POLICY),
  "assignments.csv": csv(
    ...people.map((workerId) => ({ workerId, policyId: "PTO", startsOn: "2025-01-01" })),
  ),
});

test("leave that is not covered, overlaps, or is in a balance that was given as an adjustment", async () => {
  const { load } = await importedCompany(service);
  const people = ["E1", "E2", "E3", "E4", "E5"];
  const leave = (legacyId: string, from: string, to: string) => ({
    ...{ ...LEAVE, legacyId, startAt: `${from}T00:00:00Z`, endAt: `${to}T00:00:00Z` },
  });
  const { findings } = await load({
    ...filesWithPolicy(people),
    "adjustments.csv": csv(
      ...people.map((workerId, at) => ({
        ...{ legacyId: `A${at}`, workerId, policyId: "PTO", date: "2025-06-30", minutes: `${600 + at}` },
      })),
    ),
    "requests.csv": csv(
      leave("EARLY", "2024-12-30", "2025-01-01"),
      leave("LONG", "2025-07-07", "2025-07-12"),
      leave("WITHIN", "2025-07-09", "2025-07-11"),
    ),
  });
  const found = findings.map(({ code, count, examples }) => [code, count, ...examples]);
  expect(found.filter(([code]) => String(code).endsWith("-leave"))).toEqual([
    ["uncovered-leave", 1, "EARLY"],
    ["overlapping-leave", 1, "WITHIN"],
    ["snapshot-leave", 1, "EARLY"],
  ]);
});

test("hours worked and carried minutes that are hours or days", async () => {
  const { load } = await importedCompany(service);
  const people = ["E1", "E2", "E3"];
  const { findings } = await load({
    ...filesWithPolicy(people),
    "openings.csv": csv(
      ...people.map((workerId) => ({
        ...{ workerId, policyId: "PTO", date: "2025-06-30" },
        ...{ minutes: "4800", carriedMinutes: "5", accruedMinutes: "20" },
      })),
    ),
    "work_hours.csv": csv(...people.map((workerId) => ({ workerId, date: "2025-07-01", minutes: "8" })), {
      workerId: "E1",
      date: "2025-07-02",
      minutes: "7.5",
    }),
  });
  const counts = findings.flatMap(({ code, count }) => (code === "small-amount" ? [count] : []));
  expect(counts).toEqual([10]); // three, three and four rows
});
