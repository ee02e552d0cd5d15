// Balances that move to another policy, from files to the wire.
import { describe, expect, test } from "bun:test";
import { ImportRefused } from "../../../src/import/row-errors.ts";
import type { BalanceExplanation } from "../../../src/resources/balances.ts";
import type { Files } from "../../support/import-files.ts";
import { startService } from "../service.ts";
import { csv, importedCompany, LEAVE, POLICY, WORKER } from "./company.ts";

const service = await startService();

const OLD = { workerId: "E1", policyId: "PTO", startsOn: "2020-01-01" };
const NEW = { workerId: "E1", policyId: "NEW", startsOn: "2025-07-01", movesFrom: "PTO" };
const NEWER = { workerId: "E1", policyId: "NEWER", startsOn: "2025-10-01", movesFrom: "NEW" };
const POLICIES = csv(
  { ...POLICY, carryoverLimitMinutes: "0" },
  { ...POLICY, legacyId: "NEW", minutesPerPeriod: "12000" },
  { ...POLICY, legacyId: "NEWER", minutesPerPeriod: "2400" },
  { ...POLICY, legacyId: "OPEN", schedule: "unlimited", minutesPerPeriod: "" },
);
const files = (...assignments: Record<string, string>[]): Files => ({
  "workers.csv": csv(WORKER),
  "policies.csv": POLICIES,
  "assignments.csv": csv(...assignments),
});

async function companyWith(loaded: Files) {
  const company = await importedCompany(service);
  const report = await company.load(loaded);
  const { data } = await company.get<{ data: { id: string; policyId: string }[] }>("/v1/time_off/balances");
  const policies = await company.get<{ data: { id: string; legacyId: string }[] }>("/v1/time_off/policies");
  const legacyIdOf = (id: string) => policies.data.find((one) => one.id === id)!.legacyId;
  const ids = new Map(data.map(({ id, policyId }) => [legacyIdOf(policyId), id]));
  const explained = (policy: string, day: string) =>
    company.get<BalanceExplanation>(`/v1/time_off/balances/${ids.get(policy)}?endDate=${day}`);
  return { ...company, report, explained };
}

test("the remaining balance moves on the day, through several policies, with an entry on both sides", async () => {
  const leave = { startAt: "2025-03-03T09:00:00Z", endAt: "2025-03-04T17:00:00Z" };
  const { explained, get } = await companyWith({
    ...files(NEWER, NEW, OLD),
    "requests.csv": csv({ ...LEAVE, ...leave }),
  });
  const [old, middle, last] = await Promise.all(
    ["PTO", "NEW", "NEWER"].map((policy) => explained(policy, "2025-12-31")),
  );
  // 9600 × 181/365 is 4760.55: the old coverage ends on 30 June. 960 were used.
  const moved = old!.entries.at(-1)!;
  expect([moved.date, moved.kind, moved.minutes]).toEqual(["2025-07-01", "moved", -3800.547945]);
  expect(old!.available).toBe(0);
  expect(middle!.entries.map(({ date, kind, minutes }) => [date, kind, minutes])).toEqual([
    ["2025-07-01", "moved", 3800.547945],
    ["2025-07-01", "accrual", 3024.657534],
    ["2025-10-01", "moved", -6825.205479],
  ]);
  expect([last!.entries[0]!.minutes, last!.available]).toEqual([6825.205479, 7430.14]);
  // A list says the same numbers.
  const { data } = await get<{ data: { available: number }[] }>("/v1/time_off/balances?endDate=2025-12-31");
  expect(data.map(({ available }) => available).sort()).toEqual([0, 0, 7430.14]);
});

test("a rate scales the grants of its span", async () => {
  const { explained } = await companyWith(
    files({ ...OLD, startsOn: "2026-01-01", rates: "2026-03-01:80%; 2026-07-01:100%" }),
  );
  // 59 and 184 days whole, 122 at 80 percent.
  const { available, accruedLocked } = await explained("PTO", "2026-12-31");
  expect(available + accruedLocked).toBeCloseTo(8958.25, 6);
});

test("leave of the old policy from that day on stays there, and a finding says so", async () => {
  const leave = { startAt: "2025-08-04T09:00:00Z", endAt: "2025-08-05T17:00:00Z" };
  const { report, explained } = await companyWith({
    ...files(OLD, NEW),
    "requests.csv": csv({ ...LEAVE, ...leave }),
  });
  expect(report.findings.map(({ code, count, examples }) => [code, count, examples[0]])).toContainEqual([
    "moved-leave",
    1,
    "R1",
  ]);
  expect((await explained("PTO", "2025-12-31")).used).toBe(960);
});

describe("refused:", () => {
  test.each<[string, Record<string, string>[], string]>([
    ["an unlimited policy", [OLD, { ...NEW, policyId: "OPEN" }], "one of the two policies is unlimited"],
    ["its own policy", [{ ...NEW, movesFrom: "NEW" }], "is the assignment's own policy"],
    ["no such policy", [{ ...NEW, movesFrom: "NONE" }], "is no policy"],
    ["no old assignment", [NEW], "the worker has no assignment to the old policy"],
    [
      "a cycle",
      [{ ...OLD, movesFrom: "NEW" }, NEW],
      "the assignment to the old policy begins on the same day or later",
    ],
    ["another end", [{ ...OLD, endsOn: "2025-06-29" }, NEW], "does not end on the day before the move"],
    ["two moves", [OLD, NEW, { ...NEWER, movesFrom: "PTO" }], "two assignments move from the same policy"],
  ])("%s", async (_, assignments, message) => {
    const { load } = await importedCompany(service);
    const error = await load(files(...assignments)).catch((raised) => raised);
    expect(error).toBeInstanceOf(ImportRefused);
    expect(error.message).toContain(message);
  });

  test("an end on the day before is right", async () => {
    const { report } = await companyWith(files({ ...OLD, endsOn: "2025-06-30" }, NEW));
    expect(report.isChanged).toBe(true);
  });
});
