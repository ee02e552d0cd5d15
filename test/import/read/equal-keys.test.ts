// Equal keys of a JSON object, of which parsers keep the last alone (RFC 8259, 4): each is refused with its place and path.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { repeatedKey } from "../../../src/json-file.ts";
import { findingsOf, folderOf, TestCompany } from "../../support/import-files.ts";
import { mapFile } from "../convert/mapped.ts";

const person = (more = "") =>
  `{"legacyId":"E1","firstName":"A","lastName":"B","email":"a@example.com","startDate":"2020-01-01","type":"employee","isBusiness":false${more}}`;

async function refusedBy(name: string, text: string, source: object = {}) {
  const company = await TestCompany.open();
  const mapping = mapFile({ workers: { from: name, ignore: "*", ...source } });
  return await findingsOf(company.importFolder(folderOf({ [name]: text }), {}, mapping));
}

test.each([
  [
    "people.jsonl",
    `${person()}\n${person(',"email":"b@example.com"')}`,
    {},
    'people.jsonl:2: has the key "email" twice',
  ],
  [
    "people.json",
    `[${person(',"a":{"b":1,\n "b" : 1}')}]`,
    {},
    'people.json:1 (element 1): has the key "a.b" twice',
  ],
  [
    "people.json",
    `[${person(',"a":[{"b":1,"\\u0062":2}]')}]`,
    {},
    'people.json:1 (element 1): has the key "a.b" twice',
  ],
  [
    "people.json",
    `[${person(',"a.b":1,"a":{"b":2}')}]`,
    { columns: { "a.b": "position" } },
    'people.json:1: has "a.b" as a key and inside objects',
  ],
  [
    "people.json",
    `{"data":[${person()}],\n"more":{"data":[1]},"data":[]}`,
    { at: "data" },
    'people.json:2: has the key "data" twice',
  ],
  [
    "people.json",
    `{"x":{"data":[${person()}],"other":"data","data" :[]}}`,
    { at: "x.data" },
    'people.json:1: has the key "x.data" twice',
  ],
  [
    "people.json",
    `{"x":{"data":[${person()}]},"data":"x",\n"x":{}}`,
    { at: "x.data" },
    'people.json:2: has the key "x" twice',
  ],
])("%s: %s", async (name, text, source, message) => {
  expect(await refusedBy(name, text, source)).toEqual([`${message}: keep the right one`]);
});

test("keys that are equal in other objects, or only look equal, are no mistake", async () => {
  const company = await TestCompany.open();
  const text = `{"x":{"data":[${person(',"a":{"email":"\\"email\\":1","x":{"a":":"}},"b":[{"x":1},{"x":2}]')}],"y":"data"},"data":"x","y":{"x":1,"data":[]}}`;
  const folder = folderOf({ "people.json": text });
  await company.importFolder(
    folder,
    {},
    mapFile({ workers: { from: "people.json", at: "x.data", ignore: "*" } }),
  );
  expect((await company.stored()).workers).toHaveLength(1);
});

test("in JSON of any form, a key is found if and only if an object has it twice", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\n\t"), fc.string(), (value, space, key) => {
      const text = JSON.stringify(value, null, space);
      expect(repeatedKey(text)).toBeNull();
      const name = JSON.stringify(key);
      expect(repeatedKey(`{${name}${space}:${text},"${key.length}?":0,${name}:${text}}`)).toBe(key);
    }),
  );
});
