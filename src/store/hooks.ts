// Hooks as both engines store them, and the notes to send to them (docs/events.md). Hooks are stored beside keys, so changing one never
// waits for an import. An import writes its notes in its own transaction. Notes contain only ids, so none names an erased person. A hook's
// `sentNumber` is the number of the last note sent to it. Notes are sent in the order of their numbers.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { type NotedType, namesCalendar } from "../resources/events.ts";
import type { Scope } from "../resources/resource.ts";
import { DAY_MS } from "../time/day.ts";
import { type Dialect, type Execute, selected } from "./tables.ts";

/** Which events are sent, and where. */
export interface HookDefinition {
  readonly url: string;
  /** Names of events, or patterns such as `worker.*`. */
  readonly events: readonly string[];
  /** Whether objects are sent instead of ids alone. */
  readonly withObjects: boolean;
  readonly allowPrivate: boolean;
  readonly scopes: readonly Scope[];
  readonly hidesReasons: boolean;
  /** How many days before workers start or leave the event is sent. */
  readonly daysBefore: number;
  /** Whether leave during which people work counts, too. */
  readonly allLeave: boolean;
}

/** What was sent to a hook, and what failed. */
export interface HookProgress {
  /** Why nothing is sent: the operator paused it, ten attempts failed, or the receiver is gone for good (410). */
  readonly paused: "by hand" | "failing" | "gone" | null;
  readonly sentNumber: number;
  /** Date-driven events due before this moment were sent; null before the first check. */
  readonly calendarMs: number | null;
  /** The last event sent of those due at that moment; null if all were sent. */
  readonly calendarKey: string | null;
  /** How many attempts to send the next message failed. */
  readonly failures: number;
  /** Nothing is sent before this moment. */
  readonly nextAtMs: number;
  /** The outcome of the last attempt: a status such as "200", or why there is none. */
  readonly lastOutcome: string | null;
  readonly lastAtMs: number | null;
}

export interface StoredHook extends HookProgress {
  readonly id: string;
  readonly companyId: string;
  readonly definition: HookDefinition;
  /** What messages are signed with: 24 random bytes in base64. */
  readonly secret: string;
  /** The secret before, which also signs messages until `formerUntilMs`. */
  readonly formerSecret: string | null;
  readonly formerUntilMs: number;
  readonly createdAtMs: number;
}

/** An event as it is stored. */
export interface EventNote {
  readonly number: number;
  readonly type: NotedType;
  /** `workerId`, `requestId`, … */
  readonly ids: Readonly<Record<string, string | number>>;
  readonly atMs: number;
}

/** How long a note waits to be sent, for example to a paused hook. Then it is never sent. */
export const NOTES_KEPT_MS = 7 * DAY_MS;

/** How long a process may send to a hook that it has claimed, unless it claims it again. */
const LEASE_MS = 20_000;

/** Runs statements on the tables. Hooks and notes may be in two files. */
export interface HookAccess {
  readonly readHooks: Execute;
  readonly writeHooks: Execute;
  readonly readNotes: Execute;
  /** Does nothing while an import writes. */
  readonly removeNotes: Execute;
}

export const hooksSql = ({ types: { text, bigint }, tableOptions }: Dialect) => `
  create table hooks (
    id ${text} not null primary key,
    company_id ${text} not null,
    definition text not null,
    secret text not null,
    former_secret text,
    former_until_ms ${bigint} not null default 0,
    created_at_ms ${bigint} not null,
    paused text,
    sent_number ${bigint} not null,
    calendar_ms ${bigint},
    calendar_key text,
    failures integer not null default 0,
    next_at_ms ${bigint} not null default 0,
    last_outcome text,
    last_at_ms ${bigint},
    lease_owner text,
    lease_until_ms ${bigint} not null default 0
  )${tableOptions};
  create index hooks_company on hooks (company_id);
`;

/** The statement that makes the table of notes. */
export const eventsSql = ({ types: { text, bigint }, tableOptions }: Dialect) => `
  create table events (
    company_id ${text} not null,
    number ${bigint} not null,
    type text not null,
    ids text not null,
    at_ms ${bigint} not null,
    primary key (company_id, number)
  )${tableOptions};
`;

interface HookRow extends Omit<StoredHook, "definition"> {
  readonly definition: string;
}

const HOOK_COLUMNS = raw(
  selected([
    ...["id", "companyId", "definition", "secret", "formerSecret", "formerUntilMs", "createdAtMs", "paused"],
    ...["sentNumber", "calendarMs", "calendarKey", "failures", "nextAtMs", "lastOutcome", "lastAtMs"],
  ]),
);

function toHook(row: HookRow): StoredHook {
  return { ...row, definition: JSON.parse(row.definition) as HookDefinition }; // as `create` writes it
}

/** All calls raise StoreUnavailable if the store cannot be reached. */
export class Hooks {
  constructor(private readonly access: HookAccess) {}

  /** The hooks of one company, or of all, in the order in which they were made. */
  async list(companyId?: string): Promise<StoredHook[]> {
    const where = companyId === undefined ? empty : sql` where company_id = ${companyId}`;
    const rows = await this.access.readHooks<HookRow>(
      sql`select ${HOOK_COLUMNS} from hooks${where} order by created_at_ms, id`,
    );
    return rows.map(toHook);
  }

