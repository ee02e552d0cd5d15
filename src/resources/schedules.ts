// Work schedules: a worker's working time from a day on. Balances and days of leave use them. The API serves them by days.
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
  onWire,
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

export interface ScheduleTerms {
  /** Monday first; one week, or several in turn. */
  readonly minutesPerWeekday: readonly (readonly number[])[];
  readonly fullTimeMinutesPerWeek?: number;
}

export function checkSchedule(
  { fullTimeMinutesPerWeek }: ImportRow<typeof schedules.fields>,
  report: Report<ImportRow<typeof schedules.fields>>,
): void {
  if (fullTimeMinutesPerWeek === 0)
    report(
      "fullTimeMinutesPerWeek",
      "is 0, so that nobody has a share of it: give the minutes of full time, or leave it empty",
    );
}

const scheduledDay = z
  .strictObject({
    date: dateSchema.meta({ example: "2026-05-01" }),
    minutes: z.number().nullable().meta({
      description: "The working minutes, without holidays; null before the first schedule.",
      example: 0,
    }),
    holiday: z.string().nullable().meta({
      description: "The name of the day's holiday, even if only a part of the day is one; otherwise null.",
      example: "Labour Day",
    }),
  })
  .meta({ id: "ScheduledDay" });

export const workSchedule = {
  schemaName: "WorkSchedule",
  description: "The scheduled minutes of a worker, by day. Leave is not subtracted.",
  idKind: "worker",
  fields: {
    workerId: { wire: idSchema("worker") },
    days: onWire(z.array(scheduledDay), "Each day from `from` to `to`."),
  },
} satisfies WireResource;

export type WorkSchedule = Wire<typeof workSchedule.fields>;

export const retrieveSchedule = {
  path: routePattern("/v1/workers/{id}/schedule"),
  operationId: "retrieveSchedule",
  summary: "Retrieve a schedule",
  description: `${workSchedule.description} Balances count leave by the same minutes.`,
  tag: "Workers",
  scope: "workers:read",
  idKind: "worker",
  id: idSchema("worker").describe("The worker's id."),
  notFound: "worker_not_found",
  response: wireSchema(workSchedule),
  parameters: { ...span, ...known },
} satisfies RetrieveContract;
