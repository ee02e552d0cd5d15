// PostgreSQL's tables: those of the embedded store, column by column. Ids compare byte by byte, whatever the database's collation.
import { LIST_KINDS } from "../../resources/kinds.ts";
import { formVersion } from "../engine.ts";
import { changedColumns, rememberSql } from "../history.ts";
import { eventsSql, hooksSql } from "../hooks.ts";
import { SECRET_TABLES } from "../store.ts";
import {
  closesSql,
  companiesSql,
  type Dialect,
  HISTORY_TABLES,
  historySql,
  historyTable,
  KINDS,
  type Kind,
  OWNED_TABLES,
  secretsSql,
  statesSql,
  tableSql,
} from "../tables.ts";
import { bucketsSql } from "../time-buckets.ts";

export const COLUMN_TYPES: Dialect["types"] = {
  text: 'text collate "C"',
  integer: "integer",
  bigint: "bigint",
  "double precision": "double precision",
};

const POSTGRES: Dialect = {
  types: COLUMN_TYPES,
  tableOptions: "",
  covering: (columns) => (columns.length === 0 ? ")" : `) include (${columns.join(", ")})`),
};

/** All tables except the one with the schema's version. */
export const COMPANY_TABLES: readonly string[] = ["companies", ...OWNED_TABLES, ...SECRET_TABLES, "hooks"];

/** Rollcall's tables, for grants. */
export const TABLE_NAMES: readonly string[] = ["rollcall_schema", ...COMPANY_TABLES];

/** Tables whose rows are added and removed, but never changed. */
const FIXED: readonly string[] = [
  ...["request_buckets", "change_marks", "import_records", "changes", "events", "company_states", "closes"],
  ...HISTORY_TABLES,
];

function tuned(table: string): string {
  const scale = ["vacuum", "vacuum_insert", "analyze"].map(
    (what) => `autovacuum_${what}_scale_factor = 0.02`,
  );
  return `alter table ${table} set (${FIXED.includes(table) ? "" : "fillfactor = 90, "}${scale.join(", ")});`;
}

/** The setting by which a transaction says that the company has no history yet. Then the triggers skip the rows that it adds. */
export const FIRST_IMPORT = "rollcall.is_first_import";

function historyTriggers(kind: Kind): string {
  const { columns, differ } = changedColumns(kind, "is distinct from");
  const trigger = (change: "insert" | "update" | "delete", on: string, when: string) => `
  create function remember_${kind}_${change}() returns trigger language plpgsql as $$ begin
    ${rememberSql(kind, change)}
    return null;
  end $$;
  create trigger ${kind}_${change}
    after ${on} on ${kind}
    for each row ${when}
    execute function remember_${kind}_${change}();`;
  return [
    trigger("insert", "insert", `when (coalesce(current_setting('${FIRST_IMPORT}', true), '') <> 'yes')`),
    trigger("update", `update of ${columns}`, `when (${differ})`),
    trigger("delete", "delete", ""),
  ].join("\n");
}

/** Makes the tables of an empty store. */
export const SCHEMA = `
${companiesSql(POSTGRES)}

${KINDS.map((kind) => tableSql(kind, POSTGRES)).join("\n")}

${statesSql(POSTGRES)}

${closesSql(POSTGRES)}

${KINDS.map((kind) => `${historySql(kind, POSTGRES)}\n${historyTriggers(kind)}`).join("\n")}

  -- A request has a row for each time bucket that it touches; is_first marks the first one. The rows have the wire objects, so that a
  -- page of who is away reads them alone. Times are in the keys of the indexes, so that no row is read that does not fit. So they are in
  -- the primary key, too: without one, a publication refuses to remove rows.
  create table request_buckets (
    company_id text collate "C" not null,
    bucket integer not null,
    is_first boolean not null,
    id text collate "C" not null,
    policy_id text collate "C" not null,
    status text collate "C" not null,
    start_at_ms bigint not null,
    end_at_ms bigint not null,
    doc text not null,
    constraint request_buckets_time primary key (company_id, bucket, id, start_at_ms, end_at_ms) include (is_first)
  );
  create index request_buckets_policy
    on request_buckets (company_id, policy_id, status, bucket, id, start_at_ms, end_at_ms) include (is_first);

${secretsSql(POSTGRES)}

${hooksSql(POSTGRES)}

${eventsSql(POSTGRES)}

  -- All companies share the tables. With PostgreSQL's default, a fifth of all rows, a vacuum would come late and take long. Free
  -- space in the pages lets a row change without changing its indexes.
  ${COMPANY_TABLES.map(tuned).join("\n  ")}

  -- No statement compares wire objects. Sampling them would take longer than all other statistics of a first import.
  ${[...LIST_KINDS, ...LIST_KINDS.map(historyTable), "request_buckets"]
    .map((table) => `alter table ${table} alter column doc set statistics 0;`)
    .join("\n  ")}
`;

/** The number of the format of our tables. A released version that changes them raises it. Stores from before 1.0 have 1 to 100. */
const FORMAT = 1;

/** The version in the table `rollcall_schema`. */
export const SCHEMA_VERSION = formVersion(FORMAT, SCHEMA);

// Some engines that speak PostgreSQL's protocol divide whole numbers into fractions.
const { first, last } = bucketsSql("", (quotient) => `trunc(${quotient})::bigint`);

/** The first and the last time bucket of a row of `requests`, in SQL. */
export const FIRST_BUCKET = `(${first})::integer`;
export const LAST_BUCKET = `(${last})::integer`;
