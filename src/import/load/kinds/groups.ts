// Departments and workplaces that were created from names, and the tree of departments.
import sql, { join, raw } from "sql-template-tag";
import { type Kind, PARENT_COLUMNS, type ParentKind } from "../../../resources/kinds.ts";
import type { ImportSession, ImportTransaction } from "../../../store/store.ts";
import { columnName } from "../../../store/tables.ts";
import type { BadRows } from "../../bad-rows.ts";
import { shown } from "../../row-errors.ts";
import { ROW_STATE, type StagedRow, selectedOf, staged } from "../../staging.ts";
import { forgetNames, joinedNames, referenced, referredId, resolveReferences } from "../references.ts";
import { type GroupKind, idsOfName } from "./workers.ts";

export function isGroup(kind: Kind): kind is GroupKind {
  return kind === "departments" || kind === "workplaces";
}

/** Gives staged groups the ids of stored groups that were created from their names. Returns whether it gave any. */
export async function adoptGroups(session: ImportSession, kind: GroupKind): Promise<boolean> {
  const { companyId } = session;
  const rows = await session.run<{ n: number; name: string }>(sql`
    select s.n as "n", s.name as "name"
    from ${staged(kind)} s
    where s.has_id = 0
      and s.legacy_id is not null
      and not exists (
        select 1 from ${raw(kind)} r where r.company_id = ${companyId} and r.legacy_id = s.legacy_id)
    order by s.n`);
  let hasAdopted = false;
  const taken = new Set<string>();
  for (const { n, name } of rows) {
    const [made] = await session.run<{ id: string }>(sql`
      select id as "id"
      from ${raw(kind)}
      where company_id = ${companyId}
        and id in (${join(idsOfName(companyId, kind, name))})
        and legacy_id is null
        and name = ${name}`);
    if (made === undefined || taken.has(made.id)) continue;
    taken.add(made.id);
    hasAdopted = true;
    await session.run(sql`update ${staged(kind)} set id = ${made.id}, has_id = 1 where n = ${n}`);
  }
  return hasAdopted;
}

/** Removes unused groups that were created from names. Returns how many. */
export async function removeUnused(
  session: ImportSession,
  transaction: ImportTransaction,
  kind: GroupKind,
): Promise<number> {
  const rows = await session.run<{ id: string; name: string }>(sql`
    select id as "id", name as "name"
    from ${raw(kind)}
    where company_id = ${session.companyId} and legacy_id is null
    order by id`);
  const made = rows.filter(({ id, name }) => idsOfName(session.companyId, kind, name).includes(id));
  const used = await referenced(
    session,
    kind,
    made.map(({ id }) => id),
  );
  const unused = made.filter(({ id }) => !used.has(id));
  await transaction.remove(
    kind,
    unused.map(({ id }) => [id]),
  );
  return unused.length;
}

/** Refuses rows that would be their own parent or ancestor. */
export async function refuseCycles(
  session: ImportSession,
  kind: Kind & ParentKind,
  bad: BadRows,
  fileOf: (kind: Kind) => string,
): Promise<void> {
  const { column, field } = PARENT_COLUMNS.find((parent) => parent.kind === kind && parent.parent === kind)!; // a tree has it
  const ofFiles = await session.run<{ id: string; parent: string | null }>(sql`
    select s.id as "id", ${raw(referredId(column))} as "parent"
    from ${staged(kind)} s
    ${joinedNames(kind)}
    where s.state = ${ROW_STATE.good}`);
  const parents = new Map(ofFiles.map(({ id, parent }) => [id, parent]));
  const cyclic = idsInCycles(parents);
  await bad.refuseStaged<Kind, StagedRow>(
    kind,
    sql`
      select ${selectedOf(kind)}
      from ${staged(kind)} s
      where s.state = ${ROW_STATE.good}
      order by s.n`,
    ({ id }, fields) => {
      if (!cyclic.has(id!)) return null;
      const message = "is this row itself, or a row below it";
      const value = shown((fields as Readonly<Record<string, unknown>>)[field]); // its reference
      return { problems: [{ field, value, message }] };
    },
  );
  if (cyclic.size > 0) {
    await forgetNames(session, kind);
    await resolveReferences(session, kind, bad);
    return;
  }
  const stored = await session.run<{ id: string; parent: string | null }>(sql`
    select id as "id", ${raw(columnName(column))} as "parent"
    from ${raw(kind)}
    where company_id = ${session.companyId}`);
  for (const { id, parent } of stored) if (!parents.has(id)) parents.set(id, parent);
  const [first] = idsInCycles(parents);
  if (first === undefined) return;
  bad.errors.add({ file: fileOf(kind), line: null }, [
    `${first} would be its own parent or ancestor, together with stored rows: give it another parent`,
  ]);
}

/** The ids of rows that are in a cycle of parents, or below one. */
function idsInCycles(parents: ReadonlyMap<string, string | null>): ReadonlySet<string> {
  const acyclic = new Set<string>();
  const cyclic = new Set<string>();
  for (const id of parents.keys()) {
    const path = new Set<string>();
    let current: string | null | undefined = id;
    while (current != null && !acyclic.has(current) && !path.has(current) && !cyclic.has(current)) {
      path.add(current);
      current = parents.get(current);
    }
    const isCyclic = current != null && (path.has(current) || cyclic.has(current));
    for (const step of path) (isCyclic ? cyclic : acyclic).add(step);
  }
  return cyclic;
}
