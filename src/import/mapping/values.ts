// How a field gets its value: fixed texts with columns in them, translations, and conversions of dates and amounts.
import { type CellContent, isLocalInstant, ValidationError } from "../../resources/cells.ts";
import { cellOf, type FactKind } from "../../resources/registry.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { type Cell, LocalMoment } from "../source/records.ts";
import { type DateReading, dateReader } from "./dates.ts";
import { dateFormatsOf, type SourceMapping } from "./schema.ts";
import { decimalReader, HOURS_IN_A_DAY, minutesReader, negated } from "./units.ts";

/** What turns a cell into what our own file would have in its place. `unitCell`: the row's unit, where a column has it. */
export type Convert = (cell: Cell, unitCell: Cell) => Cell;

/** A text with columns in it: `{Employee}|{Type}`, as texts and columns in turn, a text first. */
export interface Template {
  readonly texts: readonly string[];
  readonly columns: readonly string[];
}

/** The template that a fixed value is; null where it names no column. Raises SyntaxError for a brace never closed. */
export function templateOf(value: unknown): Template | null {
  if (typeof value !== "string") return null;
  const texts = [""];
  const columns: string[] = [];
  for (let at = 0; at < value.length; ) {
    const open = value.indexOf("{", at);
    const text = value.slice(at, open === -1 ? value.length : open);
    texts[texts.length - 1] += text;
    if (open === -1) break;
    if (value[open + 1] === "{") {
      texts[texts.length - 1] += "{";
      at = open + 2;
      continue;
    }
    const close = value.indexOf("}", open);
    if (close === -1) throw new SyntaxError("has a { that is never closed: write {{ for a brace");
    const column = value.slice(open + 1, close).trim();
    if (column === "") throw new SyntaxError("has {} without a column: write {{ for a brace");
    columns.push(column);
    texts.push("");
    at = close + 1;
  }
  return columns.length === 0 ? null : { texts, columns };
}

/** A fixed value as a row has it: without the second brace of `{{`. */
export function fixedValue(value: Cell): Cell {
  return typeof value === "string" ? value.replaceAll("{{", "{") : value;
}

/** The template with the cells of its columns, in their order; null where none of them has anything. */
export function filled({ texts }: Template, cells: readonly Cell[]): Cell {
  let text = texts[0]!;
  for (const [at, cell] of cells.entries()) {
    if (Array.isArray(cell)) return new ValidationError("has a list in a column of its template");
    if (typeof cell === "object" && cell !== null && !(cell instanceof LocalMoment))
      return new ValidationError("has an object in a column of its template");
    text += (cell === null || cell === undefined ? "" : String(cell).trim()) + texts[at + 1]!;
  }
  return text;
}

/** The translation of a field's cells, or null where there is none. Case and surrounding space do not count. */
export function translationOf(mapping: SourceMapping, field: string): ((cell: Cell) => Cell) | null {
  const translations = mapping.translate?.[field];
  if (translations === undefined) return null;
  const exact = new Map(Object.entries(translations));
  const folded = new Map<string, Cell>();
  for (const [from, to] of exact) if (!folded.has(fold(from))) folded.set(fold(from), to);
  folded.delete("*");
  const hasRest = exact.has("*");
  const rest = exact.get("*");
  return (cell) => {
    const key = cell === null || cell === undefined ? "" : String(cell);
    if (exact.has(key)) return exact.get(key);
    if (folded.has(fold(key))) return folded.get(fold(key));
    return hasRest ? rest : cell;
  };
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}

/** Leave in days alone, in a mapping that says what the last one means, needs no format where days are written like this. */
const ISO_DAY = "yyyy-MM-dd";

function isIsoDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

function isDated(holds: CellContent | undefined): holds is DateReading["holds"] {
  return holds === "day" || holds === "instant" || isLocalInstant(holds);
}

/** The conversion of a field's translated cells, or null where they are taken as they are. */
export function conversionOf(kind: FactKind, mapping: SourceMapping | null, field: string): Convert | null {
  const holds = cellOf(kind, field)?.holds;
  if (isDated(holds)) {
    const endDay = holds === "local end" ? (mapping?.endDay ?? "unknown") : null;
    const formats = mapping === null ? [] : dateFormatsOf(mapping, field);
    const reading: DateReading = { holds, locale: mapping?.locale, zone: mapping?.zone ?? null, endDay };
    const read = dateReader(formats, reading);
    if (formats.length > 0 || mapping?.endDay === undefined || !isLocalInstant(holds)) return read;
    const readDay = dateReader([ISO_DAY], reading);
    return (cell) => (typeof cell === "string" && isIsoDay(cell.trim()) ? readDay(cell) : read(cell));
  }
  if (mapping === null || (holds !== "number" && holds !== "minutes")) return null;
  const unit = mapping.units?.[field];
  const steps: Convert[] = [];
  if (unit !== undefined)
    steps.push(minutesReader(unit, mapping.hoursPerDay ?? HOURS_IN_A_DAY, mapping.decimal));
  else if (mapping.decimal !== undefined) steps.push(decimalReader(mapping.decimal));
  if (mapping.negate?.includes(field)) steps.push(negated);
  return steps.length === 0
    ? null
    : (cell, unitCell) => steps.reduce((taken, step) => step(taken, unitCell), cell);
}

/** The parts of a whole name, by field; the first where there is none. */
export function nameParts(cell: Cell): Readonly<Record<string, Cell>> {
  const { parts, split } = FULL_NAME;
  if (typeof cell !== "string" || cell.trim() === "")
    return Object.fromEntries(parts.map((part) => [part, cell]));
  const oneWord = new ValidationError(
    `is one name, not a first and a last one: translate it, as in "translate": {"${FULL_NAME.name}": {"Pelé": "Nascimento, Pelé"}}`,
  );
  return Object.fromEntries(split(cell).map((text, at) => [parts[at]!, text === "" ? oneWord : text]));
}
