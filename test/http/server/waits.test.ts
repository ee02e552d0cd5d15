// Requests that wait for a change on a real server: an import of another process wakes them, and SIGTERM gives all of them
// their response.
import { expect, test } from "bun:test";
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

test("an import wakes all waiting requests, and after a stop each has a response", async () => {
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
