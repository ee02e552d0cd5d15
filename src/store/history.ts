// What was known of a company in the past, the same on every engine (decision 70).
//
// `companies.revision` counts the commits of a company since its first import. `company_states` has the company's own row at each
// revision, and when that was. A trigger writes a row into its kind's history before the row is changed or removed, so no writer can
// forget it: the row as it was, from revision `since` until revision `until`. For a row that is added, the history says that it was not
// there. So the row of a key at revision R is that of its history with since <= R < until, or, without one, the row stored now.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { COMPANY_COLUMNS, HISTORY_DEFAULT } from "../resources/company.ts";
import { LIST_KINDS, type ListKind } from "../resources/kinds.ts";
import { addMonths, DAY_MS, utcDayOf } from "../time/day.ts";
import type { StoredRecord, VisitRecords } from "./store.ts";
import {
  CLOSE_COLUMNS,
  chunks,
  columnName,
  type Execute,
  factColumns,
  HISTORY_COLUMNS,
  HISTORY_TABLES,
  historyTable,
  KINDS,
  type Kind,
  ownerColumn,
  TABLES,
} from "./tables.ts";
import { BUCKETS_OF_ONE } from "./time-buckets.ts";

const keyColumns = (kind: Kind) => ["company_id", ...TABLES[kind].key.map(columnName)];
/** The columns of a row, each with the row's name before it. */
const columnsOf = (row: string, columns: readonly string[]) =>
  columns.map((column) => `${row}.${column}`).join(", ");
/** The condition that two rows agree in these columns. */
const areEqual = (columns: readonly string[], left: string, right: string) =>
  columns.map((column) => `${left}.${column} = ${right}.${column}`).join(" and ");

// Writing -----------------------------------------------------------------------------------------------------------------

/** What the history gets when a row is changed, removed or added. */
const CHANGES = {
  update: { row: "old", isThere: 1, columns: factColumns },
  delete: { row: "old", isThere: 1, columns: factColumns },
  insert: {
    row: "new",
    isThere: 0,
    columns: (kind: Kind) => [...new Set([...keyColumns(kind), ownerColumn(kind) ?? "company_id"])],
  },
} as const;

/** The columns of a kind outside its key, and the condition that an update changes one of them. */
export function changedColumns(
  kind: Kind,
  isDistinct: string,
): { readonly columns: string; readonly differ: string } {
  const columns = factColumns(kind).filter((column) => !keyColumns(kind).includes(column));
  return {
    columns: columns.join(", "),
    differ: `(${columnsOf("old", columns)}) ${isDistinct} (${columnsOf("new", columns)})`,
  };
}

/** The statement of a trigger: notes a row before its first change in an import. */
export function rememberSql(kind: Kind, change: keyof typeof CHANGES): string {
  const { row, isThere, columns } = CHANGES[change];
  const table = historyTable(kind);
  const own = columns(kind);
  const isOfKey = areEqual(keyColumns(kind), "h", row);
  return `insert into ${table} (${[...own, ...HISTORY_COLUMNS].join(", ")})
    select ${columnsOf(row, own)},
      coalesce((select max(h.until) from ${table} h where ${isOfKey}), 0), c.revision + 1, ${isThere}
    from companies c
    where c.id = ${row}.company_id and c.revision > 0
      and not exists (select 1 from ${table} h where ${isOfKey} and h.until = c.revision + 1);`;
}

export interface EndOfRevision {
  readonly nowMs: number;
  /** Ids of removed workers. Their history is forgotten. */
  readonly gone: readonly string[];
  /** Whether it is an import. Only an import forgets what is old: a command that changes a setting can be taken back. */
  readonly isImport: boolean;
}

/**
 * Ends a revision: call it at the end of an import, or of another change of a company, before the commit, once the company's own row
 * has changed. Returns whether a moment is forgotten.
 */
