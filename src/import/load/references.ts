// Resolves references of staged rows. Each kind of parent has a table of names, so that each name is looked up once.
import sql, { join, raw, type Sql } from "sql-template-tag";
import { fold } from "../../fold.ts";
import { nounOf } from "../../resources/ids.ts";
import {
  isOwned,
  isTree,
  type Kind,
  LISTS,
  PARENT_COLUMNS,
  PARENT_KINDS,
  type ParentColumn,
  type ParentKind,
} from "../../resources/kinds.ts";
import type { ImportSession, ImportStatements } from "../../store/store.ts";
import { chunks, columnName, TABLES } from "../../store/tables.ts";
import type { BadRows } from "../bad-rows.ts";
import { type RowProblem, shown } from "../row-errors.ts";
import { nameColumn, ROW_STATE, type StagedRow, selectedOf, staged } from "../staging.ts";

const GOOD = ROW_STATE.good;

const namesOf = (parent: ParentKind) => raw(`names_${parent}`);

/** A table of names: what each name means. */
const NAME_COLUMNS = {
  name: "text",
  /** The id of the row that the name means; null if it means none. */
  id: "text",
  /** If the name is an id: another row that has it as its legacy id. Then the name means neither. */
  other: "text",
  /** The values of `Meaning.isRefused`. */
  is_refused: "integer",
  /** If the name means no row: a legacy id that differs only by case, accents, punctuation, spaces or leading zeros. */
  alike: "text",
  /** The time zone of a worker, once children are resolved. */
  time_zone: "text",
} as const;

export async function makeNameTables(session: ImportSession): Promise<void> {
  for (const table of [...PARENT_KINDS.map((parent) => `names_${parent}`), "managers"]) {
    await session.makeTable(table, NAME_COLUMNS);
    await session.run(sql`create unique index ${raw(`${table}_name`)} on ${raw(table)} (name)`);
  }
}

const parentsOf = (kind: Kind): readonly ParentColumn[] =>
  PARENT_COLUMNS.filter((column) => column.kind === kind);

/** Joins the names of a staged row `s` to their tables, as `named_worker_id` and so on. */
export const joinedNames = (kind: Kind): Sql => joined(parentsOf(kind));

/** The same for the columns of its key alone. */
export function joinedNamesOfKey(kind: Kind): Sql {
  const key: readonly string[] = TABLES[kind].key;
  return joined(parentsOf(kind).filter(({ column }) => key.includes(column)));
}

function joined(columns: readonly ParentColumn[]): Sql {
  const joins = columns.map(({ column, parent }) => {
    const alias = `named_${columnName(column)}`;
    return `left join names_${parent} ${alias} on ${alias}.name = s.${nameColumn(column)}`;
  });
  return raw(joins.join("\n"));
}

/** The id that a column of a staged row `s` refers to. Needs `joinedNames`. */
export const referredId = (column: string) => `named_${columnName(column)}.id`;

/** The key of a staged row `s`. Needs `joinedNamesOfKey`. */
export function keyOfStaged(kind: Kind): readonly string[] {
  const parents = parentsOf(kind);
  return TABLES[kind].key.map((name) =>
    parents.some(({ column }) => column === name) ? referredId(name) : `s.${columnName(name)}`,
  );
}

/** The condition that a stored row `r` has the key of a staged row `s`. Needs `joinedNamesOfKey`. */
export function hasKeyOfStaged(kind: Kind, companyId: string): Sql {
  const key = keyOfStaged(kind).map((value, at) => `r.${columnName(TABLES[kind].key[at]!)} = ${value}`);
  return sql`r.company_id = ${companyId} and ${raw(key.join(" and "))}`;
}

/** Resolves the references of a kind's rows. Refuses rows with references that mean nothing. */
export async function resolveReferences(session: ImportSession, kind: Kind, bad: BadRows): Promise<void> {
  const parents = parentsOf(kind);
  if (parents.length === 0) return;
  // In a tree, rows below a bad row are bad, too.
  while ((await refuseBroken(session, kind, parents, bad)) > 0 && isTree(kind))
    await forgetNames(session, kind as ParentKind); // a tree's own
}

/** Forgets all names of a kind, so that they are looked up again. Names of rows that turned out bad mean nothing. */
export async function forgetNames(session: ImportSession, parent: ParentKind): Promise<void> {
  await session.run(sql`delete from ${namesOf(parent)}`);
}

