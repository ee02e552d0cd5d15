// A backup of any engine: an embedded store, with keys and feeds in the same file, compressed with zstd. Its checksum shows damage.
import { Database, SQLiteError } from "bun:sqlite";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress, zstdDecompressSync } from "node:zlib";
import { DAY_MS, utcDayOf } from "../../time/day.ts";
import { StoredContents } from "../contents.ts";
import { DEVELOPMENT_VERSION, formatNumber, type Store } from "../engine.ts";
import { insertSecret } from "../queries.ts";
import { type Contents, StoreRefusal, StoreUnavailable } from "../store.ts";
import { KINDS } from "../tables.ts";
import { restoreContents } from "../transfer/copy.ts";
import { BACKUP_ID, failure, fullOfTemporaryFiles, pragma, Statements, versionOf } from "./database.ts";
import { KEYS_SCHEMA, STORE_SCHEMA } from "./schema.ts";
import {
  fileError,
  makeTemporaryFile,
  moveIntoPlace,
  removeDatabase,
  thenRemove,
  withFileErrors,
  withTemporaryDatabase,
} from "./temporary-file.ts";
import { fillNewStore } from "./write.ts";

/** The tables of a backup that a store does not have. */
const OWN_SCHEMA = `${KEYS_SCHEMA} create table backup (made_at_ms integer not null) strict;`;
const VERSION = versionOf(STORE_SCHEMA + OWN_SCHEMA);

/** The mark of versions before 1.0, whose backups were not compressed. */
const OLDER_BACKUP_ID = 0x524f4c42;

/** The tables whose rows a backup's description counts. */
export const COUNTED = ["companies", "keys", "feeds", ...KINDS] as const;

/** The description of a backup. */
export interface BackupDescription {
  readonly madeAtMs: number;
  /** How many rows there are of each kind. */
  readonly rows: Readonly<Record<(typeof COUNTED)[number], number>>;
}

export class DamagedBackup extends StoreRefusal {}

function damaged(path: string, cause?: unknown): DamagedBackup {
  return new DamagedBackup(
    `${path} is not a whole backup: it is damaged, cut short, edited, or another kind of file. Nothing was changed`,
    "take another backup",
    { cause },
  );
}

function olderBackup(path: string, by = "a Rollcall before 1.0"): StoreRefusal {
  return new StoreRefusal(
    `${path} was made by ${by}, which this one does not read. Nothing was changed`,
    `bring it over: with the older version, rollcall restore ${path} --db older.db, and rollcall export --db older.db --company ID --out FOLDER for each company. Then with this one, rollcall companies create ID, rollcall import FOLDER --company ID, and new keys with rollcall keys create --company ID`,
  );
}

// Writing ------------------------------------------------------------------------------------------------------------

interface WriteOptions {
  readonly now: () => number;
  /** Gets how many rows were read so far, from an engine without files. */
  readonly onRows?: (rows: number) => void;
}

/** Writes a backup to `out`, and reads it through before it gets its name. Replaces only a backup. A failure leaves nothing. */
export async function writeBackup(
  store: Store,
  out: string,
  options: WriteOptions,
): Promise<BackupDescription> {
  if (existsSync(out) && !isBackup(out))
    throw new StoreRefusal(
      `${out} is there already and is not a backup`,
      "choose another name, it will not be overwritten",
    );
  return makeBackup(store, out, () => out, options);
}

/** Makes a backup beside `beside`. `pathOf` returns its path by the moment of its snapshot. */
async function makeBackup(
  store: Store,
  beside: string,
  pathOf: (madeAtMs: number) => string,
  options: WriteOptions,
): Promise<BackupDescription> {
  const temporary = withFileErrors(beside, () => makeTemporaryFile(beside));
  return thenRemove(
    () => removeDatabase(temporary),
    async () => {
      await withTemporaryDatabase(async (path) => {
        await fill(path, store, options);
        const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
        await stream(path, zstd, temporary).catch((error) => {
          throw fileError(beside, error);
        });
      });
      const made = await withBackup(temporary, async (_, description) => description);
      withFileErrors(beside, () => moveIntoPlace(temporary, pathOf(made.madeAtMs)));
      return made;
    },
  );
}

const CHUNK_BYTES = 1 << 20;

async function stream(from: string, through: NodeJS.ReadWriteStream, to: string): Promise<void> {
  // The file is made here, not by the stream, which would make it again after a signal has removed it.
  closeSync(openSync(to, "a", 0o600));
  await pipeline(
    createReadStream(from, { highWaterMark: CHUNK_BYTES }),
    through,
    createWriteStream(to, { flags: "r+" }),
  );
}

