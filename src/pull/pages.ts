// Reads the pages of a request, and proves that no row is missing between them (docs/pull.md, Pull files). Too few rows, a page that comes
// twice, or a list where an object was expected are refused: wrong paging must never pass for less data.
import { errorIn, moreIn } from "../envelope.ts";
import { PathDenied, PullRefused, UpstreamAway } from "./errors.ts";
import type { FileRequest } from "./schema.ts";
import { expandAll, type PullValues, placeholdersIn, textOf } from "./template.ts";
import { type Answer, type Call, type Upstream, valueAt } from "./upstream.ts";

/** A company never needs more pages than this. */
const MAX_PAGES = 100_000;
/** How many pages without rows may follow each other where each names the next. */
const MAX_EMPTY_PAGES = 100;
/** How many times pages are read again because rows moved meanwhile. */
const MAX_WALKS = 5;

/**
 * Why no row is missing. `one page`: there is no other. `key`: each page begins after the key of the last row. `overlap`: each page begins
 * with the last row of the page before. `two walks`: two walks gave the same rows.
 */
export const PROOFS = ["one page", "key", "overlap", "two walks"] as const;
export type PageProof = (typeof PROOFS)[number];

export interface PulledPage {
  readonly rows: readonly object[];
  /** The rows to write, reduced to `keep`. */
  readonly kept: readonly object[];
}

export interface PulledPages {
  /** The number of rows according to the API; null if the pull file names no `total`. */
  readonly total: number | null;
  /** null if rows may be missing. */
  readonly proof: PageProof | null;
}

export interface PageSink {
  add(page: PulledPage): void;
  /** Drops the rows so far: they are read again. */
  restart(): void;
}

type Refuse = (problem: string, said?: string) => never;

/** A page with its response. */
interface ReadPage extends PulledPage, Answer {
  readonly total: number | null;
  readonly count: number;
  readonly number: number;
}

interface Walk extends PulledPages {
  readonly digests: ReadonlySet<number | bigint>;
}

/** Rows moved between two pages. */
class Moved extends Error {
  override readonly name = "Moved";
}

/** The page size that the request asks for, and whether a page was full. If one was, a shorter page may be the last. */
interface Limit {
  readonly rows: number | null;
  isHeeded: boolean;
}

/** Statuses with which an API refuses a page after the last. */
const PAST_THE_END: ReadonlySet<number | null> = new Set([400, 404, 416, 422]);

/** The API ignores the parameters of `after`. */
class Unheeded extends Error {
  override readonly name = "Unheeded";
}

/** Reads every page of `first`, again if rows move. Raises PullRefused, with the file and the page, and UpstreamAway. */
export async function readPages(
  upstream: Upstream,
  values: PullValues,
  request: FileRequest,
  first: Call,
  sink: PageSink,
): Promise<PulledPages> {
  let [current, before]: [FileRequest, Walk | null] = [request, null];
  const limit: Limit = { rows: limitOf(first), isHeeded: false };
  for (let number = 1; number <= MAX_WALKS; number++) {
    if (number > 1) sink.restart();
    try {
      const walk = await walkPages(upstream, values, current, first, limit, sink);
      if (walk.proof !== null) return walk;
      if (before !== null && before.digests.symmetricDifference(walk.digests).size === 0)
        return { ...walk, proof: "two walks" };
      before = walk;
    } catch (error) {
      if (error instanceof Unheeded) current = { ...request, pages: { offset: request.pages!.offset } };
      else if (!(error instanceof Moved)) throw error;
      else if (number === MAX_WALKS)
        throw new UpstreamAway(`${error.message}: rows moved while they were read, ${MAX_WALKS} times`);
    }
  }
  return { total: before?.total ?? null, proof: null };
}

/** The first page alone. */
export async function readFirstPage(
  upstream: Upstream,
  request: FileRequest,
  first: Call,
): Promise<PulledPage & { readonly total: number | null }> {
  const place = placeOf(first, 1, request.pages !== undefined);
  return await readPage(upstream, request, { ...beginning(request, first), place });
}

