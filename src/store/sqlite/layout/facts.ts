// A page of balances: the assignments in list order, with the facts that are stored for each worker (fact-bytes.ts). It is one range of
// one small table.
import type { SQLQueryBindings } from "bun:sqlite";
import { LRUCache } from "lru-cache";
import { trimPage } from "../../plan.ts";
import * as queries from "../../queries.ts";
import type { AssignmentWithFacts, BalanceQuery, FactsPage } from "../../store.ts";
import type { Statements } from "../database.ts";
import { type FactsOfWorker, factsOfBytes } from "./fact-bytes.ts";
import type { StoredCompany } from "./rows.ts";
import { listedPairs, pageOfTables, values } from "./table-facts.ts";
import { STORED_FACTS, type StoredFacts, storedFacts } from "./worker-facts.ts";

/** What pages of balances need again and again, by the ids of companies. */
export type FactsCache = LRUCache<string, CompanyTerms>;

/** Of one version of a company. */
interface CompanyTerms {
  readonly version: string;
  /** By the numbers of their ids: all, unless there are more than `CACHED_TERMS`. */
  readonly policies: ReadonlyMap<number, Policy>;
  /** How many assignments a worker of the last page had, on average: so many workers make up the next page. */
  assignmentsEach: number;
}

interface Policy {
  readonly id: string;
  readonly terms: string;
  readonly isByHours: boolean;
}

/** How many policies' terms are cached of a company. */
const CACHED_TERMS = 1000;

/** How many characters of terms are cached, of all companies. */
const CACHED_CHARACTERS = 4_000_000;

export function factsCache(): FactsCache {
  return new LRUCache({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: ({ policies }) => policies.values().reduce((sum, { terms }) => sum + terms.length, 1000),
  });
}

/** Reads a page in one snapshot: the caller has begun a transaction. */
export function readBalanceFacts(
  statements: Statements,
  company: StoredCompany,
  cache: FactsCache,
  query: BalanceQuery,
): FactsPage {
  if (query.withIds === true) return pageOfTables(statements, company.number, query);
  const terms = companyTerms(statements, company, cache);
  const policyOf = policiesOf(statements, company.number, terms);
  if (query.workerIds !== undefined || query.policyIds !== undefined)
    return filteredPage(statements, company.number, query, policyOf);
  const { rows, hasMore } = trimPage(
    listedFacts(statements, company.number, query, policyOf, terms),
    query.limit,
    query.before !== undefined,
  );
  return { assignments: rows, hasMore };
}

const POLICIES = `select n.number, p.id, p.terms from policies p join numbers n on n.company_id = p.company_id and n.id = p.id
  where p.company_id = ?`;

type PolicyValues = readonly [number: number, id: string, terms: string];

function policy([, id, terms]: PolicyValues): Policy {
  return { id, terms, isByHours: terms.includes(queries.BY_HOURS) };
}

/** Of the version that this snapshot has. */
function companyTerms(
  statements: Statements,
  { id, number }: StoredCompany,
  cache: FactsCache,
): CompanyTerms {
  const [row] = values<[version: string]>(statements, "select version from companies where id = ?", [id]);
  const version = row?.[0] ?? "";
  const known = cache.get(id);
  if (known?.version === version) return known;
  const found = values<PolicyValues>(statements, `${POLICIES} order by p.id limit ?`, [number, CACHED_TERMS]);
  const policies = new Map(found.map((one) => [one[0], policy(one)]));
  const read = { version, policies, assignmentsEach: 1 };
  if (version !== "") cache.set(id, read);
  return read;
}

type PolicyOf = (number: number) => Policy | undefined;

/** The policies of a company with very many are read when a page has them. */
function policiesOf(statements: Statements, company: number, { policies }: CompanyTerms): PolicyOf {
  if (policies.size < CACHED_TERMS) return (number) => policies.get(number);
  const others = new Map<number, Policy | undefined>();
  return (number) => {
    const known = policies.get(number) ?? others.get(number);
    if (known !== undefined || others.has(number)) return known;
    const [found] = values<PolicyValues>(statements, `${POLICIES} and n.number = ?`, [company, number]);
    const read = found && policy(found);
    others.set(number, read);
    return read;
  };
}

