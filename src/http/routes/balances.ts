// Balances: facts from one snapshot, numbers from src/balances, for the days that were asked for.
import { balance } from "../../balances/balance.ts";
import type { BalanceWindow, PolicyFacts } from "../../balances/facts.ts";
import { type Balance, listBalances } from "../../resources/balances.ts";
import { balanceId, parseBalanceId } from "../../resources/ids.ts";
import type { ParameterError } from "../../resources/problems.ts";
import { LIMIT_DEFAULT, type Values } from "../../resources/query.ts";
import type { AssignmentFacts, BalanceFacts, BalancePosition } from "../../store/store.ts";
import { addMonths, type Day, dayOfText, formatDay } from "../../time/day.ts";
import { type Content, listContent } from "../render.ts";
import { type HandlerInput, listRoute } from "./route.ts";

type Asked = Values<typeof listBalances.parameters>;

/** How far ahead balances can be asked for. */
const YEARS_AHEAD = 10;

export const balancesList = listRoute(listBalances, readBalances, windowErrors);

async function readBalances({ company, values, path, query, today }: HandlerInput<Asked>): Promise<Content> {
  const { limit = LIMIT_DEFAULT, afterId, beforeId, policyIds, workerIds, startDate, endDate } = values;
  const window = { today: dayOfText(today), startDate: dayOf(startDate), endDate: dayOf(endDate) };
  const facts = await company.balanceFacts({
    limit,
    after: position(afterId),
    before: position(beforeId),
    policyIds,
    workerIds,
  });
  const page = facts.assignments.map((assignment) => balanceOf(assignment, facts, window));
  const docs = page.map((one) => JSON.stringify(one));
  const ends = page.length === 0 ? null : { first: page[0]!.id, last: page.at(-1)!.id };
  return listContent({ docs, ends, hasMore: facts.hasMore }, { afterId, beforeId }, path, query);
}

/** What is wrong with the window (docs/api.md, Days). Days compare as text. */
function windowErrors({ startDate, endDate }: Asked, today: string): ParameterError[] {
  const errors: ParameterError[] = [];
  const last = formatDay(addMonths(dayOfText(today), 12 * YEARS_AHEAD));
  if (endDate !== undefined && endDate > last) {
    errors.push({
      parameter: "endDate",
      detail: `"${endDate}" is more than ${YEARS_AHEAD} years from today (${today}): ask for ${last} at the latest`,
    });
  }
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    errors.push({
      parameter: "startDate",
      detail: `"${startDate}" is after endDate "${endDate}": swap them`,
    });
  }
  return errors;
}

function dayOf(text: string | undefined): Day | undefined {
  return text === undefined ? undefined : dayOfText(text);
}

/** A balance id is the position of that balance; a worker id is the position after (before) all of that worker's balances. */
function position(cursor: string | undefined): BalancePosition | undefined {
  if (cursor === undefined) return undefined;
  return parseBalanceId(cursor) ?? { workerId: cursor, policyId: null };
}

function balanceOf(assignment: AssignmentFacts, facts: BalanceFacts, window: BalanceWindow): Balance {
  const { workerId, policyId } = assignment;
  const ofPolicy = (fact: { readonly policyId: string }) => fact.policyId === policyId;
  const amounts = balance(
    {
      assignment: { assignedOn: assignment.assignedDay, endsOn: assignment.endsDay },
      policy: termsOf(assignment.terms),
      worker: { startDate: assignment.workerStartDay, endDate: assignment.workerEndDay },
      adjustments: facts.adjustments.get(workerId)?.filter(ofPolicy) ?? [],
      workedHours: facts.workedHours.get(workerId) ?? [],
      requests: facts.requests.get(workerId)?.filter(ofPolicy) ?? [],
    },
    window,
  );
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
  };
}

const parsedTerms = new Map<string, PolicyFacts>();

/** A company has few policies and a page names them again and again: each is parsed once. */
function termsOf(terms: string): PolicyFacts {
  let parsed = parsedTerms.get(terms);
  if (parsed === undefined) {
    if (parsedTerms.size >= 10_000) parsedTerms.clear();
    parsed = JSON.parse(terms) as PolicyFacts; // written by the import, from facts that it had validated
    parsedTerms.set(terms, parsed);
  }
  return parsed;
}