/** Makes the database of a backup at `path`, where no file may be. */
function fill(path: string, store: Store, { now, onRows = () => {} }: WriteOptions): Promise<void> {
  return store.snapshot(async (contents) => {
    const [keys, feeds] = [await contents.keys(), await contents.feeds()];
    await store.file?.vacuumInto(path);
    const madeAtMs = now();
    if (store.file === null)
      await fillNewStore(path, (transaction) => restoreContents(transaction, contents, onRows));
    using statements = new Statements(new Database(path, { readwrite: true }));
    const { database } = statements;
    try {
      database.run("pragma journal_mode = delete");
      database.run("pragma synchronous = off"); // the file is deleted after a failure
      database.run(OWN_SCHEMA);
      for (const insert of [...keys, ...feeds].map(insertSecret)) statements.all(insert);
      for (const table of ["keys", "feeds"])
        database.run(`delete from ${table} where company_id not in (select id from companies)`);
      database.run("insert into backup values (?)", [madeAtMs]);
      database.run(`pragma application_id = ${BACKUP_ID}`);
      database.run(`pragma user_version = ${VERSION}`);
    } catch (error) {
      throw error instanceof SQLiteError ? failure(path, error) : error;
    }
  });
}

// Reading ------------------------------------------------------------------------------------------------------------

/** Reads a backup through, then calls `work` with its contents. Raises StoreRefusal for a file that is no backup, or is damaged. */
export async function withBackup<T>(
  path: string,
  work: (contents: Contents, description: BackupDescription) => Promise<T>,
): Promise<T> {
  if (!existsSync(path)) throw new StoreRefusal(`There is no backup at ${path}`, "check the path");
  return withTemporaryDatabase(async (copy) => {
    await stream(path, createZstdDecompress(), copy).catch((error) => {
      throw unreadable(path, error);
    });
    if (statSync(copy).size === 0) throw damaged(path);
    // Keeps errors of reading the backup apart from errors of the store that it is restored into.
    const attempt = <R>(read: () => R): R => {
      try {
        return read();
      } catch (error) {
        throw error instanceof SQLiteError ? damaged(path, error) : error;
      }
    };
    using statements = attempt(() => new Statements(new Database(copy, { readonly: true })));
    attempt(() => requireOurs(statements.database, path));
    const contents = new StoredContents(async (query) => attempt(() => statements.all(query)));
    return await work(
      contents,
      attempt(() => describe(statements.database)),
    );
  });
}

function unreadable(path: string, error: NodeJS.ErrnoException): unknown {
  if (error.code === "ENOSPC" || error.code === "EDQUOT") return fullOfTemporaryFiles(error);
  if (error.syscall !== undefined && error.code !== "EISDIR")
    return new StoreUnavailable(
      `${path} cannot be read (${error.code})`,
      "check its permissions and its disk",
      {
        cause: error,
      },
    );
  return idOf(path) === OLDER_BACKUP_ID ? olderBackup(path) : damaged(path, error);
}

/** A backup of ours, whole or not, of whatever version. */
function isBackup(path: string): boolean {
  return [BACKUP_ID, OLDER_BACKUP_ID].includes(idOf(path) ?? 0);
}

/** Longer than a block of zstd. */
const START_BYTES = 1 << 18;

/** The application id of an SQLite file, compressed or not (https://www.sqlite.org/fileformat.html, 1.3). Null for any other file. */
function idOf(path: string): number | null {
  const start = Buffer.alloc(START_BYTES);
  try {
    const file = openSync(path, "r");
    const length = readSync(file, start);
    closeSync(file);
    const header = start.toString("latin1").startsWith("SQLite format 3")
      ? start
      : zstdDecompressSync(start.subarray(0, length), { finishFlush: constants.ZSTD_e_continue });
    return header.readUInt32BE(APPLICATION_ID_AT);
  } catch {
    return null;
  }
}

const APPLICATION_ID_AT = 68;

function requireOurs(database: Database, path: string): void {
  database.run("pragma trusted_schema = off");
  if (pragma(database, "application_id") !== BACKUP_ID)
    throw new StoreRefusal(`${path} is not a backup made by rollcall backup. Nothing was changed`);
  const version = pragma(database, "user_version");
  if (version !== VERSION) {
    if (formatNumber(version) > formatNumber(VERSION))
      throw new StoreRefusal(
        `${path} was made by a newer Rollcall. Nothing was changed`,
        "upgrade Rollcall first",
      );
    throw olderBackup(path, DEVELOPMENT_VERSION);
  }
  if (database.query("pragma quick_check(1)").values()[0]?.[0] !== "ok") throw damaged(path);
}

