// The change feed (docs/api.md, Changes): what changed, in order, removals included.
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

/** That balances changed. `id` is a worker's or a policy's: fetch all balances of it again. */
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
  /** Whether there is more now. At false, the copy is complete. */
  readonly hasMore: boolean;
  /** Store it after the entries are applied; send it as `after`. */
  readonly position: string;
  /** When the newest import that the page includes ended; null before the first. */
  readonly asOf: string | null;
}

export interface FollowOptions extends CallOptions {
  /** The position of an earlier page, or `now`. From the beginning when left out or null. */
  readonly after?: string | null | undefined;
  /** All when left out. Must be the same as when the position was made. */
  readonly resources?: readonly ChangeResource[] | undefined;
  /** Entries in a page: 1 to 1000. */
  readonly limit?: number | undefined;
}

export interface ChangeOptions extends FollowOptions {
  /** How long the server may wait for something to send, in seconds: 0 to 25, 0 when left out. */
  readonly wait?: number | undefined;
}

const LARGEST_LIMIT = 1000;
const LONGEST_WAIT_SECONDS = 25;

export class Changes {
  constructor(private readonly transport: Transport) {}

  /** One page of what comes after a position. Raises `position_gone` where the copy must be made again from the beginning. */
  page({ after, resources, limit, wait, signal }: ChangeOptions = {}): Promise<ChangePage> {
    const query = queryString({ after: after ?? undefined, resources, limit, wait });
    return this.transport.get<ChangePage>(`/v1/changes${query}`, { signal, waitMs: (wait ?? 0) * 1000 });
  }

  /**
   * Every page, without end: waits for imports once everything was sent. A page may have no entries; its position counts all
   * the same. Raises like `page`, after all attempts; go on with the last position that was stored.
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

  /** Every change, without end, as `pages` gives them. */
  async *follow(options: FollowOptions = {}): AsyncGenerator<Change, never, undefined> {
    const pages = this.pages(options);
    for (;;) {
      const { value } = await pages.next();
      yield* value.data;
    }
  }
}
