// Assignments: one for each worker and policy, with an id of its own.
import sql, { raw } from "sql-template-tag";
import { assignedAtOf, assignmentDay } from "../../../resources/assignments.ts";
import { OWN_TERMS, ownTermProblem } from "../../../resources/policies.ts";
import { cellOf } from "../../../resources/registry.ts";
import type { ImportSession } from "../../../store/store.ts";
import { parseDateTime } from "../../../time/instant.ts";
import type { BadRows } from "../../bad-rows.ts";
import { shown } from "../../row-errors.ts";
import { mintedId, ROW_STATE, type StagedRow, selectedOf, staged } from "../../staging.ts";
import { hasKeyOfStaged, joinedNames } from "../references.ts";
import { setIds } from "../stored-rows.ts";
import { type AssignmentHints, midnightDay } from "./hints.ts";
import { type KindRules, plainRow, refusedFor } from "./kind.ts";

export const assignmentRules: KindRules<"assignments"> = {
  hintsOf({ row, importRow }): AssignmentHints | null {
    const { assignedAt } = row;
    const isAlone =
      importRow.startsOn === null &&
      typeof assignedAt === "string" &&
      parseDateTime(assignedAt.trim()) !== null;
    return isAlone ? { assignedAt: midnightDay(assignedAt) } : null;
  },
  mayFail: ({ importRow }) =>
    importRow.movesFrom !== null || OWN_TERMS.some((term) => importRow[term] !== null),
  build(loaded, { companyId, policies }) {
    const { fields, references, stored, staged: row } = loaded;
    const { workerId, policyId, movesFrom } = references;
    if (movesFrom != null) {
      const isUnlimited = [policyId!, movesFrom].some((id) => policies.termsOf(id)!.isUnlimited); // they were looked up
      if (isUnlimited || movesFrom === policyId) {
        const message = isUnlimited
          ? "cannot move: one of the two policies is unlimited, and has no balance"
          : "is the assignment's own policy: name the policy that the balance moves from";
        return refusedFor({ field: "movesFrom", value: shown(fields.movesFrom!), message });
      }
    }
    const own = OWN_TERMS.some((term) => fields[term] !== null)
      ? ownTermProblem(fields, policies.termsOf(policyId!)!)
      : null;
    if (own !== null) {
      const value = shown(String(cellOf("assignments", own.field)?.write(fields[own.field]) ?? ""));
      return refusedFor({ ...own, value });
    }
    const id = row.id ?? stored?.id ?? mintedId(companyId, "assignments", workerId!, policyId!);
    return {
      row: plainRow(
        "assignments",
        loaded,
        { id, assignedAt: assignedAtOf(fields) },
        { assignedDay: assignmentDay(fields) },
      ),
    };
  },
};

/** Refuses ids that belong to another pair of worker and policy. Most files give none. */
export async function refuseTakenIds(
  session: ImportSession,
  bad: BadRows,
  hasGivenIds: boolean,
): Promise<void> {
  if (!hasGivenIds) return;
  const { companyId } = session;
  const rows = sql`
    ${staged("assignments")} s
    ${joinedNames("assignments")}
    left join assignments r on ${hasKeyOfStaged("assignments", companyId)}`;
  const good = sql`s.state = ${ROW_STATE.good}`;
  await bad.refuseStaged<"assignments", StagedRow & { readonly storedId: string }>(
    "assignments",
    sql`
      select ${selectedOf("assignments")}, r.id as "storedId"
      from ${rows}
      where s.has_id = 1 and r.id <> s.id and ${good}
      order by s.n`,
    ({ id, storedId }) =>
      refusedFor({
        field: "id",
        value: shown(id),
        message: "is not the id of this worker's assignment to this policy",
        other: `: it has ${storedId}, and ids never change`,
      }),
  );
  // The other rows get their ids first, so that a given id can be compared with them.
  await setIds(session, "assignments", sql` and s.has_id = 0`, ({ references: { workerId, policyId } }) =>
    mintedId(companyId, "assignments", workerId!, policyId!),
  );
  await session.run(sql`
    update ${staged("assignments")}
    set id = stored.id
    from (select s.n, r.id from ${rows} where r.id is not null) as stored
    where ${staged("assignments")}.n = stored.n`);
  await session.run(sql`create index ${raw("staged_assignments_id")} on ${staged("assignments")} (id)`);
  await bad.refuseStaged(
    "assignments",
    sql`
      select ${selectedOf("assignments")}
      from ${rows}
      where ${good}
        and (exists (select 1 from ${staged("assignments")} o
               where o.id = s.id and o.n < s.n and o.state = ${ROW_STATE.good}
                 and (o.worker_id_name <> s.worker_id_name or o.policy_id_name <> s.policy_id_name))
          or exists (select 1 from assignments o
               where o.company_id = ${companyId} and o.id = s.id
                 and (o.worker_id <> named_worker_id.id or o.policy_id <> named_policy_id.id)))
      order by s.n`,
    ({ id }) =>
      refusedFor({
        field: "id",
        value: shown(id),
        message: "is the id of another worker's or policy's assignment",
      }),
  );
}
