// Hours are rounded to 0.01, and what an assistant is shown still adds up: three times 20 minutes are 1 hour.
import { expect, test } from "bun:test";
import type { CAPACITY_MINUTES } from "../../../src/resources/capacity.ts";
import type { MOVEMENTS } from "../../../src/resources/movements.ts";
import { dayOfText } from "../../../src/time/day.ts";
import { adjustmentRow, assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change, closePeriod } from "../../support/stores.ts";
import { startService } from "../service.ts";
import { connectTo } from "./assistant.ts";

const TOOLS = {
  closed_differences: {},
  time_off_movements: { from: "2026-01-01", to: "2026-01-31" },
  team_capacity: { from: "2026-01-01", to: "2026-01-31", by: "month" },
};

const leave = (day: string, status: "approved" | "pending" = "approved") =>
  requestRow(`tor_${day}`, "wrk_a", "top_a", {
    startAt: `2026-01-${day}T00:00:00.000Z`,
    endAt: `2026-01-${day}T23:00:00.000Z`,
    requestedMinutes: 20,
    status,
  });

test("parts add up to their totals, as they are shown", async () => {
  const service = await startService({ today: () => "2026-02-10" });
  await addCompany(service.writer, "acme", {
    workers: [workerRow("wrk_a", { startDate: "2025-01-01" })],
    policies: [policyRow("top_a")],
    assignments: [assignmentRow("toa_a", "wrk_a", "top_a", "2025-01-01T00:00:00.000Z")],
  });
  const [firstDay, lastDay] = [dayOfText("2026-01-01"), dayOfText("2026-01-31")];
  await closePeriod(service, "acme", "2026-01", { firstDay, lastDay });
  await change(service.writer, "acme", async (one) => {
    await one.put("requests", [leave("12"), leave("13"), leave("14"), leave("15", "pending")]);
    await one.put("adjustments", [adjustmentRow("toj_1", "wrk_a", "top_a", { day: lastDay, minutes: 0.3 })]);
  });
  const { call } = await connectTo(service.app, await addKey(service.writer, "acme"));
  const first = async <Row>(tool: keyof typeof TOOLS) => (await call(tool, TOOLS[tool])).rows[0] as Row;

  const difference = await first<Difference>("closed_differences");
  expect(difference.causes).toHaveLength(4);
  expect(sum(difference.causes.map(({ hours }) => hours))).toBe(difference.differenceHours);
  expect(sum([difference.closedHours, difference.differenceHours])).toBe(difference.nowHours);

  const { hours } = await first<{ hours: Movements }>("time_off_movements");
  const added = [hours.opening, hours.restated, hours.granted, hours.adjusted, hours.opened, hours.moved];
  const subtracted = [hours.used, hours.forfeited, hours.expired];
  expect(sum([...added, hours.revalued]) - sum(subtracted)).toBe(hours.closing);
  expect([hours.used, hours.adjusted]).toEqual([1, 0.01]);

  const { scheduled, left, ...less } = (await first<{ hours: Capacity }>("team_capacity")).hours;
  expect(sum([left, ...Object.values(less)])).toBe(scheduled);
});

type Movements = Record<(typeof MOVEMENTS)[number], number>;
type Capacity = Record<(typeof CAPACITY_MINUTES)[number], number>;

interface Difference {
  readonly closedHours: number;
  readonly nowHours: number;
  readonly differenceHours: number;
  readonly causes: readonly { readonly hours: number }[];
}

const sum = (hours: readonly number[]) =>
  Math.round(hours.reduce((total, part) => total + part, 0) * 100) / 100;
