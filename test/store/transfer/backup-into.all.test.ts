// `rollcall backup --into` and `rollcall restore` of a moment, as an operator runs them.

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { rollcallHere } from "../../cli/command.ts";
import { eventually, factsDigest, spawnRollcall, withStoreFolder } from "../../cli/faults/store-folder.ts";
import { killBackups } from "./killed-backups.ts";

const rollcall = (args: readonly string[]) => rollcallHere(".", args);

const SIZES = { small: 10, big: 20 };

test("continuous backups have each import, end at SIGTERM, and each can be restored", () =>
  withStoreFolder(async (storeFolder) => {
    const db = ["--db", storeFolder.db];
    const folder = join(storeFolder.folder, "kept");
    mkdirSync(folder);
    const before = await factsDigest(storeFolder);
    const child = spawnRollcall([
      "backup",
      "--into",
      folder,
      "--continuous",
      "--every",
      "20ms",
      "--json",
      ...db,
    ]);
    const lines = child.stdout.getReader();
    const recorded = async () => JSON.parse(new TextDecoder().decode((await lines.read()).value));
    const first = await recorded();
    expect(first).toMatchObject({ file: join(folder, readdirSync(folder)[0]!) });
    expect((await rollcall(["backup", "--verify", folder])).stdout).toContain(
      `${first.file} is whole: a backup of ${first.at} with `,
    );
    expect((await rollcall(["backup", "--into", folder, ...db])).stdout).toBe(
      "Nothing changed since the last backup.\n",
    );
    await rollcall([
      "import",
      storeFolder.big,
      "--company",
      "acme",
      "--prune",
      "--allow-removals",
      "100%",
      "--allow-older",
      "--accept",
      "unit-changed,renamed-policy",
      ...db,
    ]);
    const after = await factsDigest(storeFolder);
    const second = await recorded();
    expect(second.bytes).toBeGreaterThan(1000);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);

    expect((await rollcall(["backup", "--into", folder, ...db])).stdout).toBe(
      "Nothing changed since the last backup.\n",
    );
    const verified = await rollcall(["backup", "--verify", folder, "--json"]);
    expect(JSON.parse(verified.stdout)).toMatchObject({
      file: second.file,
      moments: 2,
      first: first.at,
    });

    const other = { ...storeFolder, db: join(storeFolder.folder, "other.db") };
    const restore = (...args: string[]) => rollcall(["restore", folder, "--db", other.db, ...args]);
    expect((await restore("--at", first.at)).stdout).toContain(`as of ${first.at}`);
    expect(await factsDigest(other)).toBe(before);
    expect(await restore()).toMatchObject({ exitCode: 2 });
    expect(await restore("--yes")).toMatchObject({ exitCode: 0 });
    expect(await factsDigest(other)).toBe(after);
    const early = await restore("--yes", "--at", "2026-01-01");
    expect(early).toMatchObject({ exitCode: 1 });
    expect(early.stderr).toContain(`is of ${first.at}, after that moment`);
    expect(await restore("--yes", "--at", "yesterday")).toMatchObject({ exitCode: 2 });

    const notAFolder = await rollcall(["restore", first.file, "--at", "2026-01-01", "--yes", ...db]);
    expect(notAFolder).toMatchObject({ exitCode: 2 });
    expect(notAFolder.stderr).toContain("--at is for a folder of backups");

    truncateSync(second.file, 1000);
    const damaged = await restore("--yes");
    expect(damaged).toMatchObject({ exitCode: 1 });
    expect(damaged.stderr).toContain("is not a whole backup");
    expect(await factsDigest(other)).toBe(after);
    expect(await rollcall(["backup", "--verify", folder])).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: `rollcall: ${second.file}: damaged; the last whole one is of ${first.at}. Move what is damaged elsewhere\n`,
    });
    rmSync(second.file);
    expect(await rollcall(["backup", "--into", folder, ...db])).toMatchObject({ exitCode: 0 });
    expect(await rollcall(["backup", "--verify", folder])).toMatchObject({ exitCode: 0 });
  }, SIZES));

test("a store that is missing for a while is backed up again once it is there", () =>
  withStoreFolder(async (storeFolder) => {
    const db = ["--db", storeFolder.db];
    const away = { ...storeFolder, db: join(storeFolder.folder, "away.db") };
    const folder = join(storeFolder.folder, "kept");
    const noFolder = await rollcall(["backup", "--into", folder, ...db]);
    expect(noFolder).toMatchObject({ exitCode: 1 });
    expect(noFolder.stderr).toContain(`There is no folder ${folder}: make it`);
    mkdirSync(folder);
    const missing = await rollcall(["backup", "--into", folder, "--db", away.db]);
    expect(missing).toMatchObject({ exitCode: 1 });
    expect(missing.stderr).toContain("There is no store at");
    expect(readdirSync(folder)).toEqual([]);
    const child = spawnRollcall(["backup", "--into", folder, "--continuous", "--every", "20ms", ...db]);
    const made = () => readdirSync(folder).filter((name) => name.endsWith(".backup")).length;
    let said = "";
    const reading = (async () => {
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream() as never)) said += text;
    })();
    await eventually("a first backup", async () => made() === 1);
    await rollcall(["backup", "--out", `${storeFolder.db}.backup`, ...db]);
    for (const suffix of ["", "-wal", "-shm", "-keys", "-keys-wal", "-keys-shm"])
      rmSync(storeFolder.db + suffix, { force: true });
    await eventually("no store", async () => said.includes("not backed up: There is no store at"));
    await rollcall(["restore", `${storeFolder.db}.backup`, ...db]);
    await rollcall(["import", storeFolder.big, "--company", "acme", ...db]);
    await eventually("a later backup", async () => made() > 1);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    await reading;
    expect(said).toContain("backups go on");
  }, SIZES));

test("PostgreSQL is refused, with what to do instead", async () => {
  const refused = await rollcall([
    "backup",
    "--into",
    "/nowhere",
    "--db",
    "postgres://nobody@127.0.0.1:1/none",
  ]);
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toContain("base backups and an archived log");
});

test("killed at random moments, every backup in the folder is whole", async () => {
  expect(await killBackups({ small: 10, big: 20 }, 4)).toBeGreaterThan(0);
}, 120_000);

test("what a killed backup left, also of its temporary database, the next one removes", () =>
  withStoreFolder(async (storeFolder) => {
    const [folder, temporary] = [join(storeFolder.folder, "kept"), join(storeFolder.folder, "temporary")];
    for (const made of [folder, temporary]) mkdirSync(made);
    const into = ["backup", "--into", folder, "--db", storeFolder.db];
    for (let kill = 0; kill < 8; kill++) {
      const child = spawnRollcall(into, `export SQLITE_TMPDIR=${temporary};`);
      await eventually(
        "it has begun",
        async () => readdirSync(folder).length + readdirSync(temporary).length > 0,
      );
      child.kill("SIGKILL");
      await child.exited;
      const whole = readdirSync(folder).filter((name) => name.endsWith(".backup"));
      if (whole.length > 0)
        expect((await rollcall(["backup", "--verify", folder])).stdout).toContain("is whole");
      for (const name of whole) rmSync(join(folder, name));
    }
    const last = spawnRollcall(into, `export SQLITE_TMPDIR=${temporary};`);
    expect(await last.exited).toBe(0);
    expect((await rollcall(["backup", "--verify", folder])).stdout).toContain("is whole");
    expect(readdirSync(folder).length).toBe(1);
    expect(readdirSync(temporary)).toEqual([]);
  }, SIZES));
