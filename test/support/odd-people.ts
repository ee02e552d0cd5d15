// People whose data is odd, as import files: facts of all rules that fast-check makes up, zones whose clocks change, names of many
// scripts. What is imported must give the balances of the made-up facts.
import fc from "fast-check";
import type {
  BalanceFacts,
  DatedTerms,
  DayRange,
  HolidayFacts,
  PolicyRules,
  PolicyTerms,
} from "../../src/balances/facts.ts";
import { defaultOf, RULES, type Rules, wireRules } from "../../src/resources/policies.ts";
import { DAY_MS, type Day, dayOfText, formatDay } from "../../src/time/day.ts";
import { instantOf } from "../../src/time/zone.ts";
import { allFacts } from "../balances/generators.ts";
import type { Files } from "./import-files.ts";
import { randomOf } from "./random-rows.ts";

type Cells = Record<string, string | number | boolean | null>;

/** A worker with one policy or more. All balances have the same worker and worked hours. */
export interface OddPerson {
  readonly legacyId: string;
  /** In which leave was taken. */
  readonly zone: string;
  /** The worker's zone now, if it is another one: leave that names no zone may have other days. */
  readonly zoneNow?: string;
  readonly balances: readonly BalanceFacts[];
  /** One of `WORKPLACES` instead of a workplace of their own. */
  readonly workplaceNow?: string;
  /** Balances without an assignment, by number. */
  readonly unassigned?: readonly number[];
}

/** A random generator that depends on a name alone, so that other rows stay as they are when one changes. */
const randomOfName = (name: string) => randomOf(Bun.hash.crc32(name));

const ZONES = [
  ...["UTC", "Europe/Berlin", "America/Santiago", "Africa/Cairo", "Asia/Tokyo", "Pacific/Apia"],
  ...["America/St_Johns", "Australia/Lord_Howe", "Asia/Beirut", "Asia/Kathmandu", "Africa/Casablanca"],
];

/** Workplaces for several people, each with holidays on one day of the week. */
export const WORKPLACES = ["W-Mon", "W-Wed", "W-Fri"];
const HOLIDAY_WEEKS = 100;

const NAMES = [
  ...[
    "José Ángel",
    "渋谷 花子",
    "محمد بن سلمان",
    "שרה כהן",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "e\u0301\u0323 x",
    "\u202Eabc\u202C def",
    "𠮷野家",
  ],
  ...[
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "a\u2028b\u2029c",
    "İıŞş",
    "नमस्ते",
    "Ǆ ﬁ ß",
    "x".repeat(200),
    "🙂".repeat(200),
  ],
];

/** So many people; the same seed gives the same. */
export function oddPeople(count: number, seed: number): OddPerson[] {
  const random = randomOf(seed);
  const samples = fc.sample(fc.array(allFacts, { minLength: 1, maxLength: 3 }), { seed, numRuns: count });
  return samples.map((balances, at) => ({
    legacyId: `P${at}`,
    zone: ZONES[random(ZONES.length)]!,
    balances: ofOneWorker(balances),
  }));
}

/** The balances with the worker and the worked hours of the first, without what an import refuses. */
function ofOneWorker(made: readonly BalanceFacts[]): BalanceFacts[] {
  const balances = countable(made);
  const [{ worker: given, workedHours: hours }] = balances as [BalanceFacts];
  const { startDate, endDate } = given;
  const worker = { ...given, endDate: endDate === null ? null : Math.max(endDate, startDate) };
  const positive = hours.map(({ day, minutes }) => ({ day, minutes: Math.abs(minutes) }));
  const workedHours = [...new Map(positive.map((entry) => [entry.day, entry])).values()];
  const owned = (facts: BalanceFacts): BalanceFacts => {
    const { assignment, policy } = facts;
    const isPeriodic = policy.schedule === "monthly" || policy.schedule === "yearly";
    const isPlain = policy.isUnlimited || policy.rules.revalue === "remaining";
    return {
      ...facts,
      ...{ worker, workedHours },
      policy: { ...policy, rules: rulesOfFile(policy.rules), changes: policy.changes.map(changeOfFile) },
      assignment: {
        ...assignment,
        endsOn: assignment.endsOn === null ? null : Math.max(assignment.endsOn, assignment.assignedOn),
        minutesPerPeriod: isPeriodic ? assignment.minutesPerPeriod : null,
        rates: policy.isUnlimited ? [] : assignment.rates,
        grantsExpireAfterMonths: isPlain ? null : assignment.grantsExpireAfterMonths,
        carryoverKeepsMinutes: policy.isUnlimited ? null : assignment.carryoverKeepsMinutes,
      },
      movesFrom: facts.movesFrom === null ? null : owned(facts.movesFrom),
    };
  };
  return balances.map(owned);
}

