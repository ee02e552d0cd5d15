// Reads the pages of a request, and proves that no row is missing between them (docs/pull.md, Pull files). Too few rows, a page that comes
// twice, or a list where an object was expected are refused: a mistake of paging must not look like fewer rows.
import { earlierIn, errorIn, lettersOf, moreIn, totalIn } from "../envelope.ts";
import { PathDenied, PullRefused, UpstreamAway } from "./errors.ts";
import type { FileRequest } from "./schema.ts";
import { expandAll, type PullValues, placeholdersIn, textOf } from "./template.ts";
import { type Answer, type Call, type Upstream, valueAt } from "./upstream.ts";

/** A company never needs more pages than this. */
const MAX_PAGES = 100_000;
/** How many empty pages in a row may each name a next one. */
const MAX_EMPTY_PAGES = 100;
/** How many pages after an empty one are looked at, if a page was full or several had rows. */
const MAX_BEYOND = 3;
/** How many, if the API leaves out rows of its pages. */
const MAX_BEYOND_GAPS = 100;
/** How many times all pages are read, if rows move meanwhile. */
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
  /** Whether there are as many rows as APIs send at most without being asked, and nothing says that these are all. */
  readonly mayBeCut: boolean;
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
}

type Digest = number | bigint;

/** A page of a walk. */
interface WalkPage extends ReadPage {
  readonly number: number;
  readonly place: string;
  readonly refuse: Refuse;
  /** The digests of the rows to write. */
  readonly digests: readonly Digest[];
}

/** Rows moved between two pages. */
class Moved extends Error {
  override readonly name = "Moved";
}

/** The page size of the request, and whether the API keeps to it. If it does, a shorter page may be the last. */
interface Limit {
  readonly rows: number | null;
  /** Whether a page was full. */
  isHeeded: boolean;
}

/** How many rows APIs send at most, if a request does not say how many. */
const DEFAULT_LIMITS: ReadonlySet<number> = new Set([25, 50, 100, 200, 250, 500, 1000, 2000, 5000]);

/** Statuses with which an API refuses a page after the last. */
const PAST_THE_END: ReadonlySet<number | null> = new Set([204, 400, 404, 416, 422]);
/** Those of them that may also refuse something else in the request. */
const WRONG_REQUEST: ReadonlySet<number | null> = new Set([400, 422]);
/** Words with which a message refuses a page after the last. */
const OF_PAGE =
  /pag(?:e|inat|ing)|offset|skip|cursor|beyond|out of (?:range|bounds)|not found|\bempty\b|\bno (?:further|more|such|data|entries|items|records|results|rows)\b/i;
