// Time-off policies with their rules.
import { z } from "zod";
import type { Day } from "../time/day.ts";
import type { AssignmentImportRow } from "./assignments.ts";
import { monthDay, prorateBy, tiers, yearStart } from "./balance-cells.ts";
import * as cell from "./cells.ts";
import { dateSchema, legacyIdSchema, type Written } from "./cells.ts";
import { idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  column,
  type Fields,
  filter,
  type ImportRow,
  type ListResource,
  type Report,
  type Row,
  routePattern,
  type Wire,
} from "./resource.ts";

export const SCHEDULES = ["per_hour_worked", "monthly", "yearly", "unlimited"] as const;
export const UNITS = ["hour", "day"] as const;

/** The rules of balances, as columns of files (docs/balances.md, The rules of a policy). Stored terms always have the first six. */
export const rules = {
  accrualTiming: { cell: cell.choiceOr(["start", "end", "lastDay"], "start") },
  periodAnchor: { cell: cell.choiceOr(["calendar", "anniversary"], "calendar") },
  prorate: { cell: cell.booleanOr(true) },
  waitingPeriodDays: { cell: cell.wholeOr(0) },
  carryoverLimitMinutes: { cell: cell.optionalAmount() },
  balanceCapMinutes: { cell: cell.optionalAmount() },
  prorateBy: { cell: prorateBy },
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
  roundSum: { cell: cell.choiceOr(["nearest", "up", "down", "halfUpKeep"], "nearest") },
  roundSumOn: { cell: cell.choiceOr(["every", "yearEnd"], "every") },
  firstYearWholeAfterMonths: { cell: cell.optionalWhole },
  firstYearGrants: { cell: cell.choiceOr(["atOnce", "monthly"], "atOnce") },
  serviceCounts: { cell: cell.choiceOr(["employed", "assigned"], "employed") },
  payPeriods: { cell: cell.optionalChoice(["weekly", "biweekly", "fourWeekly", "semimonthly", "monthly"]) },
  payPeriodsFrom: { cell: cell.optionalDay },
  scaleWith: { cell: cell.choiceOr(["none", "share"], "none") },
  revalue: { cell: cell.choiceOr(["none", "remaining", "weeks"], "none") },
  whenItEnds: { cell: cell.choiceOr(["keep", "forfeit"], "keep") },
} satisfies Fields;

export type Rules = ImportRow<typeof rules>;
export const RULES = Object.keys(rules) as (keyof Rules)[]; // the keys of `rules`
const ALWAYS_STORED = 6;

export function defaultOf<R extends keyof Rules>(rule: R): Rules[R] {
  return rules[rule].cell.read(null) as Rules[R]; // an empty cell gives the default
}

/** The rules of a policy that names none. */
export const DEFAULT_RULES = Object.fromEntries(
  RULES.map((rule) => [rule, defaultOf(rule)]),
) as Readonly<Rules>; // every rule is there

const ruleValues = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

