// Preloaded into a command: no store that it opens for writing may grow by more than `FULL_AFTER_PAGES` pages. SQLite then
// reports what it reports of a full disk, SQLITE_FULL, on every system and without any rights.
import { Database } from "bun:sqlite";

const run = Database.prototype.run;

Database.prototype.run = function (this: Database, sql: string, ...bindings: never[]) {
  const changes = run.call(this, sql, ...bindings);
  if (sql !== "pragma journal_mode = wal") return changes;
  const { page_count: pages } = this.query("pragma page_count").get() as { page_count: number }; // the pragma's column
  run.call(this, `pragma max_page_count = ${pages + Number(process.env.FULL_AFTER_PAGES)}`);
  return changes;
} as typeof run; // the same parameters
