// Output of commands: results on stdout (tables, or JSON for scripts), progress on stderr if it is a terminal.
import { writeSync } from "node:fs";
import { printable } from "../printable.ts";

/** Makes text printable line by line, so that it cannot control a terminal. Tabs stay. All output of commands passes through here. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}

/** Writes text for programs, unchanged. A terminal gets it in printable form. */
export function writeRaw(text: string, done?: (error?: Error | null) => void): void {
  process.stdout.write(process.stdout.isTTY ? printableLines(text) : text, done);
}

/** An opaque id with its prefix. People need only its beginning to compare it. */
const ID = /^[a-z]{2,4}_[A-Za-z0-9]{12,}$/;
const SHORT_ID = 10;

/** A table with aligned columns and a dash for null. In a narrow terminal, ids are shortened first, then texts. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  columns = process.stdout.isTTY ? process.stdout.columns : undefined,
): string {
  const cells = [
    headings,
    ...rows.map((row) => row.map((cell) => (cell === null ? "-" : printable(String(cell))))),
  ];
  const lines = columns === undefined ? cells : fitted(cells, columns);
  const widths = widthsOf(lines);
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + " ".repeat(widths[column]! - Bun.stringWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const GAP = 2;
/** No column is made narrower than this. */
const MIN_WIDTH = 8;

/** The width of each column. The first line has every column. */
function widthsOf(lines: readonly (readonly string[])[]): number[] {
  return lines[0]!.map((_, column) => Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))));
}

/** Shortens cells until the lines fit into `columns`: first ids, then the widest column, again and again. */
function fitted(lines: readonly (readonly string[])[], columns: number): readonly (readonly string[])[] {
  const excess = (widths: readonly number[]) =>
    widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  if (excess(widthsOf(lines)) <= 0) return lines;
  const cut = (text: string, width: number) =>
    Bun.stringWidth(text) <= width ? text : `${[...text].slice(0, width - 1).join("")}…`;
  const short = lines.map((line) => line.map((cell) => (ID.test(cell) ? cut(cell, SHORT_ID) : cell)));
  const widths = widthsOf(short);
  let widest = Math.max(...widths);
  while (excess(widths) > 0 && widest > MIN_WIDTH) {
    widths[widths.indexOf(widest)]!--;
    widest = Math.max(...widths);
  }
  return short.map((line) => line.map((cell, column) => cut(cell, widths[column]!)));
}

/** Prints a result: one JSON document with `--json`, otherwise text. */
export function print(asJson: boolean | undefined, value: unknown, text: string): void {
  console.log(printableLines(asJson ? JSON.stringify(value, null, 2) : text));
}

const STDOUT = 1;

/** Writes a line to stdout, synchronously. Does nothing once the reader is gone. */
export function writeLine(text: string): void {
  let bytes = Buffer.from(`${printableLines(text)}\n`);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(STDOUT, bytes));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // of a file
      if (code !== "EAGAIN") {
        noteUnwritten(code);
        return;
      }
      Bun.sleepSync(1); // wait, because the pipe is full
    }
  }
}

let isNoted = false;

/** Reports that stdout cannot be written, and makes the exit code 1. A pipe that was closed early, as by `head`, is no failure. */
export function noteUnwritten(code: string | undefined): void {
  if (code === "EPIPE" || isNoted) return;
  isNoted = true;
  console.error(
    `rollcall: stdout cannot be written (${code}): part of what was printed is missing. What the command changed stays changed`,
  );
  process.exitCode ||= 1;
}

/** An instant in ISO 8601; null stays null. */
export function instantText(instantMs: number | null): string | null {
  return instantMs === null ? null : new Date(instantMs).toISOString();
}

const REDRAW_MS = 200;
/** The interval of progress lines if stderr is not a terminal. */
const LINE_MS = 10_000;
const ESTIMATE_AFTER_MS = 1000;

/** `done` is the finished share, 0 to 1; null if unknown. `step` is of an import, whose writing has no share. */
export type ShowProgress = (rows: number, done: number | null, step?: "reading" | "writing") => void;

/** Shows finished rows and, if known, the time left. Without a terminal, prints a line every ten seconds. */
export function showProgress(
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
  nowMs: () => number = () => performance.now(),
): {
  readonly show: ShowProgress;
  readonly clear: () => void;
} {
  const { isTTY } = stream;
  const startedAt = nowMs();
  let drawnAt = isTTY ? startedAt - REDRAW_MS : startedAt;
  let isDrawn = false;
  return {
    show(rows, done, step) {
      const now = nowMs();
      const isDue = now - drawnAt >= (isTTY ? REDRAW_MS : LINE_MS);
      if (!isDue && !(step === "writing" && isDrawn)) return;
      drawnAt = now;
      const elapsedMs = now - startedAt;
      const isKnown = done !== null && done > 0 && elapsedMs >= ESTIMATE_AFTER_MS;
      const what = step === "reading" ? "to read" : "left";
      const left = isKnown
        ? ` · ${Math.round(done * 100)} %${timeLeft((elapsedMs / done) * (1 - done), what)}`
        : "";
      const text = `${rows.toLocaleString("en")} rows${step === "writing" ? " · checking and writing" : left}`;
      stream.write(isTTY ? `\r\x1b[2K${text}` : `rollcall: ${text}\n`);
      isDrawn = true;
    },
    clear() {
      if (isTTY && isDrawn) stream.write("\r\x1b[2K");
      isDrawn = false;
    },
  };
}

/** Gives no estimate below two seconds, because the work after the last row is not measured. */
const timeLeft = (ms: number, what: string): string =>
  ms < 2000 ? " · nearly done" : ` · ${duration(ms)} ${what}`;

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
