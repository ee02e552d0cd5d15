// What one import remembers about its own rows, in a temporary database on disk, so that memory does not grow with
// the rows. SQLite creates the file without a name; it disappears with the import.
import { Database, type Statement } from "bun:sqlite";
import type { RowDigest, RowKey } from "../store/store.ts";
import { KINDS, type Kind, TABLES } from "../store/tables.ts";
import type { Place } from "./row-errors.ts";

const CACHE_KIB = 8 * 1024;

/** A file has fewer lines than this, so that source and line fit one exact number. */
const LINES_PER_FILE = 2 ** 36;

/** As what a row was counted. */
export type CountedAs = "added" | "changed" | "unchanged";

/** The manager that a worker's row names. */
export interface NamedManager {
  readonly workerId: string;
  readonly legacyId: string | null;
  readonly name: string;
  /** The manager that the worker was written with; then the one that is meant. */
  readonly managerId: string | null;
  /** How the row was counted. */
  readonly counted: CountedAs;
  /** Which of the import's sources it came from, and where it is there. */
  readonly sourceAt: number;
  readonly place: Place;
}

interface ManagerRow extends Omit<NamedManager, "place"> {
  readonly place: string;
}

const MANAGER_COLUMNS =
  'worker_id as "workerId", legacy_id as "legacyId", name, manager_id as "managerId", counted, source_at as "sourceAt", place';

type Keyed = { readonly key: string };

