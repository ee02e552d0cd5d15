// Preloaded into a command: no store that it opens for writing may grow by more than `FULL_AFTER_PAGES` pages, and its temporary tables
// may take `FULL_TEMPORARY_PAGES`. SQLite then reports what it reports of a full disk, SQLITE_FULL, on every system and without any rights.
import { Database } from "bun:sqlite";

const run = Database.prototype.run;

Database.prototype.run = function (this: Database, sql: string, ...bindings: never[]) {
  const changes = run.call(this, sql, ...bindings);
  const { FULL_AFTER_PAGES, FULL_TEMPORARY_PAGES } = process.env;
  if (sql === "pragma temp_store = file" && FULL_TEMPORARY_PAGES !== undefined)
    run.call(this, `pragma temp.max_page_count = ${FULL_TEMPORARY_PAGES}`);
  if (sql !== "pragma journal_mode = wal" || FULL_AFTER_PAGES === undefined) return changes;
  const { page_count: pages } = this.query("pragma page_count").get() as { page_count: number }; // the pragma's column
  run.call(this, `pragma max_page_count = ${pages + Number(FULL_AFTER_PAGES)}`);
  return changes;
} as typeof run; // the same parameters
