// What an import notes for the change feed, the same on every engine. `put` and `remove` of every import transaction note what
// they do, so no caller can forget it.
//
// `companies.seq` counts a company's imports that changed something. A listed row carries the number of the import that last
// changed its wire object; the number is null until an import after the first changes the row. Only numbered rows are
// indexed, so a first import costs nothing. `changes` has one row per removed object, and one per worker or policy whose
// balances are to be fetched again. `imports` has one row per number, with a random mark: a position carries both, so a
// position of another history is recognised.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { FEED_RESOURCES, type FeedResource } from "../resources/changes.ts";
import { type FactKind, LISTS, type ListKind, type Rows } from "../resources/registry.ts";
import { DAY_MS } from "../time/day.ts";
import type { ImportOutcome } from "./store.ts";
import { TABLES } from "./tables.ts";

/** The tables of the feed, besides the column `seq` of the listed kinds. */
export const FEED_TABLES = ["imports", "changes"] as const;

/** How long removals are kept unless an import says otherwise. */
const KEEP_REMOVALS_MS = 90 * DAY_MS;

/** The order of the entries of one import: parents before children, removals of children before those of parents. */
export const RANKS = [
  { resource: "workers", isRemoved: false },
  { resource: "policies", isRemoved: false },
  { resource: "assignments", isRemoved: false },
  { resource: "requests", isRemoved: false },
  { resource: "balances", isRemoved: false },
  // Of a worker or policy that is removed. Rows from here on are forgotten in time.
  { resource: "balances", isRemoved: false },
  { resource: "requests", isRemoved: true },
  { resource: "assignments", isRemoved: true },
  { resource: "policies", isRemoved: true },
  { resource: "workers", isRemoved: true },
] as const satisfies readonly { readonly resource: FeedResource; readonly isRemoved: boolean }[];

const BALANCES_RANK = 4;
const GONE_RANK = 5;

export const LAST_RANK = RANKS.length - 1;

/** The rank of entries that are forgotten in time. */
export function removalRank(resource: FeedResource): number {
  return RANKS.findIndex((one, rank) => rank >= GONE_RANK && one.resource === resource);
}

/** Whether rows of the kind are objects of the feed, and so have the column `seq`. */
export function isNumbered(kind: FactKind): kind is ListKind {
  return kind in LISTS;
}

/** What balances are computed from, by kind: see `AssignmentWithFacts`. */
const BALANCE_COLUMNS: { readonly [K in FactKind]: readonly (keyof Rows[K] & string)[] } = {
  workers: ["legacyId", "startDay", "endDay", "terms"],
  policies: ["terms"],
  assignments: ["workerId", "policyId", "assignedDay", "endsDay", "terms"],
  requests: ["workerId", "policyId", "status", "firstDay", "lastDay", "minutes", "terms"],
  adjustments: ["workerId", "policyId", "day", "minutes"],
  work_hours: ["workerId", "day", "minutes"],
};

/** The columns that are read of a row before it is replaced or removed; of a numbered kind also `seq`. */
export function notedColumns(kind: FactKind): string[] {
  const listed = isNumbered(kind) ? ["id", "doc"] : [];
  return [...new Set([...TABLES[kind].key, ...listed, ...BALANCE_COLUMNS[kind]])];
}

/** A row as it was stored: `notedColumns`, and `seq`. */
export type NotedRow = Readonly<Record<string, string | number | null>>;

/** Runs a statement in the transaction of the import. */
export type Execute = <R>(query: Sql) => Promise<R[]>;

/** The state of a company's feed when an import begins. */
interface FeedState {
  /** The number of the last import that changed something; 0 before the first. */
  readonly seq: number;
  /** Whether a removal may be noted of an object that comes back. */
  readonly hasRemovals: boolean;
}

type FeedOutcome = Pick<ImportOutcome<unknown>, "keepRemovalsMs" | "times">;

/** The most notes that are held in memory. */
const PENDING_MAX = 20_000;
/** The most that one statement writes. Sizes are powers of two, so few prepared statements serve all. */
const WRITE_MAX = 512;

export class FeedNotes {
  readonly #execute: Execute;
  readonly #companyId: string;
  readonly #state: FeedState;
  /** By resource, what is to be written: the rank of an entry, or null for a removal to be taken back. */
  readonly #pending = new Map<FeedResource, Map<string, number | null>>();
  #pendingCount = 0;
  /** Workers and policies that this import has removed. */
  readonly #gone = new Set<string>();
  #hasRemoved = false;
  /** Whether there is anything for the feed: then the import gets a number. */
  hasNoted = false;
  #hasWritten = false;
  #hasTakenBack = false;
  /** Whether ids of removed objects were forgotten. */
  hasForgotten = false;

