// The first requests of a few time buckets, such as those of a week: each look at one is a part of the text. A loop over values
// costs more than the looks themselves. The text depends on how many looks there are, never on values.
import { columnName } from "../../resources/resource.ts";
import type { Condition, PageQuery } from "../store.ts";
import type { PostgresStatement } from "./connection/database.ts";

/** With more of them, planning and starting them costs as much as the loop. */
export const LOOKS_MAX = 24;

/** A bucket, or the requests in it of one status of one policy. */
export interface Look {
  readonly bucket: number;
  readonly group: { readonly policyId: string; readonly status: string } | null;
}

export interface MergedBuckets {
  readonly companyId: string;
  readonly page: PageQuery;
  /** What is compared of every request, besides the group of its look. */
  readonly conditions: readonly Condition[];
  readonly looks: readonly Look[];
  /** How many rows are taken: as many as the page wants, or a few more. */
  readonly rows: number;
}

/** The first requests that any of the looks finds. One that several find is selected once. */
export function mergedBuckets({
  companyId,
  page,
  conditions,
  looks,
  rows,
}: MergedBuckets): PostgresStatement {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const order = `order by id${page.before === undefined ? "" : " desc"}`;
  const company = `company_id = ${bind(companyId)}`;
  const cursor = page.after ?? page.before;
  let fits = cursor === undefined ? "" : ` and id ${page.after === undefined ? "<" : ">"} ${bind(cursor)}`;
  for (const { column, is, values: compared } of conditions)
    fits += ` and ${columnName(column)} ${is === "in" ? `= any(${bind(compared)})` : `${is} ${bind(compared[0])}`}`;
  const groups = new Map<string, string>();
  const bindOnce = (value: string) => {
    const bound = groups.get(value) ?? bind(value);
    groups.set(value, bound);
    return bound;
  };
  const found = looks.map(({ bucket, group }) => {
    const ofGroup =
      group === null
        ? ""
        : ` and policy_id = ${bindOnce(group.policyId)} and status = ${bindOnce(group.status)}`;
    return `(select doc, id from request_buckets where ${company}${ofGroup} and bucket = ${bind(bucket)}${fits} ${order} limit ${rows})`;
  });
  // In list order: no more is read of a look than the page needs.
  const first = `select distinct on (id) doc, id from (${found.join(" union all ")}) as found ${order} limit ${rows}`;
  const wanted = page.limit + 1;
  const text =
    wanted === rows ? first : `select doc, id from (${first}) as first ${order} limit ${bind(wanted)}`;
  return { text, values };
}
