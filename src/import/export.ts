// Writes a company as import files. Importing them elsewhere makes the same company.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CsvFile } from "../csv-file.ts";
import { cellsOf, FILE_FIELDS } from "../resources/registry.ts";
import type { WriteStore } from "../store/store.ts";
import { KINDS, type Kind } from "../store/tables.ts";

/** The folder cannot take the export; the message says what to do. */
export class ExportRefused extends Error {
  override readonly name = "ExportRefused";
}

const fileName = (kind: Kind) => `${kind}.csv`;
const EXPORT_FILES: ReadonlySet<string> = new Set(KINDS.map(fileName));

/**
 * Writes every import row of a company into `folder`, one file a kind, in one snapshot. Returns the number of rows of each kind.
 * The files are written into a folder beside it first: an export that is killed leaves no folder that looks complete.
 * Raises ExportRefused if `folder` holds other files, or an export without `mayOverwrite`.
 */
export async function exportCompany(
  store: WriteStore,
  companyId: string,
  folder: string,
  mayOverwrite: boolean,
  onRows: (rows: number) => void = () => {},
): Promise<Map<Kind, number>> {
  refuseOccupied(folder, mayOverwrite);
  const out = resolve(folder);
  mkdirSync(dirname(out), { recursive: true });
  const partial = mkdtempSync(`${out}.partial-`);
  const remove = () => rmSync(partial, { recursive: true, force: true });
  process.once("exit", remove); // a signal may end the process
  try {
    const counts = await writeFiles(store, companyId, partial, onRows);
    publish(partial, out);
    return counts;
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.removeListener("exit", remove);
  }
}

/** Folders with people's data that an export into `folder` left because it was killed. One that still runs has such a folder, too. */
export function unfinishedExports(folder: string): string[] {
  const out = resolve(folder);
  const parent = dirname(out);
  const marks = [".partial-", ".former-"].map((mark) => basename(out) + mark);
  const isOne = (name: string) =>
    marks.some((mark) => name.startsWith(mark) && name.length === mark.length + 6); // see mkdtemp
  return namesIn(parent)
    .filter(isOne)
    .map((name) => join(parent, name));
}

/** None of a folder that is not there, or that may be written but not listed. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function refuseOccupied(out: string, mayOverwrite: boolean): void {
  if (!existsSync(out)) return;
  const present = readdirSync(out);
  const otherFile = present.find((name) => !EXPORT_FILES.has(name));
  if (otherFile !== undefined) {
    throw new ExportRefused(
      `${out} holds other files (${otherFile}): name a folder that is not there yet, or an empty one`,
    );
  }
  if (present.length > 0 && !mayOverwrite) {
    throw new ExportRefused(
      `${out} holds an export already: name another folder, or replace it with --overwrite`,
    );
  }
}

async function writeFiles(
  store: WriteStore,
  companyId: string,
  folder: string,
  onRows: (rows: number) => void,
): Promise<Map<Kind, number>> {
  const writers = new Map<Kind, CsvFile>();
  try {
    for (const kind of KINDS) {
      writers.set(kind, new CsvFile(join(folder, fileName(kind)), FILE_FIELDS[kind]));
    }
    let total = 0;
    await store.export(companyId, async (kind, rows) => {
      const writer = writers.get(kind)!;
      for (const row of rows) writer.write(cellsOf(kind, row));
      total += rows.length;
      onRows(total);
    });
    for (const writer of writers.values()) writer.close();
    for (const writer of writers.values()) writer.publish();
  } catch (error) {
    for (const writer of writers.values()) writer.discard();
    throw error;
  }
  return new Map([...writers].map(([kind, writer]) => [kind, writer.rows]));
}

/** Gives the complete folder its name; a former export is moved aside first and removed last. */
function publish(partial: string, out: string): void {
  const former = mkdtempSync(`${out}.former-`);
  if (existsSync(out)) renameSync(out, former); // a folder can replace an empty one
  renameSync(partial, out);
  rmSync(former, { recursive: true });
}
