// Property: no day of the leave year has more to take than the year has.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { preview } from "../../../src/balances/preview.ts";
import type { LeavePreview } from "../../../src/client/index.ts";
import { type Day, dayOfText, formatDay } from "../../../src/time/day.ts";
import { outlook } from "../../../src/web/people/leave-year.ts";
import { allFacts } from "../../balances/generators.ts";

test("property: no day of the leave year has more to take than the year has, and the last day's is the preview's", () => {
  const [today, end] = [dayOfText("2026-06-15"), dayOfText("2026-12-31")];
  fc.assert(
    fc.property(allFacts, fc.integer({ min: today, max: end }), (facts, day) => {
      const { rules, changes, isUnlimited } = facts.policy;
      fc.pre(
        !isUnlimited && rules.revalue === "none" && rules.useCapMinutes === null && changes.length === 0,
      );
      fc.pre(facts.opening === null || facts.opening.day < today);
      const last = Math.min(end, facts.worker.endDate ?? end, facts.assignment.endsOn ?? end);
      fc.pre(today <= last && facts.assignment.pauses.length + facts.assignment.gaps.length === 0);
      const on = (first: Day) => {
        const { most, before, lost } = preview(facts, first, first, 0);
        return {
          mostMinutes: most,
          balanceBefore: before,
          lost: lost.map(({ day, minutes, cause }) => ({ date: formatDay(day), minutes, cause })),
        } as LeavePreview; // nothing else is read
      };
      const parts = { first: today, last, year: [], next: [], useCap: null };
      const { inYear } = outlook({ now: on(today), atEnd: on(last), ...parts });
      expect(on(day).mostMinutes!).toBeLessThanOrEqual(inYear + 0.05);
    }),
    { numRuns: 100 },
  );
}, 60_000);
