// Replaces the whole contents of a store.
//
// A missing store is made under a temporary name and appears by renaming. The rows of an existing one are replaced in a transaction,
// not by renaming: a process that has it open would keep using the log of the replaced file, and SQLite could then delete the new
// file's log, which has the same name. A damaged store cannot run a transaction, so it is moved aside once the new one is complete.
import { SQLiteError } from "bun:sqlite";
import { existsSync, renameSync } from "node:fs";
import type { AddedSecrets, ReplaceOutcome } from "../engine.ts";
import { type StoreTransaction, StoreUnavailable, type Waiting } from "../store.ts";
import { DamagedStore, failure, keysPath } from "./database.ts";
import {
  makeTemporaryFile,
  moveIntoPlace,
  removeDatabase,
  thenRemove,
  withFileErrors,
} from "./temporary-file.ts";
import { fillNewStore, replaceInStore } from "./write.ts";

type Work = (transaction: StoreTransaction) => Promise<void>;

/** See `Store.replace`. */
export async function replaceStore(path: string, work: Work, waiting: Waiting): Promise<ReplaceOutcome> {
  const existed = existsSync(path);
  const addedInPlace = existed ? await replaceInPlace(path, work, waiting) : null;
  if (addedInPlace !== null) return { quarantine: null, added: addedInPlace };
  const temporary = withFileErrors(path, () => makeTemporaryFile(path));
  const remove = () => {
    removeDatabase(temporary);
    removeDatabase(keysPath(temporary));
  };
  try {
    return await thenRemove(remove, async () => {
      const added = await fillNewStore(temporary, work);
      return withFileErrors(path, () => {
        const quarantine = existed ? moveAside(path) : null;
        // The log of a removed store must never be applied to the new one.
        for (const old of [path, keysPath(path)]) removeDatabase(old);
        // Keys first: keys without a store do no harm, but a store without its keys refuses every caller.
        moveIntoPlace(keysPath(temporary), keysPath(path));
        moveIntoPlace(temporary, path);
        return { quarantine, added };
      });
    });
  } catch (error) {
    throw error instanceof SQLiteError ? failure(path, error) : error;
  }
}

/** Replaces the rows in a transaction. Returns null, and changes nothing, if the store is too damaged for one. */
async function replaceInPlace(path: string, work: Work, waiting: Waiting): Promise<AddedSecrets | null> {
  try {
    return await replaceInStore(path, work, waiting);
  } catch (error) {
    if (error instanceof DamagedStore) return null;
    const cause = error instanceof StoreUnavailable ? error.cause : error;
    if (cause instanceof SQLiteError && cause.code?.startsWith("SQLITE_CORRUPT")) return null;
    throw error;
  }
}

/** Renames the files of a damaged store, so that nothing is lost. */
function moveAside(path: string): string {
  const quarantine = `${path}.damaged-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  const suffixes = ["", "-wal", "-shm"];
  const files = [path, keysPath(path)].flatMap((file) => suffixes.map((suffix) => file + suffix));
  withFileErrors(path, () => {
    for (const file of files) if (existsSync(file)) renameSync(file, quarantine + file.slice(path.length));
  });
  return quarantine;
}
