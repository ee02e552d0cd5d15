/** The postings of an assignment: everything that changes what a worker has, in order, with the reason. */

import type { Day } from "../time/day.ts";
import { accrue, coverageOf, inOrder } from "./accruals.ts";
import type { BalanceFacts } from "./facts.ts";
import { approvedLeave } from "./leave.ts";
import { periodOf, periodStart, periodsOf } from "./periods.ts";
import {
  add,
  atLeastZero,
  negate,
  type Rational,
  rational,
  sign,
  smaller,
  subtract,
  ZERO,
} from "./rational.ts";

type PostingKind = "accrual" | "adjustment" | "forfeit";

export interface Posting {
  readonly postedOn: Day;
  readonly minutes: Rational;
  readonly kind: PostingKind;
  /** The day from which the minutes count as usable: never before `postedOn`. */
  readonly unlocksOn: Day;
}

/** Receives the parts of a posting; scalars, because a page of balances makes thousands. */
export type ReceivePosting = (postedOn: Day, minutes: Rational, kind: PostingKind, unlocksOn: Day) => void;

/** All postings up to and including `until`, in order. They explain a balance line by line. */
export function postings(facts: BalanceFacts, until: Day): Posting[] {
  const list: Posting[] = [];
  eachPosting(facts, until, (postedOn, minutes, kind, unlocksOn) => {
    list.push({ postedOn, minutes, kind, unlocksOn });
  });
  return list;
}

/**
 * Hands over every posting up to and including `until`, by day and on one day as forfeit, adjustments, accruals
 * (docs/balances.md, Postings). An unlimited policy has none.
 */
export function eachPosting(facts: BalanceFacts, until: Day, receive: ReceivePosting): void {
  const { policy, assignment, requests } = facts;
  if (policy.isUnlimited) return;
  const { waitingPeriodDays, carryoverLimitMinutes, balanceCapMinutes, periodAnchor } = policy.rules;
  const coverage = coverageOf(facts);
  const usableFrom = assignment.assignedOn + waitingPeriodDays;
  const carryoverLimit = carryoverLimitMinutes === null ? null : rational(carryoverLimitMinutes);
  const cap = balanceCapMinutes === null ? null : rational(balanceCapMinutes);
  const isBalanceNeeded = carryoverLimit !== null || cap !== null;
  let runningBalance = ZERO;

  const post = (day: Day, minutes: Rational, kind: PostingKind) => {
    if (isBalanceNeeded) runningBalance = add(runningBalance, minutes);
    receive(day, minutes, kind, kind === "adjustment" ? day : Math.max(day, usableFrom));
  };

  // Only leave before the day counts: what lies ahead neither makes room under a cap nor softens a forfeit.
  const leaveThrough = isBalanceNeeded ? approvedLeave(requests) : () => ZERO;
  const runningBalanceOn = (day: Day): Rational => {
    runningBalance = subtract(runningBalance, leaveThrough(day - 1));
    return runningBalance;
  };

  const years = periodsOf(periodAnchor, 12, assignment.assignedOn);
  let nextYear = periodOf(years, coverage.first) + 1;
  let forfeitOn = carryoverLimit === null ? Infinity : periodStart(years, nextYear);
  const lastForfeit = Math.min(coverage.last, until);
  const forfeitThrough = (day: Day) => {
    while (carryoverLimit !== null && forfeitOn <= day && forfeitOn <= lastForfeit) {
      const excess = subtract(runningBalanceOn(forfeitOn), carryoverLimit);
      if (sign(excess) > 0) post(forfeitOn, negate(excess), "forfeit");
      nextYear += 1;
      forfeitOn = periodStart(years, nextYear);
    }
  };

  const adjustments = inOrder(facts.adjustments);
  let nextAdjustment = 0;
  const settleThrough = (day: Day) => {
    for (; nextAdjustment < adjustments.length; nextAdjustment++) {
      const adjustment = adjustments[nextAdjustment]!;
      if (adjustment.day > day) break;
      forfeitThrough(adjustment.day);
      post(adjustment.day, rational(adjustment.minutes), "adjustment");
    }
    forfeitThrough(day);
  };

  accrue(facts, coverage, until, (day, minutes) => {
    settleThrough(day);
    const room = cap && atLeastZero(subtract(cap, runningBalanceOn(day)));
    post(day, room ? smaller(minutes, room) : minutes, "accrual");
  });
  settleThrough(until);
}
