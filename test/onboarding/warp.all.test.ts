// Warp's published interface of 2026, with 250 people: every manager, request and assignment, and balances by `legacyWorkerId`.
import { expect, test } from "bun:test";
import { inFolder, rollcallHere } from "../cli/command.ts";
import { warp } from "./fakes/warp.ts";
import { factsOf, syncHere } from "./synced.ts";

const COUNT = 250;
const numbers = Array.from({ length: COUNT }, (_, at) => at);
const worker = (at: number) => ({
  id: `wrk_${at}`,
  businessName: null,
  displayName: `F${at} L${at}`,
  email: `p${at}@example.org`,
  endDate: null,
  firstName: `F${at}`,
  isBusiness: false,
  lastName: `L${at}`,
  position: "Clerk",
  preferredName: null,
  startDate: at % 2 === 0 ? "2023-03-01" : "2024-01-08",
  status: "active",
  timeZone: null,
  type: "employee",
  workEmail: `w${at}@example.com`,
  department: null,
  primaryWorkplace: null,
  manager:
    at === 0
      ? null
      : { id: `wrk_${Math.floor((at - 1) / 5)}`, firstName: "F", lastName: "L", displayName: "F L" },
  latestRehireDate: null,
  terminationReason: null,
  dateOfBirth: "1990-01-01",
  updatedAt: "2025-05-02T09:00:00.000Z",
});
const policy = {
  id: "top_pto",
  description: null,
  hoursWorkedPerChunk: null,
  isUnlimited: false,
  minutesPerChunk: null,
  minutesPerPeriod: 9600,
  name: "PTO",
  paid: true,
  schedule: "yearly",
  timeOffTypeId: "tot_pto",
  timeOffTypeName: "PTO",
  unit: "day",
};
const request = (at: number) => ({
  id: `tor_${at}`,
  createdAt: "2025-01-09T10:00:00.000Z",
  startAt: "2025-03-03T00:00:00.000Z",
  endAt: "2025-03-04T00:00:00.000Z",
  reason: null,
  requestedMinutes: 480,
  status: "approved",
  timeOffPolicyId: "top_pto",
  timeZone: null,
  workerId: `wrk_${at}`,
  startRangeType: "date",
  endRangeType: "date",
});

/** `told`: how a balance names its worker. */
const company = (balanceOf: (at: number) => number, told: "own id" | "old id") => ({
  departments: [],
  workplaces: [],
  holidays: [],
  workers: numbers.map((at) => ({ ...worker(at), ...(told === "old id" && { legacyId: `old-${at}` }) })),
  "time_off/policies": [policy],
  "time_off/assignments": numbers.map((at) => ({
    id: `toa_${at}`,
    assignedAt: `${worker(at).startDate}T00:00:00.000Z`,
    policyId: "top_pto",
    workerId: `wrk_${at}`,
  })),
  "time_off/requests": numbers.map(request),
  "time_off/balances": numbers.map((at) => ({
    id: `b${String(at).padStart(4, "0")}`,
    accruedLocked: 0,
    accruedUnlocked: balanceOf(at) + 480,
    available: balanceOf(at),
    holds: 0,
    legacyWorkerId: told === "own id" ? `wrk_${at}` : `old-${at}`,
    policyId: "top_pto",
    used: 480,
  })),
});

test.each(["own id", "old id"] as const)(
  "all of a company whose balances tell the worker by the %s",
  async (told) => {
    await inFolder(async (folder) => {
      const first = await warp(
        company((at) => 1000 + at, told),
        100,
      );
      await syncHere(folder, "warp", first, "2025-06-01");
      await first.fake.stop();
      const facts = await factsOf(folder, "2025-06-01");
      const managers = Object.values(facts.workers).filter((text) => !text.includes("manager -,"));
      expect([managers.length, Object.keys(facts.requests).length, facts.assignments.length]).toEqual([
        249,
        COUNT,
        COUNT,
      ]);
      const name = (at: number) => (told === "own id" ? `wrk_${at}` : `old-${at}`);
      const minutes = numbers.map((at) => [`${name(at)} top_pto`, 1000 + at] as const);
      expect(facts.balances).toEqual(Object.fromEntries(minutes));
      expect(facts.openings).toEqual(
        Object.fromEntries(minutes.map(([pair, left]) => [pair, `${left} on 2025-06-01`])),
      );
      expect(facts.reported).toEqual({});
      // The next night, three have another balance there than here.
      const second = await warp(
        company((at) => (at < 3 ? 1100 : 1000) + at, told),
        100,
      );
      await syncHere(folder, "warp", second, "2025-06-02");
      await second.fake.stop();
      const after = await factsOf(folder, "2025-06-02");
      expect([after.openings, after.balances]).toEqual([facts.openings, facts.balances]);
      expect(Object.keys(after.reported)).toHaveLength(COUNT);
      expect(after.reported[`${name(0)} top_pto 2025-06-02`]).toBe("1100 on 2025-06-02");
      const reconciled = await rollcallHere(folder, ["reconcile", "--company", "acme"]);
      expect(reconciled.stdout).toContain("3");
      // A month later, of each month before the last day stays.
      const third = await warp(
        company((at) => 1000 + at, told),
        100,
      );
      await syncHere(folder, "warp", third, "2025-07-05");
      await third.fake.stop();
      const days = new Set(
        Object.keys((await factsOf(folder, "2025-07-05")).reported).map((key) => key.split(" ")[2]),
      );
      expect([...days].sort()).toEqual(["2025-06-02", "2025-07-05"]);
    });
  },
  60_000,
);

// The interface tells the terms in force. A copy that also read dated changes would take these for the terms before all changes.
test("an amount that changed applies from the day of --rules-from, and the nights after it are imported, too", async () => {
  const told = (minutesPerPeriod: number) => ({
    ...company(() => 1000, "own id"),
    "time_off/policies": [
      { ...policy, schedule: "monthly", minutesPerPeriod, changes: [{ from: "2025-07-01", rules: {} }] },
    ],
  });
  await inFolder(async (folder) => {
    const night = async (today: string, minutes: number, exitCode: number, ...args: string[]) => {
      const there = await warp(told(minutes), 100);
      const { stderr } = await syncHere(folder, "warp", there, today, exitCode, ...args);
      await there.fake.stop();
      return stderr;
    };
    await night("2025-05-31", 600, 0);
    expect(await night("2025-07-01", 800, 1)).toContain("--rules-from");
    await night("2025-07-01", 800, 0, "--rules-from", "2025-07-01");
    await night("2025-07-02", 800, 0);
    expect((await factsOf(folder, "2025-07-02")).balances["wrk_0 top_pto"]).toBe(1000 + 600 + 800);
  });
}, 60_000);
