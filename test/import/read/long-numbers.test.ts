// Ids of JSON with more digits than a double has. Sources: triggerdotdev/jsonhero-web #144, rhysd/fixjson #19, nodejs/help #1637.
import { expect, test } from "bun:test";
import { folderOf, TestCompany } from "../../support/import-files.ts";
import { mapFile } from "../convert/mapped.ts";

const IDS = ["9007199254740992", "9007199254740993", "1610521604143693813", "1234567890123456789012", "7"];
const VALUES = { startDate: "2020-01-01", status: "active", type: "employee", isBusiness: false };

/** JSON whose ids are numbers, in a list and nested in lines. */
const FILES = {
  "people.json": `[${IDS.map((id, at) => `{"id":${id},"first":"A","last":"B","mail":"a${at}@example.com"}`).join(",")}]`,
  "nested.jsonl": IDS.map((id, at) => `{"record":{"id":${id},"mail":"a${at}@example.com"}}`).join("\n"),
};

const COLUMNS = { id: "legacyId", first: "firstName", last: "lastName", mail: "email" };
const fromNested =
  "select record ->> 'id' as legacyId, 'A' as firstName, 'B' as lastName, record ->> 'mail' as email from nested";
const MAPPINGS = {
  columns: { from: "people.json", columns: COLUMNS },
  query: { query: "select id as legacyId, first as firstName, last as lastName, mail as email from people" },
  "a query into objects": { query: fromNested },
};

test.each(Object.entries(MAPPINGS))("mapped by %s, each id keeps its digits", async (name, source) => {
  const company = await TestCompany.open();
  const file = name.includes("objects") ? "nested.jsonl" : "people.json";
  await company.importFolder(
    folderOf({ [file]: FILES[file] }),
    {},
    mapFile({ workers: { ...source, values: VALUES } }),
  );
  const { workers } = await company.stored();
  expect(workers.map(({ legacyId }) => legacyId!).sort()).toEqual(IDS.toSorted());
});

test("a message shows all digits of such an id", async () => {
  const company = await TestCompany.open();
  const twice = {
    "people.json": `[${[IDS[1], IDS[1]].map((id) => `{"id":${id},"first":"A","last":"B","mail":"a@example.com"}`).join(",")}]`,
  };
  const refused = company.importFolder(
    folderOf(twice),
    {},
    mapFile({ workers: { ...MAPPINGS.columns, values: VALUES } }),
  );
  await expect(refused).rejects.toThrow(IDS[1]!);
});
