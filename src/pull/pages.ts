// The pages of one request, until there are no more. Too few rows, the same page twice, or a list where an object was expected are
// refused: wrong paging must never pass for less data.
import { PullRefused } from "./errors.ts";
import type { FileRequest } from "./schema.ts";
import { textOf } from "./template.ts";
import { type Answer, type Call, type Upstream, valueAt } from "./upstream.ts";

/** No API has more pages for a company. */
const MAX_PAGES = 100_000;

export interface PulledPage {
  readonly rows: readonly object[];
  /** What the API says of all rows; null where the pull file names no `total`. */
  readonly total: number | null;
}

/** A page, and how many rows have come with it. */
interface ReadPage extends PulledPage, Answer {
  readonly count: number;
  readonly number: number;
}

/** Asks for each page of `first`. Raises PullRefused, with the file and the page. */
export async function* pagesOf(
  upstream: Upstream,
  request: FileRequest,
  first: Call,
): AsyncGenerator<PulledPage> {
  const { pages } = request;
  const limit = pages?.page === undefined && pages?.offset === undefined ? null : limitOf(first);
  const seen = new Set<number | bigint>();
  let total: number | null = null;
  let count = 0;
  let call = beginning(request, first);
  for (let number = 1; ; number++) {
    const place = placeOf(first, number, pages !== undefined);
    const answer = await upstream.ask({ ...call, place });
    const refuse = (problem: string): never => {
      throw new PullRefused(`${place}: ${problem}`);
    };
    const rows = rowsOf(answer.body, request, refuse);
    const told = totalOf(answer.body, request, refuse);
    if (number > 1 && told !== total)
      refuse(
        `${request.total} was ${total} on the page before and is ${told}: the data changed while it was read, pull again`,
      );
    total = told;
    count += rows.length;
    if (pages !== undefined) refuseRepeated(rows, seen, refuse);
    yield { rows, total };
    if (total !== null && count > total) refuse(`came to ${count} rows, but ${request.total} is ${total}`);
    const page = { ...answer, rows, total, count, number };
    const next = isLast(request, page, limit, refuse)
      ? null
      : nextCall(upstream, request, call, page, refuse);
    if (next === null) {
      if (total !== null && count < total)
        refuse(`is the last page, after ${count} rows, but ${request.total} is ${total}`);
      return;
    }
    if (number === MAX_PAGES) refuse("is page 100,000, and there are more");
    call = next;
  }
}

/** A row that comes twice stands where another one is missing: the parameter does not lead on, or rows moved between two requests. */
function refuseRepeated(rows: readonly object[], seen: Set<number | bigint>, refuse: Refuse): void {
  const digests = rows.map((row) => Bun.hash(JSON.stringify(row)));
  const repeated = digests.filter((digest) => seen.has(digest)).length;
  if (repeated > 0 && repeated === rows.length)
    refuse("has the same rows as pages before: the parameter of pages does not lead on");
  if (repeated > 0)
    refuse(`has ${repeated} rows of pages before: the pages overlap, so that others are missing`);
  for (const digest of digests) seen.add(digest);
}

type Refuse = (problem: string) => never;

function placeOf({ place }: Call, number: number, isPaged: boolean): string {
  return isPaged ? place.replace(/: /, `, page ${number}: `) : place;
}

function rowsOf(body: unknown, { rows }: FileRequest, refuse: Refuse): readonly object[] {
  const list = rows === undefined ? body : valueAt(body, rows);
  if (!Array.isArray(list)) {
    const what =
      list === undefined
        ? "nothing"
        : list === null
          ? "null"
          : typeof list === "object"
            ? "an object"
            : "a value";
    return refuse(
      rows === undefined
        ? `the response is ${what}, not a list: name the path of the list in rows`
        : Array.isArray(body)
          ? `the response is a list, where an object with ${rows} was expected`
          : `the response has ${what} at ${rows}, not a list`,
    );
  }
  const at = list.findIndex((row) => typeof row !== "object" || row === null || Array.isArray(row));
  return at === -1 ? list : refuse(`row ${at + 1} is not an object`);
}

