// The embedded store's tables. Every key begins with the company and orders rows as lists do, so a page is one range of one tree.
import { changedColumns, rememberSql } from "../history.ts";
import { eventsSql, hooksSql } from "../hooks.ts";
import {
  closesSql,
  companiesSql,
  type Dialect,
  historySql,
  KINDS,
  type Kind,
  secretsSql,
  statesSql,
  tableSql,
} from "../tables.ts";

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
    // A first import adds most rows. For each of them, only this condition is evaluated.
    trigger(
      "insert",
      `insert on ${kind} when (select revision from companies where id = new.company_id) > 0`,
    ),
    trigger("update", `update of ${columns} on ${kind} when ${differ}`),
    trigger("delete", `delete on ${kind}`),
  ].join("\n");
}

export const STORE_SCHEMA = `
${companiesSql(SQLITE)}

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

${eventsSql(SQLITE)}

  create table pending_erasures (number integer primary key autoincrement) strict;
`;

/** The tables of the keys' file, which also holds calendar feeds and hooks. An import locks only the store's file, so writes here never wait. */
export const KEYS_SCHEMA = `
${secretsSql(SQLITE)}

${hooksSql(SQLITE)}
`;
