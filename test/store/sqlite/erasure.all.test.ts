// Property: after every import that removes people, every import that is refused, and every deletion of a company, no file of the
// store contains anything of somebody who is gone: neither the tables and indexes, nor their unused parts, nor the log, nor
// what was known of them: that a row was another one is remembered only of who is there. Servers read meanwhile.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { withSnapshot } from "../../../src/store/sqlite/contents.ts";
import { openWriter, Statements } from "../../../src/store/sqlite/database.ts";
import { erase, noteRemoval } from "../../../src/store/sqlite/erasure.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { STORE_SCHEMA } from "../../../src/store/sqlite/schema.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { Rows } from "../../../src/store/tables.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { createCompany, makeKey } from "../../support/stores.ts";

/** Found in a file only if something of this version of the person is. */
const markOf = (company: string, person: number, round: number) => `mark-${company}-${person}-${round}-end`;

function workerRow(id: number, text: string): Rows["workers"] {
  return {
    id: `wrk_${String(id).padStart(4, "0")}`,
    legacyId: text === "" ? null : text.slice(0, 200),
    doc: text,
    status: "active",
    type: "employee",
    workEmailFolded: text,
    startDay: 1,
    endDay: null,
    timeZone: null,
    terms: null,
    departmentId: text.slice(0, 500),
    workplaceId: null,
    managerId: null,
  };
}

/** In a process of its own: closing a file of the store here would drop the locks of its connections. */
function found(folder: string): Set<string> {
  const grep = Bun.spawnSync(["grep", "-aohE", "mark-[a-z]+-[0-9]+-[0-9]+-end", "-r", folder]);
  return new Set(grep.stdout.toString().split("\n").filter(Boolean));
}

interface Step {
  readonly company: "acme" | "other";
  readonly act: "grow" | "prune" | "refuse" | "delete";
  readonly bytes: number;
  /** Every how manyth person it concerns. */
  readonly every: number;
}

const PEOPLE = 120;

test("nothing of a person who is gone is in any file, whatever was imported, removed, refused and deleted before", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record<Step>({
          company: fc.constantFrom("acme", "other"),
          act: fc.constantFrom("grow", "grow", "prune", "prune", "refuse", "delete"),
          bytes: fc.constantFrom(40, 600, 3000),
          every: fc.integer({ min: 1, max: 4 }),
        }),
        { minLength: 3, maxLength: 8 },
      ),
      async (steps) => {
        const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-fuzz-"));
        const path = join(folder, "store.db");
        const writer = openSqliteWriteStore(path, { create: true });
        const there = { acme: new Map<number, string>(), other: new Map<number, string>() };
        /** What rows of people who are there were before they changed. */
        const changed = new Set<string>();
        const forget = (company: string, person: number | string) => {
          const own = new RegExp(`^mark-${company}-${person}-`);
          for (const mark of changed) if (own.test(mark)) changed.delete(mark);
        };
        for (const company of ["acme", "other"]) await createCompany(writer, company);
        const reader = openSqliteReadStore(path);
        for (const [round, { company, act, bytes, every }] of steps.entries()) {
          const people = there[company];
          const text = (id: number) =>
            markOf(company, id, round) + "x".repeat((id * 7919 + round * 104_729) % bytes);
          await reader.company("acme").balanceFacts({ limit: 10 });
          if (act === "delete") {
            expect(await writer.deleteCompany(company)).toEqual({ isErased: true });
            people.clear();
            forget(company, "\\d+");
            await createCompany(writer, company);
          } else {
            await writer.change(company, async (transaction) => {
              if (act === "prune") {
                const gone = [...people.keys()].filter((id) => id % every === 0);
                await transaction.remove(
                  "workers",
                  gone.map((id) => [workerRow(id, "").id]),
                );
                for (const id of gone) {
                  people.delete(id);
                  forget(company, id);
                }
              } else {
                const ids = Array.from({ length: PEOPLE }, (_, id) => id).filter((id) => id % every === 0);
                await transaction.put(
                  "workers",
                  ids.map((id) => workerRow(id, text(id))),
                );
                if (act === "grow") {
                  for (const id of ids) {
                    if (people.has(id)) changed.add(people.get(id)!);
                    people.set(id, markOf(company, id, round));
                  }
                }
              }
              return { result: null, changed: act !== "refuse", commit: act !== "refuse" };
            });
          }
          const stored = new Set([...there.acme.values(), ...there.other.values()]);
          const wrong = [...found(folder)].filter((mark) => !stored.has(mark) && !changed.has(mark));
          expect(wrong).toEqual([]);
        }
        await reader.close();
        await writer.close();
        rmSync(folder, { recursive: true });
      },
    ),
    { numRuns: 16 },
  );
}, 120_000);

