import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

/** A request for each kind of response. */
const CALLS: readonly [
  number,
  string,
  { key?: string; method?: string; headers?: Record<string, string> },
][] = [
  [200, "/v1/workers", { key }],
  [200, "/v1/workers", { key, method: "HEAD" }],
  [304, "/v1/workers", { key, headers: { "if-none-match": "*" } }],
  [400, "/v1/workers?limit=0", { key }],
  [401, "/v1/workers", {}],
  [404, "/v1/workers/wrk_absent", { key }],
  [404, "/nowhere", {}],
  [405, "/v1/workers", { method: "POST" }],
  [200, "/healthz", {}],
  [200, "/docs", {}],
];

describe.each(CALLS)("%d %s", (status, path, call) => {
  const ask = (requestId: string) =>
    service.call(path, { ...call, headers: { ...call.headers, "x-request-id": requestId } });

  test.each(["a", "0", "._-", "6b91d3a0-e125-4eb4-8751-4e4dcc7c271e", "x".repeat(128)])(
    "%s is echoed",
    async (sent) => {
      const response = await ask(sent);
      expect(response.status).toBe(status);
      expect(response.headers.get("x-request-id")).toBe(sent);
      if (status >= 400) expect(JSON.parse(response.text)).toMatchObject({ requestId: sent });
    },
  );

  test.each(["", " ", "a b", "a,b", "a/b", "a:b", '"a"', "é", "<script>", "x".repeat(129), "%41"])(
    "%s is replaced",
    async (sent) => {
      const response = await ask(sent);
      expect(response.status).toBe(status);
      const own = response.headers.get("x-request-id")!;
      expect(own).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
      expect(own).not.toBe(sent);
      expect((await ask(sent)).headers.get("x-request-id")).not.toBe(own);
    },
  );
});