export async function endRevision(
  execute: Execute,
  companyId: string,
  { nowMs, gone, isImport }: EndOfRevision,
): Promise<boolean> {
  await countErased(execute, companyId, nowMs, gone);
  await forgetWorkers(execute, companyId, gone);
  // Nothing is known before the first import.
  const [company] = await execute<{ revision: number; history: string | null }>(sql`
    update companies
    set revision = revision + 1
    where id = ${companyId} and data_as_of_ms is not null
    returning revision as "revision", history as "history"`);
  if (company === undefined) return false;
  const names = COMPANY_COLUMNS.filter((column) => column !== "id").map(columnName);
  const columns = raw(names.join(", "));
  const last = sql`select coalesce(max(known_at_ms), 0) + 1 from company_states where company_id = ${companyId}`;
  const knownAtMs = sql`case when (${last}) > ${nowMs} then (${last}) else ${nowMs} end`; // also after a clock was set back
  await execute(sql`
    insert into company_states (company_id, revision, known_at_ms, ${columns})
    select id, revision, ${knownAtMs}, ${columns}
    from companies
    where id = ${companyId}`);
  if (!isImport) return false;
  const { revision, history } = company;
  const first = await firstKept(execute, companyId, history ?? HISTORY_DEFAULT, nowMs, revision);
  return forgetOld(execute, companyId, first);
}

/** Counts removed workers in the closes that have a figure for them, because they had an assignment then. */
async function countErased(
  execute: Execute,
  companyId: string,
  nowMs: number,
  gone: readonly string[],
): Promise<void> {
  for (const some of chunks(gone, WORKERS_AT_ONCE)) {
    const erased = sql`
      from assignments_history h
      where h.company_id = closes.company_id
        and h.worker_id in (${join(some)})
        and h.since <= closes.revision
        and h.until > closes.revision
        and h.is_there = 1`;
    // A balance that opened after the last day is not in the close.
    const isOpened = sql`
      not exists (
        select 1
        from openings_history o
        where o.company_id = h.company_id
          and o.worker_id = h.worker_id
          and o.policy_id = h.policy_id
          and o.since <= closes.revision
          and o.until > closes.revision
          and o.is_there = 1
          and o.day > closes.last_day)`;
    await execute(sql`
      update closes
      set
        erased_workers = erased_workers + (select count(distinct h.worker_id) ${erased}),
        erased_balances = erased_balances + (select count(*) ${erased} and ${isOpened}),
        workers_erased_ms = ${nowMs}
      where company_id = ${companyId} and exists (select 1 ${erased})`);
  }
}

async function firstKept(
  execute: Execute,
  companyId: string,
  history: string,
  nowMs: number,
  revision: number,
): Promise<number> {
  if (history === "forever") return 0;
  if (history === "none") return revision;
  const day = utcDayOf(nowMs);
  const fromMs = nowMs - (day - addMonths(day, -Number.parseInt(history, 10))) * DAY_MS;
  const [kept] = await execute<{ revision: number | null }>(sql`
    select max(revision) as "revision"
    from company_states
    where company_id = ${companyId} and known_at_ms <= ${fromMs}`);
  return kept?.revision ?? 0;
}

/** Forgets rows that were replaced before the revision, except those that a close needs. Returns whether it forgot a revision. */
async function forgetOld(execute: Execute, companyId: string, first: number): Promise<boolean> {
  const closes = sql`select revision from closes where closes.company_id = ${companyId}`;
  const forgotten = await execute(sql`
    delete from company_states
    where company_id = ${companyId} and revision < ${first} and revision not in (${closes})
    returning revision`);
  if (forgotten.length === 0) return false;
  for (const table of HISTORY_TABLES) {
    const name = raw(table);
    await execute(sql`
      delete from ${name}
      where company_id = ${companyId}
        and until <= ${first}
        and not exists (${closes} and closes.revision >= ${name}.since and closes.revision < ${name}.until)`);
  }
  return true;
}

const WORKERS_AT_ONCE = 500;

/** Forgets the history of these workers' rows. A row that now has another owner counts as missing for the time when it was theirs. */
async function forgetWorkers(execute: Execute, companyId: string, gone: readonly string[]): Promise<void> {
  for (const some of chunks(gone, WORKERS_AT_ONCE)) {
    const ids = join(some);
    for (const kind of KINDS) {
      const owner = ownerColumn(kind);
      if (owner === null) continue;
      const [table, key] = [raw(historyTable(kind)), keyColumns(kind)];
      const isTheirs = sql`company_id = ${companyId} and ${raw(owner)} in (${ids})`;
      if (!key.includes(owner)) {
        const others = factColumns(kind).filter((column) => !key.includes(column));
        const cleared = raw(others.map((column) => `${column} = null`).join(", "));
        const isHere = raw(
          `exists (select 1 from ${kind} now where ${areEqual(key, "now", historyTable(kind))})`,
        );
        await execute(sql`update ${table} set is_there = 0, ${cleared} where ${isTheirs} and ${isHere}`);
      }
      await execute(sql`delete from ${table} where ${isTheirs}`);
      // A cleared row is needed only while somebody has the row now.
      if (!key.includes(owner))
        await execute(sql`
          delete from ${table}
          where company_id = ${companyId}
            and ${raw(owner)} is null
            and not exists (select 1 from ${raw(kind)} now where ${raw(areEqual(key, "now", historyTable(kind)))})`);
    }
    await forgetManagers(execute, companyId, ids);
  }
}

