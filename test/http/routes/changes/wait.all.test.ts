// Property: a waiting request gets its response as soon as there is something for it, and otherwise an empty page at its end; it
// costs nothing meanwhile, and nobody is kept waiting at a stop.
import { beforeEach, expect, test } from "bun:test";
import { fairAdmission } from "../../../../src/http/middleware/admission.ts";
import { Waits } from "../../../../src/http/waits.ts";
import { requestRow, sampleFacts, workerRow } from "../../../support/rows.ts";
import { addCompany, addKey, change } from "../../../support/stores.ts";
import { startService } from "../../service.ts";
import { changesOf, PATH } from "./changes.ts";

let asked = 0;
let left = 0;
let running = 0;
let most = 0;
let isFull = false;
const fair = fairAdmission();
const service = await startService({
  admission: {
    async acquire(share) {
      if (isFull) return null;
      const release = await fair.acquire(share);
      most = Math.max(most, ++running);
      return () => {
        running--;
        left++;
        release!(); // nothing is shed here
      };
    },
  },
});
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");
beforeEach(() => {
  most = 0;
  asked = 0;
  left = 0;
});

const call: typeof service.call = (...args) => {
  asked++;
  return service.call(...args);
};
const ask = async (query: string, as = key) => changesOf(await call(`${PATH}?${query}`, { key: as }));
const now = async (query = "") => (await ask(`after=now${query}`)).position;
let number = 0;
const importRequest = () =>
  change(service.writer, "acme", (transaction) =>
    transaction.put("requests", [requestRow(`tor_w${++number}`, "wrk_bo", "top_annual")]),
  );
/** Lets requests come as far as they can without a change. Some never enter, as their page is cached. */
const settle = async (atMostMs = 500) => {
  const giveUpAtMs = performance.now() + atMostMs;
  while ((left < asked || running > 0) && performance.now() < giveUpAtMs) await Bun.sleep(5);
  await Bun.sleep(50);
};

test("an import wakes requests that wait for its resources; others go on waiting", async () => {
  const [all, workers] = [await now(), await now("&resources=workers")];
  const waiting = [ask(`after=${all}&wait=25`), ask(`after=${all}&wait=25`)];
  const other = ask(`after=${workers}&resources=workers&wait=25`);
  await settle();
  expect(running).toBe(0);
  await importRequest();
  for (const page of await Promise.all(waiting))
    expect(page.data).toMatchObject([{ id: `tor_w${number}` }, { resource: "balances", id: "wrk_bo" }]);
  await change(service.writer, "acme", (transaction) => transaction.put("workers", [workerRow("wrk_new")]));
  expect((await other).data).toMatchObject([{ id: "wrk_new" }]);
});

test("with something to send, with no time to wait, and from the beginning, the response comes at once", async () => {
  const position = await now();
  await importRequest();
  expect((await ask(`after=${position}&wait=25`)).count).toBe(2);
  expect((await ask("wait=25&limit=2")).count).toBe(2);
  expect((await ask(`after=${await now()}&wait=0`)).count).toBe(0);
});

test("at the end of the wait, an empty page moves past other resources, or is a 304", async () => {
  const position = await now("&resources=workers");
  const path = `${PATH}?after=${position}&resources=workers`;
  const { headers } = await call(path, { key });
  const ifNoneMatch = { "if-none-match": headers.get("etag")! };
  expect((await call(`${path}&wait=1`, { key, headers: ifNoneMatch })).status).toBe(304);
  for (const wait of [1, 5, 25]) {
    const waiting = ask(`after=${position}&resources=workers&wait=${wait}`);
    await settle(200);
    await importRequest();
    const page = await waiting;
    expect(page.count).toBe(0);
    if (page.position !== position) return;
  } // on a machine that halts for a second, the import comes after the end
  throw new Error("the position stays");
});

