// What a page of balances is computed from. There are hundreds of rows to a page, so they are read as plain lists of values, and the
// texts of the statements are made once.
import type { SQLQueryBindings } from "bun:sqlite";
import { LRUCache } from "lru-cache";
import { REQUEST_STATUSES } from "../../../resources/requests.ts";
import { trimPage } from "../../plan.ts";
import * as queries from "../../queries.ts";
import type {
  AdjustmentColumns,
  BalanceQuery,
  FactsPage,
  JoinedAssignment,
  RequestColumns,
} from "../../store.ts";
import type { Statements } from "../database.ts";
import { balanceSource } from "../sql.ts";
import { idOfNumber } from "./numbers.ts";
import { placeOfStatus, type StoredCompany } from "./rows.ts";

/** What pages of balances need again and again. */
export interface FactsCache {
  /** The ids of policies by their numbers, which never change. */
  readonly policyIds: Map<number, string>;
  /** By the ids of companies. */
  readonly terms: LRUCache<string, CompanyTerms>;
}

/** Of one version of a company. */
export interface CompanyTerms {
  readonly version: string;
  /** The terms of policies by their ids: of all, unless there are more than `CACHED_TERMS`. */
  readonly policies: ReadonlyMap<string, string>;
  /** Whether any request has terms: in most companies none has. */
  readonly areInRequests: boolean;
}

/** How many policies' terms are cached of a company. */
const CACHED_TERMS = 1000;

/** How many characters of terms are cached, of all companies. */
const CACHED_CHARACTERS = 4_000_000;

/** How many policies' ids are cached. */
const CACHED_POLICY_IDS = 10_000;

export function factsCache(): FactsCache {
  return {
    policyIds: new Map(),
    terms: new LRUCache({
      maxSize: CACHED_CHARACTERS,
      sizeCalculation: ({ policies }) => policies.values().reduce((sum, terms) => sum + terms.length, 1000),
    }),
  };
}

/** Reads a page in one snapshot: the caller has begun a transaction. */
export function readBalanceFacts(
  statements: Statements,
  company: StoredCompany,
  cache: FactsCache,
  query: BalanceQuery,
): FactsPage {
  const { number } = company;
  const listed = queries.assignmentPage(number, query, balanceSource(number, query));
  const found = values<AssignmentValues>(statements, listed.sql, listed.values as SQLQueryBindings[]); // strings and numbers
  const { rows, hasMore } = trimPage(found, query.limit, query.before !== undefined);
  const isWhole = query.workerIds === undefined && query.policyIds === undefined;
  const workers = readWorkers(statements, number, rows, isWhole);
  const assignments: JoinedAssignment[] = [];
  for (const row of rows) {
    const worker = workers.get(row[0]);
    if (worker !== undefined) assignments.push(assignmentOf(row, worker));
  }
  const terms = companyTerms(statements, company, cache);
  const policies = readPolicies(statements, number, terms, assignments);

  const idOfWorker = new Map<number, string>();
  const withHours = new Map<number, string>();
  for (const worker of workers.values()) if (worker[1] !== null) idOfWorker.set(worker[1], worker[0]);
  const byHours = new Set<string>();
  for (const [id, text] of policies) if (text.includes(queries.BY_HOURS)) byHours.add(id);
  for (const { workerId, policyId } of assignments) {
    const worker = byHours.has(policyId) ? workers.get(workerId)![1] : null; // it was joined
    if (worker !== null) withHours.set(worker, workerId);
  }
  const columns = { withIds: query.withIds === true, hasTerms: terms.areInRequests };
  const { requests, adjustments } = readLeave(statements, number, idOfWorker, cache.policyIds, columns);
  const workedHours = readHours(statements, number, withHours);
  return { assignments, hasMore, policies, requests, adjustments, workedHours };
}

