import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { problemOf, startService } from "../../service.ts";

// The day is 2026-03-01.
const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

const ask = (query: string) => service.call(`/v1/time_off/balances?${query}`, { key });

async function refusedAt(query: string) {
  const response = await ask(query);
  expect(response.status).toBe(400);
  return problemOf(response).errors!;
}

describe.each(["startDate", "endDate"])("%s", (parameter) => {
  test.each([
    "",
    "2026-02-30",
    "2025-02-29",
    "2026-3-1",
    "03/04/2026",
    "tomorrow",
    "2026-03-01T00:00:00",
    "2026-03-01T23:59:60Z",
    "0000-01-01T00:00:00%2B01:00",
    "9999-12-31T23:59:59-01:00",
    "10000-01-01",
  ])("%s is no day", async (value) => {
    const [error, ...others] = await refusedAt(`${parameter}=${value}`);
    expect(others).toEqual([]);
    expect(error!.parameter).toBe(parameter);
    expect(error!.detail).toContain("is not a real day: write YYYY-MM-DD");
    expect(error!.detail).not.toContain("%2B");
  });

  test("an offset with an unescaped plus says what to write", async () => {
    const [error] = await refusedAt(`${parameter}=2026-03-01T09:00:00+02:00`);
    expect(error!.detail).toContain("%2B");
  });

  test("twice", async () => {
    const pair = `${parameter}=2026-01-01`;
    expect(await refusedAt(`${pair}&${pair}`)).toEqual([
      { parameter, detail: "is given more than once: give it once" },
    ]);
  });
});

test.each([
  ["startDate=2026-03-02&endDate=2026-03-01", ["startDate"]],
  ["endDate=2026-03-01&startDate=2026-03-02", ["startDate"]],
  ["startDate=2026-03-01T00:00:00Z&endDate=2026-03-01T00:30:00%2B01:00", ["startDate"]],
  ["endDate=2036-03-02", ["endDate"]],
  ["endDate=9999-12-31", ["endDate"]],
  ["endDate=2036-03-01T23:30:00-01:00", ["endDate"]],
  ["startDate=2040-01-01&endDate=2039-01-01", ["endDate", "startDate"]],
])("%s", async (query, parameters) => {
  expect((await refusedAt(query)).map(({ parameter }) => parameter).sort()).toEqual(parameters);
});

test.each([
  "startDate=2026-03-01&endDate=2026-03-01",
  "endDate=2036-03-01",
  "endDate=2036-03-02T00:30:00%2B01:00",
  "startDate=0000-01-01",
  "endDate=0000-01-01",
  "startDate=1900-01-01T00:00:00Z&endDate=2026-03-01T23:59:59.999999999Z",
])("%s is right", async (query) => {
  expect((await ask(query)).status).toBe(200);
});

test("a start after the end is reported together with every other error", async () => {
  const errors = await refusedAt("limit=0&startDate=2026-03-02&endDate=2026-03-01&workerIds=x&nonsense=1");
  expect(errors.map(({ parameter }) => parameter).sort()).toEqual([
    "limit",
    "nonsense",
    "startDate",
    "workerIds",
  ]);
  const far = await refusedAt("limit=0&startDate=2026-02-30&endDate=2040-01-01");
  expect(far.map(({ parameter }) => parameter).sort()).toEqual(["endDate", "limit", "startDate"]);
});

test("the last allowed day is ten years from today, also over a leap day", async () => {
  const leap = await startService({ today: () => "2028-02-29" });
  await addCompany(leap.writer, "acme", sampleFacts());
  const leapKey = await addKey(leap.writer, "acme");
  const at = (day: string) => leap.call(`/v1/time_off/balances?endDate=${day}`, { key: leapKey });
  expect((await at("2038-02-28")).status).toBe(200);
  expect((await at("2038-03-01")).status).toBe(400);
});

test("a cut id of a kind that positions balances is not said to be of another kind", async () => {
  const details = await Promise.all(["wrk_", "top_annual"].map((id) => refusedAt(`afterId=${id}`)));
  expect(details.map(([error]) => error!.detail.includes("do not position"))).toEqual([false, true]);
});
