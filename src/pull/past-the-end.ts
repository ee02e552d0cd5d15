// How an API refuses a page after the last.
import { PullRefused } from "./errors.ts";
import type { FileRequest } from "./schema.ts";
import type { Call } from "./upstream.ts";

/** Statuses with which an API refuses a page after the last. */
const PAST_THE_END: ReadonlySet<number | null> = new Set([204, 400, 404, 416, 422]);

/** Statuses above that may refuse something else in the request. */
export const WRONG_REQUEST: ReadonlySet<number | null> = new Set([400, 422]);

/** Words of messages that refuse a page after the last. */
const OF_PAGE =
  /pag(?:e|inat|ing)|offset|skip|cursor|beyond|out of (?:range|bounds)|not found|\bempty\b|\bno (?:further|more|such|data|entries|items|records|results|rows)\b/i;

/** A message that says only that there are no rows: `{"errors": {"message": "No records found"}}`. */
const NO_ROWS =
  /(?:^|[":])\s*no (?:further |more |such )?(?:data|entries|items|records|results|rows)(?: (?:were |was )?(?:available|exist|found|left))?[.!]?\s*(?:"|$)/i;

/** A message that has no reason: `{"status": 400, "error": "Bad Request"}`. */
const NO_REASON =
  /^(?:[\W\d_]|code|status|errors?|messages?|msg|title|detail|bad|invalid|request|unprocessable|entity|content|true|false|null)*$/i;

/** Whether a message may be of a page after the last: it speaks of pages, or has no reason. */
export function saysPastTheEnd(said: string, { address }: Call, { pages }: FileRequest): boolean {
  const text = said.replaceAll(/[^\s"]*[?&][^\s"]*/g, "").replaceAll(address.pathname, ""); // an address names the page parameter, too
  const names = [pages?.page ?? pages?.offset ?? Object.keys(pages?.after ?? {})].flat();
  return (
    OF_PAGE.test(text) || NO_REASON.test(text) || text.split(/[^\w$-]+/).some((word) => names.includes(word))
  );
}

export function nullPastTheEnd(error: unknown): null {
  if (error instanceof PullRefused && (PAST_THE_END.has(error.status) || saysNoRows(error))) return null;
  throw error;
}

/** Whether an API says that it has nothing after the last row. */
export function saysNoRows({ status, said }: PullRefused): boolean {
  return (status === 200 || PAST_THE_END.has(status)) && NO_ROWS.test(said);
}
