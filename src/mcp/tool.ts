// The definition of an MCP tool, and how its result is written.
import { z } from "zod";
import type { Rollcall } from "../client/index.ts";
import type { AwayRequest } from "../resources/requests.ts";
import type { Scope } from "../resources/resource.ts";
import type { AwayWorker } from "../resources/workers.ts";
import { dayOfText, weekdayOf } from "../time/day.ts";
import { cleaned } from "./arguments.ts";
import type { CompanyNames } from "./names.ts";

/** The response of `/web/away.json` (src/http/routes/signed-in.ts). */
export interface AwayResponse {
  readonly people: readonly AwayWorker[];
  readonly absences: readonly AwayRequest[];
}

export interface ToolCall {
  /** Reads with the key's scopes. */
  readonly client: Rollcall;
  readonly names: CompanyNames;
  /** Who is away on these days, for people who see nothing else of the company. */
  readonly away: (from: string, to: string) => Promise<AwayResponse>;
  /** The current UTC day, `YYYY-MM-DD`. */
  readonly today: string;
  /** What the caller does not see of the company, in a sentence; null if they see everything. */
  readonly limits: string | null;
}

/** The rows of a tool. All texts are cleaned before they are sent (see `toolResult`). */
export interface ToolRows<Row> {
  /** Describes the rows in a sentence, which follows the day. */
  readonly heading: string;
  readonly rows: readonly Row[];
  /** Values beside the rows, by the tool's `facts`. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The number of all matching rows; null if not counted. */
  readonly total: number | null;
  readonly hasMore: boolean;
  /** A warning about incomplete rows. */
  readonly caveat?: string | null;
}

/** Text that somebody wrote. The table quotes it, so that it reads as data. */
export const written = z.string();

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly input: z.ZodObject;
  /** The schema of a row. */
  readonly row: z.ZodObject;
  /** The schema of the values beside the rows. */
  readonly facts: z.ZodRawShape;
  /** How to ask for less, in a sentence. */
  readonly narrow: string;
  /** The cursor for the next call after a row; null if the tool has none. */
  readonly cursor: ((last: never) => string) | null;
  /** Raises ToolProblem. */
  readonly run: (given: never, call: ToolCall) => Promise<ToolRows<never>>;
}

interface Definition<I extends z.ZodObject, R extends z.ZodObject>
  extends Pick<Tool, "name" | "title" | "description" | "scopes" | "narrow"> {
  readonly input: I;
  readonly row: R;
  readonly facts?: z.ZodRawShape;
  readonly cursor?: (last: z.output<R>) => string;
  readonly run: (given: z.output<I>, call: ToolCall) => Promise<ToolRows<z.output<R>>>;
}

/** A tool whose rows and arguments have the types of its schemas. */
export function tool<I extends z.ZodObject, R extends z.ZodObject>(definition: Definition<I, R>): Tool {
  return { facts: {}, cursor: null, ...definition } as unknown as Tool; // it only gets values of its own schemas
}

// The result of a tool: a compact table, and the same facts as structured content, which many clients drop.
// Both have the same rows: at most 100, and as many as fit.

export const ROWS_MAX = 100;
const CONTENT_MAX_BYTES = 40_000;
/** Room for the text before and after the table. */
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
    today: z.string().describe("The server's current day (UTC)."),
    weekday: z.string().describe("The weekday of today."),
    ...facts,
    rows: z.array(row),
    isComplete: z.boolean().describe("Whether these are all rows."),
    note: z.string().nullable().describe("What the rows leave out, and how to ask for it."),
    ...(cursor === null
      ? {}
      : { nextCursor: z.string().nullable().describe("For the next call; null at the end.") }),
  });
}

export function toolResult(tool: Tool, result: ToolRows<unknown>, { today, limits }: ToolCall): ToolResult {
  const { lines, shown } = tableOf(tool, result.rows.map(cleanedTexts));
  const isComplete = shown.length === result.rows.length && !result.hasMore;
  const nextCursor = isComplete ? null : (tool.cursor?.(shown.at(-1) as never) ?? null); // the cursor takes this tool's rows
  const more = isComplete ? null : noteOf(tool, shown.length, result, nextCursor);
  const note = limits === null || more === null ? (limits ?? more) : `${limits} ${more}`;
  const parts = [`In UTC, today is ${withWeekday(today)}.`, cleaned(result.heading)];
  if (shown.length > 0) parts.push("", ...lines);
  if (note !== null) parts.push("", note);
  return {
    content: [{ type: "text", text: parts.join("\n") }],
    structuredContent: {
      today,
      weekday: weekday(today),
      ...(cleanedTexts(result.facts ?? {}) as object), // copying an object gives an object
      rows: shown,
      isComplete,
      note,
      ...(tool.cursor === null ? {} : { nextCursor }),
    },
  };
}

export function errorResult(message: string): ToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

interface Column {
  readonly heading: string;
  readonly isWritten: boolean;
  /** The keys that lead to its value. */
  readonly path: readonly string[];
}

/** The columns for every fact of a row: `isPaid` is "paid"; a manager gives "manager" and "manager id". */
function columnsOf(row: z.ZodObject, before: readonly string[] = []): Column[] {
  return Object.entries(row.shape).flatMap(([key, nullable]) => {
    const schema = nullable instanceof z.ZodNullable ? nullable.unwrap() : nullable;
    const path = [...before, key];
    if (schema instanceof z.ZodObject) return columnsOf(schema, path);
    const words = before.length > 0 && key === "name" ? before : path;
    const heading = words
      .join(" ")
      .replace(/^is(?=[A-Z])/, "")
      .replaceAll(/[A-Z]/g, " $&");
    return { heading: heading.toLowerCase().trim(), isWritten: schema === written, path };
  });
}

/** The rows that fit, with a header. */
function tableOf({ row: schema }: Tool, rows: readonly unknown[]): { lines: string[]; shown: unknown[] } {
  const columns = columnsOf(schema);
  const lines = [columns.map(({ heading }) => heading).join(" | ")];
  const shown: unknown[] = [];
  let bytes = Buffer.byteLength(lines[0]!) + RESERVED_BYTES;
  for (const row of rows.slice(0, ROWS_MAX)) {
    const line = columns.map((column) => cellText(row, column)).join(" | ");
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
  { total, caveat }: ToolRows<unknown>,
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

function cellText(row: unknown, { path, isWritten }: Column): string {
  const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], row) ?? null; // by its own schema
  if (value === null) return "-";
  if (Array.isArray(value)) return value.map(listedText).join("; ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return isWritten ? JSON.stringify(value) : String(value);
}

/** An object in a list: its values without null. A dash for null would read as the minus of the next number. */
function listedText(element: object): string {
  return Object.values(element)
    .filter((value) => value !== null)
    .join(" ");
}

/** A copy of a value whose texts are cleaned and shortened. */
function cleanedTexts(value: unknown): unknown {
  if (typeof value === "string") return shortened(cleaned(value));
  if (Array.isArray(value)) return value.map(cleanedTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanedTexts(inner)]));
}

function shortened(value: string): string {
  if (value.length <= WRITTEN_MAX_CHARACTERS) return value;
  const characters = [...value];
  if (characters.length <= WRITTEN_MAX_CHARACTERS) return value;
  return `${characters.slice(0, WRITTEN_MAX_CHARACTERS - 1).join("")}…`;
}
