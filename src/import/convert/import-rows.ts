// Reads a source as import rows: checks its header, then reads records and skips or checks each.
import { workDays as workDaysCell } from "../../resources/balance-cells.ts";
import { IS_MISSING, isNothing, normalised, ValidationError } from "../../resources/cells.ts";
import type { ImportRows, Kind } from "../../resources/kinds.ts";
import { FILE_FIELDS, type FieldProblem, readImportRow } from "../../resources/registry.ts";
import { LEAVE_AMOUNT, LEAVE_SPAN } from "../../resources/requests.ts";
import { usualDelimiter } from "../read/csv.ts";
import { isDelimited, likelyOptions, openRecords } from "../read/files.ts";
import { JsonRecords } from "../read/json-record.ts";
import type { QueryDatabases } from "../read/query.ts";
import {
  type Cell,
  type Doubt,
  doubtsOf,
  type RecordReader,
  type SourceRecord,
  UnreadableFile,
} from "../read/records.ts";
import type { Source } from "../read/sources.ts";
import { unpivoted } from "../read/unpivot.ts";
import { RowErrors, type RowProblem, shown } from "../row-errors.ts";
import { Columns, columnsNeeded, type FileRow, type Skipped } from "./columns.ts";
import { type KnownDigests, RecordDigests } from "./record-digests.ts";

/** The batch size for a mapping's own rows. */
const BATCH_RECORDS = 1000;
/** How many lines are searched for a misplaced header. */
const MAX_TITLE_LINES = 20;

/** How to compute the amount of a request without one: hours on each working day, bit 0 for Monday. */
export interface WorkPattern {
  readonly hoursPerDay: number;
  /** null: the worker's, else Monday to Friday. */
  readonly workDays: number | null;
}

/** A record with its place, and with its values as written and as converted. */
export interface Located {
  /** The file, as messages show it. */
  readonly file: string;
  readonly line: number;
  readonly item?: number | undefined;
  readonly header: readonly string[];
  readonly cells: readonly Cell[];
  /** Every field, converted; null if the record is bad. */
  readonly row: FileRow | null;
}

export interface LocatedRow<K extends Kind> extends Located {
  readonly row: FileRow;
  readonly importRow: ImportRows[K];
  /** Set if the request has no amount of its own. */
  readonly amountFrom: WorkPattern | null;
  /** The record's digest; null if its row gets none. */
  readonly digest: bigint | null;
}

export interface BadRecord extends Located {
  readonly problems: readonly RowProblem[];
}

/** The records of a source that are read at once. */
export interface ImportRowBatch<K extends Kind> {
  readonly importRows: LocatedRow<K>[];
  readonly bad: BadRecord[];
  /** Records whose stored rows stay as they are. */
  unchanged: number;
  /** Records read, including bad and skipped ones. */
  readonly records: number;
  /** The legacy ids of rows that the mapping skips. */
  readonly skippedIds: string[];
}

/** What is known of a source after reading it. */
export interface SourceEnd {
  /** Whether it could be read to its end and has the required columns. If not, the import must be refused. */
  readonly isWhole: boolean;
  readonly skipped: Skipped;
  /** What is probably wrong with each file. */
  readonly doubts: ReadonlyMap<string, readonly Doubt[]>;
  /** Columns that are not read, if the mapping ignores all others; null if it does not. */
  readonly ignored: readonly string[] | null;
}

