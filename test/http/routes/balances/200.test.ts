import { describe, expect, test } from "bun:test";
import { dayOfText } from "../../../../src/time/day.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { idsOf, listOf, startService } from "../../service.ts";

// The day is 2026-03-01: three monthly grants of 600 minutes have been posted.
const service = await startService();
await addCompany(service.writer, "acme", {
  // "wrk_a-" comes before "wrk_a", "wrk_a_" after it; the lengths in the ids must not decide.
  workers: [
    workerRow("wrk_a", { legacyId: "E-1" }),
    ...["wrk_a-", "wrk_a_"].map((id) => workerRow(id)),
    workerRow("wrk_long", { managerId: "wrk_a" }),
  ],
  policies: [
    policyRow("top_x"),
    policyRow("top_y", { schedule: "unlimited", isUnlimited: true, minutesPerPeriod: null }),
  ],
  assignments: [
    assignmentRow("toa_9", "wrk_a", "top_x"),
    assignmentRow("toa_8", "wrk_a", "top_y"),
    assignmentRow("toa_7", "wrk_a-", "top_x"),
    assignmentRow("toa_6", "wrk_a_", "top_y"),
    assignmentRow("toa_5", "wrk_long", "top_x"),
  ],
  requests: [
    requestRow("past", "wrk_a", "top_x", {
      startAt: "2026-02-02T00:00:00.000Z",
      endAt: "2026-02-03T00:00:00.000Z",
      requestedMinutes: 100.1,
    }),
    requestRow("booked", "wrk_a", "top_x", { status: "pending", requestedMinutes: 200.2 }),
    requestRow("other", "wrk_a", "top_y", { requestedMinutes: 50 }),
    requestRow("denied", "wrk_a", "top_x", { status: "denied" }),
  ],
});
const key = await addKey(service.writer, "acme");

const ask = (query = "") => service.call(`/v1/time_off/balances?${query}`, { key });

const AX = "tob_01ax";
const AY = "tob_01ay";
const DASH = "tob_02a-x";
const UNDER = "tob_02a_y";
const LONG = "tob_04longx";
const ALL = [AX, AY, DASH, UNDER, LONG];

test("balances on the wire, byte by byte", async () => {
  expect((await ask("limit=2")).text).toBe(
    '{"count":2,"data":[{"id":"tob_01ax","accruedLocked":0,"accruedUnlocked":1800,"available":1499.7,"holds":200.2,' +
      '"legacyWorkerId":"E-1","policyId":"top_x","used":100.1,"workerId":"wrk_a","openedOn":null},' +
      '{"id":"tob_01ay","accruedLocked":0,"accruedUnlocked":0,"available":0,"holds":0,' +
      '"legacyWorkerId":"E-1","policyId":"top_y","used":50,"workerId":"wrk_a","openedOn":null}],"hasMore":true}',
  );
});

test("a balance has the id of its assignment, in the path and as a cursor; a removed id is not a position", async () => {
  const one = await service.call("/v1/time_off/balances/toa_9", { key });
  expect([one.status, one.text]).toEqual([
    200,
    (await service.call(`/v1/time_off/balances/${AX}`, { key })).text,
  ]);
  expect(idsOf(await ask("afterId=toa_8"))).toEqual([DASH, UNDER, LONG]);
  expect(idsOf(await ask("beforeId=toa_6"))).toEqual([AX, AY, DASH]);
  expect((await service.call("/v1/time_off/balances/toa_1", { key })).status).toBe(404);
  const gone = await ask("afterId=toa_1");
  expect([gone.status, JSON.parse(gone.text).errors]).toEqual([
    400,
    [{ parameter: "afterId", detail: expect.stringContaining('"toa_1" is the id of no assignment here') }],
  ]);
});

// docs/api.md, Lists: a cursor works if its object does not match the filters.
test("an assignment is a cursor whether it matches the filters or not", async () => {
  for (const filter of ["managerIds=wrk_a", "workerIds=wrk_long", "workerIds=wrk_long&policyIds=top_x"]) {
    expect(idsOf(await ask(`${filter}&afterId=toa_8`))).toEqual([LONG]);
    expect(idsOf(await ask(`${filter}&beforeId=toa_8`))).toEqual([]);
  }
});

