// Amounts as they are shown: what is rounded to nothing is nothing.
import { expect, test } from "bun:test";
import { amount, number, signed } from "../../src/web/data/format.ts";
import { figureOf } from "../../src/web/data/unit.ts";

test.each([0.01, -0.01, 0, 1e-12])("%d minutes are 0, without a sign", (minutes) => {
  expect(Object.is(figureOf(minutes, "hour"), 0)).toBe(true);
  expect(signed(minutes, "hour").replaceAll(/\s/g, " ")).toBe("0 h");
});

test("a hundredth has its sign", () => {
  expect(signed(-0.6, "hour").replaceAll(/\s/g, " ")).toBe("− 0.01 h");
});

// A balance of the demo company: its list has it to 0.01 minute, its entries more exactly.
test("an amount is shown the same from the list and from its entries", () => {
  expect(amount(6942.295082, "hour")).toBe(amount(6942.3, "hour"));
});

test.each(["hour", "day"] as const)("an amount in %ss is the figure of a table, with its unit", (unit) => {
  for (let hundredths = 0; hundredths < 100_000; hundredths += 30) {
    const minutes = hundredths / 100;
    const [figure] = amount(minutes, unit).split("\u00a0");
    expect([minutes, figure]).toEqual([minutes, number(figureOf(minutes, unit))]);
  }
});
