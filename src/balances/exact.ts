/**
 * Exact sums of minutes. A third of 1000 or 29/30 of 600 has no exact binary fraction, and many small errors can
 * turn a cent, so amounts are fractions until they are rounded, once, at the end (docs/balances.md, Rounding).
 *
 * Safe integers carry nearly every balance; what outgrows them goes on as BigInt, slower and just as exact.
 */
interface SafeFraction {
  readonly numerator: number;
  readonly denominator: number;
}

interface LargeFraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** An exact number. The denominator is positive; the fraction need not be in lowest terms. */
export type Exact = SafeFraction | LargeFraction;

export const ZERO: Exact = { numerator: 0, denominator: 1 };

const isSafe = Number.isSafeInteger;

function isSafeFraction(value: Exact): value is SafeFraction {
  return typeof value.numerator === "number";
}

/**
 * The number that its shortest decimal text says: 433.33 is 43333/100, not the binary fraction nearest to it.
 * Throws `RangeError` for NaN and infinities.
 */
export function exact(value: number): Exact {
  if (isSafe(value)) return { numerator: value, denominator: 1 };
  const hundredths = Math.round(value * 100);
  // Up to 15 digits, only one decimal lies nearest to a double, so this one is its shortest text.
  if (Math.abs(hundredths) < 1e15 && hundredths / 100 === value) {
    return { numerator: hundredths, denominator: 100 };
  }
  return fromText(String(value));
}

function fromText(text: string): Exact {
  const parts = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text);
  if (!parts) throw new RangeError(`${text} is not a finite number`);
  const [, whole, decimals = "", exponent = "0"] = parts;
  const numerator = BigInt(whole! + decimals);
  const power = Number(exponent) - decimals.length;
  return power < 0 ? lowest(numerator, 10n ** BigInt(-power)) : lowest(numerator * 10n ** BigInt(power), 1n);
}

export function add(a: Exact, b: Exact): Exact {
  if (isSafeFraction(a) && isSafeFraction(b)) {
    if (a.denominator === b.denominator) {
      const numerator = a.numerator + b.numerator;
      if (isSafe(numerator)) return { numerator, denominator: a.denominator };
    } else {
      const factor = b.denominator / greatestCommonDivisor(a.denominator, b.denominator);
      const denominator = a.denominator * factor;
      const left = a.numerator * factor;
      const right = b.numerator * (denominator / b.denominator);
      const numerator = left + right;
      if (isSafe(denominator) && isSafe(left) && isSafe(right) && isSafe(numerator)) {
        return { numerator, denominator };
      }
    }
  }
  const [p, q] = [large(a), large(b)];
  if (p.denominator === q.denominator) {
    return { numerator: p.numerator + q.numerator, denominator: p.denominator };
  }
  return lowest(p.numerator * q.denominator + q.numerator * p.denominator, p.denominator * q.denominator);
}

export function negate(value: Exact): Exact {
  return isSafeFraction(value)
    ? { numerator: -value.numerator, denominator: value.denominator }
    : { numerator: -value.numerator, denominator: value.denominator };
}

export function subtract(a: Exact, b: Exact): Exact {
  return add(a, negate(b));
}

export function multiply(a: Exact, b: Exact): Exact {
  if (isSafeFraction(a) && isSafeFraction(b)) {
    const numerator = a.numerator * b.numerator;
    const denominator = a.denominator * b.denominator;
    if (isSafe(numerator) && isSafe(denominator)) return { numerator, denominator };
  }
  const [p, q] = [large(a), large(b)];
  return lowest(p.numerator * q.numerator, p.denominator * q.denominator);
}

/** `a / b` in lowest terms. Throws `RangeError` when `b` is zero. */
export function divide(a: Exact, b: Exact): Exact {
  const [p, q] = [large(a), large(b)];
  const sign = q.numerator < 0n ? -1n : 1n;
  return lowest(sign * p.numerator * q.denominator, sign * p.denominator * q.numerator);
}

/** Below zero, zero or above zero as `value` is. */
export function sign(value: Exact): number {
  return isSafeFraction(value)
    ? Math.sign(value.numerator)
    : Number(value.numerator > 0n) - Number(value.numerator < 0n);
}

export function smaller(a: Exact, b: Exact): Exact {
  return sign(subtract(a, b)) <= 0 ? a : b;
}

/** `value`, or zero when it is below zero. */
export function atLeastZero(value: Exact): Exact {
  return sign(value) > 0 ? value : ZERO;
}

/** Hundredths, rounded half away from zero; a whole number, never -0. */
export function toHundredths(value: Exact): number {
  if (isSafeFraction(value)) {
    const numerator = Math.abs(value.numerator) * 100;
    if (isSafe(numerator)) {
      // The remainder is exact and the rest divides evenly: no step of this rounds.
      const remainder = numerator % value.denominator;
      const floor = (numerator - remainder) / value.denominator;
      return signed(2 * remainder >= value.denominator ? floor + 1 : floor, value.numerator < 0);
    }
  }
  const { numerator, denominator } = large(value);
  const magnitude = numerator < 0n ? -numerator : numerator;
  return signed(Number((magnitude * 200n + denominator) / (denominator * 2n)), numerator < 0n);
}

function signed(magnitude: number, isNegative: boolean): number {
  return isNegative && magnitude !== 0 ? -magnitude : magnitude;
}

function large(value: Exact): LargeFraction {
  return isSafeFraction(value)
    ? { numerator: BigInt(value.numerator), denominator: BigInt(value.denominator) }
    : value;
}

/** The fraction in lowest terms, as safe integers again where it fits. Throws `RangeError` when the denominator is zero. */
function lowest(numerator: bigint, denominator: bigint): Exact {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  // Dividing by zero throws RangeError by itself: 0/0 leaves a = 0, n/0 must be caught.
  if (denominator === 0n) throw new RangeError("division by zero");
  const reduced = { numerator: numerator / a, denominator: denominator / a };
  const safe = { numerator: Number(reduced.numerator), denominator: Number(reduced.denominator) };
  return isSafe(safe.numerator) && isSafe(safe.denominator) ? safe : reduced;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
