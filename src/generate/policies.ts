// The policies of each country, and the assignments. Together, the policies use every schedule and every rule of balances.
import { addMonths, type Day, formatDay } from "../time/day.ts";
import data from "./data/policies.json";
import { isExecutive } from "./positions.ts";
import type { Random } from "./random.ts";
import type { Worker } from "./workers.ts";

const typeNames = {
  vacation: "Vacation",
  sick: "Sick leave",
  unpaid: "Unpaid leave",
  parental: "Parental leave",
  study: "Study leave",
  remote: "Working from home",
};

/** A policy's type of leave, which decides what requests it gets. */
export type LeaveKind = keyof typeof typeNames;

/** Defaults of an entry of policies.json. */
const defaults = {
  description: null as string | null,
  unit: "hour" as "hour" | "day",
  minutesPerPeriod: null as number | null,
  minutesPerChunk: null as number | null,
  hoursWorkedPerChunk: null as number | null,
  accrualTiming: "start" as "start" | "end",
  periodAnchor: "calendar" as "calendar" | "anniversary",
  prorate: true,
  waitingPeriodDays: 0,
  carryoverLimitMinutes: null as number | null,
  balanceCapMinutes: null as number | null,
  carryoverExpiresAfterMonths: null as number | null,
  instalments: null as "biweekly" | null,
  /** `YYYY-MM-DD`. */
  instalmentsFrom: null as string | null,
  /** `MM-DD`. */
  yearStartsOn: "01-01",
  /** `months:minutes; …`. */
  tiers: null as string | null,
};

export type Policy = typeof defaults & {
  legacyId: string;
  name: string;
  kind: LeaveKind;
  /** The countries whose employees have this policy; empty if it does not depend on the country. */
  countries: readonly string[];
  schedule: "per_hour_worked" | "monthly" | "yearly" | "unlimited";
};

// JSON files have no literal types; an import of the generated company checks the values.
export const policies = data.map((entry) => ({ countries: [], ...defaults, ...entry }) as Policy);

function policyOf(legacyId: string): Policy {
  return policies.find((policy) => policy.legacyId === legacyId)!;
}

/** The country's policy of this type, else the policy with the legacy id `otherwise`. */
function policyIn(country: string, kind: LeaveKind, otherwise: string): Policy {
  const own = policies.find((policy) => policy.kind === kind && policy.countries.includes(country));
  return own ?? policyOf(otherwise);
}

export function policyRow({ legacyId, name, kind, countries: _, schedule, ...rules }: Policy) {
  return {
    legacyId,
    name,
    timeOffTypeName: typeNames[kind],
    paid: kind !== "unpaid",
    isAbsence: kind !== "remote",
    isPaidOut: kind === "vacation" && schedule !== "unlimited",
    isUnlimited: schedule === "unlimited",
    schedule,
    ...rules,
  };
}

// Assignments.

export interface Assignment {
  policy: Policy;
  assignedOn: Day;
  endsOn: Day | null;
}

/** Requests reach this many years back from today. */
const HISTORY_YEARS = 3;

/** Two to four assignments; the first is the worker's vacation. */
export function assignmentsOf(worker: Worker, today: Day, random: Random): Assignment[] {
  const assignedOn = assignmentDay(worker, today);
  const endsOn = worker.status === "inactive" && random.chance(0.5) ? worker.endDay : null;
  return policiesOf(worker, random).map((policy) => ({ policy, assignedOn, endsOn }));
}

function policiesOf({ type, position, site }: Worker, random: Random): Policy[] {
  if (type === "contractor") return ["PTO-CTR", "UNPAID"].map(policyOf);
  const { country } = site;
  const isFlexible = isExecutive(position) || (country === "US" && random.chance(0.15));
  const vacation = isFlexible ? policyOf("PTO-FLEX") : policyIn(country, "vacation", "PTO-INTL");
  const others = [
    ["WFH", 0.15],
    ["PARENTAL", 0.09],
    ["STUDY", 0.06],
    ["UNPAID", 0.06],
  ] as const;
  const own = others.filter(([, share]) => random.chance(share)).map(([legacyId]) => policyOf(legacyId));
  return [vacation, policyIn(country, "sick", "SICK-OPEN"), ...own.slice(0, 2)];
}

/** The day of hire. For earlier hires, an anniversary near the beginning of the requests: they get an opening balance. */
function assignmentDay({ startDay, endDay }: Worker, today: Day): Day {
  const historyStart = addMonths(today, -12 * HISTORY_YEARS);
  if (startDay >= historyStart) return startDay;
  const years = Math.ceil((historyStart - startDay) / 365.25);
  const anniversary = addMonths(startDay, 12 * years);
  return anniversary < (endDay ?? today) ? anniversary : addMonths(startDay, 12 * (years - 1));
}

/** `assignedAt` is midnight UTC of the assignment day. `startsOn` names the day, independent of the worker's time zone. */
export function assignmentRow(worker: Worker, { policy, assignedOn, endsOn }: Assignment) {
  const startsOn = formatDay(assignedOn);
  return {
    workerId: worker.legacyId,
    policyId: policy.legacyId,
    assignedAt: `${startsOn}T00:00:00.000Z`,
    startsOn,
    endsOn: endsOn === null ? null : formatDay(endsOn),
  };
}
