// The table `worker_facts`: for each worker with an assignment, what his balances are computed from, as one row of bytes. The rows are
// made of the other tables (table-facts.ts), which stay what counts. An import notes the workers whose rows it touches, and makes theirs
// anew before it ends. So a stored row is right if every worker was noted whom a change concerns.
import type { Database } from "bun:sqlite";
import { collectGarbage } from "../../garbage.ts";
import { padded } from "../../queries.ts";
import type { RequestColumns } from "../../store.ts";
import type { FactKind, Rows } from "../../tables.ts";
import { Statements } from "../database.ts";
import { type AssignedFacts, type FactsOfWorker, factBytes, factsOfBytes } from "./fact-bytes.ts";
import { companyNumbers, copied, Numbers, numberIn } from "./numbers.ts";
import { type AssignmentValues, readFacts, texts, values } from "./table-facts.ts";

/** Workers that are noted, at most: a few megabytes. If an import concerns more, the rows of all are made anew. */
const NOTED_MAX = 50_000;

/** Workers whose rows are made at a time. */
const BATCH_WORKERS = 256;

/** Batches between two calls of `collectGarbage`. */
const COLLECT_AFTER_BATCHES = 8;

/** The number of a policy's id; null if there is no such policy. */
type NumberOf = (policyId: string) => number | null;

/** Each policy is looked up once. `numbered` gives the number of one that is there. */
function numberOfPolicies(
  statements: Statements,
  company: number,
  numbered: (policyId: string) => number,
): NumberOf {
  const known = new Map<string, number | null>();
  const isThere = "select 1 from policies where company_id = ? and id = ?";
  return (policyId) => {
    let number = known.get(policyId);
    if (number === undefined) {
      number = values(statements, isThere, [company, policyId]).length === 0 ? null : numbered(policyId);
      known.set(policyId, number);
    }
    return number;
  };
}

/** No policy has it. */
const NO_NUMBER = 0;

/** A worker's row: of whom, his legacy id, and his facts. */
export type StoredFacts = readonly [workerId: string, legacyId: string | null, facts: Uint8Array];

/** Selects the rows of a company, `?1`. */
export const STORED_FACTS = "select worker_id, legacy_id, facts from worker_facts where company_id = ?1";

const STORED_OF_SOME = texts((places) => `${STORED_FACTS} and worker_id in (${places})`);

/** The rows of these workers, as far as they have one. */
export function storedFacts(
  statements: Statements,
  company: number,
  ids: readonly string[],
): readonly StoredFacts[] {
  return ids.length === 0 ? [] : values(statements, STORED_OF_SOME(ids.length), [company, ...padded(ids)]);
}

type Request = Rows["requests"];

interface ChangedRequest {
  readonly policyId: string;
  readonly before: RequestColumns;
  readonly after: RequestColumns;
}

function columnsOf({ status, firstDay, lastDay, minutes, terms }: Request): RequestColumns {
  return { status, firstDay, lastDay, minutes, terms: terms === null ? null : copied(terms) };
}

function isSame(one: RequestColumns, other: RequestColumns): boolean {
  return (
    one.status === other.status &&
    one.firstDay === other.firstDay &&
    one.lastDay === other.lastDay &&
    one.minutes === other.minutes &&
    one.terms === other.terms
  );
}

export class WorkerFactsWriter {
  readonly #statements: Statements;
  readonly #company: number;
  readonly #numbers: Numbers;
  readonly #noted = new Set<string>();
  /** By worker: requests that stay his and under their policy. They are changed in his row, if nothing else of him changes. */
  readonly #changed = new Map<string, ChangedRequest[]>();
  #changedCount = 0;
  #areAllNoted = false;

  constructor(statements: Statements, company: number, numbers: Numbers) {
    this.#statements = statements;
    this.#company = company;
    this.#numbers = numbers;
  }

