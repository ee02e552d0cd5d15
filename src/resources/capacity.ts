// Capacity: what people can work by days, weeks or months. Computed for the requested days, never stored (docs/api.md, Capacity).
import { z } from "zod";
import { dateSchema } from "./cells.ts";
import { span } from "./days.ts";
import { EXAMPLE_ID, type IdKind, idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  type ListContract,
  listOf,
  minutesOnWire,
  onWire,
  routePattern,
  type Wire,
  type WireResource,
  wireSchema,
} from "./resource.ts";
import { workerFilters } from "./worker-filters.ts";

export const PERIODS = ["day", "week", "month"] as const;
export const CAPACITY_GROUPS = ["department", "worker"] as const;
export const CAPACITY_MINUTES = ["scheduled", "holidays", "approved", "pending", "left"] as const;

const grouped = (kind: Extract<IdKind, "worker" | "department">, more = "") =>
  idSchema(kind)
    .nullable()
    .meta({ description: `Null unless \`groupBy\` is ${kind}${more}.`, example: EXAMPLE_ID[kind] });

export const capacity = {
  schemaName: "Capacity",
  description: "What people can work in some days, in minutes with at most two decimals.",
  idKind: "capacity",
  fields: {
    id: { wire: idSchema("capacity") },
    from: onWire(dateSchema, "The first day.", "2026-03-02"),
    to: onWire(dateSchema, "The last day, included.", "2026-03-08"),
    workerId: { wire: grouped("worker") },
    departmentId: { wire: grouped("department", ", and of workers without one") },
    department: onWire(z.string().nullable(), "The department's name.", "Payroll"),
    workers: onWire(z.int(), "How many workers are employed on one of these days.", 12),
    assumedWorkers: onWire(
      z.int(),
      "How many of them have a day without a schedule. On such a day they count with eight hours if it is a work day, by default Monday to Friday.",
      0,
    ),
    scheduled: minutesOnWire("Scheduled minutes, holidays included.", 28_800),
    holidays: minutesOnWire("The scheduled minutes of holidays.", 0),
    approved: minutesOnWire("Minutes of approved leave, outside holidays.", 2400),
    pending: minutesOnWire("Minutes of pending leave, outside holidays.", 480),
    left: minutesOnWire("scheduled − holidays − approved − pending.", 25_920),
  },
} satisfies WireResource;

export type Capacity = Wire<typeof capacity.fields>;

const capacitySchema = wireSchema(capacity);

export const listCapacity = {
  path: routePattern("/v1/time_off/capacity"),
  operationId: "listCapacity",
  summary: "List capacity",
  description:
    "What people can work by days, weeks (from Monday) or months: scheduled minutes, holidays, leave, and the rest. Neither leave during which people work nor leave outside of working time counts. Ordered by worker or department, then by day.",
  tag: "Time off",
  scope: "time_off:read",
  scopeNote:
    "Needs the scope `time_off:read`; with `groupBy`, `departmentIds` or `managerIds`, `workers:read`, too.",
  item: capacitySchema,
  response: listOf("CapacityList", capacitySchema),
  parameters: {
    ...query.cursors("capacity"),
    ...span,
    by: query.choice(PERIODS, "The period of a row; by default a week.", "week"),
    groupBy: query.choice(
      CAPACITY_GROUPS,
      "How rows are grouped; by default one row for all people.",
      "department",
    ),
    workerIds: query.ids("worker", "Only these workers."),
    ...workerFilters("capacity"),
    ...query.known,
  },
} satisfies ListContract;
