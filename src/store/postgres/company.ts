// The reads of one company, each of them one statement and so one snapshot.
import type { Sql } from "sql-template-tag";
import { cut } from "../pages.ts";
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

/** Runs one statement on whichever server may answer it. */
export type Read = <R>(query: Sql) => Promise<R[]>;

export class PostgresCompanyReader implements CompanyReader {
  constructor(
    readonly companyId: string,
    readonly read: Read,
  ) {}

  async #page(query: Sql, page: PageQuery): Promise<Page> {
    const rows = await this.read<Page["rows"][number]>(query);
    return cut(rows, page.limit, page.before !== undefined);
  }

  async #doc(query: Sql): Promise<string | null> {
    const [row] = await this.read<{ doc: string }>(query);
    return row?.doc ?? null;
  }

  workers(page: PageQuery, filter: WorkerFilter): Promise<Page> {
    return this.#page(queries.workersPage(this.companyId, page, filter), page);
  }

  worker(id: string): Promise<string | null> {
    return this.#doc(queries.docById("workers", this.companyId, id));
  }

  policies(page: PageQuery): Promise<Page> {
    return this.#page(queries.policiesPage(this.companyId, page), page);
  }

  policy(id: string): Promise<string | null> {
    return this.#doc(queries.docById("policies", this.companyId, id));
  }

  requests(page: PageQuery, filter: RequestFilter): Promise<Page> {
    return this.#page(queries.requestsPage(this.companyId, page, filter), page);
  }

  assignments(page: PageQuery, filter: AssignmentFilter): Promise<Page> {
    return this.#page(queries.assignmentsPage(this.companyId, page, filter), page);
  }

  async balanceFacts(query: BalanceQuery): Promise<BalanceFacts> {
    const [row] = await this.read<FactsRow>(factsStatement(this.companyId, query));
    return toBalanceFacts(row!, query);
  }
}
