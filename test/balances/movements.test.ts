// Properties: each row of movements adds up to 0.01 minute; [a, b] and [b + 1, c] add up to [a, c]; opening and closing are the balances
// of their days with locked time and without holds; losses are what was forfeited, has expired, or was cut by the balance cap.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { balance } from "../../src/balances/balance.ts";
import type { BalanceFacts, PolicyTerms } from "../../src/balances/facts.ts";
import { losses, movements, noMovements } from "../../src/balances/movements.ts";
import { forfeitsOn } from "../../src/balances/postings.ts";
import { MOVEMENTS } from "../../src/resources/movements.ts";
import { balanceOn, changing, day, entriesOf, factsOf, leave, monthly, yearly } from "./builders.ts";
import { allFacts, anyDay } from "./generators.ts";
import { modelBalance } from "./model.ts";

const hundredths = (minutes: number) => Math.round(minutes * 100);
const threeDays = fc.tuple(anyDay, anyDay, anyDay).map((days) => days.sort((a, b) => a - b));

/** The balance of the day as it is given on that day. */
function closingOf(facts: BalanceFacts, on: number): number {
  if (facts.policy.isUnlimited) return 0;
  const { accruedLocked, accruedUnlocked, used } = balance(facts, { today: on, endDate: on });
  return hundredths(accruedUnlocked) + hundredths(accruedLocked) - hundredths(used);
}

test("rows add up, spans add up, and the ends are balances", () => {
  fc.assert(
    fc.property(allFacts, threeDays, (facts, [from, middle, end]) => {
      const to = Math.max(end!, middle! + 1);
      const all = movements(facts, from!, to);
      const { opening, granted, used, adjusted, forfeited, expired, opened, moved, revalued, closing } = all;
      expect(opening + granted - used + adjusted - forfeited - expired + opened + moved + revalued).toBe(
        closing,
      );
      expect(opening).toBe(closingOf(facts, from! - 1));
      expect(closing).toBe(closingOf(facts, to));
      const first = movements(facts, from!, middle!);
      const second = movements(facts, middle! + 1, to);
      expect(second.opening).toBe(first.closing);
      for (const name of MOVEMENTS)
        if (!["opening", "closing", "earned"].includes(name))
          expect(first[name] + second[name]).toBe(all[name]);
    }),
    { numRuns: 400 },
  );
});

test("the earned amount of a day is the final balance of somebody whose last day it is", () => {
  fc.assert(
    fc.property(allFacts, anyDay, (facts, to) => {
      fc.pre(facts.opening === null || facts.opening.day <= to);
      fc.pre(facts.movesFrom === null || facts.assignment.assignedOn <= to);
      const endDate = Math.min(facts.worker.endDate ?? Infinity, to);
      const isBy = ({ day }: { readonly day: number }) => day <= to;
      const requests = facts.requests.filter(
        ({ status, lastDay, dayMinutes }) =>
          status === "approved" && lastDay <= to && (dayMinutes ?? []).every(isBy),
      );
      const plain = { ...facts, requests };
      const left = {
        ...plain,
        worker: { ...facts.worker, endDate },
        adjustments: facts.adjustments.filter(isBy),
        workedHours: facts.workedHours.filter(isBy),
      };
      // A policy that takes its rest with it does so after the day, or not at all if the worker comes back after a gap.
      const keep = <T extends PolicyTerms>(terms: T): T => ({
        ...terms,
        rules: { ...terms.rules, whenItEnds: "keep" },
      });
      const policy = { ...keep(facts.policy), changes: facts.policy.changes.map(keep) };
      const kept = forfeitsOn(facts) > to ? { ...left, policy } : left;
      const then = modelBalance(kept, { today: to + 1, endDate: to + 1 });
      const there = facts.policy.isUnlimited ? 0 : then.accruedUnlocked + then.accruedLocked - then.used;
      expect(Math.abs(movements(plain, to, to).earned - there)).toBeLessThanOrEqual(2); // each part is rounded
    }),
    { numRuns: 100 },
  );
});

test("usable and locked minutes are rounded one by one, as a balance shows them", () => {
  const policy = changing(monthly(108), { "2024-02-10": { waitingPeriodDays: 365 } });
  const facts = factsOf({ policy, assigned: "2024-01-15", assignmentEnds: "2024-03-15" });
  // 108 × 17/31 + 108 = 167.2258…, and 108 × 15/31 = 52.2580… are locked. Together they are 219.4838….
  expect(balanceOn(facts, { endDate: "2024-03-01" })).toMatchObject({
    accruedUnlocked: 167.23,
    accruedLocked: 52.26,
  });
  expect(movements(facts, day("2024-03-01"), day("2024-03-01")).closing).toBe(21_949);
});

test("what moved away is owed no longer", () => {
  const outline = { policy: yearly(9600, { prorate: false }), assigned: "2025-01-01", movesOn: "2025-07-01" };
  const earned = (to: string) => movements(factsOf(outline), day("2025-01-01"), day(to)).earned;
  expect([earned("2025-06-30"), earned("2025-07-01"), earned("2025-12-31")]).toEqual([960_000, 0, 0]);
});

