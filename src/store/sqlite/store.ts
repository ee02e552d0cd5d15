// The embedded store at a path: a file, with its keys in a second file beside it.
import { existsSync } from "node:fs";
import type { Store } from "../engine.ts";
import { commitMark, withSnapshot } from "./contents.ts";
import { examineStore } from "./examine.ts";
import { openSqliteReadStore } from "./read.ts";
import { replaceStore } from "./replace.ts";
import { migrateInThread } from "./thread/start.ts";
import { openSqliteWriteStore } from "./write.ts";

export function sqliteStore(path: string): Store {
  return {
    shownAddress: path,
    hasReplicas: false,
    hasReaderRole: false,
    exists: async () => existsSync(path),
    openReader: async () => openSqliteReadStore(path),
    openWriter: async (options) => openSqliteWriteStore(path, options),
    async migrate() {
      // A store that is there may be large.
      if (existsSync(path)) await migrateInThread(path);
      else await openSqliteWriteStore(path, { create: true, migrate: true }).close();
      return null;
    },
    snapshot: (work) => withSnapshot(path, work),
    commits: { mark: () => commitMark(path), snapshot: (work) => withSnapshot(path, work) },
    replace: (work, onWait) => replaceStore(path, work, onWait),
    examine: (isFull, examineContents) => examineStore(path, isFull, examineContents),
  };
}
