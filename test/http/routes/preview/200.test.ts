// A preview of leave on the wire: what it costs, and what is wrong with what is asked.
import { expect, test } from "bun:test";
import { dayOfText } from "../../../../src/time/day.ts";
import {
  adjustmentRow,
  assignmentRow,
  holidayRow,
  policyRow,
  requestRow,
  workerRow,
  workplaceRow,
} from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { startService } from "../../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", {
  workplaces: [{ ...workplaceRow("wkp_berlin"), holidayCalendar: "Berlin" }],
  holidays: [
    holidayRow("hol_1", { date: "2026-05-01" }),
    holidayRow("hol_2", { date: "2026-05-04", minutes: 240 }),
    holidayRow("hol_3", { date: "2026-05-05", calendarId: "hca_lisbon", calendar: "Lisbon" }),
  ],
  workers: [
    workerRow("wrk_1"),
    workerRow("wrk_2"),
    workerRow("wrk_3", { primaryWorkplace: { id: "wkp_berlin", name: "Berlin", type: "office" } }),
  ],
  policies: [
    policyRow("top_a"),
    policyRow("top_o"),
    policyRow("top_u", { schedule: "unlimited", isUnlimited: true, minutesPerPeriod: null }),
  ],
  assignments: [
    assignmentRow("toa_1", "wrk_1", "top_a"),
    assignmentRow("toa_2", "wrk_1", "top_u"),
    assignmentRow("toa_3", "wrk_3", "top_a"),
    assignmentRow("toa_4", "wrk_3", "top_o"),
  ],
  openings: [
    {
      ...{ workerId: "wrk_3", policyId: "top_o", day: dayOfText("2026-02-28"), minutes: 7200 },
      ...{ carriedMinutes: null, accruedMinutes: null },
    },
  ],
  adjustments: [adjustmentRow("adj_1", "wrk_1", "top_a", { minutes: 100 })],
  requests: [requestRow("tor_1", "wrk_1", "top_a", { status: "pending" })],
} as never);
const key = await addKey(service.writer, "acme");
await addCompany(service.writer, "other", {
  workers: [workerRow("wrk_9")],
  policies: [policyRow("top_a")],
} as never);

async function previewOf(query: string) {
  const { status, body } = await service.raw(`/v1/time_off/preview?${query}`, { key });
  return { status, json: JSON.parse(new TextDecoder().decode(body)) };
}

test("what leave of two days costs, and the most that can be taken", async () => {
  const { status, json } = await previewOf(
    "workerId=wrk_1&policyId=top_a&startAt=2026-03-05&endAt=2026-03-09",
  );
  expect(status).toBe(200);
  // 600 a month since January and 100 less the pending 480.
  expect(json).toEqual({
    ...{ workerId: "wrk_1", policyId: "top_a", minutes: 1440 },
    days: ["2026-03-05", "2026-03-06", "2026-03-09"].map((date) => ({ date, minutes: 480 })),
    ...{ balanceBefore: 1420, balanceAfter: -20, mostMinutes: 1420, isCovered: false, lost: [] },
  });
});

test("the holidays of the worker's workplace take nothing, without a schedule too", async () => {
  const { json } = await previewOf("workerId=wrk_3&policyId=top_a&startAt=2026-04-30&endAt=2026-05-05");
  expect(json.days).toEqual([
    { date: "2026-04-30", minutes: 480 },
    { date: "2026-05-04", minutes: 240 },
    { date: "2026-05-05", minutes: 480 },
  ]);
});

test("leave may end 366 days after it begins", async () => {
  const asked = "workerId=wrk_1&policyId=top_a&startAt=2026-03-05&endAt=2027-03-06";
  expect((await previewOf(asked)).status).toBe(200);
});

test("leave may begin on the day after an opening", async () => {
  const { json } = await previewOf("workerId=wrk_3&policyId=top_o&startAt=2026-03-01&minutes=480");
  expect(json).toMatchObject({ balanceBefore: 7800, balanceAfter: 7320, isCovered: true }); // and March's 600
});

test("under an unlimited policy there are only the minutes that it uses", async () => {
  const { json } = await previewOf("workerId=wrk_1&policyId=top_u&startAt=2026-03-05&minutes=90");
  expect(json).toMatchObject({ minutes: 90, balanceBefore: null, balanceAfter: null, mostMinutes: null });
  expect(json.isCovered).toBe(true);
});

test("minutes have at most two decimals, as the most that can be taken has", async () => {
  const asked = "workerId=wrk_1&policyId=top_a&startAt=2026-03-05";
  const { json } = await previewOf(`${asked}&minutes=127.25`);
  expect(json).toMatchObject({ minutes: 127.25, days: [{ date: "2026-03-05", minutes: 127.25 }] });
  expect(json.balanceAfter).toBe(json.balanceBefore - 127.25);
  for (const minutes of ["127.255", "1,5", "1e3", "-1", ".5", "5."])
    expect((await previewOf(`${asked}&minutes=${minutes}`)).json.errors).toEqual([
      {
        parameter: "minutes",
        detail: `"${minutes}" is not a number of minutes: write decimal digits, at most two of them after a point, 0 to 1000000`,
      },
    ]);
  expect((await previewOf(`${asked}&minutes=1000000.01`)).json.errors[0].detail).toBe(
    '"1000000.01" is not between 0 and 1000000',
  );
});

test.each([
  ["workerId=wrk_1&policyId=top_a", "startAt"],
  ["policyId=top_a&startAt=2026-03-05", "workerId"],
  ["workerId=wrk_2&policyId=top_a&startAt=2026-03-05", "policyId"],
  ["workerId=wrk_9&policyId=top_a&startAt=2026-03-05", "policyId"],
  ["workerId=wrk_1&policyId=top_a&startAt=2026-03-05&endAt=2026-03-04", "startAt"],
  ["workerId=wrk_1&policyId=top_a&startAt=2026-03-05&endAt=2027-03-07", "endAt"],
  ["workerId=wrk_3&policyId=top_o&startAt=2026-02-28", "startAt"],
  ["workerId=wrk_1&policyId=top_a&startAt=2999-03-05", "startAt"],
  ["workerId=wrk_1&policyId=top_a&startAt=2026-03-05&endAt=2999-03-05", "endAt"],
])("%s is refused", async (query, parameter) => {
  const { status, json } = await previewOf(query);
  expect(status).toBe(400);
  expect(json.errors[0].parameter).toBe(parameter);
});