  private constructor(execute: Execute, companyId: string, state: FeedState) {
    this.#execute = execute;
    this.#companyId = companyId;
    this.#state = state;
  }

  /** For an import that holds the company already: numbers follow the order of commits. */
  static async begin(execute: Execute, companyId: string): Promise<FeedNotes> {
    const [state] = await execute<{ seq: number; hasRemovals: number | boolean }>(
      sql`select seq as "seq", exists (select 1 from changes where company_id = ${companyId} and ${IS_GONE}) as "hasRemovals" from companies where id = ${companyId}`,
    );
    const { seq = 0, hasRemovals = false } = state ?? {}; // a company that is made by a restore has no row yet
    return new FeedNotes(execute, companyId, { seq, hasRemovals: Boolean(hasRemovals) });
  }

  /** The number of this import. */
  get seq(): number {
    return this.#state.seq + 1;
  }

  /** Whether nothing was imported before: then everything is of this import, and no row has a number. */
  get isFirst(): boolean {
    return this.#state.seq === 0;
  }

  /** Notes that a row is added, or replaces `before`. Returns the number that the row is to carry. */
  put(kind: FactKind, before: NotedRow | null, after: NotedRow): number | null {
    if (this.isFirst) {
      this.hasNoted = true;
      return null;
    }
    this.#notePutBalances(kind, before, after);
    if (!isNumbered(kind)) return null;
    if (before !== null && before.doc === after.doc) return before.seq as number | null; // the column's values
    this.hasNoted = true;
    if (before === null && (this.#state.hasRemovals || this.#hasRemoved))
      this.#note(kind, after.id as string, null); // ids are texts
    return this.seq;
  }

  #notePutBalances(kind: FactKind, before: NotedRow | null, after: NotedRow): void {
    if (before !== null) {
      if (BALANCE_COLUMNS[kind].every((column) => before[column] === after[column])) return;
      this.#noteBalances(kind, before);
    } else if (kind === "workers" || kind === "policies") {
      // Nobody has balances of a new one. One that was just removed may be replaced by another version of it.
      if (!this.#gone.delete(after.id as string)) return; // ids are texts
    }
    this.#noteBalances(kind, after);
  }

  #noteBalances(kind: FactKind, row: NotedRow): void {
    if (row.status === "denied") return; // a request that bears on no balance
    const id = kind === "workers" || kind === "policies" ? row.id : row.workerId;
    this.#note("balances", id as string, BALANCES_RANK); // ids are texts
  }

  /** Notes that a row is removed. */
  removed(kind: FactKind, row: NotedRow): void {
    if (this.isFirst) return;
    this.#hasRemoved = true;
    if (isNumbered(kind)) this.#note(kind, row.id as string, removalRank(kind)); // ids are texts
    if (kind === "workers" || kind === "policies")
      this.#gone.add(row.id as string); // as above
    else this.#noteBalances(kind, row);
  }

  /**
   * Notes that a worker is again what it was before this import: as if it had never been put. If so much was noted that some of
   * it is written, an entry too many stays.
   */
  tookBackWorker(id: string, wasStored: boolean): void {
    if (this.isFirst) return;
    this.#hasTakenBack = true;
    if (this.#hasWritten) {
      if (!wasStored) this.#note("workers", id, removalRank("workers"));
      return;
    }
    for (const resource of ["workers", "balances"] as const)
      if (this.#pending.get(resource)?.delete(id)) this.#pendingCount--;
  }

  /** Whether a row carries the number of this import. */
  async #hasNumbered(): Promise<boolean> {
    const looks = FEED_RESOURCES.filter((resource) => resource !== "balances").map(
      (kind) =>
        sql`exists (select 1 from ${raw(kind)} where company_id = ${this.#companyId} and seq = ${this.seq})`,
    );
    const [found] = await this.#execute<{ isAny: number | boolean }>(
      sql`select ${join(looks, " or ")} as "isAny"`,
    );
    return Boolean(found!.isAny);
  }

