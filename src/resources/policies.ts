// Time-off policies, with the rules that their balances obey.

import { z } from "zod";
import * as cell from "./cells.ts";
import { ID_PREFIX, idSchema } from "./ids.ts";
import { routePattern } from "./lists.ts";
import {
  column,
  type Fact,
  type Fields,
  type ListResource,
  type Report,
  type Row,
  type Wire,
} from "./resource.ts";

export const SCHEDULES = ["per_hour_worked", "monthly", "yearly", "unlimited"] as const;
export const UNITS = ["hour", "day"] as const;

/** The rules beside the numbers (docs/balances.md, The rules of a policy): in files, but not on the wire. */
const rules = {
  accrualTiming: { cell: cell.choiceOr(["start", "end"], "start") },
  periodAnchor: { cell: cell.choiceOr(["calendar", "anniversary"], "calendar") },
  prorate: { cell: cell.booleanOr(true) },
  waitingPeriodDays: { cell: cell.wholeOr(0) },
  carryoverLimitMinutes: { cell: cell.optionalAmount() },
  balanceCapMinutes: { cell: cell.optionalAmount() },
} satisfies Fields;

type Rules = Fact<typeof rules>;
const RULES = Object.keys(rules) as (keyof Rules)[]; // the keys of `rules`

export const policies = {
  kind: "policies",
  schemaName: "Policy",
  description: "A time-off policy: what accrues, when, and for which type of time off.",
  idKind: "policy",
  idPrefix: ID_PREFIX.policy,
  key: ["id"],
  fields: {
    id: { wire: idSchema("policy"), cell: cell.id("policy"), column: column.text("id") },
    legacyId: { cell: cell.legacyId, column: column.text("legacyId") },
    description: {
      wire: z.string().nullable().meta({ example: "30 days a year, earned month by month." }),
      cell: cell.optionalText,
    },
    hoursWorkedPerChunk: {
      wire: z.number().nullable().meta({
        description: "`per_hour_worked`: the hours worked that earn one chunk; otherwise null.",
        example: null,
      }),
      cell: cell.optionalAmount({ isPositive: true, isMinutes: false }),
    },
    isUnlimited: {
      wire: z
        .boolean()
        .meta({ description: "True exactly when the schedule is `unlimited`.", example: false }),
      cell: cell.booleanOr(null),
    },
    minutesPerChunk: {
      wire: z.number().nullable().meta({
        description: "`per_hour_worked`: the minutes that one chunk grants; otherwise null.",
        example: null,
      }),
      cell: cell.optionalAmount(),
    },
    minutesPerPeriod: {
      wire: z.number().nullable().meta({
        description: "`monthly` and `yearly`: the minutes that one period grants; otherwise null.",
        example: 1200,
      }),
      cell: cell.optionalAmount(),
    },
    name: { wire: z.string().meta({ example: "Annual leave" }), cell: cell.text },
    paid: { wire: z.boolean().meta({ example: true }), cell: cell.boolean },
    schedule: { wire: z.enum(SCHEDULES).meta({ example: "monthly" }), cell: cell.choice(SCHEDULES) },
    timeOffTypeId: { wire: idSchema("timeOffType"), cell: cell.id("timeOffType") },
    timeOffTypeName: { wire: z.string().meta({ example: "Vacation" }), cell: cell.text },
    unit: {
      wire: z
        .enum(UNITS)
        .meta({ description: "The unit that people see; amounts are minutes all the same.", example: "day" }),
      cell: cell.choice(UNITS),
    },
    ...rules,
  },
  /** What balances need of the policy, as JSON: see `policyTerms`. */
  derived: { terms: "text" },
  indexes: [],
  api: {
    path: routePattern("/v1/time_off/policies"),
    tag: "Time off",
    scope: "time_off:read",
    list: {
      operationId: "listPolicies",
      summary: "List time-off policies",
      description: "Policies in the order of their ids.",
    },
    retrieve: {
      operationId: "retrievePolicy",
      summary: "Retrieve a time-off policy",
      description: "One policy by id.",
      notFound: "policy_not_found",
    },
    filters: {},
  },
} as const satisfies ListResource;

export type Policy = Wire<typeof policies.fields>;
export type PolicyRow = Row<typeof policies>;
export type PolicyFact = Fact<typeof policies.fields>;

/** The numbers of a schedule: all of them are needed, and no others allowed (docs/api.md, Resources, Policy). */
const NUMBERS = {
  per_hour_worked: ["minutesPerChunk", "hoursWorkedPerChunk"],
  monthly: ["minutesPerPeriod"],
  yearly: ["minutesPerPeriod"],
  unlimited: [],
} as const satisfies Record<PolicyFact["schedule"], readonly (keyof PolicyFact)[]>;

const ALL_NUMBERS = ["minutesPerPeriod", "minutesPerChunk", "hoursWorkedPerChunk"] as const;

/** Rules that have no meaning under a schedule: they may only have their defaults there. */
const MEANINGLESS = {
  per_hour_worked: ["accrualTiming", "prorate"],
  monthly: [],
  yearly: [],
  unlimited: RULES,
} as const satisfies Record<PolicyFact["schedule"], readonly (keyof Rules)[]>;

/** What is wrong with fields that are right each on its own. */
export function checkPolicy(policy: PolicyFact, report: Report<PolicyFact>): void {
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
    if (policy[rule] !== rules[rule].cell.read(null))
      report(rule, `has no meaning under the schedule ${schedule}: leave it empty`);
  }
  if (policy.waitingPeriodDays > 36_600) report("waitingPeriodDays", "is more than a hundred years");
}

/** What balances need of a policy: the form is `PolicyFacts` of src/balances. */
export function policyTerms(policy: Omit<PolicyFact, "id">) {
  const { schedule, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk } = policy;
  return {
    schedule,
    minutesPerPeriod,
    minutesPerChunk,
    hoursWorkedPerChunk,
    isUnlimited: schedule === "unlimited",
    rules: Object.fromEntries(RULES.map((rule) => [rule, policy[rule]])) as Rules, // these keys
  };
}

/** The rules of stored terms, as cells of a file. */
export function ruleCells(terms: string): Rules {
  return (JSON.parse(terms) as ReturnType<typeof policyTerms>).rules; // what the import wrote
}
