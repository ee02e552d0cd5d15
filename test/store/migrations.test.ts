// A later version may change the schema of a store that others have open.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import { temporaryFolder } from "../support/import-files.ts";
import { policyRow, workerRow } from "../support/rows.ts";
import { createCompany, putFacts } from "../support/stores.ts";

test("who had opened a store before a later version migrated it neither reads nor writes it any more", async () => {
  const path = join(temporaryFolder(), "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  await putFacts(writer, "acme", { workers: [1, 2, 3].map((number) => workerRow(`wrk_${number}`)) });
  const reader = openSqliteReadStore(path);
  const version = await reader.version("acme");
  const company = reader.company("acme", version!);
  const list = async () => company.list("workers", { limit: 3 }, []);
  expect((await list()).docs).toHaveLength(3);

  // An import waits until the migration ends.
  const later = new Database(path);
  const [schema] = later.query("pragma user_version").values()[0]!;
  later.run("begin immediate");
  const newer = "was written by a newer Rollcall";
  const waiting = putFacts(writer, "acme", { policies: [policyRow("top_1")] }).then(() => "stored", String);
  later.run(`pragma user_version = ${Number(schema) + 1}`);
  later.run("commit");

  // The version was asked for before.
  const another = "was migrated by another version of Rollcall";
  await expect(list()).rejects.toThrow(another);
  await expect((async () => reader.version("acme"))()).rejects.toThrow(another);
  await expect(reader.ping()).rejects.toThrow(another);
  expect(await waiting).toContain(newer);
  await expect(createCompany(writer, "other")).rejects.toThrow(newer);
  expect(later.query("select count(*) from policies").values()).toEqual([[0]]);
  later.close();
  await reader.close();
  await writer.close();
});
