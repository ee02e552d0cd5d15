import { afterAll, describe, expect, test } from "bun:test";
import type { AppParts } from "../../../src/http/app.ts";
import { type ReadStore, StoreRefusal, StoreUnavailable } from "../../../src/store/store.ts";
import { requestRow, sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey, change, openTestStore } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { problemOf, startService } from "../service.ts";

const SECRET = "host=db.internal password=hunter2";

const real = await openTestStore();
afterAll(() => real.dispose());
await addCompany(real.writer, "acme", sampleFacts());
const key = await addKey(real.writer, "acme");

/** The real store, except that one call fails with this error. */
function failing(call: "key" | "version" | "company", error: Error): ReadStore {
  const fail = () => {
    throw error;
  };
  const broken =
    call === "company"
      ? () => new Proxy({}, { get: (_, name) => (name === "then" ? undefined : async () => fail()) }) // a reader is no promise
      : async () => fail();
  return new Proxy(real.reader, {
    get(store, name) {
      if (name === call) return broken;
      const member: unknown = Reflect.get(store, name);
      return typeof member === "function" ? member.bind(store) : member;
    },
  });
}

describe.each(ENDPOINTS)("$name", ({ path }) => {
  test.each(["key", "version", "company"] as const)("503 if the store cannot read the %s", async (call) => {
    for (const error of [new StoreUnavailable(SECRET), new StoreRefusal(SECRET)]) {
      const service = await startService({ store: failing(call, error) }, real);
      const response = await service.call(path, { key });
      expect(response.status).toBe(503);
      expect(problemOf(response).code).toBe("unavailable");
      expect(response.headers.get("retry-after")).toBe("1");
      expect(response.text).not.toContain("hunter2");
    }
  });

  test.each(["key", "version", "company"] as const)(
    "500 for a fault in %s, which only the operator sees",
    async (call) => {
      const error = new Error(SECRET);
      const service = await startService({ store: failing(call, error) }, real);
      const response = await service.call(path, { key });
      expect(response.status).toBe(500);
      expect(problemOf(response).code).toBe("internal_error");
      expect(response.text + JSON.stringify([...response.headers])).not.toMatch(
        /hunter2|(?<!InternalServer)Error|\.ts|at /,
      );
      expect(service.faults.splice(0)).toMatchObject([{ type: "Error", message: SECRET }]);
    },
  );

  test("503 if load is shed", async () => {
    const service = await startService({ admission: { acquire: async () => null } }, real);
    const response = await service.call(path, { key });
    expect(response.status).toBe(503);
    expect(problemOf(response).code).toBe("overloaded");
    expect(response.headers.get("retry-after")).toBe("1");
  });
});

test("every admitted request is released, however it ends", async () => {
  let inside = 0;
  const admission = {
    acquire: async () => {
      inside++;
      return () => {
        inside--;
      };
    },
  };
  const service = await startService({ admission }, real);
  for (const [path, call] of [
    ["/v1/workers", { key }],
    ["/v1/workers", {}],
    ["/v1/workers?limit=0", { key }],
    ["/v1/workers/wrk_absent", { key }],
    ["/v1/workers", { method: "POST" }],
    ["/nowhere", {}],
  ] as const) {
    await service.call(path, call);
  }
  expect(inside).toBe(0);
});

test("an amount that is no number, of a damaged store: 503, and the operator is told whose balance it is", async () => {
  const seen: string[] = [];
  const observe: AppParts["observe"] = (event) => {
    if (event.kind === "unavailable") seen.push(event.error.message);
  };
  const service = await startService({ observe });
  await addCompany(service.writer, "acme", sampleFacts());
  await change(service.writer, "acme", (one) =>
    one.put("requests", [
      { ...requestRow("tor_9", "wrk_ana", "top_annual"), minutes: Number.POSITIVE_INFINITY },
    ]),
  );
  const own = await addKey(service.writer, "acme");
  const response = await service.call("/v1/time_off/balances?endDate=2036-01-01", { key: own });
  expect([response.status, problemOf(response).code]).toEqual([503, "unavailable"]);
  expect(seen.join()).toContain(
    "The balance of worker wrk_ana under policy top_annual cannot be computed: an amount in the store is no number: find it with rollcall doctor",
  );
});
