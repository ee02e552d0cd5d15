// Property: in JSON lines, a key that an object has twice is found, however it is escaped, and no other text is mistaken for
// a duplicate key.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { repeatedKey } from "../../../src/import/source/json-record.ts";
import { SMALL, TestCompany } from "../../support/import-files.ts";

const repeatedIn = (text: string) => repeatedKey(text, Object.keys(JSON.parse(text)).length);

test.each([
  ['{"a":1,"a":1}', "a"],
  ['{"a":1,"b":2,"c":3,"b":4,"a":5}', "b"],
  ['{"a":1,"\\u0061":2}', "a"],
  ['{ "a" : 1 ,\t"a"\t:\r2 }', "a"],
  ['{"a\\"b":1,"a\\u0022b":2}', 'a"b'],
  ['{"a\\\\":":","a\\\\":2}', "a\\"],
  ['{"":1,"":2}', ""],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"7":1,"7":2}', "7"],
  ['{"a":{"x":1},"b":[{"x":1,"x":2}],"a":3}', "a"],
])("%s", (text, key) => {
  expect(repeatedIn(text)).toBe(key);
});

test.each([
  "{}",
  '{"a":1,"A":2}',
  '{"a":"a","b":"\\"a\\":1","c":"\\\\"}',
  '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
  '{"a":["b","a"],"b":{}}',
])("%s", (text) => {
  expect(repeatedIn(text)).toBeNull();
});

const awkward = fc.string({ unit: fc.constantFrom("a", '"', "\\", ":", "{", "}", "[", "]", ",", " ", "é") });
const anything = fc.anything({ key: awkward, values: [awkward, fc.integer(), fc.constant(null)] });

test("of any object, with one of its keys written once more or not", () => {
  fc.assert(
    fc.property(fc.dictionary(awkward, anything), fc.boolean(), fc.nat(), (object, more, at) => {
      const entries = Object.entries(object).map(
        ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
      );
      const again = Object.keys(object)[at % (entries.length || 1)];
      const isRepeated = more && again !== undefined;
      if (isRepeated) entries.push(`${JSON.stringify(again)}:0`);
      expect(repeatedIn(`{${entries.join(",")}}`)).toBe(isRepeated ? again : null);
    }),
  );
});

describe("an import", () => {
  test("is refused, naming file, line and key", async () => {
    const company = await TestCompany.open();
    const worker = (legacyId: string, more = "") =>
      `{"legacyId":"${legacyId}","firstName":"Ana","lastName":"Lind","email":"a@b.co","isBusiness":false,"startDate":"2024-01-01","status":"active","type":"employee"${more}}`;
    const lines = [worker("E1"), worker("E2", ',"st\\u0061tus":"inactive"'), worker("E3")];
    const found = await company.refused({
      "policies.csv": SMALL["policies.csv"]!,
      "workers.jsonl": lines.join("\n"),
    });
    expect(found).toEqual(['workers.jsonl:2: key "status" is there twice: keep one of them']);
    expect((await company.stored()).workers).toEqual([]);
  });
});