async function readPage(
  upstream: Upstream,
  request: FileRequest,
  call: Call,
): Promise<Omit<ReadPage, "count" | "number">> {
  const answer = await upstream.ask(call).catch((error: unknown) => {
    throw error instanceof PathDenied ? error.withHint(request.hint) : error;
  });
  const refuse = refusalAt(call.place);
  const error = errorIn(answer.body, request.rows);
  if (error !== null) refuse("responded 200, but with an error", `: ${upstream.masked(textOf(error))}`);
  const rows = rowsOf(answer.body, request, refuse);
  if (request.pages === undefined && linkedNext(answer.link) !== undefined)
    refuse("the response names a next page in its Link header, but the file has no pages");
  const isProven = request.pages !== undefined || request.total !== undefined; // pages are proven by the walk
  const more = isProven ? null : moreIn(answer.body, request.rows, rows.length);
  if (more !== null)
    refuse("the response has not all rows, but the file has no pages", `: ${upstream.masked(more)}`);
  const { keep } = request;
  const kept = keep === undefined ? rows : rows.map((row) => keptOf(row, keysOf(keep)) as object); // a row is an object
  return { ...answer, rows, kept, total: totalOf(answer.body, request, refuse) };
}

async function walkPages(
  upstream: Upstream,
  values: PullValues,
  request: FileRequest,
  first: Call,
  limit: Limit,
  sink: PageSink,
): Promise<Walk> {
  const { pages } = request;
  const digests = new Set<number | bigint>();
  const calls = new Set<string>();
  let total: number | null = null;
  let empty = 0;
  let last: number | bigint | null = null;
  let isOverlapping = pages?.offset !== undefined && pages.after === undefined;
  let before: readonly (number | bigint)[] = [];
  let isShort = false;
  let call = beginning(request, first);
  for (let number = 1; ; number++) {
    const place = placeOf(first, number, pages !== undefined);
    const refuse = refusalAt(place);
    calls.add(signature(call));
    const read = await readPage(upstream, request, { ...call, place }).catch((error: unknown) => {
      if (isShort && error instanceof PullRefused && PAST_THE_END.has(error.status)) return null;
      throw error;
    });
    if (read === null) return { total, proof: proofOf(request, number, isOverlapping), digests };
    if (number > 1 && read.total !== total)
      throw new Moved(`${place}: ${request.total} is ${read.total}, and was ${total}`);
    total = read.total;
    const of = read.kept.map((row) => Bun.hash(JSON.stringify(row)));
    const repeated = pages === undefined ? 0 : of.filter((digest) => digests.has(digest)).length;
    const overlap = last !== null && of[0] === last ? 1 : 0;
    if (repeated > 0 && pages?.after !== undefined && pages.offset !== undefined) throw new Unheeded();
    // The rows after a short page are so few that they may be those of before by chance.
    if (of.length > 0 && Bun.deepEquals(of, before) && !isShort)
      refuse("repeats rows of earlier pages: the parameter of pages does not lead to the next page");
    if (last !== null && overlap === 0 && (total === null || of.length > 0))
      throw new Moved(`${place}: does not begin with the last row of the page before`);
    if (repeated > overlap)
      throw new Moved(`${place}: repeats ${repeated - overlap} rows of earlier pages, so others are missing`);
    before = of;
    for (const digest of of) digests.add(digest);
    const count = digests.size;
    if (total !== null && count > total) refuse(`came to ${count} rows, but ${request.total} is ${total}`);
    const page = { ...read, rows: read.rows.slice(overlap), count, number };
    isShort = isCounted(request) && total === null && limit.isHeeded && of.length < limit.rows!; // isHeeded implies a limit
    limit.isHeeded ||= of.length === limit.rows;
    sink.add({ rows: page.rows, kept: read.kept.slice(overlap) });
    // A page of one row would begin with itself for ever.
    last = isOverlapping && of.length > 1 ? of.at(-1)! : null;
    const named = isLast(request, page, refuse)
      ? null
      : nextCall(upstream, values, request, call, page, last !== null, refuse);
    // After the last row, an API may name the same empty page for ever.
    const isEnd = named !== null && of.length === 0 && calls.has(signature(named));
    const next = isEnd ? null : named;
    empty = of.length === 0 ? empty + 1 : 0;
    if (next !== null && empty === MAX_EMPTY_PAGES)
      refuse(`has no rows, as ${MAX_EMPTY_PAGES - 1} pages before it, but names a next page`);
    if (next === null) {
      if (total !== null && count < total)
        refuse(`is the last page, after ${count} rows, but ${request.total} is ${total}`);
      const more =
        isEnd || isToldToEnd(request, read.body) ? null : moreIn(read.body, request.rows, of.length, number);
      if (more !== null)
        refuse(
          "names no next page where pages expects it, but has not all rows",
          `: ${upstream.masked(more)}`,
        );
      return { total, proof: proofOf(request, number, isOverlapping), digests };
    }
    isOverlapping &&= last !== null;
    if (calls.has(signature(next)))
      refuse(
        "names a next page that was read before",
        `: ${upstream.masked(cursorText(request, page, next))}`,
      );
    if (number === MAX_PAGES) refuse("is page 100,000, and there are more");
    call = next;
  }
}

