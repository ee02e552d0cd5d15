// Bringing a PostgreSQL database to this version's schema, and refusing one that is not ours.
import type pg from "pg";
import sql, { raw } from "sql-template-tag";
import type { SchemaChange, WriterOptions } from "../../engine.ts";
import { NewerStore } from "../../engine.ts";
import { StoreRefusal } from "../../store.ts";
import { PostgresDatabase, run } from "../connection/database.ts";
import { DUPLICATE_TABLE, isCreationRace, sqlState } from "../connection/errors.ts";
import { MIGRATIONS } from "../schema.ts";

/**
 * Makes or migrates the store if `options` ask for it. Raises StoreRefusal if the database is not in UTF8, or if the store's
 * schema is not of this version. Returns what it did.
 */
export async function openSchema(database: PostgresDatabase, options: WriterOptions): Promise<SchemaChange> {
  await requireUtf8(database);
  const isAsked = options.migrate || (options.create && !(await hasStore(database)));
  const change = isAsked ? await migrate(database) : "none";
  await requireCurrentSchema(database);
  return change;
}

/** Other encodings cannot hold every name, and SQL_ASCII takes any bytes for text. */
async function requireUtf8(database: PostgresDatabase): Promise<void> {
  const [row] = await database.read<{ encoding: string }>(
    sql`select current_setting('server_encoding') as "encoding"`,
  );
  const { encoding } = row!;
  if (encoding === "UTF8") return;
  throw new StoreRefusal(
    `${database.serverName} has the encoding ${encoding}, a store needs UTF8`,
    "make another database (create database … encoding 'UTF8' template template0) and name it with --db",
  );
}

/** Whether the database at an address has a store, of whatever version. */
export async function storeExists(address: string): Promise<boolean> {
  const database = new PostgresDatabase(address, { max: 1 });
  try {
    return await hasStore(database);
  } finally {
    await database.close();
  }
}

/** Whether there are Rollcall's tables, of whatever version. */
export async function hasStore(database: PostgresDatabase): Promise<boolean> {
  const [row] = await database.read<{ found: boolean }>(
    sql`select to_regclass('rollcall_schema') is not null as "found"`,
  );
  return row!.found;
}

export const SCHEMA_VERSION = sql`select version from rollcall_schema where id = 1`;

export async function requireCurrentSchema(database: PostgresDatabase): Promise<void> {
  requireCurrentVersion(await database.read<VersionRow>(SCHEMA_VERSION), database.serverName);
}

/**
 * Makes migrations wait until the transaction ends. Raises StoreRefusal unless the schema is of this version, and with `nowait` the
 * server's error where a migration goes on.
 */
export async function holdSchema(
  client: pg.ClientBase,
  serverName: string,
  wait: "wait" | "nowait",
): Promise<void> {
  await client.query(`lock table rollcall_schema in row share mode${wait === "nowait" ? " nowait" : ""}`);
  requireCurrentVersion(await run<VersionRow>(client, serverName, SCHEMA_VERSION), serverName);
}

interface VersionRow {
  readonly version: number;
}

/** The version that `SCHEMA_VERSION` selected: 0 for a store that is being made. Raises StoreRefusal for a newer one than ours. */
function knownVersion([row]: readonly VersionRow[], serverName: string): number {
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length) throw new NewerStore(serverName, version, MIGRATIONS.length);
  return version;
}

/** Raises StoreRefusal for a newer or an older one. */
function requireCurrentVersion(rows: readonly VersionRow[], serverName: string): void {
  const version = knownVersion(rows, serverName);
  if (version < MIGRATIONS.length) {
    throw new StoreRefusal(
      `${serverName} has schema version ${version}, this Rollcall needs ${MIGRATIONS.length}`,
      "run rollcall migrate",
    );
  }
}

async function migrate(database: PostgresDatabase): Promise<SchemaChange> {
  const once = () => database.hold((client) => migrateOn(client, database.serverName));
  try {
    return await once();
  } catch (error) {
    if (!(error instanceof CreationRace)) throw error;
    return await once();
  }
}

/** Another process made the same tables at the same moment. */
class CreationRace extends Error {}

async function requireMayCreate(client: pg.ClientBase, serverName: string): Promise<void> {
  const [here] = await run<{ role: string; schema: string | null; database: string; may: boolean | null }>(
    client,
    serverName,
    sql`select quote_ident(current_user) as "role", quote_ident(current_schema()) as "schema", quote_ident(current_database()) as "database", has_schema_privilege(current_schema(), 'CREATE') as "may"`,
  );
  const { role, schema, database, may } = here!;
  if (schema === null) {
    throw new StoreRefusal(
      `The role ${role} may use no schema of its search_path on ${serverName}`,
      `make one, or grant usage and create on one to ${role}`,
    );
  }
  if (!may) {
    throw new StoreRefusal(
      `The role ${role} may not create tables in schema ${schema} of ${serverName}`,
      `use the database's owner, make this role its owner (alter database ${database} owner to ${role}), or grant create on schema ${schema} to ${role}`,
    );
  }
}

async function migrateOn(client: pg.ClientBase, serverName: string): Promise<SchemaChange> {
  const execute = <R>(text: string) => run<R>(client, serverName, sql`${raw(text)}`);
  await execute("begin isolation level read committed"); // after a wait, the version is read as it is then
  await requireMayCreate(client, serverName);
  try {
    await execute(
      "create table if not exists rollcall_schema (id integer not null primary key, version integer not null)",
    );
  } catch (error) {
    throw isCreationRace(error) ? new CreationRace() : error;
  }
  const [before] = await execute<VersionRow>(SCHEMA_VERSION.text);
  if (before?.version === MIGRATIONS.length) {
    await execute("commit"); // without a wait for imports that go on
    return "none";
  }
  // Whoever else migrates waits here, and then finds nothing left to do. This waits for imports that go on; readers do not wait.
  await execute("lock table rollcall_schema in exclusive mode");
  await execute("insert into rollcall_schema (id, version) values (1, 0) on conflict (id) do nothing");
  const version = knownVersion(await execute<VersionRow>(SCHEMA_VERSION.text), serverName);
  for (const statement of MIGRATIONS.slice(version).flat()) {
    try {
      await execute(statement);
    } catch (error) {
      if (sqlState(error) !== DUPLICATE_TABLE) throw error;
      throw new StoreRefusal(
        `${serverName} holds another program's tables, one of which has a name that Rollcall needs`,
        "name an empty database with --db",
        { cause: error },
      );
    }
  }
  await execute(`update rollcall_schema set version = ${MIGRATIONS.length} where id = 1`);
  await execute("commit");
  return version === 0 ? "created" : version < MIGRATIONS.length ? "updated" : "none";
}
