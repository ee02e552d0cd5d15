// The statements that read and write rows of any kind, a batch at a time. Values go as arrays, one for each column.
import sql, { join, raw, type Sql } from "sql-template-tag";
import { isListKind } from "../../resources/kinds.ts";
import type { RowKey } from "../store.ts";
import { columnName, isDigested, type Kind, type RowToWrite, selected, TABLES } from "../tables.ts";
import { BUCKETS_OF_ONE } from "../time-buckets.ts";
import { FIRST_BUCKET, LAST_BUCKET } from "./schema.ts";

const names = (fields: readonly string[], prefix = "") =>
  fields.map((field) => prefix + columnName(field)).join(", ");

/** `unnest($1::text[], …) as name(column, …)`, with one array for each field: a column of the kind, `seq` or `digest`. */
function arrays(
  kind: Kind,
  name: string,
  fields: readonly string[],
  values: readonly (readonly unknown[])[],
): Sql {
  const { types } = TABLES[kind];
  const lists = fields.map((field, index) => sql`${values[index]}::${raw(types.get(field) ?? "bigint")}[]`);
  return sql`unnest(${join(lists)}) as ${raw(name)}(${raw(names(fields))})`;
}

function keyArrays(kind: Kind, keys: readonly RowKey[]): Sql {
  const { key } = TABLES[kind];
  return arrays(
    kind,
    "wanted",
    key,
    key.map((_, index) => keys.map((values) => values[index])),
  );
}

/**
 * The rows with the keys, each read as the first row at or after its key, for which only the primary key is of use. With a plain `=`, the
 * planner takes another index, or a scan for each batch, because rows of an uncommitted import are in no statistics. Then the time of an
 * import grows with the square of its rows.
 */
function rowsByKeys(columns: Sql, kind: Kind, companyId: string, keys: readonly RowKey[]): Sql {
  const { key } = TABLES[kind];
  const [stored, wanted, row] = ["stored.", "wanted.", "row."].map((prefix) => raw(names(key, prefix)));
  return sql`
    select ${columns}
    from ${keyArrays(kind, keys)},
      lateral (
        select *
        from ${raw(kind)} as stored
        where stored.company_id = ${companyId} and (${stored}) >= (${wanted})
        order by ${stored}
        limit 1
      ) as row
    where (${row}) = (${wanted})`;
}

/** These columns of the stored rows with the keys. */
export function selectByKeys(
  kind: Kind,
  companyId: string,
  keys: readonly RowKey[],
  columns: readonly string[],
): Sql {
  return rowsByKeys(raw(selected(columns, "row.")), kind, companyId, keys);
}

/** Returns these columns of the deleted rows. */
export function deleteByKeys(
  kind: Kind,
  companyId: string,
  keys: readonly RowKey[],
  columns: readonly string[],
): Sql {
  const { key } = TABLES[kind];
  const isWanted =
    key.length === 1
      ? sql`${raw(columnName(key[0]!))} = any(${keys.map((values) => values[0])})`
      : sql`(${raw(names(key))}) in (select ${raw(names(key))} from ${keyArrays(kind, keys)})`;
  return sql`
    delete from ${raw(kind)}
    where company_id = ${companyId} and ${isWanted}
    returning ${raw(selected(columns))}`;
}

export function upsert<K extends Kind>(kind: K, companyId: string, rows: readonly RowToWrite<K>[]): Sql {
  const key: readonly string[] = TABLES[kind].key;
  const columns: string[] = [...TABLES[kind].columns];
  const values: unknown[][] = TABLES[kind].columns.map((column) => rows.map(({ row }) => row[column]));
  if (isListKind(kind)) {
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
  return sql`
    insert into ${raw(kind)} (company_id, ${raw(names(columns))})
    select ${companyId}, ${raw(names(columns, "given."))}
    from ${arrays(kind, "given", columns, values)}
    on conflict (company_id, ${raw(names(key))}) do update
    set ${raw(updates.join(", "))}`;
}

export function keyText(key: readonly unknown[]): string {
  return key.length === 1 ? String(key[0]) : JSON.stringify(key);
}

// Time buckets: `request_buckets` has a row for each bucket that a request touches.

const STEPS = Array.from({ length: BUCKETS_OF_ONE }, (_, step) => step).join(", ");

/** A row for each bucket of each request. With `offset 0`, the first and the last bucket are computed once for each request. */
function withBuckets(requests: Sql): Sql {
  return sql`
    select ranges.*, first + step as bucket
    from (
      select request.*, ${raw(FIRST_BUCKET)} as first, ${raw(LAST_BUCKET)} as last
      from (${requests}) as request
      offset 0
    ) as ranges, unnest(array[${raw(STEPS)}]) as step
    where first + step <= last`;
}

/** Adds the buckets of these requests, or of all. Adds them in the order of buckets, so that the rows of a page lie side by side. */
export function addToBuckets(companyId: string, keys: readonly RowKey[] | null): Sql {
  const ofCompany = sql`select * from requests where company_id = ${companyId}`;
  const requests = keys === null ? ofCompany : rowsByKeys(raw("row.*"), "requests", companyId, keys);
  return sql`
    insert into request_buckets
      (company_id, bucket, is_first, id, policy_id, status, start_at_ms, end_at_ms, doc)
    select company_id, bucket, bucket = first, id, policy_id, status, start_at_ms, end_at_ms, doc
    from (${withBuckets(requests)}) as entry
    order by bucket, id`;
}

/** Removes the buckets of these requests, which must not have changed since their buckets were added. */
export function removeFromBuckets(companyId: string, keys: readonly RowKey[]): Sql {
  const requests = rowsByKeys(raw("row.*"), "requests", companyId, keys);
  return sql`
    delete from request_buckets as stored
    using (${withBuckets(requests)}) as gone
    where stored.company_id = ${companyId} and stored.bucket = gone.bucket and stored.id = gone.id`;
}
