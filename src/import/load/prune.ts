// Prunes: removes stored rows that the files of an import no longer contain, children before their parents.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { isNamedKind, isParent, isTree, KINDS, type Kind, type ParentKind } from "../../resources/kinds.ts";
import type {
  FromDay,
  ImportSession,
  ImportStatements,
  ImportTransaction,
  RowKey,
} from "../../store/store.ts";
import { columnName, selected, TABLES } from "../../store/tables.ts";
import type { BadRows } from "../bad-rows.ts";
import type { FileCounts } from "../report.ts";
import { ImportRefused, RowErrors, shown } from "../row-errors.ts";
import { staged } from "../staging.ts";
import type { StoredDigests } from "./digests.ts";
import { joinedNames, keyOfStaged, referenced } from "./references.ts";

export interface Pruned {
  readonly removed: ReadonlyMap<Kind, number>;
  /** Messages about rows that stay, because rows of a partial kind refer to them. */
  readonly notes: readonly string[];
  /** A message for each kind that loses more rows than is allowed. */
  readonly refusals: readonly string[];
}

export interface PrunedKind {
  /** How many removable rows were stored before the import. */
  readonly stored: number;
  /** The days from which rows may be removed; empty for all rows, null for no row. */
  readonly from: readonly FromDay[] | null;
}

/** Up to this many rows may always be removed: in a small company each is a large share. */
const FEW_ROWS = 10;
/** The share of a kind's rows that an import may remove by default. */
export const ALLOWED_REMOVALS = 0.1;
const MAX_EXAMPLES = 3;

/** Whether an import removes too many rows: more than a few, and more than the allowed share. */
export function tooMany(count: number, stored: number, allowed: number): boolean {
  return count > FEW_ROWS && count > stored * allowed;
}

interface Limit {
  /** The share of its rows that a kind may lose. */
  readonly allowed: number;
  /** Whether the import is refused if a kind would lose more. */
  readonly refuses: boolean;
}

/** Removes stored rows that this import lacks. Throws ImportRefused if a row that stays refers to one, or if too many would go. */
export async function prune(
  session: ImportSession,
  transaction: ImportTransaction,
  pruned: ReadonlyMap<Kind, PrunedKind>,
  absent: AbsentRows,
  { allowed, refuses }: Limit,
  fileOf: (kind: Kind) => string,
): Promise<Pruned> {
  const removed = new Map<Kind, number>();
  const refusals: string[] = [];
  const kinds = KINDS.filter((kind) => pruned.has(kind)).reverse();
  for (const kind of kinds) {
    const { stored, from } = pruned.get(kind)!;
    // If nothing was stored before, all rows are of this import.
    const keepsAll = stored === 0 || from === null;
    const count = keepsAll ? 0 : await markAbsent(session, absent, kind, from);
    removed.set(kind, count);
    // Reported balances are always replaced as a whole.
    if (kind === "reported" || !tooMany(count, stored, allowed)) continue;
    refusals.push(`${fileOf(kind)}: ${await refusalOf(session, kind, count, stored)}`);
  }
  if (refuses && refusals.length > 0) throw new ImportRefused(refusals);
  const bad = new RowErrors();
  const notes: string[] = [];
  /** Whether the files may have only some rows of a kind. What stored rows of such a kind refer to stays. */
  const isPartial = (kind: Kind) => {
    const from = pruned.get(kind)?.from;
    return from === null || (from !== undefined && from.length > 0);
  };
  for (const kind of kinds.filter((each) => removed.get(each)! > 0)) {
    const kept = await removeMarked(session, transaction, kind, isPartial, bad, fileOf(kind));
    if (kept === 0) continue;
    removed.set(kind, removed.get(kind)! - kept);
    notes.push(
      `${fileOf(kind)}: ${kept} ${kind} are not in the file but stay: stored rows refer to them, and the files have only part of those rows (complete)`,
    );
  }
  if (removed.get("workers")) await noteMissingManagers(session, bad, fileOf("workers"));
  bad.refuseAny();
  return { removed, refusals, notes };
}

async function refusalOf(session: ImportSession, kind: Kind, count: number, stored: number) {
  const share = Math.ceil((count * 100) / stored);
  return `pruning would remove ${count} of ${stored} stored ${kind} (${share} %), such as ${await examples(session, kind)}: is the file complete? If so, say --allow-removals ${share}%`;
}