/** Returns how many rows are refused. */
async function refuseBroken(
  session: ImportSession,
  kind: Kind,
  parents: readonly ParentColumn[],
  bad: BadRows,
): Promise<number> {
  for (const { column, parent } of parents) await lookUp(session, kind, nameColumn(column), parent, bad);
  if (isOwned(kind))
    await session.run(sql`
      update ${staged(kind)}
      set state = ${ROW_STATE.old}
      where state = ${GOOD} and worker_id_name in (select name from names_workers where is_refused = 3)`);
  const isMissing = parents.map(
    ({ column }) => `(s.${nameColumn(column)} is not null and ${referredId(column)} is null)`,
  );
  const looks = parents.map(({ column }, at) => {
    const named = `named_${columnName(column)}`;
    return `s.${nameColumn(column)} as "name${at}", ${named}.id as "id${at}", ${named}.other as "other${at}", ${named}.is_refused as "isRefused${at}", ${named}.alike as "alike${at}"`;
  });
  return bad.refuseStaged<Kind, StagedRow & Readonly<Record<string, string | number | null>>>(
    kind,
    sql`
      select ${selectedOf(kind)}, ${raw(looks.join(", "))}
      from ${staged(kind)} s
      ${joinedNames(kind)}
      where s.state = ${GOOD} and (${raw(isMissing.join(" or "))})
      order by s.n`,
    (row) => {
      const broken = parents.flatMap(({ field, parent }, at) => {
        const name = row[`name${at}`] as string | null; // as it is selected, here and below
        if (name === null || row[`id${at}`] !== null) return [];
        const meaning = {
          other: row[`other${at}`] as string | null,
          isRefused: row[`isRefused${at}`] as number,
          alike: row[`alike${at}`] as string | null,
        };
        return [{ problem: brokenReference(field, parent, name, meaning), isRefused: meaning.isRefused > 0 }];
      });
      // A reference to a refused row is reported only if nothing else is wrong with the row.
      const own = broken.filter(({ isRefused }) => !isRefused);
      const problems = (own.length > 0 ? own : broken).map(({ problem }) => problem);
      return { problems, isOrphaned: own.length === 0 };
    },
  );
}

/** Why a name means no row. */
interface Meaning {
  readonly other: string | null;
  /** 1: a bad row may have the name; 2: a bad row has it; 3: a row has it that is too old to be kept; 0: none of these. */
  readonly isRefused: number;
  /** A legacy id that is written nearly the same. */
  readonly alike: string | null;
}

const NEW_KIND = "; a new kind of leave needs a row in policies";
const BY_NAME =
  "; if the file names people by addresses or names, put their ids beside them in a query, as rollcall map init does (docs/mapping.md, Queries)";

export function brokenReference(
  field: string,
  parent: ParentKind,
  name: string,
  { other, isRefused, alike }: Meaning,
): RowProblem {
  const noun = nounOf(LISTS[parent].idKind);
  const value = shown(name);
  if (other !== null)
    return {
      field,
      value,
      message: `is the id of one ${noun} and the legacyId of another (${other}): write the id of the one that is meant`,
    };
  if (isRefused === 2) return { field, value, message: `is a ${noun} whose row is refused, too` };
  const unknown = "neither an id nor a legacyId, in these files or stored";
  if (alike === null) {
    const text =
      parent === "policies" ? NEW_KIND : parent === "workers" && /[@\s]/.test(name) ? BY_NAME : null;
    const advice = text === null ? undefined : { one: text, many: text };
    return { field, value, message: `is no ${noun}: ${unknown}`, advice };
  }
  const advice = { one: `, but ${shown(alike)} is`, many: `, but such as ${shown(alike)} are` };
  return { field, value, message: `is no ${noun} as it is written: ${unknown}`, advice };
}

/** Adds the new names in a column of staged rows to a table of names. */
export async function lookUp(
  session: ImportSession,
  kind: Kind,
  column: string,
  parent: ParentKind,
  bad: BadRows,
  names = namesOf(parent),
): Promise<void> {
  const { companyId } = session;
  const [rows, stored] = [staged(parent), raw(parent)];
  await session.run(sql`
    insert into ${names} (name, id, other, is_refused)
    select
      name,
      case when by_id is null then by_legacy_id
           when by_legacy_id is null or by_legacy_id = name then name end,
      case when by_legacy_id <> by_id then by_legacy_id end,
      0
    from (
      select
        asked.name,
        min(coalesce(staged_id.id, stored_id.id)) as by_id,
        min(coalesce(staged_legacy.id, case when renamed.n is null then stored_legacy.id end)) as by_legacy_id
      from (select distinct ${raw(column)} as name from ${staged(kind)} where state = ${GOOD}) as asked
      left join ${names} known on known.name = asked.name
      left join ${rows} staged_id on staged_id.id = asked.name and staged_id.state = ${GOOD}
      left join ${rows} staged_legacy
        on staged_legacy.legacy_id = asked.name and staged_legacy.state = ${GOOD}
      left join ${stored} stored_id on stored_id.company_id = ${companyId} and stored_id.id = asked.name
      left join ${stored} stored_legacy
        on stored_legacy.company_id = ${companyId} and stored_legacy.legacy_id = asked.name
      left join ${rows} renamed
        on renamed.id = stored_legacy.id and renamed.legacy_id <> asked.name and renamed.state = ${GOOD}
      where asked.name is not null and known.name is null
      group by asked.name
    ) as meanings`);
  if (parent === "workers")
    await session.run(sql`
      update ${names}
      set is_refused = 3
      where id is null and other is null and is_refused = 0 and exists (
        select 1
        from ${rows} s
        where s.state = ${ROW_STATE.old} and (s.id = ${names}.name or s.legacy_id = ${names}.name))`);
  await noteRefused(session, parent, bad, names);
  if (parent === "workers") await findTimeZones(session, names);
}

