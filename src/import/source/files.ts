// Which of the given files and folders are import files, and of which kind.
import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join, parse, relative, sep } from "node:path";
import { nearest, normalised } from "../../resources/cells.ts";
import { FACT_KINDS, type FactKind } from "../../store/tables.ts";
import { fieldsOf, type Mapping } from "../mapping/schema.ts";
import { ImportRefused, printable } from "../row-errors.ts";
import type { SourceFile } from "./source-file.ts";

const DATA_FILE = /^(.+)\.(csv|jsonl|ndjson)$/i;
const MAX_LISTED = 12;

/** A mapping and the name of its file in messages. */
export interface LoadedMapping {
  readonly label: string;
  readonly mapping: Mapping;
}

export interface FoundFiles {
  readonly sourceFiles: readonly SourceFile[];
  /** Files of a given folder that are not imported, each with the reason. */
  readonly notes: readonly string[];
}

interface Candidate {
  readonly path: string;
  /** As messages show it. */
  readonly name: string;
  /** Named on the command line, rather than found in a folder. */
  readonly isNamed: boolean;
}

/**
 * The files to import, among the given files and the files of the given folders. Raises ImportRefused for a path that
 * is not there, a data file that is none of ours, when nothing is left to import, where a file that the mapping names
 * seems to be there under another name, and where `isPruning` and a mapping takes a kind from several files of which some
 * are missing.
 */
export async function findFiles(
  paths: readonly string[],
  loaded: LoadedMapping | null,
  isPruning = false,
): Promise<FoundFiles> {
  const candidates = await unique((await Promise.all(paths.map(candidatesAt))).flat());
  const mapped =
    loaded === null ? { sourceFiles: [], notes: [] } : mappedFiles(candidates, loaded, isPruning);
  const mappedPaths = new Set(mapped.sourceFiles.map(({ path }) => path));
  const sourceFiles: SourceFile[] = [...mapped.sourceFiles];
  const notes: string[] = [...mapped.notes];
  const unrecognised: string[] = [];
  for (const { path, name, isNamed } of candidates) {
    if (mappedPaths.has(path)) continue;
    const kind = kindOf(name);
    const takenFrom = kind === null ? undefined : loaded?.mapping[kind]?.from;
    if (kind !== null && takenFrom === undefined) {
      sourceFiles.push({ kind, path, label: name, mapping: null });
    } else if (takenFrom !== undefined) {
      notes.push(`${name} is not imported: the mapping takes ${kind} from ${fieldsOf(takenFrom).join(", ")}`);
    } else if (isNamed || (DATA_FILE.test(name) && loaded === null)) {
      unrecognised.push(unrecognisedText(name));
    } else {
      notes.push(`${name} is not imported: ${whyNot(name, loaded)}`);
    }
  }
  if (unrecognised.length > 0) throw new ImportRefused(unrecognised);
  if (sourceFiles.length === 0) throw new ImportRefused([nothingFound(paths, candidates)]);
  const order = (sourceFile: SourceFile) => FACT_KINDS.indexOf(sourceFile.kind);
  return { sourceFiles: labelled(sourceFiles.toSorted((a, b) => order(a) - order(b))), notes };
}

/** The kind of facts that a file's name tells, without regard to case, spaces, `_` and `-`. */
function kindOf(name: string): FactKind | null {
  const stem = DATA_FILE.exec(name)?.[1];
  if (stem === undefined) return null;
  return FACT_KINDS.find((kind) => normalised(kind) === normalised(stem)) ?? null;
}

async function candidatesAt(path: string): Promise<Candidate[]> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) {
      // A pipe would be waited for, and a device may never end.
      if (!found.isFile()) throw new ImportRefused([`${printable(path)} is not a file`]);
      return [{ path, name: printable(basename(path)), isNamed: true }];
    }
    const inside = (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
    return (await Promise.all(inside.map((entry) => candidateIn(path, entry)))).flat();
  } catch (error) {
    if (error instanceof ImportRefused) throw error;
    throw new ImportRefused([unreachable(path, error)]);
  }
}

