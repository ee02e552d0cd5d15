import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

test("every section of docs/balances.md that the code names exists", () => {
  const headings = readFileSync(join(root, "docs/balances.md"), "utf8")
    .split("\n")
    .filter((line) => /^#+ /.test(line))
    .map((line) => line.replace(/^#+ /, ""));
  const room = join(root, "src/balances");
  const named = readdirSync(room).flatMap((file) => {
    // A reference may go on in the next line of its comment.
    const text = readFileSync(join(room, file), "utf8").replace(/\n \* /g, " ");
    return [...text.matchAll(/docs\/balances\.md, ([A-Z][^).;]*)/g)].map(([, section]) => section!);
  });
  expect(named.length).toBeGreaterThan(5);
  for (const section of named) expect(headings).toContain(section);
});
