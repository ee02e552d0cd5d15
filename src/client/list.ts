// Lists: an async iterable over all objects, and pages forward and backward.
import { matchesNothing, queryString, type Value } from "./query.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** The largest page that the server gives: what a walk asks for. */
const WALK_LIMIT = 100;

export interface PageOptions extends CallOptions {
  /** The objects that follow this id. It need not exist any more. */
  readonly afterId?: string | undefined;
  /** The objects right before this id, still in list order. Not together with `afterId`. */
  readonly beforeId?: string | undefined;
  /** 1 to 100; the server takes 25 when left out. */
  readonly limit?: number | undefined;
}

/** One page: a consistent snapshot, in list order. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly count: number;
  /** Whether anything follows (or, for a page asked for with `beforeId`, precedes) this page. */
  readonly hasMore: boolean;
  /** The page of the same size right after this one, or null where there is nothing. */
  next(options?: CallOptions): Promise<Page<T> | null>;
  /** The page of the same size right before this one, or null where there is nothing. */
  previous(options?: CallOptions): Promise<Page<T> | null>;
}

interface Envelope<T> {
  readonly count: number;
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/** `for await (const object of list)` visits every object that matches, each exactly once, in the order of ids. */
export class List<T extends { readonly id: string }> implements AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #filters: Readonly<Record<string, Value>>;
  readonly #options: CallOptions;

  constructor(
    transport: Transport,
    path: string,
    filters: Readonly<Record<string, Value>>,
    options: CallOptions,
  ) {
    this.#transport = transport;
    this.#path = path;
    this.#filters = filters;
    this.#options = options;
  }

  /** One page: the first one, or the one after or before an id. */
  async page({ signal = this.#options.signal, ...where }: PageOptions = {}): Promise<Page<T>> {
    if (matchesNothing(this.#filters)) return this.#pageOf({ count: 0, data: [], hasMore: false }, where);
    const query = queryString({ ...this.#filters, ...where });
    return this.#pageOf(await this.#transport.get<Envelope<T>>(this.#path + query, { signal }), where);
  }

  /** Every page, the largest that the server gives. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page: Page<T> | null = await this.page({ limit: WALK_LIMIT });
    while (page !== null) {
      yield page;
      page = await page.next();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** All objects at once. */
  async toArray(): Promise<T[]> {
    const all: T[] = [];
    for await (const page of this.pages()) all.push(...page.data);
    return all;
  }

  #pageOf(envelope: Envelope<T>, where: Omit<PageOptions, "signal">): Page<T> {
    const { limit } = where;
    const backward = where.beforeId !== undefined;
    const turn = async (cursor: PageOptions, known: boolean, options: CallOptions = {}) => {
      if (envelope.data.length === 0 || !known) return null;
      const page = await this.page({ limit, ...cursor, ...options });
      return page.count === 0 ? null : page;
    };
    const { hasMore } = envelope;
    return {
      ...envelope,
      next: (options) => turn({ afterId: envelope.data.at(-1)?.id }, backward || hasMore, options),
      // A page from the very start has nothing before it.
      previous: (options) =>
        turn({ beforeId: envelope.data[0]?.id }, backward ? hasMore : where.afterId !== undefined, options),
    };
  }
}
