// What the tests of drafts share: answers to questions, and what an import stores, as lines that a person reads.
import { modify, parse } from "jsonc-parser";
import type { TestCompany } from "../../support/import-files.ts";

/** By the path of a "?", what stands in its place; null takes the key away: `{"requests.endDay": "included"}`. */
export type Answers = Readonly<Record<string, unknown>>;

/** The mapping with these answers. Raises an error for one to a question that there is not. */
export function answered(draft: string, answers: Answers): string {
  const mapping = parse(draft);
  for (const [path, answer] of Object.entries(answers)) {
    const keys = pathIn(mapping, path);
    let holder = mapping;
    for (const key of keys.slice(0, -1)) holder = holder[key];
    const last = keys.at(-1)!;
    if (answer === null) delete holder[last];
    else holder[last] = answer;
  }
  return JSON.stringify(mapping);
}

void modify;

/** The keys of a path, some of which may have points themselves. */
function pathIn(holder: unknown, path: string): string[] {
  if (typeof holder === "object" && holder !== null)
    for (const key of Object.keys(holder)) {
      if (path === key) return [key];
      if (!path.startsWith(`${key}.`)) continue;
      const below = (holder as Readonly<Record<string, unknown>>)[key]; // its own key
      try {
        return [key, ...pathIn(below, path.slice(key.length + 1))];
      } catch {}
    }
  throw new Error(`the draft has no ${path}`);
}

/** Everything that is stored, without ids: people and policies go by their legacy ids. */
export async function storedLines(company: TestCompany) {
  const { workers, policies, assignments, requests, adjustments } = await company.stored();
  const names = new Map([...workers, ...policies].map(({ id, legacyId }) => [id, legacyId ?? id]));
  const lines = (all: readonly string[]) => all.toSorted();
  const minutesOf = (doc: string) => JSON.parse(doc).requestedMinutes;
  return {
    workers: lines(
      workers.map(({ doc }) => {
        const one = JSON.parse(doc);
        const manager = one.managerId === null ? "" : `, manager ${names.get(one.managerId)}`;
        const groups = [one.position, one.department, one.location].filter(Boolean).join(" / ");
        return `${one.legacyId}: ${one.displayName} (${one.firstName} | ${one.lastName}), ${one.email}, ${one.workEmail}, ${one.startDate}–${one.endDate ?? ""}, ${one.status} ${one.type}${manager}${groups === "" ? "" : `, ${groups}`}`;
      }),
    ),
    policies: lines(
      policies.map(({ doc, legacyId }) => `${legacyId}: ${JSON.parse(doc).paid ? "paid" : "unpaid"}`),
    ),
    assignments: lines(assignments.map((one) => `${names.get(one.workerId)}: ${names.get(one.policyId)}`)),
    requests: lines(
      requests.map(({ doc }) => {
        const one = JSON.parse(doc);
        return `${names.get(one.workerId)}: ${names.get(one.timeOffPolicyId)}, ${one.startAt.slice(0, 16)}–${one.endAt.slice(0, 16)}, ${minutesOf(doc)} minutes, ${one.status}, asked ${one.createdAt.slice(0, 16)}`;
      }),
    ),
    adjustments: lines(
      adjustments.map((one) => `${names.get(one.workerId)}: ${names.get(one.policyId)}, ${one.minutes} minutes`),
    ),
  };
}
