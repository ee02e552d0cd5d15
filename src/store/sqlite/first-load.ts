// The first rows of a company. They come in the order of their files, and their keys are hashes: written as they come, each
// would touch another page. So the rows of a kind are gathered in a temporary table, which SQLite puts on disk, and moved
// in the order of their keys: pages are filled one after the other, and full. Where no other company has rows of the kind
// either, the indexes are made at the end, in one pass each.
import { SQLiteError, type SQLQueryBindings } from "bun:sqlite";
import { isNumbered } from "../feed-notes.ts";
import { DuplicateRows } from "../store.ts";
import { columnName, type FactKind, isDigested, TABLES } from "../tables.ts";
import type { Statements } from "./database.ts";
import { INSERT_REQUEST_SPANS } from "./schema.ts";

/** Page cache of the temporary table. */
const GATHER_CACHE_KIB = 4096;
/** Page cache while rows are sorted: SQLite sorts in as much memory again before it goes to disk. */
const SORT_CACHE_KIB = 8192;

/** Indexes of the few rows that have something: keeping them costs less than reading the whole table for each. */
const IS_OF_FEW = /where (terms|seq) is not null$/;

const ASSIGNMENT_IDS = "assignments_id";
const TWO_WITH_ONE_ID = `select 1 from assignments indexed by ${ASSIGNMENT_IDS} group by company_id, id having count(*) > 1 limit 1`;

interface Index {
  readonly name: string;
  readonly sql: string;
}

/** The columns of a kind's table that an import writes, in the order in which rows are bound. */
export function writtenColumns(kind: FactKind): string[] {
  const numbered = isNumbered(kind) ? ["seq"] : [];
  const digested = isDigested(kind) ? ["digest"] : [];
  return ["company_id", ...TABLES[kind].columns.map(columnName), ...numbered, ...digested];
}

export class FirstLoads {
  readonly #statements: Statements;
  /** The kind whose rows are gathered now. */
  #kind: FactKind | null = null;
  /** The statements that make the indexes which were left out. */
  readonly #missing: string[] = [];

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  gathers(kind: FactKind): boolean {
    return this.#kind === kind;
  }

  begin(kind: FactKind): void {
    this.#kind = kind;
    const { database } = this.#statements;
    database.run(`pragma temp.cache_size = -${GATHER_CACHE_KIB}`);
    database.run(`create temp table gathered (${writtenColumns(kind).join(", ")})`);
  }

  /** Gathers a row: the values of `writtenColumns`. */
  gather(values: readonly SQLQueryBindings[]): void {
    const places = ", ?".repeat(values.length - 1);
    this.#statements.prepare(`insert into temp.gathered values (?${places})`).run(...values);
  }

  /**
   * Moves what was gathered to its table. Until `finish`, rows are found by key, legacy id and id alone. Raises
   * DuplicateRows.
   */
  end(): void {
    Bun.gc(true); // what reading left behind, before sorting takes memory
    try {
      this.#withSmallCache(() => this.#move());
    } catch (error) {
      if (!(error instanceof SQLiteError) || !error.code?.startsWith("SQLITE_CONSTRAINT")) throw error;
      throw new DuplicateRows(undefined, { cause: error });
    }
  }

  #move(): void {
    const kind = this.#kind!; // it was begun
    this.#kind = null;
    const { database } = this.#statements;
    this.#statements.finalize();
    const indexes = this.#isEmpty(kind) ? this.#indexesOf(kind) : [];
    for (const { name } of indexes) database.run(`drop index ${name}`);
    const names = writtenColumns(kind).join(", ");
    const key = TABLES[kind].key.map(columnName).join(", ");
    database.run(`insert into ${kind} (${names}) select ${names} from temp.gathered order by ${key}`);
    if (kind === "requests") this.#fileRequests();
    database.run("drop table temp.gathered");
    for (const { name, sql } of indexes) {
      if (/^create unique /i.test(sql) || name === ASSIGNMENT_IDS) database.run(sql);
      else this.#missing.push(sql);
    }
    // Their key is another one.
    if (kind === "assignments" && database.query(TWO_WITH_ONE_ID).get() !== null) throw new DuplicateRows();
  }

  #fileRequests(): void {
    const { database } = this.#statements;
    const indexes = this.#isEmpty("request_spans") ? this.#indexesOf("request_spans") : [];
    for (const { name, sql } of indexes) {
      database.run(`drop index ${name}`);
      this.#missing.push(sql);
    }
    database.run(INSERT_REQUEST_SPANS("temp.gathered"));
  }

  /** Makes the indexes that were left out. */
  finish(): void {
    if (this.#missing.length === 0) return;
    this.#statements.finalize();
    this.#withSmallCache(() => {
      for (const sql of this.#missing) this.#statements.database.run(sql);
    });
    this.#missing.length = 0;
  }

  #withSmallCache(work: () => void): void {
    const { database } = this.#statements;
    const before = Number(database.query("pragma cache_size").values()[0]?.[0]);
    database.run(`pragma cache_size = -${SORT_CACHE_KIB}`);
    try {
      work();
    } finally {
      database.run(`pragma cache_size = ${before}`);
    }
  }

  #isEmpty(table: string): boolean {
    return this.#statements.database.query(`select 1 from ${table} limit 1`).get() === null;
  }

  #indexesOf(table: string): Index[] {
    return this.#statements.database
      .query<Index, [string]>(
        "select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null order by name",
      )
      .all(table)
      .filter(({ sql }) => !IS_OF_FEW.test(sql));
  }
}
