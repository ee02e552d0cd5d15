// What a first load drops and makes again: indexes of a table without rows, and the trigger of added rows in a company's first import.
import { Database } from "bun:sqlite";
import { beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { ImportTransaction, WriteStore } from "../../../src/store/store.ts";
import { KINDS } from "../../../src/store/tables.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { workerRow } from "../../support/rows.ts";
import { createCompany } from "../../support/stores.ts";

let path: string;
let writer: WriteStore;
let reader: Database;

beforeEach(() => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-first-load-"));
  path = join(folder, "store.db");
  writer = openSqliteWriteStore(path, { create: true });
  reader = new Database(path);
  return async () => {
    reader.close();
    await writer.close();
    rmSync(folder, { recursive: true });
  };
});

const schema = () =>
  reader.query("select type, name, sql from sqlite_schema order by type, name").all() as { name: string }[];

function importing(
  companyId: string,
  commit: boolean,
  work: (transaction: ImportTransaction) => Promise<void>,
) {
  return writer.change(companyId, async (transaction) => {
    await work(transaction);
    return { result: null, changed: true, commit };
  });
}

/** First loads of every kind, one worker in all. */
async function firstLoad(transaction: ImportTransaction, workerId: string): Promise<void> {
  for (const kind of KINDS) {
    await transaction.beginFirstLoad(kind);
    if (kind === "workers") await transaction.put(kind, [workerRow(workerId)]);
    await transaction.endFirstLoad();
  }
}

test("indexes and triggers are the same before and after first loads, also of another company, and after a rollback", async () => {
  const before = schema();
  expect(before.map(({ name }) => name)).toContain("workers_insert");
  for (const companyId of ["acme", "globex"]) await createCompany(writer, companyId);
  for (const [companyId, commit] of [
    ["acme", false],
    ["acme", true],
    ["globex", true],
  ] as const) {
    await importing(companyId, commit, (transaction) => firstLoad(transaction, `wrk_${companyId}`));
    expect(schema()).toEqual(before);
  }
});

test("a kind that a later import brings for the first time was not there before", async () => {
  await createCompany(writer, "acme");
  await importing("acme", true, async () => {});
  await importing("acme", true, (transaction) => firstLoad(transaction, "wrk_later"));
  expect(reader.query("select id, since, until, is_there from workers_history").all()).toEqual([
    { id: "wrk_later", since: 0, until: 2, is_there: 0 },
  ]);
});
