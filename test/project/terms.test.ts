// The glossary of CONTRIBUTING.md is obeyed: none of the words that it replaces appears in code, tests or documents.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** What may say the old words: the history, the glossary, and this test. */
const EXEMPT = new Set(["CHANGELOG.md", "CONTRIBUTING.md", "bench/RESULTS.md", "test/project/terms.test.ts"]);

/** An old word as a pattern, and the term that replaces it. A word with an honest second sense is told by its context. */
const REPLACED: readonly (readonly [old: RegExp, term: string])[] = [
  [/\bExchange\b/, "RequestContext"],
  [/\bQuestion\b/, "HandlerInput"],
  [/\bcontradictions\b/, "crossFieldErrors"],
  [/\bsheds\(|guard\.left\(|overload\.left\(/, "tryAcquire, release"],
  [/\bTurns\b/, "Mutex"],
  [/\bguarded\(|\btranslated\(/, "mapError"],
  [/\bLeftovers?\b/, "stale rows"],
  [/\bpart-files?\b|\bpartFile/, "temporary file"],
  [/\bsetAside/, "quarantine"],
  [/\bFileTrouble\b/, "Finding"],
  [/\bFeeds?\b(?!s)|importFeeds|sourceFeed/, "SourceFile"],
  [/\bsquash(ed)?\b/, "normalised"],
  [/\bUnfit\b/, "ValidationError"],
  [/\b[Ll]onely\b/, "orphaned"],
  [/\b[Ss]trangers\b/, "unrecognised"],
  [/\b[Dd]oom/, "mark for deletion"],
  [/\b[Tt]wins?\b|TWIN/, "duplicate"],
  [/\bBadRows\b|moreBadRowErrors/, "RowErrors"],
  [/\bgiveWay\b/, "lowerPriority"],
  [/\bKeyWishes\b|\bwishes\b/, "KeyOptions"],
  [/\bpointsKeeper\b/, "quotaBroker"],
  [/\bto the cent\b|\bcents\b/, "to 0.01 minute"],
  [/\bExact\b/, "Rational"],
  [/\bCover\b|\bthe cover\b/, "coverage"],
  [/\b[Hh]ostile\b/, "fuzz"],
  [/\b[Cc]ontestants?\b/, "target"],
  [/\bprocessor time\b/, "CPU time"],
  [/\bthe runtime\b/, "Bun"],
  [/\bpure room\b|\bwhich room\b|\bbalances room\b|\b[Rr]ooms\b/, "module"],
  [/\bway of (a|the|each) request\b/, "request lifecycle"],
  [/\b[Oo]pen page\b|\bopenAnswer\b/, "public route"],
  [
    /\b(an?|the|each|every|no|cached|kept|right|wrong|these|those|of) answers?\b|[a-z]Answers?\b|\banswer[A-Z]\w*/,
    "response",
  ],
  [/\banswer(s|ed)? (with )?(a )?(200|304|4\d\d|5\d\d)\b/, "respond with"],
  [/\bkept (answer|response|page)|\b(is|are|be) kept in memory\b/, "cached"],
  [/\b[Ss]tretch(es)?\b/, "time bucket"],
  [/\bspans? of time\b/, "duration, time bucket"],
  [/\brequest-?ways\b|RequestWays|\bways\(\)/, "access path"],
  [/\bcut\(|\bwalked\b|WALK_/, "trimPage, scan"],
  [/\binterface document\b/, "OpenAPI document"],
  [/\bsystem's error\b|\bthe system (refuses|tells|says)\b|\bin the system\b/, "kernel, operating system"],
  [/\bfree some room\b|\broom on the disk\b/, "space"],
  [/\bThere is no such \w+ with this id/, "No … has this id"],
];

const texts: (readonly [file: string, text: string])[] = [];
for (const file of new Bun.Glob("{src,test,bench,docs}/**/*.{ts,tsx,mjs,js,css,html,md}").scanSync(ROOT)) {
  if (!file.includes("node_modules") && !EXEMPT.has(file))
    texts.push([file, readFileSync(join(ROOT, file), "utf8")]);
}
texts.push(["README.md", readFileSync(join(ROOT, "README.md"), "utf8")]);

test.each(REPLACED)("nothing says %s: the term is %s", (old) => {
  const found = texts.flatMap(([file, text]) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        old.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [],
      ),
  );
  expect(found).toEqual([]);
});

/** Have types of their own: the page and the client are other programs, and the made-up company has no part in the others. */
const OTHER_PROGRAMS = /^src\/(web|client|generate)\//;

test("an exported type has one meaning: no two modules declare one of the same name", () => {
  const files = new Map<string, string[]>();
  for (const [file, text] of texts) {
    if (!/^src\/.*\.ts$/.test(file) || OTHER_PROGRAMS.test(file)) continue;
    for (const [, name] of text.matchAll(/^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm))
      files.set(name!, [...(files.get(name!) ?? []), file]);
  }
  expect(Object.fromEntries([...files].filter(([, declaring]) => declaring.length > 1))).toEqual({});
});
