// A stored row is found by its key: never among all rows of its company, whatever its kind.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { keyCondition, keyedTable } from "../../../src/store/sqlite/layout/rows.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/schema.ts";
import { FACT_KINDS, TABLES } from "../../../src/store/tables.ts";

test.each([...FACT_KINDS])("a row of %s is found by all columns of its key", (kind) => {
  const database = new Database(":memory:");
  for (const migration of MIGRATIONS) database.run(migration);
  const table = keyedTable(kind);
  const where = `where ${keyCondition(kind)}`;
  const column = TABLES[kind].columns.findLast((name) => name === "doc" || name === "minutes")!;
  for (const text of [
    `select ${column} from ${table} ${where}`,
    `update ${table} set ${column} = '0' ${where}`,
    `delete from ${table} ${where}`,
  ]) {
    const steps = database.query<{ detail: string }, []>(`explain query plan ${text}`).all();
    const found = steps.find(({ detail }) => detail.startsWith(`SEARCH ${kind} `))!;
    expect(found.detail.split("=?").length - 1, text).toBe(1 + TABLES[kind].key.length);
  }
  database.close();
});
