// What an import notes for the change feed and, at the end of this file, for hooks; the same on every engine. `put` and `remove` of
// every import transaction write these notes, so no caller can forget them.
//
// `companies.seq` counts a company's imports that changed something. A listed row carries the number of the import that last
// changed its wire object; the number is null until an import after the first changes the row. Only numbered rows are
// indexed, so a first import costs nothing. `changes` has one row per removed object, and one per worker or policy whose
// balances must be fetched again. `change_marks` has one row per number, with a random mark. A position carries both, so a
// position from another history is recognised.
import sql, { join, type Sql } from "sql-template-tag";
import { CHANGE_RESOURCES, type ChangeResource } from "../resources/changes.ts";
import { EVENTS_LOST, type EventType, type NotedType } from "../resources/events.ts";
import {
  balanceColumnsOf,
  isListKind,
  isOwned,
  isParent,
  type Kind,
  LIST_KINDS,
} from "../resources/kinds.ts";
import { DAY_MS, formatDay } from "../time/day.ts";
import type { ImportOutcome } from "./store.ts";
import { chunks, type Execute, type NotedRow, TABLES } from "./tables.ts";

/** How long removals are kept unless an import says otherwise. */
const KEEP_REMOVALS_MS = 90 * DAY_MS;

/** One group of an import's entries: objects of one resource that exist, or that are gone. */
export interface Step {
  /** How positions name it. It stays the same when resources are added. */
  readonly name: string;
  readonly resource: ChangeResource;
  readonly isRemoved: boolean;
  /** Whether its entries are about something that is gone. Such entries are forgotten after a while (`keepRemovalsMs`). */
  readonly isOfGone: boolean;
}

/** The order of the entries of one import: parents before children, removals of children before those of parents. */
export const STEPS: readonly Step[] = [
  ...CHANGE_RESOURCES.map((resource) => ({ name: resource, resource, isRemoved: false, isOfGone: false })),
  // Balances of removed workers and policies.
  { name: "gone-balances", resource: "balances", isRemoved: false, isOfGone: true },
  ...LIST_KINDS.toReversed().map((resource) => ({
    name: `gone-${resource}`,
    resource,
    isRemoved: true,
    isOfGone: true,
  })),
];

/** The position of a step in `STEPS`; `END_STEP` comes after all. */
export function rankOf(step: string): number {
  return step === END_STEP ? STEPS.length : STEPS.findIndex(({ name }) => name === step);
}

/** The name of the position after all entries of an import. */
export const END_STEP = "end";

/** The rank of a resource's entries about something that is gone. */
export function removalRank(resource: ChangeResource): number {
  return STEPS.findIndex((step) => step.isOfGone && step.resource === resource);
}

/** The columns that are read before a row is replaced or removed. Numbered kinds also need `seq`. */
export function notedColumns(kind: Kind): string[] {
  const listed = isListKind(kind) ? ["id", "doc"] : [];
  return [...new Set([...TABLES[kind].key, ...listed, ...balanceColumnsOf(kind)])];
}

/** The state of a company's feed when an import begins. */
interface ChangesState {
  /** The number of the last import that changed something; 0 before the first. */
  readonly seq: number;
  /** Above 0, the history of rows is kept (`history.ts`). */
  readonly revision: number;
}

/** An entry for something that exists, an entry for something that is gone, or the removal of an entry. */
type Note = "there" | "gone" | "taken back";

type ChangesOutcome = Pick<ImportOutcome<unknown>, "keepRemovalsMs" | "times">;

/** The most notes held in memory. */
const PENDING_MAX = 20_000;
/** The most rows that one statement writes. */
const WRITE_MAX = 512;

export class ChangeNotes {
  /** Notes to write, by resource and id. */
  readonly #pending = new Map<ChangeResource, Map<string, Note>>();
  #pendingCount = 0;
  /** Workers and policies that this import has removed. */
  readonly #gone = new Set<string>();
  readonly #goneWorkers = new Set<string>();
  /** Names of calendars whose holidays changed. */
  readonly #calendars = new Set<string>();
  /** Ids of workplaces whose calendar changed. */
  readonly #workplaces = new Set<string>();
  /** Ids of policies whose rules changed. */
  readonly #policies = new Set<string>();
  /** Whether the feed gets entries: then the import gets a number. */
  hasNoted = false;
  /** Whether ids of removed objects were forgotten. */
  hasForgotten = false;

