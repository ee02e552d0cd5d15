// Which people a search and the filters let through.
import type { Worker } from "../../client/index.ts";

export const STATUSES = ["onboarding", "active", "offboarding", "inactive"] as const;
export const TYPES = ["employee", "contractor"] as const;

export const STATUS_NAME: Record<Worker["status"], string> = {
  onboarding: "Onboarding",
  active: "Active",
  offboarding: "Offboarding",
  inactive: "Inactive",
};

export const TYPE_NAME: Record<Worker["type"], string> = { employee: "Employee", contractor: "Contractor" };

export interface PeopleFilter {
  readonly name: string;
  readonly statuses: readonly Worker["status"][];
  readonly types: readonly Worker["type"][];
}

/** Case and accents do not matter: "francois" finds "François". */
export function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Scripts whose names begin with the family's. */
const FAMILY_FIRST = /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}]/u;

/** First and last name where the name that is shown leaves one of them out ("Bill": William Harris); else null. */
export function fullName({ displayName, firstName, lastName }: Worker): string | null {
  const shown = fold(displayName);
  if ([firstName, lastName].every((part) => shown.includes(fold(part)))) return null;
  const parts = FAMILY_FIRST.test(lastName) ? [lastName, firstName] : [firstName, lastName];
  return parts.filter((part) => part !== "").join(" ");
}

/** What stands below a name: the full name where it differs, and the job. */
export function underName(worker: Worker): string {
  const job = worker.position === "" ? TYPE_NAME[worker.type] : worker.position;
  return [fullName(worker), job].filter((text) => text !== null).join(" · ");
}

const foldedTexts = new WeakMap<Worker, string>();

function foldedText(worker: Worker): string {
  let text = foldedTexts.get(worker);
  if (text === undefined) {
    const { displayName, preferredName, firstName, lastName, position, email, workEmail } = worker;
    const texts = [displayName, preferredName, firstName, lastName, position, email, workEmail];
    text = fold(texts.join("\n")); // join makes nothing of null
    foldedTexts.set(worker, text);
  }
  return text;
}

/** People whose name, position or address holds every word, with one of the statuses and one of the types, if any. */
export function filterPeople(workers: readonly Worker[], { name, statuses, types }: PeopleFilter): Worker[] {
  const words = fold(name).split(/\s+/).filter(Boolean);
  return workers.filter(
    (worker) =>
      (statuses.length === 0 || statuses.includes(worker.status)) &&
      (types.length === 0 || types.includes(worker.type)) &&
      words.every((word) => foldedText(worker).includes(word)),
  );
}
