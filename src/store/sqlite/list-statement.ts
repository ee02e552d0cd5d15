// What the statements of all lists have in common. Each names the index to use: SQLite has no figures about the data to
// choose by, and would walk the list.
import type { SQLQueryBindings } from "bun:sqlite";
import type { PageQuery } from "../store.ts";

export interface Statement {
  readonly text: string;
  readonly values: readonly SQLQueryBindings[];
}

/** What a page selects. The text goes to the answer as it lies in the file, so it is not turned into a string. */
export const PAGE_COLUMNS = "cast(doc as blob)";

/** One statement in the making: `?1` is the company, `?2` the position, `?3` one more than the page holds. */
export class ListStatement {
  /** The condition that a row lies where the page begins, or after; empty without a cursor. */
  readonly position: string;
  /** The same, written so that SQLite does not look for an index that begins with the id. */
  readonly plainPosition: string;
  /** List order, or its reverse. */
  readonly order: string;
  readonly #table: string;
  readonly #values: SQLQueryBindings[];

  constructor(table: string, companyId: string, { limit, after, before }: PageQuery) {
    this.#table = table;
    this.#values = [companyId, after ?? before ?? null, limit + 1];
    const isPlaced = after !== undefined || before !== undefined;
    const past = `id ${before === undefined ? ">" : "<"} ?2`;
    this.position = isPlaced ? ` and ${past}` : "";
    this.plainPosition = isPlaced ? ` and +${past}` : "";
    this.order = `order by id${before === undefined ? "" : " desc"}`;
  }

  bind(value: SQLQueryBindings): string {
    this.#values.push(value);
    return `?${this.#values.length}`;
  }

  /** Lists are padded to a power of two with their last value, so that few statements serve all lengths. */
  anyOf(column: string, values: readonly string[] | undefined): string {
    if (values === undefined) return "";
    const places = values.map((value) => this.bind(value));
    while (places.length & (places.length - 1)) places.push(places[places.length - 1]!);
    return ` and ${column} in (${places.join(", ")})`;
  }

  /** The first ids of one range of an index: as many as a page can need. */
  firstOf(source: string, where: string): string {
    return `select id from (select id from ${source} where company_id = ?1 and ${where}${this.position} ${this.order} limit ?3)`;
  }

  /** The page among the rows with the ids that these selections give. */
  pageOf(selections: readonly string[], where = ""): Statement {
    const ids = selections.join(" union all ");
    return this.made(
      `select ${PAGE_COLUMNS} from ${this.#table} where company_id = ?1 and id in (${ids})${where} ${this.order} limit ?3`,
    );
  }

  /** The list itself, in order. */
  list(): Statement {
    return this.made(
      `select ${PAGE_COLUMNS} from ${this.#table} where company_id = ?1${this.position} ${this.order} limit ?3`,
    );
  }

  made(text: string): Statement {
    return { text, values: this.#values };
  }
}

/** Each value once: a range that is read twice would only cost. */
export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
