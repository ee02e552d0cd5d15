// How a page of requests is found without reading much that does not belong to it. SQLite knows nothing about the data
// when it plans a statement, so which way to take is decided here, and statements name their index.
//
// - Of some workers: their requests, by the index that leads with the worker.
// - Of a few weeks: from each stretch of time (spans.ts) the first ones that fit, merged in list order.
// - All else: the list itself for so many rows. Where that does not fill a page, what is asked for is rare: the entries
//   that can fit are gathered and put in order.
import { REQUEST_STATUSES } from "../../contract/requests.ts";
import type { PageQuery, RequestFilter } from "../store.ts";
import { distinct, ListStatement, PAGE_COLUMNS, type Statement } from "./list-statement.ts";
import { type SpanRange, spansTouching } from "./spans.ts";

/** Rows of the list that are looked at before entries are gathered. */
const WALK_ROWS = 2000;

/** So many weeks are few. */
const FEW_WEEKS = 9;

/** Ranges that are merged at most for policies and statuses of their own. */
const MERGED_RANGES = 128;

/** So many entries of a status are few: they are gathered rather than those of a time. */
const FEW_ENTRIES = 20_000;

/** To be run in turn until one gives `page.limit + 1` rows; the rows of the last one that ran are the answer. */
export function requestStatements(companyId: string, page: PageQuery, filter: RequestFilter): Statement[] {
  const statement = () => new RequestStatement(companyId, page, filter);
  if (filter.workerIds !== undefined) return [statement().ofWorkers(filter.workerIds)];
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  if (!hasFilter) return [statement().list()];
  const ranges = touched(filter);
  const [weeks] = ranges;
  if (weeks!.last - weeks!.first < FEW_WEEKS) return [statement().merged(ranges)];
  return [statement().walk(), statement().gathered(ranges)];
}

/** Beyond every instant that may be stored. */
const EVER_MS = 1e15;

/** Stretches of which every request that fits touches at least one, by level. */
function touched(filter: RequestFilter): SpanRange[] {
  const startsFrom = filter.startsOnOrAfter ?? -EVER_MS;
  const startsTo = (filter.startsBefore ?? EVER_MS) - 1;
  const endsFrom = filter.endsOnOrAfter ?? -EVER_MS;
  const endsTo = (filter.endsBefore ?? EVER_MS) - 1;
  const windows: [fromMs: number, toMs: number][] = [
    [startsFrom, startsTo],
    [endsFrom, endsTo],
    // A request lies between its start and its end, and touches all that is between them.
    [startsFrom, endsTo],
    [endsFrom, Math.max(startsTo, endsFrom)],
  ];
  const narrowest = windows.reduce((best, one) => (one[1] - one[0] < best[1] - best[0] ? one : best));
  return spansTouching(...narrowest);
}

class RequestStatement extends ListStatement {
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

  /** The list in order, but for no more than so many rows of it. */
  walk(): Statement {
    const { statuses, policyIds } = this.#filter;
    const [operator, end] = this.#isBackward ? [">=", "''"] : ["<=", "char(1114111)"];
    const last = `select id from requests where company_id = ?1${this.position} ${this.order} limit 1 offset ${WALK_ROWS}`;
    const bound = ` and id ${operator} coalesce((${last}), ${end})`;
    const fits = this.anyOf("policy_id", policyIds) + this.anyOf("status", statuses) + this.#times;
    return this.made(
      `select ${PAGE_COLUMNS} from requests not indexed where company_id = ?1${this.position}${bound}${fits} ${this.order} limit ?3`,
    );
  }

  /** The first that fit of each stretch; where policies are given, of each stretch of each policy and status. */
  merged(ranges: readonly SpanRange[]): Statement {
    const spans = ranges.flatMap(({ first, last }) =>
      Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index),
    );
    const { policyIds = [], statuses = REQUEST_STATUSES } = this.#filter;
    const groups = distinct(policyIds).flatMap((policyId) =>
      distinct(statuses).map((status) => ({ policyId, status })),
    );
    const isByPolicy = groups.length > 0 && groups.length * spans.length <= MERGED_RANGES;
    const places = isByPolicy
      ? groups.map(
          ({ policyId, status }) =>
            `status = ${this.bind(status)} and policy_id = ${this.bind(policyId)} and `,
        )
      : [""];
    const rest = isByPolicy ? "" : this.#ownFilters();
    const source = `request_spans${isByPolicy ? " indexed by request_spans_policy" : ""}`;
    return this.pageOf(
      spans.flatMap((span) => {
        const number = this.bind(span);
        return places.map((place) => this.firstOf(source, `${place}span = ${number}${rest}${this.#times}`));
      }),
    );
  }

  /** Every entry that fits, found by policy, by status where those are few, or by time. */
  gathered(ranges: readonly SpanRange[]): Statement {
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