// docs/api.md, Lists of values: the values of one list combine with OR.
test("a worker who is asked for several times has each balance once, also beside other filters of workers", async () => {
  const workerIds = Array.from({ length: 20 }, () => "wrk_long").join();
  for (const filter of [`workerIds=${workerIds}`, `workerIds=${workerIds}&managerIds=wrk_a`])
    expect(listOf(await ask(`${filter}&limit=2`))).toMatchObject({ data: [{ id: LONG }], hasMore: false });
});

test("an empty limit is none", async () => {
  expect((await ask("limit=&endDate=2026-03-01")).text).toBe((await ask("endDate=2026-03-01")).text);
});

test("a worker without a legacy id is named by the worker id", async () => {
  expect(listOf(await ask("workerIds=wrk_long")).data[0]).toMatchObject({ legacyWorkerId: "wrk_long" });
});

test("ordered by worker id, then policy id", async () => {
  expect(idsOf(await ask())).toEqual(ALL);
});

test.each([
  [`afterId=${AX}`, [AY, DASH, UNDER, LONG]],
  [`afterId=${AY}`, [DASH, UNDER, LONG]],
  ["afterId=tob_01az", [DASH, UNDER, LONG]],
  ["afterId=tob_01aX", ALL],
  [`beforeId=${AY}`, [AX]],
  [`beforeId=${LONG}&limit=2`, [DASH, UNDER]],
  // A worker id: after it, all of that worker's rows are passed; before it, none is.
  ["afterId=wrk_a", [DASH, UNDER, LONG]],
  ["beforeId=wrk_a", []],
  ["beforeId=wrk_a-", [AX, AY]],
  ["afterId=wrk_a-", [UNDER, LONG]],
  ["afterId=wrk_absent", [LONG]],
  ["beforeId=wrk_absent&limit=1", [UNDER]],
  ["afterId=wrk_zzz", []],
])("%s", async (query, ids) => {
  expect(idsOf(await ask(query))).toEqual(ids);
});

test.each([
  ["workerIds=wrk_a", [AX, AY]],
  ["policyIds=top_y", [AY, UNDER]],
  ["policyIds=top_y&workerIds=wrk_a-,wrk_a_", [UNDER]],
  ["workerIds=wrk_absent", []],
  ["policyIds=top_x&afterId=wrk_a&limit=1", [DASH]],
])("%s", async (query, ids) => {
  expect(idsOf(await ask(query))).toEqual(ids);
});

describe("the window of days", () => {
  const amounts = async (query: string) =>
    listOf(await ask(`workerIds=wrk_a&policyIds=top_x&${query}`)).data[0];

  test("as of a past day", async () => {
    expect(await amounts("endDate=2026-01-31")).toMatchObject({
      accruedUnlocked: 600,
      used: 0,
      holds: 0,
      available: 600,
    });
  });

  test("projected to a future day", async () => {
    expect(await amounts("endDate=2026-05-01")).toMatchObject({
      accruedUnlocked: 1800,
      accruedLocked: 1200,
      used: 100.1,
      holds: 200.2,
    });
  });

  test("within a window, both ends included", async () => {
    expect(await amounts("startDate=2026-02-01&endDate=2026-02-02")).toMatchObject({
      accruedUnlocked: 600,
      used: 100.1,
    });
    expect(await amounts("startDate=2026-02-02&endDate=2026-02-02")).toMatchObject({
      accruedUnlocked: 0,
      used: 100.1,
    });
    expect(await amounts("startDate=2026-02-03&endDate=2026-02-28")).toMatchObject({
      accruedUnlocked: 0,
      used: 0,
    });
  });

  test("a date-time stands for its day in UTC", async () => {
    const plain = await ask("endDate=2026-01-31");
    for (const spelled of [
      "2026-01-31T23:59:59.999Z",
      "2026-02-01T00:59:00%2B01:00",
      "2026-01-30T19:00:00-05:00",
    ]) {
      expect((await ask(`endDate=${spelled}`)).text).toBe(plain.text);
    }
  });

  test("today is the day that the server was given", async () => {
    const later = await startService({ today: () => "2026-04-01" });
    await addCompany(later.writer, "acme", {
      workers: [workerRow("wrk_a")],
      policies: [policyRow("top_x")],
      assignments: [assignmentRow("toa_1", "wrk_a", "top_x")],
    });
    const response = await later.call("/v1/time_off/balances", { key: await addKey(later.writer, "acme") });
    expect(listOf(response).data[0]).toMatchObject({ accruedUnlocked: 2400 });
  });
});

