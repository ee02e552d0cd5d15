// What tests of drafts share: the draft of files, answers to its questions, and what an import stores as lines that a person reads.
import { parse } from "jsonc-parser";
import { candidatesOf } from "../../src/import/read/files.ts";
import { type Draft, draftMapping } from "../../src/onboarding/draft.ts";
import { formatDay } from "../../src/time/day.ts";
import { imported } from "../import/convert/mapped.ts";
import { type Files, folderOf, type TestCompany } from "../support/import-files.ts";

/** By the path of a key, what stands there instead; null takes the key away: `{"requests.endDay": "included"}`. */
export type Answers = Readonly<Record<string, unknown>>;

export async function draftOf(files: Files): Promise<Draft> {
  return await draftMapping(await candidatesOf([folderOf(files)]));
}

export async function draftText(files: Files): Promise<string> {
  return (await draftOf(files)).text;
}

/** The draft's text, and what an import through it stores, once every kind of leave is paid, not owed, and these questions are answered. */
export async function importedDraft(files: Files, answers: Answers = {}) {
  const draft = (await draftOf(files)).text;
  return {
    draft,
    ...(await imported(files, answered(asPaidLeave(draft), answers))),
  };
}

export function asPaidLeave(draft: string): string {
  return draft
    .replaceAll('"paid": "?"', '"paid": true')
    .replaceAll('"minutesPerPeriod": "?"', '"minutesPerPeriod": 0')
    .replaceAll(/"(isPaidOut|isAbsence)": "\?"/g, '"$1": false');
}

/** A key of a mapping, and what holds it. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** The mapping with these answers. Raises an error for a path that it does not have. */
export function answered(draft: string, answers: Answers): string {
  const mapping: unknown = parse(draft);
  for (const [path, answer] of Object.entries(answers)) {
    const place = placeOf(mapping, path);
    if (place === null) throw new Error(`the draft has no ${path}`);
    if (answer === null) delete place.holder[place.key];
    else place.holder[place.key] = answer;
  }
  return JSON.stringify(mapping);
}

/** Names of columns may have points themselves. */
function placeOf(value: unknown, path: string): Place | null {
  if (typeof value !== "object" || value === null) return null;
  const holder = value as Record<string, unknown>; // JSON
  for (const key of Object.keys(holder)) {
    if (path === key) return { holder, key };
    const place = path.startsWith(`${key}.`) ? placeOf(holder[key], path.slice(key.length + 1)) : null;
    if (place !== null) return place;
  }
  return null;
}

/** Everything that is stored but ids: people and policies go by their legacy ids. */
export async function storedLines(company: TestCompany): Promise<Record<string, string[]>> {
  const { workers, policies, assignments, requests, adjustments, openings } = await company.stored();
  const names = new Map([...workers, ...policies].map(({ id, legacyId }) => [id, legacyId ?? id]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const minute = (instant: string) => instant.slice(0, 16);
  const lines = {
    workers: workers.map(({ doc }) => {
      const one = JSON.parse(doc);
      const others = [
        one.managerId === null ? null : `manager ${nameOf(one.managerId)}`,
        one.position || null,
        one.department?.name ?? null,
        one.primaryWorkplace?.name ?? null,
      ].filter((part) => part !== null);
      const name = `${one.displayName} (${one.firstName} | ${one.lastName}), ${one.email}, ${one.workEmail}`;
      const state = `${one.startDate} to ${one.endDate}, ${one.status} ${one.type}`;
      return [`${one.legacyId}: ${name}, ${state}`, ...others].join(", ");
    }),
    policies: policies.map(({ doc, legacyId }) => `${legacyId}: ${JSON.parse(doc).paid ? "paid" : "unpaid"}`),
    assignments: assignments.map((one) => `${nameOf(one.workerId)}: ${nameOf(one.policyId)}`),
    requests: requests.map(({ doc }) => {
      const one = JSON.parse(doc);
      const span = `${minute(one.startAt)} to ${minute(one.endAt)}, ${one.requestedMinutes} minutes`;
      return `${nameOf(one.workerId)}: ${nameOf(one.timeOffPolicyId)}, ${span}, ${one.status}, created ${minute(one.createdAt)}`;
    }),
    adjustments: adjustments.map(
      (one) => `${nameOf(one.workerId)}: ${nameOf(one.policyId)}, ${one.minutes} minutes`,
    ),
    ...(openings.length > 0 && {
      openings: openings.map(
        ({ workerId, policyId, day, minutes }) =>
          `${nameOf(workerId)}: ${nameOf(policyId)}, ${minutes} minutes on ${formatDay(day)}`,
      ),
    }),
  };
  return Object.fromEntries(Object.entries(lines).map(([kind, all]) => [kind, all.toSorted()]));
}
