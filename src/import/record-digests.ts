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
const halves = new Uint32Array(hash.buffer);
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
  /** The halves of the last record's digest. */
  high = 0;
  low = 0;

  /** `header`: that of the reader, which may grow. */
  constructor(source: DigestedSource, header: readonly string[]) {
    this.#source = source;
    this.#header = header;
  }

  /** Takes the digest of a record. False if it can have none: then it says nothing. */
  take(record: SourceRecord): boolean {
    const said = record.text ?? cellsText(record.cells);
    if (said === null) return false;
    // A text names its columns itself, or the whole header is known.
    Bun.SHA256.hash(`${this.#salt(record.text === undefined ? record.cells.length : 0)}${said}`, hash);
    this.low = halves[0]!; // it has eight, here and below
    this.high = halves[1]!;
    return true;
  }

  /** The digest that was taken last. */
  get digest(): RowDigest {
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

/** The halves of a digest, as they are read. */
export function halvesOf(digest: RowDigest): readonly [high: number, low: number] {
  return [Number(BigInt.asUintN(32, digest >> 32n)), Number(BigInt.asUintN(32, digest))];
}

/**
 * The digests that are stored of a kind, in memory: a hash table with 12 to 24 bytes for each row. It also notes whether a record of this
 * import was found to be the row.
 */
export class KnownDigests {
  /** Two numbers a place, the halves of a digest; none has both at 0. A digest is at the place of its lower half or after it. */
  readonly #halves: Uint32Array;
  readonly #taken: Uint8Array;
  readonly #mask: number;

  private constructor(count: number) {
    const places = 2 ** Math.ceil(Math.log2(Math.max(16, count * 1.33)));
    this.#halves = new Uint32Array(places * 2);
    this.#taken = new Uint8Array(places);
    this.#mask = places - 1;
  }

  static async of(transaction: ImportTransaction, kind: DigestedKind): Promise<KnownDigests> {
    const known = new KnownDigests(await transaction.count(kind));
    for await (const halves of transaction.digests.all(kind))
      for (let at = 0; at < halves.length; at += 2) known.#add(halves[at]!, halves[at + 1]!);
    return known;
  }

  #add(high: number, low: number): void {
    const place = this.#placeOf(high, low);
    this.#halves[place * 2] = high;
    this.#halves[place * 2 + 1] = low;
  }

  /** Where the digest is, or the free place where it would be. */
  #placeOf(high: number, low: number): number {
    const halves = this.#halves;
    let place = low & this.#mask;
    for (;;) {
      const storedHigh = halves[place * 2]!;
      const storedLow = halves[place * 2 + 1]!;
      if ((storedHigh === high && storedLow === low) || (storedHigh === 0 && storedLow === 0)) return place;
      place = (place + 1) & this.#mask;
    }
  }

  /** Whether a row with this digest is stored. Raises RepeatedRecord if it was taken before. */
  take(high: number, low: number): boolean {
    const place = this.#placeOf(high, low);
    if (this.#halves[place * 2] === 0 && this.#halves[place * 2 + 1] === 0) return false;
    if (this.#taken[place] === 1) throw new RepeatedRecord();
    this.#taken[place] = 1;
    return true;
  }

  isTaken(high: number, low: number): boolean {
    return this.#taken[this.#placeOf(high, low)] === 1;
  }
}
