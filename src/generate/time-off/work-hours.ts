// Days worked by contractors, whose time off accrues by the hour.

import type { CsvFile } from "../csv-out.ts";
import { type Day, dayText } from "../days.ts";
import { contractorShare, type Worker } from "../people/workers.ts";
import type { Random } from "../random.ts";
import { type Absence, isWeekend } from "./absences.ts";

export const workHoursColumns = ["workerId", "date", "minutes"] as const;

/** The company size up to which a whole year is kept. */
const wholeYearUpTo = 1000;

/** Days back for which hours are kept: a year, but in a large company no more rows than there are requests. */
export function workHoursDays(workers: number, requestsPerWorker: number): number {
  if (workers <= wholeYearUpTo) return 365;
  const workingDays = (0.8 * requestsPerWorker) / contractorShare;
  return Math.min(365, Math.floor((workingDays * 7) / 5));
}

/** One row per day worked from `firstDay` to `lastDay`; none at weekends and during approved whole-day leave. */
export function writeWorkHours(
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
    file.write({ workerId: worker.legacyId, date: dayText(day), minutes });
  }
}
