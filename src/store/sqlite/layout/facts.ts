// What balances are computed from, as the embedded store finds it: by the numbers of workers.
import sql, { empty, raw, type Sql } from "sql-template-tag";
import { anyOf } from "../../queries.ts";
import { numberOf } from "./numbers.ts";
import { placeOfStatus } from "./rows.ts";

/** The number of an assignment's worker, beside the other columns of a page of balances. */
export const WORKER_NUMBER = raw(`, ${numberOf("a.company_id", "a.worker_id")} as "workerNumber"`);

const DENIED = raw(String(placeOfStatus("denied")));

function ofWorkers(company: number, workers: readonly number[]): Sql {
  return sql`company_id = ${company} and ${anyOf("worker_id", workers)}`;
}

/**
 * Pending and approved requests; what was denied bears on no balance. The index of a worker's requests has all that most
 * of them need. Only those with terms are looked up in the table: an index of their own names them. SQLite has no statistics, and
 * would not find it.
 */
export function requestFacts(company: number, workers: readonly number[], withIds = false): Sql {
  const columns = sql`worker_id as "worker", policy_id as "policyId", status as "status", first_day as "firstDay", last_day as "lastDay", minutes as "minutes"${idColumn(withIds)}`;
  const written = sql`requests indexed by requests_terms where ${ofWorkers(company, workers)} and terms is not null`;
  return sql`select ${columns}, null as "terms" from requests where ${ofWorkers(company, workers)} and status <> ${DENIED} and id not in (select id from ${written}) union all select ${columns}, terms as "terms" from ${written} and status <> ${DENIED}`;
}

export function adjustmentFacts(company: number, workers: readonly number[], withIds = false): Sql {
  return sql`select worker_id as "worker", policy_id as "policyId", day as "day", minutes as "minutes"${idColumn(withIds)} from adjustments where ${ofWorkers(company, workers)}`;
}

export function workedHoursFacts(company: number, workers: readonly number[]): Sql {
  return sql`select worker_id as "worker", day as "day", minutes as "minutes" from work_hours where ${ofWorkers(company, workers)}`;
}

function idColumn(isWanted: boolean): Sql {
  return isWanted ? sql`, id as "id"` : empty;
}
