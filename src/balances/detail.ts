/** How an amount came about, as codes with values (docs/balances.md, The explanation). */
import { type Day, formatDay } from "../time/day.ts";
import { type Rational, toMillionths } from "./rational.ts";

type DetailCode =
  | ("granted" | "countedBy" | "rulesFrom" | "ownAmount" | "tier" | "share" | "shareAndRate")
  | ("since" | "restOfYear" | "firstYear" | "total" | "sumRounded" | "rounded" | "totalRounded")
  | ("onlyUncut" | "yearlyCap" | "balanceCap" | "hoursWorked" | "rate" | "payPeriod" | "locked")
  | ("revalued" | "movesAway" | "movesHere" | "policyEnds" | "openingCarried" | "opening" | "adjustment")
  | ("carryoverLimit" | "grantExpired" | "carriedExpired" | "notCovered" | "neverExpire")
  | ("leave" | "leavePart" | "writtenDays" | "writtenPart" | "heldLess");

/** One fact about an amount. Values called minutes, or ending so, are minutes; days are `YYYY-MM-DD`. */
export interface DetailPart {
  readonly code: DetailCode;
  readonly values: Readonly<Record<string, number | string>>;
}

/** Makes the parts when they are asked for. */
export type Detail = () => readonly DetailPart[];

/** Amounts are written with at most 6 decimals; undefined values are left out. */
export function part(
  code: DetailPart["code"],
  values: Readonly<Record<string, Rational | string | undefined>> = {},
): DetailPart {
  const written: Record<string, number | string> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) written[name] = typeof value === "object" ? toMillionths(value) : value;
  }
  return { code, values: written };
}

export function rangeOf(first: Day, last: Day) {
  return { from: formatDay(first), through: formatDay(last) };
}

/** `parts / of`; nothing for a whole. */
export function fractionOf(parts: Rational, of: Rational) {
  return parts === of ? {} : { parts, of };
}
