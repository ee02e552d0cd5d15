// The pages of requests (../request-ways.ts) in PostgreSQL's words. Stretches, policies and statuses go as arrays, so a
// few texts, each planned once, serve all of them; `lateral` looks at an index once for each.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { REQUEST_STATUSES } from "../../resources/requests.ts";
import * as ways from "../plan.ts";
import { pagePosition, requestConditions, requestsPage } from "../queries.ts";
import type { PageQuery, RequestFilter } from "../store.ts";
import type { BucketRange } from "../time-buckets.ts";
import { SPANS } from "./time-buckets.ts";

/** To be run in turn until one fills the page: see `ways.requestStatements`. */
export function requestStatements(companyId: string, page: PageQuery, filter: RequestFilter): Sql[] {
  return ways.requestStatements(filter, () => new RequestPage(companyId, page, filter));
}

/** Stretches that are looked at together; the edge is the first of a range. */
interface Asked extends BucketRange {
  readonly edge: number | null;
}

const SPAN_FIELDS = ["first", "last", "edge"] as const;

interface Groups {
  /** Null for every policy of the company. */
  readonly policyIds: readonly string[] | null;
  readonly statuses: readonly string[];
}

class RequestPage implements ways.RequestWays<Sql> {
  readonly #companyId: string;
  readonly #page: PageQuery;
  readonly #filter: RequestFilter;
  /** Of this company, and where the page lies or after. */
  readonly #here: Sql;
  readonly #order: Sql;
  readonly #limit: Sql;

  constructor(companyId: string, page: PageQuery, filter: RequestFilter) {
    this.#companyId = companyId;
    this.#page = page;
    this.#filter = filter;
    this.#here = sql`company_id = ${companyId}${pagePosition(page)}`;
    this.#order = raw(page.before === undefined ? "order by id" : "order by id desc");
    this.#limit = sql`limit ${page.limit + 1}`;
  }

  list(): Sql {
    return requestsPage(this.#companyId, this.#page, {});
  }

  ofWorkers(): Sql {
    return requestsPage(this.#companyId, this.#page, this.#filter);
  }

  walk(): Sql {
    const rows = sql`select * from requests where ${this.#here} ${this.#order} limit ${ways.WALK_ROWS}`;
    return sql`select doc from (${rows}) as walked where true${requestConditions(this.#filter)} ${this.#order} ${this.#limit}`;
  }

  merged(ranges: readonly BucketRange[], groups: ways.PolicyGroups | null): Sql {
    const asked = ranges.flatMap((range) =>
      ways
        .bucketsIn(range)
        .map((span) => ({ first: span, last: span, edge: span === range.first ? span : null })),
    );
    return this.#pageOf(asked, groups, sql`= asked.first`, sql` ${this.#order} ${this.#limit}`);
  }

  gathered(ranges: readonly BucketRange[]): Sql {
    const { policyIds = null, statuses } = this.#filter;
    const isByTime = policyIds === null && statuses === undefined;
    const groups = isByTime ? null : { policyIds, statuses: statuses ?? REQUEST_STATUSES };
    const asked = ranges.map((range) => ({ ...range, edge: range.first }));
    return this.#pageOf(asked, groups, sql`between asked.first and asked.last`, empty);
  }

  /**
   * The page among the requests that touch what is asked; with groups, among those of each status of each policy. One
   * that touches a range begins within it, or comes from before: then the range's edge is its second stretch or its
   * third. `cut` may bound what is taken of each.
   */
  #pageOf(asked: readonly Asked[], groups: Groups | null, isAsked: Sql, cut: Sql): Sql {
    const own =
      groups === null ? this.#filter : { ...this.#filter, policyIds: undefined, statuses: undefined };
    const ofGroup = groups === null ? empty : sql` and status = asked.status and policy_id = policy.id`;
    const fits = sql`${this.#here}${ofGroup}${requestConditions(own)}`;
    const takes = SPANS.map(({ span, condition }, step) => {
      const touches = sql`${raw(span)} ${step === 0 ? isAsked : sql`= asked.edge`}${raw(condition)}`;
      return sql`(select id from requests where ${touches} and ${fits}${cut})`;
    });
    const ids = sql`select found.id from ${this.#rowsOf(asked, groups)}, lateral (${join(takes, " union all ")}) as found ${this.#order} ${this.#limit}`;
    return sql`select row.doc from (${ids}) as wanted join requests as row on row.company_id = ${this.#companyId} and row.id = wanted.id ${raw(this.#page.before === undefined ? "order by row.id" : "order by row.id desc")}`;
  }

  #rowsOf(asked: readonly Asked[], groups: Groups | null): Sql {
    const statuses = groups === null ? [null] : [...new Set(groups.statuses)];
    const rows = statuses.flatMap((status) => asked.map((one) => ({ status, ...one })));
    const column = (field: keyof (typeof rows)[number], type: string) =>
      array(
        rows.map((row) => row[field]),
        type,
      );
    const columns = [column("status", "text"), ...SPAN_FIELDS.map((field) => column(field, "bigint"))];
    const looks = sql`unnest(${join(columns)}) as asked(status, ${raw(SPAN_FIELDS.join(", "))})`;
    if (groups === null) return looks;
    const policies =
      groups.policyIds === null
        ? sql`(select id from policies where company_id = ${this.#companyId})`
        : sql`unnest(${array([...new Set(groups.policyIds)], "text")})`;
    return sql`${policies} as policy(id), ${looks}`;
  }
}

/** Selected, so that the planner cannot see how long it is, and finds one plan for all. */
function array(values: readonly unknown[], type: string): Sql {
  return sql`(select ${values}::${raw(type)}[])`;
}
