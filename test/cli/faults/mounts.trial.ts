// Disks that are mounted for the trial: one that fills up during an import, a pull and a sync, and one that is read-only. Each command
// ends with exit 1 and what to do, nothing is half done, and it works once there is room. Needs Linux, and the right to mount (root, or
// user namespaces).
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { KEY, type Person, System, storedIds } from "../../pull/system.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { inFolder, rollcallHere } from "../command.ts";
import { factsDigest, withStoreFolder } from "./store-folder.ts";

/** Runs a script in a folder. Nobody else sees what it mounts. `$R` is rollcall. */
async function mounted(cwd: string, script: string) {
  const namespace = ["unshare", process.getuid?.() === 0 ? "-m" : "-rm"];
  const child = Bun.spawn([...namespace, "sh", "-c", script], {
    cwd,
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...KEY, R: ROLLCALL },
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

test("an import onto a disk that fills up", () =>
  withStoreFolder(async (storeFolder) => {
    const before = await factsDigest(storeFolder);
    const ended = await mounted(
      storeFolder.folder,
      `mkdir disk && mount -t tmpfs -o size=2m none disk && cp rollcall.db* disk || exit 9
      "$R" import big --company acme --db disk/rollcall.db; code=$?; cp -r disk after; exit $code`,
    );
    expect(ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("is full. Nothing was changed"),
    });
    const folder = join(storeFolder.folder, "after");
    const after = { ...storeFolder, folder, db: join(folder, "rollcall.db") };
    expect(await factsDigest(after)).toBe(before);
    const args = ["import", storeFolder.big, "--company", "acme", "--db", after.db];
    expect(await rollcallHere(after.folder, args)).toMatchObject({ exitCode: 0 });
  }));

const people = (count: number): Person[] =>
  Array.from({ length: count }, (_, at) => ({ id: `E${at}`, leave: ["2026-05-04", "2026-05-05"] }));

const SYNC = ["sync", "hr.pull.json", "--company", "acme", "--today", "2026-06-01"];

// Where the disk ends: in what is pulled, in the store, or where it is rewritten; the last one has room for everything.
test.each([0, 50, 150, 300, 2000, 4000, 5000, 6000, 20_000])(
  "a pull and a sync onto a disk that has room for %d kB",
  (kilobytes) =>
    inFolder(async (folder) => {
      const system = await System.start();
      system.write(folder);
      system.people = people(100);
      await rollcallHere(folder, ["companies", "create", "acme"], KEY);
      expect(await rollcallHere(folder, SYNC, KEY)).toMatchObject({ exitCode: 0 });
      const before = await storedIds(folder);
      const used = Number.parseInt(Bun.spawnSync(["du", "-sk", folder]).stdout.toString(), 10);
      system.people = people(1500);

      const pulled = await mounted(
        folder,
        `mkdir room && mount -t tmpfs -o size=${kilobytes + 4}k none room || exit 9
        "$R" pull hr.pull.json --into room/hr; code=$?; ls -A room; exit $code`,
      );
      if (pulled.exitCode !== 0) {
        expect(pulled).toMatchObject({ exitCode: 1, stdout: "" });
        expect(pulled.stderr).toMatch(/nothing was written: .* cannot be written \(ENOSPC\): .*free space/);
      }

      const ended = await mounted(
        folder,
        `mkdir disk && mount -t tmpfs -o size=${used + kilobytes}k none disk && cp -r rollcall.db* hr.* disk || exit 9
        (cd disk && "$R" ${SYNC.join(" ")}); code=$?; cp -r disk after; exit $code`,
      );
      const after = join(folder, "after");
      console.log(`${kilobytes} kB: pull ${pulled.exitCode}, sync ${ended.exitCode} ${ended.stderr.trim()}`);
      expect(readdirSync(join(after, "rollcall.db-pulled")).sort()).toEqual(["acme", "acme.lock"]);
      if (ended.exitCode !== 0) {
        expect(ended.exitCode).toBe(1);
        expect(ended.stderr).toMatch(/free .*space/);
        expect(await storedIds(after)).toEqual(before);
      }
      if (kilobytes > 10_000) expect([pulled.exitCode, ended.exitCode]).toEqual([0, 0]);
      expect(await rollcallHere(after, SYNC, KEY)).toMatchObject({ exitCode: 0 });
      expect(await storedIds(after)).toHaveLength(4500);
      await system.fake.stop();
    }),
);

test("a disk that is mounted read-only: doctor says so, and advises no restore", () =>
  withStoreFolder(async ({ folder }) => {
    mkdirSync(join(folder, "read-only"));
    cpSync(join(folder, "rollcall.db"), join(folder, "read-only/rollcall.db"));
    const { exitCode, stdout } = await mounted(
      folder,
      `mount --bind read-only read-only && mount -o remount,ro,bind read-only || exit 9
      "$R" doctor --db read-only/rollcall.db`,
    );
    expect(exitCode).toBe(1);
    expect(stdout).toContain("read-only is mounted read-only");
    expect(stdout).not.toContain("restore");
  }));