const changeOfFile = (change: DatedTerms): DatedTerms => ({ ...change, rules: rulesOfFile(change.rules) });

/** Without a rule that has no effect. */
function rulesOfFile(rules: PolicyRules): PolicyRules {
  const { tiers, balanceCapTiers, carryoverLimitTiers, firstYearWholeAfterMonths } = rules;
  const byService = [tiers, balanceCapTiers, carryoverLimitTiers, firstYearWholeAfterMonths];
  const serviceCounts = byService.every((rule) => rule === null) ? "employed" : rules.serviceCounts;
  const inOrder = (list: PolicyRules["tiers"]) => list?.toSorted((a, b) => a.months - b.months) ?? null;
  return {
    ...rules,
    serviceCounts,
    tiers: inOrder(tiers),
    balanceCapTiers: inOrder(balanceCapTiers),
    carryoverLimitTiers: inOrder(carryoverLimitTiers),
  };
}

/** The facts with amounts that are not too small to count. */
function countable<T>(facts: T): T {
  return JSON.parse(JSON.stringify(facts), (_, value) => (Math.abs(value) === 1e-7 ? 0.01 : value)) as T; // facts are JSON
}

/** The rows of import files by kind. */
export type Rows = Record<string, Cells[]>;

const KINDS = [
  ...["workplaces", "holidays", "workers", "policies", "policy_changes", "assignments", "requests"],
  ...["adjustments", "work_hours", "openings", "schedules"],
];

export function rowsOf(people: readonly OddPerson[]): Rows {
  const rows: Rows = Object.fromEntries(KINDS.map((kind) => [kind, []]));
  for (const [at, legacyId] of WORKPLACES.entries()) {
    rows.workplaces!.push({ legacyId, name: legacyId, holidayCalendar: legacyId });
    for (let week = 0; week < HOLIDAY_WEEKS; week++)
      rows.holidays!.push({
        ...{ calendar: legacyId, name: "A day off", minutes: null },
        date: date(dayOfText("2019-12-02") + 2 * at + 7 * week),
      });
  }
  for (const person of people) addPerson(rows, person);
  return rows;
}

export function filesOf(rows: Rows): Files {
  return Object.fromEntries(
    Object.entries(rows).map(([kind, list]) => [
      `${kind}.jsonl`,
      list.map((row) => JSON.stringify(row)).join("\n"),
    ]),
  );
}

const date = (day: Day | null) => (day === null ? null : formatDay(day));
const ranges = (list: readonly DayRange[]) =>
  list.map(({ first, last }) => `${formatDay(first)}/${formatDay(last)}`).join("; ") || null;

function addPerson(rows: Rows, person: OddPerson): void {
  const { legacyId, zone, zoneNow = zone, balances, unassigned = [], workplaceNow } = person;
  const number = Number(legacyId.slice(1));
  const [{ worker, workedHours }] = balances as [BalanceFacts];
  const calendar = (name: string, holidays: readonly HolidayFacts[]) => {
    for (const { day, minutes } of holidays)
      rows.holidays!.push({ calendar: name, date: date(day), name: "A day off", minutes });
    return name;
  };
  rows.workplaces!.push({
    ...{ legacyId: `W-${legacyId}`, name: `Workplace of ${legacyId}` },
    holidayCalendar: worker.holidays.length === 0 ? null : calendar(`C-${legacyId}`, worker.holidays),
  });
  const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  rows.workers!.push({
    ...{ legacyId, firstName: NAMES[number % NAMES.length]!, lastName: `Nº ${number}` },
    ...{ email: `p${number}@example.com`, isBusiness: false, type: "employee", timeZone: zoneNow },
    ...{
      startDate: date(worker.startDate),
      endDate: date(worker.endDate),
      workplaceId: workplaceNow ?? `W-${legacyId}`,
    },
    workDays:
      worker.workDays === null
        ? null
        : days.filter((_, at) => ((worker.workDays! >> at) & 1) === 1).join(","),
  });
  for (const { day, minutes } of workedHours)
    rows.work_hours!.push({ workerId: legacyId, date: date(day), minutes });
  for (const [at, { startsOn, weeks, fullTimeMinutesPerWeek, holidays }] of worker.schedules.entries())
    rows.schedules!.push({
      ...{ workerId: legacyId, startsOn: date(startsOn), fullTimeMinutesPerWeek },
      minutesPerWeekday: weeks.map((week) => week.join(",")).join("; "),
      // The holidays of the workplace, of no calendar, or of another one.
      holidayCalendar: Bun.deepEquals(holidays, worker.holidays)
        ? null
        : holidays.length === 0
          ? "none"
          : calendar(`C-${legacyId}-${at}`, holidays),
    });
  for (const [at, facts] of balances.entries())
    addBalance(rows, { workerId: legacyId, policyId: `${legacyId}-${at}` }, facts, {
      zone,
      isAssigned: !unassigned.includes(at),
    });
}

