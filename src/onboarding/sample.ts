// Samples of the files to draft from: their columns with values, and columns that a query can derive.
import { Database } from "bun:sqlite";
import type { Unpivot } from "../import/convert/schema.ts";
import {
  type Candidate,
  isDelimited,
  likelyOptions,
  namedFormat,
  openRecords,
} from "../import/read/files.ts";
import {
  type Cell,
  type Doubt,
  LocalMoment,
  plainCell,
  type ReadOptions,
  type RecordReader,
  type SourceRecord,
  UnreadableFile,
  UnstoredFormula,
  widthOf,
} from "../import/read/records.ts";
import { EmptySheet, MAX_SHEETS, sheetNames } from "../import/read/xlsx.ts";
import { shown } from "../import/row-errors.ts";
import { cellOf } from "../resources/registry.ts";
import { FULL_NAME } from "../resources/workers.ts";
import { DAY_MS, dateOf } from "../time/day.ts";
import { areEnough, datesIn, dayReader } from "./sample-dates.ts";
import { BETWEEN_DAYS, has, isNamedLikeKind, nameKey, namesInTurn } from "./words.ts";

export const SAMPLE_ROWS = 2000;
/** How many records with too few cells are sampled. */
const MAX_SHORT_ROWS = 20;
/** How many objects of a list inside of rows are looked at. */
const MAX_NESTED = 20;
/** How many levels of nested objects are read. */
const MAX_DEPTH = 6;

/** The cells of a record by column. */
type Row = ReadonlyMap<string, string>;

export interface SampleColumn {
  readonly name: string;
  /** Its normalised names, with and without text in brackets. */
  readonly keys: readonly string[];
  /** What a field may be called to have this column: a key, or the end of a nested one, as of `fields.start.value`. */
  readonly names: ReadonlySet<string>;
  /** One for each row; empty if the row has nothing. */
  readonly cells: readonly string[];
  /** The cells that are not empty. */
  readonly values: readonly string[];
  /** The values that are text in the file, not numbers of a workbook or of JSON. */
  readonly texts: readonly string[];
  /** Whether some cells are dates of a workbook. */
  readonly hasMoments: boolean;
  /** How a query derives it from other columns; null if it is in the file. */
  readonly made: Made | null;
}

/** A SQL expression of these cells. */
export type Sql = (...cells: string[]) => string;

interface Made {
  readonly as: "whole name" | "last name" | "date" | "first day" | "last day";
  readonly of: readonly SampleColumn[];
  readonly sql: Sql;
}

/** A file, or a sheet of a workbook, with its columns. */
export interface Sample {
  /** The file's. */
  readonly name: string;
  /** Other files with the same columns, such as other years. Their rows are included. */
  readonly more: readonly string[];
  /** Other sheets with the same columns, likewise. */
  readonly moreSheets: readonly string[];
  readonly options: ReadOptions;
  readonly columns: readonly SampleColumn[];
  /** If the file has a column for each day: how these columns became rows. */
  readonly unpivot?: Unpivot;
  readonly rows: number;
  /** The name of the column that has the people of another file: see `personColumn`. */
  readonly person?: string | undefined;
  /** The columns with values but without a name, from 1. */
  readonly nameless: readonly number[];
  /** The last records with too few cells: totals and remarks. In a sheet, all rows with a single cell. */
  readonly shortRows: readonly Row[];
  /** What is probably wrong with the file. */
  readonly doubts: readonly Doubt[];
  /** Of a JSON document with several lists: the path of this one. */
  readonly list?: string | null;
  /** Columns of JSON that hold a list of objects in some row, and whether an object has two days, as leave has. */
  readonly nested: readonly { readonly name: string; readonly hasSpans: boolean }[];
  /** Columns of a workbook that have nothing but formulas that were never computed. */
  readonly unstored: readonly string[];
  /** Names of several columns that differ in some row. The sample has the first column. */
  readonly repeated: readonly string[];
  /** Names of the columns after an empty one without a name: they may be a second table. */
  readonly aside: readonly string[];
}

export const isWorkbook = (name: string) => namedFormat(name)?.format === "xlsx";

function columnOf(
  name: string,
  cells: readonly string[],
  given: Partial<Pick<SampleColumn, "texts" | "hasMoments" | "made">> = {},
): SampleColumn {
  const { hasMoments = false, made = null } = given;
  const called = made?.as === "date" || made?.as === "last name" ? made.of[0]!.name : name;
  const keys = [nameKey(called), nameKey(bareName(called))];
  const values = cells.filter((cell) => cell.trim() !== "");
  const names = new Set(keys.flatMap(namesOf));
  return { name, keys, names, cells, values, texts: given.texts ?? values, hasMoments, made };
}

