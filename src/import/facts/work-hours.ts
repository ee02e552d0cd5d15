// Worked hours: from a row of a file to what is stored, and back.
import { z } from "zod";
import type { Rows } from "../../store/tables.ts";
import { formatDay } from "../../time/day.ts";
import * as value from "../values.ts";
import type { FileCells } from "./kind.ts";

export const workHoursRowSchema = z.object({
  workerId: value.reference,
  date: value.day,
  minutes: value.amount(),
});

export type WorkHoursFact = z.output<typeof workHoursRowSchema>;

/** `workerId` is the one that the fact's reference names. */
export function workHoursRow(fact: WorkHoursFact, workerId: string): Rows["work_hours"] {
  return { workerId, day: fact.date, minutes: fact.minutes };
}

export function workHoursCells({ workerId, day, minutes }: Rows["work_hours"]): FileCells {
  return { workerId, date: formatDay(day), minutes };
}
