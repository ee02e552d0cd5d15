// Finds the row of a fact (docs/importing.md, Identity): how ids are minted, and how a fact with an id, a legacy id, or
// both is matched with stored rows and with earlier rows of this import.
import { ID_PREFIX, mintId } from "../../resources/ids.ts";
import { type NamedKind, RESOURCES } from "../../resources/kinds.ts";
import type { ImportTransaction } from "../../store/store.ts";
import type { FactKind, Rows } from "../../store/tables.ts";
import { shown } from "../row-errors.ts";
import type { Scratch } from "../scratch.ts";
import type { References } from "./references.ts";

/** The kinds whose ids can be minted: rows, and the types of time off that policies name. */
type MintedKind = FactKind | "timeOffTypes";

const prefixOf = (kind: MintedKind) =>
  kind === "timeOffTypes" ? ID_PREFIX.timeOffType : (RESOURCES[kind].idPrefix ?? "");

/** The id of what a source system calls `name`; for an assignment, the ids of worker and policy. See `mintId`. */
export function mintedId(companyId: string, kind: MintedKind, ...name: readonly string[]): string {
  return mintId(prefixOf(kind), companyId, kind, name);
}

interface Named {
  readonly id: string | null;
  readonly legacyId: string | null;
}

interface Unnamed extends Named {
  readonly id: null;
  readonly legacyId: string;
}

function isUnnamed(fact: Named): fact is Unnamed {
  return fact.id === null && fact.legacyId !== null;
}

/** Which row a fact is. */
export interface NamedIdentity {
  readonly id: string;
  readonly legacyId: string | null;
}

/** The row of a fact and its stored version; or why the row is not certain. */
export type Identified<K extends NamedKind> =
  | { readonly identity: NamedIdentity; readonly stored: Rows[K] | null; readonly problem?: undefined }
  | { readonly problem: string };

/** What the rows of a kind are resolved with. */
export interface ResolverContext {
  readonly companyId: string;
  readonly transaction: ImportTransaction;
  readonly scratch: Scratch;
  readonly references: References;
  /** Whether nothing of the kind was stored before this import. */
  readonly isFresh: boolean;
  /** Of a fresh kind: whether its keys are noted in `scratch`. If not, the store finds rows with the same one. */
  readonly remembersKeys: boolean;
}

export class NamedRows<K extends NamedKind> {
  readonly #kind: K;
  readonly #companyId: string;
  readonly #transaction: ImportTransaction;
  readonly #scratch: Scratch;
  /** Nothing of the kind was stored before this import: then its own notes are enough. */
  readonly #isFresh: boolean;
  readonly #remembersKeys: boolean;
  /** Legacy ids that this import takes away from a stored row, by the row's id. Few, if any. */
  readonly #released = new Map<string, string>();
  /** Which notes of a fresh kind can find anything. */
  #hasNoted = false;
  #hasMinted = false;

  constructor(kind: K, context: Omit<ResolverContext, "references">) {
    this.#kind = kind;
    this.#companyId = context.companyId;
    this.#transaction = context.transaction;
    this.#scratch = context.scratch;
    this.#isFresh = context.isFresh;
    this.#remembersKeys = context.remembersKeys;
  }

