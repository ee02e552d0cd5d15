// What balances are computed from, as the embedded store finds it: by the numbers of workers.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { placeOfStatus } from "./rows.ts";

/** The workers with these ids, before what is joined to them. Lists are padded so that few statements serve all lengths. */
function ofWorkers(company: number, workerIds: readonly string[]): Sql {
  const padded = [...workerIds];
  while (padded.length & (padded.length - 1)) padded.push(workerIds[workerIds.length - 1]!);
  return sql`n.company_id = ${company} and n.id in (${join(padded)})`;
}

/** A cross join keeps SQLite from looking for the workers of each row. */
const joined = (table: string, hint = "") =>
  raw(
    `numbers n cross join ${table}${hint} on ${table}.company_id = n.company_id and ${table}.worker_id = n.number`,
  );

const DENIED = raw(String(placeOfStatus("denied")));

/**
 * Pending and approved requests; what was denied bears on no balance. The index of a worker's requests has all that most
 * of them need. Only those with terms are looked up in the table: an index of their own names them.
 */
export function requestFacts(company: number, workerIds: readonly string[], withIds = false): Sql {
  const columns = sql`n.id as "workerId", policy_id as "policyId", status as "status", first_day as "firstDay", last_day as "lastDay", minutes as "minutes"${idColumn(withIds, "requests")}`;
  const workers = ofWorkers(company, workerIds);
  const written = sql`${joined("requests", " indexed by requests_terms")} where ${workers} and terms is not null`;
  return sql`select ${columns}, null as "terms" from ${joined("requests")} where ${workers} and status <> ${DENIED} and requests.id not in (select requests.id from ${written}) union all select ${columns}, terms as "terms" from ${written} and status <> ${DENIED}`;
}

export function adjustmentFacts(company: number, workerIds: readonly string[], withIds = false): Sql {
  return sql`select n.id as "workerId", policy_id as "policyId", day as "day", minutes as "minutes"${idColumn(withIds, "adjustments")} from ${joined("adjustments")} where ${ofWorkers(company, workerIds)}`;
}

export function workedHoursFacts(company: number, workerIds: readonly string[]): Sql {
  return sql`select n.id as "workerId", day as "day", minutes as "minutes" from ${joined("work_hours")} where ${ofWorkers(company, workerIds)}`;
}

function idColumn(isWanted: boolean, table: string): Sql {
  return isWanted ? sql`, ${raw(table)}.id as "id"` : empty;
}
