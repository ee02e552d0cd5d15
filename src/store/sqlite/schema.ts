// The embedded store's tables. Every key begins with the company and holds its rows in list order, so a page is one
// range of one tree; an index holds what its queries need, so that they do not read the table.
import type { Database } from "bun:sqlite";
import {
  compactedDoc,
  DELETE_SPANS_WITH_REQUEST,
  INSERT_BARE_SPANS,
  INSERT_REQUEST_SPANS,
  REQUEST_SPANS_SQL,
  requestsToBytes,
  requestsWithoutPolicies,
} from "./layout/schema-parts.ts";
import { fillWorkerFacts } from "./layout/worker-facts.ts";

/** Requests with numbers for company, worker and policy. `doc`: the type of their objects. */
const requestsTable = (doc: "text" | "blob") => `create table requests (
    company_id integer not null,
    id text not null,
    legacy_id text,
    worker_id integer not null,
    policy_id integer not null,
    status integer not null,
    start_at_ms integer not null,
    end_at_ms integer not null,
    first_day integer not null,
    last_day integer not null,
    minutes real not null,
    time_zone text,
    doc ${doc} not null,
    terms text,
    seq integer,
    digest integer,
    primary key (company_id, id)
  ) strict, without rowid;`;

/** `more`: further columns of the index by worker. */
const requestsIndexes = (
  more: string,
) => `create unique index requests_legacy_id on requests (company_id, legacy_id) where legacy_id > '';
  create index requests_worker on requests (company_id, worker_id, id, policy_id, status, first_day, last_day, minutes${more});
  create index requests_terms on requests (company_id, worker_id) where terms is not null;
  create index requests_seq on requests (company_id, seq, id) where seq is not null;`;

/** Requests whose objects are bytes. */
const REQUESTS_TABLE = requestsTable("blob");

/** The index by worker has the objects, too. */
const REQUESTS_INDEXES = requestsIndexes(", doc");

