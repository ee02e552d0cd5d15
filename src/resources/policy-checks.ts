// What is wrong with a policy whose fields are valid one by one: numbers and rules that contradict each other, or are out of range
// (docs/balances.md, Refused).
import type { AssignmentImportRow } from "./assignments.ts";
import { defaultOf, type PolicyImportRow, RULES, type Rules, type StoredPolicyTerms } from "./policies.ts";
import type { Report } from "./resource.ts";

type Check = (policy: PolicyImportRow, report: Report<PolicyImportRow>) => void;

/** The numbers of a schedule: all of them are needed, and no others allowed (docs/api.md, Resources, Policy). */
const NUMBERS = {
  per_hour_worked: ["minutesPerChunk", "hoursWorkedPerChunk"],
  monthly: ["minutesPerPeriod"],
  yearly: ["minutesPerPeriod"],
  unlimited: [],
} as const satisfies Record<PolicyImportRow["schedule"], readonly (keyof PolicyImportRow)[]>;

const ALL_NUMBERS = ["minutesPerPeriod", "minutesPerChunk", "hoursWorkedPerChunk"] as const;

const OF_PERIODS = [
  ...(["accrualTiming", "prorate", "prorateBy", "tiers", "tierFrom"] as const),
  ...(["roundSumToMinutes", "roundSum", "roundSumOn", "scaleWith", "revalue"] as const),
];
const OF_YEARS = ["instalments", "instalmentsFrom", "firstYearWholeAfterMonths"] as const;
const OF_HOURS = ["payPeriods", "payPeriodsFrom"] as const;

/** Rules that have no meaning under a schedule: they may only have their defaults there. */
const MEANINGLESS = {
  per_hour_worked: [...OF_PERIODS, ...OF_YEARS],
  monthly: [...OF_YEARS, ...OF_HOURS],
  yearly: OF_HOURS,
  unlimited: RULES,
} as const satisfies Record<PolicyImportRow["schedule"], readonly (keyof Rules)[]>;

/** What is wrong with fields that are valid one by one. */
export function checkPolicy(policy: PolicyImportRow, report: Report<PolicyImportRow>): void {
  const { schedule } = policy;
  const numbers: readonly string[] = NUMBERS[schedule];
  for (const field of ALL_NUMBERS) {
    const isWanted = numbers.includes(field);
    if (isWanted && policy[field] === null) report(field, `is missing: the schedule ${schedule} needs it`);
    if (!isWanted && policy[field] !== null)
      report(field, `contradicts the schedule ${schedule}: leave it empty`);
  }
  if (policy.isUnlimited !== null && policy.isUnlimited !== (schedule === "unlimited")) {
    report(
      "isUnlimited",
      `contradicts the schedule ${schedule}: it is true exactly for the schedule unlimited`,
    );
  }
  for (const rule of MEANINGLESS[schedule]) {
    if (policy[rule] !== defaultOf(rule))
      report(rule, `has no meaning under the schedule ${schedule}: leave it empty`);
  }
  checkRules(policy, report);
}

/** What is wrong with rules, whatever the schedule. */
const checkRules: Check = (policy, report) => {
  for (const check of [checkPeriods, checkTiers, checkRounding, checkCarryover, checkShares])
    check(policy, report);
  if (policy.waitingPeriodDays > 36_600) report("waitingPeriodDays", "is more than a hundred years");
};

const checkPeriods: Check = (policy, report) => {
  const { schedule, instalments, payPeriods, prorateBy, firstYearWholeAfterMonths } = policy;
  checkFirstDay("instalmentsFrom", instalments, schedule === "yearly", policy, report);
  checkFirstDay("payPeriodsFrom", payPeriods, schedule === "per_hour_worked", policy, report);
  if (policy.periodAnchor === "anniversary" && policy.yearStartsOn !== "01-01")
    report("yearStartsOn", "contradicts periodAnchor anniversary: the year starts on the anniversary");
  if (prorateBy !== "days" && instalments !== null)
    report("prorateBy", "has no meaning with instalments: each is prorated by its days");
  if (prorateBy !== "days" && !policy.prorate)
    report("prorateBy", "has no meaning without prorate: every period grants all of its amount");
  if (firstYearWholeAfterMonths === null) return;
  checkRange("firstYearWholeAfterMonths", 1, 11, policy, report);
  if (!policy.prorate || instalments !== null) {
    const which = policy.prorate ? "with instalments" : "without prorate";
    report("firstYearWholeAfterMonths", `has no meaning ${which}: the first year is granted in twelfths`);
  }
};

/** Periods of whole weeks are counted from the first day of one. */
function checkFirstDay(
  field: "instalmentsFrom" | "payPeriodsFrom",
  periods: string | null,
  isForSchedule: boolean,
  policy: PolicyImportRow,
  report: Report<PolicyImportRow>,
): void {
  const name = field === "instalmentsFrom" ? "instalments" : "pay periods";
  const isByWeeks = periods === "weekly" || periods === "biweekly" || periods === "fourWeekly";
  if (isByWeeks && policy[field] === null)
    report(field, `is missing: ${periods} ${name} are counted from the first day of one`);
  if (!isByWeeks && isForSchedule && policy[field] !== null) {
    const which = periods === null ? "without weekly or biweekly" : `with ${periods}`;
    report(field, `has no meaning ${which} ${name}: leave it empty`);
  }
}

