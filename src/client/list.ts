// Lists: iteration over all objects, pages in both directions, and their query strings.
import type { CallOptions, Transport } from "./transport.ts";

/** The largest page that the server sends. */
const LARGEST_LIMIT = 100;

export interface PageOptions extends CallOptions {
  /** The objects that follow this id. It need not exist any more. */
  readonly afterId?: string | undefined;
  /** The objects right before this id, still in list order. Not together with `afterId`. */
  readonly beforeId?: string | undefined;
  /** 1 to 100; by default 25. */
  readonly limit?: number | undefined;
}

/** One page: a consistent snapshot, in list order. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly count: number;
  /** Whether anything follows this page, or, with `beforeId`, precedes it. */
  readonly hasMore: boolean;
  /** The next page of the same size, or null if there is none. */
  next(options?: CallOptions): Promise<Page<T> | null>;
  /** The previous page of the same size, or null if there is none. */
  previous(options?: CallOptions): Promise<Page<T> | null>;
}

interface Envelope<T> {
  readonly count: number;
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/** `for await (const object of list)` visits every object that matches, each exactly once, in the order of ids. */
export class List<T extends { readonly id: string }> implements AsyncIterable<T> {
  constructor(
    private readonly transport: Transport,
    private readonly path: string,
    private readonly filters: Readonly<Record<string, Value>>,
    private readonly options: CallOptions,
  ) {}

  /** One page: the first one, or the one after or before an id. */
  async page({ signal = this.options.signal, ...where }: PageOptions = {}): Promise<Page<T>> {
    if (matchesNothing(this.filters)) return this.#pageOf({ count: 0, data: [], hasMore: false }, where);
    const query = queryString({ ...this.filters, ...where });
    return this.#pageOf(await this.transport.get<Envelope<T>>(this.path + query, { signal }), where);
  }

  /** Every page, of the largest size. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page: Page<T> | null = await this.page({ limit: LARGEST_LIMIT });
    while (page !== null) {
      yield page;
      page = await page.next();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Every object in one response. Faster for whole lists, but a server sends few streams at a time. Raises `overloaded`. */
  async *stream({ signal = this.options.signal }: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    if (matchesNothing(this.filters)) return;
    yield* this.transport.lines<T>(this.path + queryString(this.filters), { signal });
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
    const turnTo = async (cursor: PageOptions, known: boolean, options: CallOptions = {}) => {
      if (envelope.data.length === 0 || !known) return null;
      const page = await this.page({ limit, ...cursor, ...options });
      return page.count === 0 ? null : page;
    };
    const { hasMore } = envelope;
    return {
      ...envelope,
      next: (options) => turnTo({ afterId: envelope.data.at(-1)?.id }, backward || hasMore, options),
      // Nothing comes before the first page.
      previous: (options) =>
        turnTo({ beforeId: envelope.data[0]?.id }, backward ? hasMore : where.afterId !== undefined, options),
    };
  }
}

type Value = string | number | Date | readonly string[] | undefined;

/** Parameters that are days. A Date stands for its UTC day here, and for an instant elsewhere. */
const DAYS: ReadonlySet<string> = new Set(["from", "to", "startDate", "endDate"]);

/** Lists whose values may contain commas: the server does not split them. */
const UNSPLIT: ReadonlySet<string> = new Set(["legacyIds"]);

/** Omits undefined parameters. An empty list is not the same as none (see `matchesNothing`). */
export function queryString(parameters: Readonly<Record<string, Value>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const values = textsOf(name, value).map(encodeURIComponent);
    if (values.length === 0) continue;
    if (UNSPLIT.has(name)) for (const value of values) parts.push(`${name}=${value}`);
    else parts.push(`${name}=${values.join(",")}`);
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function textsOf(name: string, value: NonNullable<Value>): readonly string[] {
  if (value instanceof Date) return [value.toISOString().slice(0, DAYS.has(name) ? 10 : undefined)];
  return typeof value === "object" ? value : [String(value)];
}

/** Whether a filter is an empty list, which matches nothing: an empty team must not be read as everybody. */
function matchesNothing(parameters: Readonly<Record<string, Value>>): boolean {
  return Object.values(parameters).some((value) => Array.isArray(value) && value.length === 0);
}
