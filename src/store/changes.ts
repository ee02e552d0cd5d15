// Reading a page of the change feed (docs/api.md, Changes), the same on every engine.
//
// From the beginning, a pass scans every object by id and skips those that changed after it began: they come later. After the
// pass, entries come in the order of (import, rank, id). Each statement also reads the company's newest import. Rows of a later
// snapshot are right for an earlier position, too, so several statements can make one page.
import sql, { join, raw, type Sql } from "sql-template-tag";
import { CHANGE_RESOURCES, type ChangeResource } from "../resources/changes.ts";
import { END_STEP, rankOf, removalRank, STEPS } from "./change-notes.ts";
import {
  type ChangeEntry,
  type ChangePosition,
  type ChangesPage,
  type ChangesQuery,
  StoreUnavailable,
} from "./store.ts";
import type { Execute } from "./tables.ts";

/** The company's state, which every row of a statement has. */
interface Head {
  readonly headSeq: number;
  readonly headMark: string;
  readonly headEndedAtMs: number | null;
  /** The last import with a forgotten removal of each resource, as JSON. */
  readonly forgotten: string;
  /** The mark of the position's import; null if the store has no such import. */
  readonly ownMark: string | null;
  readonly ownEndedAtMs: number | null;
  /** The mark of the first import; null before it. */
  readonly firstMark: string | null;
}

interface EntryRow {
  readonly seq: number;
  readonly rank: number;
  readonly id: string;
  readonly doc: string | null;
  readonly mark: string;
  readonly endedAtMs: number | null;
}

/** A row of a statement. A statement without entries has one row, with only the head. */
type Row = Head & (EntryRow | { readonly seq: null });

const isEntry = (row: Row): row is Head & EntryRow => row.seq !== null;

/** See `CompanyReader.changes`. Each statement that `read` runs is one snapshot. */
export async function readChanges(
  companyId: string,
  { after, resources, limit }: ChangesQuery,
  read: Execute,
): Promise<ChangesPage | "gone"> {
  const beginning = after === null || after === "now";
  const first = headOf(await read<Head>(head(companyId, beginning ? 0 : after.seq)));
  if (!beginning && isGone(after, first, resources)) return "gone";
  if (after === "now" || first.headSeq === 0) return { entries: [], hasMore: false, ...newest(first) };
  let position = beginning ? scan("scan", first.headSeq, first.headMark) : after;
  // Rows of the first import have no number. They are scanned, with their balances.
  if (position.seq === 0) position = scan("scan-with-balances", 1, first.firstMark!); // there was an import since
  const entries: ChangeEntry[] = [];
  for (;;) {
    const wanted = limit - entries.length;
    const fetched = await read<Row>(
      page(companyId, position, entryRows(companyId, position, resources, wanted + 1)),
    );
    const now = headOf(fetched);
    if (now.ownMark !== position.mark) throw new StoreUnavailable("A replica is behind what was just read");
    if (isGone(position, now, resources)) return "gone";
    const rows = fetched.filter(isEntry).sort(inOrder);
    const taken = rows.slice(0, wanted);
    for (const row of taken) entries.push(entryOf(row));
    if (rows.length > wanted) return { entries, hasMore: true, ...placeAfter(taken.at(-1), position, now) };
    if (position.kind === "tail") return { entries, hasMore: false, ...newest(now) };
    position = nextStep(position);
  }
}

type Place = Pick<ChangesPage, "position" | "asOfMs">;

/** The place after all entries. */
function newest({ headSeq, headMark, headEndedAtMs }: Head): Place {
  return { position: end(headSeq, headMark), asOfMs: headEndedAtMs };
}

/** Where a scan continues after the end of a resource. */
function nextStep(position: ChangePosition): ChangePosition {
  const next = CHANGE_RESOURCES[rankOf(position.step) + 1];
  return next === undefined ? end(position.seq, position.mark) : { ...position, step: next, id: "" };
}

/** Where the next page begins. `last`: the last row of this page; undefined if it has none. */
function placeAfter(last: EntryRow | undefined, position: ChangePosition, now: Head): Place {
  if (last === undefined) return { position, asOfMs: now.ownEndedAtMs };
  const { seq, mark, rank, id, endedAtMs } = last;
  if (position.kind !== "tail") return { position: { ...position, id }, asOfMs: now.ownEndedAtMs };
  const step = STEPS[rank]!.name; // each rank has one
  return { position: { kind: "tail", seq, mark, step, id }, asOfMs: endedAtMs };
}

function headOf<H extends Head>(rows: readonly H[]): Head {
  const [row] = rows;
  if (row === undefined) throw new StoreUnavailable("The company was just deleted");
  return row;
}

/** Whether removals after the position were forgotten, or its import is unknown. */
function isGone(
  position: ChangePosition,
  { ownMark, forgotten }: Head,
  resources: readonly ChangeResource[],
): boolean {
  if (ownMark !== position.mark) return true;
  const last = JSON.parse(forgotten) as Partial<Record<ChangeResource, number>>; // as `ChangeNotes` writes it
  return resources.some((resource) => {
    const seq = last[resource] ?? 0;
    if (position.kind !== "tail") return position.seq < seq;
    return position.seq < seq || (position.seq === seq && rankOf(position.step) <= removalRank(resource));
  });
}

