// Facts as the tables have them: what an import makes a worker's stored facts of (worker-facts.ts), and what an explanation reads,
// which needs ids. There are hundreds of rows to a few workers, so they are read as plain lists of values, and the texts of the
// statements are made once.
import type { SQLQueryBindings } from "bun:sqlite";
import { trimPage } from "../../plan.ts";
import * as queries from "../../queries.ts";
import type {
  AdjustmentColumns,
  AssignmentWithFacts,
  BalanceQuery,
  FactsPage,
  HoursColumns,
  RequestColumns,
} from "../../store.ts";
import type { Statements } from "../database.ts";
import { balanceSource } from "../sql.ts";
import { placeOfStatus, statusAt } from "./rows.ts";

/** The rows of a statement, as `R` lists what its text selects. */
export function values<R>(statements: Statements, text: string, bound: readonly SQLQueryBindings[]): R[] {
  return statements.prepare(text).values(...bound) as R[];
}

/** An assignment: what `assignmentPage` selects. */
export type AssignmentValues = readonly [
  workerId: string,
  policyId: string,
  assignedDay: number,
  endsDay: number | null,
  terms: string | null,
];

/** The rows of a page of assignments: `columns`, or those of `AssignmentValues`. */
function listed<R>(statements: Statements, company: number, query: BalanceQuery, columns?: string) {
  const page = queries.assignmentPage(company, query, balanceSource(company, query), columns);
  const found = values<R>(statements, page.sql, page.values as SQLQueryBindings[]); // strings and numbers
  return trimPage(found, query.limit, query.before !== undefined);
}

/** The workers and policies of the assignments of a page. */
export function listedPairs(statements: Statements, company: number, query: BalanceQuery) {
  return listed<[workerId: string, policyId: string]>(statements, company, query, "worker_id, policy_id");
}

/** A page of assignments with the facts of each, and their ids if the query asks for them. The caller has begun a transaction. */
export function pageOfTables(statements: Statements, company: number, query: BalanceQuery): FactsPage {
  const { rows, hasMore } = listed<AssignmentValues>(statements, company, query);
  const ids = [...new Set(rows.map(([workerId]) => workerId))];
  const policies = readPolicies(statements, company, new Set(rows.map(([, policyId]) => policyId)));
  const workers = readFacts(statements, company, ids, { withIds: query.withIds === true });
  const assignments: AssignmentWithFacts[] = [];
  for (const [workerId, policyId, assignedDay, endsDay, assignmentTerms] of rows) {
    const worker = workers.get(workerId);
    if (worker === undefined) continue;
    const { number, terms: policyTerms } = policies.get(policyId)!; // each assignment has a policy
    assignments.push({
      workerId,
      policyId,
      workerLegacyId: worker.legacyId,
      assignedDay,
      endsDay,
      assignmentTerms,
      workerStartDay: worker.startDay,
      workerEndDay: worker.endDay,
      workerTerms: worker.terms,
      policyTerms,
      requests: worker.requests.filter(({ policy }) => policy === number).map(({ policy, ...one }) => one),
      adjustments: worker.adjustments
        .filter(({ policy }) => policy === number)
        .map(({ policy, ...one }) => one),
      workedHours: policyTerms.includes(queries.BY_HOURS) ? worker.workedHours : [],
    });
  }
  return { assignments, hasMore };
}

const POLICIES = texts(
  (places) =>
    `select p.id, n.number, p.terms from policies p left join numbers n on n.company_id = p.company_id and n.id = p.id where p.company_id = ?1 and p.id in (${places})`,
);

/** Policies by their ids. Without a number, nothing but assignments names one. */
function readPolicies(statements: Statements, company: number, ids: ReadonlySet<string>) {
  const bound = [company, ...queries.padded([...ids])];
  type Policy = readonly [id: string, number: number | null, terms: string];
  const found = ids.size === 0 ? [] : values<Policy>(statements, POLICIES(ids.size), bound);
  return new Map(found.map(([id, number, terms]) => [id, { number, terms }]));
}

interface OfPolicy {
  /** The number of the policy's id. */
  readonly policy: number;
}

