// A command that a signal ends says what became of its work, and the exit code tells which signal.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { withBackup } from "../../../src/store/sqlite/backup.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { backUp, restore, verify, withStore } from "../../store/transfer/store-folder.ts";
import { sharedServer, type Template } from "../../support/postgres.ts";
import { done, inFolder, inFolderWithCompany, start } from "../command.ts";

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

test.each(SIGNALS)(
  "an import that %s ends has changed nothing, says so, and ends with %d",
  async (signal, exitCode) => {
    await inFolderWithCompany(async (folder) => {
      writeFileSync(
        join(folder, "policies.csv"),
        "legacyId,name,paid,unit,schedule,timeOffTypeName\nP,P,yes,day,unlimited,P\n",
      );
      const holder = new Database(join(folder, "rollcall.db"));
      holder.run("begin immediate");
      const child = start(folder, ["import", "policies.csv", "--company", "acme"]);
      let said = "";
      for await (const chunk of child.stderr) {
        said += new TextDecoder().decode(chunk);
        if (said.includes("waiting for it to end")) child.kill(signal);
      }
      holder.run("rollback");
      holder.close();
      expect(await child.exited).toBe(exitCode);
      expect(said).toBe(
        "rollcall: another command is writing to the store (an import, a restore, a migration or a deletion): waiting for it to end\n" +
          "rollcall: interrupted: nothing was imported\n",
      );
      expect(JSON.parse(await done(folder, "companies", "show", "acme", "--json"))).toMatchObject({
        lastImportedAt: null,
      });
    });
  },
);

/** A PostgreSQL store with what `inFolderWithCompany` has. */
const COPIED: Template = {
  name: "copied_company",
  fill: (address) =>
    inFolderWithCompany(async (folder) => {
      await done(folder, "copy", "--from", "rollcall.db", "--to", address);
    }),
};

/** The lock that the command waits for; of all of `companies` unless another is named. */
const HELD: Readonly<Record<string, string>> = {
  migrate: "rollcall_schema in access exclusive mode",
  "companies delete": "companies in exclusive mode",
};

test.each([
  ["export", "nothing was exported", ["export", "--company", "acme", "--out", "exported"]],
  ["backup", "no backup was written", ["backup", "--out", "other.backup"]],
  ["restore", "nothing was restored", ["restore", "whole.backup", "--yes"]],
  ["migrate", "unfinished steps were rolled back: run rollcall migrate again", ["migrate"]],
  [
    "copy",
    "copied as a whole: no company; run it again to copy the others",
    ["copy", "--from", "rollcall.db", "--to"],
  ],
  [
    "companies delete",
    "rollcall companies list shows whether acme still exists",
    ["companies", "delete", "acme", "--yes"],
  ],
] as const)(
  "a signal that ends %s: %s, and no file is left",
  async (command, outcome, args) => {
    await inFolderWithCompany(async (folder) => {
      const server = await sharedServer();
      const db = await server.createDatabase(COPIED);
      await done(folder, "backup", "--out", "whole.backup");
      const before = readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name));
      const holder = new pg.Client({ connectionString: db });
      await holder.connect();
      try {
        await holder.query(`begin; lock table ${HELD[command] ?? "companies in access exclusive mode"}`);
        const child = start(folder, command === "copy" ? [...args, db] : args, { ROLLCALL_DB: db });
        const waiting = "datname = current_database() and wait_event_type = 'Lock'";
        const database = new URL(db).pathname.slice(1);
        while (
          (await server.run(`select from pg_stat_activity where ${waiting}`, [], database)).length === 0
        ) {
          if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text());
          await Bun.sleep(5);
        }
        child.kill("SIGINT");
        expect(await child.exited).toBe(130);
        expect(await new Response(child.stderr).text()).toEndWith(`rollcall: interrupted: ${outcome}\n`);
        await holder.query("rollback");
        expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before);
        expect(await done(folder, "companies", "list", "--db", db)).toContain("acme");
      } finally {
        await holder.end();
      }
    });
  },
  120_000,
);

test("a copy into a new store that a signal ends says that the store is new", async () => {
  await inFolderWithCompany(async (folder) => {
    const server = await sharedServer();
    const db = await server.createDatabase(COPIED);
    const holder = new pg.Client({ connectionString: db });
    await holder.connect();
    try {
      await holder.query("begin; lock table companies in access exclusive mode");
      const child = start(folder, ["copy", "--to", "new.db"], { ROLLCALL_FROM: db });
      await until(child, () => existsSync(join(folder, "new.db")));
      child.kill("SIGINT");
      expect(await child.exited).toBe(130);
      expect(await new Response(child.stderr).text()).toBe(
        "rollcall: interrupted: copied as a whole: no company; run it again to copy the others. new.db is new: remove it if you do not want it\n",
      );
    } finally {
      await holder.end();
    }
  });
}, 120_000);