  /** Notes whom a row concerns that is written or removed. `before` is the row that it replaces. */
  note(kind: FactKind, row: object, before: object | null): void {
    if (this.#areAllNoted) return;
    if (kind === "policies") {
      // Its number is a new one, or about to be forgotten. What else a policy says is not in the rows.
      if (before === null) this.#noteAssigned((row as { readonly id: string }).id); // it has one
      return;
    }
    if (kind === "requests" && before !== null && this.#noteChanged(row as Request, before as Request))
      return; // by the kind
    this.#noteWorker(kind, row);
    if (before !== null) this.#noteWorker(kind, before);
  }

  /** Returns false if the request has moved to another worker or policy. */
  #noteChanged(row: Request, before: Request): boolean {
    const { workerId, policyId } = row;
    if (workerId !== before.workerId || policyId !== before.policyId) return false;
    if (this.#noted.has(workerId)) return true;
    let changed = this.#changed.get(workerId);
    if (changed === undefined) {
      changed = [];
      this.#changed.set(copied(workerId), changed);
    }
    changed.push({ policyId: copied(policyId), before: columnsOf(before), after: columnsOf(row) });
    if (++this.#changedCount > NOTED_MAX) {
      for (const id of this.#changed.keys()) this.#noteWorker("requests", { workerId: id });
      this.#forgetChanged();
    }
    return true;
  }

  #forgetChanged(): void {
    this.#changed.clear();
    this.#changedCount = 0;
  }

  #noteWorker(kind: FactKind, row: object): void {
    const { id, workerId } = row as { readonly id: string; readonly workerId: string }; // as the kind has them
    const noted = kind === "workers" ? id : workerId;
    if (this.#noted.has(noted)) return;
    this.#noted.add(copied(noted));
    if (this.#noted.size > NOTED_MAX) this.noteAll();
  }

  #noteAssigned(policyId: string): void {
    // Any index of the policy will do: a restore makes most of them later.
    const text = "select worker_id from assignments where company_id = ? and policy_id = ?";
    const assigned = values<[string]>(this.#statements, text, [this.#company, policyId]);
    for (const [workerId] of assigned) this.#noteWorker("assignments", { workerId });
  }

  noteAll(): void {
    this.#areAllNoted = true;
    this.#noted.clear();
    this.#forgetChanged();
  }

  /** Makes the rows of all who were noted. Every other table has what it is to have, and its indexes. */
  write(): void {
    if (this.#areAllNoted) writeAll(this.#statements, this.#company, this.#numbers);
    else {
      this.#writeChanged();
      if (this.#noted.size > 0) this.#writeNoted();
    }
    this.#areAllNoted = false;
    this.#noted.clear();
    this.#forgetChanged();
  }

  /** Changes rows in the order of their keys. If a row has not what a request was before, it is made anew. */
  #writeChanged(): void {
    const update = this.#statements.prepare(UPDATE);
    const workers = [...this.#changed].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [id, changed] of workers) {
      if (this.#noted.has(id)) continue;
      const [row] = values<[Uint8Array]>(this.#statements, FACTS, [this.#company, id]);
      const facts = row && factsOfBytes(row[0]);
      const isApplied = facts !== undefined && changed.every((one) => this.#isApplied(facts, one));
      if (isApplied) update.run(factBytes(facts), this.#company, id);
      else this.#noteWorker("requests", { workerId: id });
    }
  }

  #isApplied(facts: FactsOfWorker, { policyId, before, after }: ChangedRequest): boolean {
    const policy = this.#numbers.known(policyId);
    const requests = facts.assignments.find((one) => one.policy === policy)?.requests as RequestColumns[]; // made for this alone
    if (requests === undefined) return false;
    if (before.status !== "denied") {
      const at = requests.findIndex((one) => isSame(one, before));
      if (at === -1) return false;
      requests.splice(at, 1);
    }
    if (after.status !== "denied") requests.push(after);
    return true;
  }

  #writeNoted(): void {
    const numberOf = numberOfPolicies(this.#statements, this.#company, (id) => this.#numbers.of(id));
    const put = this.#statements.prepare(PUT);
    const remove = this.#statements.prepare(REMOVE);
    const ids = [...this.#noted].sort();
    for (let at = 0; at < ids.length; at += BATCH_WORKERS) {
      const some = ids.slice(at, at + BATCH_WORKERS);
      const rows = new Map(
        made(this.#statements, this.#company, numberOf, some, false).map((row) => [row[0], row]),
      );
      for (const id of some) {
        const row = rows.get(id);
        if (row === undefined) remove.run(this.#company, id);
        else put.run(this.#company, ...row);
      }
      if ((at / BATCH_WORKERS) % COLLECT_AFTER_BATCHES === COLLECT_AFTER_BATCHES - 1) collectGarbage();
    }
  }
}

const FACTS = "select facts from worker_facts where company_id = ? and worker_id = ?";
const UPDATE = "update worker_facts set facts = ? where company_id = ? and worker_id = ?";

/** A row that is the same is not written again. */
const PUT = `insert into worker_facts (company_id, worker_id, legacy_id, facts) values (?, ?, ?, ?)
  on conflict (company_id, worker_id) do update set legacy_id = excluded.legacy_id, facts = excluded.facts
  where (legacy_id, facts) is not (excluded.legacy_id, excluded.facts)`;

const REMOVE = "delete from worker_facts where company_id = ? and worker_id = ?";

/** Makes the rows of a company anew, in the order of their keys. */
function writeAll(statements: Statements, company: number, numbers: Numbers): void {
  statements.prepare("delete from worker_facts where company_id = ?").run(company);
  const insert = statements.prepare(
    "insert into worker_facts (company_id, worker_id, legacy_id, facts) values (?, ?, ?, ?)",
  );
  const numberOf = numberOfPolicies(statements, company, (id) => numbers.of(id));
  for (const rows of allMade(statements, company, numberOf))
    for (const row of rows) insert.run(company, ...row);
}

const ASSIGNED = `select distinct worker_id from assignments indexed by assignments_pair
  where company_id = ? and worker_id > ? order by worker_id limit ${BATCH_WORKERS}`;

/** The rows of a company as its other tables say, in batches, in the order of their keys. */
function* allMade(
  statements: Statements,
  company: number,
  numberOf: NumberOf,
): Generator<readonly StoredFacts[]> {
  let last = "";
  for (let batch = 1; ; batch++) {
    const ids = values<[string]>(statements, ASSIGNED, [company, last]).map(([id]) => id);
    yield made(statements, company, numberOf, ids, true);
    if (batch % COLLECT_AFTER_BATCHES === 0) collectGarbage();
    if (ids.length < BATCH_WORKERS) return;
    last = ids[ids.length - 1]!;
  }
}

const OF_ASSIGNMENTS = `select worker_id, policy_id, assigned_day, ends_day, terms from assignments indexed by assignments_pair
  where company_id = ?1`;
const ASSIGNMENTS = texts((places) => `${OF_ASSIGNMENTS} and worker_id in (${places})`);
const ASSIGNMENTS_BETWEEN = `${OF_ASSIGNMENTS} and worker_id between ?2 and ?3`;

/**
 * The rows of these workers as the other tables say, in their order; none of a worker who is not there, or has no assignment to a
 * policy that is there. `isRange`: they are all who have an assignment, from the first to the last.
 */
function made(
  statements: Statements,
  company: number,
  numberOf: NumberOf,
  ids: readonly string[],
  isRange: boolean,
): readonly StoredFacts[] {
  if (ids.length === 0) return [];
  const workers = readFacts(statements, company, ids, { isRange });
  const rows = isRange
    ? values<AssignmentValues>(statements, ASSIGNMENTS_BETWEEN, [company, ids[0]!, ids[ids.length - 1]!])
    : values<AssignmentValues>(statements, ASSIGNMENTS(ids.length), [company, ...padded(ids)]);
  rows.sort(byPair);
  const found: StoredFacts[] = [];
  for (let at = 0; at < rows.length; ) {
    const id = rows[at]![0];
    const worker = workers.get(id);
    const assignments: AssignedFacts[] = [];
    for (; at < rows.length && rows[at]![0] === id; at++) {
      const [, policyId, assignedDay, endsDay, terms] = rows[at]!;
      const policy = numberOf(policyId);
      if (policy === null || worker === undefined) continue;
      const requests = worker.requests.filter((one) => one.policy === policy);
      const adjustments = worker.adjustments.filter((one) => one.policy === policy);
      assignments.push({ policy, assignedDay, endsDay, terms, requests, adjustments });
    }
    if (worker === undefined || assignments.length === 0) continue;
    const { legacyId, startDay, endDay, terms, workedHours } = worker;
    found.push([id, legacyId, factBytes({ startDay, endDay, terms, assignments, workedHours })]);
  }
  return found;
}

/** No two have the same worker and policy. */
function byPair([worker, policy]: AssignmentValues, [otherWorker, otherPolicy]: AssignmentValues): number {
  if (worker !== otherWorker) return worker < otherWorker ? -1 : 1;
  return policy < otherPolicy ? -1 : 1;
}

/** How many rows of all companies are not what the other tables say. Changes nothing. */
export function countWrongFacts(statements: Statements): number {
  let wrong = 0;
  for (const company of companyNumbers(statements)) {
    const numberOf = numberOfPolicies(
      statements,
      company,
      (id) => numberIn(statements, company, id) ?? NO_NUMBER,
    );
    const [stored] = values<[number]>(statements, "select count(*) from worker_facts where company_id = ?", [
      company,
    ]);
    let others = stored![0];
    for (const rows of allMade(statements, company, numberOf)) {
      const found = storedFacts(
        statements,
        company,
        rows.map(([id]) => id),
      );
      others -= found.length;
      const byId = new Map(found.map((row) => [row[0], row]));
      wrong += rows.filter((row) => !isEqual(row, byId.get(row[0]))).length;
    }
    wrong += others;
  }
  return wrong;
}

function isEqual([, legacyId, facts]: StoredFacts, stored: StoredFacts | undefined): boolean {
  return stored !== undefined && stored[1] === legacyId && Buffer.compare(stored[2], facts) === 0;
}

/** For `CONVERSIONS`: makes the rows of all companies. */
export function fillWorkerFacts(database: Database): void {
  const statements = new Statements(database);
  for (const company of companyNumbers(statements)) {
    writeAll(statements, company, new Numbers(statements, company));
  }
  statements.finalize();
}