function describe(database: Database): BackupDescription {
  const number = (query: string) => Number(database.query(query).values()[0]?.[0]);
  const counts = COUNTED.map((table) => [table, number(`select count(*) from ${table}`)]);
  return { madeAtMs: number("select made_at_ms from backup"), rows: Object.fromEntries(counts) };
}

// Folders of backups -------------------------------------------------------------------------------------------------

/** A backup in a folder. */
export interface KeptBackup {
  readonly path: string;
  readonly madeAtMs: number;
  /** Identifies the state of the store that was backed up: 12 hexadecimal digits. */
  readonly state: string;
}

const NAME = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)-([0-9a-f]{12})\.backup$/;

const nameOf = (madeAtMs: number, state: string) =>
  `${new Date(madeAtMs).toISOString().replaceAll(":", "-")}-${state}.backup`;

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The backups in a folder, oldest first; other files are left out. Raises StoreRefusal if there is no folder. */
export function backupsIn(folder: string): KeptBackup[] {
  if (!isFolder(folder)) throw new StoreRefusal(`There is no folder ${folder}`, "make it, or check the path");
  return withFileErrors(folder, () => readdirSync(folder))
    .toSorted()
    .flatMap((name) => {
      const [, hour, minute, second, state = ""] = NAME.exec(name) ?? [];
      const madeAtMs = Date.parse(`${hour}:${minute}:${second}`);
      return Number.isNaN(madeAtMs) ? [] : [{ path: join(folder, name), madeAtMs, state }];
    });
}

/** The last backup in the folder that is not later than `atMs`. Raises StoreRefusal if there is none. */
export function backupAt(folder: string, atMs = Number.POSITIVE_INFINITY): KeptBackup {
  const backups = backupsIn(folder);
  const last = backups.findLast(({ madeAtMs }) => madeAtMs <= atMs);
  if (last !== undefined) return last;
  if (backups[0] === undefined) {
    const other = readdirSync(folder).find((name) => name.endsWith(".backup"));
    throw new StoreRefusal(
      `There is no backup of "rollcall backup --into" in ${folder}. Nothing was changed`,
      other === undefined ? "check the path" : `give one file, such as ${join(folder, other)}`,
    );
  }
  throw new StoreRefusal(
    `The first backup in ${folder} is of ${new Date(backups[0].madeAtMs).toISOString()}, after that moment. Nothing was changed`,
    "give a later one with --at",
  );
}

/** Adds a backup of the store to the folder. `state`: 12 hexadecimal digits that other states do not have. */
export async function addToFolder(
  store: Store,
  folder: string,
  state: string,
  now: () => number,
): Promise<KeptBackup> {
  const lastMs = backupsIn(folder).at(-1)?.madeAtMs ?? 0;
  const pathOf = (atMs: number) => join(folder, nameOf(atMs, state));
  const { madeAtMs } = await makeBackup(store, join(folder, "next"), pathOf, {
    now: () => Math.max(now(), lastMs + 1), // also if the clock was set back
  });
  return { path: pathOf(madeAtMs), madeAtMs, state };
}

/**
 * Removes old backups. Keeps all of the last 24 hours, and the last one of each UTC day before. Of these, it keeps those whose successor is
 * not older than `keepMs`. So the state at the end of each day of that time can be restored.
 */
export function thinFolder(folder: string, nowMs: number, keepMs: number): void {
  const backups = backupsIn(folder);
  const dayOf = ({ madeAtMs }: KeptBackup) => utcDayOf(madeAtMs);
  const isKept = (backup: KeptBackup, next: KeptBackup | undefined) =>
    next === undefined || dayOf(next) > dayOf(backup) || next.madeAtMs > nowMs - DAY_MS;
  const kept = backups.filter((backup, at) => isKept(backup, backups[at + 1]));
  const inTime = kept.filter(
    (_, at) => (kept[at + 1]?.madeAtMs ?? Number.POSITIVE_INFINITY) > nowMs - keepMs,
  );
  for (const backup of backups)
    if (!inTime.includes(backup)) withFileErrors(folder, () => rmSync(backup.path, { force: true }));
}

/** Sets the time of the backup's file, to note that the store has not changed since the backup. */
export function noteSeen({ path }: KeptBackup, nowMs: number): void {
  withFileErrors(path, () => utimesSync(path, nowMs / 1000, nowMs / 1000));
}