/** A total proves nothing: between two pages, one row may have gone and another come. */
function proofOf({ pages }: FileRequest, count: number, isOverlapping: boolean): PageProof | null {
  if (count === 1) return "one page";
  if (pages?.after !== undefined) return "key";
  return isOverlapping ? "overlap" : null;
}

function refusalAt(place: string): Refuse {
  return (problem, said) => {
    throw new PullRefused(`${place}: ${problem}`, said);
  };
}

function placeOf({ place }: Call, number: number, isPaged: boolean): string {
  return isPaged ? place.replace(/: /, `, page ${number}: `) : place;
}

function signature({ address, json, form }: Call): string {
  return JSON.stringify([address.href, json, form]);
}

/** The cursor of a next page, for messages. */
function cursorText({ pages }: FileRequest, { body }: ReadPage, { address }: Call): string {
  return pages?.cursor === undefined ? address.search : textOf(valueAt(body, pages.cursor));
}

type Keys = ReadonlyMap<string, Keys | null>;
const KEYS = new WeakMap<readonly string[], Keys>();

/** Paths as a tree; null stands for a whole value. */
function keysOf(paths: readonly string[]): Keys {
  const known = KEYS.get(paths);
  if (known !== undefined) return known;
  const tree = new Map<string, Keys | null>();
  for (const path of paths) {
    let at: Map<string, Keys | null> = tree;
    const keys = path.split(".");
    for (const [index, key] of keys.entries()) {
      if (index === keys.length - 1) at.set(key, null);
      else {
        if (!at.get(key)) at.set(key, new Map());
        at = at.get(key) as Map<string, Keys | null>; // created above
      }
    }
  }
  KEYS.set(paths, tree);
  return tree;
}

/** The values at the paths; in a list, for each element. */
function keptOf(value: unknown, keys: Keys | null): unknown {
  if (keys === null || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => keptOf(element, keys));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      keys.has(key) ? [[key, keptOf(inner, keys.get(key)!)]] : [],
    ),
  );
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

/** Parameters for the page size. */
const LIMITS = ["limit", "limit_page_length", "per", "per_page", "page_size", "pageSize"] as const;

/** The page size that the request asks for. */
function limitOf({ address, json, form }: Call): number | null {
  const named = LIMITS.map((name) => address.searchParams.get(name) ?? json?.[name] ?? form?.[name]);
  const limit = Number(named.find((value) => value != null) ?? Number.NaN);
  return limit > 0 ? limit : null;
}

