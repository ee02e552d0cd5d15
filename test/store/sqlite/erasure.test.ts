// Property: after every import that changes or removes rows, every import that is refused, and every deletion of a company, no file of the
// store contains anything of a row that is gone, or of what a row was before: neither the tables and indexes, nor their unused parts, nor
// the log. Servers read meanwhile.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { emptyLog } from "../../../src/store/sqlite/database.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { ImportTransaction } from "../../../src/store/store.ts";
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
    department: text.slice(0, 500),
    location: null,
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

test("nothing of a row that is gone is in any file, whatever was imported, removed, refused and deleted before", async () => {
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
            await createCompany(writer, company);
          } else {
            await writer.import(company, async (transaction) => {
              if (act === "prune") {
                const gone = [...people.keys()].filter((id) => id % every === 0);
                await transaction.remove(
                  "workers",
                  gone.map((id) => [workerRow(id, "").id]),
                );
                for (const id of gone) people.delete(id);
              } else {
                const ids = Array.from({ length: PEOPLE }, (_, id) => id).filter((id) => id % every === 0);
                await transaction.put(
                  "workers",
                  ids.map((id) => workerRow(id, text(id))),
                );
                if (act === "grow") for (const id of ids) people.set(id, markOf(company, id, round));
              }
              return { result: null, changed: act !== "refuse", commit: act !== "refuse" };
            });
          }
          const stored = new Set([...there.acme.values(), ...there.other.values()]);
          const wrong = [...found(folder)].filter((mark) => {
            return !stored.has(mark);
          });
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

/** Writes a text into the unused part of a page that has a row with these words. */
function plant(path: string, text: string, words: string): void {
  const file = openSync(path, "r+"); // no connection is open
  const bytes = readFileSync(path);
  for (let at = 4096; at < bytes.length; at += 4096) {
    const from = at + 8 + bytes.readUInt16BE(at + 3) * 2;
    if (bytes[at] !== 10 || at + bytes.readUInt16BE(at + 5) < from + text.length) continue;
    if (!bytes.subarray(at, at + 4096).includes(words)) continue;
    writeSync(file, text, from);
    break;
  }
  closeSync(file);
}

test("only pages that an import writes are looked at, but all of them if it is not known what was left before", async () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-few-"));
  const path = join(folder, "store.db");
  const importing = async (work: (transaction: ImportTransaction) => Promise<unknown>) => {
    const writer = openSqliteWriteStore(path);
    await writer.import("acme", async (transaction) => {
      await work(transaction);
      return { result: null, changed: true, commit: true };
    });
    expect(writer.remains()).toEqual({ isErased: true });
    await writer.close();
  };
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  await writer.close();
  await importing((transaction) =>
    transaction.put(
      "workers",
      Array.from({ length: 200 }, (_, id) => workerRow(id, `${markOf("acme", id, 0)}${"x".repeat(900)}`)),
    ),
  );
  const planted = markOf("planted", 1, 1);
  plant(path, planted, `${markOf("acme", 50, 0)}${"x".repeat(300)}`); // an object: no index has so much of it
  await importing((transaction) => transaction.remove("workers", [["wrk_0199"]]));
  const left = found(folder);
  expect(left.has(planted)).toBe(true);
  expect(left.has(markOf("acme", 199, 0))).toBe(false);
  writeFileSync(`${path}-erase`, "");
  await importing((transaction) => transaction.remove("workers", [["wrk_0198"]]));
  expect(found(folder).has(planted)).toBe(false);
  const database = new Database(path);
  expect(database.query("pragma integrity_check").values()).toEqual([["ok"]]);
  database.close();
  rmSync(folder, { recursive: true });
});

test("rows that a reader keeps in the log are said to be left, and gone when the next import after it ends", async () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-reader-"));
  const path = join(folder, "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  await writer.createKey(makeKey("one", "acme"));
  const put = (text: string, commit = true) =>
    writer.import("acme", async (transaction) => {
      await transaction.put("workers", [workerRow(1, text)]);
      return { result: null, changed: true, commit };
    });
  await put(markOf("acme", 1, 0));
  const reader = new Database(path, { readonly: true });
  reader.run("begin");
  reader.query("select count(*) from workers").all();
  await writer.import("acme", async (transaction) => {
    await transaction.remove("workers", [["wrk_0001"]]);
    return { result: null, changed: true, commit: true };
  });
  expect(writer.remains()).toEqual({ isErased: false, until: "readersEnd" });
  expect(found(folder).size).toBe(1);
  const { findings } = await sqliteStore(path).examine(false, async () => []);
  expect(findings.map(({ check }) => check)).toEqual(["left-overs"]);
  reader.close();
  await put("nothing", false);
  expect(writer.remains()).toEqual({ isErased: true });
  expect(found(folder)).toEqual(new Set());
  expect(existsSync(`${path}-erase`)).toBe(false);
  await writer.close();
  expect(readdirSync(folder).filter((name) => name.includes("erase"))).toEqual([]);
  rmSync(folder, { recursive: true });
}, 120_000);

test("a log that cannot be emptied is not said to be read by others, unless it is", () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-log-"));
  const writer = new Database(join(folder, "some.db"));
  const reader = new Database(join(folder, "some.db"));
  writer.run("pragma journal_mode = wal; create table t (n); insert into t values (1)");
  reader.run("begin; select * from t");
  expect(emptyLog(writer, 0)).toEqual({ isErased: false, until: "readersEnd" });
  reader.run("commit");
  writer.run("begin; insert into t values (2)"); // any error, as on a full disk
  expect(emptyLog(writer, 0)).toEqual({
    isErased: false,
    until: "cleared",
    because: "database table is locked",
  });
  writer.run("commit");
  expect(emptyLog(writer, 0)).toEqual({ isErased: true });
  writer.close();
  reader.close();
  rmSync(folder, { recursive: true });
});

test("a deletion that fails keeps the keys; keys that a failed deletion left do not open a new company", async () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-erasure-failed-"));
  const path = join(folder, "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  const key = makeKey("one", "acme");
  await writer.createKey(key);
  await writer.import("acme", async (transaction) => {
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
