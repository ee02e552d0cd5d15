// Which column of a file is which field: by name, or as a mapping says. The header of JSON lines grows while the file
// is read, so columns can be added.

import { didYouMean, normalised } from "../../resources/cells.ts";
import { cellOf, FILE_FIELDS } from "../../resources/registry.ts";
import type { FactKind } from "../../store/tables.ts";
import { shown } from "../row-errors.ts";
import type { Cell } from "../source/records.ts";
import { dateReader } from "./dates.ts";
import { dateFormatOf, fieldsOf, type KindMapping } from "./schema.ts";
import { decimalReader, minutesReader } from "./units.ts";

interface FieldSource {
  readonly field: string;
  column: number;
  readonly fixed: Cell;
  readonly translate: Convert | null;
  readonly convert: Convert | null;
}

/** A mapping with the name that messages give its file. */
export interface NamedMapping {
  readonly label: string;
  readonly mapping: KindMapping;
}

/** How many rows of a file were skipped, and the rules that fit none of its rows. */
export interface Skipped {
  readonly rows: number;
  readonly idle: readonly SkipRule[];
}

/** Fields that tell the row from others of its kind. */
const NAMES: ReadonlySet<string> = new Set(["id", "legacyId"]);

export class Columns {
  readonly #kind: FactKind;
  readonly #mapping: NamedMapping | null;
  readonly #sources: FieldSource[];
  /** With each, where its column is in the header (-1: not yet, or nowhere), and the rows that it fits. */
  readonly #skipRules: readonly (SkipRule & { column: number; rows: number })[];
  #rows = 0;
  #skippedRows = 0;
  readonly #names: string[] = [];

