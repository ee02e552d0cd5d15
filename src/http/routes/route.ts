// Routes: their interface, and the routes of every list of the store, which need only its definition.
import { companyObject, retrieveCompany } from "../../resources/company.ts";
import { ENDPOINTS } from "../../resources/endpoints.ts";
import { isIdFor } from "../../resources/ids.ts";
import { isOwned, LIST_KINDS, LISTS, type ListKind } from "../../resources/kinds.ts";
import type { ProblemCode } from "../../resources/problems.ts";
import {
  LIMIT_DEFAULT,
  type ParameterError,
  type Parameters,
  parseQuery,
  type Values,
} from "../../resources/query.ts";
import {
  type EndpointContract,
  type ListContract,
  type RetrieveContract,
  SCOPES,
  type Scope,
} from "../../resources/resource.ts";
import { conditionsOf } from "../../store/plan.ts";
import {
  type CompanyReader,
  type DocPage,
  type PageQuery,
  type StoredKey,
  StoreUnavailable,
} from "../../store/store.ts";
import { type Computation, endless } from "../computation.ts";
import { type Moment, todayOf } from "../known-on.ts";
import { invalidParameters, noObject } from "../problems.ts";
import { endPhase, type RequestContext } from "../request-context.ts";
import { readAsked } from "../visibility.ts";

export interface HandlerInput<V> {
  readonly company: CompanyReader;
  readonly values: V;
  /** The id in the path; empty if the path takes none. */
  readonly id: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** What the key may read. */
  readonly scopes: readonly Scope[];
  /** The current UTC day, `YYYY-MM-DD`. */
  readonly today: string;
  /** The computation of the response; long work takes turns through it. */
  readonly computation: Computation;
}

/** Values of a route whose contract is unknown here. */
export type AnyValues = Values<Parameters>;

/** An endpoint. Its methods take values that its own contract parsed. */
export interface Route {
  readonly contract: EndpointContract;
  handle(input: HandlerInput<AnyValues>): Promise<Content>;
  /** Cross-field validation of the query. */
  crossFieldErrors(values: AnyValues, today: string): readonly ParameterError[];
  /** False if the response may change while the company's version does not. */
  readonly isCached: boolean;
  /** False for data of the company: reads of it are not logged. */
  readonly isOfPeople: boolean;
  /** Set for a list, which is also available as a stream. */
  readonly list: ListPages | null;
}

/** How a list and its stream get their pages. */
export interface ListPages {
  readonly contract: ListContract;
  page(input: ListInput<AnyValues>, page: PageQuery): DocPage | Promise<DocPage>;
}

export type ListInput<V> = Omit<HandlerInput<V>, "path" | "query">;

export interface RouteMatch {
  readonly kind: "endpoint";
  readonly route: Route;
  readonly id: string;
}

/** How the company is read at the moment that a query asks about. */
interface MomentReads {
  momentFor(values: AnyValues): Promise<Moment>;
  companyAt(revision: number | null): Promise<CompanyReader>;
}

/** Validates the query before it calls the route, so that a bad query costs nothing else. */
export async function validateAndRead(
  { momentFor, companyAt }: MomentReads,
  { route, id }: RouteMatch,
  context: RequestContext,
  { scopes }: StoredKey,
  { today, computation }: Pick<HandlerInput<AnyValues>, "today" | "computation">,
): Promise<Content> {
  const query = new URLSearchParams(context.query);
  const values = validated(route, query, today, context);
  const asked = { values, id, path: context.path, query, scopes, computation };
  // As `atMoment`, without its closures and promises, which every response would pay for (test/costs).
  let moment = await momentFor(values);
  for (;;) {
    const company = await companyAt(moment.revision);
    const input = { ...asked, company, today: moment.today };
    const content = route.handle(input).finally(() => endPhase(context, "read"));
    if (moment.revision === null) return content;
    await content;
    const again = await momentFor(values);
    if (again.revision === moment.revision) return content;
    moment = again; // an import meanwhile may have forgotten what was known
  }
}

