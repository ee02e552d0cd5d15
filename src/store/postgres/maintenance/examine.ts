// Examines a PostgreSQL store without changing it: can it be read, and can a server's role do nothing else?
import sql from "sql-template-tag";
import type { Examination, Finding, Grants } from "../../engine.ts";
import { type Contents, StoreRefusal, StoreUnavailable } from "../../store.ts";
import { PostgresDatabase } from "../connection/database.ts";
import { lacksRight } from "../connection/errors.ts";
import { withSnapshot } from "../contents.ts";
import { TABLE_NAMES } from "../schema.ts";
import { openSchema, requireTables } from "./migrate.ts";
import { HOOK_PROGRESS, LARGE_OBJECT_FUNCTIONS } from "./role.ts";

const PRIVILEGES = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"] as const;

/** See `Store.examine`. A store that cannot be reached, or refuses, is a finding, too. */
export async function examineStore(
  db: string,
  examineContents: (contents: Contents) => Promise<Finding[]>,
): Promise<Examination> {
  let grants: Grants | null = null;
  const findings: Finding[] = [];
  try {
    const judged = await readGrants(db);
    grants = judged.grants;
    findings.push(...judged.findings);
    await requireSchema(db);
    findings.push(...(await withSnapshot(db, examineContents)));
  } catch (error) {
    if (!(error instanceof StoreRefusal || error instanceof StoreUnavailable)) throw error;
    findings.push(findingOf(error, grants !== null));
  }
  return { grants, findings };
}

async function requireSchema(db: string): Promise<void> {
  await using database = new PostgresDatabase(db, { max: 1 });
  await openSchema(database, {});
  await requireTables(database);
}

/** `isThere`: the store was reached before. */
function findingOf(error: StoreRefusal | StoreUnavailable, isThere: boolean): Finding {
  const refused = lacksRight(error) ? "grants" : "schema";
  return {
    check: isThere && error instanceof StoreRefusal ? refused : "presence",
    problem: error.problem,
    advice: error.advice ?? "try again, and see what the server's own log says",
  };
}

/** Powers that no command needs. */
const ADMINISTERS: readonly string[] = ["superuser", "makes roles", "makes databases", "replicates"];

/** PostgreSQL's own roles whose members may run programs, or reach files and rows of others. */
const SERVER_ROLES: readonly string[] = [
  "pg_execute_server_program",
  "pg_read_all_data",
  "pg_read_server_files",
  "pg_write_all_data",
  "pg_write_server_files",
];

/** The columns that a server may update: when keys and feeds were used, and how far hooks are. */
const NOTED_COLUMNS = ["keys", "feeds"]
  .map((table) => `${table}.last_used_at_ms`)
  .concat(HOOK_PROGRESS.map((column) => `hooks.${column}`));

const administers = (power: string) => ADMINISTERS.includes(power) || power.startsWith("is a member of ");

/** The privileges of a role that imports. */
const CHANGES: readonly string[] = ["insert", "update", "delete"];

/** What `rollcall migrate` grants a server's role besides reading; the second only on request. */
const GRANTED: readonly string[] = ["delete on events", "insert on feeds"];

export interface JudgedGrants {
  readonly grants: Grants;
  /** Empty for a role as `rollcall migrate` makes it. */
  readonly findings: readonly Finding[];
}

/** Powers that every role has by default, and how to revoke them. */
const REVOCABLE: Readonly<Record<string, string>> = {
  "makes temporary tables": "revoke temporary on database … from public",
  "makes large objects": `revoke execute on function ${LARGE_OBJECT_FUNCTIONS.join(", ")} from public`,
};

interface RoleRow {
  readonly role: string;
  readonly superuser: boolean;
  readonly roles: boolean;
  readonly databases: boolean;
  readonly replication: boolean;
  readonly schema: boolean;
  readonly temporary: boolean;
  readonly largeObjects: boolean;
  readonly owns: boolean;
  readonly touches: boolean;
  readonly readOnly: boolean;
  readonly missing: readonly string[];
  readonly memberOf: readonly string[];
  readonly columns: readonly string[];
}

