// Amounts of foreign exports in hours or days, to minutes.
import type { KindMapping } from "./schema.ts";

/** The fields that hold minutes, of all kinds. */
export const MINUTE_FIELDS: ReadonlySet<string> = new Set([
  "requestedMinutes",
  "minutes",
  "minutesPerPeriod",
  "minutesPerChunk",
  "carryoverLimitMinutes",
  "balanceCapMinutes",
]);

const HOURS_IN_A_DAY = 8;

export type Unit = NonNullable<KindMapping["units"]>[string];

/** A function from a cell in the unit to minutes; what is no number passes unchanged, to be refused as it is. */
export function minutesReader(unit: Unit): (cell: unknown) => unknown {
  const factor =
    unit === "minutes" ? 1 : unit === "hours" ? 60 : 60 * (unit === "days" ? HOURS_IN_A_DAY : unit.days);
  return (cell) => {
    const isNumber =
      typeof cell === "number" ||
      (typeof cell === "string" && /^\s*[+-]?\d{1,20}(\.\d{1,20})?\s*$/.test(cell));
    if (!isNumber) return cell;
    // Twelve digits: 7.7 hours are 462 minutes, not 462.00000000000006.
    return Number((Number(cell) * factor).toPrecision(12));
  };
}