/** Forgets who these workers managed: former rows of others have their managers' names. */
async function forgetManagers(execute: Execute, companyId: string, ids: Sql): Promise<void> {
  const rows = await execute<{ id: string; until: number; doc: string }>(sql`
    select id as "id", until as "until", doc as "doc"
    from workers_history
    where company_id = ${companyId} and is_there = 1 and manager_id in (${ids})`);
  for (const { id, until, doc } of rows) {
    const nobody = JSON.stringify({ ...JSON.parse(doc), managerId: null, manager: null });
    await execute(sql`
      update workers_history
      set manager_id = null, doc = ${nobody}
      where company_id = ${companyId} and id = ${id} and until = ${until}`);
  }
}

// Reading -----------------------------------------------------------------------------------------------------------------

/** See `KnownMoment`. A revision that only a close keeps is known only at the exact moment of the revision. */
export function knownMoment(companyId: string, atMs: number): Sql {
  const first = sql`
    select max(s.revision)
    from company_states s
    where s.company_id = ${companyId}
      and not exists (
        select 1
        from company_states b
        where b.company_id = s.company_id and b.revision = s.revision - 1)`;
  const states = sql`from company_states k where k.company_id = ${companyId}`;
  const known = sql`${states} and k.revision >= (${first})`;
  const then = sql`${states} and (k.known_at_ms = ${atMs} or k.revision >= (${first}) and k.known_at_ms <= ${atMs})`;
  return sql`
    select
      (select max(k.revision) ${then}) as "revision",
      (select max(k.known_at_ms) ${then}) as "atMs",
      (select min(k.known_at_ms) ${known}) as "firstMs",
      (select min(k.known_at_ms) ${states} and k.known_at_ms > ${atMs}) as "nextMs"`;
}

/** How an engine names the stored tables, and computes the time buckets of a request. */
export interface KnownDialect {
  /** The prefix of a stored table's name, which tells it from a selection of `with` that has the same name. */
  readonly stored: string;
  /** The columns of `request_buckets` from a row of requests with its `bucket`. */
  readonly bucketColumns: readonly string[];
  readonly firstBucket: string;
  readonly lastBucket: string;
  /** Whether the engine has statistics, and so chooses the index itself. */
  readonly hasStatistics: boolean;
}

