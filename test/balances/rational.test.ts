// Properties: fractions obey the laws of arithmetic at any size and agree with BigInt fractions, and the shares of all days
// add up to the whole.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  add,
  divide,
  multiply,
  negate,
  type Rational,
  rational,
  sign,
  subtract,
  toHundredths,
  ZERO,
} from "../../src/balances/rational.ts";

function same(a: Rational, b: Rational): boolean {
  return sign(subtract(a, b)) === 0;
}

function fractionOf(value: Rational): [bigint, bigint] {
  if (typeof value === "number") return [BigInt(value), 1n];
  return [value.numerator, value.denominator];
}

/** Decimals of every length, small and far beyond the safe integers. */
const decimal = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.integer({ min: -9_999_999, max: 9_999_999 }).map((hundredths) => hundredths / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }),
  fc.maxSafeInteger(),
);
const days = fc.integer({ min: 1, max: 400 });
/** Fractions too, so that denominators differ. */
const number = fc
  .tuple(decimal, days, days)
  .map(([value, parts, of]) => divide(multiply(rational(value), parts), of));

describe("exact numbers", () => {
  test("have the value of their shortest decimal text", () => {
    expect(same(add(rational(0.1), rational(0.2)), rational(0.3))).toBe(true);
    expect(same(rational(433.33), divide(rational(43_333), rational(100)))).toBe(true);
    expect(same(rational(1e-7), divide(rational(1), rational(10_000_000)))).toBe(true);
    expect(same(rational(1.5e21), multiply(rational(15), rational(1e20)))).toBe(true);
  });

  test("throw for NaN, infinities and division by zero", () => {
    for (const value of [Number.NaN, Infinity, -Infinity]) expect(() => rational(value)).toThrow(RangeError);
    expect(() => divide(rational(1), ZERO)).toThrow(RangeError);
    expect(() => divide(ZERO, ZERO)).toThrow(RangeError);
  });

  test("obey the laws of arithmetic, whatever their size", () => {
    fc.assert(
      fc.property(number, number, number, (a, b, c) => {
        expect(same(add(a, b), add(b, a))).toBe(true);
        expect(same(add(add(a, b), c), add(a, add(b, c)))).toBe(true);
        expect(same(multiply(a, add(b, c)), add(multiply(a, b), multiply(a, c)))).toBe(true);
        expect(same(add(subtract(a, b), b), a)).toBe(true);
        expect(Math.sign(sign(negate(a)))).toBe(0 - Math.sign(sign(a)));
        if (sign(b) !== 0) expect(same(multiply(divide(a, b), b), a)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("come back to zero from beyond the safe integers", () => {
    const beyond = add(rational(Number.MAX_SAFE_INTEGER), rational(9));
    expect(add(beyond, rational(-9))).toBe(Number.MAX_SAFE_INTEGER);
    expect(add(add(beyond, rational(-Number.MAX_SAFE_INTEGER)), rational(-9))).toBe(0);
  });

  test("are right where safe integers end", () => {
    const power = fc.integer({ min: 0, max: 53 });
    const near = fc
      .tuple(power, fc.integer({ min: -3, max: 3 }), fc.boolean())
      .map(([exponent, offset, isNegative]) => (2 ** exponent + offset) * (isNegative ? -1 : 1));
    const integer = fc.oneof(near, fc.maxSafeInteger(), fc.integer({ min: -50, max: 50 }));
    const wide = fc
      .tuple(integer, integer, integer)
      .map(([whole, part, of]) =>
        add(rational(whole), of === 0 ? rational(part) : divide(rational(part), rational(of))),
      );
    fc.assert(
      fc.property(wide, wide, (a, b) => {
        const [[an, ad], [bn, bd]] = [fractionOf(a), fractionOf(b)];
        const [sum, sumOf] = fractionOf(add(a, b));
        const [product, productOf] = fractionOf(multiply(a, b));
        expect(sum * ad * bd).toBe((an * bd + bn * ad) * sumOf);
        expect(product * ad * bd).toBe(an * bn * productOf);
      }),
      { numRuns: 20_000 },
    );
  });

  test("shares of all days make up the whole", () => {
    fc.assert(
      fc.property(number, days, (value, of) => {
        let sum = ZERO;
        for (let at = 0; at < of; at++) sum = add(sum, divide(value, of));
        expect(same(sum, value)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe("rounding", () => {
  test.each([
    [0.005, 1],
    [-0.005, -1],
    [0.00499999999999999, 0],
    [1.005, 101],
    [-1.005, -101],
    [2.675, 268],
    [1e-300, 0],
    [83.33333333333333, 8333],
    [90_071_992_547_409.9, 9_007_199_254_740_990],
  ])("%d is %d hundredths", (value, hundredths) => {
    expect(toHundredths(rational(value))).toBe(hundredths);
  });

  test("zero never has a sign", () => {
    for (const value of [-0, 0, -0.001, -1e-300])
      expect(Object.is(toHundredths(rational(value)), 0)).toBe(true);
    expect(Object.is(toHundredths(subtract(rational(5), rational(5))), 0)).toBe(true);
  });

  test("happens once: 12 of 1000/12 are 1000, and 3 of 100/3 are 100", () => {
    let year = ZERO;
    for (let month = 0; month < 12; month++) year = add(year, rational(83.33333333333333));
    expect(toHundredths(year)).toBe(100_000);
    const third = divide(rational(100), 3);
    expect(toHundredths(add(add(third, third), third))).toBe(10_000);
  });
});
