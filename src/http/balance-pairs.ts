// Iterates balances, alone or paired with those of another time.
import { type BalanceWithFacts, readFacts } from "../balance-facts.ts";
import type { BalancePosition, CompanyReader } from "../store/store.ts";
import type { Computation } from "./computation.ts";

export interface BalancesQuery {
  readonly policyIds?: readonly string[] | undefined;
  readonly workerIds?: readonly string[] | undefined;
  /** Whether adjustments and requests have their ids. */
  readonly withIds?: boolean | undefined;
  /** Where to begin; undefined: at the first balance. */
  readonly from: BalancePosition | undefined;
  readonly isBackward: boolean;
}

/** A balance as it was known before, and as it is known now; null where there was or is none. */
export type BalancePair = readonly [was: BalanceWithFacts | null, is: BalanceWithFacts | null];

/** How many balances are read at once: those of a stream's page, and the rest of its last worker. With fewer, most would be read twice. */
export const BALANCES_AT_ONCE = 128;

/** All balances in the order of their list, or the reverse of it. */
export async function* eachBalance(
  company: CompanyReader,
  { from, isBackward, ...query }: BalancesQuery,
  computation: Computation,
): AsyncGenerator<BalanceWithFacts> {
  for (let at = from, hasMore = true; hasMore; ) {
    const place = { [isBackward ? "before" : "after"]: at };
    const page = await readFacts(company, { limit: BALANCES_AT_ONCE, ...place, ...query });
    for (const balance of isBackward ? page.assignments.toReversed() : page.assignments) {
      yield balance;
      at = { workerId: balance.workerId, policyId: balance.policyId };
      const turn = computation.turn();
      if (turn !== undefined) await turn;
    }
    hasMore = page.hasMore && page.assignments.length > 0;
  }
}

/** The balances of two times, paired by worker and policy, in the order of their list. */
export async function* eachPair(
  was: CompanyReader,
  is: CompanyReader,
  query: BalancesQuery,
  computation: Computation,
): AsyncGenerator<BalancePair> {
  const [before, now] = [eachBalance(was, query, computation), eachBalance(is, query, computation)];
  const next = async (balances: AsyncGenerator<BalanceWithFacts>) => (await balances.next()).value ?? null;
  let [old, current]: (BalanceWithFacts | null)[] = [await next(before), await next(now)];
  while (old || current) {
    const order =
      old === null ? 1 : current === null ? -1 : compare(old!, current!) * (query.isBackward ? -1 : 1);
    yield [order <= 0 ? old! : null, order >= 0 ? current! : null];
    if (order <= 0) old = await next(before);
    if (order >= 0) current = await next(now);
  }
}

/** Ids are ASCII, where JavaScript compares as every engine does: byte by byte. */
function compare(a: BalanceWithFacts, b: BalanceWithFacts): number {
  if (a.workerId !== b.workerId) return a.workerId < b.workerId ? -1 : 1;
  return a.policyId === b.policyId ? 0 : a.policyId < b.policyId ? -1 : 1;
}