/** The key, and each end of it after a dot, with and without `.value`. */
function namesOf(key: string): string[] {
  const parts = key.split(".");
  const ends = parts.slice(1).map((_, at) => parts.slice(at + 1).join("."));
  return [key, ...ends, ...ends.map((end) => end.replace(/\.value$/, ""))];
}

/** A name without text in brackets: `From * (YYYY-MM-DD)`. */
export const bareName = (name: string) => name.replace(/\([^)]*\)|\[[^\]]*\]/g, "");

function madeColumn(name: string, as: Made["as"], of: readonly SampleColumn[], sql: Sql): SampleColumn {
  return columnOf(name, evaluated(sql, of), { made: { as, of, sql } });
}

/** The values of an expression for each row of these columns, as text. */
export function evaluated(sql: Sql, of: readonly Pick<SampleColumn, "cells">[]): string[] {
  using database = new Database(":memory:");
  const statement = database.query<Record<string, string>, (string | null)[]>(
    `select cast(${sql(...of.map((_, at) => `?${at + 1}`))} as text) as made`,
  );
  return of[0]!.cells.map(
    (_, row) => statement.get(...of.map(({ cells }) => cells[row] || null))?.made ?? "",
  );
}

/**
 * Samples of the file, or of each sheet or list with rows. `isClear`: whether its columns say what its rows are. `onUnread` gets each sheet or
 * list that cannot be read, beside others. Raises UnreadableFile if nothing can.
 */
export async function samplesOf(
  candidate: Candidate,
  isClear: (sample: Sample) => boolean,
  onUnread: OnUnread,
): Promise<Sample[]> {
  const { path, name } = candidate;
  const samples = isWorkbook(name)
    ? await sheetsOf(candidate, onUnread)
    : await listsOf(candidate, isClear, onUnread);
  if (!isWorkbook(name) && !isDelimited(name)) return samples;
  // If that is unclear, the first row may name groups of columns: `Employee`, `Employee`, `Absence`.
  const below = async (sample: Sample) => {
    if (sample.rows === 0 || isClear(sample)) return sample;
    const options = { ...sample.options, skipLines: sample.options.skipLines + 1 };
    const lower = await attempt(() => read(path, name, options));
    return !(lower instanceof UnreadableFile) && isClear(lower) ? lower : sample;
  };
  return await Promise.all(samples.map(below));
}

/** Gets a part of a file, such as `sheet "2024"`, and why it cannot be read. */
type OnUnread = (part: string, error: UnreadableFile) => void;

/** The sample, or why it cannot be read. */
async function attempt(reading: () => Promise<Sample>): Promise<Sample | UnreadableFile> {
  try {
    return await reading();
  } catch (error) {
    if (error instanceof UnreadableFile) return error;
    throw error;
  }
}

async function sheetsOf({ path, name, within }: Candidate, onUnread: OnUnread): Promise<Sample[]> {
  const { shown: sheets } = await sheetNames(path, within);
  if (sheets.length > MAX_SHEETS)
    throw new UnreadableFile(
      null,
      `has ${sheets.length} sheets, and a draft looks at ${MAX_SHEETS} at most: save those with people, leave and balances as a workbook of their own`,
    );
  const samples: Sample[] = [];
  let empty: UnreadableFile | null = null;
  for (const sheet of sheets) {
    const own = sheets.length > 1 ? sheet : null;
    const sample = await attempt(async () => read(path, name, await likelyOptions(path, name, within, own)));
    if (!(sample instanceof UnreadableFile)) samples.push(sample);
    else if (sample instanceof EmptySheet) empty = sample;
    else if (own === null) throw sample;
    else onUnread(`sheet ${shown(own)}`, sample);
  }
  if (samples.length === 0 && empty !== null) throw empty;
  return samples;
}

