// Keyset paging: each page begins after the key of the last row. The key must be unique, and the rows sorted by it.

import type { Refuse } from "./page.ts";
import { expandAll, type PullValues, placeholdersIn } from "./template.ts";
import { valueAt } from "./upstream.ts";

/** The paths in a row whose values `after` uses. */
function keyPathsOf(after: object): string[] {
  return placeholdersIn(after).flatMap((part) => (part.from === "row" ? [part.path] : []));
}

/** Refuses two rows with the same key: a third one on the next page would be skipped. */
export function requireUniqueKey(after: object, rows: readonly object[], refuse: Refuse): void {
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

/** Refuses rows that are not sorted by their key, because the next page would skip rows. Checks numbers, digits and days alone. */
export function requireSortedKey(after: object, rows: readonly object[], refuse: Refuse): void {
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

/** The first two values give the direction. Returns the index of the first value that breaks it; null if all are sorted. */
function firstUnsorted(values: readonly (number | bigint | string)[]): number | null {
  const isDescending = values.length > 1 && values[1]! < values[0]!;
  const at = values.findIndex((value, row) => {
    if (row === 0) return false;
    const before = values[row - 1]!; // row > 0
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
export function parametersAfter(after: object, values: PullValues, last: object | undefined, refuse: Refuse) {
  const row = new Map<string, unknown>();
  for (const part of placeholdersIn(after)) {
    if (part.from !== "row") continue;
    row.set(part.path, valueAt(last, part.path));
    if (isNothing(row.get(part.path))) refuse(`the last row has nothing at ${part.path}`);
  }
  return Object.entries(expandAll(after, values, row) as object); // expanding an object gives an object
}

export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === false;
}
