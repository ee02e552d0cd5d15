// One file as facts of one kind: its header is checked first; then rows are read, skipped or checked, and bad ones noted.
import { stat } from "node:fs/promises";
import { IS_MISSING, normalised } from "../../resources/cells.ts";
import { type Facts, FILE_FIELDS, type FieldProblem, readFact } from "../../resources/registry.ts";
import type { FactKind } from "../../store/tables.ts";
import { Columns, type NamedMapping, type Skipped } from "../mapping/columns.ts";
import { type Place, type RowErrors, shown } from "../row-errors.ts";
import { openCsv } from "./csv.ts";
import { openJsonLines } from "./json-lines.ts";
import { type Cell, type RecordReader, type SourceRecord, UnreadableFile } from "./records.ts";

/** A file that is to be imported as facts of one kind. */
export interface SourceFile {
  readonly kind: FactKind;
  readonly path: string;
  /** The file's name in messages. */
  readonly label: string;
  readonly mapping: NamedMapping | null;
}

/** A fact and the line it came from. */
export interface Located<K extends FactKind> {
  readonly line: number;
  readonly fact: Facts[K];
}

/** What a sourceFile gives as it is read: facts, and the names of each row that is bad, so that references to them are understood. */
export interface FactBatch<K extends FactKind> {
  readonly facts: readonly Located<K>[];
  readonly badNames: readonly (readonly string[])[];
  /** Rows read, bad and skipped ones included. */
  readonly rows: number;
}

function isJsonLines(sourceFile: SourceFile): boolean {
  return /\.(jsonl|ndjson)$/i.test(sourceFile.path);
}

/** Opens the file in the format that its name tells. Raises UnreadableFile. */
async function openSourceFile(
  sourceFile: SourceFile,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const { encoding = null, delimiter = "," } = sourceFile.mapping?.mapping ?? {};
  return isJsonLines(sourceFile)
    ? openJsonLines(sourceFile.path, encoding, onBytes)
    : openCsv(sourceFile.path, { encoding, delimiter }, onBytes);
}

/** Notes an UnreadableFile as a bad row; raises anything else again. */
function noteUnreadable(sourceFile: SourceFile, error: unknown, bad: RowErrors): void {
  if (!(error instanceof UnreadableFile)) throw error;
  bad.add({ file: sourceFile.label, line: error.line }, [error.message]);
}

/**
 * The facts of a sourceFile in batches, in file order; what was skipped is told at the end. Raises ImportRefused, through `bad`,
 * when the file cannot be read on.
 */
export async function* factsOf<K extends FactKind>(
  sourceFile: SourceFile & { readonly kind: K },
  bad: RowErrors,
  onBytes: (bytes: number) => void,
  onSkipped: (skipped: Skipped) => void,
): AsyncGenerator<FactBatch<K>> {
  let reader: RecordReader | null = null;
  try {
    reader = await openSourceFile(sourceFile, onBytes);
    const columns = new Columns(sourceFile.kind, sourceFile.mapping);
    for await (const records of reader.records())
      yield read(sourceFile, columns, reader.header, records, bad);
    onSkipped(columns.skipped());
  } catch (error) {
    noteUnreadable(sourceFile, error, bad);
    bad.refuseAny();
  } finally {
    await reader?.close();
  }
}

function read<K extends FactKind>(
  sourceFile: SourceFile & { readonly kind: K },
  columns: Columns,
  header: readonly string[],
  records: readonly SourceRecord[],
  bad: RowErrors,
): FactBatch<K> {
  const facts: Located<K>[] = [];
  const badNames: string[][] = [];
  for (const { line, cells, problem } of records) {
    const place: Place = { file: sourceFile.label, line };
    if (problem !== undefined) {
      bad.add(place, [problem]);
      badNames.push([]);
      continue;
    }
    // A record wider than what is known brings new columns; for a file with a fixed header, that is the first one. What
    // records after it bring is in the header already, but told where it comes.
    const wrong = columns.count < cells.length ? columns.extend(header.slice(0, cells.length)) : [];
    if (columns.skips(cells)) {
      if (wrong.length > 0) bad.add(place, wrong);
      continue;
    }
    const row = columns.row(cells);
    const found = readFact(sourceFile.kind, row);
    if (wrong.length > 0 || found.fact === null) {
      const written = columns.written(cells);
      bad.add(place, [...wrong, ...found.problems.map((one) => fieldMessage(sourceFile, written, one))]);
      badNames.push(namesOf(row));
      continue;
    }
    facts.push({ line, fact: found.fact });
  }
  return { facts, badNames, rows: records.length };
}

