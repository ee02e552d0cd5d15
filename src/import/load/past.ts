// Checks whether changed policies change past balances (docs/balances.md, Changes to the past), and finds the closed figures that an import
// changes (docs/record.md, Closes).
import { type BalanceWithFacts, readFacts } from "../../balance-facts.ts";
import { figureOf } from "../../balances/balance.ts";
import { pastDifferences } from "../../balances/differences.ts";
import type { BalanceFacts } from "../../balances/facts.ts";
import { lastYearBoundary } from "../../balances/periods.ts";
import { isId } from "../../resources/ids.ts";
import type { BalancePosition, BalanceQuery, CompanyReader, ImportTransaction } from "../../store/store.ts";
import { chunks } from "../../store/tables.ts";
import { type Day, formatDay } from "../../time/day.ts";

/** How many balances are computed at once, or those of how many workers. */
const BATCH = 500;

/** How much past balances of a policy change, each on its first day with a change. */
interface MovedPast {
  readonly policyId: string;
  /** Null if it differs between people. */
  readonly day: Day | null;
  /** The close that ends on the day, if one does. */
  readonly close: string | null;
  readonly people: number;
  /** The sum of the absolute changes. */
  readonly minutes: number;
}

/** The past days on which a balance must not change: last days of closes, the last year boundary, and yesterday. */
function pastDays(facts: BalanceFacts, today: Day, closedDays: readonly Day[]): Day[] {
  const days = [...closedDays, lastYearBoundary(facts, today - 1), today - 1];
  return [...new Set(days)].toSorted((a, b) => a - b);
}

/** Policies whose past balances change, most people first. `undated`: by policy id, the terms with only dated changes applied. */
export async function movedPast(
  transaction: ImportTransaction,
  undated: ReadonlyMap<string, string>,
  today: Day,
): Promise<MovedPast[]> {
  const now = readerOf(transaction, new Map());
  const before = readerOf(transaction, undated);
  const closes = new Map((await transaction.closes()).map(({ lastDay, name }) => [lastDay, name]));
  const policyIds = await withThoseMovedTo(transaction, [...undated.keys()]);
  const moved = new Map<string, Omit<MovedPast, "close">>();
  let after: BalancePosition | undefined;
  for (let hasMore = true; hasMore; ) {
    const query = { limit: BATCH, after, policyIds };
    const page = await readFacts(now, query);
    const earlier = (await readFacts(before, query)).assignments;
    for (const [at, { policyId, facts }] of page.assignments.entries()) {
      const was = earlier[at]!.facts; // the same page
      const [first] = pastDifferences(was, facts, pastDays(was, today, [...closes.keys()]));
      if (first === undefined) continue;
      const { people, minutes, day } = moved.get(policyId) ?? { people: 0, minutes: 0, day: first.day };
      moved.set(policyId, {
        policyId,
        day: day === first.day ? day : null,
        people: people + 1,
        minutes: Math.round((minutes + Math.abs(first.minutes)) * 100) / 100,
      });
    }
    after = page.assignments.at(-1);
    hasMore = page.hasMore;
  }
  return [...moved.values()]
    .map((row) => ({ ...row, close: row.day === null ? null : (closes.get(row.day) ?? null) }))
    .toSorted((a, b) => b.people - a.people);
}

export function movedText({ day, close, people, minutes }: MovedPast, name: string): string {
  const closed = close === null ? "" : `, the end of the close ${close}`;
  const when = day === null ? "the first such day of each person" : formatDay(day) + closed;
  return `${name} on ${when}: ${people} ${people === 1 ? "person" : "people"}, ${minutes} minutes`;
}

type FactsReader = Pick<CompanyReader, "balanceFacts" | "atOneVersion">;

/** Lets `readFacts` read within a transaction, which sees one version. */
function factsReader(balanceFacts: FactsReader["balanceFacts"]): FactsReader {
  const reader: FactsReader = {
    balanceFacts,
    atOneVersion: (work) => work(reader as CompanyReader), // `readFacts` reads nothing else
  };
  return reader;
}

