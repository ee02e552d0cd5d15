// How long a company keeps old data (docs/security.md, How long things are kept; decision 71): old rows are skipped, then erased.
import sql, { join, raw, type Sql } from "sql-template-tag";
import { type Company, type RetentionMonths, retentionMonths } from "../../resources/company.ts";
import { isOwned, KINDS, type Kind, type Rows } from "../../resources/kinds.ts";
import { storedTerms } from "../../resources/policies.ts";
import { requests } from "../../resources/requests.ts";
import type { Field } from "../../resources/resource.ts";
import type { ImportSession, ImportTransaction, RowKey } from "../../store/store.ts";
import { chunks, historyTable, selected, TABLES } from "../../store/tables.ts";
import { addMonths, type Day, utcDayOf } from "../../time/day.ts";
import { localMsOf } from "../../time/zone.ts";
import { ROW_STATE, staged } from "../staging.ts";
import type { BuildContext } from "./kinds/kind.ts";
import { tooMany } from "./prune.ts";
import type { LoadedRow, RowsQuery } from "./stored-rows.ts";

const AT_ONCE = 500;
const EXAMPLES = 3;

const REASONS = Object.entries<Field>(requests.fields).flatMap(([name, { isReason }]) =>
  isReason ? [name] : [],
);

/** The condition that an object, as JSON without spaces, has a reason. */
const hasReason = (doc: string) =>
  sql`(${join(
    REASONS.map((name) => sql`${raw(doc)} not like ${`%"${name}":null%`}`),
    " or ",
  )})`;

function withoutReasons(doc: string): string {
  const object = JSON.parse(doc) as Record<string, unknown>; // an import wrote it
  for (const name of REASONS) object[name] = null;
  return JSON.stringify(object);
}

interface LastDays {
  readonly id: string;
  readonly endDay: number | null;
  readonly status: string;
  readonly managerId: string | null;
}

/** The stored rows that are too old: those to erase, and those that stay nevertheless. */
export interface TooOld {
  /** Ids of workers. */
  readonly leavers: readonly string[];
  /** Workers who left long ago and stay: by id, why. */
  readonly keptLeavers: ReadonlyMap<string, string>;
  readonly requests: readonly string[];
  /** Ids of requests that count in a balance. */
  readonly keptRequests: readonly string[];
  /** Ids of requests whose reasons are erased. */
  readonly reasons: readonly string[];
  readonly stored: { readonly workers: number; readonly requests: number };
}

export class Retention {
  /** How many rows of requests were skipped, by source. */
  readonly #skippedRequests = new Map<number, number>();

  /** The first days that are kept; undefined if all are. */
  private constructor(
    readonly companyId: string,
    readonly from: Readonly<Partial<Record<keyof RetentionMonths, Day>>>,
  ) {}

  /** Null for a company that keeps everything. Today is the day of `nowMs` in the company's zone. */
  static of({ id, retention, timeZone }: Company, nowMs: number): Retention | null {
    if (retention === null) return null;
    const today = utcDayOf(localMsOf(nowMs, timeZone ?? "UTC"));
    const months = Object.entries(retentionMonths(retention)!); // `companies set` checked it
    return new Retention(
      id,
      Object.fromEntries(months.map(([name, count]) => [name, addMonths(today, -count)])),
    );
  }

  // Skipping ------------------------------------------------------------------------------------------------------------

  /** Marks workers who are too old and not stored. Needs the managers of the staged workers. */
  async skipWorkers(session: ImportSession): Promise<void> {
    const { leavers: from } = this.from;
    if (from === undefined) return;
    const rows = await session.run<LastDays & { readonly isStored: number }>(sql`
      select s.id as "id", s.end_day as "endDay", s.status as "status", m.id as "managerId",
        case when r.id is null then 0 else 1 end as "isStored"
      from ${staged("workers")} s
      left join managers m on m.name = s.manager_name
      left join workers r on r.company_id = ${this.companyId} and r.id = s.id
      where s.state = ${ROW_STATE.good}
      union all
      select r.id, r.end_day, r.status, r.manager_id, 1
      from workers r
      where r.company_id = ${this.companyId}
        and not exists (select 1 from ${staged("workers")} s where s.id = r.id and s.state = ${ROW_STATE.good})`);
    const { gone } = leaversOf(rows, from, (row) => Number((row as (typeof rows)[number]).isStored) === 1);
    for (const ids of chunks(gone, AT_ONCE))
      await session.run(sql`
        update ${staged("workers")}
        set state = ${ROW_STATE.old}
        where state = ${ROW_STATE.good} and id in (${join(ids)})`);
  }

