// What is wrong with an import, told by file and line, and the error that ends it.

/** How many bad rows are told in full; the rest are counted. */
export const MAX_REPORTED_ROWS = 100;

const MAX_SHOWN_CHARACTERS = 80;

/** Where a row came from: the file as the operator knows it, and the line its record starts on (null: none). */
export interface Place {
  readonly file: string;
  readonly line: number | null;
}

/** An import that was refused as a whole: nothing changed. The message says what is wrong, one finding a line. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";

  constructor(
    readonly findings: readonly string[],
    /** Bad rows beyond the findings. */
    readonly moreRows = 0,
  ) {
    super([...findings, ...(moreRows > 0 ? [`… and ${moreRows} more bad rows`] : [])].join("\n"));
  }
}

/** Collects bad rows: the first ones in full, the others as a count. */
export class RowErrors {
  readonly #findings: string[] = [];
  #rows = 0;

  get count(): number {
    return this.#rows;
  }

  /** Notes one bad row with everything that is wrong with it. */
  add(place: Place, messages: readonly string[]): void {
    this.#rows++;
    if (this.#rows > MAX_REPORTED_ROWS) return;
    for (const message of messages) this.#findings.push(`${placeText(place)}: ${message}`);
  }

  /** Raises ImportRefused if there was any bad row. */
  refuseAny(): void {
    if (this.#rows === 0) return;
    throw new ImportRefused(this.#findings, Math.max(0, this.#rows - MAX_REPORTED_ROWS));
  }
}

export function placeText({ file, line }: Place): string {
  return line === null ? file : `${file}:${line}`;
}

/** A value as a message shows it: quoted, escaped, and shortened. */
export function shown(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return printable(
    JSON.stringify(value.length > MAX_SHOWN_CHARACTERS ? `${value.slice(0, MAX_SHOWN_CHARACTERS)}…` : value),
  );
}

/** Text of others, such as a file's name, without anything that a terminal would obey: controls, and turns of direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (one) => {
    if (one === "\n") return "\\n";
    const code = one.codePointAt(0)!.toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, "0")}`;
  });
}
