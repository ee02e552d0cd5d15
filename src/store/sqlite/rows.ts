// The statements that read and write rows of any kind, and those that keep the time buckets of requests up to date.
import { byKind } from "../../resources/kinds.ts";
import { columnName, type Kind, type Rows, TABLES, writtenColumns } from "../tables.ts";
import { bucketsOf, bucketsSql } from "../time-buckets.ts";
import type { Statements } from "./database.ts";

/** The columns of a kind's key, which follow the company's id. */
export function keyColumns(kind: Kind): string[] {
  return TABLES[kind].key.map(columnName);
}

/** The condition that finds one row. Bind the company's id, then the values of the kind's key. */
export function keyCondition(kind: Kind): string {
  return ["company_id", ...keyColumns(kind)].map((column) => `${column} = ?`).join(" and ");
}

function insertText(kind: Kind): string {
  const columns = writtenColumns(kind);
  const places = columns.map(() => "?").join(", ");
  return `insert into ${kind} (${columns.join(", ")}) values (${places})`;
}

/** The statements that add a row, by kind. */
export const INSERT = byKind(insertText);

/** The statements that add a row or replace the one with its key, by kind. */
export const UPSERT = byKind((kind) => {
  const key = ["company_id", ...keyColumns(kind)];
  const others = writtenColumns(kind).filter((column) => !key.includes(column));
  const sets = others.map((column) => `${column} = excluded.${column}`).join(", ");
  return `${insertText(kind)} on conflict (${key.join(", ")}) do update set ${sets}`;
});

// Time buckets ---------------------------------------------------------------------------------------------------------

/** The properties of a request that its time buckets have, besides its id. */
export const BUCKET_FIELDS = ["policyId", "status", "startAtMs", "endAtMs"] as const;

export type BucketRequest = Pick<Rows["requests"], "id" | (typeof BUCKET_FIELDS)[number]>;

const INSERT_BUCKET = `
  insert into request_buckets (company_id, bucket, id, policy_id, status, start_at_ms, end_at_ms)
  values (?, ?, ?, ?, ?, ?, ?)`;
const DELETE_BUCKET = "delete from request_buckets where company_id = ? and bucket = ? and id = ?";

/** Updates the time buckets of a request. `before` is null for a new request, `after` for a removed one. */
export function refileRequest(
  statements: Statements,
  companyId: string,
  before: BucketRequest | null,
  after: BucketRequest | null,
): void {
  if (before !== null && after !== null && BUCKET_FIELDS.every((field) => before[field] === after[field]))
    return;
  if (before !== null) {
    const remove = statements.prepare(DELETE_BUCKET);
    for (const bucket of bucketsOf(before.startAtMs, before.endAtMs))
      remove.run(companyId, bucket, before.id);
  }
  if (after !== null) {
    const insert = statements.prepare(INSERT_BUCKET);
    const { id, policyId, status, startAtMs, endAtMs } = after;
    for (const bucket of bucketsOf(startAtMs, endAtMs))
      insert.run(companyId, bucket, id, policyId, status, startAtMs, endAtMs);
  }
}

/** The statement that adds the time buckets of all requests of a table, in key order. A request has at most three. */
export function insertBuckets(table: string): string {
  const { first, last } = bucketsSql();
  return `
    insert into request_buckets (company_id, bucket, id, policy_id, status, start_at_ms, end_at_ms)
    select company_id, first + step, id, policy_id, status, start_at_ms, end_at_ms
    from (
      select company_id, id, policy_id, status, start_at_ms, end_at_ms, ${first} as first, ${last} as last
      from ${table}
    )
    cross join (select 0 as step union all select 1 union all select 2)
    where first + step <= last
    order by 1, 2, 3`;
}
