import { describe, expect, test } from "bun:test";
import { SCOPES } from "../../../src/resources/resource.ts";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { problemOf, startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());

/** What every key may read is in no scope. */
const scoped = ENDPOINTS.flatMap(({ name, path, contract }) =>
  contract.scope === null ? [] : [{ name, path, scope: contract.scope }],
);

describe.each(scoped)("$name", ({ path, scope }) => {
  test("a key with the scope alone is enough", async () => {
    const key = await addKey(service.writer, "acme", { scopes: [scope] });
    expect((await service.call(path, { key })).status).toBe(200);
  });

  test.each([[SCOPES.filter((one) => one !== scope)], [[]]])("%j is not", async (scopes) => {
    const key = await addKey(service.writer, "acme", { scopes });
    const responses = [path, `${path}?limit=0`, path.replace(/(wrk|top|tor)_\w+$/, "$1_absent")].map(
      (asked) => service.call(asked, { key }),
    );
    for (const response of await Promise.all(responses)) {
      expect(response.status).toBe(403);
      const { code, detail } = problemOf(response);
      expect(code).toBe("missing_scope");
      expect(detail).toContain(scope);
    }
  });

  test("a response cached for another key is not sent to a key without the scope", async () => {
    const allowed = await addKey(service.writer, "acme");
    const restricted = await addKey(service.writer, "acme", { scopes: [] });
    const { headers } = await service.call(path, { key: allowed });
    const refused = await service.call(path, {
      key: restricted,
      headers: { "if-none-match": headers.get("etag")! },
    });
    expect(refused.status).toBe(403);
    expect(refused.headers.has("etag")).toBe(false);
  });
});