/** A worker's row and his facts. */
export interface TableFacts {
  readonly legacyId: string | null;
  readonly startDay: number;
  readonly endDay: number | null;
  readonly terms: string | null;
  readonly requests: (RequestColumns & OfPolicy)[];
  readonly adjustments: (AdjustmentColumns & OfPolicy)[];
  readonly workedHours: HoursColumns[];
}

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
const WORKERS_BETWEEN = `${OF_WORKERS} and w.id between ?2 and ?3`;

export interface FactsOptions {
  /** Whether requests and adjustments come with their ids. */
  readonly withIds?: boolean;
  /** Whether the ids are side by side: then also others between them may be read. */
  readonly isRange?: boolean;
}

/** The facts of these workers, by their ids; nothing of those who are not there. */
export function readFacts(
  statements: Statements,
  company: number,
  ids: readonly string[],
  { withIds = false, isRange = false }: FactsOptions,
): ReadonlyMap<string, TableFacts> {
  const found = new Map<string, TableFacts>();
  if (ids.length === 0) return found;
  const byNumber = new Map<number, TableFacts>();
  const rows = isRange
    ? values<WorkerValues>(statements, WORKERS_BETWEEN, [company, ids[0]!, ids[ids.length - 1]!])
    : values<WorkerValues>(statements, WORKERS(ids.length), [company, ...queries.padded(ids)]);
  for (const [id, number, legacyId, startDay, endDay, terms] of rows) {
    const worker = { legacyId, startDay, endDay, terms, requests: [], adjustments: [], workedHours: [] };
    found.set(id, worker);
    if (number !== null) byNumber.set(number, worker);
  }
  if (byNumber.size === 0) return found;
  const sought = soughtOf(byNumber.keys());
  readLeave(statements, company, sought, byNumber, withIds);
  readHours(statements, company, sought, byNumber);
  return found;
}

/**
 * Whose facts are read: the workers with the numbers `from` to `to`, and `others`. Numbers of the first import are in list order, so
 * workers side by side are mostly one range, which is read in one go, with the facts of the few between them who are not asked for.
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

const HAS_TERMS =
  "select exists (select 1 from requests indexed by requests_terms where company_id = ? and terms is not null)";

function readLeave(
  statements: Statements,
  company: number,
  sought: Sought,
  workers: ReadonlyMap<number, TableFacts>,
  withIds: boolean,
): void {
  const [has] = values<[0 | 1]>(statements, HAS_TERMS, [company]); // in most companies none has
  const text = LEAVE[Number(withIds)]![has![0]]!(sought.others.length); // as it is made above
  // With those of a range come a few that were not asked for. Rows come by worker.
  let number: number | undefined;
  let worker: TableFacts | undefined;
  for (const row of values<LeaveValues>(statements, text, boundFor(company, sought))) {
    if (row[0] !== number) {
      number = row[0];
      worker = workers.get(number);
    }
    if (worker === undefined) continue;
    const policy = row[1];
    const place = row[2];
    const minutes = row[5];
    if (place === ADJUSTMENT) {
      const adjustment = { policy, day: row[3], minutes };
      worker.adjustments.push(withIds ? { ...adjustment, id: row[7]! } : adjustment);
    } else {
      const status = statusAt(place) as RequestColumns["status"]; // a place
      const request = { policy, status, firstDay: row[3], lastDay: row[4], minutes, terms: row[6] ?? null };
      worker.requests.push(withIds ? { ...request, id: row[7]! } : request);
    }
  }
}

const HOURS = ofSought((here) => [`select worker_id, day, minutes from work_hours where ${here}`]);

function readHours(
  statements: Statements,
  company: number,
  sought: Sought,
  workers: ReadonlyMap<number, TableFacts>,
): void {
  const bound = boundFor(company, sought);
  const rows = values<[worker: number, day: number, minutes: number]>(
    statements,
    HOURS(sought.others.length),
    bound,
  );
  for (const [worker, day, minutes] of rows) workers.get(worker)?.workedHours.push({ day, minutes });
}

/** A text for each length of a padded list, whose places it is given. */
export function texts(text: (places: string) => string, firstPlace = 2): (length: number) => string {
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
