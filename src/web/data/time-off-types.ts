// The company's types of time off, each with a colour by its position among them, so that it is the same in all views.
import type { Policy } from "../../client/index.ts";

const TONES = 8;
const PATTERNS = 4;

export interface TimeOffType {
  readonly id: string;
  readonly name: string;
  /** Classes of style/tones.css: a colour, and a pattern where there are more types than colours. */
  readonly tone: string;
}

/** The types of these policies by name, each with its tone. */
export function timeOffTypes(policies: readonly Policy[]): TimeOffType[] {
  const names = new Map(policies.map((policy) => [policy.timeOffTypeId, policy.timeOffTypeName]));
  return [...names]
    .sort(([, a], [, b]) => a.localeCompare(b, "en"))
    .map(([id, name], index) => ({ id, name, tone: toneOf(index) }));
}

function toneOf(index: number): string {
  const pattern = Math.floor(index / TONES) % PATTERNS;
  return `tone-${index % TONES}${pattern === 0 ? "" : ` pattern-${pattern}`}`;
}

export type TypeOf = (policyId: string) => {
  readonly type: TimeOffType | null;
  readonly policy: Policy | null;
};

/** Finds a policy and its type by the policy's id. */
export function typesByPolicy(policies: readonly Policy[], types: readonly TimeOffType[]): TypeOf {
  const known = new Map(policies.map((policy) => [policy.id, policy]));
  return (policyId) => {
    const policy = known.get(policyId) ?? null;
    return { policy, type: types.find(({ id }) => id === policy?.timeOffTypeId) ?? null };
  };
}
