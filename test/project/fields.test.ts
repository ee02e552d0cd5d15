// A field is defined once (decision 16): few files name it beside its definition. Counted in src without web, mcp, generate
// and client, which are callers of the API or have plain types and texts of their own.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RESOURCES } from "../../src/resources/kinds.ts";
import { WIRE_OBJECTS } from "../../src/resources/registry.ts";
import { columnName, type Fields } from "../../src/resources/resource.ts";

const SRC = join(import.meta.dir, "../../src");
const FILES_MAX = 3;
const FILES_OF_RULES_MAX = 5;

/** Where rules compute: files there are not counted. */
const RULES = /^(balances|time)\//;

/**
 * Ids, and what names a row of another table. They are not counted: keys, joins, filters and the search for what a row
 * refers to are made of them, whatever else a resource has.
 */
const REFERENCES = new Set(["id", "legacyId", "workerId", "policyId", "managerId", "requestId"]);

/** Words of English or TypeScript, which cannot be counted as names of fields. */
const WORDS = new Set(
  "available calendar cause date days department description email entries expired holds minutes moved name note opened opening position reason rules schedule status type unit used".split(
    " ",
  ),
);

/** Files in which the name is another thing. */
const HOMONYMS: Readonly<Record<string, RegExp>> = {
  createdAt: /^cli\/commands\//, // of keys and companies
  startDate: /^http\/routes\/balances|^resources\/balances/, // a parameter
  endDate: /^http\/routes\/balances|^resources\/balances|^cli\/commands\/(people|reconcile)/, // likewise
  department: /movements/, // of a group
  startsOn: /^resources\/schedules|^http\/routes\/balances/, // of a schedule
  holidayCalendar: /^resources\/(ids|workplaces|holidays)|^import\/resolve/, // of a workplace, and a kind of id
  isPaidOut: /movements/, // of a group
  timeZone: /^time\/|^cli\/parse|^resources\/cells|^import\/mapping\/dates/, // an option of Intl, any zone
  workDays: /^import\//, // of a mapping, for requests without an amount
};

/** Fields that rules compute with under another name: the local days of a request come from them. */
const FOR_LOCAL_DAYS = new Set(["startAt", "endAt"]);

/**
 * A company, a worker and a request each have a time zone. They are three fields, which are counted one by one: these files
 * speak of one of them alone. Days are computed in the zone, so these are fields of rules.
 */
const TIME_ZONES: Readonly<Record<string, RegExp>> = {
  Company: /^resources\/company\.ts|^cli\/commands\/companies/,
  Worker: /^resources\/workers/,
  Workplace: /^resources\/workplaces/,
  Request: /^resources\/requests/,
};
const TIME_ZONE = "timeZone";

const files = [...new Bun.Glob("**/*.ts").scanSync(SRC)]
  .filter((file) => !/^(web|mcp|generate|client)\//.test(file))
  .map((file) => [file, readFileSync(join(SRC, file), "utf8")] as const);

function filesNaming(field: string): string[] {
  const names = [field, columnName(field), `${field}Folded`, `${columnName(field)}_folded`];
  const pattern = new RegExp(`(?<![A-Za-z0-9_])(${names.join("|")})(?![A-Za-z0-9_])`);
  const other = HOMONYMS[field];
  return files.filter(([file, text]) => pattern.test(text) && !other?.test(file)).map(([file]) => file);
}

const fields = new Set(
  [...Object.values(RESOURCES), ...WIRE_OBJECTS].flatMap((resource: { readonly fields: Fields }) =>
    Object.keys(resource.fields),
  ),
);

test.each([...fields].filter((field) => !REFERENCES.has(field) && !WORDS.has(field) && field !== TIME_ZONE))(
  "%s is named in few files",
  (field) => {
    const all = filesNaming(field);
    const outside = all.filter((file) => !RULES.test(file));
    const isForRules = outside.length < all.length || FOR_LOCAL_DAYS.has(field);
    const most = isForRules ? FILES_OF_RULES_MAX : FILES_MAX;
    expect(outside.length, outside.join(", ")).toBeLessThanOrEqual(most);
  },
);

test.each(Object.entries(TIME_ZONES))("%s: its time zone is named in few files", (resource, own) => {
  const others = Object.entries(TIME_ZONES).filter(([other]) => other !== resource);
  const naming = filesNaming(TIME_ZONE).filter((file) => !others.some(([, pattern]) => pattern.test(file)));
  expect(naming.some((file) => own.test(file))).toBe(true);
  expect(naming.length, naming.join(", ")).toBeLessThanOrEqual(FILES_OF_RULES_MAX);
});

test("the fields that are words are fields", () => {
  for (const word of WORDS) expect(fields).toContain(word);
});
