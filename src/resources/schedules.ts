// Work schedules: what a worker works from a day on. Balances and days of leave use them. The API serves them by days.
import { z } from "zod";
import { minutesPerWeekday } from "./balance-cells.ts";
import * as cell from "./cells.ts";
import { dateSchema } from "./cells.ts";
import { span } from "./days.ts";
import { idSchema } from "./ids.ts";
import { known } from "./query.ts";
import {
  column,
  type ImportRow,
  type Report,
  type Resource,
  type RetrieveContract,
  routePattern,
  type Wire,
  type WireResource,
  wireSchema,
} from "./resource.ts";

export const schedules = {
  kind: "schedules",
  key: ["workerId", "day"],
  idPrefix: null,
  fields: {
    workerId: { cell: cell.reference, column: column.text("workerId") },
    startsOn: { cell: cell.day, column: column.day("day") },
    minutesPerWeekday: { cell: minutesPerWeekday, isTerm: true },
    fullTimeMinutesPerWeek: { cell: cell.optionalAmount(), isTerm: true },
    holidayCalendar: { cell: cell.optionalGroup, column: column.text("calendar") },
  },
  derived: {},
  belongsTo: { workerId: "workers" },
  balanceColumns: ["workerId", "day", "terms", "calendar"],
  indexes: [],
} as const satisfies Resource;

/** The terms of a stored schedule. */
export interface ScheduleTerms {
  /** Monday first; one week, or several in turn. */
  readonly minutesPerWeekday: readonly (readonly number[])[];
  readonly fullTimeMinutesPerWeek?: number;
}

/** Cross-field validation of a schedule. */
export function checkSchedule(
  { fullTimeMinutesPerWeek }: ImportRow<typeof schedules.fields>,
  report: Report<ImportRow<typeof schedules.fields>>,
): void {
  if (fullTimeMinutesPerWeek === 0)
    report("fullTimeMinutesPerWeek", "is 0: nobody's share of it can be told");
}

const scheduledDay = z
  .strictObject({
    date: dateSchema.meta({ example: "2026-05-01" }),
    minutes: z.number().nullable().meta({
      description: "The minutes that are worked, holidays left out; null before the first schedule.",
      example: 0,
    }),
    holiday: z.string().nullable().meta({
      description: "The name of the holiday that the day, or a part of it, is; else null.",
      example: "Labour Day",
    }),
  })
  .meta({ id: "ScheduledDay" });

export const workSchedule = {
  schemaName: "WorkSchedule",
  description: "What a worker is scheduled to work on which day. Leave is not taken off.",
  idKind: "worker",
  fields: {
    workerId: { wire: idSchema("worker") },
    days: { wire: z.array(scheduledDay).meta({ description: "Each day from `from` to `to`." }) },
  },
} satisfies WireResource;

export type WorkSchedule = Wire<typeof workSchedule.fields>;

export const retrieveSchedule = {
  path: routePattern("/v1/workers/{id}/schedule"),
  operationId: "retrieveSchedule",
  summary: "Retrieve a schedule",
  description: `${workSchedule.description} By the rule that balances count leave by.`,
  tag: "Workers",
  scope: "workers:read",
  idKind: "worker",
  id: idSchema("worker").meta({ description: "The worker's id." }),
  notFound: "worker_not_found",
  response: wireSchema(workSchedule),
  parameters: { ...span, ...known },
} satisfies RetrieveContract;
