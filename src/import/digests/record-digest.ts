// The digest of a record: of its text and of everything else that the row depends on, so that a record with a known digest need
// not be made into a row again. It is the beginning of a SHA-256 that starts with the company's secret key: nobody without
// the key can make two records with one digest, and by chance one of a million changed records among five million rows
// gets a stored one with a probability of 1 in 3 million.
import type { FactKind } from "../../resources/registry.ts";
import type { RowDigest } from "../../store/store.ts";
import type { NamedMapping } from "../mapping/schema.ts";
import { type Cell, LocalMoment, type SourceRecord } from "../source/records.ts";

const hash = new Uint8Array(32);
const halves = new Uint32Array(hash.buffer);
const digests = new BigInt64Array(hash.buffer);

/** What all records of one source have in common. */
export interface DigestedSource {
  /** The company's key for digests. */
  readonly key: string;
  /** Which build of the program reads them: another one may make other rows of them. */
  readonly program: string;
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
    const said = record.text ?? cellsText(record.cells);
    if (said === null) return false;
    // A text names its columns itself, or the whole header is known.
    const columns = record.text === undefined ? record.cells.length : 0;
    this.#salts[columns] ??= this.#salt(columns);
    Bun.CryptoHasher.hash("sha256", `${this.#salts[columns]}${said}`, hash);
    this.low = halves[0]!; // it has eight, here and below
    this.high = halves[1]!;
    return true;
  }

  /** The digest that was taken last. */
  get digest(): RowDigest {
    return digests[0]!; // it has four
  }

  #salt(columns: number): string {
    const { key, program, kind, mapping, form } = this.#source;
    const header = this.#header.slice(0, columns);
    const all = JSON.stringify([key, program, kind, mapping?.mapping ?? null, form, header]);
    return new Bun.CryptoHasher("sha256").update(all).digest("hex").slice(0, 32);
  }
}

/** Cells without a text of their own, so that no two records have one text; null where a cell is of no usual type. */
function cellsText(cells: readonly Cell[]): string | null {
  let text = "";
  for (const cell of cells) {
    if (cell === null || cell === undefined) text += "-";
    else if (typeof cell === "string") text += `s${cell.length}:${cell}`;
    else if (typeof cell === "number" || typeof cell === "boolean") text += `${String(cell)};`;
    else if (cell instanceof LocalMoment) text += `d${cell.localMs}${cell.hasTime ? "t" : ""};`;
    else return null;
  }
  return text;
}
