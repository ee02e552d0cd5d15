// The change feed (docs/api.md, Changes): changes in the order of the imports that made them, including removals.
import { z } from "zod";
import { listBalances } from "./balances.ts";
import { dateTimeSchema } from "./cells.ts";
import { EXAMPLE_ID } from "./ids.ts";
import { LIST_KINDS, LIST_SCHEMAS, LISTS, type ListKind } from "./kinds.ts";
import * as query from "./query.ts";
import { type EndpointContract, routePattern, SCOPES, type Scope } from "./resource.ts";

export type ChangeResource = ListKind | "balances";

/** Parents before children: the order of entries of one import. */
export const CHANGE_RESOURCES = [...LIST_KINDS, "balances"] as unknown as readonly [
  ChangeResource,
  ...ChangeResource[],
]; // there is at least one list

export function scopeOf(resource: ChangeResource): Scope {
  return resource === "balances" ? listBalances.scope : LISTS[resource].api.scope;
}

/** `workers:read` for `workers`, `time_off:read` for `policies`, … */
const SCOPES_NEEDED = SCOPES.map((scope) => {
  const ofScope = CHANGE_RESOURCES.filter((resource) => scopeOf(resource) === scope);
  return `\`${scope}\` for ${ofScope.map((resource) => `\`${resource}\``).join(", ")}`;
}).join("; ");

export const CHANGES_LIMIT_DEFAULT = 100;
const CHANGES_LIMIT_MAX = 1000;

/** Proxies close a connection that is silent for longer. */
const CHANGES_WAIT_MAX_SECONDS = 25;

const POSITION_EXAMPLE = "p1_YWxsLnQuMTIuMGYzZDgxYzJhN2I1OWU0Ni5lbmQuLnh5djhtdg";

/** An entry of one resource. */
const changeOf = (resource: ChangeResource, object: z.ZodType) =>
  z.strictObject({
    resource: z.literal(resource).describe("The list that the object is in."),
    id: z.string().meta({
      description:
        "The object's id. For `balances`, the id of a worker or policy: fetch all its balances again.",
      example: EXAMPLE_ID.request,
    }),
    removed: z.boolean().describe("Whether the object was removed: erase it."),
    object: object.describe("The object as in its list; null if it was removed, and for `balances`."),
  });

const changeSchema = z
  .union([
    ...LIST_KINDS.map((kind) => changeOf(kind, LIST_SCHEMAS[kind].nullable())),
    changeOf("balances", z.null()),
  ])
  .meta({ id: "Change", description: "One object with its latest state." });

export const listChanges = {
  path: routePattern("/v1/changes"),
  operationId: "listChanges",
  summary: "Follow changes",
  description:
    "One entry per object with its latest state, in the order of the import that last changed it, removals included. " +
    "Without `after`, the feed begins with every object. Apply the entries, then store `position` and send it as `after`.",
  tag: "Changes",
  scope: null,
  scopeNote: `Needs the scope of each requested resource: ${SCOPES_NEEDED}.`,
  moreProblems: { "410": "PositionGone" },
  response: z
    .strictObject({
      count: z.number().int().min(0).max(CHANGES_LIMIT_MAX).describe("The number of entries in `data`."),
      data: z.array(changeSchema),
      hasMore: z.boolean().describe("Whether there is more now. If false, the copy is complete."),
      position: z
        .string()
        .meta({ description: "Send it as `after` to continue.", example: POSITION_EXAMPLE }),
      asOf: dateTimeSchema
        .nullable()
        .describe("When the newest import that the page includes ended; null before the first."),
    })
    .meta({
      id: "ChangeList",
      example: {
        count: 2,
        data: [
          { resource: "balances", id: EXAMPLE_ID.worker, removed: false, object: null },
          { resource: "requests", id: EXAMPLE_ID.request, removed: true, object: null },
        ],
        hasMore: false,
        position: POSITION_EXAMPLE,
        asOf: "2026-03-01T05:00:12.345Z",
      },
    }),
  parameters: {
    after: query.single(
      z.string().meta({
        description: "A `position` of an earlier response, or `now`; by default the beginning.",
        maxLength: 300,
        example: "now",
      }),
    ),
    resources: query.choices(
      CHANGE_RESOURCES,
      "Only these resources; by default all. Send the same ones as for the position.",
      "workers",
    ),
    wait: query.integer(
      0,
      CHANGES_WAIT_MAX_SECONDS,
      0,
      "How many seconds to wait for a change if there is none",
    ),
    limit: query.integer(1, CHANGES_LIMIT_MAX, CHANGES_LIMIT_DEFAULT, "How many entries at most"),
  },
} satisfies EndpointContract;
