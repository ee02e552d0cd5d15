// Reads the pages of a request, and proves that no row is missing between them (docs/pull.md, Pull files). A mistake of paging must not
// look like fewer rows, so too few rows and repeated pages are refused.
import { earlierIn, moreIn, totalIn } from "../envelope.ts";
import { beginning, isCounted, limitOf, placeOf, signature, withParameter } from "./call.ts";
import { PullRefused, UpstreamAway } from "./errors.ts";
import { isNothing, parametersAfter, requireSortedKey, requireUniqueKey } from "./keys.ts";
import { linked } from "./links.ts";
import {
  isToldToEnd,
  type PulledPage,
  type ReadPage,
  type Refuse,
  readPage,
  refusalAt,
  rowsPath,
} from "./page.ts";
import { nullPastTheEnd, saysNoRows, saysPastTheEnd, WRONG_REQUEST } from "./past-the-end.ts";
import type { FileRequest } from "./schema.ts";
import { type PullValues, textOf } from "./template.ts";
import { type Call, type Upstream, valueAt } from "./upstream.ts";

/** A company never needs more pages than this. */
const MAX_PAGES = 100_000;

/** How many empty pages in a row may each name a next one. */
const MAX_EMPTY_PAGES = 100;

/** After an empty page, this many more are read, if a page was full or several had rows. */
const MAX_BEYOND = 3;

/** The same number for an API that filters rows out of its pages. */
const MAX_BEYOND_GAPS = 100;

/** All pages are read at most this many times, if rows move meanwhile. */
const MAX_WALKS = 5;

/**
 * Why no row is missing. `one page`: there is no other. `key`: each page begins after the key of the last row. `overlap`: each page begins
 * with the last row of the page before. `two walks`: two walks gave the same rows.
 */
export const PROOFS = ["one page", "key", "overlap", "two walks"] as const;

export type PageProof = (typeof PROOFS)[number];

export interface PulledPages {
  /** The number of rows according to the API; null if the pull file names no `total`. */
  readonly total: number | null;
  /** null if rows may be missing. */
  readonly proof: PageProof | null;
}

export interface PageSink {
  add(page: PulledPage): void;
  /** Drops all rows so far, because they are read again. */
  restart(): void;
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

/** The API ignores the parameters of `after`. */
class Unheeded extends Error {
  override readonly name = "Unheeded";
}

/**
 * Reads every page from `first` on, and all again if rows move. `isFileEmpty`: no request of the file had rows so far. Raises UpstreamAway,
 * and PullRefused with the file and the page.
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
      if (before?.hasSameRows(walk)) return { total: walk.total, proof: "two walks" };
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

/** One walk through all pages. */
class Walk {
  /** The digests of all rows so far. */
  readonly digests = new Set<Digest>();
  total: number | null = null;
  #rows = 0;
  /** The total that the latest page tells, if the pull file names no path for it. */
  #told: number | null = null;
  readonly #calls = new Set<string>();
  #before: readonly Digest[] = [];
  #emptyPages = 0;
  /** Whether the page before may be the last: it had fewer rows than the limit. */
  #isShort = false;
  /** Whether another page with rows followed a page below the limit. Such an API counts rows first and filters them afterwards. */
  #hasGaps = false;
  /** What the page before says of more rows, in words; null if nothing. */
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

  hasSameRows({ digests }: Walk): boolean {
    return this.digests.symmetricDifference(digests).size === 0;
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

  /** A page; null if the API refuses it because there are no more rows: its message says so, or the page before was short. */
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

  /** The number of rows that a page repeats from the page before, 0 or 1. Raises if it does not follow that page. */
  #joined({ number, place, refuse, digests, total }: WalkPage): 0 | 1 {
    const { pages } = this.request;
    if (number > 1 && total !== this.total)
      throw new Moved(`${place}: ${this.request.total} is ${total}, and was ${this.total}`);
    const repeated = pages === undefined ? 0 : digests.filter((digest) => this.digests.has(digest)).length;
    const overlap = this.#last !== null && digests[0] === this.#last ? 1 : 0;
    if (repeated > 0 && pages?.after !== undefined && pages.offset !== undefined) throw new Unheeded();
    // After a short page, the same few rows may come again by chance.
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
    // With an overlap, a page of one row would repeat itself for ever.
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

  /** Refuses a first page that names an earlier one: the API may count from 0. */
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

  /** Refuses page 1 if page 0 has other rows. Reads page 0 only if no total would show that its rows are missing. */
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

  /** Raises Moved if we have fewer rows than the latest page tells. That happens if the API counts pages from 0, and we begin at 1. */
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
   * Refuses a last page if a page after it has rows. An empty page may not be the last: some APIs count rows before they filter them.
   * Nor may a full first page: its total may be the number of its own rows.
   */
  async #requireNoneBeyond({ number, refuse, total }: WalkPage, call: Call, place: string): Promise<void> {
    const { pages } = this.request;
    const name = pages?.page ?? pages?.offset;
    if (name === undefined || pages?.after !== undefined || pages?.more !== undefined) return;
    const beyond = this.#pagesBeyond(number, total);
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

  /** How many pages after the last to read. */
  #pagesBeyond(number: number, total: number | null): number {
    const { isHeeded } = this.limit;
    if (total !== null) return number === 1 && isHeeded ? 1 : 0;
    if (this.#hasGaps && isHeeded) return MAX_BEYOND_GAPS;
    return isHeeded || number > 2 ? MAX_BEYOND : 1;
  }

  /** The page or row number `more` pages after the empty `page`; 0 if `page` has rows. Null if the page size is unknown but needed. */
  #numberBeyond(page: number, more: number): number | null {
    const { pages } = this.request;
    if (pages?.page !== undefined) return (pages.first ?? 1) + page + Math.max(0, more - 1);
    const { rows } = this.limit;
    return rows === null ? null : (pages?.first ?? 0) + this.digests.size + rows * more;
  }

  /** Refuses a next page that was read before, and too many pages. */
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

  /** A total is no proof: between two pages, one row may be removed and another added. */
  #proof(pages: number): PageProof | null {
    if (pages === 1) return "one page";
    if (this.request.pages?.after !== undefined) return "key";
    return this.#isOverlapping ? "overlap" : null;
  }
}

/** What a page says of more rows, in words; null if nothing. */
function moreSaid({ body, headers, number, digests }: WalkPage, request: FileRequest): string | null {
  const { pages } = request;
  if (pages?.more !== undefined) return valueAt(body, pages.more) === true ? `${pages.more} is true` : null;
  return moreIn(body, rowsPath(request), digests.length, { page: number, headers });
}

const digestOf = (row: object): Digest => Bun.hash(JSON.stringify(row));
