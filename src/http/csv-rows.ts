// Lists as CSV, for streams and for the digests of closes.
import { type CsvCell, csvText } from "../csv-file.ts";
import { csvColumns, type ListContract } from "../resources/resource.ts";

const encoder = new TextEncoder();

/** Renders pages as CSV (RFC 4180): first the schema's keys in order as header, then a line for each object. */
export function csvRows(contract: ListContract): (docs: readonly string[]) => Uint8Array {
  const columns = csvColumns(contract);
  let isFirst = true;
  return (docs) => {
    const rows = docs.map((doc) => {
      const object = JSON.parse(doc) as Record<string, unknown>; // an object on the wire
      return columns.map(({ of }) => cellOf(of(object)));
    });
    if (isFirst) rows.unshift(columns.map(({ name }) => name));
    isFirst = false;
    return encoder.encode(csvText(rows, { guarded: true }));
  };
}

/** A value on the wire as a cell: lists, and objects inside them, as JSON. */
function cellOf(value: unknown): CsvCell {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : (value as CsvCell);
}
