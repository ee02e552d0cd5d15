// What a response may cost, in counts, which do not depend on the machine: statements, reads of files, copies of bytes, and
// objects for Bun to allocate and to collect. Limits are a quarter above what it was when they were set.
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Cost, Measure } from "./count.ts";

let costs: Record<Measure, Cost>;

beforeAll(async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "count.ts")], {
    env: { ...process.env, ROLLCALL_TEST_ENGINE: "sqlite", BUN_JSC_useGC: "0" },
    stdout: "pipe",
  });
  costs = JSON.parse(await new Response(child.stdout).text());
}, 120_000);

test.each(["hot", "revalidated"] as const)(
  "a cached response (%s) reads nothing and copies nothing",
  (name) => {
    const { statements, buffers, objects } = costs[name];
    expect([statements, buffers]).toEqual([0, 0]);
    expect(objects).toBeWithin(20, 110); // ten are of steps that requests share with messages, feeds and streams
  },
);

/** What is read in one snapshot has a transaction around it. */
const TRANSACTION = 2;

test("a page takes one statement, and one copy of the whole", () => {
  expect(costs["page of 25"]).toMatchObject({ statements: 1 + TRANSACTION, buffers: 1 });
  expect(costs["page of 25"].objects).toBeWithin(100, 440);
});

// Its text and its id are two of them.
test("a further row costs three objects more", () => {
  expect((costs["page of 100"].objects - costs["page of 25"].objects) / 75).toBeWithin(1, 4);
  expect(costs["page of 100"]).toMatchObject({ statements: 1 + TRANSACTION, buffers: 1 });
});

test("a page costs the same in a company of ten times the size", () => {
  const [few, many] = [costs["page of 25"], costs["page of many"]];
  expect([many.statements, many.buffers]).toEqual([few.statements, few.buffers]);
  expect(many.objects / few.objects).toBeWithin(0.95, 1.05);
});

test("a single object takes one statement and one copy", () => {
  expect(costs.worker).toMatchObject({ statements: 1 + TRANSACTION, buffers: 1 });
  expect(costs.worker.objects).toBeWithin(50, 300); // one is cached at once; 29 are of its computation, which ends when its caller has gone
});

test("25 balances take six statements", () => {
  expect(costs.balances.statements).toBe(6 + TRANSACTION);
  expect(costs.balances.objects).toBeWithin(500, 5500);
});

test("who is away for a week takes one statement", () => {
  expect(costs.away).toMatchObject({ statements: 1 + TRANSACTION, buffers: 1 });
  expect(costs.away.objects).toBeWithin(200, 600);
});

test("a manager of 4,000 people costs at most three times a key, and nothing more for what is cached or refused", () => {
  const ratio = (name: Measure, ofKey: Measure) => costs[name].objects / costs[ofKey].objects;
  expect(costs["manager, hot"].statements).toBe(0);
  expect(costs["manager, bad query"].statements).toBe(0);
  expect(ratio("manager, hot", "hot")).toBeWithin(0.5, 1.5);
  expect(ratio("manager, bad query", "bad query")).toBeWithin(0.5, 1.5);
  expect(ratio("manager, page of many", "page of many")).toBeWithin(0.5, 3);
  expect(ratio("manager, balances", "balances")).toBeWithin(0.5, 3);
  expect(costs["manager, balances"].statements).toBeWithin(6, 15);
});

test("few reads of the file learn that nothing has changed", () => {
  for (const { readCalls } of Object.values(costs))
    if (readCalls !== null) expect(readCalls).toBeWithin(0, 4);
});
