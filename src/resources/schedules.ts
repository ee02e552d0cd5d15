// What a worker works from a day on. In files alone, and what balances and days of leave are computed from.
import { minutesPerWeekday } from "./balance-cells.ts";
import * as cell from "./cells.ts";
import { column, type ImportRow, type Report, type Resource } from "./resource.ts";

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
  /** Monday first, of one week or several in turn. */
  readonly minutesPerWeekday: readonly (readonly number[])[];
  readonly fullTimeMinutesPerWeek?: number;
}

/** What is wrong with fields that are valid one by one. */
export function checkSchedule(
  { fullTimeMinutesPerWeek }: ImportRow<typeof schedules.fields>,
  report: Report<ImportRow<typeof schedules.fields>>,
): void {
  if (fullTimeMinutesPerWeek === 0)
    report("fullTimeMinutesPerWeek", "is 0: nobody's share of it can be told");
}