/**
 * A link that leads out of its folder is refused: whoever may write to the folder could otherwise have any file imported,
 * or shown in messages, that this command's user may read.
 */
async function candidateIn(folder: string, entry: Dirent): Promise<Candidate[]> {
  const path = join(folder, entry.name);
  const isLinkToFile = entry.isSymbolicLink() && (await isFileAt(path));
  if (isLinkToFile && (await leadsOut(folder, path)))
    throw new ImportRefused([
      `${printable(path)} is a link to a file outside its folder: copy the file into the folder, or name the file itself`,
    ]);
  if (entry.isFile() || isLinkToFile) return [{ path, name: printable(entry.name), isNamed: false }];
  if (kindOf(entry.name) !== null) throw new ImportRefused([`${printable(path)} is not a file`]);
  return [];
}

async function leadsOut(folder: string, path: string): Promise<boolean> {
  const target = relative(await realpath(folder), await realpath(path));
  return isAbsolute(target) || target.startsWith(`..${sep}`);
}

/** Whether a link leads to a file. Raises ImportRefused where it leads nowhere. */
async function isFileAt(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    throw new ImportRefused([unreachable(path, error)]);
  }
}

function unreachable(given: string, error: unknown): string {
  const path = printable(given);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR")
    return `There is no file or folder at ${path}: check the path (from ${process.cwd()})`;
  if (code === "EACCES" || code === "EPERM") return `${path} may not be read: check its permissions`;
  return `${path} cannot be read (${code ?? String(error)})`;
}

/** Each file once, even if it was given both by itself and with its folder. */
async function unique(candidates: readonly Candidate[]): Promise<Candidate[]> {
  const byRealPath = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const real = await realpath(candidate.path);
    const known = byRealPath.get(real);
    if (known === undefined || (candidate.isNamed && !known.isNamed)) byRealPath.set(real, candidate);
  }
  return [...byRealPath.values()];
}

interface MappedFiles {
  readonly sourceFiles: readonly SourceFile[];
  readonly notes: readonly string[];
}

/**
 * The files that the mapping names. Those that are not there are left out with a note, as a nightly job may bring one
 * of several; but pruning would remove the rows of a kind's missing file, so then a kind must be there as a whole.
 * A missing file that seems to be there under another name is no such case: the job would go stale without a word.
 * Raises ImportRefused for both, and where none of the files is there.
 */
function mappedFiles(
  candidates: readonly Candidate[],
  { label, mapping }: LoadedMapping,
  isPruning: boolean,
): MappedFiles {
  const names = candidates.map(({ name }) => name);
  const unclaimed = unclaimedNames(candidates, mapping);
  const sourceFiles: SourceFile[] = [];
  const missing: string[] = [];
  const notes: string[] = [];
  const unsafe: string[] = [];
  for (const kind of FACT_KINDS) {
    const kindMapping = mapping[kind];
    if (kindMapping === undefined) continue;
    const absent: string[] = [];
    const found = fieldsOf(kindMapping.from).flatMap((from) => {
      const files = named(from, candidates);
      if (files.length === 0) absent.push(from);
      return files;
    });
    sourceFiles.push(
      ...found.map(({ path, name }) => ({
        kind,
        path,
        label: name,
        mapping: { label, mapping: kindMapping },
      })),
    );
    for (const from of absent) {
      const text = `${label}: ${kind}.from: there is no ${from}`;
      const meant = nearestFile(from, unclaimed);
      const suggestion = meant === null ? "" : ` (did you mean ${meant}?)`;
      missing.push(`${text}${suggestion} among the given files: ${listed(names)}`);
      if (meant !== null)
        unsafe.push(
          `${text}, but a ${meant} that the mapping does not name: rename it to ${from}, name it in ${label}, or, if it is something else, move it elsewhere`,
        );
      else if (found.length === 0) notes.push(`${text}: no ${kind} are imported from it`);
      else if (!isPruning) notes.push(`${text}: only the other files of ${kind} are imported`);
      else
        unsafe.push(
          `${text}, and --prune would remove its ${kind}: give every file of ${kind}, or import without --prune`,
        );
    }
  }
  if (sourceFiles.length === 0) throw new ImportRefused(missing);
  if (unsafe.length > 0) throw new ImportRefused(unsafe);
  return { sourceFiles, notes };
}