/** A sample of a text file. In JSON, one of each array, up to one level deep: `{"d": {"results": […]}}`. The clear ones come first. */
async function listsOf(
  { path, name, within }: Candidate,
  isClear: (sample: Sample) => boolean,
  onUnread: OnUnread,
): Promise<Sample[]> {
  const options = { ...(await likelyOptions(path, name, within)), within };
  const arrayAt = (at: string | null) => attempt(() => read(path, name, { ...options, at }));
  const whole = await arrayAt(null);
  if (!(whole instanceof UnreadableFile)) return [whole];
  const inner = await Promise.all(whole.arrays.length > 0 ? [] : whole.objects.map(arrayAt));
  const arrays = inner.flatMap((sample) => (sample instanceof UnreadableFile ? sample.arrays : []));
  const paths = [...whole.arrays, ...arrays];
  const attempts = await Promise.all(paths.map(arrayAt));
  const samples = attempts.flatMap((sample) => (sample instanceof UnreadableFile ? [] : sample));
  const clear = samples.filter(isClear);
  for (const [at, failure] of attempts.entries())
    if (failure instanceof UnreadableFile) {
      if (clear.length === 0) throw failure;
      onUnread(`list ${shown(paths[at]!)}`, failure);
    }
  if (samples.length === 0) throw whole;
  const others = samples.filter((sample) => !clear.includes(sample) && sample.rows > 0);
  const [first = samples[0]!, ...rest] = [...clear, ...others];
  return rest.length === 0
    ? [first]
    : [first, ...rest].map((sample) => ({ ...sample, list: sample.options.at }));
}

/** What the records so far have in their columns. */
class SampledColumns {
  readonly names = new Set<string>();
  /** Columns with dates of a workbook. */
  readonly moments = new Set<string>();
  /** Columns with lists of objects: some of these. */
  readonly nested = new Map<string, object[]>();
  /** Columns with formulas that were never computed. */
  readonly unstored = new Set<string>();
  /** Columns without a name, from 1. */
  readonly nameless = new Set<number>();
  /** Names of several columns that differ in some row. */
  readonly repeated = new Set<string>();
  readonly texts = new Map<string, string[]>();

  rowOf(header: readonly string[], cells: readonly Cell[]): Row {
    const row = new Map<string, string>();
    for (const [at, column] of header.entries()) {
      const cell = cells[at] ?? null;
      if (column !== "") this.#add(row, column, cell);
      else if (String(cell ?? "").trim() !== "") this.nameless.add(at + 1);
    }
    for (let at = header.length; at < cells.length; at++) if (cells[at] !== null) this.nameless.add(at + 1);
    return row;
  }

  #add(row: Map<string, string>, column: string, cell: Cell, depth = 0): void {
    if (column.startsWith("__")) return; // metadata of OData
    if (typeof cell === "object" && cell?.constructor === Object && depth < MAX_DEPTH) {
      for (const [key, below] of Object.entries(cell)) this.#add(row, `${column}.${key}`, below, depth + 1);
      return;
    }
    this.names.add(column);
    if (Array.isArray(cell) && typeof cell[0] === "object" && cell[0] !== null)
      this.nested.set(column, [...(this.nested.get(column) ?? []), cell[0]].slice(0, MAX_NESTED));
    if (cell instanceof LocalMoment) this.moments.add(column);
    if (cell instanceof UnstoredFormula) this.unstored.add(column);
    const written = Array.isArray(cell) ? "" : String(plainCell(cell) ?? "");
    const first = row.get(column);
    if (first !== undefined) {
      if (first !== written) this.repeated.add(column);
      return;
    }
    row.set(column, written);
    if (typeof cell !== "string" || written.trim() === "") return;
    if (!this.texts.has(column)) this.texts.set(column, []);
    this.texts.get(column)!.push(written);
  }
}

async function read(path: string, name: string, options: ReadOptions): Promise<Sample> {
  const reader = await openRecords(path, options, []);
  const sampled = new SampledColumns();
  const { rows, shortRows, hasLists } = await rowsOf(reader, isWorkbook(name), sampled);
  const doubts = reader.doubts ?? [];
  await reader.close();
  if (rows.length === 0 && hasLists)
    throw new UnreadableFile(
      null,
      "its rows are lists without names: save it as CSV, or each row as an object with the names of columns",
    );
  const { names, texts, moments, nameless, nested, unstored, repeated } = sampled;
  if (rows.length === 0) for (const column of reader.header) if (column !== "") names.add(column);
  if (hasLabels(rows)) shortRows.push(rows.shift()!);
  const all = [...names].map((column) =>
    columnOf(
      column,
      rows.map((row) => row.get(column) ?? ""),
      { texts: texts.get(column) ?? [], hasMoments: moments.has(column) },
    ),
  );
  // Where some rows have an object and others null, the columns are those of the object.
  const isObject = (column: string) => all.some(({ name }) => name.startsWith(`${column}.`));
  const own = all.filter(({ name, values }) => values.length > 0 || !isObject(name));
  const areFormulas = ({ name, values }: SampleColumn) => values.length === 0 && unstored.has(name);
  const columns = withNamePrefix(
    own.map((column) => dateOfEpoch(column) ?? dateOfTimestamp(column) ?? column),
  );
  columns.push(...columns.flatMap(daysOfRange), ...wholeNames(columns));
  return {
    name,
    more: [],
    moreSheets: [],
    options,
    columns,
    rows: rows.length,
    nameless: [...nameless],
    shortRows,
    doubts,
    nested: [...nested].map(([name, objects]) => ({ name, hasSpans: objects.some(hasSpan) })),
    unstored: own.filter(areFormulas).map(({ name }) => name),
    repeated: [...repeated],
    aside: columnsAside(reader.header, nameless),
  };
}

