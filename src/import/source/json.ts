// JSON files: lines of one object each, or one document with an array of objects.
import { shown } from "../row-errors.ts";
import { ArraySplitter } from "./json-array.ts";
import { JsonRecords } from "./json-record.ts";
import {
  MAX_RECORD_CHARACTERS,
  type ReadOptions,
  type RecordReader,
  type TextPiece,
  UnreadableFile,
} from "./records.ts";
import { otherFormatOf, textOf } from "./text.ts";

interface Splitter {
  /** The values that end in this text, or, at the end of the file, what is left. Raises UnreadableFile. */
  split(text: string, isLast: boolean): TextPiece[];
}

/** Opens a file of JSON lines. Its header grows while it is read. `paths`: the columns that are read. */
export async function openJsonLines(
  path: string,
  options: ReadOptions,
  paths: readonly string[],
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  return reader(textOf(path, options, onBytes), new LineSplitter(), "JSON lines", paths);
}

/** Opens a JSON document that is an array of objects, or has one at the path `at`. Its header grows while it is read. */
export async function openJsonArray(
  path: string,
  options: ReadOptions,
  paths: readonly string[],
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  return reader(textOf(path, options, onBytes), new ArraySplitter(options.at), "JSON", paths);
}

async function reader(
  text: AsyncGenerator<string>,
  splitter: Splitter,
  format: string,
  paths: readonly string[],
): Promise<RecordReader> {
  const records = new JsonRecords(paths);
  // The first piece is read at once: a file that is no such text is refused before anything is imported.
  const first = await text.next();
  const other = first.done ? null : otherFormatOf(first.value.slice(0, 1000));
  if (other === "HTML" || other === "XML") {
    await text.return(undefined);
    throw new UnreadableFile(null, `is ${other} by its content, but is read as ${format}`);
  }
  const beginning = first.done ? "" : first.value.trimStart();
  if (splitter instanceof ArraySplitter && beginning !== "" && !/^[[{]/.test(beginning)) {
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

/** Cuts text into lines that are not blank. */
class LineSplitter implements Splitter {
  #rest = "";
  #line = 1;

  split(piece: string, isLast: boolean): TextPiece[] {
    const text = this.#rest + piece;
    const lines: TextPiece[] = [];
    let at = 0;
    while (at < text.length) {
      const newline = text.indexOf("\n", at);
      if (newline === -1 && !isLast) break;
      const end = newline === -1 ? text.length : newline;
      if (end - at > MAX_RECORD_CHARACTERS) throw this.#tooLong(text);
      const content = text.slice(at, end).trim();
      if (this.#line === 1 && isArrayStart(content)) throw isOneArray();
      if (content !== "") lines.push({ line: this.#line, text: content });
      this.#line++;
      at = end + 1;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > MAX_RECORD_CHARACTERS) throw this.#tooLong(this.#rest);
    return lines;
  }

  #tooLong(line: string): UnreadableFile {
    if (this.#line === 1 && isArrayStart(line.slice(0, 100))) return isOneArray();
    return new UnreadableFile(this.#line, "is longer than 1 MB: write one object a line");
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