test("a response is the same, and cached, however long its request would wait", async () => {
  const position = await now();
  await importRequest();
  const texts = await Promise.all(
    ["", "&wait=0", "&wait=25", ""].map(
      async (wait) => (await call(`${PATH}?after=${position}${wait}`, { key })).text,
    ),
  );
  expect(new Set(texts).size).toBe(1);
});

test.each(["wait=26", "wait=-1", "wait=1.5", "wait=x", "wait=", "wait=1&wait=1"])(
  "%s is a 400, also where the page is cached",
  async (wait) => {
    const path = `${PATH}?after=now`;
    for (let time = 0; time < 3; time++) await call(path, { key });
    expect((await call(`${path}&${wait}`, { key })).status).toBe(400);
  },
);

test("a full server still sends cached pages, and refuses others", async () => {
  const position = await now();
  for (let time = 0; time < 3; time++) await ask(`after=${position}`);
  isFull = true;
  try {
    expect((await ask(`after=${position}&wait=1`)).count).toBe(0);
    const other = await call(`${PATH}?after=${position}&limit=7&wait=1`, { key });
    expect(other.status).toBe(503);
  } finally {
    isFull = false;
  }
});

test("eight requests of a key wait; another gets its response at once", async () => {
  const position = await now();
  const waiting = Array.from({ length: 8 }, () => ask(`after=${position}&wait=25`));
  await settle();
  expect((await ask(`after=${position}&wait=25`)).count).toBe(0);
  const other = ask(`after=${position}&wait=25`, await addKey(service.writer, "acme"));
  await settle();
  await importRequest();
  for (const page of [...(await Promise.all(waiting)), await other]) expect(page.count).toBe(2);
});

test("a key that is revoked while its request waits gets a 401, with a change or without", async () => {
  const revoked = await addKey(service.writer, "acme");
  const position = await now();
  const waiting = call(`${PATH}?after=${position}&wait=25`, { key: revoked });
  const idle = call(`${PATH}?after=${position}&wait=2`, { key: revoked });
  await settle();
  const [{ id } = { id: "" }] = (await service.writer.keys("acme")).toReversed();
  await service.writer.updateSecret("keys", id, { revokedAtMs: Date.now() - 1000 });
  expect((await idle).status).toBe(401); // a key is at most a second old
  await importRequest();
  expect((await waiting).status).toBe(401);
});

/** Waits on a store whose versions are these, and which counts how often it is asked. */
function countedWaits(versions: Map<string, string>) {
  const store = {
    reads: 0,
    async version(companyId: string) {
      store.reads++;
      return versions.get(companyId) ?? null;
    },
  };
  return { store, waits: new Waits(store) };
}

test("one read serves all who wait for a company, and none is made while nobody waits", async () => {
  const versions = new Map([["acme", "1"]]);
  const { store, waits } = countedWaits(versions);
  const { signal } = new AbortController();
  const all = Array.from({ length: 1000 }, () => waits.changed("acme", "1", 25_000, signal));
  await Bun.sleep(450);
  expect(store.reads).toBeGreaterThan(0);
  expect(store.reads).toBeLessThanOrEqual(3);
  versions.set("acme", "2");
  await Promise.all(all);
  const { reads } = store;
  await Bun.sleep(450);
  expect(store.reads).toBe(reads);
});

test("1,000 wait in a process, a caller that goes away gives its place back, and a stop wakes all", async () => {
  const { waits } = countedWaits(new Map([["acme", "1"]]));
  const places = Array.from({ length: 1000 }, (_, at) => waits.enter(`key ${Math.floor(at / 8)}`));
  expect(places.every((place) => place !== null)).toBe(true);
  expect(waits.enter("another")).toBeNull();
  const gone = new AbortController();
  const first = waits.changed("acme", "1", 25_000, gone.signal).then(() => places[0]!());
  gone.abort();
  await first;
  expect(waits.enter("another")).not.toBeNull();
  const others = Array.from({ length: 100 }, () =>
    waits.changed("acme", "1", 25_000, new AbortController().signal),
  );
  waits.stop();
  await Promise.all(others);
  places[1]!();
  expect(waits.enter("late")).toBeNull();
});