/** Each entry brings a store from the version before it to its own (its place in the list, from 1). Never edited. */
export const MIGRATIONS: readonly string[] = [
  `
  create table companies (
    id text primary key,
    name text not null,
    version text not null,
    created_at_ms integer not null
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
    doc text not null,
    primary key (company_id, id)
  ) strict, without rowid;
  create unique index workers_legacy_id on workers (company_id, legacy_id) where legacy_id is not null;
  create index workers_email on workers (company_id, work_email_folded) where work_email_folded is not null;
  create index workers_status on workers (company_id, status);

  create table policies (
    company_id text not null,
    id text not null,
    legacy_id text,
    terms text not null,
    doc text not null,
    primary key (company_id, id)
  ) strict, without rowid;
  create unique index policies_legacy_id on policies (company_id, legacy_id) where legacy_id is not null;

  create table assignments (
    company_id text not null,
    worker_id text not null,
    policy_id text not null,
    id text not null,
    assigned_day integer not null,
    ends_day integer,
    doc text not null,
    primary key (company_id, worker_id, policy_id)
  ) strict, without rowid;
  create index assignments_id on assignments (company_id, id, doc);
  create index assignments_policy on assignments (company_id, policy_id, id);

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
    doc text not null,
    primary key (company_id, id)
  ) strict, without rowid;
  create unique index requests_legacy_id on requests (company_id, legacy_id) where legacy_id is not null;
  create index requests_worker on requests (company_id, worker_id, id, policy_id, status, first_day, last_day, minutes);
  create index requests_policy on requests (company_id, policy_id, status, start_at_ms, end_at_ms);
  create index requests_start on requests (company_id, start_at_ms, end_at_ms);

  create table adjustments (
    company_id text not null,
    id text not null,
    legacy_id text,
    worker_id text not null,
    policy_id text not null,
    day integer not null,
    minutes real not null,
    note text,
    primary key (company_id, id)
  ) strict, without rowid;
  create unique index adjustments_legacy_id on adjustments (company_id, legacy_id) where legacy_id is not null;
  create index adjustments_worker on adjustments (company_id, worker_id, policy_id, day, minutes);

  create table work_hours (
    company_id text not null,
    worker_id text not null,
    day integer not null,
    minutes real not null,
    primary key (company_id, worker_id, day)
  ) strict, without rowid;
  `,
  `
  drop index requests_policy;
  drop index requests_start;
  ${REQUEST_SPANS_SQL}
  drop index workers_status;
  create index workers_status on workers (company_id, status, type);
  create index assignments_policy_worker on assignments (company_id, policy_id, worker_id);
  `,
  `
  alter table workers add column terms text;
  alter table assignments add column terms text;
  alter table requests add column terms text;
  create index requests_terms on requests (company_id, worker_id) where terms is not null;
  `,
  `
  alter table companies add column time_zone text;
  alter table companies add column data_as_of_ms integer;
  alter table companies add column changed_at_ms integer;

  alter table workers add column department text;
  alter table workers add column location text;
  alter table workers add column manager_id text;
  create index workers_manager on workers (company_id, manager_id) where manager_id is not null;
  create index workers_department on workers (company_id, department) where department is not null;
  create index workers_location on workers (company_id, location) where location is not null;

  update workers set doc = substr(doc, 1, length(doc) - 1) || ',"legacyId":' || json_quote(legacy_id)
    || ',"department":null,"location":null,"managerId":null}';
  update policies set doc = substr(doc, 1, length(doc) - 1) || ',"legacyId":' || json_quote(legacy_id) || '}';
  update requests set doc = substr(doc, 1, length(doc) - 1) || ',"legacyId":' || json_quote(legacy_id) || '}';
  `,
  `
  alter table companies add column last_import text;
  alter table companies add column last_failure text;
  `,
  `
  alter table companies add column seq integer not null default 0;
  alter table companies add column forgotten_removals text not null default '{}';
  alter table workers add column seq integer;
  alter table policies add column seq integer;
  alter table assignments add column seq integer;
  alter table requests add column seq integer;
  create index workers_seq on workers (company_id, seq, id) where seq is not null;
  create index policies_seq on policies (company_id, seq, id) where seq is not null;
  create index assignments_seq on assignments (company_id, seq, id) where seq is not null;
  create index requests_seq on requests (company_id, seq, id) where seq is not null;

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

  update companies set seq = 1 where exists (select 1 from workers where company_id = companies.id)
    or exists (select 1 from policies where company_id = companies.id);
  insert into imports select id, seq, lower(hex(randomblob(8))), changed_at_ms from companies;
  `,
  `
  alter table companies add column calendar_sequence integer not null default 0;
  `,
  `
  alter table companies add column digest_key text;
  alter table assignments add column digest integer;
  alter table requests add column digest integer;
  alter table adjustments add column digest integer;
  alter table work_hours add column digest integer;
  `,
  // A row's company is a number from now on, and so are the worker and the policy of what is not on the wire with their ids:
  // see layout/. The tables are made anew, in the order of their keys.
  `
  create table numbers (
    number integer primary key autoincrement,
    company_id integer not null,
    id text not null,
    unique (company_id, id)
  ) strict;
  insert into numbers (company_id, id) select 0, id from companies order by id;
  ${[
    ["workers", "id"],
    ["policies", "id"],
    ["requests", "worker_id"],
    ["requests", "policy_id"],
    ["adjustments", "worker_id"],
    ["adjustments", "policy_id"],
    ["work_hours", "worker_id"],
  ]
    .map(
      ([
        table,
        column,
      ]) => `insert or ignore into numbers (company_id, id) select distinct n.number, r.${column}
    from ${table} r join numbers n on n.company_id = 0 and n.id = r.company_id order by 1, 2;`,
    )
    .join("\n  ")}

  drop trigger requests_removed;
  ${["workers", "policies", "assignments", "requests", "request_spans", "adjustments", "work_hours"]
    .map((table) => `alter table ${table} rename to old_${table};`)
    .join("\n  ")}

  create table workers (
    company_id integer not null,
    id text not null,
    legacy_id text,
    status text not null,
    type text not null,
    work_email_folded text,
    start_day integer not null,
    end_day integer,
    time_zone text,
    doc text not null,
    terms text,
    department text,
    location text,
    manager_id text,
    seq integer,
    primary key (company_id, id)
  ) strict, without rowid;
  insert into workers select number, old.id, legacy_id, status, type, work_email_folded, start_day, end_day, time_zone, doc, terms,
    department, location, manager_id, seq
    from old_workers old join numbers n on n.company_id = 0 and n.id = old.company_id order by 1, 2;
  drop table old_workers;
  create unique index workers_legacy_id on workers (company_id, legacy_id) where legacy_id is not null;
  create index workers_email on workers (company_id, work_email_folded) where work_email_folded is not null;
  create index workers_status on workers (company_id, status, type);
  create index workers_manager on workers (company_id, manager_id) where manager_id is not null;
  create index workers_department on workers (company_id, department) where department is not null;
  create index workers_location on workers (company_id, location) where location is not null;
  create index workers_seq on workers (company_id, seq, id) where seq is not null;

  create table policies (
    company_id integer not null,
    id text not null,
    legacy_id text,
    terms text not null,
    doc text not null,
    seq integer,
    primary key (company_id, id)
  ) strict, without rowid;
  insert into policies select number, old.id, legacy_id, terms, doc, seq
    from old_policies old join numbers n on n.company_id = 0 and n.id = old.company_id order by 1, 2;
  drop table old_policies;
  create unique index policies_legacy_id on policies (company_id, legacy_id) where legacy_id is not null;
  create index policies_seq on policies (company_id, seq, id) where seq is not null;

  create table assignments (
    company_id integer not null,
    id text not null,
    worker_id text not null,
    policy_id text not null,
    assigned_day integer not null,
    ends_day integer,
    terms text,
    doc text not null,
    seq integer,
    digest integer,
    primary key (company_id, id)
  ) strict, without rowid;
  insert into assignments select number, old.id, worker_id, policy_id, assigned_day, ends_day, terms, ${compactedDoc("assignments")}, seq, digest
    from old_assignments old join numbers n on n.company_id = 0 and n.id = old.company_id order by 1, 2;
  drop table old_assignments;
  create unique index assignments_pair on assignments (company_id, worker_id, policy_id);
  create index assignments_policy on assignments (company_id, policy_id, id);
  create index assignments_policy_worker on assignments (company_id, policy_id, worker_id);
  create index assignments_seq on assignments (company_id, seq, id) where seq is not null;

  ${requestsTable("text")}
  insert into requests select c.number, old.id, legacy_id, w.number, p.number, case old.status when 'pending' then 0 when 'approved' then 1 else 2 end, start_at_ms, end_at_ms, first_day,
    last_day, minutes, time_zone, ${compactedDoc("requests")}, terms, seq, digest
    from old_requests old join numbers c on c.company_id = 0 and c.id = old.company_id
      join numbers w on w.company_id = c.number and w.id = old.worker_id
      join numbers p on p.company_id = c.number and p.id = old.policy_id order by 1, 2;
  drop table old_requests;
  ${requestsIndexes("")}

  create table request_spans (
    company_id integer not null,
    span integer not null,
    id text not null,
    policy_id integer not null,
    status integer not null,
    start_at_ms integer not null,
    end_at_ms integer not null,
    primary key (company_id, span, id)
  ) strict, without rowid;
  drop table old_request_spans;
  ${INSERT_BARE_SPANS("requests")}
  create index request_spans_policy on request_spans (company_id, status, policy_id, span, id, start_at_ms, end_at_ms);
  ${DELETE_SPANS_WITH_REQUEST}

  create table adjustments (
    company_id integer not null,
    id text not null,
    legacy_id text,
    worker_id integer not null,
    policy_id integer not null,
    day integer not null,
    minutes real not null,
    note text,
    digest integer,
    primary key (company_id, id)
  ) strict, without rowid;
  insert into adjustments select c.number, old.id, legacy_id, w.number, p.number, day, minutes, note, digest
    from old_adjustments old join numbers c on c.company_id = 0 and c.id = old.company_id
      join numbers w on w.company_id = c.number and w.id = old.worker_id
      join numbers p on p.company_id = c.number and p.id = old.policy_id order by 1, 2;
  drop table old_adjustments;
  create unique index adjustments_legacy_id on adjustments (company_id, legacy_id) where legacy_id is not null;
  create index adjustments_worker on adjustments (company_id, worker_id, policy_id, day, minutes);

  create table work_hours (
    company_id integer not null,
    worker_id integer not null,
    day integer not null,
    minutes real not null,
    digest integer,
    primary key (company_id, worker_id, day)
  ) strict, without rowid;
  insert into work_hours select c.number, w.number, day, minutes, digest
    from old_work_hours old join numbers c on c.company_id = 0 and c.id = old.company_id
      join numbers w on w.company_id = c.number and w.id = old.worker_id order by 1, 2, 3;
  drop table old_work_hours;
  `,
  // A page of balances reads its assignments from this index alone. Code keeps pairs unique: see `RowWriter.add`.
  `
  drop index assignments_pair;
  create index assignments_pair on assignments (company_id, worker_id, policy_id, assigned_day, ends_day, terms);
  `,
  // Objects of requests are bytes from now on, which `CONVERSIONS` makes of them.
  `
  drop trigger requests_removed;
  alter table requests rename to old_requests;
  ${REQUESTS_TABLE}
  `,
  // The index by worker also has the objects: the requests of one worker are one range of it. They come last, because balances
  // do not read them.
  `
  drop table old_requests;
  ${REQUESTS_INDEXES}
  ${DELETE_SPANS_WITH_REQUEST}
  `,
  // Objects of requests are without their policy's id from now on, which their row names by a number: `CONVERSIONS` leaves it out.
  `
  drop trigger requests_removed;
  drop table request_spans;
  alter table requests rename to old_requests;
  ${REQUESTS_TABLE}
  `,
  // Time buckets have the objects, too, so a page of some weeks is a few ranges of one tree: the first week of a request has its object,
  // and every longer bucket. It is null in the other weeks.
  `
  drop table old_requests;
  ${REQUESTS_INDEXES}

  create table request_spans (
    company_id integer not null,
    span integer not null,
    id text not null,
    policy_id integer not null,
    status integer not null,
    start_at_ms integer not null,
    end_at_ms integer not null,
    doc blob,
    primary key (company_id, span, id)
  ) strict, without rowid;
  ${INSERT_REQUEST_SPANS("requests")}
  create index request_spans_policy on request_spans
    (company_id, status, policy_id, span, id, start_at_ms, end_at_ms, doc);
  ${DELETE_SPANS_WITH_REQUEST}
  `,
  // What balances are computed from, a row for each worker with an assignment: a page of balances is one range of it. The rows are made
  // of the other tables, by `CONVERSIONS` here, and by every import. So the index of assignments no longer needs days and terms.
  `
  create table worker_facts (
    company_id integer not null,
    worker_id text not null,
    legacy_id text,
    facts blob not null,
    primary key (company_id, worker_id)
  ) strict, without rowid;
  drop index assignments_pair;
  create index assignments_pair on assignments (company_id, worker_id, policy_id);
  `,
  `
  drop table changes;
  create table changes (
    company_id text not null,
    resource text not null,
    id text not null,
    seq integer not null,
    is_gone integer not null,
    primary key (company_id, resource, id)
  ) strict, without rowid;
  create index changes_seq on changes (company_id, is_gone, resource, seq, id);
  `,
];

/**
 * What code does of a migration, by the version whose statements ran just before. `fillWorkerFacts` reads the tables of today: if a later
 * version changes what it reads, it runs after that one.
 */
export const CONVERSIONS: ReadonlyMap<number, (database: Database) => void> = new Map([
  [11, requestsToBytes],
  [13, requestsWithoutPolicies],
  [15, fillWorkerFacts],
]);

/** The tables of the keys' file, which also holds calendar feeds. Its writes never wait for an import, which locks only the store's file. */
export const KEYS_MIGRATIONS: readonly string[] = [
  `
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
  `,
  `
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
  `,
];
