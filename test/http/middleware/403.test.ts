import { describe, expect, test } from "bun:test";
import { SCOPES } from "../../../src/resources/resource.ts";
import { WORKER_FILTERS } from "../../../src/resources/worker-filters.ts";
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

/** Filters that say in which department somebody is, and who their manager is. */
const revealing = ENDPOINTS.flatMap(({ path, contract }) =>
  contract.scope === "workers:read"
    ? []
    : WORKER_FILTERS.filter((name) => name in contract.parameters).map((name) => ({ path, name, contract })),
);

describe.each(revealing)("$path by $name", ({ path, name, contract }) => {
  test("is refused to a key that may not read workers, also after another key was answered", async () => {
    const id = name === "managerIds" ? "wrk_1" : "dpt_1";
    const asked = `${path}${path.includes("?") ? "&" : "?"}${name}=${id}`;
    const ofBoth = await addKey(service.writer, "acme");
    const restricted = await addKey(service.writer, "acme", { scopes: [contract.scope!] });
    expect((await service.call(asked, { key: restricted })).status).toBe(403);
    expect((await service.call(asked, { key: ofBoth })).status).toBe(200);
    const { code, detail } = problemOf(await service.call(asked, { key: restricted }));
    expect([code, detail]).toEqual([
      "missing_scope",
      `This API key lacks the scope workers:read, which ${name} requires.`,
    ]);
  });
});
