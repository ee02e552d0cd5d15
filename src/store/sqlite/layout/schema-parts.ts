// Pieces of the migrations' SQL: how time buckets are written and removed, and how objects became compact.
import { bucketsSql, FIRST_LONG_BUCKET } from "../../time-buckets.ts";
import { textsBetween } from "./documents.ts";

const present = bucketsSql();
const firstOfRemoved = bucketsSql("old.").first;

/** Writes the time buckets of all requests of a table, in the order of their key. `doc`: what they have of its object, in SQL. */
function insertSpans(table: string, doc: string | null): string {
  const [column, value] = doc === null ? ["", ""] : [", doc", `, ${doc}`];
  return `
  insert into request_spans (company_id, span, id, policy_id, status, start_at_ms, end_at_ms${column})
    select company_id, first + step, id, policy_id, status, start_at_ms, end_at_ms${value}
    from (select *, ${present.first} as first, ${present.last} as last from ${table})
      cross join (select 0 as step union all select 1 union all select 2)
    where first + step <= last order by 1, 2, 3;`;
}

/** The object is in the first week of a request, or in every longer bucket: there are few of those. */
export const INSERT_REQUEST_SPANS = (table: string) =>
  insertSpans(table, `iif(step = 0 or first >= ${FIRST_LONG_BUCKET}, doc, null)`);

/** Before time buckets had objects. */
export const INSERT_BARE_SPANS = (table: string) => insertSpans(table, null);

export const DELETE_SPANS_WITH_REQUEST = `create trigger requests_removed after delete on requests begin
    delete from request_spans where company_id = old.company_id and id = old.id
      and span in (${firstOfRemoved}, ${firstOfRemoved} + 1, ${firstOfRemoved} + 2);
  end;`;

/**
 * Writes the time buckets of the requests that exist. Code that adds a request writes its buckets itself (see
 * `RowWriter.file`), because a trigger would double the cost of a row. A trigger deletes them with the row.
 */
export const REQUEST_SPANS_SQL = `
  create table request_spans (
    company_id text not null,
    span integer not null,
    id text not null,
    policy_id text not null,
    status text not null,
    start_at_ms integer not null,
    end_at_ms integer not null,
    primary key (company_id, span, id)
  ) strict, without rowid;
  ${INSERT_BARE_SPANS("requests")}
  create index request_spans_policy on request_spans (company_id, status, policy_id, span, id, start_at_ms, end_at_ms);

  ${DELETE_SPANS_WITH_REQUEST}
`;

/** The object of a row of `old`, compacted if it has this form. */
export function compactedDoc(kind: "assignments" | "requests"): string {
  const between = textsBetween(kind);
  const [first, last] = [between[0]!, between.at(-1)!];
  const form = `'{"id":"' || old.id || '${between.slice(0, -1).join("*")}*${last}'`;
  const before = `(length('{"id":"${first}') + length(old.id))`;
  const values = `substr(old.doc, ${before} + 1, length(old.doc) - ${before} - ${last.length})`;
  const compact = between
    .slice(1, -1)
    .reduce((text, key, index) => `replace(${text}, '${key}', char(${index + 2}))`, values);
  return `case when old.doc glob ${form} then char(1) || ${compact} else old.doc end`;
}
