// A source as import rows of its kind: its header is checked first; then records are read, skipped, or checked.
import { stat } from "node:fs/promises";
import { workDays as workDaysCell } from "../../resources/balance-cells.ts";
import { IS_MISSING, normalised } from "../../resources/cells.ts";
import type { ImportRows, Kind } from "../../resources/kinds.ts";
import { FILE_FIELDS, type FieldProblem, readImportRow } from "../../resources/registry.ts";
import { LEAVE_AMOUNT } from "../../resources/requests.ts";
import { isDelimited, likelyOptions, openRecords, usualDelimiter } from "../read/files.ts";
import { JsonRecords } from "../read/json-record.ts";
import type { QueryDatabases } from "../read/query.ts";
import {
  type Cell,
  type Doubt,
  type RecordReader,
  type SourceRecord,
  UnreadableFile,
} from "../read/records.ts";
import type { Source } from "../read/sources.ts";
import { unpivoted } from "../read/unpivot.ts";
import { RowErrors, type RowProblem, shown } from "../row-errors.ts";
import { Columns, columnsNeeded, type FileRow, type Skipped } from "./columns.ts";
import { type KnownDigests, RecordDigests } from "./record-digests.ts";

/** Records of a mapping's own rows that are handed over together. */
const BATCH_RECORDS = 1000;
/** Lines that are searched for a header that is not where it should be. */
const MAX_TITLE_LINES = 20;

/** How the amount of a request without one is found: its working days, bit 0 for Monday, times hours. */
export interface WorkPattern {
  readonly hoursPerDay: number;
  /** null: those of the worker, else Monday to Friday. */
  readonly workDays: number | null;
}

/** A record's place, and what it says: as the file has it, and as a row of our own file would. */
export interface Located {
  /** The file, as messages show it. */
  readonly file: string;
  readonly line: number;
  readonly item?: number | undefined;
  readonly header: readonly string[];
  readonly cells: readonly Cell[];
  /** Every field, converted; null if the record cannot be a row. */
  readonly row: FileRow | null;
}

export interface LocatedRow<K extends Kind> extends Located {
  readonly row: FileRow;
  readonly importRow: ImportRows[K];
  /** Set where the request has no amount of its own. */
  readonly amountFrom: WorkPattern | null;
  /** Of the record; null where the row is to have none. */
  readonly digest: bigint | null;
}

export interface BadRecord extends Located {
  readonly problems: readonly RowProblem[];
}

/** What a source gives as it is read. */
export interface ImportRowBatch<K extends Kind> {
  readonly importRows: readonly LocatedRow<K>[];
  readonly bad: readonly BadRecord[];
  /** Records whose rows are stored as they are. */
  readonly unchanged: number;
  /** Records read, bad and skipped ones included. */
  readonly records: number;
}

/** What is known of a source once it was read. */
export interface SourceEnd {
  /** Whether it could be read to its end, with the columns that it must have. If not, the import must be refused. */
  readonly isWhole: boolean;
  readonly skipped: Skipped;
  /** By file, what is probably wrong with it. */
  readonly doubts: ReadonlyMap<string, readonly Doubt[]>;
  /** Where the mapping ignores all the rest: the columns that it does not read. */
  readonly ignored: readonly string[];
}

/** What decides whether a record has to be made into a row. */
export interface DigestUse {
  /** See `DigestedSource.key`. */
  readonly key: string;
  /** The digests that are stored of the kind; null for none. */
  readonly known: KnownDigests | null;
}

/** Opens a source. Raises UnreadableFile for a file, ImportRefused for a query. */
async function openSource(
  source: Source,
  queries: QueryDatabases,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const reader = await openOrigin(source, queries, onBytes);
  const unpivot = source.mapping?.mapping.unpivot;
  return unpivot === undefined ? reader : unpivoted(reader, unpivot);
}

async function openOrigin(
  { origin, mapping }: Source,
  queries: QueryDatabases,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const paths = mapping === null ? [] : columnsNeeded(mapping.mapping).map(({ column }) => column);
  switch (origin.type) {
    case "file":
      return openRecords(origin.path, origin.options, paths, onBytes);
    case "query":
      return queries.open(origin.query, paths);
    case "rows":
      return rowsReader(origin.rows, paths);
  }
}

function rowsReader(rows: readonly object[], paths: readonly string[]): RecordReader {
  const records = new JsonRecords(paths);
  return {
    header: records.header,
    headerLine: 1,
    isHeaderFixed: false,
    mayHave: (path) => records.mayHave(path),
    async *records() {
      for (let at = 0; at < rows.length; at += BATCH_RECORDS)
        yield rows.slice(at, at + BATCH_RECORDS).map((row, index) => records.recordOf(at + index + 1, row));
    },
    close: async () => {},
  };
}

