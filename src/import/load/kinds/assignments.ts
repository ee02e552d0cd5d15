// Assignments: one for each worker and policy, with an id of its own.
import sql, { raw } from "sql-template-tag";
import { assignedAtOf, assignmentDay } from "../../../resources/assignments.ts";
import { OWN_TERMS, ownTermProblem } from "../../../resources/policies.ts";
import { cellOf } from "../../../resources/registry.ts";
import type { ImportSession, ImportStatements } from "../../../store/store.ts";
import { formatDay } from "../../../time/day.ts";
import { parseDateTime } from "../../../time/instant.ts";
import type { BadRows } from "../../bad-rows.ts";
import { shown } from "../../row-errors.ts";
import { mintedId, ROW_STATE, type StagedRow, selectedOf, staged } from "../../staging.ts";
import { hasKeyOfStaged, joinedNames } from "../references.ts";
import { setIds } from "../stored-rows.ts";
import { type Hints, midnightDay } from "./hints.ts";
import { type KindRules, plainRow, refusedFor } from "./kind.ts";

export const assignmentRules: KindRules<"assignments"> = {
  hintsOf({ row, importRow }): Hints | null {
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

// Balances that move from one policy to another (docs/balances.md, Moving to another policy).

/** An assignment that names a policy from which no balance can move to it. */
interface BrokenMove {
  /** The worker's legacy id, else its id. */
  readonly worker: string;
  readonly oldPolicyId: string;
  readonly assignedDay: number;
  /** The assignment day of the assignment to that policy; null if there is none. */
  readonly oldDay: number | null;
  readonly oldEndsDay: number | null;
}

/** How many broken moves a message names. */
const EXAMPLES = 3;

/**
 * One text for each kind of mistake in moves, with a few examples. Called once all assignments are written. The old assignment must end the
 * day before the new one begins, and no other may move from it.
 */
export async function brokenMoves(statements: ImportStatements): Promise<string[]> {
  const moves = await statements.run<BrokenMove>(sql`
    select
      coalesce(w.legacy_id, w.id) as "worker", coalesce(p.legacy_id, p.id) as "oldPolicyId",
      n.assigned_day as "assignedDay", o.assigned_day as "oldDay", o.ends_day as "oldEndsDay"
    from assignments n
    join workers w on w.company_id = n.company_id and w.id = n.worker_id
    join policies p on p.company_id = n.company_id and p.id = n.moves_from
    left join assignments o
      on o.company_id = n.company_id and o.worker_id = n.worker_id and o.policy_id = n.moves_from
    where n.company_id = ${statements.companyId}
      and n.moves_from is not null
      and (
        o.assigned_day is null
        or o.assigned_day >= n.assigned_day
        or o.ends_day <> n.assigned_day - 1
        or exists (
          select 1
          from assignments t
          where t.company_id = n.company_id and t.worker_id = n.worker_id
            and t.moves_from = n.moves_from and t.policy_id < n.policy_id))
    order by n.worker_id, n.policy_id`);
  return [...Map.groupBy(moves, problemOf)].map(([problem, broken]) => {
    const examples = broken.slice(0, EXAMPLES).map(textOf).join("; ");
    const more = broken.length > EXAMPLES ? `, and ${broken.length - EXAMPLES} more` : "";
    return `assignments with a move: ${problem} (${examples}${more})`;
  });
}

function textOf({ worker, oldPolicyId, assignedDay }: BrokenMove): string {
  return `worker ${shown(worker)} from ${shown(oldPolicyId)} on ${formatDay(assignedDay)}`;
}

function problemOf({ assignedDay, oldDay, oldEndsDay }: BrokenMove): string {
  if (oldDay === null)
    return "the worker has no assignment to the old policy: import it, with its true first day";
  if (oldDay >= assignedDay)
    return "the assignment to the old policy begins on the same day or later: it must begin before the move";
  if (oldEndsDay !== null && oldEndsDay !== assignedDay - 1)
    return "the assignment to the old policy does not end on the day before the move: leave its endsOn empty";
  return "two assignments move from the same policy: a balance can move only once";
}
