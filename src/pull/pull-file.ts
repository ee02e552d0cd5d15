// Reads a pull file or a preset. Reports every mistake with its path, before any request to the API.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { z } from "zod";
import { JsonFileMistakes, type JsonObject, readJsonFile } from "../json-file.ts";
import { didYouMean } from "../resources/cells.ts";
import { type FileRequest, fileSchema, type PullFile, pullFileSchema } from "./schema.ts";
import { placeholdersIn } from "./template.ts";

export interface LoadedPullFile {
  /** Its name in messages. */
  readonly label: string;
  /** The path of a file, or the name of a preset. */
  readonly name: string;
  readonly isPreset: boolean;
  readonly content: PullFile;
}

/** Reads a pull file, or a preset by its name. `base` replaces its base address. Raises JsonFileMistakes. */
export async function readPullFile(
  pathOrPreset: string,
  presets: ReadonlyMap<string, JsonObject>,
  base?: string,
): Promise<LoadedPullFile> {
  const preset = presets.get(pathOrPreset);
  const isFile = await stat(pathOrPreset).then(
    (stats) => stats.isFile(),
    () => false,
  );
  const isPreset = preset !== undefined && !isFile;
  const label = basename(pathOrPreset);
  const content = isPreset
    ? preset
    : await readJsonFile(
        pathOrPreset,
        label,
        '{"base": "https://…", "files": {"people.json": {"get": "people"}}}',
      );
  const given = base === undefined ? content : { ...content, base };
  return { label, name: pathOrPreset, isPreset, content: checkedPullFile(label, given) };
}

/** Checks an object as a pull file. Raises JsonFileMistakes. */
export function checkedPullFile(label: string, content: JsonObject): PullFile {
  const mistakes: string[] = [];
  const top = pullFileSchema.safeParse(content, { reportInput: true });
  if (!top.success) mistakes.push(...issueTexts(label, [], top.error, Object.keys(pullFileSchema.shape)));
  const files: Record<string, FileRequest> = {};
  const given = content.files;
  for (const [name, request] of Object.entries(typeof given === "object" && given !== null ? given : {})) {
    if (!/^[\p{L}\p{N}_][\p{L}\p{N}_ .-]*\.json$/u.test(name) || name === "pull.json")
      mistakes.push(`${label}: files.${name}: is not the name of a file such as people.json`);
    const parsed = fileSchema.safeParse(request, { reportInput: true });
    if (!parsed.success) {
      mistakes.push(...issueTexts(label, ["files", name], parsed.error, Object.keys(fileSchema.shape)));
      continue;
    }
    mistakes.push(...fileMistakes(parsed.data, files).map((text) => `${label}: files.${name}${text}`));
    files[name] = parsed.data;
  }
  mistakes.push(...windowMistakes(files).map((text) => `${label}: ${text}`));
  const { files: _, ...others } = content;
  for (const [key, value] of Object.entries(others))
    if (placeholdersIn(value).some(({ from }) => from === "row"))
      mistakes.push(`${label}: ${key}: uses a value of each, which only files may use`);
  if (mistakes.length > 0 || !top.success) throw new JsonFileMistakes(mistakes);
  return { ...top.data, files };
}

/** Mistakes of files that ask only for rows from a past day on. If no file has `complete`, a sync would prune the older rows. */
function windowMistakes(files: Readonly<Record<string, FileRequest>>): string[] {
  if (Object.values(files).some(({ complete }) => complete !== undefined)) return [];
  return Object.entries(files).flatMap(([name, { get, post, query, json, form }]) => {
    const day = placeholdersIn([get, post, query, json, form]).find(
      (placeholder) => placeholder.from === "today" && placeholder.days < 0,
    );
    if (day?.from !== "today") return [];
    const text = `{today${day.days}d}`;
    return [
      `files.${name}: asks for rows from ${text} on, and a sync would remove older ones: say "complete": {"requests": {"endsOnOrAfter": "${text}"}}, or "complete": {} if it asks for all rows`,
    ];
  });
}

/** Mistakes in how a file uses the files before it. Callers put the file's name before each text. */
function fileMistakes(file: FileRequest, before: Readonly<Record<string, FileRequest>>): string[] {
  const mistakes: string[] = [];
  if (file.each !== undefined && !Object.hasOwn(before, file.each))
    mistakes.push(
      `.each: ${JSON.stringify(file.each)} is not a file before this one${didYouMean(file.each, Object.keys(before))}`,
    );
  const { pages: _, ...request } = file;
  if (file.each === undefined && placeholdersIn(request).some(({ from }) => from === "row"))
    mistakes.push(": uses a value of a row in braces, but has no each to name the file");
  if (placeholdersIn(file.add ?? {}).some(({ from }) => from === "secret"))
    mistakes.push(".add: uses a secret, which would be written into the file");
  for (const kind of Object.keys(file.complete ?? {}))
    for (const [other, { complete }] of Object.entries(before))
      if (complete !== undefined && Object.hasOwn(complete, kind))
        mistakes.push(`.complete: names ${kind}, as ${other} does: name it once`);
  return mistakes;
}

function issueTexts(
  label: string,
  path: readonly string[],
  error: z.ZodError,
  known: readonly string[],
): string[] {
  return error.issues.flatMap((issue) => {
    const at = [...path, ...issue.path.map(String)].join(".");
    const prefix = at === "" ? `${label}: ` : `${label}: ${at}: `;
    if (issue.code === "unrecognized_keys") {
      const names = issue.path.length === 0 ? known : [];
      return issue.keys.map(
        (key) => `${prefix}${JSON.stringify(key)} is not a known key${didYouMean(key, names)}`,
      );
    }
    return [`${prefix}${issueText(issue)}`];
  });
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code !== "custom" && issue.input === undefined) return "is missing";
  if (!/^Invalid/.test(issue.message)) return issue.message;
  const expected = issue.code === "invalid_type" ? issue.expected : "";
  return expected === "object" || expected === "record" ? "is not an object" : "is not a valid value";
}
