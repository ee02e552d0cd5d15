// GET /v1/time_off/balances/{id}: 200, 400 and 404.
import { describe, expect, test } from "bun:test";
import type { PolicyRules } from "../../../../src/balances/facts.ts";
import type { BalanceExplanation } from "../../../../src/resources/balances.ts";
import { DEFAULT_RULES } from "../../../../src/resources/policies.ts";
import type { Rows } from "../../../../src/store/tables.ts";
import { dayOfText } from "../../../../src/time/day.ts";
import {
  adjustmentRow,
  assignmentRow,
  policyRow,
  requestRow,
  workerRow,
  workHoursRow,
} from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { problemOf, startService } from "../../service.ts";

function policyWith(id: string, rules: Partial<PolicyRules>, numbers: object = {}): Rows["policies"] {
  const row = policyRow(id, numbers);
  return {
    ...row,
    terms: JSON.stringify({ ...JSON.parse(row.terms), rules: { ...DEFAULT_RULES, ...rules } }),
  };
}

// The day is 2026-03-01.
const service = await startService();
const perHour = {
  schedule: "per_hour_worked",
  minutesPerPeriod: null,
  minutesPerChunk: 60,
  hoursWorkedPerChunk: 30,
};
await addCompany(service.writer, "acme", {
  workers: [
    workerRow("wrk_a", { legacyId: "E-1" }),
    workerRow("wrk_b"),
    workerRow("wrk_c"),
    workerRow("wrk_d"),
  ],
  policies: [
    policyWith("top_x", { carryoverLimitMinutes: 300, balanceCapMinutes: 1500 }),
    policyWith("top_h", {}, perHour),
    policyRow("top_u", { schedule: "unlimited", isUnlimited: true, minutesPerPeriod: null }),
  ],
  assignments: [
    assignmentRow("toa_1", "wrk_a", "top_x", "2025-12-01T00:00:00.000Z"),
    assignmentRow("toa_2", "wrk_b", "top_h", "2000-01-01T00:00:00.000Z"),
    assignmentRow("toa_3", "wrk_a", "top_u"),
    assignmentRow("toa_4", "wrk_d", "top_x", "2020-01-01T00:00:00.000Z"),
  ],
  requests: [
    requestRow("tor_1", "wrk_a", "top_x", {
      startAt: "2026-02-02T00:00:00.000Z",
      endAt: "2026-02-04T00:00:00.000Z",
      requestedMinutes: 100,
    }),
    requestRow("tor_2", "wrk_a", "top_x", { status: "pending", requestedMinutes: 200 }),
    requestRow("tor_3", "wrk_a", "top_x", { status: "denied" }),
    requestRow("tor_4", "wrk_a", "top_u", { requestedMinutes: 50 }),
  ],
  adjustments: [adjustmentRow("adj_1", "wrk_a", "top_x", { day: dayOfText("2025-12-15"), minutes: -50.5 })],
  openings: [
    {
      ...{ workerId: "wrk_d", policyId: "top_x", day: dayOfText("2026-01-31"), minutes: 900 },
      carriedMinutes: null,
      accruedMinutes: null,
    },
  ],
  work_hours: Array.from({ length: 9000 }, (_, day) =>
    workHoursRow("wrk_b", dayOfText("2000-01-01") + day, 480),
  ),
});
await addCompany(service.writer, "zenith", {});
const key = await addKey(service.writer, "acme");
const foreignKey = await addKey(service.writer, "zenith");

const ask = (id: string, query = "", asKey = key) =>
  service.call(`/v1/time_off/balances/${id}?${query}`, { key: asKey });

async function explanation(id: string, query = ""): Promise<BalanceExplanation> {
  const response = await ask(id, query);
  expect(response.status).toBe(200);
  return JSON.parse(response.text) as BalanceExplanation; // its schema was checked
}

