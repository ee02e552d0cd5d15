// A policy in plain words, as far as the API tells.
import type { Policy } from "../../client/index.ts";
import { amount, number } from "../time/format.ts";

export function accrualText(policy: Policy): string {
  const { schedule, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk, unit } = policy;
  switch (schedule) {
    case "unlimited":
      return "As much as is needed: nothing accrues and nothing runs out.";
    case "per_hour_worked":
      return `${amount(minutesPerChunk ?? 0, "hour")} for every ${number(hoursWorkedPerChunk ?? 0)} hours worked.`;
    case "monthly":
      return `${amount(minutesPerPeriod ?? 0, unit)} every month${inYear((minutesPerPeriod ?? 0) * 12, unit)}.`;
    case "yearly":
      return `${amount(minutesPerPeriod ?? 0, unit)} every year.`;
  }
}

const inYear = (minutes: number, unit: Policy["unit"]) => `, which makes ${amount(minutes, unit)} a year`;

export const paidText = ({ paid }: Policy) => (paid ? "Paid" : "Unpaid");