test("a pull that one signal ends twice, as `timeout` and npx pass it on, leaves no folder", async () => {
  const upstream = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) }); // does not respond
  await inFolder(async (folder) => {
    writeFileSync(
      join(folder, "hr.pull.json"),
      JSON.stringify({ base: upstream.url.href, files: { "people.json": { get: "people" } } }),
    );
    for (const pauseMs of [0, 1, 2, 5, 20, 100]) {
      const child = start(folder, ["pull", "hr.pull.json", "--into", "hr"]);
      await until(child, () => existsSync(join(folder, "hr.new/people.json")));
      child.kill("SIGTERM");
      await Bun.sleep(pauseMs);
      child.kill("SIGTERM");
      expect(await child.exited).toBe(143);
      expect(await new Response(child.stderr).text()).toEndWith(
        "rollcall: interrupted: nothing was written\n",
      );
      expect(readdirSync(folder)).toEqual(["hr.pull.json"]);
    }
  });
  await upstream.stop(true);
});

test("a made-up company that a signal ends leaves nothing, and says so", async () => {
  await inFolder(async (folder) => {
    for (const isThere of [false, true]) {
      if (isThere) mkdirSync(join(folder, "acme"));
      const child = start(folder, ["generate", "--out", "acme", "--workers", "1000000"]);
      await until(child, () => existsSync(join(folder, "acme/requests.csv.partial")));
      child.kill("SIGTERM");
      expect(await child.exited).toBe(143);
      expect(await new Response(child.stderr).text()).toEndWith(
        "rollcall: interrupted: nothing was generated\n",
      );
      expect(readdirSync(folder, { recursive: true })).toEqual(isThere ? ["acme"] : []);
    }
  });
});

test("a first backup in a folder that a signal ends leaves nothing there, and the next one ends", async () => {
  await inFolderWithCompany(async (folder) => {
    await done(folder, "generate", "--out", "files", "--workers", "300");
    await done(folder, "import", "files", "--company", "acme");
    for (let attempt = 1; ; attempt++) {
      const into = join(folder, `attempt-${attempt}`);
      mkdirSync(into);
      const child = start(folder, ["backup", "--into", into]);
      while (child.exitCode === null && readdirSync(into).length === 0) await Bun.sleep(1);
      child.kill("SIGINT");
      const exitCode = await child.exited;
      if ((await new Response(child.stdout).text()) !== "") continue; // it was done before the signal came
      expect(exitCode).toBe(130);
      expect(await new Response(child.stderr).text()).toBe("rollcall: interrupted: no backup was written\n");
      expect(readdirSync(into)).toEqual([]);
      await done(folder, "backup", "--into", into);
      expect(await done(folder, "backup", "--verify", into)).toContain("is whole");
      return;
    }
  });
}, 120_000);

/** Waits until it is so while the command runs. */
async function until(child: ReturnType<typeof start>, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text());
    await Bun.sleep(5);
  }
}

test("a continuous backup that waits an hour ends with the signal, not with the hour", async () => {
  await inFolderWithCompany(async (folder) => {
    mkdirSync(join(folder, "kept"));
    const child = start(folder, ["backup", "--into", "kept", "--continuous", "--every", "1h"]);
    const first = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(first.value)).toContain(": wrote kept/");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });
}, 120_000);

test("reading an embedded store or a backup lets signals through", async () => {
  await withStore(async ({ folder, db, backup }) => {
    const turnsOf = async (work: () => Promise<unknown>) => {
      let turns = 0;
      let next = setImmediate(function count() {
        turns++;
        next = setImmediate(count);
      });
      await work();
      clearImmediate(next);
      return turns;
    };
    const works = [
      () => sqliteStore(db).snapshot((contents) => contents.export("acme", async () => {})),
      () => backUp(db, backup),
      () => verify(backup),
      () => withBackup(backup, (contents) => contents.export("acme", async () => {})),
      () => openSqliteWriteStore(db).export("acme", async () => {}),
      () => restore(backup, join(folder, "restored.db")),
    ];
    for (const work of works) expect(await turnsOf(work)).toBeGreaterThan(4);
  });
});
