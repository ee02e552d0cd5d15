// The client's change feed against a real server: everything once, then what changes, for as long as one likes.
import { afterAll, beforeAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { type Change, isRollcallError, Rollcall } from "../../src/client/index.ts";
import { requestRow, workerRow } from "../support/rows.ts";
import { putFacts } from "../support/stores.ts";
import { type ClientServer, startServer, WORKERS } from "./server.ts";
import { ok, scripted, silence } from "./stub.ts";

setDefaultTimeout(120_000);

let server: ClientServer;
let rollcall: Rollcall;
beforeAll(async () => {
  server = await startServer();
  rollcall = new Rollcall({ baseUrl: server.baseUrl, apiKey: server.apiKey });
});
afterAll(() => server.stop());

/** Workers, as many assignments, a policy and a request. */
const EVERYTHING = 2 * WORKERS + 2;

const addRequest = (id: string) =>
  putFacts(server.store.writer, "acme", { requests: [requestRow(id, "wrk_0000", "top_annual")] });

test("pages send everything once, with the objects that the lists give", async () => {
  const objects: Change[] = [];
  for await (const page of rollcall.changes.pages({ limit: 100 })) {
    objects.push(...page.data);
    if (!page.hasMore) break;
  }
  expect(objects).toHaveLength(EVERYTHING);
  const workers = objects.flatMap((change) => (change.resource === "workers" ? [change.object] : []));
  expect(workers).toEqual(await rollcall.workers.list().toArray());
});

test("following from now gives each change when it happens, until it is left", async () => {
  const { position } = await rollcall.changes.page({ after: "now" });
  const seen: string[] = [];
  const followed = (async () => {
    for await (const { resource, id } of rollcall.changes.follow({ after: position })) {
      seen.push(`${resource} ${id}`);
      if (resource === "balances" && seen.includes("requests tor_last")) return;
    }
  })();
  await addRequest("tor_first");
  await addRequest("tor_last");
  await followed;
  expect(seen.filter((one) => one.startsWith("requests"))).toEqual([
    "requests tor_first",
    "requests tor_last",
  ]);
  expect(seen.at(-1)).toBe("balances wrk_0000");
});

test("only the resources that are asked for are sent", async () => {
  const resources = ["workers"] as const;
  const { position } = await rollcall.changes.page({ after: "now", resources });
  await addRequest("tor_not_sent");
  await putFacts(server.store.writer, "acme", { workers: [workerRow("wrk_new")] });
  const page = await rollcall.changes.page({ after: position, resources, wait: 1 });
  expect(page.data.map(({ id }) => id)).toEqual(["wrk_new"]);
});

test("a page waits as long as it is told, which its timeout allows for", async () => {
  const { position } = await rollcall.changes.page({ after: "now" });
  expect(await rollcall.changes.page({ after: position, wait: 1 })).toMatchObject({ count: 0, position });

  const slow = async () => {
    await Bun.sleep(150);
    return ok({ count: 0, data: [], hasMore: false, position: "p1_x", asOf: null });
  };
  const { rollcall: patient, asked } = scripted([slow, silence], { timeoutMs: 50, retries: 0 });
  expect(await patient.changes.page({ wait: 25 })).toMatchObject({ position: "p1_x" });
  expect(asked[0]?.url).toBe("/v1/changes?wait=25");
  expect(await patient.changes.page().catch((error) => error)).toMatchObject({ code: "timeout" });
});

test("without a stored position, as a program has none on its first run, a page is the first one", async () => {
  const page = ok({ count: 0, data: [], hasMore: false, position: "p1_x", asOf: null });
  const { rollcall: first, asked } = scripted([page]);
  await first.changes.page({ after: null });
  expect(asked[0]?.url).toBe("/v1/changes");
});

test("a signal of many calls keeps no listener of a call that has ended", async () => {
  const { signal } = new AbortController();
  const added = spyOn(signal, "addEventListener");
  const removed = spyOn(signal, "removeEventListener");
  for (let call = 0; call < 3; call++) await rollcall.changes.page({ after: "now", signal });
  expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([3, 3]);
});

test("a position that cannot be followed, and one that is none, have their errors", async () => {
  const elsewhere = await startServer();
  const { position } = await new Rollcall({
    baseUrl: elsewhere.baseUrl,
    apiKey: elsewhere.apiKey,
  }).changes.page({ after: "now" });
  await elsewhere.stop();
  const gone = await rollcall.changes.page({ after: position }).catch((error: unknown) => error);
  expect(isRollcallError(gone, "position_gone")).toBeTrue();
  const wrong = await rollcall.changes.page({ after: "p1_wrong" }).catch((error: unknown) => error);
  expect(isRollcallError(wrong, "invalid_parameter")).toBeTrue();
});

test("an aborted call ends at once with the signal's reason", async () => {
  const { position } = await rollcall.changes.page({ after: "now" });
  const leaving = new AbortController();
  const following = rollcall.changes.follow({ after: position, signal: leaving.signal }).next();
  leaving.abort(new Error("leaving"));
  expect(await following.catch((error: unknown) => error)).toMatchObject({ message: "leaving" });
});
