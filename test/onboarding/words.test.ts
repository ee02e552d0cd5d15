// The words of each language: the shape of their files, and that each word means one thing.
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { mappableFields } from "../../src/import/convert/schema.ts";
import { unitNamed } from "../../src/import/convert/units.ts";
import { has, LANGUAGES, meaningOf, nameKey, type Words } from "../../src/onboarding/words.ts";
import { KINDS, type Kind } from "../../src/resources/kinds.ts";
import { FILE_FIELDS } from "../../src/resources/registry.ts";
import { REQUEST_STATUSES } from "../../src/resources/requests.ts";
import { WORKER_STATUSES, WORKER_TYPES } from "../../src/resources/workers.ts";

const list = z
  .array(
    z
      .string()
      .min(1)
      .refine((word) => word === word.trim()),
  )
  .min(1);
const isPattern = (part: string) => new RegExp(part).source === part;
const lists = (keys: readonly string[]) =>
  z.strictObject(Object.fromEntries(keys.map((key) => [key, list.optional()])));
const byKind = <T extends z.ZodType>(of: (kind: Kind) => T) =>
  z.strictObject(Object.fromEntries(KINDS.map((kind) => [kind, of(kind).optional()])));

const english = LANGUAGES.get("en")!;
const shape = z.strictObject({
  person: list,
  columns: byKind((kind) => lists([...FILE_FIELDS[kind], ...mappableFields(kind)])),
  prefixes: byKind(() => list).optional(),
  dayOfLeave: list.optional(),
  files: byKind(() => list),
  states: lists([...WORKER_STATUSES, ...WORKER_TYPES, ...REQUEST_STATUSES]),
  yes: list.optional(),
  no: list.optional(),
  halfDays: list.optional(),
  wholeDays: list.optional(),
  salutations: list.optional(),
  lastNameFirst: list.optional(),
  between: list.optional(),
  parts: z.strictObject(
    Object.fromEntries(
      Object.keys(english.parts ?? {}).map((part) => [
        part,
        z.array(z.string().refine(isPattern)).min(1).optional(),
      ]),
    ),
  ),
});

describe.each([...LANGUAGES])("the words of %s", (language, words: Words) => {
  test("have the shape that `Words` says, and the tag of a language", () => {
    expect(shape.safeParse(words).error?.issues ?? []).toEqual([]);
    expect(new Intl.DisplayNames("en", { type: "language" }).of(language)).not.toBe(language);
  });

  test("are each in a list once, and mean the same state in every language", () => {
    const all = Object.values(words.columns ?? {}).flatMap((fields) => Object.values(fields));
    for (const names of [...all, ...Object.values(words.states ?? {})])
      expect(names.map(nameKey)).toEqual([...new Set(names.map(nameKey))]);
    for (const choices of [WORKER_STATUSES, WORKER_TYPES, REQUEST_STATUSES])
      for (const choice of choices)
        for (const word of words.states?.[choice] ?? [])
          expect(`${word}: ${meaningOf(word, choices)}`).toBe(`${word}: ${choice}`);
  });
});

test("words are compared without case, accents, spaces and signs", () => {
  expect(meaningOf(" REFUSÉE ", REQUEST_STATUSES)).toBe("denied");
  expect(meaningOf("On-Leave", WORKER_STATUSES)).toBe("active");
  expect(meaningOf("Waitlisted", REQUEST_STATUSES)).toBeNull();
  expect([unitNamed("Day(s)"), unitNamed("Std."), unitNamed("dni"), unitNamed("weeks")]).toEqual([
    "days",
    "hours",
    "days",
    undefined,
  ]);
});

test.each([
  ["Unbezahlter Urlaub", false, true],
  ["Congé sans solde", false, true],
  ["Paid time off", true, false],
  ["Vacaciones", true, false],
  ["Sick", false, false],
])("%s: known as paid %p, as unpaid %p", (kind, isPaid, isUnpaid) => {
  expect([has("paid", kind), has("unpaid", kind)]).toEqual([isPaid, isUnpaid]);
});
