// The company's policies: per country what its law and custom suggest, and between them every schedule and every
// rule of balances.

import type { CsvFile } from "../../csv-file.ts";

export const policyColumns = [
  "legacyId",
  "name",
  "description",
  "timeOffTypeName",
  "paid",
  "unit",
  "schedule",
  "isUnlimited",
  "minutesPerPeriod",
  "minutesPerChunk",
  "hoursWorkedPerChunk",
  "accrualTiming",
  "periodAnchor",
  "prorate",
  "waitingPeriodDays",
  "carryoverLimitMinutes",
  "balanceCapMinutes",
  "carryoverExpiresAfterMonths",
  "instalments",
  "instalmentsFrom",
  "yearStartsOn",
  "tiers",
] as const;

/** What leave a policy is for, which decides how it is used. */
export type LeaveKind = "vacation" | "sick" | "unpaid" | "parental" | "study" | "remote";

export interface Policy {
  legacyId: string;
  name: string;
  kind: LeaveKind;
  description: string | null;
  schedule: "per_hour_worked" | "monthly" | "yearly" | "unlimited";
  unit: "hour" | "day";
  minutesPerPeriod: number | null;
  minutesPerChunk: number | null;
  hoursWorkedPerChunk: number | null;
  accrualTiming: "start" | "end";
  periodAnchor: "calendar" | "anniversary";
  prorate: boolean;
  waitingPeriodDays: number;
  carryoverLimitMinutes: number | null;
  balanceCapMinutes: number | null;
  carryoverExpiresAfterMonths: number | null;
  instalments: "biweekly" | null;
  /** `YYYY-MM-DD`. */
  instalmentsFrom: string | null;
  /** `MM-DD`. */
  yearStartsOn: string;
  /** `months:minutes; …`. */
  tiers: string | null;
}

const typeNames: Record<LeaveKind, string> = {
  vacation: "Vacation",
  sick: "Sick leave",
  unpaid: "Unpaid leave",
  parental: "Parental leave",
  study: "Study leave",
  remote: "Working from home",
};

/** Minutes of a working day. */
export const dayMinutes = 480;

function policy(legacyId: string, kind: LeaveKind, name: string, differs: Partial<Policy>): Policy {
  return {
    legacyId,
    name,
    kind,
    description: null,
    schedule: "unlimited",
    unit: "hour",
    minutesPerPeriod: null,
    minutesPerChunk: null,
    hoursWorkedPerChunk: null,
    accrualTiming: "start",
    periodAnchor: "calendar",
    prorate: true,
    waitingPeriodDays: 0,
    carryoverLimitMinutes: null,
    balanceCapMinutes: null,
    carryoverExpiresAfterMonths: null,
    instalments: null,
    instalmentsFrom: null,
    yearStartsOn: "01-01",
    tiers: null,
    ...differs,
  };
}

const monthly = (daysPerYear: number) =>
  ({ schedule: "monthly", minutesPerPeriod: (daysPerYear * dayMinutes) / 12 }) as const;
const yearly = (daysPerYear: number) =>
  ({ schedule: "yearly", minutesPerPeriod: daysPerYear * dayMinutes }) as const;

const eastAsianLeave = policy("PTO-JP", "vacation", "年次有給休暇 (JP, KR)", {
  ...yearly(18),
  periodAnchor: "anniversary",
  prorate: false,
  waitingPeriodDays: 180,
  carryoverLimitMinutes: 18 * dayMinutes,
});