/** Raises StoreRefusal or StoreUnavailable if the database cannot be read. */
export async function readGrants(db: string): Promise<JudgedGrants> {
  await using database = new PostgresDatabase(db, { max: 1, timeoutMs: 5000 });
  // A store of an older version lacks some tables. If all are missing, this raises that there is no store.
  const rows = await database.read<{ table: string; privilege: string }>(sql`
    select name as "table", lower(privilege) as "privilege"
    from unnest(${TABLE_NAMES}::text[]) as name, unnest(${PRIVILEGES}::text[]) as privilege
    where
      case
        when to_regclass(name) is null and to_regclass('rollcall_schema') is not null then false
        else has_table_privilege(name, privilege)
      end`);
  const memberOf = sql`
    array(
      select rolname::text
      from pg_roles
      where rolname = any(${SERVER_ROLES}::text[]) and pg_has_role(oid, 'MEMBER')
      order by 1
    )`;
  const columns = sql`
    array(
      select lower(privilege) || ' of ' || name || '.' || attname
      from
        unnest(${TABLE_NAMES}::text[]) as name
        join pg_attribute on attrelid = to_regclass(name) and attnum > 0 and not attisdropped,
        unnest(array['INSERT', 'UPDATE']) as privilege
      where
        has_column_privilege(attrelid, attnum, privilege)
        and not has_table_privilege(attrelid, privilege)
        and not (privilege = 'UPDATE' and name || '.' || attname = any(${NOTED_COLUMNS}::text[]))
      order by 1
    )`;
  const [role] = await database.read<RoleRow>(sql`
    select
      current_user::text as "role", rolsuper as "superuser", rolcreaterole as "roles",
      rolcreatedb as "databases", rolreplication as "replication",
      has_schema_privilege(current_schema(), 'CREATE') as "schema",
      has_database_privilege(current_database(), 'TEMPORARY') as "temporary",
      has_function_privilege('pg_catalog.lo_create(oid)', 'EXECUTE') as "largeObjects",
      has_column_privilege('keys', 'last_used_at_ms', 'UPDATE')
        and coalesce(has_column_privilege(to_regclass('feeds'), 'last_used_at_ms', 'UPDATE'), false)
        as "touches",
      current_setting('default_transaction_read_only') = 'on' and not pg_is_in_recovery() as "readOnly",
      exists (
        select 1
        from pg_class
        where oid = to_regclass('companies') and pg_has_role(relowner, 'USAGE')
      ) as "owns",
      array(select name from unnest(${TABLE_NAMES}::text[]) as name where to_regclass(name) is null) as "missing",
      ${memberOf} as "memberOf", ${columns} as "columns"
    from pg_roles
    where rolname = current_user`);
  return judged(role!, rows);
}

/** The rights of a role, and findings about them. */
function judged(role: RoleRow, rows: readonly { table: string; privilege: string }[]): JudgedGrants {
  const tables = TABLE_NAMES.map((table) => ({
    table,
    privileges: rows.filter((row) => row.table === table).map((row) => row.privilege),
  }));
  const powers = powersOf(role);
  const existing = tables.filter(({ table }) => !role.missing.includes(table));
  const lacking = existing
    .filter(({ table }) => table !== "rollcall_schema")
    .map(({ table, privileges }) => ({
      table,
      lacked: CHANGES.filter((privilege) => !privileges.includes(privilege)),
    }))
    .filter(({ lacked }) => lacked.length > 0);
  // A role that may change most tables is meant to import.
  const lesser = lacking.length < existing.length / 2 ? "importer" : "reader";
  const isOf = powers.some(administers) ? "administrator" : role.owns ? "owner" : lesser;
  const grants: Grants = { role: role.role, isOf, tables, touchesKeys: role.touches, powers };
  const findings = findingsOfExcess(role, isOf, excess(isOf, tables, powers));
  const find = (problem: string, advice: string) => findings.push({ check: "grants", problem, advice });
  const unreadable = existing.filter(({ privileges }) => !privileges.includes("select"));
  if (unreadable.length > 0)
    find(
      `The role "${role.role}" cannot read ${unreadable.map(({ table }) => table).join(", ")}`,
      "run rollcall migrate",
    );
  if (!role.touches)
    find(`The role "${role.role}" cannot note when a key or feed was last used`, "run rollcall migrate");
  const locks = tables.some(
    ({ table, privileges }) => table === "rollcall_schema" && privileges.includes("update"),
  );
  const lacks = [
    ...lacking.map(({ table, lacked }) => `${lacked.join(", ")} on ${table}`),
    ...(locks ? [] : ["update on rollcall_schema"]),
    ...(role.temporary ? [] : ["the right to make temporary tables"]),
  ];
  if (isOf === "importer" && lacks.length > 0)
    find(
      `The role "${role.role}" cannot import: it lacks ${lacks.join(" and ")}`,
      "run rollcall migrate as the database's owner",
    );
  if (role.readOnly)
    find(
      `The role "${role.role}" can change nothing, whatever it may (default_transaction_read_only = on): imports are refused, no use of a key is noted, and hooks get no events`,
      "reset default_transaction_read_only for the database and the role, or in postgresql.conf",
    );
  return { grants, findings };
}