function totalOf(body: unknown, { total }: FileRequest, refuse: Refuse): number | null {
  if (total === undefined) return null;
  const told = valueAt(body, total);
  const number = typeof told === "string" && /^\d+$/.test(told) ? Number(told) : told;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0
    ? number
    : refuse(`the response has no number of rows at ${total}`);
}

/** How many rows a page has at most, by the request itself. */
function limitOf({ address, json, form }: Call): number | null {
  const text = address.searchParams.get("limit") ?? json?.limit ?? form?.limit;
  const limit = Number(text ?? Number.NaN);
  return limit > 0 ? limit : null;
}

function isLast(
  { pages }: FileRequest,
  { body, rows, total, count }: ReadPage,
  limit: number | null,
  refuse: Refuse,
): boolean {
  if (pages === undefined) return true;
  if (pages.more !== undefined) {
    const more = valueAt(body, pages.more);
    if (typeof more !== "boolean") refuse(`the response has neither true nor false at ${pages.more}`);
    if (more && rows.length === 0) refuse(`has no rows, but ${pages.more} is true`);
    return !more;
  }
  const isShort = total === null && limit !== null && rows.length < limit; // an API may have a smaller limit
  return rows.length === 0 || count === total || isShort;
}

function beginning({ pages }: FileRequest, call: Call): Call {
  if (pages?.page !== undefined) return withParameter(call, pages.page, pages.first ?? 1);
  return pages?.offset !== undefined ? withParameter(call, pages.offset, 0) : call;
}

/** The request for the page after this one; null where the response names none. */
function nextCall(
  upstream: Upstream,
  { pages }: FileRequest,
  call: Call,
  { body, link, rows, count, number }: ReadPage,
  refuse: Refuse,
): Call | null {
  if (pages === undefined) return null;
  if (pages.page !== undefined) return withParameter(call, pages.page, (pages.first ?? 1) + number);
  if (pages.offset !== undefined) return withParameter(call, pages.offset, count);
  if (pages.after !== undefined) {
    const last = valueAt(rows.at(-1), pages.from!); // `after` goes with `from`
    if (pages.more !== undefined && isNothing(last)) refuse(`the last row has nothing at ${pages.from}`);
    return isNothing(last) ? null : withParameter(call, pages.after, last);
  }
  if (pages.cursor !== undefined) {
    const cursor = valueAt(body, pages.cursor);
    return isNothing(cursor) ? null : withParameter(call, pages.param!, cursor); // `cursor` goes with `param`
  }
  const next = pages.next === undefined ? linkedNext(link) : valueAt(body, pages.next);
  if (isNothing(next)) return null;
  if (typeof next !== "string") return refuse(`the next address at ${pages.next} is not text`);
  try {
    return { ...call, address: upstream.address(next, call.address) };
  } catch (error) {
    return error instanceof PullRefused ? refuse(`the next page ${error.message}`) : refuse(String(error));
  }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === false;
}

/** The target of `rel="next"` (RFC 8288). */
function linkedNext(header: string | null): string | undefined {
  return header?.match(/<([^>]*)>(?:\s*;[^,<]*)?;\s*rel="?next"?/i)?.[1];
}

/** A parameter goes into the query if it stands there already, or there is no body; else into the body. */
function withParameter(call: Call, name: string, value: unknown): Call {
  const address = new URL(call.address);
  if (!address.searchParams.has(name)) {
    if (call.json !== undefined) return { ...call, json: { ...call.json, [name]: value } };
    if (call.form !== undefined) return { ...call, form: { ...call.form, [name]: textOf(value) } };
  }
  address.searchParams.set(name, textOf(value));
  return { ...call, address };
}
