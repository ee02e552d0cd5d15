// Search, filters, order, groups and names of people.
import type { Worker } from "../../client/index.ts";
import { fold } from "../../fold.ts";
import { fullName, isFamilyFirst } from "../../full-name.ts";
import { dayOfText } from "../../time/day.ts";
import { t } from "../texts/texts.ts";
import type { DayRange } from "./days.ts";
import { compareText, facts } from "./format.ts";

export const STATUSES = ["draft", "invited", "onboarding", "active", "offboarding", "inactive"] as const;
export const TYPES = ["employee", "contractor"] as const;
export const GROUPINGS = ["department", "location", "manager"] as const;

export const statusName = (status: Worker["status"]) => t(`status.${status}`);
export const typeName = (type: Worker["type"]) => t(`type.${type}`);

/** How people can be grouped. */
export type Grouping = (typeof GROUPINGS)[number];

export const groupingName = (grouping: Grouping) => t(`field.${grouping}`);

/** An empty list for the time of loading. It is a constant, so that memos stay valid. */
export const NO_WORKERS: readonly Worker[] = [];

export interface PeopleFilter {
  readonly name: string;
  readonly statuses: readonly Worker["status"][];
  readonly types: readonly Worker["type"][];
  readonly departments: readonly string[];
  readonly locations: readonly string[];
  /** Worker ids: people who report to one of them. */
  readonly managers: readonly string[];
}

export const NO_FILTER: PeopleFilter = {
  name: "",
  statuses: [],
  types: [],
  departments: [],
  locations: [],
  managers: [],
};

/** First and last name if the display name lacks one of them: "William Harris" for "Bill". Null if it has both. */
export function longName({ displayName, firstName, lastName }: Worker): string | null {
  const shown = fold(displayName);
  const hasBoth = [firstName, lastName].every((part) => shown.includes(fold(part)));
  return hasBoth ? null : fullName(firstName, lastName);
}

/** The name of a worker's department or workplace; null without one. */
export const departmentOf = ({ department }: Worker) => department?.name ?? null;
export const workplaceOf = ({ primaryWorkplace }: Worker) => primaryWorkplace?.name ?? null;

/** Values that may tell namesakes apart. Viewers who see only absences see no address, so the end of the id is the last resort. */
const TELLING: readonly ((worker: Worker) => string | null)[] = [
  (worker) => addressOf(worker).split("@")[0] || worker.legacyId,
  addressOf,
  departmentOf,
  workplaceOf,
  ({ id }) => id.slice(-4),
  ({ id }) => id,
];

function addressOf({ workEmail, email }: Worker): string {
  return workEmail || email;
}

/** Adds to each ambiguous name the first value of `TELLING` that no namesake shares. */
export function toldApart(workers: readonly Worker[]): Worker[] {
  const byName = Map.groupBy(workers, ({ displayName }) => displayName);
  return workers.map((worker) => {
    const { displayName } = worker;
    const same = byName.get(displayName)!;
    if (same.length === 1) return worker;
    const isOwn = (of: (worker: Worker) => string | null) =>
      of(worker) && same.every((other) => other === worker || of(other) !== of(worker));
    return { ...worker, displayName: `${displayName} (${TELLING.find(isOwn)!(worker)})` }; // ids differ
  });
}

/** Whether an employment, or an assignment of a policy, touches these days. */
export function worksIn(
  { first, end }: DayRange,
  { startDate, endDate }: Pick<Worker, "startDate" | "endDate">,
): boolean {
  return dayOfText(startDate) < end && (endDate === null || dayOfText(endDate) >= first);
}

/** The line below a name: the full name if it differs, and the job. */
export function underName(worker: Worker): string {
  return facts(longName(worker), worker.position || typeName(worker.type));
}

function hasWords(worker: Worker, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { displayName, preferredName, firstName, lastName, position, email, workEmail } = worker;
  const unspaced = isFamilyFirst(lastName) ? lastName + firstName : null; // 山田太郎, as people write it
  const own = [displayName, preferredName, firstName, lastName, unspaced, position, email, workEmail];
  const text = fold([...own, departmentOf(worker), workplaceOf(worker)].join("\n")); // join skips null
  return words.every((word) => text.includes(word));
}

/** People who match every filter and every word. Words are searched in name, position, department, workplace and address. */
export function filterPeople(workers: readonly Worker[], filter: PeopleFilter): Worker[] {
  const words = fold(filter.name)
    .split(/[\s,]+/)
    .filter(Boolean);
  const passes = <T>(allowed: readonly T[], value: T | null) =>
    allowed.length === 0 || (value !== null && allowed.includes(value));
  return workers.filter(
    (worker) =>
      passes(filter.statuses, worker.status) &&
      passes(filter.types, worker.type) &&
      passes(filter.departments, departmentOf(worker)) &&
      passes(filter.locations, workplaceOf(worker)) &&
      passes(filter.managers, worker.managerId) &&
      hasWords(worker, words),
  );
}

export interface Directory {
  readonly byId: ReadonlyMap<string, Worker>;
  readonly departments: readonly string[];
  readonly locations: readonly string[];
  /** People with reports, sorted by name. */
  readonly managers: readonly Worker[];
}

/** The choices of the filters, from the company's people. */
export function directoryOf(workers: readonly Worker[]): Directory {
  const byId = new Map(workers.map((worker) => [worker.id, worker]));
  const distinct = (of: (worker: Worker) => string | null) =>
    [...new Set(workers.map(of))].filter((text) => text !== null).sort(compareText);
  const managers = distinct(({ managerId }) => managerId).flatMap((id) => byId.get(id) ?? []);
  return {
    byId,
    departments: distinct(departmentOf),
    locations: distinct(workplaceOf),
    managers: managers.sort((a, b) => compareText(a.displayName, b.displayName)),
  };
}

/** The groupings for which there is data. */
export function groupingsOf({ departments, locations, managers }: Directory): Grouping[] {
  const sizes = { department: departments.length, location: locations.length, manager: managers.length };
  return GROUPINGS.filter((grouping) => sizes[grouping] > 0);
}

/** The name of a person's group; null for people without one, who come last. */
export function groupName(worker: Worker, grouping: Grouping, { byId }: Directory): string | null {
  if (grouping === "department") return departmentOf(worker);
  if (grouping === "location") return workplaceOf(worker);
  // A viewer who may not see the manager still sees the name.
  return (byId.get(worker.managerId ?? "") ?? worker.manager)?.displayName ?? null;
}

/** A group's name, or a text for no group. A department with the same name as that text is quoted. */
export function groupLabel(name: string | null, grouping: Grouping): string {
  const none = t(`group.none.${grouping}`);
  if (name === null) return none;
  return name === none || name === t("group.left") ? `“${name}”` : name;
}

export interface Group<T> {
  /** Null if the items are not grouped. */
  readonly name: string | null;
  readonly items: readonly T[];
}

/** The items by group, sorted by name, with ungrouped items last. The order inside a group stays. */
export function grouped<T>(
  items: readonly T[],
  grouping: Grouping | null,
  workerOf: (item: T) => Worker,
  directory: Directory,
): Group<T>[] {
  if (grouping === null) return items.length === 0 ? [] : [{ name: null, items }];
  const groups = Map.groupBy(items, (item) => groupName(workerOf(item), grouping, directory));
  return [...groups]
    .sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : compareText(a, b)))
    .map(([name, members]) => ({ name: groupLabel(name, grouping), items: members }));
}
