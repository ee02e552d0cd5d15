// Files that nothing reads, and that have the columns of one that is read: next year's leave, or the second part of an export.
import { type Candidate, likelyOptions, namedFormat, openRecords } from "./files.ts";
import { isOfSameList, type ReadOptions } from "./records.ts";

/** A file as an import reads it. */
export interface ReadFile {
  readonly path: string;
  readonly options: ReadOptions;
}

/** The names of these files whose rows are probably of a list that is read from another file of their format. */
export async function unreadFiles(
  others: readonly Candidate[],
  read: readonly ReadFile[],
): Promise<string[]> {
  const unread: string[] = [];
  for (const other of others) {
    const format = namedFormat(other.name)?.format;
    const alike = format === undefined ? [] : read.filter(({ path }) => namedFormat(path)?.format === format);
    for (const { path, options } of alike) {
      const header = await headerOf(path, options);
      const { path: otherPath, name, within } = other;
      // It may have a title, or be written as the file that is read.
      const likely = await headerOf(
        otherPath,
        await likelyOptions(otherPath, name, within).catch(() => options),
      );
      const same = await headerOf(otherPath, { ...options, sheet: null, within });
      if (![likely, same].some((columns) => isOfSameList(header, columns))) continue;
      unread.push(name);
      break;
    }
  }
  return unread;
}

/** The columns of a file's first records; none of a file without records, or that cannot be read: if it is imported, the import says so. */
async function headerOf(path: string, options: ReadOptions): Promise<readonly string[]> {
  try {
    const reader = await openRecords(path, options, []);
    try {
      for await (const records of reader.records()) if (records.length > 0) return reader.header;
    } finally {
      await reader.close();
    }
  } catch {
    // None.
  }
  return [];
}
