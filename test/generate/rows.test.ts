// Every row against the contract and the import files, written down here a second time on purpose.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { dayOf, localText, names, type Row, readCsv } from "./read-csv.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-rows-"));
afterAll(() => rmSync(root, { recursive: true }));

const email = /^[^@\s\p{Cc}]+@([a-z0-9-]+\.)*example\.(com|org|net)$/u;
const domains = /^(.+@)?([\p{L}\p{N}-]+\.)*example\.(com|org|net)$/u;
const date = /^(19|20|21)\d\d-\d\d-\d\d$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const legacyId = /^(?!(wrk|top|tot|tor|toa|tob)_)[A-Za-z0-9_-]{1,64}$/;

const isZone = (name: string) => {
  try {
    return /^[A-Z]/.test(name) && localText("2026-03-01T00:00:00Z", name) !== "";
  } catch {
    return false;
  }
};
const isInstant = (text: string) => instant.test(text) && new Date(text).toISOString() === text;
const isDate = (text: string) => date.test(text) && isInstant(`${text}T00:00:00.000Z`);
const orEmpty = (is: (text: string) => boolean) => (text: string) => text === "" || is(text);
const isWhole = (text: string) => /^-?\d+$/.test(text);

describe.each([
  [1, 250, "2026-03-01"],
  [5, 30, "2026-03-01"],
  [42, 600, "2024-02-29"],
  [2 ** 40 + 7, 300, "2027-12-31"],
])("seed %i, %i workers, %s", (seed, workers, today) => {
  const outDir = join(root, String(seed));
  const rows = {} as Record<(typeof names)[number], Row[]>; // filled before the tests
  let workerById: Map<string, Row>;
  let policyById: Map<string, Row>;
  let assigned: Map<string, Row>;

  beforeAll(async () => {
    await generateCompany({ outDir, workers, seed, today });
    for (const name of names) rows[name] = readCsv(outDir, name);
    workerById = new Map(rows.workers.map((row) => [row.legacyId!, row]));
    policyById = new Map(rows.policies.map((row) => [row.legacyId!, row]));
    assigned = new Map(rows.assignments.map((row) => [`${row.workerId} ${row.policyId}`, row]));
  });

  /** Every row passes every check; the first that does not is shown. */
  function check(name: (typeof names)[number], checks: Record<string, (row: Row) => boolean>): void {
    expect(rows[name].length).toBeGreaterThan(0);
    for (const [what, holds] of Object.entries(checks)) {
      const bad = rows[name].find((row) => !holds(row));
      expect({ what, bad }).toEqual({ what, bad: undefined });
    }
  }

  function unique(name: (typeof names)[number], key: (row: Row) => string): void {
    expect(new Set(rows[name].map(key)).size).toBe(rows[name].length);
  }

  test("workers", () => {
    expect(rows.workers).toHaveLength(workers);
    unique("workers", (row) => row.legacyId!);
    const workEmails = rows.workers.map((row) => row.workEmail!).filter((address) => address !== "");
    expect(new Set(workEmails.map((address) => address.toLowerCase())).size).toBe(workEmails.length);
    check("workers", {
      legacyId: (row) => legacyId.test(row.legacyId!),
      type: (row) => ["employee", "contractor"].includes(row.type!),
      business: (row) =>
        (row.isBusiness === "true") === (row.businessName !== "") && /^(true|false)$/.test(row.isBusiness!),
      "only contractors are businesses": (row) => row.isBusiness === "false" || row.type === "contractor",
      names: (row) => row.firstName !== "" && row.lastName !== "",
      email: (row) => email.test(row.email!) && domains.test(row.email!) && row.email!.length <= 254,
      workEmail: (row) => row.workEmail === "" || /^[a-z]+\.[a-z]+\d*@example\.com$/.test(row.workEmail!),
      "employees have a work address": (row) => row.type === "contractor" || row.workEmail !== "",
      startDate: (row) => isDate(row.startDate!),
      endDate: (row) =>
        orEmpty(isDate)(row.endDate!) && (row.endDate === "" || row.endDate! >= row.startDate!),
      timeZone: (row) => orEmpty(isZone)(row.timeZone!),
      "employees have a department and a location": (row) =>
        row.type === "contractor" || (row.department !== "" && row.location !== ""),
      "everybody but one reports to somebody who came before": (row) =>
        row.managerId === "" ? row.legacyId === "E00001" : row.managerId! < row.legacyId!,
      "status fits the dates": ({ status, startDate, endDate }) =>
        status === "onboarding"
          ? startDate! > today && endDate === ""
          : status === "active"
            ? startDate! <= today && endDate === ""
            : status === "offboarding"
              ? startDate! <= today && endDate! > today
              : status === "inactive" && endDate! < today && endDate !== "",
    });
  });

  test("policies", () => {
    unique("policies", (row) => row.legacyId!);
    const period = (row: Row) => row.minutesPerPeriod !== "";
    const chunks = (row: Row) => row.minutesPerChunk !== "" && row.hoursWorkedPerChunk !== "";
    check("policies", {
      legacyId: (row) => legacyId.test(row.legacyId!),
      "somebody has it": (row) => rows.assignments.some(({ policyId }) => policyId === row.legacyId),
      names: (row) => row.name !== "" && row.timeOffTypeName !== "",
      booleans: (row) =>
        [row.paid, row.isUnlimited, row.prorate].every((cell) => /^(true|false)$/.test(cell!)),
      unit: (row) => ["hour", "day"].includes(row.unit!),
      "numbers fit the schedule": (row) =>
        row.schedule === "per_hour_worked"
          ? chunks(row) && !period(row)
          : row.schedule === "unlimited"
            ? !period(row) && row.minutesPerChunk === "" && row.hoursWorkedPerChunk === ""
            : ["monthly", "yearly"].includes(row.schedule!) && period(row) && row.minutesPerChunk === "",
      isUnlimited: (row) => (row.isUnlimited === "true") === (row.schedule === "unlimited"),
      instalments: (row) =>
        row.instalments === "" ? row.instalmentsFrom === "" : isDate(row.instalmentsFrom!),
      yearStartsOn: (row) => /^\d\d-\d\d$/.test(row.yearStartsOn!),
      tiers: (row) => /^(\d+:\d+(; )?)*$/.test(row.tiers!),
      accrualTiming: (row) => ["start", "end"].includes(row.accrualTiming!),
      periodAnchor: (row) => ["calendar", "anniversary"].includes(row.periodAnchor!),
      waitingPeriodDays: (row) => /^\d+$/.test(row.waitingPeriodDays!),
      limits: (row) =>
        [row.carryoverLimitMinutes, row.balanceCapMinutes].every((cell) => /^\d*$/.test(cell!)),
    });
  });

  test("assignments", () => {
    unique("assignments", (row) => `${row.workerId} ${row.policyId}`);
    check("assignments", {
      worker: (row) => workerById.has(row.workerId!),
      policy: (row) => policyById.has(row.policyId!),
      assignedAt: (row) => isInstant(row.assignedAt!),
      "from the first day or an anniversary of it": (row) => {
        const startDate = workerById.get(row.workerId!)!.startDate!;
        const day = row.assignedAt!.slice(0, 10);
        const leapDay = startDate.endsWith("02-29") && day.endsWith("02-28");
        return day >= startDate && (day.slice(5) === startDate.slice(5) || leapDay);
      },
      endsOn: (row) =>
        row.endsOn === "" || (isDate(row.endsOn!) && row.endsOn! >= row.assignedAt!.slice(0, 10)),
    });
    for (const { legacyId } of rows.workers) {
      const own = rows.assignments.filter((row) => row.workerId === legacyId).length;
      expect(own).toBeWithin(2, 5);
    }
  });

  test("requests", () => {
    unique("requests", (row) => row.legacyId!);
    const zoneOf = (row: Row) => row.timeZone || workerById.get(row.workerId!)!.timeZone || "UTC";
    const wholeDays = (row: Row) => Number(row.requestedMinutes) % 480 === 0;
    const kind = (row: Row) => policyById.get(row.timeOffPolicyId!)!.timeOffTypeName;
    check("requests", {
      legacyId: (row) => legacyId.test(row.legacyId!),
      "the policy is assigned": (row) => assigned.has(`${row.workerId} ${row.timeOffPolicyId}`),
      instants: (row) => [row.startAt, row.endAt, row.createdAt].every((cell) => isInstant(cell!)),
      "ends after it starts": (row) => row.endAt! > row.startAt!,
      minutes: (row) => /^[1-9]\d*$/.test(row.requestedMinutes!),
      status: (row) => ["pending", "approved", "denied"].includes(row.status!),
      timeZone: (row) => orEmpty(isZone)(row.timeZone!),
      "whole days begin with the local day": (row) =>
        !wholeDays(row) || isFirstMinute(row.startAt!, zoneOf(row)),
      "whole days end with a local day": (row) => !wholeDays(row) || isFirstMinute(row.endAt!, zoneOf(row)),
      "part-days last as long as they say": (row) =>
        wholeDays(row) ||
        Date.parse(row.endAt!) - Date.parse(row.startAt!) === Number(row.requestedMinutes) * 60_000,
      "no more minutes than working time between start and end": (row) =>
        Number(row.requestedMinutes) <=
        Math.ceil((Date.parse(row.endAt!) - Date.parse(row.startAt!) + 3_600_000) / 86_400_000) * 480,
      "created by today": (row) => row.createdAt! < `${today}T00:00:00.000Z`,
      "created ahead, except for sickness": (row) =>
        kind(row) === "Sick leave" || row.createdAt! < row.startAt!,
      "sickness is reported on its first day or the next": (row) => {
        const hours = (Date.parse(row.createdAt!) - Date.parse(row.startAt!)) / 3_600_000;
        return kind(row) !== "Sick leave" || (hours > 0 && hours < 49);
      },
      "not before the first day, not after the last": (row) => {
        const worker = workerById.get(row.workerId!)!;
        const first = localText(row.startAt!, zoneOf(row)).slice(0, 10);
        const last = localText(new Date(Date.parse(row.endAt!) - 60_000).toISOString(), zoneOf(row)).slice(
          0,
          10,
        );
        return first >= worker.startDate! && (worker.endDate === "" || last <= worker.endDate!);
      },
    });
  });

  test("requests of a worker do not overlap", () => {
    let before: Row | undefined;
    for (const row of rows.requests) {
      if (before?.workerId === row.workerId && before!.timeZone === row.timeZone) {
        expect(row.startAt! >= before!.endAt!).toBe(true);
      }
      before = row;
    }
  });

  test("adjustments", () => {
    unique("adjustments", (row) => row.legacyId!);
    check("adjustments", {
      legacyId: (row) => legacyId.test(row.legacyId!),
      "the policy is assigned": (row) => assigned.has(`${row.workerId} ${row.policyId}`),
      "the policy is limited": (row) => policyById.get(row.policyId!)!.schedule !== "unlimited",
      date: (row) => isDate(row.date!) && row.date! <= today,
      minutes: (row) => isWhole(row.minutes!) && row.minutes !== "0",
    });
  });

  test("work hours", () => {
    unique("work_hours", (row) => `${row.workerId} ${row.date}`);
    check("work_hours", {
      "of contractors": (row) => workerById.get(row.workerId!)?.type === "contractor",
      date: (row) => isDate(row.date!) && row.date! < today && dayOf(today) - dayOf(row.date!) <= 366,
      minutes: (row) => isWhole(row.minutes!) && Number(row.minutes) > 0 && Number(row.minutes) <= 1440,
      "while employed": (row) => {
        const { startDate, endDate } = workerById.get(row.workerId!)!;
        return row.date! >= startDate! && (endDate === "" || row.date! <= endDate!);
      },
    });
  });
});

/** Whether a local day begins at that instant: midnight, or later where clocks skip it. */
function isFirstMinute(instantText: string, timeZone: string): boolean {
  const minuteBefore = new Date(Date.parse(instantText) - 60_000).toISOString();
  return localText(minuteBefore, timeZone).slice(0, 10) < localText(instantText, timeZone).slice(0, 10);
}
