// Names of rows of this import that are bad, so that what refers to them is not reported as well.
import type { FactKind } from "../../store/tables.ts";

/** Beyond these, any name may be one of a bad row. */
const MAX_NAMES = 100_000;

export class BadNames {
  readonly #names = new Map<FactKind, Set<string>>();
  readonly #withNameless = new Set<FactKind>();

  /** Notes a bad row by its ids; one without any may be what any unknown name of the kind refers to. */
  add(kind: FactKind, names: readonly string[]): void {
    const known = this.#names.get(kind) ?? new Set();
    this.#names.set(kind, known);
    if (names.length === 0 || known.size >= MAX_NAMES) this.#withNameless.add(kind);
    else for (const name of names) known.add(name);
  }

  /** Whether a name that is otherwise unknown may be that of a bad row, which is told already. */
  mayBe(kind: FactKind, name: string): boolean {
    return this.#withNameless.has(kind) || (this.#names.get(kind)?.has(name) ?? false);
  }
}