/** Whether the response says where the pull file looks that there is no next page. */
function isToldToEnd({ pages, total }: FileRequest, body: unknown): boolean {
  const path = pages?.cursor ?? pages?.next;
  return (total ?? pages?.more) !== undefined || (path !== undefined && valueAt(body, path) !== undefined);
}

/** Whether the next page follows from the rows so far, so that no response names it. */
function isCounted({ pages }: FileRequest): boolean {
  return (pages?.page ?? pages?.offset ?? pages?.after) !== undefined;
}

function isLast(request: FileRequest, { body, rows, total, count }: ReadPage, refuse: Refuse): boolean {
  const { pages } = request;
  if (pages === undefined) return true;
  if (pages.more !== undefined) {
    const more = valueAt(body, pages.more);
    if (typeof more !== "boolean") refuse(`the response has neither true nor false at ${pages.more}`);
    if (more && rows.length === 0) refuse(`has no rows, but ${pages.more} is true`);
    return !more;
  }
  // The end is where no next page is named: a page may be empty, and `total` may be that of the page.
  return isCounted(request) && (rows.length === 0 || count === total);
}

function beginning({ pages }: FileRequest, call: Call): Call {
  if (pages?.page !== undefined) return withParameter(call, pages.page, pages.first ?? 1);
  if (pages?.offset === undefined || pages.after !== undefined) return call;
  return withParameter(call, pages.offset, 0);
}

/** The request for the next page; null if the response names none. */
function nextCall(
  upstream: Upstream,
  values: PullValues,
  { pages }: FileRequest,
  call: Call,
  { body, link, rows, count, number }: ReadPage,
  isOverlapping: boolean,
  refuse: Refuse,
): Call | null {
  if (pages === undefined) return null;
  if (pages.page !== undefined) return withParameter(call, pages.page, (pages.first ?? 1) + number);
  if (pages.after !== undefined) {
    const row = new Map<string, unknown>();
    for (const part of placeholdersIn(pages.after)) {
      if (part.from !== "row") continue;
      row.set(part.path, valueAt(rows.at(-1), part.path));
      if (isNothing(row.get(part.path))) refuse(`the last row has nothing at ${part.path}`);
    }
    const parameters = expandAll(pages.after, values, row) as object; // expanding an object gives an object
    return Object.entries(parameters).reduce((next, [name, value]) => withParameter(next, name, value), call);
  }
  if (pages.offset !== undefined) return withParameter(call, pages.offset, isOverlapping ? count - 1 : count);
  const path = pages.cursor ?? pages.next;
  const next = path === undefined ? linkedNext(link) : valueAt(body, path);
  if (isNothing(next)) return null;
  if (pages.cursor !== undefined) return withParameter(call, pages.param!, next); // `cursor` goes with `param`
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

/** A link of a `Link` header: its target, and its parameters. */
const LINK = /<([^>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g;
const PARAMETER = /;\s*([\w*-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+)))?/g;

/** The target of the link whose relations have `next` (RFC 8288, 3). */
function linkedNext(header: string | null): string | undefined {
  for (const [, target, parameters] of (header ?? "").matchAll(LINK)) {
    const rel = [...parameters!.matchAll(PARAMETER)].find(([, name]) => name!.toLowerCase() === "rel");
    const relations = rel?.[2] ?? rel?.[3] ?? "";
    if (relations.toLowerCase().split(/\s+/).includes("next")) return target;
  }
  return undefined;
}

/** Sets a parameter: in the query if it is there already or there is no body, else in the body. */
function withParameter(call: Call, name: string, value: unknown): Call {
  const address = new URL(call.address);
  if (!address.searchParams.has(name)) {
    if (call.json !== undefined) return { ...call, json: { ...call.json, [name]: value } };
    if (call.form !== undefined) return { ...call, form: { ...call.form, [name]: textOf(value) } };
  }
  address.searchParams.set(name, textOf(value));
  return { ...call, address };
}
