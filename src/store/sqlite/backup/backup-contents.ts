// Backups of other engines' stores: the same kind of file, filled with what such a store holds, and read for it.
import { Database, SQLiteError } from "bun:sqlite";
import { insertion } from "../../key-rows.ts";
import { type Company, type Contents, type StoredKey, StoreUnavailable } from "../../store.ts";
import { readThrough } from "../../transfer/contents.ts";
import { contentsOf } from "../contents.ts";
import { failure, Statements } from "../database.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "../schema.ts";
import { SqliteImportTransaction } from "../transaction.ts";
import type { BackupDescription } from "./backup-file.ts";
import { BackupPart } from "./backup-part.ts";

/** In the place of a company's version, which means nothing in a backup: restoring gives it a new one. */
const NO_VERSION = "";

/**
 * Writes a backup of `contents` to `outPath`, as `backUp` does of a store of ours, and reads it through to see that it
 * holds what was read. Raises StoreRefusal or StoreUnavailable; then nothing is left. `onRows` is told how many rows
 * there are so far.
 */
export async function backUpContents(
  contents: Contents,
  outPath: string,
  nowMs: number,
  onRows: (rows: number) => void = () => {},
): Promise<BackupDescription> {
  const versions = { storeVersion: MIGRATIONS.length, keysVersion: KEYS_MIGRATIONS.length };
  const part = new BackupPart(outPath, { ...versions, madeAtMs: nowMs }, []);
  try {
    const database = part.open();
    await fill(new Statements(database), contents, onRows);
    return part.finish(database);
  } catch (error) {
    throw error instanceof SQLiteError ? failure(outPath, error) : error;
  } finally {
    part.discard();
  }
}

async function fill(
  statements: Statements,
  contents: Contents,
  onRows: (rows: number) => void,
): Promise<void> {
  statements.database.run("begin");
  let count = 0;
  const read = await readThrough(contents, {
    company: ({ id, name, createdAtMs }: Company) =>
      void statements
        .prepare("insert into companies values (?, ?, ?, ?)")
        .run(id, name, NO_VERSION, createdAtMs),
    key: (key: StoredKey) => void statements.all(insertion(key)),
    async rows(companyId, kind, rows) {
      await new SqliteImportTransaction(statements, companyId).put(kind, rows);
      count += rows.length;
      onRows(count);
    },
  });
  const written = await readThrough(contentsOf(statements));
  statements.finalize();
  if (written !== read) {
    throw new StoreUnavailable(
      "The backup does not hold what was read",
      "check the disk it is on, and try again",
    );
  }
}

/** Gives `work` what the backup at `path` holds, which `verifyBackup` has read. */
export async function withBackupContents<T>(
  path: string,
  work: (contents: Contents) => Promise<T>,
): Promise<T> {
  const statements = new Statements(new Database(path, { readonly: true }));
  try {
    statements.database.run("pragma trusted_schema = off");
    statements.database.run("begin");
    return await work(contentsOf(statements));
  } catch (error) {
    throw error instanceof SQLiteError ? failure(path, error) : error;
  } finally {
    statements.close();
  }
}