/** What a role may do besides its privileges on tables, in few words. */
function powersOf(role: RoleRow): string[] {
  return [
    role.superuser && "superuser",
    role.roles && "makes roles",
    role.databases && "makes databases",
    role.replication && "replicates",
    ...(role.superuser ? [] : role.memberOf.map((name) => `is a member of ${name}`)),
    role.schema && "makes tables",
    role.owns && "owns the tables",
    role.temporary && "makes temporary tables",
    role.largeObjects && "makes large objects",
    ...role.columns,
  ].filter((power) => power !== false);
}

const NEEDED_FOR = {
  administrator: "any command",
  owner: "a migration",
  importer: "an import",
  reader: "a server",
} as const satisfies Record<Grants["isOf"], string>;

/** `extra`: what the role may do beyond its purpose. */
function findingsOfExcess(role: RoleRow, isOf: Grants["isOf"], extra: readonly string[]): Finding[] {
  if (extra.length === 0) return [];
  const name = `The role "${role.role}"`;
  // These powers alone say that `rollcall migrate` made the role, but could not revoke them from everybody.
  if (extra.every((power) => power in REVOCABLE)) {
    const problem = `${name} can fill the disk: it ${extra.join(" and ")}`;
    // The database's owner may not revoke rights on PostgreSQL's own functions.
    const byOwner = role.largeObjects ? "" : "run rollcall migrate as the database's owner, or ";
    const statements = extra.map((power) => REVOCABLE[power]).join("; ");
    const advice = `${byOwner}have an administrator run, connected to this database: ${statements}`;
    return [{ check: "grants", problem, advice }];
  }
  return [
    {
      check: "grants",
      problem: `${name} can do more than ${NEEDED_FOR[isOf]} needs (${extra.join("; ")})`,
      advice:
        "use the roles of docs/postgresql.md, Roles: the owner migrates, one imports, one serves, and none of them makes roles",
    },
  ];
}

/** What a role may do beyond its purpose, in few words. */
function excess(isOf: Grants["isOf"], tables: Grants["tables"], powers: readonly string[]): string[] {
  if (isOf === "administrator") return powers.filter(administers);
  if (isOf === "owner") return [];
  const isImporter = isOf === "importer";
  const needs = isImporter ? [...CHANGES, "select"] : ["select"];
  const isNeeded = (privilege: string, table: string) =>
    needs.includes(privilege) || (!isImporter && GRANTED.includes(`${privilege} on ${table}`));
  const extra = Map.groupBy(
    tables.flatMap(({ table, privileges }) =>
      privileges
        .filter((privilege) => !isNeeded(privilege, table))
        .map((privilege) => ({ table, privilege })),
    ),
    ({ privilege }) => privilege,
  );
  return [
    ...powers.filter((power) => !(isImporter && power === "makes temporary tables")),
    ...[...extra].map(([privilege, on]) => `${privilege} on ${on.map(({ table }) => table).join(", ")}`),
  ];
}
