// Reads a file that a person wrote in JSON with comments: a mapping or a pull file. Finds duplicate keys in any JSON.
import { readFile, stat } from "node:fs/promises";
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** Larger than any file that a person writes. */
const MAX_BYTES = 1_048_576;

export type JsonObject = Readonly<Record<string, unknown>>;

/** The mistakes of a file, each with the file's name and the path in it. */
export class JsonFileMistakes extends Error {
  override readonly name = "JsonFileMistakes";

  constructor(readonly mistakes: readonly string[]) {
    super(mistakes.join("\n"));
  }
}

/** The object in the file. `label` is its name in messages, `example` an example for them. Raises JsonFileMistakes. */
export async function readJsonFile(path: string, label: string, example: string): Promise<JsonObject> {
  const file = await stat(path);
  if (!file.isFile()) throw new JsonFileMistakes([`${label}: is not a file`]);
  if (file.size > MAX_BYTES)
    throw new JsonFileMistakes([
      `${label}: is larger than 1 MB: such a file is a page of JSON. Is it the data?`,
    ]);
  const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  let tree: Node | undefined;
  try {
    tree = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new JsonFileMistakes([`${label}: is not valid JSON: it is nested too deeply`]);
  }
  const error = errors[0];
  if (error !== undefined || tree === undefined) {
    const line = text.slice(0, error?.offset ?? 0).split("\n").length;
    const what = error === undefined ? "it is empty" : syntaxProblem(error);
    throw new JsonFileMistakes([`${label}: is not valid JSON: line ${line}: ${what}`]);
  }
  const repeated = repeatedKeys(tree, "");
  if (repeated.length > 0)
    throw new JsonFileMistakes(repeated.map((key) => `${label}: ${key} is there twice`));
  const content: unknown = getNodeValue(tree);
  if (!isJsonObject(content)) throw new JsonFileMistakes([`${label}: is not an object such as ${example}`]);
  return content;
}

/** `CommaExpected` becomes: a comma is expected here. */
function syntaxProblem({ error }: ParseError): string {
  const words = printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  const expected = /^(.*) expected$/.exec(words);
  return expected === null ? words : `a ${expected[1]} is expected here`;
}

/** The paths of duplicate keys: parsing would silently use one of the values. */
function repeatedKeys(node: Node, path: string): string[] {
  const seen = new Set<string>();
  return (node.children ?? []).flatMap((child) => {
    if (child.type !== "property") return repeatedKeys(child, path);
    const [key, value] = child.children ?? [];
    const name = String(key?.value);
    const keyPath = path === "" ? name : `${path}.${name}`;
    const isRepeated = seen.has(name);
    seen.add(name);
    return [...(isRepeated ? [keyPath] : []), ...(value === undefined ? [] : repeatedKeys(value, keyPath))];
  });
}

/** The path of the first duplicate key in valid JSON; null if there is none. Parsing keeps only the last value. */
export function repeatedKey(text: string, parsed: unknown = JSON.parse(text)): string | null {
  return keysWritten(text) === keysIn(parsed) ? null : (repeatedKeys(parseTree(text)!, "")[0] ?? null);
}

function keysWritten(text: string): number {
  let keys = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    for (at++; text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
    at++;
    while (text.charCodeAt(at) <= SPACE) at++;
    if (text.charCodeAt(at) === COLON) keys++;
  }
  return keys;
}

const [SPACE, QUOTE, COLON, BACKSLASH] = [0x20, 0x22, 0x3a, 0x5c];

function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const values = Object.values(value);
  let keys = Array.isArray(value) ? 0 : values.length;
  for (const inner of values) if (typeof inner === "object") keys += keysIn(inner);
  return keys;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
