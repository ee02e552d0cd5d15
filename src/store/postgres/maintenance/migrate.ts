// Makes the tables in a PostgreSQL database, and refuses a store of another version. Later versions will change tables here.
import type pg from "pg";
import sql, { raw } from "sql-template-tag";
import { requireForm, type SchemaChange, type WriterOptions } from "../../engine.ts";
import { StoreRefusal } from "../../store.ts";
import { KINDS } from "../../tables.ts";
import { commit, PostgresDatabase, run } from "../connection/database.ts";
import { DUPLICATE_TABLE, isCreationRace, sqlState } from "../connection/errors.ts";
import { SCHEMA, SCHEMA_VERSION, TABLE_NAMES } from "../schema.ts";

/** Makes missing tables if `options` ask for it. Raises StoreRefusal for a server or database that cannot hold a store, or of another version. */
export async function openSchema(database: PostgresDatabase, options: WriterOptions): Promise<SchemaChange> {
  await requireServer(database);
  await requireFaithful(database);
  const isMissing = options.create && !(await hasStore(database));
  const change = isMissing ? await createTables(database) : "none";
  await requireCurrentSchema(database);
  return change;
}

/** The oldest version that tests run on. */
const OLDEST_VERSION = 15;

/** Other encodings cannot hold every name, and SQL_ASCII accepts any bytes as text. */
async function requireServer(database: PostgresDatabase): Promise<void> {
  const [row] = await database.read<{ encoding: string; version: string }>(sql`
    select
      current_setting('server_encoding') as "encoding",
      current_setting('server_version') as "version"`);
  const { encoding, version } = row!;
  const { serverName } = database;
  if (Number.parseInt(version, 10) < OLDEST_VERSION) {
    throw new StoreRefusal(
      `${serverName} has version ${version}, a store needs ${OLDEST_VERSION} or newer`,
      "name a newer server with --db",
    );
  }
  if (encoding === "UTF8") return;
  throw new StoreRefusal(
    `${serverName} has the encoding ${encoding}, a store needs UTF8`,
    "make another database (create database … encoding 'UTF8' template template0) and name it with --db",
  );
}

/** Refuses settings by which numbers lose digits, nulls become texts, triggers write no history, or rows are hidden from this role. */
export async function requireFaithful(database: PostgresDatabase): Promise<void> {
  const wrong = await database.read<{ what: string; remedy: string }>(sql`
    select
      name || ' = ' || setting as "what",
      'reset ' || name || ' for the database and the role, or in postgresql.conf' as "remedy"
    from pg_settings
    where
      (name = 'extra_float_digits' and setting not in ('1', '2', '3'))
      or (name = 'array_nulls' and setting = 'off')
      or (name = 'session_replication_role' and setting = 'replica')
    union all
    select
      'row-level security of ' || string_agg(relname, ', ' order by relname),
      'disable it (alter table … disable row level security)'
    from unnest(${TABLE_NAMES}::text[]) as name
    join pg_class on oid = to_regclass(name)
    where relrowsecurity and row_security_active(oid)
    having count(*) > 0`);
  if (wrong.length === 0) return;
  throw new StoreRefusal(
    `${database.serverName} would hide or change data (${wrong.map(({ what }) => what).join(", ")})`,
    wrong.map(({ remedy }) => remedy).join("; "),
  );
}

/** Whether the database at an address has a store, of whatever version. */
export async function storeExists(address: string): Promise<boolean> {
  await using database = new PostgresDatabase(address, { max: 1 });
  return await hasStore(database);
}

/** Whether there are Rollcall's tables, of whatever version. */
async function hasStore(database: PostgresDatabase): Promise<boolean> {
  const [row] = await database.read<{ hasStore: boolean }>(
    sql`select to_regclass('rollcall_schema') is not null as "hasStore"`,
  );
  return row!.hasStore;
}

export const STORED_VERSION = sql`select version from rollcall_schema where id = 1`;

export interface VersionRow {
  readonly version: number;
}

/** Raises StoreRefusal if there is no store, or one of an older or a newer version. */
export async function requireCurrentSchema(database: PostgresDatabase): Promise<void> {
  requireCurrent(await database.read<VersionRow>(STORED_VERSION), database.serverName);
}

