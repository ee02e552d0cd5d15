// The statements that move rows of any kind, a batch at a time: values go as arrays, one for each column.
import sql, { join, raw, type Sql } from "sql-template-tag";
import { isNumbered } from "../feed-notes.ts";
import type { RowDigest, RowKey } from "../store.ts";
import { columnName, type FactKind, isDigested, type Rows, TABLES } from "../tables.ts";
import { BUCKETS_OF_ONE } from "../time-buckets.ts";
import type { RowToWrite } from "./copy.ts";
import { FIRST_BUCKET, LAST_BUCKET } from "./schema.ts";

const names = (fields: readonly string[], prefix = "") =>
  fields.map((field) => prefix + columnName(field)).join(", ");

/** The row's columns under the names of its fields. */
export function selection(kind: FactKind, prefix = ""): string {
  return TABLES[kind].columns.map((column) => `${prefix}${columnName(column)} as "${column}"`).join(", ");
}

/** `unnest($1::text[], …) as name(column, …)`, with one array for each field: a column of the kind, `seq` or `digest`. */
function arrays(
  kind: FactKind,
  name: string,
  fields: readonly string[],
  values: readonly (readonly unknown[])[],
): Sql {
  const { types } = TABLES[kind];
  const lists = fields.map((field, index) => sql`${values[index]}::${raw(types.get(field) ?? "bigint")}[]`);
  return sql`unnest(${join(lists)}) as ${raw(name)}(${raw(names(fields))})`;
}

function keyArrays(kind: FactKind, keys: readonly RowKey[]): Sql {
  const { key } = TABLES[kind];
  return arrays(
    kind,
    "wanted",
    key,
    key.map((_, index) => keys.map((values) => values[index])),
  );
}

/**
 * The rows with the keys, each found as the first one at or after the key. That leaves the planner no way but the
 * primary key: the rows of an import that is not committed are in no statistics, so with a plain `=` it takes the
 * wrong index, or a scan for each batch, and the import becomes quadratic.
 */
export function rowsByKeys(
  selected: string,
  kind: FactKind,
  companyId: string,
  keys: readonly RowKey[],
): Sql {
  const { key } = TABLES[kind];
  const [stored, wanted, row] = ["stored.", "wanted.", "row."].map((prefix) => raw(names(key, prefix)));
  return sql`select ${raw(selected)} from ${keyArrays(kind, keys)}, lateral (select * from ${raw(kind)} as stored where stored.company_id = ${companyId} and (${stored}) >= (${wanted}) order by ${stored} limit 1) as row where (${row}) = (${wanted})`;
}

export function selectByKeys(kind: FactKind, companyId: string, keys: readonly RowKey[]): Sql {
  return rowsByKeys(selection(kind, "row."), kind, companyId, keys);
}

/** Only the keys of those rows that are stored; or these columns, the key among them. */
export function selectKeys(
  kind: FactKind,
  companyId: string,
  keys: readonly RowKey[],
  columns: readonly string[] = TABLES[kind].key,
): Sql {
  const fields = columns.map((field) => `row.${columnName(field)} as "${field}"`);
  return rowsByKeys(fields.join(", "), kind, companyId, keys);
}

/** The rows in which a column has one of the values, found by an index that begins with company and column. */
export function rowsByColumn(
  kind: FactKind,
  column: string,
  companyId: string,
  values: readonly string[],
  and = "",
): Sql {
  return sql`select ${raw(selection(kind, "row."))} from unnest(${values}::text[]) as wanted(value), lateral (select * from ${raw(kind)} as stored where stored.company_id = ${companyId} and stored.${raw(columnName(column))} = wanted.value${raw(and)} offset 0) as row`;
}

/** Gives the given columns of the rows that were there. */
export function deleteByKeys(
  kind: FactKind,
  companyId: string,
  keys: readonly RowKey[],
  columns: readonly string[],
): Sql {
  const { key } = TABLES[kind];
  const isWanted =
    key.length === 1
      ? sql`${raw(columnName(key[0]!))} = any(${keys.map((values) => values[0])})`
      : sql`(${raw(names(key))}) in (select ${raw(names(key))} from ${keyArrays(kind, keys)})`;
  const returned = columns.map((field) => `${columnName(field)} as "${field}"`);
  return sql`delete from ${raw(kind)} where company_id = ${companyId} and ${isWanted} returning ${raw(returned.join(", "))}`;
}

/** Gives rows these digests. */
export function setDigests(
  kind: FactKind,
  companyId: string,
  rows: readonly (readonly [key: RowKey, digest: RowDigest | null])[],
): Sql {
  const { key } = TABLES[kind];
  const values = key.map((_, index) => rows.map(([values]) => values[index]));
  const given = arrays(kind, "given", [...key, "digest"], [...values, rows.map(([, digest]) => digest)]);
  const [stored, wanted] = ["stored.", "given."].map((prefix) => raw(names(key, prefix)));
  return sql`update ${raw(kind)} as stored set digest = given.digest from ${given} where stored.company_id = ${companyId} and (${stored}) = (${wanted})`;
}

