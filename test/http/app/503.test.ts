import { afterAll, describe, expect, test } from "bun:test";
import { type ReadStore, StoreRefusal, StoreUnavailable } from "../../../src/store/store.ts";
import { addCompany, addKey, openTestStore } from "../../support/fixtures.ts";
import { sampleFacts } from "../company.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { problemOf, startService } from "../service.ts";

const SECRET = "host=db.internal password=hunter2";

const real = await openTestStore();
afterAll(() => real.dispose());
await addCompany(real.writer, "acme", sampleFacts());
const key = await addKey(real.writer, "acme");

/** The real store, but for one call that fails with this. */
function failing(call: "key" | "version" | "company", error: Error): ReadStore {
  const fail = () => {
    throw error;
  };
  const broken =
    call === "company" ? () => new Proxy({}, { get: () => async () => fail() }) : async () => fail();
  return new Proxy(real.reader, {
    get(store, name) {
      if (name === call) return broken;
      const member: unknown = Reflect.get(store, name);
      return typeof member === "function" ? member.bind(store) : member;
    },
  });
}

describe.each(ENDPOINTS)("$name", ({ path }) => {
  test.each(["key", "version", "company"] as const)("the store cannot answer %s", async (call) => {
    for (const error of [new StoreUnavailable(SECRET), new StoreRefusal(SECRET)]) {
      const service = await startService({ store: failing(call, error) });
      const answer = await service.call(path, { key });
      expect(answer.status).toBe(503);
      expect(problemOf(answer).code).toBe("unavailable");
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(answer.text).not.toContain("hunter2");
    }
  });

  test.each(["key", "version", "company"] as const)(
    "a fault in %s is told to the operator alone",
    async (call) => {
      const error = new Error(SECRET);
      const service = await startService({ store: failing(call, error) });
      const answer = await service.call(path, { key });
      expect(answer.status).toBe(500);
      expect(problemOf(answer).code).toBe("internal_error");
      expect(answer.text + JSON.stringify([...answer.headers])).not.toMatch(/hunter2|Error|\.ts|at /);
      expect(service.faults.splice(0)).toEqual([error]);
    },
  );

  test("shed", async () => {
    const service = await startService({ overload: { tryAcquire: () => false, release: () => {} } });
    const answer = await service.call(path, { key });
    expect(answer.status).toBe(503);
    expect(problemOf(answer).code).toBe("overloaded");
    expect(answer.headers.get("retry-after")).toBe("1");
  });
});

test("every admitted request is released, however it ends", async () => {
  let inside = 0;
  const overload = {
    tryAcquire: () => {
      inside++;
      return true;
    },
    release: () => {
      inside--;
    },
  };
  const service = await startService({ overload });
  await addCompany(service.writer, "acme", sampleFacts());
  const own = await addKey(service.writer, "acme");
  for (const [path, call] of [
    ["/v1/workers", { key: own }],
    ["/v1/workers", {}],
    ["/v1/workers?limit=0", { key: own }],
    ["/v1/workers/wrk_absent", { key: own }],
    ["/v1/workers", { method: "POST" }],
    ["/nowhere", {}],
  ] as const) {
    await service.call(path, call);
  }
  expect(inside).toBe(0);
});
