// Kinds that need little beyond their definition.
import sql from "sql-template-tag";
import { assignmentDay } from "../../../resources/assignments.ts";
import type { ImportRows, Rows } from "../../../resources/kinds.ts";
import { formatDay } from "../../../time/day.ts";
import { shown } from "../../row-errors.ts";
import { mintedId, ROW_STATE, staged } from "../../staging.ts";
import { openingNotes } from "../opening-notes.ts";
import { type KindRules, plainRow, refusedFor } from "./kind.ts";

export const departmentRules: KindRules<"departments"> = {
  build(loaded, { links }) {
    const createdAt = links.createdAt(loaded.fields.createdAt, loaded.stored);
    return { row: plainRow("departments", loaded, { createdAt }) };
  },
};

export const workplaceRules: KindRules<"workplaces"> = {
  build(loaded, { companyId, links }) {
    const { holidayCalendar } = loaded.fields;
    const createdAt = links.createdAt(loaded.fields.createdAt, loaded.stored);
    const holidayCalendarId =
      holidayCalendar === null ? null : mintedId(companyId, "holidayCalendars", holidayCalendar);
    return { row: plainRow("workplaces", loaded, { holidayCalendarId, createdAt }) };
  },
};

export const holidayRules: KindRules<"holidays"> = {
  idOf: (companyId, { calendar, date, name }) =>
    mintedId(companyId, "holidays", calendar, formatDay(date), name),
  build(loaded, { companyId }) {
    const calendarId = mintedId(companyId, "holidayCalendars", loaded.fields.calendar);
    return { row: plainRow("holidays", loaded, { calendarId }, { calendarId }) };
  },
};

export const openingRules: KindRules<"openings"> = {
  mayFail: () => true,
  query: (companyId) => ({
    select: sql`,
      of_files.fields as "assignmentFields",
      a.assigned_day as "assignedDay",
      a.ends_day as "endsDay",
      a.terms as "assignmentTerms",
      worker_of_files.fields as "workerFields",
      w.start_day as "startDay",
      w.end_day as "endDay"`,
    joins: sql`
    left join (
      select worker.id as worker_id, policy.id as policy_id, o.fields
      from ${staged("assignments")} o
      join names_workers worker on worker.name = o.worker_id_name
      join names_policies policy on policy.name = o.policy_id_name
      where o.state = ${ROW_STATE.good}
    ) as of_files on of_files.worker_id = named_worker_id.id and of_files.policy_id = named_policy_id.id
    left join workers w on w.id = named_worker_id.id and w.company_id = ${companyId}
    left join assignments a
      on a.worker_id = named_worker_id.id
      and a.policy_id = named_policy_id.id
      and a.company_id = ${companyId}
    left join ${staged("workers")} worker_of_files
      on worker_of_files.id = named_worker_id.id and worker_of_files.state = ${ROW_STATE.good}`,
  }),
  build(loaded, { policies }) {
    const { fields, more } = loaded;
    const terms = policies.termsOf(loaded.references.policyId!)!; // it was looked up
    const assignment = assignmentOf(more);
    const problem = (field: string, value: string, message: string) =>
      refusedFor({ field, value: shown(value), message });
    if (terms.schedule === "unlimited")
      return problem("policyId", fields.policyId, "names an unlimited policy, which has no balance");
    if (assignment !== null && fields.date < assignment.assignedDay - 1) {
      const message = `is more than a day before the assignment begins on ${formatDay(assignment.assignedDay)}: give the assignment its true first day`;
      return problem("date", formatDay(fields.date), message);
    }
    const row = plainRow("openings", loaded);
    return { row, notes: openingNotes(row, assignment, terms, workerDaysOf(more)) };
  },
};

type More = Readonly<Record<string, string | number | null>>;

/** The assignment of an opening, from these files or stored. */
function assignmentOf(more: More): Pick<Rows["assignments"], "assignedDay" | "endsDay" | "terms"> | null {
  if (more.assignmentFields != null) {
    const fields = JSON.parse(more.assignmentFields as string) as ImportRows["assignments"]; // as it was staged
    const row = { staged: {}, fields, references: {}, stored: null } as Parameters<
      typeof plainRow<"assignments">
    >[1]; // all that `plainRow` needs for terms
    return plainRow("assignments", row, {}, { assignedDay: assignmentDay(fields) });
  }
  if (more.assignedDay == null) return null;
  const { assignedDay, endsDay, assignmentTerms } = more;
  return {
    assignedDay: assignedDay as number, // columns of the row, here and below
    endsDay: endsDay as number | null,
    terms: assignmentTerms as string | null,
  };
}

function workerDaysOf(more: More): Pick<Rows["workers"], "startDay" | "endDay"> {
  if (more.workerFields != null) {
    const { startDate, endDate } = JSON.parse(more.workerFields as string) as ImportRows["workers"]; // as it was staged
    return { startDay: startDate, endDay: endDate };
  }
  return { startDay: more.startDay as number, endDay: more.endDay as number | null };
}
