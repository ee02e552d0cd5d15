// Reads a mapping, from a file or a preset, with the mappings that it extends. Reports every mistake with its path before reading any row.
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { z } from "zod";
import { isJsonObject, JsonFileMistakes, type JsonObject, readJsonFile } from "../../json-file.ts";
import { didYouMean } from "../../resources/cells.ts";
import { KINDS, type Kind } from "../../resources/kinds.ts";
import { ImportRefused, shown } from "../row-errors.ts";
import { sourceMistakes } from "./mistakes.ts";
import {
  type LoadedMapping,
  MAPPING_KEYS,
  type NamedMapping,
  type SourceMapping,
  sourceSchema,
  type Tables,
  tablesSchema,
} from "./schema.ts";

/** The longest chain of `extends`. */
const MAX_EXTENDED = 5;

/** Presets by name. A file of the same name is read instead. */
type Presets = ReadonlyMap<string, JsonObject>;

/** Reads a mapping from a file, or a preset by its name. Raises ImportRefused with every mistake and its path. */
export async function readMapping(pathOrPreset: string, presets: Presets): Promise<LoadedMapping> {
  const label = basename(pathOrPreset);
  const raw = await rawMapping(pathOrPreset, null, presets);
  return checked(label, await extended(label, raw, presets, 0), raw.folder);
}

interface RawMapping {
  readonly content: JsonObject;
  /** The mapping's folder; null for a preset. */
  readonly folder: string | null;
}

/** `baseFolder`: the folder that `name` is relative to; null for the current one. */
async function rawMapping(name: string, baseFolder: string | null, presets: Presets): Promise<RawMapping> {
  const path = baseFolder === null ? name : join(baseFolder, name);
  const preset = presets.get(name);
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (preset !== undefined && !isFile) return { content: preset, folder: null };
  const folder = dirname(path);
  return { content: withQueryPaths(await mappingFile(path, basename(path)), folder), folder };
}

/** Makes the paths of query files absolute, because a mapping that extends this one may be in another folder. */
function withQueryPaths(content: JsonObject, folder: string): JsonObject {
  const withPath = (source: unknown): unknown => {
    if (!isJsonObject(source) || !isJsonObject(source.query) || typeof source.query.file !== "string")
      return source;
    return { ...source, query: { ...source.query, file: resolve(folder, source.query.file) } };
  };
  return Object.fromEntries(
    Object.entries(content).map(([key, source]) => [
      key,
      Array.isArray(source) ? source.map(withPath) : withPath(source),
    ]),
  );
}

async function mappingFile(path: string, label: string): Promise<JsonObject> {
  try {
    return await readJsonFile(path, label, '{"workers": {"from": "people.csv"}}');
  } catch (error) {
    throw error instanceof JsonFileMistakes ? new ImportRefused(error.mistakes) : error;
  }
}

/** The mapping merged over the one that it extends. */
async function extended(
  label: string,
  { content, folder }: RawMapping,
  presets: Presets,
  depth: number,
): Promise<JsonObject> {
  const baseName = content.extends;
  if (baseName === undefined || baseName === null) return content;
  if (typeof baseName !== "string" || baseName === "")
    throw new ImportRefused([`${label}: extends: is not the name of a preset or of a file beside this one`]);
  if (depth >= MAX_EXTENDED)
    throw new ImportRefused([`${label}: extends: is more than ${MAX_EXTENDED} mappings deep`]);
  let rawBase: RawMapping;
  try {
    rawBase = await rawMapping(baseName, folder, presets);
  } catch (error) {
    if (error instanceof ImportRefused) throw error;
    const names = [...presets.keys()];
    throw new ImportRefused([
      `${label}: extends: ${shown(baseName)} is neither a preset${didYouMean(baseName, names)} nor a file beside this one; the presets are ${names.join(", ")}`,
    ]);
  }
  const base = await extended(label, rawBase, presets, depth + 1);
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(content)) {
    const isKind = (KINDS as readonly string[]).includes(key);
    if (value === null && isKind) delete merged[key];
    else if (isKind && isJsonObject(value) && isJsonObject(merged[key]))
      merged[key] = mergedSource(merged[key], value);
    else merged[key] = value;
  }
  return merged;
}

const ORIGINS = ["from", "rows", "query"];
const TABLES_OF_FIELDS = ["columns", "values", "translate", "dates", "units", "skip"];

/** Merges the user's own source over a base. Tables are merged key by key; null removes a key. */
function mergedSource(base: JsonObject, own: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...base };
  if (ORIGINS.some((key) => key in own)) for (const key of ORIGINS) delete merged[key];
  for (const [key, value] of Object.entries(own)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else if (TABLES_OF_FIELDS.includes(key) && isJsonObject(value) && isJsonObject(before))
      merged[key] = key === "translate" ? mergedTables(before, value) : { ...before, ...value };
    else merged[key] = value;
  }
  return merged;
}