  /** The columns and joins that `skips` needs. Openings and assignments must be loaded. */
  query(kind: Kind): Pick<RowsQuery, "select" | "joins"> {
    if (kind !== "requests" || this.from.requests === undefined) return {};
    return {
      select: sql`, ${BALANCE}`,
      joins: balanceOf("named_worker_id.id", "named_policy_id.id", this.companyId),
    };
  }

  /** Whether a row is too old and not stored; counts it. */
  skips<K extends Kind>(
    kind: K,
    row: Rows[K],
    { staged: { source }, stored, more }: LoadedRow<K>,
    policies: BuildContext["policies"],
  ): boolean {
    const { requests: from } = this.from;
    if (kind !== "requests" || from === undefined || stored !== null) return false;
    const request = row as Rows["requests"]; // the kind says so
    if (request.lastDay >= from) return false;
    const balance = more as unknown as BalanceOf; // what `query` selects
    if (isCounted(request, balance, policies.termsOf(request.policyId)!.isUnlimited)) return false;
    this.#skippedRequests.set(source, (this.#skippedRequests.get(source) ?? 0) + 1);
    return true;
  }

  /** The row, without its reasons if it is old. A stored reason is erased with the others, once all rows are loaded. */
  withoutOldReasons<K extends Kind>(kind: K, row: Rows[K], stored: Rows[K] | null): Rows[K] {
    const { reasons: from } = this.from;
    if (kind !== "requests" || from === undefined) return row;
    const { lastDay, doc } = row as Rows["requests"]; // the kind says so
    const before = stored as Rows["requests"] | null; // as above
    const isOld = lastDay < from && (before === null || withoutReasons(before.doc) === before.doc);
    return isOld ? { ...row, doc: withoutReasons(doc) } : row;
  }