/** The whole message of an API that has nothing after the last row, with whatever status: `{"errors": {"message": "No records found"}}`. */
const NO_ROWS =
  /(?:^|[":])\s*no (?:further |more |such )?(?:data|entries|items|records|results|rows)(?: (?:were |was )?(?:available|exist|found|left))?[.!]?\s*(?:"|$)/i;
/** A message that has no reason: `{"status": 400, "error": "Bad Request"}`. */
const NO_REASON =
  /^(?:[\W\d_]|code|status|errors?|messages?|msg|title|detail|bad|invalid|request|unprocessable|entity|content|true|false|null)*$/i;

/** The API ignores the parameters of `after`. */
class Unheeded extends Error {
  override readonly name = "Unheeded";
}

/**
 * Reads every page of `first`, again if rows move. `isFileEmpty`: no request of the file had rows so far. Raises PullRefused, with the file and
 * the page, and UpstreamAway.
 */
export async function readPages(
  upstream: Upstream,
  values: PullValues,
  request: FileRequest,
  first: Call,
  sink: PageSink,
  isFileEmpty: boolean,
): Promise<PulledPages> {
  let [current, before]: [FileRequest, Walk | null] = [request, null];
  const limit: Limit = { rows: limitOf(first), isHeeded: false };
  for (let number = 1; number <= MAX_WALKS; number++) {
    if (number > 1) sink.restart();
    const walk = new Walk(upstream, values, current, limit, sink);
    try {
      const proof = await walk.proofFrom(first, number === 1 && isFileEmpty);
      if (proof !== null) return { total: walk.total, proof };
      if (before !== null && before.digests.symmetricDifference(walk.digests).size === 0)
        return { total: walk.total, proof: "two walks" };
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

/** `isLater`: after the first page, where null is no rows, as programs in Go write an empty list. */
async function readPage(
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
  const told = request.rows === undefined ? answer.body : listAt(answer.body, request.rows, refuseMasked);
  const path = rowsPath(request);
  const list = request.row ? [told] : isLater && told === null ? [] : told;
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
  // Pages are proven by the walk. An object has no more.
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

/** One walk through all pages. */
class Walk {
  /** Of all rows so far. */
  readonly digests = new Set<Digest>();
  total: number | null = null;
  #rows = 0;
  /** The total that the last page so far tells, if no path of the pull file names it. */
  #told: number | null = null;
  readonly #calls = new Set<string>();
  #before: readonly Digest[] = [];
  #emptyPages = 0;
  /** Whether the page before may be the last: it had fewer rows than the limit. */
  #isShort = false;
  /** Whether a page with fewer rows than the limit was followed by another: the API leaves out rows after it has counted them. */
  #hasGaps = false;
  /** What that page says of more rows, in words; null if nothing. */
  #more: string | null = null;
  /** Whether each page so far began with the last row of the page before. */
  #isOverlapping: boolean;
  /** The row that the next page must begin with; null for any. */
  #last: Digest | null = null;

  constructor(
    private readonly upstream: Upstream,
    private readonly values: PullValues,
    private readonly request: FileRequest,
    private readonly limit: Limit,
    private readonly sink: PageSink,
  ) {
    this.#isOverlapping = request.pages?.offset !== undefined && request.pages.after === undefined;
  }

  /** Reads the pages. Returns why no row is missing; null if rows may be missing. Raises Moved and Unheeded. */
  async proofFrom(first: Call, asksForPage0: boolean): Promise<PageProof | null> {
    let call = beginning(this.request, first);
    for (let number = 1; ; number++) {
      this.#calls.add(signature(call));
      const page = await this.#pageOf(call, placeOf(first, number, this.request.pages !== undefined), number);
      if (page === null) {
        this.#requireTold(call.place);
        return this.#proof(number);
      }
      if (number === 1) this.#requireFirst(page);
      const overlap = this.#joined(page);
      this.#add(page, overlap);
      if (number === 1 && asksForPage0) await this.#requireNoPage0(page, call, placeOf(first, 0, true));
      const rows = page.rows.slice(overlap);
      const next = this.#isLast(page, rows) ? null : this.#nextCall(call, page, rows);
      this.#emptyPages = page.digests.length === 0 ? this.#emptyPages + 1 : 0;
      // After the last row, an API may name the same empty page for ever.
      const isEmptyAgain = next !== null && this.#emptyPages > 0 && this.#calls.has(signature(next));
      if (next === null || isEmptyAgain) {
        this.#requireAll(page, isEmptyAgain);
        await this.#requireNoneBeyond(page, call, placeOf(first, number + 1, true));
        this.#requireTold(page.place);
        return this.#proof(number);
      }
      this.#requireNew(page, next);
      this.#isOverlapping &&= this.#last !== null;
      call = next;
    }
  }

  /** A page; null if the API refuses it after a short one, because there are no more rows. */
  async #pageOf(call: Call, place: string, number: number): Promise<WalkPage | null> {
    try {
      const read = await readPage(this.upstream, this.request, { ...call, place }, number > 1);
      const digests = read.kept.map(digestOf);
      return { ...read, number, place, refuse: refusalAt(place), digests };
    } catch (error) {
      if (!(error instanceof PullRefused) || error instanceof UpstreamAway) throw error;
      if (number > 1 && this.#more === null && isCounted(this.request) && saysNoRows(error)) return null;
      if (!this.#isShort) throw error;
      if (this.#more !== null) {
        const more = `, but the page before says that there are more rows: ${this.upstream.masked(this.#more)}`;
        throw new PullRefused(error.reason, `${error.said}${more}`, error.status);
      }
      if (WRONG_REQUEST.has(error.status) && !saysPastTheEnd(error.said, call, this.request))
        throw new PullRefused(
          error.reason,
          `${error.said}, which may be no end of the pages: if it is one, name total or more in the pull file`,
          error.status,
        );
      return nullPastTheEnd(error);
    }
  }

  /** How many rows of the page before a page begins with. Raises if it does not follow that page. */
  #joined({ number, place, refuse, digests, total }: WalkPage): 0 | 1 {
    const { pages } = this.request;
    if (number > 1 && total !== this.total)
      throw new Moved(`${place}: ${this.request.total} is ${total}, and was ${this.total}`);
    const repeated = pages === undefined ? 0 : digests.filter((digest) => this.digests.has(digest)).length;
    const overlap = this.#last !== null && digests[0] === this.#last ? 1 : 0;
    if (repeated > 0 && pages?.after !== undefined && pages.offset !== undefined) throw new Unheeded();
    // After a short page, a few equal rows may be chance.
    if (digests.length > 0 && Bun.deepEquals(digests, this.#before) && !this.#isShort)
      refuse("repeats rows of earlier pages: the parameter of pages does not lead to the next page");
    if (this.#last !== null && overlap === 0 && (total === null || digests.length > 0)) {
      const isFromOne = digests[0] === this.#before.at(-2);
      const hint = isFromOne ? ' (if the API counts rows from 1, add "first": 1 to pages)' : "";
      throw new Moved(`${place}: does not begin with the last row of the page before${hint}`);
    }
    if (repeated > overlap)
      throw new Moved(`${place}: repeats ${repeated - overlap} rows of earlier pages, so others are missing`);
    return overlap;
  }

  #add(page: WalkPage, overlap: number): void {
    const { rows, kept, number, digests, total, refuse } = page;
    const mayBeCut = page.mayBeCut && number === 1;
    for (const digest of digests) this.digests.add(digest);
    const count = this.digests.size;
    if (total !== null && count > total)
      refuse(`came to ${count} rows, but ${this.request.total} is ${total}`);
    this.#rows += digests.length - overlap;
    const { pages, total: named } = this.request;
    if (pages !== undefined && pages.more === undefined && named === undefined)
      this.#told = totalIn(page.body, rowsPath(this.request), page.headers);
    const { limit } = this;
    this.#hasGaps ||= number > 1 && digests.length > 0 && this.#before.length < (limit.rows ?? 0);
    this.#isShort =
      isCounted(this.request) && total === null && limit.isHeeded && digests.length < limit.rows!; // isHeeded implies a limit
    limit.isHeeded ||= digests.length === limit.rows;
    this.#more = moreSaid(page, this.request);
    this.sink.add({ rows: rows.slice(overlap), kept: kept.slice(overlap), mayBeCut });
    this.total = total;
    this.#before = digests;
    // A page of one row would begin with itself for ever.
    this.#last = this.#isOverlapping && digests.length > 1 ? digests.at(-1)! : null;
  }

  #isLast({ body, refuse, total }: WalkPage, rows: readonly object[]): boolean {
    const { pages } = this.request;
    if (pages === undefined) return true;
    if (pages.more !== undefined) {
      const more = valueAt(body, pages.more);
      if (typeof more !== "boolean") refuse(`the response has neither true nor false at ${pages.more}`);
      if (more && rows.length === 0) refuse(`has no rows, but ${pages.more} is true`);
      return !more;
    }
    // If responses name the next page, only they tell the end: a page may be empty, and `total` may be that of the page.
    return isCounted(this.request) && (rows.length === 0 || this.digests.size === total);
  }

  /** The request for the next page; null if the response names none. */
  #nextCall(call: Call, { body, headers, number, refuse }: WalkPage, rows: readonly object[]): Call | null {
    const pages = this.request.pages!; // else the first page is the last
    if (pages.page !== undefined) return withParameter(call, pages.page, (pages.first ?? 1) + number);
    if (pages.after !== undefined) {
      requireUniqueKey(pages.after, rows, refuse);
      requireSortedKey(pages.after, rows, refuse);
      const parameters = parametersAfter(pages.after, this.values, rows.at(-1), refuse);
      return parameters.reduce((next, [name, value]) => withParameter(next, name, value), call);
    }
    if (pages.offset !== undefined) {
      const overlap = this.#last === null ? 0 : 1;
      return withParameter(call, pages.offset, (pages.first ?? 0) + this.digests.size - overlap);
    }
    const path = pages.cursor ?? pages.next;
    const next = path === undefined ? linked(headers, "next") : valueAt(body, path);
    if (isNothing(next)) return null;
    if (pages.cursor !== undefined) return withParameter(call, pages.param!, next); // `cursor` goes with `param`
    if (typeof next !== "string") return refuse(`the next address at ${pages.next} is not text`);
    try {
      return { ...call, address: this.upstream.address(next, call.address) };
    } catch (error) {
      return error instanceof PullRefused ? refuse(`the next page ${error.message}`) : refuse(String(error));
    }
  }

  /** Refuses a first page if there is one before it: the API may count from 0. */
  #requireFirst({ body, refuse }: WalkPage): void {
    const { pages } = this.request;
    if ((pages?.page ?? pages?.offset) === undefined || pages?.first !== undefined) return;
    const earlier = earlierIn(body, rowsPath(this.request));
    if (earlier !== null)
      refuse(
        'is not the first page: say with "first" in pages from which number on the API counts',
        `: ${this.upstream.masked(earlier)}`,
      );
  }

  /** Refuses page 1 if page 0 has other rows, and no number of rows would show that they are missing. */
  async #requireNoPage0({ refuse, digests, total }: WalkPage, call: Call, place: string): Promise<void> {
    const { pages } = this.request;
    if (pages?.page === undefined || pages.first !== undefined || (total ?? this.#told) !== null) return;
    const before = { ...withParameter(call, pages.page, 0), place };
    const page = await readPage(this.upstream, this.request, before).catch((error: unknown) => {
      if (!(error instanceof PullRefused) || (error instanceof UpstreamAway && error.status === null))
        throw error;
      return null;
    });
    const rows = page?.kept.map(digestOf) ?? [];
    if (rows.length > 0 && !rows.some((row) => digests.includes(row)))
      refuse(
        'is not the first page, since page 0 has other rows: say with "first" in pages from which number on the API counts',
      );
  }

  /** Raises Moved if there are fewer rows than the last page told of. An API that counts pages from 0 is asked for page 1 and all that follow. */
  #requireTold(place: string): void {
    if (this.#told === null || this.#rows >= this.#told) return;
    const remedy = isCounted(this.request)
      ? 'if the API counts pages from 0, add "first": 0 to pages; if that number counts something else, name "more" in pages'
      : 'perhaps the key may not read the others; if that number counts something else, add "total": false beside pages';
    throw new Moved(
      `${place}: is the last page, after ${this.#rows} rows, but the response tells of ${this.#told} (${remedy})`,
    );
  }

  /** Refuses a last page if there are more rows. */
  #requireAll(
    { body, headers, number: page, refuse, digests, total }: WalkPage,
    isEmptyAgain: boolean,
  ): void {
    const count = this.digests.size;
    if (total !== null && count < total)
      refuse(`is the last page, after ${count} rows, but ${this.request.total} is ${total}`);
    const { more: path } = this.request.pages ?? {};
    if (path !== undefined && valueAt(body, path) === true) refuse(`names no next page, but ${path} is true`);
    if (isEmptyAgain || this.request.row || isToldToEnd(this.request, body)) return;
    const more = moreIn(body, rowsPath(this.request), digests.length, { page, headers });
    if (more !== null)
      refuse(
        "names no next page where pages expects it, but has not all rows",
        `: ${this.upstream.masked(more)}`,
      );
  }

  /**
   * Reads pages after the last. After an empty one, because an API that counts rows before it filters them may send empty pages in between.
   * After a first page that is full, because its total may be the number of its own rows.
   */
  async #requireNoneBeyond({ number, refuse, total }: WalkPage, call: Call, place: string): Promise<void> {
    const { pages } = this.request;
    const name = pages?.page ?? pages?.offset;
    if (name === undefined || pages?.after !== undefined || pages?.more !== undefined) return;
    const isFull = number === 1 && this.limit.isHeeded;
    if (total !== null && !isFull) return;
    const isFiltered = this.#hasGaps && this.limit.isHeeded;
    const several = isFiltered ? MAX_BEYOND_GAPS : this.limit.isHeeded || number > 2 ? MAX_BEYOND : 1;
    const beyond = total === null ? several : 1;
    for (let more = 1; more <= beyond; more++) {
      const at = this.#numberBeyond(number, total === null ? more : 0);
      if (at === null) return;
      const next = withParameter(call, name, at);
      const page = await readPage(this.upstream, this.request, { ...next, place }, true).catch(
        nullPastTheEnd,
      );
      if (page === null) return;
      if (page.rows.length > 0)
        refuse(
          total === null
            ? "has no rows, but a page after it has: name the total or more in the pull file"
            : `is the last by ${this.request.total}, but a page after it has rows: name the number of all rows in total`,
        );
    }
  }

  /** The number of the page, or of the row, so many pages after an empty page; 0: after a page with rows. Null if nothing says how many rows a page has. */
  #numberBeyond(page: number, more: number): number | null {
    const { pages } = this.request;
    if (pages?.page !== undefined) return (pages.first ?? 1) + page + Math.max(0, more - 1);
    const { rows } = this.limit;
    return rows === null ? null : (pages?.first ?? 0) + this.digests.size + rows * more;
  }

  /** Refuses to read pages for ever. */
  #requireNew({ body, number, refuse }: WalkPage, next: Call): void {
    if (this.#emptyPages === MAX_EMPTY_PAGES)
      refuse(`has no rows, as ${MAX_EMPTY_PAGES - 1} pages before it, but names a next page`);
    if (this.#calls.has(signature(next))) {
      const { pages } = this.request;
      const cursor = pages?.cursor === undefined ? next.address.search : textOf(valueAt(body, pages.cursor));
      refuse("names a next page that was read before", `: ${this.upstream.masked(cursor)}`);
    }
    if (number === MAX_PAGES) refuse("is page 100,000, and there are more");
  }

  /** A total proves nothing: between two pages, one row may have gone and another come. */
  #proof(pages: number): PageProof | null {
    if (pages === 1) return "one page";
    if (this.request.pages?.after !== undefined) return "key";
    return this.#isOverlapping ? "overlap" : null;
  }
}

