// Time-off policies, with the rules that their balances obey.

import { z } from "zod";
import { monthDay, tiers, yearStart } from "./balance-cells.ts";
import * as cell from "./cells.ts";
import { legacyIdSchema, type Written } from "./cells.ts";
import { ID_PREFIX, idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  column,
  type Fields,
  filter,
  type ImportRow,
  type ListResource,
  type Row,
  routePattern,
  type Wire,
} from "./resource.ts";

export const SCHEDULES = ["per_hour_worked", "monthly", "yearly", "unlimited"] as const;
export const UNITS = ["hour", "day"] as const;

/**
 * The rules beside the numbers (docs/balances.md, The rules of a policy): in files, but not on the wire. The first six
 * are the oldest: stored terms always have them, and others only where they are not at their default.
 */
const rules = {
  accrualTiming: { cell: cell.choiceOr(["start", "end", "lastDay"], "start") },
  periodAnchor: { cell: cell.choiceOr(["calendar", "anniversary"], "calendar") },
  prorate: { cell: cell.booleanOr(true) },
  waitingPeriodDays: { cell: cell.wholeOr(0) },
  carryoverLimitMinutes: { cell: cell.optionalAmount() },
  balanceCapMinutes: { cell: cell.optionalAmount() },
  prorateBy: { cell: cell.choiceOr(["days", "monthsStarted", "halfMonths", "fullMonths"], "days") },
  instalments: {
    cell: cell.optionalChoice(["daily", "weekly", "biweekly", "semimonthly", "quarterly", "halfYearly"]),
  },
  instalmentsFrom: { cell: cell.optionalDay },
  yearStartsOn: { cell: yearStart },
  tiers: { cell: tiers },
  tierFrom: { cell: cell.choiceOr(["nextPeriod", "sameDay", "sameYear"], "nextPeriod") },
  roundGrantsToMinutes: { cell: cell.optionalAmount({ isPositive: true }) },
  roundGrants: { cell: cell.choiceOr(["nearest", "up", "down"], "nearest") },
  yearlyAccrualCapMinutes: { cell: cell.optionalAmount() },
  carryoverExpiresAfterMonths: { cell: cell.optionalWhole },
  carryoverExpiresAfterDays: { cell: cell.optionalWhole },
  carryoverKeepsMinutes: { cell: cell.optionalAmount() },
  carryoverOn: { cell: monthDay },
  grantsExpireAfterMonths: { cell: cell.optionalWhole },
  balanceCapTiers: { cell: tiers },
  carryoverLimitTiers: { cell: tiers },
  useCapMinutes: { cell: cell.optionalAmount() },
  roundSumToMinutes: { cell: cell.optionalAmount({ isPositive: true }) },
  roundSum: { cell: cell.choiceOr(["nearest", "up", "halfUpKeep"], "nearest") },
  roundSumOn: { cell: cell.choiceOr(["every", "yearEnd"], "every") },
  firstYearWholeAfterMonths: { cell: cell.optionalWhole },
  serviceCounts: { cell: cell.choiceOr(["employed", "assigned"], "employed") },
  payPeriods: { cell: cell.optionalChoice(["weekly", "biweekly", "fourWeekly", "semimonthly", "monthly"]) },
  payPeriodsFrom: { cell: cell.optionalDay },
  scaleWith: { cell: cell.choiceOr(["none", "share"], "none") },
  revalue: { cell: cell.choiceOr(["none", "remaining"], "none") },
} satisfies Fields;

export type Rules = ImportRow<typeof rules>;
export const RULES = Object.keys(rules) as (keyof Rules)[]; // the keys of `rules`
const ALWAYS_STORED = 6;

/** What a rule is where a file does not say. */
export function defaultOf<R extends keyof Rules>(rule: R): Rules[R] {
  return rules[rule].cell.read(null) as Rules[R]; // an empty cell of a rule is its default
}

/** What a policy obeys that says nothing else. */
export const DEFAULT_RULES = Object.fromEntries(
  RULES.map((rule) => [rule, defaultOf(rule)]),
) as unknown as Readonly<Rules>; // each rule