/** `status: "aproved" is not one of …`: the field, its value as the file has it, and what is wrong. */
function fieldMessage(
  sourceFile: SourceFile,
  written: Readonly<Record<string, Cell>>,
  { field, message, otherField, isNoChoice }: FieldProblem,
): string {
  const cell = written[field];
  const isShown = cell !== null && cell !== undefined && cell !== "" && !message.startsWith(IS_MISSING);
  const other = otherField === undefined ? "" : ` (${shownCell(written[otherField])})`;
  return `${field}: ${isShown ? `${shownCell(cell)} ` : ""}${message}${other}${isNoChoice ? choiceAdvice(sourceFile, field) : ""}`;
}

/** How a mapping can correct a value of another system. */
function choiceAdvice({ kind, mapping }: SourceFile, field: string): string {
  if (mapping === null) return "";
  return `: translate it in ${kind}.translate.${field} of ${mapping.label}, or leave such rows out with ${kind}.skip`;
}

function shownCell(cell: Cell): string {
  if (typeof cell !== "object") return shown(cell);
  return Array.isArray(cell) ? "[…]" : "{…}";
}

function namesOf(row: Readonly<Record<string, Cell>>): string[] {
  return [row.id, row.legacyId].flatMap((name) =>
    (typeof name === "string" && name !== "") || typeof name === "number" ? [String(name).trim()] : [],
  );
}

/** Reads the header alone and gives the size of the file in bytes; notes what is wrong as bad rows. */
export async function checkHeader(sourceFile: SourceFile, bad: RowErrors): Promise<number> {
  try {
    const reader = await openSourceFile(sourceFile);
    await reader.close();
    if (reader.isHeaderFixed) {
      const columns = new Columns(sourceFile.kind, sourceFile.mapping);
      const wrong = [...columns.extend(reader.header), ...columns.missing()];
      if (wrong.length > 0) {
        const other = reader.header.length === 1 ? await otherDelimiter(sourceFile) : null;
        bad.add(
          { file: sourceFile.label, line: 1 },
          other === null ? wrong : [delimiterText(sourceFile, other)],
        );
      }
    }
  } catch (error) {
    // A header with quotes is no CSV at all under the wrong delimiter.
    const isHeaderBad = error instanceof UnreadableFile && error.line === 1;
    const other = isHeaderBad && !isJsonLines(sourceFile) ? await otherDelimiter(sourceFile) : null;
    if (other === null) noteUnreadable(sourceFile, error, bad);
    else bad.add({ file: sourceFile.label, line: 1 }, [delimiterText(sourceFile, other)]);
  }
  return (await stat(sourceFile.path)).size;
}

const DELIMITERS = [",", ";", "\t", "|"];

/** The delimiter under which the header names two columns or more that are known; null where there is none. */
async function otherDelimiter(sourceFile: SourceFile): Promise<string | null> {
  const { columns, encoding = null } = sourceFile.mapping?.mapping ?? {};
  const known = new Set(
    (columns === undefined ? FILE_FIELDS[sourceFile.kind] : Object.keys(columns)).map(normalised),
  );
  for (const delimiter of DELIMITERS) {
    const header = await headerUnder(sourceFile.path, delimiter, encoding);
    if (header.filter((name) => known.has(normalised(name))).length >= 2) return delimiter;
  }
  return null;
}

async function headerUnder(
  path: string,
  delimiter: string,
  encoding: string | null,
): Promise<readonly string[]> {
  try {
    const reader = await openCsv(path, { delimiter, encoding });
    await reader.close();
    return reader.header;
  } catch (error) {
    if (error instanceof UnreadableFile) return [];
    throw error;
  }
}

/** One message for the whole file, instead of one for every column that seems to be missing. */
function delimiterText({ kind, label, mapping }: SourceFile, delimiter: string): string {
  const entry = `"delimiter": ${JSON.stringify(delimiter)}`;
  const advice =
    mapping === null
      ? `load it through a mapping (--map) such as {"${kind}": {"from": ${JSON.stringify(label)}, ${entry}}}, or save it with commas`
      : `say ${entry} for ${kind} in ${mapping.label}`;
  const name = delimiter === "\t" ? "tabs" : JSON.stringify(delimiter);
  return `the columns are separated by ${name}: ${advice}`;
}