/** What a page that may be the last says of more rows, in words; null if nothing. */
function moreSaid({ body, headers, number, digests }: WalkPage, request: FileRequest): string | null {
  const { pages } = request;
  if (pages?.more !== undefined) return valueAt(body, pages.more) === true ? `${pages.more} is true` : null;
  return moreIn(body, rowsPath(request), digests.length, { page: number, headers });
}

const digestOf = (row: object): Digest => Bun.hash(JSON.stringify(row));

/** Whether a message may be of a page after the last: it speaks of pages, or has no reason. */
function saysPastTheEnd(said: string, { address }: Call, { pages }: FileRequest): boolean {
  const text = said.replaceAll(/[^\s"]*[?&][^\s"]*/g, "").replaceAll(address.pathname, ""); // an address has the page, too
  const names = [pages?.page ?? pages?.offset ?? Object.keys(pages?.after ?? {})].flat();
  return (
    OF_PAGE.test(text) || NO_REASON.test(text) || text.split(/[^\w$-]+/).some((word) => names.includes(word))
  );
}

function nullPastTheEnd(error: unknown): null {
  if (error instanceof PullRefused && (PAST_THE_END.has(error.status) || saysNoRows(error))) return null;
  throw error;
}

/** Whether an API says that it has nothing after the last row. */
function saysNoRows({ status, said }: PullRefused): boolean {
  return (status === 200 || PAST_THE_END.has(status)) && NO_ROWS.test(said);
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

/** The values at the paths; in a list, for each element. */
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

/** The path to the rows as far as it is of single keys: what is beside it tells of pages and of errors. */
function rowsPath({ rows }: FileRequest): string | undefined {
  return rows === undefined ? undefined : `.${rows}`.split(ANY)[0]!.slice(1) || undefined;
}

/**
 * The list at a path. `*` is each element of a list or value of an object, whose rows become one list. Undefined if there is none of them.
 * Raises if an object inside such an element says beside its rows that there are more, or that they failed.
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

/** Where a path goes through a list, in words; null if it does not. */
function hintOfList(body: unknown, path = ""): string | null {
  const keys = path.split(".");
  const at = keys.findIndex((_, number) => Array.isArray(valueAt(body, keys.slice(0, number + 1).join("."))));
  if (at === -1 || at === keys.length - 1) return null;
  return ` (${keys.slice(0, at + 1).join(".")} is a list: write ${keys.toSpliced(at + 1, 0, "*").join(".")} for those of all its elements)`;
}

function rowsOf(list: unknown, body: unknown, request: FileRequest, refuse: Refuse): readonly object[] {
  const { rows, row } = request;
  if (!Array.isArray(list)) {
    if (rows !== undefined && Array.isArray(body))
      refuse(`the response is a list, where an object with ${rows} was expected`);
    const isObject = typeof list === "object" && list !== null;
    const what = list === undefined ? "nothing" : isObject ? "an object" : list === null ? "null" : "a value";
    const orOne = isObject
      ? ` (or add "row": true, if that object is the row; or write ${rows === undefined ? "" : `${rows}.`}*, if its values are)`
      : (hintOfList(body, rows) ?? "");
    return refuse(
      rows === undefined
        ? `the response is ${what}, not a list: name the path of the list in rows${orOne}`
        : `the response has ${what} at ${rows}, not a list${orOne}`,
    );
  }
  const at = list.findIndex((one) => typeof one !== "object" || one === null || Array.isArray(one));
  if (at === -1) return list;
  return refuse(
    row
      ? `the response has no object${rows === undefined ? "" : ` at ${rows}`}, as row says`
      : `row ${at + 1} is not an object`,
  );
}

/** Undefined also for `false`: a total that responses tell counts something else. */
const pathOfTotal = ({ total }: FileRequest) => (total === false ? undefined : total);

function totalOf(body: unknown, request: FileRequest, refuse: Refuse): number | null {
  const total = pathOfTotal(request);
  if (total === undefined) return null;
  const told = valueAt(body, total);
  // Elasticsearch stops counting at 10,000: `{"value": 10000, "relation": "gte"}`.
  if (valueAt(body, total.replace(/[^.]+$/, "relation")) === "gte")
    refuse(
      `says that there are at least ${told} rows at ${total}: ask for the exact number, or take total out`,
    );
  const number = typeof told === "string" && /^\d+$/.test(told) ? Number(told) : told;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0
    ? number
    : refuse(`the response has no number of rows at ${total}`);
}

/** Parameters for the page size, by their letters. */
const LIMITS =
  /limit(?!start)|size$|perpage$|^(?:per|take|top|count|first|rows|num|n|length|amount|fetch|paging|range)$|^max(?:imum)?$|^(?:max(?:imum)?|num|page)(?:results|rows|items|records|entries|length)$/;

const OFFSETS = /^(?:skip|offset|start(?:at|index|row)?|from)$/;

/** How many rows a request asks to skip, each way of counting them: `skip=50`, or `page=2` and `limit=50`. */
function rowsBefore(call: Call, { pages }: FileRequest): number[] {
  const [page, offset] = [pages?.page, pages?.offset].map((path) => path?.split(".").at(-1)); // in the body, they may be paths
  return parametersOf(call).flatMap(([name, value]) => {
    if (name === page) return [(Number(value) - (pages?.first ?? 1)) * (limitOf(call) ?? 0)];
    return name === offset || OFFSETS.test(lettersOf(name)) ? [Number(value)] : [];
  });
}

/** The values of a request's query and body, with their names. */
function parametersOf({ address, json, form }: Call): [name: string, value: unknown][] {
  return [...address.searchParams, ...valuesIn({ ...json, ...form })];
}

/** The page size that the request asks for: `limit=50`, `paging=0,50`, `range=0-49`. */
function limitOf(call: Call): number | null {
  for (const [name, value] of parametersOf(call)) {
    if (!LIMITS.test(lettersOf(name))) continue;
    const [, from = "0", between, number] = /^(?:(\d+)([,-]))?(\d+)$/.exec(String(value)) ?? [];
    const limit = between === "-" ? Number(number) - Number(from) + 1 : Number(number);
    if (limit > 0) return limit;
  }
  return null;
}

/** The values of a body, with their names. */
function valuesIn(body: object): [name: string, value: unknown][] {
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === "object" && value !== null ? valuesIn(value) : [[name, value]],
  );
}