/** Of the version that this snapshot has. */
function companyTerms(
  statements: Statements,
  { id, number }: StoredCompany,
  { terms }: FactsCache,
): CompanyTerms {
  const [row] = values<[version: string]>(statements, "select version from companies where id = ?", [id]);
  const version = row?.[0] ?? "";
  const known = terms.get(id);
  if (known?.version === version) return known;
  const policies = values<[id: string, terms: string]>(
    statements,
    "select id, terms from policies where company_id = ? order by id limit ?",
    [number, CACHED_TERMS],
  );
  const [has] = values<[0 | 1]>(
    statements,
    "select exists (select 1 from requests indexed by requests_terms where company_id = ? and terms is not null)",
    [number],
  );
  const read = { version, policies: new Map(policies), areInRequests: has?.[0] === 1 };
  if (version !== "") terms.set(id, read);
  return read;
}

/** The rows of a statement, as `R` lists what its text selects. */
function values<R>(statements: Statements, text: string, bound: readonly SQLQueryBindings[]): R[] {
  return statements.prepare(text).values(...bound) as R[];
}

// A page's assignments -------------------------------------------------------------------------------------------------

type AssignmentValues = readonly [
  workerId: string,
  policyId: string,
  assignedDay: number,
  endsDay: number | null,
  terms: string | null,
];

type WorkerValues = readonly [
  id: string,
  number: number | null,
  legacyId: string | null,
  startDay: number,
  endDay: number | null,
  terms: string | null,
];

const OF_WORKERS =
  "select w.id, n.number, w.legacy_id, w.start_day, w.end_day, w.terms from workers w left join numbers n on n.company_id = w.company_id and n.id = w.id where w.company_id = ?1";

const WORKERS = texts((places) => `${OF_WORKERS} and w.id in (${places})`);
const WORKERS_BETWEEN = `${OF_WORKERS} and w.id between ?2 and ?3 limit ?4`;

/** Workers of a range are read in one go, unless there are so many times as many as are asked for. */
const BETWEEN_MAX = 2;

/** `isWhole` says that the rows are all assignments from the first to the last: few workers between them have none. */
function readWorkers(
  statements: Statements,
  company: number,
  rows: readonly AssignmentValues[],
  isWhole: boolean,
): ReadonlyMap<string, WorkerValues> {
  const ids: string[] = [];
  // In the order of workers.
  for (const [workerId] of rows) if (workerId !== ids.at(-1)) ids.push(workerId);
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  if (isWhole) {
    const [from, to] = first < last ? [first, last] : [last, first];
    const most = ids.length * BETWEEN_MAX;
    const between = values<WorkerValues>(statements, WORKERS_BETWEEN, [company, from, to, most]);
    if (between.length < most) return byId(between, new Set(ids));
  }
  return byId(values(statements, WORKERS(ids.length), [company, ...queries.padded(ids)]));
}

function byId(workers: readonly WorkerValues[], wanted?: ReadonlySet<string>) {
  const found = new Map<string, WorkerValues>();
  for (const worker of workers) if (wanted?.has(worker[0]) !== false) found.set(worker[0], worker);
  return found;
}

function assignmentOf(
  [, policyId, assignedDay, endsDay, assignmentTerms]: AssignmentValues,
  [workerId, , workerLegacyId, workerStartDay, workerEndDay, workerTerms]: WorkerValues,
): JoinedAssignment {
  return {
    workerId,
    policyId,
    workerLegacyId,
    assignedDay,
    endsDay,
    assignmentTerms,
    workerStartDay,
    workerEndDay,
    workerTerms,
  };
}

const POLICIES = texts(
  (places) => `select id, terms from policies where company_id = ?1 and id in (${places})`,
);

/** The terms of the policies of a page. */
function readPolicies(
  statements: Statements,
  company: number,
  terms: CompanyTerms,
  assignments: readonly JoinedAssignment[],
): ReadonlyMap<string, string> {
  const policies = new Map<string, string>();
  const missing = new Set<string>();
  for (const { policyId } of assignments) {
    const text = terms.policies.get(policyId);
    if (text === undefined) missing.add(policyId);
    else policies.set(policyId, text);
  }
  if (missing.size === 0) return policies;
  const bound = [company, ...queries.padded([...missing])];
  for (const [id, text] of values<[id: string, terms: string]>(statements, POLICIES(missing.size), bound))
    policies.set(id, text);
  return policies;
}