/** The files that would be left out: the mapping does not name them, and they are not our own of a kind that it leaves. */
function unclaimedNames(candidates: readonly Candidate[], mapping: Mapping): string[] {
  const claimed = new Set(
    Object.values(mapping).flatMap(({ from }) =>
      fieldsOf(from).flatMap((one) => named(one, candidates).map(({ path }) => path)),
    ),
  );
  return candidates.flatMap(({ path, name }) => {
    const kind = kindOf(name);
    const isOurs = kind !== null && mapping[kind] === undefined;
    return claimed.has(path) || isOurs ? [] : [name];
  });
}

/** The data file that a missing one probably is: by its name before the ending, which all have in common. */
function nearestFile(from: string, names: readonly string[]): string | null {
  const wanted = parse(from);
  const stems = new Map(
    names
      .filter((name) => DATA_FILE.test(name) || parse(name).ext.toLowerCase() === wanted.ext.toLowerCase())
      .map((name) => [parse(name).name, name]),
  );
  const meant = nearest(wanted.name, [...stems.keys()]);
  return meant === null ? null : stems.get(meant)!;
}

/** The files of a name: with its very letters, else in any case. */
function named(from: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const exact = candidates.filter(({ name }) => name === from);
  return exact.length > 0
    ? exact
    : candidates.filter(({ name }) => name.toLowerCase() === from.toLowerCase());
}

const SPREADSHEET = /^(.+)\.(xlsx?|xlsm|xlsb|ods|numbers)$/i;

function whyNot(name: string, loaded: LoadedMapping | null): string {
  if (SPREADSHEET.test(name)) return spreadsheetText(name);
  return loaded === null ? "it is no import file" : "the mapping does not name it";
}

function spreadsheetText(name: string): string {
  const stem = SPREADSHEET.exec(name)![1]!;
  return `it is a spreadsheet: open it and save it as “CSV UTF-8” (${stem}.csv)`;
}

function unrecognisedText(name: string): string {
  if (SPREADSHEET.test(name)) return `${name} cannot be imported: ${spreadsheetText(name)}`;
  const parts = DATA_FILE.exec(name);
  const meant = parts === null ? null : nearest(parts[1]!, FACT_KINDS);
  const suggestion = meant === null ? "" : ` (did you mean ${meant}.${parts![2]}?)`;
  return `${name} is not an import file${suggestion}: rename it to one of ${FACT_KINDS.join(", ")} with .csv, .jsonl or .ndjson, move it elsewhere, or load it through a mapping (--map)`;
}

function nothingFound(paths: readonly string[], candidates: readonly Candidate[]): string {
  const looked = `looked for ${FACT_KINDS.join(", ")} as .csv, .jsonl or .ndjson`;
  const names = candidates.map(({ name }) => name);
  const spreadsheet = names.find((name) => SPREADSHEET.test(name));
  const advice = spreadsheet === undefined ? "" : `. ${spreadsheet}: ${spreadsheetText(spreadsheet)}`;
  return `There is no import file in ${paths.map(printable).join(", ")}: ${looked}; found ${listed(names)}${advice}`;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "nothing";
  const rest = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  return `${names.slice(0, MAX_LISTED).join(", ")}${rest}`;
}

/** Two files of one name are told apart by their paths. */
function labelled(sourceFiles: readonly SourceFile[]): SourceFile[] {
  return sourceFiles.map((sourceFile) => {
    const isAmbiguous = sourceFiles.some(
      ({ label, path }) => label === sourceFile.label && path !== sourceFile.path,
    );
    return isAmbiguous ? { ...sourceFile, label: printable(sourceFile.path) } : sourceFile;
  });
}
