// What happens to the store and to the folder while `rollcall backup --continuous` runs: it goes on correctly, or it ends and says why.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { rollcallHere } from "../../cli/command.ts";
import {
  eventually,
  type StoreFolder,
  spawnRollcall,
  withStoreFolder,
} from "../../cli/faults/store-folder.ts";

const rollcall = (args: readonly string[]) => rollcallHere(".", args);

const SIZES = { small: 10, big: 20 };

/** Backs the store up again and again. There are two backups: what comes before the first is over. */
async function startBackups(storeFolder: StoreFolder) {
  const into = join(storeFolder.folder, "kept");
  mkdirSync(into);
  const { db } = storeFolder;
  const child = spawnRollcall(["backup", "--into", into, "--continuous", "--every", "20ms", "--db", db]);
  await eventually("a first backup", async () => backupsIn(into) === 1);
  await rename(storeFolder, "Acme Inc");
  await eventually("a second backup", async () => backupsIn(into) === 2);
  return { child, into };
}

async function rename({ db }: StoreFolder, name: string): Promise<void> {
  expect(await rollcall(["companies", "set", "acme", "--name", name, "--db", db])).toMatchObject({
    exitCode: 0,
  });
}

/** The command ends by itself within a minute: how. */
async function ended(child: Bun.Subprocess<"ignore", "pipe", "pipe">) {
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const stderr = await new Response(child.stderr).text();
  clearTimeout(timer);
  return { exitCode: await child.exited, stderr };
}

/** What a process says on stderr, while it runs. */
function errorsOf({ stderr }: ReturnType<typeof spawnRollcall>) {
  const errors = { said: "", ended: Promise.resolve() };
  errors.ended = (async () => {
    for await (const chunk of stderr) errors.said += Buffer.from(chunk).toString();
  })();
  return errors;
}

const backupsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".backup")).length;

async function importBig({ big, db }: StoreFolder): Promise<void> {
  const done = await rollcall([
    "import",
    big,
    "--company",
    "acme",
    "--prune",
    "--allow-removals",
    "100%",
    "--allow-older",
    "--accept",
    "unit-changed,renamed-policy",
    "--db",
    db,
  ]);
  expect(done).toMatchObject({ exitCode: 0 });
}

test.each(["", "-keys"])("a newer version migrates the store%s: backups end and say so", (suffix) =>
  withStoreFolder(async (storeFolder) => {
    const { child } = await startBackups(storeFolder);
    const database = new Database(storeFolder.db + suffix);
    const [version] = database.query("pragma user_version").values()[0]!;
    database.run(`pragma user_version = ${Number(version) + 1_000_000_000}`);
    database.close();
    const { exitCode, stderr } = await ended(child);
    expect(stderr).toContain(
      `backups have ended: ${storeFolder.db}${suffix} was written by a newer Rollcall`,
    );
    expect(exitCode).toBe(1);
  }, SIZES),
);

test("a folder that is away, or has lost its backups, gets the next one once they are back", () =>
  withStoreFolder(async (storeFolder) => {
    const { child, into } = await startBackups(storeFolder);
    const errors = errorsOf(child);
    renameSync(into, `${into}-away`);
    await importBig(storeFolder);
    await eventually("a failure", async () => errors.said.includes("There is no folder"));
    mkdirSync(into); // as under a disk that is not mounted
    await eventually("another failure", async () => errors.said.includes("has no backups any more"));
    expect(readdirSync(into)).toEqual([]);
    renameSync(`${into}-away`, into);
    await eventually("a third backup", async () => backupsIn(into) === 3);
    await eventually("a word", async () => errors.said.includes("backups go on"));
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    await errors.ended;
    expect(errors.said.trimEnd().split("\n")).toEqual([
      `rollcall: not backed up: There is no folder ${into}: make it, or check the path. Trying again.`,
      `rollcall: not backed up: ${into} has no backups any more: bring them back, or start the command again to begin anew. Trying again.`,
      "rollcall: backups go on.",
    ]);
    expect(await rollcall(["backup", "--verify", into])).toMatchObject({ exitCode: 0 });
  }, SIZES));

test("a folder that may not be written to for a while is told once, however often it is tried", () =>
  withStoreFolder(async (storeFolder) => {
    const { child, into } = await startBackups(storeFolder);
    const errors = errorsOf(child);
    chmodSync(into, 0o500);
    await importBig(storeFolder);
    await eventually("a failure", async () => errors.said.includes("Trying again."));
    await Bun.sleep(500); // and several more
    chmodSync(into, 0o700);
    await eventually("a third backup", async () => backupsIn(into) === 3);
    await eventually("a word", async () => errors.said.includes("backups go on"));
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    await errors.ended;
    expect(errors.said.trimEnd().split("\n")).toEqual([
      `rollcall: not backed up: ${into}/next cannot be written: check the permissions of its folder. Trying again.`,
      "rollcall: backups go on.",
    ]);
  }, SIZES));

test("a file instead of a folder is refused", () =>
  withStoreFolder(async ({ db }) => {
    expect(await rollcall(["backup", "--into", db, "--db", db])).toMatchObject({
      exitCode: 1,
      stderr: `rollcall: There is no folder ${db}: make it, or check the path\n`,
    });
  }, SIZES));
