// Weeks, and longer stretches, as numbers: the buckets in which requests are found by time.
//
// A request is filed under every stretch that it touches. Short ones are filed by week, longer ones by stretches of
// 16 and of 256 weeks, so that no request has more than three entries and nearly every entry of a stretch touches a
// given week of it.

const WEEK_MS = 604_800_000;

/** Before the first day that may be stored, in any time zone. */
const ORIGIN_MS = -2_240_524_800_000;

/** How much longer the stretches of a level are than those of the one before. */
const FACTOR = 16;

/** Levels with stretches of a length; what is too long for them is in one stretch without end. */
const LEVELS = 3;

/** Apart from each other by more than there are weeks in the years that may be stored. */
const LEVEL_STEP = 1_000_000;

const lengthMs = (level: number) => WEEK_MS * FACTOR ** level;

/** Stretches of one level, from `first` to `last`, both included. */
export interface SpanRange {
  readonly first: number;
  readonly last: number;
}

/** The stretches of each level that touch the time between two instants, both included; either may be infinite. */
export function spansTouching(fromMs: number, toMs: number): SpanRange[] {
  const ranges: SpanRange[] = [];
  for (let level = 0; level < LEVELS; level++) {
    const place = (instantMs: number) => Math.floor((instantMs - ORIGIN_MS) / lengthMs(level));
    const base = level * LEVEL_STEP;
    const first = base + Math.max(0, place(fromMs));
    const last = base + Math.min(LEVEL_STEP - 1, place(toMs));
    ranges.push({ first, last });
  }
  const endless = LEVELS * LEVEL_STEP;
  return [...ranges, { first: endless, last: endless }];
}

/** In SQL, what `request_spans` holds of a row of requests: the stretches, as `first` and `last`. */
function entriesSql(row: string): string {
  const { start, end } = { start: `${row}start_at_ms`, end: `${row}end_at_ms` };
  const byLevel = (value: (level: number) => string) => {
    const cases = Array.from(
      { length: LEVELS },
      (_, level) => `when ${end} - ${start} <= ${2 * lengthMs(level)} then ${value(level)}`,
    );
    return `case ${cases.join(" ")} else ${LEVELS * LEVEL_STEP} end`;
  };
  const place = (instant: string) =>
    byLevel((level) => `${level * LEVEL_STEP} + (${instant} - ${ORIGIN_MS}) / ${lengthMs(level)}`);
  return `select ${place(start)} as first, ${place(end)} as last`;
}

const STEPS = "(select 0 as step union all select 1 union all select 2)";
const COLUMNS = "company_id, span, id, policy_id, status, start_at_ms, end_at_ms";

const values = (row: string) =>
  COLUMNS.split(", ")
    .map((column) => (column === "span" ? "first + step" : row + column))
    .join(", ");

/** Files the requests that there are, and makes triggers that keep their entries with every change from then on. */
export const REQUEST_SPANS_SQL = `
  create table request_spans (
    company_id text not null,
    span integer not null,
    id text not null,
    policy_id text not null,
    status text not null,
    start_at_ms integer not null,
    end_at_ms integer not null,
    primary key (company_id, span, id)
  ) strict, without rowid;

  insert into request_spans (${COLUMNS})
    select ${COLUMNS} from (
      select ${COLUMNS.replace("span", "first + step as span")}, last
      from (select *, ${entriesSql("").replace("select ", "")} from requests) cross join ${STEPS}
    ) where span <= last order by company_id, span, id;
  create index request_spans_policy on request_spans (company_id, status, policy_id, span, id, start_at_ms, end_at_ms);

  create trigger requests_inserted after insert on requests begin
    insert into request_spans (${COLUMNS})
      select ${values("new.")} from (${entriesSql("new.")}) cross join ${STEPS} where first + step <= last;
  end;
  create trigger requests_deleted after delete on requests begin
    delete from request_spans where company_id = old.company_id and id = old.id and span in
      (select first + step from (${entriesSql("old.")}) cross join ${STEPS});
  end;
  create trigger requests_updated after update on requests
    when (old.policy_id, old.status, old.start_at_ms, old.end_at_ms)
      is not (new.policy_id, new.status, new.start_at_ms, new.end_at_ms)
  begin
    delete from request_spans where company_id = old.company_id and id = old.id and span in
      (select first + step from (${entriesSql("old.")}) cross join ${STEPS});
    insert into request_spans (${COLUMNS})
      select ${values("new.")} from (${entriesSql("new.")}) cross join ${STEPS} where first + step <= last;
  end;
`;
