/** Fractions of any size. Slower than the safe integers of exact.ts, which turns to them when it must. */

/** The denominator is positive. */
export interface LargeFraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * The fraction that a number's shortest decimal text says, such as `83.33333333333333` or `1e-7`. Throws
 * `RangeError` when the text is no finite number.
 */
export function largeFromText(text: string): LargeFraction {
  const parts = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text);
  if (!parts) throw new RangeError(`${text} is not a finite number`);
  const [, whole, decimals = "", exponent = "0"] = parts;
  const digits = BigInt(whole! + decimals);
  const power = Number(exponent) - decimals.length;
  return power < 0
    ? { numerator: digits, denominator: 10n ** BigInt(-power) }
    : { numerator: digits * 10n ** BigInt(power), denominator: 1n };
}

export function addLarge(a: LargeFraction, b: LargeFraction): LargeFraction {
  return lowest(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function multiplyLarge(a: LargeFraction, b: LargeFraction): LargeFraction {
  return lowest(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** Throws `RangeError` when `b` is zero. */
export function divideLarge(a: LargeFraction, b: LargeFraction): LargeFraction {
  if (b.numerator === 0n) throw new RangeError("division by zero");
  const direction = b.numerator < 0n ? -1n : 1n;
  return lowest(direction * a.numerator * b.denominator, direction * a.denominator * b.numerator);
}

/** Hundredths, rounded half away from zero. */
export function largeToHundredths({ numerator, denominator }: LargeFraction): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const hundredths = (magnitude * 200n + denominator) / (denominator * 2n);
  return numerator < 0n ? -hundredths : hundredths;
}

function lowest(numerator: bigint, denominator: bigint): LargeFraction {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}
