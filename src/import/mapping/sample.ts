// The files that a draft is made of: their columns, values and formats of dates, found by trying.
import { ValidationError } from "../../resources/cells.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { DAY_MS } from "../../time/day.ts";
import { type Candidate, isDelimited, namedFormat, openRecords, optionsToTry } from "../source/files.ts";
import {
  type Cell,
  DEFAULT_OPTIONS,
  LocalMoment,
  plainCell,
  type ReadOptions,
  UnreadableFile,
} from "../source/records.ts";
import { sheetNames } from "../source/xlsx.ts";
import { bareNameKey, fieldSynonyms, PREFIXES } from "./column-names.ts";
import { compiledFormat, dateReader, FORMAT_LOCALES, USUAL_FORMATS } from "./dates.ts";

/** Rows that are looked at. */
const SAMPLE_ROWS = 2000;
/** Records with fewer cells than the header has that are looked at. */
const MAX_SHORT_ROWS = 20;

/** Rows of a sheet among which its header is looked for. */
const MAX_TITLE_ROWS = 25;

/** A file, or a sheet of a workbook, whose columns are known. */
export interface Sample {
  /** The file's. */
  readonly name: string;
  /** Further files with the same columns, such as those of other years. Their rows are among these. */
  readonly more: readonly string[];
  readonly options: ReadOptions;
  /** The values of each column, as text; empty ones left out. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** The same with empty ones, so that cells of one row have one index. */
  readonly cells: ReadonlyMap<string, readonly string[]>;
  /** Columns that the file does not have: people's whole names, made of the columns with their parts. */
  readonly joined: ReadonlyMap<string, readonly string[]>;
  /** Columns with dates such as `/Date(1735689600000)/`, and SQLite's format for them. In `columns` they are as it writes them. */
  readonly epochs: ReadonlyMap<string, string>;
  /** Columns that the file does not have: the first and the last day of a column such as `14/07/2025 - 18/07/2025`. */
  readonly ranges: ReadonlyMap<string, RangePart>;
  /** Columns that hold dates of a workbook. */
  readonly moments: ReadonlySet<string>;
  readonly rows: number;
  /**
   * By column, the values of the last records, where these have fewer cells than the header: totals and remarks. Of a sheet, rows
   * with a single cell, wherever they are: remarks and headings.
   */
  readonly shortRows: readonly ReadonlyMap<string, string>[];
  /** Whether the first record has labels of the columns. It is one of `shortRows` then, and not among the values. */
  readonly hasLabels: boolean;
}

/** One day of a column that has the first and the last one in a cell, or a day alone. */
export interface RangePart {
  readonly of: string;
  readonly between: string;
  readonly part: "first" | "last";
}

/** What stands between the first and the last day. */
const BETWEEN = " - | \u2013 | \u2014 | to | bis | au | al | hasta | t/m |\uff5e|~|\u2192".split("|");

/** More formats than these in one column are no list of formats, but free text. */
const MAX_MIXED_FORMATS = 3;

/** What stands for "no date" in other systems. */
const NO_DATE =
  /^(?:[-\u2013\u2014]+|n\/?a|none|null|nil|0000-00-00.*|00[./-]00[./-]0000|.*9999.*|(?:.*\D)?(?:4712|2999|0001)(?:\D.*)?)$/i;

export interface DatesFound {
  /** The formats to read the column with: several where it mixes them. */
  readonly formats: readonly string[];
  /** Other formats, each of which would fit every value as well. */
  readonly alternatives: readonly string[];
  /** The language of the months; null where there are no names, or they are English. */
  readonly locale: string | null;
  /** Values that mean that there is no date. */
  readonly placeholders: readonly string[];
  /** A value that none of the formats fits. */
  readonly unread: string | null;
}

/** What a format means, however many digits it asks for: `dd.MM.yyyy` reads what `d.M.yyyy` reads of the same text. */
function meaningOf(format: string): string {
  return format.replace(/d+|H+|h+|(?<!M)MM?(?!M)/g, ([letter]) => letter!);
}

/** Whether the day or the month comes first, where a format begins with one of them. */
export type DayOrder = "day" | "month";

