// Finds the endpoint of a path. Few paths need no more than this (decision 2).
import { balanceRetrieval, balancesList } from "./routes/balances.ts";
import { changesRoute } from "./routes/changes.ts";
import {
  companyRoute,
  LIST_ROUTES,
  RETRIEVE_ROUTES,
  type RetrieveRoute,
  type Route,
} from "./routes/route.ts";

export type RouteMatch =
  | { readonly kind: "fixed"; readonly route: Route }
  | { readonly kind: "retrieve"; readonly route: RetrieveRoute; readonly id: string };

const fixed = new Map<string, RouteMatch>(
  [...LIST_ROUTES, balancesList, companyRoute, changesRoute].map((route) => [
    route.contract.path,
    { kind: "fixed", route },
  ]),
);

const retrievals = new Map<string, RetrieveRoute>(
  [...RETRIEVE_ROUTES, balanceRetrieval].map((route) => [
    route.contract.path.slice(0, -"{id}".length),
    route,
  ]),
);

/**
 * The request target as it was sent, matched before the URL was normalised: the pattern that fits it, if any, and the last
 * segment of a retrieval, decoded.
 */
export interface RequestTarget {
  readonly pattern: string | null;
  readonly id: string | null;
}

/** The patterns of all endpoints. */
export const ENDPOINT_PATTERNS: readonly string[] = [
  ...fixed.keys(),
  ...[...retrievals.values()].map((route) => route.contract.path),
];

/**
 * The endpoint at this path; null if there is none. URLs are normalised: `/v1\workers` and `/v1/x/../workers` become
 * `/v1/workers`. A proxy's rules may not do the same, so a target that was not sent as the path is nothing.
 */
export function matchPath(path: string, target?: RequestTarget): RouteMatch | null {
  const match = findMatch(path);
  if (match === null || target === undefined) return match;
  const isAsSent =
    match.route.contract.path === target.pattern &&
    (match.kind === "fixed" || match.id === target.id || match.id === UNDECODABLE);
  return isAsSent ? match : null;
}

function findMatch(path: string): RouteMatch | null {
  const match = fixed.get(path);
  if (match !== undefined) return match;
  const slash = path.lastIndexOf("/") + 1;
  const route = retrievals.get(path.slice(0, slash));
  if (route === undefined || slash === path.length) return null;
  return { kind: "retrieve", route, id: decoded(path.slice(slash)) };
}

/** A segment that cannot be decoded is not an id: it becomes one that no object has. */
const UNDECODABLE = "";

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return UNDECODABLE;
  }
}
