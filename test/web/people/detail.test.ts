// How an amount came about, in words and in the policy's unit. Property: whatever the engine explains has a text, with all of its values.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { BalanceDetailPart } from "../../../src/client/index.ts";
import { detailIn } from "../../../src/web/people/detail.ts";
import { entriesOf } from "../../balances/builders.ts";
import { allFacts, anyDay } from "../../balances/generators.ts";

const plain = (unit: "day" | "hour", ...parts: BalanceDetailPart[]) =>
  detailIn(unit, parts).replaceAll(/\s/g, " ");

test("a part of a grant, rounded and cut", () => {
  const granted: BalanceDetailPart = {
    code: "granted",
    values: { minutes: 14_400, dividedBy: 12, parts: 1, of: 2, from: "2025-12-01", through: "2025-12-31" },
  };
  expect(plain("hour", granted)).toBe("240 h ÷ 12 × 1/2 for 1 – 31 Dec 2025");
  expect(plain("day", granted)).toBe("30 days ÷ 12 × 1/2 for 1 – 31 Dec 2025");
  expect(
    plain(
      "hour",
      {
        code: "granted",
        values: { minutes: 800, lessMinutes: 600, from: "2024-07-15", through: "2024-07-15" },
      },
      { code: "countedBy", values: { by: "startsBy:15" } },
      { code: "tier", values: { months: 60 } },
      { code: "rounded", values: { fromMinutes: 590.322581, how: "up", toMinutes: 240 } },
      { code: "yearlyCap", values: { fromMinutes: 16, minutes: 0, capMinutes: 2400 } },
    ),
  ).toBe(
    "(13.33 h − 10 h) for 15 Jul 2024 · by months in which they began by day 15 · the amount after 5 years of service · " +
      "9.84 h, rounded up to 4 h · 0.27 h cut to 0 h by the yearly limit of 40 h",
  );
});

test("hours worked, and leave on some of its days", () => {
  expect(
    plain("day", { code: "hoursWorked", values: { hours: 160, minutesPerChunk: 2.31, hoursPerChunk: 1 } }),
  ).toBe("160 h worked × 2.31 min/1 h");
  expect(
    plain(
      "hour",
      { code: "leave", values: { status: "approved", from: "2013-12-23", through: "2013-12-31" } },
      { code: "leavePart", values: { minutes: 2400, parts: 7, of: 9, by: "workDays" } },
    ),
  ).toBe("23 – 31 Dec 2013 · 40 h × 7/9, by work days");
});

test("property: whatever the engine explains has a text, with all of its values", () => {
  const codes = new Set<string>();
  fc.assert(
    fc.property(allFacts, anyDay, (facts, today) => {
      for (const { detail, detailParts } of entriesOf(facts, { today })) {
        expect(detail).not.toMatch(/undefined|NaN|null|object/);
        for (const part of detailParts) {
          codes.add(part.code);
          expect(detailIn("hour", [part])).not.toMatch(/undefined|NaN|null|object|[{}]|rule\./);
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(codes.size).toBeGreaterThan(20);
});
