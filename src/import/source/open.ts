// Opens a file in the format that its name tells.
import { openCsv } from "./csv.ts";
import { openJsonArray, openJsonLines } from "./json.ts";
import { type ReadOptions, type RecordReader, UnreadableFile } from "./records.ts";
import { openWorkbook } from "./xlsx.ts";

type Format = "csv" | "tsv" | "jsonl" | "json" | "xlsx";

const FORMATS: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "tsv",
  jsonl: "jsonl",
  ndjson: "jsonl",
  json: "json",
  xlsx: "xlsx",
  xlsm: "xlsx",
};

/** The endings of files that can be imported, for messages. */
export const KNOWN_ENDINGS = ".csv, .tsv, .json, .jsonl, .ndjson or .xlsx (each also .gz)";

/** A file's name before its endings, and its format; null where the name tells none. */
export function namedFormat(name: string): { readonly stem: string; readonly format: Format } | null {
  const parts = /^(.+)\.([a-z]+)$/i.exec(name.replace(/\.gz$/i, ""));
  const format = parts === null ? undefined : FORMATS[parts[2]!.toLowerCase()];
  return format === undefined ? null : { stem: parts![1]!, format };
}

/** Whether the columns of a file are known from its beginning, and a delimiter parts them. */
export function isDelimited(path: string): boolean {
  const format = namedFormat(path)?.format ?? "csv";
  return format === "csv" || format === "tsv";
}

/**
 * Opens a file and reads its header; `paths` are the columns that are needed of nested JSON. A name that tells no
 * format is CSV. Raises UnreadableFile for a file that is not what its name says, and for options that its format has
 * no use for.
 */
export async function openRecords(
  path: string,
  options: ReadOptions,
  paths: readonly string[],
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const format = namedFormat(path)?.format ?? "csv";
  const isText = format === "csv" || format === "tsv";
  const refuse = (key: string, formats: string) => {
    throw new UnreadableFile(
      null,
      `is ${format.toUpperCase()}, but the mapping has ${key}, which is for ${formats}`,
    );
  };
  if (options.at !== null && format !== "json") refuse("at", ".json files");
  if (options.sheet !== null && format !== "xlsx") refuse("sheet", "workbooks (.xlsx)");
  if (options.delimiter !== null && !isText) refuse("delimiter", "CSV and TSV files");
  if (options.encoding !== null && format === "xlsx") refuse("encoding", "text files");
  if (options.skipLines !== 0 && (format === "json" || format === "jsonl"))
    refuse("skipLines", "CSV, TSV and workbooks");
  switch (format) {
    case "jsonl":
      return openJsonLines(path, options, paths, onBytes);
    case "json":
      return openJsonArray(path, options, paths, onBytes);
    case "xlsx":
      return openWorkbook(path, options, onBytes);
    default:
      return openCsv(path, options, onBytes);
  }
}
