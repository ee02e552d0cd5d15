// Finds the field of each column, by name or by a mapping. The header of a JSON file grows while it is read.
import { didYouMean, isNothing, normalised, ValidationError } from "../../resources/cells.ts";
import type { Kind } from "../../resources/kinds.ts";
import { cellOf, FILE_FIELDS } from "../../resources/registry.ts";
import { LEAVE_AMOUNT } from "../../resources/requests.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { type Cell, LocalMoment, plainCell, SheetValue, UnstoredFormula } from "../read/records.ts";
import { shown } from "../row-errors.ts";
import { asList, mappableFields, type NamedMapping, type SourceMapping } from "./schema.ts";
import { unitInName } from "./units.ts";
import {
  conversionOf,
  filled,
  fixedValue,
  nameParts,
  type Template,
  templateOf,
  translationOf,
  unitColumnOf,
} from "./values.ts";

const ID_OF_DATE = new ValidationError(
  "is a date: a spreadsheet makes dates of ids such as 3-4 or MAR1: export ids as text",
);

/** A row by field. */
export type FileRow = Record<string, Cell>;

/** A column to find in the header, and its index; -1 if not found yet. */
interface Wanted {
  readonly name: string;
  column: number;
}

/** The value of a field in one row: a fixed value, or a template with its columns. */
type Value =
  | { readonly fixed: Cell; readonly template: null }
  | { readonly template: Template; readonly columns: readonly Wanted[] };

type FieldSource = ReturnType<typeof fieldSource>;

/** How many records of a file were skipped, and the rules that matched none. */
export interface Skipped {
  readonly rows: number;
  readonly idle: readonly SkipRule[];
}

/** Values of a column; a record with one is skipped. */
export interface SkipRule {
  readonly name: string;
  readonly values: ReadonlySet<string>;
  /** In lower case, because case is ignored, as in `translate`. */
  readonly folded: ReadonlySet<string>;
  /** The beginnings before a `*`: of `"Generated on *"`, and of `"*"`, which is any value. */
  readonly beginnings: readonly string[];
}

/** Fields that identify a row. */
const NAMES: ReadonlySet<string> = new Set(["id", "legacyId"]);

export class Columns {
  /** For every field but the whole name. */
  readonly #sources: FieldSource[];
  readonly #fullName: FieldSource | null;
  readonly #all: readonly FieldSource[];
  /** Each rule with its column and the number of rows that it matched. */
  readonly #skipRules: readonly (SkipRule & { column: number; rows: number })[];
  /** Columns that are read for another purpose than a field. */
  readonly #wanted: readonly Wanted[];
  /** How many rows a record makes. */
  readonly #rowsPerRecord: number;
  #records = 0;
  #skippedRecords = 0;
  readonly #names: string[] = [];

