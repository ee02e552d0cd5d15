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
import type { ImportMemory } from "./memory.ts";
import { KnownDigests } from "./record-digests.ts";
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
  readonly #transaction: ImportTransaction;
  readonly #memory: ImportMemory;
  readonly #refused: RefusedRows;
  /** `ImportOptions.program`; null where no digests are used. */
  #program: string | null;
  #isPrepared = false;
  readonly #known = new Map<DigestedKind, KnownDigests>();
  #key: DigestKey | null = null;

  constructor(
    transaction: ImportTransaction,
    memory: ImportMemory,
    refused: RefusedRows,
    program: string | null,
  ) {
    this.#transaction = transaction;
    this.#memory = memory;
    this.#refused = refused;
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
          this.#memory.noteDigest(kind, keyOf(kind, row), digest);
    }
  }

  async #afterWorkers(loaded: readonly LoadedRow<"workers">[]): Promise<void> {
    const others = loaded.filter(
      ({ row, stored }) => stored !== null && (stored.legacyId !== row.legacyId || hasOtherZone(row, stored)),
    );
    await this.#transaction.digests.forget(others.map(({ row }) => row.id));
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
    const matches = await this.#transaction.match(kind, names);
    const isAmbiguous = ({ byId, byLegacyId }: NameMatch, at: number) =>
      byId && byLegacyId !== null && byLegacyId !== names[at];
    if (matches.some(isAmbiguous)) await this.#forgetAll();
  }

  async #forgetAll(): Promise<void> {
    await this.#transaction.digests.forgetAll();
    this.#key = null;
  }

  /** Before what refers to workers and policies is loaded, and at the end. */
  async prepareKey(): Promise<void> {
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    const { digests } = this.#transaction;
    // References to refused rows are refused.
    const refused = this.#refused.ids("workers");
    if (refused.length > 0) await digests.forget(refused);
    const others = [...PARENTS_OF_DIGESTED].filter((kind) => kind !== "workers");
    if (others.some((kind) => this.#refused.ids(kind).length > 0)) this.#program = null;
    if (this.#program === null) return;
    this.#key ??= await digests.key(this.#program);
  }

  /** Reads what is stored of a kind, if any of it can be found. `isFresh`: nothing is stored. */
  async open(kind: Kind, isFresh: boolean): Promise<void> {
    if (!isDigested(kind)) return;
    await this.prepareKey();
    if (this.#program === null || isFresh || this.#key!.isNew) return; // prepared
    this.#known.set(kind, await KnownDigests.of(this.#transaction, kind));
  }

  /** Gives rows the digests that were noted, in key order, as each page of the store then changes once. */
  async close(kind: Kind): Promise<void> {
    if (!isDigested(kind)) return;
    for (const digests of this.#memory.digests(kind, BATCH_ROWS))
      await this.#transaction.digests.set(kind, digests);
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
    const found = await this.#transaction.digests.of(kind, keys);
    const digests: (RowDigest | null)[] = loaded.map(() => null);
    for (const [index, digest] of found.entries()) {
      digests[there[index]!.at] = digest;
      if (digest !== null) known.claim(digest);
    }
    return digests;
  }
}
