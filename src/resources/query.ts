// Query parameters: how they are declared and read, so that every bad one is reported at once (docs/api.md, Endpoints and Errors).
import { z } from "zod";
import { DAY_MS, type Day, formatDay, isWritableDay, parseDay, utcDayOf } from "../time/day.ts";
import { parseDateTime, parseInstant } from "../time/instant.ts";
import { didYouMean, nearest, normalised } from "./cells.ts";
import { claimedKind, EXAMPLE_ID, type IdKind, idSchema, idShape, isId, isIdFor } from "./ids.ts";

// Declaring ------------------------------------------------------------------------------------------------------------

export const LIMIT_DEFAULT = 25;
export const LIMIT_MAX = 100;
export const LIST_MAX_VALUES = 200;

/** A query parameter: a `single` is given at most once; a `list` in any spelling of docs/api.md, Lists of values. */
export interface Parameter<S extends z.ZodType = z.ZodType> {
  readonly kind: "single" | "list";
  /** False for a list whose values may contain commas. */
  readonly isSplit?: boolean;
  /** Only for the OpenAPI document: the route itself refuses a request without the parameter. */
  readonly isRequired?: true;
  readonly schema: S;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** The validated values of parameters; only those that were given. */
export type Values<P extends Parameters> = { [K in keyof P]?: z.output<P[K]["schema"]> };

export const required = <S extends z.ZodType>(parameter: Parameter<S>): Parameter<S> => ({
  ...parameter,
  isRequired: true,
});

/** A parameter that is given at most once. */
export function single<S extends z.ZodType>(schema: S): Parameter<S> {
  return { kind: "single", schema };
}

function listParameter<S extends z.ZodType>(element: S, description: string) {
  return {
    kind: "list" as const,
    schema: z
      .array(element)
      .max(LIST_MAX_VALUES, { error: `has more than ${LIST_MAX_VALUES} values: ask in several requests` })
      .describe(description),
  };
}

/** Any texts. They may contain commas, so they are not split at commas. */
export const texts = (description: string, example: string) => ({
  ...listParameter(
    // PostgreSQL refuses NUL, and no import can store it.
    z
      .string()
      .refine((text) => !text.includes("\0"), {
        error: "contains the character NUL, which no text has: leave it out",
      })
      .meta({ example }),
    `${description} At most ${LIST_MAX_VALUES}.`,
  ),
  isSplit: false,
});

export const legacyIds = (nouns: string, example = "E00042") =>
  texts(`Only ${nouns} with one of these ids of the source system.`, example);

/** Ids of workers or of policies. */
export const ids = (kind: Exclude<IdKind, "balance">, description: string) =>
  listParameter(idSchema(kind), `${description} At most ${LIST_MAX_VALUES}.`);

const oneOf = <const C extends readonly [string, ...string[]]>(values: C) =>
  z.enum(values, {
    error: ({ input }) => `is not one of ${values.join(", ")}${didYouMean(String(input), values)}`,
  });

/** Values of a fixed list. */
export const choices = <const C extends readonly [string, ...string[]]>(
  values: C,
  description: string,
  example: C[number],
) => listParameter(oneOf(values).meta({ example }), description);

/** One value of a fixed list. */
export const choice = <const C extends readonly [string, ...string[]]>(
  values: C,
  description: string,
  example: C[number],
) => single(oneOf(values).meta({ description, example }));

export const INSTANT_SHAPE = "YYYY-MM-DD, or a date-time with an offset such as 2026-03-01T09:00:00Z";

/** An instant in milliseconds; a day means midnight UTC (docs/api.md, Instants). */
export const instant = (description: string) =>
  single(
    z
      .string()
      .transform((text, context) => {
        const instantMs = parseInstant(text, Math.ceil);
        if (instantMs !== null) return instantMs;
        context.addIssue({ code: "custom", message: `is not a real instant: write ${INSTANT_SHAPE}` });
        return z.NEVER;
      })
      .meta({
        description: `${description} ${INSTANT_SHAPE}; a day means midnight UTC.`,
        example: "2026-03-01",
      }),
  );

/** A day as text; a date-time means its UTC day (docs/api.md, Days). */
export const day = (description: string) =>
  single(
    z
      .string()
      .transform((text, context) => {
        const instantMs = parseInstant(text);
        // With an offset, a date-time of the first or last day can leave the years that can be written.
        if (instantMs !== null && isWritableDay(utcDayOf(instantMs))) return formatDay(utcDayOf(instantMs));
        context.addIssue({ code: "custom", message: "is not a real day: write YYYY-MM-DD" });
        return z.NEVER;
      })
      .meta({ description, example: "2026-03-01" }),
  );

/** A day as a number, to compare with a column. */
export const dayNumber = (description: string, toNumber: (day: string) => number) =>
  single(day(description).schema.transform(toNumber).meta({ description, example: "2026-03-01" }));

/** Asks for the data as known at a moment: the end of a day in the company's zone, or an instant. */
export interface KnownOn {
  /** Null for an instant. */
  readonly day: Day | null;
  /** The instant; for a day, its beginning in UTC. */
  readonly atMs: number;
}

/** The parameter of every path that reads a company's facts. */
export const known = {
  knownOn: single(
    z
      .string()
      .transform((text, context): KnownOn => {
        const day = parseDay(text);
        if (day !== null && isWritableDay(day)) return { day, atMs: day * DAY_MS };
        const atMs = parseDateTime(text);
        if (atMs !== null && isWritableDay(utcDayOf(atMs))) return { day: null, atMs };
        context.addIssue({ code: "custom", message: `is not a real day or instant: write ${INSTANT_SHAPE}` });
        return z.NEVER;
      })
      .describe(
        `Returns the data as it was known at this moment. ${INSTANT_SHAPE}; a day means its end in the company's time zone.`,
      ),
  ),
};

/** Whether ids of this kind are positions in the list of balances. */
const isOfBalance = (kind: IdKind) => kind === "worker" || kind === "assignment";

/** A cursor: an id of the listed kind. The balance list also takes a worker id. */
function cursor(kind: IdKind, description: string, example: { readonly example?: string } = {}) {
  return single(
    z
      .string()
      .superRefine((text, context) => {
        if (isIdFor(kind, text) || (kind === "balance" && isId("worker", text))) return;
        const claimed = claimedKind(text);
        const isOther = claimed !== null && claimed !== kind && !(kind === "balance" && isOfBalance(claimed));
        const wrongKind = isOther ? ` (${claimed} ids do not position this list)` : "";
        const shape =
          kind === "balance" ? `${idShape(kind)}, the id of its assignment, or a worker id` : idShape(kind);
        context.addIssue({ code: "custom", message: `is not ${shape}${wrongKind}` });
      })
      .meta({ description, ...example }),
  );
}

/** A whole number from `minimum` to `maximum`, in decimal digits. `initial`: its default. */
export function integer(minimum: number, maximum: number, initial: number, description: string) {
  return single(
    z
      .string()
      .regex(/^\d+$/, { error: `is not a whole number: write decimal digits, ${minimum} to ${maximum}` })
      .transform(Number)
      .refine((value) => value >= minimum && value <= maximum, {
        error: `is not between ${minimum} and ${maximum}`,
      })
      .meta({
        description: `${description}, ${minimum} to ${maximum}; by default ${initial}.`,
        example: initial,
        override: { type: "integer", minimum, maximum, default: initial },
      }),
  );
}

/** Minutes from 0 to `maximum`, with at most two decimals. */
export const minutes = (maximum: number, description: string, example: number) =>
  single(
    z
      .string()
      .refine((text) => /^\d+(?:\.\d{1,2})?$/.test(text), {
        error: `is not a number of minutes: write decimal digits, at most two of them after a point, 0 to ${maximum}`,
      })
      .transform(Number)
      .refine((value) => value <= maximum, { error: `is not between 0 and ${maximum}` })
      .meta({
        description: `${description}, 0 to ${maximum}, with at most two decimals.`,
        example,
        override: { type: "number", minimum: 0, maximum },
      }),
  );

/** `limit`, `afterId` and `beforeId` of the list of this kind. */
export function cursors(kind: IdKind) {
  return {
    limit: integer(1, LIMIT_MAX, LIMIT_DEFAULT, "How many objects at most"),
    afterId: cursor(kind, "Position: the objects after this id. The id need not exist.", {
      example: EXAMPLE_ID[kind],
    }),
    // No example here, so that a request with all examples together is valid.
    beforeId: cursor(
      kind,
      "Position: the objects right before this id, in list order. Not together with `afterId`.",
    ),
  };
}

// Reading --------------------------------------------------------------------------------------------------------------

/** One bad parameter as it was sent, and what would be right. */
export interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
}