/** Notes an UnreadableFile as a bad row; throws any other error again. */
function noteUnreadable(source: Source, error: unknown, bad: RowErrors): void {
  if (!(error instanceof UnreadableFile)) throw error;
  bad.add({ file: source.label, line: error.line }, [error.message]);
}

/**
 * The import rows of a source in batches, in its order; `onEnd` is called at the end. Notes in `bad` if it cannot be read to its end or
 * lacks a column. Raises RepeatedRecord where two records have one known digest. `digests`: null for rows without any.
 */
export async function* importRowsOf<K extends Kind>(
  source: Source & { readonly kind: K },
  queries: QueryDatabases,
  bad: RowErrors,
  onBytes: (bytes: number) => void,
  onEnd: (end: SourceEnd) => void,
  digests: DigestUse | null,
): AsyncGenerator<ImportRowBatch<K>> {
  let reader: RecordReader | null = null;
  try {
    reader = await openSource(source, queries, onBytes);
    const { isHeaderFixed, mayHave } = reader;
    const batches = new ImportRowReader(source, reader, bad, digests);
    for await (const records of reader.records()) yield batches.read(records);
    const isEmpty = batches.records === 0;
    const missing = isHeaderFixed || isEmpty ? [] : batches.columns.missingColumns(mayHave);
    if (missing.length > 0) bad.add({ file: source.label, line: null }, missing);
    const isWhole = missing.length === 0 && !batches.hasWrongColumns;
    const { origin, label } = source;
    const doubts =
      origin.type === "query" ? queries.doubts(origin.query) : new Map([[label, reader.doubts ?? []]]);
    onEnd({ isWhole, skipped: batches.columns.skipped(), doubts, ignored: batches.ignored() });
  } catch (error) {
    noteUnreadable(source, error, bad);
    onEnd({ isWhole: false, skipped: { rows: 0, idle: [] }, doubts: new Map(), ignored: [] });
  } finally {
    await reader?.close();
  }
}

class ImportRowReader<K extends Kind> {
  readonly columns: Columns;
  readonly #source: Source & { readonly kind: K };
  readonly #header: readonly string[];
  readonly #bad: RowErrors;
  readonly #workPattern: WorkPattern | null;
  readonly #digests: RecordDigests | null;
  readonly #known: KnownDigests | null;
  /** Whether the text of a record says enough: what it names is not counted, nor are its columns to be learned from it. */
  readonly #mayBeKnownByText: boolean;
  records = 0;
  #unchanged = 0;
  /** Whether there was a column that the mapping does not know, which is no row's mistake. */
  hasWrongColumns = false;

  constructor(
    source: Source & { readonly kind: K },
    { header, form = "", isHeaderFixed }: RecordReader,
    bad: RowErrors,
    digests: DigestUse | null,
  ) {
    this.#source = source;
    this.#header = header;
    this.#bad = bad;
    this.#digests = digests === null ? null : new RecordDigests({ ...source, ...digests, form }, header);
    this.#known = digests?.known ?? null;
    this.columns = new Columns(source.kind, source.mapping);
    this.#mayBeKnownByText = isHeaderFixed && !this.columns.hasSkipRules && this.#known !== null;
    const { hoursPerDay, workDays } = source.mapping?.mapping ?? {};
    this.#workPattern =
      source.kind !== "requests" || hoursPerDay === undefined
        ? null
        : { hoursPerDay, workDays: workDaysOf(workDays) };
  }

  /** At the end: what an `ignore` of all the rest leaves out. Their names are known of a header that is fixed. */
  ignored(): readonly string[] {
    const isAll = this.#source.mapping?.mapping.ignore === "*" && this.columns.count > 0;
    return isAll ? this.#header.filter((name, at) => name !== "" && !this.columns.reads(at)) : [];
  }

