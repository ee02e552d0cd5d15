// The filters `departmentIds` and `managerIds` of lists whose rows belong to workers (docs/api.md, Endpoints).
import * as query from "./query.ts";

/** Filters that need the scope `workers:read`. */
export const WORKER_FILTERS = ["departmentIds", "managerIds"] as const;

export const workerFilters = (what: string) => ({
  departmentIds: query.ids(
    "department",
    `Only ${what} of workers of one of these departments. Needs \`workers:read\`.`,
  ),
  managerIds: query.ids(
    "worker",
    `Only ${what} of workers who report to one of these. Needs \`workers:read\`.`,
  ),
});

export const WORKER_FILTERS_NOTE =
  "Needs the scope `time_off:read`; with `departmentIds` or `managerIds`, `workers:read`, too.";