export function requireCurrent([row]: readonly VersionRow[], serverName: string): void {
  if (row === undefined) {
    throw new StoreRefusal(
      `${serverName} has the tables of a store, but not their version: it is still being filled`,
      "finish that (docs/postgresql.md, A new version of PostgreSQL), or restore a backup to an empty database",
    );
  }
  requireForm(serverName, row.version, SCHEMA_VERSION);
}

/** Raises StoreRefusal if a table or a trigger of the history was removed, or a trigger disabled: a migration makes all or none. */
export async function requireTables(database: PostgresDatabase): Promise<void> {
  const missing = await database.read<{ name: string }>(sql`
    select name
    from unnest(${TABLE_NAMES}::text[]) as name
    where to_regclass(name) is null
    union all
    select 'the trigger ' || kind || '_' || change
    from unnest(${KINDS}::text[]) as kind, unnest(array['insert', 'update', 'delete']) as change
    where to_regclass(kind) is not null and not exists (
      select from pg_trigger
      where tgrelid = to_regclass(kind) and tgname = kind || '_' || change and tgenabled in ('O', 'A'))`);
  if (missing.length === 0) return;
  throw new StoreRefusal(
    `${database.serverName} lacks parts of its store: ${missing
      .map(({ name }) => name)
      .toSorted()
      .join(", ")}`,
    "have the owner enable a trigger that is disabled (alter table … enable trigger user), or restore a backup to an empty database",
  );
}

/** Every writer runs this first. A migration changes this row, so it waits until the writer's transaction ends. */
export const HOLD_SCHEMA = sql`${STORED_VERSION} for key share`;

/** Makes the tables if there are none. If another process does so at the same moment, it is tried again. */
async function createTables(database: PostgresDatabase): Promise<SchemaChange> {
  const once = () => database.hold((client) => createTablesOn(client, database.serverName));
  return once().catch((error) => {
    if (!isCreationRace(error)) throw error;
    return once();
  });
}

async function requireMayCreate(client: pg.ClientBase, serverName: string): Promise<void> {
  const [here] = await run<{ role: string; schema: string | null; owner: string; may: boolean | null }>(
    client,
    serverName,
    sql`
      select
        quote_ident(current_user) as "role", quote_ident(current_schema()) as "schema",
        (
          select quote_ident(pg_get_userbyid(datdba))
          from pg_database
          where datname = current_database()
        ) as "owner",
        has_schema_privilege(current_schema(), 'CREATE') as "may"`,
  );
  const { role, schema, owner, may } = here!;
  if (schema === null) {
    throw new StoreRefusal(
      `The role ${role} may use no schema of its search_path on ${serverName}`,
      `make one, or grant usage and create on one to ${role}`,
    );
  }
  if (!may) {
    throw new StoreRefusal(
      `The role ${role} may not create tables in schema ${schema} of ${serverName}`,
      `connect as ${owner}, the owner of the database; or grant create on schema ${schema} to ${role}`,
    );
  }
}

async function createTablesOn(client: pg.ClientBase, serverName: string): Promise<SchemaChange> {
  const execute = <R>(text: string) => run<R>(client, serverName, sql`${raw(text)}`);
  await execute("begin isolation level read committed"); // so that the version is read after a wait
  await requireMayCreate(client, serverName);
  await execute(
    "create table if not exists rollcall_schema (id integer not null primary key, version integer not null)",
  );
  // Another process that makes them waits here, and then finds them.
  const inserted = await execute(
    `insert into rollcall_schema values (1, ${SCHEMA_VERSION}) on conflict do nothing returning id`,
  );
  const isNew = inserted.length > 0;
  if (isNew) {
    await execute(SCHEMA).catch((error) => {
      if (sqlState(error) !== DUPLICATE_TABLE) throw error;
      throw new StoreRefusal(
        `${serverName} holds another program's tables, and one of them has a name that Rollcall needs`,
        "name an empty database with --db",
        { cause: error },
      );
    });
  }
  await commit(client, serverName, "migration");
  return isNew ? "created" : "none";
}