  /** How many rows were skipped, by source. */
  async skippedRows(session: ImportSession, kinds: readonly Kind[]): Promise<ReadonlyMap<number, number>> {
    const counts = new Map(this.#skippedRequests);
    for (const kind of kinds.filter((kind) => kind === "workers" || isOwned(kind)))
      for (const { source, rows } of await session.run<{ source: number; rows: number }>(sql`
        select source as "source", count(*) as "rows"
        from ${staged(kind)}
        where state = ${ROW_STATE.old}
        group by source`))
        counts.set(source, (counts.get(source) ?? 0) + Number(rows));
    return counts;
  }

  // Erasing ----------------------------------------------------------------------------------------------------------------

  async find(session: ImportSession): Promise<TooOld> {
    const { companyId } = this;
    const { leavers: leaversFrom, requests: requestsFrom, reasons: reasonsFrom } = this.from;
    const workers =
      leaversFrom === undefined
        ? []
        : await session.run<LastDays>(sql`
            select id as "id", end_day as "endDay", status as "status", manager_id as "managerId"
            from workers
            where company_id = ${companyId}
            order by id`);
    const { gone, kept } = leaversOf(workers, leaversFrom ?? 0, () => false);
    const leavers = new Set(gone);
    const policies = await session.run<{ id: string; terms: string }>(
      sql`select id as "id", terms as "terms" from policies where company_id = ${companyId}`,
    );
    const unlimited = new Set(
      policies.filter((policy) => storedTerms(policy).isUnlimited).map(({ id }) => id),
    );
    const old: Record<"gone" | "kept", string[]> = { gone: [], kept: [] };
    type Request = BalanceOf & Pick<Rows["requests"], "id" | "workerId" | "policyId" | "status" | "lastDay">;
    if (requestsFrom !== undefined)
      for await (const rows of session.batches<Request>(sql`
        select ${raw(selected(["id", "workerId", "policyId", "status", "lastDay"], "r."))}, ${BALANCE}
        from requests r
        ${balanceOf("r.worker_id", "r.policy_id", companyId)}
        where r.company_id = ${companyId} and r.last_day < ${requestsFrom}
        order by r.id`))
        for (const row of rows)
          if (!leavers.has(row.workerId))
            old[isCounted(row, row, unlimited.has(row.policyId)) ? "kept" : "gone"].push(row.id);
    const goneRequests = new Set(old.gone);
    const withReasons =
      reasonsFrom === undefined
        ? []
        : await session.run<{ id: string; workerId: string }>(sql`
            select id as "id", worker_id as "workerId"
            from requests
            where company_id = ${companyId} and last_day < ${reasonsFrom} and ${hasReason("doc")}
            order by id`);
    return {
      leavers: gone,
      keptLeavers: kept,
      requests: old.gone,
      keptRequests: old.kept,
      reasons: withReasons
        .filter(({ id, workerId }) => !goneRequests.has(id) && !leavers.has(workerId))
        .map(({ id }) => id),
      stored: { workers: await session.count("workers"), requests: await session.count("requests") },
    };
  }

  /** Erases these rows and their history. Returns whether there was anything to erase. */
  async erase(session: ImportSession, transaction: ImportTransaction, old: TooOld): Promise<boolean> {
    for (const kind of KINDS.filter(isOwned).toReversed())
      for (const ids of chunks(old.leavers, AT_ONCE)) {
        const rows = await session.run<Readonly<Record<string, string | number>>>(sql`
          select ${raw(selected(TABLES[kind].key))}
          from ${raw(kind)}
          where company_id = ${this.companyId} and worker_id in (${join(ids)})`);
        const keys: RowKey[] = rows.map((row) => TABLES[kind].key.map((name) => row[name]!));
        await transaction.remove(kind, keys);
      }
    const keysOf = (ids: readonly string[]): RowKey[] => ids.map((id) => [id]);
    await transaction.remove("workers", keysOf(old.leavers));
    await transaction.remove("requests", keysOf(old.requests));
    await this.#clearReasons(session, transaction, old.reasons);
    const hasForgotten = await this.#forget(session, old.requests);
    return hasForgotten || [old.leavers, old.requests, old.reasons].some(({ length }) => length > 0);
  }

  async #clearReasons(
    session: ImportSession,
    transaction: ImportTransaction,
    ids: readonly string[],
  ): Promise<void> {
    for (const some of chunks(ids, AT_ONCE)) {
      type Stored = Rows["requests"] & { readonly seq: number | null; readonly digest: string | null };
      const rows = await session.run<Stored>(sql`
        select ${raw(selected(TABLES.requests.columns))}, seq as "seq", cast(digest as text) as "digest"
        from requests
        where company_id = ${this.companyId} and id in (${join(some)})`);
      await transaction.put(
        "requests",
        rows.map(({ digest: _, seq: __, ...row }) => ({ ...row, doc: withoutReasons(row.doc) })),
        rows.map(({ digest, ...stored }) => ({ digest, stored })),
      );
    }
  }

  /**
   * Erases former rows of these requests, and old reasons from history, and counts erased requests at the closes that knew them. A request
   * that is no longer stored is as old as its last row. Rows of workers whom this import removes do not count: they go at its end.
   */
  async #forget(session: ImportSession, gone: readonly string[]): Promise<boolean> {
    const { companyId } = this;
    const history = raw(historyTable("requests"));
    const erased = new Set(gone);
    const { requests: requestsFrom, reasons: reasonsFrom } = this.from;
    if (requestsFrom !== undefined) {
      const forgotten = await session.run<{ id: string }>(sql`
        select h.id as "id"
        from ${history} h
        join workers w on w.company_id = h.company_id and w.id = h.worker_id
        where h.company_id = ${companyId}
          and not exists (select 1 from requests r where r.company_id = h.company_id and r.id = h.id)
        group by h.id
        having max(h.last_day) < ${requestsFrom}`);
      for (const { id } of forgotten) erased.add(id);
    }
    for (const ids of chunks([...erased], AT_ONCE)) {
      const isErased = sql`company_id = ${companyId} and id in (${join(ids)})`;
      await session.run(sql`
        update closes
        set erased_requests = erased_requests + (
          select count(*)
          from ${history}
          where ${isErased} and since <= closes.revision and until > closes.revision
            and is_there = 1 and status <> 'denied')
        where company_id = ${companyId}`);
      await session.run(sql`delete from ${history} where ${isErased}`);
    }
    if (reasonsFrom === undefined) return erased.size > 0;
    const known = await session.run<{ id: string; until: number; doc: string }>(sql`
      select h.id as "id", h.until as "until", h.doc as "doc"
      from ${history} h
      left join requests r on r.company_id = h.company_id and r.id = h.id
      where h.company_id = ${companyId} and h.is_there = 1 and coalesce(r.last_day, h.last_day) < ${reasonsFrom}
        and ${hasReason("h.doc")}`);
    await session.makeTable("cleared_reasons", { id: "text", until: "bigint", doc: "text" });
    await session.fill(
      "cleared_reasons",
      known.map(({ id, until, doc }) => [id, until, withoutReasons(doc)]),
    );
    if (known.length > 0)
      await session.run(sql`
        update ${history}
        set doc = given.doc
        from cleared_reasons as given
        where ${history}.company_id = ${companyId} and ${history}.id = given.id and ${history}.until = given.until`);
    return erased.size + known.length > 0;
  }
}

