// The digest of a record, and those that are stored: see digests.ts.
import type { Kind } from "../resources/kinds.ts";
import type { ImportTransaction, RowDigest } from "../store/store.ts";
import type { DigestedKind } from "../store/tables.ts";
import type { NamedMapping } from "./mapping/schema.ts";
import { type Cell, DecimalNumber, LocalMoment, type SourceRecord } from "./source/records.ts";

// Of one record -------------------------------------------------------------------------------------------------------------

/** What all records of one source have in common. */
export interface DigestedSource {
  /** The company's key for digests of this build of the program: another one may make other rows of the records. */
  readonly key: string;
  readonly kind: Kind;
  readonly mapping: NamedMapping | null;
  /** How cells come out of a record's text: see `RecordReader.form`. */
  readonly form: string;
}

const SALT_CHARACTERS = 32;

const hash = new Uint8Array(32);
const digests = new BigInt64Array(hash.buffer);

/**
 * The digest of a record: of its text and of everything else that the row depends on. It is the beginning of a SHA-256 that starts with
 * the company's secret key: nobody without the key can make two records with one digest, and by chance one of a million changed
 * records among five million rows gets a stored one with a probability of 1 in 3 million.
 */
export class RecordDigests {
  readonly #source: DigestedSource;
  readonly #header: readonly string[];
  /** By the number of columns, what comes before the record. */
  readonly #salts: string[] = [];
  /** `header`: that of the reader, which may grow. */
  constructor(source: DigestedSource, header: readonly string[]) {
    this.#source = source;
    this.#header = header;
  }

  /** Null if the record can have none. */
  digestOf(record: SourceRecord): RowDigest | null {
    const said = record.text ?? cellsText(record.cells);
    if (said === null) return null;
    // A text names its columns itself, or the whole header is known.
    Bun.SHA256.hash(`${this.#salt(record.text === undefined ? record.cells.length : 0)}${said}`, hash);
    return digests[0]!; // it has four
  }

  #salt(columns: number): string {
    this.#salts[columns] ??= this.#makeSalt(columns);
    return this.#salts[columns];
  }

  #makeSalt(columns: number): string {
    const { key, kind, mapping, form } = this.#source;
    const header = this.#header.slice(0, columns);
    const all = JSON.stringify([key, kind, mapping?.mapping ?? null, form, header]);
    return new Bun.CryptoHasher("sha256").update(all).digest("hex").slice(0, SALT_CHARACTERS);
  }
}

/** Cells without a text of their own, so that no two records have one text; null where a cell is of no usual type. */
function cellsText(cells: readonly Cell[]): string | null {
  let text = "";
  for (const cell of cells) {
    if (cell === null || cell === undefined) text += "-";
    else if (typeof cell === "string") text += `s${cell.length}:${cell}`;
    else if (typeof cell === "number" || typeof cell === "boolean") text += `${String(cell)};`;
    else if (cell instanceof DecimalNumber) text += `n${cell.value};`;
    else if (cell instanceof LocalMoment) text += `d${cell.localMs}${cell.hasTime ? "t" : ""};`;
    else return null;
  }
  return text;
}

// Of stored rows -----------------------------------------------------------------------------------------------------------

/** A record, or its row, comes a second time: everything has to be looked at to say where the first one is. */
export class RepeatedRecord extends Error {
  override readonly name = "RepeatedRecord";
}

/** The digests that are stored of a kind, in order, and which of them a record of this import had. 9 bytes for each row, in memory while the kind is loaded. */
export class KnownDigests {
  readonly #digests: BigInt64Array;
  readonly #claimed: Uint8Array;

  private constructor(digests: BigInt64Array) {
    this.#digests = digests.sort();
    this.#claimed = new Uint8Array(digests.length);
  }

  static async of(transaction: ImportTransaction, kind: DigestedKind): Promise<KnownDigests> {
    const digests = new BigInt64Array(await transaction.count(kind));
    let count = 0;
    for await (const rows of transaction.digests.keys(kind))
      for (const [, digest] of rows) if (digest !== null) digests[count++] = digest;
    return new KnownDigests(digests.subarray(0, count));
  }

  /** Where the digest is; -1 where it is not. */
  #indexOf(digest: RowDigest): number {
    let [first, end] = [0, this.#digests.length];
    while (first < end) {
      const middle = (first + end) >>> 1;
      if (this.#digests[middle]! < digest) first = middle + 1;
      else end = middle;
    }
    return this.#digests[first] === digest ? first : -1;
  }

  /** Whether a row with this digest is stored. Raises RepeatedRecord if a record before had it. */
  claim(digest: RowDigest): boolean {
    const index = this.#indexOf(digest);
    if (index === -1) return false;
    if (this.#claimed[index] === 1) throw new RepeatedRecord();
    this.#claimed[index] = 1;
    return true;
  }

  isClaimed(digest: RowDigest): boolean {
    return this.#claimed[this.#indexOf(digest)] === 1;
  }
}
