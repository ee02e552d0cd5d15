import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { problemOf, startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");
const open = await startService({ corsOrigin: "https://intranet.example.com" });

const METHODS = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "LOCK", "QUERY"];

const PATHS = [...ENDPOINTS.map(({ path }) => path), "/docs", "/healthz", "/openapi.json"];

describe.each(PATHS)("%s", (path) => {
  test.each(METHODS)("%s", async (method) => {
    for (const call of [{ method }, { method, key }, { method, key: "nonsense" }]) {
      const response = await service.call(path, call);
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("GET, HEAD");
      const { code, detail } = problemOf(response);
      expect(code).toBe("method_not_allowed");
      expect(detail).toContain(method);
    }
  });

  test("where an origin may call, OPTIONS is allowed as well", async () => {
    const response = await open.call(path, { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });
});