/** Decides whether a record must be made into a row. */
export interface DigestUse {
  /** See `DigestedSource.key`. */
  readonly key: string;
  /** The kind's stored digests; null for none. */
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

/** Notes an UnreadableFile as a bad row; rethrows other errors. */
async function noteUnreadable(source: Source, error: unknown, bad: RowErrors): Promise<void> {
  if (!(error instanceof UnreadableFile)) throw error;
  const { line, message } = error;
  // Under the wrong delimiter, a header with quotes is not valid CSV.
  const likely = line !== null && line <= MAX_TITLE_LINES ? await likelyHeader(source) : null;
  bad.add({ file: source.label, line: likely === null ? line : 1 }, [likely ?? message]);
}

const UNREAD: SourceEnd = {
  isWhole: false,
  skipped: { rows: 0, idle: [] },
  doubts: new Map(),
  ignored: null,
};

export interface SourceReading<K extends Kind> {
  readonly source: Source & { readonly kind: K };
  readonly queries: QueryDatabases;
  /** Gets a mistake if the source cannot be read to its end or lacks a column. */
  readonly errors: RowErrors;
  /** Null for rows without digests. */
  readonly digests: DigestUse | null;
  readonly onBytes: (bytes: number) => void;
  readonly onEnd: (end: SourceEnd) => void;
}

/** The import rows of a source in batches, in order. */
export async function* importRowsOf<K extends Kind>({
  source,
  queries,
  errors: bad,
  digests,
  onBytes,
  onEnd,
}: SourceReading<K>): AsyncGenerator<ImportRowBatch<K>> {
  let reader: RecordReader | null = null;
  try {
    reader = await openSource(source, queries, onBytes);
    const { isHeaderFixed, mayHave } = reader;
    const batches = new ImportRowReader(source, reader, bad, digests);
    if (isHeaderFixed && !(await hasRightColumns(source, reader, batches.columns, bad))) {
      onEnd(UNREAD);
      return;
    }
    for await (const records of reader.records()) yield batches.read(records);
    const isEmpty = batches.records === 0;
    const missing = isHeaderFixed || isEmpty ? [] : batches.columns.missingColumns(mayHave);
    if (missing.length > 0) bad.add({ file: source.label, line: null }, missing);
    const isWhole = missing.length === 0 && !batches.hasWrongColumns;
    const { origin, label, mapping } = source;
    // Only these rows are those of the file: `unpivot` makes more of each, and Rollcall's own form is written for it.
    const isFileOfRows = origin.type === "file" && mapping !== null && mapping.mapping.unpivot === undefined;
    const ofFile = isFileOfRows ? doubtsOf(reader, batches.records) : (reader.doubts ?? []);
    const doubts = origin.type === "query" ? queries.doubts(origin.query) : new Map([[label, ofFile]]);
    onEnd({ isWhole, skipped: batches.columns.skipped(), doubts, ignored: batches.ignored() });
  } catch (error) {
    await noteUnreadable(source, error, bad);
    onEnd(UNREAD);
  } finally {
    await reader?.close();
  }
}

class ImportRowReader<K extends Kind> {
  readonly columns: Columns;
  readonly #header: readonly string[];
  readonly #workPattern: WorkPattern | null;
  readonly #digests: RecordDigests | null;
  readonly #known: KnownDigests | null;
  /** Whether the text of a record suffices: nothing in it is counted, and it adds no columns. */
  readonly #mayBeKnownByText: boolean;
  records = 0;
  /** Whether there was a column that the mapping does not know, which is not a row's mistake. */
  hasWrongColumns = false;

