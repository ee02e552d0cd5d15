// The time buckets of requests that are written one batch at a time: what the table request_buckets holds of them follows the
// rows. Those of a first load are filed together (`FILE_REQUESTS_OF_COMPANY`).
import sql, { type Sql } from "sql-template-tag";
import type { Rows } from "../tables.ts";
import { bucketsOf } from "../time-buckets.ts";

/** What is held of a request, besides its id. */
export const FILED_COLUMNS = ["policyId", "status", "startAtMs", "endAtMs", "doc"] as const;

export type FiledRequest = Pick<Rows["requests"], "id" | (typeof FILED_COLUMNS)[number]>;

/** A request with what was held of it; null for a new one. */
export type Refiled = readonly [request: FiledRequest, before: FiledRequest | null];

const bucketsOfRequest = ({ startAtMs, endAtMs }: FiledRequest) => bucketsOf(startAtMs, endAtMs);

/** The statements that make the buckets follow these requests, to be run in turn. */
export function refile(companyId: string, requests: readonly Refiled[]): Sql[] {
  const changed = requests.filter(
    ([request, before]) =>
      before === null || FILED_COLUMNS.some((column) => request[column] !== before[column]),
  );
  const left = changed.flatMap(([, before]) => (before === null ? [] : [before]));
  const filed = changed.map(([request]) => request);
  const statements: Sql[] = [];
  if (left.length > 0) statements.push(unfile(companyId, left));
  if (filed.length > 0) statements.push(file(companyId, filed));
  return statements;
}

/** The statement that takes requests out of their buckets. */
export function unfile(companyId: string, requests: readonly FiledRequest[]): Sql {
  const entries = requests.flatMap((request) =>
    bucketsOfRequest(request).map((bucket) => ({ bucket, id: request.id })),
  );
  const [buckets, ids] = [entries.map(({ bucket }) => bucket), entries.map(({ id }) => id)];
  return sql`delete from request_buckets as stored using unnest(${buckets}::integer[], ${ids}::text[]) as gone(bucket, id) where stored.company_id = ${companyId} and stored.bucket = gone.bucket and stored.id = gone.id`;
}

/** In the order of the buckets: rows of one bucket lie side by side, as a page reads them. */
function file(companyId: string, requests: readonly FiledRequest[]): Sql {
  const entries = requests.flatMap((request) => {
    const buckets = bucketsOfRequest(request);
    return buckets.map((bucket) => ({ request, bucket, isFirst: bucket === buckets[0] }));
  });
  entries.sort((a, b) => a.bucket - b.bucket || (a.request.id < b.request.id ? -1 : 1));
  const places = <C extends "bucket" | "isFirst">(column: C) => entries.map((entry) => entry[column]);
  const values = <C extends keyof FiledRequest>(column: C) => entries.map(({ request }) => request[column]);
  return sql`insert into request_buckets (company_id, bucket, is_first, id, policy_id, status, start_at_ms, end_at_ms, doc) select ${companyId}, * from unnest(${places("bucket")}::integer[], ${places("isFirst")}::boolean[], ${values("id")}::text[], ${values("policyId")}::text[], ${values("status")}::text[], ${values("startAtMs")}::bigint[], ${values("endAtMs")}::bigint[], ${values("doc")}::text[])`;
}