// The facts of its workers ---------------------------------------------------------------------------------------------

/**
 * Whose facts are read: the workers with the numbers `from` to `to`, and `others`. Numbers of the first import are in list order, so the
 * workers of a page are mostly one range, which is read in one go, with the facts of the few that are on no page.
 */
interface Sought {
  readonly from: number;
  readonly to: number;
  readonly others: readonly number[];
}

/** At most this far apart are the numbers of one range. */
const APART_MAX = 2;

/** Fewer than this are no range. */
const RANGE_MIN = 4;

function soughtOf(workers: Iterable<number>): Sought {
  const numbers = [...workers].sort((a, b) => a - b);
  let [first, length] = [0, 0];
  for (let start = 0, at = 1; at <= numbers.length; at++) {
    if (at < numbers.length && numbers[at]! - numbers[at - 1]! <= APART_MAX) continue;
    if (at - start > length) [first, length] = [start, at - start];
    start = at;
  }
  if (length < RANGE_MIN) return { from: 1, to: 0, others: numbers };
  const others = [...numbers.slice(0, first), ...numbers.slice(first + length)];
  return { from: numbers[first]!, to: numbers[first + length - 1]!, others };
}

/** One statement from the selections for each condition on the worker, which `boundFor` gives values. */
function ofSought(selections: (here: string) => readonly string[]): (others: number) => string {
  const range = "company_id = ?1 and worker_id between ?2 and ?3";
  return texts((places) => {
    const conditions = places === "" ? [range] : [range, `company_id = ?1 and worker_id in (${places})`];
    return conditions.flatMap(selections).join(" union all ");
  }, 4);
}

function boundFor(company: number, { from, to, others }: Sought): number[] {
  return [company, from, to, ...queries.padded(others)];
}

/** Of an adjustment, where a request has the place of its status. */
const ADJUSTMENT = -1;

const DENIED = placeOfStatus("denied");

type LeaveValues = readonly [
  worker: number,
  policy: number,
  status: number,
  firstDay: number,
  lastDay: number,
  minutes: number,
  /** Null in most rows, and left out where no request has any. */
  terms?: string | null,
  /** Left out unless it is asked for. */
  id?: string,
];

interface LeaveColumns {
  readonly withIds: boolean;
  readonly hasTerms: boolean;
}

/**
 * Pending and approved requests, because what was denied bears on no balance, and adjustments. The index of a worker's requests has
 * all that most of them need. Only those with terms are looked up in the table: an index of their own names them. SQLite
 * has no statistics, and would not find it.
 */
function leaveSelections(here: string, { withIds, hasTerms }: LeaveColumns): string[] {
  const id = withIds ? ", id" : "";
  const noTerms = withIds || hasTerms ? ", null" : "";
  const columns = "worker_id, policy_id, status, first_day, last_day, minutes";
  const counts = `${here} and status <> ${DENIED}`;
  const adjustments = `select worker_id, policy_id, ${ADJUSTMENT}, day, day, minutes${noTerms}${id} from adjustments where ${here}`;
  if (!hasTerms) return [`select ${columns}${noTerms}${id} from requests where ${counts}`, adjustments];
  const written = `requests indexed by requests_terms where ${here} and terms is not null`;
  return [
    `select ${columns}${noTerms}${id} from requests where ${counts} and id not in (select id from ${written})`,
    `select ${columns}, terms${id} from ${written} and status <> ${DENIED}`,
    adjustments,
  ];
}

const LEAVE = [false, true].map((withIds) =>
  [false, true].map((hasTerms) => ofSought((here) => leaveSelections(here, { withIds, hasTerms }))),
);

