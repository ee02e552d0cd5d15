// From balances to the rows of the table: whose, of which policy, in which order.
import { useMemo } from "react";
import type { Balance, Policy, Worker } from "../../client/index.ts";
import {
  compareText,
  type Directory,
  filterPeople,
  type Grouping,
  grouped,
  type PeopleFilter,
} from "../data/people.ts";

export interface BalanceRow {
  readonly balance: Balance;
  readonly worker: Worker;
  readonly policy: Policy;
}

/** Everything that was granted and is not used: what the company owes. */
const owed = ({ accruedUnlocked, accruedLocked, used }: Balance) => accruedUnlocked + accruedLocked - used;

/** The numbers of a row. The first is the sum of the others. */
export const COLUMNS = [
  { key: "balance", name: "Balance", isWide: false, of: owed },
  { key: "locked", name: "Locked", isWide: true, of: ({ accruedLocked }: Balance) => accruedLocked },
  { key: "requested", name: "Requested", isWide: true, of: ({ holds }: Balance) => holds },
  { key: "available", name: "Available", isWide: false, of: ({ available }: Balance) => available },
] as const;

export type ColumnKey = (typeof COLUMNS)[number]["key"];
const TEXT_KEYS = ["person", "department", "policy"] as const;
const SORT_KEYS = [...TEXT_KEYS, ...COLUMNS.map(({ key }) => key)] as const;

export interface Sorting {
  readonly key: (typeof SORT_KEYS)[number];
  readonly isDescending: boolean;
}

/** `available` or `-available`, as in the address. */
export function parseSorting(text: string | null): Sorting {
  const key = SORT_KEYS.find((each) => each === text?.replace(/^-/, ""));
  return key === undefined
    ? { key: "person", isDescending: false }
    : { key, isDescending: text?.startsWith("-") === true };
}

/** Sorting by another column begins with the largest number, or with A. */
export function nextSorting({ key, isDescending }: Sorting, chosen: Sorting["key"]): string | null {
  const isText = TEXT_KEYS.some((each) => each === chosen);
  const descending = chosen === key ? !isDescending : !isText;
  return chosen === "person" && !descending ? null : `${descending ? "-" : ""}${chosen}`;
}

interface Wanted {
  readonly filter: PeopleFilter;
  readonly policies: readonly string[];
  readonly sorting: Sorting;
  readonly grouping: Grouping | null;
}

/** Rows of people who pass the filter, of limited policies, sorted inside their groups. */
export function useBalanceRows(
  balances: readonly Balance[],
  workers: readonly Worker[],
  policies: readonly Policy[],
  directory: Directory,
  { filter, policies: chosen, sorting, grouping }: Wanted,
) {
  const rows = useMemo(() => {
    const shown = new Set(filterPeople(workers, filter).map(({ id }) => id));
    const policyOf = new Map(policies.map((policy) => [policy.id, policy]));
    return balances.flatMap((balance): BalanceRow[] => {
      const worker = shown.has(balance.workerId) ? directory.byId.get(balance.workerId) : undefined;
      const policy = policyOf.get(balance.policyId);
      if (worker === undefined || policy === undefined || policy.isUnlimited) return [];
      return chosen.length > 0 && !chosen.includes(policy.id) ? [] : [{ balance, worker, policy }];
    });
  }, [balances, workers, policies, directory, filter, chosen]);
  return useMemo(() => {
    const sorted = [...rows].sort(comparison(sorting));
    return { rows: sorted, groups: grouped(sorted, grouping, ({ worker }) => worker, directory) };
  }, [rows, sorting.key, sorting.isDescending, grouping, directory]);
}

function comparison({ key, isDescending }: Sorting): (a: BalanceRow, b: BalanceRow) => number {
  const sign = isDescending ? -1 : 1;
  const byName = (a: BalanceRow, b: BalanceRow) => compareText(a.worker.displayName, b.worker.displayName);
  if (key === "person") return (a, b) => sign * byName(a, b) || compareText(a.policy.name, b.policy.name);
  if (key === "department")
    return (a, b) => sign * compareText(a.worker.department ?? "", b.worker.department ?? "") || byName(a, b);
  if (key === "policy") return (a, b) => sign * compareText(a.policy.name, b.policy.name) || byName(a, b);
  const { of } = COLUMNS.find((column) => column.key === key)!;
  return (a, b) => sign * (of(a.balance) - of(b.balance)) || byName(a, b);
}

/** The unit that all rows are counted in; hours if they have several. */
export function unitOf(rows: readonly BalanceRow[]): Policy["unit"] {
  return rows.length > 0 && rows.every(({ policy }) => policy.unit === "day") ? "day" : "hour";
}