/** The values of a query, parsed by the route's schemas. Raises a 400 that names the bad parameters. */
export function validated(
  route: Route,
  query: URLSearchParams,
  today: string,
  context: RequestContext,
): AnyValues {
  const parsed = parseQuery(route.contract.parameters, query, (values) =>
    route.crossFieldErrors(values, todayOf(values, today)),
  );
  endPhase(context, "validate");
  if (!parsed.ok) throw invalidParameters(parsed.errors, parsed.more);
  return parsed.values;
}

/** A route whose handler sees values of its contract's types. */
export function route<C extends EndpointContract>(
  contract: C,
  handle: (input: HandlerInput<Values<C["parameters"]>>) => Promise<Content>,
  crossFieldErrors: (values: Values<C["parameters"]>, today: string) => readonly ParameterError[] = () => [],
): Route {
  return { contract, handle, crossFieldErrors, isCached: true, isOfPeople: true, list: null };
}

/** The route of an object. `retrieve` returns it as JSON; null if the company has no such object. */
export function retrieveRoute<C extends RetrieveContract>(
  endpoint: C,
  retrieve: (
    input: HandlerInput<Values<C["parameters"]>>,
    id: string,
  ) => string | null | Promise<string | null>,
  crossFieldErrors?: (values: Values<C["parameters"]>, today: string) => readonly ParameterError[],
): Route {
  const { idKind, notFound } = endpoint;
  const handle = async (input: HandlerInput<Values<C["parameters"]>>) => {
    const doc = isIdFor(idKind, input.id) ? await retrieve(input, input.id) : null;
    if (doc === null) throw noObject(notFound as ProblemCode, idKind, input.id); // each retrieval has a 404
    return contentOf(doc);
  };
  return route(endpoint, handle, crossFieldErrors);
}

/** The parameters of every list beside its filters, as parsed. */
interface PageValues {
  readonly limit?: number;
  readonly afterId?: string;
  readonly beforeId?: string;
}

export function listRoute<C extends ListContract>(
  endpoint: C,
  page: (input: ListInput<Values<C["parameters"]>>, page: PageQuery) => DocPage | Promise<DocPage>,
  crossFieldErrors?: (values: Values<C["parameters"]>, today: string) => readonly ParameterError[],
): Route {
  const handle = async (input: HandlerInput<Values<C["parameters"]>>) => {
    const { limit = LIMIT_DEFAULT, afterId, beforeId } = input.values as PageValues;
    const docPage = await page(input, { limit, after: afterId, before: beforeId });
    const link = links(docPage, { afterId, beforeId }, input.path, input.query);
    return contentOf(envelope(docPage), link, docPage.docs.length);
  };
  return { ...route(endpoint, handle, crossFieldErrors), list: { contract: endpoint, page } };
}

/** Rows of a page of `pagesOf`: planning and starting a statement takes as long as reading 100 rows. */
const PAGE_ROWS = 1000;

/** All pages of a list, for commands and work that nobody waits for. `values` are as the list's schemas parse them. */
export async function* pagesOf(
  { list }: Route,
  company: CompanyReader,
  values: object,
  today: string,
  id = "",
): AsyncGenerator<DocPage> {
  const input = { company, values: values as never, id, scopes: SCOPES, today, computation: endless() };
  for (let after: string | undefined, hasMore = true; hasMore; ) {
    const page = await list!.page(input, { limit: PAGE_ROWS, after }); // the route of a list
    yield page;
    after = page.ends?.last;
    hasMore = page.hasMore && after !== undefined;
  }
}

