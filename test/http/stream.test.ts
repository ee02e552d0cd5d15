// Whole lists as one stream (docs/api.md, Streams). Property: a stream in JSON lines has the objects of the paged list, byte
// for byte, in the same order; and of a list that changes meanwhile, every object that matched throughout, exactly once.

import { describe, expect, spyOn, test } from "bun:test";
import { Readable } from "node:stream";
import { createZstdCompress, gunzipSync, zstdDecompressSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { rateLimit } from "../../src/http/middleware/rate-limit.ts";
import { StreamSlots } from "../../src/http/stream.ts";
import type { Observation } from "../../src/observe.ts";
import { csvColumns, type ListContract } from "../../src/resources/resource.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { assignmentRow, policyRow, requestRow, withOtherLists, workerRow } from "../support/rows.ts";
import { addCompany, addKey, putFacts } from "../support/stores.ts";
import { CONNECTION } from "./bare-parts.ts";
import { ENDPOINTS, LISTS } from "./endpoints.ts";
import { problemOf, startService } from "./service.ts";

const service = await startService();
const numbers = Array.from({ length: 350 }, (_, number) => String(number).padStart(4, "0"));
const facts = {
  workers: numbers.map((number) => workerRow(`wrk_${number}`)),
  policies: [policyRow("top_1"), ...numbers.slice(0, 120).map((number) => policyRow(`top_x${number}`))],
  assignments: numbers.map((number) => assignmentRow(`toa_${number}`, `wrk_${number}`, "top_1")),
  requests: numbers.map((number) => requestRow(`tor_${number}`, `wrk_${number}`, "top_1")),
};
await addCompany(service.writer, "acme", withOtherLists(facts, numbers.slice(0, 120)));
await addCompany(service.writer, "empty");
const key = await addKey(service.writer, "acme");

const stream = (path: string, accept: string, apiKey = key, method = "GET") =>
  service.raw(path, { key: apiKey, method, headers: { accept } });
const ZstdCompress = createZstdCompress().constructor as new () => unknown; // not exported
const NDJSON = "application/x-ndjson";
const CSV = "text/csv";
const columnsOf = (contract: ListContract) => csvColumns(contract).map(({ name }) => name);
const text = (body: Uint8Array) => new TextDecoder().decode(body);

/** Every object of a paged list as it is written on the wire. */
async function pagedObjects(path: string): Promise<string[]> {
  const objects: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await service.call(next, { key });
    const { data } = JSON.parse(response.text) as { data: unknown[] };
    objects.push(...data.map((object) => JSON.stringify(object)));
    next = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return objects;
}

describe.each(LISTS.filter(({ isOfBalances }) => !isOfBalances))("$name", ({ path, contract }) => {
  test("JSON lines are the objects of the paged list, byte for byte", async () => {
    const { status, headers, body } = await stream(path, NDJSON);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(NDJSON);
    expect(headers.has("etag")).toBe(false);
    expect(headers.get("vary")!.toLowerCase().split(", ")).toContain("accept");
    const objects = await pagedObjects(`${path}?limit=100`);
    expect(objects.length).toBeGreaterThan(100);
    expect(text(body)).toBe(objects.map((object) => `${object}\n`).join(""));
  });

  test.each([
    ["gzip", "gzip"],
    ["zstd", "zstd"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["zstd;q=0.5, gzip", "gzip"],
    ["br", null],
    ["gzip;q=0, identity", null],
  ])("Accept-Encoding: %s is sent as %s, and is the same list", async (accepted, encoding) => {
    const headers = { accept: NDJSON, "accept-encoding": accepted };
    const plain = await stream(path, NDJSON);
    for (const method of ["GET", "HEAD"]) {
      const sent = await service.raw(path, { key, method, headers });
      expect(sent.headers.get("content-encoding")).toBe(encoding);
      expect(sent.headers.get("vary")!.toLowerCase().split(", ")).toContain("accept-encoding");
      if (method === "HEAD") continue;
      const { body } = sent;
      const read =
        encoding === null ? body : encoding === "gzip" ? gunzipSync(body) : zstdDecompressSync(body);
      expect(text(read)).toBe(text(plain.body));
      if (encoding !== null) expect(body.length).toBeLessThan(plain.body.length / 3);
    }
    const emptyKey = await addKey(service.writer, "empty");
    const empty = await service.raw(path, { key: emptyKey, headers });
    expect(empty.headers.get("content-encoding")).toBe(encoding);
  });

  test("CSV has the schema's keys in order, and a cell for each value", async () => {
    const { status, headers, body } = await stream(path, CSV);
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
    const [header, ...rows] = parse(text(body)) as string[][];
    expect(header).toEqual(columnsOf(contract));
    const objects = (await pagedObjects(`${path}?limit=100`)).map((object) => JSON.parse(object));
    const cells = objects.map((object) =>
      header!.map((name) => {
        const value = name.split(".").reduce((within, key) => within?.[key] ?? null, object);
        if (value === null) return "";
        return typeof value === "object" ? JSON.stringify(value) : String(value);
      }),
    );
    expect(rows).toEqual(cells);
  });

  test("an empty list is a header alone, or nothing", async () => {
    const emptyKey = await addKey(service.writer, "empty");
    expect(text((await stream(path, CSV, emptyKey)).body)).toBe(`${columnsOf(contract).join(",")}\r\n`);
    expect(text((await stream(path, NDJSON, emptyKey)).body)).toBe("");
  });

  test("a request without Accept, or one that prefers JSON, gets a page in JSON", async () => {
    const plain = await service.call(path, { key });
    for (const accept of [
      "*/*",
      "",
      "application/json",
      "text/html,*/*;q=0.8",
      "text/csv;q=0.5, application/json",
    ]) {
      const response = await service.call(path, { key, headers: { accept } });
      expect(response.text).toBe(plain.text);
      expect(response.headers.get("vary")!.toLowerCase().split(", ")).toContain("accept");
    }
  });

  test("quality values are honoured", async () => {
    for (const [accept, type] of [
      ["application/json;q=0.1, text/csv;q=0.9", CSV],
      ["text/csv;q=0.2, application/x-ndjson;q=0.3", NDJSON],
      ["text/*", CSV],
      ["application/json;q=0, */*", CSV],
      ["text/csv; charset=utf-8, */*", CSV],
      ["text/csv;header=present", CSV],
      ['application/x-ndjson;charset="UTF-8"', NDJSON],
      ["application/json; charset=utf-8", "application/json"],
    ] as const)
      expect((await stream(path, accept)).headers.get("content-type")).toStartWith(type);
  });

  test.each(["image/png", "text/csv; header=absent", "application/json; charset=latin1"])(
    "%s is a 406",
    async (accept) => {
      const response = await service.call(path, { key, headers: { accept } });
      expect([response.status, problemOf(response).code]).toEqual([406, "not_acceptable"]);
      expect(problemOf(response).detail).toContain(`Accept: ${JSON.stringify(accept)} fits none of`);
    },
  );

  test.each(["limit=10", "limit=0", "afterId=x", "nonsense=1"])("%s is a 400, in JSON", async (query) => {
    const response = await service.call(`${path}?${query}`, { key, headers: { accept: CSV } });
    expect(response.status).toBe(400);
    expect(problemOf(response).errors!.length).toBe(1);
  });

  test("HEAD has the headers and no body", async () => {
    const { status, headers, body } = await stream(path, CSV, key, "HEAD");
    expect([status, headers.get("content-type"), body.length]).toEqual([
      200,
      "text/csv; charset=utf-8; header=present",
      0,
    ]);
  });
});

test("other paths ignore Accept", async () => {
  for (const { path, contract } of ENDPOINTS) {
    if ("item" in contract) continue;
    const own = await addKey(service.writer, "acme");
    const { status } = await service.call(path, { key: own, headers: { accept: "image/png" } });
    expect(status).not.toBe(406);
  }
});

test("filters and hidden reasons are as in pages", async () => {
  const hidden = await addKey(service.writer, "acme", { access: { level: "no-reasons" } });
  const path = "/v1/time_off/requests?workerIds=wrk_0001,wrk_0300";
  const [first, second, ...more] = text((await stream(path, NDJSON, hidden)).body)
    .trim()
    .split("\n");
  expect([JSON.parse(first!).workerId, JSON.parse(second!).workerId, more.length]).toEqual([
    "wrk_0001",
    "wrk_0300",
    0,
  ]);
  expect(JSON.parse(first!).reason).toBe(null);
});

test("cells are quoted, and begin with an apostrophe if a spreadsheet would run them", async () => {
  const odd = await startService();
  const names = [
    "=1+1",
    "+49 30",
    "-5",
    "+1.5",
    "-x",
    "@SUM(A1)",
    "\tx",
    "\rx",
    'a"b',
    "a,b",
    "a\nb",
    "a\rb",
    " a",
    "Ünï",
    "＝1+1",
    "＠x",
    "-5",
    "+1.5",
  ];
  await addCompany(odd.writer, "acme", {
    workers: names.map((displayName, number) => workerRow(`wrk_${100 + number}`, { displayName })),
  });
  const { body } = await odd.raw("/v1/workers", {
    key: await addKey(odd.writer, "acme"),
    headers: { accept: CSV },
  });
  const [header, ...rows] = parse(text(body)) as string[][];
  const at = header!.indexOf("displayName");
  const guarded = ["=1+1", "+49 30", "-x", "@SUM(A1)", "\tx", "\rx", "＝1+1", "＠x"];
  expect(rows.map((row) => row[at])).toEqual(
    names.map((name) => (guarded.includes(name) ? `'${name}` : name)),
  );
  expect(body.slice(0, 3)).not.toEqual(new Uint8Array([0xef, 0xbb, 0xbf]));
});

test("during an import, a stream neither loses nor repeats an object that existed throughout", async () => {
  const changing = await startService();
  await addCompany(changing.writer, "acme", facts);
  const own = await addKey(changing.writer, "acme");
  const lines: string[] = [];
  const real = changing.reader.company.bind(changing.reader);
  let pages = 0;
  changing.reader.company = (...args) => {
    const company = real(...args);
    return {
      ...company,
      balanceFacts: (query) => company.balanceFacts(query),
      object: (kind, id) => company.object(kind, id),
      async list(kind, page, conditions) {
        const found = await company.list(kind, page, conditions);
        if (++pages === 2) {
          // Before and after the cursor: rows that are new, and rows that go.
          await putFacts(changing.writer, "acme", {
            workers: [workerRow("wrk_0000-new"), workerRow("wrk_0300-new")],
          });
        }
        return found;
      },
    };
  };
  const { body } = await changing.raw("/v1/workers", { key: own, headers: { accept: NDJSON } });
  lines.push(...text(body).trim().split("\n"));
  const ids = lines.map((line) => JSON.parse(line).id);
  expect(ids.filter((id) => !id.endsWith("-new"))).toEqual(facts.workers.map(({ id }) => id));
  expect(ids).toContain("wrk_0300-new");
});

test("a store that is lost in mid-stream resets the connection; before the first byte it is a 503", async () => {
  const seen: Observation[] = [];
  const failing = await startService({ observe: (one) => seen.push(one) });
  await addCompany(failing.writer, "acme", facts);
  const own = await addKey(failing.writer, "acme");
  const version = failing.reader.version.bind(failing.reader);
  let reads = 0;
  failing.reader.version = (id) => (++reads > 2 ? Promise.reject(new StoreUnavailable("gone")) : version(id));
  const call = { key: own, headers: { accept: NDJSON } };
  await expect(failing.raw("/v1/workers", call)).rejects.toThrow("gone");
  await new Promise(setImmediate);
  const [why, request] = seen;
  expect(seen.map(({ kind }) => kind)).toEqual(["unavailable", "request"]);
  expect(why).toMatchObject({ error: { message: "gone" } });
  expect(why).toHaveProperty("requestId", (request as { requestId: unknown }).requestId); // a request has one
  expect((await failing.raw("/v1/workers", call)).status).toBe(503);
});

test("a key that is revoked in mid-stream resets the connection, however slowly its caller reads", async () => {
  const own = await addKey(service.writer, "acme", { change: { id: "key_streaming" } });
  const { app } = service;
  const request = new Request("http://rollcall.test/v1/workers", {
    headers: { "x-api-key": own, accept: NDJSON },
  });
  const reader = (await app(request, CONNECTION)).body!.getReader();
  expect((await reader.read()).value!.length).toBeGreaterThan(0);
  await service.writer.updateSecret("keys", "key_streaming", { revokedAtMs: Date.now() });
  await Bun.sleep(1000); // a key is at most a second old
  await expect(reader.read()).rejects.toThrow("revoked");
});

test.each(["identity", "zstd"])(
  "a caller that goes while a page is read is no fault (%s)",
  async (encoding) => {
    const left = await startService();
    await addCompany(left.writer, "acme", facts);
    const own = await addKey(left.writer, "acme");
    const version = left.reader.version.bind(left.reader);
    const isReading = Promise.withResolvers<void>();
    const mayRead = Promise.withResolvers<void>();
    let reads = 0;
    left.reader.version = async (id) => {
      if (++reads > 1) {
        isReading.resolve();
        await mayRead.promise;
      }
      return version(id);
    };
    const headers = { "x-api-key": own, accept: NDJSON, "accept-encoding": encoding };
    const request = new Request("http://rollcall.test/v1/workers", { headers });
    const reader = (await left.app(request, CONNECTION)).body!.getReader();
    await reader.read();
    const next = reader.read();
    await isReading.promise;
    await reader.cancel();
    mayRead.resolve();
    expect((await next).done).toBe(true);
    await Bun.sleep(50);
    expect(left.faults).toEqual([]);
  },
);

test("parameters that only pages have are reported with all other errors", async () => {
  const query = "limit=10&statuses=gone&nonsense=1&beforeId=x";
  const { body } = await service.raw(`/v1/workers?${query}`, { key, headers: { accept: NDJSON } });
  const { errors } = JSON.parse(text(body)) as { errors: { parameter: string }[] }; // a problem
  expect(errors.map(({ parameter }) => parameter).toSorted()).toEqual([
    "beforeId",
    "limit",
    "nonsense",
    "statuses",
  ]);
});

test("a stream costs a point for each 100 rows, and the limit does not end it", async () => {
  const limited = await startService({ rateLimit: rateLimit(3) });
  await addCompany(limited.writer, "acme", facts);
  const call = { key: await addKey(limited.writer, "acme"), headers: { accept: NDJSON } };
  const { status, body } = await limited.raw("/v1/workers", call);
  expect([status, text(body).trim().split("\n").length]).toEqual([200, 350]);
  expect((await limited.raw("/v1/workers", call)).status).toBe(429);
});

describe("slots", () => {
  const open = async (apiKey: string) => {
    const headers = { "x-api-key": apiKey, accept: NDJSON };
    return service.app(new Request("http://rollcall.test/v1/workers", { headers }), CONNECTION);
  };
  const endAll = (responses: readonly Response[]) =>
    Promise.all(responses.map((response) => response.body!.cancel()));

  test("a key has two; a third waits at most a second for one to end", async () => {
    const running = [await open(key), await open(key)];
    const waiting = open(key);
    await running[1]!.body!.cancel();
    running[1] = await waiting;
    expect(running[1].status).toBe(200);
    const refused = await open(key);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    await endAll(running);
    const last = await open(key);
    expect(last.status).toBe(200);
    await endAll([last]);
  });

  test("a company has three, so one is free for another company", async () => {
    await addCompany(service.writer, "neighbour", { workers: [workerRow("wrk_1"), workerRow("wrk_2")] });
    const neighbour = await addKey(service.writer, "neighbour");
    const second = await addKey(service.writer, "acme");
    const running = [await open(key), await open(key), await open(second)];
    expect((await open(second)).status).toBe(503);
    const found = await open(neighbour);
    expect([...running, found].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await endAll([...running, found]);
  });

  test("streams of a company that has its share hold up no other company", async () => {
    const slots = new StreamSlots();
    const of = (id: string, companyId: string) => slots.acquire({ id, companyId });
    const [first, ...others] = [
      await of("a1", "a"),
      await of("a2", "a"),
      await of("a2", "a"),
      await of("b", "b"),
    ];
    const started: string[] = [];
    const waiting = ["a1", "a3", "c"].map((id) =>
      of(id, id[0]!).then((end) => {
        started.push(id);
        return end;
      }),
    );
    await new Promise(setImmediate);
    first();
    await new Promise(setImmediate);
    expect(started).toEqual(["c"]);
    for (const end of others) end();
    for (const end of waiting) (await end)();
    expect(started).toEqual(["c", "a1", "a3"]);
  });

  test("a key with many waiting streams holds up no other key, and each of them gets its turn", async () => {
    const slots = new StreamSlots();
    const greedy = { id: "a", companyId: "a" };
    const running = [await slots.acquire(greedy), await slots.acquire(greedy)];
    const results = Array.from({ length: 50 }, () => slots.acquire(greedy).then((end) => end()));
    (await slots.acquire({ id: "b", companyId: "b" }))();
    for (const end of running) end();
    await Promise.all(results);
  });
});

test("of four streams, at most one begins a page in a turn of the event loop: other requests are read in between", async () => {
  const shared = await startService();
  const keys: string[] = [];
  for (const company of ["acme", "other"]) {
    await addCompany(shared.writer, company, facts);
    keys.push(await addKey(shared.writer, company), await addKey(shared.writer, company));
  }
  let pages = 0;
  const real = shared.reader.company.bind(shared.reader);
  shared.reader.company = (...args) => {
    const company = real(...args);
    const list: typeof company.list = (kind, page, conditions) => {
      if (page.after !== undefined) pages++;
      return company.list(kind, page, conditions);
    };
    return Object.assign(Object.create(company), { list });
  };
  const inTurn: number[] = [];
  let isOver = false;
  const count = () => {
    inTurn.push(pages);
    pages = 0;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const read = (apiKey: string) => shared.raw("/v1/workers", { key: apiKey, headers: { accept: NDJSON } });
  const sent = await Promise.all([keys[0]!, keys[1]!, keys[2]!, keys[2]!].map(read));
  isOver = true;
  inTurn.push(pages);
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(inTurn.reduce((sum, one) => sum + one, 0)).toBe(4 * 3); // 350 rows are four pages, the first of which needs no turn
  // A page of PostgreSQL is asked for after a wait of its own: those of all streams may come together.
  // A key that is looked up again meanwhile may bring two together, once in a while.
  const isPostgres = process.env.ROLLCALL_TEST_ENGINE === "postgres";
  expect(inTurn.filter((begun) => begun > (isPostgres ? 4 : 1)).length).toBeLessThanOrEqual(1);
});

test("a stream whose compressor cannot be made is a 500 without headers of the stream", async () => {
  const on = Readable.prototype.on;
  const failing = spyOn(Readable.prototype, "on").mockImplementation(function (
    this: Readable,
    event: string | symbol,
    listener: (...args: unknown[]) => void,
  ) {
    if (this instanceof ZstdCompress) throw new Error("no memory");
    return on.call(this, event, listener);
  });
  try {
    const headers = { accept: NDJSON, "accept-encoding": "zstd" };
    const response = await service.raw("/v1/workers", { key, headers });
    expect(response.status).toBe(500);
    expect(response.headers.get("content-encoding")).toBe(null);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(JSON.parse(text(response.body)).code).toBe("internal_error");
  } finally {
    failing.mockRestore();
    service.faults.length = 0;
  }
});
