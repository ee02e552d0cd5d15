// Backups that earlier versions wrote are restored, and what this version writes is pinned.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { FEED_TABLES } from "../../../src/store/feed-notes.ts";
import { verifyBackup } from "../../../src/store/sqlite/backup/backup.ts";
import { digestOf, makeFormat1Tables, tablesOf } from "../../../src/store/sqlite/backup/format-1.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "../../../src/store/sqlite/schema.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { columnName, DIGESTED_KINDS, TABLES } from "../../../src/store/tables.ts";
import { becomeUnnumbered } from "../../support/older-store.ts";
import { backUp, contents, NOW_MS, restore, withStore } from "./store-folder.ts";

const VERSIONS = MIGRATIONS.slice(0, 2).flatMap((_, store) =>
  KEYS_MIGRATIONS.slice(0, 1).map((_, keys) => ({ storeVersion: store + 1, keysVersion: keys + 1 })),
);

/** Writes what `rollcall backup` of version 1.0 wrote: the tables of the store and of its keys as they are. */
function writeFormat1(db: string, out: string, versions: (typeof VERSIONS)[number]): void {
  const database = new Database(out, { create: true, readwrite: true });
  database.run(`pragma application_id = ${0x524f4c42}`);
  database.run("pragma user_version = 1");
  makeFormat1Tables(database, versions);
  database.run(`attach '${db}' as store`);
  database.run(`attach '${db}-keys' as keys_file`);
  for (const { name, columns } of tablesOf(database)) {
    const from = name === "keys" ? "keys_file" : "store";
    database.run(
      `insert into main.${name} (${columns.join(", ")}) select ${columns.join(", ")} from ${from}.${name}`,
    );
  }
  const about = { ...versions, madeAtMs: NOW_MS };
  database.run("insert into backup values (?, ?, ?, ?)", [
    NOW_MS,
    versions.storeVersion,
    versions.keysVersion,
    digestOf(database, about),
  ]);
  database.close();
}

/** Makes the rows what a migration makes of those of version 1.0, which had no feeds, no terms and fewer keys. */
function becomeVersion2Rows(db: string): void {
  const database = new Database(db);
  for (const kind of ["workers", "assignments", "requests"]) database.run(`update ${kind} set terms = null`);
  database.run("update workers set department = null, location = null, manager_id = null");
  database.run("update companies set data_as_of_ms = null, changed_at_ms = null");
  database.run(`attach '${db}-keys' as keys_file`);
  database.run("delete from keys_file.feeds");
  for (const [kind, more] of [
    ["workers", ", '$.department', null, '$.location', null, '$.managerId', null"],
    ["policies", ""],
    ["requests", ""],
  ])
    database.run(`update ${kind} set doc = json_insert(doc, '$.legacyId', legacy_id${more})`);
  database.close();
}

/** The store as version 1.0 had it. */
function migrateBack(db: string): void {
  const database = new Database(db);
  for (const kind of ["workers", "policies", "assignments", "requests"]) {
    database.run(`drop index ${kind}_seq`);
    database.run(`alter table ${kind} drop column seq`);
  }
  for (const kind of DIGESTED_KINDS) database.run(`alter table ${kind} drop column digest`);
  for (const table of FEED_TABLES) database.run(`drop table ${table}`);
  for (const index of ["requests_terms", "workers_manager", "workers_department", "workers_location"])
    database.run(`drop index ${index}`);
  for (const kind of ["workers", "assignments", "requests"])
    database.run(`alter table ${kind} drop column terms`);
  for (const column of ["department", "location", "manager_id"])
    database.run(`alter table workers drop column ${column}`);
  const companyColumns = ["time_zone", "data_as_of_ms", "changed_at_ms", "last_import", "last_failure"];
  for (const column of [...companyColumns, "seq", "forgotten_removals", "calendar_sequence", "digest_key"])
    database.run(`alter table companies drop column ${column}`);
  const added = "'$.legacyId', '$.department', '$.location', '$.managerId'";
  for (const kind of ["workers", "policies", "requests"])
    database.run(`update ${kind} set doc = json_remove(doc, ${added})`);
  database.run("pragma user_version = 2");
  database.close();
  const keys = new Database(`${db}-keys`);
  keys.run("drop table feeds");
  keys.run("pragma user_version = 1");
  keys.close();
}

