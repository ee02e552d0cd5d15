// Findings about openings, which the rules of balances show.
import { type AssignmentTerms, openingFacts } from "../../balances/facts.ts";
import { factsOf } from "../../balances/index.ts";
import { carriedForEver, grantedOnOpening, notShortened } from "../../balances/openings.ts";
import { policyOf, type StoredPolicyTerms } from "../../resources/policies.ts";
import type { Rows } from "../../store/tables.ts";
import { formatDay } from "../../time/day.ts";
import type { RowNote } from "./kinds/kind.ts";

export function openingNotes(
  opening: Rows["openings"],
  assignment: Pick<Rows["assignments"], "assignedDay" | "endsDay" | "terms"> | null,
  policy: StoredPolicyTerms,
  { startDay, endDay }: Pick<Rows["workers"], "startDay" | "endDay">,
): RowNote[] {
  if (assignment === null)
    return [{ code: "never-assigned", example: `opening of ${formatDay(opening.day)}` }];
  const { assignedDay: assignedOn, endsDay: endsOn } = assignment;
  const terms = JSON.parse(assignment.terms ?? "{}") as Partial<AssignmentTerms>; // what the import wrote
  const facts = factsOf({
    assignment: { ...terms, assignedOn, endsOn },
    policy: policyOf(policy),
    worker: { startDate: startDay, endDate: endDay },
    opening: openingFacts(opening),
  });
  const notes: RowNote[] = [];
  const granted = grantedOnOpening(facts);
  if (granted > Math.max(0, opening.minutes))
    notes.push({ code: "opening-grant", example: `${formatDay(opening.day)} grants ${granted} minutes` });
  const minutes = notShortened(facts);
  if (minutes > 0) notes.push({ code: "opening-leaver", example: `${minutes} minutes` });
  const forEver = carriedForEver(facts);
  if (forEver > 0) notes.push({ code: "opening-expiry", example: `${forEver} minutes` });
  return notes;
}
