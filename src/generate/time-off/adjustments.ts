// What the books say beside accruals: balances brought forward, corrections, and pay-outs of those who left.

import type { Row } from "../csv-out.ts";
import { type Day, dayText } from "../days.ts";
import type { Random } from "../random.ts";
import type { Allowance } from "./allowance.ts";
import type { Assignment } from "./assignments.ts";
import { dayMinutes } from "./policies.ts";

export const adjustmentColumns = ["legacyId", "workerId", "policyId", "date", "minutes", "note"] as const;

interface Adjustment {
  day: Day;
  /** Signed. */
  minutes: number;
  note: string | null;
}

/** The balance that a long-serving worker brings along on `day`, in whole half-days; null for the others. */
export function openingBalance({ worker, policy }: Assignment, day: Day, random: Random): Adjustment | null {
  if (policy.kind !== "vacation" || policy.schedule === "unlimited" || worker.startDay >= day) return null;
  const halfDays = policy.legacyId === "PTO-CTR" ? random.whole(1, 8) : random.whole(2, 24);
  return { day, minutes: (halfDays * dayMinutes) / 2, note: "Opening balance, brought forward" };
}

const corrections = [
  "Correction: public holiday counted as leave",
  'Correction; see ticket "HR-1187"',
  "Time off in lieu for weekend work, March release",
  "Überstundenausgleich",
  null,
];

/** For a few, something put right on a day of the past. */
export function correction(firstDay: Day, lastDay: Day, random: Random): Adjustment | null {
  if (lastDay <= firstDay || !random.chance(0.05)) return null;
  const minutes = random.pick([60, 120, 240, 240, 480, 480, 960, -60, -240]);
  return { day: random.whole(firstDay + 1, lastDay), minutes, note: random.pick(corrections) };
}

/** What most leavers are paid for the leave they had not taken: negative, on the day they left. */
export function payOut(allowance: Allowance, lastDay: Day, random: Random): Adjustment | null {
  const hours = Math.floor((allowance.left(lastDay) * 0.95) / 60);
  if (hours < 1 || !random.chance(0.8)) return null;
  return { day: lastDay, minutes: -hours * 60, note: "Paid out with the last salary" };
}

/** `number` counts the adjustments of the worker, from 1. */
export function adjustmentRow(
  { worker, policy }: Assignment,
  { day, minutes, note }: Adjustment,
  number: number,
): Row<typeof adjustmentColumns> {
  return {
    legacyId: `A${worker.legacyId.slice(1)}-${number}`,
    workerId: worker.legacyId,
    policyId: policy.legacyId,
    date: dayText(day),
    minutes,
    note,
  };
}
