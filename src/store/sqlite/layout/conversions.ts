// What migrations do with rows that SQL cannot. Like a migration, a conversion is never edited: tables and columns are those of its version.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { endsOfValues, expanded, storedDoc } from "./documents.ts";

/** Rows that are held at a time. */
const BATCH_ROWS = 1000;

/** Moves `old_requests` to `requests`, in the order of their key. Their objects were texts, and become bytes. */
export function requestsToBytes(database: Database): void {
  const columns = database.query("select name from pragma_table_info('requests')").values().flat();
  const place = columns.indexOf("doc");
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
      for (const row of rows) insert.run(...row.with(place, inBytes(String(row[1]), String(row[place]))));
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
