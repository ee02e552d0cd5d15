// What one import remembers about its own rows, in a temporary database on disk, so that memory does not grow with
// the rows. SQLite creates the file without a name; it disappears with the import.
import { Database, type Statement } from "bun:sqlite";
import type { RowKey, WorkerBefore } from "../store/store.ts";
import { FACT_KINDS, type FactKind } from "../store/tables.ts";
import type { Located } from "./source/read.ts";

const CACHE_KIB = 8 * 1024;

/** A file has fewer lines than this, so that file and line fit one exact number. */
const LINES_PER_FILE = 2 ** 36;

/** A worker whose manager is named. */
export interface NamedManager {
  readonly workerId: string;
  readonly name: string;
  /** Which of the import's sources it came from. */
  readonly file: number;
  /** The row as its file has it. */
  readonly located: Located;
  /** What was stored before; null for a new worker, and where no row is put aside. */
  readonly before: WorkerBefore | null;
  /** The manager that the worker was written with. */
  readonly managerId: string | null;
  /** How the row was counted. */
  readonly counted: "added" | "changed" | "unchanged";
}

export class Scratch {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor() {
    // An attached database without a name is SQLite's temporary file; the main one would be memory alone.
    this.#database = new Database(":memory:");
    this.#database.run("attach '' as scratch");
    this.#database.run("pragma scratch.journal_mode = off");
    this.#database.run("pragma scratch.synchronous = off");
    this.#database.run(`pragma scratch.cache_size = -${CACHE_KIB}`);
    for (const kind of FACT_KINDS) {
      this.#database.run(
        `create table scratch.seen_${kind} (key text primary key, place integer) without rowid`,
      );
      this.#database.run(
        `create table scratch.legacy_${kind} (legacy_id text primary key, id text) without rowid`,
      );
      this.#database.run(`create table scratch.deleted_${kind} (key text)`);
      this.#database.run(`create table scratch.present_${kind} (key text primary key) without rowid`);
    }
    this.#database.run("create table scratch.moved_workers (id text primary key) without rowid");
    this.#database.run(
      "create table scratch.managers (worker_id text primary key, named text) without rowid",
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

  /** Records the file and line of a row with this key. Returns the earlier file and line of the same key, or null. */
  firstPlace(kind: FactKind, key: string, file: number, line: number): { file: number; line: number } | null {
    const insert = this.#statement(`insert or ignore into seen_${kind} values (?, ?)`);
    if (insert.run(key, file * LINES_PER_FILE + line).changes > 0) return null;
    const found = this.#statement(`select place from seen_${kind} where key = ?`).get(key) as {
      place: number;
    }; // the selection
    return { file: Math.floor(found.place / LINES_PER_FILE), line: found.place % LINES_PER_FILE };
  }

  isSeen(kind: FactKind, key: string): boolean {
    return this.#statement(`select 1 from seen_${kind} where key = ?`).get(key) !== null;
  }

  /** Notes that the files have a row with this key, although it is not loaded: pruning must leave what is stored of it. */
  notePresent(kind: FactKind, key: string): void {
    this.#statement(`insert or ignore into present_${kind} values (?)`).run(key);
  }

  isPresent(kind: FactKind, key: string): boolean {
    return (
      this.isSeen(kind, key) ||
      this.#statement(`select 1 from present_${kind} where key = ?`).get(key) !== null
    );
  }

  /** How many keys were noted as present alone. */
  countPresent(kind: FactKind): number {
    const sql = `select count(*) as count from present_${kind} p where not exists (select 1 from seen_${kind} s where s.key = p.key)`;
    return (this.#statement(sql).get() as { count: number }).count; // the selection
  }

  /** Notes which row of this import has a legacy id, for those whose id is not minted from it. */
  noteLegacyId(kind: FactKind, legacyId: string, id: string): void {
    this.#statement(`insert or ignore into legacy_${kind} values (?, ?)`).run(legacyId, id);
  }

  idOfLegacyId(kind: FactKind, legacyId: string): string | null {
    const found = this.#statement(`select id from legacy_${kind} where legacy_id = ?`).get(legacyId);
    return (found as { id: string } | null)?.id ?? null; // the selection
  }

  noteManager(named: NamedManager): void {
    this.#statement("insert into managers values (?, ?)").run(named.workerId, JSON.stringify(named));
  }

  /** Replaces what was noted. */
  noteManagerAgain(named: NamedManager): void {
    this.#statement("update managers set named = ? where worker_id = ?").run(
      JSON.stringify(named),
      named.workerId,
    );
  }

  /** The workers that name a manager, in batches. */
  namedManagers(batchSize: number): Iterable<NamedManager[]> {
    const read = (text: string) => JSON.parse(text) as NamedManager; // as noteManager wrote it
    return this.#batches("select named as key from managers", batchSize, read);
  }

  namedManager(workerId: string): NamedManager | null {
    const found = this.#statement("select named from managers where worker_id = ?").get(workerId);
    return found === null ? null : JSON.parse((found as { named: string }).named); // likewise
  }

  noteMovedWorker(id: string): void {
    this.#statement("insert or ignore into moved_workers values (?)").run(id);
  }

  /** The workers noted as moved, in batches. */
  movedWorkers(batchSize: number): Iterable<string[]> {
    return this.#batches("select id as key from moved_workers", batchSize, (key) => key);
  }

  markForDeletion(kind: FactKind, key: RowKey): void {
    this.#statement(`insert into deleted_${kind} values (?)`).run(JSON.stringify(key));
  }

  /** The keys marked for deletion, in batches. */
  markedForDeletion(kind: FactKind, batchSize: number): Iterable<RowKey[]> {
    return this.#batches(`select key from deleted_${kind}`, batchSize, (key) => JSON.parse(key) as RowKey); // as markForDeletion wrote it
  }

  *#batches<T>(sql: string, size: number, read: (key: string) => T): Generator<T[]> {
    let batch: T[] = [];
    for (const row of this.#database.query(sql).iterate() as Iterable<{ key: string }>) {
      batch.push(read(row.key));
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

/** A row's key as one text: nothing in a key contains NUL. */
export function keyText(key: RowKey): string {
  return key.length === 1 ? String(key[0]) : key.join("\0");
}