test("a yearly grant is earned day by day, also before it is posted", () => {
  const earned = (accrualTiming: "start" | "end") =>
    movements(
      factsOf({ policy: yearly(9600, { accrualTiming }), assigned: "2025-01-01" }),
      ...([day("2025-01-01"), day("2025-01-31")] as const),
    );
  expect(earned("start")).toMatchObject({ closing: 960_000, earned: 81_534 });
  expect(earned("end")).toMatchObject({ closing: 0, earned: 81_534 });
});

test("each column is the sum of its entries in the explanation, within rounding", () => {
  const KINDS = { adjusted: "adjustment", opened: "opening", moved: "moved", granted: "accrual" } as const;
  fc.assert(
    fc.property(allFacts, anyDay, threeDays, (facts, today, [from, , to]) => {
      const all = movements(facts, from!, to!);
      const entries = entriesOf(facts, { today, startDate: from!, endDate: to! });
      const sumOf = (kind: string) =>
        entries.reduce((sum, entry) => sum + (entry.kind === kind ? entry.minutes : 0), 0) * 100;
      if (!facts.policy.isUnlimited)
        for (const [name, kind] of Object.entries(KINDS))
          expect(Math.abs(all[name as keyof typeof KINDS] - sumOf(kind))).toBeLessThan(12);
      expect(Math.abs(all.used + sumOf("used"))).toBeLessThan(2);
      expect(Math.abs(all.forfeited + sumOf("forfeit"))).toBeLessThan(2);
      expect(Math.abs(all.expired + sumOf("expiry"))).toBeLessThan(2);
    }),
    { numRuns: 200 },
  );
});

test("losses are what was forfeited, has expired, or was cut by the balance cap", () => {
  const CUT = /; (\S+) cut to (\S+) by the balance cap/;
  fc.assert(
    fc.property(allFacts, anyDay, anyDay, (facts, a, b) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      const all = losses(facts, from, to);
      for (const { day: on, minutes } of all) {
        expect(minutes).toBeGreaterThan(0);
        expect(on >= from && on <= to).toBe(true);
      }
      const lost = (causes: readonly string[]) =>
        all.reduce((sum, { minutes, cause }) => sum + (causes.includes(cause) ? minutes : 0), 0);
      let [forfeited, expired, cut] = [0, 0, 0];
      const entries = entriesOf(facts, { today: from, startDate: from, endDate: to });
      for (const { kind, minutes, detail } of entries) {
        if (kind === "forfeit") forfeited -= minutes;
        if (kind === "expiry") expired -= minutes;
        const [, before, after] = CUT.exec(detail) ?? ["", "0", "0"];
        cut += Number(before) - Number(after);
      }
      const rounding = 0.005 * entries.length + 0.001; // what rounds to 0 is left out
      expect(Math.abs(lost(["carryoverLimit", "policyEnds"]) - forfeited)).toBeLessThan(rounding + 0.01);
      expect(Math.abs(lost(["carryoverExpiry", "grantExpiry"]) - expired)).toBeLessThan(rounding + 0.01);
      expect(Math.abs(lost(["balanceCap"]) - cut)).toBeLessThan(rounding + 0.01);
    }),
    { numRuns: 300 },
  );
});

test("the example of docs/balances.md, Movements", () => {
  const facts = factsOf({
    policy: yearly(9600, { carryoverLimitMinutes: 2400 }),
    assigned: "2025-01-01",
    requests: [leave("approved", 3000, "2025-06-02", "2025-06-06")],
  });
  const [from, to] = [day("2025-06-01"), day("2026-01-01")];
  expect(movements(facts, from, to)).toEqual({
    ...noMovements(),
    ...{
      opening: 960_000,
      granted: 960_000,
      used: 300_000,
      forfeited: 420_000,
      closing: 1_200_000,
      earned: 242_630,
    },
  });
  expect(losses(facts, from, to)).toEqual([{ day: to, minutes: 4200, cause: "carryoverLimit" }]);
});

test("what ends with the policy is lost for that cause, and not above a carry-over limit", () => {
  const policy = yearly(9600, { whenItEnds: "forfeit", carryoverLimitMinutes: 2400 });
  const facts = factsOf({ policy, assigned: "2025-01-01", ends: "2026-01-31" });
  expect(losses(facts, day("2025-06-01"), day("2026-12-31"))).toEqual([
    { day: day("2026-01-01"), minutes: 7200, cause: "carryoverLimit" },
    { day: day("2026-02-01"), minutes: 3215.34, cause: "policyEnds" },
  ]);
});

test("a forfeit at the end lowers what is earned once it has come, and not in a gap", () => {
  const policy = yearly(9600, { whenItEnds: "forfeit" });
  const earnedOn = (facts: BalanceFacts, on: string) => movements(facts, day(on), day(on)).earned;
  const away = factsOf({ policy, assigned: "2025-01-01", gaps: ["2026-01-01/2026-06-30"] });
  for (const on of ["2025-12-31", "2026-01-01", "2026-06-30"]) expect(earnedOn(away, on)).toBe(960_000);
  const gone = factsOf({ policy, assigned: "2025-01-01", ends: "2025-12-31" });
  expect(earnedOn(gone, "2025-12-31")).toBe(960_000);
  expect(earnedOn(gone, "2026-01-01")).toBe(0);
});
