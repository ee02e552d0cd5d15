// Digests of records, so that an already imported record need not be made into a row again (decision 41). A stored digest means: a record
// with it makes exactly this row, without anything to report, given the stored workers, policies and company.
import type { Kind } from "../../resources/kinds.ts";
import { type Cell, DecimalNumber, LocalMoment, type SourceRecord } from "../read/records.ts";
import type { NamedMapping } from "./schema.ts";

export interface DigestedSource {
  /** The company's key for digests of this build. Another build may make other rows. */
  readonly key: string;
  readonly kind: Kind;
  readonly mapping: NamedMapping | null;
  /** How cells are read from a record's text: see `RecordReader.form`. */
  readonly form: string;
}

const SALT_CHARACTERS = 32;

const hash = new Uint8Array(32);
const digests = new BigInt64Array(hash.buffer);

/**
 * The digest of a record: of its text and everything else on which the row depends. It is the beginning of a SHA-256 that starts with the
 * company's secret key, so nobody else can make two records with the same digest. Among a million changed records and five million rows,
 * the probability of a wrong match is 1 in 3 million.
 */
export class RecordDigests {
  /** The text hashed before the record, by the number of columns. */
  readonly #salts: string[] = [];

  /** `header` is the reader's, which may grow. */
  constructor(
    private readonly source: DigestedSource,
    private readonly header: readonly string[],
  ) {}

  /** Null if the record cannot have a digest. */
  digestOf(record: SourceRecord): bigint | null {
    const said = record.text ?? cellsText(record.cells);
    if (said === null) return null;
    // A record's text names its columns itself, or the whole header is known.
    Bun.SHA256.hash(`${this.#salt(record.text === undefined ? record.cells.length : 0)}${said}`, hash);
    return digests[0]!; // the hash fills four
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

/** Cells of records without a text, in an unambiguous form; null if a cell has an unusual type. */
function cellsText(cells: readonly Cell[]): string | null {
  let text = "";
  for (const cell of cells) {
    if (cell === null || cell === undefined) text += "-";
    else if (typeof cell === "string") text += `s${cell.length}:${cell}`;
    else if (typeof cell === "number" || typeof cell === "boolean") text += `${String(cell)};`;
    else if (cell instanceof DecimalNumber) text += `n${cell};`;
    else if (cell instanceof LocalMoment) text += `d${cell.localMs}${cell.hasTime ? "t" : ""};`;
    else return null;
  }
  return text;
}

/** The stored digests of a kind. */
export interface KnownDigests {
  /** Notes that the files have a record with this digest. False if no stored row has it. */
  claim(digest: bigint): boolean;
  /** Whether two records had the same digest. Then both must become rows, to name their lines. */
  readonly hasRepeated: boolean;
}
