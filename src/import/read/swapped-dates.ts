// Detects days and months that a spreadsheet swapped. A spreadsheet reads a text file in its language's order: an American one leaves
// 16/05/2020 as text and reads 04/03/2020 as 3 April. Then every text has a number above 12, and no date has such a day.

import { shown } from "../row-errors.ts";
import { type Doubt, LocalMoment, type SourceRecord } from "./records.ts";

const MAX_SHOWN = 3;
/** Dates with points are left out: spreadsheets that read the month first do not know them. */
const NUMERIC_DATE = /^(\d{1,2})[/-](\d{1,2})[/-]\d{2,4}\b/;

/** A count of rows, and the numbers of the first. */
export class RowRanges {
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
  readonly texts = new RowRanges();
  readonly dates = new RowRanges();
  /** Whether some text or date shows that both orders were understood. */
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

  /** The columns with both, and where their dates and texts are. */
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