export const policies = {
  kind: "policies",
  schemaName: "Policy",
  description: "A time-off policy: what accrues, when, and for which type of time off.",
  idKind: "policy",
  key: ["id"],
  fields: {
    id: { wire: idSchema("policy"), cell: cell.id("policy"), column: column.text("id") },
    description: {
      wire: z
        .string()
        .nullable()
        .meta({ maxLength: cell.PROSE_MAX, example: "30 days a year, earned month by month." }),
      cell: cell.optionalProse,
      isReason: false,
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
        .meta({ description: "True if and only if the schedule is `unlimited`.", example: false }),
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
      cell: cell.group,
    },
    unit: {
      wire: z
        .enum(UNITS)
        .meta({ description: "The unit that people see. Amounts are always minutes.", example: "day" }),
      cell: cell.choice(UNITS),
    },
    // Added later, so at the end: clients see the earlier fields in their old order.
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
        .meta({ description: "Whether the balance is paid out when somebody leaves.", example: true }),
      cell: cell.booleanOr(null),
    },
    rules: {
      wire: ruleValues.meta({
        description:
          "The rules of balances that differ from their default, named as the columns of an import.",
        example: { accrualTiming: "end", carryoverLimitMinutes: 2400 },
      }),
      compute: (values) => wireRules(values as Rules), // the row has every rule
    },
    changes: {
      wire: z
        .array(
          z
            .strictObject({
              from: dateSchema,
              minutesPerPeriod: z.number().nullable(),
              minutesPerChunk: z.number().optional(),
              hoursWorkedPerChunk: z.number().optional(),
              rules: ruleValues,
            })
            .meta({ id: "PolicyChange" }),
        )
        .meta({
          description:
            "Dated changes, in order; `none` ends a rule. `minutesPerPeriod`, `rules` and the other amounts above are those in force on the day of the last import.",
          example: [
            { from: "2027-01-01", minutesPerPeriod: 12000, rules: { carryoverLimitMinutes: "none" } },
          ],
        }),
      compute: () => [], // see `withChanges`
    },
    ...rules,
  },
  /** The policy's terms for balances, as JSON: see `policyTerms`. */
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
      legacyIds: filter("legacyId", query.legacyIds("policies")),
    },
  },
} as const satisfies ListResource;

export type Policy = Wire<typeof policies.fields>;
export type PolicyRow = Row<typeof policies>;
export type PolicyImportRow = ImportRow<typeof policies.fields>;

/** The terms of a policy that balances need. */
export function policyTerms(policy: Omit<PolicyImportRow, "id">) {
  const { schedule, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk } = policy;
  const stored = RULES.filter((rule, at) => at < ALWAYS_STORED || policy[rule] !== defaultOf(rule));
  return {
    schedule,
    minutesPerPeriod,
    minutesPerChunk,
    hoursWorkedPerChunk,
    isUnlimited: schedule === "unlimited",
    rules: Object.fromEntries(stored.map((rule) => [rule, policy[rule]])) as Partial<Rules>, // the keys are stored rules
  };
}

/** The amounts and rules of stored terms as cells of a file: those before the first change. */
export function storedTermCells(terms: string): Readonly<Record<string, Written>> {
  const { rules, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk } = storedTerms({ terms });
  return { minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, ...ruleCells(rules, () => true) };
}

/** Rules that differ from their default, as cells of a file. */
export function wireRules(values: Partial<Rules>): Readonly<Record<string, Written>> {
  return ruleCells(values, (rule, value) => value !== defaultOf(rule));
}

type IsWanted = (rule: keyof Rules, value: unknown) => boolean;

/** The wanted rules as cells of a file. A rule that is missing in `values` has its default. */
function ruleCells(values: Partial<Rules>, isWanted: IsWanted): Readonly<Record<string, Written>> {
  return Object.fromEntries(
    RULES.flatMap((rule) => {
      const { write } = rules[rule].cell as cell.CellCodec<Rules[typeof rule]>; // the cell of this rule
      const value = values[rule] ?? defaultOf(rule);
      return isWanted(rule, value) ? [[rule, write(value)]] : [];
    }),
  );
}

/** Whether the remaining balance is paid out when somebody leaves; by default if leave is paid and not unlimited. */
export function isOwed({ isPaidOut, paid, schedule }: Omit<PolicyImportRow, "id">): boolean {
  return isPaidOut ?? (paid && schedule !== "unlimited");
}

/** A policy's terms before all changes. */
export type OwnTerms = ReturnType<typeof policyTerms>;

export interface StoredPolicyTerms extends OwnTerms {
  /** The terms in the file. Set only if they differ from the policy's own: then `changes` has the difference from a day on. */
  readonly given?: OwnTerms;
  readonly changes?: readonly StoredChange[];
}

export const AMOUNTS = ["minutesPerPeriod", "minutesPerChunk", "hoursWorkedPerChunk"] as const;

