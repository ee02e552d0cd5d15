// One file as facts of one kind: rows are read, skipped or checked, and bad ones noted.
import type { z } from "zod";
import type { FactKind } from "../../store/tables.ts";
import { type Facts, KINDS } from "../facts/facts.ts";
import { Columns, type NamedMapping, type Skipped } from "../resolve/columns.ts";
import { type Place, type RowErrors, shown } from "../row-errors.ts";
import { openCsv } from "./csv-reader.ts";
import { openJsonl } from "./jsonl.ts";
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

export function isJsonl(sourceFile: SourceFile): boolean {
  return /\.(jsonl|ndjson)$/i.test(sourceFile.path);
}

/** Opens the file in the format that its name tells. Raises UnreadableFile. */
export async function openSourceFile(
  sourceFile: SourceFile,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const { encoding = null, delimiter = "," } = sourceFile.mapping?.mapping ?? {};
  return isJsonl(sourceFile)
    ? openJsonl(sourceFile.path, encoding, onBytes)
    : openCsv(sourceFile.path, { encoding, delimiter }, onBytes);
}

/** Notes an UnreadableFile as a bad row; raises anything else again. */
export function noteUnreadable(sourceFile: SourceFile, error: unknown, bad: RowErrors): void {
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
  const { schema } = KINDS[sourceFile.kind];
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
    const parsed = schema.safeParse(row);
    if (wrong.length > 0 || !parsed.success) {
      const written = columns.written(cells);
      const issues = parsed.success ? [] : parsed.error.issues;
      bad.add(place, [...wrong, ...issues.map((issue) => fieldMessage(sourceFile, written, issue))]);
      badNames.push(namesOf(row));
      continue;
    }
    facts.push({ line, fact: parsed.data });
  }
  return { facts, badNames, rows: records.length };
}

/** `status: "aproved" is not one of …`: the field, its value as the file has it, and what is wrong. */
function fieldMessage(
  sourceFile: SourceFile,
  written: Readonly<Record<string, Cell>>,
  issue: z.core.$ZodIssue,
): string {
  const field = String(issue.path[0] ?? "row");
  const cell = written[field];
  const isShown =
    cell !== null && cell !== undefined && cell !== "" && !issue.message.startsWith("is missing");
  const params = issue.code === "custom" ? issue.params : undefined;
  const otherField = params?.otherField;
  const other = otherField === undefined ? "" : ` (${shownCell(written[String(otherField)])})`;
  return `${field}: ${isShown ? `${shownCell(cell)} ` : ""}${issue.message}${other}${params?.isNoChoice ? choiceAdvice(sourceFile, field) : ""}`;
}

/** How to mend a value of another system through its mapping. */
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