  /** Changes a hook's secrets, or its pause, failures and next attempt. */
  async update(hook: StoredHook, change: Partial<StoredHook>): Promise<void> {
    const { paused, failures, nextAtMs, secret, formerSecret, formerUntilMs } = { ...hook, ...change };
    await this.access.writeHooks(sql`
      update hooks
      set paused = ${paused}, failures = ${failures}, next_at_ms = ${nextAtMs}, secret = ${secret},
        former_secret = ${formerSecret}, former_until_ms = ${formerUntilMs}
      where id = ${hook.id}`);
  }

  async delete(id: string): Promise<void> {
    await this.access.writeHooks(sql`delete from hooks where id = ${id}`);
  }

  /** Claims the hooks that no other process has claimed, and returns them. Call it again before the lease ends. */
  async claim(owner: string, nowMs: number): Promise<StoredHook[]> {
    // A lease that ends later than any lease can was written before the clock was set back. It does not count.
    const free = sql`(
      lease_until_ms not between ${nowMs} and ${nowMs + 2 * LEASE_MS}
      or (lease_owner = ${owner} and lease_until_ms < ${nowMs + LEASE_MS / 2}))`;
    const claimable = await this.access.readHooks(sql`select 1 from hooks where ${free} limit 1`);
    if (claimable.length > 0)
      await this.access.writeHooks(sql`
        update hooks
        set lease_owner = ${owner}, lease_until_ms = ${nowMs + LEASE_MS}
        where ${free}`);
    const rows = await this.access.readHooks<HookRow>(sql`
      select ${HOOK_COLUMNS}
      from hooks
      where lease_owner = ${owner} and lease_until_ms >= ${nowMs}
      order by id`);
    return rows.map(toHook);
  }

  /** Gives up the claims, so that another process may claim the hooks at once. */
  async release(owner: string): Promise<void> {
    await this.access.writeHooks(sql`update hooks set lease_until_ms = 0 where lease_owner = ${owner}`);
  }

  /** Saves the progress of a claimed hook. A hook that the operator has paused meanwhile stays paused. */
  async save(owner: string, { id }: StoredHook, progress: HookProgress): Promise<void> {
    const { paused, sentNumber, calendarMs, calendarKey, failures, nextAtMs, lastOutcome, lastAtMs } =
      progress;
    await this.access.writeHooks(sql`
      update hooks
      set paused = coalesce(paused, ${paused}), sent_number = ${sentNumber}, calendar_ms = ${calendarMs},
        calendar_key = ${calendarKey}, failures = ${failures}, next_at_ms = ${nextAtMs},
        last_outcome = ${lastOutcome}, last_at_ms = ${lastAtMs}
      where id = ${id} and lease_owner = ${owner}`);
  }

  /** The number of the newest note, by company. Companies without notes are left out. Reads no other note. */
  async newest(companyIds?: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const where = companyIds === undefined ? empty : sql` where id in (${join(companyIds)})`;
    const rows = await this.access.readNotes<{ companyId: string; number: number | null }>(sql`
      select id as "companyId", (select max(number) from events where company_id = companies.id) as "number"
      from companies${where}`);
    return new Map(rows.flatMap(({ companyId, number }) => (number === null ? [] : [[companyId, number]])));
  }

  /** The first `limit` notes after this number, including those too old to be sent. */
  async notes(companyId: string, after: number, limit: number): Promise<EventNote[]> {
    const rows = await this.access.readNotes<Omit<EventNote, "ids"> & { ids: string }>(sql`
      select ${raw(selected(["number", "type", "ids", "atMs"]))}
      from events
      where company_id = ${companyId} and number > ${after}
      order by number
      limit ${limit}`);
    return rows.map((row) => ({ ...row, ids: JSON.parse(row.ids) as EventNote["ids"] })); // as `EventNotes` writes it
  }

  /** The time until which events that were not sent to a hook are too old to be sent; null if there are none. */
  async lostUntil(hook: StoredHook, nowMs: number): Promise<number | null> {
    const { companyId, sentNumber, definition, calendarMs, createdAtMs } = hook;
    const earliestMs = nowMs - NOTES_KEPT_MS;
    if (namesCalendar(definition.events) && (calendarMs ?? createdAtMs) < earliestMs) return earliestMs;
    const [row] = await this.access.readNotes<{ atMs: number | null }>(sql`
      select max(at_ms) as "atMs"
      from events
      where company_id = ${companyId} and number > ${sentNumber} and at_ms <= ${earliestMs}`);
    return row!.atMs;
  }

  /** Deletes notes that were sent to all hooks, and notes too old to be sent. The newest of these stays, as a sign that there were some. */
  async forget(nowMs: number): Promise<void> {
    const hooks = await this.list();
    for (const [companyId, newest] of await this.newest()) {
      const sent = hooks.filter((hook) => hook.companyId === companyId).map((hook) => hook.sentNumber);
      const lost = sql`
        select max(number)
        from events
        where company_id = ${companyId} and at_ms <= ${nowMs - NOTES_KEPT_MS}`;
      const old = sql`company_id = ${companyId} and (number <= ${Math.min(newest, ...sent)} or number < (${lost}))`;
      const removable = await this.access.readNotes(sql`select 1 from events where ${old} limit 1`);
      if (removable.length > 0) await this.access.removeNotes(sql`delete from events where ${old}`);
    }
  }
}

/** The statement that adds a hook. It gets the events after `sentNumber`: at first the `lastNumber` of the company. */
export function insertHook(hook: StoredHook): Sql {
  const { id, companyId, definition, secret, createdAtMs, sentNumber } = hook;
  return sql`
    insert into hooks (id, company_id, definition, secret, created_at_ms, sent_number)
    values (${id}, ${companyId}, ${JSON.stringify(definition)}, ${secret}, ${createdAtMs}, ${sentNumber})`;
}
