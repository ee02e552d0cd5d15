/** What moved a balance between two days, and what of it will be lost: pure functions of facts and days. */
import type { Day } from "../time/day.ts";
import { postedThrough } from "./balance.ts";
import { type BalanceFacts, countsFrom } from "./facts.ts";
import { leaveBetween } from "./leave.ts";
import { eachPosting, type PostingKind } from "./postings.ts";
import { add, negate, type Rational, sign, subtract, toHundredths, ZERO } from "./rational.ts";

/** In hundredths of a minute, so that sums are exact. What takes away is above zero in `used`, `forfeited` and `expired`. */
export type Movements = Record<
  | ("opening" | "restated" | "granted" | "used" | "adjusted" | "forfeited" | "expired")
  | ("opened" | "moved" | "revalued" | "closing" | "earned"),
  number
>;

export function noMovements(): Movements {
  const parts = {
    granted: 0,
    used: 0,
    adjusted: 0,
    forfeited: 0,
    expired: 0,
    opened: 0,
    moved: 0,
    revalued: 0,
  };
  return { opening: 0, restated: 0, ...parts, closing: 0, earned: 0 };
}

/** The columns that are sums of postings, with the sign that they show them with. Accruals are the rest. */
const PARTS: Partial<Record<PostingKind, readonly [part: keyof Movements, sign: 1 | -1]>> = {
  adjustment: ["adjusted", 1],
  forfeit: ["forfeited", -1],
  carryoverExpiry: ["expired", -1],
  grantExpiry: ["expired", -1],
  opening: ["opened", 1],
  moved: ["moved", 1],
  revalued: ["revalued", 1],
};

interface Sums {
  readonly kinds: Map<PostingKind, Rational>;
  /** Of what can be used by the day, and by today; and of all else. */
  unlocked: Rational;
  locked: Rational;
}

/**
 * The movements of the days `from` through `to`, both included: `opening + restated + granted - used + adjusted - forfeited - expired +
 * opened + moved + revalued = closing`. Each part is the difference of its rounded sums by either end, and `granted` is the rest, so the
 * movements of adjacent spans add up to those of both together (docs/balances.md, Movements). `today` is the current UTC day.
 * `closed`: the figure with which the day before `from` was closed, in hundredths. It is the opening then, and what became known
 * since is `restated`.
 */
export function movements(facts: BalanceFacts, today: Day, from: Day, to: Day, closed?: number): Movements {
  const days = [from - 1, to] as const;
  const sums = days.map((): Sums => ({ kinds: new Map(), unlocked: ZERO, locked: ZERO }));
  eachPosting(facts, to, (postedOn, minutes, kind, unlocksOn) => {
    for (const [at, day] of days.entries()) {
      const of = sums[at]!; // one for each day
      if (postedOn > day) continue;
      of.kinds.set(kind, add(of.kinds.get(kind) ?? ZERO, minutes));
      if (unlocksOn <= Math.min(today, day)) of.unlocked = add(of.unlocked, minutes);
      else of.locked = add(of.locked, minutes);
    }
  });
  const [before, after] = days.map((day, at): Movements => {
    const { kinds, unlocked, locked } = sums[at]!; // one for each day
    const { approved } = leaveBetween(facts.requests, countsFrom(facts), day, facts.worker);
    const all = { ...noMovements(), used: toHundredths(approved) };
    for (const [kind, part] of Object.entries(PARTS))
      all[part[0]] += part[1] * toHundredths(kinds.get(kind as PostingKind) ?? ZERO); // a key of PARTS
    // Nothing accrues under an unlimited policy: what is used is granted.
    all.closing = facts.policy.isUnlimited ? 0 : toHundredths(unlocked) + toHundredths(locked) - all.used;
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

/** What is left at the end of a day if it is the worker's last one: no more is owed to somebody who leaves then. */
export function earnedOn(facts: BalanceFacts, day: Day): Rational {
  const { assignment, worker, opening, movesFrom, movesOn } = facts;
  if (facts.policy.isUnlimited || (opening !== null && opening.day > day)) return ZERO;
  const isBy = (entry: { readonly day: Day }) => entry.day <= day;
  const left: BalanceFacts = {
    ...facts,
    worker: { ...worker, endDate: Math.min(worker.endDate ?? Infinity, day) },
    adjustments: facts.adjustments.filter(isBy),
    workedHours: facts.workedHours.filter(isBy),
    movesFrom: assignment.assignedOn <= day ? movesFrom : null,
    movesOn: movesOn !== null && movesOn <= day ? movesOn : null,
  };
  // A grant that is posted after its last covered day comes on the day after.
  const all = postedThrough(left, day + 1);
  let sum = all === null ? ZERO : add(all.unlocked, all.locked);
  if (all === null)
    eachPosting(left, day + 1, (postedOn, minutes, kind) => {
      if (postedOn <= day || kind === "accrual") sum = add(sum, minutes);
    });
  return subtract(sum, leaveBetween(facts.requests, countsFrom(facts), day, worker).approved);
}

export interface Loss {
  readonly day: Day;
  /** Above 0, with at most 2 decimals. */
  readonly minutes: number;
  readonly cause: "carryoverLimit" | "carryoverExpiry" | "grantExpiry" | "balanceCap";
}

/** What is lost on the days `from` through `to` if no more leave is taken than what is approved. */
export function losses(facts: BalanceFacts, from: Day, to: Day): Loss[] {
  const byKey = new Map<string, Omit<Loss, "minutes"> & { minutes: Rational }>();
  const lose = (day: Day, cause: Loss["cause"], minutes: Rational) => {
    if (day < from || sign(minutes) <= 0) return;
    const key = `${day} ${cause}`;
    byKey.set(key, { day, cause, minutes: add(byKey.get(key)?.minutes ?? ZERO, minutes) });
  };
  eachPosting(facts, to, (postedOn, minutes, kind, _unlocksOn, _detail, _source, cut) => {
    if (kind === "forfeit") lose(postedOn, "carryoverLimit", negate(minutes));
    else if (kind === "carryoverExpiry" || kind === "grantExpiry") lose(postedOn, kind, negate(minutes));
    else lose(postedOn, "balanceCap", cut);
  });
  return [...byKey.values()]
    .map((one) => ({ ...one, minutes: toHundredths(one.minutes) / 100 }))
    .filter(({ minutes }) => minutes > 0);
}
