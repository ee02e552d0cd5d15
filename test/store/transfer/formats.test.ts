// What this version's backups hold is pinned.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { columnName, FACT_KINDS, TABLES } from "../../../src/store/tables.ts";
import { backUp, withStore } from "./store-folder.ts";

/** Where this fails, give the new form of a backup a number of its own, and go on reading this one. */
test("the third form has these tables", () =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    const database = new Database(backup, { readonly: true });
    const tables = ["companies", "keys", "feeds", ...FACT_KINDS];
    const columns = Object.fromEntries(
      tables.map((table) => {
        const names = database.query("select name from pragma_table_info(?)").values(table).flat();
        return [table, names.join(" ")];
      }),
    );
    database.close();
    expect(columns).toEqual({
      companies: "id name created_at_ms time_zone data_as_of_ms changed_at_ms",
      keys: "id company_id name digest scopes created_at_ms expires_at_ms revoked_at_ms last_used_at_ms",
      feeds: "id company_id name digest definition created_at_ms expires_at_ms revoked_at_ms last_used_at_ms",
      workers:
        "company_id department doc end_day id legacy_id location manager_id start_day status terms time_zone type work_email_folded",
      policies: "company_id doc id legacy_id terms",
      assignments: "company_id assigned_day doc ends_day id policy_id terms worker_id",
      requests:
        "company_id doc end_at_ms first_day id last_day legacy_id minutes policy_id start_at_ms status terms time_zone worker_id",
      adjustments: "company_id day id legacy_id minutes note policy_id worker_id",
      work_hours: "company_id day minutes worker_id",
    });
    for (const { kind, columns: wanted } of Object.values(TABLES)) {
      expect(columns[kind]?.split(" ").toSorted()).toEqual(
        ["company_id", ...wanted.map(columnName)].toSorted(),
      );
    }
  }));
