import { expect, test } from "bun:test";
import { ok, page, scripted } from "./stub.ts";

test("iteration reads every page, at the largest limit, with the same filters", async () => {
  const { rollcall, asked } = scripted([page(["a", "b"], true), page(["c"], false)]);
  const seen: string[] = [];
  for await (const worker of rollcall.workers.list({ statuses: ["active", "onboarding"] }))
    seen.push(worker.id);
  expect(seen).toEqual(["a", "b", "c"]);
  expect(asked.map(({ url }) => url)).toEqual([
    "/v1/workers?statuses=active,onboarding&limit=100",
    "/v1/workers?statuses=active,onboarding&limit=100&afterId=b",
  ]);
});

test("iteration requests a page only when it is read", async () => {
  const { rollcall, asked } = scripted([page(["a", "b"], true)]);
  for await (const _ of rollcall.workers.list()) break;
  expect(asked).toHaveLength(1);
});

test("a page turns forward and backward with its own size", async () => {
  const { rollcall, asked } = scripted([
    page(["a", "b"], true),
    page(["c", "d"], false),
    page(["a", "b"], false),
  ]);
  const first = await rollcall.policies.list().page({ limit: 2 });
  const second = await first.next();
  const back = await second?.previous();
  expect(back?.data).toEqual(first.data);
  expect(asked.slice(1).map(({ url }) => url)).toEqual([
    "/v1/time_off/policies?limit=2&afterId=b",
    "/v1/time_off/policies?limit=2&beforeId=c",
  ]);
});

test("at either end the page is null, without a request", async () => {
  const { rollcall, asked } = scripted([page(["a"], false), page(["a"], false), page([], false)]);
  const only = await rollcall.policies.list().page();
  expect(await only.next()).toBeNull();
  expect(await only.previous()).toBeNull();
  const first = await rollcall.policies.list().page({ beforeId: "b" });
  expect(await first.previous()).toBeNull();
  expect(await (await rollcall.policies.list().page({ afterId: "z" })).next()).toBeNull();
  expect(asked).toHaveLength(3);
});

test("from the first page, reached backward, the next one is the page that it was reached from", async () => {
  const { rollcall, asked } = scripted([page(["a", "b"], false), page(["c", "d"], true)]);
  const first = await rollcall.policies.list().page({ limit: 2, beforeId: "c" });
  expect((await first.next())?.data.map(({ id }) => id)).toEqual(["c", "d"]);
  expect(asked[1]?.url).toBe("/v1/time_off/policies?limit=2&afterId=b");
});

test("an empty list of values matches nothing, without a request", async () => {
  const { rollcall, asked } = scripted([]);
  expect(await rollcall.requests.list({ workerIds: [] }).toArray()).toEqual([]);
  expect(asked).toHaveLength(0);
});

test("dates become instants where instants are asked for, and UTC days where days are", async () => {
  const { rollcall, asked } = scripted([page([], false), page([], false), page([], false)]);
  const date = new Date("2026-03-01T23:30:00+02:00");
  await rollcall.requests.list({ startsBefore: date, endsOnOrAfter: "2026-02-01" }).page();
  await rollcall.balances.list({ startDate: "2026-01-01", endDate: date }).page();
  expect(asked[0]?.url).toBe(
    "/v1/time_off/requests?startsBefore=2026-03-01T21%3A30%3A00.000Z&endsOnOrAfter=2026-02-01",
  );
  expect(asked[1]?.url).toBe("/v1/time_off/balances?startDate=2026-01-01&endDate=2026-03-01");
  await rollcall.movements.list({ from: new Date("2026-02-01"), to: date }).page();
  expect(asked[2]?.url).toBe("/v1/time_off/movements?from=2026-02-01&to=2026-03-01");
});

test("a misspelt filter reaches the server, which refuses it, instead of returning everybody", async () => {
  const { rollcall, asked } = scripted([page([], false)]);
  const misspelt = { status: ["active"] } as { statuses?: [] }; // what untyped code could write
  await rollcall.workers.list(misspelt).page();
  expect(asked[0]?.url).toBe("/v1/workers?status=active");
});

test("an id is one path segment, whatever it holds", async () => {
  const { rollcall, asked } = scripted([ok({ id: "x" })]);
  await rollcall.workers.retrieve("wrk_a/../?b");
  expect(asked[0]?.url).toBe("/v1/workers/wrk_a%2F..%2F%3Fb");
  expect(asked[0]?.headers.get("x-api-key")).toBe("rk_test");
});

const lines = (chunks: readonly string[]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    }),
    { headers: { "content-type": "application/x-ndjson" } },
  );

test("a stream gives every object as it arrives, wherever the chunks end", async () => {
  const { rollcall, asked } = scripted([lines(['{"id":"wrk_a"}\n{"id":', '"wrk_é"}\n', '{"id":"wrk_c"}\n'])]);
  const ids: string[] = [];
  for await (const { id } of rollcall.workers.list({ statuses: ["active"] }).stream()) ids.push(id);
  expect(ids).toEqual(["wrk_a", "wrk_é", "wrk_c"]);
  expect(asked.map(({ url, headers }) => [url, headers.get("accept")])).toEqual([
    ["/v1/workers?statuses=active", "application/x-ndjson"],
  ]);
});

test("a stream that breaks raises an error: nothing is silently short", async () => {
  const broken = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":"wrk_a"}\n'));
      controller.error(new Error("reset"));
    },
  });
  const response = new Response(broken, { headers: { "content-type": "application/x-ndjson" } });
  const { rollcall } = scripted([response]);
  const read = async () => {
    for await (const _ of rollcall.workers.list().stream());
  };
  await expect(read()).rejects.toMatchObject({ code: "network_error" });
});

test("a server that does not stream is an error of its own", async () => {
  const { rollcall } = scripted([page(["wrk_a"], false)]);
  await expect(rollcall.workers.list().stream().next()).rejects.toMatchObject({ code: "unexpected_answer" });
});
