// The result of a tool: a compact table with every fact, because many clients drop structured content, and the same facts
// structured. Both have the same rows: at most 100, and as many as fit.
import { z } from "zod";
import { dayOfText, weekdayOf } from "../time/day.ts";
import { cleaned } from "./arguments.ts";
import type { Found, Tool, ToolCell } from "./tool.ts";

const ROWS_MAX = 100;
const CONTENT_MAX_BYTES = 40_000;
/** For what is said before and after the table. */
const RESERVED_BYTES = 2000;
const WRITTEN_MAX_CHARACTERS = 200;

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const weekday = (day: string) => WEEKDAYS[weekdayOf(dayOfText(day))]!;
/** `Monday 2026-11-30` */
export const withWeekday = (day: string) => `${weekday(day)} ${day}`;

export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { type: "text"; text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** The schema of a tool's structured content. */
export function outputSchema({ row, facts, cursor }: Tool) {
  return z.strictObject({
    today: z.string().meta({ description: "The server's current day (UTC)." }),
    weekday: z.string().meta({ description: "Of today." }),
    ...facts,
    rows: z.array(row),
    isComplete: z.boolean().meta({ description: "Whether these are all." }),
    note: z.string().nullable().meta({ description: "What to do if these are not all." }),
    ...(cursor === null
      ? {}
      : { nextCursor: z.string().nullable().meta({ description: "For the next call; null at the end." }) }),
  });
}

/** What an assistant is sent of what a tool has found. */
export function toolResult(tool: Tool, found: Found<unknown>, today: string): ToolResult {
  const { lines, shown } = tableOf(tool, found.rows.map(cleanedTexts));
  const isComplete = shown.length === found.rows.length && !found.hasMore;
  const nextCursor = isComplete ? null : (tool.cursor?.(shown.at(-1) as never) ?? null); // the tool's own row
  const note = isComplete ? null : noteOf(tool, shown.length, found, nextCursor);
  const parts = [`Today is ${withWeekday(today)}.`, cleaned(found.heading)];
  if (shown.length > 0) parts.push("", ...lines);
  if (note !== null) parts.push("", note);
  return {
    content: [{ type: "text", text: parts.join("\n") }],
    structuredContent: {
      today,
      weekday: weekday(today),
      ...(cleanedTexts(found.facts ?? {}) as object), // a copy of an object
      rows: shown,
      isComplete,
      note,
      ...(tool.cursor === null ? {} : { nextCursor }),
    },
  };
}

/** A call that could not be done. */
export function errorResult(message: string): ToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** The rows that fit, with a header. */
function tableOf({ columns }: Tool, rows: readonly unknown[]): { lines: string[]; shown: unknown[] } {
  const entries = Object.entries(columns);
  const lines = [entries.map(([name]) => name).join(" | ")];
  const shown: unknown[] = [];
  let bytes = Buffer.byteLength(lines[0]!) + RESERVED_BYTES;
  for (const row of rows.slice(0, ROWS_MAX)) {
    const line = entries.map(([, cell]) => cellText(cell(row as never))).join(" | "); // the tool's own row
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > CONTENT_MAX_BYTES) break;
    lines.push(line);
    shown.push(row);
  }
  return { lines, shown };
}

function noteOf(
  { narrow }: Tool,
  shown: number,
  { total, caveat }: Found<unknown>,
  nextCursor: string | null,
): string {
  const sentences = [
    total === null ? `These are ${shown}, and there are more.` : `These are ${shown} of ${total}.`,
  ];
  if (caveat) sentences.push(caveat);
  if (nextCursor !== null)
    sentences.push(`For the next, call again with cursor ${JSON.stringify(nextCursor)}.`);
  return [...sentences, narrow].join(" ");
}

function cellText(cell: ToolCell): string {
  if (cell === null) return "-";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell !== "object") return String(cell);
  return cell.written === null ? "-" : JSON.stringify(cell.written);
}

/** A copy of a row, or of what is in it, whose texts are clean and short. */
function cleanedTexts(value: unknown): unknown {
  if (typeof value === "string") return shortened(cleaned(value));
  if (Array.isArray(value)) return value.map(cleanedTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cleanedTexts(one)]));
}

function shortened(value: string): string {
  if (value.length <= WRITTEN_MAX_CHARACTERS) return value;
  const characters = [...value];
  if (characters.length <= WRITTEN_MAX_CHARACTERS) return value;
  return `${characters.slice(0, WRITTEN_MAX_CHARACTERS - 1).join("")}…`;
}
