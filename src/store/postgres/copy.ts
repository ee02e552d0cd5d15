// New rows on their way into a table, by COPY in its text format (PostgreSQL's manual, COPY, Text Format).
import { once } from "node:events";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { isListKind } from "../../resources/kinds.ts";
import type { RowDigest } from "../store.ts";
import { columnName, isDigested, type Kind, type Rows, TABLES } from "../tables.ts";
import { mapError } from "./connection/errors.ts";

export interface RowToWrite<K extends Kind = Kind> {
  readonly row: Rows[K];
  /** The number of the import, where the kind has them. */
  readonly seq: number | null;
  /** Where the kind has digests. */
  readonly digest: RowDigest | null;
}

/** How much is sent before the server has taken it: while it stores rows, the next are made. */
const AHEAD_BYTES = 4_000_000;

/** One COPY. Until it has ended, nothing else may be asked of the connection. */
export class RowStream {
  readonly #stream: ReturnType<typeof copyFrom>;
  readonly #ended: Promise<void>;
  readonly #serverName: string;
  readonly #kind: Kind;
  readonly #companyId: string;

  constructor(client: pg.PoolClient, serverName: string, kind: Kind, companyId: string) {
    this.#serverName = serverName;
    this.#kind = kind;
    this.#companyId = companyId;
    const columns = ["company_id", ...TABLES[kind].columns.map(columnName)];
    if (isListKind(kind)) columns.push("seq");
    if (isDigested(kind)) columns.push("digest");
    const statement = `copy ${kind} (${columns.join(", ")}) from stdin`;
    this.#stream = client.query(copyFrom(statement, { highWaterMark: AHEAD_BYTES }));
    this.#ended = finished(this.#stream);
    this.#ended.catch(() => {}); // whoever writes or ends is told
  }

  /** Sends rows, while the server stores those before. Raises the error of any so far. */
  async write(rows: readonly RowToWrite[]): Promise<void> {
    const text = rows.map((row) => this.#line(row)).join("");
    if (this.#stream.write(text)) return;
    await this.#orError(Promise.race([once(this.#stream, "drain"), this.#ended]));
  }

  /** Waits until all rows are stored. Raises the error of any of them. */
  async end(): Promise<void> {
    this.#stream.end();
    await this.#orError(this.#ended);
  }

  #line({ row, seq, digest }: RowToWrite): string {
    const columns = row as unknown as Readonly<Record<string, unknown>>; // its columns are read
    const values = TABLES[this.#kind].columns.map((column) => columns[column]);
    if (isListKind(this.#kind)) values.push(seq);
    if (isDigested(this.#kind)) values.push(digest);
    return `${[this.#companyId, ...values].map(cell).join("\t")}\n`;
  }

  async #orError(work: Promise<unknown>): Promise<void> {
    await work.catch((error) => {
      throw mapError(error, this.#serverName);
    });
  }
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const HAS_ESCAPED = /[\\\t\n\r]/;

function cell(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  const text = String(value);
  if (!HAS_ESCAPED.test(text)) return text; // nearly always
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]!); // each of them has one
}