function readLeave(
  statements: Statements,
  company: number,
  idOfWorker: ReadonlyMap<number, string>,
  policyIds: FactsCache["policyIds"],
  { withIds, hasTerms }: LeaveColumns,
) {
  const requests = new Map<string, RequestColumns[]>();
  const adjustments = new Map<string, AdjustmentColumns[]>();
  if (idOfWorker.size === 0) return { requests, adjustments };
  const sought = soughtOf(idOfWorker.keys());
  const text = LEAVE[Number(withIds)]![Number(hasTerms)]!(sought.others.length); // as it is made above
  let worker = 0;
  let requestsOf: RequestColumns[] | undefined;
  let adjustmentsOf: AdjustmentColumns[] | undefined;
  let policy = 0;
  let policyId = "";
  // Rows come by worker, and with those of a range come a few that were not asked for.
  for (const row of values<LeaveValues>(statements, text, boundFor(company, sought))) {
    if (row[0] !== worker) {
      worker = row[0];
      const id = idOfWorker.get(worker);
      requestsOf = id === undefined ? undefined : listOf(requests, id);
      adjustmentsOf = id === undefined ? undefined : listOf(adjustments, id);
    }
    if (requestsOf === undefined || adjustmentsOf === undefined) continue;
    if (row[1] !== policy) {
      policy = row[1];
      policyId = policyIds.get(policy) ?? policyIdOf(statements, policyIds, policy);
    }
    const status = row[2];
    if (status === ADJUSTMENT) {
      const adjustment = { policyId, day: row[3], minutes: row[5] };
      adjustmentsOf.push(withIds ? { ...adjustment, id: row[7]! } : adjustment);
    } else {
      const request = {
        policyId,
        status: REQUEST_STATUSES[status]!,
        firstDay: row[3],
        lastDay: row[4],
        minutes: row[5],
        terms: row[6] ?? null,
      };
      requestsOf.push(withIds ? { ...request, id: row[7]! } : request);
    }
  }
  return { requests, adjustments };
}

function listOf<T>(lists: Map<string, T[]>, id: string): T[] {
  let list = lists.get(id);
  if (list === undefined) {
    list = [];
    lists.set(id, list);
  }
  return list;
}

function policyIdOf(statements: Statements, policyIds: FactsCache["policyIds"], number: number): string {
  const id = String(idOfNumber(statements, number));
  if (policyIds.size >= CACHED_POLICY_IDS) policyIds.clear();
  policyIds.set(number, id);
  return id;
}

const HOURS = ofSought((here) => [`select worker_id, day, minutes from work_hours where ${here}`]);

type HoursValues = readonly [worker: number, day: number, minutes: number];

/** `idOfWorker` has the workers whose hours count. */
function readHours(statements: Statements, company: number, idOfWorker: ReadonlyMap<number, string>) {
  const hours = new Map<string, { readonly day: number; readonly minutes: number }[]>();
  if (idOfWorker.size === 0) return hours;
  const sought = soughtOf(idOfWorker.keys());
  const bound = boundFor(company, sought);
  let worker = 0;
  let hoursOf: { readonly day: number; readonly minutes: number }[] | undefined;
  for (const row of values<HoursValues>(statements, HOURS(sought.others.length), bound)) {
    if (row[0] !== worker) {
      worker = row[0];
      const id = idOfWorker.get(worker);
      hoursOf = id === undefined ? undefined : listOf(hours, id);
    }
    hoursOf?.push({ day: row[1], minutes: row[2] });
  }
  return hours;
}

// Lists of values ------------------------------------------------------------------------------------------------------

/** A text for each length of a padded list, whose places it is given. */
function texts(text: (places: string) => string, firstPlace = 2): (length: number) => string {
  const known = new Map<number, string>();
  return (length) => {
    const size = queries.paddedLength(length);
    let found = known.get(size);
    if (found === undefined) {
      found = text(Array.from({ length: size }, (_, place) => `?${place + firstPlace}`).join(", "));
      known.set(size, found);
    }
    return found;
  };
}
