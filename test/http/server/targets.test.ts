// A request target counts as it was sent: what only becomes an endpoint's path when a URL is normalised is not found,
// because a proxy's rule for that path did not see it.
import { describe, expect, test } from "bun:test";
import { problemSchema } from "../../../src/resources/problems.ts";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { serveStore } from "../process.ts";
import { send } from "../socket.ts";

const served = await serveStore();
await addCompany(served.writer, "acme", sampleFacts());
const key = await addKey(served.writer, "acme");

async function statusOf(target: string, headers = "Host: a\r\n"): Promise<number> {
  const { responses } = await send(
    served.port,
    `GET ${target} HTTP/1.1\r\n${headers}x-api-key: ${key}\r\n\r\n`,
  );
  const { status, body } = responses[0]!;
  if (status !== 200) expect(problemSchema.parse(JSON.parse(body.toString())).status).toBe(status);
  return status;
}

describe.each(ENDPOINTS)("$name", ({ path, contract }) => {
  const [, first, ...rest] = path.split("/") as [string, string, ...string[]];
  const rewritten = [
    `/${first}\\${rest.join("/")}`,
    `/${first}/${rest.join("\\")}`,
    `/./${first}/${rest.join("/")}`,
    `/x/../${first}/${rest.join("/")}`,
    `/${first}/x/..\\${rest.join("/")}`,
    `/%2e/${first}/${rest.join("/")}`,
    `/${first}/%2E%2e/${first}/${rest.join("/")}`,
  ];
  test.each(rewritten.filter((target) => target !== path))("%s is not found", async (target) => {
    expect(await statusOf(target)).toBe(404);
  });

  test("the path itself, with and without a query", async () => {
    expect(await statusOf(path)).toBe(200);
    if ("limit" in contract.parameters) expect(await statusOf(`${path}?limit=1`)).toBe(200);
  });
});

test.each([
  "/v1/workers/x\\..\\wrk_ana",
  "/v1/workers/..\\time_off\\requests",
  "/v1/workers/%2e%2e\\workers\\wrk_ana",
  "/v1/workers/wrk_ana\\.",
])("an id is one segment as sent: %s", async (target) => {
  expect(await statusOf(target)).toBe(404);
});

test("a rewritten path is not reported as the path that was sent", async () => {
  const details = await Promise.all(
    ["/v1/workers/../company", "/v1/./company", "/x/../mcp"].map(async (target) => {
      const { responses } = await send(served.port, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      return problemSchema.parse(JSON.parse(responses[0]!.body.toString())).detail;
    }),
  );
  expect(details).toEqual([
    expect.stringContaining("must be sent exactly as /v1/company:"),
    expect.stringContaining("must be sent exactly as /v1/company:"),
    expect.stringContaining("must be sent exactly as /mcp:"),
  ]);
});

test.each(["%", "%ff", "wrk_%zz"])("an id that cannot be decoded is an unknown one: %s", async (id) => {
  const { responses } = await send(
    served.port,
    `GET /v1/workers/${id} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n\r\n`,
  );
  expect(problemSchema.parse(JSON.parse(responses[0]!.body.toString())).code).toBe("worker_not_found");
});

test("HEAD has the headers of GET, also for a stream", async () => {
  for (const accept of ["application/json", "text/csv"]) {
    const headers = { accept, "accept-encoding": "identity", "x-request-id": "same", "x-api-key": key };
    const get = await fetch(`${served.address}/v1/workers`, { headers });
    await get.bytes();
    const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { responses } = await send(
      served.port,
      `HEAD /v1/workers HTTP/1.1\r\nHost: a\r\n${sent.join("")}\r\n`,
      { headOnly: true },
    );
    const named = (all: Headers) => [...all].filter(([name]) => name !== "date");
    expect(named(responses[0]!.headers)).toEqual(named(get.headers));
    expect(responses[0]!.headers.has("date")).toBe(true);
  }
});

test("an id may be percent-encoded", async () => {
  expect(await statusOf("/v1/workers/wrk%5Fana")).toBe(200);
});

test.each([
  "Host: a\r\nHost: b\r\n",
  "Host: a\r\nHost: a\r\n",
  "Host: a\r\nhost: evil.example\r\nHOST: c\r\n",
  "Host: a, b\r\n",
])("two hosts are a 400: %j", async (headers) => {
  expect(await statusOf("/v1/workers", headers)).toBe(400);
});
