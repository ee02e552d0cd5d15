// What a demo needs to find in a company of 250, whatever the seed.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { dayOf, localText, type Row, readCsv } from "./read-csv.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-shape-"));
afterAll(() => rmSync(root, { recursive: true }));
const today = "2026-03-01";

describe.each([1, 2, 3, 77])("seed %i", (seed) => {
  const outDir = join(root, String(seed));
  let workers: Row[];
  let requests: Row[];
  let adjustments: Row[];

  beforeAll(async () => {
    await generateCompany({ outDir, workers: 250, seed, today });
    workers = readCsv(outDir, "workers");
    requests = readCsv(outDir, "requests");
    adjustments = readCsv(outDir, "adjustments");
  });

  test.each([
    "Latin",
    "Cyrillic",
    "Greek",
    "Arabic",
    "Hebrew",
    "Devanagari",
    "Han",
    "Hangul",
    "Thai",
    "Ethiopic",
  ])("names in %s", (script) => {
    const letter = new RegExp(`\\p{Script=${script}}`, "u");
    expect(workers.some((row) => letter.test(row.lastName!))).toBe(true);
  });

  test("names with accents, apostrophes and hyphens, and preferred names", () => {
    const full = workers.map((row) => `${row.firstName} ${row.lastName}`);
    expect(full.some((name) => /[À-ÿ]/.test(name))).toBe(true);
    expect(full.some((name) => name.includes("'"))).toBe(true);
    expect(full.some((name) => name.includes("-"))).toBe(true);
    expect(workers.filter((row) => row.preferredName !== "").length).toBeGreaterThan(10);
  });

  test("addresses with a plus and with letters beyond ASCII", () => {
    expect(workers.some((row) => row.email!.includes("+"))).toBe(true);
    expect(workers.some((row) => /[^\p{ASCII}]/u.test(row.email!))).toBe(true);
  });

  test("every status and about one contractor in eight, some of them businesses", () => {
    const statuses = new Set(workers.map((row) => row.status));
    expect([...statuses].sort()).toEqual(["active", "inactive", "offboarding", "onboarding"]);
    expect(workers.filter((row) => row.type === "contractor").length).toBeWithin(22, 40);
    expect(workers.some((row) => row.isBusiness === "true")).toBe(true);
    expect(workers.some((row) => row.type === "contractor" && row.workEmail === "")).toBe(true);
    expect(workers.some((row) => row.timeZone === "")).toBe(true);
  });

  test("zones on both sides of the date line, half-hour zones, many in all", () => {
    const zones = new Set(workers.map((row) => row.timeZone!));
    for (const zone of [
      "Pacific/Auckland",
      "Pacific/Apia",
      "Pacific/Honolulu",
      "Asia/Kolkata",
      "Africa/Cairo",
    ]) {
      expect(zones).toContain(zone);
    }
    expect(zones.size).toBeGreaterThanOrEqual(15);
  });

  test("a pyramid of positions under one chief executive", () => {
    const held = (position: RegExp) => workers.filter((row) => position.test(row.position!)).length;
    expect(held(/^Chief Executive Officer$/)).toBe(1);
    expect(held(/^(Director|VP)/)).toBeLessThan(held(/Manager|Lead/) + 5);
    expect(held(/^(Director|VP)/)).toBeLessThan(20);
  });

  test("part-days, leave across New Year, long leave, every status", () => {
    expect(requests.some((row) => Number(row.requestedMinutes) < 480)).toBe(true);
    expect(requests.some((row) => /-12-/.test(row.startAt!) && /-01-0[2-9]/.test(row.endAt!))).toBe(true);
    expect(requests.some((row) => Number(row.requestedMinutes) >= 25 * 480)).toBe(true);
    const share = (status: string, of: Row[]) => of.filter((row) => row.status === status).length / of.length;
    const past = requests.filter((row) => row.startAt! < "2026-02-01");
    const future = requests.filter((row) => row.startAt! > today);
    expect(share("approved", past)).toBeGreaterThan(0.9);
    expect(share("denied", past)).toBeWithin(0.005, 0.08);
    expect(share("pending", future)).toBeWithin(0.2, 0.65);
    expect(share("approved", future)).toBeWithin(0.3, 0.8);
  });

  test("leave that is not absence, requests that have waited for days and for weeks, and people who work part of the week", () => {
    const policies = readCsv(outDir, "policies");
    const atWork = policies.find(({ isAbsence }) => isAbsence === "false")!;
    expect(requests.some((row) => row.timeOffPolicyId === atWork.legacyId && row.startAt! > today)).toBe(
      true,
    );
    const ages = requests
      .filter((row) => row.status === "pending")
      .map((row) => dayOf(today) - dayOf(row.createdAt!));
    for (const [from, to] of [
      [0, 7],
      [8, 30],
      [31, 120],
    ] as const)
      expect(ages.some((age) => age >= from && age <= to)).toBe(true);
    const weeks = readCsv(outDir, "schedules").map((row) => row.minutesPerWeekday!.split(",").map(Number));
    expect(weeks.some((week) => week.filter((minutes) => minutes > 0).length === 4)).toBe(true);
  });

  test("nobody has asked for leave that ends on a holiday of their workplace", () => {
    const calendarOf = new Map(readCsv(outDir, "workplaces").map((row) => [row.name!, row.holidayCalendar!]));
    const holidays = new Set(readCsv(outDir, "holidays").map((row) => `${row.calendar} ${row.date}`));
    const workerOf = new Map(workers.map((row) => [row.legacyId!, row]));
    const onHoliday = requests.filter((row) => {
      const { location, timeZone } = workerOf.get(row.workerId!)!;
      const zone = row.timeZone || timeZone || "UTC";
      const last = localText(new Date(Date.parse(row.endAt!) - 60_000).toISOString(), zone).slice(0, 10);
      return holidays.has(`${calendarOf.get(location!)} ${last}`);
    });
    expect(onHoliday).toEqual([]);
  });

  test("reasons that need quoting, in several scripts, and none at all", () => {
    const reasons = requests.map((row) => row.reason!);
    for (const part of [",", '"', "\n"]) expect(reasons.some((reason) => reason.includes(part))).toBe(true);
    for (const letter of [/\p{Script=Devanagari}/u, /\p{Script=Hebrew}/u, /\p{Script=Cyrillic}/u]) {
      expect(reasons.some((reason) => letter.test(reason))).toBe(true);
    }
    expect(reasons.filter((reason) => reason === "").length / reasons.length).toBeWithin(0.4, 0.6);
  });

  test("people under tiers, biweekly instalments, a leave year from April, and expiry", () => {
    const policies = readCsv(outDir, "policies");
    const assigned = new Set(readCsv(outDir, "assignments").map((row) => row.policyId));
    const isUsed = (fits: (row: Row) => boolean) =>
      policies.some((row) => fits(row) && assigned.has(row.legacyId!));
    expect(isUsed(({ tiers }) => tiers !== "")).toBe(true);
    expect(isUsed(({ instalments }) => instalments === "biweekly")).toBe(true);
    expect(isUsed(({ yearStartsOn }) => yearStartsOn === "04-01")).toBe(true);
    expect(isUsed(({ carryoverExpiresAfterMonths }) => carryoverExpiresAfterMonths !== "")).toBe(true);
  });

  test("opening balances, and pay-outs of leavers", () => {
    expect(adjustments.filter((row) => Number(row.minutes) > 0).length).toBeGreaterThan(50);
    const leavers = new Set(workers.filter((row) => row.status === "inactive").map((row) => row.legacyId));
    const payOuts = adjustments.filter((row) => row.note?.startsWith("Paid out"));
    expect(payOuts.length).toBeGreaterThan(10);
    expect(payOuts.every((row) => leavers.has(row.workerId!) && Number(row.minutes) < 0)).toBe(true);
  });
});
