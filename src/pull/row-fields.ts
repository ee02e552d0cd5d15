// Counts the rows that have each field. So we notice fields that no row has, and fields that an API drops or renames midway.

import type { PulledFile } from "./record.ts";
import type { FileRequest } from "./schema.ts";
import { valueAt } from "./upstream.ts";

/** Fewer rows may lack an optional field by chance. */
const LEAST_ROWS = 5;

export class RowFields {
  #rows = 0;
  readonly #pageStarts = new Set<number>();
  readonly #fields = new Map<string, { count: number; last: number }>();

  /** How many rows have a value, neither null nor empty, at each path of `needs` and `wants`. */
  readonly filled: Record<string, number> = {};

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
      for (const path of Object.keys({ ...needs, ...wants }))
        if ((valueAt(row, path) ?? "") !== "") this.filled[path] = (this.filled[path] ?? 0) + 1;
      this.#rows++;
    }
  }

  /** Paths of `needs` and `wants` without any value now, though at least five rows that are still there had one in the last pull. */
  emptied({ filled = {}, rows }: PulledFile): string[] {
    const { needs, wants } = this.request;
    const gone = Math.max(0, rows - this.#rows); // in doubt, the rows that are gone had the value
    return Object.keys({ ...needs, ...wants }).filter(
      (path) => !(path in this.filled) && (filled[path] ?? 0) - gone >= LEAST_ROWS,
    );
  }

  /** Whether some row has it. */
  has(path: string): boolean {
    return this.#fields.has(path);
  }

  /** A message for each field that all rows before some page have, and no row from there on. */
  dropped(): string[] {
    return [...this.#fields].flatMap(([path, { count, last }]) =>
      last + 1 === count && this.#pageStarts.has(count) && this.#rows - count >= LEAST_ROWS
        ? [`the first ${count} of ${this.#rows} rows have ${path}, and the others have not: was it renamed?`]
        : [],
    );
  }
}
