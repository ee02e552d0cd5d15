// The lists as plain arrays: what every engine must return, written to be obviously right, not fast.
import type {
  BalancePosition,
  BalanceQuery,
  Condition,
  FactsPage,
  PageQuery,
} from "../../../src/store/store.ts";
import type { Rows } from "../../../src/store/tables.ts";
import { compareIds } from "../../support/random-rows.ts";
import type { AllRows } from "../../support/stores.ts";

/** Whether the row fulfils every condition. A column without a value fulfils none. */
export function matches(row: Readonly<Record<string, unknown>>, conditions: readonly Condition[]): boolean {
  return conditions.every(({ column, is, values }) => {
    const value = row[column] as string | number | null; // what a row holds
    if (value === null) return false;
    if (is === "in") return values.includes(value);
    return is === "<" ? value < values[0]! : value >= values[0]!;
  });
}

function trimPage<R>(
  rows: readonly R[],
  query: { limit: number; before?: unknown },
): { rows: R[]; hasMore: boolean } {
  const hasMore = rows.length > query.limit;
  return {
    rows: query.before === undefined ? rows.slice(0, query.limit) : rows.slice(-query.limit),
    hasMore,
  };
}

/** A page with its objects as text, whatever the engine has them in. */
export interface TextPage {
  readonly docs: string[];
  readonly hasMore: boolean;
}

/** The page of those rows that match (docs/api.md, Lists). */
export function pageOf<R extends { readonly id: string; readonly doc: string }>(
  all: readonly R[],
  page: PageQuery,
  matches: (row: R) => boolean,
): TextPage {
  const { after, before } = page;
  const rows = all
    .filter((row) => (after === undefined || row.id > after) && (before === undefined || row.id < before))
    .filter(matches)
    .toSorted((left, right) => compareIds(left.id, right.id))
    .map(({ doc }) => doc);
  const { rows: docs, hasMore } = trimPage(rows, page);
  return { docs, hasMore };
}

/** Whether the pair lies after (1), before (-1) or on (0) the position. */
function side(row: { workerId: string; policyId: string }, at: BalancePosition): number {
  const worker = compareIds(row.workerId, at.workerId);
  return worker !== 0 ? worker : compareIds(row.policyId, at.policyId);
}

/** For a balance: schedules in order of days, each with the holidays of its calendar, one a day. */
export function workTimeOf(facts: AllRows, workerId: string, withNames: boolean) {
  const { workplaceId, terms: workerTerms } = facts.workers.find(({ id }) => id === workerId)!;
  const ofWorkplace = facts.workplaces.find(({ id }) => id === workplaceId)?.holidayCalendar;
  const holidaysOf = (name: string | null | undefined) =>
    facts.holidays
      .filter(({ calendar }) => calendar === name)
      .toSorted(
        (a, b) => a.day - b.day || (b.minutes ?? 1440) - (a.minutes ?? 1440) || Number(a.name > b.name) || -1,
      )
      .map(({ day, minutes, name }) => ({ day, minutes, name: withNames ? name : null }))
      .filter(({ day }, at, all) => all[at - 1]?.day !== day);
  const schedules = facts.schedules
    .filter((row) => row.workerId === workerId)
    .toSorted((a, b) => a.day - b.day)
    .map(({ day, terms, calendar }) => ({
      ...{ day, terms: terms! },
      holidays: holidaysOf(calendar ?? ofWorkplace),
    }));
  return { workerTerms, holidays: holidaysOf(ofWorkplace), schedules };
}

/** The facts of the page's balances, with the lists in an order of their own: compare them sorted. */
function openingOf(row: Rows["openings"] | undefined) {
  if (row === undefined) return null;
  const { day, minutes, carriedMinutes, accruedMinutes } = row;
  return { day, minutes, carriedMinutes, accruedMinutes };
}

export function balanceFactsOf(facts: AllRows, query: BalanceQuery): FactsPage {
  const { after, before } = query;
  const found = facts.assignments.filter(
    (row) =>
      (query.workerIds?.includes(row.workerId) ?? true) &&
      (query.policyIds?.includes(row.policyId) ?? true) &&
      (after === undefined || side(row, after) > 0) &&
      (before === undefined || side(row, before) < 0),
  );
  const { rows, hasMore } = trimPage(found, query);
  const idOf = (id: string) => (query.withIds === true ? { id } : {});
  const assignments = rows.map(({ workerId, policyId, assignedDay, endsDay, movesFrom, terms }) => {
    const worker = facts.workers.find(({ id }) => id === workerId)!;
    const policyTerms = facts.policies.find(({ id }) => id === policyId)!.terms;
    const isByHours = JSON.parse(policyTerms).schedule === "per_hour_worked";
    const isOfPair = (row: { workerId: string; policyId: string }) =>
      row.workerId === workerId && row.policyId === policyId;
    return {
      workerId,
      policyId,
      workerLegacyId: worker.legacyId,
      assignedDay,
      endsDay,
      oldPolicyId: movesFrom,
      movesDay:
        facts.assignments.find((row) => row.workerId === workerId && row.movesFrom === policyId)
          ?.assignedDay ?? null,
      assignmentTerms: terms,
      workerStartDay: worker.startDay,
      workerEndDay: worker.endDay,
      policyTerms,
      requests: facts.requests
        .filter((row) => isOfPair(row) && row.status !== "denied")
        .map(({ id, ...row }) => ({ ...row, ...idOf(id) })),
      adjustments: facts.adjustments
        .filter(isOfPair)
        .map(({ id, expiresDay, ...row }) => ({ ...row, expiresOn: expiresDay, ...idOf(id) })),
      workedHours: isByHours ? facts.work_hours.filter((row) => row.workerId === workerId) : [],
      opening: openingOf(facts.openings.find(isOfPair)),
      workTime: workTimeOf(facts, workerId, query.withIds === true),
    };
  });
  return { assignments, hasMore };
}
