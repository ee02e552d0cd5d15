// The company's types of time off, each with a colour and letters that never change.
import { useMemo } from "react";
import type { Color, Policy } from "../../client/index.ts";
import { compareText } from "./format.ts";
import { useCompany, usePolicies } from "./queries.ts";

/** In the order of style/tones.css. */
const COLORS: readonly Color[] = ["violet", "amber", "rose", "grey", "blue", "olive", "plum", "teal"];
const PATTERNS = 4;

export interface TimeOffType {
  readonly id: string;
  readonly name: string;
  /** Classes of style/tones.css: a colour, and a pattern where types share it. */
  readonly tone: string;
  /** One or two letters of the name, unique if names allow it. */
  readonly letters: string;
}

/** The types of these policies, sorted by name. The colour is the operator's, else derived from the type's id, so other types do not change it. */
export function timeOffTypes(
  policies: readonly Policy[],
  chosen: Readonly<Record<string, Color>> = {},
): TimeOffType[] {
  const names = new Map(policies.map((policy) => [policy.timeOffTypeId, policy.timeOffTypeName]));
  const rounds = new Map<number, number>();
  const tones = new Map(
    [...names.keys()].sort().map((id) => {
      const color = COLORS.indexOf(chosen[id]!); // -1 if none was chosen
      const tone = color < 0 ? hashOf(id) % COLORS.length : color;
      const pattern = (rounds.get(tone) ?? 0) % PATTERNS;
      rounds.set(tone, pattern + 1);
      return [id, `tone-${tone}${pattern === 0 ? "" : ` pattern-${pattern}`}`];
    }),
  );
  const taken = new Set<string>();
  return [...names]
    .sort(([, a], [, b]) => compareText(a, b))
    .map(([id, name]) => {
      const letters = lettersOf(name).find((each) => !taken.has(each)) ?? lettersOf(name)[0]!;
      taken.add(letters);
      return { id, name, tone: tones.get(id)!, letters };
    });
}

/** The types of the company's policies, as all views show them. */
export function useTimeOffTypes(): readonly TimeOffType[] {
  const [policies, company] = [usePolicies().data, useCompany().data];
  return useMemo(() => timeOffTypes(policies ?? [], company?.colors), [policies, company]);
}

/** `V`, `VA`, `VC`, …; there is always a first. */
function lettersOf(name: string): readonly string[] {
  const [first = "?", ...others] = [...name.toUpperCase()].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
  return [first, ...others.map((letter) => first + letter)];
}

function hashOf(id: string): number {
  let hash = 0;
  for (const letter of id) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
  return hash;
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