describe("200", () => {
  test("the balance with one more key: its entries in the order in which they count", async () => {
    expect(await explanation("tob_01ax")).toEqual({
      id: "tob_01ax",
      accruedLocked: 0,
      accruedUnlocked: 1600,
      available: 1300,
      holds: 200,
      legacyWorkerId: "E-1",
      policyId: "top_x",
      used: 100,
      workerId: "wrk_a",
      openedOn: null,
      entries: [
        entry("2025-12-01", "accrual", 600, 600, "600 for 2025-12-01 to 2025-12-31"),
        entry("2025-12-15", "adjustment", -50.5, 549.5, "adjustment, as imported", "adj_1"),
        entry(
          "2026-01-01",
          "forfeit",
          -249.5,
          300,
          "the year ends with 549.5, of which 300 may be carried over",
        ),
        entry("2026-01-01", "accrual", 600, 900, "600 for 2026-01-01 to 2026-01-31"),
        entry("2026-02-01", "accrual", 600, 1500, "600 for 2026-02-01 to 2026-02-28"),
        leave("2026-02-02", "used", -100, 1400, "approved leave, 2026-02-02 to 2026-02-03", "tor_1"),
        entry(
          "2026-03-01",
          "accrual",
          100,
          1500,
          "600 for 2026-03-01 to 2026-03-31; 600 cut to 100 by the balance cap of 1500",
        ),
        leave("2026-03-02", "hold", -200, 1500, "pending leave, 2026-03-02", "tor_2"),
      ],
    });
  });

  test("the keys of an entry are in the order of the document", async () => {
    const { text } = await ask("tob_01ax", "endDate=2025-12-01");
    expect(text).toContain(
      '"entries":[{"date":"2025-12-01","kind":"accrual","minutes":600,"balance":600,"unlocksOn":"2025-12-01","sourceId":null,"detail":"600 for 2025-12-01 to 2025-12-31","detailParts":[{"code":"granted","values":{"minutes":600,"from":"2025-12-01","through":"2025-12-31"}}]}]',
    );
  });

  test("a window begins with the balance before it, and divides leave by days", async () => {
    const { entries, used } = await explanation("tob_01ax", "startDate=2026-02-03&endDate=2026-02-28");
    expect(used).toBe(50);
    expect(entries).toEqual([
      leave(
        "2026-02-03",
        "used",
        -50,
        1400,
        "approved leave, 2026-02-03: 100 × 1/2, by calendar days",
        "tor_1",
      ),
    ]);
  });

  test("how an amount came about, as codes and values", async () => {
    const { entries } = await explanation("tob_01ax", "startDate=2026-02-03&endDate=2026-03-01");
    expect(entries.map(({ detailParts }) => detailParts)).toEqual([
      [
        {
          code: "leave",
          values: { status: "approved", from: "2026-02-03", through: "2026-02-03" },
        },
        { code: "leavePart", values: { minutes: 100, parts: 1, of: 2, by: "calendarDays" } },
      ],
      [
        { code: "granted", values: { minutes: 600, from: "2026-03-01", through: "2026-03-31" } },
        { code: "balanceCap", values: { fromMinutes: 600, minutes: 100, capMinutes: 1500 } },
      ],
    ]);
  });

  test("an unlimited policy shows only leave, with a balance of 0", async () => {
    expect((await explanation("tob_01au")).entries).toEqual([
      leave("2026-03-02", "used", -50, 0, "approved leave, 2026-03-02", "tor_4"),
    ]);
  });

  test("hours worked say how they accrued", async () => {
    const { entries } = await explanation("tob_01bh", "startDate=2024-01-05&endDate=2024-01-05");
    expect(entries[0]).toMatchObject({ minutes: 16, detail: "8 hours × 60/30" });
  });

  test("an unchanged explanation is a 304", async () => {
    const { headers } = await ask("tob_01ax");
    const again = await service.call("/v1/time_off/balances/tob_01ax", {
      key,
      headers: { "if-none-match": headers.get("etag")! },
    });
    expect(again.status).toBe(304);
  });
});

