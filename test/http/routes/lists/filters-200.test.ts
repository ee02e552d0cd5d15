// Each filter that compares a column with values finds the row that has its documented example, and no other row.
import { expect, test } from "bun:test";
import { ID_PREFIX } from "../../../../src/resources/ids.ts";
import { LIST_KINDS, LISTS, type ListKind } from "../../../../src/resources/kinds.ts";
import type { Filter } from "../../../../src/resources/resource.ts";
import { sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { exampleOf } from "../../endpoints.ts";
import { idsOf, startService } from "../../service.ts";

const service = await startService();

const filters = LIST_KINDS.flatMap((kind) =>
  Object.entries<Filter>(LISTS[kind].api.filters)
    .filter(([, { is }]) => is === "in")
    .map(([name, filter]) => [kind, name, filter] as const),
);

/** A row like the sample company's, with this id and this value. */
function rowWith(kind: ListKind, id: string, column: string, value: string) {
  const row = sampleFacts()[kind]![0]!;
  const legacyId = "legacyId" in row ? { legacyId: null } : {}; // no two rows have the same one
  return { ...row, ...legacyId, id, [column]: value, doc: JSON.stringify({ ...JSON.parse(row.doc), id }) };
}

test.each(filters)("%s by %s", async (kind, name, { column, parameter }) => {
  const example = exampleOf(parameter);
  const [first, second] = ["a", "b"].map((opaque) => `${ID_PREFIX[LISTS[kind].idKind]}${opaque}`) as [
    string,
    string,
  ];
  const companyId = `${kind}-${name}`;
  const rows = [rowWith(kind, first, column, "another"), rowWith(kind, second, column, example)];
  await addCompany(service.writer, companyId, { ...sampleFacts(), [kind]: rows });
  const key = await addKey(service.writer, companyId);
  const ask = async (query: string) => idsOf(await service.call(`${LISTS[kind].api.path}${query}`, { key }));
  expect(await ask("")).toEqual([first, second]);
  expect(await ask(`?${name}=${encodeURIComponent(example)}`)).toEqual([second]);
});