/** The rows of workers from a position on. */
const FROM_START = `${STORED_FACTS} order by worker_id limit ?2`;
const AFTER = `${STORED_FACTS} and worker_id > ?3 order by worker_id limit ?2`;
const FROM = `${STORED_FACTS} and worker_id >= ?3 order by worker_id limit ?2`;
const BEFORE = `${STORED_FACTS} and worker_id < ?3 order by worker_id desc limit ?2`;
const FROM_BACK = `${STORED_FACTS} and worker_id <= ?3 order by worker_id desc limit ?2`;

/** The assignments from the position on, in the direction of the query: one more than its limit, if there are so many. */
function listedFacts(
  statements: Statements,
  company: number,
  { after, before, limit }: BalanceQuery,
  policyOf: PolicyOf,
  terms: CompanyTerms,
): AssignmentWithFacts[] {
  const found: AssignmentWithFacts[] = [];
  const at = after ?? before;
  const isBackward = before !== undefined;
  // The worker of a position with a policy is looked at, too: some of his assignments may lie behind it.
  const inside = at?.policyId == null ? null : at;
  let text = at === undefined ? FROM_START : isBackward ? BEFORE : AFTER;
  if (inside !== null) text = isBackward ? FROM_BACK : FROM;
  const bound: SQLQueryBindings[] = at === undefined ? [] : [at.workerId];
  let workers = 0;
  let assignments = 0;
  for (let isMore = inside !== null; found.length <= limit; isMore = true) {
    const asked = Math.ceil((limit + 1 - found.length) / terms.assignmentsEach) + Number(isMore);
    const rows = values<StoredFacts>(statements, text, [company, asked, ...bound]);
    for (const row of rows) {
      const of = assignmentsOf(row, policyOf);
      assignments += of.length;
      if (isBackward) of.reverse();
      for (const one of of)
        if (found.length <= limit && (inside === null || isBehind(one, inside, isBackward))) found.push(one);
    }
    workers += rows.length;
    if (rows.length < asked) break;
    text = isBackward ? BEFORE : AFTER;
    bound[0] = rows[rows.length - 1]![0];
  }
  if (assignments > 0) terms.assignmentsEach = assignments / workers;
  return found;
}

function isBehind(
  { workerId, policyId }: AssignmentWithFacts,
  position: { readonly workerId: string; readonly policyId: string | null },
  isBackward: boolean,
): boolean {
  if (workerId !== position.workerId || position.policyId === null) return true;
  return isBackward ? policyId < position.policyId : policyId > position.policyId;
}

/** A page of some workers or policies: the tables say which assignments it has. */
function filteredPage(
  statements: Statements,
  company: number,
  query: BalanceQuery,
  policyOf: PolicyOf,
): FactsPage {
  const { rows, hasMore } = listedPairs(statements, company, query);
  const ids = [...new Set(rows.map(([workerId]) => workerId))];
  const found = storedFacts(statements, company, ids);
  const byWorker = new Map(found.map((row) => [row[0], assignmentsOf(row, policyOf)]));
  const assignments = rows.flatMap(
    ([workerId, policyId]) => byWorker.get(workerId)?.find((one) => one.policyId === policyId) ?? [],
  );
  return { assignments, hasMore };
}

const NONE: readonly never[] = [];

function assignmentsOf(
  [workerId, workerLegacyId, bytes]: StoredFacts,
  policyOf: PolicyOf,
): AssignmentWithFacts[] {
  const { startDay, endDay, terms, assignments, workedHours }: FactsOfWorker = factsOfBytes(bytes);
  const found: AssignmentWithFacts[] = [];
  for (const one of assignments) {
    const policy = policyOf(one.policy);
    if (policy === undefined) continue; // each assignment has one
    found.push({
      workerId,
      policyId: policy.id,
      workerLegacyId,
      assignedDay: one.assignedDay,
      endsDay: one.endsDay,
      assignmentTerms: one.terms,
      workerStartDay: startDay,
      workerEndDay: endDay,
      workerTerms: terms,
      policyTerms: policy.terms,
      requests: one.requests,
      adjustments: one.adjustments,
      workedHours: policy.isByHours ? workedHours : NONE,
    });
  }
  return found;
}
