// Finds fields that an API drops or renames between two pages: all rows up to a page have them, and none from there on.
import { valueAt } from "./upstream.ts";

/** Fewer rows may lack an optional field by chance. */
const LEAST_ROWS = 5;

export class DroppedFields {
  #rows = 0;
  readonly #pageStarts = new Set<number>();
  readonly #fields = new Map<string, { count: number; last: number }>();

  /** `paths`: the fields to watch; by default, all keys of the rows. */
  constructor(private readonly paths: readonly string[] | undefined) {}

  addPage(rows: readonly object[]): void {
    this.#pageStarts.add(this.#rows);
    for (const row of rows) {
      const present = this.paths?.filter((path) => valueAt(row, path) !== undefined) ?? Object.keys(row);
      for (const name of present) {
        const field = this.#fields.get(name) ?? { count: 0, last: 0 };
        this.#fields.set(name, { count: field.count + 1, last: this.#rows });
      }
      this.#rows++;
    }
  }

  restart(): void {
    this.#rows = 0;
    this.#pageStarts.clear();
    this.#fields.clear();
  }

  /** What to say of each dropped field. */
  notes(): string[] {
    return [...this.#fields].flatMap(([name, { count, last }]) =>
      last + 1 === count && this.#pageStarts.has(count) && this.#rows - count >= LEAST_ROWS
        ? [`the first ${count} of ${this.#rows} rows have ${name}, and the others have not: was it renamed?`]
        : [],
    );
  }
}
