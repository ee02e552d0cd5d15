// Files that appear whole or not at all: written under a temporary name beside their place, synced, then renamed.
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreRefusal } from "../../store.ts";

/** A new empty file beside `path` that only its owner can read. Raises the system's error where it cannot be made. */
export function makePart(path: string): string {
  removeAbandoned(path);
  const part = `${path}.part-${process.pid}`;
  removeDatabase(part);
  closeSync(openSync(part, "wx", 0o600));
  return part;
}

/** Puts a finished part in its place, so that it stays there even if the power fails. */
export function placePart(part: string, path: string): void {
  sync(part);
  renameSync(part, path);
  sync(dirname(path));
}

/** Removes a database file with what SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

/** Parts beside `path` whose process is gone: it was killed, and they hold people's data. */
export function abandonedParts(path: string): string[] {
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

function removeAbandoned(path: string): void {
  for (const part of abandonedParts(path)) rmSync(part, { force: true });
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // somebody else's, and alive
  }
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Runs work on files; what the system refuses is said in words. */
export function fileWork<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOSPC")
      throw new StoreRefusal(`The disk that holds ${path} is full`, "free some room and try again");
    if (code === "ENOENT") throw new StoreRefusal(`${path} cannot be written`, "its folder does not exist");
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
      throw new StoreRefusal(`${path} cannot be written`, "check the permissions of its folder");
    }
    throw error;
  }
}
