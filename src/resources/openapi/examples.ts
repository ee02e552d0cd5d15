// One complete example of every resource, for the interface document. The same ids appear in all of them, so that a
// reader can follow a worker to their assignment, requests and balance.
import type { Assignment } from "../assignments.ts";
import type { Balance } from "../balances.ts";
import type { Policy } from "../policies.ts";
import type { TimeOffRequest } from "../requests.ts";
import type { Worker } from "../workers.ts";

const worker: Worker = {
  id: "wrk_3f9k2m7q8r5t1v4w6x0z",
  businessName: null,
  displayName: "Françoise Lind",
  email: "francoise.lind@example.org",
  endDate: null,
  firstName: "Françoise",
  isBusiness: false,
  lastName: "Lind",
  position: "Payroll engineer",
  preferredName: null,
  startDate: "2024-03-01",
  status: "active",
  timeZone: "Europe/Berlin",
  type: "employee",
  workEmail: "francoise@example.com",
};

const policy: Policy = {
  id: "top_8m2v5x9c1b7n4k6j3h0g",
  description: "30 days a year, earned month by month.",
  hoursWorkedPerChunk: null,
  isUnlimited: false,
  minutesPerChunk: null,
  minutesPerPeriod: 1200,
  name: "Annual leave",
  paid: true,
  schedule: "monthly",
  timeOffTypeId: "tot_5t8y1u4i7o0p3a6s9d2f",
  timeOffTypeName: "Vacation",
  unit: "day",
};

const request: TimeOffRequest = {
  id: "tor_1q2w3e4r5t6y7u8i9o0p",
  createdAt: "2026-01-12T08:15:30.000Z",
  endAt: "2026-03-04T23:00:00.000Z",
  reason: "Family visit",
  requestedMinutes: 1440,
  startAt: "2026-03-01T23:00:00.000Z",
  status: "approved",
  timeOffPolicyId: policy.id,
  timeZone: "Europe/Berlin",
  workerId: worker.id,
};

const balance: Balance = {
  id: "tob_203f9k2m7q8r5t1v4w6x0z8m2v5x9c1b7n4k6j3h0g",
  accruedLocked: 0,
  accruedUnlocked: 3600,
  available: 1680,
  holds: 480,
  legacyWorkerId: "E00042",
  policyId: policy.id,
  used: 1440,
  workerId: worker.id,
};

const assignment: Assignment = {
  id: "toa_9z8x7c6v5b4n3m2k1j0h",
  assignedAt: "2024-03-01T00:00:00.000Z",
  policyId: policy.id,
  workerId: worker.id,
};

/** A complete example of each resource, by the name of its schema. */
export const RESOURCE_EXAMPLES = {
  Worker: worker,
  Policy: policy,
  Request: request,
  Balance: balance,
  Assignment: assignment,
} as const;

export type ResourceName = keyof typeof RESOURCE_EXAMPLES;

/** A page that holds just the example, in the envelope of the contract (docs/api.md, Lists). */
export function listExample(name: ResourceName) {
  return { count: 1, data: [RESOURCE_EXAMPLES[name]], hasMore: false };
}
