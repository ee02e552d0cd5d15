// What a tool of the Model Context Protocol is.
import type { z } from "zod";
import type { Rollcall } from "../client/index.ts";
import type { Scope } from "../resources/resource.ts";
import type { CompanyNames } from "./names.ts";

export const TOOL_NAMES = [
  "find_people",
  "who_is_away",
  "time_off_balance",
  "list_time_off",
  "list_policies",
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];

/** What one call of a tool works with: the company of its key, and the day. */
export interface ToolCall {
  /** Reads with the scopes of the key. */
  readonly client: Rollcall;
  readonly names: CompanyNames;
  /** The current UTC day, `YYYY-MM-DD`. */
  readonly today: string;
}

/** What a tool has found. All of its texts are cleaned before they are sent (see `toolResult`). */
export interface Found<Row> {
  /** What the rows are, in a sentence; it follows the day. */
  readonly heading: string;
  readonly rows: readonly Row[];
  /** What is said beside the rows; the tool's `facts`. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** How many there are in all; null if they were not counted. */
  readonly total: number | null;
  /** Whether there are more than `rows`, after them. */
  readonly hasMore: boolean;
  /** What else must be known of incomplete rows. */
  readonly caveat?: string | null;
}

/** A cell of the table that an assistant reads. Texts that people wrote are given by `written`. */
export type ToolCell = string | number | boolean | null | { readonly written: string | null };

/** Text that somebody wrote: it is quoted, so that it reads as data. */
export function written(text: string | null): ToolCell {
  return { written: text };
}

/** `Row` is never inferred from `columns` alone: see `tool`. */
export interface Tool {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  /** All of these are needed. */
  readonly scopes: readonly Scope[];
  readonly input: z.ZodObject;
  /** One row of the result. */
  readonly row: z.ZodObject;
  /** What else the result says. */
  readonly facts: z.ZodRawShape;
  /** The columns of the table, with every fact of a row. */
  readonly columns: Readonly<Record<string, (row: never) => ToolCell>>;
  /** How to ask for less, in a sentence. */
  readonly narrow: string;
  /** Given to the next call to go on; null if the tool has no cursor. */
  readonly cursor: ((last: never) => string) | null;
  /** Raises ToolProblem. */
  readonly run: (given: never, call: ToolCall) => Promise<Found<never>>;
}

interface Definition<I extends z.ZodObject, R extends z.ZodObject> {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly input: I;
  readonly row: R;
  readonly facts?: z.ZodRawShape;
  readonly columns: Readonly<Record<string, (row: z.output<R>) => ToolCell>>;
  readonly narrow: string;
  readonly cursor?: (last: z.output<R>) => string;
  readonly run: (given: z.output<I>, call: ToolCall) => Promise<Found<z.output<R>>>;
}

/** A tool whose rows and arguments have the types of its schemas. */
export function tool<I extends z.ZodObject, R extends z.ZodObject>(definition: Definition<I, R>): Tool {
  return { facts: {}, cursor: null, ...definition } as unknown as Tool; // it gets what its own schemas made
}
