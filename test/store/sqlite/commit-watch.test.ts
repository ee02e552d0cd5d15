// Property: a watch on commits is never quiet after a commit of any connection or process, and is quiet while nothing is
// committed. Random commits, rollbacks and checkpoints, and a look after each.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { CommitWatch } from "../../../src/store/sqlite/database.ts";

let folder: string;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-commit-watch-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

function opened(journal: "wal" | "delete") {
  const path = join(folder, `${files++}.db`);
  const writer = new Database(path, { create: true });
  writer.run(`pragma journal_mode = ${journal}`);
  writer.run("create table facts (id integer primary key, fact text)");
  insert(writer);
  const reader = new Database(path, { readonly: true });
  reader.query("select count(*) from facts").get();
  return { path, writer, reader, watch: new CommitWatch(path) };
}

const insert = (writer: Database, fact = "x") => writer.run("insert into facts (fact) values (?)", [fact]);

/** Inserts in a process of its own, which opens the database and closes it. The number of commits that the log's index counts. */
function insertFromElsewhere(path: string): number {
  const code = `
    const database = new (require("bun:sqlite").Database)(process.argv[1]);
    database.run("insert into facts (fact) values ('x')");
    console.log(require("node:fs").readFileSync(process.argv[1] + "-shm").readUInt32LE(8));`;
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, "-e", code, path]);
  expect(exitCode).toBe(0);
  return Number(stdout.toString());
}

/** What a writer may do, and whether that commits anything. */
const STEPS: Record<string, { act(writer: Database): unknown; commits: boolean }> = {
  insert: { act: (writer) => insert(writer), commits: true },
  "insert of many pages": { act: (writer) => insert(writer, "y".repeat(40_000)), commits: true },
  update: { act: (writer) => writer.run("update facts set fact = fact || '.' where id = 1"), commits: true },
  rollback: {
    act(writer) {
      writer.run("begin immediate");
      insert(writer, "z".repeat(40_000));
      writer.run("rollback");
    },
    commits: false,
  },
  checkpoint: { act: (writer) => writer.query("pragma wal_checkpoint(passive)").get(), commits: false },
  "checkpoint that restarts the log": {
    act: (writer) => writer.query("pragma wal_checkpoint(truncate)").get(),
    commits: false,
  },
  nothing: { act: () => {}, commits: false },
};

describe("a watch on commits", () => {
  test("is quiet until another connection commits, and again after it was told", () => {
    const { writer, watch } = opened("wal");
    expect(watch.isQuiet()).toBeFalse();
    expect(watch.isQuiet()).toBeTrue();
    insert(writer);
    expect(watch.isQuiet()).toBeFalse();
    expect(watch.isQuiet()).toBeTrue();
  });

  test("notices a commit of another process", () => {
    const { path, watch } = opened("wal");
    watch.isQuiet();
    expect(watch.isQuiet()).toBeTrue();
    insertFromElsewhere(path);
    expect(watch.isQuiet()).toBeFalse();
  });

  test("leaves SQLite its locks: a process that comes and goes meanwhile does not take the log for its own", () => {
    const { path, reader, writer, watch } = opened("wal");
    writer.close();
    let commits = 0;
    for (let times = 0; times < 3; times++) {
      watch.isQuiet();
      const counted = insertFromElsewhere(path);
      expect(watch.isQuiet()).toBeFalse();
      // One that believes itself alone truncates the index and begins to count anew.
      expect(counted).toBeGreaterThan(commits);
      commits = counted;
    }
    expect(reader.query("select count(*) as count from facts").get()).toEqual({ count: 4 });
    reader.close();
  });

  test("is never quiet where there is no log to watch: SQLite is asked then", () => {
    const { watch } = opened("delete");
    for (let look = 0; look < 3; look++) expect(watch.isQuiet()).toBeFalse();
  });

  test("is never quiet after a commit, whatever else was done", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 4 }), { maxLength: 12 }),
        (rounds) => {
          const { writer, reader, watch } = opened("wal");
          watch.isQuiet();
          for (const steps of rounds) {
            for (const step of steps) STEPS[step]!.act(writer);
            if (steps.some((step) => STEPS[step]!.commits)) expect(watch.isQuiet()).toBeFalse();
            watch.isQuiet();
            // A reader reads between the rounds, as a server does, and so lets the log be restarted.
            reader.query("select max(length(fact)) from facts").get();
            expect(watch.isQuiet()).toBeTrue();
          }
          reader.close();
          writer.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});
