// Files that nothing reads, and that have the columns of one that is read: next year's leave, or the second part of an export. A spreadsheet or
// an archive that cannot be read may have them.
import { basename } from "node:path";
import { Archive } from "./archive.ts";
import { type Candidate, likelyOptions, namedFormat, openRecords } from "./files.ts";
import { isOfSameList, type ReadOptions } from "./records.ts";

/** A file as an import reads it. */
export interface ReadFile {
  readonly path: string;
  readonly options: ReadOptions;
}

/** Spreadsheets, archives and what is packed or encrypted otherwise than by gzip, by their names. */
const CLOSED = /\.(?:xls|xlsb|ods|fods|numbers|zip|7z|rar|tar|tar\.gz|tgz|bz2|xz|zst|gpg|pgp)$/i;

/**
 * The names of these files whose rows are probably of a list that is read from another file. A file beside one that is read, with its name
 * and another ending, is probably its original.
 */
export async function unreadFiles(
  others: readonly Candidate[],
  read: readonly ReadFile[],
): Promise<string[]> {
  const names = new Set(read.map(({ path }) => basename(path)));
  const stems = new Set(read.map(({ path }) => stemOf(path)));
  const unread: string[] = [];
  for (const { path, name, within } of others)
    if (CLOSED.test(name) && !stems.has(stemOf(path)))
      if (await mayHaveOthers(path, within, names)) unread.push(name);
  const data = others.filter(({ name }) => !CLOSED.test(name)); // without a known ending, a file is CSV
  if (data.length === 0) return unread;
  const lists = await Promise.all(
    read.map(async ({ path, options }) => ({ path, options, header: await headerOf(path, options) })),
  );
  for (const { path, name, within } of data)
    for (const list of lists) {
      if (stemOf(list.path) === stemOf(path)) continue;
      // It may have a title, or be written as the file that is read.
      const likely = await likelyOptions(path, name, within).catch(() => list.options);
      const same = { ...list.options, sheet: null, within };
      const headers = [await headerOf(path, likely), await headerOf(path, same)];
      if (!headers.some((columns) => isOfSameList(list.header, columns))) continue;
      unread.push(name);
      break;
    }
  return unread;
}

/** A path without its ending, also of `leave.csv.zip`. In `leave.2025`, the year is none. */
function stemOf(path: string): string {
  const bare = path.replace(/(?:\.tar\.gz|\.7z|\.[a-z]\w*|~)$/i, "");
  return namedFormat(bare)?.stem ?? bare;
}

/**
 * Whether a file that cannot be read may have other data than the files with these names: an archive that has only those, or none but
 * photos, has not.
 */
async function mayHaveOthers(
  path: string,
  within: string | null,
  names: ReadonlySet<string>,
): Promise<boolean> {
  try {
    const archive = await Archive.open(path, within, () => {});
    archive.close();
    return archive.names.some(
      (name) =>
        (namedFormat(name) !== null || CLOSED.test(name)) &&
        !names.has(basename(name)) &&
        !name.startsWith("__MACOSX/"), // what macOS adds to each file
    );
  } catch {
    return true;
  }
}

/** The columns of a file's first records; empty if it has none or cannot be read. An import of such a file says so. */
async function headerOf(path: string, options: ReadOptions): Promise<readonly string[]> {
  try {
    const reader = await openRecords(path, options, []);
    try {
      for await (const records of reader.records()) if (records.length > 0) return reader.header;
    } finally {
      await reader.close();
    }
  } catch {
    // Such a file has no columns.
  }
  return [];
}
