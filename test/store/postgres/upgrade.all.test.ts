// docs/postgresql.md, A new version of PostgreSQL: its statements, as they stand there, move a store to another server.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { newServer, type SharedServer, sharedServer } from "../../support/postgres.ts";
import { EMPTY_STORE, exported } from "../../support/stores.ts";
import { FACTS, fill } from "./load.ts";

setDefaultTimeout(120_000);

const DOCUMENT = readFileSync(join(import.meta.dir, "../../../docs/postgresql.md"), "utf8");

/** The statements of the section, each with the server on which it runs. */
function documented(): { readonly on: "old" | "new"; readonly statement: string }[] {
  const section = DOCUMENT.slice(DOCUMENT.indexOf("## A new version of PostgreSQL"));
  const block = /```sql\n(.*?)```/s.exec(section)![1]!; // it has one
  return block.split(/^-- (?=old|new)/m).flatMap((part) => {
    const on = part.startsWith("old") ? "old" : "new";
    const text = part.replace(/^(old|new).*$/m, "").replace(/--.*$/gm, "");
    const statements = text.split(";").map((statement) => statement.trim());
    return statements.filter((statement) => statement !== "").map((statement) => ({ on, statement }));
  });
}

test("logical replication moves a store", async () => {
  const old = await newServer(["wal_level=logical"]);
  const next = await sharedServer();
  const oldDb = await old.createDatabase();
  await fill(oldDb);
  const newDb = await next.createDatabase(EMPTY_STORE);
  const nameOf = (db: string) => new URL(db).pathname.slice(1);
  await old.run("create role rollcall_importer login");
  const run = (on: "old" | "new", statement: string) => {
    const text = statement
      .replaceAll("…", "password")
      .replace(
        "host=old.example.com dbname=rollcall",
        `host=127.0.0.1 port=${old.port} dbname=${nameOf(oldDb)}`,
      );
    const server: SharedServer = on === "old" ? old : next;
    return server.run<Record<string, unknown>>(text, [], nameOf(on === "old" ? oldDb : newDb));
  };
  for (const { on, statement } of documented()) {
    if (!statement.startsWith("select")) {
      await run(on, statement);
      continue;
    }
    // What is waited for: every table is copied, or nothing is behind.
    const isDone = (row: Record<string, unknown> | undefined) =>
      row?.srsubstate === "r" || row?.pg_wal_lsn_diff === "0";
    for (let rows = await run(on, statement); !(rows.length === 1 && isDone(rows[0])); ) {
      await Bun.sleep(50);
      rows = await run(on, statement);
    }
  }
  const writer = await openPostgresWriteStore(newDb);
  expect((await exported(writer, "acme")).workers).toHaveLength(FACTS.workers.length);
  const oldWriter = await openPostgresWriteStore(oldDb);
  expect(await exported(writer, "acme")).toEqual(await exported(oldWriter, "acme"));
  await oldWriter.close();
  await writer.close();
  await old.stop();
});
