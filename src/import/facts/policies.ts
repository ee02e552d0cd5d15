// Policies with their rules: from a row of a file to what is stored, and back.
import { z } from "zod";
import { DEFAULT_RULES, type PolicyFacts } from "../../balances/facts.ts";
import { type Policy, SCHEDULES, UNITS } from "../../resources/policies.ts";
import type { Rows } from "../../store/tables.ts";
import { idOf } from "../resolve/identity.ts";
import * as value from "../values.ts";
import type { FileCells, NamedIdentity } from "./kind.ts";

const policyFields = z.object({
  id: idOf.policy,
  legacyId: value.legacyId,
  description: value.optionalText,
  hoursWorkedPerChunk: value.optionalAmount({ isPositive: true }),
  isUnlimited: value.booleanOr(null),
  minutesPerChunk: value.optionalAmount(),
  minutesPerPeriod: value.optionalAmount(),
  name: value.text,
  paid: value.boolean,
  schedule: value.choice(SCHEDULES),
  timeOffTypeId: idOf.timeOffType,
  timeOffTypeName: value.text,
  unit: value.choice(UNITS),
  accrualTiming: value.choiceOr(["start", "end"], "start"),
  periodAnchor: value.choiceOr(["calendar", "anniversary"], "calendar"),
  prorate: value.booleanOr(true),
  waitingPeriodDays: value.wholeOr(0),
  carryoverLimitMinutes: value.optionalAmount(),
  balanceCapMinutes: value.optionalAmount(),
});

type Fields = z.output<typeof policyFields>;

/** The numbers of a schedule: all of them are needed, and no others allowed (docs/api.md, Policy). */
const NUMBERS = {
  per_hour_worked: ["minutesPerChunk", "hoursWorkedPerChunk"],
  monthly: ["minutesPerPeriod"],
  yearly: ["minutesPerPeriod"],
  unlimited: [],
} as const satisfies Record<Fields["schedule"], readonly (keyof Fields)[]>;

const ALL_NUMBERS = ["minutesPerPeriod", "minutesPerChunk", "hoursWorkedPerChunk"] as const;

type Rule = keyof typeof DEFAULT_RULES;

/** Rules that have no meaning under a schedule: they may only stand there with their defaults. */
const MEANINGLESS = {
  per_hour_worked: ["accrualTiming", "prorate"],
  monthly: [],
  yearly: [],
  unlimited: Object.keys(DEFAULT_RULES) as Rule[], // the keys are the rules
} as const satisfies Record<Fields["schedule"], readonly Rule[]>;

export const policyRowSchema = policyFields.superRefine((policy, context) => {
  const report = (field: keyof Fields, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
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
    if (policy[rule] !== DEFAULT_RULES[rule])
      report(rule, `has no meaning under the schedule ${schedule}: leave it empty`);
  }
  if (policy.waitingPeriodDays > 36_600) report("waitingPeriodDays", "is more than a hundred years");
});

export type PolicyFact = Fields;

/** `typeId` is the time-off type's, given or minted from its name. */
export function policyRow(
  fact: PolicyFact,
  { id, legacyId }: NamedIdentity,
  typeId: string,
): Rows["policies"] {
  const isUnlimited = fact.schedule === "unlimited";
  const wire: Policy = {
    id,
    description: fact.description,
    hoursWorkedPerChunk: fact.hoursWorkedPerChunk,
    isUnlimited,
    minutesPerChunk: fact.minutesPerChunk,
    minutesPerPeriod: fact.minutesPerPeriod,
    name: fact.name,
    paid: fact.paid,
    schedule: fact.schedule,
    timeOffTypeId: typeId,
    timeOffTypeName: fact.timeOffTypeName,
    unit: fact.unit,
  };
  const terms: PolicyFacts = {
    schedule: fact.schedule,
    minutesPerPeriod: fact.minutesPerPeriod,
    minutesPerChunk: fact.minutesPerChunk,
    hoursWorkedPerChunk: fact.hoursWorkedPerChunk,
    isUnlimited,
    rules: {
      accrualTiming: fact.accrualTiming,
      periodAnchor: fact.periodAnchor,
      prorate: fact.prorate,
      waitingPeriodDays: fact.waitingPeriodDays,
      carryoverLimitMinutes: fact.carryoverLimitMinutes,
      balanceCapMinutes: fact.balanceCapMinutes,
    },
  };
  return { id, legacyId, doc: JSON.stringify(wire), terms: JSON.stringify(terms) };
}

export function policyCells(row: Rows["policies"]): FileCells {
  const wire = JSON.parse(row.doc) as Policy; // what policyRow wrote
  const { rules } = JSON.parse(row.terms) as PolicyFacts; // likewise
  return { ...wire, ...rules, legacyId: row.legacyId };
}
