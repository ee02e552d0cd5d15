// The sources of each kind, found from the given files and the mapping.

import { printable } from "../../printable.ts";
import { nearest } from "../../resources/cells.ts";
import { KINDS, type Kind } from "../../resources/kinds.ts";
import {
  asList,
  type FileKeys,
  type LoadedMapping,
  type NamedMapping,
  type Tables,
} from "../convert/schema.ts";
import { ImportRefused } from "../row-errors.ts";
import {
  type Candidate,
  candidatesOf,
  filesNamed,
  fittingOptions,
  KNOWN_ENDINGS,
  kindOf,
  namedFormat,
  nearestFile,
} from "./files.ts";
import { mentions, type Query, type TableFile, type TableFiles, tableName } from "./query.ts";
import { DEFAULT_OPTIONS, type ReadOptions } from "./records.ts";
import { type ReadFile, unreadFiles } from "./unread-files.ts";

const MAX_LISTED = 12;

/** Where records come from: a file, the mapping's own rows, or a query over files. */
export type Origin =
  | { readonly type: "file"; readonly path: string; readonly options: ReadOptions }
  | { readonly type: "rows"; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly type: "query"; readonly query: Query };

function filesOf(origin: Origin): readonly ReadFile[] {
  if (origin.type === "file") return [origin];
  if (origin.type === "rows") return [];
  const { tables, sql } = origin.query;
  return [...tables].flatMap(([name, files]) => (mentions(sql, name) ? files : []));
}

/** The files of an origin. */
export const pathsOf = (origin: Origin): readonly string[] => filesOf(origin).map(({ path }) => path);

/** Records that become import rows of one kind. */
export interface Source {
  readonly kind: Kind;
  readonly origin: Origin;
  /** In messages: the file's name, or the place of the rows or query in the mapping. */
  readonly label: string;
  readonly mapping: NamedMapping | null;
}

export interface FoundSources {
  readonly sources: readonly Source[];
  /** Files of a given folder that are not imported, with reasons. */
  readonly notes: readonly string[];
  /** The names of those among them that have the columns of one that is imported. */
  readonly unread: readonly string[];
}

/**
 * Finds what to import from the given files and folders. Raises ImportRefused for a path that does not exist, for a data file that nothing
 * imports, if nothing is left to import, if a file that the mapping names seems to have another name, and, with `isPruning`, if a mapping
 * takes a kind from several files and some are missing.
 */
export async function findSources(
  paths: readonly string[],
  loaded: LoadedMapping | null,
  isPruning = false,
): Promise<FoundSources> {
  const candidates = await candidatesOf(paths);
  const mapped =
    loaded === null
      ? { sources: [], notes: [], claimed: new Set<string>() }
      : mappedSources(candidates, loaded, isPruning);
  const sources: Source[] = [...mapped.sources];
  const notes: string[] = [...mapped.notes];
  const unrecognised: string[] = [];
  for (const candidate of candidates) {
    const { name, isNamed, path } = candidate;
    if (mapped.claimed.has(path)) continue;
    const kind = kindOf(name);
    const mappings = kind === null ? undefined : loaded?.sources.get(kind);
    if (kind !== null && mappings === undefined)
      sources.push({ kind, origin: fileOrigin(candidate), label: name, mapping: null });
    else if (mappings !== undefined)
      notes.push(`${name} is not imported: the mapping takes ${kind} from ${originsText(mappings)}`);
    else if (isNamed || (loaded === null && (isStrict(name) || isKindOtherwise(name, candidates))))
      unrecognised.push(unrecognisedText(name));
    else if (name !== loaded?.label) notes.push(`${name} is not imported: ${whyNot(name, loaded)}`);
  }
  if (unrecognised.length > 0) throw new ImportRefused(unrecognised);
  if (sources.length === 0) throw new ImportRefused([nothingFound(paths, candidates)]);
  const order = (source: Source) => KINDS.indexOf(source.kind);
  const read = new Set([...mapped.claimed, ...sources.flatMap(({ origin }) => pathsOf(origin))]);
  const unread = await unreadFiles(
    candidates.filter(({ path }) => !read.has(path)),
    sources.flatMap(({ origin }) => filesOf(origin)),
  );
  return { sources: labelled(sources.toSorted((a, b) => order(a) - order(b))), notes, unread };
}

function fileOrigin(file: Candidate, keys: FileKeys = {}, sheet: string | null = null): Origin {
  return { type: "file", path: file.path, options: readOptions(file, keys, sheet) };
}

/** The sheets that a mapping names; null stands for the first. */
const sheetsOf = ({ sheet }: FileKeys) => (sheet === undefined ? [null] : asList(sheet));

