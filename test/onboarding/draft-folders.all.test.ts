// Each folder of test/onboarding/drafts is an export, in the form of some system, with made-up rows, and what is expected of it: the draft
// (expected.map.json), its questions, and what an import stores once they are answered by answers.json, or why it is refused
// (expected.json). `UPDATE_DRAFTS=1 bun test` on this file writes what is expected anew: read the difference.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { candidatesOf } from "../../src/import/read/files.ts";
import { draftMapping } from "../../src/onboarding/draft.ts";
import { KINDS } from "../../src/resources/kinds.ts";
import { mapFile } from "../import/convert/mapped.ts";
import { findingsOf, TestCompany } from "../support/import-files.ts";
import { answered, storedLines } from "./draft-folders.ts";

const FOLDERS = join(import.meta.dir, "drafts");
const isUpdating = process.env.UPDATE_DRAFTS === "1";

/** Compares with what a file has, or writes it. */
function expectFile(path: string, text: string): void {
  if (isUpdating) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
}

/** What an import through a mapping stores, or why it is refused. */
async function outcomeOf(company: TestCompany, files: string, mapping: string): Promise<object> {
  const work = company.importFolder(files, {}, mapFile(mapping));
  const isStored = await work.then(
    () => true,
    () => false,
  );
  return isStored ? { stored: await storedLines(company) } : { refused: await findingsOf(work) };
}

describe.each(readdirSync(FOLDERS))("a draft of the export %s", (name) => {
  const at = (file: string) => join(FOLDERS, name, file);

  test("with the answers is imported as expected, and without them refused", async () => {
    const { text, questions } = await draftMapping(await candidatesOf([at("export")]));
    expectFile(at("expected.map.json"), text);
    expect(text.includes('"?"')).toBe(questions.length > 0);
    const answers = existsSync(at("answers.json"))
      ? JSON.parse(readFileSync(at("answers.json"), "utf8"))
      : {};
    expect(Object.keys(answers).length > 0).toBe(questions.length > 0);
    const company = await TestCompany.open();
    if (questions.length > 0) expect(await outcomeOf(company, at("export"), text)).toContainKey("refused");
    const outcome = await outcomeOf(company, at("export"), answered(text, answers));
    const told = JSON.stringify({ questions, ...outcome }, null, 2).replace(KINDS.join(", "), "<every kind>");
    expectFile(at("expected.json"), `${told}\n`);
  });
});
