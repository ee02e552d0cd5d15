// Writes PostgreSQL, for the command line. Imports of one company wait for each other, not for those of other companies.
import type pg from "pg";
import sql, { raw, type Sql } from "sql-template-tag";
import { beginChanges, ChangeNotes, EventNotes, lastNumber } from "../change-notes.ts";
import { StoredContents } from "../contents.ts";
import type { WriterOptions } from "../engine.ts";
import { type Hooks, insertHook, type StoredHook } from "../hooks.ts";
import * as queries from "../queries.ts";
import { noteImport } from "../shared-reads.ts";
import {
  CompanyChanged,
  companyExists,
  DEFAULT_WAIT_MS,
  type Erasure,
  type ImportOutcome,
  type ImportSession,
  type ImportTransaction,
  type NewCompany,
  SECRET_TABLES,
  type SecretChange,
  type SecretTable,
  type StoredCalendar,
  type StoredKey,
  type StoreImportOptions,
  stillHeld,
  unknownCompany,
  type Waiting,
  type WriteStore,
} from "../store.ts";
import { type Execute, type Kind, OWNED_TABLES, type Rows } from "../tables.ts";
import { cancel, commit, PostgresDatabase, parseAddress, run } from "./connection/database.ts";
import { LOCK_NOT_AVAILABLE, mapError, sqlState } from "./connection/errors.ts";
import { BEGIN_SNAPSHOT } from "./contents.ts";
import { createSecret, hooksOf, withoutConflict } from "./keys.ts";
import {
  HOLD_SCHEMA,
  openSchema,
  requireCurrent,
  requireTables,
  type VersionRow,
} from "./maintenance/migrate.ts";
import { analyze, vacuum } from "./maintenance/vacuum.ts";
import { FIRST_IMPORT } from "./schema.ts";
import { PostgresStaging } from "./staging.ts";
import { PostgresImportTransaction } from "./transaction.ts";