  /** The row of each fact, in order. The rows of earlier calls have been written. */
  async identify(facts: readonly Named[]): Promise<Identified<K>[]> {
    if (this.#isFresh) {
      if (!this.#hasNoted && this.#released.size === 0 && facts.every(isUnnamed))
        return this.#allMinted(facts);
      const owners = this.#withDefaults(facts, this.#notedOwners(facts));
      return facts.map((fact) => this.#identified(fact, this.#idOf(fact, owners), null, owners));
    }
    // Nearly every stored row has its fact's id, or the one minted from its legacy id. One look-up finds it with its legacy
    // id, which no other row can have.
    const likely = facts.map((fact) => fact.id ?? this.#minted(fact));
    const found = await this.#storedRows(likely);
    const owners = this.#withDefaults(facts, await this.#storedOwners(facts, found));
    const ids = facts.map((fact) => this.#idOf(fact, owners));
    const places = ids.flatMap((id, at) => (id === likely[at] ? [] : [at]));
    const others = places.length === 0 ? [] : await this.#storedRows(places.map((at) => ids[at]!));
    places.forEach((at, index) => {
      found[at] = others[index]!;
    });
    return facts.map((fact, at) => this.#identified(fact, ids[at]!, found[at] ?? null, owners));
  }

  /** What a first import mostly has: no row has an id of its own, so none can name another one. */
  #allMinted(facts: readonly Unnamed[]): Identified<K>[] {
    if (facts.length > 0) this.#hasMinted = true;
    return facts.map(({ legacyId }) => {
      const id = mintedId(this.#companyId, this.#kind, legacyId);
      return { identity: { id, legacyId }, stored: null };
    });
  }

  #minted({ legacyId }: Named): string | null {
    return legacyId === null ? null : mintedId(this.#companyId, this.#kind, legacyId);
  }

  #storedRows(ids: readonly (string | null)[]): Promise<(Rows[K] | null)[]> {
    return this.#transaction.stored(
      this.#kind,
      ids.map((id) => [id ?? ""]),
    );
  }

  /** By legacy id, the id of the stored row that has it. `found`: what is stored under the likely id of each fact. */
  async #storedOwners(
    facts: readonly Named[],
    found: readonly (Rows[K] | null)[],
  ): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    const asked: string[] = [];
    facts.forEach(({ legacyId }, at) => {
      if (legacyId === null) return;
      const row = found[at] ?? null;
      if (row?.legacyId === legacyId) owners.set(legacyId, row.id);
      else asked.push(legacyId);
    });
    if (asked.length === 0) return owners;
    const matches = await this.#transaction.match(this.#kind, asked);
    asked.forEach((legacyId, at) => {
      const owner = matches[at]!.byLegacyId;
      if (owner !== null) owners.set(legacyId, owner);
    });
    return owners;
  }

  /** The same where nothing was stored before: of rows of this import, as far as they were noted. */
  #notedOwners(facts: readonly Named[]): Map<string, string> {
    const owners = new Map<string, string>();
    for (const { id, legacyId } of facts) {
      if (legacyId === null) continue;
      const noted = this.#hasNoted ? this.#scratch.idOfLegacyId(this.#kind, legacyId) : null;
      if (noted !== null) owners.set(legacyId, noted);
      else if (id !== null && this.#hasMinted && this.#remembersKeys) {
        const minted = mintedId(this.#companyId, this.#kind, legacyId);
        if (minted !== id && this.#scratch.isSeen(this.#kind, minted)) owners.set(legacyId, minted);
      }
    }
    return owners;
  }

  /** Adds the legacy ids that no row has: the first of these facts with one gives its id, else it is minted. */
  #withDefaults(facts: readonly Named[], owners: Map<string, string>): ReadonlyMap<string, string> {
    for (const fact of facts) {
      const { id, legacyId } = fact;
      if (legacyId === null || owners.has(legacyId)) continue;
      const owner = id ?? this.#minted(fact)!;
      owners.set(legacyId, owner);
    }
    return owners;
  }

  #idOf({ id, legacyId }: Named, owners: ReadonlyMap<string, string>): string | null {
    return id ?? (legacyId === null ? null : owners.get(legacyId)!);
  }

  #identified(
    fact: Named,
    id: string | null,
    stored: Rows[K] | null,
    owners: ReadonlyMap<string, string>,
  ): Identified<K> {
    if (id === null) return { problem: "id or legacyId: one of them is needed to tell the row from others" };
    const { legacyId } = fact;
    const storedLegacyId = stored?.legacyId ?? null;
    if (legacyId === null) return { identity: { id, legacyId: storedLegacyId }, stored };
    const owner = owners.get(legacyId)!;
    if (owner !== id) {
      return {
        problem: `id: ${shown(id)} and legacyId ${shown(legacyId)} name different rows: the legacyId is that of ${owner}`,
      };
    }
    const releasedBy = this.#released.get(legacyId);
    if (releasedBy !== undefined) {
      return {
        problem: `legacyId: ${shown(legacyId)} is the stored legacyId of ${releasedBy}, which has another one in these files`,
      };
    }
    if (storedLegacyId !== null && storedLegacyId !== legacyId) {
      if (fact.id === null) {
        return {
          problem: `legacyId: the id minted from ${shown(legacyId)} is already that of the row with legacyId ${shown(storedLegacyId)}: give the row an id of its own`,
        };
      }
      this.#released.set(storedLegacyId, id);
    }
    if (fact.id === null) this.#hasMinted = true;
    else if (this.#isFresh && this.#remembersKeys) {
      this.#hasNoted = true;
      this.#scratch.noteLegacyId(this.#kind, legacyId, id);
    }
    return { identity: { id, legacyId }, stored };
  }
}