export const policies = {
  kind: "policies",
  schemaName: "Policy",
  description: "A time-off policy: what accrues, when, and for which type of time off.",
  idKind: "policy",
  idPrefix: ID_PREFIX.policy,
  key: ["id"],
  fields: {
    id: { wire: idSchema("policy"), cell: cell.id("policy"), column: column.text("id") },
    description: {
      wire: z
        .string()
        .nullable()
        .meta({ maxLength: cell.PROSE_MAX, example: "30 days a year, earned month by month." }),
      cell: cell.optionalProse,
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
    name: { wire: z.string().meta({ maxLength: cell.TITLE_MAX, example: "Annual leave" }), cell: cell.title },
    paid: { wire: z.boolean().meta({ example: true }), cell: cell.boolean },
    schedule: { wire: z.enum(SCHEDULES).meta({ example: "monthly" }), cell: cell.choice(SCHEDULES) },
    timeOffTypeId: { wire: idSchema("timeOffType"), cell: cell.id("timeOffType") },
    timeOffTypeName: {
      wire: z.string().meta({ maxLength: cell.NAME_MAX, example: "Vacation" }),
      cell: cell.text,
    },
    unit: {
      wire: z
        .enum(UNITS)
        .meta({ description: "The unit that people see; amounts are minutes all the same.", example: "day" }),
      cell: cell.choice(UNITS),
    },
    // Added later, at the end, so that older clients see the order that they know.
    legacyId: { wire: legacyIdSchema, cell: cell.legacyId, column: column.text("legacyId") },
    isAbsence: {
      wire: z.boolean().meta({
        description: "False for leave during which people work, such as working from home.",
        example: true,
      }),
      cell: cell.booleanOr(true),
      column: column.text("absence", String),
    },
    isPaidOut: {
      wire: z
        .boolean()
        .meta({ description: "Whether what is left is owed when somebody leaves.", example: true }),
      cell: cell.booleanOr(null),
    },
    rules: {
      wire: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({
        description:
          "The rules of balances that are not at their default, by the names of the columns of an import.",
        example: { accrualTiming: "end", carryoverLimitMinutes: 2400 },
      }),
      made: (values) => ruleCells(values as Rules, (rule, value) => value !== defaultOf(rule)), // it has each rule
    },
    ...rules,
  },
  /** What balances need of the policy, as JSON: see `policyTerms`. */
  derived: { terms: "text" },
  isOfCompany: true,
  belongsTo: {},
  balanceColumns: ["terms"],
  indexes: [{ name: "policies_legacy_id", columns: ["legacyId"], covers: [], rows: "few" }],
  api: {
    path: routePattern("/v1/time_off/policies"),
    tag: "Time off",
    scope: "time_off:read",
    adjective: "time-off",
    isRetrieved: true,
    filters: {
      legacyIds: filter(
        "legacyId",
        query.texts("Only policies with one of these ids of the source system.", "E00042"),
      ),
    },
  },
} as const satisfies ListResource;

export type Policy = Wire<typeof policies.fields>;
export type PolicyRow = Row<typeof policies>;
export type PolicyImportRow = ImportRow<typeof policies.fields>;

/** What balances need of a policy. */
export function policyTerms(policy: Omit<PolicyImportRow, "id">) {
  const { schedule, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk } = policy;
  const stored = RULES.filter((rule, at) => at < ALWAYS_STORED || policy[rule] !== defaultOf(rule));
  return {
    schedule,
    minutesPerPeriod,
    minutesPerChunk,
    hoursWorkedPerChunk,
    isUnlimited: schedule === "unlimited",
    rules: Object.fromEntries(stored.map((rule) => [rule, policy[rule]])) as Partial<Rules>, // these keys
  };
}

/** The rules of stored terms, as cells of a file. */
export function storedRuleCells(terms: string): Readonly<Record<string, Written>> {
  const stored = (JSON.parse(terms) as ReturnType<typeof policyTerms>).rules; // what the import wrote
  return ruleCells(stored, () => true);
}

type IsWanted = (rule: keyof Rules, value: unknown) => boolean;

/** The rules that are wanted, as cells of a file. One that `values` does not have is at its default. */
function ruleCells(values: Partial<Rules>, isWanted: IsWanted): Readonly<Record<string, Written>> {
  return Object.fromEntries(
    RULES.flatMap((rule) => {
      const { write } = rules[rule].cell as cell.CellCodec<Rules[typeof rule]>; // the rule's own
      const value = values[rule] ?? defaultOf(rule);
      return isWanted(rule, value) ? [[rule, write(value)]] : [];
    }),
  );
}

/** Whether what is left is owed when somebody leaves; where a file does not say, if it is paid and not unlimited. */
export function isOwed({ isPaidOut, paid, schedule }: Omit<PolicyImportRow, "id">): boolean {
  return isPaidOut ?? (paid && schedule !== "unlimited");
}

export type StoredPolicyTerms = ReturnType<typeof policyTerms>;

/** The terms of a stored policy. */
export function storedTerms({ terms }: Pick<PolicyRow, "terms">): StoredPolicyTerms {
  return JSON.parse(terms) as StoredPolicyTerms; // what the import wrote
}

/** The same as balances take them: rules that they do not name are at their default. */
export function policyOf(terms: StoredPolicyTerms) {
  return { ...terms, rules: { ...DEFAULT_RULES, ...terms.rules } };
}

/** The schedule of a stored policy. */
export function scheduleOf(policy: Pick<PolicyRow, "terms">): Policy["schedule"] {
  return storedTerms(policy).schedule;
}

/** The ids of the policies under which people work: nobody is away by them. */
export function atWorkOf(policies: readonly Policy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ id, isAbsence }) => (isAbsence ? [] : [id])));
}
