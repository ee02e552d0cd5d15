// `rollcall backup --into` and `rollcall restore` of a moment, as an operator runs them.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rollcallHere } from "../../cli/command.ts";
import { eventually, factsDigest, spawnRollcall, withStoreFolder } from "../../cli/faults/store-folder.ts";
import { killBackups } from "./killed-backups.ts";

const rollcall = (args: readonly string[]) => rollcallHere(".", args);

const SIZES = { small: 10, big: 20 };

test("a continuous backup records each import, ends at SIGTERM, and can be restored to a moment", () =>
  withStoreFolder(async (storeFolder) => {
    const db = ["--db", storeFolder.db];
    const file = join(storeFolder.folder, "many.backup");
    const before = await factsDigest(storeFolder);
    const child = spawnRollcall([
      "backup",
      "--into",
      file,
      "--continuous",
      "--every",
      "20ms",
      "--json",
      ...db,
    ]);
    const lines = child.stdout.getReader();
    const recorded = async () => JSON.parse(new TextDecoder().decode((await lines.read()).value));
    const first = await recorded();
    expect(first).toMatchObject({ changed: 1 });
    expect((await rollcall(["backup", "--verify", file])).stdout).toContain(
      `${file} is whole: a backup of ${first.at} with `,
    );
    expect((await rollcall(["backup", "--into", file, ...db])).stdout).toBe(
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
    expect(await recorded()).toMatchObject({ changed: 1 });
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);

    expect((await rollcall(["backup", "--into", file, ...db])).stdout).toBe(
      "Nothing changed since the last backup.\n",
    );
    const verified = await rollcall(["backup", "--verify", file, "--json"]);
    expect(JSON.parse(verified.stdout)).toMatchObject({ moments: 2, first: first.at });

    const other = { ...storeFolder, db: join(storeFolder.folder, "other.db") };
    const restore = (...args: string[]) => rollcall(["restore", file, "--db", other.db, ...args]);
    expect((await restore("--at", first.at)).stdout).toContain(`as of ${first.at}`);
    expect(await factsDigest(other)).toBe(before);
    expect(await restore()).toMatchObject({ exitCode: 2 });
    expect(await restore("--yes")).toMatchObject({ exitCode: 0 });
    expect(await factsDigest(other)).toBe(after);
    const early = await restore("--yes", "--at", "2026-01-01");
    expect(early).toMatchObject({ exitCode: 1 });
    expect(early.stderr).toContain(`is of ${first.at}, after that moment`);
    expect(await restore("--yes", "--at", "yesterday")).toMatchObject({ exitCode: 2 });

    const database = new Database(file);
    database.run("delete from pieces");
    database.close();
    const damaged = await restore("--yes");
    expect(damaged).toMatchObject({ exitCode: 1 });
    expect(damaged.stderr).toContain("is not a whole backup");
    expect(await factsDigest(other)).toBe(after);
    expect(await rollcall(["backup", "--verify", file])).toMatchObject({ exitCode: 1, stdout: "" });
  }, SIZES));

test("a store that is missing for a while is backed up again once it is there", () =>
  withStoreFolder(async (storeFolder) => {
    const db = ["--db", storeFolder.db];
    const away = { ...storeFolder, db: join(storeFolder.folder, "away.db") };
    const file = join(storeFolder.folder, "many.backup");
    const missing = await rollcall(["backup", "--into", file, "--db", away.db]);
    expect(missing).toMatchObject({ exitCode: 1 });
    expect(missing.stderr).toContain("There is no store at");
    expect(existsSync(file)).toBe(false);
    const child = spawnRollcall(["backup", "--into", file, "--continuous", "--every", "20ms", ...db]);
    const points = async () => {
      const { stdout } = await rollcall(["backup", "--verify", file, "--json"]);
      return stdout === "" ? 0 : Number(JSON.parse(stdout).moments);
    };
    let said = "";
    const reading = (async () => {
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream() as never)) said += text;
    })();
    await eventually("a first moment", async () => (await points()) === 1);
    await rollcall(["backup", "--out", `${storeFolder.db}.backup`, ...db]);
    for (const suffix of ["", "-wal", "-shm", "-keys", "-keys-wal", "-keys-shm"])
      rmSync(storeFolder.db + suffix, { force: true });
    await eventually("no store", async () => said.includes("not backed up: There is no store at"));
    await rollcall(["restore", `${storeFolder.db}.backup`, ...db]);
    await rollcall(["import", storeFolder.big, "--company", "acme", ...db]);
    await eventually("a later moment", async () => (await points()) > 1);
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

test("killed at random moments, every moment in the file is whole", async () => {
  const { moments } = await killBackups({ small: 10, big: 20 }, 4);
  expect(moments).toBeGreaterThan(0);
}, 120_000);

test("a first backup that is killed leaves no file that could be taken for one", () =>
  withStoreFolder(async (storeFolder) => {
    const file = join(storeFolder.folder, "first.backup");
    const into = ["backup", "--into", file, "--db", storeFolder.db];
    const isThere = async () =>
      readdirSync(storeFolder.folder).some((name) => name.startsWith("first.backup"));
    for (let kill = 0; kill < 8; kill++) {
      const child = spawnRollcall(into);
      await eventually("a file is there", isThere); // it has begun to write
      child.kill("SIGKILL");
      await child.exited;
      if (!existsSync(file)) continue;
      expect((await rollcall(["backup", "--verify", file])).stdout).toContain("is whole");
      rmSync(file);
    }
    expect(await rollcall(into)).toMatchObject({ exitCode: 0 });
    expect((await rollcall(["backup", "--verify", file])).stdout).toContain("is whole");
    expect(readdirSync(storeFolder.folder).filter((name) => name.includes(".part-"))).toEqual([]);
  }, SIZES));
