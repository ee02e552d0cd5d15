// Requests that wait for a change on a real server: an import of another process wakes them, and SIGTERM gives all of them
// their response.
import { expect, test } from "bun:test";
import type { CachedResponse } from "../../../src/http/middleware/cache.ts";
import { Waits } from "../../../src/http/waits.ts";
import { sampleFacts, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change } from "../../support/stores.ts";
import { serveStore } from "../process.ts";

const served = await serveStore();
await addCompany(served.writer, "acme", sampleFacts());
const keys = await Promise.all(Array.from({ length: 8 }, () => addKey(served.writer, "acme")));

const ask = async (query: string, key: string) => {
  const response = await fetch(`${served.address}/v1/changes?${query}`, { headers: { "x-api-key": key } });
  return { status: response.status, page: (await response.json()) as { count: number; position: string } };
};

test("an import wakes all, and a stop leaves none without a response", async () => {
  const { page } = await ask("after=now", keys[0]!);
  const wait = () => keys.flatMap((key) => [1, 2, 3].map(() => ask(`after=${page.position}&wait=25`, key)));
  const woken = wait();
  await Bun.sleep(300);
  await change(served.writer, "acme", (transaction) => transaction.put("workers", [workerRow("wrk_new")]));
  for (const { status, page } of await Promise.all(woken)) expect([status, page.count]).toEqual([200, 1]);

  const { position } = (await ask("after=now", keys[0]!)).page;
  const waiting = keys.map((key) => ask(`after=${position}&wait=25`, key));
  await Bun.sleep(300);
  served.stop();
  for (const { status, page } of await Promise.all(waiting))
    expect([status, page]).toMatchObject([200, { count: 0, position }]);
});

test("a page that many ask for at once is read once; if that fails, each reads it", async () => {
  const waits = new Waits({ version: async () => "1" });
  let reads = 0;
  const page = { version: "1" } as CachedResponse; // what it holds does not matter here
  const reading = Promise.withResolvers<CachedResponse>();
  const ask = () =>
    waits.share("acme 1 page", async () => {
      reads++;
      return reads === 1 ? reading.promise : page;
    });
  const first = [ask(), ask(), ask()];
  reading.resolve(page);
  expect(await Promise.all(first)).toEqual([page, page, page]);
  expect(reads).toBe(1);

  const failing = Promise.withResolvers<CachedResponse>();
  const failed = waits.share("acme 1 page", () => failing.promise);
  const others = [ask(), ask()];
  failing.reject(new Error("lost"));
  expect(failed).rejects.toThrow("lost");
  expect(await Promise.all(others)).toEqual([page, page]);
  expect(reads).toBe(3);
});