/** Whether the response itself says that this is the last page, at the place that the pull file names. */
function isToldToEnd(request: FileRequest, body: unknown): boolean {
  const { pages } = request;
  const path = pages?.cursor ?? pages?.next;
  return (
    (pathOfTotal(request) ?? pages?.more) !== undefined ||
    (path !== undefined && valueAt(body, path) !== undefined)
  );
}

/** Whether a response has nothing at all where it would name the next page or the number of rows. */
function isSilentOfNext(request: FileRequest, { body, headers }: Answer): boolean {
  const { pages } = request;
  if (pathOfTotal(request) !== undefined || pages?.more !== undefined || isCounted(request)) return false;
  const path = pages?.cursor ?? pages?.next;
  return path === undefined ? linked(headers, "next") === undefined : valueAt(body, path) === undefined;
}

/** Whether the next page follows from the rows so far, so that no response names it. */
function isCounted({ pages }: FileRequest): boolean {
  return (pages?.page ?? pages?.offset ?? pages?.after) !== undefined;
}

function beginning({ pages }: FileRequest, call: Call): Call {
  if (pages?.page !== undefined) return withParameter(call, pages.page, pages.first ?? 1);
  if (pages?.offset === undefined || pages.after !== undefined) return call;
  return withParameter(call, pages.offset, pages.first ?? 0);
}

