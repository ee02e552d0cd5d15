// JSON lines: one object a line. The header is made of the keys as they first appear.
import { shown } from "../row-errors.ts";
import { MAX_RECORD_CHARACTERS, type RecordReader, type SourceRecord, UnreadableFile } from "./records.ts";
import { textOf } from "./text.ts";

/** More different keys than any file of ours has: then they are data, not names. */
const MAX_KEYS = 1000;

const TOO_DEEP = "is not valid JSON: it is nested too deeply";

const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Opens a file of JSON lines. Its header grows while it is read. */
export async function openJsonLines(
  path: string,
  encoding: string | null,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const header: string[] = [];
  const pieces = textOf(path, encoding, onBytes);
  // The first piece is read at once, so that a file that is no text is told before anything is imported.
  const first = await pieces.next();
  return {
    header,
    isHeaderFixed: false,
    async *records() {
      const lines = new LineCutter();
      const columns = new Map<string, number>();
      const read = ({ line, text }: Line) => recordOf(line, text, columns, header);
      if (!first.done) yield lines.split(first.value, false).map(read);
      for await (const piece of pieces) yield lines.split(piece, false).map(read);
      yield lines.split("", true).map(read);
    },
    close: async () => void (await pieces.return(undefined)),
  };
}

interface Line {
  readonly line: number;
  readonly text: string;
}

/** Cuts text into lines that are not blank. Raises UnreadableFile for a line that is too long. */
class LineCutter {
  #rest = "";
  #line = 1;

  split(piece: string, isLast: boolean): Line[] {
    const text = this.#rest + piece;
    const lines: Line[] = [];
    let at = 0;
    while (at < text.length) {
      const newline = text.indexOf("\n", at);
      if (newline === -1 && !isLast) break;
      const end = newline === -1 ? text.length : newline;
      if (end - at > MAX_RECORD_CHARACTERS) throw this.#tooLong();
      const content = text.slice(at, end).trim();
      if (content !== "") lines.push({ line: this.#line, text: content });
      this.#line++;
      at = end + 1;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > MAX_RECORD_CHARACTERS) throw this.#tooLong();
    return lines;
  }

  #tooLong(): UnreadableFile {
    return new UnreadableFile(this.#line, "is longer than 1 MB: write one object a line");
  }
}

function recordOf(line: number, text: string, columns: Map<string, number>, header: string[]): SourceRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (text.startsWith("[") && line === 1) {
      throw new UnreadableFile(
        1,
        "is one JSON array, not JSON lines: write one object a line, without [ ] and without commas between them",
      );
    }
    const reason = error instanceof SyntaxError ? `is not valid JSON: ${shown(text.slice(0, 60))}` : TOO_DEEP;
    return { line, cells: [], problem: reason };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { line, cells: [], problem: `is ${shown(text)}, not a JSON object in { }` };
  }
  const entries = Object.entries(value);
  const repeated = repeatedKey(text, entries.length);
  if (repeated !== null) {
    return { line, cells: [], problem: `key ${shown(repeated)} is there twice: keep one of them` };
  }
  const cells: unknown[] = new Array(header.length).fill(null);
  for (const [key, cell] of entries) {
    let column = columns.get(key);
    if (column === undefined) {
      if (header.length >= MAX_KEYS)
        throw new UnreadableFile(
          line,
          `has more than ${MAX_KEYS} different keys so far: keys are the names of fields`,
        );
      column = header.push(key) - 1;
      columns.set(key, column);
    }
    cells[column] = cell;
  }
  return { line, cells };
}

/**
 * Whether a JSON object names a key twice: JSON.parse silently takes the last one, so the text is looked at as well.
 * Gives the first key that comes a second time; null where each comes once. `text` is the valid JSON of an object that was parsed
 * into `count` keys. Takes time in proportion to the text.
 */
export function repeatedKey(text: string, count: number): string | null {
  // Names of objects within count here too, so where the numbers are the same, each name is a key of its own.
  return countNames(text) === count ? null : findRepeated(text);
}

function countNames(text: string): number {
  let names = 0;
  for (let open = text.indexOf('"'); open !== -1; ) {
    const close = closingQuote(text, open);
    if (isName(text, close)) names++;
    open = text.indexOf('"', close + 1);
  }
  return names;
}

function findRepeated(text: string): string | null {
  const seen = new Set<string>();
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === '"') {
      const close = closingQuote(text, at);
      if (depth === 1 && isName(text, close)) {
        const key = JSON.parse(text.slice(at, close + 1)) as string; // between quotes; escapes are undone
        if (seen.has(key)) return key;
        seen.add(key);
      }
      at = close;
    }
  }
  return null;
}

/** Where the string ends that begins at `open`: the next quote after an even number of backslashes. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text.charCodeAt(at - 1) === BACKSLASH) at--;
  return (quote - at) % 2 === 1;
}

/** Whether a colon follows the string that ends at `close`. */
function isName(text: string, close: number): boolean {
  let at = close + 1;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}
