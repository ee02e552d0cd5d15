// Checks whether files are plausible, once all rows are written. It compares shares of changed rows, spans of days and median amounts with
// the last import. It looks for old files, other units and renamed groups.
import { stat } from "node:fs/promises";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Kind, Rows } from "../../resources/kinds.ts";
import type { ImportSession, ImportStatements, ImportTransaction } from "../../store/store.ts";
import { columnName } from "../../store/tables.ts";
import { formatDay } from "../../time/day.ts";
import { formatInstant } from "../../time/instant.ts";
import { type DayColumns, dayColumnsOf } from "../convert/complete.ts";
import { pathsOf, type Source } from "../read/sources.ts";
import {
  type AmountKind,
  type ChangedAtMs,
  type FileCounts,
  type Gate,
  type ImportRecord,
  type ImportReport,
  type KindGate,
  type MedianMinutes,
  type PolicyMedian,
  type PulledFiles,
  readImportRecord,
} from "../report.ts";
import { shown } from "../row-errors.ts";
import { ROW_STATE, staged } from "../staging.ts";
import { referenced } from "./references.ts";

/** With fewer rows than this, an unusual median or share may be chance. */
const LEAST_ROWS = 20;
/** A factor that only another unit explains: hours for minutes are 60 times less, days for hours 8 times. */
const OTHER_UNIT = 5;
/** How many changed amounts of a policy are held in memory at most. */
const MOST_AMOUNTS = 10_000;

/** Called when all rows are written. Figures of unchanged kinds come from the record of the last import; null to compute all. */
export async function measure(
  transaction: ImportTransaction,
  counts: readonly FileCounts[],
  storedBefore: ReadonlyMap<Kind, number>,
  notInFiles: ImportReport["notInFiles"],
  last: ImportRecord | null,
): Promise<Gate> {
  const kinds: Partial<Record<Kind, KindGate>> = {};
  const changedKinds = new Set<Kind>();
  for (const [kind, stored] of storedBefore) {
    const sum = (outcome: "added" | "changed" | "removed") =>
      counts.reduce((total, file) => total + (file.kind === kind ? file[outcome] : 0), 0);
    const [added, changed, removed] = [sum("added"), sum("changed"), sum("removed")];
    const before = last?.gate.kinds[kind];
    if (added + changed + removed > 0) changedKinds.add(kind);
    const columns = dayColumnsOf(kind);
    const isKnown = before !== undefined && !changedKinds.has(kind);
    const span = columns === null || isKnown ? null : await daySpan(transaction, kind, columns);
    const text = (day: number | null | undefined) => (day == null ? null : formatDay(day));
    const [from, to] = isKnown ? [before.from, before.to] : [text(span?.firstDay), text(span?.lastDay)];
    kinds[kind] = { stored, added, changed, removed, absent: notInFiles[kind] ?? 0, from, to };
  }
  const medians: PolicyMedian[] = [];
  for (const kind of ["requests", "adjustments"] as const) {
    const isKnown = last !== null && !changedKinds.has(kind);
    medians.push(
      ...(isKnown
        ? last.gate.medians.filter((median) => median.kind === kind)
        : (await medianMinutes(transaction, kind, LEAST_ROWS)).map((row) => ({ ...row, kind, policy: "" }))),
    );
  }
  const names = await policyNames(transaction);
  return { kinds, medians: medians.map((row) => ({ ...row, policy: names.get(row.policyId) ?? "" })) };
}

/** The first and the last day of a kind's rows; null if there are none. */
export async function daySpan(statements: ImportStatements, kind: Kind, [first, last]: DayColumns) {
  const [from, to] = [raw(columnName(first)), raw(columnName(last))];
  const [span] = await statements.run<{ firstDay: number | null; lastDay: number | null }>(sql`
    select min(${from}) as "firstDay", max(coalesce(${to}, ${from})) as "lastDay"
    from ${raw(kind)}
    where company_id = ${statements.companyId}`);
  return span!; // one row
}

/** The median absolute amount of each policy with at least `leastRows` rows, by id. */
export function medianMinutes(
  statements: ImportStatements,
  kind: AmountKind,
  leastRows: number,
): Promise<MedianMinutes[]> {
  // Amounts are few: they are counted before they are put in order.
  return statements.run(sql`
    select policy_id as "policyId", cast(total as integer) as "rows", avg(amount) as "minutes"
    from (
      select
        policy_id, amount, times,
        sum(times) over (partition by policy_id order by amount) as upto,
        sum(times) over (partition by policy_id) as total
      from (
        select policy_id, abs(minutes) as amount, count(*) as times
        from ${raw(kind)}
        where company_id = ${statements.companyId}
        group by policy_id, abs(minutes)
      ) as counted
    ) as placed
    where total >= ${leastRows} and 2 * upto >= total and 2 * (upto - times) <= total
    group by policy_id, total
    order by policy_id`);
}

export async function policyNames(transaction: ImportTransaction): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const rows of transaction.scan("policies"))
    for (const { id, doc } of rows) names.set(id, (JSON.parse(doc) as { name: string }).name); // a policy's object
  return names;
}

