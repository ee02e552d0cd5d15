// Finds the row of an import row (docs/importing.md, Identity): how ids are minted, and how an import row with an id, a legacy id, or
// both is matched with stored rows and with earlier rows of this import.
import { ID_PREFIX, mintId } from "../../resources/ids.ts";
import { type NamedKind, RESOURCES } from "../../resources/kinds.ts";
import type { ImportTransaction } from "../../store/store.ts";
import type { Kind, Rows } from "../../store/tables.ts";
import type { ImportMemory } from "../memory.ts";
import { shown } from "../row-errors.ts";
import type { References } from "./references.ts";

/** The kinds whose ids can be minted: rows, types of time off that policies name, and calendars that holidays and workplaces name. */
type MintedKind = Kind | keyof typeof NAMED_PREFIX;

/** Of what has no rows of its own. */
const NAMED_PREFIX = { timeOffTypes: ID_PREFIX.timeOffType, holidayCalendars: ID_PREFIX.holidayCalendar };

const prefixOf = (kind: MintedKind) =>
  kind in NAMED_PREFIX
    ? NAMED_PREFIX[kind as keyof typeof NAMED_PREFIX] // as was just seen
    : (RESOURCES[kind as Kind].idPrefix ?? ""); // it is none of them

/** The id of what a source system calls `name`; for an assignment, the ids of worker and policy. See `mintId`. */
export function mintedId(companyId: string, kind: MintedKind, ...name: readonly string[]): string {
  return mintId(prefixOf(kind), companyId, kind, name);
}

interface Named {
  readonly id: string | null;
  readonly legacyId: string | null;
}

/** Which row an import row is. */
export interface NamedIdentity {
  readonly id: string;
  readonly legacyId: string | null;
}

/** The row of an import row and its stored version; or why the row is not certain. */
export type Identified<K extends NamedKind> =
  | { readonly identity: NamedIdentity; readonly stored: Rows[K] | null; readonly problem?: undefined }
  | { readonly problem: string };

/** What the rows of a kind are resolved with. */
export interface NamedContext {
  readonly companyId: string;
  readonly transaction: ImportTransaction;
  readonly memory: ImportMemory;
  readonly references: References;
  /** Whether nothing of the kind was stored before this import. */
  readonly isFresh: boolean;
}

export class NamedRows<K extends NamedKind> {
  /** Legacy ids that this import takes away from a stored row, by the row's id. Few, if any. */
  readonly #released = new Map<string, string>();
  /** Which notes of a fresh kind can find anything. */
  #hasNoted = false;
  #hasMinted = false;

  constructor(
    readonly kind: K,
    readonly context: Omit<NamedContext, "references">,
  ) {}

  /** The row of each import row, in order. The rows of earlier calls have been written. */
  async identify(importRows: readonly Named[]): Promise<Identified<K>[]> {
    if (this.context.isFresh) {
      const owners = this.#withDefaults(importRows, this.#notedOwners(importRows));
      return importRows.map((importRow) =>
        this.#identified(importRow, this.#idOf(importRow, owners), null, owners),
      );
    }
    // Nearly every stored row has its import row's id, or the one minted from its legacy id. One look-up finds it with its legacy
    // id, which no other row can have.
    const likely = importRows.map((importRow) => importRow.id ?? this.#minted(importRow));
    const found = await this.#storedRows(likely);
    const owners = this.#withDefaults(importRows, await this.#storedOwners(importRows, found));
    const ids = importRows.map((importRow) => this.#idOf(importRow, owners));
    const places = ids.flatMap((id, at) => (id === likely[at] ? [] : [at]));
    const others = places.length === 0 ? [] : await this.#storedRows(places.map((at) => ids[at]!));
    places.forEach((at, index) => {
      found[at] = others[index]!;
    });
    return importRows.map((importRow, at) =>
      this.#identified(importRow, ids[at]!, found[at] ?? null, owners),
    );
  }

  #minted({ legacyId }: Named): string | null {
    return legacyId === null ? null : mintedId(this.context.companyId, this.kind, legacyId);
  }

  #storedRows(ids: readonly (string | null)[]): Promise<(Rows[K] | null)[]> {
    return this.context.transaction.stored(
      this.kind,
      ids.map((id) => [id ?? ""]),
    );
  }

  /** By legacy id, the id of the stored row that has it. `found`: what is stored under the likely id of each import row. */
  async #storedOwners(
    importRows: readonly Named[],
    found: readonly (Rows[K] | null)[],
  ): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    const asked: string[] = [];
    importRows.forEach(({ legacyId }, at) => {
      if (legacyId === null) return;
      const row = found[at] ?? null;
      if (row?.legacyId === legacyId) owners.set(legacyId, row.id);
      else asked.push(legacyId);
    });
    if (asked.length === 0) return owners;
    const matches = await this.context.transaction.match(this.kind, asked);
    asked.forEach((legacyId, at) => {
      const owner = matches[at]!.byLegacyId;
      if (owner !== null) owners.set(legacyId, owner);
    });
    return owners;
  }

  /** The same where nothing was stored before: of rows of this import, as far as they were noted. */
  #notedOwners(importRows: readonly Named[]): Map<string, string> {
    const owners = new Map<string, string>();
    for (const { id, legacyId } of importRows) {
      if (legacyId === null) continue;
      const noted = this.#hasNoted ? this.context.memory.idOfLegacyId(this.kind, legacyId) : null;
      if (noted !== null) owners.set(legacyId, noted);
      else if (id !== null && this.#hasMinted) {
        const minted = mintedId(this.context.companyId, this.kind, legacyId);
        if (minted !== id && this.context.memory.isSeen(this.kind, minted)) owners.set(legacyId, minted);
      }
    }
    return owners;
  }

  /** Adds the legacy ids that no row has: the first of these import rows with one gives its id, else it is minted. */
  #withDefaults(importRows: readonly Named[], owners: Map<string, string>): ReadonlyMap<string, string> {
    for (const importRow of importRows) {
      const { id, legacyId } = importRow;
      if (legacyId === null || owners.has(legacyId)) continue;
      const owner = id ?? this.#minted(importRow)!;
      owners.set(legacyId, owner);
    }
    return owners;
  }

  #idOf({ id, legacyId }: Named, owners: ReadonlyMap<string, string>): string | null {
    return id ?? (legacyId === null ? null : owners.get(legacyId)!);
  }

  #identified(
    importRow: Named,
    id: string | null,
    stored: Rows[K] | null,
    owners: ReadonlyMap<string, string>,
  ): Identified<K> {
    if (id === null) return { problem: "id or legacyId: one of them is needed to tell the row from others" };
    const { legacyId } = importRow;
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
      if (importRow.id === null) {
        return {
          problem: `legacyId: the id minted from ${shown(legacyId)} is already that of the row with legacyId ${shown(storedLegacyId)}: give the row an id of its own`,
        };
      }
      this.#released.set(storedLegacyId, id);
    }
    if (importRow.id === null) this.#hasMinted = true;
    else if (this.context.isFresh) {
      this.#hasNoted = true;
      this.context.memory.noteLegacyId(this.kind, legacyId, id);
    }
    return { identity: { id, legacyId }, stored };
  }
}
