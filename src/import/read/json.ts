// JSON files: one object a line, or one document with an array of objects.
import { errorIn, moreIn } from "../../envelope.ts";
import { shown } from "../row-errors.ts";
import { JsonRecords } from "./json-record.ts";
import {
  MAX_RECORD_CHARACTERS,
  type ReadOptions,
  type RecordReader,
  type TextPiece,
  UnreadableFile,
} from "./records.ts";
import { textOf } from "./text.ts";

/**
 * Opens a file of JSON lines, or a JSON document that is an array of objects or has one at the path `at`. Its header grows while it is read.
 * `paths` are the columns to read.
 */
export async function openJson(
  path: string,
  options: ReadOptions,
  form: "lines" | "document",
  paths: readonly string[],
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const text = textOf(path, options, onBytes);
  const splitter = form === "lines" ? new LineSplitter() : new ArraySplitter(options.at);
  const records = new JsonRecords(paths);
  // Read the first piece at once, so that a wrong file is refused before anything is imported.
  const first = await text.next();
  const beginning = first.done ? "" : first.value.trimStart();
  if (form === "document" && beginning !== "" && !/^[[{]/.test(beginning)) {
    await text.return(undefined);
    throw new UnreadableFile(1, `is not JSON: it begins with ${shown(beginning.slice(0, 40))}`);
  }
  const read = ({ line, item, text: value }: TextPiece) => {
    const { cells, problem } = records.record(line, value);
    return { line, item, cells, text: value, ...(problem !== undefined && { problem }) };
  };
  return {
    header: records.header,
    headerLine: 1,
    isHeaderFixed: false,
    form: "json",
    mayHave: (path) => records.mayHave(path),
    async *records() {
      if (!first.done) yield splitter.split(first.value, false).map(read);
      for await (const piece of text) yield splitter.split(piece, false).map(read);
      yield splitter.split("", true).map(read);
    },
    close: async () => void (await text.return(undefined)),
  };
}

/** Splits text into lines, without blank ones. */
class LineSplitter {
  #rest = "";
  #line = 1;

  /** The lines that this text completes; at the end of the file, the rest. Raises UnreadableFile. */
  split(piece: string, isLast: boolean): TextPiece[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = isLast ? "" : lines.pop()!; // a text has at least one line
    const values = lines.flatMap((line) => {
      const number = this.#line++;
      const text = line.trim();
      if (line.length > MAX_RECORD_CHARACTERS) throw this.#tooLong(line, number);
      if (number === 1 && isArrayStart(text)) throw isOneArray();
      return text === "" ? [] : { line: number, text };
    });
    if (this.#rest.length > MAX_RECORD_CHARACTERS) throw this.#tooLong(this.#rest, this.#line);
    return values;
  }

  #tooLong(line: string, number: number): UnreadableFile {
    if (number === 1 && isArrayStart(line.slice(0, 100))) return isOneArray();
    return new UnreadableFile(number, "is longer than 1 MB: write one object a line");
  }
}

function isArrayStart(line: string): boolean {
  return /^\[\s*(?:[{\]]|$)/.test(line);
}

function isOneArray(): UnreadableFile {
  return new UnreadableFile(
    1,
    "is one JSON array, not JSON lines: rename it to .json, or write one object a line, without [ ] and without commas between them",
  );
}

// Splits a JSON document into the elements of one array while it is read. It looks only at brackets, strings and commas. Each element is
// parsed by itself, so memory stays flat for any length of the array.

/** How many keys a message names at most. */
const MAX_NAMED_KEYS = 10;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export class ArraySplitter {
  /** The keys that lead to the array. */
  readonly #path: readonly string[];
  /** Text to see again with the next piece: an incomplete element or key. */
  #rest = "";
  #line = 1;
  #isInString = false;
  #isEscaped = false;
  /** The number of open brackets. */
  #depth = 0;
  #state: "seeking" | "elements" | "after" = "seeking";

  /** While seeking: how many objects on the path have been entered. */
  #entered = 0;
  /** While seeking: what comes next in the last entered object. */
  #expects: "value" | "key" | "comma" = "value";
  #isOnPath = true;
  #key = "";
  #keyStart = -1;
  /** The keys of the last entered object, and those of them that hold an array. */
  #keys: string[] = [];
  #arrays: string[] = [];
  /** Those of `#arrays` that have elements. */
  #filled: string[] = [];
  /** Whether the last of `#arrays` has had no element yet. */
  #isArrayNew = false;

  #elementStart = -1;
  #elementLine = 0;
  #elements = 0;
  /** The line of the element before. */
  #lineBefore = 0;
  /** Why the document has no such array, unless more objects follow and it is JSON lines. */
  #failure: UnreadableFile | null = null;
  /** The document so far, with all lists emptied. */
  #envelope = "";
  /** The number of open brackets at which the list that is left out of it began; null outside lists. */
  #listDepth: number | null = null;

  constructor(at: string | null) {
    this.#path = at === null ? [] : at.split(".");
  }

  /** The elements that this text completes. `isLast`: at the end of the file. Raises UnreadableFile. */
  split(piece: string, isLast: boolean): TextPiece[] {
    const scanned = this.#rest.length;
    const text = this.#rest + piece;
    const pieces: TextPiece[] = [];
    let outside = scanned;
    for (let at = scanned; at < text.length; at++) {
      if (this.#isInString) {
        at = this.#endOfString(text, at);
        continue;
      }
      const code = text.charCodeAt(at);
      if (code <= 0x20) {
        if (code === NEWLINE) this.#line++;
        continue;
      }
      if (code === QUOTE) this.#isInString = true;
      const before = this.#depth;
      this.#take(code, at, text, pieces);
      if (code === OPEN_LIST && this.#listDepth === null) {
        this.#addAround(text.slice(outside, at + 1));
        this.#listDepth = before;
      } else if (code === CLOSE_LIST && this.#depth === this.#listDepth) {
        this.#listDepth = null;
        outside = at;
      }
    }
    if (this.#listDepth === null) this.#addAround(text.slice(outside));
    this.#keep(text);
    if (isLast) this.#refuseEarlyEnd();
    return pieces;
  }

  /** Takes a character outside strings. */
  #take(code: number, at: number, text: string, pieces: TextPiece[]): void {
    if (this.#state === "elements") this.#element(code, at, text, pieces);
    else if (this.#state === "seeking") this.#seek(code, at);
    else if (this.#depth === 0) throw this.#secondValue(code);
    else this.#passOver(code, at);
  }

  #addAround(text: string): void {
    if (this.#envelope.length <= MAX_RECORD_CHARACTERS) this.#envelope += text;
  }

  /** Refuses one page of a longer list, and a response that tells of an error. */
  #refusePart(): void {
    if (this.#path.length === 0 || this.#envelope.length > MAX_RECORD_CHARACTERS) return;
    let body: unknown;
    try {
      body = JSON.parse(this.#envelope);
    } catch {
      throw new UnreadableFile(null, `is not valid JSON around ${shown(this.#pathText())}`);
    }
    const rows = this.#pathText();
    const more = moreIn(body, rows, this.#elements);
    if (more !== null)
      throw new UnreadableFile(
        null,
        `is one page of a longer list, because ${more}: save all pages as one list, or let rollcall pull read them; if it is the whole list, remove that`,
      );
    const error = errorIn(body, rows, this.#elements);
    if (error !== null)
      throw new UnreadableFile(
        null,
        `is a response that tells of an error: ${shown(typeof error === "string" ? error : JSON.stringify(error))}`,
      );
  }

  /** The index where the open string ends; the end of the text if it does not. */
  #endOfString(text: string, from: number): number {
    let at = from;
    if (this.#isEscaped) at++;
    this.#isEscaped = false;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) {
        this.#isEscaped = at + 1 === text.length;
        at++;
      } else if (code === QUOTE) {
        this.#isInString = false;
        if (this.#keyStart !== -1) this.#noteKey(text.slice(this.#keyStart + 1, at));
        return at;
      }
    }
    return at;
  }

  #noteKey(key: string): void {
    this.#key = key;
    this.#keyStart = -1;
    this.#isOnPath = key === this.#path[this.#entered - 1];
    if (this.#keys.length <= MAX_NAMED_KEYS) this.#keys.push(key);
  }

  /** Keeps the incomplete rest for the next piece. */
  #keep(text: string): void {
    const begun = this.#elementStart !== -1 ? this.#elementStart : this.#keyStart;
    this.#rest = begun === -1 ? "" : text.slice(begun);
    if (this.#elementStart !== -1) this.#elementStart = 0;
    if (this.#keyStart !== -1) this.#keyStart = 0;
    if (this.#rest.length > MAX_RECORD_CHARACTERS) {
      const line = this.#elementStart === -1 ? this.#line : this.#elementLine;
      throw new UnreadableFile(line, "has an element here that is longer than 1 MB: an element is one row");
    }
  }

  #nest(code: number): void {
    if (code === OPEN_LIST || code === OPEN_OBJECT) this.#depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) this.#depth--;
  }

  /** After the array. A second key that leads to an array would hide rows. */
  #passOver(code: number, at: number): void {
    if (this.#depth === this.#entered) {
      if (code === COMMA) this.#expects = "key";
      else if (code === QUOTE && this.#expects === "key") this.#keyStart = at;
      else if (code === COLON && this.#isOnPath) {
        const key = shown(this.#pathText(this.#entered));
        throw new UnreadableFile(this.#line, `has the key ${key} twice: keep the right one`);
      } else if (code === COLON) this.#expects = "value";
    }
    this.#nest(code);
    this.#entered = Math.min(this.#entered, this.#depth);
  }

  #element(code: number, at: number, text: string, pieces: TextPiece[]): void {
    const inArray = this.#path.length + 1;
    const isClosing = code === CLOSE_LIST || code === CLOSE_OBJECT;
    if (this.#elementStart === -1) {
      if (code === COMMA) return;
      if (isClosing) {
        this.#depth--;
        this.#state = "after";
        return;
      }
      this.#elementStart = at;
      this.#elementLine = this.#line;
    }
    if (code === OPEN_LIST || code === OPEN_OBJECT) this.#depth++;
    if (isClosing) this.#depth--;
    // A number or text ends before a comma or bracket; an object ends with its own bracket.
    const endsBefore = this.#depth < inArray || (this.#depth === inArray && code === COMMA);
    if (!endsBefore && !(this.#depth === inArray && isClosing)) return;
    const content = text.slice(this.#elementStart, endsBefore ? at : at + 1).trim();
    this.#elements++;
    const isAlone = this.#elementLine !== this.#lineBefore;
    pieces.push({
      line: this.#elementLine,
      text: content,
      ...(isAlone && this.#elements > 1 ? {} : { item: this.#elements }),
    });
    this.#lineBefore = this.#elementLine;
    this.#elementStart = -1;
    if (this.#depth < inArray) this.#state = "after";
  }

  #seek(code: number, at: number): void {
    if (this.#depth > this.#entered) {
      // A list of texts or numbers, such as SCIM's `schemas`, has no rows.
      if (this.#isArrayNew && ![OPEN_OBJECT, OPEN_LIST, CLOSE_LIST].includes(code)) this.#arrays.pop();
      else if (this.#isArrayNew && code !== CLOSE_LIST) this.#filled.push(this.#arrays.at(-1)!);
      this.#isArrayNew = false;
      this.#nest(code);
      return;
    }
    if (this.#expects === "value" && this.#isOnPath) this.#enter(code);
    else if (this.#expects === "value") {
      this.#isArrayNew = code === OPEN_LIST && this.#arrays.length <= MAX_NAMED_KEYS;
      if (this.#isArrayNew) this.#arrays.push(this.#key);
      this.#expects = "comma";
      this.#nest(code);
    } else if (code === COLON) this.#expects = "value";
    else if (code === COMMA) this.#expects = "key";
    else if (code === CLOSE_OBJECT) this.#leave();
    else if (this.#expects === "key" && code === QUOTE) this.#keyStart = at;
  }

  /** A value on the path begins. */
  #enter(code: number): void {
    const isAtEnd = this.#entered >= this.#path.length;
    if (code === OPEN_LIST && isAtEnd) this.#state = "elements";
    else if (code === OPEN_LIST) {
      const advice =
        this.#entered === 0
          ? 'is an array itself: leave out "at"'
          : `has its array at ${shown(this.#pathText(this.#entered))}: say so in "at"`;
      throw new UnreadableFile(this.#line, advice);
    } else if (code !== OPEN_OBJECT) throw this.#noArray();
    else {
      this.#entered++;
      this.#expects = "key";
      this.#keys = [];
      this.#arrays = [];
      this.#filled = [];
    }
    this.#depth++;
  }

  /** The last entered object ends without the array. */
  #leave(): void {
    if (this.#entered > 1) throw this.#noArray();
    this.#failure = this.#noArray();
    this.#depth--;
    this.#state = "after";
  }

  #pathText(length = this.#path.length): string {
    return this.#path.slice(0, length).join(".");
  }

  #noArray(): UnreadableFile {
    const isObject = this.#expects !== "value";
    const where = this.#path.length === 0 ? "is not an array" : `has no array at ${shown(this.#pathText())}`;
    if (!isObject) return new UnreadableFile(this.#line, `${where}, but a single value`);
    const before = this.#entered > 1 ? `${this.#pathText(this.#entered - 1)}.` : "";
    const [arrays, filled, keys] = [this.#arrays, this.#filled, this.#keys].map((values) =>
      values.slice(0, MAX_NAMED_KEYS).map((key) => before + key),
    ) as [string[], string[], string[]];
    const advice =
      arrays.length > 0
        ? `: name the path of the array in a mapping: "at": ${arrays.map(shown).join(" or ")}`
        : keys.length > 0
          ? `: it is an object with the keys ${keys.map(shown).join(", ")}`
          : "";
    return new UnreadableFile(null, `${where}${advice}`, filled.length > 0 ? filled : arrays, keys);
  }

  #secondValue(code: number): UnreadableFile {
    if (this.#failure !== null && code === OPEN_OBJECT)
      return new UnreadableFile(null, "is JSON lines by its content, one object a line: rename it to .jsonl");
    return new UnreadableFile(this.#line, "has more text after the end of its JSON");
  }

  #refuseEarlyEnd(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#state === "seeking" && this.#entered === 0)
      throw new UnreadableFile(null, "is not a JSON array or object: it is empty");
    if (this.#depth > 0)
      throw new UnreadableFile(this.#line, "ends before its last bracket: it was not copied whole");
    this.#refusePart();
  }
}