// How old the files are -----------------------------------------------------------------------------------------------

/** When the newest file of each kind was last changed. Rows of a mapping have no such time. */
export async function changeTimes(sources: readonly Source[], pulled?: PulledFiles): Promise<ChangedAtMs> {
  const times: Partial<Record<Kind, number>> = {};
  for (const { kind, origin } of sources) {
    for (const path of pathsOf(origin)) {
      const stats = await stat(path).catch(() => null); // one that is gone is refused when it is read
      const timeMs = pulled?.beganAtMs ?? Math.floor(stats?.mtimeMs ?? 0);
      times[kind] = Math.max(times[kind] ?? 0, timeMs);
    }
  }
  return times;
}

/** Refuses files that are older than those of the last import of their kind: one message for each kind. */
export function olderFiles(now: ChangedAtMs, last: ImportRecord | null): string[] {
  return Object.entries(now).flatMap(([kind, timeMs]) => {
    const beforeMs = last?.changedAtMs[kind as Kind] ?? 0; // the keys are kinds
    if (timeMs >= beforeMs) return [];
    return `${kind}: the file was last changed at ${formatInstant(timeMs)}, but the last imported file at ${formatInstant(beforeMs)}: is this an old export? If it is intended, say --allow-older`;
  });
}

// Amounts -------------------------------------------------------------------------------------------------------------

type ChangedKind = AmountKind | "openings";

/** The changed amounts of rows, before and after, by kind and policy. */
export class ChangedAmounts {
  readonly #byPolicy = new Map<
    string,
    { kind: ChangedKind; policyId: string; before: number[]; after: number[] }
  >();

  note(kind: Kind, row: Rows[Kind], stored: Rows[Kind]): void {
    if (kind !== "requests" && kind !== "adjustments" && kind !== "openings") return;
    const [now, before] = [row as Rows[ChangedKind], stored as Rows[ChangedKind]]; // the kind says so
    if (now.minutes === before.minutes) return;
    const key = `${kind} ${now.policyId}`;
    const amounts = this.#byPolicy.get(key) ?? { kind, policyId: now.policyId, before: [], after: [] };
    this.#byPolicy.set(key, amounts);
    if (amounts.before.length === MOST_AMOUNTS) return;
    amounts.before.push(Math.abs(before.minutes));
    amounts.after.push(Math.abs(now.minutes));
  }

  /** Policies whose amounts seem to be in another unit now: compares changed rows, then the medians of all rows with the last import. */
  *otherUnits({ medians }: Gate, last: ImportRecord | null): Generator<{ text: string; rows: number }> {
    const told = new Set<string>();
    const nameOf = (id: string) => medians.find(({ policyId }) => policyId === id)?.policy ?? id;
    const text = (policy: string, kind: ChangedKind, before: number, after: number) =>
      `${policy}: ${kind} ${before} → ${after} minutes`;
    for (const [key, { kind, policyId, before, after }] of this.#byPolicy) {
      const [was, is] = [median(before), median(after)];
      if (before.length < LEAST_ROWS || !isOtherUnit(was, is)) continue;
      told.add(key);
      yield { text: text(nameOf(policyId), kind, was, is), rows: before.length };
    }
    for (const { kind, policyId, policy, minutes, rows } of medians) {
      const before = last?.gate.medians.find((other) => other.kind === kind && other.policyId === policyId);
      if (before === undefined || told.has(`${kind} ${policyId}`) || !isOtherUnit(before.minutes, minutes))
        continue;
      yield { text: text(policy, kind, before.minutes, minutes), rows };
    }
  }
}

/** The median; of an even count, the lower of the two in the middle. 0 without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function isOtherUnit(before: number, after: number): boolean {
  const [least, most] = [Math.abs(before), Math.abs(after)].toSorted((a, b) => a - b) as [number, number];
  return least > 0 && most >= least * OTHER_UNIT;
}

// Shares of rows ------------------------------------------------------------------------------------------------------

/** Most rows of other kinds, such as reported balances, may change each night. */
const SELDOM_CHANGED = ["workers", "assignments", "requests", "adjustments"] as const;
/** Up to this many rows may always change or go. */
const FEW_CHANGES = 10;
/** With how many earlier imports a share is compared: as many as are remembered. */
const COMPARED_IMPORTS = 100;
/** How much larger than usual a share must be. */
const UNUSUAL = 0.25;