  constructor(
    private readonly source: Source & { readonly kind: K },
    { header, form = "", isHeaderFixed }: RecordReader,
    private readonly bad: RowErrors,
    digests: DigestUse | null,
  ) {
    this.#header = header;
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

  /** At the end: the columns that an `ignore` of all others leaves out; null without one. Only known for a fixed header. */
  ignored(): readonly string[] | null {
    const isAll = this.source.mapping?.mapping.ignore === "*" && this.columns.count > 0;
    return isAll ? this.#header.filter((name, at) => name !== "" && !this.columns.reads(at)) : null;
  }

  read(records: readonly SourceRecord[]): ImportRowBatch<K> {
    this.records += records.length;
    const batch = { importRows: [], bad: [], unchanged: 0, records: records.length, skippedIds: [] };
    for (const record of records) this.#read(record, batch);
    return batch;
  }

  #read(record: SourceRecord, batch: ImportRowBatch<K>): void {
    // For most records the text alone suffices, and their cells are never split.
    const isKnownByText = this.#mayBeKnownByText && record.text !== undefined;
    const digestOfText = isKnownByText ? this.#digestOf(record) : null;
    if (this.#isStored(digestOfText, batch)) return;
    const { line, item, cells, problem } = record;
    const file = record.file ?? this.source.label;
    const located: Omit<Located, "row"> = { file, line, item, header: this.#header, cells };
    if (problem !== undefined) {
      // A report's last line, with a total or a remark, often has fewer cells.
      if (cells.length > 0 && this.columns.skips(cells)) return;
      const problems = [{ field: null, value: null, message: problem }];
      batch.bad.push({ ...located, row: null, problems });
      return;
    }
    this.#addColumns(located);
    if (this.columns.skips(cells)) {
      batch.skippedIds.push(...this.columns.legacyIds(cells));
      return;
    }
    const digest = isKnownByText ? digestOfText : this.#digestOf(record);
    if (!isKnownByText && this.#isStored(digest, batch)) return;
    this.#convert(located, digest, batch);
  }

  /** A record that is wider than the known columns adds new ones. The header may be ahead, but each column is reported with the record that first has it. */
  #addColumns(located: Omit<Located, "row">): void {
    const { columns } = this;
    const { length } = located.cells;
    const wrong = columns.count < length ? columns.extend(this.#header.slice(0, length)) : [];
    if (wrong.length === 0) return;
    this.hasWrongColumns = true;
    this.bad.add(located, wrong);
  }

  /** Adds the rows of a record: one, or those of a mapping with several. */
  #convert(
    located: Omit<Located, "row">,
    digest: bigint | null,
    { importRows, bad }: ImportRowBatch<K>,
  ): void {
    const { columns } = this;
    let written: readonly FileRow[] | null = null;
    const rows = columns.rows(located.cells);
    for (const [at, row] of rows.entries()) {
      const isWithoutAmount = this.#workPattern !== null && isNothing(row[LEAVE_AMOUNT]);
      if (isWithoutAmount) row[LEAVE_AMOUNT] = 0;
      const reading = readImportRow(this.source.kind, row);
      if (reading.importRow !== null) {
        const amountFrom = isWithoutAmount ? this.#workPattern : null;
        // A digest cannot stand for several rows, nor for an amount that every import must note.
        const ownDigest = rows.length > 1 || isWithoutAmount ? null : digest;
        importRows.push({ ...located, row, importRow: reading.importRow, amountFrom, digest: ownDigest });
        continue;
      }
      written ??= columns.written(located.cells);
      const asWritten = written[at]!;
      const problems = reading.problems.map((problem) => rowProblem(this.source, asWritten, problem));
      bad.push({ ...located, row, problems });
    }
  }

  #digestOf(record: SourceRecord): bigint | null {
    return this.#digests?.digestOf(record) ?? null;
  }

  /** Whether a stored row has this digest. If so, the record counts as unchanged. */
  #isStored(digest: bigint | null, batch: ImportRowBatch<K>): boolean {
    if (digest === null || this.#known?.claim(digest) !== true) return false;
    batch.unchanged++;
    return true;
  }
}

/** `status: "aproved" is not one of …`: the field, its value as written, and what is wrong. */
function rowProblem(
  source: Source,
  written: FileRow,
  { field, message, hint, otherField, isNoChoice }: FieldProblem,
): RowProblem {
  const cell = written[field];
  const empty = source.mapping === null || message !== IS_MISSING ? undefined : EMPTY_CELLS[field];
  const advice = empty === undefined ? undefined : { one: `: ${empty}`, many: `: ${empty}` };
  const isShown = !isNothing(cell) && !(cell instanceof ValidationError) && !message.startsWith(IS_MISSING);
  return {
    field,
    value: isShown ? shownCell(cell) : null,
    message,
    hint,
    other: otherField === undefined ? undefined : ` (${shownCell(written[otherField])})`,
    advice: isNoChoice ? choiceAdvice(source, field) : advice,
  };
}

/** What to do about empty cells that say something: by field. */
export const EMPTY_CELLS: Readonly<Record<string, string>> = {
  [LEAVE_AMOUNT]: 'to count the working days of such leave, say how long they are: "hoursPerDay": 8',
  minutes:
    'if it is nothing, say so: "translate": {"minutes": {"": "0"}}; else leave out such rows with skip',
  [LEAVE_SPAN.end]:
    "if such leave is one day, take the first day in a query; if it goes on, give it a last day (docs/mapping.md, Leave without an end)",
  timeOffPolicyId:
    'if such leave is of one policy, name it: "translate": {"timeOffPolicyId": {"": "PTO"}}; if the kind is written once, fill it in, as docs/mapping.md does with people who are named once',
  workerId:
    "if the file names each person once, above their rows, fill in the name in a query (docs/mapping.md, People who are named once)",
};

/** How to translate another system's value in the mapping. */
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

/** Loads the tables of queries. Raises ImportRefused for a query that cannot run, but not for bad records: they are reported with all others. */
export async function loadQueries(sources: readonly Source[], queries: QueryDatabases): Promise<void> {
  const bad = new RowErrors();
  for (const { origin } of sources) if (origin.type === "query") await queries.load(origin.query, bad);
  if (bad.count > queries.badRecords.length) bad.refuseAny();
}

/** Whether no column is unknown or missing. Notes those that are; if no column is known, what the header seems to be. */
async function hasRightColumns(
  source: Source,
  { header, headerLine }: RecordReader,
  columns: Columns,
  bad: RowErrors,
): Promise<boolean> {
  const wrong = [...columns.extend(header), ...columns.missing()];
  if (wrong.length === 0) return true;
  const known = knownColumns(source);
  const isOther = !header.some((name) => known.has(normalised(name)));
  const likely = isOther ? ((await likelyHeader(source)) ?? headerOfData(header)) : null;
  const line = source.origin.type === "file" ? headerLine : null;
  bad.add({ file: source.label, line }, likely === null ? wrong : [likely]);
  return false;
}

/** Values that cannot be column names: numbers, dates, email addresses. */
const DATA = /^(?:[+-]?\d+(?:[.,]\d+)*|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T].*)?|[^\s@]+@[^\s@]+\.[^\s@]+)$/;