function orderOf(format: string): DayOrder | null {
  const first = /[dMy]/.exec(format)?.[0];
  return first === "y" || /MMM/.test(format) ? null : first === "d" ? "day" : "month";
}

/** Which of the two a column shows without doubt. */
export function dayOrderOf({ formats, alternatives }: DatesFound): DayOrder | null {
  const orders = new Set([...formats, ...alternatives].map(orderOf));
  const [order = null] = orders;
  return orders.size === 1 ? order : null;
}

/** Whether so many of all values tell what a column is: this share of them, or all but one. */
export function areEnough(count: number, all: number, share: number): boolean {
  return all > 0 && (count >= all * share || (count > 1 && count >= all - 1));
}

/** Most dates must have known formats: another one is a mistake of the file. */
const ENOUGH_DATES = 0.9;

/** How a column writes its dates. `order`: how other columns do, where this one may be either. */
export function datesIn(column: readonly string[], order: DayOrder | null = null): DatesFound {
  const placeholders = [...new Set(column.filter((value) => NO_DATE.test(value.trim())))];
  const values = [...new Set(column.filter((value) => !NO_DATE.test(value.trim())))];
  const none = { formats: [], alternatives: [], locale: null, placeholders, unread: values[0] ?? null };
  if (values.length === 0) return none;
  let closest: DatesFound = none;
  for (const locale of FORMAT_LOCALES) {
    const read = USUAL_FORMATS.map((format) => ({ format, values: readBy(format, locale, values) }));
    const whole = read.filter((one) => one.values.size === values.length).map(({ format }) => format);
    const known = { locale: locale === "en" ? null : locale, placeholders };
    const best = whole.find((format) => order !== null && orderOf(format) === order) ?? whole[0];
    if (best !== undefined) {
      const alternatives = whole.filter(
        (format) => meaningOf(format) !== meaningOf(best) && (order === null || orderOf(format) === order),
      );
      return { ...known, formats: [best], alternatives, unread: null };
    }
    const formats: string[] = [];
    let left = new Set(values);
    while (left.size > 0 && formats.length < MAX_MIXED_FORMATS) {
      const [most] = read
        .map(({ format, values: its }) => ({ format, its: its.intersection(left) }))
        .sort((a, b) => b.its.size - a.its.size);
      if (most === undefined || most.its.size === 0) break;
      formats.push(most.format);
      left = left.difference(most.its);
    }
    left = left.union(dropSwapped(formats, read));
    const [unread = null] = left;
    // One odd value is a mistake of the file; many mean that it is no column of dates.
    if (!areEnough(values.length - left.size, values.length, ENOUGH_DATES)) continue;
    if (closest.formats.length === 0 || (unread === null && closest.unread !== null))
      closest = { ...known, formats, alternatives: [], unread };
  }
  return closest;
}

/**
 * Removes formats that differ from a more frequent one by the order of day and month alone: the same date cannot be read both
 * ways, so a few such values are mistakes of the file. Returns these values.
 */
function dropSwapped(
  formats: string[],
  read: readonly { readonly format: string; readonly values: ReadonlySet<string> }[],
): Set<string> {
  const shape = (format: string) => format.replace(/[dM]/g, "x");
  const of = (format: string) => read.find((one) => one.format === format)!.values;
  const dropped = new Set<string>();
  for (const format of formats.slice(1)) {
    const before = formats.slice(0, formats.indexOf(format));
    const usual = before.find((one) => shape(one) === shape(format));
    if (usual === undefined) continue;
    const only = of(format).difference(of(usual));
    if (!areEnough(of(usual).size, of(usual).size + only.size, ENOUGH_DATES)) continue;
    formats.splice(formats.indexOf(format), 1);
    for (const value of only) dropped.add(value);
  }
  return dropped;
}

/** The values that a format reads as days that exist. */
function readBy(format: string, locale: string, values: readonly string[]): Set<string> {
  if (typeof compiledFormat(format, locale) === "string") return new Set();
  const read = dateReader([format], { holds: "instant", locale, zone: null, endDay: null });
  return new Set(values.filter((value) => !(read(value) instanceof ValidationError)));
}