const annualLeave: Record<string, Policy> = {
  DE: policy("PTO-DE", "vacation", "Jahresurlaub (DE)", {
    ...yearly(28),
    carryoverLimitMinutes: 5 * dayMinutes,
    carryoverExpiresAfterMonths: 3,
    description:
      "28 days a year, posted on 1 January; up to 5 unused days move into the next year, until the end of March.",
  }),
  ES: policy("PTO-ES", "vacation", "Vacaciones (ES)", {
    ...monthly(23),
    accrualTiming: "end",
    description: "23 days a year, earned month by month and posted once the month is worked.",
  }),
  FR: policy("PTO-FR", "vacation", "Congés payés (FR)", {
    ...monthly(25),
    accrualTiming: "end",
    periodAnchor: "anniversary",
    carryoverLimitMinutes: 10 * dayMinutes,
  }),
  GB: policy("PTO-GB", "vacation", "Annual leave (UK)", {
    ...yearly(28),
    yearStartsOn: "04-01",
    carryoverLimitMinutes: 8 * dayMinutes,
    description: 'The "holiday year" runs from April.',
  }),
  US: policy("PTO-US", "vacation", "Paid time off (US)", {
    ...yearly(15),
    instalments: "biweekly",
    instalmentsFrom: "2024-01-05",
    accrualTiming: "end",
    waitingPeriodDays: 90,
    balanceCapMinutes: 22.5 * dayMinutes,
    tiers: `36:${18 * dayMinutes}; 84:${20 * dayMinutes}`,
    description:
      "15 days a year, earned with every pay period; 18 after three years of service, 20 after seven. Usable after 90 days.",
  }),
  JP: eastAsianLeave,
  KR: eastAsianLeave,
  IN: policy("PTO-IN", "vacation", "Earned leave (IN)", {
    ...yearly(18),
    accrualTiming: "end",
    carryoverLimitMinutes: 30 * dayMinutes,
    description: "Credited after the calendar year in which it was earned",
  }),
};
const internationalLeave = policy("PTO-INTL", "vacation", "Annual leave (international)", {
  ...monthly(21),
  carryoverLimitMinutes: 5 * dayMinutes,
});
const unlimitedVacation = policy("PTO-FLEX", "vacation", "Flexible vacation", {
  description: "No fixed entitlement: leave is agreed with the manager.",
});
const contractorTimeOff = policy("PTO-CTR", "vacation", "Contractor time off", {
  schedule: "per_hour_worked",
  minutesPerChunk: 60,
  hoursWorkedPerChunk: 20,
  description: "One hour for every 20 hours worked",
});
const openSickLeave = policy("SICK-OPEN", "sick", "Sick leave", { description: "As long as a doctor says" });
const yearlySickLeave = policy("SICK-10", "sick", "Sick days (10 a year)", {
  ...yearly(10),
  prorate: false,
  carryoverLimitMinutes: 0,
});
const unpaidLeave = policy("UNPAID", "unpaid", "Unpaid leave", {});
const parentalLeave = policy("PARENTAL", "parental", "Parental leave", { unit: "day" });
const studyLeave = policy("STUDY", "study", "Study leave", {
  ...yearly(5),
  unit: "day",
  periodAnchor: "anniversary",
  carryoverLimitMinutes: 0,
  waitingPeriodDays: 30,
});
/** Not being away: a kind of absence that views can leave out. */
const remoteWork = policy("WFH", "remote", "Working from home", { unit: "day" });

const limitedSickLeave = new Set(["US", "JP", "KR", "IN", "CN", "TH", "VN", "WS"]);

/** The annual leave that employees of a country have. */
export function annualLeaveOf(country: string): Policy {
  return annualLeave[country] ?? internationalLeave;
}

/** The sick leave that employees of a country have. */
export function sickLeaveOf(country: string): Policy {
  return limitedSickLeave.has(country) ? yearlySickLeave : openSickLeave;
}

export { contractorTimeOff, parentalLeave, remoteWork, studyLeave, unlimitedVacation, unpaidLeave };

const allPolicies: readonly Policy[] = [
  ...new Set(Object.values(annualLeave)),
  internationalLeave,
  unlimitedVacation,
  contractorTimeOff,
  openSickLeave,
  yearlySickLeave,
  unpaidLeave,
  parentalLeave,
  studyLeave,
  remoteWork,
];

export function writePolicies(file: CsvFile<typeof policyColumns>): void {
  for (const { kind, ...columns } of allPolicies) {
    file.write({
      ...columns,
      timeOffTypeName: typeNames[kind],
      paid: kind !== "unpaid",
      isUnlimited: columns.schedule === "unlimited",
    });
  }
}