/** A message for a file that seems to have no header: its first row has values and no known name. */
function headerOfData(header: readonly string[]): string | null {
  const values = header.filter((name) => DATA.test(name.trim()));
  if (values.length === 0) return null;
  return `the first row looks like data (${values.slice(0, 3).map(shown).join(", ")}), not like names of columns: is there no header row? Add one to the file`;
}

/**
 * One message for a file that has another delimiter, or other lines before the header, than its source says; it replaces a message for
 * every missing column. Null if the file seems right.
 */
async function likelyHeader({ kind, label, mapping, origin }: Source): Promise<string | null> {
  if (origin.type !== "file") return null;
  const { path, options } = origin;
  const likely = await likelyOptions(path, path, options.within, options.sheet).catch((error) => {
    if (error instanceof UnreadableFile) return options; // this does not help
    throw error;
  });
  const delimiters = [likely, options].map(({ delimiter }) => delimiter ?? usualDelimiter(path));
  const entries: string[] = [];
  if (isDelimited(path) && delimiters[0] !== delimiters[1])
    entries.push(`"delimiter": ${JSON.stringify(delimiters[0])}`);
  if (likely.skipLines !== options.skipLines) entries.push(`"skipLines": ${likely.skipLines}`);
  if (likely.headerRows !== options.headerRows) entries.push(`"headerRows": ${likely.headerRows}`);
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

function workDaysOf(text: string | undefined): number | null {
  const days = workDaysCell.read(text ?? null);
  return typeof days === "number" ? days : null;
}

/** How many rows a mapping's `skip` left out, and which of its values matched none. */
export function skipNotes({ label, kind, mapping }: Source, { rows, idle }: Skipped): string[] {
  const skipped = `skipped ${rows} ${rows === 1 ? "row" : "rows"} of ${kind} (mapping rule)`;
  return [
    ...(rows === 0 ? [] : [`${label}: ${skipped}`]),
    ...idle.map(({ name, values }) => {
      const listed = [...values].map(shown).join(" or ");
      return `${label}: no row has ${listed} in ${name}, so ${mapping?.path}.skip.${name} of ${mapping?.label} skips nothing`;
    }),
  ];
}

/** How many amounts of requests were computed. */
export function amountNote({ label, mapping }: Source, count: number): string {
  const { hoursPerDay, workDays = "of the worker" } = mapping?.mapping ?? {};
  const many = count === 1 ? "request has no amount: it is" : "requests have no amount: it is";
  return `${label}: ${count} ${many} the working days (${workDays}) times ${hoursPerDay} hours, holidays included`;
}