  /** `events`: null if the company has no hooks. */
  private constructor(
    private readonly execute: Execute,
    private readonly companyId: string,
    private readonly state: ChangesState,
    private readonly events: EventNotes | null,
  ) {}

  /** The import must hold the company already: numbers follow the order of commits. */
  static async begin(
    execute: Execute,
    companyId: string,
    events: EventNotes | null = null,
  ): Promise<ChangeNotes> {
    const [state = { seq: 0, revision: 0 }] = await execute<ChangesState>(
      sql`select seq as "seq", revision as "revision" from companies where id = ${companyId}`,
    ); // a restore has not stored the company yet
    return new ChangeNotes(execute, companyId, state, events);
  }

  /** The number of this import. */
  get seq(): number {
    return this.state.seq + 1;
  }

  /** Whether nothing was imported before. Then no row gets a number. */
  get isFirst(): boolean {
    return this.state.seq === 0;
  }

  get revisionBefore(): number {
    return this.state.revision;
  }

  noteEvent(type: NotedType, ids: EventIds): void {
    this.events?.note(type, ids);
  }

  /** Ids of the workers that this import has removed. */
  get gone(): readonly string[] {
    return [...this.#gone].filter((id) => this.#goneWorkers.has(id));
  }

  /** Notes that a row is added, or replaces `before`. Returns the number for the row. */
  put(kind: Kind, before: NotedRow | null, after: NotedRow): number | null {
    if (this.isFirst) {
      this.hasNoted = true;
      return null;
    }
    this.events?.put(kind, before, after);
    this.#notePutBalances(kind, before, after);
    if (!isListKind(kind)) return null;
    if (before !== null && before.doc === after.doc) return before.seq as number | null; // the column's values
    this.hasNoted = true;
    if (before === null) this.#note(kind, after.id as string, "taken back"); // ids are texts
    return this.seq;
  }

  #notePutBalances(kind: Kind, before: NotedRow | null, after: NotedRow): void {
    if (before !== null) {
      if (balanceColumnsOf(kind).every((column) => before[column] === after[column])) return;
      this.#noteBalances(kind, before);
    } else if (isParent(kind) && kind !== "workplaces") {
      // A new parent has no balances, unless it replaces one that was just removed.
      if (!this.#gone.delete(after.id as string)) return; // ids are texts
    }
    this.#noteBalances(kind, after);
  }

  #noteBalances(kind: Kind, row: NotedRow): void {
    if (balanceColumnsOf(kind).length === 0) return;
    if (row.status === "denied") return; // a denied request changes no balance
    if (kind === "holidays") {
      this.#calendars.add(row.calendar as string); // names are texts
      return;
    }
    if (kind === "workplaces") {
      this.#workplaces.add(row.id as string); // ids are texts
      return;
    }
    if (kind === "policies") this.#policies.add(row.id as string); // as above
    this.#note("balances", (isOwned(kind) ? row.workerId : row.id) as string, "there"); // ids are texts
  }

  removed(kind: Kind, row: NotedRow): void {
    if (this.isFirst) return;
    this.events?.removed(kind, row);
    if (isListKind(kind)) this.#note(kind, row.id as string, "gone"); // ids are texts
    if (!isParent(kind) || kind === "workplaces") this.#noteBalances(kind, row);
    else if (balanceColumnsOf(kind).length > 0) this.#gone.add(row.id as string); // as above
    if (kind === "workers") this.#goneWorkers.add(row.id as string); // as above
  }

