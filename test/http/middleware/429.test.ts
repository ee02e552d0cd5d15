import { describe, expect, setSystemTime, test } from "bun:test";
import { addressShare, failureLimit, rateLimit } from "../../../src/http/middleware/rate-limit.ts";
import { newCalendar } from "../../../src/http/new-key.ts";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { problemOf, startService } from "../service.ts";

const LIMIT = 3;

// Structured fields (RFC 9651) as draft-ietf-httpapi-ratelimit-headers wants them.
const POLICY = /^"[a-z]+";q=3;w=1$/;
const STATE = /^"([a-z]+)";r=(\d+);t=(\d+)$/;

const service = await startService({ rateLimit: rateLimit(LIMIT) });
await addCompany(service.writer, "acme", sampleFacts());

function remaining(headers: Headers): number {
  expect(headers.get("ratelimit-policy")).toMatch(POLICY);
  const [, name, left, seconds] = STATE.exec(headers.get("ratelimit")!)!;
  expect(headers.get("ratelimit-policy")).toStartWith(`"${name}"`);
  expect(Number(seconds)).toBe(1);
  return Number(left);
}

describe.each(ENDPOINTS)("$name", ({ path }) => {
  test("the remaining requests are counted down, then refused until the second is over", async () => {
    const key = await addKey(service.writer, "acme");
    for (const left of [2, 1, 0]) {
      const response = await service.call(path, { key });
      expect(response.status).toBe(200);
      expect(remaining(response.headers)).toBe(left);
    }
    const refused = await service.call(path, { key });
    expect(refused.status).toBe(429);
    expect(remaining(refused.headers)).toBe(0);
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(problemOf(refused).code).toBe("rate_limited");
  });
});

test("a calendar feed has the rate limit of a key", async () => {
  const definition = { workers: [], types: [], policies: [], show: "busy", withPending: false } as const;
  const newFeed = async () => {
    const { secret, stored } = newCalendar({ companyId: "acme", name: "", definition }, Date.now());
    await service.writer.createSecret(stored);
    return `/calendar/${secret}.ics`;
  };
  await service.call(await newFeed(), {}); // the first feed loads a library, which may take longer than the second that is counted
  const path = await newFeed();
  for (const left of [2, 1, 0]) {
    const response = await service.call(path, {});
    expect([response.status, remaining(response.headers)]).toEqual([200, left]);
  }
  expect(problemOf(await service.call(path, {})).code).toBe("rate_limited");
});

test("after Retry-After the key is accepted again", async () => {
  const key = await addKey(service.writer, "acme");
  for (let asked = 0; asked < LIMIT; asked++) await service.call("/v1/workers", { key });
  const refused = await service.call("/v1/workers", { key });
  await Bun.sleep(Number(refused.headers.get("retry-after")) * 1000 + 20);
  expect((await service.call("/v1/workers", { key })).status).toBe(200);
});

test("a refusal is held back, so that asking again at once fills no server", async () => {
  const key = await addKey(service.writer, "acme");
  for (let asked = 0; asked < LIMIT; asked++) await service.call("/v1/workers", { key });
  const startedAtMs = performance.now();
  expect((await service.call("/v1/workers", { key })).status).toBe(429);
  expect(performance.now() - startedAtMs).toBeGreaterThan(90);
});

test("another key of the same company has its own limit", async () => {
  const [spent, fresh] = [await addKey(service.writer, "acme"), await addKey(service.writer, "acme")];
  for (let asked = 0; asked <= LIMIT; asked++) await service.call("/v1/workers", { key: spent });
  expect(remaining((await service.call("/v1/workers", { key: fresh })).headers)).toBe(LIMIT - 1);
});

test("errors, 304 and HEAD count too and say what remains", async () => {
  const key = await addKey(service.writer, "acme");
  const calls = [
    service.call("/v1/workers?limit=0", { key }),
    service.call("/v1/workers/wrk_absent", { key, method: "HEAD" }),
    service.call("/v1/workers", { key, headers: { "if-none-match": "*" } }),
  ];
  const responses = await Promise.all(calls);
  expect(responses.map(({ status }) => status)).toEqual([400, 404, 304]);
  expect(responses.map(({ headers }) => remaining(headers))).toEqual([2, 1, 0]);
});

test("without a limit there are no RateLimit headers", async () => {
  const free = await startService();
  await addCompany(free.writer, "acme");
  const { headers } = await free.call("/v1/workers", { key: await addKey(free.writer, "acme") });
  expect(headers.has("ratelimit") || headers.has("ratelimit-policy")).toBe(false);
});

test("an address that fails too often gets a 429, and a valid key still works from there", async () => {
  const mapError = await startService({ failureLimit: failureLimit(LIMIT) });
  await addCompany(mapError.writer, "acme");
  const key = await addKey(mapError.writer, "acme");
  const failing = [null, "nonsense", null, "nonsense", null].map((wrong) =>
    mapError.call("/v1/workers", { key: wrong }),
  );
  const responses = await Promise.all(failing);
  expect(responses.map(({ status }) => status).sort()).toEqual([401, 401, 401, 429, 429]);
  for (const refused of responses.filter(({ status }) => status === 429)) {
    expect(problemOf(refused).code).toBe("rate_limited");
    expect(refused.headers.get("retry-after")).toBe("1");
  }
  expect((await mapError.call("/v1/workers", { key })).status).toBe(200);
});

test("a key without the scope and an unknown path are failures of an address too", async () => {
  const service = await startService({ failureLimit: failureLimit(LIMIT) });
  await addCompany(service.writer, "acme");
  const workersOnly = await addKey(service.writer, "acme", { scopes: ["workers:read"] });
  const failing = [
    ["/v1/time_off/policies", workersOnly],
    ["/v1/nothing", workersOnly],
    ["/nothing", null],
    ["/v1/time_off/policies", workersOnly],
    ["/nothing", null],
  ] as const;
  const statuses: number[] = [];
  for (const [path, key] of failing) statuses.push((await service.call(path, { key })).status);
  expect(statuses).toEqual([403, 404, 404, 429, 429]);
  expect((await service.call("/v1/workers", { key: workersOnly })).status).toBe(200);
  expect((await service.call("/healthz", {})).status).toBe(200);
});

test("a clock that is set back makes nobody wait longer", async () => {
  const service = await startService({ rateLimit: rateLimit(LIMIT), failureLimit: failureLimit(LIMIT) });
  await addCompany(service.writer, "acme");
  const key = await addKey(service.writer, "acme");
  const calls = [key, "nonsense"];
  for (const one of calls) for (let i = 0; i < LIMIT; i++) await service.call("/v1/workers", { key: one });
  setSystemTime(new Date(Date.now() - 3_600_000));
  try {
    for (const one of calls) {
      const refused = await service.call("/v1/workers", { key: one });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
      expect(refused.headers.get("ratelimit") ?? ";t=1").toEndWith(";t=1");
    }
  } finally {
    setSystemTime();
  }
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::6", "2001:db8:1:2"],
  ["2001:0db8:0001:0002::1", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["unknown", "unknown"],
])("limits count the address %s as %s", (address, share) => {
  expect(addressShare(address)).toBe(share);
});
