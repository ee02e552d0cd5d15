// Counts the rows that have each field, to tell fields that no row has, and those that an API drops or renames between two pages.
import type { FileRequest } from "./schema.ts";
import { valueAt } from "./upstream.ts";

/** Fewer rows may lack an optional field by chance. */
const LEAST_ROWS = 5;

export class RowFields {
  #rows = 0;
  readonly #pageStarts = new Set<number>();
  readonly #fields = new Map<string, { count: number; last: number }>();

  constructor(private readonly request: FileRequest) {}

  addPage(rows: readonly object[]): void {
    const { keep = [], needs, wants } = this.request;
    const paths = [...keep, ...Object.keys({ ...needs, ...wants })];
    this.#pageStarts.add(this.#rows);
    for (const row of rows) {
      const keys = keep.length === 0 ? Object.keys(row) : [];
      const present = new Set([...keys, ...paths.filter((path) => valueAt(row, path) !== undefined)]);
      for (const path of present) {
        const count = (this.#fields.get(path)?.count ?? 0) + 1;
        this.#fields.set(path, { count, last: this.#rows });
      }
      this.#rows++;
    }
  }

  /** Whether some row has it. */
  has(path: string): boolean {
    return this.#fields.has(path);
  }

  /** What to say of each field that all rows up to a page have, and none from there on. */
  dropped(): string[] {
    return [...this.#fields].flatMap(([path, { count, last }]) =>
      last + 1 === count && this.#pageStarts.has(count) && this.#rows - count >= LEAST_ROWS
        ? [`the first ${count} of ${this.#rows} rows have ${path}, and the others have not: was it renamed?`]
        : [],
    );
  }
}
