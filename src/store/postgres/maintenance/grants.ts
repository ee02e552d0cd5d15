// What the connected role may do, for the doctor: a server's role should be able to read and nothing else.
import sql from "sql-template-tag";
import { PostgresDatabase } from "../connection/database.ts";
import { TABLE_NAMES } from "../schema.ts";

const PRIVILEGES = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"] as const;

export interface Grants {
  readonly role: string;
  /** The privileges on each of Rollcall's tables, in lower case. */
  readonly tables: readonly { readonly table: string; readonly privileges: readonly string[] }[];
  /** Whether it may note the last use of keys. */
  readonly touchesKeys: boolean;
  /** Powers beyond tables: superuser, making roles, databases or tables, owning Rollcall's tables. */
  readonly powers: readonly string[];
  /** Each says what to do. Empty for a role as `rollcall migrate` makes it. */
  readonly findings: readonly string[];
}

interface RoleRow {
  readonly role: string;
  readonly superuser: boolean;
  readonly roles: boolean;
  readonly databases: boolean;
  readonly replication: boolean;
  readonly schema: boolean;
  readonly owns: boolean;
  readonly touches: boolean;
}

/** Raises StoreRefusal or StoreUnavailable where the database cannot be asked. */
export async function readGrants(db: string): Promise<Grants> {
  const database = new PostgresDatabase(db, { max: 1, timeoutMs: 5000 });
  try {
    const tables: readonly string[] = TABLE_NAMES;
    const rows = await database.read<{ table: string; privilege: string }>(
      sql`select name as "table", lower(privilege) as "privilege" from unnest(${tables}::text[]) as name, unnest(${PRIVILEGES}::text[]) as privilege where has_table_privilege(name, privilege)`,
    );
    const [role] = await database.read<RoleRow>(
      sql`select current_user::text as "role", rolsuper as "superuser", rolcreaterole as "roles", rolcreatedb as "databases", rolreplication as "replication", has_schema_privilege(current_schema(), 'CREATE') as "schema", has_column_privilege('keys', 'last_used_at_ms', 'UPDATE') as "touches", exists (select 1 from pg_class where oid = to_regclass('companies') and pg_has_role(relowner, 'USAGE')) as "owns" from pg_roles where rolname = current_user`,
    );
    return judged(role!, rows);
  } finally {
    await database.close();
  }
}

function judged(role: RoleRow, rows: readonly { table: string; privilege: string }[]): Grants {
  const tables = TABLE_NAMES.map((table) => ({
    table,
    privileges: rows.filter((row) => row.table === table).map((row) => row.privilege),
  }));
  const powers = [
    role.superuser && "superuser",
    role.roles && "makes roles",
    role.databases && "makes databases",
    role.replication && "replicates",
    role.schema && "makes tables",
    role.owns && "owns the tables",
  ].filter((power) => power !== false);
  const writes = tables
    .map(({ table, privileges }) => ({ table, extra: privileges.filter((one) => one !== "select") }))
    .filter(({ extra }) => extra.length > 0)
    .map(({ table, extra }) => `${extra.join(", ")} on ${table}`);
  const blind = tables.filter(({ privileges }) => !privileges.includes("select")).map(({ table }) => table);
  const findings: string[] = [];
  if (powers.length > 0 || writes.length > 0) {
    findings.push(
      `The role "${role.role}" can do more than a server needs (${[...powers, ...writes].join("; ")}): serve with the role that rollcall migrate makes`,
    );
  }
  if (blind.length > 0)
    findings.push(`The role "${role.role}" cannot read ${blind.join(", ")}: run rollcall migrate`);
  if (!role.touches) {
    findings.push(`The role "${role.role}" cannot note when a key was last used: run rollcall migrate`);
  }
  return { role: role.role, tables, touchesKeys: role.touches, powers, findings };
}
