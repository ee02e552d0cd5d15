// Finds the endpoint of a path. There are few paths, so this is enough (decision 2).
import { routePattern } from "../resources/resource.ts";
import { CALENDAR_PATTERN, FEEDS_PATH } from "./calendar/feed.ts";
import { SIGN_IN_PATTERNS } from "./provider-sign-in.ts";
import { PUBLIC_PATTERNS } from "./public/public-routes.ts";
import { balanceRetrieval, balancesList } from "./routes/balances.ts";
import { capacityList } from "./routes/capacity.ts";
import { changesRoute } from "./routes/changes.ts";
import { closeRetrieval, closesRoute, differencesList } from "./routes/closes.ts";
import { daysList } from "./routes/days.ts";
import { expirationsList, movementsList } from "./routes/movements.ts";
import { previewRoute } from "./routes/preview.ts";
import { companyRoute, LIST_ROUTES, RETRIEVE_ROUTES, type RouteMatch } from "./routes/route.ts";
import { scheduleRetrieval } from "./routes/schedules.ts";
import { SIGNED_IN_PATTERNS } from "./routes/signed-in.ts";

/** Where assistants send their messages. */
export const MCP_PATH = routePattern("/mcp");

const fixed = new Map<string, RouteMatch>(
  [
    ...LIST_ROUTES,
    ...[
      balancesList,
      daysList,
      movementsList,
      expirationsList,
      capacityList,
      closesRoute,
      previewRoute,
      companyRoute,
      changesRoute,
    ],
  ].map((route) => [route.contract.path, { kind: "endpoint", route, id: "" }]),
);

/** The parts of each path before and after the id. */
const retrievals = [
  ...RETRIEVE_ROUTES,
  balanceRetrieval,
  scheduleRetrieval,
  closeRetrieval,
  differencesList,
].map((route) => {
  const [before, after] = route.contract.path.split("{id}") as [string, string]; // it has one id
  return { route, before, after };
});

/** Every path that this server serves: a path alone, or a folder with one segment. */
export const PATTERNS: readonly string[] = [
  ...fixed.keys(),
  ...retrievals.map(({ route }) => route.contract.path),
  MCP_PATH,
  CALENDAR_PATTERN,
  FEEDS_PATH,
  ...SIGNED_IN_PATTERNS,
  ...SIGN_IN_PATTERNS,
  ...PUBLIC_PATTERNS,
];

const folders = new Set(
  PATTERNS.filter((pattern) => pattern.includes("{")).map((pattern) =>
    pattern.slice(0, pattern.indexOf("{")),
  ),
);

export function isServedPath(path: string): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return PATTERNS.includes(path) || (folder !== path && folders.has(folder));
}

/** The endpoint at this path; null if there is none. */
export function matchPath(path: string): RouteMatch | null {
  const match = fixed.get(path);
  if (match !== undefined) return match;
  for (const { route, before, after } of retrievals) {
    if (!path.startsWith(before) || !path.endsWith(after)) continue;
    const id = path.slice(before.length, path.length - after.length);
    if (id !== "" && !id.includes("/")) return { kind: "endpoint", route, id: decoded(id) };
  }
  return null;
}

/** A segment that cannot be decoded becomes an id that no object has. */
const UNDECODABLE = "";

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return UNDECODABLE;
  }
}
