// An import whose writes fail: what must be true afterwards, wherever and however they fail.
import { expect } from "bun:test";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { rollcallHere } from "../command.ts";
import { findings } from "../doctor/report.ts";
import { factsDigest, rollcall, type StoreFolder } from "./store-folder.ts";

/** Imports the bigger company over the smaller one, so that rows are written, changed and removed. */
const importing = ({ big, db }: StoreFolder) => [
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
];

export function copyOf(storeFolder: StoreFolder, name: string): StoreFolder {
  const folder = join(storeFolder.folder, name);
  mkdirSync(folder);
  for (const suffix of ["", "-keys"]) cpSync(storeFolder.db + suffix, join(folder, `copy.db${suffix}`));
  return { ...storeFolder, db: join(folder, "copy.db") };
}

/** The digests that the store has before the import and after it. */
export interface States {
  readonly before: string;
  readonly after: string;
}

/** Gives the states, and the copy of the store that was imported into. */
export async function statesOf(
  storeFolder: StoreFolder,
  shell?: string,
  program?: string,
): Promise<States & { whole: StoreFolder }> {
  const before = await factsDigest(storeFolder);
  const whole = copyOf(storeFolder, "whole");
  expect(await rollcall(importing(whole), shell, program)).toMatchObject({ exitCode: 0 });
  const after = await factsDigest(whole);
  expect(after).not.toBe(before);
  return { before, after, whole };
}

/**
 * Imports into a store with a fault that `shell` brings about: the store is as before where the command fails, and as after
 * where it succeeds. A command that was killed may have done either. The store is sound, and the next import works.
 * Returns the exit code, null where it was killed.
 */
export async function importWithFault(
  copy: StoreFolder,
  { before, after }: States,
  shell: string,
  program?: string,
): Promise<number | null> {
  const { exitCode, stderr } = await rollcall(importing(copy), shell, program);
  const isKilled = exitCode === 137;
  if (!isKilled) expect([0, 1]).toContain(exitCode);
  // A store that cannot be read because of the fault is read once the fault is over, as here.
  const digest = await factsDigest(copy);
  if (isKilled) expect([before, after]).toContain(digest);
  else expect(digest).toBe(exitCode === 0 ? after : before);
  const found = await findings(copy.db);
  // The import was done, but its old rows could not be cleared from the file or from the log: that is said.
  const isUncleared = found.some(({ check }) => check === "left-overs");
  if (isUncleared && !isKilled) expect(stderr).toMatch(/could not be cleared|stays in the store's log/);
  expect(found.filter(({ check }) => check !== "left-overs")).toEqual([]);
  if (digest === after && found.length === 0) return isKilled ? null : exitCode;
  expect(await rollcallHere(copy.folder, importing(copy))).toMatchObject({ exitCode: 0 });
  expect(await factsDigest(copy)).toBe(after);
  expect(await findings(copy.db)).toEqual([]);
  return isKilled ? null : exitCode;
}
