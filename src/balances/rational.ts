/**
 * Minutes as fractions. 29/30 of 100 and 83.33333333333333 have no exact binary fraction, and many small errors
 * can change the last decimal. So amounts stay fractions until they are rounded, once, at the end (docs/balances.md,
 * Rounding).
 *
 * Nearly every amount is a whole number of minutes, and is a plain number here. A fraction is a mixed number of safe
 * integers where it fits: the numerator stays below the denominator, so nearly every balance fits. What does not fit is a
 * fraction of two BigInts, slower and just as exact.
 */

/** `whole + numerator / denominator`, with 0 < numerator < denominator: -0.5 is -1 + 1/2. All safe integers. */
interface MixedNumber {
  readonly whole: number;
  readonly numerator: number;
  readonly denominator: number;
}

/** The denominator is positive. */
interface LargeFraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** An exact number, made by `rational` and the functions here. One that is a plain number is a safe integer, never -0. */
export type Rational = number | MixedNumber | LargeFraction;

const isSafe = Number.isSafeInteger;

export const ZERO: Rational = 0;
const HALF: Rational = { whole: 0, numerator: 1, denominator: 2 };

function isLarge(value: MixedNumber | LargeFraction): value is LargeFraction {
  return typeof value.numerator === "bigint";
}

/**
 * The number that its shortest decimal text says: 433.33 is 43333/100, not the binary fraction nearest to it.
 * Throws `RangeError` for NaN and infinities.
 */
export function rational(value: number): Rational {
  if (isSafe(value)) return value + 0; // -0 + 0 is 0
  const hundredths = Math.round(value * 100);
  // Up to 15 digits, only one decimal lies nearest to a double: this one is its shortest text.
  if (Math.abs(hundredths) < 1e15 && hundredths / 100 === value) return mixed(0, hundredths, 100);
  return compact(largeFromText(String(value)));
}

export function add(a: Rational, b: Rational): Rational {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b; // whole, because both are
    if (sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER) return sum;
  }
  return addFractions(a, b);
}

function addFractions(a: Rational, b: Rational): Rational {
  if (typeof b === "number") [a, b] = [b, a];
  if (typeof b !== "number" && !isLarge(b)) {
    if (typeof a === "number") {
      const whole = a + b.whole;
      if (isSafe(whole)) return { whole, numerator: b.numerator, denominator: b.denominator };
    } else if (!isLarge(a)) {
      const sum = addMixed(a, b);
      if (sum !== null) return sum;
    }
  }
  return compact(addLarge(large(a), large(b)));
}

function addMixed(a: MixedNumber, b: MixedNumber): Rational | null {
  let whole = a.whole + b.whole;
  let { numerator, denominator } = a;
  let other = b.numerator;
  // Mostly they are the same, or one divides the other. A numerator stays below its denominator, also of the larger one.
  if (denominator === b.denominator) {
    // Nothing to bring to it.
  } else if (remainderOf(denominator, b.denominator) === 0) {
    other *= denominator / b.denominator;
  } else {
    const factor = b.denominator / greatestCommonDivisor(denominator, b.denominator);
    denominator *= factor;
    if (!isSafe(denominator)) return null;
    numerator *= factor;
    other *= denominator / b.denominator;
  }
  if (!isSafe(denominator * 2) || !isSafe(whole) || !isSafe(whole + 1)) return null;
  numerator += other;
  if (numerator >= denominator) {
    whole += 1;
    numerator -= denominator;
  }
  return numerator === 0 ? whole : { whole, numerator, denominator };
}

export function negate(value: Rational): Rational {
  if (typeof value === "number") return 0 - value; // 0 - 0 is 0, where -0 would be -0
  if (isLarge(value)) return { numerator: -value.numerator, denominator: value.denominator };
  const { whole, numerator, denominator } = value;
  return { whole: -whole - 1, numerator: denominator - numerator, denominator };
}

export function subtract(a: Rational, b: Rational): Rational {
  if (typeof b === "number") {
    const whole = typeof a === "number" ? a - b : a;
    if (typeof whole === "number" && isSafe(whole)) return whole;
  } else if (typeof a === "number" && !isLarge(b)) {
    const whole = a - b.whole - 1;
    if (isSafe(whole)) return { whole, numerator: b.denominator - b.numerator, denominator: b.denominator };
  }
  return add(a, negate(b));
}

