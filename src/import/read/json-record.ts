// A JSON object as a record. The header has its keys, in the order of their first appearance. A column inside nested objects
// is named by its path, such as `employee.attributes.id.value`.

import { repeatedKey } from "../../json-file.ts";
import { normalised } from "../../resources/cells.ts";
import { shown } from "../row-errors.ts";
import { type Cell, type SourceRecord, UnreadableFile } from "./records.ts";

/** The most different keys. If there are more, the keys are data and not names. */
const MAX_KEYS = 1000;

/** The most lists and objects in a record. Each takes a hundred times the memory of its two brackets. */
const MAX_NESTED = 10_000;

const TOO_DEEP = "is not valid JSON: it is nested too deeply";

/** A number with more digits than JavaScript keeps. */
const LONG_NUMBER = /\d[\d.]{15}/;

/** Turns numbers that would be rounded, such as ids of 19 digits, into their text. */
function withAllDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || !LONG_NUMBER.test(source)) return value;
  return String(value) === source && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : source;
}

/** Parses JSON so that numbers keep their digits. Raises SyntaxError. */
export function parsedJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, withAllDigits) : JSON.parse(text);
}

/** The paths to read, as a tree of normalised keys. An object that no path enters is one cell. */
type PathTree = Map<string, PathTree>;

export class JsonRecords {
  readonly header: string[] = [];
  readonly #columns = new Map<string, number>();
  readonly #paths: PathTree = new Map();
  /** Paths that end early at a null or an empty list: they may exist in other records. */
  readonly #endedPaths = new Set<string>();

  constructor(paths: readonly string[]) {
    for (const path of paths) {
      let tree = this.#paths;
      for (const key of path.split(".")) {
        const name = normalised(key);
        const next = tree.get(name) ?? new Map();
        tree.set(name, next);
        tree = next;
      }
    }
  }

  /** Whether a record had null where the path begins, so that the path may exist. */
  mayHave(path: string): boolean {
    return this.#endedPaths.has(path.split(".").map(normalised).join("."));
  }

  /** Parses an object's text into a record. Raises UnreadableFile for too many keys. */
  record(line: number, text: string): SourceRecord {
    if (text.length > MAX_NESTED && text.replaceAll(/[^[{]/g, "").length > MAX_NESTED)
      return {
        line,
        cells: [],
        problem: `has more than ${MAX_NESTED} lists and objects: a record is one row`,
      };
    let value: unknown;
    let repeated: string | null;
    try {
      value = parsedJson(text);
      repeated = repeatedKey(text, value);
    } catch (error) {
      const reason =
        error instanceof SyntaxError ? `is not valid JSON: ${shown(text.slice(0, 60))}` : TOO_DEEP;
      return { line, cells: [], problem: reason };
    }
    if (repeated !== null)
      return { line, cells: [], problem: `has the key ${shown(repeated)} twice: keep the right one` };
    if (!isObject(value) || Array.isArray(value))
      return { line, cells: [], problem: `is ${shown(text)}, not a JSON object in { }` };
    return this.recordOf(line, value);
  }

  /** The record of a parsed object. */
  recordOf(line: number, value: object): SourceRecord {
    const cells: Cell[] = new Array(this.header.length).fill(null);
    this.#fill(line, cells, "", value, this.#paths);
    return { line, cells };
  }

  #fill(line: number, cells: Cell[], prefix: string, value: object, paths: PathTree): void {
    for (const [key, cell] of Object.entries(value)) {
      const below = typeof cell === "object" && paths.size > 0 ? paths.get(normalised(key)) : undefined;
      if (below === undefined || below.size === 0) this.#put(line, cells, prefix + key, cell);
      else if (Array.isArray(cell)) this.#fillFromList(line, cells, `${prefix}${key}.`, cell, below);
      else if (isObject(cell)) this.#fill(line, cells, `${prefix}${key}.`, cell, below);
      else this.#end(`${prefix}${key}.`, below);
    }
  }

  /** Reads only the elements of a list that a path names by number. */
  #fillFromList(line: number, cells: Cell[], prefix: string, list: readonly Cell[], paths: PathTree): void {
    for (const [index, below] of paths) {
      const element = list[Number(index)];
      if (element === undefined || element === null) this.#end(prefix, new Map([[index, below]]));
      else this.#fill(line, cells, prefix, { [index]: element }, paths);
    }
    if (paths.size === 0 || [...paths.keys()].some((key) => !/^\d+$/.test(key)))
      this.#put(line, cells, prefix.slice(0, -1), list);
  }

  #end(prefix: string, paths: PathTree): void {
    if (this.#endedPaths.size > MAX_KEYS) return;
    for (const [key, below] of paths) {
      const path = prefix + key;
      this.#endedPaths.add(path.split(".").map(normalised).join("."));
      this.#end(`${path}.`, below);
    }
  }

  #put(line: number, cells: Cell[], name: string, cell: Cell): void {
    const at = this.#column(line, name);
    if (cells[at] != null)
      throw new UnreadableFile(line, `has ${shown(name)} as a key and inside objects: keep the right one`);
    cells[at] = cell;
  }

  #column(line: number, name: string): number {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    if (this.header.length >= MAX_KEYS)
      throw new UnreadableFile(
        line,
        `has more than ${MAX_KEYS} different keys so far: keys are the names of fields`,
      );
    const column = this.header.push(name) - 1;
    this.#columns.set(name, column);
    return column;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
