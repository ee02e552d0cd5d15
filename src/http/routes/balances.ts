// Balances: facts from one snapshot, numbers from src/balances, for the days that were asked for.
import { type BalanceEntry, balance, explain } from "../../balances/balance.ts";
import {
  type BalanceFacts,
  type BalanceWindow,
  openingFacts,
  PLAIN_ASSIGNMENT,
  PLAIN_WORKER,
  type RequestFacts,
  type ScheduleFacts,
  type WorkerFacts,
} from "../../balances/facts.ts";
import type { Assignment } from "../../resources/assignments.ts";
import {
  type Balance,
  type BalanceExplanation,
  ENTRIES_MAX,
  listBalances,
  retrieveBalance,
} from "../../resources/balances.ts";
import { balanceId, isId, parseBalanceId } from "../../resources/ids.ts";
import { policyOf, storedTerms } from "../../resources/policies.ts";
import { type ParameterError, show, type Values } from "../../resources/query.ts";
import type { ScheduleTerms } from "../../resources/schedules.ts";
import type {
  AssignmentWithFacts,
  BalancePosition,
  BalanceQuery,
  CompanyReader,
  DocPage,
  FactsPage,
  JoinedAssignment,
  PageQuery,
  RequestColumns,
  ScheduleColumns,
} from "../../store/store.ts";
import { addMonths, type Day, dayOfText, formatDay } from "../../time/day.ts";
import { HttpProblem, invalidParameters } from "../problems.ts";
import { type HandlerInput, type ListInput, listRoute, retrieveRoute } from "./route.ts";

type BalanceKey = Pick<Assignment, "workerId" | "policyId">;
type BalanceValues = Values<typeof listBalances.parameters>;
type DayValues = Values<typeof retrieveBalance.parameters>;

/** How far ahead balances can be asked for. */
const YEARS_AHEAD = 10;

export const balancesList = listRoute(listBalances, readBalances, windowErrors);
export const balanceRetrieval = retrieveRoute(retrieveBalance, explainBalance, windowErrors);

async function readBalances(
  { company, values, today }: ListInput<BalanceValues>,
  { limit, after, before }: PageQuery,
): Promise<DocPage> {
  const { policyIds, workerIds } = values;
  const asked = {
    ...{ limit, policyIds, workerIds },
    after: await position(company, "afterId", after),
    before: await position(company, "beforeId", before),
  };
  const { assignments, hasMore } = await readFacts(company, asked);
  const window = windowOf(values, today);
  const last = window.endDate ?? window.today;
  // Before its opening there is no balance.
  const docs = assignments
    .filter(({ opening }) => opening === null || opening.day <= last)
    .map((assignment) => balanceText(balanceOf(assignment, assignment.facts, window)));
  const idOf = ({ workerId, policyId }: JoinedAssignment) => balanceId(workerId, policyId);
  const ends =
    assignments.length === 0 ? null : { first: idOf(assignments[0]!), last: idOf(assignments.at(-1)!) };
  return { docs, ends, hasMore };
}

/** One balance with its entries (docs/balances.md, The explanation). */
async function explainBalance(
  { company, values, today }: HandlerInput<DayValues>,
  id: string,
): Promise<string | null> {
  const key = await keyOf(company, id);
  if (key === null) return null;
  const { workerId, policyId } = key;
  const stored = await readFacts(company, {
    limit: 1,
    workerIds: [workerId],
    policyIds: [policyId],
    withIds: true,
  });
  const [assignment] = stored.assignments;
  if (assignment === undefined) return null;
  const { facts } = assignment;
  const window = windowOf(values, today);
  requireOpened(facts, window, values);
  const entries = explain(facts, window);
  if (entries.length > ENTRIES_MAX) throw tooManyEntries(entries.length, values);
  const explanation: BalanceExplanation = {
    ...balanceOf(assignment, facts, window),
    entries: entries.map(entryOf),
  };
  return JSON.stringify(explanation);
}

/** Raises a 400 for a day before the opening: there is no balance then. */
function requireOpened({ opening }: BalanceFacts, { today, endDate }: BalanceWindow, asked: DayValues): void {
  if (opening === null || opening.day <= (endDate ?? today)) return;
  const openedOn = formatDay(opening.day);
  const day = asked.endDate === undefined ? "today" : `"${asked.endDate}"`;
  const detail = `${day} is before the opening of this balance on ${openedOn}: ask for ${openedOn} or later`;
  throw new HttpProblem("before_opening", `endDate: ${detail}`, {
    errors: [{ parameter: "endDate", detail }],
  });
}

