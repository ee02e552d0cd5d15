// What engines do with the rows of a page, once for all of them.

/** The page without the row that only told whether there is more, back in list order. */
export function trimPage<R>(rows: R[], limit: number, backward: boolean): { rows: R[]; hasMore: boolean } {
  const hasMore = rows.length > limit;
  if (hasMore) rows.pop();
  if (backward) rows.reverse();
  return { rows, hasMore };
}

/** Rows in lists by worker. */
export function byWorker<R extends { readonly workerId: string }>(rows: readonly R[]): Map<string, R[]> {
  return Map.groupBy(rows, (row) => row.workerId);
}
