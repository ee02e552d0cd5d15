// A store that is named by a symbolic link: everything lies beside the file that the link leads to.
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fastFolder } from "../../support/fast-folder.ts";
import { rollcallHere } from "../command.ts";

/** `link.db`, `folder/again.db` and `far.db` lead to `data/deep/store.db`, which does not exist yet. */
async function withLinks(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-linked-"));
  try {
    mkdirSync(join(folder, "data/deep"), { recursive: true });
    mkdirSync(join(folder, "data/other"));
    symlinkSync("data/deep/store.db", join(folder, "link.db"));
    symlinkSync("data/other", join(folder, "folder"));
    symlinkSync("../deep/store.db", join(folder, "data/other/again.db")); // from `folder`, ".." is `data`
    symlinkSync(join(folder, "folder/again.db"), join(folder, "far.db"));
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(folder: string, ...args: string[]): Promise<string> {
  const ended = await rollcallHere(folder, args);
  expect(ended.exitCode, ended.stderr).toBe(0);
  return ended.stdout;
}

const databases = (folder: string) =>
  readdirSync(join(folder, "data/deep")).filter((name) => !/-(wal|shm)$/.test(name));

test("a store is made, filled, cleared, backed up and restored through links, and found at its own path", async () => {
  await withLinks(async (folder) => {
    await run(folder, "companies", "create", "acme", "--db", "link.db");
    await run(folder, "keys", "create", "--company", "acme", "--name", "payroll", "--db", "far.db");
    expect(databases(folder).sort()).toEqual(["store.db", "store.db-keys"]);
    await run(folder, "generate", "--workers", "20", "--out", "files");
    await run(folder, "import", "files", "--company", "acme", "--db", "folder/again.db");
    await run(folder, "companies", "create", "other", "--db", "link.db");
    await run(folder, "companies", "delete", "other", "--yes", "--db", "link.db");
    expect(await run(folder, "keys", "list", "--company", "acme", "--db", "data/deep/store.db")).toContain(
      "payroll",
    );
    await run(folder, "backup", "--out", "backup.db", "--db", "far.db");
    rmSync(join(folder, "data/deep"), { recursive: true });
    mkdirSync(join(folder, "data/deep"));
    await run(folder, "restore", "backup.db", "--db", "link.db");
    expect(await run(folder, "doctor", "--db", "data/deep/store.db")).toContain("nothing found");
    expect(databases(folder).sort()).toEqual(["store.db", "store.db-keys"]);
    expect(readdirSync(folder).sort()).toEqual(["backup.db", "data", "far.db", "files", "folder", "link.db"]);
    expect(readdirSync(join(folder, "folder"))).toEqual(["again.db"]);
  });
});

test("links in a circle, and into a folder that is not there, are refused", async () => {
  await withLinks(async (folder) => {
    symlinkSync("circle.db", join(folder, "circle.db"));
    symlinkSync("nowhere/store.db", join(folder, "lost.db"));
    for (const db of ["circle.db", "lost.db"]) {
      const ended = await rollcallHere(folder, ["companies", "create", "acme", "--db", db]);
      expect(ended.exitCode).toBe(1);
      expect(ended.stderr).toContain("cannot be opened: check that the folder exists");
    }
  });
});