export type QueryResult<P extends Parameters> =
  | { readonly ok: true; readonly values: Values<P> }
  | ({ readonly ok: false } & BadParameters);

/** The errors of a query: the first ones, and how many more there are. */
export interface BadParameters {
  readonly errors: readonly ParameterError[];
  readonly more: number;
}

/** How many errors are reported. Nobody reads more, and each costs time and bytes. */
const REPORTED_ERRORS = 20;

/** How much of a name an error repeats. */
const SHOWN_NAME_CHARACTERS = 100;

/** More than all parameters of a list together. */
const MAX_PAIRS = 2000;

/** The first error of each parameter. Details are only made for reported errors. */
class Errors {
  readonly reported: ParameterError[] = [];
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string, detail: () => string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    if (this.reported.length === REPORTED_ERRORS) return;
    const parameter = name.length > SHOWN_NAME_CHARACTERS ? `${name.slice(0, SHOWN_NAME_CHARACTERS)}…` : name;
    this.reported.push({ parameter, detail: detail() });
  }

  get more(): number {
    return this.#names.size - this.reported.length;
  }
}

const BRACKETS = /^(.*?)\[\d{0,9}\]$/;

/** Validates a query string. An unknown parameter is an error: a mistyped filter must never return everything. */
export function parseQuery<P extends Parameters>(
  parameters: P,
  query: URLSearchParams,
  crossFieldErrors: (values: Values<P>) => readonly ParameterError[] = () => [],
): QueryResult<P> {
  const errors = new Errors();
  if (query.size > MAX_PAIRS) {
    errors.add("(query)", () => `has ${query.size} parameters: send at most ${MAX_PAIRS}`);
    return { ok: false, errors: errors.reported, more: 0 };
  }
  const values: Record<string, unknown> = {};
  for (const [name, texts] of collect(parameters, query, errors)) {
    const parameter = parameters[name]!;
    const input = parameter.kind === "single" ? texts[0] : texts;
    const parsed = parameter.schema.safeParse(input);
    if (parsed.success) {
      values[name] = parsed.data;
      continue;
    }
    errors.add(name, schemaDetail(parameter, texts, parsed.error));
  }
  if ("afterId" in parameters && query.has("afterId") && query.has("beforeId")) {
    errors.add("afterId", () => "cannot be used with beforeId: give one of the two");
    errors.add("beforeId", () => "cannot be used with afterId: give one of the two");
  }
  const valid = values as Values<P>; // each value was parsed by its schema
  for (const { parameter, detail } of crossFieldErrors(valid)) errors.add(parameter, () => detail);
  if (errors.reported.length === 0) return { ok: true, values: valid };
  return { ok: false, errors: errors.reported, more: errors.more };
}

