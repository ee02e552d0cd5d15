// What the program is, it says without git: a second import of the same files knows the records of the first, in whichever form.
import { expect, test } from "bun:test";
import { appendFileSync, cpSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourcesDigest } from "../../src/cli/program.ts";
import { importAcme, knowsRecords } from "../support/known-records.ts";
import { inFolder, rollcall } from "./command.ts";

const ROOT = join(import.meta.dir, "../..");

/** Runs a command to its end and gives what it printed. `program`: its path; without it, what tests start as `rollcall`. */
async function printed(folder: string, args: readonly string[], program?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await rollcall(folder, args, {}, program);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout;
}

/** A store with the company, and what `knowsRecords` says of the program's next import. */
async function loaded(folder: string, program?: string): Promise<() => Promise<boolean>> {
  await printed(folder, ["companies", "create", "acme"], program);
  const again = () => printed(folder, importAcme(), program);
  await again();
  return () => knowsRecords(join(folder, "rollcall.db"), again);
}

test("a second import knows the records of the first", () =>
  inFolder(async (folder) => {
    const knows = await loaded(folder);
    expect(await knows()).toBe(true);
  }));

test(
  "in a copy of the checkout without git too, until a source changes",
  () =>
    inFolder(async (folder) => {
      const copy = join(folder, "checkout");
      for (const path of ["bin", "src", "package.json", "package-lock.json"])
        cpSync(join(ROOT, path), join(copy, path), { recursive: true });
      symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
      const knows = await loaded(folder, join(copy, "bin/rollcall"));
      expect(await knows()).toBe(true);
      appendFileSync(join(copy, "src/time/day.ts"), "\n");
      expect(await knows()).toBe(false);
      expect(await knows()).toBe(true);
    }),
  60_000,
);

test("each source, its name and the libraries decide what the program is, and when they were written does not", () =>
  inFolder(async (folder) => {
    cpSync(join(ROOT, "src/time"), join(folder, "src/time"), { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) cpSync(join(ROOT, file), join(folder, file));
    const digests = new Set([sourcesDigest(folder)]);
    utimesSync(join(folder, "src/time/day.ts"), 0, 0);
    digests.add(sourcesDigest(folder));
    expect(digests.size).toBe(1);
    const changes = [
      () => appendFileSync(join(folder, "src/time/day.ts"), "\n"),
      () => cpSync(join(folder, "src/time/day.ts"), join(folder, "src/time/new.ts")),
      () => appendFileSync(join(folder, "package-lock.json"), "\n"),
    ];
    for (const change of changes) {
      change();
      digests.add(sourcesDigest(folder));
    }
    expect(digests.size).toBe(1 + changes.length);
  }));

test("a checkout that changed while the process ran may be any program", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "package.json"), "{}");
    const begun = Date.now() + 1000;
    expect(sourcesDigest(folder, ["package.json"], begun)).toMatch(/^[0-9a-f]{64}$/);
    expect(sourcesDigest(folder, ["package.json"], begun - 60_000)).toBeUndefined();
  }));
