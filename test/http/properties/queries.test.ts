// Property: every query string gets a 200, or a 400 with the names of all its bad parameters and of no other. No parameter
// is ignored, and no query causes a 500.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { problemOf, startService } from "../service.ts";
import { badParameters, RULES, type Rules } from "./oracle.ts";

const RUNS = Number(process.env.ROLLCALL_TEST_RUNS ?? 240);

const service = await startService();
await addCompany(service.writer, "acme", {
  workers: [workerRow("wrk_a"), workerRow("wrk_b", { workEmail: "b@example.com" })],
  policies: [policyRow("top_a")],
  assignments: [assignmentRow("toa_listed", "wrk_a", "top_a")],
  requests: [requestRow("tor_a", "wrk_a", "top_a")],
});
const key = await addKey(service.writer, "acme");

const NAMES = [
  ...new Set([
    "limit",
    "afterId",
    "beforeId",
    ...RULES.flatMap(({ lists, texts = [], singles }) => [
      ...Object.keys(lists),
      ...texts,
      ...Object.keys(singles),
    ]),
  ]),
];

const GOOD = [
  "1",
  "25",
  "100",
  "wrk_a",
  "wrk_zz",
  "top_a",
  "tor_a",
  "toa_a",
  "tob_01aa",
  "A1",
  "active",
  "pending",
  "denied",
  "employee",
  "contractor",
  "b@example.com",
  "2026-03-01",
  "2026-02-28",
  "2024-02-29",
  "2026-03-01T09:00:00Z",
  "2026-03-01T23:30:00-02:00",
  "2036-03-01",
  "wrk_a,wrk_b",
  "top_a,top_b",
  "active,inactive",
  "approved,pending",
];

const BAD = [
  "",
  "0",
  "101",
  "-1",
  "1.0",
  "٣",
  "abc",
  "2026-02-30",
  "2025-02-29",
  "2026-03-01T09:00:00",
  "2026-03-01T09:00:00+02:00",
  "2036-03-02",
  "wrk_",
  "top_a.b",
  "tob_00a",
  "tob_99aa",
  "tot_a",
  ",",
  "wrk_a,",
  "a b@example.com",
  "b@",
  "\u0000",
  "%",
  "%zz",
  "%ff",
  "%00",
  "null",
  "true",
  "[]",
  "{}",
  "*",
  "'",
  '"',
  "\\",
  "../",
  "\r\n",
  "🙂",
  "\u202e",
  "\ufeff1",
  "a".repeat(300),
  "__proto__",
];

const garbage = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(..."abc019%[]=,+;.#&? _-TZ:@".split("")), maxLength: 16 }),
);

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...GOOD) },
  { weight: 3, arbitrary: fc.constantFrom(...BAD) },
  garbage,
);

function nameFor(known: readonly string[]): fc.Arbitrary<string> {
  const suffix = fc.constantFrom("", "", "", "[]", "[0]", "[12]", "[x]", "[", "[][]", "s", " ", "%5B%5D");
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...known) },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...known), suffix).map(([name, end]) => name + end) },
    { weight: 1, arbitrary: fc.constantFrom(...NAMES, "__proto__", "constructor", "toString", "", "q") },
    { weight: 1, arbitrary: garbage },
  );
}

/** Escaped as a client does, raw, or escaped where nothing needs it. */
const escaping = fc.constantFrom<(text: string) => string>(
  encodeURIComponent,
  encodeURIComponent,
  (text) => text.replace(/[#\s\p{Cc}]/gu, ""),
  (text) =>
    [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
);

const wellFormed = (text: string) => text.toWellFormed();

function queriesOf({ lists, singles, cursor }: Rules): fc.Arbitrary<string> {
  const own = [
    ...Object.keys(lists),
    ...Object.keys(singles),
    ...(cursor === undefined ? [] : ["limit", "afterId", "beforeId"]),
  ];
  const known = own.length === 0 ? NAMES : own;
  const pair = fc
    .tuple(
      nameFor(known).map(wellFormed),
      value.map(wellFormed),
      escaping,
      escaping,
      fc.integer({ min: 0, max: 12 }),
    )
    .map(([name, text, one, other, form]) => (form === 0 ? one(name) : `${one(name)}=${other(text)}`));
  return fc.array(pair, { maxLength: 5 }).map((pairs) => pairs.join("&"));
}

describe.each(RULES)("$path", (rules) => {
  test("any query gets a 200, or a 400 that names exactly its bad parameters", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(queriesOf(rules), async (query) => {
        // What the server is sent: the URL parser escapes what a client would have to.
        const sent = new URL(`http://x${rules.path}?${query}`).search.slice(1);
        const response = await service.call(`${rules.path}?${sent}`, { key });
        const bad = badParameters(rules, sent);
        expect(response.status).toBe(bad.length === 0 ? 200 : 400);
        if (bad.length === 0) accepted++;
        else
          expect(
            problemOf(response)
              .errors!.map(({ parameter }) => parameter)
              .sort(),
          ).toEqual(bad);
      }),
      { numRuns: RUNS },
    );
    expect(accepted).toBeGreaterThan(RUNS / 50);
  }, 120_000);
});