export class ImportMemory {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor() {
    // An attached database without a name is SQLite's temporary file; the main one would be memory alone.
    this.#database = new Database(":memory:");
    this.#database.run("attach '' as remembered");
    this.#database.run("pragma remembered.journal_mode = off");
    this.#database.run("pragma remembered.synchronous = off");
    this.#database.run(`pragma remembered.cache_size = -${CACHE_KIB}`);
    for (const kind of KINDS) {
      this.#database.run(
        `create table remembered.seen_${kind} (key text primary key, place integer) without rowid`,
      );
      this.#database.run(
        `create table remembered.legacy_${kind} (legacy_id text primary key, id text) without rowid`,
      );
      this.#database.run(`create table remembered.deleted_${kind} (key text)`);
      this.#database.run(`create table remembered.present_${kind} (key text primary key) without rowid`);
      this.#database.run(`create table remembered.digests_${kind} (key text, digest integer)`);
    }
    this.#database.run("create table remembered.moved_workers (id text primary key) without rowid");
    this.#database.run(
      "create table remembered.managers (worker_id text primary key, legacy_id text, name text, manager_id text, counted text, source_at integer, place text) without rowid",
    );
    this.#database.run("begin");
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Records the source and line of a row with this key. Returns the earlier ones of the same key, or null. */
  firstPlace(
    kind: Kind,
    key: string,
    sourceAt: number,
    line: number,
  ): { sourceAt: number; line: number } | null {
    const noted = this.#statement(`insert or ignore into seen_${kind} values (?, ?)`);
    if (noted.run(key, sourceAt * LINES_PER_FILE + line).changes > 0) return null;
    const found = this.#statement(`select place from seen_${kind} where key = ?`).get(key);
    const { place } = found as { place: number }; // the selection
    return { sourceAt: Math.floor(place / LINES_PER_FILE), line: place % LINES_PER_FILE };
  }

  isSeen(kind: Kind, key: string): boolean {
    return this.#statement(`select 1 from seen_${kind} where key = ?`).get(key) !== null;
  }

  /** Notes that the files have a row with this key, although it is not loaded: pruning must leave what is stored of it. */
  notePresent(kind: Kind, key: string): void {
    this.#statement(`insert or ignore into present_${kind} values (?)`).run(key);
  }

  isPresent(kind: Kind, key: string): boolean {
    return (
      this.isSeen(kind, key) ||
      this.#statement(`select 1 from present_${kind} where key = ?`).get(key) !== null
    );
  }

  /** Whether any key was noted as present alone. */
  hasPresent(kind: Kind): boolean {
    return this.#statement(`select 1 from present_${kind} limit 1`).get() !== null;
  }

  /** Notes which row of this import has a legacy id, for those whose id is not minted from it. */
  noteLegacyId(kind: Kind, legacyId: string, id: string): void {
    this.#statement(`insert or ignore into legacy_${kind} values (?, ?)`).run(legacyId, id);
  }

  idOfLegacyId(kind: Kind, legacyId: string): string | null {
    const found = this.#statement(`select id from legacy_${kind} where legacy_id = ?`).get(legacyId);
    return (found as { id: string } | null)?.id ?? null; // the selection
  }

  noteManager({ workerId, legacyId, name, managerId, counted, sourceAt, place }: NamedManager): void {
    this.#statement("insert or replace into managers values (?, ?, ?, ?, ?, ?, ?)").run(
      workerId,
      legacyId,
      name,
      managerId,
      counted,
      sourceAt,
      JSON.stringify(place),
    );
  }

  /** Notes the id of the manager that a worker whose row was noted names. */
  noteManagerId(workerId: string, managerId: string): void {
    this.#statement("update managers set manager_id = ? where worker_id = ?").run(managerId, workerId);
  }

  /** The id of the manager that a worker's row names; undefined where it names none. */
  managerOf(workerId: string): string | null | undefined {
    const select = this.#statement('select manager_id as "managerId" from managers where worker_id = ?');
    return (select.get(workerId) as Pick<ManagerRow, "managerId"> | null)?.managerId; // the selection
  }

  /** Those whose rows were noted with this manager. */
  managedBy(managerId: string): NamedManager[] {
    this.#database.run("create index if not exists remembered.reports on managers (manager_id)");
    const select = this.#statement(`select ${MANAGER_COLUMNS} from managers where manager_id = ?`);
    return (select.all(managerId) as ManagerRow[]).map(namedManager); // the selection
  }

  /** The managers that workers name, in batches. */
  namedManagers(batchSize: number): Iterable<NamedManager[]> {
    const select = `select ${MANAGER_COLUMNS} from managers`;
    return this.#batches<ManagerRow, NamedManager>(select, batchSize, namedManager);
  }

  /** Notes the digest that a row gets. */
  noteDigest(kind: Kind, key: RowKey, digest: RowDigest): void {
    this.#statement(`insert into digests_${kind} values (?, ?)`).run(keyText(key), digest);
  }

  /** The digests that were noted, in the order of their keys, in batches. */
  digests(kind: Kind, batchSize: number): Iterable<(readonly [key: RowKey, digest: RowDigest])[]> {
    const select = `select key, cast(digest as text) as digest from digests_${kind} order by key`;
    return this.#batches<Keyed & { readonly digest: string }, readonly [RowKey, RowDigest]>(
      select,
      batchSize,
      ({ key, digest }) => [keyOfText(kind, key), BigInt(digest)],
    );
  }

  noteRezonedWorker(id: string): void {
    this.#statement("insert or ignore into moved_workers values (?)").run(id);
  }

  /** The workers noted as moved, in batches. */
  rezonedWorkers(batchSize: number): Iterable<string[]> {
    return this.#batches<Keyed, string>("select id as key from moved_workers", batchSize, ({ key }) => key);
  }

  markForDeletion(kind: Kind, key: RowKey): void {
    this.#statement(`insert into deleted_${kind} values (?)`).run(JSON.stringify(key));
  }

  /** The keys marked for deletion, in batches. */
  markedForDeletion(kind: Kind, batchSize: number): Iterable<RowKey[]> {
    const read = ({ key }: Keyed) => JSON.parse(key) as RowKey; // as markForDeletion wrote it
    return this.#batches<Keyed, RowKey>(`select key from deleted_${kind}`, batchSize, read);
  }

  *#batches<R, T>(sql: string, size: number, read: (row: R) => T): Generator<T[]> {
    let batch: T[] = [];
    for (const row of this.#database.query(sql).iterate() as Iterable<R>) {
      batch.push(read(row));
      if (batch.length === size) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#database.close();
  }
}

function namedManager(row: ManagerRow): NamedManager {
  return { ...row, place: JSON.parse(row.place) as Place }; // as noteManager wrote it
}

/** A copy of a text that does not keep the piece of file alive that it was cut from. */
export function detached(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

/** A row's key as one text: nothing in a key contains NUL. */
export function keyText(key: RowKey): string {
  return key.length === 1 ? String(key[0]) : key.join("\0");
}

/** The key that `keyText` made this text of. */
function keyOfText(kind: Kind, text: string): RowKey {
  const { key, types } = TABLES[kind];
  return text.split("\0").map((value, at) => (types.get(key[at]!) === "text" ? value : Number(value)));
}