  constructor(kind: FactKind, mapping: NamedMapping | null) {
    this.#kind = kind;
    this.#mapping = mapping;
    const rules = mapping?.mapping;
    this.#sources = FILE_FIELDS[kind].map((field) => ({
      field,
      column: -1,
      fixed: rules?.values?.[field] ?? null,
      translate: rules === undefined ? null : translationOf(rules, field),
      convert: rules === undefined ? null : conversionOf(kind, rules, field),
    }));
    this.#skipRules =
      rules === undefined ? [] : skipRules(rules).map((rule) => ({ ...rule, column: -1, rows: 0 }));
  }

  get count(): number {
    return this.#names.length;
  }

  /** Takes the columns that are new in `header`, and gives what is wrong with them. */
  extend(header: readonly string[]): string[] {
    return header.slice(this.#names.length).flatMap((name) => this.#add(name));
  }

  #add(name: string): string[] {
    const column = this.#names.push(name) - 1;
    const duplicate = this.#names.findIndex((other) => normalised(other) === normalised(name));
    if (duplicate < column) {
      const isSame = this.#names[duplicate] === name;
      return [
        `column ${shown(name)} is there twice${isSame ? "" : ` (as ${shown(this.#names[duplicate])} too: case, spaces, _ and - do not count)`}`,
      ];
    }
    const rules = this.#skipRules.filter((rule) => normalised(rule.name) === normalised(name));
    for (const rule of rules) rule.column = column;
    const fields = this.#fieldsOf(name);
    if (fields === null) {
      const isHandled =
        rules.length > 0 || this.#mapping?.mapping.ignore === "*" || this.#isIgnoredByName(name);
      return isHandled ? [] : [this.#unknown(name)];
    }
    for (const source of this.#sources) if (fields.includes(source.field)) source.column = column;
    return [];
  }

  #isIgnoredByName(name: string): boolean {
    return this.#mapping !== null && isIgnoredByName(this.#mapping.mapping, name);
  }

  /** The fields that a column fills; null where it fills none. */
  #fieldsOf(name: string): readonly string[] | null {
    if (this.#isIgnoredByName(name)) return null;
    if (this.#mapping?.mapping.columns !== undefined) return fieldsOfColumn(this.#mapping.mapping, name);
    const field = FILE_FIELDS[this.#kind].find((candidate) => normalised(candidate) === normalised(name));
    return field === undefined ? null : [field];
  }

  #unknown(name: string): string {
    if (name === "") return "a column has no name in the header: name or remove it";
    if (this.#mapping?.mapping.columns !== undefined) {
      return `column ${shown(name)} is not mapped: add it to columns or to ignore in ${this.#mapping.label}`;
    }
    const meant = didYouMean(name, FILE_FIELDS[this.#kind]);
    return `column ${shown(name)} is not a field of ${this.#kind}${meant}: rename or remove it, or load the file through a mapping (--map)`;
  }

  /** What is missing once the whole header is known: fields that every row needs, and columns of the mapping. */
  missing(): string[] {
    const isRequired = (field: string) => cellOf(this.#kind, field)?.isRequired ?? false;
    const absent = this.#sources
      .filter((source) => source.column === -1 && source.fixed === null && isRequired(source.field))
      .map((source) => `column ${source.field} is missing: every row needs it`);
    const isNameless = !this.#sources.some(
      ({ field, column, fixed }) => NAMES.has(field) && (column !== -1 || fixed !== null),
    );
    if (isNameless && FILE_FIELDS[this.#kind].includes("legacyId")) {
      absent.push("column id or legacyId is missing: one of them is needed to tell rows apart");
    }
    if (this.#mapping === null) return absent;
    const { label, mapping } = this.#mapping;
    const known = new Set(this.#names.map(normalised));
    const unknown = columnsNeeded(mapping)
      .filter(({ column }) => !known.has(normalised(column)))
      .map(
        ({ path, column }) =>
          `has no column ${shown(column)}${didYouMean(column, this.#names)}, which ${label} speaks of (${this.#kind}.${path})`,
      );
    return [...unknown, ...(unknown.length === 0 ? absent : [])];
  }

  /**
   * Whether the mapping says to skip the row, which is counted. A cell that is not there is empty, whether its column is
   * known yet or not.
   */
  skips(cells: readonly Cell[]): boolean {
    this.#rows++;
    let isSkipped = false;
    for (const rule of this.#skipRules) {
      if (!rule.values.has(cellText(cells[rule.column]))) continue;
      rule.rows++;
      isSkipped = true;
    }
    if (isSkipped) this.#skippedRows++;
    return isSkipped;
  }

  /** What the mapping's `skip` did to the rows so far. */
  skipped(): Skipped {
    const idle = this.#rows === 0 ? [] : this.#skipRules.filter(({ rows }) => rows === 0);
    return { rows: this.#skippedRows, idle };
  }

  /** The row by field, every field present. */
  row(cells: readonly Cell[]): Record<string, Cell> {
    const row: Record<string, Cell> = {};
    for (const source of this.#sources) {
      const { field, convert } = source;
      row[field] =
        convert === null || isFixed(source)
          ? writtenCell(source, cells)
          : convert(writtenCell(source, cells));
    }
    return row;
  }

  /** The row by field as it was written: translated, but not converted. */
  written(cells: readonly Cell[]): Record<string, Cell> {
    return Object.fromEntries(this.#sources.map((source) => [source.field, writtenCell(source, cells)]));
  }
}

/** Whether the field has a value of the mapping's own, which is in our notation already. */
function isFixed({ column, fixed }: FieldSource): boolean {
  return column === -1 && fixed !== null;
}

function writtenCell(source: FieldSource, cells: readonly Cell[]): Cell {
  const { column, fixed, translate } = source;
  const cell = column === -1 ? fixed : (cells[column] ?? null);
  return translate === null || isFixed(source) ? cell : translate(cell);
}

/** What turns a cell into what our own file would have in its place. */
type Convert = (cell: Cell) => Cell;

/** The translation of a field's cells, or null where there is none. */
function translationOf(mapping: KindMapping, field: string): Convert | null {
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
export function conversionOf(kind: FactKind, mapping: KindMapping, field: string): Convert | null {
  const holds = cellOf(kind, field)?.holds;
  const format = dateFormatOf(mapping, field);
  const isDated = holds === "day" || holds === "instant" || holds === "local instant";
  if (isDated && format !== undefined) {
    const isLastDay = field === "endAt" && mapping.endDay === "included";
    return dateReader(format, { holds, zone: mapping.zone ?? null, isLastDay });
  }
  if (holds !== "number" && holds !== "minutes") return null;
  const unit = mapping.units?.[field];
  const readNumber = mapping.decimal === undefined ? null : decimalReader(mapping.decimal);
  const readMinutes = unit === undefined ? null : minutesReader(unit);
  if (readNumber === null || readMinutes === null) return readNumber ?? readMinutes;
  return (cell) => readMinutes(readNumber(cell));
}

/** The fields that a column fills, or null where the mapping does not name the column. */
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

function isIgnoredByName(mapping: KindMapping, column: string): boolean {
  const wanted = normalised(column);
  return ignoredByName(mapping).some((name) => normalised(name) === wanted);
}

/** Columns that the mapping speaks of and that the file therefore must have, by the path that speaks of them. */
function columnsNeeded(mapping: KindMapping): { readonly path: string; readonly column: string }[] {
  return [
    ...Object.keys(mapping.columns ?? {}).map((column) => ({ path: "columns", column })),
    ...Object.keys(mapping.skip ?? {}).map((column) => ({ path: "skip", column })),
    ...ignoredByName(mapping).map((column) => ({ path: "ignore", column })),
  ];
}

/** The values of a column that make a row one to skip. */
interface SkipRule {
  readonly name: string;
  readonly values: ReadonlySet<string>;
}

function skipRules(mapping: KindMapping): readonly SkipRule[] {
  return Object.entries(mapping.skip ?? {}).map(([name, values]) => ({
    name,
    values: new Set((Array.isArray(values) ? values : [values]).map((value) => cellText(value))),
  }));
}

/** A cell as the values of `skip` are written. */
function cellText(cell: Cell): string {
  return cell === null || cell === undefined ? "" : String(cell).trim();
}
