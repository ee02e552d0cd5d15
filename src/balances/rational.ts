/**
 * Minutes as fractions. 29/30 of 100 and 83.33333333333333 have no exact binary fraction, and many small errors
 * can change the last decimal. So amounts stay fractions until they are rounded, once, at the end (docs/balances.md,
 * Rounding).
 *
 * Nearly every amount is a whole number of minutes, and is a plain number here. Any other is a fraction of two BigInts.
 */

/** In lowest terms. The denominator is positive. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** An exact number, made by `rational` and the functions here. One that is a plain number is a safe integer, never -0. */
export type Rational = number | Fraction;

const isSafe = Number.isSafeInteger;

export const ZERO: Rational = 0;
const HALF: Rational = { numerator: 1n, denominator: 2n };

/** The number that its shortest decimal text says: 433.33 is 43333/100. Throws `RangeError` for NaN and infinities. */
export function rational(value: number): Rational {
  if (isSafe(value)) return value + 0; // -0 + 0 is 0
  const parts = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!parts) throw new RangeError(`${value} is not a finite number`);
  const [, whole, decimals = "", exponent = "0"] = parts;
  const digits = BigInt(whole! + decimals);
  const power = Number(exponent) - decimals.length;
  return power < 0 ? fraction(digits, 10n ** BigInt(-power)) : fraction(digits * 10n ** BigInt(power), 1n);
}

/** A plain number where it can be one. `denominator` is not zero. */
function fraction(numerator: bigint, denominator: bigint): Rational {
  let [divisor, rest] = [numerator, denominator];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  if (divisor < 0n !== denominator < 0n) divisor = -divisor; // the denominator becomes positive
  const lowest = { numerator: numerator / divisor, denominator: denominator / divisor };
  const whole = Number(lowest.numerator);
  return lowest.denominator === 1n && isSafe(whole) ? whole : lowest;
}

function parts(value: Rational): Fraction {
  return typeof value === "number" ? { numerator: BigInt(value), denominator: 1n } : value;
}

export function add(a: Rational, b: Rational): Rational {
  if (typeof a === "number" && typeof b === "number" && isSafe(a + b)) return a + b;
  const [x, y] = [parts(a), parts(b)];
  const numerator = x.numerator * y.denominator + y.numerator * x.denominator;
  const denominator = x.denominator * y.denominator;
  // A whole number leaves the terms of a fraction as low as they are. A sum without a denominator may be a safe integer.
  const isLowest = typeof a !== typeof b && denominator !== 1n;
  return isLowest ? { numerator, denominator } : fraction(numerator, denominator);
}

export function negate(value: Rational): Rational {
  if (typeof value === "number") return 0 - value; // 0 - 0 is 0, where -0 would be -0
  return { numerator: -value.numerator, denominator: value.denominator };
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, negate(b));
}

/** `value × shares / ofShares`; both whole numbers, `ofShares` above zero. */
export function share(value: Rational, shares: number, ofShares: number): Rational {
  const { numerator, denominator } = parts(value);
  return fraction(numerator * BigInt(shares), denominator * BigInt(ofShares));
}

export function multiply(a: Rational, b: Rational): Rational {
  if (typeof a === "number" && typeof b === "number" && isSafe(a * b)) return a * b + 0;
  const [x, y] = [parts(a), parts(b)];
  return fraction(x.numerator * y.numerator, x.denominator * y.denominator);
}

/** `a / b`. Throws `RangeError` when `b` is zero. */
export function divide(a: Rational, b: Rational): Rational {
  const [x, y] = [parts(a), parts(b)];
  if (y.numerator === 0n) throw new RangeError("division by zero");
  return fraction(x.numerator * y.denominator, x.denominator * y.numerator);
}

/** Below zero, zero or above zero as `value` is. */
export function sign(value: Rational): number {
  if (typeof value === "number") return value;
  return value.numerator < 0n ? -1 : 1;
}

export function smaller(a: Rational, b: Rational): Rational {
  if (typeof a === "number" && typeof b === "number") return Math.min(a, b);
  const [x, y] = [parts(a), parts(b)];
  return x.numerator * y.denominator <= y.numerator * x.denominator ? a : b;
}

/** `value`, or zero when it is below zero. */
export function atLeastZero(value: Rational): Rational {
  return sign(value) > 0 ? value : ZERO;
}

/** The multiple of `multiple` (above zero) nearest to a value (half up), or the next one up or down. */
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

/** `value × 10^decimals` of a value that is not below zero, rounded half up. */
export function toDecimals(value: Rational, decimals: number): bigint {
  const { numerator, denominator } = parts(value);
  return (numerator * 2n * 10n ** BigInt(decimals) + denominator) / (denominator * 2n);
}

/** At most 6 decimals, for people. */
export function decimalText(value: Rational): string {
  return String(toMillionths(value));
}

/** `value × 10^decimals`, rounded half away from zero. */
function scaled(value: Rational, decimals: number): number {
  if (typeof value === "number" && isSafe(value * 10 ** decimals)) return value * 10 ** decimals;
  if (sign(value) < 0) return 0 - scaled(negate(value), decimals); // 0 less zero is 0, where a minus sign would make it -0
  return Number(toDecimals(value, decimals));
}