/** The paths of the values in a row that `after` uses. */
function keyPathsOf(after: object): string[] {
  return placeholdersIn(after).flatMap((part) => (part.from === "row" ? [part.path] : []));
}

/** Refuses rows of which two have the same key: one more of them on the next page would be left out. */
function requireUniqueKey(after: object, rows: readonly object[], refuse: Refuse): void {
  const paths = keyPathsOf(after);
  const keys = new Set<string>();
  for (const [at, row] of rows.entries()) {
    const key = JSON.stringify(paths.map((path) => valueAt(row, path)));
    if (keys.has(key))
      refuse(
        `row ${at + 1} has the same ${paths.join(" and ")} as one before it, so a row of the next page may be left out: name in after, and sort by, a key that no two rows have`,
      );
    keys.add(key);
  }
}

/** Refuses rows that are not sorted by their key: the next page would leave out rows. How an API sorts other texts is not known. */
function requireSortedKey(after: object, rows: readonly object[], refuse: Refuse): void {
  const [path, ...others] = keyPathsOf(after);
  if (path === undefined || others.length > 0) return;
  const values = rows.map((row) => valueAt(row, path));
  const keys = values.map(numberOfKey);
  if (!keys.every((key) => key !== null)) return;
  const at = firstUnsorted(keys);
  // An API may sort digits as texts: "10" before "9".
  if (at === null || (values.every((value) => typeof value === "string") && firstUnsorted(values) === null))
    return;
  refuse(
    `row ${at + 1} is not in the order of ${path}, so rows of the next page may be left out: ask the API to sort by it`,
  );
}

