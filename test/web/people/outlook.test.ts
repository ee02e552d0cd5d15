// What can be taken: a leave of so much is simulated on the day, with what it saves from being lost, and no later day is below zero;
// a minute more, and one is.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { BalanceEntry } from "../../../src/client/index.ts";
import { dayOfText, formatDay } from "../../../src/time/day.ts";
import { type Change, outlook } from "../../../src/web/people/outlook.ts";

const range = { first: dayOfText("2026-01-01"), end: dayOfText("2027-01-01") };
const today = dayOfText("2026-06-15");

const entry = (
  day: number,
  kind: BalanceEntry["kind"],
  minutes: number,
  unlocksOn: string | null = null,
): BalanceEntry => ({
  date: formatDay(range.first + day),
  kind,
  minutes,
  balance: 0,
  unlocksOn,
  sourceId: null,
  detail: "",
  detailParts: [],
});

const made = (
  entries: readonly BalanceEntry[],
  opening = 0,
  useCap: number | null = null,
  cuts: readonly Change[] = [],
) => outlook({ range, opening, locked: { day: range.first, minutes: 0 }, entries, cuts, useCap, today });

test("leave that is booked ahead, or for the next year, is not taken twice; time ends when it expires or is forfeited", () => {
  const { canTake, inYear, losses, bookedNext, neededNext } = made(
    [
      entry(0, "accrual", 9600),
      entry(181, "expiry", -480), // 1 July
      entry(340, "used", -960),
      entry(365, "forfeit", -6000),
      entry(365, "accrual", 9600),
      entry(500, "used", -12_000),
    ],
    480,
  );
  expect(losses).toEqual([
    { day: range.first + 181, minutes: 480 },
    { day: range.end, minutes: 6000 },
  ]);
  // 8,640 are left at the end of the year, 6,000 of them end with it; the next year has 240 more than it needs.
  expect([canTake(range.end - 1), inYear, bookedNext, neededNext]).toEqual([6240, 6720, 12_000, 2400]);
  expect(canTake(today)).toBe(6720);
});

test("time that is locked can be taken once it is not, and no more than a year's cap", () => {
  const entries = [entry(0, "accrual", 4800, "2026-09-01")];
  const { canTake } = made(entries);
  expect([canTake(today), canTake(dayOfText("2026-09-01"))]).toEqual([0, 4800]);
  expect(made([...entries, entry(300, "used", -480)], 0, 1440).inYear).toBe(960);
});

test("leave leaves room for what a cap would cut", () => {
  const entries = [entry(0, "accrual", 4800), entry(500, "used", -480)];
  const cut = { day: range.end + 30, minutes: 480 };
  expect(made(entries).canTake(today)).toBe(4320);
  expect(made(entries, 0, null, [cut]).canTake(today)).toBe(4800);
  expect(made(entries, 0, null, [cut]).canTake(cut.day)).toBe(4320);
});

/** Whether no day from `day` on is below zero if so much is taken on it. */
function holds(entries: readonly BalanceEntry[], opening: number, day: number, minutes: number): boolean {
  let [balance, owed] = [opening, 0];
  for (let at = range.first; at < range.end + 365; at++) {
    for (const one of entries.filter(({ date }) => date === formatDay(at))) {
      const isLoss = one.kind === "expiry" && at > day;
      const saved = isLoss ? Math.min(owed, -one.minutes) : 0;
      owed -= saved;
      balance += one.minutes + saved;
    }
    if (at === day) {
      balance -= minutes;
      owed = minutes;
    }
    if (at >= day && balance < 0) return false;
  }
  return true;
}

test("property: so much and no more can be taken on any day", () => {
  const entries = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 700 }),
      fc.constantFrom("accrual" as const, "used" as const, "expiry" as const),
      fc.integer({ min: 1, max: 2000 }),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(
      entries,
      fc.integer({ min: 0, max: 9600 }),
      fc.integer({ min: 0, max: 364 }),
      (drawn, opening, at) => {
        const all = drawn
          .toSorted(([a], [b]) => a - b)
          .map(([day, kind, minutes]) => entry(day, kind, kind === "accrual" ? minutes : -minutes));
        const day = range.first + at;
        fc.pre(holds(all, opening, day, 0));
        const most = made(all, opening).canTake(day);
        expect(holds(all, opening, day, most)).toBe(true);
        expect(holds(all, opening, day, most + 1)).toBe(false);
      },
    ),
  );
});
