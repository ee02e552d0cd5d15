// The draft of each folder of test/onboarding/drafts and its questions. draft-folders.all.test.ts answers and imports them, too, and writes
// what is expected anew.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { candidatesOf } from "../../src/import/read/files.ts";
import { draftMapping } from "../../src/onboarding/draft.ts";

const FOLDERS = join(import.meta.dir, "drafts");

describe.each(readdirSync(FOLDERS))("a draft of the export %s", (name) => {
  const read = (file: string) => readFileSync(join(FOLDERS, name, file), "utf8");

  test("is as expected, and asks what is expected", async () => {
    const { text, questions } = await draftMapping(await candidatesOf([join(FOLDERS, name, "export")]));
    expect(text).toBe(read("expected.map.json"));
    expect(questions as readonly unknown[]).toEqual(JSON.parse(read("expected.json")).questions);
    expect(text.includes('"?"')).toBe(questions.length > 0);
  });
});