/** Removes the marked rows of a kind, unless there are mistakes. Returns how many stay, because stored rows refer to them. */
async function removeMarked(
  session: ImportSession,
  transaction: ImportTransaction,
  kind: Kind,
  isPartial: (kind: Kind) => boolean,
  bad: RowErrors,
  file: string,
): Promise<number> {
  let kept = 0;
  if (isTree(kind) && isParent(kind)) await removeLeaves(session, transaction, kind);
  for await (const keys of markedKeys(session, kind)) {
    const stays = isParent(kind)
      ? await referencedRows(session, kind, keys, isPartial, bad, file)
      : new Set<string>();
    kept += stays.size;
    if (bad.count > 0) continue;
    await transaction.remove(
      kind,
      keys.filter(([id]) => !stays.has(String(id))),
    );
  }
  return kept;
}

const goneName = (kind: Kind) => `gone_${kind}`;

/** Stores the keys of absent rows in a table, because rows must not be removed while they are read. Returns how many there are. */
async function markAbsent(
  session: ImportSession,
  absent: AbsentRows,
  kind: Kind,
  from: readonly FromDay[],
): Promise<number> {
  const count = await absent.count(kind, from);
  if (count === 0) return 0;
  const { key, types } = TABLES[kind];
  await session.makeTable(goneName(kind), Object.fromEntries(key.map((name) => [name, types.get(name)!])));
  await session.run(sql`insert into ${raw(goneName(kind))} ${await absent.query(kind, from)}`);
  return count;
}

/** Reads the keys of absent rows in order, in batches. */
async function* markedKeys(session: ImportSession, kind: Kind): AsyncGenerator<RowKey[]> {
  const { key } = TABLES[kind];
  const marked = sql`
    select ${raw(selected(key))}
    from ${raw(goneName(kind))}
    order by ${raw(key.map(columnName).join(", "))}`;
  for await (const rows of session.batches<Readonly<Record<string, string | number>>>(marked))
    yield rows.map((row) => key.map((name) => row[name]!));
}

/** Removes rows of a tree from the leaves up, as far as nothing refers to them. */
async function removeLeaves(
  session: ImportSession,
  transaction: ImportTransaction,
  kind: ParentKind,
): Promise<void> {
  for (;;) {
    const there = await session.run<{ id: string }>(sql`
      select gone.id as "id"
      from ${raw(goneName(kind))} gone
      join ${raw(kind)} r on r.company_id = ${session.companyId} and r.id = gone.id
      order by gone.id`);
    const ids = there.map(({ id }) => id);
    const referring = await referenced(session, kind, ids);
    const leaves = ids.filter((id) => !referring.has(id));
    if (leaves.length === 0) return;
    await transaction.remove(
      kind,
      leaves.map((id) => [id]),
    );
  }
}

/** The first removed rows, by their ids in the source. */
async function examples(session: ImportSession, kind: Kind): Promise<string> {
  const key = TABLES[kind].key.map(columnName);
  const isSame = key.map((column) => `r.${column} = gone.${column}`).join(" and ");
  const legacyId = isNamedKind(kind) ? raw("r.legacy_id") : raw("null");
  const name = raw(key.map((column) => `gone.${column}`).join(" || ' ' || "));
  const rows = await session.run<{ legacyId: string | null; key: string }>(sql`
    select ${legacyId} as "legacyId", ${name} as "key"
    from ${raw(goneName(kind))} gone
    join ${raw(kind)} r on r.company_id = ${session.companyId} and ${raw(isSame)}
    order by ${raw(key.map((column) => `gone.${column}`).join(", "))}
    limit ${MAX_EXAMPLES}`);
  return rows.map(({ legacyId, key }) => (legacyId === null ? key : shown(legacyId))).join(", ");
}

/** The ids of rows that stay because rows of partial kinds refer to them. Adds an error for rows that other kinds refer to. */
async function referencedRows(
  session: ImportSession,
  kind: ParentKind,
  keys: readonly RowKey[],
  isPartial: (kind: Kind) => boolean,
  bad: RowErrors,
  file: string,
): Promise<ReadonlySet<string>> {
  const ids = keys.map(([id]) => String(id));
  const referring = await referenced(session, kind, ids);
  const stays = new Set([...referring].flatMap(([id, by]) => (isPartial(by) ? [id] : [])));
  for (const [id, by] of referring) {
    if (stays.has(id)) continue;
    const [row] = await session.run<{ legacyId: string | null }>(sql`
      select legacy_id as "legacyId"
      from ${raw(kind)}
      where company_id = ${session.companyId} and id = ${id}`);
    const name = row?.legacyId == null ? id : `${id} (legacyId ${row.legacyId})`;
    const message = `is not in the file but cannot be removed: stored ${by} refer to it`;
    const advice = `. Keep it in the file, or give a file of ${by} without them in the same import`;
    bad.add({ file, line: null }, [
      { field: null, value: name, message, advice: { one: advice, many: advice } },
    ]);
  }
  return stays;
}

const MANAGERS_SHOWN = 100;

