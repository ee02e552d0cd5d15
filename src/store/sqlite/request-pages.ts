// How a page of requests is found without reading much that does not belong to it. SQLite knows nothing about the data
// when it plans a statement, so which way to take is decided here, and statements name their index.
//
// - Of some workers: their requests, by the index that leads with the worker.
// - Of a few weeks: from each stretch of time (spans.ts) the first ones that fit, merged in list order.
// - All else: the list itself for so many rows. Where that does not fill a page, what is asked for is rare: the entries
//   that can fit are gathered and put in order.
import type { SQLQueryBindings } from "bun:sqlite";
import { REQUEST_STATUSES } from "../../contract/requests.ts";
import type { PageQuery, RequestFilter } from "../store.ts";
import { type SpanRange, spansTouching } from "./spans.ts";

/** Rows of the list that are looked at before entries are gathered. */
const WALK_ROWS = 2000;

/** So many weeks are few. */
const FEW_WEEKS = 9;

/** Ranges that are merged at most for policies and statuses of their own. */
const MERGED_RANGES = 128;

/** So many entries of a status are few: they are gathered rather than those of a time. */
const FEW_ENTRIES = 20_000;

export interface Statement {
  readonly text: string;
  readonly values: readonly SQLQueryBindings[];
}

/** To be run in turn until one gives `page.limit + 1` rows; the rows of the last one that ran are the answer. */
export function requestStatements(companyId: string, page: PageQuery, filter: RequestFilter): Statement[] {
  const statement = () => new RequestStatement(companyId, page, filter);
  if (filter.workerIds !== undefined) return [statement().ofWorkers(filter.workerIds)];
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  if (!hasFilter) return [statement().walk(null)];
  const ranges = touched(filter);
  const [weeks] = ranges;
  if (weeks!.last - weeks!.first < FEW_WEEKS) return [statement().merged(ranges)];
  return [statement().walk(WALK_ROWS), statement().gathered(ranges)];
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

/** One statement in the making: `?1` is the company, `?2` the position, `?3` one more than the page holds. */
class RequestStatement {
  readonly #values: SQLQueryBindings[];
  readonly #position: string;
  readonly #order: string;
  readonly #isBackward: boolean;
  readonly #filter: RequestFilter;
  readonly #times: string;

  constructor(companyId: string, page: PageQuery, filter: RequestFilter) {
    this.#values = [companyId, page.after ?? page.before ?? null, page.limit + 1];
    this.#isBackward = page.before !== undefined;
    const isPlaced = page.after !== undefined || this.#isBackward;
    this.#position = isPlaced ? ` and id ${this.#isBackward ? "<" : ">"} ?2` : "";
    this.#order = `order by id${this.#isBackward ? " desc" : ""}`;
    this.#filter = filter;
    const { startsBefore, startsOnOrAfter, endsBefore, endsOnOrAfter } = filter;
    this.#times =
      this.#compare("start_at_ms <", startsBefore) +
      this.#compare("start_at_ms >=", startsOnOrAfter) +
      this.#compare("end_at_ms <", endsBefore) +
      this.#compare("end_at_ms >=", endsOnOrAfter);
  }

  ofWorkers(workerIds: readonly string[]): Statement {
    const { statuses, policyIds } = this.#filter;
    const ids = `select id from requests indexed by requests_worker
      where company_id = ?1${this.#anyOf("worker_id", workerIds)}${this.#position}
      ${this.#anyOf("policy_id", policyIds)}${this.#anyOf("status", statuses)}`;
    return this.#pageOf(ids, this.#times);
  }

  /** The list in order, but for no more than so many rows of it. */
  walk(rows: number | null): Statement {
    const { statuses, policyIds } = this.#filter;
    const [operator, end] = this.#isBackward ? [">=", "''"] : ["<=", "char(1114111)"];
    const last = `select id from requests where company_id = ?1${this.#position} ${this.#order} limit 1 offset ${rows}`;
    const bound = rows === null ? "" : ` and id ${operator} coalesce((${last}), ${end})`;
    const fits = this.#anyOf("policy_id", policyIds) + this.#anyOf("status", statuses) + this.#times;
    return this.#made(
      `select id, doc from requests not indexed where company_id = ?1${this.#position}${bound}${fits} ${this.#order} limit ?3`,
    );
  }

  /** The first that fit of each stretch; where policies are given, of each stretch of each policy and status. */
  merged(ranges: readonly SpanRange[]): Statement {
    const spans = ranges.flatMap(({ first, last }) =>
      Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index),
    );
    const { policyIds = [], statuses = REQUEST_STATUSES } = this.#filter;
    const groups = policyIds.flatMap((policyId) => statuses.map((status) => ({ policyId, status })));
    const isByPolicy = groups.length > 0 && groups.length * spans.length <= MERGED_RANGES;
    const places = isByPolicy
      ? groups.map(
          ({ policyId, status }) =>
            `status = ${this.#bind(status)} and policy_id = ${this.#bind(policyId)} and `,
        )
      : [""];
    const rest = isByPolicy ? "" : this.#ownFilters();
    const index = isByPolicy ? " indexed by request_spans_policy" : "";
    const ids = spans.flatMap((span) => {
      const number = this.#bind(span);
      return places.map(
        (place) =>
          `select id from (select id from request_spans${index} where company_id = ?1 and ${place}span = ${number}${this.#position}${rest}${this.#times} ${this.#order} limit ?3)`,
      );
    });
    return this.#pageOf(ids.join(" union all "), "");
  }

  /** Every entry that fits, found by policy, by status where those are few, or by time. */
  gathered(ranges: readonly SpanRange[]): Statement {
    const { policyIds, statuses } = this.#filter;
    const fits = this.#position + this.#ownFilters() + this.#times;
    const ofTime = (index: string, guard: string) =>
      ranges.map(
        ({ first, last }) =>
          `select id from request_spans ${index} where company_id = ?1 and span between ${this.#bind(first)} and ${this.#bind(last)}${fits}${guard}`,
      );
    const byPolicy = "indexed by request_spans_policy";
    if (policyIds !== undefined) {
      const anyStatus = statuses === undefined ? this.#anyOf("status", REQUEST_STATUSES) : "";
      return this.#pageOf(ofTime(byPolicy, anyStatus).join(" union all "), "");
    }
    if (statuses === undefined) return this.#pageOf(ofTime("not indexed", "").join(" union all "), "");
    const ofStatus = `from request_spans ${byPolicy} where company_id = ?1${this.#anyOf("status", statuses)}`;
    const isFew = `(select count(*) from (select 1 ${ofStatus} limit ${FEW_ENTRIES + 1})) <= ${FEW_ENTRIES}`;
    const both = [`select id ${ofStatus}${fits} and ${isFew}`, ...ofTime("not indexed", ` and not ${isFew}`)];
    return this.#pageOf(both.join(" union all "), "");
  }

  #ownFilters(): string {
    return this.#anyOf("policy_id", this.#filter.policyIds) + this.#anyOf("status", this.#filter.statuses);
  }

  /** Of the requests with these ids the first ones that fit. */
  #pageOf(ids: string, fits: string): Statement {
    return this.#made(
      `select id, doc from requests where company_id = ?1 and id in (${ids})${fits} ${this.#order} limit ?3`,
    );
  }

  #made(text: string): Statement {
    return { text, values: this.#values };
  }

  #bind(value: SQLQueryBindings): string {
    this.#values.push(value);
    return `?${this.#values.length}`;
  }

  #compare(left: string, instantMs: number | undefined): string {
    return instantMs === undefined ? "" : ` and ${left} ${this.#bind(instantMs)}`;
  }

  /** Lists are padded to a power of two with their last value, so that few statements serve all lengths. */
  #anyOf(column: string, values: readonly string[] | undefined): string {
    if (values === undefined) return "";
    const places = values.map((value) => this.#bind(value));
    while (places.length & (places.length - 1)) places.push(places[places.length - 1]!);
    return ` and ${column} in (${places.join(", ")})`;
  }
}
