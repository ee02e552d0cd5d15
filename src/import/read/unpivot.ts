// Turns a table with a column for each day or type of leave into rows: a row for each of these columns that is not empty.
import type { Unpivot } from "../convert/schema.ts";
import { type RecordReader, type SourceRecord, UnreadableFile } from "./records.ts";

/** Raises UnreadableFile if a file has no such columns or no fixed header. */
export function unpivoted(reader: RecordReader, { columns, as, to }: Unpivot): RecordReader {
  const { header, headerLine } = reader;
  const globs = [columns].flat().map((pattern) => new Bun.Glob(pattern.toLowerCase()));
  const isTurned = (name: string) => globs.some((glob) => glob.match(name.trim().toLowerCase()));
  const turned = [...header.keys()].filter((at) => isTurned(header[at]!));
  const others = [...header.keys()].filter((at) => !isTurned(header[at]!));
  const named = others.map((at) => header[at]!);
  if (!reader.isHeaderFixed) throw new UnreadableFile(null, "has no header row, which unpivot needs");
  if (turned.length === 0)
    throw new UnreadableFile(
      headerLine,
      `has no column ${[columns].flat().join(" or ")}, which unpivot names`,
    );
  /** Without texts, because one text cannot tell several rows apart. */
  const rowsOf = ({ line, item, file, cells, problem }: SourceRecord): SourceRecord[] => {
    const place = { line, item, ...(file === undefined ? {} : { file }), problem };
    const own = others.map((at) => cells[at]);
    if (problem !== undefined) return [{ ...place, cells: own }];
    const filled = turned.filter((at) => String(cells[at] ?? "").trim() !== "");
    return filled.map((at) => ({ ...place, cells: [...own, header[at]!.trim(), cells[at]] }));
  };
  return {
    header: [...named, as, to],
    headerLine,
    isHeaderFixed: true,
    async *records() {
      for await (const records of reader.records()) yield records.flatMap(rowsOf);
    },
    get doubts() {
      return reader.doubts ?? [];
    },
    close: () => reader.close(),
  };
}