/** The terms that change on a day, as stored; `none` ends a rule. */
export interface StoredChange extends Partial<Readonly<Record<(typeof AMOUNTS)[number], number>>> {
  readonly from: Day;
  readonly rules: { readonly [R in keyof Rules]?: Rules[R] | "none" };
}

export function storedTerms({ terms }: Pick<PolicyRow, "terms">): StoredPolicyTerms {
  return JSON.parse(terms) as StoredPolicyTerms; // the import wrote it
}

/** The terms for balances: missing rules have their default, and each change has all terms from its day on. */
export function policyOf({ changes = [], given: _, ...terms }: StoredPolicyTerms) {
  const policy = { ...terms, rules: { ...DEFAULT_RULES, ...terms.rules } };
  let { minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, rules } = policy;
  const dated = changes.map(({ from, ...change }) => {
    const changed = Object.entries(change.rules).map(([rule, value]) => [
      rule,
      value === "none" ? defaultOf(rule as keyof Rules) : value, // the keys are rule names
    ]);
    rules = { ...rules, ...Object.fromEntries(changed) };
    minutesPerPeriod = change.minutesPerPeriod ?? minutesPerPeriod;
    minutesPerChunk = change.minutesPerChunk ?? minutesPerChunk;
    hoursWorkedPerChunk = change.hoursWorkedPerChunk ?? hoursWorkedPerChunk;
    return { from, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, rules };
  });
  return { ...policy, changes: dated };
}

/** The ids of policies for leave during which people work, so that nobody is away. */
export function atWorkOf(policies: readonly Policy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ id, isAbsence }) => (isAbsence ? [] : [id])));
}

// Cross-field validation of policies: numbers and rules that contradict each other or are out of range (docs/balances.md, Refused).

type Check = (policy: PolicyImportRow, report: Report<PolicyImportRow>) => void;

/** The numbers of each schedule: exactly these are required (docs/api.md, Resources, Policy). */
const NUMBERS = {
  per_hour_worked: ["minutesPerChunk", "hoursWorkedPerChunk"],
  monthly: ["minutesPerPeriod"],
  yearly: ["minutesPerPeriod"],
  unlimited: [],
} as const satisfies Record<PolicyImportRow["schedule"], readonly (keyof PolicyImportRow)[]>;

const OF_PERIODS = [
  ...(["accrualTiming", "prorate", "prorateBy", "tierFrom"] as const),
  ...(["roundSumOn", "scaleWith", "revalue"] as const),
];
const OF_YEARS = ["instalments", "instalmentsFrom", "firstYearWholeAfterMonths", "firstYearGrants"] as const;
const OF_HOURS = ["payPeriods", "payPeriodsFrom"] as const;

/** Rules without meaning under a schedule: only their defaults are allowed. */
const MEANINGLESS = {
  per_hour_worked: [...OF_PERIODS, ...OF_YEARS],
  monthly: [...OF_YEARS, ...OF_HOURS],
  yearly: OF_HOURS,
  unlimited: RULES,
} as const satisfies Record<PolicyImportRow["schedule"], readonly (keyof Rules)[]>;

export function checkPolicy(policy: PolicyImportRow, report: Report<PolicyImportRow>): void {
  const { schedule } = policy;
  const numbers: readonly string[] = NUMBERS[schedule];
  for (const field of AMOUNTS) {
    const isWanted = numbers.includes(field);
    if (isWanted && policy[field] === null) report(field, `is missing: the schedule ${schedule} needs it`);
    if (!isWanted && policy[field] !== null)
      report(field, `contradicts the schedule ${schedule}: leave it empty`);
  }
  if (policy.isUnlimited !== null && policy.isUnlimited !== (schedule === "unlimited")) {
    report("isUnlimited", `contradicts the schedule ${schedule}: it is true only for the schedule unlimited`);
  }
  for (const rule of MEANINGLESS[schedule]) {
    if (policy[rule] !== defaultOf(rule))
      report(rule, `has no meaning under the schedule ${schedule}: leave it empty`);
  }
  checkRules(policy, report);
}

