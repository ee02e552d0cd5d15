// Whether an import knows its records from the one before, as anybody can see it: it then does not look at their rows.
import { Database } from "bun:sqlite";
import { join } from "node:path";

const EXAMPLES = join(import.meta.dir, "../../examples");

/** Imports `examples/acme`, or a copy of it with its mapping in a folder, into the company `acme`. */
export function importAcme(folder = EXAMPLES): string[] {
  const [files, mapping] = [join(folder, "acme"), join(folder, "acme.map.json")];
  return ["import", files, "--map", mapping, "--company", "acme", "--json"];
}

/**
 * Changes a stored request of `examples/acme` behind the back of the import, and imports the same files again. True if the import
 * took the request for unchanged. `db`: the file of the store. `again` imports, and gives what `importAcme` printed.
 */
export async function knowsRecords(db: string, again: () => Promise<string>): Promise<boolean> {
  replaceReason(db, "Dentist", "Doctor");
  const { changed } = JSON.parse(await again()) as { changed: boolean }; // as the command prints it
  if (!changed) replaceReason(db, "Doctor", "Dentist");
  return !changed;
}

function replaceReason(db: string, from: string, to: string): void {
  const store = new Database(db);
  const { changes } = store.run(
    `update requests set doc = replace(doc, '"${from}"', '"${to}"') where instr(doc, '"${from}"') > 0`,
  );
  store.close();
  if (changes !== 1) throw new Error(`${changes} requests have the reason ${from}, and not one`);
}