/** The index of the first value that is against the order of the first two; null if all are sorted. */
function firstUnsorted(values: readonly (number | bigint | string)[]): number | null {
  const isDescending = values.length > 1 && values[1]! < values[0]!;
  const at = values.findIndex((value, row) => {
    if (row === 0) return false;
    const before = values[row - 1]!; // it is not the first
    return isDescending ? value > before : value < before;
  });
  return at === -1 ? null : at;
}

/** A number that sorts as the key does: a number, digits, or a moment. Null for other values. */
function numberOfKey(key: unknown): number | bigint | null {
  if (typeof key === "number") return key;
  if (typeof key !== "string") return null;
  if (/^\d+$/.test(key)) return BigInt(key);
  return /^\d{4}-\d\d-\d\d/.test(key) && !Number.isNaN(Date.parse(key)) ? Date.parse(key) : null;
}

/** The parameters of `after`, with the key of the last row. */
function parametersAfter(after: object, values: PullValues, last: object | undefined, refuse: Refuse) {
  const row = new Map<string, unknown>();
  for (const part of placeholdersIn(after)) {
    if (part.from !== "row") continue;
    row.set(part.path, valueAt(last, part.path));
    if (isNothing(row.get(part.path))) refuse(`the last row has nothing at ${part.path}`);
  }
  return Object.entries(expandAll(after, values, row) as object); // expanding an object gives an object
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === false;
}

