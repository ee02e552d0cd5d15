// Digests of records, so that a record that was imported before need not be made into a row again. A stored digest says: a record with
// it makes exactly this row, with nothing to report, as workers, policies and the company are stored. So a record with a stored
// digest is unchanged, and done.
//
// To keep that true, whatever changes what rows refer to forgets their digests: here for workers and policies, in the store
// for settings of the company. The kinds that workers have rows of keep digests (`DigestedKind`).
import { isParent, type Kind, PARENT_COLUMNS, type ParentKind, type Rows } from "../resources/kinds.ts";
import { hasOtherZone } from "../resources/workers.ts";
import type { DigestKey, ImportTransaction, NameMatch, RowDigest } from "../store/store.ts";
import { type DigestedKind, isDigested, keyOf } from "../store/tables.ts";
import type { NamedMapping } from "./convert/schema.ts";
import type { ImportMemory } from "./memory.ts";
import { type Cell, DecimalNumber, LocalMoment, type SourceRecord } from "./read/records.ts";
import type { RefusedRows } from "./resolve/references.ts";

/** What a record with a digest may refer to. */
const PARENTS_OF_DIGESTED: ReadonlySet<Kind> = new Set(
  PARENT_COLUMNS.flatMap(({ kind, parent }) => (isDigested(kind) ? [parent] : [])),
);

const termsOf = (row: Rows[ParentKind]) => ("terms" in row ? row.terms : null);

/** Rows that get their digests together. */
const BATCH_ROWS = 1000;

/** A row that is loaded, what was stored of it, and the digest of its record, if it may have one. */
export interface LoadedRow<K extends Kind> {
  readonly row: Rows[K];
  readonly stored: Rows[K] | null;
  readonly digest: RowDigest | null;
  /** Whether the row was written, since it is not what was stored. */
  readonly isWritten: boolean;
}

export class ImportDigests {
  /** `ImportOptions.program`; null where no digests are used. */
  #program: string | null;
  #isPrepared = false;
  readonly #known = new Map<DigestedKind, KnownDigests>();
  #key: DigestKey | null = null;

  constructor(
    private readonly transaction: ImportTransaction,
    private readonly memory: ImportMemory,
    private readonly refused: RefusedRows,
    program: string | null,
  ) {
    this.#program = program;
  }

  /**
   * Called after rows were written, if the kind had rows before the import. For workers and policies: forgets the digests of what
   * refers to them and may mean something else now. For other kinds: notes the digests of rows that were not written, for `close`.
   * `before`: what `takeStored` gave.
   */
  async afterWriting<K extends Kind>(
    kind: K,
    loaded: readonly LoadedRow<K>[],
    before: readonly (RowDigest | null)[],
  ): Promise<void> {
    if (kind === "workers")
      await this.#afterWorkers(loaded as readonly LoadedRow<"workers">[]); // the kind says so, here and below
    else if (isParent(kind)) await this.#afterParents(kind, loaded as readonly LoadedRow<typeof kind>[]);
    if (isDigested(kind)) {
      for (const [at, { row, digest, isWritten }] of loaded.entries())
        if (!isWritten && digest !== null && digest !== before[at])
          this.memory.noteDigest(kind, keyOf(kind, row), digest);
    }
  }

  async #afterWorkers(loaded: readonly LoadedRow<"workers">[]): Promise<void> {
    const others = loaded.filter(
      ({ row, stored }) => stored !== null && (stored.legacyId !== row.legacyId || hasOtherZone(row, stored)),
    );
    await this.transaction.digests.forget(others.map(({ row }) => row.id));
    await this.#afterNames("workers", loaded);
  }

  /** Policies, and whatever else rows with digests belong to. */
  async #afterParents(kind: ParentKind, loaded: readonly LoadedRow<ParentKind>[]): Promise<void> {
    if (!PARENTS_OF_DIGESTED.has(kind)) return;
    const isAnyOther = loaded.some(
      ({ row, stored }) =>
        stored !== null && (stored.legacyId !== row.legacyId || termsOf(stored) !== termsOf(row)),
    );
    if (isAnyOther) await this.#forgetAll();
    await this.#afterNames(kind, loaded);
  }

  /** A name that is the id of one row and the legacy id of another refers to nothing any more. */
  async #afterNames(kind: ParentKind, loaded: readonly LoadedRow<ParentKind>[]): Promise<void> {
    const names = loaded.flatMap(({ row, stored }) => {
      if (stored?.legacyId === row.legacyId) return [];
      return row.legacyId === null ? [row.id] : [row.id, row.legacyId];
    });
    const matches = await this.transaction.match(kind, names);
    const isAmbiguous = ({ byId, byLegacyId }: NameMatch, at: number) =>
      byId && byLegacyId !== null && byLegacyId !== names[at];
    if (matches.some(isAmbiguous)) await this.#forgetAll();
  }

  async #forgetAll(): Promise<void> {
    await this.transaction.digests.forgetAll();
    this.#key = null;
  }

  /** Before what refers to workers and policies is loaded, and at the end. */
  async prepareKey(): Promise<void> {
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    const { digests } = this.transaction;
    // References to refused rows are refused.
    const refused = this.refused.ids("workers");
    if (refused.length > 0) await digests.forget(refused);
    const others = [...PARENTS_OF_DIGESTED].filter((kind) => kind !== "workers");
    if (others.some((kind) => this.refused.ids(kind).length > 0)) this.#program = null;
    if (this.#program === null) return;
    this.#key ??= await digests.key(this.#program);
  }

  /** Reads what is stored of a kind, if any of it can be found. `isFresh`: nothing is stored. */
  async open(kind: Kind, isFresh: boolean): Promise<void> {
    if (!isDigested(kind)) return;
    await this.prepareKey();
    if (this.#program === null || isFresh || this.#key!.isNew) return; // prepared
    this.#known.set(kind, await KnownDigests.of(this.transaction, kind));
  }

  /** Gives rows the digests that were noted, in key order, as each page of the store then changes once. */
  async close(kind: Kind): Promise<void> {
    if (!isDigested(kind)) return;
    for (const digests of this.memory.digests(kind, BATCH_ROWS))
      await this.transaction.digests.set(kind, digests);
  }

  /** The company's key, if rows of the kind are to have digests; else null. */
  keyFor(kind: Kind): string | null {
    return this.#program !== null && isDigested(kind) ? this.#key!.key : null; // prepared before rows are read
  }

  known(kind: Kind): KnownDigests | null {
    return isDigested(kind) ? (this.#known.get(kind) ?? null) : null;
  }

  /** The stored digests of rows whose records have others. Raises RepeatedRecord where another record had one of them. */
  async takeStored<K extends Kind>(kind: K, loaded: readonly LoadedRow<K>[]): Promise<(RowDigest | null)[]> {
    const known = this.known(kind);
    if (known === null || !isDigested(kind)) return [];
    const there = loaded.flatMap(({ stored }, at) => (stored === null ? [] : [{ stored, at }]));
    const keys = there.map(({ stored }) => keyOf(kind, stored));
    const found = await this.transaction.digests.of(kind, keys);
    const digests: (RowDigest | null)[] = loaded.map(() => null);
    for (const [index, digest] of found.entries()) {
      digests[there[index]!.at] = digest;
      if (digest !== null) known.claim(digest);
    }
    return digests;
  }
}

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
  /** By the number of columns, what comes before the record. */
  readonly #salts: string[] = [];

  /** `header`: that of the reader, which may grow. */
  constructor(
    private readonly source: DigestedSource,
    private readonly header: readonly string[],
  ) {}

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
