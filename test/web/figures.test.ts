// Amounts as they are shown: what is rounded to nothing is nothing.
import { expect, test } from "bun:test";
import { signed } from "../../src/web/data/format.ts";
import { figureOf } from "../../src/web/data/unit.ts";

test.each([0.01, -0.01, 0, 1e-12])("%d minutes are 0, without a sign", (minutes) => {
  expect(Object.is(figureOf(minutes, "hour"), 0)).toBe(true);
  expect(signed(minutes, "hour").replaceAll(/\s/g, " ")).toBe("0 h");
});

test("a hundredth has its sign", () => {
  expect(signed(-0.6, "hour").replaceAll(/\s/g, " ")).toBe("− 0.01 h");
});
