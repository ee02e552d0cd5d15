// Openings: which balances they can be of, and findings about them, which the rules of balances show.
import sql from "sql-template-tag";
import { Accruals } from "../../../balances/accruals.ts";
import { coverageOf } from "../../../balances/coverage.ts";
import type { AssignmentTerms, BalanceFacts } from "../../../balances/facts.ts";
import { factsOf } from "../../../balances/index.ts";
import { add, type Rational, subtract, toHundredths, ZERO } from "../../../balances/rational.ts";
import { carriedExpiry, versionsOf } from "../../../balances/versions.ts";
import { assignmentDay } from "../../../resources/assignments.ts";
import type { ImportRows, Rows } from "../../../resources/kinds.ts";
import { policyOf, type StoredPolicyTerms } from "../../../resources/policies.ts";
import { type Day, formatDay } from "../../../time/day.ts";
import { shown } from "../../row-errors.ts";
import { ROW_STATE, staged } from "../../staging.ts";
import { type KindRules, plainRow, type RowNote, refusedFor } from "./kind.ts";

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
  build(loaded, { policies, isPulled, today }) {
    const { fields, more, stored } = loaded;
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
    const notes = openingNotes(row, assignment, terms, workerDaysOf(more));
    // On its day itself, the day is right: an export is loaded again, or its unit was corrected.
    if (!isPulled && stored?.day === row.day && row.day < today && stored.minutes !== row.minutes)
      notes.push({
        code: "opening-same-day",
        example: `${formatDay(row.day)}: ${row.minutes} minutes, before ${stored.minutes}`,
      });
    return { row, notes };
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

function openingNotes(
  opening: Rows["openings"],
  assignment: Pick<Rows["assignments"], "assignedDay" | "endsDay" | "terms"> | null,
  policy: StoredPolicyTerms,
  { startDay, endDay }: Pick<Rows["workers"], "startDay" | "endDay">,
): RowNote[] {
  if (assignment === null)
    return [{ code: "never-assigned", example: `opening of ${formatDay(opening.day)}` }];
  const { assignedDay: assignedOn, endsDay: endsOn } = assignment;
  const terms = JSON.parse(assignment.terms ?? "{}") as Partial<AssignmentTerms>; // what the import wrote
  const given = { policy: policyOf(policy), opening };
  const facts = factsOf({
    ...given,
    assignment: { ...terms, assignedOn, endsOn },
    worker: { startDate: startDay, endDate: endDay },
  });
  const notes: RowNote[] = [];
  const { day, carriedMinutes } = opening;
  const more = (a: Rational, b: Rational) => toHundredths(subtract(a, b)) / 100;
  const granted = more(grantedThrough(facts, day), grantedThrough(facts, day - 1));
  if (granted > Math.max(0, opening.minutes))
    notes.push({ code: "opening-grant", example: `${formatDay(day)} grants ${granted} minutes` });
  const endless = factsOf({
    ...given,
    assignment: { ...terms, assignedOn },
    worker: { startDate: startDay },
  });
  const notShortened = more(grantedThrough(endless, day), grantedThrough(facts, day));
  // If coverage had ended by the opening, the previous system knew of the end.
  if (notShortened > 0 && coverageOf(facts).last > day)
    notes.push({ code: "opening-leaver", example: `${notShortened} minutes` });
  if (carriedMinutes !== null && carriedMinutes > 0 && carriedExpiry(facts) === null)
    notes.push({ code: "opening-expiry", example: `${carriedMinutes} minutes` });
  return notes;
}

/** The sum of all grants up to and including a day, without caps. */
function grantedThrough(facts: BalanceFacts, day: Day): Rational {
  let sum = ZERO;
  const accrue = (_: Day, minutes: Rational) => {
    sum = add(sum, minutes);
    return minutes;
  };
  new Accruals(facts, versionsOf(facts), coverageOf(facts), { accrue }).post(day);
  return sum;
}
