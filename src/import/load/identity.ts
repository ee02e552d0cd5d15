// Which stored row a staged row is: by its id, else by its legacy id; and duplicates (docs/importing.md, Identity).
import sql, { raw } from "sql-template-tag";
import { type ImportRows, isNamedKind, type Kind } from "../../resources/kinds.ts";
import type { ImportSession } from "../../store/store.ts";
import { TABLES } from "../../store/tables.ts";
import type { BadRows } from "../bad-rows.ts";
import type { Source } from "../read/sources.ts";
import { duplicateAdvice, identityOf, type RowProblem, shown } from "../row-errors.ts";
import { ROW_STATE, type StagedRow, selectedOf, staged } from "../staging.ts";
import { joinedNamesOfKey, keyOfStaged } from "./references.ts";

const GOOD = ROW_STATE.good;

/** Gives each staged row of a kind with ids its final id; refuses rows whose identity is unclear. */
export async function identifyRows(
  session: ImportSession,
  kind: Kind,
  bad: BadRows,
  { hasGivenIds, isFresh }: { readonly hasGivenIds: boolean; readonly isFresh: boolean },
): Promise<void> {
  if (!isNamedKind(kind)) return;
  const rowProblem = (message: string) => ({ problems: [{ field: null, value: null, message }] });
  const rows = staged(kind);
  if (kind !== "adjustments")
    await bad.refuseStaged(
      kind,
      sql`
        select ${selectedOf(kind)}
        from ${rows} s
        where s.id is null and s.state = ${GOOD}
        order by s.n`,
      () => rowProblem("id or legacyId: one of them is needed to tell the row from others"),
    );
  if (!isFresh) await matchStoredLegacyIds(session, kind, bad);
  if (hasGivenIds) await matchStagedLegacyIds(session, kind, bad);
  if (isFresh) return;
  await bad.refuseStaged<Kind, StagedRow & { readonly storedLegacyId: string }>(
    kind,
    sql`
      select ${selectedOf(kind)}, r.legacy_id as "storedLegacyId"
      from ${rows} s
      join ${raw(kind)} r on r.company_id = ${session.companyId} and r.id = s.id
      where s.has_id = 0
        and r.legacy_id <> s.legacy_id
        and s.state = ${GOOD}
      order by s.n`,
    ({ legacyId, storedLegacyId }) =>
      rowProblem(
        `legacyId: the id minted from ${shown(legacyId)} already belongs to the row with legacyId ${shown(storedLegacyId)}: give one of the two its own id`,
      ),
  );
}

/** Gives each staged row the id of the stored row with its legacy id. Refuses rows that give another id. */
async function matchStoredLegacyIds(session: ImportSession, kind: Kind, bad: BadRows): Promise<void> {
  const rows = staged(kind);
  const { companyId } = session;
  // `renamed` is a staged row that gives the stored row another legacy id.
  await bad.refuseStaged<Kind, StagedRow & { readonly owner: string; readonly renamedByRow: number | null }>(
    kind,
    sql`
      select ${selectedOf(kind)}, r.id as "owner", renamed.n as "renamedByRow"
      from ${rows} s
      join ${raw(kind)} r on r.company_id = ${companyId} and r.legacy_id = s.legacy_id
      left join ${rows} renamed
        on renamed.id = r.id and renamed.legacy_id <> r.legacy_id and renamed.state = ${GOOD}
      where r.id <> s.id
        and (s.has_id = 1 or renamed.n is not null)
        and s.state = ${GOOD}
      order by s.n`,
    ({ id, legacyId, owner, renamedByRow }) => ({
      problems: [
        renamedByRow === null ? otherRowsLegacyId(id!, legacyId!, owner) : replacedLegacyId(legacyId!, owner),
      ],
    }),
  );
  await session.run(sql`
    update ${rows}
    set id = (select r.id from ${raw(kind)} r where r.company_id = ${companyId} and r.legacy_id = ${rows}.legacy_id)
    where has_id = 0
      and state = ${GOOD}
      and exists (
        select 1
        from ${raw(kind)} r
        where r.company_id = ${companyId} and r.legacy_id = ${rows}.legacy_id and r.id <> ${rows}.id)`);
}

