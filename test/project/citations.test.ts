// Every document, section, decision and source file that a comment cites exists. The one way to cite: `docs/api.md, Lists`.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const DECISIONS = readdirSync(join(ROOT, "docs/decisions"));

/** The text of a file with its comments on one line each, so that a citation may run over the end of a line. */
function flowing(file: string): string {
  return readFileSync(join(ROOT, file), "utf8").replaceAll(/\n\s*(?:\/\/|\*)\s/g, " ");
}

const sources: (readonly [file: string, text: string])[] = [];
for (const file of new Bun.Glob("{src,test,bench}/**/*.{ts,tsx,mjs,js,css}").scanSync(ROOT)) {
  if (!file.includes("node_modules") && file !== "test/project/citations.test.ts")
    sources.push([file, flowing(file)]);
}

const headings = new Map<string, readonly string[]>();

/** The headings of a document, the longest first, so that a heading that begins another is not taken for it. */
function headingsOf(document: string): readonly string[] {
  let found = headings.get(document);
  if (found === undefined) {
    const text = readFileSync(join(ROOT, document), "utf8");
    found = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1]!).sort((a, b) => b.length - a.length);
    headings.set(document, found);
  }
  return found;
}

/** What stands before the sections of a citation that exist; null where all of `text` was sections. */
function missingSection(document: string, text: string): string | null {
  let rest = text;
  for (;;) {
    const section = headingsOf(document).find(
      (heading) => rest.startsWith(heading) && !/^\w/.test(rest.slice(heading.length)),
    );
    if (section === undefined) return rest.slice(0, 40);
    const another = /^(?:, and|,| and) (?=[A-Z])/.exec(rest.slice(section.length));
    if (another === null) return null;
    rest = rest.slice(section.length + another[0].length);
  }
}

test("every document that a source names exists", () => {
  const missing = sources.flatMap(([file, text]) =>
    [...text.matchAll(/(?<![\w./-])(?:docs|bench)\/[\w/-]+\.md\b/g)]
      .filter(([document]) => !existsSync(join(ROOT, document)))
      .map(([document]) => `${file}: ${document}`),
  );
  expect(missing).toEqual([]);
});

test("every section that a comment cites exists", () => {
  let cited = 0;
  const missing: string[] = [];
  for (const [file, text] of sources) {
    for (const match of text.matchAll(/\b(docs\/[\w/-]+\.md), (?=[A-Z`])/g)) {
      cited++;
      const absent = missingSection(match[1]!, text.slice(match.index + match[0].length));
      if (absent !== null) missing.push(`${file}: ${match[1]}, ${absent}…`);
    }
  }
  expect(missing).toEqual([]);
  expect(cited).toBeGreaterThan(40);
});

test("every decision that a comment cites exists", () => {
  const missing = sources.flatMap(([file, text]) =>
    [...text.matchAll(/\bdecisions? (\d{4})\b/g)]
      .filter(([, number]) => !DECISIONS.some((name) => name.startsWith(`${number}-`)))
      .map(([, number]) => `${file}: decision ${number}`),
  );
  expect(missing).toEqual([]);
});

test("no two decisions have the same number", () => {
  const numbers = DECISIONS.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

/** The comments of sources, and the text of documents. */
function* prose(): Generator<readonly [file: string, text: string]> {
  for (const [file] of sources) {
    const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
    yield [file, lines.filter((line) => /^\s*(?:\/\/|\/?\*)|\s\/\/\s/.test(line)).join("\n")];
  }
  for (const documents of ["*.md", "docs/**/*.md"]) {
    for (const file of new Bun.Glob(documents).scanSync(ROOT))
      yield [file, readFileSync(join(ROOT, file), "utf8")];
  }
}

/** Files that only exist on the machine of somebody who follows a guide. */
const READERS_FILES = new Set(["keep-copy.ts"]);

test("every source file and folder that a comment or a document names exists", () => {
  const files = [...new Bun.Glob("{src,test,bench,delivery,examples}/**/*.*").scanSync(ROOT)].filter(
    (file) => !file.includes("node_modules"),
  );
  const names = new Set(files.map((file) => basename(file)));
  // An empty folder may be left of a file that was moved.
  const paths = new Set(
    files.flatMap((file) => [...file.matchAll(/\/|$/g)].map(({ index }) => file.slice(0, index))),
  );
  const missing: string[] = [];
  let named = 0;
  for (const [file, text] of prose()) {
    // What other systems compute is cited by their own files.
    if (file.startsWith("test/balances/cases/")) continue;
    for (const [path] of text.matchAll(/(?<![\w./-])(?:src|test)\/[\w./-]*\w/g)) {
      named++;
      if (!paths.has(path)) missing.push(`${file}: ${path}`);
    }
    for (const [name] of text.matchAll(/(?<![\w.*-])[\w-]+(?:\.[\w-]+)*\.ts\b/g)) {
      named++;
      if (!names.has(name) && !READERS_FILES.has(name)) missing.push(`${file}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
  expect(named).toBeGreaterThan(150);
});

/** Comments only: a test may well have a file called README.md. */
test("no comment cites a document without saying where it is", () => {
  const vague = sources.flatMap(([file, text]) =>
    [...text.matchAll(/\((?:contract|[a-z]+\.md|cli|design|style)[,;] /g)].map(
      ([cited]) => `${file}: ${cited}`,
    ),
  );
  expect(vague).toEqual([]);
});
