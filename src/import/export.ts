// A company as import files: what `export` writes, an import elsewhere makes the same company of.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
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
 * Writes every import row of a company into `folder`, one file a kind, in one snapshot; gives the rows of each.
 * The files are written into a folder beside it first: an export that is killed leaves no folder that looks complete.
 * Deletes no folder but those that it or a killed export made.
 * Raises ExportRefused where `folder` holds anything already, unless it is an export and `mayOverwrite`.
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
  removeAbandoned(out, "partial");
  const partial = makeOwnFolder(out);
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

function refuseOccupied(out: string, mayOverwrite: boolean): void {
  if (!existsSync(out)) return;
  const present = readdirSync(out);
  const strange = present.find((name) => !EXPORT_FILES.has(name));
  if (strange !== undefined) {
    throw new ExportRefused(
      `${out} holds other files (${strange}): name a folder that is not there yet, or an empty one`,
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
  const writers = new Map<Kind, CsvFile<readonly string[]>>();
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

/** A new folder beside `out`. One of the same name that is there is somebody's: it is left alone. */
function makeOwnFolder(out: string): string {
  for (let number = 0; ; number++) {
    const folder = `${out}.partial-${process.pid}${number === 0 ? "" : `-${number}`}`;
    try {
      mkdirSync(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}

/** Removes what killed exports to `out` left: named after a process that is gone, and with nothing but export files in it. */
function removeAbandoned(out: string, what: "partial" | "former"): void {
  const prefix = `${basename(out)}.${what}-`;
  for (const name of readdirSync(dirname(out))) {
    const pid = name.startsWith(prefix) ? /^(\d+)(-\d+)?$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(dirname(out), name);
    if (isExport(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

function isExport(folder: string): boolean {
  if (!lstatSync(folder).isDirectory()) return false;
  return readdirSync(folder).every((name) => EXPORT_FILES.has(name.replace(/\.partial$/, "")));
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // another user's, and alive
  }
}

/** Gives the complete folder its name; a former export is moved aside first and removed last. */
function publish(partial: string, out: string): void {
  chmodSync(partial, 0o700);
  const isReplacing = existsSync(out) && readdirSync(out).length > 0;
  const former = partial.replace(/\.partial-(?=[\d-]+$)/, ".former-");
  if (isReplacing) {
    if (existsSync(former)) throw new ExportRefused(`${former} is in the way: move it elsewhere`);
    renameSync(out, former);
  } else if (existsSync(out)) {
    rmdirSync(out);
  }
  renameSync(partial, out);
  if (isReplacing) rmSync(former, { recursive: true, force: true });
  removeAbandoned(out, "former");
}
