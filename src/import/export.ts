// A company as import files: what `export` writes, an import elsewhere makes the same company of.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { CsvFile } from "../csv-file.ts";
import { cellsOf, FILE_FIELDS } from "../resources/registry.ts";
import type { WriteStore } from "../store/store.ts";
import { FACT_KINDS, type FactKind } from "../store/tables.ts";

/** The folder cannot take the export; the message says what to do. */
export class ExportRefused extends Error {
  override readonly name = "ExportRefused";
}

const fileName = (kind: FactKind) => `${kind}.csv`;
const EXPORT_FILES: ReadonlySet<string> = new Set(FACT_KINDS.map(fileName));

/**
 * Writes every fact of a company into the folder `out`, one file a kind, in one snapshot; gives the rows of each.
 * The files are written into `out` + `.partial` first: an export that is killed leaves no folder that looks complete.
 * Raises ExportRefused where `out` holds anything already, unless it is an export and `mayOverwrite`.
 */
export async function exportCompany(
  store: WriteStore,
  companyId: string,
  out: string,
  mayOverwrite: boolean,
  onRows: (rows: number) => void = () => {},
): Promise<Map<FactKind, number>> {
  refuseOccupied(out, mayOverwrite);
  const partial = `${out}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(dirname(partial), { recursive: true });
  mkdirSync(partial, { mode: 0o700 });
  try {
    const counts = await writeFiles(store, companyId, partial, onRows);
    publish(partial, out);
    return counts;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
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
): Promise<Map<FactKind, number>> {
  const writers = new Map<FactKind, CsvFile<readonly string[]>>();
  try {
    for (const kind of FACT_KINDS) {
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
  chmodSync(partial, 0o700);
  const former = `${out}.former`;
  const isReplacing = existsSync(out) && readdirSync(out).length > 0;
  if (isReplacing) {
    rmSync(former, { recursive: true, force: true });
    renameSync(out, former);
  } else if (existsSync(out)) {
    rmdirSync(out);
  }
  renameSync(partial, out);
  if (isReplacing) rmSync(former, { recursive: true, force: true });
}
