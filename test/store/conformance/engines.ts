// The engines that every store test runs on.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { type SharedServer, sharedServer } from "../../support/postgres.ts";
import { EMPTY_STORE, openPostgresTestStore } from "../../support/stores.ts";
import type { Engine, StoreLocation } from "./engine.ts";

export const sqlite: Engine = {
  name: "SQLite",
  async newLocation(what = "nothing") {
    const folder = mkdtempSync(join(fastFolder(), "rollcall-store-"));
    const path = join(folder, "store.db");
    if (what === "store") await openSqliteWriteStore(path, { create: true }).close();
    const within = <T>(work: (database: Database) => T): T => {
      const database = new Database(path, { create: true, readwrite: true });
      try {
        return work(database);
      } finally {
        database.close();
      }
    };
    return {
      address: path,
      store: sqliteStore(path),
      openWriter: async (options) => openSqliteWriteStore(path, options),
      openReader: async () => openSqliteReadStore(path),
      becomeForeign: async () =>
        within((database) => void database.run("create table workers (surname text)")),
      becomeNewer: async () => within((database) => void database.run("pragma user_version = 99999999")),
      vanish: async () => rmSync(path),
      columns: async (table) =>
        within((database) =>
          database
            .query(`pragma table_info(${table})`)
            .values()
            .map((column) => String(column[1])),
        ),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  async openStore() {
    const location = await sqlite.newLocation("store");
    const [writer, reader] = [await location.openWriter(), await location.openReader()];
    const close = async () => {
      await reader.close();
      await writer.close();
      await location.dispose();
    };
    return { location, writer, reader, close };
  },
};

export const postgres: Engine = {
  name: "PostgreSQL",
  async newLocation(what = "nothing") {
    const server = await sharedServer();
    const db = await server.createDatabase(what === "store" ? EMPTY_STORE : undefined);
    return postgresLocation(db, server, () => {});
  },
  async openStore() {
    const server = await sharedServer();
    const store = await openPostgresTestStore();
    let isBroken = false;
    const location = postgresLocation(store.path, server, () => {
      isBroken = true;
    });
    const close = () => (isBroken ? store.remove() : store.dispose());
    return { location, writer: store.writer, reader: store.reader, close };
  },
};

function postgresLocation(db: string, server: SharedServer, noteBroken: () => void): StoreLocation {
  const database = new URL(db).pathname.slice(1);
  const spoil = async (text: string, within?: string) => {
    noteBroken();
    await server.run(text, [], within);
  };
  return {
    address: db,
    store: postgresStore(db),
    openWriter: (options) => openPostgresWriteStore(db, options),
    openReader: () => openPostgresReadStore(db),
    becomeForeign: () => spoil("create table workers (surname text)", database),
    becomeNewer: () => spoil("update rollcall_schema set version = 99999999", database),
    vanish: () => spoil(`drop database ${database} with (force)`),
    columns: async (table) => {
      const text =
        "select column_name as name from information_schema.columns where table_name = $1 order by ordinal_position";
      return (await server.run<{ name: string }>(text, [table], database)).map((column) => column.name);
    },
    dispose: () => server.dropDatabase(db),
  };
}

export const ENGINES: readonly Engine[] = [sqlite, postgres];
