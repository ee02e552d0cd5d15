// The change feed (docs/api.md, Changes): changes in order, including removals.
import { queryString } from "./list.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Listed } from "./types.ts";

export type ChangeResource = keyof Listed | "balances";

/** An object with its latest state. */
interface Put<R, O> {
  resource: R;
  id: string;
  removed: false;
  object: O;
}

/** An object that is gone: erase it. */
interface Removal {
  resource: keyof Listed;
  id: string;
  removed: true;
  object: null;
}

/** Balances changed. `id` is a worker's or a policy's: fetch all its balances again. */
interface BalancesChange {
  resource: "balances";
  id: string;
  removed: false;
  object: null;
}

export type Change = { [R in keyof Listed]: Put<R, Listed[R]> }[keyof Listed] | Removal | BalancesChange;

export interface ChangePage {
  readonly count: number;
  readonly data: readonly Change[];
  /** Whether more is available now. If false, the copy is complete. */
  readonly hasMore: boolean;
  /** Store it after the entries are applied, and send it as `after`. */
  readonly position: string;
  /** When the newest import in the page ended; null before the first. */
  readonly asOf: string | null;
}

export interface FollowOptions extends CallOptions {
  /** The position of an earlier page, or `now`. By default, or if null, from the beginning. */
  readonly after?: string | null | undefined;
  /** By default all. Must be the same as when the position was made. */
  readonly resources?: readonly ChangeResource[] | undefined;
  /** Entries in a page: 1 to 1000. */
  readonly limit?: number | undefined;
}

export interface ChangeOptions extends FollowOptions {
  /** How long the server may wait for changes, in seconds: 0 to 25, by default 0. */
  readonly wait?: number | undefined;
}

const LARGEST_LIMIT = 1000;
const LONGEST_WAIT_SECONDS = 25;

export class Changes {
  constructor(private readonly transport: Transport) {}

  /** One page after a position. Raises `position_gone` if the copy must be made again from the beginning. */
  page({ after, resources, limit, wait, signal }: ChangeOptions = {}): Promise<ChangePage> {
    const query = queryString({ after: after ?? undefined, resources, limit, wait });
    return this.transport.get<ChangePage>(`/v1/changes${query}`, { signal, waitMs: (wait ?? 0) * 1000 });
  }

  /**
   * Every page, without end. Waits for imports at the end of the feed. Store the position of a page even if it has no entries.
   * Raises like `page`, after all attempts; continue with the last stored position.
   */
  async *pages({
    after,
    limit = LARGEST_LIMIT,
    ...rest
  }: FollowOptions = {}): AsyncGenerator<ChangePage, never, undefined> {
    let page = await this.page({ ...rest, after, limit });
    for (;;) {
      yield page;
      const wait = page.hasMore ? 0 : LONGEST_WAIT_SECONDS;
      page = await this.page({ ...rest, after: page.position, limit, wait });
    }
  }

  /** Every change, without end. Works like `pages`. */
  async *follow(options: FollowOptions = {}): AsyncGenerator<Change, never, undefined> {
    const pages = this.pages(options);
    for (;;) {
      const { value } = await pages.next();
      yield* value.data;
    }
  }
}
