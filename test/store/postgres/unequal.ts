// One large company among many small ones, made by SQL, where the planner guesses worst: what it knows of all rows together is right for
// none of the companies. Of each company, nearly all leave is of one policy, and hardly any of another.
import type pg from "pg";
import { FIRST_BUCKET, LAST_BUCKET } from "../../../src/store/postgres/schema.ts";

export const LARGE = "large";

/** Policies of the large company, by how much leave is of them. */
export const POLICIES = { common: "top_large_0", usual: "top_large_1", rare: "top_large_2" } as const;

/** How many workers each company has. */
export type Sizes = ReadonlyMap<string, number>;

/** Companies of one size. */
export function smallCompanies(count: number, workers: number): [string, number][] {
  return Array.from({ length: count }, (_, at) => [`small_${at}`, workers]);
}

/** The days of leave lie in these three years: 2024 to 2026. */
const FIRST_DAY = 19_723;
const DAYS = 1096;
const REQUESTS_PER_WORKER = 9;

/** A number from 0 up, below `below`, that looks random and is the same each time. */
const chosen = (below: number, salt: string) => `(abs(hashint8extended(${salt}, 7)) % ${below})`;

/** Adds companies. Rows lie in the order of their ids, so those of a company are anywhere. */
export async function addUnequal(client: pg.Client, sizes: Sizes): Promise<void> {
  const list = [...sizes].map(([company, size]) => `('${company}', ${size})`).join(", ");
  const companies = `(values ${list}) as companies(company, size)`;
  const workers = `${companies}, generate_series(1, size) as worker, lateral (select 'wrk_' || md5(company || worker) as worker_id, hashtext(company) * 100000::bigint + worker as seed) as named`;
  const policy = (seed: string) =>
    `'top_' || company || '_' || case when ${chosen(1000, seed)} = 0 then 2 when ${chosen(1000, seed)} < 100 then 1 else 0 end`;
  for (const statement of [
    `insert into companies (id, name, version, created_at_ms) select company, company, company, 1 from ${companies}`,
    `insert into policies (company_id, id, legacy_id, absence, terms, doc) select company, 'top_' || company || '_' || n, 'P' || n, 'true', '{}', '{"id":"top_' || company || '_' || n || '"}' from ${companies}, generate_series(0, 3) as n`,
    `insert into departments (company_id, id, name, doc) select company, 'dpt_' || company || '_' || n, 'D' || n, '{"id":"dpt_' || company || '_' || n || '"}' from ${companies}, generate_series(0, 9) as n`,
    `insert into workers (company_id, id, legacy_id, start_day, status, type, department_id, work_email_folded, doc) select company, worker_id, 'E' || worker, 15000, case when worker % 10 = 0 then 'terminated' else 'active' end, 'employee', 'dpt_' || company || '_' || case when worker % 50 = 0 then 1 + worker % 9 else 0 end, worker || '@' || company || '.example', '{"id":"' || worker_id || '","name":"' || repeat('x', 300) || '"}' from ${workers} order by 2`,
    `insert into assignments (company_id, id, policy_id, worker_id, assigned_day, doc) select company, 'toa_' || md5(company || worker || '-' || n), 'top_' || company || '_' || n, worker_id, 15000, '{"id":"toa_' || md5(company || worker || '-' || n) || '"}' from ${workers}, generate_series(0, 2) as n where n < 2 or worker % 100 = 0 order by 2`,
    `insert into requests (company_id, id, legacy_id, worker_id, policy_id, status, start_at_ms, end_at_ms, first_day, last_day, minutes, doc) select company, request_id, 'R' || seed, worker_id, ${policy("seed")}, case when ${chosen(20, "seed + 1")} = 0 then 'pending' when ${chosen(20, "seed + 1")} = 1 then 'denied' else 'approved' end, day * 86400000, (day + length) * 86400000, day, day + length - 1, 480, '{"id":"' || request_id || '","reason":"' || repeat('x', 300) || '"}' from (select company, worker_id, id.seed, 'tor_' || md5(company || id.seed) as request_id, ${FIRST_DAY} + ${chosen(DAYS, "id.seed + 2")} as day, 1 + ${chosen(10, "id.seed + 3")} + case when ${chosen(50, "id.seed + 4")} = 0 then 100 else 0 end as length from ${workers}, generate_series(0, ${REQUESTS_PER_WORKER - 1}) as n, lateral (select named.seed * 10 + n as seed) as id) as requests order by 2`,
    `insert into request_buckets (company_id, bucket, is_first, id, policy_id, status, start_at_ms, end_at_ms, doc) select company_id, bucket, bucket = first, id, policy_id, status, start_at_ms, end_at_ms, doc from (select *, ${FIRST_BUCKET} as first, ${LAST_BUCKET} as last from requests) as ranges, generate_series(first, last) as bucket order by company_id, bucket, id on conflict do nothing`,
    `insert into adjustments (company_id, id, worker_id, policy_id, day, minutes) select company, 'toj_' || md5(company || worker || '-' || n), worker_id, 'top_' || company || '_0', ${FIRST_DAY} + n * 300, 60 from ${workers}, generate_series(0, 2) as n`,
    `insert into openings (company_id, worker_id, policy_id, day, minutes) select company, worker_id, 'top_' || company || '_0', ${FIRST_DAY}, 600 from ${workers} where worker % 2 = 0`,
    `insert into schedules (company_id, worker_id, day, terms) select company, worker_id, 15000, '{"minutesPerWeekday":[[480,480,480,480,480,0,0]]}' from ${workers} where worker % 3 = 0`,
  ])
    await client.query(statement);
}
