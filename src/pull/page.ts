// Reads one page: its rows, its total, its errors, and its signs of further pages.
import { errorIn, moreIn } from "../envelope.ts";
import { beginning, isCounted, limitOf, placeOf, rowsBefore } from "./call.ts";
import { PathDenied, PullRefused } from "./errors.ts";
import { hasLastPage, linked } from "./links.ts";
import type { FileRequest } from "./schema.ts";
import { textOf } from "./template.ts";
import { type Answer, type Call, type Upstream, valueAt } from "./upstream.ts";

export interface PulledPage {
  readonly rows: readonly object[];
  /** The rows to write, reduced to `keep`. */
  readonly kept: readonly object[];
  /** Whether rows may be missing: the page has the requested or a usual number of rows, and nothing says that these are all. */
  readonly mayBeCut: boolean;
}

export type Refuse = (problem: string, said?: string) => never;

/** A page with its response. */
export interface ReadPage extends PulledPage, Answer {
  readonly total: number | null;
}

/** Usual page sizes of APIs, for requests that ask for none. */
const DEFAULT_LIMITS: ReadonlySet<number> = new Set([25, 50, 100, 200, 250, 500, 1000, 2000, 5000]);

/** The first page alone. */
export async function readFirstPage(
  upstream: Upstream,
  request: FileRequest,
  first: Call,
): Promise<PulledPage & { readonly total: number | null }> {
  const place = placeOf(first, 1, request.pages !== undefined);
  return await readPage(upstream, request, { ...beginning(request, first), place });
}

/** `isLater`: this is not the first page, so null counts as an empty list. Programs in Go write it so. */
export async function readPage(
  upstream: Upstream,
  request: FileRequest,
  call: Call,
  isLater = false,
): Promise<ReadPage> {
  const answer = await upstream.ask(call).catch((error: unknown) => {
    throw error instanceof PathDenied ? error.withHint(request.hint) : error;
  });
  const refuse = refusalAt(call.place);
  const refuseMasked: Refuse = (problem, said = "") => refuse(problem, upstream.masked(said));
  const content = request.rows === undefined ? answer.body : listAt(answer.body, request.rows, refuseMasked);
  const path = rowsPath(request);
  const list = request.row ? [content] : isLater && content === null ? [] : content;
  const count = Array.isArray(list) ? list.length : 0;
  const error = errorIn(answer.body, path, count, rowsBefore(call, request));
  if (error !== null)
    throw new PullRefused(
      `${call.place}: responded 200, but with an error`,
      `: ${upstream.masked(textOf(error))}`,
      200,
    );
  const rows = rowsOf(list, answer.body, request, refuse);
  if (request.pages === undefined && linked(answer.headers, "next") !== undefined)
    refuse("the response names a next page in its Link header, but the file has no pages");
  if (request.pages === undefined && hasLastPage(answer.headers))
    refuse("the response names a last page in its Link header, but the file has no pages");
  // The walk checks pages, `total` is checked there too, and a single object cannot lack rows.
  const isProven = request.pages !== undefined || pathOfTotal(request) !== undefined || request.row;
  const limit = limitOf(call);
  const moreBy = (limit: number | null) =>
    moreIn(answer.body, path, rows.length, { headers: answer.headers, limit });
  const more = isProven ? null : moreBy(limit);
  if (more !== null)
    refuse("the response has not all rows, but the file has no pages", `: ${upstream.masked(more)}`);
  const keep = request.keep?.map((path) => path.split("."));
  const kept = keep === undefined ? rows : rows.map((row) => keptOf(row, keep) as object); // a row is an object
  const isFull = DEFAULT_LIMITS.has(rows.length) || rows.length === limit;
  const mayBeCut = isFull && isSilentOfNext(request, answer) && moreBy(rows.length) !== null;
  return { ...answer, rows, kept, mayBeCut, total: totalOf(answer.body, request, refuse) };
}

export function refusalAt(place: string): Refuse {
  return (problem, said) => {
    throw new PullRefused(`${place}: ${problem}`, said);
  };
}

/** A copy of the value with only these paths. In a list, they apply to each element. */
function keptOf(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (typeof value !== "object" || value === null || paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) return value.map((element) => keptOf(element, paths));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const below = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
      return below.length === 0 ? [] : [[key, keptOf(inner, below)]];
    }),
  );
}

const ANY = /\.\*(?=\.|$)/;

/** The path to the rows, up to the first `*`. The keys beside its end tell of pages and errors. */
export function rowsPath({ rows }: FileRequest): string | undefined {
  return rows === undefined ? undefined : `.${rows}`.split(ANY)[0]!.slice(1) || undefined;
}

/**
 * The list at a path. `*` means every element of a list, or every value of an object: their rows become one list. Undefined if `*` meets
 * anything else. Calls `refuse` if an object inside an element says, beside its rows, that there are more or that they failed.
 */
