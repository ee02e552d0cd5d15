// What happens to the store and to the backup while `rollcall backup --continuous` runs: it goes on correctly, or it ends and says why.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, existsSync, renameSync } from "node:fs";
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

/** Backs the store up again and again. There are two moments: what comes before the first time is over. */
async function startBackups(storeFolder: StoreFolder, file: string) {
  const { db } = storeFolder;
  const child = spawnRollcall(["backup", "--into", file, "--continuous", "--every", "20ms", "--db", db]);
  await eventually("a first moment", async () => moments(file) === 1);
  await rename(storeFolder, "Acme Inc");
  await eventually("a second moment", async () => moments(file) === 2);
  return child;
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

function moments(file: string): number {
  if (!existsSync(file)) return 0;
  const database = new Database(file);
  try {
    return database.query("select 1 from points").values().length;
  } catch {
    return 0; // it is being made
  } finally {
    database.close();
  }
}

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
    const child = await startBackups(storeFolder, join(storeFolder.folder, "many.backup"));
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

test("a backup that is away for a while has what was committed once it is back", () =>
  withStoreFolder(async (storeFolder) => {
    const file = join(storeFolder.folder, "many.backup");
    const child = await startBackups(storeFolder, file);
    const errors = errorsOf(child);
    renameSync(file, `${file}-away`);
    await importBig(storeFolder);
    await eventually("a failure", async () => errors.said.includes("Trying again."));
    renameSync(`${file}-away`, file);
    await eventually("a third moment", async () => moments(file) === 3);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    await errors.ended;
    expect(errors.said.trimEnd().split("\n")).toEqual([
      `rollcall: not backed up: ${file} is missing: bring it back, or start the command again to make a new one. Trying again.`,
      "rollcall: backups go on.",
    ]);
    expect(await rollcall(["backup", "--verify", file])).toMatchObject({ exitCode: 0 });
  }, SIZES));

test("a backup that may not be written to for a while is told once, however often it is tried", () =>
  withStoreFolder(async (storeFolder) => {
    const file = join(storeFolder.folder, "many.backup");
    const child = await startBackups(storeFolder, file);
    const errors = errorsOf(child);
    chmodSync(file, 0o400);
    await importBig(storeFolder);
    await eventually("a failure", async () => errors.said.includes("Trying again."));
    await Bun.sleep(500); // and several more
    chmodSync(file, 0o600);
    await eventually("a third moment", async () => moments(file) === 3);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    await errors.ended;
    expect(errors.said.trimEnd().split("\n")).toEqual([
      `rollcall: not backed up: ${file} cannot be written: check the permissions of its folder. Trying again.`,
      "rollcall: backups go on.",
    ]);
  }, SIZES));

test("a file that the kernel cannot read is named, with its reason: no fault of Rollcall's", () =>
  withStoreFolder(async ({ folder, db }) => {
    expect(await rollcall(["backup", "--into", folder, "--db", db])).toMatchObject({
      exitCode: 1,
      stderr: `rollcall: ${folder} cannot be read or written (EISDIR): check the disk or the share that holds it\n`,
    });
  }, SIZES));
