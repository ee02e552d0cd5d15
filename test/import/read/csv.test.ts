// Property: however a CSV text is split into pieces, it gives the same records, each with the line on which it starts.
import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { type CsvRecord, csvRecords } from "../../../src/import/read/csv.ts";

async function recordsOf(text: string, cuts: readonly number[], delimiter = ","): Promise<CsvRecord[]> {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  async function* pieces() {
    for (const [at, end] of [...places, text.length].entries()) yield text.slice(places[at - 1] ?? 0, end);
  }
  const records: CsvRecord[] = [];
  for await (const batch of csvRecords(pieces(), delimiter, 0)) records.push(...batch);
  return records;
}

const OPTIONS = {
  relax_column_count: true,
  skip_empty_lines: true,
  record_delimiter: ["\r\n", "\n"],
};

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "ü", "😀", " ", ";", "=") }),
  fc.string({ unit: fc.constantFrom("a", '"', "\n", "\r", ",", "=", "\r\n") }).map(quoted),
);
const file = fc
  .record({
    rows: fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1 }),
    end: fc.constantFrom("\n", "\r\n"),
    hasLastEnd: fc.boolean(),
  })
  .map(({ rows, end, hasLastEnd }) => rows.map((row) => row.join(",")).join(end) + (hasLastEnd ? end : ""));

test("gives the same cells however the text is split into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(file, fc.array(fc.nat(), { maxLength: 5 }), async (text, cuts) => {
      const expected = parse(text, OPTIONS) as string[][];
      expect((await recordsOf(text, cuts)).map(({ cells }) => [...cells])).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

// Programs write so that spreadsheets keep zeros in front.
test("a quoted cell with a sign before is a text; elsewhere, such a sign is its own", async () => {
  const text = '="007",="",="a,""b"""\n"x,=""y"",z",="a\nb",=1\n';
  for (let cut = 0; cut <= text.length; cut++)
    expect((await recordsOf(text, [cut])).map(({ cells }) => [...cells])).toEqual([
      ["007", "", 'a,"b"'],
      ['x,="y",z', "a\nb", "=1"],
    ]);
  expect(recordsOf('a="1",b', [])).rejects.toThrow("a quote stands where RFC 4180 allows none");
});

// Python's csv module writes CRCRLF on Windows if its file was opened without newline="". A file may be cut before its last LF.
test("CRs before the end of a line, and the last one of a file, are no text", async () => {
  for (const text of [
    'a,b\r\r\n1,2\r\r\n"3","\r\n4"\r\r\n',
    'a,b\n1,2\n"3","\r\n4"\r',
    'a,b\n1,2\r\n3,"\r\n4"\r\n',
  ])
    for (let cut = 0; cut <= text.length; cut++)
      expect((await recordsOf(text, [cut])).map(({ cells }) => [...cells])).toEqual([
        ["a", "b"],
        ["1", "2"],
        ["3", "\r\n4"],
      ]);
  expect((await recordsOf("1,2\r", [])).map(({ cells }) => [...cells])).toEqual([["1", "2"]]);
});

test("tells the line on which each record starts", async () => {
  const text = 'a,b\r\n\r\n"1\n2",x\n3,"\n\n"\n4,5';
  for (let cut = 0; cut <= text.length; cut++) {
    expect((await recordsOf(text, [cut])).map(({ line }) => line)).toEqual([1, 3, 5, 8]);
  }
});

test("any text gives the same records as another parser, or one clear error if that parser fails", async () => {
  await fc.assert(
    fc.asyncProperty(
      // Of several CRs, and of the last one, the other parser thinks otherwise: the test below has them.
      fc
        .string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r") })
        .map((text) => text.replace(/\r+/g, "\r").replace(/\r$/, "")),
      fc.array(fc.nat(), { maxLength: 3 }),
      async (text, cuts) => {
        const outcome = async (places: readonly number[]) => {
          try {
            return JSON.stringify((await recordsOf(text, places)).map(({ cells }) => cells));
          } catch (error) {
            return String(error);
          }
        };
        let expected: string | null = null;
        try {
          expected = JSON.stringify(parse(text, OPTIONS));
        } catch {}
        const actual = await outcome(cuts);
        if (expected === null) expect(actual).toStartWith("UnreadableFile");
        else expect(actual).toBe(expected);
        expect(actual).toBe(await outcome([]));
      },
    ),
    { numRuns: 2000 },
  );
});
