// Importing foreign files through a mapping, for the tests of mappings.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Files,
  findingsOf,
  folderOf,
  TestCompany,
  temporaryFolder,
} from "../../support/import-files.ts";

export function mapFile(mapping: unknown): string {
  const path = join(temporaryFolder(), "map.json");
  writeFileSync(path, typeof mapping === "string" ? mapping : JSON.stringify(mapping));
  return path;
}

export async function imported(files: Files, mapping: unknown) {
  const company = await TestCompany.open();
  const report = await company.importFolder(folderOf(files), {}, mapFile(mapping));
  return { company, report, stored: await company.stored() };
}

export async function refused(files: Files, mapping: unknown) {
  const company = await TestCompany.open();
  return findingsOf(company.importFolder(folderOf(files), {}, mapFile(mapping)));
}