function mergedTables(before: JsonObject, own: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...before };
  for (const [field, table] of Object.entries(own)) {
    const base = merged[field];
    merged[field] = isJsonObject(table) && isJsonObject(base) ? { ...base, ...table } : table;
  }
  return merged;
}

async function checked(label: string, content: JsonObject, folder: string | null): Promise<LoadedMapping> {
  const known: readonly string[] = [...KINDS, ...MAPPING_KEYS];
  const unplaced = content["?"];
  const mistakes = Object.keys(content)
    .filter((key) => !known.includes(key) && key !== "?")
    .map((key) => `${label}: ${shown(key)} is not one of ${KINDS.join(", ")}${didYouMean(key, known)}`);
  if (unplaced !== undefined) {
    const places = isJsonObject(unplaced) ? Object.keys(unplaced) : [String(unplaced)];
    mistakes.push(...places.map((place) => `${label}: "?": ${place} has no place yet: map it or remove it`));
  }
  const tables = tablesSchema.optional().safeParse(content.tables, { reportInput: true });
  if (!tables.success)
    mistakes.push(...tables.error.issues.flatMap((issue) => issueText(label, ["tables"], issue)));
  const sources = new Map<Kind, NamedMapping[]>();
  for (const kind of KINDS)
    if (content[kind] !== undefined) sources.set(kind, await sourcesOf(label, kind, content[kind], mistakes));
  if (sources.size === 0 && mistakes.length === 0)
    mistakes.push(`${label}: maps nothing: name at least one of ${KINDS.join(", ")}`);
  if (mistakes.length > 0) throw new ImportRefused(mistakes);
  return { label, isPreset: folder === null, sources, tables: (tables.data ?? {}) as Tables }; // it was parsed, because there are no mistakes
}

/** The sources of a kind, one or a list. Adds what is wrong with them to `mistakes`. */
async function sourcesOf(
  label: string,
  kind: Kind,
  given: unknown,
  mistakes: string[],
): Promise<NamedMapping[]> {
  const list = Array.isArray(given) ? given : [given];
  if (list.length === 0) mistakes.push(`${label}: ${kind}: is an empty list: name a source or leave it out`);
  const named: NamedMapping[] = [];
  for (const [at, mapping] of list.entries()) {
    const path = Array.isArray(given) ? `${kind}[${at}]` : kind;
    const parsed = sourceSchema.safeParse(mapping, { reportInput: true });
    if (!parsed.success) {
      mistakes.push(...parsed.error.issues.flatMap((issue) => issueText(label, [path], issue)));
      continue;
    }
    const source = { label, path, mapping: await withQueryText(parsed.data, label, path, mistakes) };
    named.push(source);
    mistakes.push(...sourceMistakes(kind, source));
  }
  return named;
}

/** Reads the SQL of a query that is in a file. Adds a mistake if the file cannot be read. */
async function withQueryText(
  source: SourceMapping,
  label: string,
  path: string,
  mistakes: string[],
): Promise<SourceMapping> {
  if (typeof source.query !== "object") return source;
  const { file } = source.query;
  const name = basename(file);
  try {
    return { ...source, query: { file: name, sql: (await readFile(file, "utf8")).replace(/^\uFEFF/, "") } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // only reading a file can fail here
    const what =
      code === "ENOENT"
        ? `there is no ${shown(name)} beside the mapping`
        : `${shown(name)} cannot be read (${code})`;
    mistakes.push(`${label}: ${path}.query.file: ${what}: looked for ${file}`);
    return source;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = { string: "text", number: "a number", array: "a list" };

function issueText(label: string, path: readonly string[], issue: z.core.$ZodIssue): string[] {
  const full = [...path, ...issue.path.map(String)].join(".");
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? Object.keys(sourceSchema.shape) : [];
    return issue.keys.map((key) =>
      known.length === 0
        ? `${label}: ${full}: ${shown(key)} is not a known key`
        : `${label}: ${full}: ${shown(key)} is not one of ${known.join(", ")}${didYouMean(key, known)}`,
    );
  }
  const isMissing = issue.code !== "custom" && issue.input === undefined;
  const value = typeof issue.input === "object" || isMissing ? "" : `${shown(issue.input)} `;
  return [`${label}: ${full}: ${value}${isMissing ? "is missing" : messageOf(issue)}`];
}

/** The schema's own message; in place of a default of zod, ours. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type")
    return issue.message.replace(
      /^Invalid input: .*/,
      `is not ${TYPE_NAMES[issue.expected] ?? issue.expected}`,
    );
  if (issue.code === "too_small" && issue.message.startsWith("Too small"))
    return issue.origin === "array" ? "is an empty list" : "is empty";
  return issue.message;
}
