// Finds the files of an import, and those that a mapping's name or pattern means. Opens each by the format in its name. Guesses how a
// delimited file is to be read.
import { type Dirent, statSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, parse } from "node:path";
import Papa from "papaparse";
import { printable } from "../../printable.ts";
import { nearest, normalised } from "../../resources/cells.ts";
import { KINDS, type Kind } from "../../resources/kinds.ts";
import { ImportRefused } from "../row-errors.ts";
import { openCalendar } from "./calendar.ts";
import { openCsv, usualDelimiter } from "./csv.ts";
import { openJson } from "./json.ts";
import {
  type Cell,
  DEFAULT_OPTIONS,
  headerBelow,
  MAX_TITLE_ROWS,
  type ReadOptions,
  type RecordReader,
  UnreadableFile,
  widthOf,
} from "./records.ts";
import { firstBytes, isGzipName, leadsOut } from "./text.ts";
import { openWorkbook } from "./xlsx.ts";

export interface Candidate {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  /** Named on the command line, rather than found in a folder. */
  readonly isNamed: boolean;
  /** See `ReadOptions.within`. */
  readonly within: string | null;
  /** See `ReadOptions.readSheets`: each source of the file adds its own. */
  readonly readSheets: Set<string>;
}

/** The files of the given paths and folders. Raises ImportRefused for a path that does not exist. */
export async function candidatesOf(paths: readonly string[]): Promise<Candidate[]> {
  return unique((await Promise.all(paths.map(candidatesAt))).flat());
}

/** The kind that a file's name means; null if it means none. Ignores case, spaces, `_` and `-`. */
export function kindOf(name: string): Kind | null {
  const named = namedFormat(name);
  if (named === null) return null;
  if (named.format === "ics") return "holidays";
  return KINDS.find((kind) => normalised(kind) === normalised(named.stem)) ?? null;
}

async function candidatesAt(path: string): Promise<Candidate[]> {
  try {
    const stats = await stat(path);
    if (!stats.isDirectory()) {
      // Reading a pipe would wait, and a device may never end.
      if (!stats.isFile()) throw new ImportRefused([`${printable(path)} is not a file`]);
      return [{ path, name: printable(basename(path)), isNamed: true, within: null, readSheets: new Set() }];
    }
    const inside = (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
    const within = await realpath(path);
    return (await Promise.all(inside.map((entry) => candidateIn(path, within, entry)))).flat();
  } catch (error) {
    if (error instanceof ImportRefused) throw error;
    throw new ImportRefused([unreachable(path, error)]);
  }
}

/**
 * `within` is the folder's real path. Refuses a link that leads out of the folder: through one, whoever may write to the folder could
 * have this command import, or quote in messages, any file that its user may read.
 */
async function candidateIn(folder: string, within: string, entry: Dirent): Promise<Candidate[]> {
  const path = join(folder, entry.name);
  const isLinkToFile = entry.isSymbolicLink() && (await isFileAt(path));
  if (isLinkToFile && leadsOut(within, await realpath(path)))
    throw new ImportRefused([
      `${printable(path)} is a link to a file outside its folder: copy the file into the folder, or name the file itself`,
    ]);
  const isFile = entry.isFile() || isLinkToFile;
  // Skips hidden files, such as those of macOS, the lock files of open workbooks, and the record of a pull.
  if (isFile)
    return /^~\$|^\.|^pull\.json$/.test(entry.name)
      ? []
      : [{ path, name: printable(entry.name), isNamed: false, within, readSheets: new Set() }];
  if (kindOf(entry.name) !== null) throw new ImportRefused([`${printable(path)} is not a file`]);
  return [];
}

/** Whether a link leads to a file. Raises ImportRefused for a broken link. */
async function isFileAt(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    throw new ImportRefused([unreachable(path, error)]);
  }
}

function unreachable(given: string, error: unknown): string {
  const path = printable(given);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR")
    return `There is no file or folder at ${path}: check the path (from ${process.cwd()})`;
  if (code === "EACCES" || code === "EPERM") return `${path} may not be read: check its permissions`;
  return `${path} cannot be read (${code ?? String(error)})`;
}

/** Removes files that were given twice, for example by name and with their folder. */
async function unique(candidates: readonly Candidate[]): Promise<Candidate[]> {
  const byRealPath = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const real = await realpath(candidate.path);
    const known = byRealPath.get(real);
    if (known === undefined || (candidate.isNamed && !known.isNamed)) byRealPath.set(real, candidate);
  }
  return [...byRealPath.values()];
}

