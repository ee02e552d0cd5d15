// From balances to the rows of the table: one for each person and policy, and their sums.
import type { Balance, Expiration, Movement, Policy, Worker } from "../../client/index.ts";
import {
  type Directory,
  filterPeople,
  type Grouping,
  groupLabel,
  groupName,
  type PeopleFilter,
} from "../data/directory.ts";
import { expiryOf, isCap } from "../people/losses.ts";
import { t } from "../texts/texts.ts";

/** Figures in minutes. `paidOut` is the balance under policies that are paid out. */
const FIGURES = ["balance", "booked", "requested", "lost", "paidOut", "owed"] as const;
export type Figure = (typeof FIGURES)[number];

export interface BalanceRow extends Readonly<Record<Figure, number>> {
  readonly name: string;
  /** Null in a row of sums. */
  readonly worker: Worker | null;
  readonly policy: Policy | null;
  /** Whether the worker's last day is over, or was the chosen day. */
  readonly hasLeft: boolean;
  readonly people: number;
  /** The last day to use what expires first, `YYYY-MM-DD`; null if nothing expires. */
  readonly expiresBy: string | null;
}

interface Data {
  /** Movements by policy and worker, from the beginning to the end of a day. */
  readonly movements: readonly Movement[];
  /** Balances that include all leave booked or requested after the day. */
  readonly withBooked: readonly Balance[];
  readonly losses: readonly Expiration[];
  readonly policies: readonly Policy[];
  readonly directory: Directory;
}

interface Wanted {
  readonly filter: PeopleFilter;
  readonly policies: readonly string[];
  /** Shows only people who will lose more minutes than this under a policy. */
  readonly losesMoreThan: number | null;
}

/** Rows for people who pass the filter, under limited policies. Unlimited ones have no balance. */
export function rowsOf(data: Data, wanted: Wanted): BalanceRow[] {
  const people = filterPeople([...data.directory.byId.values()], wanted.filter);
  const workerOf = new Map(people.map((worker) => [worker.id, worker]));
  const isWanted = ({ id, isUnlimited }: Policy) =>
    !isUnlimited && (wanted.policies.length === 0 || wanted.policies.includes(id));
  const policyOf = new Map(data.policies.filter(isWanted).map((policy) => [policy.id, policy]));
  const keyOf = (row: { workerId: string | null; policyId: string | null }) =>
    `${row.workerId} ${row.policyId}`;
  const inAll = new Map(data.withBooked.map((balance) => [keyOf(balance), balance]));
  const lossesOf = Map.groupBy(
    data.losses.filter((loss) => !isCap(loss)),
    keyOf,
  );
  return data.movements.flatMap((movement): BalanceRow[] => {
    const key = keyOf(movement);
    const worker = workerOf.get(movement.workerId ?? "");
    const policy = policyOf.get(movement.policyId ?? "");
    if (worker === undefined || policy === undefined) return [];
    const losses = lossesOf.get(key) ?? [];
    const lost = losses.reduce((sum, loss) => sum + loss.minutes, 0);
    if (wanted.losesMoreThan !== null && lost <= wanted.losesMoreThan) return [];
    const { closing, used, earned, hasLeft } = movement;
    return [
      {
        name: worker.displayName,
        worker,
        policy,
        hasLeft,
        people: 1,
        balance: closing,
        booked: Math.max(0, (inAll.get(key)?.used ?? 0) - used),
        requested: inAll.get(key)?.holds ?? 0,
        lost,
        expiresBy: losses[0] ? expiryOf(losses[0].date) : null, // `losses` is in order of days
        paidOut: policy.isPaidOut ? closing : 0,
        owed: policy.isPaidOut ? earned : 0,
      },
    ];
  });
}

/** The sum of these rows, as a row. */
export function sumOf(name: string, rows: readonly BalanceRow[]): BalanceRow {
  const figures = FIGURES.map((figure) => [figure, rows.reduce((sum, row) => sum + row[figure], 0)]);
  return {
    ...(Object.fromEntries(figures) as Record<Figure, number>), // every figure is there
    name,
    worker: null,
    policy: null,
    hasLeft: false,
    people: new Set(rows.map(({ worker }) => worker?.id)).size,
    expiresBy: rows.flatMap(({ expiresBy }) => expiresBy ?? []).sort()[0] ?? null,
  };
}

export const haveLeft = () => t("group.left");

/** Orders names of groups so that people who have left come last. */
export const leftLast = (a: string, b: string) => Number(a === haveLeft()) - Number(b === haveLeft());

/** The name of a row's group. People who have left are a group of their own, as in movements. */
export function groupOf({ worker, name, hasLeft }: BalanceRow, grouping: Grouping, directory: Directory) {
  if (worker === null) return name;
  return hasLeft ? haveLeft() : groupLabel(groupName(worker, grouping, directory), grouping);
}