function entryOf(entry: BalanceEntry) {
  const { date, unlocksOn } = entry;
  return { ...entry, date: formatDay(date), unlocksOn: unlocksOn === null ? null : formatDay(unlocksOn) };
}

function tooManyEntries(count: number, { startDate }: DayValues): Error {
  const parameter = startDate === undefined ? "startDate" : "endDate";
  const how = startDate === undefined ? "give a startDate" : "narrow the window";
  return invalidParameters([
    { parameter, detail: `leaves ${count} entries, more than ${ENTRIES_MAX}: ${how}` },
  ]);
}

/** What is wrong with the window (docs/api.md, Days). Days compare as text. */
function windowErrors({ startDate, endDate }: DayValues, today: string): ParameterError[] {
  const errors = endDate === undefined ? [] : tooFarAhead("endDate", endDate, today);
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    errors.push({
      parameter: "startDate",
      detail: `"${startDate}" is after endDate "${endDate}": swap them`,
    });
  }
  return errors;
}

/** What is wrong with a last day that is more than ten years from today. */
export function tooFarAhead(parameter: string, day: string, today: string): ParameterError[] {
  const last = formatDay(addMonths(dayOfText(today), 12 * YEARS_AHEAD));
  if (day <= last) return [];
  const detail = `"${day}" is more than ${YEARS_AHEAD} years from today (${today}): ask for ${last} at the latest`;
  return [{ parameter, detail }];
}

function windowOf({ startDate, endDate }: DayValues, today: string): BalanceWindow {
  return { today: dayOfText(today), startDate: dayOf(startDate), endDate: dayOf(endDate) };
}

function dayOf(text: string | undefined): Day | undefined {
  return text === undefined ? undefined : dayOfText(text);
}

/** Whose balance it is, and under which policy. `id`: the balance's, or that of its assignment; null if there is none. */
async function keyOf(company: CompanyReader, id: string): Promise<BalanceKey | null> {
  const key = parseBalanceId(id);
  if (key !== null) return key;
  const assignment = await company.object("assignments", id);
  return assignment === null ? null : (JSON.parse(assignment) as Assignment); // as it is stored
}

/**
 * The id of a balance or of its assignment is the position of that balance; a worker id is the position after (before) all of that worker's
 * balances. Raises a 400 for an assignment that there is not: its position is not known.
 */
async function position(
  company: CompanyReader,
  parameter: string,
  cursor: string | undefined,
): Promise<BalancePosition | undefined> {
  if (cursor === undefined) return undefined;
  if (isId("worker", cursor)) return { workerId: cursor, policyId: null };
  const key = await keyOf(company, cursor);
  if (key !== null) return key;
  const detail = `${show(cursor)} is the id of no assignment here: send a balance's id, which is a position even if it is gone`;
  throw invalidParameters([{ parameter, detail }]);
}

/** An assignment with all that its balance is computed from. */
export type FoundBalance = AssignmentWithFacts & { readonly facts: BalanceFacts };

/** More assignments than a page of workers has. */
const ALL_ASSIGNMENTS = 1_000_000;

/** A page of balances with what they are computed from, also under the policies from which they moved. */
export async function readFacts(
  company: CompanyReader,
  query: BalanceQuery,
): Promise<{ readonly assignments: readonly FoundBalance[]; readonly hasMore: boolean }> {
  const page = await company.balanceFacts(query);
  if (page.assignments.every(({ oldPolicyId }) => oldPolicyId === null)) return withFacts(page, []);
  return company.atOneVersion(async (reader) => {
    const again = await reader.balanceFacts(query);
    const moved = again.assignments.filter(({ oldPolicyId }) => oldPolicyId !== null);
    const workerIds = [...new Set(moved.map(({ workerId }) => workerId))];
    const { withIds } = query;
    const all = await reader.balanceFacts({ workerIds, withIds, limit: ALL_ASSIGNMENTS });
    return withFacts(again, all.assignments);
  });
}

/** `others`: all assignments of workers with a balance that moved. */
function withFacts({ assignments, hasMore }: FactsPage, others: readonly AssignmentWithFacts[]) {
  return {
    assignments: assignments.map((one) => ({ ...one, facts: factsOf(one, others) })),
    hasMore,
  };
}

