// Hooks as both engines store them, and the notes that are to be sent to them (docs/events.md). Hooks are where keys are: to change one
// never waits for an import. A note is written in the transaction of the import that it tells of, and has ids alone, so nobody who was
// erased is in one. A hook's `sentNumber` is the last note that it has: the next one is sent, and so they come in order.
import sql, { empty, join, type Sql } from "sql-template-tag";
import type { EventType } from "../resources/events.ts";
import type { Scope } from "../resources/resource.ts";
import { DAY_MS } from "../time/day.ts";
import type { Dialect, Execute } from "./tables.ts";

/** Where events are sent, and which. */
export interface HookDefinition {
  readonly url: string;
  /** Names, or `worker.*`. */
  readonly events: readonly string[];
  /** Whether objects are sent, and not ids alone. */
  readonly withObjects: boolean;
  readonly allowPrivate: boolean;
  readonly scopes: readonly Scope[];
  readonly hidesReasons: boolean;
  /** How long before workers start or leave it is told. */
  readonly daysBefore: number;
  /** Whether leave counts, too, during which people work. */
  readonly allLeave: boolean;
}

/** How far a hook is. */
export interface HookProgress {
  /** Why nothing is sent: the operator wants it so, ten attempts failed, or the receiver is gone for good (410). */
  readonly paused: "by hand" | "failing" | "gone" | null;
  readonly sentNumber: number;
  /** Until when it has what days make; null before it was first looked at. */
  readonly calendarMs: number | null;
  /** Of what is due at that moment, the last that it has; null for all. */
  readonly calendarKey: string | null;
  /** How often the next message failed. */
  readonly failures: number;
  /** Before this, nothing is sent. */
  readonly nextAtMs: number;
  /** What became of the last attempt: a status such as "200", or why there is none. */
  readonly lastOutcome: string | null;
  readonly lastAtMs: number | null;
}

export interface StoredHook extends HookProgress {
  readonly id: string;
  readonly companyId: string;
  readonly definition: HookDefinition;
  /** What messages are signed with: 24 random bytes in base64. */
  readonly secret: string;
  /** The one before, which signs too until then. */
  readonly formerSecret: string | null;
  readonly formerUntilMs: number;
  readonly createdAtMs: number;
}

/** What happened to an object, as it is stored. */
export interface EventNote {
  readonly number: number;
  readonly type: EventType;
  /** `workerId`, `requestId`, … */
  readonly ids: Readonly<Record<string, string | number>>;
  readonly atMs: number;
}

/** A note is sent for so long, also after a hook was paused. */
export const NOTES_KEPT_MS = 7 * DAY_MS;

/** For how long a process sends to the hooks that it has claimed, unless it claims them again. */
const LEASE_MS = 20_000;

/** How the tables are reached: those of hooks and the notes may be in two files. */
export interface HookAccess {
  readonly readHooks: Execute;
  readonly writeHooks: Execute;
  readonly readNotes: Execute;
  /** Does nothing while an import writes. */
  readonly removeNotes: Execute;
}

/** The statements that make the table of hooks. */
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

const HOOK_COLUMNS = sql`id as "id", company_id as "companyId", definition as "definition", secret as "secret", former_secret as "formerSecret", former_until_ms as "formerUntilMs", created_at_ms as "createdAtMs", paused as "paused", sent_number as "sentNumber", calendar_ms as "calendarMs", calendar_key as "calendarKey", failures as "failures", next_at_ms as "nextAtMs", last_outcome as "lastOutcome", last_at_ms as "lastAtMs"`;

function toHook(row: HookRow): StoredHook {
  return { ...row, definition: JSON.parse(row.definition) as HookDefinition }; // as `create` writes it
}

/** All calls raise StoreUnavailable where the store cannot be reached. */
export class Hooks {
  readonly #access: HookAccess;

  constructor(access: HookAccess) {
    this.#access = access;
  }

  /** Of one company, or of all, in the order in which they were made. */
  async list(companyId?: string): Promise<StoredHook[]> {
    const where = companyId === undefined ? empty : sql` where company_id = ${companyId}`;
    const order = sql` order by created_at_ms, id`;
    return (
      await this.#access.readHooks<HookRow>(sql`select ${HOOK_COLUMNS} from hooks${where}${order}`)
    ).map(toHook);
  }

