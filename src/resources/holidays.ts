// Holidays of calendars: days, or parts of days, that are not worked.
import { z } from "zod";
import { dayOfText } from "../time/day.ts";
import * as cell from "./cells.ts";
import { dateSchema, legacyIdSchema } from "./cells.ts";
import { idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  column,
  filter,
  type ImportRow,
  type ListResource,
  type Report,
  routePattern,
  type Wire,
} from "./resource.ts";

export const holidays = {
  kind: "holidays",
  schemaName: "Holiday",
  description: "A day of a calendar that is not worked, in whole or in part.",
  idKind: "holiday",
  key: ["id"],
  fields: {
    id: { wire: idSchema("holiday"), cell: cell.id("holiday"), column: column.text("id") },
    calendarId: {
      wire: idSchema("holidayCalendar").describe("The id of the calendar, made from its name."),
      compute: ({ calendarId }) => calendarId,
    },
    calendar: {
      wire: z.string().meta({
        maxLength: cell.NAME_MAX,
        description: "The name of the calendar.",
        example: "Berlin",
      }),
      cell: cell.group,
      column: column.text("calendar"),
    },
    date: { wire: dateSchema, cell: cell.day, column: column.day("day") },
    name: {
      wire: z.string().meta({ maxLength: cell.NAME_MAX, example: "New Year's Day" }),
      cell: cell.text,
      column: column.text("name"),
    },
    minutes: {
      wire: z.number().nullable().meta({
        description: "How many minutes of the day are not worked; null for the whole day.",
        example: null,
      }),
      cell: cell.optionalAmount(),
      column: column.minutes("minutes"),
    },
    legacyId: { wire: legacyIdSchema, cell: cell.legacyId, column: column.text("legacyId") },
  },
  derived: { calendarId: "text" },
  isOfCompany: true,
  belongsTo: {},
  balanceColumns: ["calendar", "day", "minutes"],
  indexes: [
    { name: "holidays_legacy_id", columns: ["legacyId"], covers: [], rows: "few" },
    { name: "holidays_calendar", columns: ["calendarId"], covers: ["day", "minutes"], rows: "few" },
    { name: "holidays_days", columns: ["calendar", "day"], covers: ["minutes", "name"], rows: "few" },
  ],
  api: {
    path: routePattern("/v1/holidays"),
    tag: "Time off",
    scope: "time_off:read",
    isRetrieved: false,
    filters: {
      calendarIds: filter(
        "calendarId",
        query.ids("holidayCalendar", "Only holidays of one of these calendars."),
      ),
      from: filter("day", query.dayNumber("Only holidays on this day or later.", dayOfText), ">="),
      to: filter(
        "day",
        query.dayNumber("Only holidays on this day or earlier.", (text) => dayOfText(text) + 1),
        "<",
      ),
    },
  },
} as const satisfies ListResource;

export type Holiday = Wire<typeof holidays.fields>;

export function checkHoliday(
  { calendar }: ImportRow<typeof holidays.fields>,
  report: Report<ImportRow<typeof holidays.fields>>,
): void {
  if (calendar === "none")
    report("calendar", "is reserved for schedules without holidays: give it another name");
}
