// The time buckets of requests that are written one batch at a time: what the table request_buckets holds of them follows the
// rows. Those of a first load are filed together (`FILE_REQUESTS_OF_COMPANY`).
import sql, { type Sql } from "sql-template-tag";
import type { Rows } from "../tables.ts";
import { bucketsOf } from "../time-buckets.ts";

/** What is held of a request, besides its id. */
export const FILED_COLUMNS = ["policyId", "status", "startAtMs", "endAtMs"] as const;

export type FiledRequest = Pick<Rows["requests"], "id" | (typeof FILED_COLUMNS)[number]>;

/** A request with what was held of it; null for a new one. */
export type Refiled = readonly [request: FiledRequest, before: FiledRequest | null];

const bucketsOfRequest = ({ startAtMs, endAtMs }: FiledRequest) => bucketsOf(startAtMs, endAtMs);

/** The statements that make the buckets follow these requests. */
export function refile(companyId: string, requests: readonly Refiled[]): Sql[] {
  const changed = requests.filter(
    ([request, before]) =>
      before === null || FILED_COLUMNS.some((column) => request[column] !== before[column]),
  );
  const left = changed.flatMap(([request, before]) => {
    if (before === null) return [];
    const buckets = bucketsOfRequest(request);
    return bucketsOfRequest(before).flatMap((bucket) =>
      buckets.includes(bucket) ? [] : [{ bucket, id: request.id }],
    );
  });
  const statements: Sql[] = [];
  if (left.length > 0) statements.push(leave(companyId, left));
  if (changed.length > 0)
    statements.push(
      enter(
        companyId,
        changed.map(([request]) => request),
      ),
    );
  return statements;
}

/** The statement that takes removed requests out of their buckets. */
export function unfile(companyId: string, requests: readonly FiledRequest[]): Sql {
  return leave(
    companyId,
    requests.flatMap((request) => bucketsOfRequest(request).map((bucket) => ({ bucket, id: request.id }))),
  );
}

function leave(companyId: string, entries: readonly { readonly bucket: number; readonly id: string }[]): Sql {
  const [buckets, ids] = [entries.map(({ bucket }) => bucket), entries.map(({ id }) => id)];
  return sql`delete from request_buckets as stored using unnest(${buckets}::integer[], ${ids}::text[]) as gone(bucket, id) where stored.company_id = ${companyId} and stored.bucket = gone.bucket and stored.id = gone.id`;
}

function enter(companyId: string, requests: readonly FiledRequest[]): Sql {
  const entries = requests.flatMap((request) => {
    const buckets = bucketsOfRequest(request);
    return buckets.map((bucket) => ({ ...request, bucket, isFirst: bucket === buckets[0] }));
  });
  const values = <C extends keyof (typeof entries)[number]>(column: C) =>
    entries.map((entry) => entry[column]);
  return sql`insert into request_buckets (company_id, bucket, is_first, id, policy_id, status, start_at_ms, end_at_ms) select ${companyId}, * from unnest(${values("bucket")}::integer[], ${values("isFirst")}::boolean[], ${values("id")}::text[], ${values("policyId")}::text[], ${values("status")}::text[], ${values("startAtMs")}::bigint[], ${values("endAtMs")}::bigint[]) on conflict (company_id, bucket, id) do update set is_first = excluded.is_first, policy_id = excluded.policy_id, status = excluded.status, start_at_ms = excluded.start_at_ms, end_at_ms = excluded.end_at_ms`;
}
