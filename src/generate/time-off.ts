// A worker's time off: assignments, requests, adjustments and hours that agree with each other.
import { type Day, formatDay } from "../time/day.ts";
import { type Absence, Allowance, absencesOf, DAY_MINUTES } from "./absences.ts";
import { isDayOff } from "./calendars.ts";
import { assignmentRow, assignmentsOf } from "./policies.ts";
import { Random, streams } from "./random.ts";
import { requestRow } from "./requests.ts";
import type { Worker } from "./workers.ts";

interface Scale {
  seed: number;
  workers: number;
  today: Day;
  requestsPerWorker: number;
}

/** Wishes a year for each wanted request per worker. Not every wish is granted. Measured with ten requests per worker. */
const WISHES_PER_YEAR = 0.6;

export function timeOffOf(worker: Worker, { seed, workers, today, requestsPerWorker }: Scale) {
  const random = new Random(seed, streams.timeOff, worker.index);
  const assignments = assignmentsOf(worker, today, random);
  const vacation = assignments[0]!;
  const worksByTheHour = vacation.policy.schedule === "per_hour_worked";
  // A year of work hours; in a large company fewer, or they would outnumber the requests.
  const daysOfWorkHours = workers <= 1000 ? 365 : 60;
  const firstDay = worksByTheHour
    ? Math.max(vacation.assignedOn, today - daysOfWorkHours)
    : vacation.assignedOn;
  const lastPastDay = Math.min(worker.endDay ?? today, today - 1);

  // The opening balance of earlier hires, in half-days.
  const opening = worker.startDay < vacation.assignedOn ? (random.whole(2, 20) * DAY_MINUTES) / 2 : 0;
  const allowances = assignments.map(
    ({ policy }, index) => new Allowance(policy, firstDay, index === 0 ? opening : 0),
  );
  const perYear = requestsPerWorker * WISHES_PER_YEAR;
  const absences = absencesOf(worker, allowances, firstDay, today, perYear, random);

  const adjustments = [{ day: firstDay, minutes: opening, note: "Opening balance, brought forward" }];
  if (lastPastDay > firstDay && random.chance(0.05)) {
    const note = "Correction: public holiday counted as leave";
    adjustments.push({ day: random.whole(firstDay + 1, lastPastDay), minutes: DAY_MINUTES, note });
  }
  if (worker.status === "inactive" && random.chance(0.8)) {
    const minutes = -paidOut(allowances[0]!, lastPastDay);
    adjustments.push({ day: lastPastDay, minutes, note: "Paid out with the last salary" });
  }
  const isLimited = vacation.policy.schedule !== "unlimited";
  const booked = adjustments.filter(({ minutes }) => isLimited && minutes !== 0);

  return {
    policies: assignments.map(({ policy }) => policy),
    assignments: assignments.map((assignment) => assignmentRow(worker, assignment)),
    requests: absences.map((absence, index) => requestRow(worker, absence, index + 1, today, random)),
    adjustments: booked.map(({ day, minutes, note }, index) => ({
      legacyId: `A${worker.legacyId.slice(1)}-${index + 1}`,
      workerId: worker.legacyId,
      policyId: vacation.policy.legacyId,
      date: formatDay(day),
      minutes,
      note,
    })),
    workHours: worksByTheHour ? workHoursRows(worker, absences, firstDay, lastPastDay, random) : [],
  };
}

/** The minutes of leave that are paid out to a leaver: whole hours. */
function paidOut(vacation: Allowance, lastDay: Day): number {
  return Math.max(0, Math.floor((vacation.usableMinutes(lastDay) * 0.95) / 60) * 60);
}

/** One row for each day worked from `firstDay` to `lastDay`; none on days off and during approved whole-day leave. */
function workHoursRows(
  worker: Worker,
  absences: readonly Absence[],
  firstDay: Day,
  lastDay: Day,
  random: Random,
) {
  const away = absences.filter(({ status, startMinute }) => status === "approved" && startMinute === null);
  const usual = random.pick([480, 480, 480, 450, 360, 420]);
  const rows: { workerId: string; date: string; minutes: number }[] = [];
  for (let day = firstDay; day <= lastDay; day++) {
    if (isDayOff(worker, day) || away.some((leave) => leave.firstDay <= day && day <= leave.lastDay))
      continue;
    const minutes = usual + (random.chance(0.3) ? random.whole(-8, 6) * 15 : 0);
    rows.push({ workerId: worker.legacyId, date: formatDay(day), minutes });
  }
  return rows;
}