function addBalance(
  rows: Rows,
  ids: { readonly workerId: string; readonly policyId: string },
  facts: BalanceFacts,
  how: { readonly zone: string; readonly isAssigned: boolean },
): void {
  const { assignment, policy, opening, movesFrom } = facts;
  const { workerId, policyId } = ids;
  const oldId = `${policyId}-old`;
  if (movesFrom !== null) addBalance(rows, { workerId, policyId: oldId }, movesFrom, how);
  const random = randomOfName(policyId);
  rows.policies!.push({
    ...{ legacyId: policyId, name: `${NAMES[random(NAMES.length)]} ${policyId}`, paid: true },
    ...{ unit: random(2) === 0 ? "hour" : "day", schedule: policy.schedule, timeOffTypeName: "Leave" },
    ...amounts(policy),
    ...wireRules(policy.rules as Rules),
  });
  let before: PolicyTerms = policy;
  for (const change of policy.changes) {
    const differing = RULES.filter(
      (rule) => JSON.stringify(change.rules[rule]) !== JSON.stringify(before.rules[rule]),
    );
    const written = wireRules(change.rules as Rules);
    const changed = {
      ...amounts(change),
      ...Object.fromEntries(
        differing.map((rule) => [
          rule,
          JSON.stringify(change.rules[rule]) === JSON.stringify(defaultOf(rule)) ? "none" : written[rule]!,
        ]),
      ),
    };
    rows.policy_changes!.push({ policyId, from: date(change.from), ...changed });
    before = change;
  }
  if (how.isAssigned)
    rows.assignments!.push({
      ...ids,
      ...{ startsOn: date(assignment.assignedOn), endsOn: date(assignment.endsOn) },
      minutesPerPeriod: assignment.minutesPerPeriod,
      ...{ serviceFrom: date(assignment.serviceFrom), pauses: ranges(assignment.pauses) },
      ...{ gaps: ranges(assignment.gaps), movesFrom: movesFrom === null ? null : oldId },
      rates: assignment.rates.map(({ from, percent }) => `${date(from)}:${percent}%`).join("; ") || null,
      grantsExpireAfterMonths: assignment.grantsExpireAfterMonths,
      carryoverKeepsMinutes: assignment.carryoverKeepsMinutes,
    });
  for (const { id, day, minutes, expiresOn = null } of facts.adjustments)
    rows.adjustments!.push({
      ...{ ...ids, legacyId: `${policyId}-${id}`, date: date(day), minutes },
      ...{ expiresOn: date(expiresOn), note: day % 9 === 0 ? "📝".repeat(4000) : null },
    });
  for (const { id, status, firstDay, lastDay, minutes, dayMinutes } of facts.requests) {
    const legacyId = `${policyId}-${id}`;
    const random = randomOfName(legacyId);
    // Days outside of the request are allowed as far as it has them in another zone.
    const isShifted = dayMinutes?.some(({ day }) => day < firstDay || day > lastDay) ?? false;
    const own = isShifted ? "UTC" : how.zone;
    const startMinute = isShifted ? 480 : random(1440);
    const endMinute = isShifted ? 960 : (firstDay === lastDay ? startMinute : 0) + 1 + random(120);
    const instant = (day: Day, minute: number) =>
      new Date(instantOf(day * DAY_MS + minute * 60_000, own)).toISOString();
    rows.requests!.push({
      ...{ legacyId, workerId, timeOffPolicyId: policyId, status },
      ...{ createdAt: "2019-01-01T00:00:00Z", requestedMinutes: minutes },
      ...{ startAt: instant(firstDay, startMinute), endAt: instant(lastDay, Math.min(endMinute, 1440)) },
      ...{ timeZone: own === how.zone && random(2) === 0 ? null : own, reason: NAMES[random(NAMES.length)]! },
      dayMinutes:
        dayMinutes === undefined
          ? null
          : dayMinutes.map(({ day, minutes }) => `${date(day)}:${minutes}`).join("; "),
    });
  }
  if (opening !== null)
    rows.openings!.push({
      ...{ ...ids, date: date(opening.day), minutes: opening.minutes },
      ...{ carriedMinutes: opening.carriedMinutes, accruedMinutes: opening.accruedMinutes },
    });
}

function amounts({ minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk }: PolicyTerms): Cells {
  return { minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk };
}
