// The pages of requests (../request-ways.ts) in SQLite's words. SQLite knows nothing about the data when it plans a
// statement, so each names its index.
import { REQUEST_STATUSES } from "../../resources/requests.ts";
import * as ways from "../plan.ts";
import type { PageQuery, RequestFilter } from "../store.ts";
import type { BucketRange } from "../time-buckets.ts";
import { ListStatement, PAGE_COLUMNS, type Statement } from "./list-statement.ts";

/** So many entries of a status are few: they are gathered rather than those of a time. */
const FEW_ENTRIES = 20_000;

/** To be run in turn until one fills the page: see `ways.requestStatements`. */
export function requestStatements(companyId: string, page: PageQuery, filter: RequestFilter): Statement[] {
  return ways.requestStatements(filter, () => new RequestStatement(companyId, page, filter));
}

class RequestStatement extends ListStatement implements ways.RequestWays<Statement> {
  readonly #filter: RequestFilter;
  readonly #isBackward: boolean;
  readonly #times: string;

  constructor(companyId: string, page: PageQuery, filter: RequestFilter) {
    super("requests", companyId, page);
    this.#filter = filter;
    this.#isBackward = page.before !== undefined;
    const { startsBefore, startsOnOrAfter, endsBefore, endsOnOrAfter } = filter;
    this.#times =
      this.#compare("start_at_ms <", startsBefore) +
      this.#compare("start_at_ms >=", startsOnOrAfter) +
      this.#compare("end_at_ms <", endsBefore) +
      this.#compare("end_at_ms >=", endsOnOrAfter);
  }

  ofWorkers(workerIds: readonly string[]): Statement {
    const { statuses, policyIds } = this.#filter;
    const source = "requests indexed by requests_worker";
    const where = `company_id = ?1${this.anyOf("worker_id", workerIds)}${this.position}${this.anyOf("policy_id", policyIds)}${this.anyOf("status", statuses)}`;
    // What the index holds of one worker is in list order already.
    if (workerIds.length === 1) {
      return this.made(
        `select ${PAGE_COLUMNS} from ${source} where ${where}${this.#times} ${this.order} limit ?3`,
      );
    }
    return this.pageOf([`select id from ${source} where ${where}`], this.#times);
  }

  walk(): Statement {
    const { statuses, policyIds } = this.#filter;
    const [operator, end] = this.#isBackward ? [">=", "''"] : ["<=", "char(1114111)"];
    const last = `select id from requests where company_id = ?1${this.position} ${this.order} limit 1 offset ${ways.WALK_ROWS}`;
    const bound = ` and id ${operator} coalesce((${last}), ${end})`;
    const fits = this.anyOf("policy_id", policyIds) + this.anyOf("status", statuses) + this.#times;
    return this.made(
      `select ${PAGE_COLUMNS} from requests not indexed where company_id = ?1${this.position}${bound}${fits} ${this.order} limit ?3`,
    );
  }

  merged(ranges: readonly BucketRange[], groups: ways.PolicyGroups | null): Statement {
    const places = groups?.policyIds.flatMap((policyId) =>
      groups.statuses.map(
        (status) => `status = ${this.bind(status)} and policy_id = ${this.bind(policyId)} and `,
      ),
    ) ?? [""];
    const rest = groups === null ? this.#ownFilters() : "";
    const source = `request_spans${groups === null ? "" : " indexed by request_spans_policy"}`;
    return this.pageOf(
      ranges.flatMap(ways.bucketsIn).flatMap((span) => {
        const number = this.bind(span);
        return places.map((place) => this.firstOf(source, `${place}span = ${number}${rest}${this.#times}`));
      }),
    );
  }

  /** Found by policy, by status where those are few, or by time. */
  gathered(ranges: readonly BucketRange[]): Statement {
    const { policyIds, statuses } = this.#filter;
    const fits = this.position + this.#ownFilters() + this.#times;
    const ofTime = (index: string, guard: string) =>
      ranges.map(
        ({ first, last }) =>
          `select id from request_spans ${index} where company_id = ?1 and span between ${this.bind(first)} and ${this.bind(last)}${fits}${guard}`,
      );
    const byPolicy = "indexed by request_spans_policy";
    if (policyIds !== undefined) {
      const anyStatus = statuses === undefined ? this.anyOf("status", REQUEST_STATUSES) : "";
      return this.pageOf(ofTime(byPolicy, anyStatus));
    }
    if (statuses === undefined) return this.pageOf(ofTime("not indexed", ""));
    const ofStatus = `from request_spans ${byPolicy} where company_id = ?1${this.anyOf("status", statuses)}`;
    const isFew = `(select count(*) from (select 1 ${ofStatus} limit ${FEW_ENTRIES + 1})) <= ${FEW_ENTRIES}`;
    const both = [`select id ${ofStatus}${fits} and ${isFew}`, ...ofTime("not indexed", ` and not ${isFew}`)];
    return this.pageOf(both);
  }

  #ownFilters(): string {
    return this.anyOf("policy_id", this.#filter.policyIds) + this.anyOf("status", this.#filter.statuses);
  }

  #compare(left: string, instantMs: number | undefined): string {
    return instantMs === undefined ? "" : ` and ${left} ${this.bind(instantMs)}`;
  }
}
