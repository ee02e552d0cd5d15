// Paging, the same on every list: order, cursors, hasMore, links.
import { describe, expect, test } from "bun:test";
import { ID_PREFIX } from "../../../../src/resources/ids.ts";
import { LIST_KINDS, LISTS as STORED } from "../../../../src/resources/kinds.ts";
import { assignmentRow, policyRow, requestRow, withOtherLists, workerRow } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { LISTS } from "../../endpoints.ts";
import { idsOf, listOf, startService } from "../../service.ts";

/** Of which byte order is not the order of any language. */
const OPAQUES = ["-", "0", "9", "A", "Aa", "B", "Z", "_", "a", "a-", "aA", "aa", "b", "z"];

const service = await startService();
const facts = {
  workers: OPAQUES.map((opaque) => workerRow(`wrk_${opaque}`)),
  policies: OPAQUES.map((opaque) => policyRow(`top_${opaque}`)),
  assignments: OPAQUES.map((opaque) => assignmentRow(`toa_${opaque}`, `wrk_${opaque}`, "top_a")),
  requests: OPAQUES.map((opaque) => requestRow(`tor_${opaque}`, `wrk_${opaque}`, "top_a")),
};
await addCompany(service.writer, "acme", withOtherLists(facts, OPAQUES));
await addCompany(service.writer, "empty");
const key = await addKey(service.writer, "acme");
const emptyKey = await addKey(service.writer, "empty");

const ID: Readonly<Record<string, (opaque: string) => string>> = {
  ...Object.fromEntries(
    LIST_KINDS.map((kind) => [kind, (opaque: string) => ID_PREFIX[STORED[kind].idKind] + opaque]),
  ),
  balances: (opaque) => `tob_0${opaque.length}${opaque}a`,
  days: (opaque) => `tod_20260302_tor_${opaque}`,
};

function linksOf(headers: Headers): Record<string, string> {
  const links = [...(headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, target, relation]) => [relation, target]));
}

// Rows that are made of balances have tests of their own: test/http/routes/movements.
describe.each(LISTS.filter(({ isOfBalances }) => !isOfBalances))("$name", ({ name, path }) => {
  const ids = OPAQUES.map(ID[name]!);
  const ask = (query: string, own = key) =>
    service.call(query === "" ? path : `${path}?${query}`, { key: own });

  test("all in byte order", async () => {
    const response = await ask("");
    expect(idsOf(response)).toEqual(ids);
    expect(listOf(response)).toMatchObject({ count: ids.length, hasMore: false });
    expect(response.headers.has("link")).toBe(false);
  });

  test("an empty list", async () => {
    for (const query of ["", "limit=1", `afterId=${ids[0]}`, `beforeId=${ids[0]}`]) {
      const response = await ask(query, emptyKey);
      expect(response.text).toBe('{"count":0,"data":[],"hasMore":false}');
      expect(response.headers.has("link")).toBe(false);
    }
  });

  test.each(["1", "01", "0000000000002", "14", "100"])("limit=%s", async (limit) => {
    const response = await ask(`limit=${limit}`);
    expect(idsOf(response)).toEqual(ids.slice(0, Number(limit)));
    expect(listOf(response).hasMore).toBe(Number(limit) < ids.length);
  });

  test("after each id, with and without an end", async () => {
    for (const [index, id] of ids.entries()) {
      const rest = ids.slice(index + 1);
      const response = await ask(`afterId=${id}&limit=3`);
      expect(idsOf(response)).toEqual(rest.slice(0, 3));
      expect(listOf(response).hasMore).toBe(rest.length > 3);
    }
  });

  test("right before each id, still in order", async () => {
    for (const [index, id] of ids.entries()) {
      const rest = ids.slice(0, index);
      const response = await ask(`limit=3&beforeId=${id}`);
      expect(idsOf(response)).toEqual(rest.slice(-3));
      expect(listOf(response).hasMore).toBe(rest.length > 3);
    }
  });

  test("a cursor is a position: its id need not exist", async () => {
    const between = ID[name]!("M");
    expect(idsOf(await ask(`afterId=${between}`))).toEqual(ids.slice(6));
    expect(idsOf(await ask(`beforeId=${between}`))).toEqual(ids.slice(0, 6));
  });

  test("links lead to the neighbouring pages", async () => {
    const whole = linksOf((await ask("limit=14")).headers);
    expect(whole).toEqual({});
    const first = linksOf((await ask("limit=5")).headers);
    expect(first).toEqual({ next: `${path}?limit=5&afterId=${ids[4]}` });
    const second = await service.call(first.next!, { key });
    expect(linksOf(second.headers)).toEqual({
      next: `${path}?limit=5&afterId=${ids[9]}`,
      prev: `${path}?limit=5&beforeId=${ids[5]}`,
    });
    const last = await service.call(linksOf(second.headers).next!, { key });
    expect(linksOf(last.headers)).toEqual({ prev: `${path}?limit=5&beforeId=${ids[10]}` });
    const back = await service.call(linksOf(last.headers).prev!, { key });
    expect(back.text).toBe(second.text);
    const start = await service.call(linksOf(back.headers).prev!, { key });
    expect(idsOf(start)).toEqual(ids.slice(0, 5));
    expect(linksOf(start.headers)).toEqual({ next: `${path}?limit=5&afterId=${ids[4]}` });
  });

  test("the spelling of the query does not change the page", async () => {
    const plain = await ask(`limit=4&afterId=${ids[2]}`);
    for (const query of [
      `afterId=${ids[2]}&limit=4`,
      `lim%69t=4&after%49d=${ids[2]!.replace("_", "%5F")}`,
      `&&limit=4&&afterId=${ids[2]}&`,
    ]) {
      expect((await ask(query)).text).toBe(plain.text);
    }
  });

  test("the default is 25", async () => {
    const { limit } = LISTS.find((list) => list.name === name)!.contract.parameters;
    expect(limit!.schema.meta()).toMatchObject({ example: 25 });
  });
});

