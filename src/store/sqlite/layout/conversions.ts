// What migrations do with rows that SQL cannot. Like a migration, a conversion is never edited: tables and columns are those of its version.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { endsOfValues, expanded, storedDoc } from "./documents.ts";

/** Rows that are held at a time. */
const BATCH_ROWS = 1000;

/** Moves `old_requests` to `requests`, in the order of their key. Their objects were texts, and become bytes. */
export function requestsToBytes(database: Database): void {
  moveRequests(database, (id, stored) => inBytes(id, String(stored)));
}

/** Moves `old_requests` to `requests`, in the order of their key. Their objects were bytes, and lose their policy's id. */
export function requestsWithoutPolicies(database: Database): void {
  const select = database.prepare<{ id: string }, [number]>("select id from numbers where number = ?");
  const ids = new Map<number, string | null>();
  try {
    moveRequests(database, (id, stored, policy) => {
      let policyId = ids.get(policy);
      if (policyId === undefined) {
        policyId = select.get(policy)?.id ?? null;
        ids.set(policy, policyId);
      }
      const doc = expanded("requests", id, stored as Uint8Array, policyId); // since the version before
      return storedDoc("requests", doc, endsOfValues("requests", id, doc), policyId) as Uint8Array; // of requests it is
    });
  } finally {
    select.finalize();
  }
}

type Converted = (id: string, stored: SQLQueryBindings, policy: number) => Uint8Array;

function moveRequests(database: Database, converted: Converted): void {
  const columns = database.query("select name from pragma_table_info('requests')").values().flat();
  const place = columns.indexOf("doc");
  const policyPlace = columns.indexOf("policy_id");
  const names = columns.join(", ");
  const select = database.prepare(
    `select ${names} from old_requests where (company_id, id) > (?, ?) order by company_id, id limit ${BATCH_ROWS}`,
  );
  const insert = database.prepare(
    `insert into requests (${names}) values (${columns.map(() => "?").join(", ")})`,
  );
  try {
    for (let last: SQLQueryBindings[] = [0, ""]; ; ) {
      const rows = select.values(...last) as SQLQueryBindings[][]; // what columns hold
      for (const row of rows) {
        const doc = converted(String(row[1]), row[place]!, Number(row[policyPlace]));
        insert.run(...row.with(place, doc));
      }
      if (rows.length < BATCH_ROWS) return;
      last = rows[rows.length - 1]!.slice(0, 2);
    }
  } finally {
    select.finalize();
    insert.finalize();
  }
}

function inBytes(id: string, stored: string): Uint8Array {
  const doc = expanded("requests", id, stored);
  return storedDoc("requests", doc, endsOfValues("requests", id, doc)) as Uint8Array; // of requests it is
}