/** `value × parts / ofParts`; both whole numbers, `ofParts` above zero. */
export function share(value: Rational, parts: number, ofParts: number): Rational {
  if (typeof value === "number" && isSafe(value * parts)) return mixed(0, value * parts, ofParts);
  return multiply(value, mixed(0, parts, ofParts));
}

export function multiply(a: Rational, b: Rational): Rational {
  if (typeof b === "number") {
    if (typeof a === "number") {
      if (isSafe(a * b)) return a * b + 0;
    } else if (!isLarge(a) && isSafe(a.numerator * b) && isSafe((Math.abs(a.whole) + 1) * b)) {
      return mixed(a.whole * b, a.numerator * b, a.denominator);
    }
  }
  return multiplyMixed(a, b) ?? compact(multiplyLarge(large(a), large(b)));
}

function multiplyMixed(a: Rational, b: Rational): Rational | null {
  const [x, y] = [parts(a), parts(b)];
  if (x === null || y === null) return null;
  const denominator = x.denominator * y.denominator;
  const scaled = y.whole * y.denominator;
  const factor = scaled + y.numerator;
  const wholes = x.whole * factor;
  const rest = x.numerator * factor;
  if (!(isSafe(denominator) && isSafe(scaled) && isSafe(factor) && isSafe(wholes) && isSafe(rest)))
    return null;
  const remainder = wholes % y.denominator;
  const numerator = remainder * x.denominator + rest;
  if (!isSafe(numerator)) return null;
  const product = mixed((wholes - remainder) / y.denominator, numerator, denominator);
  return isSafe(typeof product === "number" ? product : product.whole) ? product : null;
}

/** As a mixed number, whose numerator may be 0; null if it is a large fraction. */
function parts(value: Rational): MixedNumber | null {
  if (typeof value === "number") return { whole: value, numerator: 0, denominator: 1 };
  return isLarge(value) ? null : value;
}

/** `a / b`. Throws `RangeError` when `b` is zero. */
export function divide(a: Rational, b: Rational): Rational {
  if (typeof a === "number" && typeof b === "number" && b > 0) {
    const divisor = greatestCommonDivisor(Math.abs(a), b);
    return mixed(0, a / divisor, b / divisor);
  }
  return compact(divideLarge(large(a), large(b)));
}

/** Below zero, zero or above zero as `value` is. */
export function sign(value: Rational): number {
  if (typeof value === "number") return value;
  if (isLarge(value)) return Number(value.numerator > 0n) - Number(value.numerator < 0n);
  return value.whole === 0 ? value.numerator : value.whole;
}

export function smaller(a: Rational, b: Rational): Rational {
  return compare(a, b) <= 0 ? a : b;
}

/** Below zero, zero or above zero as `a - b` is. */
function compare(a: Rational, b: Rational): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [x, y] = [wholeOf(a), wholeOf(b)];
  // The rest is below one.
  if (x !== null && y !== null && x !== y) return x - y;
  return sign(subtract(a, b));
}

/** The largest whole number that is not above the value; null of a large fraction. */
function wholeOf(value: Rational): number | null {
  if (typeof value === "number") return value;
  return isLarge(value) ? null : value.whole;
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
  if (!isLarge(value)) return value.whole;
  const { numerator, denominator } = value;
  const quotient = numerator / denominator;
  const isBelow = numerator < 0n && quotient * denominator !== numerator;
  return compact({ numerator: isBelow ? quotient - 1n : quotient, denominator: 1n });
}

/** Hundredths, rounded half away from zero: a whole number, never -0. */
export function toHundredths(value: Rational): number {
  return scaled(value, 100);
}

/** To 6 decimals, rounded half away from zero; never -0. */
export function toMillionths(value: Rational): number {
  return scaled(value, 1_000_000) / 1_000_000;
}

/** `value × 10^decimals` of a value that is not below zero, rounded half up. */
export function toDecimals(value: Rational, decimals: number): bigint {
  return largeScaled(large(value), 10n ** BigInt(decimals));
}