function readOptions(
  { within, readSheets }: Candidate,
  { encoding, delimiter, skipLines, headerRows, at }: FileKeys,
  sheet: string | null,
): ReadOptions {
  readSheets.add((sheet ?? "").trim().normalize("NFC").toLowerCase());
  return {
    readSheets,
    encoding: encoding ?? DEFAULT_OPTIONS.encoding,
    delimiter: delimiter ?? DEFAULT_OPTIONS.delimiter,
    skipLines: skipLines ?? DEFAULT_OPTIONS.skipLines,
    headerRows: headerRows ?? DEFAULT_OPTIONS.headerRows,
    sheet,
    at: at ?? DEFAULT_OPTIONS.at,
    within,
  };
}

function originsText(mappings: readonly NamedMapping[]): string {
  return mappings
    .flatMap(({ mapping: { from, query } }) =>
      from !== undefined ? asList(from) : query !== undefined ? ["a query"] : ["its own rows"],
    )
    .join(", ");
}

interface MappedSources extends Pick<FoundSources, "sources" | "notes"> {
  /** The paths of files that a source or query uses. */
  readonly claimed: ReadonlySet<string>;
}

/**
 * The sources of the mapping. Missing files are left out with a note, because a nightly job may bring only some. But pruning would remove
 * the rows of a missing file, so with pruning a kind must be complete. A missing file that seems to have another name is an error: the
 * data would silently become old. Raises ImportRefused for both, and if none of the files exists.
 */
function mappedSources(
  candidates: readonly Candidate[],
  loaded: LoadedMapping,
  isPruning: boolean,
): MappedSources {
  const { label } = loaded;
  const names = candidates.map(({ name }) => name);
  const missing: string[] = [];
  const notes: string[] = [];
  const unsafe: string[] = [];
  const claimed = new Set<string>();
  const found = [...loaded.sources].flatMap(([kind, mappings]) =>
    mappings.map((named) => ({ kind, named, ...sourcesOf(kind, named, loaded, candidates, claimed) })),
  );
  const sources = found.flatMap((own) => own.sources);
  // What would be left out: neither of this mapping, nor our own file of another kind.
  const unclaimed = candidates.flatMap(({ path, name }) => {
    const kind = kindOf(name);
    return claimed.has(path) || (kind !== null && !loaded.sources.has(kind)) ? [] : name;
  });
  for (const { kind, named, absent } of found) {
    const isFound = sources.some((source) => source.kind === kind && source.origin.type !== "rows");
    const imported = isFound
      ? `only the other files of ${kind} are imported`
      : `no ${kind} are imported from it`;
    for (const from of absent) {
      const text = `${label}: ${named.path}.from: there is no ${from}`;
      const meant = nearestFile(from, unclaimed);
      const suggestion = meant === null ? "" : ` (did you mean ${meant}?)`;
      missing.push(
        `${text}${suggestion} among the given files: ${listed(names)}${presetAdvice(loaded)}${patternAdvice([from], candidates)}`,
      );
      if (meant !== null)
        unsafe.push(
          `${text}, but a ${meant} that the mapping does not name: rename it to ${from}, name it in ${label}, or, if it is something else, move it elsewhere${patternAdvice([from], candidates)}`,
        );
      else if (isFound && isPruning)
        unsafe.push(
          `${text}, so --prune would remove its ${kind}: give every file of ${kind}, or import without --prune`,
        );
      else notes.push(`${text}: ${imported}`);
    }
  }
  const hasOnlyRows = sources.every(({ origin }) => origin.type === "rows");
  if (hasOnlyRows && missing.length > 0) throw new ImportRefused(missing);
  if (unsafe.length > 0) throw new ImportRefused(unsafe);
  return { sources, notes, claimed };
}

/** The sources of one mapping of a kind, and its files that are missing. Adds the files that it uses to `claimed`. */
function sourcesOf(
  kind: Kind,
  named: NamedMapping,
  loaded: LoadedMapping,
  candidates: readonly Candidate[],
  claimed: Set<string>,
): { readonly sources: readonly Source[]; readonly absent: readonly string[] } {
  const { mapping, path } = named;
  const { rows } = mapping;
  if (rows !== undefined) {
    const label = `${loaded.label}: ${path}.rows`;
    return { sources: [{ kind, origin: { type: "rows", rows }, label, mapping: named }], absent: [] };
  }
  if (mapping.query !== undefined) {
    const query = queryOf(named, loaded, candidates, claimed);
    const { label } = query;
    return { sources: [{ kind, origin: { type: "query", query }, label, mapping: named }], absent: [] };
  }
  const sources: Source[] = [];
  const absent: string[] = [];
  for (const from of asList(mapping.from!)) {
    for (const { path } of filesNamed(from, candidates)) claimed.add(path);
    const files = filesNamed(from, candidates, mapping.take === "last");
    if (files.length === 0) absent.push(from);
    for (const file of files)
      for (const sheet of sheetsOf(mapping))
        sources.push({
          kind,
          origin: fileOrigin(file, mapping, sheet),
          label: file.name,
          mapping: named,
        });
  }
  return { sources, absent };
}

