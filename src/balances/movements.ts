/** What changed a balance between two days, and what will be lost. Pure functions of facts and days. */
import type { Day } from "../time/day.ts";
import type { BalanceFacts } from "./facts.ts";
import { countedLeave } from "./leave.ts";
import { eachPosting, forfeitsOn, type PostingKind } from "./postings.ts";
import { add, addTo, negate, type Rational, sign, subtract, toHundredths, ZERO } from "./rational.ts";

/** Hundredths of a minute, so that sums are exact. `used`, `forfeited` and `expired` are positive when they reduce the balance. */
export type Movements = ReturnType<typeof noMovements>;

export function noMovements() {
  return {
    opening: 0,
    restated: 0,
    granted: 0,
    used: 0,
    adjusted: 0,
    forfeited: 0,
    expired: 0,
    opened: 0,
    moved: 0,
    revalued: 0,
    closing: 0,
    earned: 0,
  };
}

/** The movement and its sign, by kind of posting. Accruals are computed as the rest. */
const PARTS: Partial<Record<PostingKind, readonly [part: keyof Movements, sign: 1 | -1]>> = {
  adjustment: ["adjusted", 1],
  forfeit: ["forfeited", -1],
  carryoverExpiry: ["expired", -1],
  grantExpiry: ["expired", -1],
  opening: ["opened", 1],
  moved: ["moved", 1],
  revalued: ["revalued", 1],
};

/**
 * The movements of the days `from` through `to`, both included (docs/balances.md, Movements). Each part is the difference of its rounded
 * sums at both ends, and `granted` is the rest. `closed`: the closed figure of the day before `from`, in hundredths of a minute.
 */
export function movements(facts: BalanceFacts, from: Day, to: Day, closed?: number): Movements {
  const days = [from - 1, to] as const;
  const sums = days.map(() => new Map<PostingKind | "locked" | "unlocked", Rational>());
  eachPosting(facts, to, (postedOn, minutes, kind, unlocksOn) => {
    for (const [at, day] of days.entries()) {
      if (postedOn > day) continue;
      addTo(sums[at]!, kind, minutes); // one for each day
      addTo(sums[at]!, unlocksOn <= day ? "unlocked" : "locked", minutes);
    }
  });
  const [before, after] = days.map((day, at): Movements => {
    const sumOf = (kind: PostingKind | "locked" | "unlocked") => toHundredths(sums[at]!.get(kind) ?? ZERO);
    const { approved } = countedLeave(facts, -Infinity, day);
    const all = { ...noMovements(), used: toHundredths(approved) };
    for (const [kind, [name, factor]] of Object.entries(PARTS))
      all[name] += factor * sumOf(kind as PostingKind); // a key of PARTS
    // Nothing accrues under an unlimited policy: what is used is granted.
    all.closing = facts.policy.isUnlimited ? 0 : sumOf("unlocked") + sumOf("locked") - all.used;
    return all;
  }) as [Movements, Movements]; // one for each day
  const all = noMovements();
  for (const name of Object.keys(all) as (keyof Movements)[]) all[name] = after[name] - before[name]; // its keys
  all.opening = closed ?? before.closing;
  all.restated = before.closing - all.opening;
  all.closing = after.closing;
  all.earned = toHundredths(earnedOn(facts, to));
  const parts = all.adjusted - all.used - all.forfeited - all.expired + all.opened + all.moved + all.revalued;
  all.granted = after.closing - before.closing - parts;
  return all;
}

/** The balance if the day is the worker's last: what is owed to somebody who leaves then. */
export function earnedOn(facts: BalanceFacts, day: Day): Rational {
  const { assignment, worker, movesFrom, movesOn } = facts;
  if (facts.policy.isUnlimited) return ZERO;
  const isBy = (entry: { readonly day: Day }) => entry.day <= day;
  const left: BalanceFacts & { movesOn: Day | null } = {
    ...facts,
    worker: { ...worker, endDate: Math.min(worker.endDate ?? Infinity, day) },
    adjustments: facts.adjustments.filter(isBy),
    workedHours: facts.workedHours.filter(isBy),
    movesFrom: assignment.assignedOn <= day ? movesFrom : null,
    movesOn: movesOn !== null && movesOn <= day ? movesOn : null,
  };
  // Who is away in a gap and comes back keeps the rest: no forfeit has come, so it is as if the rest moved after that day.
  if (forfeitsOn(left) <= day && forfeitsOn(facts) > day) left.movesOn = day + 2;
  // A grant at the end of a period is posted on the day after its last covered day.
  let sum = ZERO;
  eachPosting(left, day + 1, (postedOn, minutes, kind) => {
    if (postedOn <= day || kind === "accrual") sum = add(sum, minutes);
  });
  return subtract(sum, countedLeave(facts, -Infinity, day).approved);
}

export interface Loss {
  readonly day: Day;
  /** Above 0, with at most 2 decimals. */
  readonly minutes: number;
  readonly cause: "carryoverLimit" | "carryoverExpiry" | "grantExpiry" | "balanceCap" | "policyEnds";
}

/** What is lost on the days `from` through `to` if no leave is added to what is approved. */
export function losses(facts: BalanceFacts, from: Day, to: Day): Loss[] {
  const byKey = new Map<string, Omit<Loss, "minutes"> & { minutes: Rational }>();
  const lose = (day: Day, cause: Loss["cause"], minutes: Rational) => {
    if (day < from || sign(minutes) <= 0) return;
    const key = `${day} ${cause}`;
    byKey.set(key, { day, cause, minutes: add(byKey.get(key)?.minutes ?? ZERO, minutes) });
  };
  const endsOn = forfeitsOn(facts);
  eachPosting(facts, to, (postedOn, minutes, kind, _unlocksOn, _detail, _source, cut) => {
    if (kind === "forfeit")
      lose(postedOn, postedOn === endsOn ? "policyEnds" : "carryoverLimit", negate(minutes));
    else if (kind === "carryoverExpiry" || kind === "grantExpiry") lose(postedOn, kind, negate(minutes));
    else lose(postedOn, "balanceCap", cut);
  });
  return [...byKey.values()]
    .map((loss) => ({ ...loss, minutes: toHundredths(loss.minutes) / 100 }))
    .filter(({ minutes }) => minutes > 0);
}
