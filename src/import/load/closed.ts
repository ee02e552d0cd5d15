// Finds the closed figures that an import changes (docs/record.md, Closes).
import { type BalanceWithFacts, readFacts } from "../../balance-facts.ts";
import { closingOf } from "../../balances/differences.ts";
import { isId } from "../../resources/ids.ts";
import type { BalanceQuery, ImportTransaction } from "../../store/store.ts";
import { chunks } from "../../store/tables.ts";
import { factsReader } from "./past.ts";

/** How many workers' balances are read at once. */
const WORKERS_AT_ONCE = 500;
/** A limit that the balances of `WORKERS_AT_ONCE` workers never reach. */
const ALL = 1_000_000;

/** How many balances of each close have another figure on its last day after this import. */
export async function movedCloses(transaction: ImportTransaction): Promise<ReadonlyMap<string, number>> {
  const closes = await transaction.closes();
  const moved = new Map<string, number>();
  if (closes.length === 0) return moved;
  const seen = new Set<string>();
  const readerBefore = factsReader((query) => transaction.balanceFactsBefore(query));
  const reader = factsReader((query) => transaction.balanceFacts(query));
  for (const query of queriesOf(await transaction.changedBalances())) {
    const before = byPair((await readFacts(readerBefore, query)).assignments);
    const after = byPair((await readFacts(reader, query)).assignments);
    for (const pair of new Set([...before.keys(), ...after.keys()])) {
      if (seen.has(pair)) continue; // queries of workers and of policies overlap
      seen.add(pair);
      const [was, is] = [before.get(pair)?.facts ?? null, after.get(pair)?.facts ?? null];
      for (const { name, lastDay } of closes)
        if (closingOf(was, lastDay) !== closingOf(is, lastDay)) moved.set(name, (moved.get(name) ?? 0) + 1);
    }
  }
  return moved;
}

/** Queries for the balances of these workers, in batches, and of these policies. */
function* queriesOf(ids: readonly string[]): Generator<BalanceQuery> {
  const ofWorkers = ids.filter((id) => isId("worker", id));
  for (const workerIds of chunks(ofWorkers, WORKERS_AT_ONCE)) yield { workerIds, limit: ALL };
  for (const id of ids) if (isId("policy", id)) yield { policyIds: [id], limit: ALL };
}

function byPair(balances: readonly BalanceWithFacts[]): ReadonlyMap<string, BalanceWithFacts> {
  return new Map(balances.map((balance) => [`${balance.workerId} ${balance.policyId}`, balance]));
}
