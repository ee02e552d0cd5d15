// How the rows of each kind are built. Those of kinds that need little beyond their definition are here.
import { KINDS, type Kind } from "../../../resources/kinds.ts";
import { formatDay } from "../../../time/day.ts";
import { mintedId } from "../../staging.ts";
import { assignmentRules } from "./assignments.ts";
import { type KindRules, plainRow, plainRules } from "./kind.ts";
import { openingRules } from "./openings.ts";
import { policyRules } from "./policies.ts";
import { requestRules } from "./requests.ts";
import { workerRules } from "./workers.ts";

const departmentRules: KindRules<"departments"> = {
  build(loaded, { links }) {
    const createdAt = links.createdAt(loaded.fields.createdAt, loaded.stored);
    return { row: plainRow("departments", loaded, { createdAt }) };
  },
};

const workplaceRules: KindRules<"workplaces"> = {
  build(loaded, { companyId, links }) {
    const { holidayCalendar } = loaded.fields;
    const createdAt = links.createdAt(loaded.fields.createdAt, loaded.stored);
    const holidayCalendarId =
      holidayCalendar === null ? null : mintedId(companyId, "holidayCalendars", holidayCalendar);
    return { row: plainRow("workplaces", loaded, { holidayCalendarId, createdAt }) };
  },
};

const holidayRules: KindRules<"holidays"> = {
  idOf: (companyId, { calendar, date, name }) =>
    mintedId(companyId, "holidays", calendar, formatDay(date), name),
  build(loaded, { companyId }) {
    const calendarId = mintedId(companyId, "holidayCalendars", loaded.fields.calendar);
    return { row: plainRow("holidays", loaded, { calendarId }, { calendarId }) };
  },
};

const OWN: { readonly [K in Kind]?: KindRules<K> } = {
  departments: departmentRules,
  workplaces: workplaceRules,
  holidays: holidayRules,
  workers: workerRules,
  policies: policyRules,
  assignments: assignmentRules,
  requests: requestRules,
  openings: openingRules,
};

export const KIND_RULES = Object.fromEntries(KINDS.map((kind) => [kind, OWN[kind] ?? plainRules(kind)])) as {
  readonly [K in Kind]: KindRules<K>;
}; // one entry per kind