/** Gives staged rows with the same legacy id the id of the first. Refuses rows that give another id. */
async function matchStagedLegacyIds(session: ImportSession, kind: Kind, bad: BadRows): Promise<void> {
  const rows = staged(kind);
  const owners = sql`
    select f.legacy_id, f.id
    from ${rows} f
    join (
      select legacy_id, min(n) as n
      from ${rows}
      where legacy_id is not null and state = ${GOOD}
      group by legacy_id
      having min(id) <> max(id)
    ) as several on several.n = f.n`;
  await bad.refuseStaged<Kind, StagedRow & { readonly owner: string }>(
    kind,
    sql`
      select ${selectedOf(kind)}, owners.id as "owner"
      from (${owners}) as owners
      join ${rows} s on s.legacy_id = owners.legacy_id
      where s.id <> owners.id and s.has_id = 1 and s.state = ${GOOD}
      order by s.n`,
    ({ id, legacyId, owner }) => ({ problems: [otherRowsLegacyId(id!, legacyId!, owner)] }),
  );
  await session.run(sql`
    update ${rows}
    set id = owners.id
    from (${owners}) as owners
    where ${rows}.legacy_id = owners.legacy_id and ${rows}.has_id = 0 and ${rows}.state = ${GOOD}`);
}

function otherRowsLegacyId(id: string, legacyId: string, owner: string): RowProblem {
  const message = `id: ${shown(id)} and legacyId ${shown(legacyId)} name different rows: the legacyId is that of ${owner}`;
  return { field: null, value: null, message };
}

function replacedLegacyId(legacyId: string, owner: string): RowProblem {
  const message = `legacyId: ${shown(legacyId)} is the stored legacyId of ${owner}, which has another legacyId in these files`;
  return { field: null, value: null, message };
}

/** Refuses duplicates: every row but the first with the same key. */
export async function refuseDuplicates<K extends Kind>(
  session: ImportSession,
  kind: K,
  bad: BadRows,
  sources: readonly Source[],
): Promise<void> {
  const key = keyOfStaged(kind);
  const from = sql`${staged(kind)} s ${joinedNamesOfKey(kind)}`;
  const repeated = sql`
    select ${raw(key.map((value, at) => `${value} as key${at}`).join(", "))}, min(s.n) as n
    from ${from}
    where s.state = ${GOOD} and ${raw(key[0]!)} is not null
    group by ${raw(key.join(", "))}
    having count(*) > 1`;
  if ((await session.run(sql`${repeated} limit 1`)).length === 0) return;
  await session.makeTable(`repeated_${kind}`, {
    ...Object.fromEntries(TABLES[kind].key.map((name, at) => [`key${at}`, TABLES[kind].types.get(name)!])),
    n: "bigint",
  });
  await session.run(sql`insert into ${raw(`repeated_${kind}`)} ${repeated}`);
  const isSame = key.map((value, at) => `${value} = repeated.key${at}`).join(" and ");
  await bad.refuseStaged<K, StagedRow & { readonly firstLine: number; readonly firstSource: number }>(
    kind,
    sql`
      select ${selectedOf(kind)}, earlier.line as "firstLine", earlier.source as "firstSource"
      from ${from}
      join ${raw(`repeated_${kind}`)} repeated on ${raw(isSame)}
      join ${staged(kind)} earlier on earlier.n = repeated.n
      where s.n > repeated.n and s.state = ${GOOD}
      order by s.n`,
    ({ source, firstLine, firstSource }, fields) => ({
      problems: [duplicateOf(kind, fields, firstLine, source === firstSource ? null : sources[firstSource]!)],
    }),
    "another row",
  );
}

function duplicateOf<K extends Kind>(
  kind: K,
  fields: ImportRows[K],
  line: number,
  other: Source | null,
): RowProblem {
  const advice = duplicateAdvice(kind, fields);
  return {
    ...identityOf(kind, fields),
    message: "is already on",
    other: ` line ${line}${other === null ? "" : ` of ${other.label}`}`,
    advice: { one: advice, many: ` other lines${advice}` },
  };
}
