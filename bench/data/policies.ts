// The policies of a bench company: every schedule, a third of them with carry-over.
import type { Policy, PolicyRow, StoredPolicyTerms } from "../../src/resources/policies.ts";
import { bareId } from "./ids.ts";

type Schedule = Policy["schedule"];

// The schedules of twenty policies: ten monthly, six yearly, one by hours worked, three unlimited.
const SCHEDULES: readonly Schedule[] = [
  "monthly", "yearly", "monthly", "unlimited", "monthly", "yearly", "monthly", "yearly", "monthly", "per_hour_worked",
  "monthly", "yearly", "monthly", "unlimited", "monthly", "yearly", "monthly", "yearly", "monthly", "unlimited",
]; // biome-ignore format: two lines of ten

export function isByHours(index: number): boolean {
  return SCHEDULES[index % SCHEDULES.length] === "per_hour_worked";
}

export function policyRow(companyId: string, index: number): PolicyRow {
  const schedule = SCHEDULES[index % SCHEDULES.length]!;
  const id = `top_${bareId(companyId, "policy", index)}`;
  const minutesPerPeriod = schedule === "monthly" ? 800 : schedule === "yearly" ? 11_520 : null;
  const byHours = schedule === "per_hour_worked";
  const numbers = {
    schedule,
    minutesPerPeriod,
    minutesPerChunk: byHours ? 60 : null,
    hoursWorkedPerChunk: byHours ? 30 : null,
    isUnlimited: schedule === "unlimited",
  };
  const terms: StoredPolicyTerms = {
    ...numbers,
    rules: {
      accrualTiming: index % 4 === 0 ? "end" : "start",
      periodAnchor: index % 5 === 0 ? "anniversary" : "calendar",
      prorate: true,
      waitingPeriodDays: index % 6 === 0 ? 90 : 0,
      carryoverLimitMinutes: schedule !== "unlimited" && index % 3 === 0 ? 2400 : null,
      balanceCapMinutes: null,
    },
  };
  const wire: Policy = {
    id,
    description: null,
    hoursWorkedPerChunk: numbers.hoursWorkedPerChunk,
    isUnlimited: numbers.isUnlimited,
    minutesPerChunk: numbers.minutesPerChunk,
    minutesPerPeriod,
    name: `Policy ${index + 1}`,
    paid: true,
    schedule,
    timeOffTypeId: `tot_${bareId(companyId, "type", index % 5)}`,
    timeOffTypeName: `Type ${(index % 5) + 1}`,
    unit: "hour",
    legacyId: `P${index + 1}`,
    isAbsence: true,
    isPaidOut: schedule !== "unlimited",
    rules: {},
    changes: [],
  };
  const texts = { doc: JSON.stringify(wire), terms: JSON.stringify(terms) };
  return { id, legacyId: `P${index + 1}`, absence: `${wire.isAbsence}`, ...texts };
}
