// Everything about one worker's time off: assignments, adjustments, requests and hours, in accord with each other.

import type { CsvFile, CsvRow } from "../../csv-file.ts";
import { type Day, formatDay } from "../../time/day.ts";
import { contractorShare, streams, type Worker } from "../people/workers.ts";
import { Random } from "../random.ts";
import { type Absence, Allowance, isWeekend, LeavePlan } from "./absences.ts";
import { type Assignment, type assignmentColumns, assignmentRow, assignmentsOf } from "./assignments.ts";
import { dayMinutes } from "./policies.ts";
import { type requestColumns, requestRow } from "./requests.ts";

interface Files {
  assignments: CsvFile<typeof assignmentColumns>;
  adjustments: CsvFile<typeof adjustmentColumns>;
  requests: CsvFile<typeof requestColumns>;
  workHours: CsvFile<typeof workHoursColumns>;
}

interface Scale {
  workers: number;
  seed: number;
  today: Day;
  requestsPerWorker: number;
}

// Requests a year that make one request per worker in the end: few were there for the whole history, and not every
// wish is affordable. Measured with ten requests per worker.
const wishedPerYear = 0.675;

export class LeaveRecords {
  readonly #files: Files;
  readonly #scale: Scale;
  readonly #workHoursDays: number;

  constructor(files: Files, scale: Scale) {
    this.#files = files;
    this.#scale = scale;
    this.#workHoursDays = workHoursDays(scale.workers, scale.requestsPerWorker);
  }

  write(worker: Worker): void {
    const { today, seed } = this.#scale;
    const random = new Random(seed, streams.leave, worker.index);
    const assignments = assignmentsOf(worker, today, random, new Random(seed, streams.remote, worker.index));
    for (const assignment of assignments) this.#files.assignments.write(assignmentRow(assignment));

    const vacation = assignments[0]!;
    const byTheHour = vacation.policy.schedule === "per_hour_worked";
    const firstDay = byTheHour
      ? Math.max(vacation.assignedOn, today - this.#workHoursDays)
      : vacation.assignedOn;
    const lastDay = worker.endDay ?? Number.POSITIVE_INFINITY;
    if (lastDay < firstDay) return;

    const books = new Random(seed, streams.adjustments, worker.index);
    const opening = openingBalance(vacation, firstDay, books);
    const usedShare = random.between(0.62, 0.96);
    const allowances = assignments.map(
      ({ policy }, index) =>
        new Allowance(
          policy,
          firstDay,
          lastDay,
          (index === 0 && opening?.minutes) || 0,
          index === 0 ? usedShare : 1,
        ),
    );
    const plan = new LeavePlan(worker, allowances, firstDay, today, random);
    const absences = plan.fill(this.#scale.requestsPerWorker * wishedPerYear);
    absences.forEach((absence, index) => {
      this.#files.requests.write(requestRow(worker, absence, index + 1, today, random));
    });

    const changes = [
      opening,
      correction(firstDay, Math.min(lastDay, today - 1), books),
      worker.status === "inactive" ? payOut(allowances[0]!, lastDay, books) : null,
    ].filter((change) => change !== null);
    changes.forEach((change, index) => {
      this.#files.adjustments.write(adjustmentRow(vacation, change, index + 1));
    });
    if (byTheHour) this.#writeHours(worker, absences, firstDay, Math.min(lastDay, today - 1));
  }

  #writeHours(worker: Worker, absences: readonly Absence[], firstDay: Day, lastDay: Day): void {
    const random = new Random(this.#scale.seed, streams.workHours, worker.index);
    writeWorkHours(this.#files.workHours, worker, absences, firstDay, lastDay, random);
  }
}

// Adjustments.

export const adjustmentColumns = ["legacyId", "workerId", "policyId", "date", "minutes", "note"] as const;

interface Adjustment {
  day: Day;
  /** Signed. */
  minutes: number;
  note: string | null;
}

/** The balance that a long-serving worker brings along on `day`, in whole half-days; null for the others. */
function openingBalance({ worker, policy }: Assignment, day: Day, random: Random): Adjustment | null {
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
function correction(firstDay: Day, lastDay: Day, random: Random): Adjustment | null {
  if (lastDay <= firstDay || !random.chance(0.05)) return null;
  const minutes = random.pick([60, 120, 240, 240, 480, 480, 960, -60, -240]);
  return { day: random.whole(firstDay + 1, lastDay), minutes, note: random.pick(corrections) };
}

/** What most leavers are paid for the leave they had not taken: negative, on the day they left. */
function payOut(allowance: Allowance, lastDay: Day, random: Random): Adjustment | null {
  const hours = Math.floor((allowance.left(lastDay) * 0.95) / 60);
  if (hours < 1 || !random.chance(0.8)) return null;
  return { day: lastDay, minutes: -hours * 60, note: "Paid out with the last salary" };
}

/** `number` counts the adjustments of the worker, from 1. */
function adjustmentRow(
  { worker, policy }: Assignment,
  { day, minutes, note }: Adjustment,
  number: number,
): CsvRow<typeof adjustmentColumns> {
  return {
    legacyId: `A${worker.legacyId.slice(1)}-${number}`,
    workerId: worker.legacyId,
    policyId: policy.legacyId,
    date: formatDay(day),
    minutes,
    note,
  };
}

// Work hours of contractors, whose time off accrues by the hour.

export const workHoursColumns = ["workerId", "date", "minutes"] as const;

/** The company size up to which hours of a whole year are written. */
const wholeYearUpTo = 1000;

/** Days back for which hours are written: a year, but in a large company no more rows than there are requests. */
function workHoursDays(workers: number, requestsPerWorker: number): number {
  if (workers <= wholeYearUpTo) return 365;
  const workingDays = (0.8 * requestsPerWorker) / contractorShare;
  return Math.min(365, Math.floor((workingDays * 7) / 5));
}

/** One row per day worked from `firstDay` to `lastDay`; none at weekends and during approved whole-day leave. */
function writeWorkHours(
  file: CsvFile<typeof workHoursColumns>,
  worker: Worker,
  absences: readonly Absence[],
  firstDay: Day,
  lastDay: Day,
  random: Random,
): void {
  const away = absences.filter(({ status, startMinute }) => status === "approved" && startMinute === null);
  const usual = random.pick([480, 480, 480, 450, 360, 420]);
  for (let day = firstDay; day <= lastDay; day++) {
    if (isWeekend(worker, day) || away.some((leave) => leave.firstDay <= day && day <= leave.lastDay))
      continue;
    const minutes = usual + (random.chance(0.3) ? random.whole(-8, 6) * 15 : 0);
    file.write({ workerId: worker.legacyId, date: formatDay(day), minutes });
  }
}