/** Makes the closures here and not in the loops, where they would cost objects even without an error. */
function schemaDetail(parameter: Parameter, texts: readonly string[], { issues }: z.ZodError): () => string {
  const issue = issues[0]!;
  const at = issue.path[0];
  const value = typeof at === "number" ? texts[at]! : texts[0]!;
  // An error about the whole list shows no value.
  const shown = issue.code === "too_big" && texts.length > 1 ? "" : `${show(value)} `;
  const hint = isRightWithPlus(parameter, value) ? PLUS_HINT : "";
  return () => `${shown}${issue.message}${hint}`;
}

/** The parser's replacement for bytes that are not UTF-8. It would match nothing, or somebody whose id was decoded as badly. */
const NOT_UTF8 = "\uFFFD";

/** The values of each parameter in order; brackets, commas and repetition are resolved. */
function collect(parameters: Parameters, query: URLSearchParams, errors: Errors): Map<string, string[]> {
  const collected = new Map<string, string[]>();
  const refuse = (name: string, detail: () => string) => {
    errors.add(name, detail);
    collected.delete(name);
  };
  for (const [key, value] of query) {
    const name = nameOf(key, parameters);
    if (!Object.hasOwn(parameters, name)) {
      refuse(name, unknownDetail(name, parameters));
      continue;
    }
    if (errors.has(name)) continue;
    if (value.includes(NOT_UTF8)) {
      refuse(name, notUtf8Detail(value));
      continue;
    }
    const { kind, isSplit } = parameters[name]!;
    const isList = kind === "list";
    const values = isList && isSplit !== false ? value.split(",") : [value];
    const earlier = collected.get(name);
    if (isList && values.includes("")) refuse(name, () => "has an empty element: leave it out");
    else if (earlier === undefined) collected.set(name, values);
    else if (isList) earlier.push(...values);
    else refuse(name, () => "is given more than once: give it once");
  }
  if (collected.get("limit")?.[0] === "") collected.delete("limit"); // clients of the published interface send an empty limit
  return collected;
}