/** Kinds whose share of changed, removed and absent rows is larger than in earlier imports. */
export async function unusualShares(session: ImportSession, { kinds }: Gate) {
  const unusual: { text: string; rows: number }[] = [];
  let gates: Gate[] | null = null; // read once, and only for a share that may be unusual
  for (const kind of SELDOM_CHANGED) {
    const now = kinds[kind];
    if (now === undefined || now.stored < LEAST_ROWS || otherRows(now) <= FEW_CHANGES) continue;
    const least = shareOf(now) - UNUSUAL;
    if (least <= 0) continue;
    gates ??= (await lastRecords(session, COMPARED_IMPORTS)).map(({ gate }) => gate);
    const before = gates.flatMap((gate) => gate.kinds[kind] ?? []);
    const shares = before.map((gate) => (gate.stored < LEAST_ROWS ? 0 : shareOf(gate)));
    // Such a share is usual if the last import had one, or two earlier ones.
    const isUsual = shares.filter((share) => share >= least).length > 1 || shares[0]! >= least;
    if (before.length === 0 || isUsual) continue;
    const percent = Math.round(100 * Math.max(...shares.filter((share) => share < least), 0));
    const absent = now.absent === 0 ? "" : `, and ${now.absent} not in the files,`;
    unusual.push({
      text: `${kind}: ${now.changed} changed and ${now.removed} removed${absent} of ${now.stored}, usually at most ${percent} %`,
      rows: otherRows(now),
    });
  }
  return unusual;
}

/** The records of the last `limit` imports that succeeded, newest first. */
export async function lastRecords(session: ImportSession, limit: number): Promise<ImportRecord[]> {
  const rows = await session.run<{ record: string }>(sql`
    select record as "record"
    from import_records
    where company_id = ${session.companyId} and has_failed = 0
    order by number desc
    limit ${limit}`);
  return rows.map(({ record }) => readImportRecord(record)!);
}

const otherRows = ({ changed, removed, absent }: KindGate) => changed + removed + absent;
const shareOf = (gate: KindGate) => otherRows(gate) / gate.stored;

// Renamed policies and departments -----------------------------------------------------------------------------------

/** Fewer workers may share two policies, or move between two departments, by chance. */
const LEAST_WORKERS = 3;
const MOST_WORKERS_PERCENT = 80;

/** Policies that seem to be renamed: for each, what to add to the mapping. `absent`: policies that the files do not have. */
export async function renamedPolicies(
  session: ImportSession,
  added: ReadonlyMap<string, string>,
  absent: Sql,
) {
  if (added.size === 0) return [];
  // A pair has most of its workers in common.
  const pairs = await session.run<{ was: string; before: string; now: string }>(sql`
    with
    gone as (
      select p.id, p.legacy_id
      from policies p
      join (${absent}) as absent on absent.id = p.id
      where p.company_id = ${session.companyId} and p.legacy_id is not null
    ),
    sizes as (
      select policy_id, count(*) as workers
      from assignments
      where company_id = ${session.companyId}
      group by policy_id
    ),
    shared as (
      select b.policy_id as was, a.policy_id as now, count(*) as workers
      from assignments b
      join assignments a on a.company_id = b.company_id and a.worker_id = b.worker_id
      where b.company_id = ${session.companyId}
        and b.policy_id in (select id from gone)
        and a.policy_id not in (select id from gone)
      group by b.policy_id, a.policy_id
    )
    select gone.id as "was", gone.legacy_id as "before", shared.now as "now"
    from gone
    join shared on shared.was = gone.id
    join sizes as of_was on of_was.policy_id = shared.was
    join sizes as of_now on of_now.policy_id = shared.now
    where (of_was.workers >= ${LEAST_WORKERS} or of_now.workers >= ${LEAST_WORKERS})
      and shared.workers * 100 >= of_was.workers * ${MOST_WORKERS_PERCENT}
      and shared.workers * 100 >= of_now.workers * ${MOST_WORKERS_PERCENT}
    order by gone.id, shared.now`);
  const ofAdded = pairs.filter(({ now }) => added.has(now));
  const isOnly = ({ was }: { was: string }) => ofAdded.filter((pair) => pair.was === was).length === 1;
  return ofAdded
    .filter(isOnly)
    .map(({ now, before }) => `"was": {${shown(added.get(now)!)}: ${shown(before)}}`);
}

/** Departments that seem to be renamed: their workers moved to a new one, and nobody is left. */
export async function renamedDepartments(
  session: ImportSession,
  moves: ReadonlyMap<string, number>,
  isNew: (id: string) => boolean,
): Promise<string[]> {
  const texts: string[] = [];
  for (const [move, workers] of moves) {
    const [was, now] = move.split(" ") as [string, string]; // as it was noted
    if (workers < LEAST_WORKERS || !isNew(now)) continue;
    const [isInFiles] = await session.run(sql`
      select 1
      from ${staged("departments")} s
      where s.id = ${was} and s.state = ${ROW_STATE.good}`);
    if (isInFiles !== undefined || (await referenced(session, "departments", [was])).size > 0) continue;
    const rows = await session.run<Pick<Rows["departments"], "id" | "name" | "legacyId">>(sql`
      select id as "id", name as "name", legacy_id as "legacyId"
      from departments
      where company_id = ${session.companyId} and id in (${was}, ${now})`);
    const [before, after] = [was, now].map((id) => rows.find((row) => row.id === id));
    texts.push(
      after?.legacyId != null
        ? `"was": {${shown(after.legacyId)}: ${shown(before?.legacyId ?? was)}} in departments`
        : `"departments": {"rows": [{"id": "${was}", "name": ${shown(after?.name ?? "")}}]}`,
    );
  }
  return texts;
}
