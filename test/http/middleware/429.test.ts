import { describe, expect, test } from "bun:test";
import { failureLimit, rateLimit } from "../../../src/http/middleware/rate-limit.ts";
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

test("after Retry-After the key is accepted again", async () => {
  const key = await addKey(service.writer, "acme");
  for (let asked = 0; asked < 3 * LIMIT; asked++) await service.call("/v1/workers", { key });
  const refused = await service.call("/v1/workers", { key });
  await Bun.sleep(Number(refused.headers.get("retry-after")) * 1000 + 20);
  expect((await service.call("/v1/workers", { key })).status).toBe(200);
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
  expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
  for (const refused of responses.slice(LIMIT)) {
    expect(problemOf(refused).code).toBe("rate_limited");
    expect(refused.headers.get("retry-after")).toBe("1");
  }
  expect((await mapError.call("/v1/workers", { key })).status).toBe(200);
});
