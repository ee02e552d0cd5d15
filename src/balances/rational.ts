/**
 * Exact minutes. 29/30 of 100 has no exact binary fraction, and many small errors can change the last decimal. So amounts stay exact
 * until they are rounded once, at the end (docs/balances.md, Rounding).
 *
 * Most amounts are whole minutes, and plain numbers here. All others are fractions of two BigInts.
 */

/** The denominator is positive. A fraction is reduced only if its denominator reaches `LONG`, because that is slow. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** An exact number, made only by functions of this file. A plain number is a safe integer, never -0. */
export type Rational = number | Fraction;

/** From here on, a denominator needs more than one machine word. */
const LONG = 2n ** 64n;
const isSafe = Number.isSafeInteger;

export const ZERO: Rational = 0;
const HALF: Rational = { numerator: 1n, denominator: 2n };

/** The exact value of a number's shortest decimal text: 433.33 is 43333/100. Throws `RangeError` for NaN and infinities. */
export function rational(value: number): Rational {
  if (isSafe(value)) return value + 0; // -0 + 0 is 0
  const parts = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!parts) throw new RangeError(`${value} is not a finite number`);
  const [, whole, decimals = "", exponent = "0"] = parts;
  const digits = BigInt(whole! + decimals);
  const power = Number(exponent) - decimals.length;
  return power < 0 ? fraction(digits, 10n ** BigInt(-power)) : fraction(digits * 10n ** BigInt(power), 1n);
}

/** A plain number if the value is a safe integer. `denominator` must not be zero. */
function fraction(numerator: bigint, denominator: bigint): Rational {
  if (denominator < 0n) return fraction(-numerator, -denominator);
  if (numerator % denominator === 0n) {
    const whole = Number(numerator / denominator);
    if (isSafe(whole)) return whole;
  }
  if (denominator < LONG) return { numerator, denominator };
  let [divisor, rest] = [denominator, numerator < 0n ? -numerator : numerator];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

function parts(value: Rational): Fraction {
  return typeof value === "number" ? { numerator: BigInt(value), denominator: 1n } : value;
}

export function add(a: Rational, b: Rational): Rational {
  if (typeof a === "number" && typeof b === "number" && isSafe(a + b)) return a + b;
  const [x, y] = [parts(a), parts(b)];
  if (x.denominator < y.denominator) return add(b, a);
  // Amounts of one balance mostly have denominators that divide each other. Then the sum needs no larger one.
  if (x.denominator % y.denominator === 0n)
    return fraction(x.numerator + y.numerator * (x.denominator / y.denominator), x.denominator);
  return fraction(x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator);
}

export function negate(value: Rational): Rational {
  if (typeof value === "number") return 0 - value; // 0 - 0 is 0, where -0 would be -0
  return { numerator: -value.numerator, denominator: value.denominator };
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, negate(b));
}

/** Adds to the sum of a key. */
export function addTo<K>(sums: Map<K, Rational>, key: K, value: Rational): void {
  sums.set(key, add(sums.get(key) ?? ZERO, value));
}

export function multiply(a: Rational, b: Rational): Rational {
  if (b === 1) return a;
  if (typeof a === "number" && typeof b === "number" && isSafe(a * b)) return a * b + 0;
  const [x, y] = [parts(a), parts(b)];
  return fraction(x.numerator * y.numerator, x.denominator * y.denominator);
}

/** `a / b`. Throws `RangeError` when `b` is zero. */
export function divide(a: Rational, b: Rational): Rational {
  if (typeof a === "number" && typeof b === "number" && a % b === 0) return a / b + 0; // -0 + 0 is 0
  const [x, y] = [parts(a), parts(b)];
  if (y.numerator === 0n) throw new RangeError("division by zero");
  return fraction(x.numerator * y.denominator, x.denominator * y.numerator);
}

/** A number with the same sign as `value`. */
export function sign(value: Rational): number {
  if (typeof value === "number") return value;
  return value.numerator < 0n ? -1 : 1;
}

export function isEqual(a: Rational, b: Rational): boolean {
  return sign(subtract(a, b)) === 0;
}

export function smaller(a: Rational, b: Rational): Rational {
  if (typeof a === "number" && typeof b === "number") return Math.min(a, b);
  const [x, y] = [parts(a), parts(b)];
  return x.numerator * y.denominator <= y.numerator * x.denominator ? a : b;
}

export function atLeastZero(value: Rational): Rational {
  return sign(value) > 0 ? value : ZERO;
}

/** Rounds a value to a multiple of `multiple`, which is above zero. `nearest` rounds half up. */
export function roundToMultiple(
  value: Rational,
  multiple: Rational,
  how: "nearest" | "up" | "down",
): Rational {
  const count = divide(value, multiple);
  if (how === "up") return multiply(negate(floor(negate(count))), multiple);
  return multiply(floor(how === "down" ? count : add(count, HALF)), multiple);
}

/** The largest whole number that is not above the value. */
function floor(value: Rational): Rational {
  if (typeof value === "number") return value;
  const { numerator, denominator } = value;
  const remainder = ((numerator % denominator) + denominator) % denominator;
  return fraction(numerator - remainder, denominator);
}

/** Hundredths, rounded half away from zero: a whole number, never -0. */
export function toHundredths(value: Rational): number {
  return scaled(value, 2);
}

/** To 6 decimals, rounded half away from zero; never -0. */
export function toMillionths(value: Rational): number {
  return scaled(value, 6) / 1_000_000;
}

/** `value × 10^decimals`, rounded half up. `value` must not be negative. */
export function toDecimals(value: Rational, decimals: number): bigint {
  const { numerator, denominator } = parts(value);
  return (numerator * 2n * 10n ** BigInt(decimals) + denominator) / (denominator * 2n);
}

/** `value × 10^decimals`, rounded half away from zero. */
function scaled(value: Rational, decimals: number): number {
  if (typeof value === "number" && isSafe(value * 10 ** decimals)) return value * 10 ** decimals;
  if (sign(value) < 0) return 0 - scaled(negate(value), decimals); // 0 - 0 is 0, where -0 would be -0
  return Number(toDecimals(value, decimals));
}
