// Finds the endpoint of a path. Few paths need no more than this (decision 2).
import { routePattern } from "../resources/resource.ts";
import { CALENDAR_PATTERN } from "./calendar/feed.ts";
import { PUBLIC_PATTERNS } from "./public/public-routes.ts";
import { balanceRetrieval, balancesList } from "./routes/balances.ts";
import { changesRoute } from "./routes/changes.ts";
import { daysList } from "./routes/days.ts";
import { expirationsList, movementsList } from "./routes/movements.ts";
import {
  companyRoute,
  LIST_ROUTES,
  RETRIEVE_ROUTES,
  type RetrieveRoute,
  type RouteMatch,
} from "./routes/route.ts";
import { SIGNED_IN_PATTERNS } from "./routes/signed-in.ts";

/** Where assistants send their messages. */
export const MCP_PATH = routePattern("/mcp");

const fixed = new Map<string, RouteMatch>(
  [...LIST_ROUTES, balancesList, daysList, movementsList, expirationsList, companyRoute, changesRoute].map(
    (route) => [route.contract.path, { kind: "fixed", route }],
  ),
);

const retrievals = new Map<string, RetrieveRoute>(
  [...RETRIEVE_ROUTES, balanceRetrieval].map((route) => [
    route.contract.path.slice(0, -"{id}".length),
    route,
  ]),
);

/** The paths of everything that this server responds to: a path alone, or a folder with one segment in it. */
export const PATTERNS: readonly string[] = [
  ...fixed.keys(),
  ...[...retrievals.values()].map((route) => route.contract.path),
  MCP_PATH,
  CALENDAR_PATTERN,
  ...SIGNED_IN_PATTERNS,
  ...PUBLIC_PATTERNS,
];

const folders = new Set(
  PATTERNS.filter((pattern) => pattern.includes("{")).map((pattern) =>
    pattern.slice(0, pattern.indexOf("{")),
  ),
);

/** Whether this server responds to such a path. */
export function isServedPath(path: string): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return PATTERNS.includes(path) || (folder !== path && folders.has(folder));
}

/** The endpoint at this path; null if there is none. */
export function matchPath(path: string): RouteMatch | null {
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