  read(records: readonly SourceRecord[]): ImportRowBatch<K> {
    const importRows: LocatedRow<K>[] = [];
    const bad: BadRecord[] = [];
    this.records += records.length;
    this.#unchanged = 0;
    for (const record of records) this.#read(record, importRows, bad);
    return { importRows, bad, unchanged: this.#unchanged, records: records.length };
  }

  #read(record: SourceRecord, importRows: LocatedRow<K>[], bad: BadRecord[]): void {
    // Its text alone tells of most records of most imports: their cells are not looked at.
    const isKnownByText = this.#mayBeKnownByText && record.text !== undefined;
    let digest = isKnownByText ? this.#digestOf(record) : null;
    if (this.#isStored(digest)) return;
    const { line, item, cells, problem } = record;
    const file = record.file ?? this.#source.label;
    const header = this.#header;
    const located: Omit<Located, "row"> = { file, line, item, header, cells };
    // A report's last line, with a total or a remark, often has fewer cells.
    if (problem !== undefined && cells.length > 0 && this.columns.skips(cells)) return;
    if (problem !== undefined) {
      bad.push({ ...located, row: null, problems: [{ field: null, value: null, message: problem }] });
      return;
    }
    // A record that is wider than the known columns has new ones; in a file with a fixed header, that is the first record.
    // The header has later columns already, but each is reported with the record that first has it.
    const { columns } = this;
    const wrong = columns.count < cells.length ? columns.extend(this.#header.slice(0, cells.length)) : [];
    if (wrong.length > 0) {
      this.hasWrongColumns = true;
      this.#bad.add(located, wrong);
    }
    if (columns.skips(cells)) return;
    if (!isKnownByText) {
      digest = this.#digestOf(record);
      if (this.#isStored(digest)) return;
    }
    let written: readonly FileRow[] | null = null;
    const rows = columns.rows(cells);
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      const isWithoutAmount = this.#workPattern !== null && isNothing(row[LEAVE_AMOUNT]);
      if (isWithoutAmount) row[LEAVE_AMOUNT] = 0;
      const reading = readImportRow(this.#source.kind, row);
      if (reading.importRow !== null) {
        const amountFrom = isWithoutAmount ? this.#workPattern : null;
        // One digest cannot stand for several rows, nor for a note that is made of them in every import.
        const ownDigest = rows.length > 1 || isWithoutAmount ? null : digest;
        importRows.push({ ...located, row, importRow: reading.importRow, amountFrom, digest: ownDigest });
        continue;
      }
      written ??= columns.written(cells);
      const asWritten = written[at]!;
      const problems = reading.problems.map((problem) => rowProblem(this.#source, asWritten, problem));
      bad.push({ ...located, row, problems });
    }
  }

  #digestOf(record: SourceRecord): bigint | null {
    return this.#digests?.digestOf(record) ?? null;
  }

  /** Whether a stored row has this digest. Then its record is counted as unchanged. */
  #isStored(digest: bigint | null): boolean {
    if (digest === null || this.#known?.claim(digest) !== true) return false;
    this.#unchanged++;
    return true;
  }
}

function isNothing(cell: Cell): boolean {
  return cell === null || cell === undefined || cell === "";
}

/** `status: "aproved" is not one of …`: the field, its value as the file has it, and what is wrong. */
function rowProblem(
  source: Source,
  written: FileRow,
  { field, message, hint, otherField, isNoChoice }: FieldProblem,
): RowProblem {
  const cell = written[field];
  const isShown = !isNothing(cell) && !message.startsWith(IS_MISSING);
  return {
    field,
    value: isShown ? shownCell(cell) : null,
    message,
    hint,
    other: otherField === undefined ? undefined : ` (${shownCell(written[otherField])})`,
    advice: isNoChoice ? choiceAdvice(source, field) : undefined,
  };
}

/** How to mend a value of another system through its mapping. */
function choiceAdvice({ mapping }: Source, field: string): RowProblem["advice"] {
  if (mapping === null) return undefined;
  const { label, path } = mapping;
  return {
    one: `: translate it in ${path}.translate.${field} of ${label}, or leave such rows out with ${path}.skip`,
    many: `; translate them in ${label} under ${path}.translate.${field}, or leave such rows out with ${path}.skip`,
  };
}

function shownCell(cell: Cell): string {
  if (typeof cell !== "object" || cell === null) return shown(cell);
  if (Array.isArray(cell)) return "[…]";
  return cell.constructor === Object ? "{…}" : shown(String(cell));
}

/**
 * Loads the tables of queries, reads the header of every source, and gives the size of the files in bytes. Raises ImportRefused with
 * everything that lets a source not be read. Where records of tables alone are bad, it does not: all mistakes are told together.
 */
export async function checkHeaders(sources: readonly Source[], queries: QueryDatabases): Promise<number> {
  const bad = new RowErrors();
  const openable: Source[] = [];
  for (const source of sources)
    if (source.origin.type !== "query" || (await queries.load(source.origin.query, bad)))
      openable.push(source);
  let totalBytes = 0;
  const ofRows: (() => void)[] = [];
  for (const source of openable)
    totalBytes += await checkHeader(source, queries, bad, (note) => ofRows.push(note));
  if (bad.count > queries.badRecords.length) {
    for (const note of ofRows) note();
    bad.refuseAny();
  }
  return totalBytes;
}

/**
 * Reads the header alone and gives the size of the file in bytes; notes what is wrong as bad rows. `later` takes what notes a mistake
 * below the header: it is found again when the rows are read, with those of the other files.
 */
async function checkHeader(
  source: Source,
  queries: QueryDatabases,
  bad: RowErrors,
  later: (note: () => void) => void,
): Promise<number> {
  const { origin, label } = source;
  let headerLine: number | null = 1;
  try {
    const reader = await openSource(source, queries);
    await reader.close();
    if (reader.isHeaderFixed) {
      headerLine = origin.type === "file" ? reader.headerLine : null;
      const columns = new Columns(source.kind, source.mapping);
      const wrong = [...columns.extend(reader.header), ...columns.missing()];
      const known = knownColumns(source);
      const isOther = wrong.length > 0 && !reader.header.some((name) => known.has(normalised(name)));
      const likely = isOther ? ((await likelyHeader(source)) ?? headerOfData(reader.header)) : null;
      if (wrong.length > 0) bad.add({ file: label, line: headerLine }, likely === null ? wrong : [likely]);
    }
  } catch (error) {
    // A header with quotes is no CSV at all under the wrong delimiter.
    const line = error instanceof UnreadableFile ? error.line : null;
    const likely = line !== null && line <= MAX_TITLE_LINES ? await likelyHeader(source) : null;
    const isBelow = origin.type === "file" && line !== null && line > origin.options.skipLines + 1;
    if (likely === null && isBelow) later(() => noteUnreadable(source, error, bad));
    else if (likely === null) noteUnreadable(source, error, bad);
    else bad.add({ file: label, line: headerLine }, [likely]);
  }
  return origin.type === "file" ? (await stat(origin.path)).size : 0;
}

/** Values that are not names of columns: numbers, dates, email addresses. */
const DATA = /^(?:[+-]?\d+(?:[.,]\d+)*|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T].*)?|[^\s@]+@[^\s@]+\.[^\s@]+)$/;

/** A message for a file that seems to have no header row: its first row, which has no known name, has values. */
function headerOfData(header: readonly string[]): string | null {
  const values = header.filter((name) => DATA.test(name.trim()));
  if (values.length === 0) return null;
  return `the first row looks like data (${values.slice(0, 3).map(shown).join(", ")}), not like names of columns: is there no header row? Add one to the file`;
}

/**
 * One message for a file whose first lines have another delimiter, or other lines before the header, than the source says, instead of one
 * for every column that seems to be missing. Null if they do not.
 */
async function likelyHeader({ kind, label, mapping, origin }: Source): Promise<string | null> {
  if (origin.type !== "file") return null;
  const { path, options } = origin;
  const likely = await likelyOptions(path, path, options.within, options.sheet).catch((error) => {
    if (error instanceof UnreadableFile) return options; // which tells nothing
    throw error;
  });
  const delimiters = [likely, options].map(({ delimiter }) => delimiter ?? usualDelimiter(path));
  const entries: string[] = [];
  if (isDelimited(path) && delimiters[0] !== delimiters[1])
    entries.push(`"delimiter": ${JSON.stringify(delimiters[0])}`);
  if (likely.skipLines !== options.skipLines) entries.push(`"skipLines": ${likely.skipLines}`);
  if (entries.length === 0) return null;
  const entry = entries.join(", ");
  return mapping === null
    ? `the header seems to be another: load it through a mapping (--map) such as {"${kind}": {"from": ${JSON.stringify(label)}, ${entry}}}`
    : `the header seems to be another: say ${entry} for ${mapping.path} in ${mapping.label}`;
}

/** The columns that a source may have, normalised: those that its mapping names, else the fields. */
function knownColumns({ kind, mapping }: Source): ReadonlySet<string> {
  const columns = mapping?.mapping.columns;
  return new Set((columns === undefined ? FILE_FIELDS[kind] : Object.keys(columns)).map(normalised));
}

/** The work days of a mapping, which was checked; null where it has none. */
function workDaysOf(text: string | undefined): number | null {
  const days = workDaysCell.read(text ?? null);
  return typeof days === "number" ? days : null;
}

/** What a mapping's `skip` left out of a source, and the values that no row has. */
export function skipNotes({ label, kind, mapping }: Source, { rows, idle }: Skipped): string[] {
  const skipped = `${rows} ${rows === 1 ? "row is" : "rows are"} left out of ${kind} by the mapping's skip`;
  return [
    ...(rows === 0 ? [] : [`${label}: ${skipped}`]),
    ...idle.map(({ name, values }) => {
      const listed = [...values].map(shown).join(" or ");
      return `${label}: no row has ${listed} in ${name}, so ${mapping?.path}.skip.${name} of ${mapping?.label} leaves out none`;
    }),
  ];
}

/** How many requests of a source have an amount that was computed. */
export function amountNote({ label, mapping }: Source, count: number): string {
  const { hoursPerDay, workDays = "Mon-Fri" } = mapping?.mapping ?? {};
  const many = count === 1 ? "request has no amount: it is" : "requests have no amount: it is";
  return `${label}: ${count} ${many} the working days (${workDays}) times ${hoursPerDay} hours`;
}
