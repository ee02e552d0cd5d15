// The commands as an operator runs them, while a server responds and imports run.
import { expect, spyOn, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWriteStore } from "../../../src/cli/open.ts";
import { StoredContents } from "../../../src/store/contents.ts";
import { rollcallHere } from "../../cli/command.ts";
import { withStoreFolder } from "../../cli/faults/store-folder.ts";
import { workerRow } from "../../support/rows.ts";
import { addCompany, exported, putFacts } from "../../support/stores.ts";
import { ENGINES } from "../conformance/engines.ts";
import { backUpDuringImports } from "./during-imports.ts";

const rollcall = (args: readonly string[]) => rollcallHere(".", args);

test("backups made while imports go on are each of one state, whole; restored, a running server shows them", async () => {
  await backUpDuringImports({ small: 30, big: 100 }, 2);
}, 300_000);

test("what is asked, refused and printed", async () => {
  await withStoreFolder(async (storeFolder) => {
    const db = ["--db", storeFolder.db];
    const backup = join(storeFolder.folder, "x.backup");
    expect(await rollcall(["backup", ...db])).toMatchObject({ exitCode: 2 });
    const made = await rollcall(["backup", "--out", backup, "--json", ...db]);
    expect(JSON.parse(made.stdout)).toMatchObject({
      file: backup,
      rows: { companies: 1, keys: 1, workers: 60 },
    });
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const again = await rollcall(["backup", "--out", backup, ...db]);
    expect(again).toMatchObject({ exitCode: 1 });
    expect(again.stderr).toContain("exists already: name another file, or replace it with --overwrite");
    const replaced = await rollcall(["backup", "--out", backup, "--overwrite", "--json", ...db]);
    expect(replaced.exitCode).toBe(0);

    const verified = await rollcall(["backup", "--verify", backup, "--json", "--db", "no-store"]);
    expect(JSON.parse(verified.stdout)).toMatchObject(JSON.parse(replaced.stdout));
    // When a file was copied says nothing about the store.
    const copied = join(storeFolder.folder, "copied.backup");
    copyFileSync(backup, copied);
    utimesSync(copied, new Date(), new Date(Date.now() + 60_000));
    const { first, seen } = JSON.parse((await rollcall(["backup", "--verify", copied, "--json"])).stdout);
    expect(seen).toBe(first);
    const bytes = readFileSync(backup);
    const damaged = join(storeFolder.folder, "damaged.backup");
    for (const at of [bytes.length / 2, bytes.length - 100]) writeFileSync(damaged, bytes.subarray(0, at));
    const refusedBackup = await rollcall(["backup", "--verify", damaged]);
    expect(refusedBackup).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refusedBackup.stderr).toContain("is not a whole backup");

    const unasked = await rollcall(["restore", backup, ...db]);
    expect(unasked).toMatchObject({ exitCode: 2 });
    expect(unasked.stderr).toContain("add --yes to replace everything in it");
    const restored = await rollcall(["restore", backup, "--yes", "--json", ...db]);
    expect(JSON.parse(restored.stdout)).toMatchObject({
      db: storeFolder.db,
      quarantine: null,
      rows: { workers: 60 },
      fromBackup: { keys: 0, feeds: 0 },
    });
    const over = await rollcall(["restore", backup, "--yes", ...db]);
    expect(over.stdout).toContain(
      "The store's keys and calendar feeds of these companies stay as they were.",
    );
    expect(over.stdout).not.toContain("From the backup");
    const elsewhere = ["--db", join(storeFolder.folder, "elsewhere.db")];
    const anew = await rollcall(["restore", backup, ...elsewhere]);
    expect(anew.stdout).toContain(
      "From the backup came 1 key: if any was revoked since then, revoke it again (rollcall keys list).",
    );
    expect(anew.stdout).not.toContain("stay as they were");

    const notes = join(storeFolder.folder, "notes");
    writeFileSync(notes, "not a backup");
    const missing = join(storeFolder.folder, "missing.db");
    const refused = await rollcall(["restore", notes, "--db", missing]);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("Nothing was changed");
    expect(existsSync(missing)).toBe(false);
    const nowhere = await rollcall(["backup", "--out", join(storeFolder.folder, "none", "b"), ...db]);
    expect(nowhere).toMatchObject({ exitCode: 1 });
    expect(nowhere.stderr).toContain("its folder does not exist");
  });
}, 120_000);

test("a copy names the hooks that it does not bring", async () => {
  await withStoreFolder(async ({ db, folder }) => {
    const copy = ["copy", "--from", db, "--to", join(folder, "copy.db")];
    expect((await rollcall(copy)).stderr).toBe("");
    const [company] = JSON.parse((await rollcall(["companies", "list", "--json", "--db", db])).stdout) as {
      id: string;
    }[]; // its own form
    const hook = ["hooks", "create", "--company", company!.id, "--url", "https://hooks.example.com/rollcall"];
    const made = JSON.parse((await rollcall([...hook, "--db", db, "--json"])).stdout) as { id: string }; // likewise
    expect(await rollcall(copy)).toMatchObject({
      exitCode: 0,
      stderr: `rollcall: note: hooks are not copied (${made.id} of ${company!.id}): make them in the target with rollcall hooks create\n`,
    });
  });
}, 120_000);

test("a copy that fails at a later company says which ones are copied", async () => {
  await withStoreFolder(async ({ db, folder }) => {
    const to = join(folder, "other.db");
    await rollcall(["companies", "create", "zeta", "--name", "Zeta", "--db", db]);
    await rollcall(["migrate", "--db", to]);
    await rollcall(["companies", "create", "zeta", "--name", "Another", "--db", to]);
    const { exitCode, stderr } = await rollcall(["copy", "--from", db, "--to", to]);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith("rollcall: the copy failed on the way: copied as a whole: acme; run it again");
    expect(stderr).toContain('The target has another company "zeta" (Another)');
  });
});

for (const engine of ENGINES)
  test(`a copy from ${engine.name} is of one moment, while an import goes on: its rows, what was known, and its revisions`, async () => {
    const [from, to] = [await engine.newLocation("store"), await engine.newLocation()];
    const writer = await from.openWriter();
    await addCompany(writer, "acme", { workers: [workerRow("wrk_ana", { position: "first" })] });
    const { records } = StoredContents.prototype;
    let isImported = false;
    const spy = spyOn(StoredContents.prototype, "records").mockImplementation(async function (
      this: StoredContents,
      ...args
    ) {
      if (!isImported) {
        isImported = true;
        await putFacts(writer, "acme", { workers: [workerRow("wrk_ana", { position: "second" })] });
      }
      return records.apply(this, args);
    });
    try {
      expect(await rollcall(["copy", "--from", from.address, "--to", to.address])).toMatchObject({
        exitCode: 0,
      });
    } finally {
      spy.mockRestore();
    }
    const copied = await openWriteStore(to.address);
    const { workers } = await exported(copied, "acme");
    expect(workers.map(({ doc }) => JSON.parse(doc).position)).toEqual(["first"]);
    expect(await copied.states("acme")).toHaveLength(1);
    await Promise.all([copied.close(), writer.close()]);
    await Promise.all([from.dispose(), to.dispose()]);
  }, 120_000);