/**
 * The file, however it can be read; of a workbook, each sheet that has rows. `isClear` tells whether its columns say what the rows
 * are. Raises UnreadableFile where it cannot be read.
 */
export async function samplesOf(
  candidate: Candidate,
  isClear: (sample: Sample) => boolean,
): Promise<Sample[]> {
  const found = isWorkbook(candidate.name) ? await sheetsOf(candidate) : [await sampleOf(candidate, isClear)];
  const samples: Sample[] = [];
  for (const sample of found)
    samples.push(isClear(sample) ? sample : await belowGroups(candidate.path, sample, isClear));
  return samples;
}

/** The file as it is below its first row, if that is a row of groups of columns: `Employee`, `Employee`, `Absence`. */
async function belowGroups(
  path: string,
  sample: Sample,
  isClear: (sample: Sample) => boolean,
): Promise<Sample> {
  const { name, options, rows } = sample;
  if (rows === 0 || !(isWorkbook(name) || isDelimited(name))) return sample;
  try {
    const below = await read(path, name, { ...options, skipLines: options.skipLines + 1 });
    return isClear(below) ? below : sample;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return sample;
  }
}

const isWorkbook = (name: string) => namedFormat(name)?.format === "xlsx";

async function sheetsOf({ path, name, within }: Candidate): Promise<Sample[]> {
  const sheets = await sheetNames(path, within);
  const samples: Sample[] = [];
  let failure: unknown = null;
  for (const sheet of sheets) {
    const options = { ...DEFAULT_OPTIONS, within, sheet: sheets.length > 1 ? sheet : null };
    try {
      samples.push(await read(path, name, { ...options, skipLines: await titleRows(path, options) }));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      failure = error; // such as a sheet without rows
    }
  }
  if (samples.length === 0) throw failure;
  return samples;
}

/** The rows before the header of a sheet, which is the first row that is about as wide as the widest. */
async function titleRows(path: string, options: ReadOptions): Promise<number> {
  const reader = await openRecords(path, options, []);
  const rows = [{ line: reader.headerLine, width: widthOf(reader.header) }];
  for await (const records of reader.records()) {
    for (const { line, cells } of records.slice(0, MAX_TITLE_ROWS - rows.length))
      rows.push({ line, width: widthOf(cells) });
    if (rows.length === MAX_TITLE_ROWS) break;
  }
  await reader.close();
  const widest = Math.max(...rows.map(({ width }) => width));
  const header = rows.findIndex(({ width }) => width >= Math.max(2, widest * 0.8));
  return header <= 0 ? 0 : rows[header]!.line - 1;
}

/** How many cells have something in them. */
function widthOf(cells: readonly Cell[]): number {
  return cells.filter((cell) => cell !== null && String(cell).trim() !== "").length;
}

async function sampleOf(
  { path, name, within }: Candidate,
  isClear: (sample: Sample) => boolean,
): Promise<Sample> {
  let failure: unknown = null;
  for (const found of await optionsToTry(path, name, within)) {
    const options = { ...found, within };
    try {
      return await read(path, name, options);
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      failure = error;
      const arrays = error.arrays.length > 0 ? error.arrays : await arraysWithin(error, path, options);
      const samples: Sample[] = [];
      for (const at of arrays) samples.push(await read(path, name, { ...options, at }));
      const clear = samples.find(isClear) ?? samples[0];
      if (clear !== undefined) return clear;
    }
  }
  throw failure;
}

/** The arrays of a document whose arrays are one level deeper, as in `{"d": {"results": […]}}`. */
async function arraysWithin(
  { objects }: UnreadableFile,
  path: string,
  options: ReadOptions,
): Promise<readonly string[]> {
  for (const at of objects) {
    try {
      const reader = await openRecords(path, { ...options, at }, []);
      for await (const _ of reader.records()) break;
      await reader.close();
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      if (error.arrays.length > 0) return error.arrays;
    }
  }
  return [];
}