/** What one balance is computed from. */
function factsOf(assignment: AssignmentWithFacts, others: readonly AssignmentWithFacts[]): BalanceFacts {
  const { workerId, oldPolicyId } = assignment;
  const old =
    oldPolicyId === null
      ? undefined
      : others.find((one) => one.workerId === workerId && one.policyId === oldPolicyId);
  const { assignmentTerms, assignedDay, endsDay, policyTerms, workerTerms } = assignment;
  const { adjustments, workedHours, requests, opening, schedules } = assignment;
  return {
    assignment: { ...assignmentTermsOf(assignmentTerms), assignedOn: assignedDay, endsOn: endsDay },
    policy: policyTermsOf(policyTerms),
    worker: {
      startDate: assignment.workerStartDay,
      endDate: assignment.workerEndDay,
      ...workTimeOf(workerTerms, schedules),
    },
    adjustments,
    workedHours,
    requests: withTerms(requests),
    opening: opening && openingFacts(opening),
    movesFrom: old === undefined ? null : factsOf(old, others),
    movesOn: assignment.movesDay,
  };
}

/** What is known of the time that a worker works: leave is counted by days in proportion to it. */
export function workTimeOf(
  workerTerms: string | null,
  schedules: readonly ScheduleColumns[],
): Pick<WorkerFacts, "workDays" | "schedules"> {
  return { workDays: workerTermsOf(workerTerms).workDays, schedules: schedules.map(scheduleFacts) };
}

function scheduleFacts({ day, terms, holidays }: ScheduleColumns): ScheduleFacts {
  const { minutesPerWeekday, fullTimeMinutesPerWeek = null } = scheduleTermsOf(terms);
  return { startsOn: day, weeks: minutesPerWeekday, fullTimeMinutesPerWeek, holidays };
}

/** Hardly any request has terms. */
export function withTerms(requests: readonly RequestColumns[]): readonly RequestFacts[] {
  for (const { terms } of requests) {
    if (terms !== null)
      return requests.map((one) => (one.terms === null ? one : { ...one, ...JSON.parse(one.terms) }));
  }
  return requests;
}

/** As JSON, with the keys in the order of the definition. Ids and numbers are written as they are in JSON. */
function balanceText(one: Balance): string {
  return `{"id":"${one.id}","accruedLocked":${one.accruedLocked},"accruedUnlocked":${one.accruedUnlocked},"available":${one.available},"holds":${one.holds},"legacyWorkerId":${JSON.stringify(one.legacyWorkerId)},"policyId":"${one.policyId}","used":${one.used},"workerId":"${one.workerId}","openedOn":${one.openedOn === null ? null : `"${one.openedOn}"`}}`;
}

function balanceOf(assignment: JoinedAssignment, facts: BalanceFacts, window: BalanceWindow): Balance {
  const { workerId, policyId } = assignment;
  const amounts = balance(facts, window);
  return {
    id: balanceId(workerId, policyId),
    accruedLocked: amounts.accruedLocked,
    accruedUnlocked: amounts.accruedUnlocked,
    available: amounts.available,
    holds: amounts.holds,
    legacyWorkerId: assignment.workerLegacyId ?? workerId,
    policyId,
    used: amounts.used,
    workerId,
    openedOn: facts.opening === null ? null : formatDay(facts.opening.day),
  };
}

const policyTermsOf = parsedOnce((terms) => policyOf(storedTerms({ terms })));
const assignmentTermsOf = withUsual(PLAIN_ASSIGNMENT);
const scheduleTermsOf = parsedOnce((terms) => JSON.parse(terms) as ScheduleTerms);
const workerTermsOf = withUsual(PLAIN_WORKER);

/** Terms as the import wrote them; what they do not say is as usual. */
function withUsual<T extends object>(usual: T): (terms: string | null) => T {
  const parsed = parsedOnce((terms) => ({ ...usual, ...(JSON.parse(terms) as Partial<T>) }));
  return (terms) => (terms === null ? usual : parsed(terms));
}

/** Many assignments have the same terms, and companies have few policies: each text is parsed once. */
function parsedOnce<T>(parse: (terms: string) => T): (terms: string) => T {
  const known = new Map<string, T>();
  return (terms) => {
    let found = known.get(terms);
    if (found === undefined) {
      if (known.size >= 10_000) known.clear();
      found = parse(terms);
      known.set(terms, found);
    }
    return found;
  };
}
