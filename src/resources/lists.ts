// What an endpoint promises: its path, its scope, its parameters, and the envelope of lists (docs/api.md, Lists).
import { z } from "zod";
import type { ProblemCode } from "./problems.ts";
import { LIMIT_MAX, type Parameters } from "./query.ts";

/** What a key may be allowed to read. */
export const SCOPES = ["workers:read", "time_off:read"] as const;
export type Scope = (typeof SCOPES)[number];

declare const isPattern: unique symbol;

/**
 * A route's pattern, such as `/v1/workers/{id}`: what logs and metrics show of a path. Text that is only known at run time,
 * such as a caller's path, cannot become one.
 */
export type RoutePattern = string & { readonly [isPattern]: true };

/** Marks a literal of the source as a pattern. Any other string is a type error: its type is not one property name. */
export function routePattern<const T extends string>(
  literal: Record<never, never> extends Record<T, 1> ? never : T,
): RoutePattern {
  return literal as string as RoutePattern; // the only place that makes one, with `retrievalPattern`
}

/** The pattern of a list's retrieval. */
export function retrievalPattern(list: RoutePattern): RoutePattern {
  return `${list}/{id}` as RoutePattern; // a pattern and a literal
}

interface EndpointContract {
  readonly path: RoutePattern;
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