/** The columns after the first empty one without a name that has others before it. */
function columnsAside(header: readonly string[], nameless: ReadonlySet<number>): string[] {
  const first = header.findIndex((name) => name !== "");
  const gap = header.findIndex((name, at) => at > first && name === "" && !nameless.has(at + 1));
  return gap === -1 ? [] : header.slice(gap).filter((name) => name !== "");
}

/** The first rows, those with too few cells (see `Sample.shortRows`), and whether rows of JSON are lists, which cannot be read. */
async function rowsOf(reader: RecordReader, isOfWorkbook: boolean, sampled: SampledColumns) {
  const { header } = reader; // it may grow
  const rows: Row[] = [];
  const shortRows: Row[] = [];
  let hasLists = false;
  const isShort = ({ cells, problem }: SourceRecord) =>
    isOfWorkbook
      ? header.length > 2 && widthOf(cells) === 1
      : problem !== undefined && cells.length < header.length;
  const add = (record: SourceRecord) => {
    if (isShort(record)) {
      const row = sampled.rowOf(header, record.cells);
      if (record.cells.length > 0 && shortRows.length < MAX_SHORT_ROWS) shortRows.push(row);
    } else if (record.problem === undefined || isOfWorkbook) {
      // A sheet's row with cells beyond the header is a row all the same, which an import refuses.
      rows.push(sampled.rowOf(header, record.cells));
      if (!isOfWorkbook) shortRows.length = 0; // elsewhere, a short record is a mistake of the file
    }
    hasLists ||= record.problem !== undefined && /^\s*\[/.test(record.text ?? "");
  };
  for await (const batch of reader.records()) {
    for (const record of batch) add(record);
    if (rows.length >= SAMPLE_ROWS) break;
  }
  return { rows, shortRows, hasLists };
}

/** Whether an object has two days. */
function hasSpan(object: object): boolean {
  const isDay = (value: unknown) =>
    typeof value === "string" && /\d/.test(value) && datesIn([value]).formats.length > 0;
  return Object.values(object).filter(isDay).length > 1;
}

/** Whether the first record is a row of labels: no digits, even above dates and numbers. */
function hasLabels([first, ...rest]: readonly Row[]): boolean {
  const texts = [...(first?.values() ?? [])];
  if (texts.some((text) => /\d/.test(text)) || new Set(texts).size < texts.length) return false;
  const isOfNumbers = (column: string) => {
    const values = rest.flatMap((row) => row.get(column) || []);
    return values.length > 1 && values.every((value) => /\d/.test(value));
  };
  return [...(first ?? [])].filter(([column, text]) => text !== "" && isOfNumbers(column)).length > 1;
}

const EPOCH = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/;
/** The latest instant that can be written as a date. */
const MAX_EPOCH_MS = 8.64e15;

/** A column of dates such as `/Date(1735689600000)/` as dates; as days if all are midnight. */
function dateOfEpoch(column: SampleColumn): SampleColumn | null {
  const times = column.values.map((value) => Number(EPOCH.exec(value)?.[1] ?? Number.NaN));
  if (times.length === 0 || !times.every((ms) => Math.abs(ms) <= MAX_EPOCH_MS)) return null;
  const form = times.every((ms) => ms % DAY_MS === 0) ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ";
  const sql = (cell: string) => `strftime('${form}', substr(${cell}, 7) / 1000.0, 'unixepoch')`;
  return madeColumn(`date of ${column.name}`, "date", [column], sql);
}

/** Seconds or milliseconds since 1970, in a column that is called like one of days: elsewhere, such a number is an id. */
function dateOfTimestamp(column: SampleColumn): SampleColumn | null {
  const { values } = column;
  const areAll = (digits: RegExp) => values.length > 0 && values.every((value) => digits.test(value));
  const perSecond = areAll(/^\d{12,13}$/) ? 1000 : areAll(/^\d{9,10}$/) ? 1 : null;
  if (perSecond === null || !isCalledDay(column)) return null;
  const areDays = values.every((value) => Number(value) % ((DAY_MS / 1000) * perSecond) === 0);
  const form = areDays ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ";
  const sql = (cell: string) => `strftime('${form}', ${cell} / ${perSecond}.0, 'unixepoch')`;
  return madeColumn(`date of ${column.name}`, "date", [column], sql);
}

/** Whether a column is called like a field of people or leave that is a day or a time. */
function isCalledDay({ keys, names: called }: SampleColumn): boolean {
  return (["workers", "requests"] as const).some((kind) =>
    namesInTurn(kind, keys).some((names) =>
      [...names].some(
        ([field, all]) =>
          /day|instant|end/.test(cellOf(kind, field)?.holds ?? "") && all.some((name) => called.has(name)),
      ),
    ),
  );
}

/** Splits a column with first and last day in one cell, or a single day: `14/07/2025 - 18/07/2025`. */
function daysOfRange(column: SampleColumn): SampleColumn[] {
  const { name, values } = column;
  const hasSign = (sign: string) =>
    areEnough(values.filter((value) => value.includes(sign)).length, values.length, 0.5);
  const between = BETWEEN_DAYS.find(hasSign);
  if (between === undefined || values.some((value) => value.split(between).length > 2)) return [];
  const first = madeColumn(
    `first day of ${name}`,
    "first day",
    [column],
    (cell) => `trim(substr(${cell}, 1, instr(${cell} || '${between}', '${between}') - 1))`,
  );
  const last = madeColumn(`last day of ${name}`, "last day", [column], (cell) => {
    const at = `instr(${cell}, '${between}')`;
    return `trim(substr(${cell}, case ${at} when 0 then 1 else ${at} + ${between.length} end))`;
  });
  const { formats, unread } = datesIn([...first.values, ...last.values]);
  return formats.length > 0 && unread === null ? [first, last] : [];
}

function nameParts(columns: readonly SampleColumn[]): SampleColumn[] {
  const named = namesInTurn(
    "workers",
    columns.map(({ keys }) => keys[1]!),
  );
  return FULL_NAME.parts.flatMap((part) => {
    const all = named.flatMap((names) => names.get(part) ?? []);
    return columns.find(({ keys }) => all.includes(keys[1]!)) ?? [];
  });
}

/** Whole names, made of the columns with their parts. */
function wholeNames(columns: readonly SampleColumn[]): SampleColumn[] {
  const parts = nameParts(columns);
  if (parts.length < FULL_NAME.parts.length) return [];
  const name = parts.map((part) => part.name).join(" and ");
  return [
    madeColumn(name, "whole name", parts, (...cells) =>
      cells.map((cell) => `trim(${cell})`).join(" || ' ' || "),
    ),
  ];
}

/** The columns, with the Dutch `tussenvoegsel` before the last name, such as `van der`, unless last names begin with it already. */
function withNamePrefix(columns: readonly SampleColumn[]): SampleColumn[] {
  const prefix = columns.find(({ name, values }) => values.length > 0 && has("namePrefix", name));
  const last = nameParts(columns).at(-1);
  if (prefix === undefined || last === undefined) return [...columns];
  const begins = (cell: string, row: number) =>
    last.cells[row]!.trim().toLowerCase().startsWith(`${cell.trim()} `.toLowerCase());
  if (prefix.cells.some((cell, row) => cell.trim() !== "" && begins(cell, row))) return [...columns];
  const joined = madeColumn(
    `${last.name} with ${prefix.name}`,
    "last name",
    [last, prefix],
    (name, before) => `trim(coalesce(trim(${before}) || ' ', '') || trim(${name}))`,
  );
  return columns.map((column) => (column === last ? joined : column));
}

/** The fewest day columns of a calendar. Fewer are something else, such as the first and last day of leave. */
export const LEAST_DAYS = 5;

/** Turns a file with a column for each day into rows of days; returns other files unchanged, also those with a column for each month. */
export function withDaysAsRows(sample: Sample): Sample {
  const own = sample.columns.filter(({ made }) => made === null);
  const isDay = ({ name }: SampleColumn) => /\d/.test(name) && datesIn([name]).formats.length > 0;
  const [days, others] = [own.filter(isDay), own.filter((column) => !isDay(column))];
  const names = days.map(({ name }) => name);
  const { formats } = datesIn(names);
  const readDay = dayReader(formats);
  const areMonths = names.every((name) => dateOf(readDay(name) ?? 0).dayOfMonth === 1);
  if (days.length < LEAST_DAYS || formats.length !== 1 || areMonths) return sample;
  const rows = [...Array(sample.rows).keys()];
  const cells = rows.flatMap((row) =>
    days.flatMap((day) => (day.cells[row]!.trim() === "" ? [] : { row, day })),
  );
  const areAmounts = cells.every(({ row, day }) => /^[\d.,]+$/.test(day.cells[row]!.trim()));
  const areParts = cells.every(({ row, day }) => Number(day.cells[row]!.replace(",", ".")) <= 1);
  // Parts of a day and hours may be leave, or what people worked.
  const areWorked = !areParts && isNamedLikeKind("work_hours", sample.options.sheet ?? sample.name);
  const to = !areAmounts
    ? "leave type"
    : areWorked
      ? "hours"
      : areParts
        ? "part of the day"
        : "amount of the day";
  return {
    ...sample,
    unpivot: { columns: patternOf(days, others), as: "date", to },
    columns: [
      ...others.map((column) =>
        columnOf(
          column.name,
          cells.map(({ row }) => column.cells[row]!),
        ),
      ),
      columnOf(
        "date",
        cells.map(({ day }) => day.name),
      ),
      columnOf(
        to,
        cells.map(({ row, day }) => day.cells[row]!),
        { texts: days.flatMap((day) => day.texts) },
      ),
    ],
    rows: cells.length,
  };
}

/** `2026-*`, `*.2026`: a pattern of the year that also fits the next file; else the names. */
function patternOf(days: readonly SampleColumn[], others: readonly SampleColumn[]): string | string[] {
  const names = days.map(({ name }) => name.trim());
  const [, start = null] = /^(\d{4}\D)/.exec(names[0]!) ?? [];
  const [, end = null] = /(\D\d{4})$/.exec(names[0]!) ?? [];
  const pattern = start === null ? `*${end}` : `${start}*`;
  const fits = (name: string) => (start === null ? name.endsWith(end ?? "\0") : name.startsWith(start));
  return names.every(fits) && !others.some(({ name }) => fits(name.trim())) ? pattern : names;
}

/** A time of a workbook. If all of a column are midnight, they are days. */
export const isTimed = (value: string) => /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value);