/** At most 6 decimals, for people. */
export function decimalText(value: Rational): string {
  return String(toMillionths(value));
}

/** `value × scale`, rounded half away from zero. */
function scaled(value: Rational, scale: number): number {
  if (typeof value === "number" && isSafe(value * scale)) return value * scale;
  // 0 less zero is 0, where a minus sign would make it -0.
  if (sign(value) < 0) return 0 - scaled(negate(value), scale);
  if (typeof value !== "number" && !isLarge(value)) {
    const { whole, numerator, denominator } = value;
    if (isSafe(numerator * 2 * scale) && isSafe(whole * scale)) {
      const doubled = mixed(0, numerator * 2 * scale + denominator, denominator * 2);
      return whole * scale + (typeof doubled === "number" ? doubled : doubled.whole);
    }
  }
  return Number(largeScaled(large(value), BigInt(scale)));
}

/** `whole + numerator / denominator` with the numerator brought below the denominator: a plain number if nothing is left. */
function mixed(whole: number, numerator: number, denominator: number): number | MixedNumber {
  // The remainder is exact and the rest divides evenly, so nothing here rounds.
  const remainder = remainderOf(numerator, denominator);
  const carried = whole + (numerator - remainder) / denominator;
  if (remainder === 0) return carried + 0;
  if (remainder > 0) return { whole: carried, numerator: remainder, denominator };
  return { whole: carried - 1, numerator: remainder + denominator, denominator };
}

function large(value: Rational): LargeFraction {
  if (typeof value === "number") return { numerator: BigInt(value), denominator: 1n };
  if (isLarge(value)) return value;
  const denominator = BigInt(value.denominator);
  return { numerator: BigInt(value.whole) * denominator + BigInt(value.numerator), denominator };
}

/** The same number in safe integers where it fits. */
function compact(value: LargeFraction): Rational {
  const quotient = value.numerator / value.denominator;
  const remainder = Number(value.numerator - quotient * value.denominator);
  const denominator = Number(value.denominator);
  if (!isSafe(Number(quotient)) || !isSafe(denominator)) return value;
  const result = mixed(Number(quotient), remainder, denominator);
  return isSafe(typeof result === "number" ? result : result.whole) ? result : value;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, remainderOf(a, b)];
  return a;
}

/** `a % b`, which takes a tenth of the time where both are known to be 32-bit integers. */
function remainderOf(a: number, b: number): number {
  return (a | 0) === a && (b | 0) === b ? ((a | 0) % (b | 0)) | 0 : a % b;
}

/**
 * The fraction that a number's shortest decimal text says, such as `83.33333333333333` or `1e-7`. Throws
 * `RangeError` when the text is no finite number.
 */
function largeFromText(text: string): LargeFraction {
  const parts = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text);
  if (!parts) throw new RangeError(`${text} is not a finite number`);
  const [, whole, decimals = "", exponent = "0"] = parts;
  const digits = BigInt(whole! + decimals);
  const power = Number(exponent) - decimals.length;
  return power < 0
    ? { numerator: digits, denominator: 10n ** BigInt(-power) }
    : { numerator: digits * 10n ** BigInt(power), denominator: 1n };
}

function addLarge(a: LargeFraction, b: LargeFraction): LargeFraction {
  return lowest(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

function multiplyLarge(a: LargeFraction, b: LargeFraction): LargeFraction {
  return lowest(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** Throws `RangeError` when `b` is zero. */
function divideLarge(a: LargeFraction, b: LargeFraction): LargeFraction {
  if (b.numerator === 0n) throw new RangeError("division by zero");
  const direction = b.numerator < 0n ? -1n : 1n;
  return lowest(direction * a.numerator * b.denominator, direction * a.denominator * b.numerator);
}

/** `value × scale` of a value that is not below zero, rounded half up. */
function largeScaled({ numerator, denominator }: LargeFraction, scale: bigint): bigint {
  return (numerator * 2n * scale + denominator) / (denominator * 2n);
}

function lowest(numerator: bigint, denominator: bigint): LargeFraction {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}
