// Public routes: they need no key and reveal nothing about a company.
import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany } from "../../support/stores.ts";
import { startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "secret-company", sampleFacts("-secret-"));

describe.each(["/docs", "/docs/errors", "/openapi.json", "/openapi-streams.json", "/healthz", "/readyz"])(
  "%s",
  (path) => {
    test("the same response with a key, with a wrong key and without one", async () => {
      const responses = await Promise.all([null, "nonsense"].map((key) => service.call(path, { key })));
      for (const { status, text, headers } of responses) {
        expect(status).toBe(200);
        expect(text).toBe(responses[0]!.text);
        expect(text).not.toContain("secret");
        expect(headers.get("x-request-id")).not.toBeNull();
        expect(headers.has("ratelimit")).toBe(false);
      }
    });

    test("a query changes nothing", async () => {
      expect((await service.call(`${path}?x=%00&limit=abc`, {})).text).toBe(
        (await service.call(path, {})).text,
      );
    });

    test("a tag gets a 304; gzip has the same content", async () => {
      const plain = await service.call(path, {});
      const zipped = await service.raw(path, { headers: { "accept-encoding": "gzip" } });
      const isZipped = zipped.headers.get("content-encoding") === "gzip";
      const body = isZipped ? Bun.gunzipSync(zipped.body as Uint8Array<ArrayBuffer>) : zipped.body; // of `bytes()`
      expect(new TextDecoder().decode(body)).toBe(plain.text);
      const etag = plain.headers.get("etag");
      if (etag === null) {
        expect(plain.headers.get("cache-control")).toBe("no-store");
        return;
      }
      expect(zipped.headers.get("etag")).toBe(etag);
      const unchanged = await service.call(path, { headers: { "if-none-match": etag } });
      expect([unchanged.status, unchanged.text]).toEqual([304, ""]);
      expect(unchanged.headers.get("vary")).toBe(plain.headers.get("vary"));
    });
  },
);

test("pages run no foreign script and cannot be framed", async () => {
  for (const path of ["/docs", "/docs/errors"]) {
    const { headers } = await service.call(path, {});
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});
