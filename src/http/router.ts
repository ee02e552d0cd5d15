// Finds the endpoint of a path. Few paths need no more than this (decision 2).
import { assignmentsList } from "./routes/assignments.ts";
import { balancesList } from "./routes/balances.ts";
import { policiesList, policyById } from "./routes/policies.ts";
import { requestsList } from "./routes/requests.ts";
import type { ListRoute, RetrieveRoute } from "./routes/route.ts";
import { workerById, workersList } from "./routes/workers.ts";

export type RouteMatch =
  | { readonly kind: "list"; readonly route: ListRoute }
  | { readonly kind: "retrieve"; readonly route: RetrieveRoute; readonly id: string };

const lists = new Map<string, RouteMatch>(
  [workersList, policiesList, requestsList, balancesList, assignmentsList].map((route) => [
    route.contract.path,
    { kind: "list", route },
  ]),
);

const retrievals = new Map<string, RetrieveRoute>(
  [workerById, policyById].map((route) => [route.contract.path.slice(0, -"{id}".length), route]),
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
