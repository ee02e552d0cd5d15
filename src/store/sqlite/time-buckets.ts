// Filing requests under the stretches of time that they touch (../spans.ts), in a table of its own.
import { placesSql } from "../time-buckets.ts";

const present = placesSql();
const removed = placesSql("old.").first;

/**
 * Files the requests that there are. Whoever adds a request files it (see `SqliteImportTransaction.put`): a trigger on
 * insertion would double what a row costs. What is removed loses its entries by a trigger, so none is left behind.
 */
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

  insert into request_spans (company_id, span, id, policy_id, status, start_at_ms, end_at_ms)
    select company_id, first + step, id, policy_id, status, start_at_ms, end_at_ms
    from (select *, ${present.first} as first, ${present.last} as last from requests)
      cross join (select 0 as step union all select 1 union all select 2)
    where first + step <= last order by 1, 2, 3;
  create index request_spans_policy on request_spans (company_id, status, policy_id, span, id, start_at_ms, end_at_ms);

  create trigger requests_removed after delete on requests begin
    delete from request_spans where company_id = old.company_id and id = old.id
      and span in (${removed}, ${removed} + 1, ${removed} + 2);
  end;
`;