/** Reads in the transaction, with these terms in place of stored ones. */
function readerOf(transaction: ImportTransaction, terms: ReadonlyMap<string, string>): FactsReader {
  return factsReader(async (query) => {
    const page = await transaction.balanceFacts(query);
    const assignments = page.assignments.map((assignment) => ({
      ...assignment,
      policyTerms: terms.get(assignment.policyId) ?? assignment.policyTerms,
    }));
    return { ...page, assignments };
  });
}

/** These policies, and those to which their balances move. */
async function withThoseMovedTo(transaction: ImportTransaction, ids: readonly string[]): Promise<string[]> {
  const moves: { readonly from: string; readonly to: string }[] = [];
  for await (const rows of transaction.scan("assignments"))
    for (const { movesFrom, policyId } of rows)
      if (movesFrom !== null) moves.push({ from: movesFrom, to: policyId });
  const all = new Set(ids);
  for (const id of all) for (const { from, to } of moves) if (from === id) all.add(to);
  return [...all];
}

// Closes -------------------------------------------------------------------------------------------------------------------

/** A limit that the balances of `BATCH` workers never reach. */
const ALL = 1_000_000;

/** Tells hooks which closed figures this import changes. Returns a text for each close, such as "1 figure of the close 2026-10: see …". */
export async function tellOfCloses(transaction: ImportTransaction): Promise<string[]> {
  const moved = [...(await movedCloses(transaction))];
  return moved.map(([name, balances]) => {
    transaction.noteEvent("time_off.close.differs", { closeId: name, balances });
    const figures = balances === 1 ? "1 figure" : `${balances} figures`;
    return `${figures} of the close ${name}: see rollcall closes diff ${name} --company ${transaction.companyId}`;
  });
}

/** By close, how many figures this import changes. Figures of workers whom it removes do not count. */
async function movedCloses(transaction: ImportTransaction): Promise<ReadonlyMap<string, number>> {
  const closes = await transaction.closes();
  const moved = new Map<string, number>();
  if (closes.length === 0) return moved;
  for await (const [was, is] of changedBalances(transaction))
    for (const { name, lastDay } of closes)
      if (figureOf(was, lastDay) !== figureOf(is, lastDay)) moved.set(name, (moved.get(name) ?? 0) + 1);
  return moved;
}

/** The balances that this import may have changed, before and after it. Those of workers whom it removes are left out. */
async function* changedBalances(
  transaction: ImportTransaction,
): AsyncGenerator<readonly [was: BalanceFacts | null, is: BalanceFacts | null]> {
  const removed = new Set(transaction.removedWorkers());
  const seen = new Set<string>();
  const readerBefore = factsReader((query) => transaction.balanceFactsBefore(query));
  const reader = factsReader((query) => transaction.balanceFacts(query));
  for (const query of queriesOf(await transaction.changedBalances())) {
    const before = byPair((await readFacts(readerBefore, query)).assignments);
    const after = byPair((await readFacts(reader, query)).assignments);
    for (const pair of new Set([...before.keys(), ...after.keys()])) {
      if (seen.has(pair)) continue; // queries of workers and of policies overlap
      seen.add(pair);
      const [was, is] = [before.get(pair) ?? null, after.get(pair) ?? null];
      if (is !== null || !removed.has(was!.workerId)) yield [was?.facts ?? null, is?.facts ?? null];
    }
  }
}

/** Queries for the balances of these workers, in batches, and of these policies. */
function* queriesOf(ids: readonly string[]): Generator<BalanceQuery> {
  const ofWorkers = ids.filter((id) => isId("worker", id));
  for (const workerIds of chunks(ofWorkers, BATCH)) yield { workerIds, limit: ALL };
  for (const id of ids) if (isId("policy", id)) yield { policyIds: [id], limit: ALL };
}

function byPair(balances: readonly BalanceWithFacts[]): ReadonlyMap<string, BalanceWithFacts> {
  return new Map(balances.map((balance) => [`${balance.workerId} ${balance.policyId}`, balance]));
}