function listAt(body: unknown, path: string, refuse: Refuse): unknown {
  const [first, ...others] = `.${path}`.split(ANY).map((keys) => keys.slice(1));
  const start = first === "" ? body : valueAt(body, first!);
  if (others.length === 0) return start;
  let values: unknown[] = [start];
  for (const keys of others) {
    if (values.some((value) => typeof value !== "object" || value === null)) return undefined;
    values = values.flatMap((value) => Object.values(value as object)); // just checked
    const [key, ...inner] = keys.split(".");
    if (inner.length > 0)
      for (const value of values) requireAllInside(valueAt(value, key!), inner.join("."), refuse);
    if (keys !== "") values = values.map((value) => valueAt(value, keys));
  }
  return values.flat();
}

function requireAllInside(holder: unknown, path: string, refuse: Refuse): void {
  const list = valueAt(holder, path);
  const count = Array.isArray(list) ? list.length : 0;
  const error = errorIn(holder, path, count);
  if (error !== null) refuse(`a part of the response has an error beside ${path}`, `: ${textOf(error)}`);
  const more = moreIn(holder, path, count);
  if (more !== null)
    refuse(
      `a part of the response has not all rows at ${path}, and pages of parts are not read: ask for more rows of each`,
      `: ${more}`,
    );
}

/** A hint if the path goes through a list, where it needs a `*`; else null. */
function hintOfList(body: unknown, path = ""): string | null {
  const keys = path.split(".");
  const at = keys.findIndex((_, number) => Array.isArray(valueAt(body, keys.slice(0, number + 1).join("."))));
  if (at === -1 || at === keys.length - 1) return null;
  return ` (${keys.slice(0, at + 1).join(".")} is a list: write ${keys.toSpliced(at + 1, 0, "*").join(".")} for those of all its elements)`;
}

/** The problem of a response that has no list of rows at the expected place. */
function withoutList(found: unknown, body: unknown, rows: string | undefined): string {
  if (rows !== undefined && Array.isArray(body))
    return `the response is a list, where an object with ${rows} was expected`;
  const isObject = typeof found === "object" && found !== null;
  const what = found === undefined ? "nothing" : isObject ? "an object" : found === null ? "null" : "a value";
  const orOne = isObject
    ? ` (or add "row": true, if that object is the row; or write ${rows === undefined ? "" : `${rows}.`}*, if its values are)`
    : (hintOfList(body, rows) ?? "");
  return rows === undefined
    ? `the response is ${what}, not a list: name the path of the list in rows${orOne}`
    : `the response has ${what} at ${rows}, not a list${orOne}`;
}

function rowsOf(list: unknown, body: unknown, request: FileRequest, refuse: Refuse): readonly object[] {
  const { rows, row } = request;
  if (!Array.isArray(list)) return refuse(withoutList(list, body, rows));
  const at = list.findIndex((item) => typeof item !== "object" || item === null || Array.isArray(item));
  if (at === -1) return list;
  return refuse(
    row
      ? `the response has no object${rows === undefined ? "" : ` at ${rows}`}, as row says`
      : `row ${at + 1} is not an object`,
  );
}

/** Undefined for `false`, too. `total: false` means that the number in the responses counts something else. */
const pathOfTotal = ({ total }: FileRequest) => (total === false ? undefined : total);

function totalOf(body: unknown, request: FileRequest, refuse: Refuse): number | null {
  const total = pathOfTotal(request);
  if (total === undefined) return null;
  const value = valueAt(body, total);
  // Elasticsearch stops counting at 10,000: `{"value": 10000, "relation": "gte"}`.
  if (valueAt(body, total.replace(/[^.]+$/, "relation")) === "gte")
    refuse(
      `says that there are at least ${value} rows at ${total}: ask for the exact number, or take total out`,
    );
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0
    ? number
    : refuse(`the response has no number of rows at ${total}`);
}

/** Whether the response itself says that this is the last page, at the place that the pull file names. */
export function isToldToEnd(request: FileRequest, body: unknown): boolean {
  const { pages } = request;
  const path = pages?.cursor ?? pages?.next;
  return (
    (pathOfTotal(request) ?? pages?.more) !== undefined ||
    (path !== undefined && valueAt(body, path) !== undefined)
  );
}

/** Whether the response lacks the place that would name the next page or the number of rows. */
function isSilentOfNext(request: FileRequest, { body, headers }: Answer): boolean {
  const { pages } = request;
  if (pathOfTotal(request) !== undefined || pages?.more !== undefined || isCounted(request)) return false;
  const path = pages?.cursor ?? pages?.next;
  if (path !== undefined) return valueAt(body, path) === undefined;
  // If the Link header names this page or the first one, no proxy dropped it. Then a missing next link means the last page.
  const isTold =
    pages !== undefined && !hasLastPage(headers) && ["self", "first"].some((rel) => linked(headers, rel));
  return linked(headers, "next") === undefined && !isTold;
}