/** Names of bad rows mean nothing: of rows of these files, and of stored rows whose new version is bad. */
async function noteRefused(
  session: ImportSession,
  parent: ParentKind,
  bad: BadRows,
  names: Sql,
): Promise<void> {
  const ids = bad.refused.ids(parent);
  if (ids.length > 0)
    await session.run(sql`update ${names} set id = null, is_refused = 2 where id in (${join(ids)})`);
  const unknown = await session.run<{ name: string }>(sql`
    select name as "name" from ${names} where id is null and other is null and is_refused = 0`);
  if (unknown.length === 0) return;
  const legacyIds = await legacyIdsByLook(session, parent);
  for (const { name } of unknown) {
    const isRefused = bad.refused.mayBe(parent, name) ? 1 : 0;
    const alike = legacyIds.get(looks(name)) ?? null;
    if (isRefused === 0 && alike === null) continue;
    await session.run(
      sql`update ${names} set is_refused = ${isRefused}, alike = ${alike} where name = ${name}`,
    );
  }
}

/** A form that is equal for names that people take for the same: `e-0042`, `E42` and `E 42`. */
const looks = (name: string) =>
  fold(name)
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/(?<!\p{N})0+(?=\p{N})/gu, "");

/** The legacy ids of a kind, in these files and stored, by their `looks`. */
async function legacyIdsByLook(
  session: ImportSession,
  parent: ParentKind,
): Promise<ReadonlyMap<string, string>> {
  const rows = await session.run<{ legacyId: string }>(sql`
    select legacy_id as "legacyId"
    from ${staged(parent)}
    where legacy_id is not null and state = ${GOOD}
    union
    select legacy_id as "legacyId"
    from ${raw(parent)}
    where company_id = ${session.companyId} and legacy_id is not null
    order by 1`);
  const byLook = new Map(rows.map(({ legacyId }) => [looks(legacyId), legacyId]));
  byLook.delete(""); // only punctuation
  return byLook;
}

/** Workers of these files have the zone of the files; others have their stored zone. */
async function findTimeZones(session: ImportSession, names: Sql): Promise<void> {
  const ofFiles = sql`from ${staged("workers")} s where s.id = ${names}.id and s.state = ${GOOD}`;
  await session.run(sql`
    update ${names}
    set time_zone = coalesce(
      (select s.time_zone ${ofFiles}),
      (select w.time_zone
       from workers w
       where w.company_id = ${session.companyId}
         and w.id = ${names}.id
         and not exists (select 1 ${ofFiles})))
    where time_zone is null and id is not null`);
}

/** The most ids in one statement. */
const IDS_AT_ONCE = 500;

/** Which of these rows other rows still belong to, with the kind of the first of those. */
export async function referenced(
  statements: ImportStatements,
  parent: ParentKind,
  ids: readonly string[],
): Promise<Map<string, Kind>> {
  const kinds = new Map<string, Kind>();
  for (const { kind, column } of PARENT_COLUMNS.filter((each) => each.parent === parent))
    for (const some of chunks(ids, IDS_AT_ONCE)) {
      const rows = await statements.run<{ id: string }>(sql`
        with wanted(id) as (values ${join(some.map((id) => sql`(${id})`))})
        select id as "id"
        from wanted
        where exists (
          select 1
          from ${raw(kind)} r
          where r.company_id = ${statements.companyId} and r.${raw(columnName(column))} = wanted.id)`);
      for (const { id } of rows) if (!kinds.has(id)) kinds.set(id, kind);
    }
  return new Map(ids.flatMap((id) => (kinds.has(id) ? [[id, kinds.get(id)!]] : []))); // in their order
}
