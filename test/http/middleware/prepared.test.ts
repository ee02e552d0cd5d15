// Whatever requests came before, a response from the cache has the headers and the body that it has without a
// cache, and nothing of another request.
import { expect, test } from "bun:test";
import { ResponseCache } from "../../../src/http/middleware/cache.ts";
import { rateLimit } from "../../../src/http/middleware/rate-limit.ts";
import { workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { type Call, startService } from "../service.ts";

const ORIGIN = "https://hr.example";
const parts = { corsOrigin: ORIGIN, rateLimit: rateLimit(100_000), isTls: true };
const service = await startService({ ...parts, cache: new ResponseCache(4_000_000) });
const uncached = await startService({ ...parts, cache: new ResponseCache(0), store: service.reader });
await addCompany(service.writer, "acme", {
  workers: Array.from({ length: 60 }, (_, number) => workerRow(`wrk_${number}`)),
});
const key = await addKey(service.writer, "acme");

const REQUESTS: readonly Call[] = [
  {},
  { headers: { origin: ORIGIN } },
  { headers: { origin: "https://other.example" } },
  { headers: { "content-length": "1" } },
  { headers: { "accept-encoding": "gzip" } },
  { headers: { "accept-encoding": "br" } },
  { headers: { "if-none-match": "*" } },
  { headers: { "if-none-match": "*", origin: ORIGIN } },
  { method: "HEAD" },
];

const OF_ALL =
  "cache-control etag ratelimit ratelimit-policy strict-transport-security vary x-content-type-options x-request-id";

test("a response has the headers for its own request, whatever came before", async () => {
  for (const path of ["/v1/workers?limit=10", "/v1/workers/wrk_0"])
    for (const one of [service, uncached])
      for (let step = 0; step < 4 * REQUESTS.length; step++) {
        const request = REQUESTS[(step * 4) % REQUESTS.length]!;
        const { headers } = await one.raw(path, { ...request, key });
        const sent: Readonly<Record<string, string>> = request.headers ?? {};
        const due = new Set(OF_ALL.split(" "));
        if (!("if-none-match" in sent)) due.add("content-type");
        if (sent.origin === ORIGIN)
          due.add("access-control-allow-origin").add("access-control-expose-headers");
        if ("content-length" in sent) due.add("connection");
        if ("accept-encoding" in sent && path.includes("limit")) due.add("content-encoding");
        if (path.includes("limit")) due.add("link");
        expect(
          [...headers.keys()].filter((name) => name !== "content-length" && name !== "date").toSorted(),
        ).toEqual([...due].toSorted());
      }
});

test.each(["/v1/workers?limit=60", "/v1/workers/wrk_0"])("%s", async (path) => {
  let made = 0;
  const answered = async ({ raw }: typeof service, request: Call) => {
    const id = `request-${made++}`;
    const { status, headers, body } = await raw(path, {
      ...request,
      key,
      headers: { ...request.headers, "x-request-id": id },
    });
    const all = Object.fromEntries(headers);
    expect(all["x-request-id"]).toBe(id);
    // A second has other numbers, in whichever service, and another date.
    const ratelimit = all.ratelimit?.replace(/\d+/, "");
    return {
      status,
      body,
      headers: { ...all, "x-request-id": "", ratelimit, ...("date" in all && { date: "" }) },
    };
  };
  for (let step = 0; step < 4 * REQUESTS.length ** 2; step++) {
    // Each after each.
    const request =
      REQUESTS[(step % 2 === 0 ? step >> 1 : Math.floor((step >> 1) / REQUESTS.length)) % REQUESTS.length]!;
    expect(await answered(service, request)).toEqual(await answered(uncached, request));
  }
});