/** The parameter that a key names: `workerIds[]` and `workerIds[0]` are `workerIds`. */
function nameOf(key: string, parameters: Parameters): string {
  const bare = BRACKETS.exec(key)?.[1] ?? key;
  return Object.hasOwn(parameters, bare) && parameters[bare]!.kind === "list" ? bare : key;
}

function notUtf8Detail(value: string): () => string {
  return () => `${show(value)} is not UTF-8: percent-encode its UTF-8 bytes`;
}

function unknownDetail(name: string, parameters: Parameters): () => string {
  return () => unknownName(name, Object.keys(parameters), "this path takes no query parameters");
}

/** A longer name is no typo, and comparing it would cost too much. */
const COMPARED_MAX_CHARACTERS = 64;

/** The error for an unknown name, with the name that was probably meant. */
export function unknownName(name: string, known: readonly string[], ifNone: string): string {
  if (known.length === 0) return `is not known here: ${ifNone}`;
  const meant = name.length > COMPARED_MAX_CHARACTERS ? [] : meantBy(name, known);
  if (meant.length === 0) return `is not known here: known are ${known.join(", ")}`;
  const quoted = meant.map((name) => `\`${name}\``);
  const last = quoted.pop()!;
  return `is not known here: did you mean ${quoted.length > 0 ? `${quoted.join(", ")} or ` : ""}${last}?`;
}

/** Shorter names are parts of others by chance. */
const PART_MIN_CHARACTERS = 4;

/** The known names that contain the name, else the nearest one. */
function meantBy(name: string, known: readonly string[]): readonly string[] {
  const bare = normalised(name.replaceAll(/\[[^[\]]*\]/g, ""));
  const isPart = (name: string) => bare.length >= PART_MIN_CHARACTERS && normalised(name).includes(bare);
  const holders = known.filter(isPart);
  return holders.length > 0 ? holders : [nearest(bare, known) ?? []].flat();
}

/** A value for an error: quoted and short. */
export function show(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

const PLUS_HINT = " (a + in a query string is a space: write it as %2B)";

/** Whether the value is only wrong because a `+` was not escaped, as in an address or an offset. */
function isRightWithPlus({ kind, schema }: Parameter, value: string): boolean {
  if (!value.includes(" ")) return false;
  const meant = value.replaceAll(" ", "+");
  return schema.safeParse(kind === "single" ? meant : [meant]).success;
}
