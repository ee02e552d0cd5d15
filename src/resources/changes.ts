// The change feed: which resources it has.

/** Parents before children: the order of entries of one import. */
export const FEED_RESOURCES = ["workers", "policies", "assignments", "requests", "balances"] as const;
export type FeedResource = (typeof FEED_RESOURCES)[number];
