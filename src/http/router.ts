// Finds the endpoint of a path. Few paths need no more than this (decision 2).
import { balancesList } from "./routes/balances.ts";
import { LIST_ROUTES, type ListRoute, RETRIEVE_ROUTES, type RetrieveRoute } from "./routes/route.ts";

export type RouteMatch =
  | { readonly kind: "list"; readonly route: ListRoute }
  | { readonly kind: "retrieve"; readonly route: RetrieveRoute; readonly id: string };

const lists = new Map<string, RouteMatch>(
  [...LIST_ROUTES, balancesList].map((route) => [route.contract.path, { kind: "list", route }]),
);

const retrievals = new Map<string, RetrieveRoute>(
  RETRIEVE_ROUTES.map((route) => [route.contract.path.slice(0, -"{id}".length), route]),
);

/** The endpoint at this path, written as in the request; null if there is none. */
export function matchPath(path: string): RouteMatch | null {
  const list = lists.get(path);
  if (list !== undefined) return list;
  const slash = path.lastIndexOf("/") + 1;
  const route = retrievals.get(path.slice(0, slash));
  if (route === undefined || slash === path.length) return null;
  return { kind: "retrieve", route, id: decoded(path.slice(slash)) };
}

/** A segment that cannot be decoded is not an id: it becomes the empty string, which no object has. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}