  #note(resource: ChangeResource, id: string, note: Note): void {
    this.hasNoted = true;
    const ids = this.#pending.get(resource) ?? new Map<string, Note>();
    this.#pending.set(resource, ids);
    if (!ids.has(id)) this.#pendingCount++;
    ids.set(id, note);
  }

  /** Writes the notes if there are many. Call it after each batch. */
  async relieve(): Promise<void> {
    if (this.#pendingCount >= PENDING_MAX) await this.#write();
    if (this.events !== null && this.events.pendingCount >= PENDING_MAX) await this.events.write();
  }

  async #write(): Promise<void> {
    for (const [resource, ids] of this.#pending) {
      const entries = [...ids];
      const noted = entries.filter(([, note]) => note !== "taken back");
      const back = entries.filter(([, note]) => note === "taken back");
      for (const part of chunks(noted, WRITE_MAX)) {
        const values = part.map(
          ([id, note]) =>
            sql`(${this.companyId}, ${resource}, ${id}, ${this.seq}, ${note === "gone" ? 1 : 0})`,
        );
        await this.execute(sql`
          insert into changes (company_id, resource, id, seq, is_gone)
          values ${join(values)}
          on conflict (company_id, resource, id) do update
          set seq = excluded.seq, is_gone = excluded.is_gone`);
      }
      for (const part of chunks(back, WRITE_MAX)) {
        await this.execute(sql`
          delete from changes
          where company_id = ${this.companyId} and resource = ${resource}
            and id in (${join(part.map(([id]) => id))})`);
      }
    }
    this.#pending.clear();
    this.#pendingCount = 0;
  }

  /** Ends an import that is to be committed: gives it its number, and forgets old removals. */
  async end(nowMs: number, { keepRemovalsMs = KEEP_REMOVALS_MS, times }: ChangesOutcome = {}): Promise<void> {
    await this.events?.write();
    if (!this.hasNoted) return;
    const endedAtMs = times?.changedAtMs ?? nowMs;
    for (const id of await this.#workersOfOthers()) this.#note("balances", id, "there");
    for (const id of this.#gone) this.#note("balances", id, "gone");
    await this.#write();
    await this.execute(sql`update companies set seq = ${this.seq} where id = ${this.companyId}`);
    await this.execute(sql`
      insert into change_marks (company_id, seq, mark, ended_at_ms)
      values (${this.companyId}, ${this.seq}, ${newMark()}, ${endedAtMs})`);
    await this.#forget(nowMs - keepRemovalsMs);
  }

  /** Ids of the workers and policies with balances that this import has changed so far. */
  async changedBalances(): Promise<readonly string[]> {
    if (this.isFirst) return [];
    for (const id of await this.#workersOfOthers()) this.#note("balances", id, "there");
    await this.#write();
    const rows = await this.execute<{ id: string }>(sql`
      select id as "id" from changes
      where company_id = ${this.companyId} and resource = 'balances' and seq = ${this.seq} and is_gone = 0`);
    return rows.map(({ id }) => id);
  }

  /** Ids of workers whose balances depend on changed rows of no worker: holidays, and rules of a policy from which a balance moved. */
  async #workersOfOthers(): Promise<readonly string[]> {
    const ids = [...(await this.#workersOfCalendars()), ...(await this.#workersWhoMoved())];
    return ids.filter((id) => !this.#gone.has(id));
  }

  async #workersOfCalendars(): Promise<string[]> {
    if (this.#calendars.size + this.#workplaces.size === 0) return [];
    const calendars = join(["", ...this.#calendars]);
    const rows = await this.execute<{ id: string }>(sql`
      select worker_id as "id"
      from schedules
      where company_id = ${this.companyId} and calendar in (${calendars})
      union
      select id
      from workers
      where company_id = ${this.companyId}
        and (
          workplace_id in (${join(["", ...this.#workplaces])})
          or workplace_id in (
            select id
            from workplaces
            where company_id = ${this.companyId} and holiday_calendar in (${calendars})))`);
    return rows.map(({ id }) => id);
  }

  async #workersWhoMoved(): Promise<string[]> {
    if (this.#policies.size === 0) return [];
    const rows = await this.execute<{ id: string }>(sql`
      select distinct worker_id as "id"
      from assignments
      where company_id = ${this.companyId} and moves_from in (${join([...this.#policies])})`);
    return rows.map(({ id }) => id);
  }

  /** Forgets old removals. Stores the last import with one, by resource: earlier positions then are gone. */
  async #forget(untilMs: number): Promise<void> {
    const [young] = await this.execute<{ seq: number }>(sql`
      select seq as "seq"
      from change_marks
      where company_id = ${this.companyId} and ended_at_ms > ${untilMs}
      order by seq
      limit 1`);
    const old = sql`company_id = ${this.companyId} and is_gone = 1 and seq < ${young?.seq ?? this.seq + 1}`;
    const forgotten = await this.execute<{ resource: ChangeResource; seq: number }>(sql`
      select resource as "resource", max(seq) as "seq"
      from changes
      where ${old}
      group by resource`);
    if (forgotten.length === 0) return;
    this.hasForgotten = true;
    const [before] = await this.execute<{ forgotten: string }>(sql`
      select forgotten_removals as "forgotten"
      from companies
      where id = ${this.companyId}`);
    const last = JSON.parse(before!.forgotten) as Record<string, number>; // as is written here
    for (const { resource, seq } of forgotten) last[resource] = seq;
    await this.execute(sql`
      update companies
      set forgotten_removals = ${JSON.stringify(last)}
      where id = ${this.companyId}`);
    await this.execute(sql`delete from changes where ${old}`);
  }
}

/** 64 random bits, in hexadecimal. */
function newMark(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
}

/** Marks a company before its first import, so that a company made anew differs. `source`: a selection with its row if it may be missing. */
export function beginChanges(companyId: string, source?: Sql): Sql {
  const values = sql`${companyId}, 0, ${newMark()}, null`;
  const rows = source === undefined ? sql`values (${values})` : sql`select ${values} from ${source}`;
  return sql`
    insert into change_marks (company_id, seq, mark, ended_at_ms)
    ${rows}
    on conflict (company_id, seq) do nothing`;
}

// For hooks: one event for each object, from its row before and after the import. A note keeps nothing of a person but the id.

/** An object before the import; null if it was not stored. */
type Before = { readonly status: string } | null;

type EventIds = Readonly<Record<string, string | number>>;

interface Pending {
  readonly before: Before;
  readonly type: NotedType;
  readonly ids: EventIds;
}

/** More than an import can write in a millisecond. */
const NUMBERS_PER_MS = 1000;

export class EventNotes {
  #number: number;
  /** By kind and id, in the order of the first change. */
  readonly #pending = new Map<string, Pending>();

  private constructor(
    private readonly execute: Execute,
    private readonly companyId: string,
    number: number,
    private readonly atMs: number,
    private readonly isQuiet: boolean,
  ) {
    // After a failover, a server may still save the number of a note that only the lost primary had. Numbers by the clock are higher.
    this.#number = Math.max(number, atMs * NUMBERS_PER_MS);
  }

  /** Null if the company has no hooks. `execute` runs in the import's transaction. `isQuiet`: notes no event but `EVENTS_LOST`. */
  static async begin(
    execute: Execute,
    readHooks: Execute,
    { companyId, nowMs, isQuiet }: { companyId: string; nowMs: number; isQuiet: boolean },
  ): Promise<EventNotes | null> {
    const { number, hasHooks } = await lastNumber(execute, readHooks, companyId);
    return hasHooks ? new EventNotes(execute, companyId, number, nowMs, isQuiet) : null;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Notes that a row is added, or replaces `before`. */
  put(kind: Kind, before: NotedRow | null, after: NotedRow): void {
    if (this.isQuiet || (kind !== "workers" && kind !== "requests" && kind !== "adjustments")) return;
    const isSame =
      kind === "adjustments"
        ? before !== null && balanceColumnsOf(kind).every((column) => before[column] === after[column])
        : before?.doc === after.doc;
    if (isSame) return;
    if (kind === "adjustments" && before !== null && balanceOf(before) !== balanceOf(after))
      this.note(ADJUSTED, idsOf(kind, before));
    const key = `${kind} ${after.id}`;
    const pending = this.#pending.get(key);
    const was = pending === undefined ? statusOf(kind, before) : pending.before;
    const ids = { ...idsOf(kind, after), ...(isAddition(kind, was) && { adjustmentId: String(after.id) }) };
    this.#pending.set(key, { before: was, type: typeOf(kind, was, after), ids });
  }

  removed(kind: Kind, row: NotedRow): void {
    if (this.isQuiet || (kind !== "workers" && kind !== "requests" && kind !== "adjustments")) return;
    const key = `${kind} ${row.id}`;
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    if (pending !== undefined && pending.before === null) return; // this import has added it
    const type = {
      workers: "worker.deleted",
      requests: "time_off.request.deleted",
      adjustments: ADJUSTED,
    } as const;
    this.#pending.set(key, { before: statusOf(kind, row), type: type[kind], ids: idsOf(kind, row) });
  }

  /** Notes an event that no row causes. */
  note(type: NotedType, ids: EventIds): void {
    if (this.isQuiet && type !== EVENTS_LOST) return;
    this.#pending.set(`${type} ${JSON.stringify(ids)}`, { before: null, type, ids });
  }

  async write(): Promise<void> {
    const events = [...this.#pending.values()];
    this.#pending.clear();
    for (const some of chunks(events, WRITE_MAX)) {
      const values = some.map(
        ({ type, ids }) =>
          sql`(${this.companyId}, ${++this.#number}, ${type}, ${JSON.stringify(ids)}, ${this.atMs})`,
      );
      await this.execute(sql`
        insert into events (company_id, number, type, ids, at_ms)
        values ${join(values)}`);
    }
  }
}

const ADJUSTED = "time_off.balance.adjusted";

type EventKind = "workers" | "requests" | "adjustments";

function statusOf(kind: EventKind, row: NotedRow | null): Before {
  if (row === null) return null;
  if (kind !== "workers") return { status: String(row.status) };
  return JSON.parse(row.doc as string) as { status: string }; // a stored worker
}

function typeOf(kind: EventKind, before: Before, after: NotedRow): EventType {
  if (kind === "adjustments") return ADJUSTED;
  if (kind === "requests") {
    if (before === null) return "time_off.request.created";
    return before.status === after.status ? "time_off.request.updated" : "time_off.request.reviewed";
  }
  if (before === null) return "worker.created";
  const [was, is] = [before.status, String(after.status)];
  if (was === is) return "worker.updated";
  if (is === "inactive") return "worker.offboarded";
  if (was === "inactive") return "worker.reactivated";
  if (is === "offboarding") return "worker.offboarding_started";
  return is === "active" && was !== "offboarding" ? "worker.onboarding_completed" : "worker.updated";
}

const balanceOf = (adjustment: NotedRow) => `${adjustment.workerId} ${adjustment.policyId}`;

/** A new adjustment changes the balance by its amount; a changed one does not. */
const isAddition = (kind: EventKind, before: Before) => kind === "adjustments" && before === null;

function idsOf(kind: EventKind, row: NotedRow): Pending["ids"] {
  if (kind === "workers") return { workerId: String(row.id) };
  const ids = { workerId: String(row.workerId), policyId: String(row.policyId) };
  return kind === "requests"
    ? { requestId: String(row.id), ...ids }
    : { ...ids, effectiveDate: formatDay(Number(row.day)) };
}

/** The number of the last note, even a forgotten one, and whether the company has a hook. A note sent between both reads counts, too. */
export async function lastNumber(
  readNotes: Execute,
  readHooks: Execute,
  companyId: string,
): Promise<{ readonly number: number; readonly hasHooks: boolean }> {
  const [noted] = await readNotes<{ number: number | null }>(
    sql`select max(number) as "number" from events where company_id = ${companyId}`,
  );
  const [sent] = await readHooks<{ number: number | null }>(
    sql`select max(sent_number) as "number" from hooks where company_id = ${companyId}`,
  );
  const number = Math.max(noted?.number ?? 0, sent?.number ?? 0);
  return { number, hasHooks: (sent?.number ?? null) !== null };
}