/** The refusal of an import that would erase too much; the limit is that of pruning. */
export function tooMuch(
  { leavers, requests: old, stored }: Pick<TooOld, "leavers" | "requests" | "stored">,
  allowed: number,
): string[] {
  const erased = { workers: leavers, requests: old };
  return (["workers", "requests"] as const).flatMap((kind) => {
    const ids = erased[kind];
    if (!tooMany(ids.length, stored[kind], allowed)) return [];
    const share = Math.ceil((ids.length * 100) / stored[kind]);
    return `the retention would erase ${ids.length} of ${stored[kind]} stored ${kind} (${share} %), such as ${ids.slice(0, EXAMPLES).join(", ")}: are their last days right? If so, say --allow-removals ${share}%`;
  });
}

/** The balance that a request may count in. */
interface BalanceOf {
  readonly openingDay: number | null;
  /** The policy; null if the worker is not assigned to it. */
  readonly assigned: string | null;
}

const BALANCE = raw(`opening.day as "openingDay", assigned.policy_id as "assigned"`);

/** The joins for `BALANCE`. */
function balanceOf(worker: string, policy: string, companyId: string): Sql {
  const isOf = (row: string) =>
    sql`${raw(row)}.company_id = ${companyId} and ${raw(`${row}.worker_id = ${worker} and ${row}.policy_id = ${policy}`)}`;
  return sql`
    left join openings opening on ${isOf("opening")}
    left join assignments assigned on ${isOf("assigned")}`;
}

/** Whether today's balance would differ without the request. An opening already counts requests that end before it. */
function isCounted(
  { status, lastDay }: Pick<Rows["requests"], "status" | "lastDay">,
  { openingDay, assigned }: BalanceOf,
  isUnlimited: boolean,
): boolean {
  if (status === "denied" || isUnlimited || assigned === null) return false;
  return openingDay === null || openingDay < lastDay;
}

/** The workers who left before a day and are too old, and why each other one stays. `stays`: an additional reason to stay. */
function leaversOf<R extends LastDays>(
  rows: readonly R[],
  from: Day,
  stays: (row: R) => boolean,
): { readonly gone: string[]; readonly kept: ReadonlyMap<string, string> } {
  const left = new Map(
    rows.filter(({ endDay }) => endDay !== null && endDay < from).map((row) => [row.id, row]),
  );
  const kept = new Map<string, string>();
  /** Keeps a worker and the managers above. */
  const keep = (id: string | null, why: string) => {
    let because = why;
    let at = left.get(id ?? "");
    while (at !== undefined && !kept.has(at.id)) {
      kept.set(at.id, because);
      because = `manager of ${at.id}`;
      at = left.get(at.managerId ?? "");
    }
  };
  for (const row of rows)
    if (!left.has(row.id)) keep(row.managerId, `manager of ${row.id}`);
    else if (row.status === "active") keep(row.id, "active");
    else if (stays(row)) keep(row.id, "stored");
  return { gone: [...left.keys()].filter((id) => !kept.has(id)), kept };
}
