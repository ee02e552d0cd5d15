// Rows on their way into a table, by COPY in its binary format: while the server stores some, the next are made. As text, each value would
// be made into a string here, searched for what must be escaped, and read again by the server.
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { ColumnType } from "../../resources/resource.ts";
import { isNumbered } from "../feed-notes.ts";
import type { RowDigest } from "../store.ts";
import { columnName, type FactKind, isDigested, type Rows, TABLES } from "../tables.ts";
import { mapError } from "./connection/errors.ts";

/** Of rows that the server has not taken yet. It may be busy with what was asked before. */
const PENDING_BYTES = 4_000_000;

interface RowStreamOptions {
  readonly companyId: string;
  readonly seq: number | null;
  readonly before: Promise<Error | null>;
}

/** One COPY, from the first rows to its end. Nothing else may be asked of the connection in between. */
export class RowStream {
  readonly #stream: ReturnType<typeof copyFrom>;
  readonly #bytes: RowBytes;
  /** Resolves when the server has stored everything, or refused something. */
  readonly #ended: Promise<void>;
  #error: Error | null = null;
  #pendingBytes = 0;
  #room = Promise.withResolvers<void>();

  /**
   * `seq`: the number that the rows carry for the change feed; null where they have none. `before`: what the server was asked for. The COPY
   * begins when that is done, unless it gives an error.
   */
  constructor(
    client: pg.PoolClient,
    serverName: string,
    kind: FactKind,
    { companyId, seq, before }: RowStreamOptions,
  ) {
    this.#bytes = new RowBytes(kind, companyId, seq);
    this.#stream = copyFrom(copyStatement(kind));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    const fail = (error: Error) => {
      this.#error ??= error;
      resolve();
    };
    this.#stream.once("finish", () => resolve());
    this.#stream.on("error", (error) => fail(mapError(error, serverName) as Error)); // what the driver raises
    this.#stream.write(HEADER);
    void before.then((error) => (error === null ? void client.query(this.#stream) : fail(error)));
  }

  /** Sends rows, each with its digest where the kind has digests. Waits while too many are pending. Raises the error of any rows so far. */
  async write(rows: readonly Rows[FactKind][], digests: readonly (RowDigest | null)[]): Promise<void> {
    if (this.#error !== null) throw this.#error;
    const bytes = this.#bytes.of(rows, digests);
    this.#pendingBytes += bytes.length;
    this.#stream.write(bytes, () => {
      this.#pendingBytes -= bytes.length;
      this.#room.resolve();
    });
    // What the socket did not take at once is sent by the event loop, which promises alone do not reach.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#pendingBytes > PENDING_BYTES && this.#error === null) {
      this.#room = Promise.withResolvers();
      await Promise.race([this.#room.promise, this.#ended]);
    }
    if (this.#error !== null) throw this.#error;
  }

  /** Waits until all rows are stored. Raises the error of any of them. */
  async end(): Promise<void> {
    if (this.#error === null) this.#stream.end(TRAILER);
    await this.#ended;
    if (this.#error !== null) throw this.#error;
  }
}

function copyStatement(kind: FactKind): string {
  const columns = ["company_id", ...TABLES[kind].columns.map(columnName)];
  if (isNumbered(kind)) columns.push("seq");
  if (isDigested(kind)) columns.push("digest");
  return `copy ${kind} (${columns.join(", ")}) from stdin with (format binary)`;
}

// The binary format (PostgreSQL's manual, COPY, Binary Format): each row is its number of fields, and each field its length and its
// bytes, as the type's receive function takes them.

/** A signature, no flags, and no extension. */
const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const TRAILER = Buffer.from([0xff, 0xff]);

/** The length of a field that is null. */
const NULL = -1;
/** The length of a field, and the longest number. */
const NUMBER_BYTES = 12;
/** UTF-8 takes so many bytes for a unit of a string at most. */
const UNIT_BYTES = 3;
const FIRST_BYTES = 500_000;
const LOW_RANGE = 2 ** 32;

class RowBytes {
  readonly #columns: readonly (readonly [key: string, type: ColumnType])[];
  readonly #fields: number;
  readonly #company: Buffer;
  readonly #isNumbered: boolean;
  readonly #seq: number | null;
  readonly #isDigested: boolean;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  constructor(kind: FactKind, companyId: string, seq: number | null) {
    const { columns, types } = TABLES[kind];
    this.#columns = columns.map((column) => [column, types.get(column)!]); // every column has one
    this.#company = Buffer.from(companyId);
    this.#isNumbered = isNumbered(kind);
    this.#seq = seq;
    this.#isDigested = isDigested(kind);
    this.#fields = 1 + columns.length + Number(this.#isNumbered) + Number(this.#isDigested);
  }

  /** The rows as they are sent, in memory of their own. */
  of(rows: readonly Rows[FactKind][], digests: readonly (RowDigest | null)[]): Buffer {
    this.#at = 0;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as unknown as Readonly<Record<string, unknown>>; // there is one, and its columns are read
      this.#reserve(NUMBER_BYTES + this.#company.length);
      this.#view.setInt16(this.#at, this.#fields);
      this.#at += 2;
      this.#length(this.#company.length);
      this.#at += this.#company.copy(this.#bytes, this.#at);
      for (const [column, type] of this.#columns) this.#field(row[column], type);
      if (this.#isNumbered) this.#field(this.#seq, "bigint");
      if (this.#isDigested) this.#digest(digests[index] ?? null);
    }
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  #length(bytes: number): void {
    this.#view.setInt32(this.#at, bytes);
    this.#at += 4;
  }

  #field(value: unknown, type: ColumnType): void {
    if (value === null || value === undefined) {
      this.#reserve(NUMBER_BYTES);
      this.#length(NULL);
    } else if (type === "text")
      this.#text(value as string); // a column of texts
    else this.#number(value as number, type); // the others are numbers
  }

  #text(text: string): void {
    this.#reserve(NUMBER_BYTES + text.length * UNIT_BYTES);
    const bytes = this.#bytes.write(text, this.#at + 4);
    this.#length(bytes);
    this.#at += bytes;
  }

  #number(value: number, type: ColumnType): void {
    this.#reserve(NUMBER_BYTES);
    if (type === "integer") {
      this.#length(4);
      this.#view.setInt32(this.#at, value);
      this.#at += 4;
      return;
    }
    this.#length(8);
    if (type === "bigint") {
      const high = Math.floor(value / LOW_RANGE);
      this.#view.setInt32(this.#at, high);
      this.#view.setUint32(this.#at + 4, value - high * LOW_RANGE);
    } else this.#view.setFloat64(this.#at, value);
    this.#at += 8;
  }

  #digest(digest: RowDigest | null): void {
    this.#reserve(NUMBER_BYTES);
    if (digest === null) this.#length(NULL);
    else {
      this.#length(8);
      this.#view.setBigInt64(this.#at, digest);
      this.#at += 8;
    }
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