describe("400", () => {
  test("unknown parameters, impossible days, and days that contradict each other", async () => {
    expect(problemOf(await ask("tob_01ax", "on=2024-01-01")).errors).toEqual([
      { parameter: "on", detail: "is not known here: known are startDate, endDate, knownOn" },
    ]);
    const { errors } = problemOf(await ask("tob_01ax", "startDate=2024-02-30&endDate=2040-01-01"));
    expect(errors!.map(({ parameter }) => parameter)).toEqual(["startDate", "endDate"]);
    expect(problemOf(await ask("tob_01ax", "startDate=2024-02-02&endDate=2024-02-01")).errors).toHaveLength(
      1,
    );
  });

  test("more than 10,000 entries: the error says to narrow the window", async () => {
    const busy = await startService();
    await addCompany(busy.writer, "acme", {
      workers: [workerRow("wrk_b", { startDate: "1990-01-01" })],
      policies: [policyWith("top_h", {}, perHour)],
      assignments: [assignmentRow("toa_2", "wrk_b", "top_h", "1990-01-01T00:00:00.000Z")],
      requests: Array.from({ length: 1001 }, (_, at) => requestRow(`tor_${at}`, "wrk_b", "top_h")),
      work_hours: Array.from({ length: 9000 }, (_, day) =>
        workHoursRow("wrk_b", dayOfText("2024-01-01") + day - 8500, 480),
      ),
    });
    const own = await addKey(busy.writer, "acme");
    const response = await busy.call("/v1/time_off/balances/tob_01bh?endDate=2030-01-01", { key: own });
    expect(problemOf(response)).toMatchObject({
      code: "invalid_parameter",
      errors: [{ parameter: "startDate", detail: "leaves 10001 entries, more than 10000: give a startDate" }],
    });
    const narrowed = await busy.call("/v1/time_off/balances/tob_01bh?startDate=2024-01-01", { key: own });
    expect(narrowed.status).toBe(200);
  });
});

describe("404", () => {
  test.each(["tob_01cx", "tob_01bx", "tob_01zz", "tob_99ax", "tob_", "wrk_a", "%FF", "tob_01a%20"])(
    "%s",
    async (id) => {
      expect(problemOf(await ask(id))).toMatchObject({
        code: "balance_not_found",
        detail: expect.stringMatching(/^No balance has this id(?:\.$|: what was sent is not a balance id)/),
      });
    },
  );

  test("a balance of another company", async () => {
    expect((await ask("tob_01ax", "", foreignKey)).status).toBe(404);
  });
});

type Kind = BalanceExplanation["entries"][number]["kind"];

function entry(
  date: string,
  kind: Kind,
  minutes: number,
  balance: number,
  detail: string,
  sourceId: string | null = null,
) {
  return { date, kind, minutes, balance, unlocksOn: date, sourceId, detail, detailParts: expect.any(Array) };
}

function leave(date: string, kind: Kind, minutes: number, balance: number, detail: string, sourceId: string) {
  return { date, kind, minutes, balance, unlocksOn: null, sourceId, detail, detailParts: expect.any(Array) };
}

describe("a balance that was taken over", () => {
  test("begins with its opening, and says so", async () => {
    const { openedOn, accruedUnlocked, entries } = await explanation("tob_01dx", "endDate=2026-02-01");
    expect([openedOn, accruedUnlocked]).toEqual(["2026-01-31", 1500]);
    expect(entries[0]).toEqual(entry("2026-01-31", "opening", 900, 900, "opening, as imported"));
    expect((await explanation("tob_01dx", "endDate=2026-01-31")).accruedUnlocked).toBe(900);
  });

  test("does not exist before the opening: a retrieval is a 400, and lists leave it out", async () => {
    const { status, text } = await ask("tob_01dx", "endDate=2026-01-30");
    const detail =
      '"2026-01-30" is before the opening of this balance on 2026-01-31: ask for 2026-01-31 or later';
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      code: "before_opening",
      errors: [{ parameter: "endDate", detail }],
    });
    const list = async (query: string) => {
      const page = await service.call(`/v1/time_off/balances?${query}`, { key });
      const { data } = JSON.parse(page.text) as { data: BalanceExplanation[] }; // their schema was checked
      return data.map(({ id }) => id);
    };
    expect(await list("endDate=2026-01-30")).not.toContain("tob_01dx");
    expect(await list("endDate=2026-01-31")).toContain("tob_01dx");
    expect(await list("endDate=2026-01-30&afterId=tob_01bh")).toEqual([]);
  });
});
