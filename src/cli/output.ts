// What a command prints: results on stdout (aligned columns, or JSON for scripts), progress on a terminal's stderr.
import { writeSync } from "node:fs";

/**
 * What a terminal would obey, or show as what it is not: controls, turns of direction, and all that is invisible but the joiners of
 * scripts and of emoji.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;

/** A text on one line that changes nothing of a terminal. It is escaped as in JSON, which so stays the same. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** The same of several lines, in which there may be tabs. All that a command prints comes through here. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}

/** Writes text to stdout that programs may read as it is: a terminal gets it printable. */
export function writeRaw(text: string, done?: (error?: Error | null) => void): void {
  process.stdout.write(process.stdout.isTTY ? printableLines(text) : text, done);
}

/** An opaque id with its prefix: `wrk_` and more letters than people compare. */
const ID = /^[a-z]{2,4}_[A-Za-z0-9]{12,}$/;
const SHORT_ID = 10;

/**
 * Rows under their headings, in aligned columns; null is shown as a dash. A terminal that is too narrow gets the beginning of ids, and
 * then of texts; a pipe gets everything.
 */
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
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
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
/** No column is cut to less. */
const LEAST = 8;

function fitted(lines: readonly (readonly string[])[], columns: number): readonly (readonly string[])[] {
  const widthsOf = (all: readonly (readonly string[])[]) =>
    all[0]!.map((_, column) => Math.max(...all.map((line) => Bun.stringWidth(line[column] ?? ""))));
  const excess = (widths: readonly number[]) =>
    widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  if (excess(widthsOf(lines)) <= 0) return lines;
  const cut = (text: string, width: number) =>
    Bun.stringWidth(text) <= width ? text : `${[...text].slice(0, width - 1).join("")}…`;
  const short = lines.map((line) => line.map((cell) => (ID.test(cell) ? cut(cell, SHORT_ID) : cell)));
  const widths = widthsOf(short);
  while (excess(widths) > 0 && Math.max(...widths) > LEAST) widths[widths.indexOf(Math.max(...widths))]!--;
  return short.map((line) => line.map((cell, column) => cut(cell, widths[column]!)));
}

/** Prints a result: one JSON document with `--json`, otherwise text. */
export function print(asJson: boolean | undefined, value: unknown, text: string): void {
  console.log(printableLines(asJson ? JSON.stringify(value, null, 2) : text));
}

const STDOUT = 1;

/** Writes a line to stdout before it returns. What has no reader any more is left out. */
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
      Bun.sleepSync(1); // a pipe that is full
    }
  }
}

let isNoted = false;

/** Says that stdout cannot be written, and makes the exit code 1. `rollcall … | head` closes the pipe early: that is no failure. */
export function noteUnwritten(code: string | undefined): void {
  if (code === "EPIPE" || isNoted) return;
  isNoted = true;
  console.error(`rollcall: ${unwritten(code)}. What the command changed stays changed`);
  process.exitCode ||= 1;
}

export function unwritten(code: string | undefined): string {
  return `stdout cannot be written (${code}): part of what was printed is missing`;
}

/** A store does not tell which command holds it. */
export const WAITING =
  "another command is writing to the store (an import, a restore, a migration or a deletion): waiting for it to end";

/** An instant in ISO 8601; null stays null. */
export function instantText(instantMs: number | null): string | null {
  return instantMs === null ? null : new Date(instantMs).toISOString();
}

const REDRAW_MS = 200;
/** Without a terminal, a line of its own so often. */
const LINE_MS = 10_000;
const ESTIMATE_AFTER_MS = 1000;

/** `done`: the finished share of the work, 0 to 1; null if unknown. */
export type ShowProgress = (rows: number, done: number | null) => void;

/**
 * Rows done and, where it is known, the time left; `clear` removes the line. Where stderr is no terminal, a log gets a line every ten
 * seconds.
 */
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
    show(rows, done) {
      const now = nowMs();
      if (now - drawnAt < (isTTY ? REDRAW_MS : LINE_MS)) return;
      drawnAt = now;
      const elapsedMs = now - startedAt;
      const isKnown = done !== null && done > 0 && elapsedMs >= ESTIMATE_AFTER_MS;
      const left = isKnown
        ? ` · ${Math.round(done * 100)} %${timeLeft((elapsedMs / done) * (1 - done))}`
        : "";
      const text = `${rows.toLocaleString("en")} rows${left}`;
      stream.write(isTTY ? `\r\x1b[2K${text}` : `rollcall: ${text}\n`);
      isDrawn = true;
    },
    clear() {
      if (isTTY && isDrawn) stream.write("\r\x1b[2K");
      isDrawn = false;
    },
  };
}

/** Nothing for the last two seconds: what comes after the last row is not known, and an estimate would stand still. */
const timeLeft = (ms: number): string => (ms < 2000 ? " · nearly done" : ` · ${duration(ms)} left`);

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