  /** Gives a hook other secrets, or changes how far it is. */
  async update(hook: StoredHook, change: Partial<StoredHook>): Promise<void> {
    const { paused, failures, nextAtMs, secret, formerSecret, formerUntilMs } = { ...hook, ...change };
    await this.#access.writeHooks(
      sql`update hooks set paused = ${paused}, failures = ${failures}, next_at_ms = ${nextAtMs}, secret = ${secret}, former_secret = ${formerSecret}, former_until_ms = ${formerUntilMs} where id = ${hook.id}`,
    );
  }

  async delete(id: string): Promise<void> {
    await this.#access.writeHooks(sql`delete from hooks where id = ${id}`);
  }

  /** The hooks that this process may send to: those that no other has claimed. It asks again before the lease is over. */
  async claim(owner: string, nowMs: number): Promise<StoredHook[]> {
    // A lease that ends later than one can is of a clock that was set back since.
    const free = sql`(lease_until_ms not between ${nowMs} and ${nowMs + 2 * LEASE_MS} or (lease_owner = ${owner} and lease_until_ms < ${nowMs + LEASE_MS / 2}))`;
    const some = await this.#access.readHooks(sql`select 1 from hooks where ${free} limit 1`);
    if (some.length > 0)
      await this.#access.writeHooks(
        sql`update hooks set lease_owner = ${owner}, lease_until_ms = ${nowMs + LEASE_MS} where ${free}`,
      );
    const rows = await this.#access.readHooks<HookRow>(
      sql`select ${HOOK_COLUMNS} from hooks where lease_owner = ${owner} and lease_until_ms >= ${nowMs} order by id`,
    );
    return rows.map(toHook);
  }

  /** Another process may claim them at once. */
  async release(owner: string): Promise<void> {
    await this.#access.writeHooks(sql`update hooks set lease_until_ms = 0 where lease_owner = ${owner}`);
  }

  /** Notes how far a claimed hook is. What the operator paused meanwhile stays so. */
  async save(owner: string, { id }: StoredHook, progress: HookProgress): Promise<void> {
    const { paused, sentNumber, calendarMs, calendarKey, failures, nextAtMs, lastOutcome, lastAtMs } =
      progress;
    await this.#access.writeHooks(
      sql`update hooks set paused = coalesce(paused, ${paused}), sent_number = ${sentNumber}, calendar_ms = ${calendarMs}, calendar_key = ${calendarKey}, failures = ${failures}, next_at_ms = ${nextAtMs}, last_outcome = ${lastOutcome}, last_at_ms = ${lastAtMs} where id = ${id} and lease_owner = ${owner}`,
    );
  }

  /** The newest note of these companies, or of all, where there is one. It reads no other note. */
  async newest(companyIds?: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const where = companyIds === undefined ? empty : sql` where id in (${join(companyIds)})`;
    const rows = await this.#access.readNotes<{ companyId: string; number: number | null }>(
      sql`select id as "companyId", (select max(number) from events where company_id = companies.id) as "number" from companies${where}`,
    );
    return new Map(rows.flatMap(({ companyId, number }) => (number === null ? [] : [[companyId, number]])));
  }

  /** The notes after this number that are not too old to be sent: the first `limit` of them. */
  async notes(companyId: string, after: number, nowMs: number, limit: number): Promise<EventNote[]> {
    const rows = await this.#access.readNotes<Omit<EventNote, "ids"> & { ids: string }>(
      sql`select number as "number", type as "type", ids as "ids", at_ms as "atMs" from events where company_id = ${companyId} and number > ${after} and at_ms > ${nowMs - NOTES_KEPT_MS} order by number limit ${limit}`,
    );
    return rows.map((row) => ({ ...row, ids: JSON.parse(row.ids) as EventNote["ids"] })); // as `EventNotes` writes it
  }

  /** Forgets the notes that all hooks have, and those that are too old. */
  async forget(nowMs: number): Promise<void> {
    const hooks = await this.list();
    for (const [companyId, newest] of await this.newest()) {
      const sent = hooks.filter((hook) => hook.companyId === companyId).map((hook) => hook.sentNumber);
      const old = sql`company_id = ${companyId} and (number <= ${Math.min(newest, ...sent)} or at_ms <= ${nowMs - NOTES_KEPT_MS})`;
      const some = await this.#access.readNotes(sql`select 1 from events where ${old} limit 1`);
      if (some.length > 0) await this.#access.removeNotes(sql`delete from events where ${old}`);
    }
  }
}

/** Adds a hook. It gets what is noted from now on: `sent` is a number that `lastNumber` gave. */
export function insertHook(hook: StoredHook): Sql {
  const { id, companyId, definition, secret, createdAtMs, sentNumber } = hook;
  return sql`insert into hooks (id, company_id, definition, secret, created_at_ms, sent_number) values (${id}, ${companyId}, ${JSON.stringify(definition)}, ${secret}, ${createdAtMs}, ${sentNumber})`;
}