test("the default page has 25", async () => {
  await addCompany(service.writer, "large", {
    workers: Array.from({ length: 26 }, (_, number) => workerRow(`wrk_${String(number).padStart(2, "0")}`)),
  });
  const response = await service.call("/v1/workers", { key: await addKey(service.writer, "large") });
  expect(listOf(response)).toMatchObject({ count: 25, hasMore: true });
});

test("links keep every filter with its meaning", async () => {
  const filters: readonly [string, string][] = [
    ["/v1/workers", "statuses=active,inactive&types[]=employee&statuses[3]=onboarding"],
    [
      "/v1/time_off/requests",
      "workerIds=wrk_a,wrk_A,wrk_b&startsBefore=2026-03-02T01:30:00%2B01:00&endsOnOrAfter=2026-03-02",
    ],
    ["/v1/time_off/balances", "policyIds[0]=top_a&endDate=2026-04-01T00:00:00%2B02:00&startDate=2026-01-01"],
    ["/v1/time_off/assignments", "policyIds=top_a"],
  ];
  for (const [path, query] of filters) {
    const first = await service.call(`${path}?${query}&limit=1`, { key });
    const { next } = linksOf(first.headers);
    const cursor = idsOf(first)[0];
    expect([...new URLSearchParams(next!.split("?")[1])]).toEqual([
      ...new URLSearchParams(query),
      ["limit", "1"],
      ["afterId", cursor!],
    ]);
    const second = await service.call(next!, { key });
    expect(second.text).toBe(
      (await service.call(`${path}?${query}&limit=1&afterId=${cursor}`, { key })).text,
    );
  }
});

test("links longer than 2,000 bytes together are left out", async () => {
  const listed = (count: number) =>
    Array.from({ length: count }, (_, number) => `wrk_${String(number).padStart(20, "0")}`)
      .concat("wrk_Z", "wrk_a")
      .join(",");
  for (const path of ["/v1/time_off/requests", "/v1/time_off/balances", "/v1/time_off/assignments"]) {
    const short = await service.call(`${path}?limit=1&workerIds=${listed(10)}`, { key });
    expect(linksOf(short.headers).next).toBeDefined();
    const long = await service.call(`${path}?limit=1&workerIds=${listed(198)}`, { key });
    expect(listOf(long)).toEqual(listOf(short));
    expect(listOf(long).hasMore).toBe(true);
    expect(long.headers.has("link")).toBe(false);
  }
});
