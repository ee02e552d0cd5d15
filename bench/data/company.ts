// The rows of a bench company: two assignments and ten requests for each worker. Each row is computed from the company and a number.

import { Random } from "../../src/generate/random.ts";
import { Roster } from "../../src/generate/workers.ts";
import type { AdjustmentRow, WorkHoursRow } from "../../src/resources/adjustments.ts";
import type { Assignment, AssignmentRow } from "../../src/resources/assignments.ts";
import { foldEmail } from "../../src/resources/cells.ts";
import type { RequestRow, TimeOffRequest } from "../../src/resources/requests.ts";
import type { Worker, WorkerRow } from "../../src/resources/workers.ts";
import { bareId, risingId } from "./ids.ts";
import { isByHours } from "./policies.ts";
import { type CompanyShape, TODAY } from "./shape.ts";

const DAY_MS = 86_400_000;
const TODAY_DAY = Date.parse(TODAY) / DAY_MS;
const HISTORY_DAYS = 1095;
const SEED = 1;

const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const instantText = (instantMs: number) => new Date(instantMs).toISOString();

/** The rows of one company; ask for workers in order. */
export class CompanyRows {
  readonly #roster = new Roster(SEED, TODAY_DAY);

  constructor(readonly shape: CompanyShape) {}

  workerId(index: number): string {
    return `wrk_${risingId(this.shape.id, "worker", index, this.shape.workers)}`;
  }

  policyId(index: number): string {
    return `top_${bareId(this.shape.id, "policy", index)}`;
  }

  worker(index: number): WorkerRow {
    const made = this.#roster.worker(index);
    const id = this.workerId(index);
    const wire: Worker = {
      id,
      businessName: made.businessName,
      displayName: made.name.displayName ?? `${made.name.firstName} ${made.name.lastName}`,
      email: made.email,
      endDate: made.endDay === null ? null : dayText(made.endDay),
      firstName: made.name.firstName,
      isBusiness: made.isBusiness,
      lastName: made.name.lastName,
      position: made.position,
      preferredName: made.name.preferredName,
      startDate: dayText(made.startDay),
      status: made.status,
      timeZone: made.timeZone,
      type: made.type,
      workEmail: made.workEmail,
      legacyId: made.legacyId,
      department: null,
      primaryWorkplace: null,
      managerId: null,
      manager: null,
      latestRehireDate: null,
      terminationReason: null,
      updatedAt: "2026-01-01T00:00:00.000Z",
    };
    return {
      id,
      legacyId: made.legacyId,
      doc: JSON.stringify(wire),
      status: made.status,
      type: made.type,
      workEmailFolded: made.workEmail === null ? null : foldEmail(made.workEmail),
      startDay: TODAY_DAY - HISTORY_DAYS,
      endDay: made.endDay !== null && made.endDay > TODAY_DAY - HISTORY_DAYS ? made.endDay : null,
      timeZone: made.timeZone,
      terms: null,
      departmentId: null,
      workplaceId: null,
      managerId: null,
    };
  }

  #policiesOf(workerIndex: number): [number, number] {
    const first = (workerIndex * 2) % this.shape.policies;
    return [first, (first + 1) % this.shape.policies];
  }

  assignments(workerIndex: number): AssignmentRow[] {
    const workerId = this.workerId(workerIndex);
    const assignedDay = TODAY_DAY - HISTORY_DAYS + (workerIndex % 200);
    return this.#policiesOf(workerIndex).map((policyIndex) => {
      const id = `toa_${bareId(this.shape.id, "assignment", workerIndex * 100 + policyIndex)}`;
      const policyId = this.policyId(policyIndex);
      const assignedAt = instantText(assignedDay * DAY_MS);
      const wire: Assignment = { id, assignedAt, policyId, workerId, startsOn: null, endsOn: null };
      return {
        id,
        workerId,
        policyId,
        doc: JSON.stringify(wire),
        assignedDay,
        endsDay: null,
        movesFrom: null,
        terms: null,
      };
    });
  }

  /** In order of ids. Every worker has equally many requests, spread over three years and the coming months. */
  request(index: number): RequestRow {
    const { id: companyId, workers, requests, policies } = this.shape;
    const random = new Random(SEED, 7, index);
    const workerIndex = (index * 7919) % workers;
    const id = `tor_${risingId(companyId, "request", index, requests)}`;
    const workerId = this.workerId(workerIndex);
    const policyId = this.policyId(random.pick(this.#policiesOf(workerIndex)) % policies);
    const status = random.pick([
      "approved",
      "approved",
      "approved",
      "approved",
      "approved",
      "pending",
      "denied",
    ] as const);
    const days = random.chance(0.01) ? random.whole(60, 120) : random.pick([1, 1, 1, 2, 2, 3, 5, 5, 10]);
    const firstDay = TODAY_DAY - HISTORY_DAYS + Math.floor(index / workers) * 120 + random.whole(0, 110);
    const lastDay = firstDay + days - 1;
    const minutes = days * 480;
    const wire: TimeOffRequest = {
      id,
      createdAt: instantText((firstDay - 20) * DAY_MS + 36_000_000),
      endAt: instantText((lastDay + 1) * DAY_MS),
      reason: random.chance(0.5) ? "Family holiday" : null,
      requestedMinutes: minutes,
      startAt: instantText(firstDay * DAY_MS),
      status,
      timeOffPolicyId: policyId,
      timeZone: "UTC",
      workerId,
      legacyId: null,
      startRangeType: "datetime",
      endRangeType: "datetime",
    };
    return {
      id,
      legacyId: null,
      doc: JSON.stringify(wire),
      workerId,
      policyId,
      status,
      startAtMs: firstDay * DAY_MS,
      endAtMs: (lastDay + 1) * DAY_MS,
      firstDay,
      lastDay,
      minutes,
      timeZone: "UTC",
      terms: null,
    };
  }

  /** Every second worker has an opening balance. */
  adjustment(workerIndex: number): AdjustmentRow | null {
    if (workerIndex % 2 === 1) return null;
    return {
      id: `adj_${risingId(this.shape.id, "adjustment", workerIndex, this.shape.workers)}`,
      legacyId: null,
      workerId: this.workerId(workerIndex),
      policyId: this.policyId(this.#policiesOf(workerIndex)[0]),
      day: TODAY_DAY - HISTORY_DAYS + 200,
      minutes: 960,
      expiresDay: null,
      note: null,
    };
  }

  /** One row a month for each worker who accrues by hours worked. */
  workHours(workerIndex: number): WorkHoursRow[] {
    if (!this.#policiesOf(workerIndex).some(isByHours)) return [];
    const workerId = this.workerId(workerIndex);
    return Array.from({ length: 36 }, (_, month) => ({
      workerId,
      day: TODAY_DAY - HISTORY_DAYS + month * 30,
      minutes: 9600,
    }));
  }
}
