// Files that appear whole or not at all: written under a temporary name beside their place, synced, then renamed.
import { closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreRefusal, StoreUnavailable } from "../store.ts";
import { temporaryFolder } from "./database.ts";

/** A new empty file beside `path` that only its owner can read. Raises the kernel's error if it cannot be made. */
export function makeTemporaryFile(path: string): string {
  for (const abandoned of abandonedFiles(path)) rmSync(abandoned, { force: true });
  const temporary = `${path}.part-${process.pid}`;
  removeDatabase(temporary);
  closeSync(openSync(temporary, "wx", 0o600));
  return temporary;
}

/** Runs `remove` at the end of `work`, and also if a signal ends the process before. */
export async function thenRemove<T>(remove: () => void, work: () => Promise<T>): Promise<T> {
  process.once("exit", remove);
  try {
    return await work();
  } finally {
    process.removeListener("exit", remove);
    remove();
  }
}

/** Calls `work` with the path for a database in a private temporary folder. Removes it afterwards; after a kill, the next call does. */
export async function withTemporaryDatabase<T>(work: (path: string) => Promise<T>): Promise<T> {
  const parent = temporaryFolder();
  for (const name of readdirSync(parent)) {
    const [, processId] = /^rollcall-(\d+)-\w+$/.exec(name) ?? [];
    if (processId === undefined || isRunning(Number(processId))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It is somebody else's.
    }
  }
  const folder = withFileErrors(parent, () => mkdtempSync(join(parent, `rollcall-${process.pid}-`)));
  return thenRemove(
    () => rmSync(folder, { recursive: true, force: true }),
    () => work(join(folder, "backup.db")),
  );
}

/** Gives a finished file its name, so that it stays there even if the power fails. */
export function moveIntoPlace(temporary: string, path: string): void {
  syncFile(temporary);
  renameSync(temporary, path);
  syncFile(dirname(path));
}

/** Removes a database file with what SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

/** Temporary files beside `path` whose process was killed. They hold people's data. */
export function abandonedFiles(path: string): string[] {
  const pattern = /^\.part-(\d+)(-keys)?(-journal|-wal|-shm)?$/;
  const name = basename(path);
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((entry) => {
      const match = entry.startsWith(name) ? pattern.exec(entry.slice(name.length)) : null;
      return match !== null && !isRunning(Number(match[1]));
    })
    .map((entry) => join(folder, entry));
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // somebody else's, and alive
  }
}

export function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Runs work on files. What the kernel refuses becomes a StoreRefusal that says what to do. */
export function withFileErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(path, error);
  }
}

/** The StoreRefusal or StoreUnavailable for one of the kernel's errors; any other error as it is. */
export function fileError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return error;
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return new StoreRefusal(`The disk that holds ${path} is full`, "free some space and try again");
    case "ENOENT":
      return new StoreRefusal(`${path} cannot be written`, "its folder does not exist");
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new StoreRefusal(`${path} cannot be written`, "check the permissions of its folder");
    default: // a broken disk, or a share that is away
      return new StoreUnavailable(
        `${path} cannot be read or written (${error.code})`,
        "check the disk or the share that holds it",
        { cause: error },
      );
  }
}
