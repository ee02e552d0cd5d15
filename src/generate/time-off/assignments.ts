// Which policies a worker has, and from when. Who was hired before the records begin is assigned on
// a hire anniversary and comes with an opening balance.

import type { CsvRow } from "../../csv-file.ts";
import { addMonths, type Day, dateOf, formatDay } from "../../time/day.ts";
import { isExecutive } from "../people/positions.ts";
import type { Worker } from "../people/workers.ts";
import type { Random } from "../random.ts";
import {
  annualLeaveOf,
  contractorTimeOff,
  type Policy,
  parentalLeave,
  remoteWork,
  sickLeaveOf,
  studyLeave,
  unlimitedVacation,
  unpaidLeave,
} from "./policies.ts";

export const assignmentColumns = ["workerId", "policyId", "assignedAt", "startsOn", "endsOn"] as const;

export interface Assignment {
  worker: Worker;
  policy: Policy;
  assignedOn: Day;
  endsOn: Day | null;
}

/** Years back from today for which there are requests. */
const historyYears = 3;

/** Two to four assignments; the first is the worker's vacation. `remote` draws who also works from home. */
export function assignmentsOf(worker: Worker, today: Day, random: Random, remote: Random): Assignment[] {
  const assignedOn = assignmentDay(worker, today);
  const endsOn = worker.status === "inactive" && random.chance(0.5) ? worker.endDay : null;
  const policies = policiesOf(worker, random);
  if (worker.type === "employee" && policies.length < 4 && remote.chance(0.15)) policies.push(remoteWork);
  return policies.map((policy) => ({ worker, policy, assignedOn, endsOn }));
}

function policiesOf(worker: Worker, random: Random): Policy[] {
  if (worker.type === "contractor") return [contractorTimeOff, unpaidLeave];
  const { country } = worker.site;
  const ownChoice = isExecutive(worker.position) || (country === "US" && random.chance(0.15));
  const policies = [ownChoice ? unlimitedVacation : annualLeaveOf(country), sickLeaveOf(country)];
  if (random.chance(0.09)) policies.push(parentalLeave);
  if (random.chance(0.06)) policies.push(studyLeave);
  if (policies.length < 4 && random.chance(0.06)) policies.push(unpaidLeave);
  return policies;
}

/** The day of hire, or for the long-serving the first anniversary of it within the history. */
function assignmentDay({ startDay, endDay }: Worker, today: Day): Day {
  const historyStart = addMonths(today, -12 * historyYears);
  if (startDay >= historyStart) return startDay;
  const lastDay = Math.min(endDay ?? today, today);
  let years = dateOf(historyStart).year - dateOf(startDay).year;
  if (addMonths(startDay, 12 * years) < historyStart) years++;
  if (addMonths(startDay, 12 * years) >= lastDay) years--;
  return addMonths(startDay, 12 * years);
}

/** `assignedAt` is midnight UTC of the assignment day. `startsOn` says that day, whatever the worker's time zone. */
export function assignmentRow(assignment: Assignment): CsvRow<typeof assignmentColumns> {
  return {
    workerId: assignment.worker.legacyId,
    policyId: assignment.policy.legacyId,
    assignedAt: `${formatDay(assignment.assignedOn)}T00:00:00.000Z`,
    startsOn: formatDay(assignment.assignedOn),
    endsOn: assignment.endsOn === null ? null : formatDay(assignment.endsOn),
  };
}
