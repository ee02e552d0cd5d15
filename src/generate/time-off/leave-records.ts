// Everything about one worker's time off: assignments, adjustments, requests and hours, in accord with each other.

import type { CsvFile } from "../csv-out.ts";
import type { Day } from "../days.ts";
import { streams, type Worker } from "../people/workers.ts";
import { Random } from "../random.ts";
import { type Absence, LeavePlan } from "./absences.ts";
import { type adjustmentColumns, adjustmentRow, correction, openingBalance, payOut } from "./adjustments.ts";
import { Allowance } from "./allowance.ts";
import { type assignmentColumns, assignmentRow, assignmentsOf } from "./assignments.ts";
import { type requestColumns, requestRow } from "./requests.ts";
import { type workHoursColumns, workHoursDays, writeWorkHours } from "./work-hours.ts";

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
    const assignments = assignmentsOf(worker, today, random);
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
