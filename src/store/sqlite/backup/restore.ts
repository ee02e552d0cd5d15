// Restoring a backup. Its rows go into files of our own making, so nothing but rows is taken from it.
//
// A missing store appears by renaming. The rows of one that is there are replaced in a transaction, not by renaming:
// whoever has it open would go on with the log of the file that was replaced, and SQLite removes such a log by name,
// whosever it is by then. A damaged store, which can do no transaction, is set aside under another name.
import { SQLiteError } from "bun:sqlite";
import { existsSync, renameSync } from "node:fs";
import { StoreUnavailable } from "../../store.ts";
import { failure, keysPath } from "../database.ts";
import type { SchemaVersions } from "./backup-file.ts";
import { DamagedStore, type Replacement, replaceKeys, replaceRows } from "./replace.ts";
import { fileWork, makePart, placePart, removeDatabase } from "./temporary-file.ts";
import { unpack } from "./unpack.ts";

export interface RestoreOutcome {
  /** Where a damaged store was put that was in the way; null where none was. */
  readonly quarantine: string | null;
}

/**
 * Restores a backup that `verifyBackup` has read. `onWait` is called once if an import must end first. Raises
 * StoreRefusal or StoreUnavailable; then the store is as before.
 */
export function restoreInto(
  backupPath: string,
  versions: SchemaVersions,
  storePath: string,
  onWait: () => void,
): RestoreOutcome {
  const part = fileWork(storePath, () => makePart(storePath));
  try {
    unpack(backupPath, versions, part);
    let quarantine: string | null = null;
    if (existsSync(storePath)) {
      if (replace({ storePath, part, onWait })) return { quarantine };
      quarantine = quarantineDamaged(storePath);
    }
    fileWork(storePath, () => place(part, storePath));
    return { quarantine };
  } catch (error) {
    throw error instanceof SQLiteError ? failure(storePath, error) : error;
  } finally {
    removeDatabase(part);
    removeDatabase(keysPath(part));
  }
}

/** False, with nothing changed, where the store is too damaged for it. */
function replace(plan: Replacement): boolean {
  try {
    replaceRows(plan);
    replaceKeys(plan);
    return true;
  } catch (error) {
    if (error instanceof DamagedStore) return false;
    const cause = error instanceof StoreUnavailable ? error.cause : error;
    if (cause instanceof SQLiteError && cause.code?.startsWith("SQLITE_CORRUPT")) return false;
    throw error;
  }
}

/** Puts the finished files where no store is. The keys come first: without a store they are nothing. */
function place(part: string, storePath: string): void {
  // Logs of a store that was taken away must never be applied to the new one.
  for (const path of [storePath, keysPath(storePath)]) removeDatabase(path);
  placePart(keysPath(part), keysPath(storePath));
  placePart(part, storePath);
}

function quarantineDamaged(storePath: string): string {
  const aside = `${storePath}.damaged-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  const moves = [storePath, keysPath(storePath)].flatMap((path) =>
    ["", "-wal", "-shm"].map((suffix) => path + suffix),
  );
  fileWork(storePath, () => {
    for (const path of moves) if (existsSync(path)) renameSync(path, aside + path.slice(storePath.length));
  });
  return aside;
}
