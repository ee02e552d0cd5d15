// Digests of records, so that a record that was imported before need not be made into a row again (decision 41). A stored digest says:
// a record with it makes exactly this row, with nothing to report, as workers, policies and the company are stored.
import type { Kind } from "../../resources/kinds.ts";
import { type Cell, DecimalNumber, LocalMoment, type SourceRecord } from "../read/records.ts";
import type { NamedMapping } from "./schema.ts";

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
  /** By the number of columns, what comes before the record. */
  readonly #salts: string[] = [];

  /** `header`: that of the reader, which may grow. */
  constructor(
    private readonly source: DigestedSource,
    private readonly header: readonly string[],
  ) {}

  /** Null if the record can have none. */
  digestOf(record: SourceRecord): bigint | null {
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
    const { key, kind, mapping, form } = this.source;
    const header = this.header.slice(0, columns);
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

/** The digests that are stored of a kind. */
export interface KnownDigests {
  /** Whether a row with this digest is stored. */
  claim(digest: bigint): boolean;
  /** Whether two records had one digest: the rows of both must be looked at, to name the lines of both. */
  readonly hasRepeated: boolean;
}
