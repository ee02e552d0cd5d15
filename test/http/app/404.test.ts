import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { RETRIEVALS } from "../endpoints.ts";
import { problemOf, startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

test.each([
  "/",
  "/v1",
  "/v1/",
  "/v2/workers",
  "/V1/workers",
  "/v1/Workers",
  "/v1/workers/",
  "/v1//workers",
  "//v1/workers",
  "/v1/workers/wrk_ana/",
  "/v1/workers/wrk_ana/requests",
  "/v1/workers/wrk_ana/schedule/",
  "/v1/workers//schedule",
  "/v1/workers/wrk_ana/x/schedule",
  "/v1/time_off/requests/tor_1/schedule",
  "/v1/workers;x",
  "/v1/work%65rs",
  "/v1%2Fworkers",
  "/v1/time_off",
  "/v1/time-off/policies",
  "/v1/time_off/balances/tob_03anaannual/",
  "/v1/time_off/assignments/toa_1",
  "/v1/toString",
  "/__proto__",
  `/v1/${"x".repeat(5000)}`,
])("nothing is at %s", async (path) => {
  for (const call of [{}, { key }, { key, method: "POST" }]) {
    const response = await service.call(path, call);
    expect(response.status).toBe(404);
    const problem = problemOf(response);
    expect(problem.code).toBe("unknown_path");
    expect(problem.detail.length).toBeLessThan(300);
  }
});

describe.each(RETRIEVALS)("$name", ({ at, contract, absentId, id }) => {
  const kind = id.slice(0, 4);
  test.each([
    absentId,
    id.toUpperCase(),
    `${id}x`,
    id.slice(4),
    kind,
    `${kind}a%20b`,
    `${id}%00`,
    `${id}%0A`,
    `${kind}a%2Fb`,
    `${kind}%FF`,
    `${kind}%`,
    `${kind}%zz`,
    `${kind}%ED%A0%80`,
    `${kind}é`,
    `${kind}${"x".repeat(65)}`,
    `${kind}${"x".repeat(64)}`,
    "toa_none",
    "*",
    "null",
    "constructor",
    "..%2F..%2Fetc%2Fpasswd",
    "'%20or%201=1--",
  ])("no object has the id %s", async (asked) => {
    const response = await service.call(at(asked), { key });
    expect(response.status).toBe(404);
    expect(problemOf(response).code).toBe(contract.notFound);
  });

  test("a malformed id gets another error than an unknown id", async () => {
    const details = [`${kind}`, "*", absentId].map(async (asked) => {
      const response = await service.call(at(asked), { key });
      return problemOf(response).detail.includes(": what was sent is not a");
    });
    const isOpaque = contract.idKind === "request"; // so the prefix alone is an id, too
    expect(await Promise.all(details)).toEqual([!isOpaque, true, false]);
  });

  test("a percent-encoded id is the same id", async () => {
    const response = await service.call(at(id.replace("_", "%5F")), { key });
    expect(response.status).toBe(200);
  });
});
