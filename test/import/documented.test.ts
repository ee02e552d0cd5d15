// Every field of every file is in the documentation of imports.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cellOf, FILE_FIELDS } from "../../src/resources/registry.ts";
import { KINDS } from "../../src/store/tables.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/importing.md"), "utf8");

test.each([...KINDS])("docs/importing.md names every field of %s, and which every row needs", (kind) => {
  const section = page.split(`\n### ${kind}\n`)[1]?.split("\n### ")[0] ?? "";
  const fields = FILE_FIELDS[kind];
  const requiredFields = new Set(fields.filter((field) => cellOf(kind, field)!.isRequired));
  expect(
    fields.filter((field) => !section.includes(`\`${field}\``)),
    `fields that are missing in docs/importing.md, ${kind}`,
  ).toEqual([]);
  expect([...requiredFields].filter((field) => !section.includes(`**\`${field}\`**`))).toEqual([]);
  expect(
    fields.filter((field) => !requiredFields.has(field) && section.includes(`**\`${field}\`**`)),
  ).toEqual([]);
});

test("docs/importing.md, Files, has a row for each kind", () => {
  const table = page.split("\n## Files\n")[1]?.split("\n## ")[0] ?? "";
  expect(KINDS.filter((kind) => !new RegExp(`^\\| \`${kind}\``, "m").test(table))).toEqual([]);
});
