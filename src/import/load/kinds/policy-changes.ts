// Rules with a date: a policy's row repeats its changes, and has the terms that are in force on the day of the import.

import type { StoredChange } from "../../../resources/policies.ts";
import { changeProblem, storedChange, withChanges } from "../../../resources/policy-changes.ts";
import type { ImportTransaction } from "../../../store/store.ts";
import type { Rows } from "../../../store/tables.ts";
import type { Day } from "../../../time/day.ts";

/** Writes every policy whose changes, or whose terms on `today`, are others. Says how many, and what is wrong with changes. */
export async function refreshPolicies(
  transaction: ImportTransaction,
  today: Day,
): Promise<{ readonly changed: number; readonly problems: readonly string[] }> {
  const changesOf = new Map<string, StoredChange[]>();
  for await (const rows of transaction.scan("policy_changes"))
    for (const row of rows) {
      const changes = changesOf.get(row.policyId) ?? [];
      changesOf.set(row.policyId, changes);
      changes.push(storedChange(row));
    }
  const problems: string[] = [];
  const changed: Rows["policies"][] = [];
  for await (const rows of transaction.scan("policies"))
    for (const row of rows) {
      const changes = (changesOf.get(row.id) ?? []).sort((a, b) => a.from - b.from);
      const problem = changeProblem(row, changes);
      if (problem !== null) problems.push(problem);
      const now = withChanges(row, changes, today);
      if (now.doc !== row.doc || now.terms !== row.terms) changed.push(now);
    }
  if (problems.length === 0 && changed.length > 0) await transaction.put("policies", changed);
  return { changed: changed.length, problems };
}