/** A table whose statement names the index that it is read by, or none. */
const WITH_INDEX = /\b(\w+) (?:indexed by (\w+)|not indexed)\b/g;
const COMPARES_WORKER = /\bworker_id (?:=|in|between) ?[(?]?/;

/** The query as of a revision. Selections with the same names and columns replace its tables, so queries need not know of the history. */
export function asKnown(query: string, companyId: string, revision: number, dialect: KnownDialect): string {
  const known = new KnownTables(companyId, revision, dialect);
  const tables = new Map<string, string>();
  const renamed = query.replaceAll(WITH_INDEX, (_text, table: string, index: string | undefined) => {
    const name = `${table}_${index ?? "in_order"}`;
    const isOfWorker = index?.endsWith("_worker") ?? false;
    tables.set(
      name,
      known.selection(table, { use: index ? `indexed by ${index}` : "not indexed", isOfWorker }),
    );
    return `${name} as ${table}`;
  });
  const isOfWorker = COMPARES_WORKER.test(query);
  // These come first: in a later selection of `with`, the name of a kind would mean its selection, not its table.
  for (const kind of LIST_KINDS) {
    const parts = pastParts(kind);
    if (renamed.includes(`from ${parts.unchanged}`)) {
      tables.set(parts.unchanged, known.unchanged(kind, ""));
      tables.set(parts.changed, known.changed(kind, isOfWorker));
    }
  }
  for (const table of [...KINDS, "request_buckets", "companies"]) {
    if (new RegExp(`\\b(?:from|join) ${table}\\b`).test(renamed))
      tables.set(table, known.selection(table, { use: "", isOfWorker }));
  }
  const named = [
    ...[...known.besides].map(([name, selection]) => `${name} as materialized (${selection})`),
    ...[...tables].map(([name, selection]) => `${name} as not materialized (${selection})`),
  ].join(", ");
  if (named === "") return query; // only of closes, which have no history
  return /^\s*with /.test(renamed) ? renamed.replace("with ", `with ${named}, `) : `with ${named} ${renamed}`;
}

/** The two parts of a list as it was, for a query that reads each in order: rows that have not changed since, and rows that have. */
export function pastParts(kind: ListKind): { readonly unchanged: string; readonly changed: string } {
  return { unchanged: `${kind}_unchanged`, changed: `${kind}_changed` };
}

interface Access {
  /** Names the index for the rows stored now; empty where the engine decides. */
  readonly use: string;
  /** Whether the query wants the rows of some workers only. */
  readonly isOfWorker: boolean;
}

/** The tables as they were, as selections with their names and columns. */
class KnownTables {
  /** Selections that others read from. */
  readonly besides = new Map<string, string>();
  readonly #company: string;
  readonly #at: string;

  constructor(
    companyId: string,
    revision: number,
    readonly dialect: KnownDialect,
  ) {
    this.#company = `'${companyId.replaceAll("'", "''")}'`;
    this.#at = String(Math.trunc(revision));
  }

  selection(table: string, access: Access): string {
    if (table === "companies") return this.#ownRow();
    return table === "request_buckets" ? this.#buckets(access) : this.#facts(table as Kind, access); // all others are kinds
  }

  #facts(kind: Kind, { use, isOfWorker }: Access): string {
    return `${this.unchanged(kind, use)} union all ${this.changed(kind, isOfWorker)}`;
  }

  unchanged(kind: Kind, use: string): string {
    return `
      select ${factColumns(kind).join(", ")}
      from ${this.#unchanged(kind, kind, use)}`;
  }

  changed(kind: Kind, isOfWorker: boolean): string {
    const history = historyTable(kind);
    const hasIndex = ownerColumn(kind) === "worker_id" && TABLES[kind].key[0] !== "workerId";
    const byWorker =
      !this.dialect.hasStatistics && isOfWorker && hasIndex ? ` indexed by ${history}_worker_id` : "";
    const until = this.dialect.hasStatistics ? "until" : "+until"; // rows are found by their keys, not by `until`
    return `
      select ${factColumns(kind).join(", ")}
      from ${history}${byWorker}
      where ${this.#held(until)}`;
  }

  #buckets({ use }: Access): string {
    const { bucketColumns, firstBucket, lastBucket } = this.dialect;
    const steps = Array.from({ length: BUCKETS_OF_ONE }, (_, step) => `select ${step} as step`).join(
      " union all ",
    );
    const made: Readonly<Record<string, string>> = {
      bucket: "cast(first + step as integer)",
      is_first: "step = 0",
    };
    const index = this.dialect.hasStatistics ? "" : " indexed by requests_history_until";
    const ranges = `
      select request.*, ${firstBucket} as first, ${lastBucket} as last
      from (select * from requests_history${index} where ${this.#held("until")}) as request`;
    const computed = bucketColumns.map((column) =>
      column in made ? `${made[column]} as ${column}` : column,
    );
    // One selection for all the buckets of a statement.
    this.besides.set(
      "buckets_then",
      `
        select ${computed.join(", ")}
        from (${ranges}) as ranges
        cross join (${steps}) as steps
        where first + step <= last`,
    );
    const columns = bucketColumns.join(", ");
    return `
      select ${columns}
      from ${this.#unchanged("request_buckets", "requests", use)}
      union all
      select ${columns}
      from buckets_then`;
  }

  #ownRow(): string {
    const names = STATE_COLUMNS.slice(2).join(", ");
    return `
      select company_id as id, ${names}
      from company_states
      where company_id = ${this.#company} and revision = ${this.#at}`;
  }

  /** The rows that are stored now and have not changed since. */
  #unchanged(table: string, kind: Kind, use: string): string {
    const keys = table === kind ? TABLES[kind].key.map(columnName) : ["id"];
    const changed = historyTable(kind);
    return `${this.dialect.stored}${table} as stored ${use}
      where stored.company_id = ${this.#company}
        and not exists (
          select 1
          from ${changed} h
          where h.company_id = ${this.#company} and ${areEqual(keys, "h", "stored")} and h.until > ${this.#at})`;
  }

  #held(until: string): string {
    return `company_id = ${this.#company} and since <= ${this.#at} and ${until} > ${this.#at} and is_there = 1`;
  }
}

