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

/** Rows under their headings, in aligned columns; null is shown as a dash. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const lines = [
    headings,
    ...rows.map((row) => row.map((cell) => (cell === null ? "-" : printable(String(cell))))),
  ];
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
const ESTIMATE_AFTER_MS = 1000;

/** `done`: the finished share of the work, 0 to 1; null if unknown. */
export type ShowProgress = (rows: number, done: number | null) => void;

/** Rows done and, where it is known, the time left; `clear` removes the line. Prints nothing unless stderr is a terminal. */
export function showProgress(stream: NodeJS.WriteStream = process.stderr): {
  readonly show: ShowProgress;
  readonly clear: () => void;
} {
  if (!stream.isTTY) return { show() {}, clear() {} };
  const startedAt = performance.now();
  let drawnAt = 0;
  return {
    show(rows, done) {
      const now = performance.now();
      if (now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      const elapsedMs = now - startedAt;
      const isKnown = done !== null && done > 0 && elapsedMs >= ESTIMATE_AFTER_MS;
      const left = isKnown
        ? ` · ${Math.round(done * 100)} % · ${duration((elapsedMs / done) * (1 - done))} left`
        : "";
      stream.write(`\r\x1b[2K${rows.toLocaleString("en")} rows${left}`);
    },
    clear() {
      if (drawnAt > 0) stream.write("\r\x1b[2K");
      drawnAt = 0;
    },
  };
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
