// The digests of records: those that are stored, and how one is taken.
import type { FactKind } from "../../resources/kinds.ts";
import { collectGarbage } from "../../store/garbage.ts";
import type { ImportTransaction, RowDigest } from "../../store/store.ts";
import type { DigestedKind } from "../../store/tables.ts";
import type { NamedMapping } from "../mapping/schema.ts";
import {
  type Cell,
  DecimalNumber,
  LocalMoment,
  type SourceRecord,
  type Utf8Text,
} from "../source/records.ts";

/** A record, or its row, comes a second time: everything has to be looked at to say where the first one is. */
export class RepeatedRecord extends Error {
  override readonly name = "RepeatedRecord";
}

/** Batches of rows between two collections of garbage: see `COLLECT_AFTER_ROWS` in ../apply.ts. */
const COLLECT_AFTER_BATCHES = 25;

/** Places in use, at most, of each hundred. */
const FILL_PERCENT = 75;

/**
 * The digests that are stored of a kind, in memory: 8 to 16 bytes for each row, and a bit for whether a record of this import was found
 * to be it.
 */
export class KnownDigests {
  /** Two numbers a place, the halves of a digest; none has both at 0. A digest is at the place of its lower half or after it. */
  readonly #halves: Uint32Array;
  readonly #taken: Uint8Array;
  readonly #mask: number;

  private constructor(count: number) {
    const places = 2 ** Math.ceil(Math.log2(Math.max(16, (count * 100) / FILL_PERCENT)));
    this.#halves = new Uint32Array(places * 2);
    this.#taken = new Uint8Array(places / 8);
    this.#mask = places - 1;
  }

  static async of(transaction: ImportTransaction, kind: DigestedKind): Promise<KnownDigests> {
    const known = new KnownDigests(await transaction.count(kind));
    let batches = 0;
    for await (const halves of transaction.digests.all(kind)) {
      for (let at = 0; at < halves.length; at += 2) known.#add(halves[at]!, halves[at + 1]!);
      if (++batches % COLLECT_AFTER_BATCHES === 0) collectGarbage();
    }
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
    const bit = 1 << (place & 7);
    if (this.#taken[place >> 3]! & bit) throw new RepeatedRecord();
    this.#taken[place >> 3]! |= bit;
    return true;
  }

  isTaken(high: number, low: number): boolean {
    const place = this.#placeOf(high, low);
    return (this.#taken[place >> 3]! & (1 << (place & 7))) !== 0;
  }
}

/** The halves of a digest, as they are read. */
export function halvesOf(digest: RowDigest): readonly [high: number, low: number] {
  return [Number(BigInt.asUintN(32, digest >> 32n)), Number(BigInt.asUintN(32, digest))];
}

// The digest of a record: of its text and of everything else that the row depends on, so that a record with a known digest need
// not be made into a row again. It is the beginning of a SHA-256 that starts with the company's secret key: nobody without
// the key can make two records with one digest, and by chance one of a million changed records among five million rows
// gets a stored one with a probability of 1 in 3 million.

/** All ASCII. */
const SALT_CHARACTERS = 32;
/** Records are seldom longer. */
const VIEWED_BYTES = 1024;

const hash = new Uint8Array(32);
const halves = new Uint32Array(hash.buffer);
const digests = new BigInt64Array(hash.buffer);

/** What all records of one source have in common. */
export interface DigestedSource {
  /** The company's key for digests of this build of the program: another one may make other rows of the records. */
  readonly key: string;
  readonly kind: FactKind;
  readonly mapping: NamedMapping | null;
  /** How cells come out of a record's text: see `RecordReader.form`. */
  readonly form: string;
}

export class RecordDigests {
  readonly #source: DigestedSource;
  readonly #header: readonly string[];
  /** By the number of columns, what comes before the record. */
  readonly #salts: string[] = [];
  /** What comes before records of bytes, and room for one. */
  #salted = Buffer.alloc(0);
  /** Its beginnings, by their length: many records are as long as others. */
  readonly #views: Buffer[] = [];
  /** The halves of the last record's digest, and all of it. */
  high = 0;
  low = 0;

  /** `header`: that of the reader, which may grow. */
  constructor(source: DigestedSource, header: readonly string[]) {
    this.#source = source;
    this.#header = header;
  }

  /** Takes the digest of a record. False if it can have none: then it says nothing. */
  take(record: SourceRecord): boolean {
    if (record.utf8 !== undefined) {
      this.#takeUtf8(record.utf8);
      return true;
    }
    const said = record.text ?? cellsText(record.cells);
    if (said === null) return false;
    // A text names its columns itself, or the whole header is known.
    const columns = record.text === undefined ? record.cells.length : 0;
    this.#salts[columns] ??= this.#salt(columns);
    this.#hash(`${this.#salts[columns]}${said}`);
    return true;
  }

  /** As of its text: no text is made, which takes twice as long as its digest. */
  #takeUtf8({ bytes, start, end }: Utf8Text): void {
    const length = SALT_CHARACTERS + end - start;
    if (this.#salted.length < length) {
      this.#salted = Buffer.allocUnsafeSlow(length * 2);
      this.#views.length = 0;
      this.#salts[0] ??= this.#salt(0);
      this.#salted.write(this.#salts[0], "latin1");
    }
    bytes.copy(this.#salted, SALT_CHARACTERS, start, end);
    this.#hash(length < VIEWED_BYTES ? this.#viewOf(length) : this.#salted.subarray(0, length));
  }

  #viewOf(length: number): Buffer {
    this.#views[length] ??= this.#salted.subarray(0, length);
    return this.#views[length];
  }

  #hash(salted: string | Buffer): void {
    Bun.SHA256.hash(salted, hash);
    this.low = halves[0]!; // it has eight, here and below
    this.high = halves[1]!;
  }

  /** The digest that was taken last. */
  get digest(): RowDigest {
    return digests[0]!; // it has four
  }

  #salt(columns: number): string {
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