/**
 * Merges files or sheets with the same columns that are read in the same way. `formOf`: what else must be the same; null if a sample, such as
 * an empty sheet, does not tell.
 */
export function mergedSamples(samples: readonly Sample[], formOf: (sample: Sample) => unknown): Sample[] {
  const merged = new Map<string, Sample>();
  const [keys, forms] = [samples.map(mergeKeyOf), samples.map(formOf)];
  for (const [at, sample] of samples.entries()) {
    const form = forms[at] ?? forms.find((other, of) => other !== null && keys[of] === keys[at]);
    const key = JSON.stringify([keys[at], form]);
    const before = merged.get(key);
    merged.set(key, before === undefined ? sample : joined(before, sample));
  }
  return [...merged.values()];
}

function mergeKeyOf({ name, columns, options, unpivot }: Sample): string {
  const isAlone = options.sheet !== null || columns.length === 0;
  return JSON.stringify([
    columns.map((column) => column.name),
    { ...options, within: null, sheet: columns.length === 0 ? options.sheet : null },
    isAlone ? name : "",
    unpivot,
  ]);
}

function joined(sample: Sample, other: Sample): Sample {
  const columns = sample.columns.map(({ name, cells, texts, hasMoments, made }, at) => {
    const others = other.columns[at]!;
    return columnOf(name, [...cells, ...others.cells], {
      texts: [...texts, ...others.texts],
      hasMoments: hasMoments || others.hasMoments,
      made,
    });
  });
  return {
    ...sample,
    ...(sample.options.sheet === null
      ? { more: [...sample.more, other.name, ...other.more] }
      : { moreSheets: [...sample.moreSheets, other.options.sheet!] }), // sheets are only merged within their workbook
    columns,
    rows: sample.rows + other.rows,
    shortRows: [...sample.shortRows, ...other.shortRows],
    doubts: [...sample.doubts, ...other.doubts],
  };
}