  #note(resource: FeedResource, id: string, rank: number | null): void {
    this.hasNoted = true;
    const ids = this.#pending.get(resource) ?? new Map<string, number | null>();
    this.#pending.set(resource, ids);
    if (!ids.has(id)) this.#pendingCount++;
    ids.set(id, rank);
  }

  /** After each batch: writes what was noted once that is much. */
  async relieve(): Promise<void> {
    if (this.#pendingCount >= PENDING_MAX) await this.#write();
  }

  async #write(): Promise<void> {
    if (this.#pendingCount > 0) this.#hasWritten = true;
    for (const [resource, ids] of this.#pending) {
      const code = FEED_RESOURCES.indexOf(resource);
      const entries = [...ids];
      const noted = entries.filter(([, rank]) => rank !== null);
      const back = entries.filter(([, rank]) => rank === null);
      for (const part of parts(noted)) {
        const values = part.map(
          ([id, rank]) => sql`(${this.#companyId}, ${code}, ${id}, ${this.seq}, ${rank})`,
        );
        await this.#execute(
          sql`insert into changes (company_id, resource, id, seq, rank) values ${join(values)} on conflict (company_id, resource, id) do update set seq = excluded.seq, rank = excluded.rank`,
        );
      }
      for (const part of parts(back)) {
        await this.#execute(
          sql`delete from changes where company_id = ${this.#companyId} and resource = ${code} and id in (${join(part.map(([id]) => id))})`,
        );
      }
    }
    this.#pending.clear();
    this.#pendingCount = 0;
  }

  /** At the end of an import that is committed: gives it its number, and forgets removals that are too old. */
  async end(nowMs: number, { keepRemovalsMs = KEEP_REMOVALS_MS, times }: FeedOutcome = {}): Promise<void> {
    if (this.#hasTakenBack && !this.#hasWritten && this.#pendingCount === 0)
      this.hasNoted = this.#gone.size > 0 || (await this.#hasNumbered());
    if (!this.hasNoted) return;
    const endedAtMs = times?.changedAtMs ?? nowMs;
    for (const id of this.#gone) this.#note("balances", id, GONE_RANK);
    await this.#write();
    await this.#execute(sql`update companies set seq = ${this.seq} where id = ${this.#companyId}`);
    await this.#execute(
      sql`insert into imports (company_id, seq, mark, ended_at_ms) values (${this.#companyId}, ${this.seq}, ${newMark()}, ${endedAtMs})`,
    );
    await this.#forget(nowMs - keepRemovalsMs);
  }

  /** Notes by resource the last import with a forgotten removal: positions before that are gone. */
  async #forget(untilMs: number): Promise<void> {
    const [young] = await this.#execute<{ seq: number }>(
      sql`select c.seq as "seq" from changes c join imports i on i.company_id = c.company_id and i.seq = c.seq where c.company_id = ${this.#companyId} and c.${IS_GONE} and i.ended_at_ms > ${untilMs} order by c.seq limit 1`,
    );
    const old = sql`company_id = ${this.#companyId} and ${IS_GONE}${young === undefined ? empty : sql` and seq < ${young.seq}`}`;
    const forgotten = await this.#execute<{ resource: number; seq: number }>(
      sql`select resource as "resource", max(seq) as "seq" from changes where ${old} group by resource`,
    );
    if (forgotten.length === 0) return;
    this.hasForgotten = true;
    const [before] = await this.#execute<{ forgotten: string }>(
      sql`select forgotten_removals as "forgotten" from companies where id = ${this.#companyId}`,
    );
    const last = JSON.parse(before!.forgotten) as Record<string, number>; // as is written here
    for (const { resource, seq } of forgotten) last[FEED_RESOURCES[resource]!] = seq;
    await this.#execute(
      sql`update companies set forgotten_removals = ${JSON.stringify(last)} where id = ${this.#companyId}`,
    );
    await this.#execute(sql`delete from changes where ${old}`);
  }
}

/** A condition on `changes`; literal, so that the partial index serves it. */
const IS_GONE = raw(`rank >= ${GONE_RANK}`);

/** Parts of at most `WRITE_MAX` entries, each as long as a power of two. */
function* parts<T>(entries: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < entries.length; ) {
    const size = 2 ** Math.floor(Math.log2(Math.min(WRITE_MAX, entries.length - at)));
    yield entries.slice(at, at + size);
    at += size;
  }
}

/** 64 random bits, in hexadecimal. */
function newMark(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
}

/**
 * The mark of a company before its first import: one that is deleted and made again has another. `made`: a source of rows;
 * only if it has one.
 */
export function beginFeed(companyId: string, made?: Sql): Sql {
  const values = sql`${companyId}, 0, ${newMark()}, null`;
  const rows = made === undefined ? sql`values (${values})` : sql`select ${values} from ${made}`;
  return sql`insert into imports (company_id, seq, mark, ended_at_ms) ${rows} on conflict (company_id, seq) do nothing`;
}
