// Worked hours: minutes that a worker worked on a day, for policies that grant by the hour. They are in files alone.
import * as cell from "./cells.ts";
import { column, type Resource, type Row } from "./resource.ts";

export const workHours = {
  kind: "work_hours",
  key: ["workerId", "day"],
  idPrefix: null,
  fields: {
    workerId: { cell: cell.reference, column: column.text("workerId") },
    date: { cell: cell.day, column: column.day("day") },
    minutes: { cell: cell.amount(), column: column.minutes("minutes") },
  },
  derived: {},
} satisfies Resource;

export type WorkHoursRow = Row<typeof workHours>;
