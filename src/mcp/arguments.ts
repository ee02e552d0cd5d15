// The arguments of tools and their validation. Every error is in our own words, because assistants repeat them to people.
import { z } from "zod";
import { INSTANT_SHAPE, unknownName } from "../resources/query.ts";
import { parseDay } from "../time/day.ts";
import { parseDateTime } from "../time/instant.ts";

/** A call that cannot be done. The message says what would be right. */
export class ToolProblem extends Error {
  override readonly name = "ToolProblem";
}

/** The longest name of a policy. Names of people, addresses and ids of the source system are shorter. */
const TEXT_MAX_CHARACTERS = 500;
const IS_EMPTY = "is empty";
/** How many people or policies one call may name, and how many unknown arguments an error names. */
export const NAMED_MAX = 20;

export const text = (description: string) =>
  z
    .string({ error: "must be a text" })
    .trim()
    .min(1, { error: IS_EMPTY })
    .max(TEXT_MAX_CHARACTERS, { error: `has more than ${TEXT_MAX_CHARACTERS} characters` })
    .refine((value) => !value.includes("\0"), { error: "contains the character NUL: leave it out" })
    .describe(description);

export const texts = (description: string) =>
  z
    .array(text("One of them."), { error: "must be a list of texts" })
    .min(1, { error: IS_EMPTY })
    .max(NAMED_MAX, { error: `has more than ${NAMED_MAX} entries: ask in several calls` })
    .describe(description);

export const day = (description: string) =>
  z
    .string({ error: "must be a day, YYYY-MM-DD" })
    .refine((value) => parseDay(value) !== null, { error: "is not a real day: write YYYY-MM-DD" })
    .describe(`${description} YYYY-MM-DD.`);

export const KNOWN_ON = z
  .string({ error: `must be ${INSTANT_SHAPE}` })
  .refine((value) => parseDay(value) !== null || parseDateTime(value) !== null, {
    error: `is not a real day or instant: write ${INSTANT_SHAPE}`,
  })
  .describe(
    `Reads the data as known at this moment, to see why a figure has changed since. ${INSTANT_SHAPE}, such as \`knownOn\` of a close; a day means its end in the company's time zone.`,
  )
  .optional();

export const CURSOR = text("The `nextCursor` of the last call.").optional();

export const choice = <const C extends readonly [string, ...string[]]>(values: C, description: string) =>
  z.enum(values, { error: `is not one of ${values.join(", ")}` }).describe(description);

export const choices = <const C extends readonly [string, ...string[]]>(values: C, description: string) =>
  z
    .array(z.enum(values, { error: `is not one of ${values.join(", ")}` }), {
      error: `must be a list of ${values.join(", ")}`,
    })
    .min(1, { error: IS_EMPTY })
    .describe(description);

/** The validated arguments of a call. Raises a ToolProblem that names each bad argument once. Null means not given. */
export function checkedArguments(input: z.ZodObject, given: unknown): never {
  const known = Object.keys(input.shape);
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== null);
  const problems = entries
    .filter(([name]) => !known.includes(name))
    .slice(0, NAMED_MAX)
    .map(([name]) => `${quoted(name)} ${unknownName(name, known, "this tool takes no arguments")}`);
  const parsed = input.safeParse(Object.fromEntries(entries.filter(([name]) => known.includes(name))));
  if (!parsed.success) {
    const seen = new Set<unknown>();
    for (const { path, message, code } of parsed.error.issues) {
      const [name] = path;
      if (seen.has(name)) continue;
      seen.add(name);
      const value = valueAt(given, path);
      const isMissing = value === undefined && code === "invalid_type";
      const isOptional = z.safeParse(input.shape[String(name)]!, undefined).success;
      const advice = message !== IS_EMPTY ? "" : isOptional ? ": leave it out" : ": it must be given";
      problems.push(
        `\`${String(name)}\` ${isMissing ? "is missing" : `${quoted(value)} ${message}${advice}`}`,
      );
    }
  }
  if (problems.length > 0 || !parsed.success) throw new ToolProblem(problems.join("; "));
  return parsed.data as never; // the tool's own schema made it
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], given); // any JSON
}

const SHOWN_CHARACTERS = 80;

/** A value for an error: quoted and short. */
export function quoted(value: unknown): string {
  const shown = cleaned(JSON.stringify(typeof value === "string" ? cleaned(value) : value) ?? "nothing");
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown;
}

/** Line breaks, tabs and other controls, in runs. */
const NOT_PRINTED = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Marks of direction, tag characters and the like, except the joiners of scripts and emoji: an assistant would read them, people do not see them. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;

/** A text on one line, without characters that people cannot see. */
export function cleaned(value: string): string {
  return value.toWellFormed().replaceAll(INVISIBLE, "").replaceAll(NOT_PRINTED, " ");
}
