// The grants of roles. A server's role may select, note when a key or feed was last used, update the progress of hooks,
// remove notes for hooks and, if the operator wants that, add calendar feeds. A role that imports may change rows. Nothing else.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import pg from "pg";
import sql, { raw } from "sql-template-tag";
import type { MigrateOutcome, ReaderRole, ReaderRoleOutcome } from "../../engine.ts";
import { StoreRefusal } from "../../store.ts";
import { commit, PostgresDatabase, run } from "../connection/database.ts";
import { lacksRight } from "../connection/errors.ts";
import { COMPANY_TABLES, TABLE_NAMES } from "../schema.ts";
import { openSchema, requireTables } from "./migrate.ts";
import { ANALYZE } from "./vacuum.ts";

/** How long any statement of a server's role may take, through any pooler. */
const ROLE_STATEMENT_TIMEOUT = "10s";

/** The functions that make or fill a large object. */
export const LARGE_OBJECT_FUNCTIONS = [
  "lo_creat(integer)",
  "lo_create(oid)",
  "lo_from_bytea(oid, bytea)",
  "lo_put(oid, bigint, bytea)",
  "lowrite(integer, bytea)",
];

/** The columns of hooks that a server updates. */
export const HOOK_PROGRESS = [
  "paused",
  "sent_number",
  "calendar_ms",
  "calendar_key",
  "failures",
  "next_at_ms",
  "last_outcome",
  "last_at_ms",
  "lease_owner",
  "lease_until_ms",
];

const SCRAM_ITERATIONS = 4096;

const VERSION_TABLE = "rollcall_schema";

type Run = <R>(text: string) => Promise<R[]>;

/** Makes missing tables of the store at `db`, and grants the roles what they need. */
export async function migratePostgres(db: string, role: ReaderRole): Promise<MigrateOutcome> {
  await using database = new PostgresDatabase(db, { max: 1 });
  const schema = await openSchema(database, { create: true });
  await requireTables(database);
  return { schema, role: await grantReader(database, role) };
}

function grantReader(database: PostgresDatabase, role: ReaderRole): Promise<ReaderRoleOutcome> {
  const name = pg.escapeIdentifier(role.name);
  return database.hold(async (client) => {
    const execute = <R>(text: string) => run<R>(client, database.serverName, sql`${raw(text)}`);
    await execute("begin");
    const [row] = await run<{ owner: string; owns: boolean; exists: boolean }>(
      client,
      database.serverName,
      sql`
        select
          quote_ident(current_user) as "owner", current_user = ${role.name} as "owns",
          exists (select 1 from pg_roles where rolname = ${role.name}) as "exists"`,
    );
    const { owner, owns, exists } = row!;
    if (owns) {
      throw new StoreRefusal(
        `"${role.name}" is the role that migrates`,
        "servers need another, name it with --reader-role",
      );
    }
    const password = role.password === undefined ? "" : ` password '${scramVerifier(role.password)}'`;
    const administer = async (statement: string, what: string, remedy: string) => {
      await execute(statement).catch((cause) => {
        if (!lacksRight(cause)) throw cause;
        throw new StoreRefusal(
          `The tables are there, but the role ${owner} may not ${what} on ${database.serverName}`,
          `${remedy}, leave ROLLCALL_READER_PASSWORD unset, and run this again for the grants`,
          { cause },
        );
      });
    };
    if (!exists) {
      await administer(
        `create role ${name} login${password}`,
        `make the role ${role.name}`,
        `have an administrator run "alter role ${owner} createrole" and run this again; or have an administrator make ${role.name}`,
      );
      await execute(`alter role ${name} set statement_timeout = '${ROLE_STATEMENT_TIMEOUT}'`);
    } else if (role.password !== undefined) {
      await administer(
        `alter role ${name} with${password}`,
        `set the password of ${role.name}`,
        "have an administrator set it",
      );
    }
    const [here] = await execute<{ schema: string }>(`select quote_ident(current_schema()) as "schema"`);
    await execute(`grant usage on schema ${here!.schema} to ${name}`);
    await execute(`grant select on ${TABLE_NAMES.join(", ")} to ${name}`);
    await execute(`grant update (last_used_at_ms) on keys, feeds to ${name}`);
    await execute(
      role.addsFeeds ? `grant insert on feeds to ${name}` : `revoke insert on feeds from ${name}`,
    );
    await execute(`grant update (${HOOK_PROGRESS.join(", ")}) on hooks to ${name}`);
    await execute(`grant delete on events to ${name}`);
    await revokeFromEverybody(execute);
    const importer = await grantImporter(execute, role.importer);
    await commit(client, database.serverName, "migration");
    return { name: role.name, created: !exists, hasNewPassword: role.password !== undefined, importer };
  });
}

/** Grants the role that imports what it needs, and returns its name; null if there is none. */
async function grantImporter(execute: Run, name: string | undefined): Promise<string | null> {
  if (name === undefined) return null;
  const [row] = await execute<{ owns: boolean; database: string; schema: string }>(
    `select
      rolname = current_user as "owns", quote_ident(current_database()) as "database",
      quote_ident(current_schema()) as "schema"
    from pg_roles
    where rolname = ${pg.escapeLiteral(name)}`,
  );
  if (row === undefined || row.owns) return null;
  const role = pg.escapeIdentifier(name);
  await execute(`grant usage on schema ${row.schema} to ${role}`);
  await execute(`grant select, insert, update, delete on ${COMPANY_TABLES.join(", ")} to ${role}`);
  await execute(`grant select, update on ${VERSION_TABLE} to ${role}`); // to lock it, which needs the right to change it
  await execute(`grant temporary on database ${row.database} to ${role}`); // for staging
  const analysis = `${row.schema}.rollcall_analyze()`;
  await execute(
    `create or replace function ${analysis} returns void language plpgsql security definer
    set search_path = ${row.schema}, pg_temp as $$ begin ${ANALYZE}; end $$`,
  );
  await execute(`revoke execute on function ${analysis} from public`);
  await execute(`grant execute on function ${analysis} to ${role}`);
  return name;
}

/**
 * By default every role may make temporary tables and large objects, and either can fill the disk. Revoking the
 * first needs the database's owner, the second an administrator. `doctor` reports what this role may not revoke.
 */
async function revokeFromEverybody(execute: Run): Promise<void> {
  const [here] = await execute<{ database: string }>(`select quote_ident(current_database()) as "database"`);
  const rights = [
    {
      right: `temporary on database ${here!.database}`,
      isThere: "has_database_privilege('public', current_database(), 'TEMPORARY')",
    },
    ...LARGE_OBJECT_FUNCTIONS.map((name) => ({
      right: `execute on function pg_catalog.${name}`,
      isThere: `has_function_privilege('public', 'pg_catalog.${name}', 'EXECUTE')`,
    })),
  ];
  for (const { right, isThere } of rights) {
    const [row] = await execute<{ there: boolean }>(`select ${isThere} as "there"`);
    if (!row!.there) continue; // else the server would log an error for each
    await execute("savepoint revoking");
    await execute(`revoke ${right} from public`).catch(async (error) => {
      if (!lacksRight(error)) throw error;
      await execute("rollback to savepoint revoking");
    });
  }
}

/** What PostgreSQL stores for a password (RFC 5803), so that the password itself is in no statement and no log. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize("NFKC"), salt, SCRAM_ITERATIONS, 32, "sha256");
  const keyOf = (label: string) => createHmac("sha256", salted).update(label).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  const serverKey = keyOf("Server Key").toString("base64");
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
