// SQL over the given files: each is a table of a temporary database, which is deleted when the import ends.
import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNothing } from "../../resources/cells.ts";
import { isSkippedBy, type SkipRule, skipRules } from "../convert/columns.ts";
import type { SourceMapping } from "../convert/schema.ts";
import type { UnitName } from "../convert/units.ts";
import { type Place, type RowErrors, shown } from "../row-errors.ts";
import { openRecords } from "./files.ts";
import { JsonRecords, parsedJson } from "./json-record.ts";
import { QueryFailed, type QueryLimits, QueryThread } from "./query-thread.ts";
import {
  type Cell,
  DecimalNumber,
  type Doubt,
  doubtsOf,
  MAX_COLUMNS,
  plainCell,
  type ReadOptions,
  type RecordReader,
  type SourceRecord,
  UncertainNumber,
  UnitNumber,
  UnreadableFile,
  UnstoredFormula,
} from "./records.ts";

const CACHE_KIB = 16 * 1024;
/** The most bad records. A file with more is not what its mapping expects. */
const MAX_BAD_RECORDS = 1000;

/** A file of a table. */
export interface TableFile {
  readonly path: string;
  readonly label: string;
  readonly options: ReadOptions;
  /** Values by column; records with them are left out. */
  readonly skip?: SourceMapping["skip"] | undefined;
}

/** The tables of a query by name. */
export type TableFiles = ReadonlyMap<string, readonly TableFile[]>;

export interface Query {
  readonly sql: string;
  /** Names the query in messages. */
  readonly label: string;
  readonly tables: TableFiles;
  /** Columns that a table always has, even if its files lack them or there are no files. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Whether its texts of numbers have a decimal comma: see `NumberTexts`. */
  readonly hasDecimalComma: boolean;
}

/** A record that could not be loaded into a table. */
export interface BadTableRecord {
  readonly place: Place;
  readonly cells: readonly Cell[];
  readonly problem: string;
}

/** The databases of one import. Queries over the same tables share one, and each file is loaded once. */
export class QueryDatabases {
  readonly #databases = new Map<string, TableDatabase>();
  readonly #badRecords: BadTableRecord[] = [];

  constructor(private readonly limits: QueryLimits) {}

  /** The first bad records of the tables, without repetition. */
  get badRecords(): readonly BadTableRecord[] {
    return this.#badRecords;
  }

  /** Loads the query's tables, and notes mistakes of records, files and the query in `bad`. */
  async load(query: Query, bad: RowErrors): Promise<void> {
    const onBad = (record: BadTableRecord) => {
      const isNew = bad.add(record.place, [record.problem]);
      if (isNew && this.#badRecords.length < MAX_BAD_RECORDS) this.#badRecords.push(record);
    };
    const key = keyOf(query);
    const database = this.#databases.get(key) ?? (await TableDatabase.create(query, this.limits));
    this.#databases.set(key, database);
    await database.load(query, bad, onBad);
  }

  /** The rows of a loaded query. `paths`: columns of nested JSON. Raises UnreadableFile, and ImportRefused at a limit. */
  open(query: Query, paths: readonly string[]): Promise<RecordReader> {
    return this.#of(query).open(query, paths);
  }

  /** What is probably wrong with each file that the query reads. */
  doubts(query: Query): ReadonlyMap<string, readonly Doubt[]> {
    const { doubts } = this.#of(query);
    const read = [...query.tables].flatMap(([name, files]) => (mentions(query.sql, name) ? files : []));
    return new Map(read.flatMap(({ label }) => (doubts.has(label) ? [[label, doubts.get(label)!]] : [])));
  }

  #of(query: Query): TableDatabase {
    return this.#databases.get(keyOf(query))!; // load() made it
  }

