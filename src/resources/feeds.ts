// Calendar feeds: what one shows (docs/calendars.md).
import type { WORKER_TYPES } from "./workers.ts";

/** What an event says beside the name: that somebody is away, or by which policy. */
export const FEED_SHOWS = ["busy", "policy"] as const;

/** Which leave a calendar feed shows, and what of it. An empty list restricts nothing. */
export interface FeedDefinition {
  /** Ids. */
  readonly workers: readonly string[];
  readonly types: readonly (typeof WORKER_TYPES)[number][];
  /** Ids. */
  readonly policies: readonly string[];
  readonly show: (typeof FEED_SHOWS)[number];
  /** Whether pending leave is shown, too, as tentative. */
  readonly withPending: boolean;
}
