import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", {
  workers: Array.from({ length: 60 }, (_, number) => workerRow(`wrk_${number}`)),
});
const key = await addKey(service.writer, "acme");
const LARGE = "/v1/workers?limit=60";
const SMALL = "/v1/workers/wrk_0";
const plain = (await service.call(LARGE, { key })).text;

const DECODE: Record<string, (body: Uint8Array) => Uint8Array> = {
  gzip: (body) => gunzipSync(body),
  br: (body) => brotliDecompressSync(body),
  zstd: (body) => zstdDecompressSync(body),
  identity: (body) => body,
};

/** Accept-Encoding as callers send it, and what must come of it (RFC 9110, 12.5.3). */
const CASES: readonly [string, string][] = [
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["gzip, deflate", "gzip"],
  ["br", "br"],
  ["zstd", "zstd"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip;q=1.0, br;q=0.5", "gzip"],
  ["br;q=0.001", "br"],
  ["gzip;q=0", "identity"],
  ["gzip;q=0, br", "br"],
  ["*;q=0", "identity"],
  ["*", "gzip"],
  ["br;q=0.5, *", "gzip"],
  ["br, *;q=0.5", "br"],
  ["gzip;q=0, *", "identity"],
  ["identity;q=0", "identity"],
  ["gzip, identity;q=0", "gzip"],
  ["gzip;q=0.5, identity", "identity"],
  ["gzip;q=0.5, identity;q=0.5", "gzip"],
  ["gzip, *;q=0", "gzip"],
  ["deflate", "identity"],
  ["compress, x-unknown", "identity"],
  ["", "identity"],
  [",,,", "identity"],
  ["gzip;q=2", "gzip"],
  ["gzip;q=abc", "identity"],
  [`${"x,".repeat(4000)}gzip`, "gzip"],
];

describe.each(["GET", "HEAD"])("%s", (method) => {
  test.each(CASES)("%s → %s", async (accepted, encoding) => {
    const response = await service.raw(LARGE, { key, method, headers: { "accept-encoding": accepted } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-encoding")).toBe(encoding === "identity" ? null : encoding);
    expect(new TextDecoder().decode(DECODE[encoding]!(response.body))).toBe(plain);
    expect(response.headers.get("vary")!.toLowerCase()).toContain("accept-encoding");
  });
});

test("a small response is not compressed, unless the caller refuses identity", async () => {
  const small = await service.raw(SMALL, { key, headers: { "accept-encoding": "gzip" } });
  expect(small.headers.has("content-encoding")).toBe(false);
  for (const refusing of ["gzip, identity;q=0", "gzip, *;q=0"]) {
    const forced = await service.raw(SMALL, { key, headers: { "accept-encoding": refusing } });
    expect(forced.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(forced.body)).toEqual(Buffer.from(small.body));
  }
});

test("an error is never encoded", async () => {
  const response = await service.raw("/v1/workers?limit=0", { key, headers: { "accept-encoding": "gzip" } });
  expect(response.status).toBe(400);
  expect(response.headers.has("content-encoding")).toBe(false);
});

test("a response compressed for one caller is plain for the next", async () => {
  for (const accepted of ["br", "", "gzip", "zstd", "gzip", "br"]) {
    const { headers, body } = await service.raw(LARGE, { key, headers: { "accept-encoding": accepted } });
    const encoding = headers.get("content-encoding") ?? "identity";
    expect(encoding).toBe(accepted === "" ? "identity" : accepted);
    expect(new TextDecoder().decode(DECODE[encoding]!(body))).toBe(plain);
  }
});
