// The feed over HTTP: pages follow each other by position, objects are the lists' own bytes, and `resources` selects.
import { expect, test } from "bun:test";
import { LIST_KINDS, LISTS } from "../../../../src/resources/kinds.ts";
import { requestRow, sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey, change } from "../../../support/stores.ts";
import { startService } from "../../service.ts";
import { changesOf, PATH } from "./changes.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

const ask = async (query = "", as = key) => changesOf(await service.call(`${PATH}?${query}`, { key: as }));

test("everything, page by page: the objects are those of the lists, byte for byte", async () => {
  const found: string[] = [];
  let page = await ask("limit=3");
  for (; ; page = await ask(`limit=3&after=${page.position}`)) {
    expect(page.count).toBe(page.data.length);
    for (const { resource, removed, object } of page.data) {
      expect(removed).toBe(false);
      found.push(`${resource} ${JSON.stringify(object)}`);
    }
    if (!page.hasMore) break;
    expect(page.count).toBe(3);
  }
  const lists = await Promise.all(
    LIST_KINDS.map(async (resource) => {
      const { text } = await service.call(LISTS[resource].api.path, { key });
      const { data } = JSON.parse(text) as { data: object[] }; // a list
      return data.map((object) => `${resource} ${JSON.stringify(object)}`);
    }),
  );
  expect(found).toEqual(lists.flat());
  expect(await ask(`after=${page.position}`)).toEqual({ ...page, count: 0, data: [] });
  const last = await service.call("/v1/company", { key });
  expect(page.asOf).toBe((JSON.parse(last.text) as { changedAt: string }).changedAt); // a company
});

test("after a position come changes and removals; other resources than `resources` are skipped", async () => {
  const { position } = await ask("after=now");
  const ofWorkers = await ask("after=now&resources=workers");
  expect(ofWorkers).toMatchObject({ count: 0, hasMore: false });
  await change(service.writer, "acme", async (transaction) => {
    await transaction.remove("requests", [["tor_1"]]);
    await transaction.put("requests", [requestRow("tor_9", "wrk_bo", "top_annual", { reason: "Move" })]);
  });
  const page = await ask(`after=${position}`);
  expect(page.data.map(({ resource, id, removed }) => [resource, id, removed])).toEqual([
    ["requests", "tor_9", false],
    ["balances", "wrk_ana", false],
    ["balances", "wrk_bo", false],
    ["requests", "tor_1", true],
  ]);
  expect(page.data.map(({ object }) => object?.id ?? null)).toEqual(["tor_9", null, null, null]);
  const passed = await ask(`after=${ofWorkers.position}&resources[]=workers`);
  expect(passed).toMatchObject({ count: 0, hasMore: false });
  expect(passed.position).not.toBe(ofWorkers.position);
});

test("a key that hides reasons can continue from another key's position, and gets no reason", async () => {
  const hidden = await addKey(service.writer, "acme", { access: { level: "no-reasons" } });
  const first = await ask("resources=requests&limit=1");
  const rest = await ask(`resources=requests&after=${first.position}`, hidden);
  expect(rest.data.every(({ object }) => object?.reason === null)).toBe(true);
  const whole = await ask(`resources=requests&after=${first.position}`);
  expect(whole.data.some(({ object }) => object?.reason !== null)).toBe(true);
});

test("while nothing changes the tag stays, and the response is a 304", async () => {
  const { position } = await ask("after=now");
  const path = `${PATH}?after=${position}`;
  const { headers } = await service.call(path, { key });
  const again = await service.call(path, { key, headers: { "if-none-match": headers.get("etag")! } });
  expect(again.status).toBe(304);
});
