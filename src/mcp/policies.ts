// list_policies.
import { z } from "zod";
import type { Policy } from "../client/index.ts";
import { inHours } from "./time-off.ts";
import { tool, written } from "./tool.ts";

const row = z.strictObject({
  id: z.string(),
  name: written,
  type: written,
  schedule: z.string().describe("When time off accrues."),
  grantHours: z
    .number()
    .nullable()
    .describe("What each month, year, or chunk of worked hours grants; null if unlimited."),
  workedHoursPerGrant: z.number().nullable(),
  isUnlimited: z.boolean(),
  isPaid: z.boolean(),
  unit: z.string().describe("The unit that people see: hour or day."),
  legacyId: written.nullable().describe("The id in the source system."),
  description: written.nullable(),
});

export const listPolicies = tool({
  name: "list_policies",
  title: "List time-off policies",
  description: "Lists the company's time-off policies: the types of time off, and how they accrue.",
  scopes: ["time_off:read"],
  input: z.strictObject({}),
  row,
  narrow: "Other tools take the name or the id of any policy.",
  async run(_given, { names }) {
    const rows = (await names.policies()).map(rowOf);
    const heading = rows.length === 0 ? "There are no policies." : "The time-off policies:";
    return { heading, rows, total: rows.length, hasMore: false };
  },
});

function rowOf(policy: Policy) {
  const minutes = policy.minutesPerPeriod ?? policy.minutesPerChunk;
  return {
    id: policy.id,
    name: policy.name,
    type: policy.timeOffTypeName,
    schedule: policy.schedule,
    grantHours: minutes === null ? null : inHours(minutes),
    workedHoursPerGrant: policy.hoursWorkedPerChunk,
    isUnlimited: policy.isUnlimited,
    isPaid: policy.paid,
    unit: policy.unit,
    legacyId: policy.legacyId,
    description: policy.description,
  };
}