/** Adds rows, or replaces those with the same key. */
export function upsert<K extends FactKind>(kind: K, companyId: string, rows: readonly RowToWrite<K>[]): Sql {
  const key: readonly string[] = TABLES[kind].key;
  const columns: string[] = [...TABLES[kind].columns];
  const values: unknown[][] = TABLES[kind].columns.map((column) => rows.map(({ row }) => row[column]));
  if (isNumbered(kind)) {
    columns.push("seq");
    values.push(rows.map(({ seq }) => seq));
  }
  if (isDigested(kind)) {
    columns.push("digest");
    values.push(rows.map(({ digest }) => digest));
  }
  const updates = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${columnName(column)} = excluded.${columnName(column)}`);
  return sql`insert into ${raw(kind)} (company_id, ${raw(names(columns))}) select ${companyId}, ${raw(names(columns, "given."))} from ${arrays(kind, "given", columns, values)} on conflict (company_id, ${raw(names(key))}) do update set ${raw(updates.join(", "))}`;
}

/** How many names are given of rows that something is wrong with. */
const NAMED_ROWS = 3;

/** How many rows belong to no assignment, and the names of the first of them. */
export function withoutAssignment(
  kind: "requests" | "adjustments" | "policies",
  companyId: string,
): { readonly counted: Sql; readonly named: Sql } {
  const first = sql`select coalesce(legacy_id, id) as "name"`;
  if (kind === "policies") {
    // The first assignment at or after the policy: as in `rowsByKeys`, no other way is left to the planner.
    const assigned = sql`select 1 from (select policy_id from assignments where company_id = ${companyId} and policy_id >= one.id order by policy_id limit 1) as next where next.policy_id = one.id`;
    const rows = sql`from policies as one where company_id = ${companyId} and not exists (${assigned})`;
    return {
      counted: sql`select count(*) as "count" ${rows}`,
      named: sql`${first} ${rows} order by id limit ${NAMED_ROWS}`,
    };
  }
  // Both tables at once, grouped: one pass over each, however many rows the planner expects.
  const both = sql`select worker_id, policy_id, id from ${raw(kind)} where company_id = ${companyId} union all select worker_id, policy_id, null from assignments where company_id = ${companyId}`;
  const pairs = sql`select worker_id, policy_id, count(*) as rows, min(id) as id from (${both}) as row group by worker_id, policy_id having count(*) = count(id)`;
  // The first rows are of the pairs with the first ones.
  const least = sql`select worker_id, policy_id from (${pairs}) as pair order by id limit ${NAMED_ROWS}`;
  const ofPair = sql`select legacy_id, id from ${raw(kind)} where company_id = ${companyId} and (worker_id, policy_id) = (pair.worker_id, pair.policy_id) order by id limit ${NAMED_ROWS}`;
  return {
    counted: sql`select coalesce(sum(rows), 0)::bigint as "count" from (${pairs}) as pair`,
    named: sql`${first} from (${least}) as pair, lateral (${ofPair}) as row order by id limit ${NAMED_ROWS}`,
  };
}

/** The next rows in key order, after the row `last`. */
export function scanPage<K extends FactKind>(
  kind: K,
  companyId: string,
  last: Rows[K] | null,
  limit: number,
): Sql {
  const { key } = TABLES[kind];
  const after =
    last === null
      ? sql``
      : sql` and (${raw(names(key))}) > (${join(key.map((field) => last[field] as string | number))})`; // keys are texts and days
  return sql`select ${raw(selection(kind))} from ${raw(kind)} where company_id = ${companyId}${after} order by ${raw(names(key))} limit ${limit}`;
}

/** One text for a key, to find its row again. */
export function keyText(key: readonly unknown[]): string {
  return key.length === 1 ? String(key[0]) : JSON.stringify(key);
}

// Time buckets: `request_buckets` has a row for each bucket that a request touches.

const STEPS = Array.from({ length: BUCKETS_OF_ONE }, (_, step) => step).join(", ");

/** A row for each bucket of each request. `offset 0`: the first and the last bucket are computed once for each request. */
function withBuckets(requests: Sql): Sql {
  const ranges = sql`select request.*, ${raw(FIRST_BUCKET)} as first, ${raw(LAST_BUCKET)} as last from (${requests}) as request offset 0`;
  return sql`select ranges.*, first + step as bucket from (${ranges}) as ranges, unnest(array[${raw(STEPS)}]) as step where first + step <= last`;
}

/** Adds the rows of these requests, or of all that a company has. In the order of the buckets: a page reads rows that lie side by side. */
export function addToBuckets(companyId: string, keys: readonly RowKey[] | null): Sql {
  const ofCompany = sql`select * from requests where company_id = ${companyId}`;
  const requests = keys === null ? ofCompany : rowsByKeys("row.*", "requests", companyId, keys);
  return sql`insert into request_buckets (company_id, bucket, is_first, id, policy_id, status, start_at_ms, end_at_ms, doc) select company_id, bucket, bucket = first, id, policy_id, status, start_at_ms, end_at_ms, doc from (${withBuckets(requests)}) as entry order by bucket, id`;
}

/** Removes the rows of these requests, which must not have changed since they were added. */
export function removeFromBuckets(companyId: string, keys: readonly RowKey[]): Sql {
  const requests = rowsByKeys("row.*", "requests", companyId, keys);
  return sql`delete from request_buckets as stored using (${withBuckets(requests)}) as gone where stored.company_id = ${companyId} and stored.bucket = gone.bucket and stored.id = gone.id`;
}
