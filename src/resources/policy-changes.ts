// Dated rules of policies. They are rows in files, and part of policies in the API (docs/balances.md, Rules with a date).
import { type Day, formatDay } from "../time/day.ts";
import * as cell from "./cells.ts";
import {
  AMOUNTS,
  checkPolicy,
  defaultOf,
  type Policy,
  type PolicyImportRow,
  type PolicyRow,
  policyOf,
  RULES,
  type Rules,
  rules,
  type StoredChange,
  type StoredPolicyTerms,
  storedTerms,
  wireRules,
} from "./policies.ts";
import { column, type ImportRow, type Report, type Resource, type Row } from "./resource.ts";

/** Rules that say when periods and years begin. They cannot change, because that would make another policy. */
export const FIXED_RULES = [
  ...(["periodAnchor", "yearStartsOn", "instalments", "instalmentsFrom"] as const),
  ...(["payPeriods", "payPeriodsFrom"] as const),
];
type FixedRule = (typeof FIXED_RULES)[number];
type ChangingRule = Exclude<keyof Rules, FixedRule>;

const CHANGING = RULES.filter((rule): rule is ChangingRule => !FIXED_RULES.some((fixed) => fixed === rule));

/** A rule's cell in which an empty value means no change. */
function changing<V>({ read, write, holds, choices }: cell.CellCodec<V>): cell.CellCodec<V | "none" | null> {
  const isNone = (value: unknown) => typeof value === "string" && value.trim() === "none";
  return {
    read: (value) => (cell.isNothing(value) ? null : isNone(value) ? "none" : read(value)),
    write: (value) => (value === null ? null : value === "none" ? "none" : write(value as V)), // neither of the above
    holds,
    isRequired: false,
    ...(choices === undefined ? {} : { choices: [...new Set([...choices, "none"])] }),
  };
}

const changingRules = Object.fromEntries(
  CHANGING.map((rule) => [rule, { cell: changing<unknown>(rules[rule].cell), isTerm: true }]),
) as {
  readonly [R in ChangingRule]: {
    readonly cell: cell.CellCodec<Rules[R] | "none" | null>;
    readonly isTerm: true;
  };
}; // one entry per rule

export const policyChanges = {
  kind: "policy_changes",
  key: ["policyId", "day"],
  fields: {
    policyId: { cell: cell.reference, column: column.text("policyId") },
    from: { cell: cell.day, column: column.day("day") },
    minutesPerPeriod: { cell: cell.optionalAmount(), isTerm: true },
    minutesPerChunk: { cell: cell.optionalAmount(), isTerm: true },
    hoursWorkedPerChunk: { cell: cell.optionalAmount({ isPositive: true, isMinutes: false }), isTerm: true },
    ...changingRules,
  },
  derived: {},
  belongsTo: { policyId: "policies" },
  balanceColumns: [],
  indexes: [],
} as const satisfies Resource;

export type PolicyChangeRow = Row<typeof policyChanges>;
type ChangeImportRow = ImportRow<typeof policyChanges.fields>;

export function checkPolicyChange(change: ChangeImportRow, report: Report<ChangeImportRow>): void {
  if ([...AMOUNTS, ...CHANGING].every((field) => change[field] === null))
    report("from", "changes nothing: give an amount or a rule, or leave the row out");
}

/** A row in the form that its policy stores. */
export function storedChange({ day, terms }: PolicyChangeRow): StoredChange {
  const { minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, ...changed } = JSON.parse(terms ?? "{}"); // the import wrote it
  return { from: day, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, rules: changed };
}

/** The change that gives a policy these terms from `day` on, not before its last change. Null if the schedule or a fixed rule differs. */
export function changeTo(stored: StoredPolicyTerms, given: StoredPolicyTerms, day: Day): StoredChange | null {
  const [policy, wanted] = [policyOf(stored), policyOf(given)];
  const isOther = (rule: keyof Rules) => wanted.rules[rule] !== policy.rules[rule];
  if (policy.schedule !== wanted.schedule || FIXED_RULES.some(isOther)) return null;
  const before = policy.changes.findLast(({ from }) => from < day) ?? policy;
  const amounts = AMOUNTS.filter((amount) => wanted[amount] !== before[amount]);
  const other = CHANGING.filter(
    (rule) => JSON.stringify(wanted.rules[rule]) !== JSON.stringify(before.rules[rule]),
  );
  return {
    from: day,
    ...Object.fromEntries(amounts.map((amount) => [amount, wanted[amount]])),
    rules: Object.fromEntries(
      other.map((rule) => [rule, wanted.rules[rule] === defaultOf(rule) ? "none" : wanted.rules[rule]]),
    ),
  };
}

export function changeRow(
  policyId: string,
  { from, rules: changed, ...amounts }: StoredChange,
): PolicyChangeRow {
  return { policyId, day: from, terms: JSON.stringify({ ...amounts, ...changed }) };
}

/** The row of a policy with these changes, in order of days. Its object has the terms that are in force `today`. */
export function withChanges(row: PolicyRow, changes: readonly StoredChange[], today: Day): PolicyRow {
  const { changes: _, ...terms } = storedTerms(row);
  const stored = changes.length === 0 ? terms : { ...terms, changes };
  const policy = policyOf(stored);
  const inForce = policy.changes.findLast(({ from }) => from <= today) ?? policy;
  const { minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk } = inForce;
  const doc: Policy = {
    ...(JSON.parse(row.doc) as Policy), // the import wrote it
    minutesPerPeriod,
    minutesPerChunk,
    hoursWorkedPerChunk,
    rules: wireRules(inForce.rules) as Policy["rules"], // rules that differ from their default have a value
    changes: changes.map(onWire),
  };
  return { ...row, doc: JSON.stringify(doc), terms: JSON.stringify(stored) };
}

function onWire({
  from,
  rules: changed,
  minutesPerPeriod,
  ...amounts
}: StoredChange): Policy["changes"][number] {
  const cells = CHANGING.filter((rule) => changed[rule] !== undefined).map((rule) => {
    const written = changingRules[rule].cell.write(changed[rule] as never); // the cell of this rule
    return [rule, changed[rule] === defaultOf(rule) ? "none" : written];
  });
  return {
    from: formatDay(from),
    minutesPerPeriod: minutesPerPeriod ?? null,
    ...amounts,
    rules: Object.fromEntries(cells),
  };
}

/** A mistake of a policy after a change; null if there is none. */
export function changeProblem(row: PolicyRow, changes: readonly StoredChange[]): string | null {
  const policy = policyOf({ ...storedTerms(row), changes });
  const { name } = JSON.parse(row.doc) as Policy; // the import wrote it
  const expires = [policy, ...policy.changes].some(({ rules }) => rules.grantsExpireAfterMonths !== null);
  for (const { from, rules: changed, ...amounts } of policy.changes) {
    const problems: string[] = [];
    const values = { schedule: policy.schedule, isUnlimited: null, ...amounts, ...changed };
    checkPolicy(values as PolicyImportRow, (field, message) => problems.push(`${field} ${message}`)); // the fields that it checks
    if (expires && changed.revalue !== "none")
      problems.push("revalue contradicts grantsExpireAfterMonths, which holds on other days");
    if (problems.length > 0) return `policy_changes: ${name} from ${formatDay(from)}: ${problems[0]}`;
  }
  return null;
}