/** Opens the PostgreSQL store at `db` for writing. Raises StoreRefusal if it is missing or not of this version. */
export async function openPostgresWriteStore(db: string, options: WriterOptions = {}): Promise<WriteStore> {
  const address = parseAddress(db);
  const database = new PostgresDatabase(address, { max: address.pool });
  try {
    await openSchema(database, options);
    await requireTables(database); // else changes would leave no history, in silence
    return new PostgresWriteStore(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

class PostgresWriteStore extends StoredContents implements WriteStore {
  readonly #database: PostgresDatabase;
  #erasure: Erasure = { isErased: true };

  constructor(database: PostgresDatabase) {
    super((query) => database.read(query));
    this.#database = database;
  }

  #run<R>(client: pg.PoolClient, query: Sql): Promise<R[]> {
    return run<R>(client, this.#database.serverName, query);
  }

  async createCompany(company: NewCompany): Promise<void> {
    // A server may have added a feed while an older company with this id was deleted. It must not show this company.
    await this.#database.execute(sql`
      delete from feeds
      where company_id = ${company.id} and not exists (select from companies where id = ${company.id})`);
    const insertion = queries.putCompany(
      company,
      queries.newRevision(Date.now()),
      sql` on conflict (id) do nothing returning id`,
    );
    const added = await this.#database.execute(sql`
      with made as (${insertion}),
        begun as (${beginChanges(company.id, sql`made`)})
      select id
      from made`);
    if (added.length === 0) throw companyExists(company.id);
  }

  /** A deletion may deadlock with a server that notes the last use of several keys: then it is tried again. */
  deleteCompany(id: string, waiting: Waiting = {}): Promise<Erasure | null> {
    const deletion = async (client: pg.PoolClient) => {
      const execute: Execute = (query) => this.#run(client, query);
      const lock = sql`select id from companies where id = ${id} for update`;
      await beginLocking(this.#database, client, lock, waiting);
      const isKnown = await removeCompany(execute, id);
      await commit(client, this.#database.serverName, "deletion");
      if (!isKnown) return null;
      return erasureAfter(await vacuum(client));
    };
    return withoutConflict(() => this.#database.hold(deletion));
  }

  createSecret(secret: StoredKey | StoredCalendar): Promise<void> {
    return createSecret(this.#database, secret, queries.insertSecret(secret));
  }

  async updateSecret(table: SecretTable, id: string, change: SecretChange): Promise<boolean> {
    return (await this.#database.read(queries.updateSecret(table, id, change))).length > 0;
  }

  async createHook(hook: StoredHook): Promise<void> {
    const read: Execute = (query) => this.#database.read(query);
    const { number } = await lastNumber(read, read, hook.companyId);
    await createSecret(this.#database, hook, insertHook({ ...hook, sentNumber: number }));
  }

  get hooks(): Hooks {
    return hooksOf(this.#database);
  }

  async change<T>(
    companyId: string,
    work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>,
    { isQuiet = false, ...waiting }: StoreImportOptions = {},
  ): Promise<T> {
    return this.#database.hold(async (client) => {
      const rows = await beginLocking(this.#database, client, lockOf(companyId), waiting);
      if (rows.length === 0) throw unknownCompany(companyId);
      return this.#importInto(client, companyId, work, isQuiet);
    });
  }

  /** Temporary tables end with their transaction, so it begins before the company is held. */
  async stage<T>(
    companyId: string,
    work: (session: ImportSession) => Promise<T>,
    { isQuiet = false, ...waiting }: StoreImportOptions = {},
  ): Promise<T> {
    const { serverName } = this.#database;
    return this.#database.hold(async (client) => {
      await beginHoldingSchema(this.#database, client, waiting);
      // Plans the query of a cursor for all of its rows.
      await this.#run(client, sql`set local cursor_tuple_fraction = 1`);
      const stateOf = async () => JSON.stringify(await this.#run(client, queries.companyState(companyId)));
      const state = await stateOf();
      if (state === "[]") throw unknownCompany(companyId);
      let hasHeld = false;
      const requireUnchanged = async () => {
        if ((await stateOf()) !== state) throw new CompanyChanged();
      };
      const hold: ImportSession["hold"] = async (write) => {
        hasHeld = true;
        await locked(this.#database, client, lockOf(companyId), waiting);
        await requireUnchanged();
        return this.#importInto(client, companyId, write, isQuiet);
      };
      const result = await work(new PostgresStaging(client, serverName, companyId, hold, requireUnchanged));
      if (!hasHeld) await this.#run(client, sql`rollback`);
      return result;
    });
  }

  /** Runs an import in a transaction that has locked the company, and ends the transaction. */
  async #importInto<T>(
    client: pg.PoolClient,
    companyId: string,
    work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>,
    isQuiet: boolean,
  ): Promise<T> {
    const execute: Execute = (query) => this.#run(client, query);
    const events = await EventNotes.begin(execute, execute, { companyId, nowMs: Date.now(), isQuiet });
    const notes = await ChangeNotes.begin(execute, companyId, events);
    if (notes.revisionBefore === 0) await execute(sql`select set_config(${FIRST_IMPORT}, 'yes', true)`);
    const transaction = new PostgresImportTransaction(client, this.#database.serverName, companyId, notes);
    const outcome = await work(transaction);
    if (outcome.commit) {
      await transaction.end(outcome);
      await commit(client, this.#database.serverName, "import");
      const { hasLeftRows, rowsPut } = transaction;
      if (hasLeftRows || notes.hasForgotten || outcome.hasErased === true)
        this.#erasure = erasureAfter(false); // all companies share the tables: see `vacuumStore`
      await analyze(client, { rowsPut, isFirst: notes.revisionBefore === 0 });
    } else {
      await this.#run(client, sql`rollback`);
    }
    return outcome.result;
  }

  noteFailedImport(companyId: string, record: string): Promise<boolean> {
    return this.#database.hold(async (client) => {
      const { serverName } = this.#database;
      await this.#run(client, sql`begin`);
      try {
        await client.query("select id from companies where id = $1 for no key update nowait", [companyId]);
        const noted = await noteImport((query) => this.#run(client, query), companyId, record, true);
        await this.#run(client, sql`commit`);
        return noted;
      } catch (error) {
        if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw mapError(error, serverName);
        await this.#run(client, sql`rollback`);
        return false;
      }
    });
  }

  erasure(): Erasure {
    return this.#erasure;
  }

  override async export(
    companyId: string,
    visit: <K extends Kind>(kind: K, rows: readonly Rows[K][]) => Promise<void>,
  ): Promise<void> {
    await this.#database.hold(async (client) => {
      const execute: Execute = (query) => this.#run(client, query);
      await execute(BEGIN_SNAPSHOT);
      await new StoredContents(execute).export(companyId, visit);
      await execute(sql`commit`);
    });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Removes a company within a transaction. Returns false if it is unknown. Waits until a key or feed that is being added is committed. */
export async function removeCompany(execute: Execute, id: string): Promise<boolean> {
  const known = await execute(sql`select id from companies where id = ${id} for update`);
  await execute(sql`update companies set revision = 0 where id = ${id}`); // so that no history is written
  for (const table of [...OWNED_TABLES, ...SECRET_TABLES, "hooks"])
    await execute(sql`delete from ${raw(table)} where company_id = ${id}`);
  await execute(sql`delete from companies where id = ${id}`);
  return known.length > 0;
}

/** Overrides the database's defaults. After a wait for a lock, a statement sees what was committed meanwhile. `locked` limits the wait. */
const BEGIN = sql`begin isolation level read committed; set local lock_timeout = 0`;

/** The company's row, locked against other imports and deletion. */
function lockOf(companyId: string): Sql {
  return sql`select id from companies where id = ${companyId} for no key update`;
}

/** How long a statement waits for a lock before the command reports it. */
const NOTICE_AFTER_MS = 200;

/** How often a waiting command checks whether the holder of the lock has stopped. */
const LOOK_MS = 15_000;

/** How long a writer may pause while it sends rows; as long as it may be idle in a transaction. */
const STOPPED_AFTER_MS = 90_000;

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Begins a transaction during which nobody can migrate the store. Raises StoreRefusal for tables of another version. */
async function beginHoldingSchema(database: PostgresDatabase, client: pg.PoolClient, waiting: Waiting) {
  await run(client, database.serverName, BEGIN);
  requireCurrent(await locked<VersionRow>(database, client, HOLD_SCHEMA, waiting), database.serverName);
}

interface HolderRow {
  readonly pid: number;
  readonly role: string;
  readonly application: string;
  readonly host: string | null;
  readonly since: string | null;
}

/** The session that a process waits for, the oldest first. Roles see all columns only for their own sessions. */
function holderOf(pid: number): Sql {
  return sql`
    select
      pid as "pid", usename as "role", application_name as "application", host(client_addr) as "host",
      to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "since"
    from pg_stat_activity
    where pid = any(pg_blocking_pids(${pid}))
    order by xact_start
    limit 1`;
}

function holderText({ pid, role, application, host, since }: HolderRow): string {
  return `process ${pid}, ${application} as ${role}${host === null ? "" : ` from ${host}`}${since === null ? "" : `, since ${since}`}`;
}

/** Ends writers that block a process and have stopped within a COPY: PostgreSQL has no time limit for it. Needs the writer's role. */
function endStopped(pid: number, stoppedAfterMs: number): Sql {
  return sql`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where pid = any(pg_blocking_pids(${pid}))
      and state = 'active'
      and wait_event = 'ClientRead'
      and query_start < now() - ${stoppedAfterMs} * interval '1 millisecond'`;
}

/** Runs a statement that locks rows, in a transaction. Raises StoreUnavailable when the wait ends: the connection is then unusable. */
async function locked<R>(
  database: PostgresDatabase,
  client: pg.PoolClient,
  selection: Sql,
  { onWait, waitMs = DEFAULT_WAIT_MS, stoppedAfterMs = STOPPED_AFTER_MS }: Waiting,
): Promise<R[]> {
  const { serverName } = database;
  // Behind a pooler, the driver knows the id of another process.
  const [session] = await run<{ pid: number }>(client, serverName, sql`select pg_backend_pid() as "pid"`);
  const { pid } = session!;
  const holder = async () => (await database.aside<HolderRow>(holderOf(pid)).catch(() => []))[0];
  const result = run<R>(client, serverName, selection);
  let isWaiting = true;
  const end = Promise.withResolvers<never>();
  const notice = setTimeout(async () => {
    const row = await holder();
    if (isWaiting) onWait?.(row === undefined ? null : holderText(row));
  }, NOTICE_AFTER_MS);
  const look = setInterval(
    () => database.aside(endStopped(pid, stoppedAfterMs)).catch(() => {}), // another role may not
    Math.min(LOOK_MS, stoppedAfterMs),
  );
  const limit = setTimeout(
    async () => {
      const row = await holder();
      const advice = `end it (select pg_terminate_backend(${row?.pid ?? "PID"}); docs/postgresql.md, A writer that hangs)`;
      end.reject(stillHeld(serverName, waitMs, row === undefined ? null : holderText(row), advice));
      await cancel(client).catch(() => {});
    },
    Math.min(waitMs, MAX_TIMER_MS),
  );
  try {
    return await Promise.race([result, end.promise]);
  } finally {
    isWaiting = false;
    clearTimeout(notice);
    clearInterval(look);
    clearTimeout(limit);
  }
}

/** Begins a transaction with a selection that locks its rows, and returns them. Raises StoreRefusal after a migration to another schema. */
export async function beginLocking<R>(
  database: PostgresDatabase,
  client: pg.PoolClient,
  selection: Sql,
  waiting: Waiting,
): Promise<R[]> {
  await beginHoldingSchema(database, client, waiting);
  return locked<R>(database, client, selection, waiting);
}

function erasureAfter(isVacuumed: boolean): Erasure {
  return { isErased: false, until: isVacuumed ? "overwritten" : "vacuumed" };
}
