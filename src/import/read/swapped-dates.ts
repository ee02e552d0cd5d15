// Days and months that a spreadsheet swapped. It reads a text file in its own language's order: of 16/05/2020 it makes no date in the
// American one, and leaves the text; of 04/03/2020 it makes 3 April. Then every text has a number above 12, and no date has such a day.

import { shown } from "../row-errors.ts";
import { type Doubt, LocalMoment, type SourceRecord } from "./records.ts";

const MAX_SHOWN = 3;
/** Points are left out: the spreadsheets that read days after months know no such dates. */
const NUMERIC_DATE = /^(\d{1,2})[/-](\d{1,2})[/-]\d{2,4}\b/;

/** How many there are, and the rows of the first. */
class Rows {
  count = 0;
  readonly first: number[] = [];

  add(line: number): void {
    if (this.count++ < MAX_SHOWN) this.first.push(line);
  }

  toString(): string {
    return `${this.count === 1 ? "row" : "rows"} ${this.first.join(", ")}${this.count > MAX_SHOWN ? ", …" : ""}`;
  }
}

class Column {
  readonly texts = new Rows();
  readonly dates = new Rows();
  /** Whether a text or a date shows that both orders were understood. */
  isMixed = false;

  see(cell: unknown, line: number): void {
    if (this.isMixed) return;
    if (cell instanceof LocalMoment) {
      this.isMixed = new Date(cell.localMs).getUTCDate() > 12;
      this.dates.add(line);
    } else if (typeof cell === "string") {
      const [, first, second] = NUMERIC_DATE.exec(cell.trim()) ?? [];
      if (first === undefined) return;
      this.isMixed = Math.max(Number(first), Number(second)) <= 12;
      this.texts.add(line);
    }
  }

  get areSwapped(): boolean {
    return !this.isMixed && this.texts.count > 0 && this.dates.count > 0;
  }
}

export class DateOrders {
  readonly #columns: readonly Column[];

  constructor(private readonly header: readonly string[]) {
    this.#columns = header.map(() => new Column());
  }

  see({ line, cells }: SourceRecord): void {
    for (const [at, column] of this.#columns.entries()) column.see(cells[at], line);
  }

  /** By column, where the dates and the texts are. */
  doubts(): Doubt[] {
    return this.#columns.flatMap(({ areSwapped, dates, texts }, at) =>
      areSwapped
        ? [
            {
              code: "swapped-dates" as const,
              part: `${shown(this.header[at])} (dates in ${dates}, texts in ${texts})`,
              count: dates.count,
            },
          ]
        : [],
    );
  }
}