const checkTiers: Check = (policy, report) => {
  const { tierFrom, prorateBy, firstYearWholeAfterMonths } = policy;
  if (tierFrom !== "nextPeriod" && policy.tiers === null) report("tierFrom", "has no meaning without tiers");
  if (tierFrom === "sameDay" && prorateBy !== "days")
    report("tierFrom", `contradicts prorateBy ${prorateBy}: a tier on the same day is prorated by days`);
  if (tierFrom === "sameDay" && firstYearWholeAfterMonths !== null)
    report("tierFrom", "contradicts firstYearWholeAfterMonths: a tier on the same day is prorated by days");
  if (tierFrom === "sameYear" && (policy.schedule !== "yearly" || policy.instalments !== null))
    report("tierFrom", "sameYear needs the schedule yearly, without instalments");
  const { tiers, balanceCapTiers, carryoverLimitTiers } = policy;
  const countsService = [tiers, balanceCapTiers, carryoverLimitTiers, firstYearWholeAfterMonths];
  if (policy.serviceCounts !== "employed" && countsService.every((rule) => rule === null))
    report("serviceCounts", "has no meaning where nothing depends on service: leave it empty");
};

const checkRounding: Check = (policy, report) => {
  const { roundGrantsToMinutes, roundSumToMinutes, schedule, payPeriods } = policy;
  if (policy.roundGrants !== "nearest" && roundGrantsToMinutes === null)
    report("roundGrants", "has no meaning without roundGrantsToMinutes");
  if (schedule === "per_hour_worked" && roundGrantsToMinutes !== null && payPeriods === null)
    report("roundGrantsToMinutes", "needs payPeriods under the schedule per_hour_worked");
  for (const rule of ["roundSum", "roundSumOn"] as const)
    if (roundSumToMinutes === null && !["nearest", "every"].includes(policy[rule]))
      report(rule, "has no meaning without roundSumToMinutes");
  if (roundSumToMinutes !== null && roundGrantsToMinutes !== null)
    report("roundSumToMinutes", "contradicts roundGrantsToMinutes: give one of the two");
};

const checkCarryover: Check = (policy, report) => {
  const { carryoverExpiresAfterMonths: months, carryoverExpiresAfterDays: days } = policy;
  const expires = months !== null || days !== null;
  const hasLimit = policy.carryoverLimitMinutes !== null || policy.carryoverLimitTiers !== null;
  if (months !== null && days !== null)
    report("carryoverExpiresAfterDays", "contradicts carryoverExpiresAfterMonths: give one of the two");
  checkRange("carryoverExpiresAfterMonths", 1, 60, policy, report);
  checkRange("carryoverExpiresAfterDays", 1, 1826, policy, report);
  checkRange("grantsExpireAfterMonths", 1, 120, policy, report);
  if (policy.grantsExpireAfterMonths !== null && expires)
    report("grantsExpireAfterMonths", "contradicts the expiry of what was carried over: give one of the two");
  if (policy.carryoverKeepsMinutes !== null && !expires)
    report(
      "carryoverKeepsMinutes",
      "has no meaning where nothing that was carried over expires: leave it empty",
    );
  if (policy.carryoverOn !== null && !expires && !hasLimit)
    report("carryoverOn", "has no meaning without a carry-over limit or expiry: leave it empty");
};

function checkRange(
  field:
    | "carryoverExpiresAfterMonths"
    | "carryoverExpiresAfterDays"
    | "grantsExpireAfterMonths"
    | "firstYearWholeAfterMonths",
  least: number,
  most: number,
  policy: PolicyImportRow,
  report: Report<PolicyImportRow>,
): void {
  const value = policy[field];
  if (value !== null && (value < least || value > most)) report(field, `is not between ${least} and ${most}`);
}

const checkShares: Check = (policy, report) => {
  if (policy.revalue === "none") return;
  if (policy.scaleWith === "none")
    report("revalue", "has no meaning without scaleWith share: leave it empty");
  if (policy.grantsExpireAfterMonths !== null)
    report("revalue", "contradicts grantsExpireAfterMonths: each grant keeps what is left of it");
};

/** What an assignment has of its own, of what its policy says. */
export const OWN_TERMS = [
  "minutesPerPeriod",
  "rates",
  "grantsExpireAfterMonths",
  "carryoverKeepsMinutes",
] as const;

/** What is wrong with an assignment's own terms under its policy; null: nothing. */
export function ownTermProblem(
  assignment: AssignmentImportRow,
  { schedule, rules }: StoredPolicyTerms,
): { readonly field: (typeof OWN_TERMS)[number]; readonly message: string } | null {
  const isUnlimited = schedule === "unlimited";
  const needs: readonly [(typeof OWN_TERMS)[number], boolean][] = [
    ["minutesPerPeriod", isUnlimited || schedule === "per_hour_worked"],
    ["rates", isUnlimited],
    ["grantsExpireAfterMonths", isUnlimited],
    ["carryoverKeepsMinutes", isUnlimited],
  ];
  for (const [field, isMeaningless] of needs)
    if (assignment[field] !== null && isMeaningless)
      return {
        field,
        message: `has no meaning under a policy with the schedule ${schedule}: leave it empty`,
      };
  const expires = (rules.carryoverExpiresAfterMonths ?? rules.carryoverExpiresAfterDays ?? null) !== null;
  if (assignment.grantsExpireAfterMonths !== null && (expires || rules.revalue === "remaining"))
    return {
      field: "grantsExpireAfterMonths",
      message: "contradicts the policy, where what was carried over expires or is revalued: leave it empty",
    };
  if (assignment.carryoverKeepsMinutes !== null && !expires)
    return {
      field: "carryoverKeepsMinutes",
      message: "has no meaning under a policy where nothing that was carried over expires: leave it empty",
    };
  return null;
}
