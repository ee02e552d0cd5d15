// Stores that another version of Rollcall wrote.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openWriter } from "../../../src/store/sqlite/database.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { STORE_SCHEMA } from "../../../src/store/sqlite/schema.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { temporaryFolder } from "../../support/import-files.ts";
import { policyRow, workerRow } from "../../support/rows.ts";
import { createCompany, makeKey, putFacts } from "../../support/stores.ts";

/** Makes a file one of a version before 1.0. */
function becomeOlder(path: string): void {
  const database = new Database(path);
  database.run("pragma application_id = 1380928588"); // "ROLL"
  database.run("pragma user_version = 15");
  database.close();
}

test.each(["", "-keys"])(
  "a store of before 1.0 is refused with the way to bring it over (rollcall.db%s)",
  async (suffix) => {
    const path = join(temporaryFolder(), "rollcall.db");
    const writer = openSqliteWriteStore(path, { create: true });
    await createCompany(writer, "acme");
    await writer.createSecret(makeKey("one", "acme"));
    await writer.close();
    becomeOlder(path + suffix);
    const store = sqliteStore(path);
    const { findings } = await store.examine(false, async () => []);
    expect(findings).toMatchObject([
      { check: "schema", advice: expect.stringContaining("rollcall export --company") },
    ]);
    const createKey = async () => (await store.openWriter({})).createSecret(makeKey("two", "acme"));
    const read = async () => (await store.openReader({})).key("0".repeat(64));
    for (const work of [createKey, read, () => store.snapshot((contents) => contents.keys())])
      await expect(work()).rejects.toThrow("was written by a Rollcall before 1.0");
    if (suffix === "")
      await expect(store.migrate({ name: "unused" })).rejects.toThrow("rollcall import FOLDER");
  },
);

test("a store of a development version with other tables is refused, and not called current", async () => {
  const path = join(temporaryFolder(), "rollcall.db");
  openWriter(
    { path, schema: `${STORE_SCHEMA} create table more (id text) strict;` },
    { create: true },
  ).close();
  const store = sqliteStore(path);
  const said = "was written by another development version of Rollcall, with other tables";
  expect((await store.examine(false, async () => [])).findings).toMatchObject([
    { check: "schema", problem: expect.stringContaining(said) },
  ]);
  for (const work of [
    () => store.openReader({}),
    () => store.openWriter({}),
    () => store.migrate({ name: "unused" }),
  ])
    await expect(work()).rejects.toThrow(said);
});

test("who had opened a store before a later version migrated it neither reads nor writes it any more", async () => {
  const path = join(temporaryFolder(), "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  await putFacts(writer, "acme", { workers: ["wrk_1", "wrk_2", "wrk_3"].map((id) => workerRow(id)) });
  const reader = openSqliteReadStore(path);
  const version = await reader.version("acme");
  const company = reader.company("acme", version!);
  const list = async () => company.list("workers", { limit: 3 }, []);
  expect((await list()).docs).toHaveLength(3);

  // An import waits until the migration ends.
  const later = new Database(path);
  later.run("begin immediate");
  const newer = "was written by a newer Rollcall";
  const waiting = putFacts(writer, "acme", { policies: [policyRow("top_1")] }).then(() => "stored", String);
  later.run("pragma user_version = 99999999");
  later.run("commit");

  // The version was asked for before.
  const another = "was migrated by another version of Rollcall";
  await expect(list()).rejects.toThrow(another);
  await expect(reader.version("acme")).rejects.toThrow(another);
  await expect(reader.ping()).rejects.toThrow(another);
  expect(await waiting).toContain(newer);
  await expect(createCompany(writer, "other")).rejects.toThrow(newer);
  expect(later.query("select count(*) from policies").values()).toEqual([[0]]);
  later.close();
  await reader.close();
  await writer.close();
});
