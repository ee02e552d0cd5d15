// A folder with a store in it, for tests of backups, and a look at everything that a store holds.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openWriteStore, storeAt } from "../../../src/cli/open.ts";
import type { ReplaceOutcome } from "../../../src/store/engine.ts";
import {
  addToFolder,
  type BackupDescription,
  type KeptBackup,
  thinFolder,
  withBackup,
  writeBackup,
} from "../../../src/store/sqlite/backup.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { Contents } from "../../../src/store/store.ts";
import { restoreContents } from "../../../src/store/transfer/copy.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { createCompany, exported, makeFeed, makeKey, putFacts } from "../../support/stores.ts";

export interface StoreFolder {
  readonly folder: string;
  readonly db: string;
  readonly backup: string;
}

/** A store with two companies, 40 and 15 workers, a key and a feed each. The folder is removed afterwards. */
export async function withStore(work: (storeFolder: StoreFolder) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-backup-"));
  const storeFolder = { folder, db: join(folder, "roll call%41#.db"), backup: join(folder, "copy.backup") };
  try {
    const store = openSqliteWriteStore(storeFolder.db, { create: true });
    await createCompany(store, "acme");
    await createCompany(store, "zenith");
    await putFacts(store, "acme", makeFacts(1, 40));
    await putFacts(store, "zenith", makeFacts(2, 15));
    await store.createSecret(makeKey("key_1", "acme", { scopes: ["workers:read"] }));
    await store.createSecret(makeKey("key_2", "zenith", { scopes: ["workers:read"] }));
    await store.createSecret(makeFeed("feed_1", "acme"));
    await store.createSecret(makeFeed("feed_2", "zenith", { lastUsedAtMs: 5 }));
    await store.close();
    await work(storeFolder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What reading the contents of a store or a backup does instead. */
type Change = (contents: Contents) => Partial<Contents>;

function changed(contents: Contents, change: Change): Contents {
  const instead = change(contents);
  return new Proxy(contents, {
    get: (all, name) => Reflect.get(instead, name) ?? Reflect.get(all, name).bind(all),
  });
}

export const NOW_MS = Date.UTC(2026, 2, 1);

/** As `rollcall backup` does it. */
export function backUp(
  db: string,
  out: string,
  nowMs = NOW_MS,
  change: Change = () => ({}),
): Promise<BackupDescription> {
  const store = storeAt(db);
  const snapshot: typeof store.snapshot = (work) =>
    store.snapshot((contents) => work(changed(contents, change)));
  return writeBackup({ ...store, snapshot }, out, { now: () => nowMs });
}

/** As `rollcall backup --into` does it. */
export async function addTo(db: string, folder: string, nowMs: number, keepMs = 1e15): Promise<KeptBackup> {
  const state = crypto.randomUUID().slice(-12);
  const added = await addToFolder(storeAt(db), folder, state, () => nowMs);
  thinFolder(folder, nowMs, keepMs);
  return added;
}

/** What a backup says of itself, once read through. */
export const verify = (path: string) => withBackup(path, async (_, description) => description);

/** As `rollcall restore` does it. */
export async function restore(
  backup: string,
  db: string,
  onWait = () => {},
  change: Change = () => ({}),
): Promise<ReplaceOutcome> {
  return withBackup(backup, (contents) =>
    storeAt(db).replace((transaction) => restoreContents(transaction, changed(contents, change), () => {}), {
      onWait,
    }),
  );
}

/** Everything in a store but the versions. */
export async function contents(db: string) {
  const store = await openWriteStore(db);
  try {
    const companies = await store.companies();
    const facts = await Promise.all(companies.map(({ id }) => exported(store, id)));
    return { companies, facts, keys: await store.keys(), feeds: await store.feeds() };
  } finally {
    await store.close();
  }
}