test("a store of the version before is backed up before its migration, and has the same digest after it", () =>
  withStore(async ({ db, backup }) => {
    await becomeUnnumbered(db);
    becomeVersion2Rows(db);
    const now = await backUp(db, backup);
    migrateBack(db);
    const before = await backUp(db, backup);
    expect({ ...before, madeAtMs: 0 }).toEqual({ ...now, madeAtMs: 0 });
    expect((await verifyBackup(backup)).digest).toBe(now.digest);
    await openSqliteWriteStore(db, { migrate: true }).close();
    expect((await backUp(db, backup)).digest).toBe(now.digest);
    const keys = new Database(`${db}-keys`);
    expect(keys.query("pragma user_version").values()).toEqual([[KEYS_MIGRATIONS.length]]);
    keys.close();
  }));

test("a backup of the second form, which had no feeds, is restored, and refused if it was edited", () =>
  withStore(async ({ db, backup }) => {
    const store = openSqliteWriteStore(db);
    const feeds = await store.feeds();
    await store.close();
    const keysFile = new Database(`${db}-keys`);
    keysFile.run("delete from feeds");
    keysFile.close();
    const { digest, rows } = await backUp(db, backup);
    expect(rows.feeds).toBe(0);
    const before = await contents(db);
    const database = new Database(backup);
    database.run("drop table feeds");
    database.run("pragma user_version = 2");
    const seal = new Bun.CryptoHasher("sha256").update(JSON.stringify([2, NOW_MS, digest])).digest("hex");
    database.run("update backup set seal = ?", [seal]);
    database.close();
    expect(await verifyBackup(backup)).toEqual({ madeAtMs: NOW_MS, digest, rows });
    const writer = openSqliteWriteStore(db);
    await writer.createFeed(feeds[0]!);
    await writer.close();
    await restore(backup, db);
    expect(await contents(db)).toEqual({ ...before, feeds: [feeds[0]!] });
    const edited = new Database(backup);
    edited.run("update keys set name = 'x' where id = 'key_1'");
    edited.close();
    await expect(verifyBackup(backup)).rejects.toThrow("not as it was written");
  }));

test.each(VERSIONS)("a backup of the first form, of the schema %o, is restored", (versions) =>
  withStore(async ({ folder, db, backup }) => {
    await becomeUnnumbered(db);
    becomeVersion2Rows(db);
    const old = join(folder, "old.backup");
    writeFormat1(db, old, versions);
    await openSqliteWriteStore(db, { migrate: true }).close();
    const before = await contents(db);
    const made = await verifyBackup(old);
    expect(made).toMatchObject({ madeAtMs: NOW_MS, rows: (await backUp(db, backup)).rows });
    const other = join(folder, "other.db");
    await restore(old, other);
    expect(await contents(other)).toEqual(before);
    const writer = openSqliteWriteStore(db);
    await writer.deleteCompany("zenith");
    await writer.close();
    await restore(old, db);
    expect(await contents(db)).toEqual(before);
  }),
);

test.each(["update workers set doc = 'x'", "update backup set made_at_ms = 1", "create view v as select 1"])(
  "a backup of the first form that was edited is refused: %s",
  (edit) =>
    withStore(async ({ folder, db }) => {
      await becomeUnnumbered(db);
      const old = join(folder, "old.backup");
      writeFormat1(db, old, VERSIONS[0]!);
      const database = new Database(old);
      database.run(edit);
      database.close();
      await expect(verifyBackup(old)).rejects.toThrow("not as it was written");
    }),
);

/** Where this fails, give the new form of a backup a number of its own, and go on reading this one. */
test("the third form has these tables", () =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    const database = new Database(backup, { readonly: true });
    const columns = Object.fromEntries(
      tablesOf(database).map((table) => [table.name, table.columns.join(" ")]),
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