async function read(path: string, name: string, options: ReadOptions): Promise<Sample> {
  const reader = await openRecords(path, options, []);
  const columns = new Map<string, string[]>();
  const cellsOf = new Map<string, string[]>();
  const moments = new Set<string>();
  let whole = 0;
  const add = (column: string, cell: Cell) => {
    const values = columns.get(column) ?? [];
    columns.set(column, values);
    if (cell instanceof LocalMoment) moments.add(column);
    const text = cell === null || cell === undefined ? "" : String(plainCell(cell));
    if (text.trim() === "") return;
    values.push(text);
    const all = cellsOf.get(column) ?? [];
    cellsOf.set(column, all);
    while (all.length < whole) all.push("");
    all[whole] = text;
  };
  const flatten = (column: string, cell: Cell, depth: number) => {
    if (column.startsWith("__")) return; // what OData says of the record itself
    const isNested = typeof cell === "object" && cell !== null && cell.constructor === Object && depth < 6;
    if (!isNested) add(column, Array.isArray(cell) ? null : cell);
    else for (const [key, below] of Object.entries(cell)) flatten(`${column}.${key}`, below, depth + 1);
  };
  const shortRows: Map<string, string>[] = [];
  let rows = 0;
  const isSheet = isWorkbook(name);
  for await (const records of reader.records()) {
    for (const { cells, problem } of records) {
      if (isSheet && reader.header.length > 2 && widthOf(cells) === 1) {
        if (shortRows.length < MAX_SHORT_ROWS) shortRows.push(textsOf(reader.header, cells));
      } else if (problem === undefined) {
        for (const [at, column] of reader.header.entries()) flatten(column, cells[at] ?? null, 0);
        whole++;
        if (!isSheet) shortRows.length = 0; // a short record among whole ones is a mistake of the file
      } else if (cells.length > 0 && cells.length < reader.header.length && shortRows.length < MAX_SHORT_ROWS)
        shortRows.push(textsOf(reader.header, cells));
    }
    rows += records.length;
    if (rows >= SAMPLE_ROWS) break;
  }
  await reader.close();
  const labels = takeLabels(columns, cellsOf);
  if (labels !== null) {
    shortRows.push(labels);
    whole--;
  }
  if (rows === 0) for (const column of reader.header) add(column, null);
  columns.delete("");
  const epochs = readEpochs(columns, cellsOf);
  const ranges = readRanges(columns, cellsOf);
  const joined = new Map<string, readonly string[]>();
  const parts = FULL_NAME.parts.map((part) => namedAs(part, cellsOf.keys()));
  const [first, last] = parts;
  if (first !== undefined && last !== undefined) {
    const names = Array.from({ length: whole }, (_, row) =>
      `${(cellsOf.get(first)![row] ?? "").trim()} ${(cellsOf.get(last)![row] ?? "").trim()}`.trim(),
    );
    const column = `${first} and ${last}`;
    joined.set(column, [first, last]);
    cellsOf.set(column, names);
    columns.set(
      column,
      names.filter((one) => one !== ""),
    );
  }
  return {
    name,
    more: [],
    options,
    columns,
    cells: cellsOf,
    joined,
    epochs,
    ranges,
    moments,
    rows: whole,
    shortRows,
    hasLabels: labels !== null,
  };
}

/**
 * Removes the first record if it has labels of the columns, below their technical names, and returns it; null otherwise. Labels have
 * no digit anywhere, also in columns of dates and numbers.
 */
function takeLabels(
  columns: ReadonlyMap<string, string[]>,
  cells: ReadonlyMap<string, string[]>,
): Map<string, string> | null {
  const first = new Map([...cells].map(([column, values]) => [column, values[0] ?? ""]));
  const texts = [...first.values()];
  if (texts.some((text) => /\d/.test(text)) || new Set(texts).size < texts.length) return null;
  const ofNumbers = [...columns].filter(
    ([column, values]) =>
      first.get(column) !== "" && values.length > 2 && values.slice(1).every((value) => /\d/.test(value)),
  );
  if (ofNumbers.length < 2) return null;
  for (const [column, text] of first) {
    cells.get(column)!.shift();
    if (text !== "") columns.get(column)!.shift();
  }
  return first;
}