function presetAdvice({ isPreset }: LoadedMapping): string {
  return isPreset
    ? ". The preset reads the files that rollcall map presets lists; for other exports, draft a mapping: rollcall map init"
    : "";
}

/** What to write for a missing file whose name differs from a given one by its day or number alone: `leave_*.csv`. */
function patternAdvice(from: readonly string[], candidates: readonly Candidate[]): string {
  const undated = (name: string) => name.replace(/\d+/g, "0");
  const isAlike = (file: string) => candidates.some(({ name }) => undated(name) === undated(file));
  const dated = from.find((file) => /\d/.test(file) && isAlike(file));
  const pattern = JSON.stringify(dated?.replace(/\d+(?:[-._ ]?\d+)*/g, "*"));
  return dated === undefined ? "" : `. If each export has a name of its own, write a pattern: ${pattern}`;
}

/** A query with the files of its tables: those that the mapping names, and every other data file under its own name. */
function queryOf(
  named: NamedMapping,
  loaded: LoadedMapping,
  candidates: readonly Candidate[],
  claimed: Set<string>,
): Query {
  const { mapping, label, path } = named;
  const own = mapping.query!;
  const sql = typeof own === "string" ? own : (own.sql ?? "");
  const { tables, columns, used, missing } = namedTables(named, loaded, candidates, sql);
  const ambiguous = addOtherTables(
    tables,
    candidates.filter((candidate) => !used.has(candidate.path)),
    named,
    loaded,
    sql,
  );
  const wrong = [...missing, ...ambiguous];
  if (wrong.length > 0) throw new ImportRefused(wrong);
  for (const [name, files] of tables)
    if (mentions(sql, name)) for (const file of files) claimed.add(file.path);
  const where = typeof own === "string" ? `${label}: ${path}.query` : `${label}: ${path}.query (${own.file})`;
  const hasDecimalComma = mapping.decimal === ",";
  return { sql, label: where, tables: tables satisfies TableFiles, columns, hasDecimalComma };
}

/** The tables that the mapping names, with their columns, the paths of all their files, and what is wrong with them. */
function namedTables(
  { mapping, label, path }: NamedMapping,
  loaded: LoadedMapping,
  candidates: readonly Candidate[],
  sql: string,
) {
  const tables = new Map<string, TableFile[]>();
  const columns: Record<string, readonly string[]> = {};
  const used = new Set<string>();
  const missing: string[] = [];
  for (const [name, table] of Object.entries<Tables[string]>({ ...loaded.tables, ...mapping.tables })) {
    const isPlain = typeof table === "string" || Array.isArray(table);
    const keys = isPlain ? { ...mapping, from: table } : table;
    const { skip, optional, columns: named } = isPlain ? {} : table;
    if (named !== undefined) columns[name] = named;
    const from = asList(keys.from);
    for (const text of from) for (const file of filesNamed(text, candidates)) used.add(file.path);
    const files = from
      .flatMap((text) => filesNamed(text, candidates, keys.take === "last"))
      .flatMap((file) => sheetsOf(keys).map((sheet) => tableFile(file, keys, sheet, skip)));
    const place = mapping.tables?.[name] === undefined ? "tables" : `${path}.tables`;
    if (files.length === 0 && optional !== true && mentions(sql, name))
      missing.push(
        `${label}: ${place}.${name}: there is no ${from.join(" or ")} among the given files: ${listed(candidates.map((candidate) => candidate.name))}${presetAdvice(loaded)}${patternAdvice(from, candidates)}`,
      );
    tables.set(name, files);
  }
  return { tables, columns, used, missing };
}

/** Adds other data files as tables under their own names. Returns what is wrong: two files with one name. */
function addOtherTables(
  tables: Map<string, TableFile[]>,
  candidates: readonly Candidate[],
  { mapping, label, path }: NamedMapping,
  loaded: LoadedMapping,
  sql: string,
): string[] {
  const isNamed = (name: string) => ({ ...loaded.tables, ...mapping.tables })[name] !== undefined;
  const wrong: string[] = [];
  for (const candidate of candidates) {
    const format = namedFormat(candidate.name);
    if (format === null || candidate.name === loaded.label) continue; // the mapping itself may lie among the files
    const name = tableName(format.stem);
    if (isNamed(name)) continue;
    const other = tables.get(name)?.[0];
    if (other !== undefined && mentions(sql, name))
      wrong.push(
        `${label}: ${path}.query: ${other.label} and ${candidate.name} would both be the table ${name}: name them under tables`,
      );
    // The source's options are for its tables; leave out those that a format does not use.
    const options = fittingOptions(mapping, format.format);
    tables.set(
      name,
      sheetsOf(options).map((sheet) => tableFile(candidate, options, sheet)),
    );
  }
  return wrong;
}

