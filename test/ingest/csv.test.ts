// The scanner of CSV against csv-parse, an independent reader of RFC 4180.
import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { CsvScanner } from "../../src/ingest/csv.ts";

function scanned(
  text: string,
  cuts: readonly number[],
  delimiter = ",",
): { line: number; cells: readonly string[] }[] {
  const scanner = new CsvScanner(delimiter);
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  const pieces = [...places, text.length].map((end, at) => text.slice(places[at - 1] ?? 0, end));
  return [...pieces.flatMap((piece) => scanner.scan(piece, false)), ...scanner.scan("", true)];
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "ü", "😀", " ", ";", "=") }),
  fc.string({ unit: fc.constantFrom("a", '"', "\n", "\r", ",", "\r\n") }).map(quoted),
);
const file = fc
  .record({
    rows: fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1 }),
    end: fc.constantFrom("\n", "\r\n"),
    hasLastEnd: fc.boolean(),
  })
  .map(({ rows, end, hasLastEnd }) => rows.map((row) => row.join(",")).join(end) + (hasLastEnd ? end : ""));

test("gives the cells that csv-parse gives, wherever the text is cut into pieces", () => {
  fc.assert(
    fc.property(file, fc.array(fc.nat(), { maxLength: 5 }), (text, cuts) => {
      const expected = parse(text, {
        relax_column_count: true,
        record_delimiter: ["\r\n", "\n"],
      }) as string[][];
      expect(scanned(text, cuts).map(({ cells }) => cells)).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

test("tells the line on which each record starts", () => {
  const text = 'a,b\r\n\r\n"1\n2",x\n3,"\n\n"\n4,5';
  for (let cut = 0; cut <= text.length; cut++) {
    expect(scanned(text, [cut]).map(({ line }) => line)).toEqual([1, 3, 5, 8]);
  }
});

test("any text gives records or one clear error, never a crash", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r") }),
      fc.array(fc.nat(), { maxLength: 3 }),
      (text, cuts) => {
        const outcome = (places: readonly number[]) => {
          try {
            return JSON.stringify(scanned(text, places));
          } catch (error) {
            return String(error);
          }
        };
        expect(outcome(cuts)).toBe(outcome([]));
      },
    ),
    { numRuns: 2000 },
  );
});
