// Requests by the stretches of time that they touch (../spans.ts), as indexes: PostgreSQL works the keys out when a row
// is put, so there is nothing to file, and nothing can be left behind.
import { placesSql, SPANS_OF_ONE } from "../time-buckets.ts";

/** Some engines that speak PostgreSQL's protocol divide whole numbers into fractions. */
const { first, last } = placesSql("", (quotient) => `trunc(${quotient})::bigint`);

/** The stretches of a request, in terms of its columns: the first, the second if it touches two, and the third. */
export const SPANS = Array.from({ length: SPANS_OF_ONE }, (_, step) => ({
  span: `(${first} + ${step})`,
  /** That there is such a one. */
  condition: step === 0 ? "" : ` and ${first} + ${step} <= ${last}`,
}));

/** The rest of what filters compare is included, so that only rows of the page itself are read. */
export const REQUEST_SPAN_INDEXES: readonly string[] = SPANS.flatMap(({ span, condition }, step) => {
  const where = condition.replace(" and", " where");
  return [
    `create index requests_span_${step + 1} on requests (company_id, ${span}, id) include (policy_id, status, start_at_ms, end_at_ms)${where}`,
    `create index requests_policy_span_${step + 1} on requests (company_id, policy_id, status, ${span}, id) include (start_at_ms, end_at_ms)${where}`,
  ];
});
