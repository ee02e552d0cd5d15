// Numbers instead of ids. Keys and indexes name a company, and requests, adjustments and worked hours their worker and policy, by a
// number from the table `numbers`. Ids of 24 characters in each of them were a third of a store. A number is never used again for
// another id, so one that was read stays right.
import { LRUCache } from "lru-cache";
import type { Statements } from "../database.ts";
import { NO_POLICY, type PolicyText } from "./documents.ts";
import { bytesOf } from "./request-bytes.ts";

/** The company of the numbers of companies. */
const COMPANIES = 0;

/** Numbers that an import caches: a few megabytes. */
const CACHED_MAX = 30_000;

/** How many policies' texts are cached. */
const CACHED_POLICIES = 10_000;

/** The JSON of policies' ids by their numbers, which never change. */
export class PolicyTexts {
  readonly #cached = new LRUCache<number, Uint8Array>({ max: CACHED_POLICIES });

  /** For one page. */
  through(statements: Statements): PolicyText {
    let last: number | undefined;
    let text: Uint8Array = NO_POLICY;
    return (number) => {
      if (number === last) return text; // rows side by side often have one policy
      last = number;
      text = this.#cached.get(number) ?? this.#read(statements, number);
      return text;
    };
  }

  #read(statements: Statements, number: number): Uint8Array {
    const id = idOfNumber(statements, number);
    if (id === undefined) return NO_POLICY;
    const text = bytesOf(JSON.stringify(id));
    this.#cached.set(number, text);
    return text;
  }
}

/** The number of an id, in SQL; null where it has none. Both parameters are SQL. */
export function numberOf(company: string, id: string): string {
  return `(select number from numbers where company_id = ${company} and id = ${id})`;
}

/** The id of a number, in SQL. */
export function idOf(column: string): string {
  return `(select id from numbers where number = ${column})`;
}

export function idOfNumber(statements: Statements, number: number): string | undefined {
  return statements.prepare("select id from numbers where number = ?").values(number)[0]?.[0] as
    | string
    | undefined; // of a row
}

/** The numbers of all companies. */
export function companyNumbers(statements: Statements): number[] {
  return statements
    .prepare("select number from numbers where company_id = ?")
    .values(COMPANIES)
    .map(([number]) => number as number); // the selection
}

/** The number of a company; null for an unknown one. */
export function companyNumber(statements: Statements, id: string): number | null {
  return numberIn(statements, COMPANIES, id);
}

/** The number of an id of a company; null where it has none. */
export function numberIn(statements: Statements, company: number, id: string): number | null {
  const select = statements.prepare("select number from numbers where company_id = ? and id = ?");
  return (select.values(company, id)[0]?.[0] as number | undefined) ?? null; // an integer
}

/** The number of a company, which it gets now if it has none. */
export function numberCompany(statements: Statements, id: string): number {
  return companyNumber(statements, id) ?? added(statements, COMPANIES, id);
}

/** After the rows of a company: removes its numbers, and its own. */
export function removeNumbers(statements: Statements, company: number): void {
  statements.prepare("delete from numbers where company_id = ? or number = ?").run(company, company);
}

function added(statements: Statements, company: number, id: string): number {
  const insert = statements.prepare("insert into numbers (company_id, id) values (?, ?) returning number");
  return insert.values(company, id)[0]![0] as number; // as above
}

/** Numbers of the workers and policies of one company, for one import. */
export class Numbers {
  readonly #statements: Statements;
  readonly #company: number;
  readonly #cached = new Map<string, number>();

  constructor(statements: Statements, company: number) {
    this.#statements = statements;
    this.#company = company;
  }

  /** The number of an id, which it gets now if it has none. */
  of(id: string): number {
    let number = this.#cached.get(id);
    if (number !== undefined) return number;
    const select = this.#statements.prepare("select number from numbers where company_id = ? and id = ?");
    number =
      (select.values(this.#company, id)[0]?.[0] as number | undefined) ?? // as above
      added(this.#statements, this.#company, id);
    this.remember(copied(id), number);
    return number;
  }

  /** The number of an id; null where it has none. */
  known(id: string): number | null {
    return this.#cached.get(id) ?? numberIn(this.#statements, this.#company, id);
  }

  /** Reads as many numbers as are cached, after many ids got one: that costs less than asking for each. */
  readSome(): void {
    const select = this.#statements.prepare("select id, number from numbers where company_id = ? limit ?");
    for (const [id, number] of select.values(this.#company, CACHED_MAX) as [string, number][]) // the selection
      this.remember(id, number);
  }

  /** Says what the number of an id is, which somebody has read. */
  remember(id: string, number: number): void {
    if (this.#cached.size >= CACHED_MAX) this.#cached.clear();
    this.#cached.set(id, number);
  }

  /** At the end of an import that removed rows: forgets ids that nothing has or refers to any more. */
  prune(): void {
    this.#statements
      .prepare(`delete from numbers where company_id = ?1
        and not exists (select 1 from workers where company_id = ?1 and id = numbers.id)
        and not exists (select 1 from policies where company_id = ?1 and id = numbers.id)
        and not exists (select 1 from requests where company_id = ?1 and worker_id = numbers.number)
        and not exists (select 1 from work_hours where company_id = ?1 and worker_id = numbers.number)
        and not exists (select 1 from adjustments where company_id = ?1 and worker_id = numbers.number)
        and number not in (select policy_id from adjustments where company_id = ?1)
        and not exists (select 1 from request_spans indexed by request_spans_policy
          where company_id = ?1 and status in (0, 1, 2) and policy_id = numbers.number)`)
      .run(this.#company);
    this.#cached.clear();
  }
}

/** A text may be a piece of a long one, which it would keep alive. */
export function copied(text: string): string {
  return Buffer.from(text).toString();
}
