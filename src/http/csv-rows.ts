// Lists as CSV, for streams and for the digests of closes.
import { csvText } from "../csv-file.ts";
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
    return encoder.encode(csvText(rows));
  };
}

/** A spreadsheet would run such a cell as a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

function cellOf(value: unknown): string | number | boolean | null {
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "string") return value === null || value === undefined ? null : JSON.stringify(value);
  return FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}