  close(): void {
    for (const database of this.#databases.values()) database.close();
  }
}

function keyOf({ tables, columns, hasDecimalComma }: Query): string {
  return JSON.stringify([hasDecimalComma, columns, ...tables]);
}

class TableDatabase {
  readonly #database: Database;
  readonly #thread: QueryThread;
  readonly #tables: TableFiles;
  readonly #always: Query["columns"];
  /** The columns of loaded tables. */
  readonly #columns = new Map<string, readonly string[]>();
  /** Tables with an unreadable file. */
  readonly #incomplete = new Set<string>();
  readonly #numbers: NumberTexts | null;
  readonly doubts = new Map<string, readonly Doubt[]>();

  /** The tables are in a file that is unlinked before it has content, so nothing stays however the process ends. */
  static async create(query: Query, limits: QueryLimits): Promise<TableDatabase> {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-tables-"));
    try {
      const path = join(folder, "tables");
      const created = new TableDatabase(query, path, limits);
      await created.#thread.attach(path, CACHE_KIB);
      return created;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  private constructor({ tables, columns, hasDecimalComma }: Query, path: string, limits: QueryLimits) {
    this.#tables = tables;
    this.#always = columns;
    this.#thread = new QueryThread(limits);
    this.#database = new Database(":memory:");
    this.#database.run("attach ? as files", [path]);
    // A journal file would need the database's name, which is gone.
    this.#database.run("pragma files.journal_mode = memory");
    this.#database.run("pragma files.synchronous = off");
    this.#database.run(`pragma files.cache_size = -${CACHE_KIB}`);
    this.#numbers = hasDecimalComma ? new NumberTexts(this.#database) : null;
  }

  async load({ sql, label }: Query, bad: RowErrors, onBad: (record: BadTableRecord) => void): Promise<void> {
    const wrong = notOneSelect(sql);
    if (wrong !== null) {
      bad.add({ file: label, line: null }, [wrong]);
      return;
    }
    const names = [...this.#tables.keys()].filter((name) => mentions(sql, name));
    for (const name of names) {
      if (this.#columns.has(name)) continue;
      this.#database.run("pragma query_only = off");
      this.#columns.set(name, await this.#loadTable(name, bad, onBad));
    }
    this.#database.run("pragma query_only = on");
    if (names.some((name) => this.#incomplete.has(name))) return;
    try {
      this.#database.prepare(`select * from (${bodyOf(sql)}\n)`).finalize();
    } catch (error) {
      const failure = this.#failure(error);
      if (!(failure instanceof UnreadableFile)) throw failure;
      bad.add({ file: label, line: null }, [failure.message]);
    }
  }

  async #loadTable(
    name: string,
    bad: RowErrors,
    onBad: (record: BadTableRecord) => void,
  ): Promise<readonly string[]> {
    const table = new TableWriter(this.#database, name, this.#numbers);
    table.extend(this.#always[name] ?? []);
    for (const { path, label, options, skip } of this.#tables.get(name) ?? []) {
      let reader: RecordReader | null = null;
      try {
        reader = await openRecords(path, options, []);
        table.beginFile(label, skip);
        if (reader.isHeaderFixed) table.extend(reader.header);
        let count = 0;
        for await (const records of reader.records()) {
          table.write(reader.header, records, onBad);
          count += records.length;
        }
        this.doubts.set(label, doubtsOf(reader, count));
        for (const { name } of skipRules({ skip }))
          if (!reader.header.includes(name))
            bad.add({ file: label, line: null }, [
              `has no column ${shown(name)}, which tables say to skip by`,
            ]);
      } catch (error) {
        if (!(error instanceof UnreadableFile)) throw error;
        this.#incomplete.add(name);
        bad.add({ file: label, line: error.line }, [error.message]);
      } finally {
        await reader?.close();
      }
    }
    return table.finish();
  }

  async open({ sql, label }: Query, paths: readonly string[]): Promise<RecordReader> {
    const body = bodyOf(sql);
    const statement = this.#database.prepare(body);
    const names = statement.columnNames;
    statement.finalize();
    const thread = this.#thread;
    const attempt = <T>(work: Promise<T>) => work.catch((error) => Promise.reject(this.#failure(error)));
    // Numbered names, so that no two columns of a join have the same name.
    const numbers = names.map((_, at) => `"${at}"`).join(", ");
    await attempt(
      thread.open(`with rollcall_rows(${numbers}) as (${body}\n) select * from rollcall_rows`, label),
    );
    const place = { file: names.indexOf("_file"), line: names.indexOf("_line") };
    const columns = names.flatMap((name, at) => (name === "_file" || name === "_line" ? [] : [{ name, at }]));
    const nested = columns.filter(({ name }) => paths.some((path) => path.startsWith(`${name}.`)));
    const json = nested.length === 0 ? null : new JsonRecords(paths);
    const numberTexts = this.#numbers;
    return {
      header: json?.header ?? columns.map(({ name }) => name),
      headerLine: 1,
      isHeaderFixed: json === null,
      mayHave: (path) => json?.mayHave(path) ?? false,
      async *records() {
        let number = 0;
        for (;;) {
          const rows = await attempt(thread.next());
          if (rows.length === 0) return;
          yield rows.map((row) => recordOf(row, ++number));
        }
      },
      close: () => thread.close(),
    };

    function recordOf(values: readonly unknown[], number: number): SourceRecord {
      const [file, line] = [values[place.file], values[place.line]];
      const where = typeof file === "string" && typeof line === "number" ? { file, line } : { line: number };
      const cells = columns.map(
        ({ at }) => (numberTexts === null ? values[at] : numberTexts.read(values[at])) as Cell,
      );
      if (cells.some((cell) => cell instanceof Uint8Array))
        return { ...where, cells: [], problem: "has binary data, not text" };
      if (json === null) return { ...where, cells };
      const object = Object.fromEntries(
        columns.map((column, at) => [
          column.name,
          nested.includes(column) ? unpacked(values[column.at]) : cells[at],
        ]),
      );
      return { ...json.recordOf(where.line, object), ...where };
    }
  }

  /** SQLite's failure as an UnreadableFile, with its message and the tables and columns there are. */
  #failure(error: unknown): unknown {
    if (!(error instanceof Error) || !["SQLiteError", QueryFailed.name].includes(error.name)) return error;
    return new UnreadableFile(null, `${error.message}. ${this.#whatThereIs()}`);
  }

  #whatThereIs(): string {
    if (this.#tables.size === 0) return "There are no tables: no file was given that could be one";
    const tables = [...this.#tables.keys()].map((name) => {
      const columns = this.#columns.get(name);
      return columns === undefined
        ? quotedName(name)
        : `${quotedName(name)} (${columns.map((column) => quotedName(column)).join(", ")})`;
    });
    return `There are: ${tables.join("; ")}`;
  }

  close(): void {
    this.#thread.end();
    this.#numbers?.close();
    this.#database.close();
  }
}

/** How many texts are remembered as noted. */
const NOTED_TEXTS = 10_000;

/**
 * Tells which texts with a point come from numbers of workbooks or JSON. In a table they are text, as queries expect. But with a decimal
 * comma, the text 1.125 means 1125, and the number 1.125 does not.
 */
class NumberTexts {
  readonly #note: Statement;
  readonly #find: Statement<{ number: number; text: number }, [string]>;
  readonly #noted = new Set<string>();

  constructor(database: Database) {
    database.run(
      "create table files.rollcall_numbers (cell text primary key, number integer, text integer) without rowid",
    );
    this.#note = database.prepare(
      `insert into files.rollcall_numbers
      values (?1, ?2, 1 - ?2)
      on conflict do update
      set number = number or ?2, text = text or not ?2`,
    );
    this.#find = database.prepare("select number, text from files.rollcall_numbers where cell = ?");
  }

  /** Notes the cell that became this text in a table. */
  note(text: string, cell: Cell): void {
    if (!POINTED.test(text)) return;
    const isNumber = typeof cell === "number" || cell instanceof DecimalNumber;
    const key = `${isNumber ? "n" : "t"}${text}`;
    if (this.#noted.has(key)) return;
    if (this.#noted.size < NOTED_TEXTS) this.#noted.add(key);
    this.#note.run(unsigned(text), isNumber ? 1 : 0);
  }

  /** A value of a query's result: a number again if its text came from one, and uncertain if a part of it may have. */
  read(value: unknown): unknown {
    if (typeof value !== "string") return value;
    if (!POINTED.test(value)) return this.#mayHaveNumber(value) ? new UncertainNumber(value) : value;
    const match = this.#find.get(unsigned(value));
    if (match === null || match.number === 0) return value;
    if (match.text !== 0) return new UncertainNumber(value);
    const [number, unit] = value.split(" ") as [string, UnitName?]; // as POINTED has them
    return unit === undefined ? new DecimalNumber(Number(number)) : new UnitNumber(Number(number), unit);
  }

  /** Whether a text, such as `1.125 Tage`, was joined with a number whose point would be read as one between thousands. */
  #mayHaveNumber(text: string): boolean {
    return (text.match(THOUSANDS) ?? []).some((part) => this.#find.get(part)?.number === 1);
  }

  close(): void {
    this.#note.finalize();
    this.#find.finalize();
  }
}

/** A number with decimals, and the unit of a `UnitNumber`. */
const POINTED = /^-?\d+\.\d+(?: (?:minutes|hours|days))?$/;
/** A number whose point may stand between thousands. */
const THOUSANDS = /(?<![\d.,])\d{1,3}\.\d{3}(?![\d.,])/g;

const unsigned = (text: string) => text.replace("-", "");

/** Parses a cell that itself holds JSON. */
function unpacked(cell: Cell): Cell {
  if (typeof cell !== "string" || !/^\s*[{[]/.test(cell)) return cell;
  try {
    return parsedJson(cell);
  } catch {
    return cell;
  }
}

/** Writes the records of files into a table, whose columns grow with them. */
class TableWriter {
  readonly #table: string;
  /** The table's columns in order, and by lower-case name. */
  readonly #columns: string[] = [];
  readonly #byName = new Map<string, number>();
  /** The table's column for each column of the current file. */
  #targets: number[] = [];
  #label = "";
  #skip: readonly SkipRule[] = [];
  #insert: Statement | null = null;

  constructor(
    private readonly database: Database,
    name: string,
    private readonly numbers: NumberTexts | null,
  ) {
    this.#table = `files.${quotedName(name, true)}`;
    database.run(`create table ${this.#table} (_file text, _line integer)`);
    database.run("begin");
  }

  beginFile(label: string, skip: TableFile["skip"]): void {
    this.#label = label;
    this.#skip = skipRules({ skip });
    this.#targets = [];
  }

  /** Adds columns that are new in the file's header. */
  extend(header: readonly string[]): void {
    const used = new Set(this.#targets);
    for (let at = this.#targets.length; at < header.length; at++) {
      const given = header[at] || `column_${at + 1}`;
      let name = given;
      let target = this.#byName.get(name.toLowerCase());
      for (let number = 2; isReserved(name) || (target !== undefined && used.has(target)); number++) {
        name = `${given}_${number}`;
        target = this.#byName.get(name.toLowerCase());
      }
      target ??= this.#add(name);
      used.add(target);
      this.#targets.push(target);
    }
  }

  #add(name: string): number {
    if (this.#columns.length >= MAX_COLUMNS)
      throw new UnreadableFile(null, `has more than ${MAX_COLUMNS} columns, which no table can have`);
    this.#insert?.finalize();
    this.#insert = null;
    this.database.run(`alter table ${this.#table} add column ${quotedName(name, true)} text`);
    this.#byName.set(name.toLowerCase(), this.#columns.length);
    return this.#columns.push(name) - 1;
  }

  write(
    header: readonly string[],
    records: readonly SourceRecord[],
    onBad: (record: BadTableRecord) => void,
  ): void {
    this.extend(header);
    const columns = ["_file", "_line", ...this.#columns.map((name) => quotedName(name, true))];
    this.#insert ??= this.database.prepare(
      `insert into ${this.#table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
    );
    const skip = this.#skip.map((rule) => ({ rule, at: header.indexOf(rule.name) }));
    for (const { line, item, cells, problem: ofRecord } of records) {
      // A record without cells was unreadable.
      if (cells.length > 0 && skip.some(({ rule, at }) => isSkippedBy(rule, cells[at]))) continue;
      const unstored = cells.findIndex((cell) => cell instanceof UnstoredFormula);
      const problem = unstored === -1 ? ofRecord : `${shown(header[unstored])} ${UnstoredFormula.problem}`;
      if (problem !== undefined) {
        onBad({ place: { file: this.#label, line, item }, cells, problem });
        continue;
      }
      const values: SQLQueryBindings[] = new Array(this.#columns.length + 2).fill(null);
      values[0] = this.#label;
      values[1] = line;
      for (let at = 0; at < cells.length; at++) {
        const text = cellText(plainCell(cells[at]));
        values[this.#targets[at]! + 2] = text;
        if (text !== null) this.numbers?.note(text, cells[at]);
      }
      this.#insert.run(...values);
    }
    // The journal in memory holds only what is not committed.
    this.database.run("commit");
    this.database.run("begin");
  }

  /** Ends the table; returns its columns. */
  finish(): readonly string[] {
    this.#insert?.finalize();
    this.database.run("commit");
    return [...this.#columns, "_file", "_line"];
  }
}

function isReserved(name: string): boolean {
  return /^(?:_file|_line)$/i.test(name);
}

/** A cell as a table stores it: text, JSON as text, or null if empty. */
function cellText(cell: Cell): string | null {
  if (isNothing(cell)) return null;
  if (typeof cell !== "object") return String(cell);
  return cell.constructor === Object || Array.isArray(cell) ? JSON.stringify(cell) : String(cell);
}

/** A name in SQL, quoted if necessary or if `always`. */
export function quotedName(name: string, always = false): string {
  return !always && /^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The table name of a file: its name without endings, in lower case, with _ for other characters than letters and digits. */
export function tableName(stem: string): string {
  return stem
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
}

/** Whether a query may use a table, because its text has the name as a word. */
export function mentions(sql: string, table: string): boolean {
  const inWords = (text: string) =>
    ` ${text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_]+/gu, " ")
      .trim()} `;
  // A text such as 'Urlaub' names no table, except where SQLite takes it for one.
  const isText = (quoted: string, at: number) =>
    quoted.startsWith("'") && !/\b(?:from|join)\s*$/i.test(sql.slice(0, at));
  const names = sql.replace(QUOTED_OR_COMMENT, (quoted, at) => (isText(quoted, at) ? " " : quoted));
  return inWords(names).includes(inWords(table));
}

const bodyOf = (sql: string) => sql.replace(/[\s;]+$/, "");

const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** What is wrong with a text that must be one select; null if nothing is. */
function notOneSelect(sql: string): string | null {
  const bare = sql.replace(QUOTED_OR_COMMENT, (part) => (/^(?:--|\/\*)/.test(part) ? " " : "x")).trim();
  if (bare === "") return "is empty: a query is one select";
  const first = /^\w+/.exec(bare)?.[0].toLowerCase() ?? bare.slice(0, 1);
  if (first !== "select" && first !== "with" && first !== "values")
    return `begins with ${shown(first)}: a query is one select`;
  return /;\s*\S/.test(bare) ? "has more than one statement: a query is one select" : null;
}