/** Validation of rules that does not depend on the schedule. */
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
  if (prorateBy === "serviceMonths" && schedule === "monthly")
    report("prorateBy", "serviceMonths has no meaning under the schedule monthly: they are parts of a year");
  if (firstYearWholeAfterMonths === null) {
    if (policy.firstYearGrants !== "atOnce")
      report("firstYearGrants", "has no meaning without firstYearWholeAfterMonths: leave it empty");
    return;
  }
  checkRange("firstYearWholeAfterMonths", 11, policy, report);
  if (policy.firstYearGrants === "monthly" && policy.accrualTiming !== "start")
    report("firstYearGrants", `monthly contradicts accrualTiming ${policy.accrualTiming}: it needs start`);
  if (!policy.prorate || instalments !== null) {
    const which = policy.prorate ? "with instalments" : "without prorate";
    report("firstYearWholeAfterMonths", `has no meaning ${which}: the first year is granted in twelfths`);
  }
};

/** Periods of whole weeks need the first day of one. */
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
    report("serviceCounts", "has no meaning if nothing depends on service: leave it empty");
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
  checkRange("carryoverExpiresAfterMonths", 60, policy, report);
  checkRange("carryoverExpiresAfterDays", 1826, policy, report);
  checkRange("grantsExpireAfterMonths", 120, policy, report);
  if (policy.grantsExpireAfterMonths !== null && expires)
    report("grantsExpireAfterMonths", "contradicts the expiry of carried time: give one of the two");
  if (policy.carryoverKeepsMinutes !== null && !expires)
    report("carryoverKeepsMinutes", "has no meaning if carried time never expires: leave it empty");
  if (policy.carryoverOn !== null && !expires && !hasLimit)
    report("carryoverOn", "has no meaning without a carry-over limit or expiry: leave it empty");
};

function checkRange(
  field:
    | "carryoverExpiresAfterMonths"
    | "carryoverExpiresAfterDays"
    | "grantsExpireAfterMonths"
    | "firstYearWholeAfterMonths",
  most: number,
  policy: PolicyImportRow,
  report: Report<PolicyImportRow>,
): void {
  const value = policy[field];
  if (value !== null && (value < 1 || value > most)) report(field, `is not between 1 and ${most}`);
}

const checkShares: Check = (policy, report) => {
  if (policy.revalue === "none") return;
  if (policy.scaleWith === "none")
    report("revalue", "has no meaning without scaleWith share: leave it empty");
  if (policy.grantsExpireAfterMonths !== null)
    report("revalue", "contradicts grantsExpireAfterMonths: single grants are never revalued");
  if (policy.revalue === "weeks" && policy.tierFrom !== "nextPeriod")
    report("revalue", "weeks contradicts tierFrom: a period grants by the share of one day");
  if (policy.revalue === "weeks" && policy.firstYearWholeAfterMonths !== null)
    report("revalue", "weeks contradicts firstYearWholeAfterMonths: a period grants by the share of one day");
  if (policy.revalue === "weeks" && policy.roundSumToMinutes !== null)
    report("revalue", "weeks contradicts roundSumToMinutes: what the year has granted is revalued");
};

/** Terms that an assignment may set itself, instead of its policy. */
export const OWN_TERMS = [
  "minutesPerPeriod",
  "rates",
  "grantsExpireAfterMonths",
  "carryoverKeepsMinutes",
] as const;

/** A mistake of an assignment's own terms under its policy; null if there is none. */
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
      message:
        "contradicts the policy, under which carried time expires or balances are revalued: leave it empty",
    };
  if (assignment.carryoverKeepsMinutes !== null && !expires)
    return {
      field: "carryoverKeepsMinutes",
      message: "has no meaning under a policy without an expiry of carried time: leave it empty",
    };
  return null;
}
