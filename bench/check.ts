// Checks the responses before a measure counts. It compares a sample of its addresses with the rows of the store, read with the simplest
// statements, which use no index.
import { Database } from "bun:sqlite";
import type { Balance } from "../src/resources/balances.ts";

export interface CheckTarget {
  readonly address: string;
  readonly apiKey: string;
  readonly companyId: string;
  readonly storePath: string;
}

/** The mean size of a response with its headers. Raises an Error at the first response that is not the expected 200. */
export async function check(target: CheckTarget, paths: readonly string[]): Promise<number> {
  const database = new Database(target.storePath, { readonly: true });
  let bytes = 0;
  try {
    for (const path of paths) {
      const response = await fetch(target.address + path, { headers: { "x-api-key": target.apiKey } });
      const body = await response.text();
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${body}`);
      if (!isExpected(database, target.companyId, path, body)) throw new Error(`${path} returned ${body}`);
      bytes += Buffer.byteLength(body) + headerBytes(response);
    }
  } finally {
    database.close();
  }
  return bytes / paths.length;
}

function headerBytes(response: Response): number {
  let bytes = "HTTP/1.1 200 OK\r\n\r\n".length;
  for (const [name, value] of response.headers) bytes += `${name}: ${value}\r\n`.length;
  return bytes;
}

const TABLES: Record<string, string> = { "/v1/workers": "workers", "/v1/time_off/requests": "requests" };

const CONDITIONS: Record<string, string> = {
  afterId: "id > ?",
  workerIds: "worker_id = ?",
  policyIds: "policy_id = ?",
  statuses: "status = ?",
  startsBefore: "start_at_ms < ?",
  startsOnOrAfter: "start_at_ms >= ?",
  endsOnOrAfter: "end_at_ms >= ?",
};

function isExpected(database: Database, company: string, path: string, body: string): boolean {
  const url = new URL(path, "http://localhost");
  if (url.pathname.endsWith("/balances")) return areBalances(database, company, url, body);
  const table = TABLES[url.pathname];
  const where = ["company_id = ?1"];
  const values = [company];
  for (const [name, value] of url.searchParams) {
    where.push(CONDITIONS[name]!);
    values.push(/^(starts|ends)/.test(name) ? String(Date.parse(value)) : value);
  }
  if (table === undefined) {
    const id = url.pathname.split("/").at(-1)!;
    const row = database.query("select doc from workers where company_id = ? and id = ?").get(company, id);
    return (row as { doc: string } | null)?.doc === body; // the statement selects doc
  }
  const rows = database
    .query(`select doc from ${table} not indexed where ${where.join(" and ")} order by id limit 26`)
    .values(...values);
  const page = rows.slice(0, 25).map(([doc]) => doc);
  return body === `{"count":${page.length},"data":[${page.join(",")}],"hasMore":${rows.length > 25}}`;
}

/** Whether these are the right balances in the right order. The tests of src/balances check their numbers. */
function areBalances(database: Database, company: string, url: URL, body: string): boolean {
  const rows = database
    .query(
      "select worker_id, policy_id from assignments not indexed where company_id = ? and worker_id > ? order by 1, 2 limit 25",
    )
    .values(company, url.searchParams.get("afterId")!);
  const { data } = JSON.parse(body) as { data: Balance[] }; // the comparisons below check it
  return (
    data.length === rows.length &&
    rows.every(
      ([workerId, policyId], at) => data[at]?.workerId === workerId && data[at]?.policyId === policyId,
    )
  );
}
