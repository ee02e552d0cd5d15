// The built files of the web page. delivery/bundle.ts replaces this module by one that names files inside the bundle.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const BUILT_DIRECTORY = join(import.meta.dir, "../../../dist/web");

/** The place of each built file by its name; empty if the page is not built. */
export function pageFiles(directory = BUILT_DIRECTORY): ReadonlyMap<string, string> {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return new Map(names.map((name) => [name, join(directory, name)]));
}
