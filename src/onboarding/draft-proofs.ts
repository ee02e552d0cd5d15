// What the amounts of leave prove: whether its last day is included, and the unit of the amounts.
import { dateFormatsOf, type SourceMapping } from "../import/convert/schema.ts";
import type { UnitName } from "../import/convert/units.ts";
import { weekdayOf } from "../time/day.ts";
import { FIELD, type Guess } from "./guess.ts";
import type { SampleColumn } from "./sample.ts";
import { dayReader, isMidnight } from "./sample-dates.ts";

/** Fewer rows prove nothing. */
const LEAST_ROWS = 3;
const ENDS = ["included", "excluded"] as const;
const COUNTS = { day: () => true, "working day": (day: number) => weekdayOf(day) < 5 };

export interface Proof {
  readonly endDay: (typeof ENDS)[number];
  readonly unit: UnitName;
  /** How much of the unit a day is. */
  readonly perDay: number;
  /** The finding, in words. */
  readonly text: string;
}

/** Reads the days of a field; null for what has no format, or an open question for one. */
export function dayReaderOf(source: SourceMapping, field: string): (cell: string) => number | null {
  const formats = dateFormatsOf(source, field).filter((format) => format !== "?");
  return dayReader(formats, source.locale);
}

/** What the amounts of leave prove of its last day and their unit; null if nothing. Of several columns, none may prove another last day. */
export function provedBy({ fields, amounts }: Guess, source: SourceMapping): Proof | null {
  const [start, end] = [fields.get(FIELD.start), fields.get(FIELD.end)];
  if (start === undefined || end === undefined) return null;
  const [proof, ...others] = amounts.flatMap((amount) => proofOf(amount, start, end, source) ?? []);
  return others.every(({ endDay }) => endDay === proof?.endDay) ? (proof ?? null) : null;
}

/** The one way of counting days that explains all amounts; null if several or none do. */
function proofOf(
  amount: SampleColumn,
  start: SampleColumn,
  end: SampleColumn,
  source: SourceMapping,
): Proof | null {
  const readStart = dayReaderOf(source, FIELD.start);
  const readEnd = dayReaderOf(source, FIELD.end);
  const rows: { first: number; last: number; amount: number }[] = [];
  const hasWholeDays = end.values.some(isMidnight);
  for (const [row, text] of amount.cells.entries()) {
    const number = Math.abs(Number.parseFloat(text.replace(",", ".").replace("\u2212", "-")));
    const [first, last] = [readStart(start.cells[row]!), readEnd(end.cells[row]!)];
    if (text.trim() === "" && start.cells[row]!.trim() === "") continue; // a remark
    if (hasWholeDays && !isMidnight(end.cells[row]!)) continue; // hours of a day
    if (first === null || last === null || last < first || last - first > 366 || !(number > 0)) return null;
    rows.push({ first, last, amount: number });
  }
  const proofs = ENDS.flatMap((endDay) =>
    Object.entries(COUNTS).flatMap(([name, isCounted]) => {
      const counted = rows.map(({ first, last }) => {
        let days = 0;
        for (let at = first; at < last + (endDay === "included" ? 1 : 0); at++) if (isCounted(at)) days++;
        return days;
      });
      const perDay = Math.max(...rows.map((row, at) => row.amount / counted[at]!));
      // On a single day, half may be taken.
      const isHalf = (amount: number, days: number) => days === 1 && amount * 2 === perDay;
      const fits = rows.every(
        (row, at) => Math.abs(row.amount - perDay * counted[at]!) < 0.001 || isHalf(row.amount, counted[at]!),
      );
      const unit = unitOf(perDay);
      if (!fits || unit === null || rows.length < LEAST_ROWS || new Set(counted).size < 2) return [];
      return [{ endDay, unit, perDay, text: `${perDay} for each ${name} in all ${rows.length} rows` }];
    }),
  );
  const [proof, ...others] = proofs;
  const isClear = others.every((other) => other.endDay === proof?.endDay && other.unit === proof.unit);
  return isClear ? (proof ?? null) : null;
}

/** The only unit in which this much can be a day; null if several can. */
function unitOf(perDay: number): UnitName | null {
  if (perDay === 1) return "days";
  return perDay >= 4 && perDay <= 12 ? "hours" : perDay >= 240 && perDay <= 720 ? "minutes" : null;
}
