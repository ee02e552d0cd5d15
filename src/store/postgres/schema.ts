// PostgreSQL's tables: those of the embedded store, column by column. Every key leads with the company, so the data
// can be spread by company; ids compare byte by byte whatever the database's own collation.
import { BUCKETS_OF_ONE, bucketsSql } from "../time-buckets.ts";

/** Some engines that speak PostgreSQL's protocol divide whole numbers into fractions. */
const { first, last } = bucketsSql("", (quotient) => `trunc(${quotient})::bigint`);

const FILED = ["id", "policy_id", "status", "start_at_ms", "end_at_ms"];

/** Files requests of a table under the time buckets that they touch, in the order of the table that holds them. */
function fileRequests(
  into: string,
  filed: readonly string[],
  condition = "",
  each = "generate_series(first, last) as bucket",
  order = "company_id, bucket, id",
): string {
  const buckets = `select company_id, ${filed.join(", ")}, (${first})::integer as first, (${last})::integer as last from requests${condition}`;
  return `insert into ${into} (company_id, bucket, is_first, ${filed.join(", ")}) select company_id, bucket, bucket = first, ${filed.join(", ")} from (${buckets}) as request, lateral ${each} order by ${order}`;
}

const FILED_WITH_DOC = [...FILED, "doc"];

/**
 * PostgreSQL expects 1,000 numbers of `generate_series`. Then it would expect so many rows that it compiles the statement first, which
 * takes longer than it saves.
 */
const EACH_BUCKET = `(${Array.from({ length: BUCKETS_OF_ONE }, (_, step) => `select first + ${step} where first + ${step} <= last`).join(" union all ")}) as filed (bucket)`;

/**
 * The same, of one company, whose id need not be compared to sort. `offset 0`: the first and the last bucket are computed once for each
 * request.
 */
export const FILE_REQUESTS_OF_COMPANY = fileRequests(
  "request_buckets",
  FILED_WITH_DOC,
  " where company_id = $1 offset 0",
  EACH_BUCKET,
  "bucket, id",
);

/** Version 2 had an index for each bucket that a request may touch. */
const SPAN_INDEXES = Array.from({ length: BUCKETS_OF_ONE }, (_, step) => {
  const bucket = `(${first} + ${step})`;
  const where = step === 0 ? "" : ` where ${first} + ${step} <= ${last}`;
  return [
    `create index requests_span_${step + 1} on requests (company_id, ${bucket}, id) include (policy_id, status, start_at_ms, end_at_ms)${where}`,
    `create index requests_policy_span_${step + 1} on requests (company_id, policy_id, status, ${bucket}, id) include (start_at_ms, end_at_ms)${where}`,
  ];
}).flat();