test("rows that a reader keeps in the log are said to be left, and gone when the next import after it ends", async () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-reader-"));
  const path = join(folder, "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  await writer.createSecret(makeKey("one", "acme"));
  const put = (text: string, commit = true) =>
    writer.change("acme", async (transaction) => {
      await transaction.put("workers", [workerRow(1, text)]);
      return { result: null, changed: true, commit };
    });
  await put(markOf("acme", 1, 0));
  const reader = new Database(path, { readonly: true });
  reader.run("begin");
  reader.query("select count(*) from workers").all();
  await writer.change("acme", async (transaction) => {
    await transaction.remove("workers", [["wrk_0001"]]);
    return { result: null, changed: true, commit: true };
  });
  expect(writer.erasure()).toEqual({ isErased: false, until: "readersEnd" });
  expect(found(folder).size).toBe(1);
  const { findings } = await sqliteStore(path).examine(false, async () => []);
  expect(findings.map(({ check }) => check)).toEqual(["left-overs"]);
  reader.close();
  await put("nothing", false);
  expect(writer.erasure()).toEqual({ isErased: true });
  expect(found(folder)).toEqual(new Set());
  expect((await sqliteStore(path).examine(false, async () => [])).findings).toEqual([]);
  await writer.close();
  rmSync(folder, { recursive: true });
}, 120_000);

test("rows that a backup keeps in the log are gone when it ends, while a server has the store open", async () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-backup-"));
  const path = join(folder, "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  const server = openSqliteReadStore(path);
  await writer.change("acme", async (transaction) => {
    await transaction.put("workers", [workerRow(1, markOf("acme", 1, 0))]);
    return { result: null, changed: true, commit: true };
  });
  expect(await server.company("acme").object("workers", "wrk_0001")).not.toBeNull();
  await withSnapshot(path, async (contents) => {
    await contents.companies();
    await writer.change("acme", async (transaction) => {
      await transaction.remove("workers", [["wrk_0001"]]);
      return { result: null, changed: true, commit: true };
    });
    expect(found(folder).size).toBe(1);
  });
  expect(found(folder)).toEqual(new Set());
  await server.close();
  await writer.close();
  rmSync(folder, { recursive: true });
}, 120_000);

const CHILD = `
  const { Database } = require("bun:sqlite");
  const { openSqliteWriteStore } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/store/sqlite/write.ts"))});
  const { run } = Database.prototype;
  Database.prototype.run = function (text, ...rest) {
    if (text === "vacuum") process.kill(process.pid, "SIGKILL");
    return run.call(this, text, ...rest);
  };
  await openSqliteWriteStore(process.argv[1]).change("acme", async (transaction) => {
    await transaction.remove("workers", [["wrk_0001"]]);
    return { result: null, changed: true, commit: true };
  });`;

test("a removal that is killed before the file is rewritten is completed by the next import", async () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-killed-"));
  const path = join(folder, "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  const putOne = (id: number) =>
    writer.change("acme", async (transaction) => {
      await transaction.put("workers", [workerRow(id, markOf("acme", id, 0))]);
      return { result: null, changed: true, commit: true };
    });
  await putOne(1);
  expect(Bun.spawnSync([process.execPath, "-e", CHILD, path]).signalCode).toBe("SIGKILL");
  const left = async () => (await sqliteStore(path).examine(false, async () => [])).findings;
  expect(await left()).toMatchObject([{ check: "left-overs", advice: "run any import, which does it" }]);
  await putOne(2);
  expect(writer.erasure()).toEqual({ isErased: true });
  expect(found(folder)).toEqual(new Set([markOf("acme", 2, 0)]));
  expect(await left()).toEqual([]);
  await writer.close();
  rmSync(folder, { recursive: true });
});

test("a file that another process writes to is left to the next import, with the reason", () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-locked-"));
  const file = { path: join(folder, "store.db"), schema: STORE_SCHEMA };
  const statements = new Statements(openWriter(file, { create: true }));
  const other = openWriter(file, {});
  noteRemoval(statements);
  other.run("begin immediate");
  expect(erase(statements, 0)).toEqual({
    isErased: false,
    until: "nextImport",
    because: "database is locked",
  });
  other.run("commit");
  expect(erase(statements, 0)).toEqual({ isErased: true });
  other.close();
  statements.close();
  rmSync(folder, { recursive: true });
});

test("a deletion that fails keeps the keys; keys that a failed deletion left do not open a new company", async () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-failed-"));
  const path = join(folder, "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  const key = makeKey("one", "acme");
  await writer.createSecret(key);
  await writer.change("acme", async (transaction) => {
    await transaction.put("workers", [workerRow(1, "x")]);
    return { result: null, changed: true, commit: true };
  });
  const within = (file: string, statement: string) => {
    const database = new Database(file);
    database.run(statement);
    database.close();
  };
  within(path, "create trigger fails before delete on workers begin select raise(abort, 'full'); end");
  await expect(writer.deleteCompany("acme")).rejects.toThrow();
  expect(await writer.keys()).toEqual([key]);
  expect((await writer.companies()).length).toBe(1);
  within(path, "drop trigger fails");
  within(`${path}-keys`, "create trigger fails before delete on keys begin select raise(abort, 'full'); end");
  await expect(writer.deleteCompany("acme")).rejects.toThrow("The company was deleted, but not its keys");
  expect(await writer.companies()).toEqual([]);
  within(`${path}-keys`, "drop trigger fails");
  await createCompany(writer, "acme");
  expect(await writer.keys()).toEqual([]);
  await writer.close();
  rmSync(folder, { recursive: true });
});
