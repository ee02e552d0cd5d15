// What all lists share: the envelope, the cursors, and how a parameter is declared (docs/api.md, Lists).
import { z } from "zod";
import { formatDay, isWritableDay, utcDayOf } from "../time/day.ts";
import { parseInstant } from "../time/instant.ts";
import { claimedKind, EXAMPLE_ID, type IdKind, idSchema, idShape, isId } from "./ids.ts";
import type { ProblemCode } from "./problems.ts";

export const LIMIT_DEFAULT = 25;
export const LIMIT_MAX = 100;
export const LIST_MAX_VALUES = 200;

/** What a key may be allowed to read. */
export const SCOPES = ["workers:read", "time_off:read"] as const;
export type Scope = (typeof SCOPES)[number];

/** A query parameter: `single` is given at most once; `list` in any spelling of docs/api.md, Lists in the query string. */
export interface Parameter<S extends z.ZodType = z.ZodType> {
  readonly kind: "single" | "list";
  readonly schema: S;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** The values of a parameter set after validation: only those that were given, but for defaults. */
export type Values<P extends Parameters> = { [K in keyof P]?: z.output<P[K]["schema"]> };

interface EndpointContract {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: "Workers" | "Time off";
  readonly scope: Scope;
  readonly parameters: Parameters;
  readonly response: z.ZodType;
}

export interface ListContract extends EndpointContract {
  readonly item: z.ZodType;
}

export interface RetrieveContract extends EndpointContract {
  readonly id: z.ZodType;
  readonly notFound: ProblemCode;
}

/** A parameter that is given at most once. */
export function one<S extends z.ZodType>(schema: S): Parameter<S> {
  return { kind: "single", schema };
}

/** The envelope of a list (docs/api.md, Lists). */
export function listOf(id: string, item: z.ZodType) {
  return z
    .strictObject({
      count: z.number().int().min(0).max(LIMIT_MAX).meta({ description: "The number of objects in `data`." }),
      data: z.array(item),
      hasMore: z.boolean().meta({
        description: "Whether anything follows the page, in the direction that the page was asked for.",
      }),
    })
    .meta({ id });
}

function listParameter<S extends z.ZodType>(element: S, description: string) {
  return {
    kind: "list" as const,
    schema: z
      .array(element)
      .max(LIST_MAX_VALUES, { error: `has more than ${LIST_MAX_VALUES} values: ask in several requests` })
      .meta({ description }),
  };
}

listOf.ids = (kind: "worker" | "policy", description: string) =>
  listParameter(idSchema(kind), `${description} At most ${LIST_MAX_VALUES}.`);

listOf.choices = <const C extends readonly [string, ...string[]]>(
  choices: C,
  description: string,
  example: C[number],
) =>
  listParameter(
    z.enum(choices, { error: `is not one of ${choices.join(", ")}` }).meta({ example }),
    description,
  );

const INSTANT_SHAPE = "YYYY-MM-DD, or a date-time with an offset such as 2026-03-01T09:00:00Z";

/** An instant in a query, in milliseconds: a day is taken as midnight UTC (docs/api.md, Endpoints, Instants). */
listOf.instant = (description: string) =>
  one(
    z
      .string()
      .transform((text, context) => {
        const instantMs = parseInstant(text);
        if (instantMs !== null) return instantMs;
        context.addIssue({ code: "custom", message: `is not a real instant: write ${INSTANT_SHAPE}` });
        return z.NEVER;
      })
      .meta({
        description: `${description} ${INSTANT_SHAPE}; a day is midnight UTC.`,
        example: "2026-03-01",
      }),
  );

/** A day in a query, as text: of a date-time, its UTC day (docs/api.md, Endpoints, Days). */
listOf.day = (description: string) =>
  one(
    z
      .string()
      .transform((text, context) => {
        const instantMs = parseInstant(text);
        // An offset can carry a date-time of the first or the last day out of the years that can be written.
        if (instantMs !== null && isWritableDay(utcDayOf(instantMs))) return formatDay(utcDayOf(instantMs));
        context.addIssue({ code: "custom", message: "is not a real day: write YYYY-MM-DD" });
        return z.NEVER;
      })
      .meta({ description, example: "2026-03-01" }),
  );

/** A cursor: an id of the listed kind. The balance list also takes a worker id. */
function cursor(kind: IdKind, description: string) {
  return one(
    z
      .string()
      .superRefine((text, context) => {
        if (isId(kind, text) || (kind === "balance" && isId("worker", text))) return;
        const claimed = claimedKind(text);
        const wrongKind =
          claimed !== null && claimed !== kind ? ` (${claimed} ids do not position this list)` : "";
        const shape = kind === "balance" ? `${idShape(kind)}, or a worker id` : idShape(kind);
        context.addIssue({ code: "custom", message: `is not ${shape}${wrongKind}` });
      })
      .meta({ description, example: EXAMPLE_ID[kind] }),
  );
}

/** `limit`, `afterId` and `beforeId` of the list of this kind. */
export function cursors(kind: IdKind) {
  return {
    limit: one(
      z
        .string()
        .regex(/^\d+$/, { error: `is not a number: write decimal digits, 1 to ${LIMIT_MAX}` })
        .transform(Number)
        .refine((limit) => limit >= 1 && limit <= LIMIT_MAX, { error: `is not between 1 and ${LIMIT_MAX}` })
        .meta({
          description: `How many objects at most, 1 to ${LIMIT_MAX}; ${LIMIT_DEFAULT} when left out.`,
          example: LIMIT_DEFAULT,
          override: { type: "integer", minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
        }),
    ),
    afterId: cursor(kind, "Position: the objects that follow this id. It need not exist (any more)."),
    beforeId: cursor(
      kind,
      "Position: the objects right before this id, still in list order. Not together with `afterId`.",
    ),
  };
}
