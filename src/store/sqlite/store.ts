// The embedded store at a path: a file, with its keys in a second file beside it.
import { existsSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { MigrateOutcome, Store } from "../engine.ts";
import { commitMark, vacuumInto, withSnapshot } from "./contents.ts";
import { openReader } from "./database.ts";
import { examineStore } from "./examine.ts";
import { keysFile } from "./keys.ts";
import { openSqliteReadStore } from "./read.ts";
import { replaceStore } from "./replace.ts";
import { openSqliteWriteStore } from "./write.ts";

export function sqliteStore(address: string): Store {
  const path = linkedFile(address);
  return {
    shownAddress: address,
    isOnServer: false,
    exists: async () => existsSync(path),
    openReader: async () => openSqliteReadStore(path),
    openWriter: async (options) => openSqliteWriteStore(path, options),
    async migrate(): Promise<MigrateOutcome> {
      const isNew = !existsSync(path);
      await openSqliteWriteStore(path, { create: isNew }).close();
      const keys = keysFile(path);
      if (existsSync(keys.path)) openReader(keys).close(); // raises an error that says what is wrong with it
      return { schema: isNew ? "created" : "none", role: null };
    },
    vacuum: null,
    snapshot: (work) => withSnapshot(path, work),
    file: { mark: () => commitMark(path), vacuumInto: (target) => vacuumInto(path, target) },
    replace: (work, waiting) => replaceStore(path, work, waiting),
    examine: (isFull, examineContents) => examineStore(path, isFull, examineContents),
  };
}

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** The file that symbolic links lead to. SQLite writes the log beside that file, so the keys belong there, too. */
function linkedFile(path: string): string {
  let file = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    try {
      const target = readlinkSync(file);
      file = isAbsolute(target) ? target : `${dirname(file)}/${target}`; // ".." is left to the kernel: the folder may be a link
    } catch {
      return file; // not a link, or unreadable, which SQLite reports
    }
  }
  return path; // a circle, which SQLite reports
}
