// A colour for each type of time off: by its place among the company's types, so that it stays the same in all views.
import type { Policy } from "../../client/index.ts";

const TONES = 8;

export interface TimeOffType {
  readonly id: string;
  readonly name: string;
  /** A class of style/tones.css. */
  readonly tone: string;
}

/** The types of these policies by name, each with its tone. */
export function timeOffTypes(policies: readonly Policy[]): TimeOffType[] {
  const names = new Map(policies.map((policy) => [policy.timeOffTypeId, policy.timeOffTypeName]));
  return [...names]
    .sort(([, a], [, b]) => a.localeCompare(b, "en"))
    .map(([id, name], index) => ({ id, name, tone: `tone-${index % TONES}` }));
}
