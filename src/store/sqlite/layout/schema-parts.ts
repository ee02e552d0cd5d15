// Pieces of migrations: SQL for time buckets and compact objects, and conversions of rows.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { bucketsSql, FIRST_LONG_BUCKET } from "../../time-buckets.ts";
import { endsOfValues, expanded, storedDoc, textsBetween } from "./documents.ts";

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

// What migrations do with rows that SQL cannot. Like a migration, a conversion is never edited: tables and columns are those of its version.

/** Rows that are held at a time. */
const BATCH_ROWS = 1000;

/** Moves `old_requests` to `requests`, in the order of their key. Their objects were texts, and become bytes. */
export function requestsToBytes(database: Database): void {
  moveRequests(database, (id, stored) => inBytes(id, String(stored)));
}

/** Moves `old_requests` to `requests`, in the order of their key. Their objects were bytes, and lose their policy's id. */
export function requestsWithoutPolicies(database: Database): void {
  const select = database.prepare<{ id: string }, [number]>("select id from numbers where number = ?");
  const ids = new Map<number, string | null>();
  try {
    moveRequests(database, (id, stored, policy) => {
      let policyId = ids.get(policy);
      if (policyId === undefined) {
        policyId = select.get(policy)?.id ?? null;
        ids.set(policy, policyId);
      }
      const doc = expanded("requests", id, stored as Uint8Array, policyId); // since the version before
      return storedDoc("requests", doc, endsOfValues("requests", id, doc), policyId) as Uint8Array; // of requests it is
    });
  } finally {
    select.finalize();
  }
}

type Converted = (id: string, stored: SQLQueryBindings, policy: number) => Uint8Array;

function moveRequests(database: Database, converted: Converted): void {
  const columns = database.query("select name from pragma_table_info('requests')").values().flat();
  const place = columns.indexOf("doc");
  const policyPlace = columns.indexOf("policy_id");
  const names = columns.join(", ");
  const select = database.prepare(
    `select ${names} from old_requests where (company_id, id) > (?, ?) order by company_id, id limit ${BATCH_ROWS}`,
  );
  const insert = database.prepare(
    `insert into requests (${names}) values (${columns.map(() => "?").join(", ")})`,
  );
  try {
    for (let last: SQLQueryBindings[] = [0, ""]; ; ) {
      const rows = select.values(...last) as SQLQueryBindings[][]; // what columns hold
      for (const row of rows) {
        const doc = converted(String(row[1]), row[place]!, Number(row[policyPlace]));
        insert.run(...row.with(place, doc));
      }
      if (rows.length < BATCH_ROWS) return;
      last = rows[rows.length - 1]!.slice(0, 2);
    }
  } finally {
    select.finalize();
    insert.finalize();
  }
}

function inBytes(id: string, stored: string): Uint8Array {
  const doc = expanded("requests", id, stored);
  return storedDoc("requests", doc, endsOfValues("requests", id, doc)) as Uint8Array; // of requests it is
}
