// PostgreSQL's tables: those of the embedded store, column by column. Every key leads with the company, so the data
// can be spread by company; ids compare byte by byte whatever the database's own collation.
import { bucketsSql } from "../time-buckets.ts";

/** What the table `rollcall_schema` has of this schema. Stores of before 1.0 have 1 to 11 there. */
export const SCHEMA_VERSION = 100;

/** Makes the tables of an empty store. */
export const SCHEMA = `
  create table companies (
    id text collate "C" not null primary key,
    name text not null,
    version text not null,
    created_at_ms bigint not null,
    time_zone text,
    data_as_of_ms bigint,
    changed_at_ms bigint,
    last_import text,
    last_failure text,
    seq bigint not null default 0,
    forgotten_removals text not null default '{}',
    calendar_sequence integer not null default 0,
    digest_key text
  );

  create table workers (
    company_id text collate "C" not null,
    id text collate "C" not null,
    legacy_id text collate "C",
    status text collate "C" not null,
    type text collate "C" not null,
    work_email_folded text collate "C",
    start_day integer not null,
    end_day integer,
    time_zone text,
    department text collate "C",
    location text collate "C",
    manager_id text collate "C",
    terms text,
    seq bigint,
    doc text not null,
    primary key (company_id, id)
  );
  create unique index workers_legacy_id on workers (company_id, legacy_id) where legacy_id is not null;
  create index workers_email on workers (company_id, work_email_folded, id) where work_email_folded is not null;
  create index workers_status on workers (company_id, status, id);
  create index workers_manager on workers (company_id, manager_id, id) where manager_id is not null;
  create index workers_department on workers (company_id, department, id) where department is not null;
  create index workers_location on workers (company_id, location, id) where location is not null;
  create index workers_seq on workers (company_id, seq, id) where seq is not null;

  create table policies (
    company_id text collate "C" not null,
    id text collate "C" not null,
    legacy_id text collate "C",
    terms text not null,
    seq bigint,
    doc text not null,
    primary key (company_id, id)
  );
  create unique index policies_legacy_id on policies (company_id, legacy_id) where legacy_id is not null;
  create index policies_seq on policies (company_id, seq, id) where seq is not null;

  create table assignments (
    company_id text collate "C" not null,
    worker_id text collate "C" not null,
    policy_id text collate "C" not null,
    id text collate "C" not null,
    assigned_day integer not null,
    ends_day integer,
    terms text,
    seq bigint,
    digest bigint,
    doc text not null,
    primary key (company_id, worker_id, policy_id)
  );
  create index assignments_id on assignments (company_id, id);
  create index assignments_policy on assignments (company_id, policy_id, id);
  create index assignments_seq on assignments (company_id, seq, id) where seq is not null;

  create table requests (
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
    terms text,
    seq bigint,
    digest bigint,
    doc text not null,
    primary key (company_id, id)
  );
  create unique index requests_legacy_id on requests (company_id, legacy_id) where legacy_id is not null;
  create index requests_worker on requests (company_id, worker_id, id)
    include (policy_id, status, first_day, last_day, minutes);
  create index requests_terms on requests (company_id, worker_id) where terms is not null;
  create index requests_seq on requests (company_id, seq, id) where seq is not null;

  -- A request has a row for each time bucket that it touches: is_first where it is the first. The rows have the wire objects, so that
  -- a page of who is away reads them alone. Times are in the keys of the indexes: of what does not fit, no row is read.
  create table request_buckets (
    company_id text collate "C" not null,
    bucket integer not null,
    is_first boolean not null,
    id text collate "C" not null,
    policy_id text collate "C" not null,
    status text collate "C" not null,
    start_at_ms bigint not null,
    end_at_ms bigint not null,
    doc text not null
  );
  create index request_buckets_time on request_buckets (company_id, bucket, id, start_at_ms, end_at_ms) include (is_first);
  create index request_buckets_policy
    on request_buckets (company_id, policy_id, status, bucket, id, start_at_ms, end_at_ms) include (is_first);

  create table adjustments (
    company_id text collate "C" not null,
    id text collate "C" not null,
    legacy_id text collate "C",
    worker_id text collate "C" not null,
    policy_id text collate "C" not null,
    day integer not null,
    minutes double precision not null,
    note text,
    digest bigint,
    primary key (company_id, id)
  );
  create unique index adjustments_legacy_id on adjustments (company_id, legacy_id) where legacy_id is not null;
  create index adjustments_worker on adjustments (company_id, worker_id, policy_id, day, minutes);
  create index adjustments_policy on adjustments (company_id, policy_id);

  create table work_hours (
    company_id text collate "C" not null,
    worker_id text collate "C" not null,
    day integer not null,
    minutes double precision not null,
    digest bigint,
    primary key (company_id, worker_id, day)
  );

  create table imports (
    company_id text collate "C" not null,
    seq bigint not null,
    mark text not null,
    ended_at_ms bigint,
    primary key (company_id, seq)
  );

  create table changes (
    company_id text collate "C" not null,
    resource integer not null,
    id text collate "C" not null,
    seq bigint not null,
    rank integer not null,
    primary key (company_id, resource, id)
  );
  create index changes_seq on changes (company_id, seq, rank, id);
  create index changes_gone on changes (company_id, seq) where rank >= 5;

  -- Keys and calendar feeds are found by digest before the company is known, so these keys cannot lead with the company.
  create table keys (
    id text collate "C" not null primary key,
    company_id text collate "C" not null,
    name text not null,
    digest text collate "C" not null unique,
    scopes text not null,
    created_at_ms bigint not null,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    last_used_at_ms bigint
  );
  create index keys_company on keys (company_id);

  create table feeds (
    id text collate "C" not null primary key,
    company_id text collate "C" not null,
    name text not null,
    digest text collate "C" not null unique,
    definition text not null,
    created_at_ms bigint not null,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    last_used_at_ms bigint
  );
  create index feeds_company on feeds (company_id);

  -- No statement compares these. To sort samples of them is half of the time of an ANALYZE.
  alter table workers alter column terms set statistics 0, alter column doc set statistics 0;
  alter table assignments alter column terms set statistics 0, alter column doc set statistics 0;
  alter table requests alter column minutes set statistics 0, alter column doc set statistics 0;
  alter table request_buckets alter column doc set statistics 0;
`;

/** Some engines that speak PostgreSQL's protocol divide whole numbers into fractions. */
const { first, last } = bucketsSql("", (quotient) => `trunc(${quotient})::bigint`);

/** In SQL, the first and the last time bucket of a row of `requests`. */
export const FIRST_BUCKET = `(${first})::integer`;
export const LAST_BUCKET = `(${last})::integer`;

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
