import { expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";

const plain = await startService();
const overTls = await startService({ isTls: true, corsOrigin: "https://intranet.example.com" });
for (const service of [plain, overTls]) await addCompany(service.writer, "acme", sampleFacts());

const PATHS = [
  ["/v1/workers", "GET", 200],
  ["/v1/workers", "HEAD", 200],
  ["/v1/workers?limit=0", "GET", 400],
  ["/v1/workers", "POST", 405],
  ["/v1/nothing", "GET", 404],
  ["/openapi.json", "GET", 200],
  ["/docs", "GET", 200],
  ["/healthz", "GET", 200],
] as const;

test.each(PATHS)("%s, %s: %i has nosniff, and HSTS only under our own TLS", async (path, method, status) => {
  for (const service of [plain, overTls]) {
    const key = await addKey(service.writer, "acme");
    const { headers, status: sent } = await service.raw(path, { method, key });
    expect(sent).toBe(status);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("strict-transport-security")).toBe(service === overTls ? "max-age=31536000" : null);
  }
});

test("a refused key and a preflight have them too", async () => {
  const refused = await overTls.raw("/v1/workers", { key: "nonsense" });
  const preflight = await overTls.raw("/v1/workers", { method: "OPTIONS" });
  expect([refused.status, preflight.status]).toEqual([401, 204]);
  for (const { headers } of [refused, preflight]) {
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
  }
});