test("balances before their opening take no place on a page, however many there are", async () => {
  const ids = Array.from({ length: 260 }, (_, at) => `wrk_${String(at).padStart(3, "0")}`);
  const OPENED = ["wrk_003", "wrk_120", "wrk_121", "wrk_240"];
  await addCompany(service.writer, "taken-over", {
    workers: ids.map((id) => workerRow(id)),
    policies: [policyRow("top_x")],
    assignments: ids.map((id) => assignmentRow(`toa_${id}`, id, "top_x")),
    openings: ids.map((workerId) => ({
      ...{ workerId, policyId: "top_x", minutes: 600, carriedMinutes: null, accruedMinutes: null },
      day: dayOfText(OPENED.includes(workerId) ? "2026-01-31" : "2026-12-31"),
    })),
  });
  const theirs = await addKey(service.writer, "taken-over");
  const page = async (query: string) => {
    const path = `/v1/time_off/balances?${query}`;
    const { data, hasMore } = listOf(await service.call(path, { key: theirs }));
    return { ids: data.map(({ workerId }) => String(workerId)), hasMore };
  };
  for (const filter of ["", "&policyIds=top_x", `&workerIds=${ids.slice(0, 200).join(",")}`]) {
    const all = filter.includes("workerIds") ? OPENED.slice(0, 3) : OPENED;
    for (let limit = 1; limit <= all.length; limit++) {
      for (let at = 0; at < all.length; at += limit) {
        const shown = { ids: all.slice(at, at + limit), hasMore: at + limit < all.length };
        const after = at === 0 ? "" : `&afterId=${all[at - 1]}`;
        expect([filter, await page(`limit=${limit}${after}${filter}`)]).toEqual([filter, shown]);
      }
      const last = { ids: all.slice(-limit), hasMore: limit < all.length };
      expect([filter, await page(`limit=${limit}&beforeId=wrk_999${filter}`)]).toEqual([filter, last]);
    }
  }
  expect(await page("limit=2&endDate=2026-01-30")).toEqual({ ids: [], hasMore: false });
});

// docs/api.md, Lists: a worker id stands for all rows of that worker, and `hasMore` says whether anything follows.
test("a page that begins at a worker with many balances is full", async () => {
  const others = Array.from({ length: 102 }, (_, at) => `wrk_5${at}`);
  const policies = ["top_a", "top_b", "top_c", "top_d"];
  await addCompany(service.writer, "many", {
    workers: ["wrk_0", ...others, "wrk_9"].map((id) => workerRow(id)),
    policies: policies.map((id) => policyRow(id)),
    assignments: [
      ...others.map((id) => assignmentRow(`toa_${id}`, id, "top_a")),
      ...["wrk_0", "wrk_9"].flatMap((id) =>
        policies.map((policyId) => assignmentRow(`toa_${id}${policyId}`, id, policyId)),
      ),
    ],
  });
  const theirs = await addKey(service.writer, "many");
  for (const limit of [1, 24, 25, 99, 100])
    for (const cursor of ["afterId=wrk_0", "beforeId=wrk_9"]) {
      const path = `/v1/time_off/balances?limit=${limit}&${cursor}`;
      const { count, hasMore } = listOf(await service.call(path, { key: theirs }));
      expect([path, count, hasMore]).toEqual([path, limit, true]);
    }
});
