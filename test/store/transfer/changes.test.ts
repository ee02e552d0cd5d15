// Property: after a store was restored, copied, or replaced by an older file, a position of the change feed is gone, or what it
// leads to makes the copy equal to the store.

import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { CHANGE_RESOURCES } from "../../../src/resources/changes.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type {
  ChangePosition,
  ChangesPage,
  ImportTransaction,
  ReadStore,
  WriteStore,
} from "../../../src/store/store.ts";
import { keyOf } from "../../../src/store/tables.ts";
import { copyCompany } from "../../../src/store/transfer/copy.ts";
import { requestRow, workerRow } from "../../support/rows.ts";
import { change, exported, makeHook } from "../../support/stores.ts";
import { withStore as withEngineStore } from "../conformance/engine.ts";
import { ENGINES } from "../conformance/engines.ts";
import { backUp, restore, withStore } from "./store-folder.ts";

setDefaultTimeout(120_000);

/** Reads pages from a position until the copy is complete; null where the position is gone. */
async function follow(reader: ReadStore, copy: Map<string, string>, position: ChangePosition | null) {
  let after = position;
  for (;;) {
    const page: ChangesPage | "gone" = await reader
      .company("acme")
      .changes({ after, resources: CHANGE_RESOURCES, limit: 50 });
    if (page === "gone") return null;
    for (const { resource, id, removed, doc } of page.entries) {
      if (removed) copy.delete(`${resource} ${id}`);
      else if (doc !== null) copy.set(`${resource} ${id}`, String(doc));
    }
    after = page.position;
    if (!page.hasMore) return after;
  }
}

async function requestsOf(writer: WriteStore): Promise<string[]> {
  const { requests } = await exported(writer, "acme");
  return requests.map(({ id, doc }) => `requests ${id}: ${doc}`);
}

const requestsIn = (copy: Map<string, string>) =>
  [...copy].flatMap(([name, doc]) => (name.startsWith("requests ") ? [`${name}: ${doc}`] : [])).sort();

const onSqlite = async <T>(
  db: string,
  work: (writer: WriteStore, reader: ReadStore) => Promise<T>,
): Promise<T> => {
  const [writer, reader] = [openSqliteWriteStore(db), openSqliteReadStore(db)];
  try {
    return await work(writer, reader);
  } finally {
    await reader.close();
    await writer.close();
  }
};

/** Adds a request, and removes the first one. */
const importOne = (writer: WriteStore, id: string) =>
  change(writer, "acme", async (transaction) => {
    for await (const [first] of transaction.scan("requests")) {
      await transaction.remove("requests", [keyOf("requests", first!)]);
      await transaction.put("requests", [requestRow(id, first!.workerId, first!.policyId)]);
      break;
    }
  });

test.each([...ENGINES])("a backup restored over its store: the copy follows", (engine) =>
  withStore(({ folder, db, backup }) =>
    withEngineStore(engine, async ({ location: { address }, writer, reader }) => {
      await backUp(db, backup);
      await restore(backup, address);
      const [copy, own] = [new Map<string, string>(), join(folder, "own.backup")];
      await backUp(address, own);
      await importOne(writer, "tor_later");
      const position = await follow(reader, copy, null);
      await restore(own, address);
      expect(await follow(reader, copy, position)).not.toBeNull();
      expect(requestsIn(copy)).toEqual((await requestsOf(writer)).sort());
      expect(copy.has("requests tor_later")).toBe(false);
    }),
  ),
);

test("a backup restored elsewhere: a position of its store is gone", () =>
  withStore(async ({ folder, db, backup }) => {
    await backUp(db, backup);
    const position = await onSqlite(db, (_writer, reader) => follow(reader, new Map(), null));
    const other = join(folder, "other.db");
    await restore(backup, other);
    await onSqlite(other, async (_writer, reader) =>
      expect(await follow(reader, new Map(), position)).toBeNull(),
    );
  }));

test("an older file in the store's place: positions made since are gone, also once other imports have their numbers", () =>
  withStore(async ({ folder, db }) => {
    const [older, oldKeys] = [join(folder, "older.db"), join(folder, "older.db-keys")];
    const copy = new Map<string, string>();
    const before = await onSqlite(db, (_writer, reader) => follow(reader, copy, null));
    copyFileSync(db, older);
    copyFileSync(`${db}-keys`, oldKeys);
    const since = await onSqlite(db, async (writer, reader) => {
      await importOne(writer, "tor_lost");
      return await follow(reader, copy, before);
    });
    await onSqlite(older, async (writer, reader) => {
      expect(await follow(reader, copy, since)).toBeNull();
      await importOne(writer, "tor_other");
      await importOne(writer, "tor_more");
      expect(await follow(reader, copy, since)).toBeNull();
      expect(await follow(reader, new Map(), before)).not.toBeNull();
    });
  }));

test.each([...ENGINES])(
  "copies: a position of the source is gone in the target, whose own positions follow",
  (engine) =>
    withStore(({ db }) =>
      withEngineStore(engine, async ({ writer: target, reader }) =>
        onSqlite(db, async (source, sourceReader) => {
          const [company] = await source.companies();
          const to = { store: target, touchKeys: async () => {} };
          await copyCompany(source, to, company!);
          expect(await follow(reader, new Map(), await follow(sourceReader, new Map(), null))).toBeNull();
          const copy = new Map<string, string>();
          const position = await follow(reader, copy, null);
          await importOne(source, "tor_later");
          await copyCompany(source, to, company!);
          expect(await follow(reader, copy, position)).not.toBeNull();
          expect(requestsIn(copy)).toEqual((await requestsOf(source)).sort());
          expect(copy.has("requests tor_later")).toBe(true);
        }),
      ),
    ),
);

test.each([...ENGINES])(
  "a restore or a copy over other data: its hooks are told that events are missing",
  (engine) =>
    withStore(({ folder, db, backup }) =>
      withEngineStore(engine, async ({ location: { address }, writer }) => {
        await backUp(db, backup);
        await restore(backup, address);
        await writer.createHook(makeHook("hook_1", "acme"));
        await writer.createHook(makeHook("hook_2", "zenith"));
        const noted = async (companyId: string) =>
          (await writer.hooks.notes(companyId, 0, 1000)).map(({ type }) => type);
        await restore(backup, address); // which changes nothing
        expect(await noted("acme")).toEqual([]);
        const own = join(folder, "own.backup");
        await backUp(address, own);
        await change(writer, "acme", (one) => one.put("workers", [workerRow("wrk_later")]));
        await restore(own, address);
        expect(await noted("acme")).toEqual(["worker.created", "hook.events_lost"]);
        expect(await noted("zenith")).toEqual([]);
        await onSqlite(db, async (source) => {
          const companies = await source.companies();
          await change(source, "acme", (one) => one.put("workers", [workerRow("wrk_other")]));
          for (const company of companies)
            await copyCompany(source, { store: writer, touchKeys: async () => {} }, company);
        });
        expect(await noted("acme")).toEqual(["worker.created", "hook.events_lost", "hook.events_lost"]);
        const isQuiet = { isQuiet: true };
        const work = async (transaction: ImportTransaction) => {
          await transaction.put("workers", [workerRow("wrk_quiet")]);
          return { result: null, changed: true, commit: true };
        };
        await writer.change("acme", work, isQuiet);
        expect(await noted("acme")).toHaveLength(3);
        await change(writer, "acme", (one) => one.put("workers", [workerRow("wrk_last")]));
        expect((await noted("acme")).at(-1)).toBe("worker.created");
      }),
    ),
);
