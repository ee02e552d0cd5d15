// A mapping at work: how each field of a kind is taken from the columns of a foreign file.
import type { Cell } from "../source/records.ts";
import { normalised } from "../suggest.ts";
import { DATE_FIELDS, dateReader } from "./dates.ts";
import { dateFormatOf, fieldsOf, type KindMapping } from "./schema.ts";
import { decimalReader, minutesReader, NUMBER_FIELDS } from "./units.ts";

/** What turns a cell into what our own file would have in its place. */
export type Convert = (cell: Cell) => Cell;

/** The translation of a field's cells, or null where there is none. */
export function translationOf(mapping: KindMapping, field: string): Convert | null {
  const translations = mapping.translate?.[field];
  if (translations === undefined) return null;
  const table = new Map(Object.entries(translations));
  return (cell) => {
    const key = cell === null || cell === undefined ? "" : String(cell);
    const found = table.get(key) ?? table.get(key.trim());
    return found === undefined && !table.has(key.trim()) ? cell : found;
  };
}

/** The conversion of a field's translated cells, or null where they are taken as they are. */
export function conversionOf(mapping: KindMapping, field: string): Convert | null {
  const holds = DATE_FIELDS[field];
  const format = dateFormatOf(mapping, field);
  if (holds !== undefined && format !== undefined) {
    const isLastDay = field === "endAt" && mapping.endDay === "included";
    return dateReader(format, { holds, zone: mapping.zone ?? null, isLastDay });
  }
  if (!NUMBER_FIELDS.has(field)) return null;
  const unit = mapping.units?.[field];
  const readNumber = mapping.decimal === undefined ? null : decimalReader(mapping.decimal);
  const readMinutes = unit === undefined ? null : minutesReader(unit);
  if (readNumber === null || readMinutes === null) return readNumber ?? readMinutes;
  return (cell) => readMinutes(readNumber(cell));
}

/** The fields that a column sourceFiles, or null where the mapping does not name the column. */
export function fieldsOfColumn(mapping: KindMapping, column: string): readonly string[] | null {
  const exact = mapping.columns?.[column];
  if (exact !== undefined) return fieldsOf(exact);
  const wanted = normalised(column);
  const found = Object.entries(mapping.columns ?? {}).find(([name]) => normalised(name) === wanted);
  return found === undefined ? null : fieldsOf(found[1]);
}

/** The columns that are to be left out by their names. */
export function ignoredByName({ ignore }: KindMapping): readonly string[] {
  return typeof ignore === "object" ? ignore : [];
}

export function isIgnoredByName(mapping: KindMapping, column: string): boolean {
  const wanted = normalised(column);
  return ignoredByName(mapping).some((name) => normalised(name) === wanted);
}

/** Columns that the mapping speaks of and that the file therefore must have, by the path that speaks of them. */
export function columnsNeeded(mapping: KindMapping): { readonly path: string; readonly column: string }[] {
  return [
    ...Object.keys(mapping.columns ?? {}).map((column) => ({ path: "columns", column })),
    ...Object.keys(mapping.skip ?? {}).map((column) => ({ path: "skip", column })),
    ...ignoredByName(mapping).map((column) => ({ path: "ignore", column })),
  ];
}

/** The values of a column that make a row one to skip. */
export interface SkipRule {
  readonly name: string;
  readonly values: ReadonlySet<string>;
}

export function skipRules(mapping: KindMapping): readonly SkipRule[] {
  return Object.entries(mapping.skip ?? {}).map(([name, values]) => ({
    name,
    values: new Set((Array.isArray(values) ? values : [values]).map((value) => cellText(value))),
  }));
}

/** A cell as the values of `skip` are written. */
export function cellText(cell: Cell): string {
  return cell === null || cell === undefined ? "" : String(cell).trim();
}
