// What a source has all of: pruning removes nothing else.
import { z } from "zod";
import type { Kind, Rows } from "../../resources/kinds.ts";
import type { DayColumns, FromDay } from "../../store/store.ts";
import { type Day, parseDay } from "../../time/day.ts";

/** The first and the last day of rows, of the kinds that have any. The last may be empty: it has not come. */
const DAYS = {
  workers: ["startDay", "endDay"],
  assignments: ["assignedDay", "endsDay"],
  requests: ["firstDay", "lastDay"],
  adjustments: ["day", "day"],
  work_hours: ["day", "day"],
  reported: ["day", "day"],
} as const satisfies { readonly [K in Kind]?: readonly [keyof Rows[K] & string, keyof Rows[K] & string] };

export function dayColumnsOf(kind: Kind): DayColumns | null {
  return (DAYS as { readonly [K in Kind]?: DayColumns })[kind] ?? null;
}

const TODAY = /^\{today(?:([+-]\d{1,5})d)?\}$/;

/** `2026-01-31`, `{today}`, `{today-30d}`; null for any other text. */
function dayFrom(text: string, today: Day): Day | null {
  const relative = TODAY.exec(text);
  return relative === null ? parseDay(text) : today + Number(relative[1] ?? 0);
}

const day = z.string().refine((text) => dayFrom(text, 0) !== null, {
  error: "is not a day such as {today-730d} or 2025-01-01",
});

/** The rows that a source has all of. With `updatedSince` it has what was changed of late: what it lacks may be anything. */
export const completeSchema = z
  .strictObject({
    endsOnOrAfter: day.optional(),
    startsOnOrAfter: day.optional(),
    updatedSince: day.optional(),
  })
  .refine((options) => Object.keys(options).length > 0, {
    error: "is empty: name endsOnOrAfter, startsOnOrAfter or updatedSince",
  });

export type Complete = z.output<typeof completeSchema>;

/** The days from which all of these have the rows of a kind; none where they have all rows, null where they may lack any. */
export function prunableFrom(kind: Kind, all: readonly Complete[], today: Day): readonly FromDay[] | null {
  const columns = dayColumnsOf(kind);
  if (all.some(({ updatedSince }) => updatedSince !== undefined)) return null;
  return all.flatMap(({ startsOnOrAfter, endsOnOrAfter }) =>
    [startsOnOrAfter, endsOnOrAfter].flatMap((text, at) =>
      text === undefined || columns === null ? [] : [{ column: columns[at]!, day: dayFrom(text, today)! }],
    ),
  ); // the texts were checked, and kinds without days have none
}