/** The first `limit` workers whose manager is not stored, with that manager's id. */
export function workersWithoutManager(
  statements: ImportStatements,
  limit: number,
): Promise<{ readonly id: string; readonly managerId: string }[]> {
  return statements.run(sql`
    select id as "id", manager_id as "managerId"
    from workers w
    where company_id = ${statements.companyId}
      and manager_id is not null
      and not exists (select 1 from workers m where m.company_id = w.company_id and m.id = w.manager_id)
    order by id
    limit ${limit}`);
}

async function noteMissingManagers(session: ImportSession, bad: RowErrors, file: string): Promise<void> {
  for (const { id, managerId } of await workersWithoutManager(session, MANAGERS_SHOWN)) {
    const message = "is not in the file but cannot be removed, because it is a managerId";
    const advice = {
      one: `: that of worker ${id}. Keep it in the file, or give ${id} another manager`,
      many: ": keep them in the file, or give their reports other managers",
    };
    bad.add({ file, line: null }, [{ field: null, value: managerId, message, advice }]);
  }
}

// Finding what is absent ----------------------------------------------------------------------------------------------

/** The stored rows that the files do not contain. Used once every row of the files is stored. */
export class AbsentRows {
  readonly #prepared = new Set<Kind>();

  constructor(
    private readonly session: ImportSession,
    private readonly bad: BadRows,
    private readonly digests: StoredDigests,
    private readonly counts: readonly FileCounts[],
  ) {}

  /** Selects the keys of stored rows, on or after these days, that the files do not contain: columns of `r`, in key order. */
  async query(kind: Kind, from: readonly FromDay[] = []): Promise<Sql> {
    await this.#prepare(kind);
    const key = TABLES[kind].key.map(columnName);
    const isSeen = key.map((column) => `seen.${column} = r.${column}`).join(" and ");
    // A row whose digest a record has is in the files.
    const ofDigest = this.digests.unclaimed.has(kind)
      ? sql` and (r.digest is null or r.digest in (select digest from ${raw(`unclaimed_${kind}`)}))`
      : empty;
    const days = from.map(({ column, day }) => {
      const value = raw(`r.${columnName(column)}`);
      return sql` and (${value} >= ${day} or ${value} is null)`;
    });
    return sql`
      select ${raw(key.map((column) => `r.${column}`).join(", "))}
      from ${raw(kind)} r
      where r.company_id = ${this.session.companyId}
        and not exists (select 1 from ${raw(`seen_${kind}`)} seen where ${raw(isSeen)})${ofDigest}${
          days.length === 0 ? empty : join(days, "")
        }`;
  }

  async count(kind: Kind, from: readonly FromDay[]): Promise<number> {
    if (await this.#isAllThere(kind)) return 0;
    const [row] = await this.session.run<{ count: number }>(
      sql`select count(*) as "count" from (${await this.query(kind, from)}) as absent`,
    );
    return Number(row!.count);
  }

  /** The legacy ids of stored rows that the files have only in records that the mapping skips. */
  async skipped(kind: Kind): Promise<string[]> {
    const rows = await this.session.run<{ legacyId: string }>(sql`
      select s.legacy_id as "legacyId"
      from ${raw(kind)} s
      where s.company_id = ${this.session.companyId}
        and s.legacy_id in (select legacy_id from ${raw(`skipped_${kind}`)})
        and s.id in (${await this.query(kind)})
      order by s.legacy_id`);
    return rows.map(({ legacyId }) => legacyId);
  }

  /** Whether no row is absent, because as many rows are stored as the files have. */
  async #isAllThere(kind: Kind): Promise<boolean> {
    if (this.bad.present.has(kind)) return false;
    const files = this.counts.filter((counts) => counts.kind === kind);
    const loaded = files.reduce((sum, { added, changed, unchanged }) => sum + added + changed + unchanged, 0);
    return (await this.session.count(kind)) === loaded;
  }

  async #prepare(kind: Kind): Promise<void> {
    if (this.#prepared.has(kind)) return;
    this.#prepared.add(kind);
    const { session } = this;
    const { key, types } = TABLES[kind];
    const table = `seen_${kind}`;
    await session.makeTable(table, Object.fromEntries(key.map((name) => [name, types.get(name)!])));
    const columns = keyOfStaged(kind);
    await session.run(sql`
      insert into ${raw(table)}
      select distinct ${raw(columns.join(", "))}
      from ${staged(kind)} s
      ${joinedNames(kind)}
      where ${raw(columns.map((column) => `${column} is not null`).join(" and "))}`);
    await session.fill(table, this.bad.present.get(kind) ?? []);
    const index = key.map(columnName).join(", ");
    await session.run(sql`create index ${raw(`${table}_key`)} on ${raw(table)} (${raw(index)})`);
  }
}
