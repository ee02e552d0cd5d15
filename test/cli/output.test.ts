// What a terminal gets: tables that fit, and progress that a log gets, too.
import { expect, test } from "bun:test";
import { showProgress, table } from "../../src/cli/output.ts";

const ROWS = [["wrk_3h6g0f4c7v1b8n2m5k9j", "Ana Sol", "a policy with quite a long name, of last year"]];

test("a table fits the terminal: ids first, then texts are cut; a pipe gets all of it", () => {
  const headings = ["id", "name", "policy"];
  expect(table(headings, ROWS, undefined)).toContain("wrk_3h6g0f4c7v1b8n2m5k9j");
  expect(table(headings, ROWS, 200)).toContain("wrk_3h6g0f4c7v1b8n2m5k9j");
  for (const columns of [80, 60, 40])
    for (const line of table(headings, ROWS, columns).split("\n"))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
  expect(table(headings, ROWS, 70)).toContain(
    "wrk_3h6g0…  Ana Sol  a policy with quite a long name, of last year",
  );
});

test("a log gets a line every ten seconds, and no estimate stands at its last second", () => {
  const written: string[] = [];
  let now = 0;
  const stream = { isTTY: false, write: (text: string) => written.push(text) > 0 };
  const { show, clear } = showProgress(stream, () => now);
  for (let second = 0; second <= 31; second++) {
    now = second * 1000;
    show(second * 100, second / 31.5);
  }
  clear();
  expect(written).toEqual([
    "rollcall: 1,000 rows · 32 % · 22 s left\n",
    "rollcall: 2,000 rows · 63 % · 12 s left\n",
    "rollcall: 3,000 rows · 95 % · nearly done\n",
  ]);
});

test("a long import says when it has read its files; a short one says nothing", () => {
  const written: string[] = [];
  let now = 0;
  const stream = { isTTY: false, write: (text: string) => written.push(text) > 0 };
  const { show } = showProgress(stream, () => now);
  show(100, 1, "writing");
  expect(written).toEqual([]);
  now = 10_000;
  show(1000, 0.25, "reading");
  now = 11_000;
  show(4000, 1, "writing");
  expect(written).toEqual([
    "rollcall: 1,000 rows · 25 % · 30 s to read\n",
    "rollcall: 4,000 rows · checking and writing\n",
  ]);
});
