// The shape of the code: how many files there are, how many lie side by side, and how long they are.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

const FILES_IN_FOLDER_MAX = 15;
const FILES_IN_SRC_MAX = 220;
const LINES_MAX = 500;

const files = [...new Bun.Glob("{src,test,bench}/**/*").scanSync(ROOT)].filter(
  (file) => !file.includes("node_modules"),
);
const code = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"));

test(`no folder of src or test has more than ${FILES_IN_FOLDER_MAX} files side by side`, () => {
  const counts = new Map<string, number>();
  for (const file of files) {
    if (!file.startsWith("bench/")) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > FILES_IN_FOLDER_MAX)).toEqual([]);
});

test(`src has at most ${FILES_IN_SRC_MAX} files of code, without the page, the generator and the client`, () => {
  const counted = code.filter((file) => /^src\/(?!web\/|generate\/|client\/)/.test(file));
  expect(counted.length).toBeLessThanOrEqual(FILES_IN_SRC_MAX);
});

test(`no file is longer than ${LINES_MAX} lines`, () => {
  const long = code.filter((file) => readFileSync(join(ROOT, file), "utf8").split("\n").length > LINES_MAX);
  expect(long).toEqual([]);
});

test("every property test states its property in its first three lines", () => {
  const silent = code.filter((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const head = text.split("\n").slice(0, 3).join("\n");
    return file.startsWith("test/") && /\bfc\.assert\(/.test(text) && !/Propert(?:y|ies)\b/.test(head);
  });
  expect(silent).toEqual([]);
});
