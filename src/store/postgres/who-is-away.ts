// Who is away: the first requests that touch a few weeks, merged from one look at an index for each time bucket. Each look is in
// list order, so PostgreSQL merges them and reads few more entries than the page has. The text depends on how many buckets there
// are, never on values: it is made once, and prepared once.
import { LRUCache } from "lru-cache";
import { columnName } from "../../resources/resource.ts";
import { bucketsIn } from "../plan.ts";
import type { Condition, PageQuery } from "../store.ts";
import type { BucketRange } from "../time-buckets.ts";
import type { PostgresStatement } from "./connection/database.ts";
import { BUCKETS } from "./schema.ts";

/** Whether a filter asks who is away between two instants, and nothing else. Others would need many more texts. */
export function asksWhoIsAway(conditions: readonly Condition[]): boolean {
  return (
    conditions.length === 2 &&
    conditions.some(({ column, is }) => column === "startAtMs" && is === "<") &&
    conditions.some(({ column, is }) => column === "endAtMs" && is === ">=")
  );
}

/** Numbers of weeks that are looked at: the least that is enough. */
const WEEKS = [2, 4, 10];

/** Holds no request. */
const EMPTY_BUCKET = -1;

/**
 * Numbers of rows that are merged: the least that is enough. A number in the text tells the planner that few are wanted; of a
 * parameter it would expect a tenth of all.
 */
const ROWS = [26, 101];

const leastOf = (sizes: readonly number[], wanted: number) => sizes.find((size) => size >= wanted) ?? wanted;

/** What decides the text. */
interface Shape {
  readonly position: "after" | "before" | "start";
  readonly rows: number;
  readonly columns: readonly string[];
  /** How many buckets are looked at, of each range. */
  readonly buckets: readonly number[];
}

const texts = new LRUCache<string, string>({ max: 200 });

/** The page of a filter that asks who is away. `ranges`: by level, the last of them the bucket without end. */
export function whoIsAway(
  companyId: string,
  page: PageQuery,
  conditions: readonly Condition[],
  ranges: readonly BucketRange[],
): PostgresStatement {
  const buckets = ranges.map((range, level) => {
    const asked = bucketsIn(range);
    const count = level === 0 ? leastOf(WEEKS, asked.length) : asked.length;
    return [...asked, ...Array<number>(count - asked.length).fill(EMPTY_BUCKET)];
  });
  const cursor = page.after ?? page.before;
  const shape: Shape = {
    position: cursor === undefined ? "start" : page.after === undefined ? "before" : "after",
    rows: leastOf(ROWS, page.limit + 1),
    columns: conditions.map(({ column }) => column),
    buckets: buckets.map(({ length }) => length),
  };
  const key = [shape.position, shape.rows, ...shape.columns, ...shape.buckets].join(" ");
  let text = texts.get(key);
  if (text === undefined) {
    text = textOf(shape, conditions);
    texts.set(key, text);
  }
  const compared = conditions.map(({ values }) => values[0]);
  const position = cursor === undefined ? [] : [cursor];
  return { text, values: [companyId, page.limit + 1, ...position, ...compared, ...buckets.flat()] };
}

/** Parameters: the company, the limit, the cursor if there is one, what is compared, the buckets. */
function textOf({ position, rows, buckets }: Shape, conditions: readonly Condition[]): string {
  let parameters = 2;
  const next = () => `$${++parameters}`;
  let fits = "company_id = $1";
  if (position !== "start") fits += ` and id ${position === "after" ? ">" : "<"} ${next()}`;
  for (const { column, is } of conditions) fits += ` and ${columnName(column)} ${is} ${next()}`;
  const order = position === "before" ? "order by id desc" : "order by id";
  const look = ({ bucket, condition }: (typeof BUCKETS)[number], parameter: string) =>
    `(select id from requests where ${bucket} = ${parameter}${condition} and ${fits} ${order} limit ${rows})`;
  const looks = buckets.flatMap((count, level) => {
    const asked = Array.from({ length: count }, next);
    // What touches the first bucket of a range may come from before it: then that is its second bucket or its third.
    const edges = level === buckets.length - 1 ? [] : BUCKETS.slice(1);
    return [
      ...asked.map((parameter) => look(BUCKETS[0]!, parameter)),
      ...edges.map((step) => look(step, asked[0]!)),
    ];
  });
  const first = `select id from (${looks.join(" union all ")}) as found ${order} limit ${rows}`;
  const wanted = `select id from (${first}) as first ${order} limit $2`;
  return `select row.doc, row.id from (${wanted}) as wanted join requests as row on row.company_id = $1 and row.id = wanted.id ${order.replace("id", "row.id")}`;
}