/** Whether a mapping's name is a pattern for several files: `Leave_*.csv`. */
export function isPattern(name: string): boolean {
  return /[*?[{]/.test(name);
}

/**
 * The files that a name or pattern means, in order. Exact matches come before matches in another case. `takesLast`: only the last file by name;
 * raises ImportRefused if another one may be newer.
 */
export function filesNamed(
  name: string,
  candidates: readonly Candidate[],
  takesLast = false,
): readonly Candidate[] {
  const exact = candidates.filter((candidate) => basename(candidate.path) === name);
  const matching = exact.length > 0 ? exact : candidates.filter(matcher(name));
  const sorted = matching.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return takesLast ? lastOf(sorted) : sorted;
}

/** `leave 10.csv` comes after `leave 9.csv`. */
const { compare: byNumbers } = new Intl.Collator("en", { numeric: true });
/** Files that are copied together may get times in any order. */
const COPIED_TOGETHER_MS = 60_000;
const YEAR_AND_MONTH = /(?:19|20)\d\d[-_. ]?(?:0[1-9]|1[0-2])(?:[-_. ]?(?:0[1-9]|[12]\d|3[01]))?(?!\d)/;

/** The last file by its name. Raises ImportRefused where names may not sort by day and the times of the files do not confirm it. */
function lastOf(files: readonly Candidate[]): readonly Candidate[] {
  const last = files.toSorted((a, b) => byNumbers(a.name, b.name)).at(-1);
  if (last === undefined) return [];
  if (sortByDay(files.map(({ path }) => basename(path)))) return [last];
  const changedAt = ({ path }: Candidate) => statSync(path).mtimeMs;
  const newer = files.find((file) => file !== last && changedAt(file) > changedAt(last) - COPIED_TOGETHER_MS);
  if (newer !== undefined)
    throw new ImportRefused([
      `"take": "last" would take ${last.name} by its name, but ${newer.name} may be newer: name the file in "from", or give files names that sort by day, as in leave-2026-09-30.csv`,
    ]);
  return [last];
}

/** Whether names differ in a date that begins with the year, or in their one number: not `30.09.2026` and `01.10.2026`, `Sep` and `Oct`. */
function sortByDay(names: readonly string[]): boolean {
  const dates = names.map((name) => YEAR_AND_MONTH.exec(name)?.[0]);
  const numbers = names.map((name) => name.match(/\d+/g) ?? []);
  const isNumber = numbers.every(({ length }) => length === 1);
  const areAlike = new Set(names.map((name) => name.replace(/\d+/, "#"))).size === 1;
  return (!dates.includes(undefined) && new Set(dates).size === names.length) || (isNumber && areAlike);
}

function matcher(name: string): (candidate: Candidate) => boolean {
  const folded = name.toLowerCase();
  if (!isPattern(name)) return (candidate) => basename(candidate.path).toLowerCase() === folded;
  const glob = new Bun.Glob(folded);
  return (candidate) => glob.match(basename(candidate.path).toLowerCase());
}

/** The file that the name of a missing one probably means, by the part before the ending; null if no name is near. */
export function nearestFile(from: string, names: readonly string[]): string | null {
  if (isPattern(from)) return null;
  const wanted = parse(from);
  const stems = new Map(
    names
      .filter(
        (name) => namedFormat(name) !== null || parse(name).ext.toLowerCase() === wanted.ext.toLowerCase(),
      )
      .map((name) => [parse(name).name, name]),
  );
  const meant = nearest(wanted.name, [...stems.keys()]);
  return meant === null ? null : stems.get(meant)!;
}

type Format = "csv" | "tsv" | "jsonl" | "json" | "xlsx" | "ics";

const FORMATS: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "tsv",
  jsonl: "jsonl",
  ndjson: "jsonl",
  json: "json",
  xlsx: "xlsx",
  xlsm: "xlsx",
  ics: "ics",
};

type Option = "encoding" | "delimiter" | "skipLines" | "headerRows" | "sheet" | "at";

/** The formats that use each option. */
const OPTION_FORMATS: Readonly<Record<Option, { formats: readonly Format[]; text: string }>> = {
  at: { formats: ["json"], text: ".json files" },
  sheet: { formats: ["xlsx"], text: "workbooks (.xlsx)" },
  delimiter: { formats: ["csv", "tsv"], text: "CSV and TSV files" },
  encoding: { formats: ["csv", "tsv", "json", "jsonl", "ics"], text: "text files" },
  skipLines: { formats: ["csv", "tsv", "xlsx"], text: "CSV, TSV and workbooks" },
  headerRows: { formats: ["csv", "tsv", "xlsx"], text: "CSV, TSV and workbooks" },
};
const OPTIONS = Object.keys(OPTION_FORMATS) as readonly Option[]; // the keys are Options

/** The options that a format uses. */
export function fittingOptions<T extends { readonly [O in Option]?: unknown }>(all: T, format: Format) {
  const isFitting = (key: Option) => OPTION_FORMATS[key].formats.includes(format);
  return Object.fromEntries(OPTIONS.filter(isFitting).map((key) => [key, all[key]])) as Pick<T, Option>; // picked above
}

/** The endings of importable files, for messages. */
export const KNOWN_ENDINGS = ".csv, .tsv, .json, .jsonl, .ndjson or .xlsx (each also .gz)";

/** A file's name before its endings, and its format; null if the name has no known ending. */
export function namedFormat(name: string): { readonly stem: string; readonly format: Format } | null {
  const parts = /^(.+)\.([a-z]+)$/i.exec(name.replace(/\.gz$/i, ""));
  const format = parts === null ? undefined : FORMATS[parts[2]!.toLowerCase()];
  return format === undefined ? null : { stem: parts![1]!, format };
}

/** Whether a file is delimited text with a header. */
export function isDelimited(path: string): boolean {
  const format = namedFormat(path)?.format ?? "csv";
  return format === "csv" || format === "tsv";
}

/**
 * Opens a file and reads its header; `paths` are the columns needed of nested JSON. A file without a known ending is read as CSV. Raises
 * UnreadableFile for a file that is not what its name says, and for options that its format does not use.
 */
export async function openRecords(
  path: string,
  options: ReadOptions,
  paths: readonly string[],
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const format = namedFormat(path)?.format ?? "csv";
  for (const key of OPTIONS)
    if (options[key] !== DEFAULT_OPTIONS[key] && !OPTION_FORMATS[key].formats.includes(format))
      throw new UnreadableFile(
        null,
        `is ${format.toUpperCase()}, but the mapping has ${key}, which is for ${OPTION_FORMATS[key].text}`,
      );
  switch (format) {
    case "jsonl":
      return openJson(path, options, "lines", paths, onBytes);
    case "json":
      return openJson(path, options, "document", paths, onBytes);
    case "xlsx":
      return openWorkbook(path, options, onBytes);
    case "ics":
      return openCalendar(path, options, onBytes);
    default:
      return openCsv(path, options, onBytes);
  }
}

const DELIMITERS = [",", ";", "\t", "|"];

/** Splits the first rows by the delimiter that gives most of them the same number of cells. */
function firstRows(text: string) {
  const lines = text.replaceAll("\r\n", "\n"); // a file may have lines of both kinds
  const readings = DELIMITERS.map((delimiter) => {
    const rows = Papa.parse<string[]>(lines, { delimiter, preview: MAX_TITLE_ROWS }).data;
    const counts = new Map<number, number>();
    for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
    const [[cells, count] = [0, 0]] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
    return { delimiter, rows, cells, count };
  });
  return readings.sort((a, b) => b.count - a.count || b.cells - a.cells)[0]!;
}

/** The probable encoding, delimiter and title lines of delimited text; the title rows of a workbook's sheet. */
export async function likelyOptions(
  path: string,
  name: string,
  within: string | null,
  sheet: string | null = null,
): Promise<ReadOptions> {
  if (namedFormat(name)?.format === "xlsx") {
    const options = { ...DEFAULT_OPTIONS, within, sheet };
    return { ...options, ...(await sheetHeader(path, options)) };
  }
  if (!isDelimited(name) || isGzipName(name)) return DEFAULT_OPTIONS;
  const bytes = firstBytes(path, within, 65_536);
  if (bytes.length === 0) return DEFAULT_OPTIONS;
  const encoding = await encodingOf(bytes);
  const text = new TextDecoder(encoding ?? "utf-8").decode(bytes);
  const { delimiter: best, rows } = firstRows(text);
  const { at, headerRows } = likelyHeader(rows);
  const titles = rows.slice(0, at);
  const skipLines = titles.reduce((count, cells) => count + cells.join("").split("\n").length, 0);
  const namesDelimiter = /^sep=/i.test(text);
  const delimiter = namesDelimiter || best === usualDelimiter(name) ? null : best;
  return { ...DEFAULT_OPTIONS, encoding, delimiter, skipLines: namesDelimiter ? 0 : skipLines, headerRows };
}

/** The encoding by the byte order mark, else the probable one; null for UTF-8. */
async function encodingOf(bytes: Buffer): Promise<string | null> {
  const mark = bytes.readUIntBE(0, Math.min(2, bytes.length));
  if (mark === 0xfffe) return "utf-16le";
  if (mark === 0xfeff) return "utf-16be";
  return isUtf8(bytes) ? null : await likelyEncoding(bytes);
}

interface HeaderRows {
  /** The index of the first one. */
  readonly at: number;
  readonly headerRows: 1 | 2;
}

/** A probable column name: it has a letter, no `@` and no year. */
const NAME = /^(?=.*\p{L})(?!.*(?:@|\d{4}))/su;

/**
 * Finds the header: the first row about as wide as the widest two. A single wider row has a delimiter too many. It has two rows if only
 * both together give each column its own name.
 */
function likelyHeader(rows: readonly (readonly Cell[])[]): HeaderRows {
  const widths = rows.map(widthOf);
  const shared = widths.filter((width, row) => width > 2 && widths.indexOf(width) !== row);
  const minWidth = Math.max(2, Math.max(...(shared.length > 0 ? shared : widths)) * 0.8);
  const at = widths.findIndex((width) => width >= minWidth);
  const textsOf = (cells: readonly Cell[]) =>
    Array.from(cells, (cell) => (typeof cell === "string" ? cell.trim() : cell === null ? "" : "0"));
  const isUnique = (names: readonly string[]) => new Set(names).size === names.length;
  for (const first of [at - 2, at - 1, at]) {
    const [upper = [], lower = []] = first < 0 ? [] : rows.slice(first, first + 2).map(textsOf);
    const [groups, names] = [upper.filter(Boolean), lower.filter(Boolean)];
    if (groups.length < 2 || names.length < 2 || ![...groups, ...names].every((name) => NAME.test(name)))
      continue;
    const isLowerEnough = isUnique(names) && upper.every((name, column) => name === "" || lower[column]);
    const header = headerBelow(upper, lower).filter(Boolean);
    // Below a header, a row of texts may be the first record.
    const isUpperEnough = first === at && isUnique(groups) && header.length === groups.length;
    if (!isLowerEnough && !isUpperEnough && header.length >= minWidth && isUnique(header))
      return { at: first, headerRows: 2 };
  }
  return { at: Math.max(0, at), headerRows: 1 };
}

/** The number of rows before the header of a sheet, and how many the header has. */
async function sheetHeader(path: string, options: ReadOptions) {
  const reader = await openRecords(path, options, []);
  const rows: { line: number; cells: readonly Cell[] }[] = [
    { line: reader.headerLine, cells: reader.header },
  ];
  for await (const records of reader.records()) {
    rows.push(...records);
    if (rows.length >= MAX_TITLE_ROWS) break;
  }
  await reader.close();
  const { at, headerRows } = likelyHeader(rows.slice(0, MAX_TITLE_ROWS).map(({ cells }) => cells));
  return { skipLines: at === 0 ? 0 : rows[at]!.line - 1, headerRows };
}

/** The usual encoding of files that are not UTF-8. Another one must be likelier by the factor below, because few letters prove little. */
const USUAL_ENCODING = "windows-1252";
const LIKELIER = 1.15;

/** Encodings that the detector names differently from https://encoding.spec.whatwg.org. */
const ENCODING_LABELS: Readonly<Record<string, string>> = { CP932: "shift_jis", CP949: "euc-kr" };

/** The probable encoding of text that is not UTF-8, by its letters. */
async function likelyEncoding(bytes: Uint8Array): Promise<string> {
  const { detectAll } = await import("jschardet"); // a megabyte of statistics, loaded only for drafts
  const detected = detectAll(bytes).flatMap(({ encoding, confidence }) => {
    const label = labelOf(encoding ?? "");
    return label === null ? [] : { label, confidence };
  });
  const usual = detected.find(({ label }) => label === USUAL_ENCODING)?.confidence ?? 0;
  const [best] = detected;
  const isLikelier = best !== undefined && best.confidence > usual * LIKELIER;
  const read = (label: string) => new TextDecoder(label).decode(bytes);
  // Letters such as é are the same in several encodings.
  return isLikelier && read(best.label) !== read(USUAL_ENCODING) ? best.label : USUAL_ENCODING;
}

function labelOf(encoding: string): string | null {
  try {
    return new TextDecoder(ENCODING_LABELS[encoding] ?? encoding).encoding;
  } catch {
    return null;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
