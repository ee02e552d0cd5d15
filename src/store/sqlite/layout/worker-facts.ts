// The table `worker_facts`: for each worker with an assignment, what his balances are computed from, as one row of bytes. The rows are
// made of the other tables (table-facts.ts), which stay what counts. An import notes the workers whose rows it touches, and makes theirs
// anew before it ends. So a stored row is right if every worker was noted whom a change concerns.
import type { Database } from "bun:sqlite";
import { collectGarbage } from "../../garbage.ts";
import { padded } from "../../queries.ts";
import type { FactKind } from "../../tables.ts";
import { Statements } from "../database.ts";
import { factBytes } from "./fact-bytes.ts";
import { Numbers, numberIn } from "./numbers.ts";
import { type AssignmentValues, readFacts, texts, values } from "./table-facts.ts";

/** Workers that are noted, at most: a few megabytes. If an import concerns more, the rows of all are made anew. */
const NOTED_MAX = 50_000;

/** Workers whose rows are made at a time. */
const BATCH_WORKERS = 256;

/** Batches between two calls of `collectGarbage`. */
const COLLECT_AFTER_BATCHES = 16;

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
type StoredFacts = readonly [workerId: string, legacyId: string | null, facts: Uint8Array];

export class WorkerFactsWriter {
  readonly #statements: Statements;
  readonly #company: number;
  readonly #numbers: Numbers;
  readonly #noted = new Set<string>();
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
    this.#noteWorker(kind, row);
    if (before !== null) this.#noteWorker(kind, before);
  }

  #noteWorker(kind: FactKind, row: object): void {
    const { id, workerId } = row as { readonly id: string; readonly workerId: string }; // as the kind has them
    const noted = kind === "workers" ? id : workerId;
    if (this.#noted.has(noted)) return;
    this.#noted.add(Buffer.from(noted).toString()); // a copy: the id may be a piece of a long text, which it would keep alive
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
  }

  /** Makes the rows of all who were noted. Every other table has what it is to have, and its indexes. */
  write(): void {
    if (this.#areAllNoted) writeAll(this.#statements, this.#company, this.#numbers);
    else if (this.#noted.size > 0) this.#writeNoted();
    this.#areAllNoted = false;
    this.#noted.clear();
  }

  #writeNoted(): void {
    const numberOf = numberOfPolicies(this.#statements, this.#company, (id) => this.#numbers.of(id));
    const put = this.#statements.prepare(PUT);
    const remove = this.#statements.prepare(REMOVE);
    const ids = [...this.#noted].sort();
    for (let at = 0; at < ids.length; at += BATCH_WORKERS) {
      const some = ids.slice(at, at + BATCH_WORKERS);
      const rows = new Map(made(this.#statements, this.#company, numberOf, some).map((row) => [row[0], row]));
      for (const id of some) {
        const row = rows.get(id);
        if (row === undefined) remove.run(this.#company, id);
        else put.run(this.#company, ...row);
      }
      if ((at / BATCH_WORKERS) % COLLECT_AFTER_BATCHES === COLLECT_AFTER_BATCHES - 1) collectGarbage();
    }
  }
}

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
    yield made(statements, company, numberOf, ids);
    if (batch % COLLECT_AFTER_BATCHES === 0) collectGarbage();
    if (ids.length < BATCH_WORKERS) return;
    last = ids[ids.length - 1]!;
  }
}

const ASSIGNMENTS = texts(
  (
    places,
  ) => `select worker_id, policy_id, assigned_day, ends_day, terms from assignments indexed by assignments_pair
    where company_id = ?1 and worker_id in (${places})`,
);

/**
 * The rows of these workers as the other tables say, in their order; none of a worker who is not there, or has no assignment to a
 * policy that is there.
 */
function made(
  statements: Statements,
  company: number,
  numberOf: NumberOf,
  ids: readonly string[],
): readonly StoredFacts[] {
  if (ids.length === 0) return [];
  const workers = readFacts(statements, company, ids, false);
  const assignments = Map.groupBy(
    values<AssignmentValues>(statements, ASSIGNMENTS(ids.length), [company, ...padded(ids)]),
    ([workerId]) => workerId,
  );
  return ids.flatMap((id) => {
    const worker = workers.get(id);
    const assigned = (assignments.get(id) ?? []).flatMap(([, policyId, assignedDay, endsDay, terms]) => {
      const policy = numberOf(policyId);
      return policy === null ? [] : [{ policyId, policy, assignedDay, endsDay, terms }];
    });
    if (worker === undefined || assigned.length === 0) return [];
    assigned.sort((a, b) => (a.policyId < b.policyId ? -1 : 1)); // no two have one policy
    const { legacyId, startDay, endDay, terms, workedHours } = worker;
    const all = assigned.map(({ policyId, ...assignment }) => ({
      ...assignment,
      requests: worker.requests.get(policyId) ?? [],
      adjustments: worker.adjustments.get(policyId) ?? [],
    }));
    return [[id, legacyId, factBytes({ startDay, endDay, terms, assignments: all, workedHours })] as const];
  });
}

const SOME = texts(
  (places) =>
    `select worker_id, legacy_id, facts from worker_facts where company_id = ?1 and worker_id in (${places})`,
);

/** How many rows of all companies are not what the other tables say. Changes nothing. */
export function countWrongFacts(statements: Statements): number {
  let wrong = 0;
  for (const [company] of values<[number]>(
    statements,
    "select number from numbers where company_id = 0",
    [],
  )) {
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
      const ids = rows.map(([id]) => id);
      const found =
        ids.length === 0 ? [] : values<StoredFacts>(statements, SOME(ids.length), [company, ...padded(ids)]);
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
  for (const [company] of values<[number]>(
    statements,
    "select number from numbers where company_id = 0",
    [],
  )) {
    writeAll(statements, company, new Numbers(statements, company));
  }
  statements.finalize();
}
