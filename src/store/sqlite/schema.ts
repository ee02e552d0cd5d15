// The embedded store's tables, of the only format so far. Every key begins with the company and holds its rows in list order, so a page is
// one range of one tree; those of assignments are in the order of balances. Wire objects come last in their rows: the other columns are
// read without them.

/** The tables of the store. */
export const STORE_SCHEMA = `
  create table companies (
    id text primary key,
    name text not null,
    version text not null,
    created_at_ms integer not null,
    time_zone text,
    data_as_of_ms integer,
    changed_at_ms integer,
    last_import text,
    last_failure text,
    seq integer not null default 0,
    forgotten_removals text not null default '{}',
    calendar_sequence integer not null default 0,
    digest_key text
  ) strict, without rowid;

  create table workers (
    company_id text not null,
    id text not null,
    legacy_id text,
    status text not null,
    type text not null,
    work_email_folded text,
    start_day integer not null,
    end_day integer,
    time_zone text,
    department text,
    location text,
    manager_id text,
    terms text,
    seq integer,
    doc text not null,
    primary key (company_id, id)
  ) strict, without rowid;
  create unique index workers_legacy_id on workers (company_id, legacy_id) where legacy_id is not null;
  create index workers_email on workers (company_id, work_email_folded) where work_email_folded is not null;
  create index workers_status on workers (company_id, status, type);
  create index workers_manager on workers (company_id, manager_id) where manager_id is not null;
  create index workers_department on workers (company_id, department) where department is not null;
  create index workers_location on workers (company_id, location) where location is not null;
  create index workers_seq on workers (company_id, seq, id) where seq is not null;

  create table policies (
    company_id text not null,
    id text not null,
    legacy_id text,
    terms text not null,
    seq integer,
    doc text not null,
    primary key (company_id, id)
  ) strict, without rowid;
  create unique index policies_legacy_id on policies (company_id, legacy_id) where legacy_id is not null;
  create index policies_seq on policies (company_id, seq, id) where seq is not null;

  create table assignments (
    company_id text not null,
    worker_id text not null,
    policy_id text not null,
    id text not null,
    assigned_day integer not null,
    ends_day integer,
    terms text,
    seq integer,
    digest integer,
    doc text not null,
    primary key (company_id, worker_id, policy_id)
  ) strict, without rowid;
  create unique index assignments_id on assignments (company_id, id);
  create index assignments_policy on assignments (company_id, policy_id, id);
  create index assignments_policy_worker on assignments (company_id, policy_id, worker_id);
  create index assignments_seq on assignments (company_id, seq, id) where seq is not null;

  create table requests (
    company_id text not null,
    id text not null,
    legacy_id text,
    worker_id text not null,
    policy_id text not null,
    status text not null,
    start_at_ms integer not null,
    end_at_ms integer not null,
    first_day integer not null,
    last_day integer not null,
    minutes real not null,
    time_zone text,
    terms text,
    seq integer,
    digest integer,
    doc text not null,
    primary key (company_id, id)
  ) strict, without rowid;
  create unique index requests_legacy_id on requests (company_id, legacy_id) where legacy_id is not null;
  create index requests_worker on requests
    (company_id, worker_id, id, policy_id, status, first_day, last_day, minutes, terms);
  create index requests_seq on requests (company_id, seq, id) where seq is not null;

  create table request_buckets (
    company_id text not null,
    bucket integer not null,
    id text not null,
    policy_id text not null,
    status text not null,
    start_at_ms integer not null,
    end_at_ms integer not null,
    primary key (company_id, bucket, id)
  ) strict, without rowid;
  create index request_buckets_policy on request_buckets
    (company_id, status, policy_id, bucket, id, start_at_ms, end_at_ms);

  create table adjustments (
    company_id text not null,
    id text not null,
    legacy_id text,
    worker_id text not null,
    policy_id text not null,
    day integer not null,
    minutes real not null,
    note text,
    digest integer,
    primary key (company_id, id)
  ) strict, without rowid;
  create unique index adjustments_legacy_id on adjustments (company_id, legacy_id) where legacy_id is not null;
  create index adjustments_worker on adjustments (company_id, worker_id, policy_id, day, minutes);

  create table work_hours (
    company_id text not null,
    worker_id text not null,
    day integer not null,
    minutes real not null,
    digest integer,
    primary key (company_id, worker_id, day)
  ) strict, without rowid;

  create table imports (
    company_id text not null,
    seq integer not null,
    mark text not null,
    ended_at_ms integer,
    primary key (company_id, seq)
  ) strict, without rowid;

  create table changes (
    company_id text not null,
    resource integer not null,
    id text not null,
    seq integer not null,
    rank integer not null,
    primary key (company_id, resource, id)
  ) strict, without rowid;
  create index changes_seq on changes (company_id, seq, rank, id);
  create index changes_gone on changes (company_id, seq) where rank >= 5;

  create table pending_erasures (number integer primary key autoincrement) strict;
`;

/** The tables of the keys' file, which also holds calendar feeds. Its writes never wait for an import, which locks only the store's file. */
export const KEYS_SCHEMA = `
  create table keys (
    id text primary key,
    company_id text not null,
    name text not null,
    digest text not null unique,
    scopes text not null,
    created_at_ms integer not null,
    expires_at_ms integer,
    revoked_at_ms integer,
    last_used_at_ms integer
  ) strict, without rowid;
  create index keys_company on keys (company_id);

  create table feeds (
    id text primary key,
    company_id text not null,
    name text not null,
    digest text not null unique,
    definition text not null,
    created_at_ms integer not null,
    expires_at_ms integer,
    revoked_at_ms integer,
    last_used_at_ms integer
  ) strict, without rowid;
  create index feeds_company on feeds (company_id);
`;