/** Each entry brings a store from the version before it to its own (its place in the list, from 1). Never edited. */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `create table companies (
      id text collate "C" not null primary key,
      name text not null,
      version text not null,
      created_at_ms bigint not null
    )`,
    `create table workers (
      company_id text collate "C" not null,
      id text collate "C" not null,
      legacy_id text collate "C",
      status text collate "C" not null,
      type text collate "C" not null,
      work_email_folded text collate "C",
      start_day integer not null,
      end_day integer,
      time_zone text,
      doc text not null,
      primary key (company_id, id)
    )`,
    `create unique index workers_legacy_id on workers (company_id, legacy_id) where legacy_id is not null`,
    `create index workers_email on workers (company_id, work_email_folded, id) where work_email_folded is not null`,
    `create index workers_status on workers (company_id, status, id)`,
    `create table policies (
      company_id text collate "C" not null,
      id text collate "C" not null,
      legacy_id text collate "C",
      terms text not null,
      doc text not null,
      primary key (company_id, id)
    )`,
    `create unique index policies_legacy_id on policies (company_id, legacy_id) where legacy_id is not null`,
    `create table assignments (
      company_id text collate "C" not null,
      worker_id text collate "C" not null,
      policy_id text collate "C" not null,
      id text collate "C" not null,
      assigned_day integer not null,
      ends_day integer,
      doc text not null,
      primary key (company_id, worker_id, policy_id)
    )`,
    `create index assignments_id on assignments (company_id, id)`,
    `create index assignments_policy on assignments (company_id, policy_id, id)`,
    `create table requests (
      company_id text collate "C" not null,
      id text collate "C" not null,
      legacy_id text collate "C",
      worker_id text collate "C" not null,
      policy_id text collate "C" not null,
      status text collate "C" not null,
      start_at_ms bigint not null,
      end_at_ms bigint not null,
      first_day integer not null,
      last_day integer not null,
      minutes double precision not null,
      time_zone text,
      doc text not null,
      primary key (company_id, id)
    )`,
    `create unique index requests_legacy_id on requests (company_id, legacy_id) where legacy_id is not null`,
    `create index requests_worker on requests (company_id, worker_id, id)
      include (policy_id, status, first_day, last_day, minutes)`,
    `create index requests_policy on requests (company_id, policy_id, status, start_at_ms, end_at_ms, id)`,
    `create index requests_start on requests (company_id, start_at_ms, end_at_ms, id)`,
    `create index requests_end on requests (company_id, end_at_ms, start_at_ms, id)`,
    `create table adjustments (
      company_id text collate "C" not null,
      id text collate "C" not null,
      legacy_id text collate "C",
      worker_id text collate "C" not null,
      policy_id text collate "C" not null,
      day integer not null,
      minutes double precision not null,
      note text,
      primary key (company_id, id)
    )`,
    `create unique index adjustments_legacy_id on adjustments (company_id, legacy_id) where legacy_id is not null`,
    `create index adjustments_worker on adjustments (company_id, worker_id, policy_id, day, minutes)`,
    `create index adjustments_policy on adjustments (company_id, policy_id)`,
    `create table work_hours (
      company_id text collate "C" not null,
      worker_id text collate "C" not null,
      day integer not null,
      minutes double precision not null,
      primary key (company_id, worker_id, day)
    )`,
    // Found by digest before the company is known, so this one cannot lead with the company.
    `create table keys (
      id text collate "C" not null primary key,
      company_id text collate "C" not null,
      name text not null,
      digest text collate "C" not null unique,
      scopes text not null,
      created_at_ms bigint not null,
      expires_at_ms bigint,
      revoked_at_ms bigint,
      last_used_at_ms bigint
    )`,
    `create index keys_company on keys (company_id)`,
  ],
  [
    `drop index requests_policy`,
    `drop index requests_start`,
    `drop index requests_end`,
    ...SPAN_INDEXES,
    // Expressions have figures of their own.
    `analyze requests`,
  ],
  [
    `alter table workers add column terms text`,
    `alter table assignments add column terms text`,
    `alter table requests add column terms text`,
    `create index requests_terms on requests (company_id, worker_id) where terms is not null`,
  ],
  [
    `alter table companies add column time_zone text`,
    `alter table companies add column data_as_of_ms bigint`,
    `alter table companies add column changed_at_ms bigint`,
    `alter table workers add column department text collate "C"`,
    `alter table workers add column location text collate "C"`,
    `alter table workers add column manager_id text collate "C"`,
    `create index workers_manager on workers (company_id, manager_id, id) where manager_id is not null`,
    `create index workers_department on workers (company_id, department, id) where department is not null`,
    `create index workers_location on workers (company_id, location, id) where location is not null`,
    `update workers set doc = left(doc, -1) || ',"legacyId":' || coalesce(to_json(legacy_id)::text, 'null') || ',"department":null,"location":null,"managerId":null}'`,
    ...["policies", "requests"].map(
      (table) =>
        `update ${table} set doc = left(doc, -1) || ',"legacyId":' || coalesce(to_json(legacy_id)::text, 'null') || '}'`,
    ),
  ],
  [`alter table companies add column last_import text`, `alter table companies add column last_failure text`],
  [
    `alter table companies add column seq bigint not null default 0`,
    `alter table companies add column forgotten_removals text not null default '{}'`,
    ...["workers", "policies", "assignments", "requests"].flatMap((table) => [
      `alter table ${table} add column seq bigint`,
      `create index ${table}_seq on ${table} (company_id, seq, id) where seq is not null`,
    ]),
    `create table imports (
      company_id text collate "C" not null,
      seq bigint not null,
      mark text not null,
      ended_at_ms bigint,
      primary key (company_id, seq)
    )`,
    `create table changes (
      company_id text collate "C" not null,
      resource integer not null,
      id text collate "C" not null,
      seq bigint not null,
      rank integer not null,
      primary key (company_id, resource, id)
    )`,
    `create index changes_seq on changes (company_id, seq, rank, id)`,
    `create index changes_gone on changes (company_id, seq) where rank >= 5`,
    `update companies set seq = 1 where exists (select 1 from workers where company_id = companies.id)
      or exists (select 1 from policies where company_id = companies.id)`,
    `insert into imports select id, seq, left(md5(random()::text || clock_timestamp()::text || id), 16), changed_at_ms from companies`,
  ],
  [
    `alter table companies add column calendar_sequence integer not null default 0`,
    // Found by digest before the company is known, as keys are.
    `create table feeds (
      id text collate "C" not null primary key,
      company_id text collate "C" not null,
      name text not null,
      digest text collate "C" not null unique,
      definition text not null,
      created_at_ms bigint not null,
      expires_at_ms bigint,
      revoked_at_ms bigint,
      last_used_at_ms bigint
    )`,
    `create index feeds_company on feeds (company_id)`,
  ],
  [
    `alter table companies add column digest_key text`,
    ...["assignments", "requests", "adjustments", "work_hours"].map(
      (table) => `alter table ${table} add column digest bigint`,
    ),
  ],
  // No statement compares these. Every ANALYZE would sort and store samples of them, which is half of its time.
  [
    ["workers", "terms", "doc"],
    ["assignments", "terms", "doc", "digest"],
    ["requests", "first_day", "last_day", "minutes", "doc", "digest"],
    ["adjustments", "minutes", "note", "digest"],
    ["work_hours", "minutes", "digest"],
  ].map(
    ([table, ...columns]) =>
      `alter table ${table} ${columns.map((column) => `alter column ${column} set statistics 0`).join(", ")}`,
  ),
  [
    // A request has a row for each time bucket that it touches: `is_first` where it is the first. What filters compare is in the
    // indexes, but for a status without a policy.
    `create table request_buckets (
      company_id text collate "C" not null,
      bucket integer not null,
      is_first boolean not null,
      id text collate "C" not null,
      policy_id text collate "C" not null,
      status text collate "C" not null,
      start_at_ms bigint not null,
      end_at_ms bigint not null
    )`,
    fileRequests("request_buckets", FILED),
    `alter table request_buckets alter column start_at_ms set statistics 0, alter column end_at_ms set statistics 0`,
    `create unique index request_buckets_time on request_buckets (company_id, bucket, id)
      include (start_at_ms, end_at_ms, is_first)`,
    `create index request_buckets_policy on request_buckets (company_id, policy_id, status, bucket, id)
      include (start_at_ms, end_at_ms, is_first)`,
    `analyze request_buckets`,
    // Last, because nobody may read requests until this is committed.
    ...[1, 2, 3].flatMap((step) => [
      `drop index requests_span_${step}`,
      `drop index requests_policy_span_${step}`,
    ]),
  ],
  [
    // The rows of time buckets have the wire objects, so that a page of who is away reads them alone. Times are in the keys of the
    // indexes: of what does not fit, no row is read.
    `create table request_buckets_made (
      company_id text collate "C" not null,
      bucket integer not null,
      is_first boolean not null,
      id text collate "C" not null,
      policy_id text collate "C" not null,
      status text collate "C" not null,
      start_at_ms bigint not null,
      end_at_ms bigint not null,
      doc text not null
    )`,
    fileRequests("request_buckets_made", FILED_WITH_DOC),
    `alter table request_buckets_made ${["start_at_ms", "end_at_ms", "doc"].map((column) => `alter column ${column} set statistics 0`).join(", ")}`,
    `create index request_buckets_made_time on request_buckets_made (company_id, bucket, id, start_at_ms, end_at_ms)
      include (is_first)`,
    `create index request_buckets_made_policy
      on request_buckets_made (company_id, policy_id, status, bucket, id, start_at_ms, end_at_ms) include (is_first)`,
    `analyze request_buckets_made`,
    // As above: until now, requests were read by the table before.
    `drop table request_buckets`,
    `alter table request_buckets_made rename to request_buckets`,
    ...["time", "policy"].map(
      (by) => `alter index request_buckets_made_${by} rename to request_buckets_${by}`,
    ),
  ],
  [
    `drop table changes`,
    `create table changes (
      company_id text collate "C" not null,
      resource text collate "C" not null,
      id text collate "C" not null,
      seq bigint not null,
      is_gone integer not null,
      primary key (company_id, resource, id)
    )`,
    `create index changes_seq on changes (company_id, is_gone, resource, seq, id)`,
  ],
];

/** Every table that is Rollcall's, for grants. */
export const TABLE_NAMES = [
  "rollcall_schema",
  "companies",
  "workers",
  "policies",
  "assignments",
  "requests",
  "request_buckets",
  "adjustments",
  "work_hours",
  "imports",
  "changes",
  "keys",
  "feeds",
] as const;

export type TableName = (typeof TABLE_NAMES)[number];