/** A link of a `Link` header: its target, and its parameters. */
const LINK = /<([^>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g;
const PARAMETER = /;\s*([\w*-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+)))?/g;

const LATER_PAGE =
  /[?&](?:p|page|page_?(?:index|no|number)|page(?:\[|%5B)number(?:\]|%5D))=(?:[2-9]|[1-9]\d)/i;

/** Whether the last page that a response names is another one than the first. */
function hasLastPage(headers: Headers): boolean {
  const [first, last] = [linked(headers, "first"), linked(headers, "last")];
  return last !== undefined && last !== first && (first !== undefined || LATER_PAGE.test(last));
}

/** The target of the link with this relation (RFC 8288, 3). */
function linked(headers: Headers, relation: string): string | undefined {
  for (const [, target, parameters] of (headers.get("link") ?? "").matchAll(LINK)) {
    const rel = [...parameters!.matchAll(PARAMETER)].find(([, name]) => name!.toLowerCase() === "rel");
    const relations = rel?.[2] ?? rel?.[3] ?? "";
    if (relations.toLowerCase().split(/\s+/).includes(relation)) return target;
  }
  return undefined;
}

/** A body with the value at a path, as far as the body has the objects that lead to it. */
function withMember(
  body: Readonly<Record<string, unknown>>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const [key, ...rest] = path.split(".");
  const inner = body[key!];
  if (rest.length === 0 || typeof inner !== "object" || inner === null || Array.isArray(inner))
    return { ...body, [path]: value };
  return { ...body, [key!]: withMember(inner as Record<string, unknown>, rest.join("."), value) }; // an object
}

/** Sets a parameter: in the query if it is there already or there is no body, else in the body. */
function withParameter(call: Call, name: string, value: unknown): Call {
  const address = new URL(call.address);
  if (!address.searchParams.has(name)) {
    if (call.json !== undefined) return { ...call, json: withMember(call.json, name, value) };
    if (call.form !== undefined) return { ...call, form: { ...call.form, [name]: textOf(value) } };
  }
  address.searchParams.set(name, textOf(value));
  return { ...call, address };
}
