// The reads of one company: the answer of each comes from one statement, and so from one snapshot.
import type { Sql } from "sql-template-tag";
import { trimPage } from "../pages.ts";
import * as queries from "../queries.ts";
import type {
  AssignmentFilter,
  BalanceFacts,
  BalanceQuery,
  CompanyReader,
  Page,
  PageQuery,
  RequestFilter,
  WorkerFilter,
} from "../store.ts";
import { type FactsRow, factsStatement, toBalanceFacts } from "./facts.ts";
import { requestStatements } from "./request-pages.ts";

/** Runs one statement on whichever server may answer it. */
export type Read = <R>(query: Sql) => Promise<R[]>;

export class PostgresCompanyReader implements CompanyReader {
  constructor(
    readonly companyId: string,
    readonly read: Read,
  ) {}

  /** Runs statements until one fills the page. */
  async #page(page: PageQuery, ...ways: readonly Sql[]): Promise<Page> {
    let rows: { doc: string }[] = [];
    for (const query of ways) {
      rows = await this.read(query);
      if (rows.length > page.limit) break;
    }
    const { rows: docs, hasMore } = trimPage(
      rows.map(({ doc }) => doc),
      page.limit,
      page.before !== undefined,
    );
    return { docs, hasMore };
  }

  async #doc(query: Sql): Promise<string | null> {
    const [row] = await this.read<{ doc: string }>(query);
    return row?.doc ?? null;
  }

  workers(page: PageQuery, filter: WorkerFilter): Promise<Page> {
    return this.#page(page, queries.workersPage(this.companyId, page, filter));
  }

  worker(id: string): Promise<string | null> {
    return this.#doc(queries.docById("workers", this.companyId, id));
  }

  policies(page: PageQuery): Promise<Page> {
    return this.#page(page, queries.policiesPage(this.companyId, page));
  }

  policy(id: string): Promise<string | null> {
    return this.#doc(queries.docById("policies", this.companyId, id));
  }

  requests(page: PageQuery, filter: RequestFilter): Promise<Page> {
    return this.#page(page, ...requestStatements(this.companyId, page, filter));
  }

  assignments(page: PageQuery, filter: AssignmentFilter): Promise<Page> {
    return this.#page(page, queries.assignmentsPage(this.companyId, page, filter));
  }

  async balanceFacts(query: BalanceQuery): Promise<BalanceFacts> {
    const [row] = await this.read<FactsRow>(factsStatement(this.companyId, query));
    return toBalanceFacts(row!, query);
  }
}