function scan(kind: "scan" | "scan-with-balances", seq: number, mark: string): ChangePosition {
  return { kind, seq, mark, step: CHANGE_RESOURCES[0], id: "" };
}

/** The position after all entries of an import. */
function end(seq: number, mark: string): ChangePosition {
  return { kind: "tail", seq, mark, step: END_STEP, id: "" };
}

/** Ids are ASCII, which JavaScript and every engine compare byte by byte. */
function inOrder(left: EntryRow, right: EntryRow): number {
  return left.seq - right.seq || left.rank - right.rank || (left.id < right.id ? -1 : 1);
}

function entryOf({ rank, id, doc }: EntryRow): ChangeEntry {
  const { resource, isRemoved } = STEPS[rank]!; // each rank has one
  return { resource, id, removed: isRemoved, doc };
}

// SQL ------------------------------------------------------------------------------------------------------------------

/** `seq`: the number of the position's import. */
function head(companyId: string, seq: number): Sql {
  return sql`
    select
      c.seq as "headSeq", h.mark as "headMark", h.ended_at_ms as "headEndedAtMs",
      c.forgotten_removals as "forgotten", o.mark as "ownMark", o.ended_at_ms as "ownEndedAtMs",
      f.mark as "firstMark"
    from companies c
    join change_marks h on h.company_id = c.id and h.seq = c.seq
    left join change_marks o on o.company_id = c.id and o.seq = ${seq}
    left join change_marks f on f.company_id = c.id and f.seq = 1
    where c.id = ${companyId}`;
}

/** The head, joined with the rows if there are any. */
function page(companyId: string, { seq }: ChangePosition, rows: Sql): Sql {
  return sql`
    select head.*, entry.*
    from (${head(companyId, seq)}) as head
    left join (${rows}) as entry on true`;
}

function entryRows(
  companyId: string,
  position: ChangePosition,
  resources: readonly ChangeResource[],
  limit: number,
): Sql {
  if (position.kind === "tail") return tailRows(companyId, position, resources, limit);
  const resource = CHANGE_RESOURCES[rankOf(position.step)]!; // the first steps are the resources
  const isSent =
    resources.includes(resource) && (resource !== "balances" || position.kind === "scan-with-balances");
  return isSent ? scanRows(companyId, resource, position, limit) : NO_ROWS;
}

const NO_ROWS = sql`select null as "seq" where 1 = 0`;

/** The objects of a resource after the position's id that have not changed since its import. */
function scanRows(
  companyId: string,
  resource: ChangeResource,
  { step, seq, id }: ChangePosition,
  limit: number,
): Sql {
  const rows =
    resource === "balances"
      ? sql`
          select distinct worker_id as id, null as doc
          from assignments
          where company_id = ${companyId} and worker_id > ${id}
          order by worker_id
          limit ${limit}`
      : sql`
          select id, doc
          from ${raw(resource)}
          where company_id = ${companyId} and id > ${id} and (seq is null or seq <= ${seq})
          order by id
          limit ${limit}`;
  const rank = raw(String(rankOf(step)));
  return sql`
    select
      cast(${seq} as bigint) as "seq", ${rank} as "rank", id as "id", doc as "doc",
      '' as "mark", null as "endedAtMs"
    from (${rows}) as scanned`;
}

/** The entries after the position. */
function tailRows(
  companyId: string,
  position: ChangePosition,
  resources: readonly ChangeResource[],
  limit: number,
): Sql {
  const { seq, step, id } = position;
  const rank = rankOf(step);
  const sources = STEPS.flatMap(({ resource, isRemoved, isOfGone }, own) => {
    if (!resources.includes(resource)) return [];
    const from =
      own === rank ? sql`(seq, id) > (${seq}, ${id})` : own > rank ? sql`seq >= ${seq}` : sql`seq > ${seq}`;
    const isNoted = isRemoved || resource === "balances";
    const rows = isNoted
      ? sql`
          null as doc
          from changes
          where company_id = ${companyId} and is_gone = ${isOfGone ? 1 : 0} and resource = ${resource}`
      : sql`doc from ${raw(resource)} where company_id = ${companyId} and seq is not null`;
    return sql`
      select *
      from (
        select seq, ${raw(String(own))} as rank, id, ${rows} and ${from}
        order by seq, id
        limit ${limit}
      ) as step${raw(String(own))}`;
  });
  const rows = sql`
    select *
    from (${join(sources, " union all ")}) as changed
    order by seq, rank, id
    limit ${limit}`;
  // Without the cross join, SQLite would read all imports of the company and look up each among the rows.
  return sql`
    select
      r.seq as "seq", r.rank as "rank", r.id as "id", r.doc as "doc",
      i.mark as "mark", i.ended_at_ms as "endedAtMs"
    from (${rows}) as r
    cross join change_marks i
    where i.company_id = ${companyId} and i.seq = r.seq`;
}