/** The column that a field of people goes by; undefined where there is none. */
function namedAs(field: string, columns: Iterable<string>): string | undefined {
  const names = fieldSynonyms("workers").find(([one]) => one === field)?.[1] ?? [];
  return [...columns].find((column) =>
    ["", ...(PREFIXES.workers ?? [])].some((prefix) =>
      names.some((name) => bareNameKey(column) === prefix + name),
    ),
  );
}

const EPOCH = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/;
/** No later moment can be written as a date. */
const MAX_EPOCH_MS = 8.64e15;

/** Rewrites columns of dates such as `/Date(1735689600000)/`, and gives SQLite's formats for them: days where all are midnights. */
function readEpochs(
  columns: ReadonlyMap<string, string[]>,
  cells: Map<string, string[]>,
): Map<string, string> {
  const epochs = new Map<string, string>();
  for (const [column, values] of columns) {
    const msOf = (value: string) => Number(EPOCH.exec(value)?.[1] ?? Number.NaN);
    if (values.length === 0 || !values.every((value) => Math.abs(msOf(value)) <= MAX_EPOCH_MS)) continue;
    const ofDay = values.every((value) => msOf(value) % DAY_MS === 0);
    const read = (value: string) => {
      const text = value === "" ? "" : new Date(msOf(value)).toISOString();
      return ofDay ? text.slice(0, 10) : text.replace(/\.\d+Z$/, "Z");
    };
    epochs.set(column, ofDay ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ");
    values.splice(0, values.length, ...values.map(read));
    cells.set(column, cells.get(column)!.map(read));
  }
  return epochs;
}

/** Adds columns with the first and the last day of each column that has both in one cell. */
function readRanges(columns: Map<string, string[]>, cells: Map<string, string[]>): Map<string, RangePart> {
  const ranges = new Map<string, RangePart>();
  for (const [of, values] of [...columns]) {
    const between = BETWEEN.find((sign) =>
      areEnough(values.filter((one) => one.includes(sign)).length, values.length, 0.5),
    );
    if (between === undefined || values.length === 0) continue;
    const days = (all: readonly string[], at: 0 | -1) => all.map((one) => one.split(between).at(at)!.trim());
    const { formats, unread } = datesIn([...days(values, 0), ...days(values, -1)]);
    if (formats.length === 0 || unread !== null || values.some((one) => one.split(between).length > 2))
      continue;
    for (const [part, at] of [
      ["first", 0],
      ["last", -1],
    ] as const) {
      const column = `${part} day of ${of}`;
      ranges.set(column, { of, between, part });
      columns.set(column, days(values, at));
      cells.set(column, days(cells.get(of)!, at));
    }
  }
  return ranges;
}

/** The samples, where files with the same columns, read in the same way, are one. */
export function mergedSamples(samples: readonly Sample[]): Sample[] {
  const merged = new Map<string, Sample>();
  for (const sample of samples) {
    const { columns, epochs, options } = sample;
    const form = JSON.stringify([[...columns.keys()], [...epochs], { ...options, within: null }]);
    const isSheet = options.sheet !== null || columns.size === 0;
    const key = isSheet ? `${sample.name} ${form}` : form;
    const before = merged.get(key);
    merged.set(key, before === undefined ? sample : joinedSample(before, sample));
  }
  return [...merged.values()];
}

function joinedSample(one: Sample, other: Sample): Sample {
  const columns = new Map(
    [...one.columns].map(([name, values]) => [name, [...values, ...other.columns.get(name)!]]),
  );
  const padded = (values: readonly string[] = []) =>
    Array.from({ length: one.rows }, (_, row) => values[row] ?? "");
  const cells = new Map(
    [...columns.keys()].map((name) => [
      name,
      [...padded(one.cells.get(name)), ...(other.cells.get(name) ?? [])],
    ]),
  );
  return {
    ...one,
    more: [...one.more, other.name, ...other.more],
    columns,
    cells,
    moments: one.moments.union(other.moments),
    rows: one.rows + other.rows,
    shortRows: [...one.shortRows, ...other.shortRows],
  };
}

function textsOf(header: readonly string[], cells: readonly Cell[]): Map<string, string> {
  return new Map(header.map((column, at) => [column, String(cells[at] ?? "")]));
}