  constructor(
    private readonly kind: Kind,
    private readonly mapping: NamedMapping | null,
  ) {
    const rules = mapping?.mapping ?? null;
    const sources = mappableFields(kind).map((field) => fieldSource(kind, rules, field));
    this.#all = sources;
    this.#sources = sources.filter(({ field }) => field !== FULL_NAME.name);
    this.#fullName = sources.find(({ field }) => field === FULL_NAME.name) ?? null;
    this.#rowsPerRecord = Math.max(1, ...sources.map(({ values }) => values?.length ?? 1));
    this.#skipRules =
      rules === null ? [] : skipRules(rules).map((rule) => ({ ...rule, column: -1, rows: 0 }));
    this.#wanted = sources.flatMap(({ values, unit }) => [
      ...(values ?? []).flatMap((value) => (value.template === null ? [] : value.columns)),
      ...(unit === null ? [] : [unit]),
    ]);
  }

  get count(): number {
    return this.#names.length;
  }

  /** Whether records may be skipped. */
  get hasSkipRules(): boolean {
    return this.#skipRules.length > 0;
  }

  /** Whether a column of the header fills a field. */
  reads(column: number): boolean {
    return [...this.#all, ...this.#wanted].some((rule) => rule.column === column);
  }

  /** Reads new columns of `header`. Returns what is wrong with them. */
  extend(header: readonly string[]): string[] {
    return header.slice(this.#names.length).flatMap((name) => this.#add(name));
  }

  #add(name: string): string[] {
    const column = this.#names.push(name) - 1;
    const isThis = (other: string) => normalised(other) === normalised(name);
    const isNamed = name !== "";
    const duplicate = isNamed ? this.#names.findIndex(isThis) : column;
    const rules = this.#skipRules.filter((rule) => isThis(rule.name));
    const wanted = this.#wanted.filter((wanted) => isThis(wanted.name));
    const fields = this.#fieldsOf(name);
    const isUsed = rules.length > 0 || wanted.length > 0 || fields !== null;
    const isIgnored = this.mapping?.mapping.ignore === "*" || this.#isIgnoredByName(name);
    if (duplicate < column && (isUsed || !isIgnored)) {
      const isSame = this.#names[duplicate] === name;
      return [
        `column ${shown(name)} is there twice${isSame ? `: in a query, the second one is ${shown(`${name}_2`)}` : ` (as ${shown(this.#names[duplicate])} too: case, spaces, _ and - do not count)`}`,
      ];
    }
    for (const rule of [...rules, ...wanted]) rule.column = column;
    if (!isUsed && !isIgnored) return [this.#unknown(name)];
    for (const source of this.#all) if (fields?.includes(source.field)) source.column = column;
    return [];
  }

  #isIgnoredByName(name: string): boolean {
    return this.mapping !== null && isIgnoredByName(this.mapping.mapping, name);
  }

  /** The fields that a column fills; null if none. */
  #fieldsOf(name: string): readonly string[] | null {
    if (this.#isIgnoredByName(name)) return null;
    const mapping = this.mapping?.mapping;
    if (mapping?.columns !== undefined) return fieldsOfColumn(mapping, name);
    const known = mapping === undefined ? FILE_FIELDS[this.kind] : mappableFields(this.kind);
    const field = known.find((candidate) => normalised(candidate) === normalised(name));
    return field === undefined || mapping?.values?.[field] !== undefined ? null : [field];
  }

  #unknown(name: string): string {
    if (name === "") return "a column has no name in the header: name or remove it";
    if (this.mapping?.mapping.columns !== undefined) {
      return `column ${shown(name)} is not mapped: add it to columns or to ignore in ${this.mapping.label}`;
    }
    const meant = didYouMean(name, FILE_FIELDS[this.kind]);
    const other =
      this.mapping === null
        ? "load the file through a mapping (--map)"
        : `add it to columns or to ignore in ${this.mapping.label}`;
    return `column ${shown(name)} is not a field of ${this.kind}${meant}: rename or remove it, or ${other}`;
  }

  /** What is missing in a complete header: columns that the mapping names, else fields that every row needs. */
  missing(): string[] {
    const unknown = this.missingColumns();
    return unknown.length > 0 ? unknown : this.#missingFields();
  }

  /** Columns of the mapping that no record had. `mayHave`: whether a column may exist all the same. */
  missingColumns(mayHave: (path: string) => boolean = () => false): string[] {
    if (this.mapping === null) return [];
    const { label, path, mapping } = this.mapping;
    const known = new Set(this.#names.map(normalised));
    return columnsNeeded(mapping)
      .filter(({ column }) => !known.has(normalised(column)) && !mayHave(column))
      .map(
        (needed) =>
          `has no column ${shown(needed.column)}${didYouMean(needed.column, this.#names)}, which ${label} names (${path}.${needed.path})`,
      );
  }

  #missingFields(): string[] {
    const has = (field: string) => {
      const source = this.#sources.find((source) => source.field === field);
      return source !== undefined && (source.column !== -1 || source.values !== null);
    };
    const isComputed = (field: string) =>
      (this.#hasFullName && FULL_NAME.parts.some((part) => part === field)) ||
      (field === LEAVE_AMOUNT && this.mapping?.mapping.hoursPerDay !== undefined);
    const isRequired = (field: string) => cellOf(this.kind, field)?.isRequired ?? false;
    const absent = this.#sources
      .map(({ field }) => field)
      .filter((field) => !has(field) && isRequired(field) && !isComputed(field))
      .map((field) => `column ${field} is missing: every row needs it`);
    const isNameless = FILE_FIELDS[this.kind].includes("legacyId") && ![...NAMES].some(has);
    if (isNameless && this.kind !== "adjustments" && this.kind !== "holidays")
      absent.push("column id or legacyId is missing: one of them is needed to tell rows apart");
    return absent;
  }

  /** Whether the mapping skips the record; counts it if so. A missing cell is empty. */
  skips(cells: readonly Cell[]): boolean {
    this.#records++;
    let isSkipped = false;
    for (const rule of this.#skipRules) {
      if (!isSkippedBy(rule, cells[rule.column])) continue;
      rule.rows++;
      isSkipped = true;
    }
    if (isSkipped) this.#skippedRecords++;
    return isSkipped;
  }

  /** What `skip` did so far. */
  skipped(): Skipped {
    const idle = this.#records === 0 ? [] : this.#skipRules.filter(({ rows }) => rows === 0);
    return { rows: this.#skippedRecords, idle };
  }

  /** The rows of a record, with every field present. */
  rows(cells: readonly Cell[]): FileRow[] {
    return this.#each((at) => {
      const row: FileRow = {};
      for (const source of this.#sources) {
        const cell = writtenCell(source, cells, at);
        const unit = source.unit === null ? null : cells[source.unit.column];
        const value = source.convert === null || isFixed(source, at) ? cell : source.convert(cell, unit);
        if (value instanceof LocalMoment && this.kind === "workers" && source.field === "legacyId")
          row.legacyId = ID_OF_DATE;
        // A field that holds no date takes the text of a workbook's date.
        else row[source.field] = value instanceof SheetValue ? String(value) : value;
      }
      if (this.#hasFullName) Object.assign(row, nameParts(writtenCell(this.#fullName!, cells, at)));
      return row;
    });
  }

  /** The legacy ids of a record's rows, as far as they can be read. */
  legacyIds(cells: readonly Cell[]): string[] {
    const source = this.#sources.find(({ field }) => field === "legacyId");
    if (source === undefined) return [];
    const ids = this.#each((at) => ({ id: writtenCell(source, cells, at) }));
    return ids.flatMap(({ id }) => (isNothing(id) || typeof id === "object" ? [] : String(id).trim()));
  }

  /** The rows of a record as they are written: translated, but not converted. */
  written(cells: readonly Cell[]): FileRow[] {
    return this.#each((at) => {
      const row = Object.fromEntries(
        this.#sources.map((source) => [source.field, writtenCell(source, cells, at)]),
      );
      if (!this.#hasFullName) return row;
      const name = writtenCell(this.#fullName!, cells, at);
      return { ...row, ...Object.fromEntries(FULL_NAME.parts.map((part) => [part, name])) };
    });
  }

  get #hasFullName(): boolean {
    return this.#fullName !== null && (this.#fullName.column !== -1 || this.#fullName.values !== null);
  }

  #each(make: (at: number) => FileRow): FileRow[] {
    if (this.#rowsPerRecord === 1) return [make(0)];
    return Array.from({ length: this.#rowsPerRecord }, (_, at) => make(at));
  }
}

function fieldSource(kind: Kind, rules: SourceMapping | null, field: string) {
  const given = rules?.values?.[field];
  const values = given === undefined ? null : (Array.isArray(given) ? given : [given]).map(ownValueOf);
  const unitColumn = unitColumnOf(rules?.units?.[field]);
  return {
    field,
    /** The field's column; -1 if it has none. */
    column: -1,
    /** Values of the mapping: one, or one for each row of a record; null if it has none. */
    values,
    unit: unitColumn === null ? null : { name: unitColumn, column: -1 },
    decimal: rules?.decimal,
    translate: rules === null ? null : translationOf(rules, field),
    convert: conversionOf(kind, rules, field),
  };
}

function ownValueOf(given: Cell): Value {
  const template = templateOf(given);
  if (template === null) return { fixed: fixedValue(given), template: null };
  return { template, columns: template.columns.map((name) => ({ name, column: -1 })) };
}

/** The mapping's value for row `at` of a record; undefined if the field comes from a column. */
function ownValue({ values }: FieldSource, at: number): Value | undefined {
  return values === null ? undefined : values[values.length === 1 ? 0 : at];
}

/** Whether the field has a value of the mapping, which needs no conversion. */
function isFixed(source: FieldSource, at: number): boolean {
  const value = ownValue(source, at);
  return source.column === -1 && value !== undefined && value.template === null;
}

function writtenCell(source: FieldSource, cells: readonly Cell[], at: number): Cell {
  const { column, translate } = source;
  const own = column === -1 ? ownValue(source, at) : undefined;
  if (own?.template === null) return own.fixed;
  const cell =
    own === undefined
      ? cellAt(cells, column) // null without a column
      : filled(
          own.template,
          own.columns.map((wanted) => cellAt(cells, wanted.column)),
          source.decimal,
        );
  return translate === null || cell instanceof ValidationError ? cell : translate(cell);
}

function cellAt(cells: readonly Cell[], column: number): Cell {
  const cell = plainCell(cells[column] ?? null);
  return cell instanceof UnstoredFormula ? new ValidationError(UnstoredFormula.problem) : cell;
}

/** The fields that a column fills; null if the mapping does not name the column. */
export function fieldsOfColumn(mapping: SourceMapping, column: string): readonly string[] | null {
  const exact = mapping.columns?.[column];
  if (exact !== undefined) return asList(exact);
  const wanted = normalised(column);
  const entry = Object.entries(mapping.columns ?? {}).find(([name]) => normalised(name) === wanted);
  return entry === undefined ? null : asList(entry[1]);
}

export function ignoredByName({ ignore }: SourceMapping): readonly string[] {
  return typeof ignore === "object" ? ignore : [];
}

function isIgnoredByName(mapping: SourceMapping, column: string): boolean {
  const wanted = normalised(column);
  return ignoredByName(mapping).some((name) => normalised(name) === wanted);
}

/** Columns that the mapping names and the file must have, with the path that names them. */
export function columnsNeeded(mapping: SourceMapping): { readonly path: string; readonly column: string }[] {
  const ofValue = (field: string, value: unknown) =>
    (templateOf(value)?.columns ?? []).map((column) => ({ path: `values.${field}`, column }));
  return [
    ...Object.keys(mapping.columns ?? {}).map((column) => ({ path: "columns", column })),
    ...Object.entries(mapping.values ?? {}).flatMap(([field, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((item) => ofValue(field, item)),
    ),
    ...Object.entries(mapping.units ?? {}).flatMap(([field, unit]) => {
      const column = unitColumnOf(unit);
      return column === null ? [] : [{ path: `units.${field}`, column }];
    }),
    ...Object.keys(mapping.skip ?? {}).map((column) => ({ path: "skip", column })),
    ...ignoredByName(mapping).map((column) => ({ path: "ignore", column })),
  ];
}

/** The amounts that a mapping reads in another unit than their column is called by, in words: `minutes: "Days left" as hours`. */
export function amountsInOtherUnits(mapping: SourceMapping): string[] {
  return Object.entries(mapping.units ?? {}).flatMap(([field, unit]) => {
    const own = typeof unit === "string" ? unit : "days";
    if (own === "HH:mm" || unitColumnOf(unit) !== null) return [];
    return columnsNeeded(mapping)
      .filter(({ path, column }) =>
        path === "columns" ? fieldsOfColumn(mapping, column)!.includes(field) : path === `values.${field}`,
      )
      .filter(({ column }) => ![null, own].includes(unitInName(column)))
      .map(({ column }) => `${field}: ${shown(column)} as ${own}`);
  });
}

/** `*`, or what begins with six characters or more: `U*` is a mark. */
const BEGINNING = /^(?:.{6,})?\*$/s;

export function skipRules(mapping: Pick<SourceMapping, "skip">): readonly SkipRule[] {
  return Object.entries(mapping.skip ?? {}).map(([name, given]) => {
    const values = (Array.isArray(given) ? given : [given]).map((value) => cellText(value));
    const folded = values.map((value) => value.toLowerCase());
    const beginnings = folded.filter((value) => BEGINNING.test(value)).map((value) => value.slice(0, -1));
    return { name, values: new Set(values), folded: new Set(folded), beginnings };
  });
}

export function isSkippedBy({ folded, beginnings }: SkipRule, cell: Cell): boolean {
  const text = cellText(cell).toLowerCase();
  return folded.has(text) || (text !== "" && beginnings.some((beginning) => text.startsWith(beginning)));
}

/** A cell in the notation of `skip` values. */
function cellText(cell: Cell): string {
  return cell === null || cell === undefined ? "" : String(plainCell(cell)).trim().normalize("NFC");
}
