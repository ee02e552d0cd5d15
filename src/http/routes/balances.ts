// Balances of the requested days: facts from one snapshot, numbers from src/balances.
import { type BalanceWithFacts, readFacts } from "../../balance-facts.ts";
import { type BalanceEntry, balance, explain } from "../../balances/balance.ts";
import { type BalanceFacts, type BalanceWindow, YEARS_AHEAD } from "../../balances/facts.ts";
import type { Assignment } from "../../resources/assignments.ts";
import { detailText } from "../../resources/balance-details.ts";
import {
  type Balance,
  type BalanceExplanation,
  ENTRIES_MAX,
  listBalances,
  retrieveBalance,
} from "../../resources/balances.ts";
import { balanceId, isId, parseBalanceId } from "../../resources/ids.ts";
import { type ParameterError, show, type Values } from "../../resources/query.ts";
import { endsOf, trimPage } from "../../store/plan.ts";
import type {
  BalancePosition,
  BalanceQuery,
  CompanyReader,
  DocPage,
  JoinedAssignment,
  PageQuery,
} from "../../store/store.ts";
import { addMonths, type Day, dayOfText, formatDay, nearestWritable } from "../../time/day.ts";
import { eachBalance } from "../balance-pairs.ts";
import type { Computation } from "../computation.ts";
import { HttpProblem, invalidParameter } from "../problems.ts";
import { readAsked } from "../visibility.ts";
import { type HandlerInput, type ListInput, listRoute, retrieveRoute } from "./route.ts";

type BalanceKey = Pick<Assignment, "workerId" | "policyId">;
type BalanceValues = Values<typeof listBalances.parameters>;
type DayValues = Values<typeof retrieveBalance.parameters>;

export const balancesList = listRoute(listBalances, readBalances, windowErrors);
export const balanceRetrieval = retrieveRoute(retrieveBalance, explainBalance, windowErrors);

async function readBalances(
  input: ListInput<BalanceValues>,
  { limit, ...cursors }: PageQuery,
): Promise<DocPage> {
  const { company, scopes, values } = input;
  // Before the filters: a cursor's assignment need not match them.
  const after = await position(company, "afterId", cursors.after);
  const before = await position(company, "beforeId", cursors.before);
  return readAsked(company, scopes, values, (reader) =>
    pageOfBalances({ ...input, company: reader }, { limit, after, before }),
  );
}

async function pageOfBalances(
  { company, values, today, computation }: ListInput<BalanceValues>,
  page: Pick<BalanceQuery, "limit" | "after" | "before">,
): Promise<DocPage> {
  const { policyIds, workerIds } = values;
  const asked = { ...page, policyIds, workerIds };
  const window = windowOf(values, today);
  const { rows, hasMore } = await openedBalances(company, asked, window, computation);
  const docs = rows.map((assignment) => JSON.stringify(balanceOf(assignment, assignment.facts, window)));
  return { docs, ends: endsOf(docs), hasMore };
}

/** A page of the balances that have opened by the last requested day. Others are skipped, and more are read until the page is full. */
async function openedBalances(
  company: CompanyReader,
  query: BalanceQuery,
  { today, endDate }: BalanceWindow,
  computation: Computation,
): Promise<{ readonly rows: readonly BalanceWithFacts[]; readonly hasMore: boolean }> {
  const { limit, after, before, ...filters } = query;
  const isBackward = before !== undefined;
  const isOpened = ({ opening }: BalanceWithFacts) => opening === null || opening.day <= (endDate ?? today);
  const { assignments, hasMore } = await readFacts(company, { ...query, limit: limit + 1 });
  const inOrder = isBackward ? assignments.toReversed() : assignments;
  const opened = inOrder.filter(isOpened);
  if (opened.length > limit || !hasMore) return trimPage(opened, limit, isBackward);
  return company.atOneVersion(async (reader) => {
    const rows: BalanceWithFacts[] = [];
    const all = eachBalance(reader, { ...filters, from: before ?? after, isBackward }, computation);
    for await (const balance of all) {
      if (isOpened(balance)) rows.push(balance);
      if (rows.length > limit) break;
    }
    return trimPage(rows, limit, isBackward);
  });
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

function entryOf({ date, kind, minutes, balance, unlocksOn, sourceId, detailParts }: BalanceEntry) {
  return {
    date: formatDay(date),
    kind,
    minutes,
    balance,
    unlocksOn: unlocksOn === null ? null : formatDay(unlocksOn),
    sourceId,
    detail: detailText(detailParts),
    detailParts: [...detailParts],
  };
}

function tooManyEntries(count: number, { startDate }: DayValues): Error {
  const parameter = startDate === undefined ? "startDate" : "endDate";
  const how = startDate === undefined ? "give a startDate" : "narrow the window";
  return invalidParameter(parameter, `leaves ${count} entries, more than ${ENTRIES_MAX}: ${how}`);
}

/** Cross-field validation of the window (docs/api.md, Days). Days compare as text. */
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

/** The error for a last day that is more than ten years from today; none for an earlier day. */
export function tooFarAhead(parameter: string, day: string, today: string): ParameterError[] {
  const last = formatDay(nearestWritable(addMonths(dayOfText(today), 12 * YEARS_AHEAD)));
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

/** The worker and policy of a balance; null if there is none. `id` is the balance's or its assignment's. */
async function keyOf(company: CompanyReader, id: string): Promise<BalanceKey | null> {
  const key = parseBalanceId(id);
  if (key !== null) return key;
  const assignment = await company.object("assignments", id);
  return assignment === null ? null : (JSON.parse(assignment) as Assignment); // as it is stored
}

/**
 * The id of a balance or of its assignment is the position of that balance; a worker id is the position after (before) all of that worker's
 * balances. Raises a 400 for an unknown assignment: its position is not known.
 */
export async function position(
  company: CompanyReader,
  parameter: "afterId" | "beforeId",
  cursor: string | undefined,
): Promise<BalancePosition | undefined> {
  if (cursor === undefined) return undefined;
  if (isId("worker", cursor)) return { workerId: cursor, policyId: parameter === "afterId" ? "~" : "" };
  const key = await keyOf(company, cursor);
  if (key !== null) return key;
  const detail = `${show(cursor)} is the id of no assignment here: send a balance's id, which is a position even if it is gone`;
  throw invalidParameter(parameter, detail);
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
