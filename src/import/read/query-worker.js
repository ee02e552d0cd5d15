// Runs the queries of an import over the file of its tables. A step of a query cannot be interrupted: on a thread of its own it leaves
// the main one free to notice signals, time and memory. The program has this file as text (see query-thread.ts).
import { Database } from "bun:sqlite";

const BATCH_ROWS = 1000;
/** Roughly the size of a batch, and the most of one text, as of any record. */
const MAX_CHARACTERS = 1_048_576;

const database = new Database(":memory:", { safeIntegers: true });
let statement = null;
let steps = null;

/** An integer as a number; as text where a number would be rounded. */
const withAllDigits = (cell) =>
  typeof cell !== "bigint" ? cell : Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);

const actions = {
  /** Opens the file of the tables, which may lose its name then. */
  attach({ path, cacheKib }) {
    database.run("attach ? as files", [path]);
    database.run(`pragma files.cache_size = -${cacheKib}`);
    database.run("pragma query_only = on");
    database.query("select count(*) from files.sqlite_schema").get();
  },
  open({ sql }) {
    statement?.finalize();
    statement = database.prepare(sql);
    steps = statement.iterate();
  },
  /** The next rows, as lists of their values; none at the end. */
  next() {
    const rows = [];
    let characters = 0;
    while (rows.length < BATCH_ROWS && characters < MAX_CHARACTERS) {
      const { done, value } = steps.next();
      if (done) break;
      const row = Object.values(value).map(withAllDigits);
      for (const cell of row) {
        const { length = 0 } = cell ?? "";
        if (length > MAX_CHARACTERS) throw new Error("a text of the result is longer than 1 MB");
        characters += length;
      }
      rows.push(row);
    }
    return rows;
  },
  close() {
    statement?.finalize();
    statement = null;
  },
};

self.onmessage = ({ data }) => {
  try {
    postMessage({ result: actions[data.action](data) ?? null });
  } catch (error) {
    postMessage({ failure: error.message });
  }
};