// Moving ------------------------------------------------------------------------------------------------------------------

/** Tables besides the facts that a copy or a backup takes row by row: their columns, the key first. */
export const RECORD_TABLES: readonly {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
}[] = [
  ...KINDS.map((kind) => ({
    name: historyTable(kind),
    key: [...TABLES[kind].key.map(columnName), "until"],
    columns: [...factColumns(kind).slice(1), ...HISTORY_COLUMNS],
  })),
  { name: "closes", key: ["name"], columns: CLOSE_COLUMNS },
];

const STATE_COLUMNS = [
  "revision",
  "known_at_ms",
  ...COMPANY_COLUMNS.filter((column) => column !== "id").map(columnName),
];

const SCAN_BATCH_ROWS = 1000;

const RECORDS_AT_ONCE = 500;

/** The rows of a table in the order of its key, in batches. `key`: its columns, each with its name in `selection`. */
export async function* rowsInOrder<R>(
  execute: Execute,
  companyId: string,
  table: string,
  key: readonly (readonly [column: string, selectedAs: keyof R])[],
  selection: Sql,
): AsyncGenerator<readonly R[]> {
  const order = raw(key.map(([column]) => column).join(", "));
  for (let last: R | undefined, isAtEnd = false; !isAtEnd; ) {
    const after =
      last === undefined ? empty : sql` and (${order}) > (${join(key.map(([, name]) => last![name]))})`;
    const rows: R[] = await execute(sql`
      select ${selection}
      from ${raw(table)}
      where company_id = ${companyId}${after}
      order by ${order}
      limit ${SCAN_BATCH_ROWS}`);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    isAtEnd = rows.length < SCAN_BATCH_ROWS;
  }
}

/** Gives the rows of each table in the order of its key. */
export async function readRecords(execute: Execute, companyId: string, visit: VisitRecords): Promise<void> {
  for (const { name, key, columns } of RECORD_TABLES) {
    const order = key.map((column) => [column, column] as const);
    const selection = raw(columns.join(", "));
    for await (const rows of rowsInOrder<StoredRecord>(execute, companyId, name, order, selection))
      await visit(name, rows);
  }
}

export async function forgetRecords(execute: Execute, companyId: string): Promise<void> {
  for (const { name } of RECORD_TABLES)
    await execute(sql`delete from ${raw(name)} where company_id = ${companyId}`);
}

/** Adds rows to a table of `RECORD_TABLES`. */
export async function addRecords(
  execute: Execute,
  companyId: string,
  table: string,
  rows: readonly StoredRecord[],
): Promise<void> {
  const { columns } = RECORD_TABLES.find(({ name }) => name === table)!; // as `readRecords` names them
  await insert(execute, companyId, table, columns, rows);
}

export function states(companyId: string): Sql {
  return sql`
    select ${raw(STATE_COLUMNS.join(", "))}
    from company_states
    where company_id = ${companyId}
    order by revision`;
}

/** The first moment after which no revision is missing; null if nothing is known. */
export function firstKnownMs(states: readonly StoredRecord[]): number | null {
  const last = states.at(-1);
  const first = states.findLast((state, at) => states[at - 1]?.revision !== Number(state.revision) - 1);
  return last === undefined ? null : Number(first?.known_at_ms);
}

/** Replaces the states of a company. Its revisions are counted from the last one on. */
export async function replaceStates(
  execute: Execute,
  companyId: string,
  rows: readonly StoredRecord[],
): Promise<void> {
  await execute(sql`delete from company_states where company_id = ${companyId}`);
  await insert(execute, companyId, "company_states", STATE_COLUMNS, rows);
  await execute(sql`update companies set revision = ${rows.at(-1)?.revision ?? 0} where id = ${companyId}`);
}

async function insert(
  execute: Execute,
  companyId: string,
  table: string,
  columns: readonly string[],
  rows: readonly StoredRecord[],
): Promise<void> {
  for (const some of chunks(rows, RECORDS_AT_ONCE)) {
    const values = some.map(
      (row) => sql`(${companyId}, ${join(columns.map((column) => row[column] ?? null))})`,
    );
    await execute(sql`
      insert into ${raw(table)} (company_id, ${raw(columns.join(", "))})
      values ${join(values)}`);
  }
}