/** The route of a list that the store reads in pages. */
function objectsRoute(kind: ListKind): Route {
  const { isOfCompany, api } = LISTS[kind];
  const route = listRoute(ENDPOINTS[kind].list, ({ company, values, scopes }, page) => {
    const read = (reader: CompanyReader) => reader.list(kind, page, conditionsOf(api.filters, values));
    return isOwned(kind) ? readAsked(company, scopes, values, read) : read(company);
  });
  return { ...route, isOfPeople: !isOfCompany };
}

export const LIST_ROUTES: readonly Route[] = LIST_KINDS.map(objectsRoute);

export const RETRIEVE_ROUTES: readonly Route[] = LIST_KINDS.flatMap((kind) => {
  const endpoint = ENDPOINTS[kind].retrieve;
  if (endpoint === null) return [];
  const route = retrieveRoute(endpoint, ({ company }, id) => company.object(kind, id));
  return [{ ...route, isOfPeople: !LISTS[kind].isOfCompany }];
});

/** The company of the key. It is not cached: an import that changes nothing keeps the version, but renews the age of the data. */
export const companyRoute: Route = {
  ...route(retrieveCompany, async ({ company }) => {
    const about = await company.about();
    if (about === null) throw new StoreUnavailable("The company was just deleted");
    return contentOf(JSON.stringify(companyObject(about, await company.knownSince())));
  }),
  isCached: false,
  isOfPeople: false,
};

// Responses: rows become an envelope with an ETag and links (docs/api.md, Lists and Headers).

/** A 200 before conditional requests and compression; this part is cached. */
export interface Content {
  readonly body: Uint8Array;
  /** A weak tag: a digest of the body, the same for every key and encoding. */
  readonly etag: string;
  /** The compressed bodies made so far, by content coding. */
  readonly compressed: Map<string, Uint8Array>;
  readonly link: string | null;
  readonly count: number;
  /** `Last-Modified`, for programs that use it instead of a tag. */
  readonly lastModified?: string;
  /** Whether there was nothing to send, so that a request with `wait` waits. */
  readonly isIdle?: boolean;
}

const encoder = new TextEncoder();

/** Makes content of JSON text, by default of one object. */
export function contentOf(json: string, link: string | null = null, count = 1): Content {
  const body = encoder.encode(json);
  return { body, etag: `W/"${Bun.hash.xxHash3(body).toString(36)}"`, compressed: new Map(), link, count };
}

/** The envelope of a list. Its objects are JSON already; `more` is further keys as JSON. */
export function envelope({ docs, hasMore }: Pick<DocPage, "docs" | "hasMore">, more = ""): string {
  return `{"count":${docs.length},"data":[${docs.join(",")}],"hasMore":${hasMore}${more}}`;
}

/** The cursor of the page, for its links. */
interface Position {
  readonly afterId?: string | undefined;
  readonly beforeId?: string | undefined;
}

/** Proxies and clients refuse long headers. `hasMore` and the ids suffice to continue. */
const LINK_MAX_BYTES = 2000;

/** The links `next` and `prev` (RFC 8288), with every filter. Null for an empty page, and for links that would be too long. */
function links(
  { ends, hasMore }: DocPage,
  position: Position,
  path: string,
  query: URLSearchParams,
): string | null {
  if (ends === null) return null;
  const backward = position.beforeId !== undefined;
  const hasNext = backward || hasMore;
  const hasPrevious = backward ? hasMore : position.afterId !== undefined;
  const before = `<${path}?${filtersOf(query)}`;
  const next = hasNext ? `${before}afterId=${ends.last}>; rel="next"` : "";
  const previous = hasPrevious ? `${before}beforeId=${ends.first}>; rel="prev"` : "";
  const header = hasNext && hasPrevious ? `${next}, ${previous}` : next + previous;
  return header === "" || header.length > LINK_MAX_BYTES ? null : header;
}

/** All parameters but the cursor, each followed by an ampersand. */
function filtersOf(query: URLSearchParams): string {
  let filters = "";
  for (const [name, value] of query) {
    if (name === "afterId" || name === "beforeId") continue;
    filters += `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`;
  }
  return filters;
}