function tableFile(
  file: Candidate,
  keys: FileKeys,
  sheet: string | null,
  skip?: TableFile["skip"],
): TableFile {
  const options = readOptions(file, keys, sheet);
  const label = options.sheet === null ? file.name : sheetLabel(file.name, options.sheet);
  return { path: file.path, label, options, skip };
}

const sheetLabel = (file: string, sheet: string) => `${file}, sheet "${printable(sheet)}"`;

const OLD_SPREADSHEET = /^(.+)\.(xls|xlsb|ods|fods|numbers)$/i;

/** Whether this is a data file whose rows would be missed if its name were only misspelt. */
function isStrict(name: string): boolean {
  const format = namedFormat(name)?.format;
  return format === "csv" || format === "tsv" || format === "jsonl";
}

/** Backups, and documents without rows. */
const SET_ASIDE = /(?:\.(?:bak|old|orig|pdf)|~)$/i;

/** Whether a file has the name of a kind that no other file has, but endings that are not read: `requests.xls`, `workers.csv.zst`. */
function isKindOtherwise(name: string, candidates: readonly Candidate[]): boolean {
  if (SET_ASIDE.test(name)) return false;
  const kind = namedFormat(name) === null ? kindOf(`${name.replace(/\..+$/, "")}.csv`) : null;
  return kind !== null && !candidates.some((other) => kindOf(other.name) === kind);
}

function whyNot(name: string, loaded: LoadedMapping | null): string {
  if (OLD_SPREADSHEET.test(name)) return spreadsheetText(name);
  return loaded === null ? "it is not an import file" : "the mapping does not name it";
}

/** What to do with a spreadsheet that cannot be read; null for other files. */
export function oldSpreadsheetAdvice(name: string): string | null {
  return OLD_SPREADSHEET.test(name) ? `${name}: ${spreadsheetText(name)}` : null;
}

function spreadsheetText(name: string): string {
  const stem = OLD_SPREADSHEET.exec(name)![1]!;
  return `it is a spreadsheet in another format: open it and save it as ${stem}.xlsx, or as “CSV UTF-8” (${stem}.csv)`;
}

function unrecognisedText(name: string): string {
  if (OLD_SPREADSHEET.test(name)) return `${name} cannot be imported: ${spreadsheetText(name)}`;
  const named = namedFormat(name);
  const meant = named === null ? null : nearest(named.stem, KINDS);
  const suggestion = meant === null ? "" : ` (did you mean ${meant}${name.slice(named!.stem.length)}?)`;
  return `${name} is not an import file${suggestion}: rename it to one of ${KINDS.join(", ")} with ${KNOWN_ENDINGS}, move it elsewhere, or load it through a mapping (--map). rollcall map init drafts one`;
}

function nothingFound(paths: readonly string[], candidates: readonly Candidate[]): string {
  const looked = `looked for ${KINDS.join(", ")} as ${KNOWN_ENDINGS}`;
  const names = candidates.map(({ name }) => name);
  const spreadsheet = names.find((name) => OLD_SPREADSHEET.test(name));
  const data = names.find((name) => namedFormat(name) !== null);
  const advice =
    spreadsheet !== undefined
      ? `. ${spreadsheet}: ${spreadsheetText(spreadsheet)}`
      : data !== undefined
        ? `. Files of another system load through a mapping: rollcall map init ${data} drafts one`
        : "";
  return `There is no import file in ${paths.map(printable).join(", ")}: ${looked}; found ${listed(names)}${advice}`;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "nothing";
  const rest = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  return `${names.slice(0, MAX_LISTED).join(", ")}${rest}`;
}

const pathOf = ({ origin }: Source) => (origin.type === "file" ? origin.path : null);

const sheetOf = ({ origin }: Source) => (origin.type === "file" ? origin.options.sheet : null);

/** Labels files of the same name by their paths, and sheets of a workbook by their names. */
function labelled(sources: readonly Source[]): Source[] {
  return sources.map((source) => {
    const path = pathOf(source);
    if (path === null) return source;
    const alike = sources.filter(({ label }) => label === source.label);
    const file = alike.some((other) => pathOf(other) !== path) ? printable(path) : source.label;
    const sheet = sheetOf(source);
    const isOneOfSheets = alike.some((other) => pathOf(other) === path && sheetOf(other) !== sheet);
    return {
      ...source,
      label: isOneOfSheets && sheet !== null ? sheetLabel(file, sheet) : file,
    };
  });
}
