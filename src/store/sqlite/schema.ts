// The embedded store's tables, in the only format so far. Every key begins with the company and orders rows as lists do, so a page is
// one range of one tree. Assignments are in the order of balances.

import { changedColumns, rememberSql } from "../history.ts";
import { eventsSql, hooksSql } from "../hooks.ts";
import { closesSql, type Dialect, historySql, KINDS, type Kind, statesSql, tableSql } from "../tables.ts";

const SQLITE: Dialect = {
  types: { text: "text", integer: "integer", bigint: "integer", "double precision": "real" },
  tableOptions: " strict, without rowid",
  covering: (columns) => `${columns.map((column) => `, ${column}`).join("")})`,
};

function historyTriggers(kind: Kind): string {
  const { columns, differ } = changedColumns(kind, "is not");
  const trigger = (change: "insert" | "update" | "delete", when: string) =>
    `create trigger ${kind}_${change} after ${when} begin ${rememberSql(kind, change)} end;`;
  return [
    // The condition is all that a first import, which adds most rows, pays for.
    trigger(
      "insert",
      `insert on ${kind} when (select revision from companies where id = new.company_id) > 0`,
    ),
    trigger("update", `update of ${columns} on ${kind} when ${differ}`),
    trigger("delete", `delete on ${kind}`),
  ].join("\n");
}

/** The tables of the store. */
export const STORE_SCHEMA = `
  create table companies (
    id text primary key,
    name text not null,
    version text not null,
    created_at_ms integer not null,
    time_zone text,
    colors text,
    data_as_of_ms integer,
    changed_at_ms integer,
    seq integer not null default 0,
    forgotten_removals text not null default '{}',
    calendar_sequence integer not null default 0,
    digest_key text,
    history text,
    retention text,
    revision integer not null default 0
  ) strict, without rowid;

${KINDS.map((kind) => tableSql(kind, SQLITE)).join("\n")}

${statesSql(SQLITE)}

${closesSql(SQLITE)}

${KINDS.map((kind) => `${historySql(kind, SQLITE)}\n${historyTriggers(kind)}`).join("\n")}

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

  create table change_marks (
    company_id text not null,
    seq integer not null,
    mark text not null,
    ended_at_ms integer,
    primary key (company_id, seq)
  ) strict, without rowid;

  create table import_records (
    company_id text not null,
    has_failed integer not null,
    number integer not null,
    record text not null,
    primary key (company_id, has_failed, number)
  ) strict, without rowid;

  create table changes (
    company_id text not null,
    resource text not null,
    id text not null,
    seq integer not null,
    is_gone integer not null,
    primary key (company_id, resource, id)
  ) strict, without rowid;
  create index changes_seq on changes (company_id, is_gone, resource, seq, id);

${eventsSql(SQLITE)}

  create table pending_erasures (number integer primary key autoincrement) strict;
`;

/** The tables of the keys' file, which also holds calendar feeds and hooks. An import locks only the store's file, so writes here never wait. */
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

${hooksSql(SQLITE)}
`;
