// References to other rows, which may be ids or legacy ids, of this import or already stored.
import { LRUCache } from "lru-cache";
import { nounOf } from "../../resources/ids.ts";
import { LISTS, PARENT_KINDS, type ParentKind } from "../../resources/kinds.ts";
import type { ImportTransaction, NameMatch } from "../../store/store.ts";
import type { Kind } from "../../store/tables.ts";
import { detached } from "../memory.ts";
import { type RowProblem, shown } from "../row-errors.ts";

const CACHED = 20_000;

/** What a name refers to, or why it refers to nothing. `isRefused`: to a row of this import that was refused itself. */
export type Reference =
  | { readonly id: string }
  | { readonly id: null; readonly message: string; readonly isRefused: boolean };

/** Looks names up once the rows they may refer to have been written. */
export class References {
  /** Ids by kind and name, zones by worker. Looked up with `peek`: noting what was used last costs more than finding it. */
  readonly #ids = new Map(PARENT_KINDS.map((kind) => [kind, new LRUCache<string, string>({ max: CACHED })]));
  readonly #zones = new LRUCache<string, string>({ max: CACHED });
  #defaultZone: string | null | undefined;

  constructor(
    private readonly transaction: ImportTransaction,
    private readonly refused: RefusedRows,
  ) {}

  /** What each name refers to, in the order of `names`. */
  async resolve(kind: ParentKind, names: readonly string[]): Promise<Reference[]> {
    const found: (Reference | undefined)[] = [];
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!;
      // The rows of a worker mostly come one after the other.
      const id = at > 0 && name === names[at - 1] ? found[at - 1]?.id : this.#ids.get(kind)!.peek(name);
      found.push(typeof id === "string" ? { id } : undefined);
    }
    if (!found.includes(undefined)) return found as Reference[]; // none is undefined
    const unknown = new Set(names.filter((_, at) => found[at] === undefined));
    const asked = [...unknown];
    const matches = await this.transaction.match(kind, asked);
    const lookedUp = new Map<string, Reference>();
    for (let at = 0; at < asked.length; at++) {
      const name = asked[at]!;
      const reference = this.reference(kind, name, matches[at]!);
      lookedUp.set(name, reference);
      if (reference.id !== null) this.#ids.get(kind)!.set(detached(name), reference.id);
    }
    return found.map((reference, at) => reference ?? lookedUp.get(names[at]!)!);
  }

  /** What a name refers to, which may mean these rows. */
  reference(kind: ParentKind, name: string, { byId, byLegacyId }: NameMatch): Reference {
    const noun = nounOf(LISTS[kind].idKind);
    if (byId && byLegacyId !== null && byLegacyId !== name) {
      const message = `is the id of one ${noun} and the legacyId of another (${byLegacyId}): write the id of the one that is meant`;
      return { id: null, message, isRefused: false };
    }
    const id = byId ? detached(name) : byLegacyId;
    if (id !== null && this.refused.hasId(kind, id))
      return { id: null, message: `is a ${noun} whose row is refused, too`, isRefused: true };
    if (id !== null) return { id };
    const isRefused = this.refused.mayBe(kind, name);
    return {
      id: null,
      message: `is no ${noun}: neither an id nor a legacyId, in these files or stored`,
      isRefused,
    };
  }

  /** The time zone of each worker, else the company's, in the order of `ids`; null for null. */
  async timeZones(ids: readonly (string | null)[]): Promise<(string | null)[]> {
    const known = ids.map((id) => (id === null ? undefined : this.#zones.peek(id)));
    const unknown = [...new Set(ids.filter((id, at) => id !== null && known[at] === undefined))] as string[];
    const lookedUp = new Map<string, string>();
    if (unknown.length > 0) {
      const workers = await this.transaction.stored(
        "workers",
        unknown.map((id) => [id]),
      );
      unknown.forEach((id, at) => {
        const worker = workers[at];
        const zone = worker?.timeZone ?? "";
        lookedUp.set(id, zone);
        this.#zones.set(detached(id), zone);
      });
    }
    if (this.#defaultZone === undefined) this.#defaultZone = (await this.transaction.company()).timeZone;
    const zoneOfOthers = this.#defaultZone;
    return ids.map((id, at) => (id === null ? null : known[at] || lookedUp.get(id) || zoneOfOthers));
  }
}

/** What is wrong with a reference that refers to nothing. */
export function referenceProblem(
  field: string,
  name: string,
  { message }: Reference & { id: null },
): RowProblem {
  return { field, value: shown(name), message };
}

/** With more names than these, any name may be one of a refused row. */
const MAX_NAMES = 100_000;

/** The rows of this import that were refused, so that a reference to them is not reported as a mistake of its own. */
export class RefusedRows {
  readonly #names = new Map<Kind, Set<string>>();
  readonly #withNameless = new Set<Kind>();
  readonly #ids = new Map<Kind, Set<string>>();

  /** Notes a row by its ids; one without any may be what any unknown name of the kind refers to. */
  add(kind: Kind, names: readonly string[]): void {
    const known = this.#names.get(kind) ?? new Set();
    this.#names.set(kind, known);
    if (names.length === 0 || known.size >= MAX_NAMES) this.#withNameless.add(kind);
    else for (const name of names) known.add(name);
  }

  /** Notes a record that a query lacks: what it would have made of it is not known, so any cell may be what other rows refer to. */
  addCells(cells: readonly unknown[]): void {
    const names = cells.map((cell) => String(cell ?? "").trim()).filter((name) => name !== "");
    for (const kind of PARENT_KINDS) this.add(kind, names);
  }

  /** Notes the id of a stored row whose new version was refused, so that nothing of this import refers to it. */
  addId(kind: Kind, id: string): void {
    const known = this.#ids.get(kind) ?? new Set();
    this.#ids.set(kind, known);
    known.add(id);
  }

  hasId(kind: Kind, id: string): boolean {
    return this.#ids.get(kind)?.has(id) ?? false;
  }

  /** The ids that were noted. */
  ids(kind: Kind): readonly string[] {
    return [...(this.#ids.get(kind) ?? [])];
  }

  /** Whether a name that is otherwise unknown may be that of a refused row. */
  mayBe(kind: Kind, name: string): boolean {
    return this.#withNameless.has(kind) || (this.#names.get(kind)?.has(name) ?? false);
  }
}
