// Which rows a source has completely. Pruning removes only within these.
import { z } from "zod";
import type { Kind, Rows } from "../../resources/kinds.ts";
import type { FromDay } from "../../store/store.ts";
import { type Day, parseDay } from "../../time/day.ts";

/** The properties of a row with its first and its last day. */
export type DayColumns = readonly [first: string, last: string];

/** For each kind with days: its first and last day. An empty last day is in the future. */
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

/** What a source is complete for. `updatedSince` means only recent changes, so rows that it lacks prove nothing. */
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

/** The days from which all these sources have every row of a kind; empty if they have all rows, null if any may be missing. */
export function prunableFrom(kind: Kind, all: readonly Complete[], today: Day): readonly FromDay[] | null {
  const columns = dayColumnsOf(kind);
  if (all.some(({ updatedSince }) => updatedSince !== undefined)) return null;
  return all.flatMap(({ startsOnOrAfter, endsOnOrAfter }) =>
    [startsOnOrAfter, endsOnOrAfter].flatMap((text, at) =>
      text === undefined || columns === null ? [] : [{ column: columns[at]!, day: dayFrom(text, today)! }],
    ),
  ); // checked: texts are days, and kinds without days have none
}
